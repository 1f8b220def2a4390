/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bad days of a recording: two faces of it, a recorder that dies or does not answer, a display that
 * goes, a clock that jumps, a computer that slept, events faster than anything takes them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include "kit.h"
#include "lively.h"
#include "profile-file.h"

#define SILENCE_S 60 /* it says so after ten or twenty */

static const char *faults;
static char *clock_file, *slept_file;

static int
tear_down (void **state)
{
  g_unlink (clock_file);
  g_unlink (slept_file);
  return kit_tear_down (state);
}

/* Of a text of any widget that is a label. */
static void
wait_long (Screen *screen, const char *begin)
{
  for (guint i = 0; i < SILENCE_S * 4; i++)
    {
      g_autofree char *text = screen_find_text (screen, ATSPI_ROLE_LABEL, begin);
      if (text != NULL)
        return;
      screen_sleep (250);
    }
  screen_dump (screen);
  fail_msg ("nothing says “%s”", begin);
}

/* ---- two faces ---- */

/* wpr -stop and the window's button, both before the recorder has taken either. */
static void
both_press_stop (void **state)
{
  Screen *screen = *state;
  if (!may_record ())
    skip ();
  g_free (run_program (0, wpr, "-start", "CPU", NULL));
  screen_start (screen, wprui, NULL);
  g_object_unref (screen_wait_described (screen, "Events so far"));
  kit_hold_recorder ();
  g_autofree char *file = g_build_filename (g_getenv ("WPR_SAVE_DIR"), "by wpr.etl", NULL);
  g_autoptr (GSubprocess) other
      = g_subprocess_new (G_SUBPROCESS_FLAGS_STDOUT_SILENCE | G_SUBPROCESS_FLAGS_STDERR_SILENCE,
                          NULL, wpr, "-stop", file, NULL);
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Stop and Save");
  screen_sleep (500);
  kit_let_go ();
  g_subprocess_wait (other, NULL, NULL);
  /* one of them has it; the other is told, and nobody stays where nothing comes */
  g_autoptr (AtspiAccessible) end = NULL;
  gboolean again = FALSE;
  for (guint i = 0; i < 400 && end == NULL && !again; i++)
    {
      end = screen_find_described (screen, "How it ended");
      g_autoptr (AtspiAccessible) start = screen_find (screen, ATSPI_ROLE_PUSH_BUTTON, "Start");
      again = start != NULL;
      screen_sleep (100);
    }
  if (end == NULL && !again)
    {
      screen_dump (screen);
      fail_msg ("the window waits for what does not come");
    }
  g_autofree char *saved = the_saved_file ();
  g_free (run_program (0, wpr, "-info", saved, NULL));
}

static void
a_second_start_brings_the_file_to_the_first (void **state)
{
  Screen *screen = *state;
  g_autofree char *good
      = write_titled_profile ("two words 文件.wprp", "Handed over", "256", "Exec");
  screen_start (screen, wprui, NULL);
  g_object_unref (screen_wait (screen, ATSPI_ROLE_CHECK_BOX, "CPU usage"));
  g_free (run_program (0, wprui, good, NULL));
  g_object_unref (screen_wait (screen, ATSPI_ROLE_CHECK_BOX, "Handed over"));
  g_object_unref (screen_wait (screen, ATSPI_ROLE_LABEL, "two words 文件.wprp"));
  assert_int_equal (g_unlink (good), 0);
}

/* ---- the recorder ---- */

static void
a_recorder_that_is_killed_is_told (void **state)
{
  Screen *screen = *state;
  if (!may_record ())
    skip ();
  g_free (run_program (0, wpr, "-start", "CPU", "-filemode", NULL));
  screen_start (screen, wprui, NULL);
  g_object_unref (screen_wait_described (screen, "Events so far"));
  run_named_programs ("e2e-faces", 20);
  screen_sleep (1500);
  kill (kit_find_recorder (), SIGKILL);
  g_free (kit_wait_verdict (screen));
  kit_wait_text (screen, "The recorder ended");
  kit_finish_now (screen);
  g_autofree char *file = the_saved_file ();
  g_free (run_program (-1, wpr, "-info", file, NULL));
}

