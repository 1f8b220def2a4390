/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The real window, the real recorder, the real kernel: what a person does from the first look to
 * the saved file, and what becomes of a recording when the display dies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <glib/gstdio.h>
#include <glib-unix.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "kit.h"

#define N_PROGRAMS 200
#define PROGRAM "e2e-two-hundred"

static const char *walker, *guard;

/* Starts the window with the thread guard before the core; guard is "" under sanitizers, which must
 * be loaded first themselves. */
static void
start_guarded (Screen *screen)
{
  g_autofree char *file = g_strdup_printf ("WPR_THREAD_GUARD=%s/guard", g_getenv ("E2E_PLACE"));
  g_autofree char *preload = g_strdup_printf ("LD_PRELOAD=%s", guard);
  const char *environment[] = { file, *guard ? preload : NULL, NULL };
  screen_start (screen, wprui, environment);
}

static void
assert_guarded (void)
{
  if (*guard == '\0')
    return;
  g_autofree char *file = g_build_filename (g_getenv ("E2E_PLACE"), "guard", NULL);
  g_autofree char *calls = NULL;
  assert_true (g_file_get_contents (file, &calls, NULL, NULL));
  assert_non_null (strstr (calls, "wpr_plan_new\n"));
  assert_non_null (strstr (calls, "wpr_recorder_spawn\n"));
  assert_non_null (strstr (calls, "wpr_recorder_stop_async\n"));
}

static void
profiles_are_listed_and_found (void **state)
{
  Screen *screen = *state;
  screen_start (screen, wprui, NULL);
  g_object_unref (screen_wait (screen, ATSPI_ROLE_CHECK_BOX, "First level triage"));
  g_object_unref (screen_wait (screen, ATSPI_ROLE_CHECK_BOX, "CPU usage"));
  g_object_unref (screen_wait (screen, ATSPI_ROLE_CHECK_BOX, "Disk I/O activity"));
  screen_keys ("key ctrl+f");
  screen_keys ("type fan");
  screen_wait_gone (screen, ATSPI_ROLE_CHECK_BOX, "Disk I/O activity");
  g_object_unref (screen_wait (screen, ATSPI_ROLE_CHECK_BOX, "CPU usage"));
  g_object_unref (screen_wait (screen, ATSPI_ROLE_LABEL, "Also switched on: First level triage"));
}

static void
start_needs_a_choice (void **state)
{
  Screen *screen = *state;
  if (!may_record ())
    skip ();
  screen_start (screen, wprui, NULL);
  screen_wait_state (screen, ATSPI_ROLE_PUSH_BUTTON, "Start", ATSPI_STATE_SENSITIVE, TRUE);
  screen_press (screen, ATSPI_ROLE_CHECK_BOX, "First level triage");
  screen_wait_state (screen, ATSPI_ROLE_PUSH_BUTTON, "Start", ATSPI_STATE_SENSITIVE, FALSE);
  g_object_unref (screen_wait (screen, ATSPI_ROLE_LABEL, "Switch on at least one profile"));
  screen_press (screen, ATSPI_ROLE_CHECK_BOX, "CPU usage");
  screen_wait_state (screen, ATSPI_ROLE_PUSH_BUTTON, "Start", ATSPI_STATE_SENSITIVE, TRUE);
}

/* Until the number has grown since the last look. */
static void
wait_for_growth (Screen *screen, const char *description)
{
  guint64 before = screen_number (screen, description);
  for (guint i = 0; i < 100 && screen_number (screen, description) <= before; i++)
    screen_sleep (100);
  assert_true (screen_number (screen, description) > before);
}

/* Start to finished file: counters move, a mark, a file in between, 200 programs, and the figures
 * of the page are the file's. */
