/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Small histories with a known answer: fork, exec, threads, numbers given out anew, told in any
 * order. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "records.h"

static const WprProgram *
program_at (const WprWorld *world, guint32 pid, WprTime when)
{
  const WprProcess *process = wpr_world_process (world, pid, when);
  assert_non_null (process);
  const WprProgram *found = NULL;
  for (guint i = 0; i < process->programs->len; i++)
    {
      const WprProgram *p = &g_array_index (process->programs, WprProgram, i);
      if (found == NULL || p->when <= when)
        found = p;
    }
  assert_non_null (found);
  return found;
}

static void
child_runs_its_parents_program_until_exec (void **state)
{
  g_autoptr (WprWorld) world = wpr_world_new (100);
  feed_fork (world, 10, 1, 1, 50, 50);
  feed_comm (world, 20, 50, 50, "sh", TRUE);
  feed_mmap (world, 21, 50, 50, 0x1000, 0x1000, "/bin/sh");
  feed_mmap (world, 22, 50, 50, 0x9000, 0x1000, "/lib/ld.so");
  feed_fork (world, 30, 50, 50, 60, 60);
  feed_comm (world, 40, 60, 60, "ls", TRUE);
  feed_mmap (world, 41, 60, 60, 0x1000, 0x2000, "/bin/ls");
  feed_exit (world, 50, 60, 60);

  assert_string_equal (program_at (world, 60, 35)->exe, "/bin/sh");
  assert_string_equal (program_at (world, 60, 35)->comm, "sh");
  assert_string_equal (program_at (world, 60, 45)->exe, "/bin/ls");
  const WprProcess *p = wpr_world_process (world, 60, 45);
  assert_int_equal (p->ppid, 50);
  assert_int_equal (p->start, 30);
  assert_int_equal (p->end, 50);
  assert_int_equal (p->mappings->len, 3); /* sh, ld.so, ls */
  assert_int_equal (g_array_index (p->mappings, WprMapping, 0).when, 30);
  assert_string_equal (wpr_world_thread_name (world, 60, 35), "sh");
  assert_string_equal (wpr_world_thread_name (world, 60, 45), "ls");
  assert_string_equal (wpr_world_thread_name (world, 999, 45), "");
  assert_null (wpr_world_process (world, 60, 29));
}

static void
what_is_told_late_still_reaches_children (void **state)
{
  g_autoptr (WprWorld) world = wpr_world_new (100);
  feed_fork (world, 30, 50, 50, 60, 60);
  assert_string_equal (program_at (world, 60, 35)->exe, "");
  feed_fork (world, 10, 1, 1, 50, 50);
  feed_mmap (world, 21, 50, 50, 0x1000, 0x1000, "/bin/sh");
  feed_comm (world, 20, 50, 50, "sh", TRUE);
  assert_string_equal (program_at (world, 60, 35)->exe, "/bin/sh");
  assert_string_equal (wpr_world_thread_name (world, 60, 31), "sh");
  assert_int_equal (wpr_world_process (world, 60, 31)->mappings->len, 1);
}

static void
a_number_given_out_anew_is_another_process (void **state)
{
  g_autoptr (WprWorld) world = wpr_world_new (100);
  feed_fork (world, 100, 1, 1, 7, 7);
  feed_comm (world, 101, 7, 7, "second", TRUE);
  feed_exit (world, 60, 7, 7);
  feed_comm (world, 11, 7, 7, "first", TRUE);
  feed_fork (world, 10, 1, 1, 7, 7);
  assert_string_equal (wpr_world_thread_name (world, 7, 50), "first");
  assert_int_equal (wpr_world_process (world, 7, 50)->end, 60);
  assert_int_equal (wpr_world_process (world, 7, 61)->end, 60); /* its last switch */
  assert_string_equal (wpr_world_thread_name (world, 7, 150), "second");
  assert_int_equal (wpr_world_process (world, 7, 150)->end, WPR_WORLD_ALIVE);
}

static void
a_process_ends_with_its_last_thread (void **state)
{
  g_autoptr (WprWorld) world = wpr_world_new (100);
  feed_fork (world, 10, 1, 1, 50, 50);
  feed_fork (world, 20, 50, 50, 50, 51);
  feed_comm (world, 21, 50, 51, "worker", FALSE);
  feed_exit (world, 30, 50, 50);
  assert_int_equal (wpr_world_process (world, 50, 35)->end, WPR_WORLD_ALIVE);
  assert_int_equal (wpr_world_thread (world, 50, 35)->end, 30);
  assert_string_equal (wpr_world_thread_name (world, 51, 35), "worker");
  feed_exit (world, 40, 50, 51);
  assert_int_equal (wpr_world_process (world, 50, 35)->end, 40);
}

static void
a_thread_that_calls_exec_becomes_the_leader (void **state)
{
  g_autoptr (WprWorld) world = wpr_world_new (100);
  feed_fork (world, 10, 1, 1, 50, 50);
  feed_fork (world, 20, 50, 50, 50, 51);
  feed_exit (world, 30, 50, 50); /* the old leader, killed by the exec of 51 */
  feed_comm (world, 31, 50, 50, "new", TRUE);
  assert_int_equal (wpr_world_process (world, 50, 40)->end, WPR_WORLD_ALIVE);
  assert_int_equal (wpr_world_process (world, 50, 40)->start, 10);
  assert_int_equal (wpr_world_thread (world, 51, 40)->end, 31);
  assert_int_equal (wpr_world_thread (world, 50, 40)->start, 31);
  feed_exit (world, 50, 50, 50);
  assert_int_equal (wpr_world_process (world, 50, 40)->end, 50);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (child_runs_its_parents_program_until_exec),
    cmocka_unit_test (what_is_told_late_still_reaches_children),
    cmocka_unit_test (a_number_given_out_anew_is_another_process),
    cmocka_unit_test (a_process_ends_with_its_last_thread),
    cmocka_unit_test (a_thread_that_calls_exec_becomes_the_leader),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
