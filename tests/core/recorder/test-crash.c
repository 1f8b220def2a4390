/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A recorder that is killed leaves a store that becomes a file; a disk that fills up costs the
 * oldest events, then the recording, never the file. On the real kernel. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/files.h"
#include "drive.h"

/* ---- the process that is killed: this program, with an argument ---- */

static int
record_until_killed (void)
{
  Answer answer = { 0 };
  Drive d = { .root = g_strdup (g_getenv ("WPR_STATE_DIR")) };
  d.recorder = wpr_recorder_new_local ("Killed", NULL);
  drive_start (&d, drive_choice ("CPU.light", WPR_MODE_FILE), &answer);
  if (!answer.good || write (STDOUT_FILENO, "r", 1) != 1)
    return 1;
  for (;;)
    g_main_context_iteration (NULL, TRUE);
}

static pid_t
spawn_recorder (int *answers)
{
  int pipe_fds[2];
  assert_return_code (pipe (pipe_fds), errno);
  pid_t pid = fork ();
  if (pid == 0)
    {
      dup2 (pipe_fds[1], STDOUT_FILENO);
      execl ("/proc/self/exe", "test-crash", "record", NULL);
      _exit (127);
    }
  close (pipe_fds[1]);
  *answers = pipe_fds[0];
  return pid;
}

#define PATIENCE 600 /* steps: a busy machine */
#define STEP_US (100 * 1000)

/* How often the raw recording so far has that word. */
static guint
count_in_store (const char *path, const char *word)
{
  guint n = 0;
  g_autoptr (GDir) folder = g_dir_open (path, 0, NULL);
  for (const char *name = folder ? g_dir_read_name (folder) : NULL; name != NULL;
       name = g_dir_read_name (folder))
    {
      g_autofree char *below = g_build_filename (path, name, NULL);
      g_autofree char *bytes = NULL;
      gsize size;
      if (g_file_test (below, G_FILE_TEST_IS_DIR))
        n += count_in_store (below, word);
      else if (g_file_get_contents (below, &bytes, &size, NULL))
        for (const char *at = bytes;
             (at = memmem (at, size - (gsize)(at - bytes), word, strlen (word))); at++)
          n++;
    }
  return n;
}

static void
a_killed_recorder_leaves_a_store_that_becomes_a_file (void **state)
{
  Drive d;
  drive_init (&d);
  int answers;
  pid_t pid = spawn_recorder (&answers);
  char byte = 0;
  assert_int_equal (read (answers, &byte, 1), 1);
  run_programs (d.root, "wpr-before-kill", 100, 1);

  g_autoptr (GPtrArray) live = wpr_unfinished_list (NULL);
  assert_int_equal (live->len, 1);
  const WprUnfinished *store = g_ptr_array_index (live, 0);
  /* what is in the rings dies with them */
  for (guint i = 0; i < PATIENCE && count_in_store (store->path, "wpr-before-kill") < 100; i++)
    g_usleep (STEP_US);
  assert_true (store->in_use);
  assert_string_equal (store->instance, "Killed");
  g_autoptr (GError) error = NULL;
  assert_null (wpr_recover (store->path, d.save_fd, "no.etl", NULL, NULL, NULL, &error));
  assert_true (g_error_matches (error, WPR_ERROR, WPR_ERROR_STATE));

  kill (pid, SIGKILL);
  assert_int_equal (waitpid (pid, NULL, 0), pid);
  close (answers);
  g_autoptr (GPtrArray) left = wpr_unfinished_list (NULL);
  assert_int_equal (left->len, 1);
  assert_false (((WprUnfinished *)g_ptr_array_index (left, 0))->in_use);
  g_clear_error (&error);
  g_autoptr (WprSaved) saved = wpr_recover (store->path, d.save_fd, NULL, NULL, NULL, NULL, &error);
  if (!saved)
    fail_msg ("%s", error->message);
  assert_true (g_str_has_suffix (saved->name, ".etl"));
  g_autoptr (WprTraceInfo) info = read_info (&d, saved->name);
  assert_true (info->n_events > 0);
  g_autofree char *path = drive_path (&d, saved->name);
  assert_true (count_in_file (path, "wpr-before-kill") >= 100);
  assert_int_equal (count_raw (), 0);
  drive_clear (&d);
}

/* ---- a disk that fills up ---- */

#define DISK_BYTES (64 * 1024 * 1024)

