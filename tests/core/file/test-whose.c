/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whose events are, as of their time; stacks to their events; addresses in words. */
#include "config.h"
#include "file-kit.h"

#include <string.h>

#include "file/functions.h"
#include "file/modules.h"
#include "file/who.h"

#define KERNEL 0xffffffff81000000

static WprTraceFile *
open_kit (FileKit *kit, WprTraceFlags flags)
{
  g_autoptr (GError) error = NULL;
  WprTraceFile *file = wpr_trace_file_open (file_kit_finish (kit, 0), flags, NULL, &error);
  if (file == NULL)
    fail_msg ("%s", error->message);
  assert_int_equal (wpr_trace_file_get_faults (file)->len, 0);
  return file;
}

static void
assert_owner (const WprTraceEvent *event, guint32 pid, guint32 tid, const char *process)
{
  assert_non_null (event);
  assert_int_equal (event->pid, pid);
  assert_int_equal (event->tid, tid);
  assert_string_equal (event->process, process);
}

static void
kernel_events_are_whose_their_cpu_runs (void **state)
{
  g_autoptr (FileKit) kit = file_kit_new (2, 100);
  file_kit_process (kit, 0, 0, 0x0303, 0, "Idle");
  file_kit_process (kit, 0, 0, 0x0303, 10, "first");
  file_kit_process (kit, 0, 0, 0x0303, 20, "second");
  file_kit_thread (kit, 0, 0, 0x0503, 10, 11);
  file_kit_thread (kit, 0, 0, 0x0503, 20, 21);
  file_kit_call (kit, 0, 1, KERNEL); /* before any switch: who is taken away by the first */
  file_kit_switch (kit, 0, 2, 21, 11);
  file_kit_call (kit, 0, 3, KERNEL);
  file_kit_switch (kit, 0, 4, 0, 21);
  file_kit_call (kit, 0, 5, KERNEL);
  file_kit_switch (kit, 0, 6, 99, 0); /* nobody told of that thread */
  file_kit_call (kit, 0, 7, KERNEL);
  file_kit_call (kit, 1, 8, KERNEL); /* a CPU without a switch */
  file_kit_sample (kit, 1, 9, 11, KERNEL);
  g_autoptr (WprTraceFile) file = open_kit (kit, WPR_TRACE_PLAIN);
  for (guint pass = 0; pass < 2; pass++)
    {
      assert_owner (file_kit_next (file, "SysClEnter"), 10, 11, "first");
      assert_owner (file_kit_next (file, "CSwitch"), 20, 21, "second");
      assert_owner (file_kit_next (file, "SysClEnter"), 20, 21, "second");
      assert_owner (file_kit_next (file, "CSwitch"), 0, 0, "Idle");
      assert_owner (file_kit_next (file, "SysClEnter"), 0, 0, "Idle");
      assert_owner (file_kit_next (file, "CSwitch"), KIT_NONE, 99, "");
      assert_owner (file_kit_next (file, "SysClEnter"), KIT_NONE, 99, "");
      assert_owner (file_kit_next (file, "SysClEnter"), KIT_NONE, KIT_NONE, "");
      assert_owner (file_kit_next (file, "SampledProfile"), 10, 11, "first");
      wpr_trace_file_rewind (file);
    }
}

static void
a_pid_is_another_process_later (void **state)
{
  g_autoptr (FileKit) kit = file_kit_new (2, 100);
  /* The first is told by the rundown at the end only of its replacement. */
  file_kit_process (kit, 0, 0, 0x0303, 10, "before");
  file_kit_event (kit, 0, 1, 10, 10, "Linux.test", "tick", NULL);
  file_kit_process (kit, 0, 2, 0x0302, 10, "before");
  file_kit_process (kit, 1, 3, 0x0301, 10, "after");
  file_kit_event (kit, 0, 3.5, 10, 10, "Linux.test", "tick", NULL);
  file_kit_process (kit, 1, 4, 0x0302, 10, "after"); /* exec: end and start at one tick */
  file_kit_process (kit, 1, 4, 0x0301, 10, "execed");
  file_kit_event (kit, 1, 5, 10, 10, "Linux.test", "tick", NULL);
  file_kit_event (kit, 1, 6, 30, 30, "Linux.test", "tick", NULL);
  file_kit_process (kit, 1, 7, 0x0304, 30, "always");
  g_autoptr (WprTraceFile) file = open_kit (kit, WPR_TRACE_PLAIN);
  assert_owner (file_kit_next (file, "tick"), 10, 10, "before");
  assert_owner (file_kit_next (file, "tick"), 10, 10, "after");
  assert_owner (file_kit_next (file, "tick"), 10, 10, "execed");
  assert_owner (file_kit_next (file, "tick"), 30, 30, "always");
}

