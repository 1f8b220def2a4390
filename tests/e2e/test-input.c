/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bad input: profile files that are none, folders that refuse in the midst of it, ten thousand
 * recordings, a home that cannot be written. Each has words and a way on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>
#include "kit.h"
#include "lively.h"
#include "profile-file.h"

#define N_RECORDINGS 10000
#define HUGE_BYTES (100 * 1024 * 1024)

static const char *faults;
static char *eio_file;

static int
tear_down (void **state)
{
  g_unlink (eio_file);
  return kit_tear_down (state);
}

static char *
in_place (const char *name)
{
  return g_build_filename (g_getenv ("E2E_PLACE"), name, NULL);
}

static void
wait_ready (Screen *screen)
{
  g_object_unref (screen_wait (screen, ATSPI_ROLE_CHECK_BOX, "CPU usage"));
}

/* ---- profile files ---- */

/* Each is listed with what is wrong, and what can be recorded still can. */
static void
what_is_no_profile_is_listed_with_its_fault (void **state)
{
  Screen *screen = *state;
  g_autofree char *huge = in_place ("huge.wprp"), *pipe = in_place ("pipe.wprp");
  g_autofree char *folder = in_place ("folder.wprp"), *binary = in_place ("binary.wprp");
  g_autofree char *strange
      = write_titled_profile ("a\nb 文件 c.wprp", "The strange one", "256", "Exec");
  int fd = open (huge, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  assert_int_equal (ftruncate (fd, HUGE_BYTES), 0);
  close (fd);
  assert_int_equal (mkfifo (pipe, 0600), 0);
  assert_int_equal (g_mkdir (folder, 0700), 0);
  static const char program[] = "\x7f"
                                "ELF\0\1\2\3<WindowsPerformanceRecorder";
  assert_true (g_file_set_contents (binary, program, sizeof program - 1, NULL));
  screen_start_with (screen, (const char *[]){ wprui, huge, pipe, folder, binary, strange, NULL },
                     NULL);
  wait_ready (screen);
  g_object_unref (screen_wait (screen, ATSPI_ROLE_CHECK_BOX, "The strange one"));
  g_object_unref (screen_wait (screen, ATSPI_ROLE_LABEL, "huge.wprp"));
  g_object_unref (screen_wait (screen, ATSPI_ROLE_LABEL, "pipe.wprp"));
  g_object_unref (screen_wait (screen, ATSPI_ROLE_LABEL, "folder.wprp"));
  g_object_unref (screen_wait (screen, ATSPI_ROLE_LABEL, "binary.wprp"));
  g_object_unref (screen_wait (screen, ATSPI_ROLE_LABEL, "This is no profile file"));
  assert_lively (screen, "five files that are no profiles");
  g_rmdir (folder);
  assert_int_equal (g_unlink (huge) + g_unlink (pipe) + g_unlink (binary) + g_unlink (strange), 0);
}

/* It vanishes between its tick and Start: what was read is what is recorded. */
static void
a_profile_that_vanishes_is_recorded_as_it_was (void **state)
{
  Screen *screen = *state;
  if (!may_record ())
    skip ();
  g_autofree char *good = write_profile ("good.wprp", "256", "Exec");
  screen_start_with (screen, (const char *[]){ wprui, good, NULL }, NULL);
  wait_ready (screen);
  screen_press (screen, ATSPI_ROLE_CHECK_BOX, "First level triage");
  screen_press (screen, ATSPI_ROLE_CHECK_BOX, "Programs that begin");
  screen_wait_state (screen, ATSPI_ROLE_PUSH_BUTTON, "Start", ATSPI_STATE_SENSITIVE, TRUE);
  assert_int_equal (g_unlink (good), 0);
  kit_start_recording (screen);
  kit_stop_and_save (screen);
  g_autofree char *file = the_saved_file ();
  g_autofree char *info = run_program (0, wpr, "-info", file, "-json", NULL);
  assert_non_null (strstr (info, "Begins.Verbose.Memory"));
}

/* ---- the folder ---- */

static void
start_saving_into (Screen *screen, const char *folder)
{
  g_autofree char *where = g_strdup_printf ("WPR_SAVE_DIR=%s", folder);
  g_autofree char *eio = g_strdup_printf ("WPR_EIO=%s", eio_file);
  g_autofree char *preload = g_strdup_printf ("LD_PRELOAD=%s", faults);
  screen_start (screen, wprui, (const char *[]){ where, eio, *faults ? preload : NULL, NULL });
  kit_start_recording (screen);
}

/* The verdict; the raw recording is kept unless it was saved. */
static char *
stop_and_read_verdict (Screen *screen)
{
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Stop and Save");
  return kit_wait_verdict (screen);
}

static void
a_disk_that_breaks_while_saving_keeps_the_recording (void **state)
{
  Screen *screen = *state;
  if (*faults == '\0' || !may_record ())
    skip ();
  start_saving_into (screen, g_getenv ("WPR_SAVE_DIR"));
  run_named_programs ("e2e-input", 50);
  assert_true (g_file_set_contents (eio_file, "", 0, NULL));
  g_autofree char *verdict = stop_and_read_verdict (screen);
  assert_string_equal (verdict, "Not saved");
  g_object_unref (screen_wait (screen, ATSPI_ROLE_PUSH_BUTTON, "Save in Another Folder…"));
  g_unlink (eio_file);
  kit_finish_now (screen);
  g_autofree char *file = the_saved_file ();
  g_free (run_program (0, wpr, "-info", file, NULL));
}

static void
remove_with_files (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  for (const char *name = dir ? g_dir_read_name (dir) : NULL; name != NULL;
       name = g_dir_read_name (dir))
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      g_unlink (path);
    }
  g_rmdir (folder);
}

