/* SPDX-License-Identifier: GPL-3.0-or-later */
/* wpr, the walker and a workload, as the window's tests use them. */
#include "wpr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define ENDING_US (90 * G_USEC_PER_SEC) /* a machine at work with other things */
#define NOTHING_RECORDS 3               /* what wpr -cancel then ends with */

gboolean
may_record (void)
{
  struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
                                  .size = sizeof attr,
                                  .config = PERF_COUNT_SW_CPU_CLOCK,
                                  .disabled = 1 };
  int fd = (int)syscall (SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
  if (fd < 0)
    {
      print_message ("perf_event_open: %s\n", g_strerror (errno));
      return FALSE;
    }
  close (fd);
  return TRUE;
}

char *
run_program (int status, const char *program, ...)
{
  g_autoptr (GPtrArray) argv = g_ptr_array_new ();
  va_list args;
  va_start (args, program);
  for (const char *word = program; word != NULL; word = va_arg (args, const char *))
    g_ptr_array_add (argv, (char *)word);
  va_end (args);
  g_ptr_array_add (argv, NULL);
  g_autoptr (GError) error = NULL;
  char *out = NULL;
  g_autofree char *err = NULL;
  int wait_status = 0;
  if (!g_spawn_sync (NULL, (char **)argv->pdata, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &out, &err,
                     &wait_status, &error))
    fail_msg ("%s: %s", program, error->message);
  int got = WIFEXITED (wait_status) ? WEXITSTATUS (wait_status) : -1;
  if (status >= 0 && got != status)
    fail_msg ("%s ended with %d, not %d: %s%s", program, got, status, out, err);
  return out;
}

void
run_named_programs (const char *name, guint n)
{
  g_autofree char *path = g_build_filename (g_getenv ("E2E_PLACE"), name, NULL);
  g_autofree char *content = NULL;
  gsize size = 0;
  assert_true (g_file_get_contents ("/bin/true", &content, &size, NULL));
  assert_true (g_file_set_contents (path, content, size, NULL));
  assert_int_equal (g_chmod (path, 0700), 0);
  for (guint i = 0; i < n; i++)
    g_free (run_program (0, path, NULL));
  g_unlink (path);
}

guint
count_lines (const char *text, const char *begin, const char *end)
{
  guint count = 0;
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (char **line = lines; *line != NULL; line++)
    count += g_str_has_prefix (*line, begin) && g_str_has_suffix (*line, end);
  return count;
}

guint64
json_number (const char *json, const char *key)
{
  g_autofree char *quoted = g_strdup_printf ("\"%s\":", key);
  const char *at = strstr (json, quoted);
  if (at == NULL)
    fail_msg ("no %s in %s", quoted, json);
  return g_ascii_strtoull (at + strlen (quoted), NULL, 10);
}

char *
the_saved_file (void)
{
  const char *folder = g_getenv ("WPR_SAVE_DIR");
  char *found = NULL;
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  assert_non_null (dir);
  for (const char *name = g_dir_read_name (dir); name != NULL; name = g_dir_read_name (dir))
    {
      if (!g_str_has_suffix (name, ".etl"))
        continue;
      if (found != NULL)
        fail_msg ("two files were saved: %s and %s", found, name);
      found = g_build_filename (folder, name, NULL);
    }
  if (found == NULL)
    fail_msg ("nothing was saved");
  return found;
}

/* Its name is taken until its last file is closed, longer than it answers. */
static gboolean
name_is_taken (void)
{
  g_autofree char *path = g_build_filename (g_getenv ("WPR_RUNTIME_DIR"), "WprApp.lock", NULL);
  int fd = open (path, O_RDWR | O_CLOEXEC);
  gboolean taken = fd >= 0 && flock (fd, LOCK_EX | LOCK_NB) != 0;
  if (fd >= 0)
    close (fd);
  return taken;
}

void
wait_nobody_records (void)
{
  for (gint64 end = g_get_monotonic_time () + ENDING_US; g_get_monotonic_time () < end;)
    {
      if (!name_is_taken ())
        return;
      g_usleep (G_USEC_PER_SEC / 10);
    }
  fail_msg ("a recorder is left");
}

/* One that saves cannot be told to, and is waited for. */
static void
end_recording (const char *wpr)
{
  for (gint64 end = g_get_monotonic_time () + ENDING_US; g_get_monotonic_time () < end;)
    {
      g_autoptr (GSubprocess) cancel
          = g_subprocess_new (G_SUBPROCESS_FLAGS_STDOUT_SILENCE | G_SUBPROCESS_FLAGS_STDERR_SILENCE,
                              NULL, wpr, "-cancel", NULL);
      if (cancel == NULL || !g_subprocess_wait (cancel, NULL, NULL)
          || !g_subprocess_get_if_exited (cancel)
          || (g_subprocess_get_exit_status (cancel) == NOTHING_RECORDS && !name_is_taken ()))
        return;
      g_usleep (G_USEC_PER_SEC / 10);
    }
}

void
clean_places (const char *wpr)
{
  end_recording (wpr);
  const char *folder = g_getenv ("WPR_SAVE_DIR");
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  for (const char *name = dir ? g_dir_read_name (dir) : NULL; name != NULL;
       name = g_dir_read_name (dir))
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      g_unlink (path);
    }
}
