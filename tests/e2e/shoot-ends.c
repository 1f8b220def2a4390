/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Takes a picture of every way in which a recording ends. Called by `shots`, one run a look:
 * shoot-ends WPRUI WPR FOLDER LOOK WIDTH HEIGHT [NAME=VALUE ..]. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "screen.h"
#include "wpr.h"

#define FRAME 5 /* what GTK draws around the window without a window manager */

static char **arguments;

static void
take (const char *page)
{
  g_autofree char *command = g_strdup_printf (
      "import -window root -crop %sx%s+%d+%d +repage \"%s/%s-%s.png\"", arguments[5], arguments[6],
      FRAME, FRAME, arguments[3], page, arguments[4]);
  if (system (command) != 0)
    fail_msg ("no picture: %s", command);
}

static void
open_window (Screen *screen, const char *file)
{
  g_autofree char *command = g_strdup_printf (
      "xdotool search --onlyvisible --class wprui windowsize --sync %d %d windowmove 0 0",
      atoi (arguments[5]) + 2 * FRAME, atoi (arguments[6]) + 2 * FRAME);
  screen_start_with (screen, (const char *[]){ arguments[1], file, NULL },
                     (const char *const *)arguments + 7);
  screen_sleep (2500);
  if (system (command) != 0)
    fail_msg ("the window could not be resized");
  screen_keys ("mousemove 40 300"); /* the keyboard goes where the pointer is */
  screen_sleep (1000);
}

/* In either language. */
static void
press (Screen *screen, const char *english, const char *chinese)
{
  g_autoptr (AtspiAccessible) found = screen_find (screen, ATSPI_ROLE_PUSH_BUTTON, english);
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, found != NULL ? english : chinese);
}

/* Somebody typed: the page stays. */
static void
wait_done (Screen *screen)
{
  for (guint i = 0; i < 300; i++)
    {
      g_autoptr (AtspiAccessible) done = screen_find (screen, ATSPI_ROLE_PUSH_BUTTON, "Done");
      g_autoptr (AtspiAccessible) chinese = screen_find (screen, ATSPI_ROLE_PUSH_BUTTON, "完成");
      if (done != NULL || chinese != NULL)
        return;
      screen_sleep (100);
    }
}

static GPid
hold_recorder (void)
{
  g_autofree char *status = run_program (0, arguments[2], "-status", "-json", NULL);
  GPid pid = (GPid)json_number (status, "pid");
  assert_true (pid > 1);
  kill (pid, SIGSTOP);
  return pid;
}

static void
lose_events (void)
{
  GPid pid = hold_recorder ();
  for (guint i = 0; i < 100000; i++)
    getppid ();
  kill (pid, SIGCONT);
}

static void
every_end (void **state)
{
  Screen screen = { NULL, NULL };
  const char *wpr = arguments[2];
  g_free (run_program (0, wpr, "-start", "SystemCall", "-filemode", "-buffersize", "4", "-buffers",
                       "2", NULL));
  open_window (&screen, NULL);
  lose_events ();
  screen_sleep (2000);
  GPid pid = hold_recorder ();
  screen_keys ("key ctrl+r");
  screen_sleep (500);
  screen_keys ("key Tab"); /* the menu */
  screen_keys ("key Tab"); /* what was wrong */
  screen_keys ("type 'The menu of the editor froze for about three seconds.'");
  screen_sleep (500);
  take ("7-saving-begins");
  kill (pid, SIGCONT);
  wait_done (&screen);
  take ("7-saving-done");
  press (&screen, "Done", "完成");
  screen_sleep (1500);
  take ("8-result-lost");
  screen_end (&screen);
  g_autofree char *file = the_saved_file ();

  open_window (&screen, file);
  take ("8-result-file");
  screen_end (&screen);
  if (truncate (file, 100000) != 0)
    fail_msg ("not cut");
  open_window (&screen, file);
  take ("8-result-damaged");
  screen_end (&screen);

  g_free (run_program (0, wpr, "-start", "CPU", NULL));
  open_window (&screen, NULL);
  pid = hold_recorder ();
  screen_keys ("key ctrl+r");
  screen_sleep (500);
  press (&screen, "Finish Later", "稍后完成");
  screen_sleep (300);
  kill (pid, SIGCONT);
  screen_sleep (3000);
  take ("8-result-kept");
  screen_end (&screen);
  clean_places (wpr);
}

int
main (int argc, char **argv)
{
  if (argc < 7)
    return 2;
  arguments = argv;
  argv[2] = g_canonicalize_filename (argv[2], NULL);
  g_setenv ("WPR_RECORDER", argv[2], TRUE);
  atspi_init ();
  const struct CMUnitTest tests[] = { cmocka_unit_test (every_end) };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