/* Mounts of the test's own, seen by nobody else; before the recorder's threads are made. */
static gboolean
leave_the_mounts_of_others (void)
{
  return unshare (CLONE_NEWNS) == 0 && mount (NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
}

static void
mount_small_disk (const char *path)
{
  g_autofree char *options = g_strdup_printf ("size=%d", DISK_BYTES);
  assert_return_code (mount ("tmpfs", path, "tmpfs", 0, options), errno);
}

typedef struct
{
  gint stop;
  GThread *thread;
} Noise;

static gpointer
noise_thread (gpointer data)
{
  while (!g_atomic_int_get (&((Noise *)data)->stop))
    getppid ();
  return NULL;
}

static gboolean
run_until (Drive *d, const char *notice, guint seconds)
{
  gint64 end = g_get_monotonic_time () + seconds * G_USEC_PER_SEC;
  while (!drive_told (d, notice) && g_get_monotonic_time () < end)
    if (!g_main_context_iteration (NULL, FALSE))
      g_usleep (10 * 1000);
  return drive_told (d, notice);
}

/* Takes what is free of the disk, but for `leave` bytes. */
static void
fill_disk (const char *folder, guint64 leave)
{
  guint64 free_bytes = 0, total_bytes = 0;
  int folder_fd = open (folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  assert_true (wpr_free_space (folder_fd, &free_bytes, &total_bytes));
  int fd = openat (folder_fd, "ballast", O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  assert_true (fd >= 0);
  off_t at = lseek (fd, 0, SEEK_END);
  if (free_bytes > leave)
    assert_int_equal (posix_fallocate (fd, at, (off_t)(free_bytes - leave)), 0);
  close (fd);
  close (folder_fd);
}

static void
a_full_disk_costs_the_oldest_then_stops_cleanly (void **state)
{
  Drive d;
  Answer answer = { 0 };
  if (!leave_the_mounts_of_others ())
    {
      print_message ("skipped: no mounts of its own (%s)\n", g_strerror (errno));
      skip ();
    }
  drive_init (&d);
  g_autofree char *disk = g_build_filename (d.root, "disk", NULL);
  g_mkdir_with_parents (disk, 0700);
  mount_small_disk (disk);
  g_setenv ("WPR_STATE_DIR", disk, TRUE);
  WprChoice *choice = drive_choice ("SystemCall.light", WPR_MODE_FILE);
  choice->buffers = 8;
  drive_start (&d, choice, &answer);
  assert_good (&answer);
  assert_true (run_until (&d, "store-in-memory", 5));
  Noise noise = { 0 };
  noise.thread = g_thread_new ("noise", noise_thread, &noise);
  gboolean low = run_until (&d, "disk-low", 60);
  g_usleep (2 * G_USEC_PER_SEC);
  g_autoptr (WprStats) stats = wpr_recorder_ref_stats (d.recorder);
  WprState went_on = wpr_recorder_get_state (d.recorder);
  g_atomic_int_set (&noise.stop, TRUE);
  g_thread_join (noise.thread);
  assert_true (low);
  assert_int_equal (went_on, WPR_STATE_RECORDING);
  assert_true (stats->bytes_written < DISK_BYTES / 2 + 8 * 1024 * 1024);

  /* What it gives up is taken at once, until it holds too little to go on. */
  gboolean full = FALSE;
  for (guint i = 0; i < 20 && !full; i++)
    {
      fill_disk (disk, 1024 * 1024);
      full = run_until (&d, "disk-full", 2) || drive_told (&d, "store-failed");
    }
  assert_true (full);
  assert_true (run_until (&d, "saved", 60));
  assert_int_equal (wpr_recorder_get_state (d.recorder), WPR_STATE_SAVED);
  g_autoptr (GDir) folder = g_dir_open (d.save, 0, NULL);
  g_autoptr (WprTraceInfo) info = read_info (&d, g_dir_read_name (folder));
  assert_true (info->n_events > 1000);
  answer_clear (&answer);
  g_clear_object (&d.recorder);
  assert_return_code (umount2 (disk, MNT_DETACH), errno);
  drive_clear (&d);
}

int
main (int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (a_killed_recorder_leaves_a_store_that_becomes_a_file),
    cmocka_unit_test (a_full_disk_costs_the_oldest_then_stops_cleanly),
  };
  if (argc > 1 && strcmp (argv[1], "record") == 0)
    return record_until_killed ();
  return cmocka_run_group_tests (tests, NULL, NULL);
}