/* Removed while it records, and made anew to save into; its name is as people name folders. */
static void
a_folder_that_was_removed_is_made_again (void **state)
{
  Screen *screen = *state;
  if (!may_record ())
    skip ();
  g_autofree char *folder = in_place ("my 录制 files");
  assert_int_equal (g_mkdir (folder, 0700), 0);
  start_saving_into (screen, folder);
  run_named_programs ("e2e-input", 20);
  assert_int_equal (g_rmdir (folder), 0);
  g_autofree char *verdict = stop_and_read_verdict (screen);
  assert_true (g_str_has_prefix (verdict, "Saved"));
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  assert_non_null (dir);
  const char *name = g_dir_read_name (dir);
  assert_non_null (name);
  g_autofree char *file = g_build_filename (folder, name, NULL);
  g_free (run_program (0, wpr, "-info", file, NULL));
  screen_keys ("key alt+2");
  kit_wait_text (screen, "1 recording");
  screen_end (screen);
  remove_with_files (folder);
}

/* ---- ten thousand recordings ---- */

static guint64
read_rss_kb (Screen *screen)
{
  g_autofree char *path
      = g_strdup_printf ("/proc/%s/status", g_subprocess_get_identifier (screen->process));
  g_autofree char *text = NULL;
  assert_true (g_file_get_contents (path, &text, NULL, NULL));
  const char *line = strstr (text, "VmRSS:");
  return line != NULL ? g_ascii_strtoull (line + 6, NULL, 10) : 0;
}

/* One recording under many names. */
static void
make_recordings (void)
{
  const char *folder = g_getenv ("WPR_SAVE_DIR");
  g_autofree char *first = g_build_filename (folder, "needle in it.etl", NULL);
  g_free (run_program (0, wpr, "-start", "CPU.light", NULL));
  g_free (run_program (-1, wpr, "-stop", first, "the fan runs", NULL));
  for (guint i = 1; i < N_RECORDINGS; i++)
    {
      g_autofree char *path = g_strdup_printf ("%s/recording %05u.etl", folder, i);
      assert_int_equal (link (first, path), 0);
    }
}

