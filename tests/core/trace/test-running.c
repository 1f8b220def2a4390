/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who runs where: waiting times, yields, and switches that were not recorded. */
#include "config.h"
#include "kit.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

static Kit *
begun (void)
{
  Kit *kit = kit_new (FALSE, 1, 2);
  kit_begin (kit, NULL);
  kit_clock (kit, SECOND, SLEPT, WALL);
  return kit;
}

static WprTrace *
played (Kit *kit, Recorder *recorder)
{
  kit_finish (kit, 100 * SECOND);
  recorder_init (recorder);
  return kit_play (kit, recorder);
}

static const WprEvent *
nth_switch (const Recorder *recorder, guint nth)
{
  return &recorder_nth (recorder, WPR_EVENT_SWITCH, nth)->event;
}

/* A kernel that reports no switch out of idle: the waking says when. */
static void
test_out_of_idle (void **state)
{
  g_autoptr (Kit) kit = begun ();
  Recorder recorder;
  kit_switch (kit, 0, 2 * SECOND, 70, STATE_S, 0);
  kit_waking (kit, 1, 3 * SECOND, 80, 70, 0);
  kit_plain (kit, ROW_SYS_ENTER, 0, 4 * SECOND, 70);
  kit_switch (kit, 0, 5 * SECOND, 70, STATE_S, 0);
  g_autoptr (WprTrace) trace = played (kit, &recorder);
  assert_int_equal (recorder_count (&recorder, WPR_EVENT_SWITCH), 3);
  const WprEvent *event = nth_switch (&recorder, 1);
  assert_true (event->inferred);
  assert_int_equal (event->time, 8 * SECOND);
  assert_int_equal (event->cpu, 0);
  assert_int_equal (event->row, G_MAXUINT32);
  assert_int_equal (event->u.sw.prev_tid, 0);
  assert_int_equal (event->u.sw.prev_pid, 0);
  assert_int_equal (event->u.sw.prev_state, WPR_TASK_RUNNING);
  assert_int_equal (event->u.sw.next_tid, 70);
  assert_int_equal (event->u.sw.next_pid, 70);
  assert_int_equal (event->u.sw.next_prio, 110); /* as the waking said */
  assert_int_equal (event->u.sw.wait_ns, 0);
  WprTraceCounters counters;
  wpr_trace_counters (trace, &counters);
  assert_int_equal (counters.inferred_switches, 1);
  recorder_clear (&recorder);
}

/* The next switch away is the first thing seen of it. */
static void
test_prev_is_not_current (void **state)
{
  g_autoptr (Kit) kit = begun ();
  Recorder recorder;
  kit_switch (kit, 0, 2 * SECOND, 70, STATE_S, 0);
  kit_waking (kit, 0, 3 * SECOND, 0, 71, 0);
  kit_switch (kit, 0, 5 * SECOND, 71, STATE_S, 0);
  g_autoptr (WprTrace) trace = played (kit, &recorder);
  const WprEvent *event = nth_switch (&recorder, 1);
  assert_true (event->inferred);
  assert_int_equal (event->time, 8 * SECOND);
  assert_int_equal (event->u.sw.next_tid, 71);
  recorder_clear (&recorder);
}

/* It woke while another was on the CPU: it came on at the CPU's last event, and waited until then.
 */
static void
test_woken_earlier (void **state)
{
  g_autoptr (Kit) kit = begun ();
  Recorder recorder;
  kit_switch (kit, 0, 2 * SECOND, 0, STATE_R, 70);
  kit_waking (kit, 0, 3 * SECOND, 70, 71, 0);
  kit_plain (kit, ROW_SYS_ENTER, 0, 4 * SECOND, 70);
  kit_plain (kit, ROW_SYS_ENTER, 0, 6 * SECOND, 71);
  g_autoptr (WprTrace) trace = played (kit, &recorder);
  const WprEvent *event = nth_switch (&recorder, 1);
  assert_true (event->inferred);
  assert_int_equal (event->time, 9 * SECOND);
  assert_int_equal (event->u.sw.prev_tid, 70);
  assert_int_equal (event->u.sw.prev_state, WPR_TASK_SLEEPING);
  assert_int_equal (event->u.sw.wait_ns, SECOND);
  recorder_clear (&recorder);
}

