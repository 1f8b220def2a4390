/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Choosing in the real window: from a symptom to its profiles, what they would cost, what a profile
 * adds to others, what lasts, stopping by itself, settings saved as a profile; narrow; by keyboard.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <glib/gstdio.h>
#include <string.h>
#include "kit.h"
#include "profile-file.h"

static void
start (Screen *screen, const char *const *environment)
{
  screen_start (screen, wprui, environment);
  g_object_unref (screen_wait (screen, ATSPI_ROLE_CHECK_BOX, "First level triage"));
  /* without a window manager the keyboard goes where the pointer is */
  screen_keys ("mousemove 200 500");
}

static void
wait_on (Screen *screen, const char *title, gboolean on)
{
  screen_wait_state (screen, ATSPI_ROLE_CHECK_BOX, title, ATSPI_STATE_CHECKED, on);
}

/* A label that begins so, within twenty seconds; its whole text. Free with g_free. */
static char *
wait_begin (Screen *screen, const char *begin)
{
  for (gint64 end = g_get_monotonic_time () + 20 * G_USEC_PER_SEC; g_get_monotonic_time () < end;)
    {
      g_autofree char *text = screen_find_text (screen, ATSPI_ROLE_LABEL, begin);
      if (text != NULL)
        return g_steal_pointer (&text);
      screen_sleep (100);
    }
  screen_dump (screen);
  fail_msg ("nothing begins with “%s”", begin);
  return NULL;
}

static void
a_symptom_chooses_its_profiles_and_can_be_undone (void **state)
{
  Screen *screen = *state;
  start (screen, NULL);
  wait_on (screen, "First level triage", TRUE);
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Disk");
  /* libadwaita announces it twice */
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Undo Undo");
  wait_on (screen, "First level triage", TRUE);
  wait_on (screen, "Disk I/O activity", FALSE);
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Memory");
  g_free (wait_begin (screen, "Switched on: Memory usage, Resident set analysis"));
  wait_on (screen, "Memory usage", TRUE);
  wait_on (screen, "Resident set analysis", TRUE);
  wait_on (screen, "First level triage", FALSE);
}

static void
the_forecast_follows_the_choice (void **state)
{
  Screen *screen = *state;
  if (!may_record ())
    skip ();
  start (screen, NULL);
  g_free (wait_begin (screen, "Will keep about the last "));
  screen_press (screen, ATSPI_ROLE_CHECK_BOX, "System calls");
  g_free (wait_begin (screen, "How far back is not known yet"));
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "File");
  g_free (wait_begin (screen, "How fast it grows is not known yet"));
  screen_press (screen, ATSPI_ROLE_CHECK_BOX, "System calls");
  g_free (wait_begin (screen, "Will write about "));
  g_free (wait_begin (screen, "Keeps everything from start to stop. Grows by about "));
}

static void
details_say_what_a_profile_adds (void **state)
{
  Screen *screen = *state;
  start (screen, NULL);
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "What It Records: CPU usage");
  g_free (wait_begin (screen, "To First level triage it adds "));
  g_object_unref (screen_wait (screen, ATSPI_ROLE_LABEL, "sched:sched_migrate_task"));
  g_free (
      wait_begin (screen, "Keyword CSwitch, with call stacks. Asked for by CPU usage and First"));
}

/* The triage records the one event of it already, with its stack. */
static void
a_profile_that_adds_nothing_says_so (void **state)
{
  Screen *screen = *state;
  if (!may_record ())
    skip ();
  g_autofree char *good = write_profile ("good.wprp", "256", "Exec");
  screen_start_with (screen, (const char *[]){ wprui, good, NULL }, NULL);
  g_object_unref (screen_wait (screen, ATSPI_ROLE_CHECK_BOX, "Programs that begin"));
  g_free (wait_begin (screen, "included"));
  screen_press (screen, ATSPI_ROLE_CHECK_BOX, "First level triage");
  screen_wait_gone (screen, ATSPI_ROLE_LABEL, "included");
  assert_int_equal (g_unlink (good), 0);
}

static void
a_profile_of_which_nothing_can_be_had_does_not_start (void **state)
{
  Screen *screen = *state;
  g_autofree char *strange
      = write_provider_profile ("strange.wprp", "Elsewhere", "Contoso-Elsewhere-Only");
  screen_start_with (screen, (const char *[]){ wprui, strange, NULL }, NULL);
  g_object_unref (screen_wait (screen, ATSPI_ROLE_CHECK_BOX, "Elsewhere"));
  if (may_record ()) /* without rights nothing is known of what could be had */
    g_free (wait_begin (screen, "not available"));
  screen_press (screen, ATSPI_ROLE_CHECK_BOX, "Elsewhere");
  screen_press (screen, ATSPI_ROLE_CHECK_BOX, "First level triage");
  screen_wait_state (screen, ATSPI_ROLE_PUSH_BUTTON, "Start", ATSPI_STATE_SENSITIVE, FALSE);
  if (may_record ())
    g_free (wait_begin (screen, "Nothing of this can be recorded here"));
  assert_int_equal (g_unlink (strange), 0);
}