static void
ten_thousand_recordings_hold_nothing_up (void **state)
{
  Screen *screen = *state;
  if (!may_record ())
    skip ();
  make_recordings ();
  screen_start (screen, wprui, NULL);
  wait_ready (screen);
  guint64 before_kb = read_rss_kb (screen);
  gint64 begin_us = g_get_monotonic_time ();
  screen_keys_at_once ("key alt+2");
  double longest = 0;
  for (guint i = 0; i < 100; i++) /* while the list comes */
    {
      longest = MAX (longest, time_answer (screen));
      g_usleep (20000);
    }
  print_message ("while the list came it answered within %.0f ms\n", longest * 1e3);
  assert_true (longest < ANSWER_S);
  g_object_unref (screen_wait (screen, ATSPI_ROLE_PUSH_BUTTON, "Show More"));
  kit_wait_text (screen, "10,000 recordings");
  print_message ("10 000 recordings are listed after %.1f s, in %" G_GUINT64_FORMAT " MB more\n",
                 (double)(g_get_monotonic_time () - begin_us) / G_USEC_PER_SEC,
                 (read_rss_kb (screen) - before_kb) / 1024);
  assert_lively (screen, "10 000 recordings");
  screen_keys ("key ctrl+f");
  screen_keys ("type needle");
  assert_lively (screen, "one of 10 000 is searched for");
  screen_wait_gone (screen, ATSPI_ROLE_PUSH_BUTTON, "Show More");
  g_object_unref (screen_wait (screen, ATSPI_ROLE_LABEL, "needle in it"));
  /* looking into all of them, for their notes, is no reason for Start to wait */
  screen_keys ("key alt+1");
  kit_start_recording (screen);
  kit_stop_and_save (screen);
}

/* ---- no home ---- */

static void
a_home_that_cannot_be_written_is_no_hindrance (void **state)
{
  Screen *screen = *state;
  if (!may_record () || geteuid () != 0)
    skip ();
  g_autofree char *home = in_place ("readonly");
  assert_int_equal (g_mkdir (home, 0700), 0);
  if (mount ("wpr-e2e", home, "tmpfs", MS_RDONLY, "size=64k") != 0)
    {
      print_message ("mount: %s\n", g_strerror (errno));
      g_rmdir (home);
      skip ();
    }
  g_autofree char *where = g_strdup_printf ("HOME=%s", home);
  g_autofree char *config = g_strdup_printf ("XDG_CONFIG_HOME=%s/.config", home);
  g_autofree char *cache = g_strdup_printf ("XDG_CACHE_HOME=%s/.cache", home);
  g_autofree char *data = g_strdup_printf ("XDG_DATA_HOME=%s/.local/share", home);
  screen_start (screen, wprui,
                (const char *[]){ where, config, cache, data, "GSETTINGS_BACKEND=keyfile",
                                  "XDG_RUNTIME_DIR=/nonexistent", NULL });
  wait_ready (screen);
  screen_press (screen, ATSPI_ROLE_CHECK_BOX, "CPU usage"); /* which cannot be remembered */
  kit_start_recording (screen);
  kit_stop_and_save (screen);
  screen_end (screen);
  umount2 (home, MNT_DETACH);
  g_rmdir (home);
}

#define TEST(test) cmocka_unit_test_setup_teardown (test, kit_set_up, tear_down)

int
main (int argc, char **argv)
{
  if (!kit_begin (argc, argv, 3))
    return 2;
  faults = argv[3];
  eio_file = in_place ("eio");
  const struct CMUnitTest tests[] = {
    TEST (what_is_no_profile_is_listed_with_its_fault),
    TEST (a_profile_that_vanishes_is_recorded_as_it_was),
    TEST (a_disk_that_breaks_while_saving_keeps_the_recording),
    TEST (a_folder_that_was_removed_is_made_again),
    TEST (ten_thousand_recordings_hold_nothing_up),
    TEST (a_home_that_cannot_be_written_is_no_hindrance),
  };
  int failed = kit_run (tests);
  g_free (eio_file);
  return failed;
}
