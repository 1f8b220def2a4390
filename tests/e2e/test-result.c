/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Saving, what came of it, and what happens while nobody looks: the real window, real recordings,
 * folders that refuse, fill up or go away. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>
#include "desktop.h"
#include "kit.h"

static void
begin (Screen *screen)
{
  screen_start (screen, wprui, NULL);
  kit_start_recording (screen);
}

/* Stops and saves; the recorder does not get the processor until it is let go, so that the page of
 * saving stays. */
static GPid
stop_slowly (Screen *screen)
{
  GPid recorder = kit_hold_recorder ();
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Stop and Save");
  g_object_unref (screen_wait (screen, ATSPI_ROLE_PUSH_BUTTON, "Finish Later"));
  return recorder;
}

/* Until the text with that description begins so. */
static void
wait_detail (Screen *screen, const char *begin)
{
  g_autofree char *text = NULL;
  for (guint i = 0; i < 200; i++)
    {
      g_autoptr (AtspiAccessible) detail = screen_wait_described (screen, "What was recorded");
      g_free (text);
      text = screen_text (detail);
      if (strstr (text, begin) != NULL)
        return;
      screen_sleep (100);
    }
  fail_msg ("the page says “%s”, not “%s”", text, begin);
}

/* The switch, pressed while the file is being written, begins the writing again; the choice lasts
 * (a new window has it), and what was typed is in the file. */
static void
compressing_begins_again (void **state)
{
  Screen *screen = *state;
  if (!may_record ())
    skip ();
  begin (screen);
  run_named_programs ("e2e-result", 50);
  stop_slowly (screen);
  g_object_unref (
      screen_wait (screen, ATSPI_ROLE_LABEL, "About a fifth of the size, a little slower to open"));
  screen_press (screen, ATSPI_ROLE_CHECK_BOX, "Compress");
  screen_sleep (300);
  kit_let_go ();
  kit_wait_saved (screen);
  g_autofree char *file = the_saved_file ();
  g_autofree char *info = run_program (0, wpr, "-info", file, "-json", NULL);
  assert_non_null (strstr (info, "\"compressed\":true"));
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Edit Note");
  g_object_unref (screen_wait (screen, ATSPI_ROLE_LABEL, "What was wrong?"));
  screen_keys ("type 'the menu opens late'");
  screen_keys ("key Tab"); /* Cancel */
  screen_keys ("key Tab"); /* Save Note */
  screen_keys ("key Return");
  g_autofree char *noted = NULL;
  for (guint i = 0; i < 100; i++)
    {
      g_free (noted);
      noted = run_program (0, wpr, "-info", file, "-json", NULL);
      if (strstr (noted, "the menu opens late") != NULL)
        break;
      screen_sleep (100);
    }
  assert_non_null (strstr (noted, "the menu opens late"));
  g_object_unref (screen_wait (screen, ATSPI_ROLE_LABEL, "the menu opens late"));
}

static void
finishing_later_is_finished_from_the_page (void **state)
{
  Screen *screen = *state;
  if (!may_record ())
    skip ();
  begin (screen);
  run_named_programs ("e2e-result", 50);
  stop_slowly (screen);
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Finish Later");
  screen_sleep (300);
  kit_let_go ();
  g_autofree char *words = kit_wait_verdict (screen);
  assert_string_equal (words, "Kept, not finished");
  kit_finish_now (screen);
  g_autofree char *file = the_saved_file ();
  g_free (run_program (0, wpr, "-info", file, NULL));
}

/* ---- files ---- */

static char *
record_a_file (void)
{
  char *file = g_build_filename (g_getenv ("WPR_SAVE_DIR"), "by wpr.etl", NULL);
  g_free (run_program (0, wpr, "-start", "CPU", NULL));
  run_named_programs ("e2e-result", 20);
  g_free (run_program (0, wpr, "-stop", file, "the fan runs", NULL));
  return file;
}