static void
a_recording_becomes_a_file (void **state)
{
  Screen *screen = *state;
  if (!may_record ())
    skip ();
  start_guarded (screen);
  screen_wait_state (screen, ATSPI_ROLE_PUSH_BUTTON, "Start", ATSPI_STATE_SENSITIVE, TRUE);
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Start");
  g_object_unref (screen_wait_described (screen, "Events so far"));
  run_named_programs (PROGRAM, N_PROGRAMS);
  wait_for_growth (screen, "Events so far");
  screen_wait_state (screen, ATSPI_ROLE_PUSH_BUTTON, "It Happened Now", ATSPI_STATE_SENSITIVE,
                     TRUE);
  screen_keys ("key ctrl+m");
  screen_keys ("type 'menu froze'");
  screen_keys ("key Return");
  screen_keys ("key shift+Tab"); /* from the mark's button back to the sentence */
  screen_keys ("type 'the menu opens late'");

  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Save Now, Keep Recording");
  g_autofree char *between = NULL;
  for (guint i = 0; i < 200 && between == NULL; i++)
    {
      screen_sleep (100);
      g_autoptr (GDir) dir = g_dir_open (g_getenv ("WPR_SAVE_DIR"), 0, NULL);
      const char *name = dir ? g_dir_read_name (dir) : NULL;
      between = name ? g_build_filename (g_getenv ("WPR_SAVE_DIR"), name, NULL) : NULL;
    }
  assert_non_null (between);
  wait_for_growth (screen, "Events so far");
  g_autofree char *half = run_program (0, wpr, "-info", between, "-json", NULL);
  assert_true (json_number (half, "events") > N_PROGRAMS);
  assert_int_equal (g_unlink (between), 0);

  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Stop and Save");
  kit_wait_saved (screen);

  g_autofree char *file = the_saved_file ();
  g_autofree char *info = run_program (0, wpr, "-info", file, "-json", NULL);
  assert_non_null (strstr (info, "the menu opens late"));
  g_autofree char *starts = run_program (0, walker, file, "starts", NULL);
  assert_int_equal (count_lines (starts, "start ", " " PROGRAM), N_PROGRAMS);
  assert_non_null (strstr (info, "\"Mark\""));
  g_autoptr (AtspiAccessible) detail = screen_wait_described (screen, "What was recorded");
  g_autofree char *sentence = screen_text (detail);
  g_autofree char *count = g_strdup_printf ("%" G_GUINT64_FORMAT, json_number (info, "events"));
  g_autofree char *digits = g_strdup (sentence);
  char *to = digits;
  for (const char *from = sentence; *from != '\0'; from++)
    if (*from != ',')
      *to++ = *from;
  *to = '\0';
  if (strstr (digits, count) == NULL)
    fail_msg ("the page says “%s”, the file %s events", sentence, count);
  assert_guarded ();
}

static void
a_recording_begun_by_wpr_shows_and_stops (void **state)
{
  Screen *screen = *state;
  if (!may_record ())
    skip ();
  screen_start (screen, wprui, NULL);
  g_object_unref (screen_wait (screen, ATSPI_ROLE_CHECK_BOX, "CPU usage"));
  g_free (run_program (0, wpr, "-start", "CPU", "-filemode", NULL));
  g_object_unref (screen_wait_described (screen, "Events so far"));
  g_object_unref (screen_wait (screen, ATSPI_ROLE_LABEL, "CPU usage. File, verbose."));
  wait_for_growth (screen, "Events so far");
  kit_stop_and_save (screen);
  g_autofree char *file = the_saved_file ();
  g_free (run_program (0, wpr, "-info", file, NULL));
}

static void
a_recording_stopped_by_wpr_leaves_the_page (void **state)
{
  Screen *screen = *state;
  if (!may_record ())
    skip ();
  g_autofree char *file = g_build_filename (g_getenv ("WPR_SAVE_DIR"), "by wpr.etl", NULL);
  g_free (run_program (0, wpr, "-start", "CPU", NULL));
  screen_start (screen, wprui, NULL);
  g_object_unref (screen_wait_described (screen, "Events so far"));
  g_free (run_program (-1, wpr, "-stop", file, NULL));
  g_object_unref (screen_wait (screen, ATSPI_ROLE_CHECK_BOX, "CPU usage"));
  assert_true (g_file_test (file, G_FILE_TEST_EXISTS));
}

static void
closing_asks_and_the_background_goes_on (void **state)
{
  Screen *screen = *state;
  if (!may_record ())
    skip ();
  screen_start (screen, wprui, NULL);
  screen_wait_state (screen, ATSPI_ROLE_PUSH_BUTTON, "Start", ATSPI_STATE_SENSITIVE, TRUE);
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Start");
  g_object_unref (screen_wait_described (screen, "Events so far"));
  screen_keys ("key ctrl+w");
  g_object_unref (screen_wait (screen, ATSPI_ROLE_LABEL, "A recording is running"));
  /* the dialog has each button twice, for two layouts: the keyboard reaches the one in use */
  screen_keys ("key Tab");
  screen_keys ("key Return");
  screen_wait_window ("Performance Recorder", FALSE);
  g_autofree char *status = run_program (0, wpr, "-status", "-json", NULL);
  assert_non_null (strstr (status, "\"recording\""));
}

static void
discarding_asks_first (void **state)
{
  Screen *screen = *state;
  if (!may_record ())
    skip ();
  screen_start (screen, wprui, NULL);
  screen_wait_state (screen, ATSPI_ROLE_PUSH_BUTTON, "Start", ATSPI_STATE_SENSITIVE, TRUE);
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Start");
  g_object_unref (screen_wait_described (screen, "Events so far"));
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Discard…");
  g_object_unref (screen_wait (screen, ATSPI_ROLE_LABEL, "Discard this recording?"));
  screen_keys ("key Escape");
  wait_for_growth (screen, "Events so far");
  g_free (run_program (0, wpr, "-cancel", NULL));
  g_object_unref (screen_wait (screen, ATSPI_ROLE_CHECK_BOX, "CPU usage"));
}

