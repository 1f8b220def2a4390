/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernel source on the real kernel: nothing is lost without being counted, in both modes, and
 * processes are told. */
#include "config.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "recording.h"

/* What only a running thread causes. Interrupts on an idle CPU are counted and not recorded by some
 * virtual machines' kernels (6.18-fc: no sample ever has pid 0), so those do not add up there. */
static const char *const by_threads[] = {
  "raw_syscalls:sys_enter",   "raw_syscalls:sys_exit",  "sched:sched_process_exec",
  "sched:sched_process_exit", "sched:sched_wakeup_new", "sched:sched_switch",
};

static gboolean
is_by_threads (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (by_threads); i++)
    if (strcmp (by_threads[i], name) == 0)
      return TRUE;
  return FALSE;
}

/* Period-1 events: in store + lost = counted, on every CPU. */
static void
assert_adds_up (GArray *tallies, const WprManifest *manifest, guint64 *lost)
{
  *lost = 0;
  for (guint i = 0; i < tallies->len; i++)
    {
      const TestTally *t = &g_array_index (tallies, TestTally, i);
      const WprStoreEvent *event = &g_array_index (manifest->events, WprStoreEvent, t->row);
      if (!is_by_threads (event->name))
        continue;
      if (t->records + t->lost != t->counted)
        fail_msg ("%s on CPU %u: %" G_GUINT64_FORMAT " in the store + %" G_GUINT64_FORMAT
                  " lost, %" G_GUINT64_FORMAT " counted",
                  event->name, t->cpu, t->records, t->lost, t->counted);
      *lost += t->lost;
    }
}

static guint64
records_of (GArray *tallies, guint32 row)
{
  guint64 sum = 0;
  for (guint i = 0; i < tallies->len; i++)
    if (g_array_index (tallies, TestTally, i).row == row)
      sum += g_array_index (tallies, TestTally, i).records;
  return sum;
}

static void
file_mode_records_what_was_counted (void **state)
{
  TestRecording r;
  test_recording_init (&r, "CPU.light", WPR_MODE_FILE);
  test_recording_begin (&r);
  for (guint i = 0; i < 10; i++)
    {
      test_run_programs (r.root, "wpr-workload", 10);
      assert_true (wpr_source_drain (r.kernel, &r.session, NULL));
    }
  assert_true (wpr_source_stop (r.kernel, &r.session, NULL));
  g_autofree char *path = g_strdup (wpr_store_get_path (r.session.store));
  wpr_store_close (g_steal_pointer (&r.session.store));
  r.session.manifest = NULL;

  g_autoptr (WprStoreReader) reader = wpr_store_reader_open (path, NULL);
  const WprManifest *manifest = wpr_store_reader_manifest (reader);
  g_autoptr (GArray) tallies = test_store_tallies (path);
  guint64 lost = 0;
  assert_adds_up (tallies, manifest, &lost);
  assert_int_equal (lost, 0);
  assert_true (records_of (tallies, test_store_row (manifest, "sched:sched_process_exec")) >= 100);
  assert_true (records_of (tallies, test_store_row (manifest, "sched:sched_switch")) >= 100);
  test_recording_clear (&r);
}

static void
losses_are_counted_where_they_happen (void **state)
{
  TestRecording r;
  test_recording_init (&r, "SystemCall", WPR_MODE_FILE);
  r.choice->buffer_size_kb = 64;
  r.choice->buffers = 4;
  test_recording_begin (&r);
  /* 1 MiB a CPU and no drain: 200 000 system calls of 90 bytes do not fit. */
  for (guint i = 0; i < 200000; i++)
    getppid ();
  g_autoptr (GArray) figures = g_array_new (FALSE, TRUE, sizeof (WprSourceFigures));
  g_autoptr (GArray) losses = g_array_new (FALSE, TRUE, sizeof (WprSourceLoss));
  g_usleep (G_USEC_PER_SEC);
  wpr_source_figures (r.kernel, &r.session, TRUE, figures, losses);
  guint64 told = 0;
  for (guint i = 0; i < losses->len; i++)
    told += g_array_index (losses, WprSourceLoss, i).count;
  assert_true (told > 0);
  assert_true (wpr_source_stop (r.kernel, &r.session, NULL));
  g_autofree char *path = g_strdup (wpr_store_get_path (r.session.store));
  wpr_store_close (g_steal_pointer (&r.session.store));
  r.session.manifest = NULL;

  g_autoptr (WprStoreReader) reader = wpr_store_reader_open (path, NULL);
  g_autoptr (GArray) tallies = test_store_tallies (path);
  guint64 lost = 0;
  assert_adds_up (tallies, wpr_store_reader_manifest (reader), &lost);
  assert_true (lost >= told);
  test_recording_clear (&r);
}

