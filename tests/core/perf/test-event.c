/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is asked of the kernel for each kind of event; lists of CPUs. Opens nothing. */
#include "config.h"
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <time.h>
#include "perf/event-private.h"

#define PREFIX (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU)

static void
sample_types_follow_the_event (void **state)
{
  static const struct
  {
    WprPerfEvent event;
    guint64 type;
  } rows[] = {
    { { .kind = WPR_PERF_TRACEPOINT, .name = "a:b", .period = 1 }, PREFIX | PERF_SAMPLE_RAW },
    { { .kind = WPR_PERF_TRACEPOINT, .name = "a:b", .callchain = WPR_CALLCHAIN_KERNEL },
      PREFIX | PERF_SAMPLE_RAW | PERF_SAMPLE_CALLCHAIN },
    { { .kind = WPR_PERF_SOFTWARE, .name = "cpu-clock", .period = 1000000 },
      PREFIX | PERF_SAMPLE_IP },
    { { .kind = WPR_PERF_SOFTWARE, .name = "page-faults", .period = 1, .addr = TRUE },
      PREFIX | PERF_SAMPLE_IP | PERF_SAMPLE_ADDR },
    { { .kind = WPR_PERF_HARDWARE, .name = "cycles", .frequency = 1000 },
      PREFIX | PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD },
    { { .kind = WPR_PERF_HARDWARE, .name = "cycles", .period = 1000 }, PREFIX | PERF_SAMPLE_IP },
    { { .kind = WPR_PERF_SIDEBAND, .name = "sideband" }, PREFIX },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      struct perf_event_attr attr;
      assert_true (wpr_perf_event_sample_type (&rows[i].event) == rows[i].type);
      wpr_perf_event_fill_attr (&rows[i].event, i % 2 == 0, &attr);
      assert_true (attr.sample_type == rows[i].type);
      assert_int_equal (attr.write_backward, i % 2 == 0);
      assert_int_equal (attr.use_clockid, 1);
      assert_int_equal (attr.clockid, CLOCK_MONOTONIC);
      assert_int_equal (attr.sample_id_all, 1);
      assert_int_equal (attr.disabled, 0);
    }
}

static void
periods_frequencies_and_chains_reach_the_kernel (void **state)
{
  WprPerfEvent event = { .kind = WPR_PERF_HARDWARE, .name = "cycles", .frequency = 997 };
  struct perf_event_attr attr;

  wpr_perf_event_fill_attr (&event, FALSE, &attr);
  assert_int_equal (attr.freq, 1);
  assert_int_equal (attr.sample_freq, 997);
  assert_int_equal (attr.config, PERF_COUNT_HW_CPU_CYCLES);

  event = (WprPerfEvent){ .kind = WPR_PERF_SOFTWARE,
                          .name = "cpu-clock",
                          .period = 1000000,
                          .callchain = WPR_CALLCHAIN_KERNEL };
  wpr_perf_event_fill_attr (&event, FALSE, &attr);
  assert_int_equal (attr.freq, 0);
  assert_int_equal (attr.sample_period, 1000000);
  assert_int_equal (attr.exclude_callchain_user, 1);
  event.callchain = WPR_CALLCHAIN_FULL;
  wpr_perf_event_fill_attr (&event, FALSE, &attr);
  assert_int_equal (attr.exclude_callchain_user, 0);
  assert_int_equal (attr.exclude_callchain_kernel, 0);

  event = (WprPerfEvent){ .kind = WPR_PERF_SIDEBAND, .name = "sideband" };
  wpr_perf_event_fill_attr (&event, FALSE, &attr);
  assert_int_equal (attr.config, PERF_COUNT_SW_DUMMY);
  assert_true (attr.mmap2 && attr.build_id && attr.comm && attr.comm_exec && attr.task
               && attr.ksymbol);
}

static void
lists_of_cpus_are_read (void **state)
{
  static const struct
  {
    const char *text;
    guint n, last;
  } rows[] = {
    { "0\n", 1, 0 },
    { "0-3\n", 4, 3 },
    { "0-1,4,6-7\n", 5, 7 },
    { "5", 1, 5 },
    { "0-999999999\n", 65536, 65535 },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GArray) cpus = wpr_perf_parse_cpus (rows[i].text);
      assert_int_equal (cpus->len, rows[i].n);
      assert_int_equal (g_array_index (cpus, guint, cpus->len - 1), rows[i].last);
    }
  static const char *const none[] = { "", "\n", "x", ",", "-3" };
  for (gsize i = 0; i < G_N_ELEMENTS (none); i++)
    {
      g_autoptr (GArray) cpus = wpr_perf_parse_cpus (none[i]);
      assert_int_equal (cpus->len, 0);
    }
}

static void
this_machine_has_cpus (void **state)
{
  g_autoptr (GArray) cpus = wpr_cpus_online ();

  assert_true (cpus->len >= 1);
  for (guint i = 1; i < cpus->len; i++)
    assert_true (g_array_index (cpus, guint, i) > g_array_index (cpus, guint, i - 1));
  assert_true (wpr_cpus_possible () > g_array_index (cpus, guint, cpus->len - 1));
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (sample_types_follow_the_event),
    cmocka_unit_test (periods_frequencies_and_chains_reach_the_kernel),
    cmocka_unit_test (lists_of_cpus_are_read),
    cmocka_unit_test (this_machine_has_cpus),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
