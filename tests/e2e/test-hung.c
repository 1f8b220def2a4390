/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A share that does not answer at all: a profile file on it, the folder of recordings on it, a
 * recording that is to be saved there, and the end of the program while a thread hangs in it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <glib/gstdio.h>
#include <string.h>
#include "kit.h"
#include "lively.h"
#include "profile-file.h"

/* The window waits twenty seconds for a share before it says so. */
#define SILENCE_S 60
#define QUIT_S 2.0
/* The program's own end, and what a busy machine adds. */
#define QUIT_SLACK_S 8.0

static const char *slow;
static char *slow_file, *share;

static int
tear_down (void **state)
{
  g_unlink (slow_file);
  return kit_tear_down (state);
}

static void
let_share_hang (gboolean on)
{
  if (on)
    assert_true (g_file_set_contents (slow_file, "share", -1, NULL));
  else
    g_unlink (slow_file);
}

/* where: what hangs, or NULL: the folder of recordings. further: "NAME=value", or NULL. */
static void
start_window (Screen *screen, const char *where, const char *further)
{
  g_autofree char *file = g_strdup_printf ("WPR_SLOW=%s", slow_file);
  g_autofree char *preload = g_strdup_printf ("LD_PRELOAD=%s", slow);
  g_autofree char *below
      = g_strdup_printf ("WPR_SHARE=%s", where ? where : g_getenv ("WPR_SAVE_DIR"));
  screen_start (screen, wprui, (const char *[]){ file, preload, below, further, NULL });
}

static void
wait_long (Screen *screen, const char *begin)
{
  for (guint i = 0; i < SILENCE_S * 10; i++)
    {
      g_autofree char *text = screen_find_text (screen, ATSPI_ROLE_LABEL, begin);
      if (text != NULL)
        return;
      screen_sleep (100);
    }
  screen_dump (screen);
  fail_msg ("nothing says “%s”", begin);
}

/* What lies on the share is said not to answer; everything else is there as ever, and it records.
 */
static void
a_profile_on_it_holds_nothing_up (void **state)
{
  Screen *screen = *state;
  if (*slow == '\0' || !may_record ())
    skip ();
  g_autofree char *far = write_titled_profile ("share/far.wprp", "The far one", "256", "Exec");
  g_autofree char *near = write_titled_profile ("near.wprp", "The near one", "256", "Exec");
  start_window (screen, share, NULL);
  g_object_unref (screen_wait (screen, ATSPI_ROLE_CHECK_BOX, "CPU usage"));
  let_share_hang (TRUE);
  g_free (run_program (0, wprui, far, near, NULL));
  kit_start_recording (screen); /* while it is waited for */
  kit_stop_and_save (screen);
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Record Again");
  wait_long (screen, "The file does not answer");
  g_object_unref (screen_wait (screen, ATSPI_ROLE_CHECK_BOX, "The near one"));
  assert_lively (screen, "a profile file hangs");
  /* it comes back by itself */
  let_share_hang (FALSE);
  g_object_unref (screen_wait (screen, ATSPI_ROLE_CHECK_BOX, "The far one"));
  screen_wait_gone (screen, ATSPI_ROLE_LABEL, "The file does not answer");
  assert_int_equal (g_unlink (far) + g_unlink (near), 0);
}

/* Nothing was stopped; the folder is named, and another one can be chosen. */
static void
saving_into_it_is_refused_and_goes_on_recording (void **state)
{
  Screen *screen = *state;
  if (*slow == '\0' || !may_record ())
    skip ();
  start_window (screen, NULL, NULL);
  kit_start_recording (screen);
  let_share_hang (TRUE);
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Stop and Save");
  assert_lively (screen, "saving into a folder that hangs");
  wait_long (screen, "Not stopped");
  g_autofree char *status = run_program (0, wpr, "-status", "-json", NULL);
  assert_non_null (strstr (status, "\"recording\""));
  /* libadwaita announces it twice */
  g_object_unref (screen_wait (screen, ATSPI_ROLE_PUSH_BUTTON,
                               "Choose Another Folder… Choose Another Folder…"));
  let_share_hang (FALSE);
  screen_keys ("key Escape");
  kit_stop_and_save (screen);
  g_autofree char *file = the_saved_file ();
  g_free (run_program (0, wpr, "-info", file, NULL));
}

