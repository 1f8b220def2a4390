/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An epoch that goes leaves what it knew of processes in the checkpoint of the next: folding epoch
 * by epoch gives the same world as reading all at once. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "perf/event.h"
#include "source/source.h"
#include "source/world-fold.h"
#include "store/payload.h"

#define ID 77
#define SECOND G_GINT64_CONSTANT (1000000000)

typedef struct __attribute__ ((packed))
{
  guint32 pid, tid;
  guint64 time;
  guint32 cpu, reserved;
  guint64 id;
} Trailer;

/* A FORK record, or a COMM record of an exec, as the kernel writes them with sample_id_all. */
static void
add_fork (GByteArray *bytes, guint32 pid, guint32 ppid, gint64 time)
{
  struct __attribute__ ((packed))
  {
    struct perf_event_header header;
    guint32 pid, ppid, tid, ptid;
    guint64 time;
    Trailer trailer;
  } r = { { PERF_RECORD_FORK, 0, 0 },           pid, ppid, pid, ppid, (guint64)time,
          { pid, pid, (guint64)time, 0, 0, ID } };
  r.header.size = sizeof r;
  g_byte_array_append (bytes, (const guint8 *)&r, sizeof r);
}

static void
add_exec (GByteArray *bytes, guint32 pid, const char *name, gint64 time)
{
  struct __attribute__ ((packed))
  {
    struct perf_event_header header;
    guint32 pid, tid;
    char comm[16];
    Trailer trailer;
  } r = { { PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, 0 },
          pid,
          pid,
          { 0 },
          { pid, pid, (guint64)time, 0, 0, ID } };
  r.header.size = sizeof r;
  g_strlcpy (r.comm, name, sizeof r.comm);
  g_byte_array_append (bytes, (const guint8 *)&r, sizeof r);
}

static WprManifest *
new_manifest (void)
{
  WprManifest *manifest = wpr_manifest_new ();
  WprPerfEvent sideband = { .kind = WPR_PERF_SIDEBAND, .name = "sideband" };
  WprStoreEvent event = { .collector = G_MAXUINT32,
                          .name = g_strdup ("sideband"),
                          .kind = WPR_PERF_SIDEBAND,
                          .sample_type = wpr_perf_event_sample_type (&sideband) };
  WprStoreId id = { ID, 0, 0 };
  g_array_append_val (manifest->events, event);
  g_array_append_val (manifest->ids, id);
  return manifest;
}

static void
folding_epoch_by_epoch_forgets_nobody_who_lives (void **state)
{
  g_autoptr (WprManifest) manifest = new_manifest ();
  WprFold *fold = wpr_fold_new (manifest);
  g_autoptr (GBytes) checkpoint = NULL;
  for (guint epoch = 0; epoch < 5; epoch++)
    {
      g_autoptr (GByteArray) sideband = g_byte_array_new ();
      g_autofree char *name = g_strdup_printf ("prog-%u", epoch);
      gint64 at = (gint64)(epoch + 1) * 10 * SECOND;
      add_fork (sideband, 100 + epoch, 1, at);
      add_exec (sideband, 100 + epoch, name, at + SECOND);
      GBytes *next = wpr_fold_epoch (checkpoint, sideband->data, sideband->len, NULL, 0, fold);
      assert_non_null (next);
      g_clear_pointer (&checkpoint, g_bytes_unref);
      checkpoint = next;
    }
  g_autoptr (WprWorld) world = wpr_world_new (WPR_WORLD_MAX_DEAD);
  assert_true (wpr_world_load (world, checkpoint, NULL));
  for (guint epoch = 0; epoch < 5; epoch++)
    {
      g_autofree char *name = g_strdup_printf ("prog-%u", epoch);
      assert_string_equal (wpr_world_thread_name (world, 100 + epoch, 100 * SECOND), name);
    }
  wpr_fold_free (fold);
}

static void
a_cut_or_foreign_sideband_is_read_as_far_as_it_goes (void **state)
{
  g_autoptr (WprManifest) manifest = new_manifest ();
  WprFold *fold = wpr_fold_new (manifest);
  g_autoptr (GByteArray) sideband = g_byte_array_new ();
  add_fork (sideband, 100, 1, SECOND);
  add_exec (sideband, 100, "whole", 2 * SECOND);
  add_exec (sideband, 100, "cut", 3 * SECOND);
  for (guint cut = 1; cut < 40; cut++)
    {
      g_autoptr (GBytes) next
          = wpr_fold_epoch (NULL, sideband->data, sideband->len - cut, NULL, 0, fold);
      g_autoptr (WprWorld) world = wpr_world_new (WPR_WORLD_MAX_DEAD);
      assert_true (wpr_world_load (world, next, NULL));
      assert_string_equal (wpr_world_thread_name (world, 100, 10 * SECOND), "whole");
    }
  wpr_fold_free (fold);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (folding_epoch_by_epoch_forgets_nobody_who_lives),
    cmocka_unit_test (a_cut_or_foreign_sideband_is_read_as_far_as_it_goes),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
