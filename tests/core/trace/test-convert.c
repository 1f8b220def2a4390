/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every row of the converter, against literals. */
#include "config.h"
#include "kit.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

/* One event played, of the kind expected. */
static const WprEvent *
only (Kit *kit, Recorder *recorder, WprEventKind kind)
{
  kit_finish (kit, 100 * SECOND);
  recorder_init (recorder);
  g_autoptr (WprTrace) trace = kit_play (kit, recorder);
  assert_int_equal (recorder_count (recorder, kind), 1);
  return &recorder_nth (recorder, kind, 0)->event;
}

static Kit *
begun (void)
{
  Kit *kit = kit_new (FALSE, 1, 2);
  kit_begin (kit, NULL);
  kit_clock (kit, SECOND, SLEPT, WALL);
  return kit;
}

static void
test_switch (void **state)
{
  g_autoptr (Kit) kit = begun ();
  Recorder recorder;
  kit_switch (kit, 1, 2 * SECOND, 70, STATE_D, 71);
  const WprEvent *event = only (kit, &recorder, WPR_EVENT_SWITCH);
  assert_int_equal (event->time, 7 * SECOND);
  assert_int_equal (event->cpu, 1);
  assert_int_equal (event->pid, 70);
  assert_int_equal (event->tid, 70);
  assert_int_equal (event->row, ROW_SWITCH);
  assert_false (event->inferred);
  assert_int_equal (event->raw_size, 68); /* 64 and the kernel's padding */
  assert_int_equal (event->u.sw.prev_tid, 70);
  assert_int_equal (event->u.sw.prev_pid, 70);
  assert_int_equal (event->u.sw.next_tid, 71);
  assert_int_equal (event->u.sw.next_pid, G_MAXUINT32); /* nobody told */
  assert_int_equal (event->u.sw.prev_state, WPR_TASK_DISK_SLEEP);
  assert_int_equal (event->u.sw.prev_prio, 120);
  assert_int_equal (event->u.sw.next_prio, 115);
  assert_int_equal (event->u.sw.wait_ns, -1);
  recorder_clear (&recorder);
}

static void
test_states (void **state)
{
  static const struct
  {
    gint64 bits;
    WprTaskState state;
  } states[] = {
    { 0x00, WPR_TASK_RUNNING },    { 0x100, WPR_TASK_PREEMPTED }, { 0x01, WPR_TASK_SLEEPING },
    { 0x02, WPR_TASK_DISK_SLEEP }, { 0x04, WPR_TASK_STOPPED },    { 0x08, WPR_TASK_TRACED },
    { 0x10, WPR_TASK_DEAD },       { 0x20, WPR_TASK_ZOMBIE },     { 0x40, WPR_TASK_PARKED },
    { 0x80, WPR_TASK_IDLE },
  };
  g_autoptr (Kit) kit = begun ();
  Recorder recorder;
  for (guint i = 0; i < G_N_ELEMENTS (states); i++)
    kit_switch (kit, 0, (2 + i) * SECOND, 70, states[i].bits, 70);
  kit_finish (kit, 100 * SECOND);
  recorder_init (&recorder);
  g_autoptr (WprTrace) trace = kit_play (kit, &recorder);
  for (guint i = 0; i < G_N_ELEMENTS (states); i++)
    assert_int_equal (recorder_nth (&recorder, WPR_EVENT_SWITCH, i)->event.u.sw.prev_state,
                      states[i].state);
  recorder_clear (&recorder);
}

/* Before 4.14 "P" was another bit and "+" stood elsewhere: the format's own table counts. */
static void
test_states_of_another_kernel (void **state)
{
  g_autoptr (Kit) kit = kit_new (FALSE, 1, 2);
  WprStoreEvent *event = &g_array_index (kit->manifest->events, WprStoreEvent, ROW_SWITCH);
  GString *text = g_string_new (event->format);
  g_string_replace (text, "0x00000040, \"P\"", "0x00000200, \"P\"", 0);
  g_free (event->format);
  event->format = g_string_free (text, FALSE);
  Recorder recorder;
  kit_begin (kit, NULL);
  kit_clock (kit, SECOND, SLEPT, WALL);
  kit_switch (kit, 0, 2 * SECOND, 70, 0x200, 70);
  kit_switch (kit, 0, 3 * SECOND, 70, 0x400, 70);
  kit_finish (kit, 100 * SECOND);
  recorder_init (&recorder);
  g_autoptr (WprTrace) trace = kit_play (kit, &recorder);
  assert_int_equal (recorder_nth (&recorder, WPR_EVENT_SWITCH, 0)->event.u.sw.prev_state,
                    WPR_TASK_PARKED);
  assert_int_equal (recorder_nth (&recorder, WPR_EVENT_SWITCH, 1)->event.u.sw.prev_state,
                    WPR_TASK_PREEMPTED);
  recorder_clear (&recorder);
}