/* Nobody saw it wake: an idle CPU's time is not given to it. */
static void
test_waking_unknown (void **state)
{
  g_autoptr (Kit) kit = begun ();
  Recorder recorder;
  kit_switch (kit, 0, 2 * SECOND, 70, STATE_S, 0);
  kit_plain (kit, ROW_SYS_ENTER, 0, 6 * SECOND, 71);
  g_autoptr (WprTrace) trace = played (kit, &recorder);
  const WprEvent *event = nth_switch (&recorder, 1);
  assert_true (event->inferred);
  assert_int_equal (event->time, 11 * SECOND);
  assert_int_equal (event->u.sw.wait_ns, -1);
  recorder_clear (&recorder);
}

/* An event of the idle thread while another is on the CPU: it left unseen. */
static void
test_into_idle (void **state)
{
  g_autoptr (Kit) kit = begun ();
  Recorder recorder;
  kit_switch (kit, 0, 2 * SECOND, 0, STATE_R, 70);
  kit_waking (kit, 0, 5 * SECOND, 0, 71, 0);
  g_autoptr (WprTrace) trace = played (kit, &recorder);
  const WprEvent *event = nth_switch (&recorder, 1);
  assert_true (event->inferred);
  assert_int_equal (event->time, 7 * SECOND);
  assert_int_equal (event->u.sw.next_tid, 0);
  recorder_clear (&recorder);
}

/* Before the first switch of a CPU nothing is known of it, and nothing inferred; nor on another
 * CPU, nor where switches are not recorded at all. */
static void
test_nothing_to_infer (void **state)
{
  g_autoptr (Kit) kit = begun ();
  Recorder recorder;
  kit_plain (kit, ROW_SYS_ENTER, 0, 2 * SECOND, 70);
  kit_plain (kit, ROW_SYS_ENTER, 0, 3 * SECOND, 71);
  kit_switch (kit, 0, 4 * SECOND, 71, STATE_S, 72);
  kit_plain (kit, ROW_SYS_ENTER, 1, 5 * SECOND, 70);
  kit_plain (kit, ROW_SYS_ENTER, 1, 6 * SECOND, 75);
  kit_plain (kit, ROW_SYS_ENTER, 0, 7 * SECOND, 72);
  g_autoptr (WprTrace) trace = played (kit, &recorder);
  WprTraceCounters counters;
  wpr_trace_counters (trace, &counters);
  assert_int_equal (counters.inferred_switches, 0);
  recorder_clear (&recorder);

  g_autoptr (Kit) without = kit_new (FALSE, 1, 2);
  kit_drop_row (without, ROW_SWITCH);
  kit_begin (without, NULL);
  for (guint i = 0; i < 10; i++)
    kit_plain (without, ROW_SYS_ENTER, 0, (2 + i) * SECOND, 70 + i % 3);
  g_autoptr (WprTrace) other = played (without, &recorder);
  wpr_trace_counters (other, &counters);
  assert_int_equal (counters.inferred_switches, 0);
  recorder_clear (&recorder);
}

/* The CPU was away: what ran before says nothing of what runs after. */
static void
test_gap (void **state)
{
  g_autoptr (Kit) kit = begun ();
  Recorder recorder;
  struct __attribute__ ((packed))
  {
    guint32 collector;
    gint64 from, to;
  } gap = { 0, 3 * SECOND, 5 * SECOND };
  kit_switch (kit, 0, 2 * SECOND, 0, STATE_R, 70);
  kit_note (kit, WPR_NOTE_CPU_GAP, 0, 5 * SECOND, &gap, sizeof gap);
  kit_plain (kit, ROW_SYS_ENTER, 0, 6 * SECOND, 71);
  g_autoptr (WprTrace) trace = played (kit, &recorder);
  assert_int_equal (recorder_count (&recorder, WPR_EVENT_SWITCH), 1);
  const WprEvent *event = &recorder_nth (&recorder, WPR_EVENT_CPU_GAP, 0)->event;
  assert_int_equal (event->time, 8 * SECOND);
  assert_int_equal (event->u.gap.from, 8 * SECOND);
  assert_int_equal (event->u.gap.to, 10 * SECOND);
  recorder_clear (&recorder);
}

