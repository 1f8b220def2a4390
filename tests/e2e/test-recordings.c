/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recordings: what is in the folder, its seal and note; renamed, noted, deleted; a raw
 * recording that a killed recorder left is finished. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "kit.h"

static char *
make_path (const char *name)
{
  return g_build_filename (g_getenv ("WPR_SAVE_DIR"), name, NULL);
}

/* GTK 4.8 ends when its list of windows is asked for while a dialog is going (it has no path on the
 * bus any more, and is in the list still); nobody but a test asks a hundred times a second. */
static void
answer (const char *words)
{
  g_autofree char *type = g_strdup_printf ("type '%s'", words);
  screen_keys ("key ctrl+a");
  screen_keys (type);
  screen_keys ("key Return");
  screen_sleep (1500);
}

static void
record_one (const char *name, const char *note)
{
  g_autofree char *path = make_path (name);
  g_free (run_program (0, wpr, "-start", "CPU.light", NULL));
  screen_sleep (300);
  g_free (run_program (-1, wpr, "-stop", path, note, NULL));
  assert_true (g_file_test (path, G_FILE_TEST_EXISTS));
}

static void
the_folder_is_listed_and_its_files_are_handled (void **state)
{
  Screen *screen = *state;
  if (!may_record ())
    skip ();
  record_one ("slow login.etl", "the menu froze");
  g_autofree char *broken = make_path ("broken.etl");
  assert_true (g_file_set_contents (broken, "nothing", -1, NULL));
  screen_start (screen, wprui, NULL);
  g_object_unref (screen_wait (screen, ATSPI_ROLE_CHECK_BOX, "CPU usage"));
  screen_keys ("key alt+2");
  g_object_unref (screen_wait (screen, ATSPI_ROLE_LABEL, "slow login"));
  g_object_unref (screen_wait (screen, ATSPI_ROLE_LABEL, "“the menu froze”"));
  g_object_unref (screen_wait (screen, ATSPI_ROLE_LABEL, "Today"));
  g_object_unref (screen_wait (screen, ATSPI_ROLE_LABEL, "Not readable"));

  screen_keys ("key ctrl+f");
  screen_keys ("type FROZE");
  screen_wait_gone (screen, ATSPI_ROLE_LABEL, "broken");
  g_object_unref (screen_wait (screen, ATSPI_ROLE_LABEL, "slow login"));

  screen_choose (screen, "Menu: slow login", "Rename…");
  g_object_unref (screen_wait (screen, ATSPI_ROLE_LABEL, "Rename this recording"));
  answer ("ticket 4711");
  g_object_unref (screen_wait (screen, ATSPI_ROLE_LABEL, "ticket 4711"));
  g_autofree char *renamed = make_path ("ticket 4711.etl");
  assert_true (g_file_test (renamed, G_FILE_TEST_EXISTS));

  /* it is found by its note as well when the folder was read again */
  screen_sleep (1500);
  g_object_unref (screen_wait (screen, ATSPI_ROLE_LABEL, "“the menu froze”"));
  screen_choose (screen, "Menu: ticket 4711", "Edit Note…");
  g_object_unref (screen_wait (screen, ATSPI_ROLE_DIALOG, "What was wrong?"));
  screen_keys ("key ctrl+a");
  screen_keys ("type 'it froze twice'");
  screen_keys ("key Tab"); /* Cancel */
  screen_keys ("key Tab"); /* Save Note */
  screen_keys ("key Return");
  screen_sleep (1500);
  g_object_unref (screen_wait (screen, ATSPI_ROLE_LABEL, "“it froze twice”"));
  g_autofree char *info = run_program (-1, wpr, "-info", renamed, "-json", NULL);
  assert_non_null (strstr (info, "it froze twice"));

  screen_choose (screen, "Menu: ticket 4711", "Move to the Bin");
  for (guint i = 0; i < 100 && g_file_test (renamed, G_FILE_TEST_EXISTS); i++)
    {
      /* where there is no bin it asks first */
      AtspiAccessible *button = screen_find (screen, ATSPI_ROLE_PUSH_BUTTON, "Delete Delete");
      if (button != NULL)
        {
          g_object_unref (button);
          screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Delete Delete");
          screen_sleep (1500);
        }
      screen_sleep (100);
    }
  assert_false (g_file_test (renamed, G_FILE_TEST_EXISTS));
  screen_wait_gone (screen, ATSPI_ROLE_LABEL, "ticket 4711");
}

