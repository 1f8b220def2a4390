/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where recordings are saved, chosen with GTK's own chooser: beside the profiles, in Preferences,
 * and once a folder took nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <glib/gstdio.h>
#include "hands.h"
#include "kit.h"

#define TITLE "Save Recordings In"
#define BUTTON "Choose Another Folder… Save in" /* its own name, and its row's */

static char *
make_folder (void)
{
  char *folder = g_build_filename (g_getenv ("E2E_PLACE"), "chosen", NULL);
  assert_int_equal (g_mkdir (folder, 0700), 0);
  return folder;
}

/* One recording is there, and is one; nothing is left. */
static void
assert_saved_in (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name = g_dir_read_name (dir);
  assert_non_null (name);
  assert_true (g_str_has_suffix (name, ".etl"));
  g_autofree char *file = g_build_filename (folder, name, NULL);
  assert_null (g_dir_read_name (dir));
  g_free (run_program (-1, wpr, "-info", file, NULL));
  assert_int_equal (g_unlink (file), 0);
  assert_int_equal (g_rmdir (folder), 0);
}

static void
record_into (Screen *screen, const char *folder)
{
  kit_start_recording (screen);
  run_named_programs ("e2e-folders", 5);
  kit_stop_and_save (screen);
  assert_saved_in (folder);
}

static void
a_folder_is_chosen_beside_the_profiles (void **state)
{
  Screen *screen = *state;
  if (!may_record ())
    skip ();
  g_autofree char *folder = make_folder ();
  screen_start (screen, wprui, NULL);
  screen_wait_state (screen, ATSPI_ROLE_PUSH_BUTTON, "Start", ATSPI_STATE_SENSITIVE, TRUE);
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, BUTTON);
  hands_choose_path (TITLE, folder);
  record_into (screen, folder);
}

static void
a_folder_is_chosen_in_preferences_and_lasts (void **state)
{
  Screen *screen = *state;
  if (!may_record ())
    skip ();
  g_autofree char *folder = make_folder ();
  screen_start (screen, wprui, kit_lasting);
  screen_wait_state (screen, ATSPI_ROLE_PUSH_BUTTON, "Start", ATSPI_STATE_SENSITIVE, TRUE);
  screen_keys ("mousemove 200 500");
  screen_keys ("key ctrl+comma");
  g_object_unref (screen_wait (screen, ATSPI_ROLE_CHECK_BOX, "Compress saved files"));
  hands_tab_to (screen, ATSPI_ROLE_PUSH_BUTTON, BUTTON);
  screen_keys ("key space");
  hands_choose_path (TITLE, folder);
  kit_wait_text (screen, folder);
  screen_sleep (500); /* it is written behind its back */
  screen_end (screen);
  /* an administrator's WPR_SAVE_DIR, here the tests', would come first */
  screen_start_with (screen, (const char *[]){ "env", "-u", "WPR_SAVE_DIR", wprui, NULL },
                     kit_lasting);
  record_into (screen, folder);
}

/* Begun elsewhere, too: what stopped it is said, and where the file is. */
static void
a_disk_too_full_to_go_on_ends_in_a_file (void **state)
{
  Screen *screen = *state;
  if (!may_record () || geteuid () != 0)
    skip ();
  g_autofree char *place = kit_mount_scarce (KIT_ROOMY_BYTES);
  if (place == NULL)
    skip ();
  g_free (run_program (0, wpr, "-start", "CPU", "-filemode", "-recordtempto", place, NULL));
  screen_start (screen, wprui, NULL);
  g_object_unref (screen_wait_described (screen, "Events so far"));
  kit_make_scarce (place, KIT_FULL_BYTES);
  run_named_programs ("e2e-folders", 300);
  g_autofree char *words = kit_wait_verdict (screen);
  assert_true (g_str_has_prefix (words, "Saved"));
  kit_wait_text (screen, "The disk is too full to go on recording, so the recording was stopped.");
  g_autofree char *file = the_saved_file ();
  assert_non_null (file);
  kit_unmount_folder (place);
}

static void
what_one_folder_did_not_take_another_takes (void **state)
{
  Screen *screen = *state;
  g_autofree char *place = kit_record_into_mounted (screen, "size=128k", 0);
  g_autofree char *folder = make_folder ();
  run_named_programs ("e2e-folders", 50);
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Stop and Save");
  g_autofree char *words = kit_wait_verdict (screen);
  assert_string_equal (words, "Not saved");
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Save in Another Folder…");
  hands_choose_path (TITLE, folder);
  screen_wait_gone (screen, ATSPI_ROLE_PUSH_BUTTON, "Save in Another Folder…");
  kit_wait_saved (screen);
  assert_saved_in (folder);
}

int
main (int argc, char **argv)
{
  if (!kit_begin (argc, argv, 2))
    return 2;
  const struct CMUnitTest tests[] = {
    kit_test (a_folder_is_chosen_beside_the_profiles),
    kit_test (a_folder_is_chosen_in_preferences_and_lasts),
    kit_test (a_disk_too_full_to_go_on_ends_in_a_file),
    kit_test (what_one_folder_did_not_take_another_takes),
  };
  return kit_run (tests);
}
