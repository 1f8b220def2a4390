/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A person's own .wprp files in the real window: a good one is recorded, a broken one shows what is
 * wrong and where, a vanished one says so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <glib/gstdio.h>
#include <string.h>
#include "kit.h"
#include "profile-file.h"

#define N_PROGRAMS 50
#define PROGRAM "e2e-custom"

static const char *drag_files;

static void
wait_label (Screen *screen, const char *text)
{
  g_object_unref (screen_wait (screen, ATSPI_ROLE_LABEL, text));
}

static void
a_good_file_is_recorded (void **state)
{
  Screen *screen = *state;
  g_autofree char *good = write_profile ("good.wprp", "256", "Exec");
  screen_start_with (screen, (const char *[]){ wprui, good, NULL }, NULL);
  g_object_unref (screen_wait (screen, ATSPI_ROLE_CHECK_BOX, "First level triage"));
  g_object_unref (screen_wait (screen, ATSPI_ROLE_CHECK_BOX, "Programs that begin"));
  wait_label (screen, "good.wprp");
  screen_press (screen, ATSPI_ROLE_CHECK_BOX, "First level triage");
  screen_wait_state (screen, ATSPI_ROLE_PUSH_BUTTON, "Start", ATSPI_STATE_SENSITIVE, FALSE);
  screen_press (screen, ATSPI_ROLE_CHECK_BOX, "Programs that begin");
  screen_wait_state (screen, ATSPI_ROLE_PUSH_BUTTON, "Start", ATSPI_STATE_SENSITIVE, TRUE);
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Start");
  g_object_unref (screen_wait_described (screen, "Events so far"));
  run_named_programs (PROGRAM, N_PROGRAMS);
  kit_stop_and_save (screen);
  g_autofree char *file = the_saved_file ();
  g_autofree char *info = run_program (0, wpr, "-info", file, "-json", NULL);
  assert_non_null (strstr (info, "\"profiles\":[\"Begins.Verbose.Memory\"]"));
  const char *counted = strstr (info, "\"name\":\"sched_process_exec\"");
  assert_non_null (counted);
  assert_true (json_number (counted, "count") >= N_PROGRAMS);
  assert_int_equal (g_unlink (good), 0);
}

static void
its_plan_is_shown (void **state)
{
  Screen *screen = *state;
  g_autofree char *good = write_profile ("good.wprp", "256", "Exec");
  screen_start_with (screen, (const char *[]){ wprui, good, NULL }, NULL);
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "What It Records: Programs that begin");
  wait_label (screen, "sched:sched_process_exec");
  assert_int_equal (g_unlink (good), 0);
}

static void
a_broken_file_shows_every_fault_and_its_place (void **state)
{
  Screen *screen = *state;
  g_autofree char *good = write_profile ("good.wprp", "256", "Exec");
  g_autofree char *broken = write_profile ("broken.wprp", "256K", "Exce");
  screen_start_with (screen, (const char *[]){ wprui, good, broken, NULL }, NULL);
  g_object_unref (screen_wait (screen, ATSPI_ROLE_CHECK_BOX, "Programs that begin"));
  wait_label (screen, "Programs that begin");
  wait_label (screen, "3 faults in broken.wprp. It can be used once they are corrected.");
  wait_label (screen, "BufferSize “256K” is not a whole number.");
  wait_label (screen, "Write 256. The unit is always KB.");
  wait_label (screen, "Line 5, column 19");
  wait_label (screen, "No EventProvider has the Id “Exce”.");
  wait_label (screen, "Line 14, column 30");
  assert_int_equal (g_unlink (good), 0);
  assert_int_equal (g_unlink (broken), 0);
}

static void
a_file_that_is_not_there_says_so (void **state)
{
  Screen *screen = *state;
  g_autofree char *gone = g_build_filename (g_getenv ("E2E_PLACE"), "gone.wprp", NULL);
  screen_start_with (screen, (const char *[]){ wprui, gone, NULL }, NULL);
  wait_label (screen, "gone.wprp");
  wait_label (screen, "The file is not there any more");
}