static void
check_waking (Row row, guint16 type, guint8 flags, gboolean is_new, gboolean from_interrupt)
{
  g_autoptr (Kit) kit = begun ();
  Recorder recorder;
  guint8 raw[36] = { 0 };
  memcpy (raw, &type, 2);
  raw[2] = flags;
  raw[4] = 60;
  raw[24] = 70;
  raw[28] = 98;
  raw[32] = 1;
  kit_sample (kit, row, 0, 2 * SECOND, 60, 61, raw, sizeof raw);
  const WprEvent *event = only (kit, &recorder, WPR_EVENT_WAKING);
  assert_int_equal (event->pid, 60);
  assert_int_equal (event->tid, 61);
  assert_int_equal (event->u.waking.tid, 70);
  assert_int_equal (event->u.waking.prio, 98);
  assert_int_equal (event->u.waking.target_cpu, 1);
  assert_int_equal (event->u.waking.is_new, is_new);
  assert_int_equal (event->u.waking.from_interrupt, from_interrupt);
  recorder_clear (&recorder);
}

static void
test_waking (void **state)
{
  check_waking (ROW_WAKING, 375, 0, FALSE, FALSE);
  check_waking (ROW_WAKING, 375, 0x08, FALSE, TRUE);
  check_waking (ROW_WAKING, 375, 0x10, FALSE, TRUE);
  check_waking (ROW_WAKEUP_NEW, 373, 0x04, TRUE, FALSE);
}

static void
test_sample (void **state)
{
  g_autoptr (Kit) kit = begun ();
  Recorder recorder;
  kit_clock_sample (kit, 1, 2 * SECOND, 70, 0x401000);
  const WprEvent *event = only (kit, &recorder, WPR_EVENT_SAMPLE);
  assert_int_equal (event->time, 7 * SECOND);
  assert_int_equal (event->tid, 70);
  assert_int_equal (event->ip, 0x401000);
  assert_int_equal (event->n_callchain, 3);
  assert_null (event->format);
  recorder_clear (&recorder);
}

static void
test_faults (void **state)
{
  g_autoptr (Kit) kit = begun ();
  Recorder recorder;
  kit_fault (kit, ROW_PAGE_FAULTS, 0, 2 * SECOND, 70, 0x401000, 0x7f0000001000);
  kit_fault (kit, ROW_MAJOR_FAULTS, 0, 3 * SECOND, 70, 0x401004, 0x7f0000002000);
  kit_finish (kit, 100 * SECOND);
  recorder_init (&recorder);
  g_autoptr (WprTrace) trace = kit_play (kit, &recorder);
  const WprEvent *minor = &recorder_nth (&recorder, WPR_EVENT_FAULT, 0)->event;
  assert_false (minor->u.fault.major);
  assert_int_equal (minor->ip, 0x401000);
  assert_int_equal (minor->addr, 0x7f0000001000);
  assert_int_equal (minor->time, 7 * SECOND);
  const WprEvent *major = &recorder_nth (&recorder, WPR_EVENT_FAULT, 1)->event;
  assert_true (major->u.fault.major);
  assert_int_equal (major->addr, 0x7f0000002000);
  recorder_clear (&recorder);
}