static void
the_list_of_it_says_so_and_comes_later (void **state)
{
  Screen *screen = *state;
  if (*slow == '\0')
    skip ();
  g_autofree char *path = g_build_filename (g_getenv ("WPR_SAVE_DIR"), "late.etl", NULL);
  assert_true (g_file_set_contents (path, "nothing", -1, NULL));
  start_window (screen, NULL, NULL);
  g_object_unref (screen_wait (screen, ATSPI_ROLE_CHECK_BOX, "CPU usage"));
  let_share_hang (TRUE);
  screen_keys ("key alt+2");
  g_object_unref (screen_wait (screen, ATSPI_ROLE_LABEL, "Reading the Folder…"));
  wait_long (screen, "The folder cannot be read");
  g_object_unref (screen_wait (screen, ATSPI_ROLE_PUSH_BUTTON, "Choose Another Folder…"));
  assert_lively (screen, "the folder of recordings hangs");
  let_share_hang (FALSE);
  g_object_unref (screen_wait (screen, ATSPI_ROLE_LABEL, "late"));
}

/* A thread hangs in the list: the program ends all the same, and what was chosen lasts. */
static void
the_program_ends_all_the_same (void **state)
{
  Screen *screen = *state;
  if (*slow == '\0')
    skip ();
  static const char lasting[] = "GSETTINGS_BACKEND=keyfile";
  start_window (screen, NULL, lasting);
  g_object_unref (screen_wait (screen, ATSPI_ROLE_CHECK_BOX, "CPU usage"));
  screen_press (screen, ATSPI_ROLE_CHECK_BOX, "CPU usage");
  let_share_hang (TRUE);
  screen_keys ("key alt+2");
  g_object_unref (screen_wait (screen, ATSPI_ROLE_LABEL, "Reading the Folder…"));
  gint64 begin_us = g_get_monotonic_time ();
  screen_keys_at_once ("key ctrl+q");
  g_subprocess_wait (screen->process, NULL, NULL);
  double took = (double)(g_get_monotonic_time () - begin_us) / G_USEC_PER_SEC;
  print_message ("it ended after %.1f s\n", took);
  assert_true (g_subprocess_get_successful (screen->process));
  g_clear_object (&screen->process);
  assert_true (took < QUIT_S + QUIT_SLACK_S);
  let_share_hang (FALSE);
  start_window (screen, NULL, lasting);
  screen_wait_state (screen, ATSPI_ROLE_CHECK_BOX, "CPU usage", ATSPI_STATE_CHECKED, TRUE);
}

/* The session ends while it hangs in stopping: the recording goes on in its own process, and the
 * next window has it. */
static void
a_recording_goes_on_without_it (void **state)
{
  Screen *screen = *state;
  if (*slow == '\0' || !may_record ())
    skip ();
  start_window (screen, NULL, NULL);
  kit_start_recording (screen);
  let_share_hang (TRUE);
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Stop and Save");
  g_object_unref (screen_wait (screen, ATSPI_ROLE_PUSH_BUTTON, "Finish Later"));
  screen_end (screen);
  let_share_hang (FALSE);
  start_window (screen, NULL, NULL);
  g_object_unref (screen_wait_described (screen, "Events so far"));
  kit_stop_and_save (screen);
}

int
main (int argc, char **argv)
{
  if (!kit_begin (argc, argv, 3))
    return 2;
  slow = argv[3];
  slow_file = g_build_filename (g_getenv ("E2E_PLACE"), "slow", NULL);
  share = g_build_filename (g_getenv ("E2E_PLACE"), "share", NULL);
  g_mkdir (share, 0700);
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown (a_profile_on_it_holds_nothing_up, kit_set_up, tear_down),
    cmocka_unit_test_setup_teardown (saving_into_it_is_refused_and_goes_on_recording, kit_set_up,
                                     tear_down),
    cmocka_unit_test_setup_teardown (the_list_of_it_says_so_and_comes_later, kit_set_up, tear_down),
    cmocka_unit_test_setup_teardown (the_program_ends_all_the_same, kit_set_up, tear_down),
    cmocka_unit_test_setup_teardown (a_recording_goes_on_without_it, kit_set_up, tear_down),
  };
  int failed = kit_run (tests);
  g_free (slow_file);
  g_free (share);
  return failed;
}
