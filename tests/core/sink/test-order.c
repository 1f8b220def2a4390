/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Late records: whatever order a store has them in, no time goes back in the file, within a buffer
 * or from one of a CPU to its next, and the file says how late they were. */
#include "config.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>
#include "base/files.h"
#include "kit.h"
#include "sink/sink.h"
#include "wpr-trace.h"

#define N_EVENTS 40000

/* Times go back nowhere: a walk of the test's own. Returns the events of all CPUs. */
static guint64
walk (const guint8 *bytes, gsize size)
{
  gint64 newest[4] = { 0 };
  guint64 n = 0;

  for (gsize buffer = 65536; buffer + 65536 <= size; buffer += 65536)
    {
      const guint8 *b = bytes + buffer;
      guint32 filled = *(const guint32 *)(b + 0x30);
      guint cpu = *(const guint16 *)(b + 0x28);

      assert_true (cpu < G_N_ELEMENTS (newest));
      for (guint32 at = 0x48; at < filled;)
        {
          gboolean hook = b[at + 2] <= 0x11;
          guint16 event = *(const guint16 *)(b + at + (hook ? 4 : 0));
          gint64 time = *(const gint64 *)(b + at + (b[at + 2] == 0x11 ? 8 : 16));

          assert_true (time >= newest[cpu]);
          newest[cpu] = time;
          n++;
          at += (event + 7u) & ~7u;
        }
    }
  return n;
}

