/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ways a person's .wprp files come into the real window: GTK's own file chooser, driven by the
 * keyboard, and a drag from another program, with the pointer; and the way to their editor. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include "hands.h"
#include "kit.h"
#include "profile-file.h"

static const char *drag_files;

static void
start (Screen *screen)
{
  screen_start (screen, wprui, NULL);
  g_object_unref (screen_wait (screen, ATSPI_ROLE_CHECK_BOX, "First level triage"));
  /* without a window manager the keyboard goes where the pointer is */
  screen_keys ("mousemove 200 200");
}

static void
wait_switch (Screen *screen, const char *title)
{
  g_object_unref (screen_wait (screen, ATSPI_ROLE_CHECK_BOX, title));
}

/* ---- the chooser ---- */

#define CHOOSER "Add Profiles"
/* Where its button Add is, from its lower right corner. */
#define IN_CORNER 30

/* Ctrl+L opens the chooser's line for a path. */
static void
open_chooser_at (const char *path)
{
  screen_keys ("key ctrl+o");
  screen_wait_window (CHOOSER, TRUE);
  screen_keys ("key ctrl+l");
  screen_sleep (300);
  g_autofree char *typing = g_strconcat ("type --delay 5 ", path, NULL);
  screen_keys (typing);
  screen_sleep (300);
}

static void
the_chooser_adds_a_path_that_is_typed (void **state)
{
  Screen *screen = *state;
  g_autofree char *good = write_profile ("good.wprp", "256", "Exec");
  start (screen);
  open_chooser_at (good);
  screen_keys ("key Return");
  screen_wait_window (CHOOSER, FALSE);
  wait_switch (screen, "Programs that begin");
  assert_int_equal (g_unlink (good), 0);
}

static void
what_is_added_out_of_sight_is_told (void **state)
{
  Screen *screen = *state;
  g_autofree char *good = write_profile ("good.wprp", "256", "Exec");
  start (screen);
  screen_keys ("key alt+2");
  g_object_unref (screen_wait (screen, ATSPI_ROLE_LABEL, "No recordings yet"));
  open_chooser_at (good);
  screen_keys ("key Return");
  screen_wait_window (CHOOSER, FALSE);
  kit_wait_text (screen, "Added to the list of profiles: good.wprp");
  screen_keys ("key alt+1");
  wait_switch (screen, "Programs that begin");
  assert_int_equal (g_unlink (good), 0);
}

/* In the corner of the chooser; Return in its list would take one file alone. */
static void
press_add (void)
{
  g_autofree char *out = run_program (0, "xdotool", "search", "--onlyvisible", "--name", CHOOSER,
                                      "getwindowgeometry", "--shell", NULL);
  int x, y, width, height;
  const char *at = strstr (out, "X=");
  if (at == NULL || sscanf (at, "X=%d\nY=%d\nWIDTH=%d\nHEIGHT=%d", &x, &y, &width, &height) != 4)
    fail_msg ("no place of the chooser: %s", out);
  g_autofree char *press
      = g_strdup_printf ("mousemove %d %d click 1", x + width - IN_CORNER, y + height - IN_CORNER);
  screen_keys (press);
}

static void
the_chooser_adds_several_files_at_once (void **state)
{
  Screen *screen = *state;
  g_autofree char *folder = g_build_filename (g_getenv ("E2E_PLACE"), "several", NULL);
  assert_int_equal (g_mkdir (folder, 0700), 0);
  g_autofree char *first = write_titled_profile ("several/1.wprp", "The first", "256", "Exec");
  g_autofree char *second = write_titled_profile ("several/2.WPRP", "The second", "256", "Exec");
  g_autofree char *other = write_titled_profile ("several/3.txt", "No profile", "256", "Exec");
  start (screen);
  g_autofree char *inside = g_strconcat (folder, "/", NULL);
  open_chooser_at (inside);
  screen_keys ("key Return");
  screen_sleep (1000);
  screen_keys ("key ctrl+a");
  screen_sleep (300);
  press_add ();
  screen_wait_window (CHOOSER, FALSE);
  wait_switch (screen, "The first");
  wait_switch (screen, "The second");
  assert_null (screen_find (screen, ATSPI_ROLE_CHECK_BOX, "No profile"));
  assert_int_equal (g_unlink (first) + g_unlink (second) + g_unlink (other) + g_rmdir (folder), 0);
}

