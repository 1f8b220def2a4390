/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A back end that takes five seconds for every answer and every file: in each state the window
 * still answers and paints within one. What it has to wait for the processor, with all that runs
 * beside it, is not counted as its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "kit.h"
#include "lively.h"
#include "profile-file.h"

static const char *slow;
static char *slow_file;

static int
tear_down (void **state)
{
  g_unlink (slow_file);
  return kit_tear_down (state);
}

static void
set_slow (gboolean on)
{
  if (on)
    assert_true (g_file_set_contents (slow_file, "", 0, NULL));
  else
    g_unlink (slow_file);
}

static void
start_window (Screen *screen)
{
  g_autofree char *file = g_strdup_printf ("WPR_SLOW=%s", slow_file);
  g_autofree char *preload = g_strdup_printf ("LD_PRELOAD=%s", slow);
  const char *environment[] = { file, *slow ? preload : NULL, NULL };
  screen_start (screen, wprui, environment);
}

/* The measure itself: of a window that is stopped it tells so. */
static void
a_frozen_window_is_noticed (void **state)
{
  Screen *screen = *state;
  start_window (screen);
  g_object_unref (screen_wait (screen, ATSPI_ROLE_CHECK_BOX, "CPU usage"));
  /* g_subprocess_send_signal would have it sent later, by another thread */
  pid_t pid = (pid_t)g_ascii_strtoll (g_subprocess_get_identifier (screen->process), NULL, 10);
  int status;
  assert_int_equal (kill (pid, SIGSTOP), 0);
  assert_int_equal (waitpid (pid, &status, WUNTRACED), pid);
  assert_true (WIFSTOPPED (status));
  double answer = time_answer (screen);
  kill (pid, SIGCONT);
  assert_true (answer >= ANSWER_S);
}

static void
it_is_there_before_the_core_has_answered (void **state)
{
  Screen *screen = *state;
  if (*slow == '\0')
    skip ();
  set_slow (TRUE);
  start_window (screen);
  assert_lively (screen, "choosing, nothing loaded");
  assert_null (screen_find (screen, ATSPI_ROLE_CHECK_BOX, "CPU usage"));
  set_slow (FALSE);
  g_object_unref (screen_wait (screen, ATSPI_ROLE_CHECK_BOX, "CPU usage"));
  set_slow (TRUE);
  screen_press (screen, ATSPI_ROLE_CHECK_BOX, "CPU usage");
  assert_lively (screen, "choosing");
}

static void
it_answers_in_every_state_of_a_recording (void **state)
{
  Screen *screen = *state;
  if (*slow == '\0' || !may_record ())
    skip ();
  start_window (screen);
  screen_wait_state (screen, ATSPI_ROLE_PUSH_BUTTON, "Start", ATSPI_STATE_SENSITIVE, TRUE);
  set_slow (TRUE);
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Start");
  assert_lively (screen, "starting");
  assert_null (screen_find_described (screen, "Events so far"));
  set_slow (FALSE);
  g_object_unref (screen_wait_described (screen, "Events so far"));
  set_slow (TRUE);
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Save Now, Keep Recording");
  assert_lively (screen, "recording");
  set_slow (FALSE);
  screen_sleep (2000);
  set_slow (TRUE);
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Stop and Save");
  assert_lively (screen, "saving");
  assert_null (screen_find_described (screen, "How it ended"));
  set_slow (FALSE);
  g_free (kit_wait_verdict (screen));
  set_slow (TRUE);
  assert_lively (screen, "result");
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Record Again");
  assert_lively (screen, "choosing again");
}

/* Who waits for a start that does not come can go. */
static void
a_slow_start_can_be_left (void **state)
{
  Screen *screen = *state;
  if (*slow == '\0' || !may_record ())
    skip ();
  start_window (screen);
  screen_wait_state (screen, ATSPI_ROLE_PUSH_BUTTON, "Start", ATSPI_STATE_SENSITIVE, TRUE);
  set_slow (TRUE);
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Start");
  for (guint i = 0; i < 20; i++)
    {
      g_autoptr (AtspiAccessible) asked
          = screen_find (screen, ATSPI_ROLE_LABEL, "The recording has not begun yet");
      if (asked != NULL)
        break;
      screen_keys ("key ctrl+w");
      screen_sleep (500);
    }
  screen_keys ("key Tab"); /* Wait is first */
  screen_keys ("key Return");
  g_subprocess_wait (screen->process, NULL, NULL);
  assert_true (g_subprocess_get_successful (screen->process));
  g_clear_object (&screen->process);
}

