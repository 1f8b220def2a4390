/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pictures of the real window, and what it takes to come to a page. */
#include "shot.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <libintl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
#include "wpr.h"

#define FRAME 5       /* pixels GTK draws around a window where there is no window manager */
#define SETTLE_MS 700 /* what slides in has come */

static guint n_nameless;
static char *main_window; /* of X */

const char *
say (const char *english)
{
  return dgettext ("wpr", english);
}

/* ---- X ---- */

static char *
ask_xdotool (const char *what)
{
  g_autofree char *command = g_strconcat ("xdotool ", what, NULL);
  char *out = NULL;
  g_autoptr (GError) error = NULL;
  if (!g_spawn_command_line_sync (command, &out, NULL, NULL, &error))
    fail_msg ("%s", error->message);
  return out;
}

/* The window that came last. Free with g_free; NULL if there is only the main one. */
static char *
find_dialog (void)
{
  g_autofree char *out = ask_xdotool ("search --onlyvisible --class wprui");
  g_auto (GStrv) ids = g_strsplit (g_strstrip (out), "\n", -1);
  char *found = NULL;
  for (char **id = ids; *id != NULL; id++)
    if (g_strcmp0 (*id, main_window) != 0)
      {
        g_free (found);
        found = g_strdup (*id);
      }
  return found;
}

static int
read_number (const char *text, const char *key)
{
  const char *at = strstr (text, key);
  return at ? atoi (at + strlen (key)) : 0;
}

/* Without a window manager it lies in the corner, and the keyboard goes where the pointer is. */
static void
center_dialog (void)
{
  g_autofree char *id = find_dialog ();
  if (id == NULL)
    return;
  g_autofree char *ask = g_strdup_printf ("getwindowgeometry --shell %s", id);
  g_autofree char *place = ask_xdotool (ask);
  int width = read_number (place, "WIDTH="), height = read_number (place, "HEIGHT=");
  /* as a small display's window manager would */
  if (width > look.width + 2 * FRAME)
    {
      width = look.width + 2 * FRAME;
      g_autofree char *resize = g_strdup_printf ("windowsize --sync %s %d %d", id, width, height);
      g_free (ask_xdotool (resize));
    }
  int x = MAX (0, (look.width + 2 * FRAME - width) / 2);
  int y = MAX (0, (look.height + 2 * FRAME - height) / 3);
  g_autofree char *move
      = g_strdup_printf ("windowmove %s %d %d mousemove %d %d", id, x, y, x + 2, y + 20);
  g_free (ask_xdotool (move));
}

/* ---- the window ---- */

void
shot_set_settings (const char *lines)
{
  g_autofree char *folder
      = g_build_filename (g_getenv ("XDG_CONFIG_HOME"), "glib-2.0", "settings", NULL);
  g_autofree char *path = g_build_filename (folder, "keyfile", NULL);
  g_autofree char *text = g_strconcat ("[io/github/performance_recorder/Wpr]\n", lines, NULL);
  assert_int_equal (g_mkdir_with_parents (folder, 0700), 0);
  assert_true (g_file_set_contents (path, text, -1, NULL));
}

void
shot_open (Screen *screen, const char *const *arguments)
{
  g_autoptr (GPtrArray) command = g_ptr_array_new ();
  g_autoptr (GPtrArray) words = g_ptr_array_new ();
  g_ptr_array_add (command, (gpointer)look.wprui);
  for (; arguments != NULL && *arguments != NULL; arguments++)
    g_ptr_array_add (command, (gpointer)*arguments);
  g_ptr_array_add (command, NULL);
  for (const char *const *word = look.words; *word != NULL; word++)
    g_ptr_array_add (words, (gpointer)*word);
  g_ptr_array_add (words, (gpointer) "GSETTINGS_BACKEND=keyfile");
  g_ptr_array_add (words, NULL);
  screen_start_with (screen, (const char *const *)command->pdata,
                     (const char *const *)words->pdata);
  g_clear_pointer (&main_window, g_free);
  for (guint i = 0; i < 100 && main_window == NULL; i++)
    {
      main_window = find_dialog ();
      screen_sleep (100);
    }
  assert_non_null (main_window);
  /* at the left edge, in the frame, nothing is under the pointer */
  g_autofree char *size
      = g_strdup_printf ("windowsize --sync %s %d %d windowmove %s 0 0 "
                         "mousemove 2 300",
                         main_window, look.width + 2 * FRAME, look.height + 2 * FRAME, main_window);
  g_free (ask_xdotool (size));
  screen_sleep (SETTLE_MS);
}

