/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Life of processes: starts, ends, exec chains, names, images, numbers given out twice. */
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

typedef struct
{
  WprEventKind kind;
  gint64 second; /* of trace time */
  guint32 cpu, pid, tid;
  const char *text;
  gboolean by_exec;
} Expected;

static void
check (const Recorder *recorder, const Expected *expected, guint n)
{
  for (guint i = 0; i < n && i < recorder->seen->len; i++)
    {
      const Seen *seen = &g_array_index (recorder->seen, Seen, i);
      if (seen->event.kind != expected[i].kind)
        fail_msg ("event %u is of kind %d, not %d", i, seen->event.kind, expected[i].kind);
      assert_int_equal (seen->event.time, expected[i].second * SECOND);
      assert_int_equal (seen->event.cpu, expected[i].cpu);
      assert_int_equal (seen->event.pid, expected[i].pid);
      assert_int_equal (seen->event.tid, expected[i].tid);
      assert_string_equal (seen->text, expected[i].text);
      assert_int_equal (seen->event.u.life.by_exec, expected[i].by_exec);
      assert_non_null (seen->event.u.life.process);
    }
  assert_int_equal (recorder->seen->len, n);
}

/* shell forks, the child becomes make, make becomes cc: the start is make's, cc is an end and a
 * start at one time. */
static void
test_exec_chain (void **state)
{
  static const Expected expected[] = {
    { WPR_EVENT_PROCESS_START, 8, 1, 200, 200, "make", FALSE },
    { WPR_EVENT_THREAD_START, 8, 1, 200, 200, "make", FALSE },
    { WPR_EVENT_IMAGE_LOAD, 10, 0, 200, 200, "/usr/bin/make", FALSE },
    { WPR_EVENT_THREAD_END, 11, 1, 200, 200, "make", TRUE },
    { WPR_EVENT_PROCESS_END, 11, 1, 200, 200, "make", TRUE },
    { WPR_EVENT_PROCESS_START, 11, 1, 200, 200, "cc", TRUE },
    { WPR_EVENT_THREAD_START, 11, 1, 200, 200, "cc", TRUE },
    { WPR_EVENT_IMAGE_LOAD, 12, 1, 200, 200, "/usr/bin/cc", FALSE },
    { WPR_EVENT_THREAD_END, 13, 0, 200, 200, "cc", FALSE },
    { WPR_EVENT_PROCESS_END, 13, 0, 200, 200, "cc", FALSE },
  };
  g_autoptr (Kit) kit = begun ();
  Recorder recorder;
  kit_comm (kit, 0, SECOND / 2, 100, 100, "shell", FALSE);
  kit_mmap (kit, 0, SECOND / 2, 100, 0x400000, 0x1000, 0, "/usr/bin/shell");
  kit_fork (kit, 1, 3 * SECOND, 200, 100, 200, 100);
  kit_comm (kit, 0, 4 * SECOND, 200, 200, "make", TRUE);
  kit_mmap (kit, 0, 5 * SECOND, 200, 0x400000, 0x1000, 0, "/usr/bin/make");
  kit_comm (kit, 1, 6 * SECOND, 200, 200, "cc", TRUE);
  kit_mmap (kit, 1, 7 * SECOND, 200, 0x400000, 0x1000, 0, "/usr/bin/cc");
  kit_mmap (kit, 1, 7 * SECOND + 1, 200, 0x500000, 0x1000, 0x1000, "/usr/bin/cc");
  kit_mmap (kit, 1, 7 * SECOND + 2, 200, 0x600000, 0x1000, 0, "//anon");
  kit_exit (kit, 0, 8 * SECOND, 200, 200);
  g_autoptr (WprTrace) trace = played (kit, &recorder);
  check (&recorder, expected, G_N_ELEMENTS (expected));
  recorder_clear (&recorder);
}

/* A fork without an exec runs its parent's program, and its images. */
static void
test_fork_only (void **state)
{
  static const Expected expected[] = {
    { WPR_EVENT_PROCESS_START, 8, 1, 200, 200, "server", FALSE },
    { WPR_EVENT_THREAD_START, 8, 1, 200, 200, "server", FALSE },
    { WPR_EVENT_IMAGE_LOAD, 8, 1, 200, 200, "/usr/bin/server", FALSE },
    { WPR_EVENT_THREAD_START, 9, 1, 200, 201, "server", FALSE },
    { WPR_EVENT_THREAD_NAME, 10, 0, 200, 201, "worker", FALSE },
    { WPR_EVENT_THREAD_END, 11, 0, 200, 201, "worker", FALSE },
  };
  g_autoptr (Kit) kit = begun ();
  Recorder recorder;
  kit_comm (kit, 0, SECOND / 2, 100, 100, "server", TRUE);
  kit_mmap (kit, 0, SECOND / 2 + 1, 100, 0x400000, 0x1000, 0, "/usr/bin/server");
  kit_fork (kit, 1, 3 * SECOND, 200, 100, 200, 100);
  kit_fork (kit, 1, 4 * SECOND, 200, 200, 201, 200);
  kit_comm (kit, 0, 5 * SECOND, 200, 201, "worker", FALSE);
  kit_exit (kit, 0, 6 * SECOND, 200, 201);
  g_autoptr (WprTrace) trace = played (kit, &recorder);
  check (&recorder, expected, G_N_ELEMENTS (expected));
  recorder_clear (&recorder);
}