static void
the_choice_lasts_to_the_next_start (void **state)
{
  Screen *screen = *state;
  start (screen, kit_lasting);
  screen_press (screen, ATSPI_ROLE_CHECK_BOX, "Power usage");
  screen_press (screen, ATSPI_ROLE_CHECK_BOX, "First level triage");
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "File");
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Light");
  wait_on (screen, "Power usage", TRUE);
  screen_sleep (1000);
  screen_end (screen);
  start (screen, kit_lasting);
  wait_on (screen, "Power usage", TRUE);
  wait_on (screen, "First level triage", FALSE);
  screen_wait_state (screen, ATSPI_ROLE_PUSH_BUTTON, "File", ATSPI_STATE_PRESSED, TRUE);
  screen_wait_state (screen, ATSPI_ROLE_PUSH_BUTTON, "Light", ATSPI_STATE_PRESSED, TRUE);
}

/* What was kept last time: shorter than anything the list offers. */
static void
assert_result_is_the_file (Screen *screen)
{
  kit_wait_saved (screen);
  g_autofree char *file = the_saved_file ();
  g_autofree char *info = run_program (0, wpr, "-info", file, "-json", NULL);
  assert_true (json_number (info, "events") > 0);
  g_autofree char *name = g_path_get_basename (file);
  g_autofree char *shown = screen_find_text (screen, ATSPI_ROLE_LABEL, name);
  assert_non_null (shown);
}

static void
it_stops_by_itself_after_the_time (void **state)
{
  Screen *screen = *state;
  if (!may_record ())
    skip ();
  kit_keep_settings ("stop-after-s=uint32 2");
  start (screen, kit_lasting);
  screen_wait_state (screen, ATSPI_ROLE_PUSH_BUTTON, "Start", ATSPI_STATE_SENSITIVE, TRUE);
  g_free (wait_begin (screen, "After 2 s"));
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Start");
  assert_result_is_the_file (screen);
}

static void
it_stops_by_itself_at_the_size (void **state)
{
  Screen *screen = *state;
  if (!may_record ())
    skip ();
  /* the least a file may be: samples alone fill that in half a minute, programs in seconds */
  kit_keep_settings ("stop-at-mb=uint32 8\nmode='file'");
  start (screen, kit_lasting);
  screen_wait_state (screen, ATSPI_ROLE_PUSH_BUTTON, "Start", ATSPI_STATE_SENSITIVE, TRUE);
  g_free (wait_begin (screen, "At 8 MB"));
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Start");
  for (guint i = 0; i < 60; i++)
    {
      g_autoptr (AtspiAccessible) over = screen_find_described (screen, "How it ended");
      if (over != NULL)
        break;
      run_named_programs ("e2e-filler", 50);
    }
  assert_result_is_the_file (screen);
}

static void
settings_are_saved_as_a_profile_that_plans_the_same (void **state)
{
  Screen *screen = *state;
  g_autofree char *file = g_build_filename (g_getenv ("E2E_PLACE"), "kept.wprp", NULL);
  g_unlink (file);
  start (screen, NULL);
  screen_press (screen, ATSPI_ROLE_CHECK_BOX, "CPU usage");
  wait_on (screen, "CPU usage", TRUE);
  g_free (wait_begin (screen, "Will"));
  screen_choose (screen, "Main Menu", "Save These Settings as a Profile…");
  screen_wait_window ("Save These Settings as a Profile", TRUE);
  screen_keys ("key ctrl+a");
  g_autofree char *typing = g_strconcat ("type --delay 5 ", file, NULL);
  screen_keys (typing);
  screen_sleep (300);
  screen_keys ("key Return");
  screen_wait_window ("Save These Settings as a Profile", FALSE);
  for (guint i = 0; i < 200 && !g_file_test (file, G_FILE_TEST_EXISTS); i++)
    screen_sleep (100);
  g_free (run_program (0, wpr, "-validate", "-strict", file, NULL));
  g_autofree char *both = g_strconcat (file, "!GeneralProfile+", file, "!CPU", NULL);
  g_autofree char *theirs = run_program (0, wpr, "-profiledetails", both, "-json", NULL);
  g_autofree char *ours
      = run_program (0, wpr, "-profiledetails", "GeneralProfile+CPU", "-json", NULL);
  assert_int_equal (json_number (theirs, "kinds"), json_number (ours, "kinds"));
  assert_int_equal (json_number (theirs, "memory_bytes"), json_number (ours, "memory_bytes"));
  /* the file alone stands for all that was chosen */
  g_autofree char *whole = run_program (0, wpr, "-profiledetails", file, "-json", NULL);
  assert_int_equal (json_number (whole, "kinds"), json_number (ours, "kinds"));
  assert_int_equal (json_number (whole, "memory_bytes"), json_number (ours, "memory_bytes"));
  assert_non_null (strstr (whole, "GeneralProfile.Verbose.Memory"));
  assert_non_null (strstr (whole, "CPU.Verbose.Memory"));
  assert_int_equal (g_unlink (file), 0);
}