void
shot_close (Screen *screen)
{
  screen_end (screen);
}

void
everything_has_a_name (void **state)
{
  if (n_nameless > 0)
    fail_msg ("%u widgets have no name; they are listed above", n_nameless);
}

static void
take_picture (const char *page)
{
  if (look.folder == NULL)
    return;
  g_autofree char *command
      = g_strdup_printf ("import -window root -crop %dx%d+%d+%d +repage \"%s/%s-%s.png\"",
                         look.width, look.height, FRAME, FRAME, look.folder, page, look.look);
  if (system (command) != 0)
    fail_msg ("no picture: %s", command);
}

void
shot_take (Screen *screen, const char *page)
{
  screen_sleep (SETTLE_MS);
  take_picture (page);
  n_nameless += check_names (screen, page);
}

void
shot_take_dialog (Screen *screen, const char *page)
{
  screen_sleep (SETTLE_MS);
  center_dialog ();
  shot_take (screen, page);
  g_free (ask_xdotool ("mousemove 2 300"));
}

void
shot_take_foreign (Screen *screen, const char *page)
{
  screen_sleep (SETTLE_MS);
  center_dialog ();
  screen_sleep (SETTLE_MS);
  take_picture (page);
  g_free (ask_xdotool ("mousemove 2 300"));
}

void
shot_press (Screen *screen, const char *english)
{
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, say (english));
}

void
shot_open_menu (Screen *screen, const char *name)
{
  g_autoptr (AtspiAccessible) outer = screen_wait (screen, ATSPI_ROLE_PUSH_BUTTON, name);
  g_autoptr (AtspiAccessible) button = atspi_accessible_get_first_child (outer);
  if (button == NULL || !atspi_accessible_act (button))
    fail_msg ("“%s” does not open", name);
}

gboolean
shot_wait (Screen *screen, AtspiRole role, const char *english)
{
  for (guint i = 0; i < 300; i++)
    {
      g_autofree char *text = screen_find_text (screen, role, say (english));
      if (text != NULL)
        return TRUE;
      screen_sleep (100);
    }
  screen_dump (screen);
  fail_msg ("nothing says “%s”", say (english));
  return FALSE;
}

/* ---- what is recorded ---- */

/* A thread hands a byte to another and gets it back, more or less often. */
static void
play_ping_pong (int to, int from)
{
  char byte = 0;
  for (guint slot = 0;; slot++)
    {
      double swing = sin (slot * 0.03) + 0.6 * sin (slot * 0.011) + 0.25 * sin (slot * 0.17);
      guint rounds = (guint)(18 + 9 * swing);
      for (guint i = 0; i < rounds; i++)
        if (write (to, &byte, 1) != 1 || read (from, &byte, 1) != 1)
          _exit (0);
      g_usleep (20000);
    }
}

GPid
shot_begin_work (void)
{
  GPid pid = fork ();
  assert_true (pid >= 0);
  if (pid > 0)
    return pid;
  int there[2], back[2];
  char byte = 0;
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  if (pipe (there) != 0 || pipe (back) != 0)
    _exit (1);
  if (fork () != 0)
    {
      close (there[0]);
      close (back[1]);
      play_ping_pong (there[1], back[0]);
    }
  close (there[1]);
  close (back[0]);
  while (read (there[0], &byte, 1) == 1 && write (back[1], &byte, 1) == 1)
    continue;
  _exit (0);
}

void
shot_end_work (GPid pid)
{
  kill (pid, SIGKILL);
  g_spawn_close_pid (pid);
}

GPid
shot_hold_recorder (void)
{
  g_autofree char *status = run_program (0, look.wpr, "-status", "-json", NULL);
  GPid pid = (GPid)json_number (status, "pid");
  assert_true (pid > 1);
  kill (pid, SIGSTOP);
  return pid;
}
