/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Windows' kernel layouts, byte by byte against ETL.md and, where there is one, a genuine file
 * ("Shutdown": a kernel logger's, build 18362). */
#include "config.h"
#include "sink-kit.h"

#include <linux/perf_event.h>
#include <string.h>

#define MS 1000000

static WprEvent
make_switch (gint64 time, guint32 prev, guint32 next, WprTaskState state)
{
  WprEvent event = { .kind = WPR_EVENT_SWITCH, .time = time, .cpu = 1, .row = 0 };

  event.pid = event.tid = prev;
  event.u.sw.prev_tid = event.u.sw.prev_pid = prev;
  event.u.sw.next_tid = event.u.sw.next_pid = next;
  event.u.sw.prev_prio = event.u.sw.next_prio = 120;
  event.u.sw.prev_state = state;
  event.u.sw.wait_ns = -1;
  return event;
}

static void
a_switch_is_a_cswitch (void **state)
{
  g_autoptr (Kit) kit = kit_new ();
  WprEvent event = make_switch (5 * MS, 100, 200, WPR_TASK_SLEEPING);
  const guint8 *at;
  guint size;

  event.u.sw.next_prio = 100; /* nice -20 */
  event.u.sw.wait_ns = 7 * MS;
  kit_begin (kit);
  kit_event (kit, &event);
  kit_finish (kit);
  at = kit_hook (kit, 0x0524, 0, &size);
  kit_assert (at, size,
              "0400 11c0 2800 2405 50c3 0000 0000 0000"
              "c800 0000 6400 0000 0f 08 00 00 06 00 05 01 0700 0000 0000 0000");
}

static void
states_and_reasons_are_those_of_the_table (void **state)
{
  static const struct
  {
    WprTaskState state;
    gboolean yielded;
    guint8 expected, reason;
  } rows[] = {
    { WPR_TASK_RUNNING, FALSE, 1, 30 },   { WPR_TASK_RUNNING, TRUE, 1, 33 },
    { WPR_TASK_PREEMPTED, FALSE, 1, 32 }, { WPR_TASK_SLEEPING, FALSE, 5, 6 },
    { WPR_TASK_DISK_SLEEP, FALSE, 5, 7 }, { WPR_TASK_STOPPED, FALSE, 5, 5 },
    { WPR_TASK_TRACED, FALSE, 5, 5 },     { WPR_TASK_PARKED, FALSE, 5, 26 },
    { WPR_TASK_IDLE, FALSE, 5, 15 },      { WPR_TASK_DEAD, FALSE, 4, 22 },
    { WPR_TASK_ZOMBIE, FALSE, 4, 22 },
  };
  g_autoptr (Kit) kit = kit_new ();
  guint size;

  kit_begin (kit);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      WprEvent event = make_switch ((5 + i) * MS, 100, 200, rows[i].state);

      event.u.sw.prev_yielded = rows[i].yielded;
      kit_event (kit, &event);
    }
  kit_finish (kit);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      const guint8 *at = kit_hook (kit, 0x0524, i, &size);

      assert_int_equal (at[0x10 + 12], rows[i].reason);
      assert_int_equal (at[0x10 + 14], rows[i].expected);
    }
}

/* nice n -> 15 - (n + 20) x 14 / 39; real time p -> 16 + (p - 1) x 15 / 98; deadline 31; idle 0. */
static void
priorities_are_mapped_to_0_to_31 (void **state)
{
  static const struct
  {
    gint32 linux_prio;
    guint8 expected;
  } rows[] = { { 100, 15 }, { 120, 8 }, { 139, 1 }, { 130, 5 }, { 98, 16 },
               { 49, 23 },  { 0, 31 },  { -1, 31 }, { 99, 16 } };
  g_autoptr (Kit) kit = kit_new ();
  guint size;

  kit_begin (kit);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      WprEvent event = make_switch ((5 + i) * MS, 0, 200, WPR_TASK_RUNNING);

      event.u.sw.next_prio = rows[i].linux_prio;
      kit_event (kit, &event);
    }
  kit_finish (kit);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      const guint8 *at = kit_hook (kit, 0x0524, i, &size);

      assert_int_equal (at[0x10 + 8], rows[i].expected);
      assert_int_equal (at[0x10 + 9], 0); /* from the idle thread */
    }
}

