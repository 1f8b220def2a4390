/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The merge: time order across CPUs, collectors and epochs, the reorder window, cut stores, and
 * what a sink that refuses or a person who cancels leaves behind. */
#include "config.h"
#include "kit.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/wpr-error.h"

static void
finish_and_play (Kit *kit, Recorder *recorder, WprTraceCounters *counters)
{
  kit_finish (kit, 1000 * SECOND);
  recorder_init (recorder);
  g_autoptr (WprTrace) trace = kit_play (kit, recorder);
  wpr_trace_counters (trace, counters);
}

static void
test_cpus_and_collectors (void **state)
{
  g_autoptr (Kit) kit = kit_new (FALSE, 2, 4);
  Recorder recorder;
  WprTraceCounters counters;
  kit_begin (kit, NULL);
  kit_clock (kit, SECOND, SLEPT, WALL);
  /* Event i happens at i ms, on CPU i mod 4, in collector i mod 3 mod 2. */
  for (guint i = 0; i < 1000; i++)
    {
      kit->collector = i % 3 % 2;
      kit_clock_sample (kit, i % 4, SECOND + (WprTime)i * MS, 70, i);
    }
  finish_and_play (kit, &recorder, &counters);
  assert_int_equal (recorder.seen->len, 1000);
  for (guint i = 0; i < 1000; i++)
    {
      const WprEvent *event = &g_array_index (recorder.seen, Seen, i).event;
      assert_int_equal (event->ip, i);
      assert_int_equal (event->cpu, i % 4);
      assert_int_equal (event->time, 6 * SECOND + (gint64)i * MS);
    }
  assert_int_equal (counters.events, 1000);
  assert_int_equal (counters.clamped, 0);
  assert_int_equal (counters.largest_reorder_ns, 0);
  recorder_clear (&recorder);
}

/* CPU 1 is idle through all epochs but the first and the last. */
static void
test_epochs (void **state)
{
  g_autoptr (Kit) kit = kit_new (FALSE, 1, 2);
  Recorder recorder;
  WprTraceCounters counters;
  kit_begin (kit, NULL);
  kit_clock (kit, SECOND, SLEPT, WALL);
  kit_clock_sample (kit, 1, SECOND, 70, 0);
  for (guint i = 1; i < 500; i++)
    {
      kit_clock_sample (kit, 0, SECOND + (WprTime)i * MS, 70, i);
      if (i % 50 == 0)
        kit_rotate (kit);
    }
  kit_clock_sample (kit, 1, SECOND + 500 * MS, 70, 500);
  finish_and_play (kit, &recorder, &counters);
  assert_int_equal (recorder.seen->len, 501);
  for (guint i = 0; i <= 500; i++)
    assert_int_equal (g_array_index (recorder.seen, Seen, i).event.ip, i);
  recorder_clear (&recorder);
}

/* Within a millisecond records are put in order, also over the end of an epoch; what is later has
 * the time of the one before. */
static void
test_window (void **state)
{
  g_autoptr (Kit) kit = kit_new (FALSE, 1, 1);
  Recorder recorder;
  WprTraceCounters counters;
  kit_begin (kit, NULL);
  kit_clock (kit, SECOND, SLEPT, WALL);
  kit_clock_sample (kit, 0, 2 * SECOND, 70, 1);
  kit_clock_sample (kit, 0, 2 * SECOND + 900000, 70, 3);
  kit_rotate (kit);
  kit_clock_sample (kit, 0, 2 * SECOND + 1000, 70, 2);
  kit_clock_sample (kit, 0, 3 * SECOND, 70, 4);
  kit_clock_sample (kit, 0, 3 * SECOND + 500, 70, 6);
  kit_clock_sample (kit, 0, 3 * SECOND + 400, 70, 5);
  finish_and_play (kit, &recorder, &counters);
  assert_int_equal (recorder.seen->len, 6);
  for (guint i = 0; i < 6; i++)
    assert_int_equal (g_array_index (recorder.seen, Seen, i).event.ip, i + 1);
  assert_int_equal (counters.clamped, 0);
  assert_int_equal (counters.largest_reorder_ns, 899000);
  recorder_clear (&recorder);
}

static void
test_clamp (void **state)
{
  g_autoptr (Kit) kit = kit_new (FALSE, 1, 1);
  Recorder recorder;
  WprTraceCounters counters;
  kit_begin (kit, NULL);
  kit_clock (kit, SECOND, SLEPT, WALL);
  /* Enough to fill the window's memory, so that the first are given out. */
  for (guint i = 0; i < 20000; i++)
    kit_clock_sample (kit, 0, 2 * SECOND + (WprTime)i * MS, 70, i);
  kit_clock_sample (kit, 0, 2 * SECOND + 10000 * MS, 70, 99999); /* ten seconds late */
  for (guint i = 20000; i < 40000; i++)
    kit_clock_sample (kit, 0, 2 * SECOND + (WprTime)i * MS, 70, i);
  finish_and_play (kit, &recorder, &counters);
  assert_int_equal (recorder.seen->len, 40001);
  assert_int_equal (counters.clamped + (counters.largest_reorder_ns == 9999 * MS), 2);
  recorder_clear (&recorder);
}

