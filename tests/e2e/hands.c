/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pointer and the keyboard, by XTEST. */
#include "hands.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* Where the second program stands: beside the window, which is 960 wide and begins at 0. */
#define SOURCE_X 1100
#define SOURCE_Y 40
#define IN_SOURCE 80
#define STEPS 20
#define STEP_MS 40

/* ---- dragging ---- */

static void
wait_line (GDataInputStream *lines, const char *word)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *line = g_data_input_stream_read_line (lines, NULL, NULL, &error);
  if (g_strcmp0 (line, word) != 0)
    fail_msg ("the second program says “%s”, not “%s”", line ? line : "nothing", word);
}

/* XTEST moves the pointer as a hand does: in steps, or no motion is seen. */
static void
drag_to (int x, int y)
{
  int from_x = SOURCE_X + IN_SOURCE, from_y = SOURCE_Y + IN_SOURCE;
  for (int i = 0; i <= STEPS; i++)
    {
      g_autofree char *move = g_strdup_printf ("mousemove %d %d", from_x + (x - from_x) * i / STEPS,
                                               from_y + (y - from_y) * i / STEPS);
      screen_keys_at_once (move);
      if (i == 0)
        screen_keys_at_once ("mousedown 1");
      screen_sleep (STEP_MS);
    }
  screen_sleep (300);
  screen_keys_at_once ("mouseup 1");
}

void
hands_drop (const char *drag_files, const char *const *files)
{
  g_autoptr (GPtrArray) command = g_ptr_array_new ();
  g_autoptr (GError) error = NULL;
  g_ptr_array_add (command, (char *)drag_files);
  for (; *files != NULL; files++)
    g_ptr_array_add (command, (char *)*files);
  g_ptr_array_add (command, NULL);
  g_autoptr (GSubprocess) source = g_subprocess_newv ((const char *const *)command->pdata,
                                                      G_SUBPROCESS_FLAGS_STDOUT_PIPE, &error);
  if (source == NULL)
    fail_msg ("%s", error->message);
  g_autoptr (GDataInputStream) lines
      = g_data_input_stream_new (g_subprocess_get_stdout_pipe (source));
  wait_line (lines, "ready");
  g_autofree char *place = g_strdup_printf (
      "search --sync --name drag-files windowmove --sync %d %d", SOURCE_X, SOURCE_Y);
  screen_keys (place);
  drag_to (300, 300);
  wait_line (lines, "end");
  g_subprocess_force_exit (source);
  g_subprocess_wait (source, NULL, NULL);
}

/* ---- GTK's chooser ---- */

void
hands_choose_path (const char *title, const char *path)
{
  screen_wait_window (title, TRUE);
  screen_keys ("key ctrl+l"); /* opens its line for a path */
  screen_sleep (300);
  screen_keys ("key ctrl+a");
  g_autofree char *typing = g_strdup_printf ("type --delay 5 '%s'", path);
  screen_keys (typing);
  screen_sleep (300);
  screen_keys ("key Return");
  screen_wait_window (title, FALSE);
}

/* ---- the keyboard's way ---- */

/* A page with more is one nobody gets through. */
#define MOST_TABS 60

/* The innermost: a row and the entry in it both say so. */
static AtspiAccessible *
find_focused (AtspiAccessible *accessible)
{
  g_autoptr (GPtrArray) children = atspi_accessible_get_children (accessible);
  for (guint i = 0; i < children->len; i++)
    {
      AtspiAccessible *found = find_focused (children->pdata[i]);
      if (found != NULL)
        return found;
    }
  return atspi_accessible_has_state (accessible, ATSPI_STATE_FOCUSED) ? g_object_ref (accessible)
                                                                      : NULL;
}

AtspiAccessible *
hands_get_focused (Screen *screen)
{
  return find_focused (screen->root);
}

void
hands_tab_to (Screen *screen, AtspiRole role, const char *name)
{
  for (guint i = 0; i < MOST_TABS; i++)
    {
      g_autoptr (AtspiAccessible) focused = hands_get_focused (screen);
      g_autofree char *focused_name = focused != NULL ? atspi_accessible_get_name (focused) : NULL;
      if (focused != NULL && g_strcmp0 (focused_name, name) == 0
          && atspi_accessible_get_role (focused) == role)
        return;
      g_autofree char *role_name
          = focused != NULL ? atspi_accessible_get_role_name (focused) : NULL;
      if (g_getenv ("E2E_TRACE") != NULL)
        g_printerr ("the keyboard is on [%s] “%s”\n", role_name ? role_name : "", focused_name);
      screen_keys ("key Tab");
    }
  screen_dump (screen);
  fail_msg ("the keyboard does not come to “%s”", name);
}