static void
a_waking_is_a_ready_thread_of_who_woke (void **state)
{
  g_autoptr (Kit) kit = kit_new ();
  WprEvent event = { .kind = WPR_EVENT_WAKING, .time = 5 * MS, .pid = 0x64, .tid = 0x65 };
  const guint8 *at;
  guint size;

  event.u.waking.tid = 0xc8;
  event.u.waking.from_interrupt = TRUE;
  kit_begin (kit);
  kit_event (kit, &event);
  kit_finish (kit);
  at = kit_hook (kit, 0x0532, 0, &size);
  kit_assert (at, size,
              "0200 04c0 2000 3205 6500 0000 6400 0000 50c3 0000 0000 0000"
              "c800 0000 0000 0100");
}

static void
a_sample_carries_address_thread_and_priority (void **state)
{
  g_autoptr (Kit) kit = kit_new ();
  WprEvent event = { .kind = WPR_EVENT_SAMPLE, .time = 5 * MS, .pid = 9, .tid = 10, .cpu = 1 };
  const guint8 *at;
  guint size;

  kit->manifest->sample_interval_ns = MS;
  event.ip = 0x1122334455667788;
  kit_begin (kit);
  kit_event (kit, &event);
  kit_finish (kit);
  at = kit_hook (kit, 0x0f2e, 0, &size);
  kit_assert (at, size,
              "0200 11c0 2000 2e0f 50c3 0000 0000 0000"
              "8877 6655 4433 2211 0a00 0000 0100 4000");
  at = kit_hook (kit, 0x0f49, 0, &size);
  kit_assert (at, size,
              "0300 02c0 3800 490f 0000 0000 0400 0000 1027 0000 0000 0000"
              "0000 0000 0000 0000"
              "0000 0000 1027 0000 1027 0000 5400 6900 6d00 6500 7200 0000");
  at = kit_hook (kit, 0x0f4a, 0, &size);
  kit_assert (at + 0x20, size - 0x20,
              "0000 0000 1027 0000 1027 0000 5400 6900 6d00 6500 7200 0000");
}

static void
a_stack_is_one_event_kernel_first_without_markers (void **state)
{
  static const guint64 chain[] = {
    PERF_CONTEXT_KERNEL, 0xffffffff81000001, 0xffffffff81000002, PERF_CONTEXT_USER, 0x1000, 0x2000
  };
  g_autoptr (Kit) kit = kit_new ();
  WprEvent event = { .kind = WPR_EVENT_SAMPLE, .time = 5 * MS, .pid = 9, .tid = 10 };
  const guint8 *at;
  guint size;

  event.callchain = chain;
  event.n_callchain = G_N_ELEMENTS (chain);
  event.user_ip = 0x1000;
  kit_begin (kit);
  kit_event (kit, &event);
  event.time = 6 * MS;
  event.n_callchain = 3; /* user frames not recorded */
  kit_event (kit, &event);
  event.time = 7 * MS;
  event.n_callchain = 0;
  event.user_ip = 0;
  kit_event (kit, &event);
  kit_finish (kit);
  at = kit_hook (kit, 0x1820, 0, &size);
  kit_assert (at, size,
              "0200 11c0 4000 2018 50c3 0000 0000 0000"
              "50c3 0000 0000 0000 0900 0000 0a00 0000"
              "0100 0081 ffff ffff 0200 0081 ffff ffff"
              "0010 0000 0000 0000 0020 0000 0000 0000");
  at = kit_hook (kit, 0x1820, 1, &size);
  kit_assert (at + 0x20, size - 0x20,
              "0100 0081 ffff ffff 0200 0081 ffff ffff 0010 0000 0000 0000");
  assert_int_equal (kit_count_hook (kit, 0x1820), 2);
}

