/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The window of somebody without rights, below with-system-bus: an administrator's rules, or an
 * administrator, let this user record the whole system, or do not. The first argument behind the
 * programs says which of them is there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "kit.h"
#include "profile-file.h"

#define LOCK "Needs an administrator’s permission"
/* "the whole system needs", or without any rights "needs" */
#define APPROVAL "Recording "
#define PATIENCE 300 /* tenths of a second */

static const char *how;

static gboolean
is_case (const char *name)
{
  return g_str_equal (how, name);
}

/* What the bar says, "" where there is none. Free with g_free. */
static char *
read_bar (Screen *screen)
{
  g_autoptr (AtspiAccessible) sentence
      = screen_find_described (screen, "Why not everything can be recorded");
  return sentence != NULL ? screen_text (sentence) : g_strdup ("");
}

static void
wait_bar (Screen *screen, const char *begin)
{
  g_autofree char *text = NULL;
  for (guint i = 0; i < PATIENCE; i++)
    {
      g_free (text);
      text = read_bar (screen);
      if (g_str_has_prefix (text, begin))
        return;
      screen_sleep (100);
    }
  fail_msg ("the bar says “%s”, not “%s”", text, begin);
}

static void
wait_locked (Screen *screen)
{
  wait_bar (screen, APPROVAL);
  g_object_unref (screen_wait (screen, ATSPI_ROLE_PUSH_BUTTON, "Unlock…"));
  g_object_unref (screen_wait (screen, ATSPI_ROLE_IMAGE, LOCK));
}

/* No bar, no locks, and the whole system is what Start is about. */
static void
wait_open (Screen *screen)
{
  screen_wait_state (screen, ATSPI_ROLE_PUSH_BUTTON, "Start", ATSPI_STATE_SENSITIVE, TRUE);
  screen_wait_gone (screen, ATSPI_ROLE_IMAGE, LOCK);
  screen_wait_gone (screen, ATSPI_ROLE_PUSH_BUTTON, "Unlock…");
  assert_null (screen_find_described (screen, "Why not everything can be recorded"));
}

/* The kernel's own events, of which nobody without rights has one, and other users' programs. */
static void
check_whole_system (void)
{
  g_autofree char *file = the_saved_file ();
  g_autofree char *info = run_program (0, wpr, "-info", file, "-json", NULL);
  guint64 events = json_number (info, "events");
  const char *at = strstr (info, "\"name\":\"CSwitch\"");
  if (at == NULL)
    fail_msg ("no switches in %s", info);
  assert_true (json_number (at, "count") > 100);
  print_message ("%" G_GUINT64_FORMAT " events, %" G_GUINT64_FORMAT " switches\n", events,
                 json_number (at, "count"));
}

static void
record_all (Screen *screen)
{
  kit_start_recording (screen);
  for (guint i = 0; i < 100 && screen_number (screen, "Events so far") < 2000; i++)
    screen_sleep (100);
  kit_stop_and_save (screen);
  check_whole_system ();
}

static void
record_own (Screen *screen)
{
  kit_start_recording (screen);
  kit_wait_text (screen, "First level triage. Memory, verbose. Only your programs are recorded.");
  for (guint i = 0; i < 100 && screen_number (screen, "Events so far") == 0; i++)
    screen_sleep (100);
  kit_stop_and_save (screen);
  g_autofree char *detail = screen_find_text (screen, ATSPI_ROLE_LABEL, "The last ");
  assert_non_null (detail);
  assert_true (g_str_has_suffix (detail, "Only your programs were recorded."));
  g_autofree char *file = the_saved_file ();
  g_autofree char *info = run_program (0, wpr, "-info", file, "-json", NULL);
  assert_true (json_number (info, "events") > 0);
}

/* samples: beside programs that begin, where they spend their time. */
static char *
write_guide (gboolean samples)
{
  g_autofree char *path = samples ? write_sampling_profile ("guide.wprp")
                                  : write_profile ("guide.wprp", "256", "Exec");
  g_autofree char *text = NULL;
  assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_autoptr (GString) guide = g_string_new (text);
  g_string_replace (guide, "Author=\"Helpdesk\"", "Tag=\"guide: Ada\"", 1);
  assert_true (g_file_set_contents (path, guide->str, (gssize)guide->len, NULL));
  return g_steal_pointer (&path);
}

static void
open_guide (Screen *screen, gboolean samples)
{
  g_autofree char *guide = write_guide (samples);
  screen_start_with (screen, (const char *[]){ wprui, "--guide", guide, NULL }, NULL);
  kit_wait_text (screen, "Ada asks you");
  kit_wait_text (screen, "Start asks for an administrator’s approval first.");
  screen_wait_state (screen, ATSPI_ROLE_PUSH_BUTTON, "Start", ATSPI_STATE_SENSITIVE, TRUE);
}

/* One button: it asks, once, and then it records. */
static void
a_guide_asks_before_it_records (void **state)
{
  Screen *screen = *state;
  open_guide (screen, FALSE);
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Start");
  kit_wait_text (screen, "Recording for");
  run_named_programs ("guided", 5);
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Stop and Save");
  kit_wait_text (screen, "Saved");
  g_autofree char *file = the_saved_file ();
  g_autofree char *dump = run_program (0, wpr, "-dump", file, NULL);
  assert_non_null (strstr (dump, "guided"));
}