static void
test_disk (void **state)
{
  g_autoptr (Kit) kit = begun ();
  Recorder recorder;
  /* A program asks (for a partition), a worker issues, another CPU gets the interrupt. */
  kit_request (kit, ROW_BIO_QUEUE, 0, 2 * SECOND, 70, 8 << 20 | 1, 2048, 16, "WS");
  kit_request (kit, ROW_RQ_INSERT, 0, 3 * SECOND, 33, 8 << 20, 2048, 16, "WS");
  kit_request (kit, ROW_RQ_ISSUE, 0, 4 * SECOND, 33, 8 << 20, 2048, 16, "WS");
  kit_request (kit, ROW_RQ_COMPLETE, 1, 5 * SECOND, 0, 8 << 20, 2048, 16, "WS");
  kit_finish (kit, 100 * SECOND);
  recorder_init (&recorder);
  g_autoptr (WprTrace) trace = kit_play (kit, &recorder);
  assert_int_equal (recorder_count (&recorder, WPR_EVENT_TRACEPOINT), 2);
  const WprEvent *issue = &recorder_nth (&recorder, WPR_EVENT_DISK_ISSUE, 0)->event;
  assert_int_equal (issue->u.disk.dev, 8 << 20);
  assert_int_equal (issue->u.disk.sector, 2048);
  assert_int_equal (issue->u.disk.bytes, 8192);
  assert_true (issue->u.disk.write);
  assert_false (issue->u.disk.flush || issue->u.disk.discard);
  assert_int_equal (issue->u.disk.issuer_tid, 70);
  assert_int_equal (issue->u.disk.issue_time, 9 * SECOND);
  const WprEvent *done = &recorder_nth (&recorder, WPR_EVENT_DISK_COMPLETE, 0)->event;
  assert_int_equal (done->time, 10 * SECOND);
  assert_int_equal (done->cpu, 1);
  assert_int_equal (done->u.disk.issue_time, 9 * SECOND);
  assert_int_equal (done->u.disk.issuer_tid, 70);
  assert_int_equal (done->u.disk.error, -5);
  recorder_clear (&recorder);
}

/* As a 6.18 kernel tells of an fsync: the flush goes out at sector 0, comes back at -1, and then
 * the request of who asked comes back, which never went anywhere. */
static void
test_flush (void **state)
{
  g_autoptr (Kit) kit = begun ();
  Recorder recorder;
  kit_request (kit, ROW_RQ_ISSUE, 0, 2 * SECOND, 10, 254 << 20, 0, 0, "FF");
  kit_request (kit, ROW_RQ_COMPLETE, 1, 3 * SECOND, 0, 254 << 20, G_MAXUINT64, 0, "FF");
  kit_request (kit, ROW_RQ_COMPLETE, 1, 3 * SECOND + 10, 0, 254 << 20, 0, 0, "FWS");
  kit_finish (kit, 100 * SECOND);
  recorder_init (&recorder);
  g_autoptr (WprTrace) trace = kit_play (kit, &recorder);
  assert_int_equal (recorder_count (&recorder, WPR_EVENT_DISK_COMPLETE), 1);
  const WprEvent *done = &recorder_nth (&recorder, WPR_EVENT_DISK_COMPLETE, 0)->event;
  assert_true (done->u.disk.flush);
  assert_int_equal (done->u.disk.sector, 0);
  assert_int_equal (done->u.disk.issue_time, 7 * SECOND);
  assert_int_equal (done->u.disk.issuer_tid, 10);
  assert_int_equal (recorder_count (&recorder, WPR_EVENT_TRACEPOINT), 1);
  recorder_clear (&recorder);
}

static void
test_rwbs (void **state)
{
  static const struct
  {
    const char *rwbs;
    gboolean write, flush, discard;
  } cases[] = {
    { "R", FALSE, FALSE, FALSE },  { "RAM", FALSE, FALSE, FALSE }, { "W", TRUE, FALSE, FALSE },
    { "FWS", TRUE, FALSE, FALSE }, { "FF", FALSE, TRUE, FALSE },   { "D", FALSE, FALSE, TRUE },
    { "N", FALSE, FALSE, TRUE },   { "WFS", TRUE, FALSE, FALSE },
  };
  g_autoptr (Kit) kit = begun ();
  Recorder recorder;
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    kit_request (kit, ROW_RQ_ISSUE, 0, (2 + i) * SECOND, 33, 8 << 20, 8 * i, 8, cases[i].rwbs);
  kit_finish (kit, 100 * SECOND);
  recorder_init (&recorder);
  g_autoptr (WprTrace) trace = kit_play (kit, &recorder);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const WprEvent *event = &recorder_nth (&recorder, WPR_EVENT_DISK_ISSUE, i)->event;
      assert_int_equal (event->u.disk.write, cases[i].write);
      assert_int_equal (event->u.disk.flush, cases[i].flush);
      assert_int_equal (event->u.disk.discard, cases[i].discard);
      assert_int_equal (event->u.disk.issuer_tid, 33);
    }
  recorder_clear (&recorder);
}

