/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What holds for every recording: each choice lasts to the next start of the window, and is in what
 * is saved or told afterwards, also when a recording ends without the window. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include "desktop.h"
#include "kit.h"

static void
open_preferences (Screen *screen)
{
  screen_start (screen, wprui, kit_lasting);
  screen_wait_state (screen, ATSPI_ROLE_PUSH_BUTTON, "Start", ATSPI_STATE_SENSITIVE, TRUE);
  screen_keys ("mousemove 200 500");
  screen_keys ("key ctrl+comma");
  g_object_unref (screen_wait (screen, ATSPI_ROLE_CHECK_BOX, "Compress saved files"));
}

static void
wait_on (Screen *screen, const char *title, gboolean on)
{
  screen_wait_state (screen, ATSPI_ROLE_CHECK_BOX, title, ATSPI_STATE_CHECKED, on);
}

/* Compressed, and without names of functions. */
static void
assert_as_wished (void)
{
  g_autofree char *file = the_saved_file ();
  g_autofree char *info = run_program (-1, wpr, "-info", file, "-json", NULL);
  if (strstr (info, "\"compressed\":true") == NULL)
    fail_msg ("it is not compressed: %s", info);
  assert_int_equal (json_number (info, "functions"), 0);
  assert_true (json_number (info, "events") > 0);
  g_unlink (file);
}

static void
how_files_are_saved_is_chosen_and_lasts (void **state)
{
  Screen *screen = *state;
  if (!may_record ())
    skip ();
  open_preferences (screen);
  wait_on (screen, "Compress saved files", FALSE);
  wait_on (screen, "Names of functions", TRUE);
  screen_press (screen, ATSPI_ROLE_CHECK_BOX, "Compress saved files");
  screen_press (screen, ATSPI_ROLE_CHECK_BOX, "Names of functions");
  wait_on (screen, "Compress saved files", TRUE);
  wait_on (screen, "Names of functions", FALSE);
  screen_sleep (500); /* they are written behind its back */
  screen_end (screen);

  open_preferences (screen);
  wait_on (screen, "Compress saved files", TRUE);
  wait_on (screen, "Names of functions", FALSE);
  screen_keys ("key Escape");
  screen_sleep (1500);
  kit_start_recording (screen);
  run_named_programs ("e2e-preferences", 5);
  kit_stop_and_save (screen);
  assert_as_wished ();
}

/* Functions are named unless that is switched off: else the test above would prove nothing. */
static void
functions_are_named_otherwise (void **state)
{
  Screen *screen = *state;
  if (!may_record ())
    skip ();
  screen_start (screen, wprui, NULL);
  kit_start_recording (screen);
  run_named_programs ("e2e-preferences", 5);
  screen_sleep (1000);
  kit_stop_and_save (screen);
  g_autofree char *file = the_saved_file ();
  g_autofree char *info = run_program (-1, wpr, "-info", file, "-json", NULL);
  assert_true (json_number (info, "functions") > 0);
  assert_non_null (strstr (info, "\"compressed\":false"));
}

static void
a_recording_that_stops_by_itself_is_saved_the_same (void **state)
{
  Screen *screen = *state;
  if (!may_record ())
    skip ();
  kit_keep_settings ("stop-after-s=uint32 2\ncompress=true\nfunction-names=false");
  screen_start (screen, wprui, kit_lasting);
  screen_wait_state (screen, ATSPI_ROLE_PUSH_BUTTON, "Start", ATSPI_STATE_SENSITIVE, TRUE);
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Start"); /* on a busy machine nobody sees it run */
  g_free (kit_wait_verdict (screen));
  assert_as_wished ();
}

/* The window is gone, and the recorder is told to end. */
static void
a_recorder_that_is_alone_saves_the_same (void **state)
{
  Screen *screen = *state;
  if (!may_record ())
    skip ();
  kit_keep_settings ("compress=true\nfunction-names=false");
  screen_start (screen, wprui, kit_lasting);
  kit_start_recording (screen);
  screen_end (screen);
  g_autofree char *status = run_program (0, wpr, "-status", "-json", NULL);
  GPid recorder = (GPid)json_number (status, "pid");
  assert_true (recorder > 1);
  assert_int_equal (kill (recorder, SIGTERM), 0);
  for (guint i = 0; i < 300 && kill (recorder, 0) == 0; i++)
    screen_sleep (100);
  assert_as_wished ();
}

/* Hides the window while it records. */
static void
go_to_background (Screen *screen)
{
  screen_keys ("key ctrl+w");
  g_object_unref (screen_wait (screen, ATSPI_ROLE_LABEL, "A recording is running"));
  screen_keys ("key Tab");
  screen_keys ("key Return");
  screen_wait_window ("Performance Recorder", FALSE);
}

static void
nothing_is_told_where_that_is_switched_off (void **state)
{
  Screen *screen = *state;
  if (!may_record ())
    skip ();
  desktop_begin ();
  open_preferences (screen);
  wait_on (screen, "Notifications", TRUE);
  screen_press (screen, ATSPI_ROLE_CHECK_BOX, "Notifications");
  wait_on (screen, "Notifications", FALSE);
  screen_sleep (500);
  screen_end (screen);
  open_preferences (screen);
  wait_on (screen, "Notifications", FALSE);
  screen_keys ("key Escape");
  screen_sleep (1500);
  kit_start_recording (screen);
  go_to_background (screen);
  g_autofree char *file = g_build_filename (g_getenv ("WPR_SAVE_DIR"), "by wpr.etl", NULL);
  g_free (run_program (-1, wpr, "-stop", file, NULL));
  g_subprocess_wait (screen->process, NULL, NULL); /* nothing is left to tell */
  screen_sleep (500);
  assert_false (desktop_was_told (""));
}

static int
tear_down (void **state)
{
  desktop_end ();
  return kit_tear_down (state);
}

int
main (int argc, char **argv)
{
  if (!kit_begin (argc, argv, 2))
    return 2;
  const struct CMUnitTest tests[] = {
    kit_test (how_files_are_saved_is_chosen_and_lasts),
    kit_test (functions_are_named_otherwise),
    kit_test (a_recording_that_stops_by_itself_is_saved_the_same),
    kit_test (a_recorder_that_is_alone_saves_the_same),
    cmocka_unit_test_setup_teardown (nothing_is_told_where_that_is_switched_off, kit_set_up,
                                     tear_down),
  };
  return kit_run (tests);
}