static void
test_waiting (void **state)
{
  g_autoptr (Kit) kit = begun ();
  Recorder recorder;
  kit_switch (kit, 0, 2 * SECOND, 70, STATE_S, 71);         /* 70 sleeps */
  kit_waking (kit, 0, 3 * SECOND, 71, 70, 0);               /* is woken */
  kit_switch (kit, 0, 5 * SECOND, 71, STATE_PREEMPTED, 70); /* waited 2 s */
  kit_switch (kit, 0, 9 * SECOND, 70, STATE_S, 71);         /* 71 waited 4 s */
  g_autoptr (WprTrace) trace = played (kit, &recorder);
  assert_int_equal (nth_switch (&recorder, 0)->u.sw.wait_ns, -1);
  assert_int_equal (nth_switch (&recorder, 1)->u.sw.wait_ns, 2 * SECOND);
  assert_int_equal (nth_switch (&recorder, 2)->u.sw.wait_ns, 4 * SECOND);
  recorder_clear (&recorder);
}

/* The waker on another CPU is stamped just before the sleeper's switch. */
static void
test_waking_overtakes (void **state)
{
  g_autoptr (Kit) kit = begun ();
  Recorder recorder;
  kit_switch (kit, 0, 2 * SECOND, 0, STATE_R, 70);
  kit_waking (kit, 1, 3 * SECOND, 80, 70, 0);
  kit_switch (kit, 0, 3 * SECOND + 1000, 70, STATE_S, 0);
  kit_plain (kit, ROW_SYS_ENTER, 0, 5 * SECOND, 70);
  g_autoptr (WprTrace) trace = played (kit, &recorder);
  const WprEvent *event = nth_switch (&recorder, 2);
  assert_true (event->inferred);
  assert_int_equal (event->time, 8 * SECOND + 1000);
  recorder_clear (&recorder);
}

/* A waking that came to nothing because its thread was still running is not of the next sleep. */
static void
test_stale_waking (void **state)
{
  g_autoptr (Kit) kit = begun ();
  Recorder recorder;
  kit_switch (kit, 0, 2 * SECOND, 0, STATE_R, 70);
  kit_waking (kit, 1, 3 * SECOND, 80, 70, 0);
  kit_switch (kit, 0, 4 * SECOND, 70, STATE_S, 0);
  kit_waking (kit, 1, 6 * SECOND, 80, 70, 0);
  kit_plain (kit, ROW_SYS_ENTER, 0, 7 * SECOND, 70);
  g_autoptr (WprTrace) trace = played (kit, &recorder);
  assert_int_equal (nth_switch (&recorder, 2)->time, 11 * SECOND);
  recorder_clear (&recorder);
}

static void
test_yield (void **state)
{
  g_autoptr (Kit) kit = begun ();
  Recorder recorder;
  kit_plain (kit, ROW_YIELD, 0, 2 * SECOND, 70);
  kit_switch (kit, 0, 3 * SECOND, 70, STATE_R, 71);
  kit_switch (kit, 0, 4 * SECOND, 71, STATE_R, 70);
  kit_plain (kit, ROW_YIELDED, 0, 5 * SECOND, 70);
  kit_switch (kit, 0, 6 * SECOND, 70, STATE_R, 71);
  kit_plain (kit, ROW_YIELD, 0, 7 * SECOND, 71);
  kit_plain (kit, ROW_YIELDED, 0, 8 * SECOND, 71); /* nobody else wanted the CPU */
  kit_switch (kit, 0, 9 * SECOND, 71, STATE_R, 70);
  g_autoptr (WprTrace) trace = played (kit, &recorder);
  assert_true (nth_switch (&recorder, 0)->u.sw.prev_yielded);
  assert_false (nth_switch (&recorder, 1)->u.sw.prev_yielded);
  assert_false (nth_switch (&recorder, 2)->u.sw.prev_yielded);
  assert_false (nth_switch (&recorder, 3)->u.sw.prev_yielded);
  recorder_clear (&recorder);
}