static void
test_throttle (void **state)
{
  g_autoptr (Kit) kit = begun ();
  Recorder recorder;
  kit_throttle (kit, 0, 2 * SECOND, ROW_CPU_CLOCK, FALSE);
  kit_throttle (kit, 0, 3 * SECOND, ROW_CPU_CLOCK, TRUE);
  kit_finish (kit, 100 * SECOND);
  recorder_init (&recorder);
  g_autoptr (WprTrace) trace = kit_play (kit, &recorder);
  const WprEvent *from = &recorder_nth (&recorder, WPR_EVENT_THROTTLE, 0)->event;
  assert_int_equal (from->row, ROW_CPU_CLOCK);
  assert_false (from->u.throttle.end);
  assert_true (recorder_nth (&recorder, WPR_EVENT_THROTTLE, 1)->event.u.throttle.end);
  recorder_clear (&recorder);
}

/* A kind whose format lacks a field, and one nobody knows, are plain tracepoints. */
static void
test_plain (void **state)
{
  g_autoptr (Kit) kit = kit_new (FALSE, 1, 2);
  WprStoreEvent *event = &g_array_index (kit->manifest->events, WprStoreEvent, ROW_WAKING);
  GString *text = g_string_new (event->format);
  g_string_replace (text, "target_cpu", "target_processor", 0);
  g_free (event->format);
  event->format = g_string_free (text, FALSE);
  Recorder recorder;
  kit_begin (kit, NULL);
  kit_clock (kit, SECOND, SLEPT, WALL);
  kit_waking (kit, 0, 2 * SECOND, 60, 70, 1);
  const WprEvent *seen = only (kit, &recorder, WPR_EVENT_TRACEPOINT);
  assert_int_equal (seen->row, ROW_WAKING);
  assert_non_null (seen->raw);
  recorder_clear (&recorder);
}

/* The last switch of a thread has no ids left but the tracepoint's own. */
static void
test_last_switch (void **state)
{
  g_autoptr (Kit) kit = begun ();
  Recorder recorder;
  guint8 raw[64] = { 0 };
  raw[4] = raw[24] = 70;
  raw[32] = 0x10;
  kit_clock_sample (kit, 0, SECOND, 70, 1);
  kit_sample (kit, ROW_SWITCH, 0, 2 * SECOND, NO_THREAD, NO_THREAD, raw, sizeof raw);
  const WprEvent *event = only (kit, &recorder, WPR_EVENT_SWITCH);
  assert_int_equal (event->tid, 70);
  assert_int_equal (event->pid, 70);
  assert_int_equal (event->u.sw.prev_pid, 70);
  assert_int_equal (event->u.sw.prev_state, WPR_TASK_DEAD);
  assert_false (event->inferred);
  recorder_clear (&recorder);
}

static void
test_short_raw (void **state)
{
  g_autoptr (Kit) kit = begun ();
  Recorder recorder;
  guint8 raw[12] = { 0 };
  kit_sample (kit, ROW_SWITCH, 0, 2 * SECOND, 70, 70, raw, sizeof raw);
  const WprEvent *event = only (kit, &recorder, WPR_EVENT_SWITCH);
  assert_int_equal (event->u.sw.next_tid, 0);
  recorder_clear (&recorder);
}

static void
test_unknown_id (void **state)
{
  g_autoptr (Kit) kit = begun ();
  Recorder recorder;
  guint8 record[40] = { 9, 0, 0, 0, 0, 0, 40, 0, 0xee, 0xee };
  WprTraceCounters counters;
  kit_bytes (kit, 0, record, sizeof record);
  kit_clock_sample (kit, 0, 2 * SECOND, 70, 1);
  kit_finish (kit, 100 * SECOND);
  recorder_init (&recorder);
  g_autoptr (WprTrace) trace = kit_play (kit, &recorder);
  wpr_trace_counters (trace, &counters);
  assert_int_equal (counters.unknown_ids, 1);
  assert_int_equal (counters.events, 1);
  recorder_clear (&recorder);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_switch),
    cmocka_unit_test (test_states),
    cmocka_unit_test (test_states_of_another_kernel),
    cmocka_unit_test (test_waking),
    cmocka_unit_test (test_sample),
    cmocka_unit_test (test_faults),
    cmocka_unit_test (test_disk),
    cmocka_unit_test (test_flush),
    cmocka_unit_test (test_rwbs),
    cmocka_unit_test (test_throttle),
    cmocka_unit_test (test_plain),
    cmocka_unit_test (test_last_switch),
    cmocka_unit_test (test_short_raw),
    cmocka_unit_test (test_unknown_id),
  };
  return cmocka_run_group_tests_name ("convert", tests, NULL, NULL);
}