static void
the_chooser_can_be_left (void **state)
{
  Screen *screen = *state;
  start (screen);
  screen_keys ("key ctrl+o");
  screen_wait_window (CHOOSER, TRUE);
  screen_keys ("key Escape");
  screen_wait_window (CHOOSER, FALSE);
  screen_keys ("key ctrl+o"); /* and opened again */
  screen_wait_window (CHOOSER, TRUE);
}

/* ---- the drag ---- */

static void
files_are_added_by_dropping_them (void **state)
{
  Screen *screen = *state;
  g_autofree char *good = write_titled_profile ("good.wprp", "The dragged one", "256", "Exec");
  g_autofree char *broken = write_titled_profile ("broken.wprp", "The torn one", "256K", "Exec");
  start (screen);
  hands_drop (drag_files, (const char *[]){ good, broken, NULL });
  wait_switch (screen, "The dragged one");
  g_object_unref (screen_wait (screen, ATSPI_ROLE_LABEL, "The torn one"));
  g_object_unref (
      screen_wait (screen, ATSPI_ROLE_LABEL, "BufferSize “256K” is not a whole number."));
  assert_int_equal (g_unlink (good) + g_unlink (broken), 0);
}

/* ---- the editor ---- */

/* A program that writes down which file it was given, as the one for the type the file has. */
static void
install_editor (const char *file, const char *note)
{
  g_autofree char *script = g_strconcat (g_getenv ("E2E_PLACE"), "/editor", NULL);
  g_autofree char *text = g_strdup_printf ("#!/bin/sh\nprintf %%s \"$1\" >%s\n", note);
  assert_true (g_file_set_contents (script, text, -1, NULL));
  assert_int_equal (g_chmod (script, 0700), 0);
  g_autofree char *folder = g_build_filename (g_getenv ("XDG_DATA_HOME"), "applications", NULL);
  assert_int_equal (g_mkdir_with_parents (folder, 0700), 0);
  g_autofree char *entry = g_build_filename (folder, "e2e-editor.desktop", NULL);
  g_autofree char *words
      = g_strdup_printf ("[Desktop Entry]\nType=Application\nName=Editor\nExec=%s %%f\n", script);
  assert_true (g_file_set_contents (entry, words, -1, NULL));
  g_autoptr (GFile) place = g_file_new_for_path (file);
  g_autoptr (GFileInfo) info
      = g_file_query_info (place, "standard::content-type", G_FILE_QUERY_INFO_NONE, NULL, NULL);
  g_autofree char *list = g_build_filename (g_getenv ("XDG_CONFIG_HOME"), "mimeapps.list", NULL);
  g_autofree char *defaults = g_strdup_printf ("[Default Applications]\n%s=e2e-editor.desktop\n",
                                               g_file_info_get_content_type (info));
  assert_true (g_file_set_contents (list, defaults, -1, NULL));
}

static void
a_file_opens_in_the_program_for_it (void **state)
{
  Screen *screen = *state;
  g_autofree char *broken = write_profile ("broken.wprp", "256K", "Exec");
  g_autofree char *note = g_strconcat (g_getenv ("E2E_PLACE"), "/opened", NULL);
  install_editor (broken, note);
  screen_start_with (screen, (const char *[]){ wprui, broken, NULL }, NULL);
  g_object_unref (screen_wait (screen, ATSPI_ROLE_LABEL, "Programs that begin"));
  screen_keys ("mousemove 200 200");
  screen_keys ("key ctrl+f"); /* a menu needs to be within the screen */
  screen_keys ("type broken");
  screen_wait_gone (screen, ATSPI_ROLE_CHECK_BOX, "CPU usage");
  screen_choose (screen, "Menu of broken.wprp", "Open File");
  g_autofree char *opened = NULL;
  for (guint i = 0; i < 200 && (opened == NULL || *opened == '\0'); i++)
    {
      screen_sleep (50);
      g_clear_pointer (&opened, g_free);
      g_file_get_contents (note, &opened, NULL, NULL);
    }
  assert_non_null (opened);
  assert_string_equal (opened, broken);
  assert_int_equal (g_unlink (broken) + g_unlink (note), 0);
}

int
main (int argc, char **argv)
{
  if (!kit_begin (argc, argv, 3))
    return 2;
  drag_files = argv[3];
  const struct CMUnitTest tests[] = {
    kit_test (the_chooser_adds_a_path_that_is_typed),
    kit_test (what_is_added_out_of_sight_is_told),
    kit_test (the_chooser_adds_several_files_at_once),
    kit_test (the_chooser_can_be_left),
    kit_test (files_are_added_by_dropping_them),
    kit_test (a_file_opens_in_the_program_for_it),
  };
  return kit_run (tests);
}
