/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The real /proc: this very test is found with its image, threads and names. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <sys/mman.h>
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

static gboolean
has_path (const WprProcess *process, const char *path)
{
  for (guint i = 0; i < process->mappings->len; i++)
    if (g_str_equal (g_array_index (process->mappings, WprMapping, i).path, path))
      return TRUE;
  return FALSE;
}

static void
names_are_the_kernels_own (void **state)
{
  g_autofree char *folder = g_dir_make_tmp ("wpr\n two-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "lib x.so", NULL);
  g_autofree char *deleted = g_strconcat (path, " (deleted)", NULL);
  gsize page = (gsize)sysconf (_SC_PAGESIZE);
  g_autofree char *contents = g_strnfill (page, 'x');
  assert_true (g_file_set_contents (path, contents, (gssize)page, NULL));
  int fd = open (path, O_RDONLY | O_CLOEXEC);
  void *mapped = mmap (NULL, page, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
  void *anonymous = mmap (NULL, page, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  close (fd);
  assert_true (mapped != MAP_FAILED && anonymous != MAP_FAILED);
  for (int round = 0; round < 2; round++)
    {
      g_autoptr (WprWorld) world = wpr_world_new (10);
      gint64 now = now_ns ();
      wpr_world_read_proc (world, "/proc", now, NULL);
      const WprProcess *process = wpr_world_process (world, (guint32)getpid (), now);
      assert_true (has_path (process, round == 0 ? path : deleted));
      assert_true (has_path (process, "//anon"));
      assert_false (has_path (process, "[stack]")); /* not executable */
      unlink (path);
    }
  munmap (mapped, page);
  munmap (anonymous, page);
  rmdir (folder);
}

static void
who_is_not_listed_any_more_has_ended (void **state)
{
  g_autoptr (WprWorld) world = wpr_world_new (WPR_WORLD_MAX_DEAD);
  gint64 before = now_ns ();
  pid_t child = fork ();
  if (child == 0)
    _exit (0);
  waitpid (child, NULL, 0);
  feed_fork (world, before, (guint32)getpid (), (guint32)getpid (), (guint32)child, (guint32)child);
  assert_int_equal (wpr_world_process (world, (guint32)child, before)->end, WPR_WORLD_ALIVE);
  wpr_world_read_proc (world, "/proc", now_ns (), NULL); /* its exit record was lost */
  assert_true (wpr_world_process (world, (guint32)child, before)->end <= now_ns ());
  gint64 end = before + 1000;
  feed_exit (world, end, (guint32)child, (guint32)child); /* or came late */
  assert_int_equal (wpr_world_process (world, (guint32)child, before)->end, end);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (this_test_is_found),
    cmocka_unit_test (reading_while_programs_start_and_end_is_survived),
    cmocka_unit_test (names_are_the_kernels_own),
    cmocka_unit_test (who_is_not_listed_any_more_has_ended),
    cmocka_unit_test (a_fork_seen_by_record_and_in_proc_is_one_process),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