/* The stack on which a thread leaves is the one on which it comes back. */
static void
a_switch_carries_the_stack_of_who_comes (void **state)
{
  static const guint64 first[] = { PERF_CONTEXT_KERNEL, 0xffffffff81000011 };
  static const guint64 second[] = { PERF_CONTEXT_KERNEL, 0xffffffff81000022 };
  g_autoptr (Kit) kit = kit_new ();
  WprEvent event = make_switch (5 * MS, 100, 200, WPR_TASK_SLEEPING);
  const guint8 *at;
  guint size;

  kit_begin (kit);
  event.callchain = first;
  event.n_callchain = 2;
  kit_event (kit, &event); /* 100 leaves */
  event = make_switch (6 * MS, 200, 100, WPR_TASK_SLEEPING);
  event.callchain = second;
  event.n_callchain = 2;
  kit_event (kit, &event); /* 100 comes back, 200 leaves for good */
  kit_finish (kit);
  assert_int_equal (kit_count_hook (kit, 0x1820), 2);
  at = kit_hook (kit, 0x1820, 0, &size);
  kit_assert (at, size,
              "0200 11c0 2800 2018 60ea 0000 0000 0000"
              "60ea 0000 0000 0000 6400 0000 6400 0000 1100 0081 ffff ffff");
  at = kit_hook (kit, 0x1820, 1, &size); /* at the end, for the switch that took it */
  kit_assert (at + 0x10, size - 0x10,
              "60ea 0000 0000 0000 c800 0000 c800 0000 2200 0081 ffff ffff");
}

static void
a_dead_threads_stack_does_not_wait (void **state)
{
  static const guint64 chain[] = { PERF_CONTEXT_KERNEL, 0xffffffff81000011 };
  g_autoptr (Kit) kit = kit_new ();
  WprEvent event = make_switch (5 * MS, 100, 200, WPR_TASK_DEAD);
  const guint8 *at;
  guint size;

  event.callchain = chain;
  event.n_callchain = 2;
  kit_begin (kit);
  kit_event (kit, &event);
  event = make_switch (6 * MS, 200, 100, WPR_TASK_SLEEPING); /* the number given out anew */
  kit_event (kit, &event);
  kit_finish (kit);
  assert_int_equal (kit_count_hook (kit, 0x1820), 1);
  at = kit_hook (kit, 0x1820, 0, &size);
  kit_assert (at + 0x10, size - 0x10,
              "50c3 0000 0000 0000 6400 0000 6400 0000 1100 0081 ffff ffff");
}