/* 24 is sched_yield on x86-64; elsewhere the test has nothing to say. */
static void
test_yield_by_number (void **state)
{
#ifdef __x86_64__
  g_autoptr (Kit) kit = begun ();
  Recorder recorder;
  kit_plain (kit, ROW_SYS_ENTER, 0, 2 * SECOND, 70);
  kit_switch (kit, 0, 3 * SECOND, 70, STATE_R, 71);
  g_autoptr (WprTrace) trace = played (kit, &recorder);
  assert_true (nth_switch (&recorder, 0)->u.sw.prev_yielded);
  recorder_clear (&recorder);
#endif
}

/* What the switches tell of a thread's CPU time, where none out of idle is recorded. */
static void
test_cpu_time (void **state)
{
  g_autoptr (Kit) kit = begun ();
  Recorder recorder;
  gint64 busy = 0, on = -1;
  kit_switch (kit, 0, 2 * SECOND, 70, STATE_S, 0);
  for (guint i = 0; i < 1000; i++)
    {
      WprTime woken = 2 * SECOND + (WprTime)(i + 1) * 10 * MS;
      kit_waking (kit, 0, woken, 0, 70, 0);
      kit_plain (kit, ROW_SYS_ENTER, 0, woken + 1 * MS, 70);
      kit_switch (kit, 0, woken + 3 * MS, 70, STATE_S, 0);
    }
  g_autoptr (WprTrace) trace = played (kit, &recorder);
  for (guint i = 0; i < recorder.seen->len; i++)
    {
      const WprEvent *event = &g_array_index (recorder.seen, Seen, i).event;
      if (event->kind != WPR_EVENT_SWITCH)
        continue;
      if (event->u.sw.prev_tid == 70 && on >= 0)
        busy += event->time - on;
      on = event->u.sw.next_tid == 70 ? event->time : -1;
    }
  assert_int_equal (busy, 3 * SECOND);
  recorder_clear (&recorder);
}

/* ---- switches that the kernel tells of itself ---- */

static Kit *
begun_without_tracepoints (void)
{
  Kit *kit = kit_new (FALSE, 1, 2);
  kit_use_switch_records (kit);
  kit_begin (kit, NULL);
  kit_clock (kit, SECOND, SLEPT, WALL);
  return kit;
}

