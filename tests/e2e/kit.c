/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Beginning and end of the window's tests, and the steps most of them take. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include "kit.h"

#define STEP_MS 100
#define PATIENCE_US (90 * G_USEC_PER_SEC) /* a machine at work with other things */
#define SAVING 800                        /* steps: everything of a busy machine can be in it */

const char *wprui, *wpr;
static GPid held; /* a recorder that does not get the processor */
static char *mounted;

gboolean
kit_begin (int argc, char **argv, int n_least)
{
  if (argc <= n_least)
    return FALSE;
  /* kept until the end of the program, as argv itself is */
  for (int i = 1; i <= n_least; i++)
    {
      g_autofree char *path = g_canonicalize_filename (argv[i], NULL);
      if (*argv[i] != '\0')
        argv[i] = (char *)g_intern_string (path);
    }
  wprui = argv[1];
  wpr = argv[2];
  g_setenv ("WPR_RECORDER", wpr, TRUE);
  atspi_init ();
  return TRUE;
}

const char *const kit_lasting[] = { "GSETTINGS_BACKEND=keyfile", NULL };

static char *
settings_file (void)
{
  return g_build_filename (g_getenv ("XDG_CONFIG_HOME"), "glib-2.0", "settings", "keyfile", NULL);
}

void
kit_keep_settings (const char *lines)
{
  g_autofree char *file = settings_file ();
  g_autofree char *folder = g_path_get_dirname (file);
  g_autofree char *text = g_strconcat ("[io/github/performance_recorder/Wpr]\n", lines, "\n", NULL);
  assert_int_equal (g_mkdir_with_parents (folder, 0700), 0);
  assert_true (g_file_set_contents (file, text, -1, NULL));
}

int
kit_set_up (void **state)
{
  clean_places (wpr);
  *state = g_new0 (Screen, 1);
  return 0;
}

int
kit_tear_down (void **state)
{
  kit_let_go ();
  screen_end (*state);
  g_free (*state);
  g_autofree char *file = settings_file ();
  g_unlink (file);
  clean_places (wpr);
  if (mounted != NULL)
    kit_unmount_folder (mounted);
  return 0;
}

void
kit_wait_text (Screen *screen, const char *begin)
{
  for (gint64 end = g_get_monotonic_time () + PATIENCE_US; g_get_monotonic_time () < end;)
    {
      g_autofree char *text = screen_find_text (screen, ATSPI_ROLE_LABEL, begin);
      if (text != NULL)
        return;
      screen_sleep (STEP_MS);
    }
  screen_dump (screen);
  fail_msg ("nothing says “%s”", begin);
}

void
kit_start_recording (Screen *screen)
{
  screen_wait_state (screen, ATSPI_ROLE_PUSH_BUTTON, "Start", ATSPI_STATE_SENSITIVE, TRUE);
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Start");
  g_object_unref (screen_wait_described (screen, "Events so far"));
}

char *
kit_wait_verdict (Screen *screen)
{
  AtspiAccessible *verdict = NULL;
  for (guint i = 0; i < SAVING && verdict == NULL; i++)
    {
      screen_sleep (STEP_MS);
      verdict = screen_find_described (screen, "How it ended");
    }
  if (verdict == NULL)
    {
      screen_dump (screen);
      fail_msg ("it was not saved");
    }
  char *words = screen_text (verdict);
  g_object_unref (verdict);
  return words;
}

void
kit_wait_saved (Screen *screen)
{
  g_autofree char *words = kit_wait_verdict (screen);
  if (g_str_has_prefix (words, "Saved"))
    return;
  screen_dump (screen);
  fail_msg ("it was not saved: %s", words);
}

void
kit_stop_and_save (Screen *screen)
{
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Stop and Save");
  g_free (kit_wait_verdict (screen));
}

void
kit_finish_now (Screen *screen)
{
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Finish Now");
  screen_wait_gone (screen, ATSPI_ROLE_PUSH_BUTTON, "Finish Now");
  kit_wait_saved (screen);
}

void
kit_go_to_background (Screen *screen)
{
  screen_keys ("key ctrl+w");
  g_object_unref (screen_wait (screen, ATSPI_ROLE_LABEL, "A recording is running"));
  screen_keys ("key Tab");
  screen_keys ("key Return");
  screen_wait_window ("Performance Recorder", FALSE);
}

GPid
kit_find_recorder (void)
{
  g_autofree char *status = run_program (0, wpr, "-status", "-json", NULL);
  GPid pid = (GPid)json_number (status, "pid");
  assert_true (pid > 1);
  return pid;
}

GPid
kit_hold_recorder (void)
{
  GPid recorder = kit_find_recorder ();
  assert_int_equal (kill (recorder, SIGSTOP), 0);
  held = recorder;
  return recorder;
}

void
kit_let_go (void)
{
  if (held > 1)
    kill (held, SIGCONT);
  held = 0;
}

char *
kit_mount_folder (const char *options, unsigned long flags)
{
  char *place = g_build_filename (g_getenv ("E2E_PLACE"), "disk", NULL);
  g_mkdir (place, 0700);
  if (mount ("wpr-e2e", place, "tmpfs", flags, options) != 0)
    {
      print_message ("mount: %s\n", g_strerror (errno));
      g_rmdir (place);
      g_free (place);
      return NULL;
    }
  mounted = g_strdup (place);
  return place;
}

void
kit_unmount_folder (const char *place)
{
  umount2 (place, MNT_DETACH);
  g_rmdir (place);
  g_clear_pointer (&mounted, g_free);
}

char *
kit_record_into_mounted (Screen *screen, const char *options, unsigned long flags)
{
  if (!may_record () || geteuid () != 0)
    skip ();
  char *place = kit_mount_folder (options, flags);
  if (place == NULL)
    skip ();
  g_autofree char *save_in = g_strconcat ("WPR_SAVE_DIR=", place, NULL);
  screen_start (screen, wprui, (const char *[]){ save_in, NULL });
  kit_start_recording (screen);
  return place;
}

#define DISK "size=512m"
#define WORK 200 /* times */

static guint64
get_free (const char *place, guint64 *reserved)
{
  struct statvfs disk;
  assert_int_equal (statvfs (place, &disk), 0);
  *reserved = disk.f_blocks / 20 * disk.f_frsize;
  return disk.f_bfree * disk.f_frsize;
}

void
kit_make_scarce (const char *place, guint64 bytes)
{
  g_autofree char *filler = g_build_filename (place, "filler", NULL);
  int fd = g_open (filler, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  struct statvfs disk;
  struct stat before;
  assert_true (fd >= 0);
  assert_int_equal (fstat (fd, &before) + statvfs (place, &disk), 0);
  off_t room = (off_t)((disk.f_blocks - disk.f_blocks / 20) * disk.f_frsize);
  assert_int_equal (posix_fallocate (fd, before.st_size, room - (off_t)bytes - before.st_size), 0);
  close (fd);
}

char *
kit_mount_scarce (guint64 bytes)
{
  char *place = kit_mount_folder (DISK, 0);
  if (place != NULL)
    kit_make_scarce (place, bytes);
  return place;
}

void
kit_fill_scarce (const char *place)
{
  guint64 reserved, before, now = get_free (place, &reserved);
  guint64 half = (now - reserved) / 2 + reserved;
  for (guint i = 0; i < WORK && now > half; i++)
    {
      before = now;
      run_named_programs ("e2e-filler", 30);
      now = get_free (place, &reserved);
      if (now > before)
        return; /* it has begun to make room */
    }
}