static int
compare_times (gconstpointer a, gconstpointer b)
{
  const WprTime *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

/* Against sorting: random times a little out of order in random rings. */
static void
test_random (void **state)
{
  for (guint32 seed = 1; seed <= 20; seed++)
    {
      g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
      g_autoptr (Kit) kit = kit_new (FALSE, 3, 4);
      g_autoptr (GArray) times = g_array_new (FALSE, FALSE, sizeof (WprTime));
      WprTime now[4] = { SECOND, SECOND, SECOND, SECOND };
      Recorder recorder;
      WprTraceCounters counters;
      kit_begin (kit, NULL);
      kit_clock (kit, SECOND / 2, SLEPT, WALL);
      for (guint i = 0; i < 5000; i++)
        {
          guint cpu = (guint)g_rand_int_range (rand, 0, 4);
          now[cpu] += g_rand_int_range (rand, 0, 300000);
          WprTime time = now[cpu] - g_rand_int_range (rand, 0, 400000);
          kit->collector = (guint)g_rand_int_range (rand, 0, 3);
          kit_clock_sample (kit, cpu, time, 70, (guint64)time);
          g_array_append_val (times, time);
          if (g_rand_int_range (rand, 0, 500) == 0)
            kit_rotate (kit);
        }
      g_array_sort (times, compare_times);
      finish_and_play (kit, &recorder, &counters);
      assert_int_equal (recorder.seen->len, times->len);
      assert_int_equal (counters.clamped, 0);
      for (guint i = 0; i < times->len; i++)
        {
          const WprEvent *event = &g_array_index (recorder.seen, Seen, i).event;
          assert_int_equal (event->time, g_array_index (times, WprTime, i) + SLEPT);
          assert_int_equal (event->ip, g_array_index (times, WprTime, i));
        }
      recorder_clear (&recorder);
    }
}

static char *
data_file (Kit *kit)
{
  g_autoptr (GDir) dir = g_dir_open (kit->path, 0, NULL);
  for (const char *name = g_dir_read_name (dir); name != NULL; name = g_dir_read_name (dir))
    {
      g_autofree char *folder = g_build_filename (kit->path, name, NULL);
      g_autoptr (GDir) epoch = g_dir_open (folder, 0, NULL);
      for (const char *file = epoch != NULL ? g_dir_read_name (epoch) : NULL; file != NULL;
           file = g_dir_read_name (epoch))
        if (strchr (file, '0') != NULL)
          return g_build_filename (folder, file, NULL);
    }
  return NULL;
}

/* The recorder was killed while it wrote: whatever is whole is played. */
static void
test_cut (void **state)
{
  for (guint left = 0; left <= 160; left += 4)
    {
      g_autoptr (Kit) kit = kit_new (FALSE, 1, 1);
      Recorder recorder;
      WprTraceCounters counters;
      kit_begin (kit, NULL);
      kit_clock (kit, SECOND, SLEPT, WALL);
      kit_fault (kit, ROW_PAGE_FAULTS, 0, 2 * SECOND, 70, 1, 1); /* 56 bytes each */
      kit_fault (kit, ROW_PAGE_FAULTS, 0, 3 * SECOND, 70, 2, 1);
      kit_fault (kit, ROW_PAGE_FAULTS, 0, 4 * SECOND, 70, 3, 1);
      kit_finish (kit, -1);
      g_autofree char *path = data_file (kit);
      assert_non_null (path);
      assert_int_equal (truncate (path, left), 0);
      recorder_init (&recorder);
      g_autoptr (WprTrace) trace = kit_play (kit, &recorder);
      wpr_trace_counters (trace, &counters);
      assert_int_equal (recorder.seen->len, left / 56);
      assert_int_equal (counters.cut_bytes, left % 56);
      assert_false (wpr_trace_context (trace)->stopped);
      if (left >= 56)
        assert_int_equal (wpr_trace_context (trace)->end_time,
                          (gint64)(left / 56 + 1) * SECOND + SLEPT);
      recorder_clear (&recorder);
    }
}

/* A record that a disk error wrote over: its time must not become everybody's. */
static void
test_absurd_time (void **state)
{
  g_autoptr (Kit) kit = kit_new (FALSE, 1, 1);
  Recorder recorder;
  WprTraceCounters counters;
  kit_begin (kit, NULL);
  kit_clock (kit, SECOND, SLEPT, WALL);
  kit_clock_sample (kit, 0, 2 * SECOND, 70, 1);
  kit_clock_sample (kit, 0, G_MAXINT64 - 1, 70, 2);
  kit_clock_sample (kit, 0, -5, 70, 3);
  kit_clock_sample (kit, 0, 3 * SECOND, 70, 4);
  finish_and_play (kit, &recorder, &counters);
  assert_int_equal (recorder.seen->len, 2);
  assert_int_equal (counters.undecodable, 2);
  assert_int_equal (g_array_index (recorder.seen, Seen, 1).event.time, 8 * SECOND);
  recorder_clear (&recorder);
}

static Kit *
many (void)
{
  Kit *kit = kit_new (FALSE, 1, 2);
  kit_begin (kit, NULL);
  kit_clock (kit, SECOND, SLEPT, WALL);
  for (guint i = 0; i < 20000; i++)
    kit_clock_sample (kit, i % 2, SECOND + (WprTime)i * MS, 70, i);
  kit_finish (kit, 1000 * SECOND);
  return kit;
}

static void
test_cancel (void **state)
{
  g_autoptr (Kit) kit = many ();
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (WprTrace) trace = wpr_trace_open (kit->path, NULL);
  Recorder recorder;
  recorder_init (&recorder);
  recorder.cancel = cancellable;
  recorder.cancel_at = 1000;
  WprSink *sinks[] = { &recorder.sink };
  assert_false (wpr_trace_play (trace, sinks, 1, NULL, cancellable, &error));
  assert_true (g_error_matches (error, WPR_ERROR, WPR_ERROR_CANCELLED));
  assert_non_null (strstr (error->message, kit->path));
  assert_in_range (recorder.n, 1000, 5000);
  assert_int_equal (recorder.ended, 0);
  recorder_clear (&recorder);
  /* The store is as it was: the same trace plays whole, and so does a new one. */
  recorder_init (&recorder);
  assert_true (wpr_trace_play (trace, sinks, 1, NULL, NULL, NULL));
  assert_int_equal (recorder.n, 20000);
  recorder_clear (&recorder);
  recorder_init (&recorder);
  g_autoptr (WprTrace) again = kit_play (kit, &recorder);
  assert_int_equal (recorder.n, 20000);
  recorder_clear (&recorder);
}

static void
test_sink_fails (void **state)
{
  g_autoptr (Kit) kit = many ();
  g_autoptr (GError) error = NULL;
  g_autoptr (WprTrace) trace = wpr_trace_open (kit->path, NULL);
  Recorder recorder;
  recorder_init (&recorder);
  recorder.fail_at = 500;
  WprSink *sinks[] = { &recorder.sink };
  assert_false (wpr_trace_play (trace, sinks, 1, NULL, NULL, &error));
  assert_true (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_NO_SPACE));
  assert_int_equal (recorder.n, 500);
  assert_int_equal (recorder.ended, 0);
  recorder_clear (&recorder);
}