static void
disk_operations_have_their_six_layouts (void **state)
{
  g_autoptr (Kit) kit = kit_new ();
  WprEvent event = { .kind = WPR_EVENT_DISK_ISSUE, .time = 5 * MS, .pid = 9, .tid = 10, .row = 1 };
  const guint8 *at;
  guint size;

  event.u.disk.dev = 8 << 20 | 1;
  event.u.disk.sector = event.u.disk.first = 0x10;
  event.u.disk.sync = TRUE;
  event.u.disk.priority_class = 3; /* idle */
  event.u.disk.bytes = 4096;
  event.u.disk.issuer_tid = 11;
  kit_begin (kit);
  for (guint i = 0; i < 3; i++)
    {
      event.kind = WPR_EVENT_DISK_ISSUE;
      event.u.disk.write = i > 0;
      event.u.disk.flush = i == 2;
      event.time = 5 * MS;
      kit_event (kit, &event);
      event.kind = WPR_EVENT_DISK_COMPLETE;
      event.u.disk.issue_time = 5 * MS;
      event.time = 6 * MS;
      kit_event (kit, &event);
    }
  kit_finish (kit);
  at = kit_hook (kit, 0x010c, 0, &size);
  kit_assert (at, size,
              "0300 02c0 2c00 0c01 0a00 0000 0900 0000 50c3 0000 0000 0000"
              "0000 0000 0000 0000 1000 0000 0000 0100 0b00 0000");
  at = kit_hook (kit, 0x010d, 0, &size);
  kit_assert (at + 0x20, size - 0x20, "1000 0000 0000 0100 0b00 0000");
  at = kit_hook (kit, 0x010f, 0, &size);
  kit_assert (at + 0x20, size - 0x20, "1000 0000 0000 0100 0b00 0000");
  at = kit_hook (kit, 0x010a, 0, &size);
  kit_assert (at, size,
              "0300 11c0 4400 0a01 60ea 0000 0000 0000"
              "0000 0000 0500 0200 0010 0000 0000 0000 0020 0000 0000 0000"
              "0000 0000 0000 0000 1000 0000 0000 0100 1027 0000 0000 0000 0b00 0000");
  at = kit_hook (kit, 0x010b, 0, &size);
  assert_int_equal (size, 0x44);
  at = kit_hook (kit, 0x010e, 0, &size);
  kit_assert (at, size,
              "0300 11c0 2c00 0e01 60ea 0000 0000 0000"
              "0000 0000 0500 0200 1027 0000 0000 0000 1000 0000 0000 0100 0b00 0000");
  at = kit_hook (kit, 0x0b0b, 0, &size); /* the disk that number 0 stands for */
  assert_int_equal (size, 0x20 + 568);
}

static void
a_mark_is_text_and_said_again_in_utf8 (void **state)
{
  g_autoptr (Kit) kit = kit_new ();
  WprEvent event = { .kind = WPR_EVENT_MARK, .time = 5 * MS, .pid = 9, .tid = 10, .cpu = 1 };
  g_autofree char *fields = NULL;
  const guint8 *at;
  guint size;

  event.u.text = "now \xe7\x8e\xb0";
  kit_begin (kit);
  kit_event (kit, &event);
  kit_finish (kit);
  at = kit_hook (kit, 0x0f22, 0, &size);
  kit_assert (at, size,
              "0000 02c0 2a00 220f 0a00 0000 0900 0000 50c3 0000 0000 0000"
              "0000 0000 0000 0000 6e6f 7720 e78e b000 0000");
  fields = kit_fields (kit, "Mark", 0);
  assert_string_equal (fields, "Text=now \xe7\x8e\xb0");
}

static void
an_event_of_a_cpu_that_is_none_is_kept (void **state)
{
  g_autoptr (Kit) kit = kit_new ();
  WprEvent event = make_switch (5 * MS, 1, 2, WPR_TASK_RUNNING);

  event.cpu = 4000;
  kit_begin (kit);
  kit_event (kit, &event);
  kit_finish (kit);
  assert_int_equal (kit_count_hook (kit, 0x0524), 1);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (a_switch_is_a_cswitch),
    cmocka_unit_test (states_and_reasons_are_those_of_the_table),
    cmocka_unit_test (priorities_are_mapped_to_0_to_31),
    cmocka_unit_test (a_waking_is_a_ready_thread_of_who_woke),
    cmocka_unit_test (a_sample_carries_address_thread_and_priority),
    cmocka_unit_test (a_stack_is_one_event_kernel_first_without_markers),
    cmocka_unit_test (a_switch_carries_the_stack_of_who_comes),
    cmocka_unit_test (a_dead_threads_stack_does_not_wait),
    cmocka_unit_test (disk_operations_have_their_six_layouts),
    cmocka_unit_test (a_mark_is_text_and_said_again_in_utf8),
    cmocka_unit_test (an_event_of_a_cpu_that_is_none_is_kept),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
