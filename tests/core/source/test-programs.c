/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ProcessExeFilter: events of the programs asked for and of no other; threads under another name
 * that run when the recording starts are found in /proc. */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/files.h"
#include "recording.h"
#include "source/programs.h"

/* ---- a made-up /proc ---- */

static void
make_process (const char *root, const char *pid, const char *exe, const char *const *tids,
              const char *const *comms)
{
  for (guint i = 0; tids[i] != NULL; i++)
    {
      g_autofree char *task = g_build_filename (root, pid, "task", tids[i], NULL);
      g_autofree char *comm = g_build_filename (task, "comm", NULL);
      g_autofree char *line = g_strconcat (comms[i], "\n", NULL);
      assert_return_code (g_mkdir_with_parents (task, 0700), errno);
      assert_true (g_file_set_contents (comm, line, -1, NULL));
    }
  g_autofree char *comm = g_build_filename (root, pid, "comm", NULL);
  g_autofree char *line = g_strconcat (comms[0], "\n", NULL);
  g_autofree char *link = g_build_filename (root, pid, "exe", NULL);
  assert_true (g_file_set_contents (comm, line, -1, NULL));
  if (exe != NULL)
    assert_return_code (symlink (exe, link), errno);
}

static char *
filter_of (WprPrograms *programs, const char *name, guint *left_out)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_ptr_array_add (names, (gpointer)name);
  return wpr_programs_filter (programs, "f", names, left_out);
}

static void
threads_under_another_name_are_found (void **state)
{
  static const char *const one[] = { "10", "11", "12", NULL };
  static const char *const other[] = { "20", NULL }, *const script[] = { "30", "31", NULL };
  static const char *const kernel[] = { "40", NULL };
  static const char *const one_comms[] = { "a-very-long-pro", "worker", "a-very-long-pro" };
  static const char *const other_comms[] = { "a-very-long-pro" };
  static const char *const script_comms[] = { "backup.py", "Thread-1" };
  static const char *const kernel_comms[] = { "kworker/0:1" };
  g_autofree char *root = g_dir_make_tmp ("wpr-test-XXXXXX", NULL);
  make_process (root, "10", "/opt/x/a-very-long-program (deleted)", one, one_comms);
  make_process (root, "20", "/opt/x/a-very-long-projector", other, other_comms);
  make_process (root, "30", "/usr/bin/python3", script, script_comms);
  make_process (root, "40", NULL, kernel, kernel_comms);
  g_autoptr (WprPrograms) programs = wpr_programs_new (root);
  guint left_out = 7;
  g_autofree char *program = filter_of (programs, "a-very-long-program", &left_out);
  assert_string_equal (program, "f || common_pid == 11");
  assert_int_equal (left_out, 0);
  g_autofree char *of_script = filter_of (programs, "backup.py", &left_out);
  assert_string_equal (of_script, "f || common_pid == 31");
  g_autofree char *python = filter_of (programs, "python3", &left_out);
  assert_true (strstr (python, "common_pid == 30") && strstr (python, "common_pid == 31"));
  g_autofree char *nobody = filter_of (programs, "nobody", &left_out);
  assert_string_equal (nobody, "f");

  g_autofree char *parent = g_path_get_dirname (root);
  g_autofree char *name = g_path_get_basename (root);
  int fd = wpr_open_folder (parent, NULL);
  assert_true (wpr_remove_tree_at (fd, name, NULL));
  close (fd);
}

/* ---- on the real kernel ---- */

#define EVENT "syscalls:sys_enter_getppid"
#define N_CALLS 400

/* This program; its name is longer than the kernel keeps. */
static const char text[]
    = "<WindowsPerformanceRecorder Version=\"1.0\"><Profiles><EventCollector Id=\"E\" Name=\"E\"/>"
      "<EventProvider Id=\"P\" Name=\"tracepoint:" EVENT
      "\" ProcessExeFilter=\"C:\\tools\\test-source-programs.exe\"/>"
      "<Profile Id=\"Own.Light.File\" Name=\"Own\" Description=\"Own\" LoggingMode=\"File\" "
      "DetailLevel=\"Light\"><Collectors><EventCollectorId Value=\"E\"><EventProviders>"
      "<EventProviderId Value=\"P\"/></EventProviders></EventCollectorId></Collectors></Profile>"
      "</Profiles></WindowsPerformanceRecorder>";

typedef struct
{
  GMutex lock;
  GCond moved;
  gboolean ready, go;
} Gate;

static void
call (guint n)
{
  for (guint i = 0; i < n; i++)
    syscall (SYS_getppid);
}

static gpointer
odd_thread (gpointer data)
{
  Gate *gate = data;
  prctl (PR_SET_NAME, "odd");
  g_mutex_lock (&gate->lock);
  gate->ready = TRUE;
  g_cond_broadcast (&gate->moved);
  while (!gate->go)
    g_cond_wait (&gate->moved, &gate->lock);
  g_mutex_unlock (&gate->lock);
  call (N_CALLS);
  return NULL;
}

static guint64
count (const char *path, const char *name)
{
  g_autoptr (WprStoreReader) reader = wpr_store_reader_open (path, NULL);
  guint32 row = test_store_row (wpr_store_reader_manifest (reader), name);
  g_autoptr (GArray) tallies = test_store_tallies (path);
  guint64 n = 0;
  for (guint i = 0; i < tallies->len; i++)
    if (g_array_index (tallies, TestTally, i).row == row)
      n += g_array_index (tallies, TestTally, i).records;
  return n;
}

static void
only_the_program_and_its_renamed_threads_are_recorded (void **state)
{
  TestRecording r;
  Gate early = { 0 }, late = { 0 };
  test_recording_init (&r, "CPU", WPR_MODE_FILE);
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));
  assert_true (wpr_library_add_bytes (r.library, bytes, "own.wprp", NULL));
  g_ptr_array_set_size (r.choice->profiles, 0);
  wpr_choice_add (r.choice, "Own", "own.wprp", -1);

  GThread *before = g_thread_new (NULL, odd_thread, &early);
  g_mutex_lock (&early.lock);
  while (!early.ready)
    g_cond_wait (&early.moved, &early.lock);
  g_mutex_unlock (&early.lock);
  test_recording_begin (&r);

  late.go = TRUE; /* runs off at once, and was not there at the start: missed, as the plan says */
  g_thread_join (g_thread_new (NULL, odd_thread, &late));
  g_mutex_lock (&early.lock);
  early.go = TRUE;
  g_cond_broadcast (&early.moved);
  g_mutex_unlock (&early.lock);
  g_thread_join (before);
  call (N_CALLS);
  pid_t other = fork ();
  if (other == 0)
    {
      prctl (PR_SET_NAME, "stranger");
      call (N_CALLS);
      _exit (0);
    }
  assert_int_equal (waitpid (other, NULL, 0), other);

  assert_true (wpr_source_stop (r.kernel, &r.session, NULL));
  g_autofree char *path = g_strdup (wpr_store_get_path (r.session.store));
  wpr_store_close (g_steal_pointer (&r.session.store));
  r.session.manifest = NULL;
  assert_int_equal (count (path, EVENT), 2 * N_CALLS);
  test_recording_clear (&r);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (threads_under_another_name_are_found),
    cmocka_unit_test (only_the_program_and_its_renamed_threads_are_recorded),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
