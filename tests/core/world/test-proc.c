/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The real /proc: this very test is found with its image, threads and names. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "records.h"

static gint64
now_ns (void)
{
  WprClockReading reading;
  wpr_clock_read (&reading);
  return reading.monotonic_ns;
}

static gpointer
named_thread (gpointer data)
{
  int *pipes = data;
  guint32 tid = (guint32)gettid ();
  char go;
  prctl (PR_SET_NAME, "wpr-named", 0, 0, 0);
  if (write (pipes[1], &tid, sizeof tid) != sizeof tid)
    return NULL;
  if (read (pipes[2], &go, 1) != 1)
    return NULL;
  return data;
}

static void
this_test_is_found (void **state)
{
  int pipes[4];
  guint32 tid, n_unreadable = 99;
  assert_int_equal (pipe (pipes), 0);
  assert_int_equal (pipe (pipes + 2), 0);
  GThread *thread = g_thread_new ("x", named_thread, pipes);
  assert_int_equal (read (pipes[0], &tid, sizeof tid), sizeof tid);
  g_autoptr (WprWorld) world = wpr_world_new (WPR_WORLD_MAX_DEAD);
  gint64 now = now_ns ();
  wpr_world_read_proc (world, "/proc", now, &n_unreadable);
  assert_int_not_equal (n_unreadable, 99);

  const WprProcess *process = wpr_world_process (world, (guint32)getpid (), now);
  g_autofree char *exe = g_file_read_link ("/proc/self/exe", NULL);
  struct stat st;
  assert_int_equal (stat (exe, &st), 0);
  assert_non_null (process);
  assert_int_equal (process->ppid, getppid ());
  assert_int_equal (process->uid, getuid ());
  assert_false (process->kernel);
  assert_true (process->start_ticks > 0);
  assert_int_equal (process->start, WPR_WORLD_BEFORE);
  const WprProgram *program = &g_array_index (process->programs, WprProgram, 0);
  assert_string_equal (program->exe, exe);
  assert_non_null (program->cmdline);
  gboolean image = FALSE, vdso = FALSE;
  for (guint i = 0; i < process->mappings->len; i++)
    {
      const WprMapping *m = &g_array_index (process->mappings, WprMapping, i);
      vdso |= g_str_equal (m->path, "[vdso]");
      if (!g_str_equal (m->path, exe))
        continue;
      image = TRUE;
      assert_int_equal (m->inode, st.st_ino);
      assert_int_equal (m->file_size, st.st_size);
      assert_int_equal (m->mtime_ns, st.st_mtim.tv_sec * 1000000000LL + st.st_mtim.tv_nsec);
      guint64 here = (guint64)(guintptr)this_test_is_found;
      assert_true (m->start <= here && here < m->start + m->length);
    }
  assert_true (image);
  assert_true (vdso);
  assert_string_equal (wpr_world_thread_name (world, tid, now), "wpr-named");
  assert_int_equal (wpr_world_thread (world, tid, now)->pid, getpid ());
  assert_true (wpr_world_process (world, 2, now)->kernel); /* kthreadd */

  assert_int_equal (write (pipes[3], "x", 1), 1);
  g_thread_join (thread);
  for (int i = 0; i < 4; i++)
    close (pipes[i]);
}

static void
reading_while_programs_start_and_end_is_survived (void **state)
{
  g_autoptr (WprWorld) world = wpr_world_new (WPR_WORLD_MAX_DEAD);
  pid_t storm = fork ();
  if (storm == 0)
    {
      for (;;)
        {
          pid_t child = fork ();
          if (child == 0)
            _exit (0);
          waitpid (child, NULL, 0);
        }
    }
  for (int i = 0; i < 20; i++)
    wpr_world_read_proc (world, "/proc", now_ns (), NULL);
  kill (storm, SIGKILL);
  waitpid (storm, NULL, 0);
  assert_non_null (wpr_world_process (world, (guint32)storm, now_ns ()));
}

static void
a_fork_seen_by_record_and_in_proc_is_one_process (void **state)
{
  g_autoptr (WprWorld) world = wpr_world_new (WPR_WORLD_MAX_DEAD);
  gint64 before = now_ns ();
  pid_t child = fork ();
  if (child == 0)
    for (;;)
      pause ();
  gint64 now = now_ns ();
  wpr_world_read_proc (world, "/proc", now, NULL);
  feed_fork (world, before, (guint32)getpid (), (guint32)getpid (), (guint32)child, (guint32)child);
  kill (child, SIGKILL);
  waitpid (child, NULL, 0);
  g_autoptr (GPtrArray) all = wpr_world_list_processes (world);
  guint n = 0;
  for (guint i = 0; i < all->len; i++)
    {
      const WprProcess *p = g_ptr_array_index (all, i);
      if (p->pid != (guint32)child)
        continue;
      n++;
      assert_int_equal (p->start, before);
      const WprProcess *parent = wpr_world_process (world, (guint32)getpid (), now);
      assert_int_equal (p->mappings->len, parent->mappings->len);
    }
  assert_int_equal (n, 1);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (this_test_is_found),
    cmocka_unit_test (reading_while_programs_start_and_end_is_survived),
    cmocka_unit_test (a_fork_seen_by_record_and_in_proc_is_one_process),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