static void
process_thread_and_image_events_are_about_one (void **state)
{
  g_autoptr (FileKit) kit = file_kit_new (1, 100);
  file_kit_process (kit, 0, 1, 0x0301, 10, "child");
  file_kit_thread (kit, 0, 2, 0x0501, 10, 11);
  file_kit_image (kit, 0, 3, 0x030a, 10, 0x400000, 0x1000, 0,
                  "\\Device\\HarddiskVolume1\\bin\\child");
  g_autoptr (WprTraceFile) file = open_kit (kit, WPR_TRACE_PLAIN);
  assert_true (wpr_trace_file_set_filter (file, "ProcessName == child", NULL, NULL));
  const WprTraceEvent *event = wpr_trace_file_next (file);
  assert_string_equal (event->provider, "Process");
  assert_owner (wpr_trace_file_next (file), 10, 11, "child");
  assert_string_equal (wpr_trace_file_next (file)->provider, "Image");
  assert_null (wpr_trace_file_next (file));
}

static void
assert_stack (WprTraceFile *file, const guint64 *frames, guint n)
{
  guint found;
  const guint64 *stack = wpr_trace_file_get_stack (file, &found);
  assert_int_equal (found, n);
  if (n > 0)
    assert_memory_equal (stack, frames, n * sizeof *frames);
}

static void
stacks_go_to_their_events (void **state)
{
  static const guint64 kernel[] = { KERNEL + 0x10, KERNEL + 0x20 }, user[] = { 0x401000, 0x402000 },
                       both[] = { KERNEL + 0x10, KERNEL + 0x20, 0x401000, 0x402000 };
  g_autoptr (FileKit) kit = file_kit_new (2, 100);
  file_kit_process (kit, 0, 0, 0x0303, 10, "first");
  file_kit_thread (kit, 0, 0, 0x0503, 10, 11);
  file_kit_switch (kit, 0, 1, 11, 0);
  file_kit_sample (kit, 0, 2, 11, KERNEL + 0x10);
  file_kit_stack (kit, 0, 2.001, 2, 10, 11, kernel, 2);
  file_kit_sample (kit, 0, 3, 11, KERNEL);
  for (guint i = 0; i < 5000; i++) /* of another CPU, meanwhile */
    file_kit_call (kit, 1, 3 + i * 0.001, KERNEL);
  file_kit_stack (kit, 0, 9, 2, 10, 11, user, 2);
  file_kit_event (kit, 0, 10, 10, 11, "Linux.test", "tick", NULL);
  file_kit_stack (kit, 0, 10, 10, 10, 11, user, 2);
  file_kit_stack (kit, 0, 11, 10.5, 10, 11, user, 2); /* of nothing */
  g_autoptr (WprTraceFile) plain
      = wpr_trace_file_open (file_kit_finish (kit, 0), WPR_TRACE_PLAIN, NULL, NULL);
  g_autoptr (WprTraceFile) file = wpr_trace_file_open (kit->path, WPR_TRACE_STACKS, NULL, NULL);
  guint n_plain = 0, n_stacks = 0;
  while (wpr_trace_file_next (plain) != NULL)
    n_plain++;
  while (wpr_trace_file_next (file) != NULL)
    n_stacks++;
  assert_int_equal (n_stacks, n_plain - 3);
  wpr_trace_file_rewind (file);
  assert_non_null (file_kit_next (file, "CSwitch"));
  assert_stack (file, NULL, 0);
  assert_non_null (file_kit_next (file, "SampledProfile"));
  assert_stack (file, both, 4);
  assert_owner (file_kit_next (file, "SampledProfile"), 10, 11, "first");
  assert_stack (file, NULL, 0);
  assert_non_null (file_kit_next (file, "tick"));
  assert_stack (file, user, 2);
  assert_non_null (file_kit_next (file, "Stack")); /* what found no event is an event */
  assert_null (wpr_trace_file_next (file));
}

