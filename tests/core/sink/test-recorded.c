/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A real recording of a workload whose every step is known, in both modes, looked at through the
 * independent walker: its forks, execs and exits, its switches, its disk writes, its stacks. */
#include "config.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/types.h>
#include <unistd.h>

#include <cmocka.h>

#include "drive.h"

#define PROGRAM "walk-me"
#define N_PROGRAMS 20
#define N_SLEEPS 200
#define N_WRITES 10
#define WRITE_BYTES (64 * 1024)

typedef struct
{
  guint32 tid;
  gboolean has_disk;
} Worked;

/* Sleeps, and writes past the page cache, where the folder lies on a disk. */
static Worked
work (const char *folder)
{
  Worked worked = { .tid = (guint32)gettid () };
  g_autofree char *path = g_build_filename (folder, "written", NULL);
  void *block = NULL;
  struct stat st;
  int fd;

  for (guint i = 0; i < N_SLEEPS; i++)
    g_usleep (200);
  fd = open (path, O_CREAT | O_WRONLY | O_DIRECT | O_CLOEXEC, 0600);
  if (fd < 0 || fstat (fd, &st) != 0 || major (st.st_dev) == 0)
    {
      print_message ("the temporary folder is on no disk: writes are not looked for\n");
      if (fd >= 0)
        close (fd);
      return worked;
    }
  assert_int_equal (posix_memalign (&block, 4096, WRITE_BYTES), 0);
  memset (block, 'w', WRITE_BYTES);
  for (guint i = 0; i < N_WRITES; i++)
    assert_int_equal (write (fd, block, WRITE_BYTES), WRITE_BYTES);
  assert_int_equal (fdatasync (fd), 0);
  free (block);
  close (fd);
  worked.has_disk = TRUE;
  return worked;
}

/* Lines of the walker, NULL-terminated. */
static char **
walk (const Drive *d, const char *name, const char *what)
{
  g_autofree char *path = drive_path (d, name);
  const char *argv[] = { g_getenv ("WPR_WALKER"), path, what, NULL };
  g_autofree char *out = NULL;
  g_autoptr (GError) error = NULL;
  int status = -1;

  assert_non_null (argv[0]);
  if (!g_spawn_sync (NULL, (char **)argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &out, NULL, &status,
                     &error))
    fail_msg ("%s", error->message);
  if (status != 0)
    fail_msg ("the walker says: %s", strstr (out, "fault") != NULL ? strstr (out, "fault") : out);
  return g_strsplit (out, "\n", -1);
}

/* Its events fit together, says a script that shares nothing with us. */
static void
check_consistent (const Drive *d, const char *name)
{
  g_autofree char *path = drive_path (d, name);
  g_autofree char *script
      = g_build_filename (g_getenv ("WPR_SOURCE_ROOT"), "tests/walker/consistent.py", NULL);
  const char *argv[] = { "python3", script, path, NULL };
  g_autofree char *out = NULL;
  g_autoptr (GError) error = NULL;
  int status = -1;

  if (!g_spawn_sync (NULL, (char **)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &out, NULL,
                     &status, &error))
    fail_msg ("%s", error->message);
  if (status != 0)
    fail_msg ("%s", out);
}

/* Each program was started and ended, under its own name. */
static void
check_programs (const Drive *d, const char *name)
{
  g_auto (GStrv) starts = walk (d, name, "starts"), ends = walk (d, name, "ends");
  g_autoptr (GHashTable) pids = g_hash_table_new (NULL, NULL);
  guint n_ended = 0;

  for (guint i = 0; starts[i] != NULL; i++)
    {
      guint64 ticks;
      guint pid, ppid;
      char image[64];

      if (sscanf (starts[i], "start %" G_GUINT64_FORMAT " %u %u %63s", &ticks, &pid, &ppid, image)
              == 4
          && strcmp (image, PROGRAM) == 0)
        {
          assert_int_equal (ppid, getpid ());
          assert_true (g_hash_table_add (pids, GUINT_TO_POINTER (pid)));
        }
    }
  assert_int_equal (g_hash_table_size (pids), N_PROGRAMS);
  for (guint i = 0; ends[i] != NULL; i++)
    {
      guint64 ticks;
      guint pid, ppid;
      char image[64];

      if (sscanf (ends[i], "end %" G_GUINT64_FORMAT " %u %u %63s", &ticks, &pid, &ppid, image) == 4
          && strcmp (image, PROGRAM) == 0)
        n_ended += g_hash_table_contains (pids, GUINT_TO_POINTER (pid));
    }
  assert_int_equal (n_ended, N_PROGRAMS);
}

/* Every sleep took the thread off its CPU; on each CPU the thread that leaves is the one that came
 * before. */