static void
a_recorder_that_dies_is_told (void **state)
{
  Screen *screen = *state;
  if (!may_record ())
    skip ();
  screen_start (screen, wprui, NULL);
  screen_wait_state (screen, ATSPI_ROLE_PUSH_BUTTON, "Start", ATSPI_STATE_SENSITIVE, TRUE);
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Start");
  g_object_unref (screen_wait_described (screen, "Events so far"));
  g_autofree char *status = run_program (0, wpr, "-status", "-json", NULL);
  assert_int_equal (kill ((pid_t)json_number (status, "pid"), SIGKILL), 0);
  g_autofree char *words = kit_wait_verdict (screen);
  assert_string_equal (words, "Not saved");
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Record Again");
  screen_wait_state (screen, ATSPI_ROLE_PUSH_BUTTON, "Start", ATSPI_STATE_SENSITIVE, TRUE);
}

/* GTK ends the program at once, without a handler, when its display dies. */
static void
a_dead_display_does_not_take_the_recording_along (void **state)
{
  Screen *screen = *state;
  if (!may_record ())
    skip ();
  int numbers[2];
  assert_true (g_unix_open_pipe (numbers, FD_CLOEXEC, NULL));
  g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (
      G_SUBPROCESS_FLAGS_STDERR_SILENCE | G_SUBPROCESS_FLAGS_STDOUT_SILENCE);
  g_subprocess_launcher_take_fd (launcher, numbers[1], 3);
  g_autoptr (GSubprocess) server
      = g_subprocess_launcher_spawn (launcher, NULL, "Xvfb", "-displayfd", "3", "-screen", "0",
                                     "1024x768x24", "-nolisten", "tcp", "-noreset", "-ac", NULL);
  assert_non_null (server);
  char number[16] = "";
  for (gsize n = 0; n < sizeof number - 1 && strchr (number, '\n') == NULL; n++)
    assert_int_equal (read (numbers[0], number + n, 1), 1);
  close (numbers[0]);
  g_autofree char *display = g_strdup_printf ("DISPLAY=:%d", atoi (number));
  screen_start (screen, wprui, (const char *[]){ display, NULL });
  screen_wait_state (screen, ATSPI_ROLE_PUSH_BUTTON, "Start", ATSPI_STATE_SENSITIVE, TRUE);
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Start");
  g_object_unref (screen_wait_described (screen, "Events so far"));
  run_named_programs (PROGRAM, 1);

  g_subprocess_force_exit (server);
  g_subprocess_wait (server, NULL, NULL);
  g_subprocess_wait (screen->process, NULL, NULL);
  g_clear_object (&screen->process);
  g_autofree char *status = run_program (0, wpr, "-status", "-json", NULL);
  assert_non_null (strstr (status, "\"recording\""));
  g_autofree char *file = g_build_filename (g_getenv ("WPR_SAVE_DIR"), "after.etl", NULL);
  g_free (run_program (0, wpr, "-stop", file, NULL));
  g_autofree char *starts = run_program (0, walker, file, "starts", NULL);
  assert_int_equal (count_lines (starts, "start ", " " PROGRAM), 1);
}

static void
it_starts_in_chinese (void **state)
{
  Screen *screen = *state;
  if (!may_record ())
    skip ();
  screen_start (screen, wprui, (const char *[]){ "LANGUAGE=zh_CN", NULL });
  screen_wait_state (screen, ATSPI_ROLE_PUSH_BUTTON, "开始", ATSPI_STATE_SENSITIVE, TRUE);
  g_object_unref (screen_wait (screen, ATSPI_ROLE_CHECK_BOX, "CPU 使用情况"));
  screen_keys ("key ctrl+f");
  screen_keys ("type 风扇");
  screen_wait_gone (screen, ATSPI_ROLE_CHECK_BOX, "磁盘 I/O 活动");
  g_free (run_program (0, wpr, "-start", "CPU", NULL)); /* speaks English */
  g_object_unref (screen_wait (screen, ATSPI_ROLE_LABEL, "CPU 使用情况。内存，详细。"));
}

int
main (int argc, char **argv)
{
  if (!kit_begin (argc, argv, 4))
    return 2;
  walker = argv[3];
  guard = argv[4];
  const struct CMUnitTest tests[] = {
    kit_test (profiles_are_listed_and_found),
    kit_test (start_needs_a_choice),
    kit_test (a_recording_becomes_a_file),
    kit_test (a_recording_begun_by_wpr_shows_and_stops),
    kit_test (a_recording_stopped_by_wpr_leaves_the_page),
    kit_test (closing_asks_and_the_background_goes_on),
    kit_test (discarding_asks_first),
    kit_test (a_recorder_that_dies_is_told),
    kit_test (a_dead_display_does_not_take_the_recording_along),
    kit_test (it_starts_in_chinese),
  };
  return kit_run (tests);
}