static void
what_a_killed_recorder_left_is_finished (void **state)
{
  Screen *screen = *state;
  if (!may_record ())
    skip ();
  g_free (run_program (0, wpr, "-start", "CPU.light", "-filemode", NULL));
  screen_sleep (500);
  g_autofree char *status = run_program (0, wpr, "-status", "-json", NULL);
  GPid pid = (GPid)json_number (status, "pid");
  assert_true (pid > 1);
  kill (pid, SIGKILL);
  screen_start (screen, wprui, NULL);
  g_object_unref (screen_wait (screen, ATSPI_ROLE_CHECK_BOX, "CPU usage"));
  screen_keys ("key alt+2");
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Finish");
  screen_wait_gone (screen, ATSPI_ROLE_PUSH_BUTTON, "Finish");
  screen_wait_gone (screen, ATSPI_ROLE_PUSH_BUTTON, "Cancel");
  g_object_unref (screen_wait (screen, ATSPI_ROLE_LABEL, "Today"));
  g_autofree char *file = the_saved_file ();
  g_free (run_program (-1, wpr, "-info", file, NULL));
}

/* ---- several files ---- */

static int
compare_paths (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *)a, *(const char *const *)b);
}

/* The files of the folder, sorted; free with g_ptr_array_unref. */
static GPtrArray *
list_files (void)
{
  GPtrArray *files = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GDir) dir = g_dir_open (g_getenv ("WPR_SAVE_DIR"), 0, NULL);
  for (const char *name = dir ? g_dir_read_name (dir) : NULL; name != NULL;
       name = g_dir_read_name (dir))
    g_ptr_array_add (files, make_path (name));
  g_ptr_array_sort (files, compare_paths);
  return files;
}

static void
assert_all_say (const char *note)
{
  g_autoptr (GPtrArray) files = list_files ();
  assert_true (files->len > 1);
  for (guint i = 0; i < files->len; i++)
    {
      g_autofree char *info = run_program (-1, wpr, "-info", files->pdata[i], "-json", NULL);
      g_autofree char *said = g_strdup_printf ("\"%s\"", note);
      if (strstr (info, said) == NULL || json_number (info, "n_parts") != files->len)
        fail_msg ("%s does not say “%s”, or not that it is one of %u: %s",
                  (const char *)files->pdata[i], note, files->len, info);
    }
}

/* The first and the last are on the page; a note, and another one, are in each of them. */
static void
a_recording_of_several_files_has_its_note_in_each (void **state)
{
  Screen *screen = *state;
  if (!may_record ())
    skip ();
  g_free (run_program (0, wpr, "-start", "SystemCall.light", "-filemode", "-maxsize", "8",
                       "-maxfiles", "8", NULL));
  screen_start (screen, wprui, NULL);
  g_object_unref (screen_wait_described (screen, "Events so far"));
  for (guint i = 0; i < 200 && screen_number (screen, "Events so far") < 1000000; i++)
    g_free (run_program (-1, "dd", "if=/dev/zero", "of=/dev/null", "bs=1", "count=100000", NULL));
  kit_stop_and_save (screen);
  g_autoptr (GPtrArray) files = list_files ();
  assert_true (files->len > 1);
  g_autofree char *last = g_path_get_basename (files->pdata[files->len - 1]);
  g_autofree char *shown = NULL;
  for (guint i = 0; i < files->len; i++)
    {
      g_autofree char *name = g_path_get_basename (files->pdata[i]);
      g_autofree char *listed = screen_find_text (screen, ATSPI_ROLE_LABEL, name);
      if (listed != NULL && strstr (listed, last) != NULL)
        shown = g_steal_pointer (&listed);
    }
  if (shown == NULL)
    fail_msg ("the page does not name %s", last);
  static const char *const notes[] = { "it froze", "it froze again" };
  for (guint i = 0; i < G_N_ELEMENTS (notes); i++)
    {
      screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Edit Note");
      g_object_unref (screen_wait (screen, ATSPI_ROLE_TEXT, "What was wrong?"));
      g_autofree char *type = g_strdup_printf ("type '%s'", notes[i]);
      screen_keys ("key ctrl+a");
      screen_keys (type);
      screen_keys ("key Tab");
      screen_keys ("key Tab");
      screen_keys ("key Return");
      screen_sleep (1500);
      g_object_unref (screen_wait (screen, ATSPI_ROLE_LABEL, notes[i]));
      assert_all_say (notes[i]);
    }
}

int
main (int argc, char **argv)
{
  if (!kit_begin (argc, argv, 2))
    return 2;
  const struct CMUnitTest tests[] = {
    kit_test (the_folder_is_listed_and_its_files_are_handled),
    kit_test (what_a_killed_recorder_left_is_finished),
    kit_test (a_recording_of_several_files_has_its_note_in_each),
  };
  return kit_run (tests);
}