static WprTraceInfo *
save (Kit *kit)
{
  g_autofree char *folder = g_dir_make_tmp ("wpr-order-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "x.etl", NULL), *bytes = NULL;
  g_autoptr (WprTrace) trace = NULL;
  WprSinkResult result;
  WprTraceInfo *info;
  GError *error = NULL;
  gsize size = 0;
  int fd = wpr_open_folder (folder, NULL);

  kit_flush (kit);
  kit_finish (kit, 100 * SECOND);
  trace = wpr_trace_open (kit->path, NULL);
  if (!wpr_sink_save_etl (trace, fd, "x.etl", NULL, NULL, NULL, &result, &error))
    fail_msg ("%s", error->message);
  info = wpr_trace_info_read (path, NULL, &error);
  assert_non_null (info);
  assert_int_equal (info->faults->len, 0);
  assert_true (g_file_get_contents (path, &bytes, &size, NULL));
  assert_int_equal (walk ((const guint8 *)bytes, size) + 3, info->n_events);
  wpr_sink_result_clear (&result);
  assert_int_equal (g_unlink (path), 0);
  close (fd);
  assert_int_equal (g_rmdir (folder), 0);
  return info;
}

static guint64
count (const WprTraceInfo *info, const char *name)
{
  for (guint i = 0; i < info->counts->len; i++)
    if (g_str_equal (((const WprEventCount *)g_ptr_array_index (info->counts, i))->name, name))
      return ((const WprEventCount *)g_ptr_array_index (info->counts, i))->count;
  return 0;
}

static gboolean
says (const WprTraceInfo *info, const char *start)
{
  for (guint i = 0; i < info->facts->len; i++)
    if (g_str_has_prefix (g_ptr_array_index (info->facts, i), start))
      return TRUE;
  return FALSE;
}

/* Samples 1 us apart on two CPUs; in the middle of CPU 0's one that is `late`. */
static WprTraceInfo *
save_late (WprTime late)
{
  g_autoptr (Kit) kit = kit_new (FALSE, 1, 2);

  kit_begin (kit, NULL);
  kit_clock (kit, SECOND, SLEPT, WALL);
  for (guint i = 0; i < N_EVENTS; i++)
    {
      kit_clock_sample (kit, i % 2, 5 * SECOND + (WprTime)i * 1000, 70, i);
      if (i == N_EVENTS / 2)
        kit_clock_sample (kit, 0, 5 * SECOND + (WprTime)i * 1000 - late, 70, 99);
    }
  return save (kit);
}

static void
within_the_window_all_is_put_in_order (void **state)
{
  g_autoptr (WprTraceInfo) info = save_late (500 * 1000);
  g_autofree char *text = wpr_trace_info_to_text (info);
  g_autofree char *json = wpr_trace_info_to_json (info);

  assert_int_equal (count (info, "SampledProfile"), N_EVENTS + 1);
  assert_int_equal (info->furthest_back_ns, 500 * 1000);
  assert_int_equal (info->n_clamped, 0);
  assert_true (says (info, "Order: WindowNs 1000000, FurthestBackNs 500000, ClampedTimes 0"));
  assert_non_null (strstr (text, "0.500 ms"));
  assert_non_null (strstr (json, "\"furthest_back_ns\":500000,\"clamped\":0"));
}

/* What is later than the window may have found it still open (it holds so many records, too), but
 * its time is never before its CPU's last. */
static void
what_is_later_goes_back_no_further (void **state)
{
  static const WprTime lates[] = { 2 * MS, 15 * MS, SECOND };

  for (guint i = 0; i < G_N_ELEMENTS (lates); i++)
    {
      g_autoptr (WprTraceInfo) info = save_late (lates[i]);
      g_autofree char *text = wpr_trace_info_to_text (info);

      assert_int_equal (count (info, "SampledProfile"), N_EVENTS + 1);
      assert_int_equal (info->furthest_back_ns, lates[i]);
      assert_true (info->n_clamped <= 1);
      if (lates[i] > 10 * MS) /* more than the window can hold of such records */
        {
          assert_int_equal (info->n_clamped, 1);
          assert_non_null (strstr (text, "put in order but for 1"));
        }
    }
}

/* The clock of CPU 1 is behind by more than the window; and steps back by a second. */
static void
a_clock_that_is_behind_or_steps_back_is_no_inversion (void **state)
{
  g_autoptr (Kit) kit = kit_new (FALSE, 1, 2);
  g_autoptr (WprTraceInfo) info = NULL;

  kit_begin (kit, NULL);
  kit_clock (kit, SECOND, SLEPT, WALL);
  for (guint i = 0; i < N_EVENTS; i++)
    {
      WprTime time = 5 * SECOND + (WprTime)i * 10000;

      if (i % 4 < 2)
        kit_waking (kit, i % 2, time - (i % 2) * 300 * MS, 70 + i % 2, 72 + i % 2, i % 2);
      else
        kit_switch (kit, i % 2, time - (i % 2) * 300 * MS - (i > N_EVENTS / 2 ? SECOND : 0),
                    70 + i % 2 + i / 4 % 2 * 2, STATE_S, 72 + i % 2 - i / 4 % 2 * 2);
    }
  info = save (kit);
  assert_int_equal (count (info, "ReadyThread"), N_EVENTS / 2);
  assert_true (count (info, "CSwitch") >= N_EVENTS / 2);
  assert_in_range (info->furthest_back_ns, SECOND - 100 * MS, SECOND + 100 * MS);
  assert_true (info->n_clamped > 0);
}

/* Two collectors hand their rings over one after the other: the second's records are all older than
 * what the first gave last. */
static void
rings_that_are_handed_over_late_are_merged (void **state)
{
  g_autoptr (Kit) kit = kit_new (FALSE, 2, 2);
  g_autoptr (WprTraceInfo) info = NULL;

  kit_begin (kit, NULL);
  kit_clock (kit, SECOND, SLEPT, WALL);
  for (guint round = 0; round < 10; round++)
    {
      for (guint collector = 0; collector < 2; collector++)
        {
          kit->collector = collector;
          for (guint i = 0; i < N_EVENTS / 20; i++)
            kit_clock_sample (
                kit, i % 2,
                5 * SECOND + (WprTime)round * 10 * MS + (WprTime)(2 * i + collector) * 1000, 70, i);
        }
      kit_rotate (kit);
    }
  info = save (kit);
  assert_int_equal (count (info, "SampledProfile"), N_EVENTS);
  assert_int_equal (info->furthest_back_ns, 0);
  assert_int_equal (info->n_clamped, 0);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (within_the_window_all_is_put_in_order),
    cmocka_unit_test (what_is_later_goes_back_no_further),
    cmocka_unit_test (a_clock_that_is_behind_or_steps_back_is_no_inversion),
    cmocka_unit_test (rings_that_are_handed_over_late_are_merged),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