static void
stacks_by_key_are_told_later (void **state)
{
  static const guint64 first[] = { KERNEL + 0x10, KERNEL + 0x20 }, again[] = { KERNEL + 0x30 },
                       user[] = { 0x401000 }, both[] = { KERNEL + 0x10, KERNEL + 0x20, 0x401000 };
  g_autoptr (FileKit) kit = file_kit_new (1, 100);
  file_kit_sample (kit, 0, 1, 11, KERNEL);
  file_kit_stack_key (kit, 0, 1, 0x1825, 1, 10, 11, 7);
  file_kit_stack_key (kit, 0, 1, 0x1826, 1, 10, 11, 8);
  file_kit_key (kit, 0, 2, 0x1823, 7, first, 2); /* thrown out: the key is used again */
  file_kit_sample (kit, 0, 3, 11, KERNEL);
  file_kit_stack_key (kit, 0, 3, 0x1825, 3, 10, 11, 7);
  file_kit_sample (kit, 0, 4, 11, KERNEL);
  file_kit_stack_key (kit, 0, 4, 0x1825, 4, 10, 11, 99); /* told nowhere */
  file_kit_key (kit, 0, 9, 0x1824, 7, again, 1);
  file_kit_key (kit, 0, 9, 0x1824, 8, user, 1);
  g_autoptr (WprTraceFile) file = open_kit (kit, WPR_TRACE_STACKS);
  assert_non_null (file_kit_next (file, "SampledProfile"));
  assert_stack (file, both, 3);
  assert_non_null (file_kit_next (file, "SampledProfile"));
  assert_stack (file, again, 1);
  assert_non_null (file_kit_next (file, "SampledProfile"));
  assert_stack (file, NULL, 0);
}

static void
providers_events_carry_their_stacks (void **state)
{
  static const guint64 frames[] = { 0x401000, 0x402000, 0x403000 };
  g_autoptr (FileKit) kit = file_kit_new (1, 100);
  file_kit_event_with_stack (kit, 0, 1, 10, 11, frames, 3);
  file_kit_event (kit, 0, 2, 10, 11, "Linux.test", "tick", NULL);
  const char *path = file_kit_finish (kit, 0);
  for (guint flags = 0; flags < 2; flags++)
    {
      g_autoptr (WprTraceFile) file = wpr_trace_file_open (path, flags, NULL, NULL);
      assert_true (wpr_trace_file_set_filter (
          file, "Provider == {00000001-0000-0000-0000-000000000000}", NULL, NULL));
      assert_owner (wpr_trace_file_next (file), 10, 11, "");
      assert_stack (file, frames, 3);
      assert_null (wpr_trace_file_next (file));
    }
}

static void
more_events_than_can_wait_keep_their_order (void **state)
{
  static const guint64 frames[] = { 0x401000 };
  g_autoptr (FileKit) kit = file_kit_new (2, 100);
  file_kit_sample (kit, 0, 0.5, 11, KERNEL);
  for (guint i = 0; i < 200000; i++)
    file_kit_sample (kit, i % 2, 1 + i * 0.001, 11, KERNEL);
  file_kit_stack (kit, 0, 300, 0.5, 10, 11, frames, 1); /* too late */
  file_kit_stack (kit, 1, 300, 1 + 199999 * 0.001, 10, 11, frames, 1);
  g_autoptr (WprTraceFile) file = open_kit (kit, WPR_TRACE_STACKS);
  gint64 last = -1;
  guint n = 0, n_frames = 0, n_with = 0;
  for (const WprTraceEvent *event; (event = file_kit_next (file, "SampledProfile")) != NULL; n++)
    {
      assert_true (event->time_ns >= last);
      last = event->time_ns;
      wpr_trace_file_get_stack (file, &n_frames);
      n_with += n_frames;
    }
  assert_int_equal (n, 200001);
  assert_int_equal (n_with, 1);
  wpr_trace_file_rewind (file);
  assert_non_null (file_kit_next (file, "Stack")); /* the late one */
  assert_null (file_kit_next (file, "Stack"));
}