static void
a_guide_that_was_not_approved_of_says_so (void **state)
{
  Screen *screen = *state;
  open_guide (screen, FALSE);
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Start");
  kit_wait_text (screen, "The question whether you may record this machine was dismissed.");
  screen_wait_state (screen, ATSPI_ROLE_PUSH_BUTTON, "Start", ATSPI_STATE_SENSITIVE, TRUE);
}

/* What needs no approval is offered then, and recorded. */
static void
a_guide_that_was_not_approved_of_records_own_programs (void **state)
{
  Screen *screen = *state;
  open_guide (screen, TRUE);
  assert_null (screen_find (screen, ATSPI_ROLE_PUSH_BUTTON, "Record Only My Programs"));
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Start");
  g_object_unref (screen_wait (screen, ATSPI_ROLE_PUSH_BUTTON, "Record Only My Programs"));
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Record Only My Programs");
  kit_wait_text (screen, "Recording for");
  run_named_programs ("guided", 5);
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Stop and Save");
  kit_wait_text (screen, "Saved");
  g_autofree char *file = the_saved_file ();
  g_autofree char *info = run_program (0, wpr, "-info", file, NULL);
  assert_non_null (strstr (info, "Only programs of"));
}

/* The rules let this user record: nothing is said, nobody is asked. */
static void
with_rights_there_is_no_bar (void **state)
{
  Screen *screen = *state;
  screen_start (screen, wprui, NULL);
  wait_open (screen);
  record_all (screen);
}

/* The button asks; the answer holds for one recording. */
static void
unlocked_it_records_the_whole_system (void **state)
{
  Screen *screen = *state;
  screen_start (screen, wprui, NULL);
  wait_locked (screen);
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Unlock…");
  wait_open (screen);
  record_all (screen);
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Record Again");
  wait_locked (screen);
}

/* The same with the key, and of a file: nobody is asked twice because it is no memory. */
static void
unlocked_by_key_it_records_into_a_file (void **state)
{
  Screen *screen = *state;
  kit_keep_settings ("mode='file'");
  screen_start (screen, wprui, kit_lasting);
  wait_locked (screen);
  screen_keys ("mousemove 300 300"); /* the keys go where it is */
  screen_keys ("key ctrl+u");
  wait_open (screen);
  record_all (screen);
}

/* Whoever lacks rights is not let in by Start either: it records what it shows, or nothing. */
static void
refused_in_words (void **state)
{
  static const struct
  {
    const char *how, *words;
  } ends[] = {
    { "cancel", "The question whether you may record this machine was dismissed." },
    { "silent", "Nobody answered the question whether you may record this machine." },
  };
  const char *words = NULL;
  for (guint i = 0; i < G_N_ELEMENTS (ends); i++)
    if (is_case (ends[i].how))
      words = ends[i].words;
  assert_non_null (words);
  Screen *screen = *state;
  screen_start (screen, wprui, NULL);
  wait_locked (screen);
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Unlock…");
  wait_bar (screen, words);
  /* the offer stands */
  g_object_unref (screen_wait (screen, ATSPI_ROLE_PUSH_BUTTON, "Unlock…"));
  g_object_unref (screen_wait (screen, ATSPI_ROLE_IMAGE, LOCK));
  wait_nobody_records (); /* that is, the one that asked is gone */
  /* and own programs are recorded without a question, as is said before, meanwhile and after it */
  g_autofree char *bar = read_bar (screen);
  if (strstr (bar, "Your own programs can be recorded") != NULL)
    {
      record_own (screen);
      screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Record Again");
      wait_locked (screen);
    }
  wait_nobody_records ();
}

static void
question_can_be_taken_back (void **state)
{
  Screen *screen = *state;
  screen_start (screen, wprui, NULL);
  wait_locked (screen);
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Unlock…");
  wait_bar (screen, "Waiting for an administrator’s approval…");
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Do Not Wait");
  wait_locked (screen);
}

/* The rules say no, or nobody can be asked: why, and no button. */
static void
without_anybody_to_ask_there_is_no_button (void **state)
{
  Screen *screen = *state;
  screen_start (screen, wprui, NULL);
  g_object_unref (screen_wait (screen, ATSPI_ROLE_CHECK_BOX, "CPU usage"));
  g_autoptr (AtspiAccessible) sentence
      = screen_wait_described (screen, "Why not everything can be recorded");
  g_autofree char *text = screen_text (sentence);
  assert_true (strlen (text) > 20);
  assert_null (screen_find (screen, ATSPI_ROLE_PUSH_BUTTON, "Unlock…"));
  assert_null (screen_find (screen, ATSPI_ROLE_IMAGE, LOCK));
}