/* Somebody goes to an editor, for which another program's window stands, and comes back. */
static void
go_away_and_come_back (void)
{
  screen_keys ("search --sync --onlyvisible --name drag-files windowfocus --sync");
  screen_sleep (1500);
  screen_keys ("search --sync --onlyvisible --class wprui windowfocus --sync");
}

static void
a_file_that_is_corrected_meanwhile_is_read_again (void **state)
{
  Screen *screen = *state;
  g_autofree char *path = write_profile ("edited.wprp", "256K", "Exec");
  screen_start_with (screen, (const char *[]){ wprui, path, NULL }, NULL);
  wait_label (screen, "BufferSize “256K” is not a whole number.");
  g_autoptr (GSubprocess) editor
      = g_subprocess_new (G_SUBPROCESS_FLAGS_STDOUT_SILENCE, NULL, drag_files, path, NULL);
  assert_non_null (editor);
  g_free (write_profile ("edited.wprp", "512", "Exec"));
  go_away_and_come_back ();
  g_object_unref (screen_wait (screen, ATSPI_ROLE_CHECK_BOX, "Programs that begin"));
  assert_int_equal (g_unlink (path), 0);
  go_away_and_come_back ();
  wait_label (screen, "The file is not there any more");
  g_subprocess_force_exit (editor);
  g_subprocess_wait (editor, NULL, NULL);
}

/* Settings that outlive the window, in its private home. */
static const char *const lasting[] = { "GSETTINGS_BACKEND=keyfile", NULL };

static void
restart (Screen *screen)
{
  screen_end (screen);
  screen_start (screen, wprui, lasting);
}

static void
files_are_remembered_until_they_are_removed (void **state)
{
  Screen *screen = *state;
  g_autofree char *good = write_profile ("good.wprp", "256", "Exec");
  screen_start_with (screen, (const char *[]){ wprui, good, NULL }, lasting);
  screen_press (screen, ATSPI_ROLE_CHECK_BOX, "Programs that begin");
  screen_wait_state (screen, ATSPI_ROLE_CHECK_BOX, "Programs that begin", ATSPI_STATE_CHECKED,
                     TRUE);
  screen_sleep (500);
  restart (screen);
  screen_wait_state (screen, ATSPI_ROLE_CHECK_BOX, "Programs that begin", ATSPI_STATE_CHECKED,
                     TRUE);

  assert_int_equal (g_unlink (good), 0);
  restart (screen);
  wait_label (screen, "The file is not there any more");
  g_free (write_profile ("good.wprp", "256", "Exec"));
  screen_keys ("key ctrl+f"); /* a menu needs to be within the screen */
  screen_keys ("type good");
  screen_wait_gone (screen, ATSPI_ROLE_CHECK_BOX, "CPU usage");
  screen_choose (screen, "Menu of good.wprp", "Check Again");
  screen_wait_state (screen, ATSPI_ROLE_CHECK_BOX, "Programs that begin", ATSPI_STATE_CHECKED,
                     TRUE);

  screen_choose (screen, "Menu of good.wprp", "Remove");
  screen_wait_gone (screen, ATSPI_ROLE_CHECK_BOX, "Programs that begin");
  screen_sleep (500);
  restart (screen);
  wait_label (screen, "Add Profiles…");
  screen_sleep (500);
  assert_null (screen_find (screen, ATSPI_ROLE_CHECK_BOX, "Programs that begin"));
  assert_null (screen_find (screen, ATSPI_ROLE_LABEL, "good.wprp"));
  assert_int_equal (g_unlink (good), 0);
}

int
main (int argc, char **argv)
{
  if (!kit_begin (argc, argv, 3))
    return 2;
  drag_files = argv[3];
  const struct CMUnitTest tests[] = {
    kit_test (a_good_file_is_recorded),
    kit_test (its_plan_is_shown),
    kit_test (a_broken_file_shows_every_fault_and_its_place),
    kit_test (a_file_that_is_not_there_says_so),
    kit_test (a_file_that_is_corrected_meanwhile_is_read_again),
    kit_test (files_are_remembered_until_they_are_removed),
  };
  return kit_run (tests);
}