/* Who it is is said on both pages; it is waited for, and can be left; it comes back. */
static void
a_recorder_that_does_not_answer_is_named_and_left (void **state)
{
  Screen *screen = *state;
  if (!may_record ())
    skip ();
  screen_start (screen, wprui, NULL);
  kit_start_recording (screen);
  GPid recorder = kit_hold_recorder ();
  g_autofree char *words = g_strdup_printf ("The recorder (process %d) does not answer.", recorder);
  wait_long (screen, words);
  assert_lively (screen, "a recorder that is stopped");
  kit_let_go ();
  screen_wait_gone (screen, ATSPI_ROLE_LABEL, words);
  kit_hold_recorder ();
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Stop and Save");
  wait_long (screen, words);
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Finish Later");
  g_autofree char *verdict = kit_wait_verdict (screen);
  assert_string_equal (verdict, "Kept, not finished");
  assert_lively (screen, "left without an answer");
  kit_let_go ();
  /* it answers, ends, and what it keeps is finished from here */
  kit_finish_now (screen);
  g_autofree char *file = the_saved_file ();
  g_free (run_program (0, wpr, "-info", file, NULL));
}

/* Start, where one that does not answer has the name already. */
static void
starting_beside_one_says_who_it_is (void **state)
{
  Screen *screen = *state;
  if (!may_record ())
    skip ();
  g_free (run_program (0, wpr, "-start", "CPU", NULL));
  GPid recorder = kit_hold_recorder ();
  screen_start (screen, wprui, NULL);
  screen_wait_state (screen, ATSPI_ROLE_PUSH_BUTTON, "Start", ATSPI_STATE_SENSITIVE, TRUE);
  screen_press (screen, ATSPI_ROLE_CHECK_BOX, "CPU usage");
  screen_wait_state (screen, ATSPI_ROLE_CHECK_BOX, "CPU usage", ATSPI_STATE_CHECKED, TRUE);
  screen_wait_state (screen, ATSPI_ROLE_PUSH_BUTTON, "Start", ATSPI_STATE_SENSITIVE, TRUE);
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Start");
  g_object_unref (screen_wait (screen, ATSPI_ROLE_LABEL, "The recording did not start"));
  g_autofree char *words
      = g_strdup_printf ("The recorder of “WprApp” (process %d) does not answer.", recorder);
  kit_wait_text (screen, words);
  kit_let_go ();
  screen_keys ("key Escape");
  g_object_unref (screen_wait_described (screen, "Events so far")); /* it answers: here it is */
}

/* ---- the computer ---- */

static void
a_display_that_goes_leaves_the_recording (void **state)
{
  Screen *screen = *state;
  if (!may_record ())
    skip ();
  g_autoptr (GSubprocess) display = g_subprocess_new (
      G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_SILENCE, NULL, "Xvfb",
      "-displayfd", "1", "-screen", "0", "1280x900x24", "-nolisten", "tcp", "-ac", NULL);
  assert_non_null (display);
  g_autoptr (GDataInputStream) lines
      = g_data_input_stream_new (g_subprocess_get_stdout_pipe (display));
  g_autofree char *number = g_data_input_stream_read_line (lines, NULL, NULL, NULL);
  assert_non_null (number);
  g_autofree char *where = g_strdup_printf ("DISPLAY=:%s", number);
  screen_start (screen, wprui, (const char *[]){ where, NULL });
  kit_start_recording (screen);
  g_subprocess_force_exit (display);
  g_subprocess_wait (display, NULL, NULL);
  g_subprocess_wait (screen->process, NULL, NULL);
  screen_end (screen);
  screen_start (screen, wprui, NULL);
  g_object_unref (screen_wait_described (screen, "Events so far"));
  kit_stop_and_save (screen);
}

static void
write_seconds (const char *path, int seconds)
{
  g_autofree char *text = g_strdup_printf ("%d\n", seconds);
  assert_true (g_file_set_contents (path, text, -1, NULL));
}

static void
start_with_clocks (Screen *screen)
{
  g_autofree char *clock = g_strdup_printf ("WPR_CLOCK=%s", clock_file);
  g_autofree char *slept = g_strdup_printf ("WPR_SLEPT=%s", slept_file);
  g_autofree char *preload = g_strdup_printf ("LD_PRELOAD=%s", faults);
  screen_start (screen, wprui, (const char *[]){ clock, slept, preload, NULL });
  kit_start_recording (screen);
}

/* What the person sees goes on: time does not jump, nothing is lost, the file is whole. */
static void
a_clock_that_jumps_changes_nothing (void **state)
{
  Screen *screen = *state;
  if (*faults == '\0' || !may_record ())
    skip ();
  start_with_clocks (screen);
  write_seconds (clock_file, 3600);
  screen_sleep (1500);
  write_seconds (clock_file, -7200);
  screen_sleep (1500);
  guint64 before = screen_number (screen, "Events so far");
  run_named_programs ("e2e-faces", 20);
  guint64 after = before;
  for (guint i = 0; i < 100 && after <= before; i++)
    {
      screen_sleep (100);
      after = screen_number (screen, "Events so far");
    }
  assert_true (after > before);
  kit_stop_and_save (screen);
  g_autofree char *file = the_saved_file ();
  g_autofree char *info = run_program (0, wpr, "-info", file, "-json", NULL);
  const char *duration = strstr (info, "\"duration");
  assert_non_null (duration);
  screen_keys ("key alt+2");
  g_object_unref (screen_wait (screen, ATSPI_ROLE_LABEL, "Today"));
}

