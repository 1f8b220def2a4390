/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a person does beside recording: another program for the file, and being told of the end
 * while elsewhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <glib/gstdio.h>
#include <string.h>
#include "desktop.h"
#include "kit.h"

/* A program that says which file it was given, as one that opens recordings. */
static void
install_viewer (const char *note)
{
  g_autofree char *script = g_strconcat (g_getenv ("E2E_PLACE"), "/viewer", NULL);
  g_autofree char *text = g_strdup_printf ("#!/bin/sh\nprintf %%s \"$1\" >%s\n", note);
  g_autofree char *folder = g_build_filename (g_getenv ("XDG_DATA_HOME"), "applications", NULL);
  g_autofree char *entry = g_build_filename (folder, "e2e-viewer.desktop", NULL);
  g_autofree char *list = g_build_filename (g_getenv ("XDG_CONFIG_HOME"), "mimeapps.list", NULL);
  g_autofree char *words
      = g_strdup_printf ("[Desktop Entry]\nType=Application\nName=Trace Viewer\nExec=%s %%f\n"
                         "MimeType=application/x-etl;\n",
                         script);
  assert_true (g_file_set_contents (script, text, -1, NULL));
  assert_int_equal (g_chmod (script, 0700), 0);
  assert_int_equal (g_mkdir_with_parents (folder, 0700), 0);
  assert_int_equal (g_mkdir_with_parents (g_getenv ("XDG_CONFIG_HOME"), 0700), 0);
  assert_true (g_file_set_contents (entry, words, -1, NULL));
  assert_true (g_file_set_contents (
      list, "[Added Associations]\napplication/x-etl=e2e-viewer.desktop;\n", -1, NULL));
}

/* The button itself is somewhere within one of that name. */
static void
open_menu (Screen *screen, const char *name)
{
  g_autoptr (AtspiAccessible) at = screen_wait (screen, ATSPI_ROLE_PUSH_BUTTON, name);
  while (at != NULL && !atspi_accessible_act (at))
    {
      AtspiAccessible *child = atspi_accessible_get_first_child (at);
      g_object_unref (at);
      at = child;
    }
  if (at == NULL)
    {
      screen_dump (screen);
      fail_msg ("“%s” does not open", name);
    }
  screen_sleep (500);
}

static void
another_program_opens_the_file (void **state)
{
  Screen *screen = *state;
  if (!may_record ())
    skip ();
  g_autofree char *note = g_build_filename (g_getenv ("E2E_PLACE"), "opened", NULL);
  g_unlink (note);
  install_viewer (note);
  screen_start (screen, wprui, NULL);
  kit_start_recording (screen);
  kit_stop_and_save (screen);
  screen_sleep (1000); /* programs are looked for */
  open_menu (screen, "Open With");
  screen_press (screen, ATSPI_ROLE_MENU_ITEM, "Trace Viewer");
  g_autofree char *given = NULL;
  for (guint i = 0; i < 200 && given == NULL; i++)
    {
      screen_sleep (100);
      g_file_get_contents (note, &given, NULL, NULL);
    }
  g_autofree char *file = the_saved_file ();
  assert_string_equal (given, file);
}

static void
the_end_of_a_recording_is_told_while_nobody_looks (void **state)
{
  Screen *screen = *state;
  if (!may_record ())
    skip ();
  desktop_begin ();
  kit_keep_settings ("stop-after-s=uint32 8");
  screen_start (screen, wprui, kit_lasting);
  kit_start_recording (screen);
  screen_keys ("mousemove 200 200");
  screen_keys ("key ctrl+w");
  g_object_unref (screen_wait (screen, ATSPI_ROLE_LABEL, "A recording is running"));
  screen_keys ("key Tab");
  screen_keys ("key Return");
  desktop_wait_told ("The recording goes on: ");
  desktop_wait_told ("Recording saved: ");
  g_autofree char *file = the_saved_file ();
  g_autofree char *name = g_path_get_basename (file);
  assert_true (desktop_was_told (name));
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
    kit_test (another_program_opens_the_file),
    cmocka_unit_test_setup_teardown (the_end_of_a_recording_is_told_while_nobody_looks, kit_set_up,
                                     tear_down),
  };
  return kit_run (tests);
}