/* The same number twice: two processes, and a switch knows whose thread it is. */
static void
test_pid_reuse (void **state)
{
  g_autoptr (Kit) kit = begun ();
  Recorder recorder;
  kit_fork (kit, 0, 2 * SECOND, 200, 100, 200, 100);
  kit_comm (kit, 0, 3 * SECOND, 200, 200, "first", TRUE);
  kit_switch (kit, 0, 4 * SECOND, 0, STATE_R, 200);
  kit_exit (kit, 0, 5 * SECOND, 200, 200);
  kit_fork (kit, 0, 6 * SECOND, 300, 100, 300, 100);
  kit_fork (kit, 0, 7 * SECOND, 300, 300, 200, 300); /* now a thread of 300 */
  kit_comm (kit, 0, 8 * SECOND, 300, 200, "second", FALSE);
  kit_switch (kit, 0, 9 * SECOND, 0, STATE_R, 200);
  g_autoptr (WprTrace) trace = played (kit, &recorder);
  assert_int_equal (recorder_nth (&recorder, WPR_EVENT_SWITCH, 0)->event.u.sw.next_pid, 200);
  const Seen *last = &g_array_index (recorder.seen, Seen, recorder.seen->len - 1);
  assert_int_equal (last->event.kind, WPR_EVENT_SWITCH);
  assert_int_equal (last->event.u.sw.next_pid, 300);
  assert_int_equal (recorder_count (&recorder, WPR_EVENT_PROCESS_START), 2);
  assert_string_equal (recorder_nth (&recorder, WPR_EVENT_PROCESS_START, 0)->text, "first");
  assert_int_equal (recorder_count (&recorder, WPR_EVENT_THREAD_START), 3);
  recorder_clear (&recorder);
}

/* What began before the recording is the rundown's, not an event. */
static void
test_before (void **state)
{
  g_autoptr (Kit) kit = begun ();
  Recorder recorder;
  kit_fork (kit, 0, SECOND / 4, 200, 100, 200, 100);
  kit_comm (kit, 0, SECOND / 2, 200, 200, "early", TRUE);
  kit_comm (kit, 0, 3 * SECOND, 200, 200, "late", TRUE);
  g_autoptr (WprTrace) trace = played (kit, &recorder);
  const WprTraceContext *context = wpr_trace_context (trace);
  assert_int_equal (context->start_monotonic, SECOND);
  assert_int_equal (context->end_monotonic, 100 * SECOND);
  assert_int_equal (recorder_count (&recorder, WPR_EVENT_PROCESS_START), 1);
  assert_int_equal (recorder_count (&recorder, WPR_EVENT_PROCESS_END), 1);
  assert_string_equal (recorder_nth (&recorder, WPR_EVENT_PROCESS_END, 0)->text, "early");
  assert_string_equal (recorder_nth (&recorder, WPR_EVENT_PROCESS_START, 0)->text, "late");
  assert_true (recorder_nth (&recorder, WPR_EVENT_PROCESS_START, 0)->event.u.life.by_exec);
  const WprProcess *process = wpr_world_process (context->world, 200, 2 * SECOND);
  assert_non_null (process);
  recorder_clear (&recorder);
}

/* Memory mode has no sideband in its store, only a world: the CPU is where the thread runs. */
static void
test_cpu_by_running (void **state)
{
  g_autoptr (Kit) source = begun ();
  g_autoptr (Kit) kit = kit_new (TRUE, 1, 2);
  Recorder recorder;
  kit_fork (source, 0, 4 * SECOND, 200, 100, 200, 100);
  kit_comm (source, 0, 5 * SECOND, 200, 200, "child", TRUE);
  g_autoptr (WprTrace) other = played (source, &recorder);
  g_autoptr (GBytes) world = wpr_world_save (wpr_trace_context (other)->world);
  recorder_clear (&recorder);

  kit_begin (kit, NULL);
  assert_true (wpr_store_checkpoint (kit->store, world, NULL));
  kit_clock (kit, SECOND, SLEPT, WALL);
  kit_switch (kit, 1, 3 * SECOND, 0, STATE_R, 100);
  g_autoptr (WprTrace) trace = played (kit, &recorder);
  const Seen *start = recorder_nth (&recorder, WPR_EVENT_PROCESS_START, 0);
  assert_string_equal (start->text, "child");
  assert_int_equal (start->event.cpu, 1);
  recorder_clear (&recorder);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_exec_chain),     cmocka_unit_test (test_fork_only),
    cmocka_unit_test (test_pid_reuse),      cmocka_unit_test (test_before),
    cmocka_unit_test (test_cpu_by_running),
  };
  return cmocka_run_group_tests_name ("life", tests, NULL, NULL);
}