static void
check_switches (const Drive *d, const char *name, guint32 tid)
{
  g_auto (GStrv) lines = walk (d, name, "switches");
  g_autoptr (GHashTable) running = g_hash_table_new (NULL, NULL); /* CPU + 1 -> TID + 1 */
  guint n_asleep = 0, n_came = 0;

  for (guint i = 0; lines[i] != NULL; i++)
    {
      guint64 ticks;
      guint cpu, from, to, wait, reason;
      gpointer before;

      if (sscanf (lines[i], "switch %" G_GUINT64_FORMAT " %u %u %u %u %u", &ticks, &cpu, &from, &to,
                  &wait, &reason)
          != 6)
        continue;
      before = g_hash_table_lookup (running, GUINT_TO_POINTER (cpu + 1));
      if (before != NULL && GPOINTER_TO_UINT (before) != from + 1)
        fail_msg ("CPU %u switches from %u, but %u ran there", cpu, from,
                  GPOINTER_TO_UINT (before) - 1);
      g_hash_table_insert (running, GUINT_TO_POINTER (cpu + 1), GUINT_TO_POINTER (to + 1));
      n_asleep += from == tid && wait == 5;
      n_came += to == tid;
    }
  /* a sleep is over before it began where the thread was kept from its CPU in between */
  assert_true (n_asleep >= N_SLEEPS * 9 / 10);
  /* when the recording ended it slept once more, waiting for that */
  if (n_came + 1 < n_asleep)
    fail_msg ("%u sleeps of %u, and it came back %u times", n_asleep, N_SLEEPS, n_came);
}

/* Completions that the kernel counted and neither gave nor called lost; some kernels do that with
 * interrupts, mostly of a CPU that idles. The file says so. */
static guint64
n_vanished (const Drive *d, const char *name)
{
  g_auto (GStrv) lines = walk (d, name, "Linux.Recorder/Tally");
  guint64 n = 0;

  for (guint i = 0; lines[i] != NULL; i++)
    {
      const char *row = strstr (lines[i], "Name=block:block_rq_complete ");
      const char *figures = row != NULL ? strstr (row, "Counted=") : NULL;
      guint64 counted, lost, in_file;

      if (figures != NULL
          && sscanf (figures,
                     "Counted=%" G_GUINT64_FORMAT " Lost=%" G_GUINT64_FORMAT
                     " InFile=%" G_GUINT64_FORMAT,
                     &counted, &lost, &in_file)
                 == 3)
        {
          assert_int_equal (lost, 0);
          n += counted - in_file;
        }
    }
  return n;
}

/* Every write was sent to the disk by the thread; what was completed of it is all of its bytes, cut
 * into as many requests as the kernel liked. */
static void
check_writes (const Drive *d, const char *name, guint32 tid)
{
  g_auto (GStrv) lines = walk (d, name, "writes");
  guint64 sum = 0;
  guint n_issued = 0;

  for (guint i = 0; lines[i] != NULL; i++)
    {
      guint64 ticks, offset;
      guint cpu, disk, bytes, by;

      if (sscanf (lines[i], "write %" G_GUINT64_FORMAT " %u %u %" G_GUINT64_FORMAT " %u %u", &ticks,
                  &cpu, &disk, &offset, &bytes, &by)
              == 6
          && by == tid)
        sum += bytes;
      else if (sscanf (lines[i], "issue %" G_GUINT64_FORMAT " %u %u", &ticks, &cpu, &by) == 3)
        n_issued += by == tid;
    }
  assert_true (n_issued >= N_WRITES);
  assert_true (sum + n_vanished (d, name) * WRITE_BYTES >= N_WRITES * WRITE_BYTES);
}

/* A file of its own: by a link it would be recorded as what the link leads to. */
static void
make_program (const Drive *d)
{
  g_autofree char *path = g_build_filename (d->root, PROGRAM, NULL), *bytes = NULL;
  gsize size;

  assert_true (g_file_get_contents ("/bin/true", &bytes, &size, NULL));
  assert_true (
      g_file_set_contents_full (path, bytes, (gssize)size, G_FILE_SET_CONTENTS_NONE, 0700, NULL));
}

static void
record (Drive *d, WprMode mode, const char *name)
{
  WprChoice *choice = drive_choice ("CPU", mode);
  Answer answer = { 0 };
  Worked worked;

  make_program (d);
  wpr_choice_add (choice, "DiskIO", NULL, -1);
  drive_start (d, choice, &answer);
  assert_good (&answer);
  worked = work (d->root);
  run_programs (d->root, PROGRAM, N_PROGRAMS, 1);
  drive_stop (d, name, NULL, &answer);
  assert_good (&answer);
  answer_clear (&answer);

  check_consistent (d, name);
  check_programs (d, name);
  check_switches (d, name, worked.tid);
  if (worked.has_disk)
    check_writes (d, name, worked.tid);
}

static void
a_known_workload_is_found_in_file_mode (void **state)
{
  Drive d;

  drive_init (&d);
  record (&d, WPR_MODE_FILE, "file.etl");
  drive_clear (&d);
}

static void
a_known_workload_is_found_in_memory_mode (void **state)
{
  Drive d;

  drive_init (&d);
  record (&d, WPR_MODE_MEMORY, "memory.etl");
  drive_clear (&d);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (a_known_workload_is_found_in_file_mode),
    cmocka_unit_test (a_known_workload_is_found_in_memory_mode),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
