/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The real kernel's records: programs that start before, while and after /proc is read, a thread
 * that calls exec, a leader that goes first. Records come CPU by CPU, so out of order. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../perf/recording.h"
#include "base/files.h"
#include "world/world.h"

#define N_PROGRAMS 200

static const WprPerfEvent sideband = { .kind = WPR_PERF_SIDEBAND, .name = "sideband" };

typedef struct
{
  char *folder;
  char *program; /* a copy of true under a name of its own */
  Recording *recording;
  WprWorld *world;
  gint64 begun;
} Live;

static gint64
now_ns (void)
{
  WprClockReading reading;
  wpr_clock_read (&reading);
  return reading.monotonic_ns;
}

static void
live_begin (Live *live)
{
  g_autofree char *contents = NULL;
  gsize size;
  live->recording = recording_new (&sideband, 1, 4 << 20, FALSE);
  live->folder = g_dir_make_tmp ("wpr-live-XXXXXX", NULL);
  live->program = g_build_filename (live->folder, "wpr-live-true", NULL);
  live->world = wpr_world_new (WPR_WORLD_MAX_DEAD);
  assert_true (g_file_get_contents ("/bin/true", &contents, &size, NULL));
  assert_true (g_file_set_contents_full (live->program, contents, (gssize)size,
                                         G_FILE_SET_CONTENTS_NONE, 0755, NULL));
  recording_switch (live->recording, TRUE);
  live->begun = now_ns ();
}

static void
feed_record (const WprRecord *record, gpointer data)
{
  wpr_world_feed (data, record);
}

static void
live_end (Live *live)
{
  recording_switch (live->recording, FALSE);
  recording_collect (live->recording);
  recording_each (live->recording, feed_record, live->world);
}

static void
live_free (Live *live)
{
  g_autofree char *name = g_path_get_basename (live->folder);
  g_autofree char *parent = g_path_get_dirname (live->folder);
  int fd = open (parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  assert_true (wpr_remove_tree_at (fd, name, NULL));
  close (fd);
  recording_free (live->recording);
  wpr_world_free (live->world);
  g_free (live->folder);
  g_free (live->program);
}

static pid_t
start_program (const Live *live)
{
  pid_t pid = fork ();
  if (pid == 0)
    {
      execl (live->program, live->program, NULL);
      _exit (1);
    }
  return pid;
}

/* The one holder of a pid since the beginning. */
static const WprProcess *
only_life (const Live *live, pid_t pid)
{
  const WprProcess *found = NULL;
  g_autoptr (GPtrArray) all = wpr_world_list_processes (live->world);
  for (guint i = 0; i < all->len; i++)
    {
      const WprProcess *p = g_ptr_array_index (all, i);
      if (p->pid != (guint32)pid || p->end < live->begun)
        continue;
      assert_null (found);
      found = p;
    }
  assert_non_null (found);
  return found;
}

static gboolean
has_image (const WprProcess *process, const char *path)
{
  for (guint i = 0; i < process->mappings->len; i++)
    if (g_str_equal (g_array_index (process->mappings, WprMapping, i).path, path))
      return TRUE;
  return FALSE;
}

static const WprProgram *
last_program (const WprProcess *process)
{
  return &g_array_index (process->programs, WprProgram, process->programs->len - 1);
}

static void
check_program (const Live *live, pid_t pid)
{
  const WprProcess *process = only_life (live, pid);
  assert_int_equal (process->ppid, getpid ());
  assert_true (process->start >= live->begun && process->end > process->start);
  assert_true (process->end != WPR_WORLD_ALIVE);
  assert_string_equal (last_program (process)->exe, live->program);
  assert_string_equal (last_program (process)->comm, "wpr-live-true");
  assert_true (has_image (process, live->program));
  assert_string_equal (wpr_world_thread_name (live->world, (guint32)pid, process->end),
                       "wpr-live-true");
}

static gpointer
read_proc (gpointer data)
{
  wpr_world_read_proc (data, "/proc", now_ns (), NULL);
  return NULL;
}

static void
every_program_is_known_once_whenever_proc_is_read (void **state)
{
  Live live;
  pid_t pids[N_PROGRAMS];
  GThread *reader = NULL;
  live_begin (&live);
  for (int i = 0; i < N_PROGRAMS; i++)
    {
      pids[i] = start_program (&live);
      if (i == N_PROGRAMS / 3)
        reader = g_thread_new ("proc", read_proc, live.world);
      if (i % 4 == 3)
        for (int k = i - 3; k <= i; k++)
          waitpid (pids[k], NULL, 0);
    }
  g_thread_join (reader);
  live_end (&live);
  for (int i = 0; i < N_PROGRAMS; i++)
    check_program (&live, pids[i]);
  const WprProcess *us = only_life (&live, getpid ());
  assert_int_equal (us->start, WPR_WORLD_BEFORE);
  assert_int_equal (us->end, WPR_WORLD_ALIVE);
  live_free (&live);
}

static void *
exec_program (void *data)
{
  const Live *live = data;
  g_usleep (20000);
  execl (live->program, live->program, NULL);
  _exit (1);
}

static void
a_thread_that_calls_exec_is_the_process_from_then_on (void **state)
{
  Live live;
  live_begin (&live);
  pid_t pid = fork ();
  if (pid == 0)
    {
      pthread_t thread;
      pthread_create (&thread, NULL, exec_program, &live);
      for (;;)
        pause ();
    }
  waitpid (pid, NULL, 0);
  live_end (&live);
  check_program (&live, pid);
  g_autoptr (GPtrArray) threads = wpr_world_list_threads (live.world);
  guint n = 0;
  for (guint i = 0; i < threads->len; i++)
    {
      const WprThread *thread = g_ptr_array_index (threads, i);
      if (thread->pid != (guint32)pid)
        continue;
      n++;
      assert_true (thread->end != WPR_WORLD_ALIVE);
    }
  assert_true (n >= 2);
  live_free (&live);
}

static void *
outlive_leader (void *data)
{
  prctl (PR_SET_NAME, "wpr-last", 0, 0, 0);
  g_usleep (100000);
  return NULL;
}

static void
a_process_whose_leader_goes_first_ends_with_the_last (void **state)
{
  Live live;
  live_begin (&live);
  pid_t pid = fork ();
  if (pid == 0)
    {
      pthread_t thread;
      pthread_create (&thread, NULL, outlive_leader, NULL);
      syscall (SYS_exit, 0); /* this thread alone */
    }
  waitpid (pid, NULL, 0);
  live_end (&live);
  const WprProcess *process = only_life (&live, pid);
  const WprThread *leader = wpr_world_thread (live.world, (guint32)pid, process->end);
  assert_true (process->end != WPR_WORLD_ALIVE);
  assert_true (process->end - leader->end >= 50 * 1000 * 1000);
  g_autoptr (GPtrArray) threads = wpr_world_list_threads (live.world);
  gboolean found = FALSE;
  for (guint i = 0; i < threads->len; i++)
    {
      const WprThread *thread = g_ptr_array_index (threads, i);
      found |= thread->pid == (guint32)pid && thread->end == process->end
               && g_str_equal (wpr_world_thread_name (live.world, thread->tid, thread->end),
                               "wpr-last");
    }
  assert_true (found);
  live_free (&live);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (every_program_is_known_once_whenever_proc_is_read),
    cmocka_unit_test (a_thread_that_calls_exec_is_the_process_from_then_on),
    cmocka_unit_test (a_process_whose_leader_goes_first_ends_with_the_last),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