static void
a_file_is_shown (void **state)
{
  Screen *screen = *state;
  if (!may_record ())
    skip ();
  g_autofree char *file = record_a_file ();
  g_autofree char *info = run_program (0, wpr, "-info", file, "-json", NULL);
  screen_start_with (screen, (const char *[]){ wprui, file, NULL }, NULL);
  g_autofree char *words = kit_wait_verdict (screen);
  assert_string_equal (words, "A complete recording");
  g_object_unref (screen_wait (screen, ATSPI_ROLE_LABEL, "by wpr.etl"));
  g_object_unref (screen_wait (screen, ATSPI_ROLE_LABEL, "the fan runs"));
  wait_detail (screen, " events, none lost");
  /* the second program hands its file to the first window */
  g_autofree char *broken = g_build_filename (g_getenv ("WPR_SAVE_DIR"), "broken.etl", NULL);
  assert_true (g_file_set_contents (broken, "this is no recording\n", -1, NULL));
  g_free (run_program (0, wprui, broken, NULL));
  for (guint i = 0; i < 100; i++)
    {
      g_free (words);
      words = kit_wait_verdict (screen);
      if (g_str_equal (words, "Cannot be read"))
        break;
      screen_sleep (100);
    }
  assert_string_equal (words, "Cannot be read");
}

/* A file whose writer died, or that a copy cut: it says so, and in what way. */
static void
a_cut_file_is_called_damaged (void **state)
{
  Screen *screen = *state;
  if (!may_record ())
    skip ();
  g_autofree char *file = record_a_file ();
  struct stat st;
  assert_int_equal (g_stat (file, &st), 0);
  assert_int_equal (truncate (file, st.st_size * 2 / 3), 0);
  screen_start_with (screen, (const char *[]){ wprui, file, NULL },
                     (const char *[]){ "LANGUAGE=zh_CN", NULL });
  g_autoptr (AtspiAccessible) verdict = screen_wait (screen, ATSPI_ROLE_LABEL, "已损坏的录制");
  assert_non_null (verdict);
}

/* ---- while nobody looks ---- */

static void
the_background_is_watched_and_comes_back (void **state)
{
  Screen *screen = *state;
  if (!may_record ())
    skip ();
  begin (screen);
  kit_go_to_background (screen);
  g_autofree char *status = run_program (0, wpr, "-status", "-json", NULL);
  assert_non_null (strstr (status, "\"recording\""));
  assert_non_null (g_subprocess_get_identifier (screen->process));
  g_free (run_program (0, wprui, NULL)); /* the second start brings the first back */
  screen_wait_window ("Performance Recorder", TRUE);
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Stop and Save");
  kit_wait_saved (screen);
}

/* ---- a desktop that takes notifications ---- */

/* What it is told while the window is hidden; a press on it brings the window back. */
static void
the_desktop_is_told (void **state)
{
  Screen *screen = *state;
  if (!may_record ())
    skip ();
  desktop_begin ();
  begin (screen);
  kit_go_to_background (screen);
  desktop_wait_told ("The recording goes on: ");
  desktop_press_first ();
  screen_wait_window ("Performance Recorder", TRUE);
  kit_go_to_background (screen);
  g_autofree char *file = g_build_filename (g_getenv ("WPR_SAVE_DIR"), "by wpr.etl", NULL);
  g_free (run_program (-1, wpr, "-stop", file, NULL));
  desktop_wait_told ("The recording was saved elsewhere.");
  desktop_end ();
}

/* With nothing left to tell the program does not stay. */
static void
the_background_ends_with_the_recording (void **state)
{
  Screen *screen = *state;
  if (!may_record ())
    skip ();
  begin (screen);
  kit_go_to_background (screen);
  g_free (run_program (0, wpr, "-cancel", NULL));
  g_subprocess_wait (screen->process, NULL, NULL);
  assert_true (g_subprocess_get_successful (screen->process));
  g_clear_object (&screen->process);
}

/* Closed while the file is written: it is written, then the program ends. */
static void
closing_while_saving_finishes_the_file (void **state)
{
  Screen *screen = *state;
  if (!may_record ())
    skip ();
  begin (screen);
  screen_keys_at_once ("key ctrl+r key ctrl+w");
  g_subprocess_wait (screen->process, NULL, NULL);
  assert_true (g_subprocess_get_successful (screen->process));
  g_clear_object (&screen->process);
  g_autofree char *file = the_saved_file ();
  g_free (run_program (0, wpr, "-info", file, NULL));
}