static void
the_recordings_page_answers (void **state)
{
  Screen *screen = *state;
  if (*slow == '\0')
    skip ();
  for (guint i = 0; i < 3; i++)
    {
      g_autofree char *path = g_strdup_printf ("%s/%u.etl", g_getenv ("WPR_SAVE_DIR"), i);
      assert_true (g_file_set_contents (path, "nothing", -1, NULL));
    }
  start_window (screen);
  g_object_unref (screen_wait (screen, ATSPI_ROLE_CHECK_BOX, "CPU usage"));
  set_slow (TRUE);
  screen_keys ("key alt+2");
  assert_lively (screen, "recordings, being read");
  g_object_unref (screen_wait (screen, ATSPI_ROLE_LABEL, "Reading the Folder…"));
  set_slow (FALSE);
  g_object_unref (screen_wait (screen, ATSPI_ROLE_LABEL, "2"));
  set_slow (TRUE);
  screen_keys ("key alt+1");
  screen_keys ("key alt+2");
  assert_lively (screen, "recordings");
  screen_choose (screen, "Menu: 2", "Move to the Bin");
  assert_lively (screen, "recordings, one on its way to the bin");
}

static void
a_guide_answers (void **state)
{
  Screen *screen = *state;
  if (*slow == '\0' || !may_record ())
    skip ();
  g_autofree char *guide = write_titled_profile ("guide.wprp", "The slow one", "256", "Exec");
  start_window (screen);
  g_object_unref (screen_wait (screen, ATSPI_ROLE_CHECK_BOX, "CPU usage"));
  set_slow (TRUE);
  g_free (run_program (0, wprui, "--guide", guide, NULL));
  assert_lively (screen, "a guide, being read");
  set_slow (FALSE);
  screen_wait_state (screen, ATSPI_ROLE_PUSH_BUTTON, "Start", ATSPI_STATE_SENSITIVE, TRUE);
  set_slow (TRUE);
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Start");
  assert_lively (screen, "a guide, starting");
  set_slow (FALSE);
  screen_wait_state (screen, ATSPI_ROLE_PUSH_BUTTON, "Stop and Save", ATSPI_STATE_SENSITIVE, TRUE);
  set_slow (TRUE);
  assert_lively (screen, "a guide, recording");
  assert_int_equal (g_unlink (guide), 0);
}

static void
own_profiles_and_dialogs_answer (void **state)
{
  Screen *screen = *state;
  if (*slow == '\0')
    skip ();
  g_autofree char *good = write_profile ("good.wprp", "256", "Exec");
  g_autofree char *broken = write_titled_profile ("broken.wprp", "The torn one", "256K", "Exec");
  start_window (screen);
  g_object_unref (screen_wait (screen, ATSPI_ROLE_CHECK_BOX, "CPU usage"));
  set_slow (TRUE);
  g_free (run_program (0, wprui, good, broken, NULL));
  assert_lively (screen, "own profiles, being read");
  set_slow (FALSE);
  g_object_unref (screen_wait (screen, ATSPI_ROLE_CHECK_BOX, "Programs that begin"));
  g_object_unref (screen_wait (screen, ATSPI_ROLE_LABEL, "The torn one"));
  set_slow (TRUE);
  screen_press (screen, ATSPI_ROLE_CHECK_BOX, "Programs that begin");
  assert_lively (screen, "own profiles");
  screen_keys ("key ctrl+comma");
  assert_dialog_lively (screen, "preferences");
  assert_int_equal (g_unlink (good) + g_unlink (broken), 0);
}

int
main (int argc, char **argv)
{
  if (!kit_begin (argc, argv, 3))
    return 2;
  slow = argv[3];
  slow_file = g_build_filename (g_getenv ("E2E_PLACE"), "slow", NULL);
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown (a_frozen_window_is_noticed, kit_set_up, tear_down),
    cmocka_unit_test_setup_teardown (it_is_there_before_the_core_has_answered, kit_set_up,
                                     tear_down),
    cmocka_unit_test_setup_teardown (it_answers_in_every_state_of_a_recording, kit_set_up,
                                     tear_down),
    cmocka_unit_test_setup_teardown (a_slow_start_can_be_left, kit_set_up, tear_down),
    cmocka_unit_test_setup_teardown (the_recordings_page_answers, kit_set_up, tear_down),
    cmocka_unit_test_setup_teardown (a_guide_answers, kit_set_up, tear_down),
    cmocka_unit_test_setup_teardown (own_profiles_and_dialogs_answer, kit_set_up, tear_down),
  };
  int failed = kit_run (tests);
  g_free (slow_file);
  return failed;
}