/* The recorder sees that the computer slept, and records on. */
static void
sleeping_does_not_end_it (void **state)
{
  Screen *screen = *state;
  if (*faults == '\0' || !may_record ())
    skip ();
  start_with_clocks (screen);
  screen_sleep (1500);
  write_seconds (slept_file, 600);
  write_seconds (clock_file, 600);
  screen_sleep (2500);
  guint64 before = screen_number (screen, "Events so far");
  run_named_programs ("e2e-faces", 20);
  screen_sleep (1500);
  assert_true (screen_number (screen, "Events so far") > before);
  kit_stop_and_save (screen);
  g_autofree char *file = the_saved_file ();
  g_free (run_program (0, wpr, "-info", file, NULL));
}

/* ---- more than anything takes ---- */

static gpointer
call_fast (gpointer data)
{
  while (!g_atomic_int_get ((gint *)data))
    getppid ();
  return NULL;
}

/* What the tile says of them. */
static guint64
read_lost (Screen *screen)
{
  g_autoptr (AtspiAccessible) tile = screen_wait (screen, ATSPI_ROLE_INVALID, "Lost events");
  g_autofree char *text = atspi_accessible_get_description (tile);
  guint64 number = 0;
  for (const char *at = text; g_ascii_isdigit (*at) || *at == ','; at++)
    if (*at != ',')
      number = number * 10 + (*at - '0');
  return number;
}

static void
lost_events_keep_it_lively_and_are_all_told (void **state)
{
  Screen *screen = *state;
  if (!may_record ())
    skip ();
  g_free (run_program (0, wpr, "-start", "SystemCall", "-filemode", "-buffersize", "4", "-buffers",
                       "2", NULL));
  screen_start (screen, wprui, NULL);
  g_object_unref (screen_wait_described (screen, "Events so far"));
  gint enough = FALSE;
  GThread *thread = g_thread_new ("fast", call_fast, &enough);
  for (guint i = 0; i < 20; i++)
    {
      g_autoptr (AtspiAccessible) cure
          = screen_find (screen, ATSPI_ROLE_PUSH_BUTTON, "Enlarge Buffers");
      if (cure != NULL)
        break;
      kit_hold_recorder ();
      screen_sleep (300);
      kit_let_go ();
      screen_sleep (1000);
    }
  assert_lively (screen, "a hundred thousand events a second");
  g_atomic_int_set (&enough, TRUE);
  g_thread_join (thread);
  g_object_unref (screen_wait (screen, ATSPI_ROLE_PUSH_BUTTON, "Enlarge Buffers"));
  guint64 shown = read_lost (screen);
  assert_true (shown > 0);
  kit_stop_and_save (screen);
  g_autofree char *file = the_saved_file ();
  g_autofree char *info = run_program (-1, wpr, "-info", file, "-json", NULL);
  print_message ("the window told of %" G_GUINT64_FORMAT " lost, the file of %" G_GUINT64_FORMAT
                 "\n",
                 shown, json_number (info, "events_lost"));
  assert_true (json_number (info, "events_lost") >= shown);
}

#define TEST(test) cmocka_unit_test_setup_teardown (test, kit_set_up, tear_down)

int
main (int argc, char **argv)
{
  if (!kit_begin (argc, argv, 3))
    return 2;
  faults = argv[3];
  clock_file = g_build_filename (g_getenv ("E2E_PLACE"), "clock", NULL);
  slept_file = g_build_filename (g_getenv ("E2E_PLACE"), "slept", NULL);
  const struct CMUnitTest tests[] = {
    TEST (both_press_stop),
    TEST (a_second_start_brings_the_file_to_the_first),
    TEST (a_recorder_that_is_killed_is_told),
    TEST (a_recorder_that_does_not_answer_is_named_and_left),
    TEST (starting_beside_one_says_who_it_is),
    TEST (a_display_that_goes_leaves_the_recording),
    TEST (a_clock_that_jumps_changes_nothing),
    TEST (sleeping_does_not_end_it),
    TEST (lost_events_keep_it_lively_and_are_all_told),
  };
  int failed = kit_run (tests);
  g_free (clock_file);
  g_free (slept_file);
  return failed;
}