/* ---- bad days ---- */

static void
a_folder_that_cannot_be_written_stops_nothing (void **state)
{
  Screen *screen = *state;
  g_autofree char *place = kit_record_into_mounted (screen, "size=1m", MS_RDONLY);
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Stop and Save");
  g_object_unref (screen_wait (screen, ATSPI_ROLE_LABEL, "Not stopped"));
  g_autofree char *status = run_program (0, wpr, "-status", "-json", NULL);
  assert_non_null (strstr (status, "\"recording\""));
  /* it can be written now: the same press does it */
  assert_int_equal (mount ("wpr-e2e", place, "tmpfs", MS_REMOUNT, "size=512m"), 0);
  screen_keys ("key Escape");
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Stop and Save");
  kit_wait_saved (screen);
}

static void
a_full_disk_keeps_the_recording (void **state)
{
  Screen *screen = *state;
  g_autofree char *place = kit_record_into_mounted (screen, "size=128k", 0);
  run_named_programs ("e2e-result", 50);
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Stop and Save");
  g_autofree char *words = kit_wait_verdict (screen);
  assert_string_equal (words, "Not saved");
  g_object_unref (screen_wait (screen, ATSPI_ROLE_PUSH_BUTTON, "Save in Another Folder…"));
  /* somebody made room */
  assert_int_equal (mount ("wpr-e2e", place, "tmpfs", MS_REMOUNT, "size=512m"), 0);
  kit_finish_now (screen);
}

/* Unmounted while it is being written: what was written there is found by nobody. */
static void
a_folder_that_goes_away_keeps_the_recording (void **state)
{
  Screen *screen = *state;
  g_autofree char *place = kit_record_into_mounted (screen, "size=512m", 0);
  run_named_programs ("e2e-result", 50);
  stop_slowly (screen);
  screen_sleep (300);
  assert_int_equal (umount2 (place, MNT_DETACH), 0);
  kit_let_go ();
  g_autofree char *words = kit_wait_verdict (screen);
  assert_string_equal (words, "Not saved");
  kit_finish_now (screen);
  g_autoptr (GDir) dir = g_dir_open (place, 0, NULL);
  const char *name = g_dir_read_name (dir);
  assert_non_null (name);
  g_autofree char *file = g_build_filename (place, name, NULL);
  g_free (run_program (0, wpr, "-info", file, NULL));
  g_unlink (file);
  g_rmdir (place);
}

/* The recorder is killed while it writes: what it had recorded is finished from the page. */
static void
a_recorder_that_dies_while_saving_leaves_its_data (void **state)
{
  Screen *screen = *state;
  if (!may_record ())
    skip ();
  g_free (run_program (0, wpr, "-start", "CPU", "-filemode", NULL));
  screen_start (screen, wprui, NULL);
  g_object_unref (screen_wait_described (screen, "Events so far"));
  run_named_programs ("e2e-result", 100);
  GPid recorder = stop_slowly (screen);
  kit_let_go ();
  g_usleep (20000); /* in the midst of it, on most machines; before it, on others */
  kill (recorder, SIGKILL);
  g_autofree char *words = kit_wait_verdict (screen);
  if (g_str_has_prefix (words, "Saved"))
    skip (); /* it was faster than the kill */
  assert_string_equal (words, "Not saved");
  kit_finish_now (screen);
}

int
main (int argc, char **argv)
{
  if (!kit_begin (argc, argv, 2))
    return 2;
  const struct CMUnitTest tests[] = {
    kit_test (compressing_begins_again),
    kit_test (finishing_later_is_finished_from_the_page),
    kit_test (a_file_is_shown),
    kit_test (a_cut_file_is_called_damaged),
    kit_test (the_background_is_watched_and_comes_back),
    kit_test (the_desktop_is_told),
    kit_test (the_background_ends_with_the_recording),
    kit_test (closing_while_saving_finishes_the_file),
    kit_test (a_folder_that_cannot_be_written_stops_nothing),
    kit_test (a_full_disk_keeps_the_recording),
    kit_test (a_folder_that_goes_away_keeps_the_recording),
    kit_test (a_recorder_that_dies_while_saving_leaves_its_data),
  };
  return kit_run (tests);
}