/* Whom the rules let nothing sees nothing of root's recording, and records beside it. */
static void
roots_recording_is_not_for_everybody_to_see (void **state)
{
  Screen *screen = *state;
  screen_start (screen, wprui, NULL);
  g_object_unref (screen_wait (screen, ATSPI_ROLE_CHECK_BOX, "CPU usage"));
  screen_sleep (3000); /* it looks around each second */
  g_object_unref (screen_wait (screen, ATSPI_ROLE_CHECK_BOX, "CPU usage"));
  g_autofree char *origin = screen_find_text (screen, ATSPI_ROLE_LABEL, "Started with");
  assert_null (origin);
}

/* It shows, and says whose it is. */

static void
roots_recording_is_stopped_by_who_may (void **state)
{
  Screen *screen = *state;
  screen_start (screen, wprui, NULL);
  kit_wait_text (screen, "Started with wpr by root at ");
  kit_stop_and_save (screen);
  check_whole_system ();
}

/* The recording service ends while it records: the window says so, and keeps what there is. */
static void
withdrawn_rights_are_said (void **state)
{
  Screen *screen = *state;
  const char *sign = g_getenv ("E2E_WITHDRAW");
  assert_non_null (sign);
  screen_start (screen, wprui, NULL);
  wait_open (screen);
  kit_start_recording (screen);
  for (guint i = 0; i < PATIENCE && screen_number (screen, "Events so far") < 2000; i++)
    screen_sleep (100);
  assert_true (g_file_set_contents (sign, "", -1, NULL));
  kit_wait_text (screen, "The right to record this computer was withdrawn");
  /* it still records what needs no rights, takes marks, and saves */
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Close This Message");
  kit_stop_and_save (screen);
  check_whole_system ();
  g_autofree char *file = the_saved_file ();
  g_autofree char *info = run_program (0, wpr, "-info", file, NULL);
  assert_non_null (strstr (info, "The right to record this computer was withdrawn"));
}

static void
a_guide_says_it_too (void **state)
{
  Screen *screen = *state;
  g_autofree char *guide = write_guide (FALSE);
  screen_start_with (screen, (const char *[]){ wprui, "--guide", guide, NULL }, NULL);
  screen_wait_state (screen, ATSPI_ROLE_PUSH_BUTTON, "Start", ATSPI_STATE_SENSITIVE, TRUE);
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Start");
  kit_wait_text (screen, "Recording for");
  assert_true (g_file_set_contents (g_getenv ("E2E_WITHDRAW"), "", -1, NULL));
  g_autofree char *text = NULL;
  for (guint i = 0; i < PATIENCE && (text == NULL || strstr (text, "was withdrawn") == NULL); i++)
    {
      screen_sleep (100);
      g_free (text);
      text = screen_find_text (screen, ATSPI_ROLE_LABEL, "Recording for");
    }
  assert_non_null (text);
  assert_non_null (strstr (text, "The right to record this computer was withdrawn"));
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Stop and Save");
  kit_wait_text (screen, "Saved");
}

int
main (int argc, char **argv)
{
  if (!kit_begin (argc, argv, 2) || argc < 4)
    return 2;
  how = argv[3];
  if (may_record ())
    {
      print_message ("SKIPPED: this user may record the whole system without asking\n");
      return 77;
    }
  const struct
  {
    const char *how;
    struct CMUnitTest test;
  } all[] = {
    { "allow", kit_test (with_rights_there_is_no_bar) },
    { "password", kit_test (unlocked_it_records_the_whole_system) },
    { "password", kit_test (unlocked_by_key_it_records_into_a_file) },
    { "password", kit_test (a_guide_asks_before_it_records) },
    { "cancel", kit_test (refused_in_words) },
    { "cancel", kit_test (a_guide_that_was_not_approved_of_says_so) },
    { "cancel", kit_test (a_guide_that_was_not_approved_of_records_own_programs) },
    { "silent", kit_test (refused_in_words) },
    { "silent", kit_test (question_can_be_taken_back) },
    { "refuse", kit_test (without_anybody_to_ask_there_is_no_button) },
    { "roots-no", kit_test (roots_recording_is_not_for_everybody_to_see) },
    { "roots-yes", kit_test (roots_recording_is_stopped_by_who_may) },
    { "withdrawn", kit_test (withdrawn_rights_are_said) },
    { "withdrawn", kit_test (a_guide_says_it_too) },
    { "none", kit_test (without_anybody_to_ask_there_is_no_button) },
  };
  struct CMUnitTest tests[G_N_ELEMENTS (all)];
  gsize n = 0;
  for (gsize i = 0; i < G_N_ELEMENTS (all); i++)
    if (is_case (all[i].how))
      tests[n++] = all[i].test;
  if (is_case ("password") || is_case ("cancel") || is_case ("silent"))
    {
      g_autofree char *recorder
          = g_build_filename (g_getenv ("WPR_SOURCE_ROOT"), "tests/e2e/recorder-with-agent", NULL);
      g_setenv ("WPR_REAL_RECORDER", wpr, TRUE);
      g_setenv ("WPR_RECORDER", recorder, TRUE);
    }
  cmocka_set_test_filter (g_getenv ("E2E_ONLY"));
  return n > 0 ? _cmocka_run_group_tests ("unlock", tests, n, NULL, NULL) : 2;
}