static void
addresses_are_told_in_words (void **state)
{
  g_autoptr (FileKit) kit = file_kit_new (1, 100);
  file_kit_image (kit, 0, 0, 0x1403, 0, KERNEL, 0x100000, 0, "[kernel.kallsyms]");
  file_kit_image (kit, 0, 0, 0x1403, 10, 0x400000, 0x1000, 0x04030201,
                  "\\Device\\HarddiskVolume1\\usr\\bin\\tool");
  file_kit_event (kit, 0, 1, 10, 11, "Linux.test", "tick", NULL);
  file_kit_image (kit, 0, 5, 0x030a, 10, 0x400000, 0x2000, 0, "\\Device\\HarddiskVolume1\\other");
  file_kit_event (kit, 0, 6, 10, 11, "Linux.test", "tick", NULL);
  file_kit_event (kit, 0, 7, 1, 0, "Linux.Symbols", "Image", "u:Image", "3", "s:Path",
                  "/usr/bin/tool", "s:BuildId", "0102030405060708", NULL);
  file_kit_event (kit, 0, 7, 1, 0, "Linux.Symbols", "Function", "u:Image", "3", "u:Start", "0x100",
                  "u:Size", "0x20", "s:Name", "main", NULL);
  file_kit_event (kit, 0, 7, 1, 0, "Linux.Symbols", "JitFunction", "u:ProcessId", "10", "u:Start",
                  "0x900000", "u:Size", "0x10", "s:Name", "lambda", NULL);
  g_autoptr (WprTraceFile) file = open_kit (kit, WPR_TRACE_PLAIN);
  assert_non_null (file_kit_next (file, "tick"));
  assert_string_equal (wpr_trace_file_describe_address (file, 0x400100), "tool!main");
  assert_string_equal (wpr_trace_file_describe_address (file, 0x40011f), "tool!main+0x1f");
  assert_string_equal (wpr_trace_file_describe_address (file, 0x400120), "tool+0x120");
  assert_string_equal (wpr_trace_file_describe_address (file, KERNEL + 5), "[kernel.kallsyms]+0x5");
  assert_string_equal (wpr_trace_file_describe_address (file, 0x900001), "lambda+0x1");
  assert_null (wpr_trace_file_describe_address (file, 0x401800));
  assert_null (wpr_trace_file_describe_address (file, 0x100));
  assert_non_null (file_kit_next (file, "tick"));
  assert_string_equal (wpr_trace_file_describe_address (file, 0x400100), "other+0x100");
  assert_string_equal (wpr_trace_file_describe_address (file, 0x401800), "other+0x1800");
}

static void
one_image_told_twice_is_one (void **state)
{
  g_autoptr (WprFunctions) functions = wpr_functions_new ();
  guint64 into = 0;
  wpr_functions_note_image (functions, 1, "/lib/x.so", "aabbccdd00");
  wpr_functions_note_function (functions, 1, 0x10, 0x10, "one");
  wpr_functions_note_image (functions, 1048577, "/lib/x.so", "aabbccdd00");
  wpr_functions_note_function (functions, 1048577, 0x40, 0x10, "two");
  wpr_functions_finish (functions);
  assert_string_equal (wpr_functions_find (functions, "/lib/x.so", 0xddccbbaa, 0x1f, &into), "one");
  assert_int_equal (into, 0xf);
  assert_string_equal (wpr_functions_find (functions, "\\Device\\HarddiskVolume1\\lib\\x.so",
                                           0xddccbbaa, 0x40, &into),
                       "two");
  assert_null (wpr_functions_find (functions, "/lib/x.so", 0, 0x40, &into));
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (kernel_events_are_whose_their_cpu_runs),
    cmocka_unit_test (a_pid_is_another_process_later),
    cmocka_unit_test (process_thread_and_image_events_are_about_one),
    cmocka_unit_test (stacks_go_to_their_events),
    cmocka_unit_test (stacks_by_key_are_told_later),
    cmocka_unit_test (providers_events_carry_their_stacks),
    cmocka_unit_test (more_events_than_can_wait_keep_their_order),
    cmocka_unit_test (addresses_are_told_in_words),
    cmocka_unit_test (one_image_told_twice_is_one),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