static void
memory_mode_keeps_the_newest_without_pausing (void **state)
{
  TestRecording r;
  test_recording_init (&r, "SystemCall", WPR_MODE_MEMORY);
  r.choice->buffer_size_kb = 64;
  r.choice->buffers = 16;
  test_recording_begin (&r);
  for (guint i = 0; i < 100000; i++)
    getppid ();
  g_autofree char *parent = g_build_filename (r.root, "raw", NULL);
  WprStoreLimits limits = { .epoch_bytes = G_MAXUINT64 };
  WprManifest *copy = wpr_manifest_new (); /* the store needs one of its own */
  copy->instance = g_strdup ("Test");
  copy->boot_id = g_strdup ("01234567-89ab");
  WprStore *store = wpr_store_create (parent, copy, &limits, NULL);
  assert_non_null (store);
  WprTime complete_from = 0;
  assert_true (wpr_source_copy (r.kernel, &r.session, store, &complete_from, NULL));
  assert_true (complete_from > 0);
  assert_true (wpr_store_bytes (store) > 0);
  wpr_store_close (store);
  /* It went on: the ring's head moves. */
  g_autoptr (GArray) figures = g_array_new (FALSE, TRUE, sizeof (WprSourceFigures));
  g_autoptr (GArray) losses = g_array_new (FALSE, TRUE, sizeof (WprSourceLoss));
  wpr_source_figures (r.kernel, &r.session, FALSE, figures, losses);
  guint64 before = 0, after = 0;
  for (guint i = 0; i < figures->len; i++)
    before += g_array_index (figures, WprSourceFigures, i).bytes;
  for (guint i = 0; i < 1000; i++)
    getppid ();
  g_array_set_size (figures, 0);
  wpr_source_figures (r.kernel, &r.session, FALSE, figures, losses);
  for (guint i = 0; i < figures->len; i++)
    {
      const WprSourceFigures *f = &g_array_index (figures, WprSourceFigures, i);
      after += f->bytes;
      assert_true (f->used_bytes <= f->ring_bytes);
      assert_int_equal (f->overwritten_bytes,
                        f->bytes > f->ring_bytes ? f->bytes - f->ring_bytes : 0);
    }
  assert_true (after > before);
  assert_true (wpr_source_stop (r.kernel, &r.session, NULL));
  test_recording_clear (&r);
}

static void
the_world_hears_of_programs_in_memory_mode (void **state)
{
  TestRecording r;
  test_recording_init (&r, "CPU.light", WPR_MODE_MEMORY);
  test_recording_begin (&r);
  test_run_programs (r.root, "wpr-memory", 50);
  assert_true (wpr_source_drain (r.kernel, &r.session, NULL));
  assert_true (wpr_source_stop (r.kernel, &r.session, NULL));
  g_autoptr (GPtrArray) processes = wpr_world_list_processes (r.session.world);
  guint found = 0;
  for (guint i = 0; i < processes->len; i++)
    {
      const WprProcess *p = g_ptr_array_index (processes, i);
      const WprProgram *last = &g_array_index (p->programs, WprProgram, p->programs->len - 1);
      found += g_strcmp0 (last->comm, "wpr-memory") == 0;
    }
  assert_int_equal (found, 50);
  test_recording_clear (&r);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (file_mode_records_what_was_counted),
    cmocka_unit_test (losses_are_counted_where_they_happen),
    cmocka_unit_test (memory_mode_keeps_the_newest_without_pausing),
    cmocka_unit_test (the_world_hears_of_programs_in_memory_mode),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