typedef struct
{
  guint n;
  double last;
  gboolean bad, collect, order;
} Told;

static void
on_progress (const char *phase, double fraction, guint64 done, guint64 total, gpointer data)
{
  Told *told = data;
  gboolean order = strcmp (phase, "order") == 0;
  if (order && !told->order)
    told->last = 0;
  told->collect |= strcmp (phase, "collect") == 0;
  told->order |= order;
  told->bad |= fraction < told->last || fraction > 1 || done > total;
  told->last = fraction;
  told->n++;
}

static void
test_progress (void **state)
{
  g_autoptr (Kit) kit = many ();
  g_autoptr (WprTrace) trace = wpr_trace_open (kit->path, NULL);
  Told told = { 0 };
  WprProgress progress = { on_progress, &told };
  gint64 before = g_get_monotonic_time ();
  assert_true (wpr_trace_play (trace, NULL, 0, &progress, NULL, NULL));
  gint64 took = g_get_monotonic_time () - before;
  assert_false (told.bad);
  assert_true (told.collect && told.order);
  assert_true (told.last > 0.9);
  /* Twenty a second, and the last of each phase. */
  assert_true (told.n <= took / 50000 + 4);
}

static void
test_nothing (void **state)
{
  g_autoptr (Kit) kit = kit_new (FALSE, 1, 1);
  Recorder recorder;
  WprTraceCounters counters;
  kit_begin (kit, NULL);
  finish_and_play (kit, &recorder, &counters);
  assert_int_equal (recorder.seen->len, 0);
  recorder_clear (&recorder);
  g_autoptr (GError) error = NULL;
  assert_null (wpr_trace_open ("/nonexistent/wpr", &error));
  assert_non_null (error);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_cpus_and_collectors),
    cmocka_unit_test (test_epochs),
    cmocka_unit_test (test_window),
    cmocka_unit_test (test_clamp),
    cmocka_unit_test (test_random),
    cmocka_unit_test (test_cut),
    cmocka_unit_test (test_absurd_time),
    cmocka_unit_test (test_cancel),
    cmocka_unit_test (test_sink_fails),
    cmocka_unit_test (test_progress),
    cmocka_unit_test (test_nothing),
  };
  return cmocka_run_group_tests_name ("order", tests, NULL, NULL);
}