/* Of own programs: who is on the other side nobody knows, and nobody is made up. */
static void
test_own_switches (void **state)
{
  g_autoptr (Kit) kit = begun_without_tracepoints ();
  Recorder recorder;
  kit_switch_record (kit, 0, 2 * SECOND, 70, FALSE, FALSE, NO_THREAD);
  kit_clock_sample (kit, 0, 3 * SECOND, 70, 0x1000);
  kit_switch_record (kit, 0, 4 * SECOND, 70, TRUE, TRUE, NO_THREAD);
  kit_switch_record (kit, 0, 6 * SECOND, 70, FALSE, FALSE, NO_THREAD);
  kit_switch_record (kit, 0, 7 * SECOND, 70, TRUE, FALSE, NO_THREAD);
  kit_switch_record (kit, 0, 8 * SECOND, 71, FALSE, FALSE, NO_THREAD);
  g_autoptr (WprTrace) trace = played (kit, &recorder);
  assert_int_equal (recorder_count (&recorder, WPR_EVENT_SWITCH), 5);
  static const struct
  {
    guint32 prev, next;
    WprTaskState state;
    gint64 wait_ns;
  } wanted[] = {
    { NO_THREAD, 70, WPR_TASK_WAITING, -1 },         { 70, NO_THREAD, WPR_TASK_PREEMPTED, -1 },
    { NO_THREAD, 70, WPR_TASK_WAITING, 2 * SECOND }, { 70, NO_THREAD, WPR_TASK_WAITING, -1 },
    { NO_THREAD, 71, WPR_TASK_WAITING, -1 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (wanted); i++)
    {
      const WprEvent *event = nth_switch (&recorder, i);
      assert_false (event->inferred);
      assert_int_equal (event->row, N_ROWS);
      assert_int_equal (event->u.sw.prev_tid, wanted[i].prev);
      assert_int_equal (event->u.sw.next_tid, wanted[i].next);
      assert_int_equal (event->u.sw.prev_pid, wanted[i].prev);
      assert_int_equal (event->u.sw.next_pid, wanted[i].next);
      assert_int_equal (event->u.sw.prev_state, wanted[i].state);
      assert_int_equal (event->u.sw.wait_ns, wanted[i].wait_ns);
    }
  recorder_clear (&recorder);
}

/* A record was lost: who was here has left, and who is sampled has come. */
static void
test_own_switches_with_one_missing (void **state)
{
  g_autoptr (Kit) kit = begun_without_tracepoints ();
  Recorder recorder;
  kit_switch_record (kit, 0, 2 * SECOND, 70, FALSE, FALSE, NO_THREAD);
  kit_switch_record (kit, 0, 4 * SECOND, 71, FALSE, FALSE, NO_THREAD);
  kit_switch_record (kit, 0, 5 * SECOND, 71, TRUE, FALSE, NO_THREAD);
  kit_clock_sample (kit, 0, 6 * SECOND, 72, 0x1000);
  g_autoptr (WprTrace) trace = played (kit, &recorder);
  assert_int_equal (recorder_count (&recorder, WPR_EVENT_SWITCH), 4);
  assert_int_equal (nth_switch (&recorder, 1)->u.sw.prev_tid, 70);
  assert_int_equal (nth_switch (&recorder, 1)->u.sw.next_tid, 71);
  assert_true (nth_switch (&recorder, 3)->inferred);
  assert_int_equal (nth_switch (&recorder, 3)->u.sw.prev_tid, NO_THREAD);
  assert_int_equal (nth_switch (&recorder, 3)->u.sw.next_tid, 72);
  recorder_clear (&recorder);
}

/* Of all: two records tell one switch; one that is told by the second only is one, too. */
static void
test_switches_told_twice (void **state)
{
  g_autoptr (Kit) kit = begun_without_tracepoints ();
  Recorder recorder;
  kit_switch_record (kit, 0, 2 * SECOND, 70, TRUE, FALSE, 71);
  kit_switch_record (kit, 0, 2 * SECOND + 900, 71, FALSE, FALSE, 70);
  kit_switch_record (kit, 0, 3 * SECOND, 71, TRUE, FALSE, 0);
  kit_switch_record (kit, 0, 5 * SECOND, 72, FALSE, FALSE, 0);
  g_autoptr (WprTrace) trace = played (kit, &recorder);
  assert_int_equal (recorder_count (&recorder, WPR_EVENT_SWITCH), 3);
  assert_int_equal (nth_switch (&recorder, 0)->u.sw.prev_tid, 70);
  assert_int_equal (nth_switch (&recorder, 0)->u.sw.next_tid, 71);
  assert_int_equal (nth_switch (&recorder, 1)->u.sw.next_tid, 0);
  assert_int_equal (nth_switch (&recorder, 2)->u.sw.prev_tid, 0);
  assert_int_equal (nth_switch (&recorder, 2)->u.sw.next_tid, 72);
  assert_false (nth_switch (&recorder, 2)->inferred);
  recorder_clear (&recorder);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_out_of_idle),
    cmocka_unit_test (test_prev_is_not_current),
    cmocka_unit_test (test_woken_earlier),
    cmocka_unit_test (test_waking_unknown),
    cmocka_unit_test (test_into_idle),
    cmocka_unit_test (test_nothing_to_infer),
    cmocka_unit_test (test_gap),
    cmocka_unit_test (test_waiting),
    cmocka_unit_test (test_waking_overtakes),
    cmocka_unit_test (test_stale_waking),
    cmocka_unit_test (test_yield),
    cmocka_unit_test (test_yield_by_number),
    cmocka_unit_test (test_cpu_time),
    cmocka_unit_test (test_own_switches),
    cmocka_unit_test (test_own_switches_with_one_missing),
    cmocka_unit_test (test_switches_told_twice),
  };
  return cmocka_run_group_tests_name ("running", tests, NULL, NULL);
}