/* From the first key to a recording and a file, without a pointer: the pointer lies still where the
 * window is, since without a window manager the keyboard follows it. */
static void
the_keyboard_alone_chooses_and_records (void **state)
{
  Screen *screen = *state;
  if (!may_record ())
    skip ();
  start (screen, NULL);
  screen_keys ("key ctrl+f");
  screen_keys ("type fan");
  screen_wait_gone (screen, ATSPI_ROLE_CHECK_BOX, "Disk I/O activity");
  screen_keys ("key Tab"); /* the row of CPU usage */
  screen_keys ("key space");
  wait_on (screen, "CPU usage", TRUE);
  screen_keys ("key ctrl+f");
  screen_keys ("key ctrl+a");
  screen_keys ("key BackSpace");
  g_object_unref (screen_wait (screen, ATSPI_ROLE_CHECK_BOX, "Disk I/O activity"));
  screen_wait_state (screen, ATSPI_ROLE_PUSH_BUTTON, "Start", ATSPI_STATE_SENSITIVE, TRUE);
  screen_keys ("key ctrl+r");
  g_object_unref (screen_wait_described (screen, "Events so far"));
  screen_keys ("key ctrl+r");
  g_free (kit_wait_verdict (screen));
}

static void
preferences_hold_for_every_recording (void **state)
{
  Screen *screen = *state;
  start (screen, NULL);
  screen_keys ("key ctrl+comma");
  screen_wait_state (screen, ATSPI_ROLE_SPIN_BUTTON, "Samples a second on each CPU",
                     ATSPI_STATE_SENSITIVE, TRUE);
  screen_keys ("key Tab");
  screen_keys ("key ctrl+a");
  screen_keys ("type 500");
  screen_keys ("key Return");
  screen_sleep (1000);
  g_autofree char *set = run_program (0, wpr, "-profint", NULL);
  g_free (run_program (0, wpr, "-resetprofint", NULL));
  if (strstr (set, "20000") == NULL)
    fail_msg ("500 samples a second are not “%s”", set);
}

static void
narrow_options_are_one_press_away (void **state)
{
  Screen *screen = *state;
  start (screen, NULL);
  assert_null (screen_find (screen, ATSPI_ROLE_PUSH_BUTTON, "Recording Options"));
  screen_keys ("search --onlyvisible --class wprui windowsize --sync 370 720");
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Recording Options");
  screen_wait_state (screen, ATSPI_ROLE_PUSH_BUTTON, "File", ATSPI_STATE_SENSITIVE, TRUE);
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "File");
  screen_wait_state (screen, ATSPI_ROLE_PUSH_BUTTON, "File", ATSPI_STATE_PRESSED, TRUE);
}

int
main (int argc, char **argv)
{
  if (!kit_begin (argc, argv, 2))
    return 2;
  const struct CMUnitTest tests[] = {
    kit_test (a_symptom_chooses_its_profiles_and_can_be_undone),
    kit_test (the_forecast_follows_the_choice),
    kit_test (details_say_what_a_profile_adds),
    kit_test (a_profile_that_adds_nothing_says_so),
    kit_test (a_profile_of_which_nothing_can_be_had_does_not_start),
    kit_test (the_choice_lasts_to_the_next_start),
    kit_test (it_stops_by_itself_after_the_time),
    kit_test (it_stops_by_itself_at_the_size),
    kit_test (settings_are_saved_as_a_profile_that_plans_the_same),
    kit_test (the_keyboard_alone_chooses_and_records),
    kit_test (preferences_hold_for_every_recording),
    kit_test (narrow_options_are_one_press_away),
  };
  return kit_run (tests);
}
