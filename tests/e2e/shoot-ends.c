/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What comes of a recording: files, the folder of them, one that a helpdesk asked for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
#include <utime.h>
#include "shot.h"
#include "wpr.h"

static char *
make_path (const char *name)
{
  return g_build_filename (g_getenv ("WPR_SAVE_DIR"), name, NULL);
}

/* days: how long ago it is said to have been. */
static char *
record_file (const char *name, const char *profile, const char *note, guint days)
{
  char *path = make_path (name);
  g_free (run_program (0, look.wpr, "-start", profile, NULL));
  run_named_programs ("shots", 20);
  g_free (run_program (-1, look.wpr, "-stop", path, note, NULL));
  struct utimbuf times = { 0 };
  times.actime = times.modtime = g_get_real_time () / G_USEC_PER_SEC - days * 86400;
  assert_int_equal (g_utime (path, &times), 0);
  return path;
}

/* The window with a file, and without waiting for more than it shows. */
static void
take_file (const char *file, const char *page)
{
  Screen screen = { NULL, NULL };
  shot_open (&screen, (const char *[]){ file, NULL });
  screen_sleep (1500);
  shot_take (&screen, page);
  shot_close (&screen);
}

void
scene_ends (void **state)
{
  Screen screen = { NULL, NULL };
  if (!may_record ())
    skip ();
  shot_set_settings ("");
  g_autofree char *file = record_file ("slow login.etl", "GeneralProfile",
                                       "The login took a minute. It happens each time.", 0);
  take_file (file, "09-file");
  assert_int_equal (truncate (file, 100000), 0);
  take_file (file, "09-damaged");
  g_free (run_program (0, look.wpr, "-start", "CPU", NULL));
  shot_open (&screen, NULL);
  shot_wait (&screen, ATSPI_ROLE_PUSH_BUTTON, "Stop and Save");
  shot_take (&screen, "04-begun-elsewhere");
  GPid pid = shot_hold_recorder ();
  screen_keys ("key ctrl+r");
  shot_press (&screen, "Finish Later");
  screen_sleep (300);
  kill (pid, SIGCONT);
  shot_wait (&screen, ATSPI_ROLE_PUSH_BUTTON, "Finish Now");
  shot_take (&screen, "09-kept");
  shot_close (&screen);
  clean_places (look.wpr);
}

/* What other scenes left unfinished. */
static void
forget_raw (void)
{
  g_autofree char *command = g_strdup_printf ("rm -rf '%s'/raw", g_getenv ("WPR_STATE_DIR"));
  assert_int_equal (system (command), 0);
}

static void
kill_recorder (void)
{
  g_free (run_program (0, look.wpr, "-start", "CPU", "-filemode", NULL));
  screen_sleep (500);
  kill (shot_hold_recorder (), SIGKILL);
}

/* Handled from its menu. */
static void
take_handling (Screen *screen)
{
  g_autofree char *menu = g_strdup_printf (say ("Menu: %s"), "vm 2026-11-30 10-12-05");
  shot_open_menu (screen, menu);
  shot_take (screen, "10-menu");
  screen_press (screen, ATSPI_ROLE_MENU_ITEM, say ("Rename…"));
  screen_sleep (800);
  shot_take_dialog (screen, "14-rename");
  screen_keys ("key Escape");
  screen_sleep (1500);
  shot_open_menu (screen, menu);
  screen_sleep (500);
  screen_press (screen, ATSPI_ROLE_MENU_ITEM, say ("Edit Note…"));
  screen_sleep (800);
  shot_take_dialog (screen, "14-note");
  screen_keys ("key Escape");
  screen_sleep (1500);
}

void
scene_recordings (void **state)
{
  Screen screen = { NULL, NULL };
  if (!may_record ())
    skip ();
  shot_set_settings ("");
  forget_raw ();
  shot_open (&screen, NULL);
  screen_keys ("key alt+2");
  shot_take (&screen, "10-recordings-empty");
  shot_close (&screen);
  g_autofree char *plain = record_file ("vm 2026-11-30 10-12-05.etl", "CPU",
                                        "The menu of the editor froze for about three seconds "
                                        "after I opened the big drawing. It happens each time.",
                                        0);
  g_autofree char *login
      = record_file ("Slow login, ticket 4711.etl", "GeneralProfile", "Third start today.", 1);
  g_autofree char *copy = record_file ("usb-stick copy.etl", "FileIO", NULL, 1);
  g_autofree char *old = record_file ("battery overnight.etl", "Power", NULL, 6);
  assert_int_equal (truncate (copy, 60000), 0);
  kill_recorder ();
  shot_open (&screen, NULL);
  screen_keys ("key alt+2");
  shot_wait (&screen, ATSPI_ROLE_LABEL, "Today");
  screen_sleep (2000);
  shot_take (&screen, "10-recordings");
  take_handling (&screen);
  screen_keys ("key ctrl+f");
  screen_keys ("type nothing");
  shot_take (&screen, "10-recordings-nothing");
  shot_close (&screen);
  clean_places (look.wpr);
}

void
scene_guide (void **state)
{
  Screen screen = { NULL, NULL };
  const char *top = g_getenv ("WPR_SOURCE_ROOT");
  g_autofree char *guide
      = g_build_filename (top ? top : ".", "resources", "examples", "guide-fan.wprp", NULL);
  if (!may_record ())
    skip ();
  shot_set_settings ("");
  shot_open (&screen, (const char *[]){ "--guide", guide, "--ticket", "4711", NULL });
  screen_wait_state (&screen, ATSPI_ROLE_PUSH_BUTTON, say ("Start"), ATSPI_STATE_SENSITIVE, TRUE);
  shot_take (&screen, "15-guide");
  screen_keys ("key ctrl+r");
  shot_wait (&screen, ATSPI_ROLE_PUSH_BUTTON, "Stop and Save");
  screen_sleep (1500);
  shot_take (&screen, "15-guide-recording");
  screen_keys ("key ctrl+r");
  shot_wait (&screen, ATSPI_ROLE_PUSH_BUTTON, "Show File");
  shot_take (&screen, "15-guide-saved");
  shot_close (&screen);
  shot_open (&screen, (const char *[]){ "--guide", "/nowhere/guide.wprp", NULL });
  screen_sleep (1500);
  shot_take (&screen, "15-guide-faulty");
  shot_close (&screen);
  clean_places (look.wpr);
}
