/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Takes a picture of every page of the real window, from real recordings. Called by `shots`, one
 * run a look: shoot WPRUI WPR FOLDER LOOK WIDTH HEIGHT [NAME=VALUE ..]. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include "profile-file.h"
#include "screen.h"
#include "wpr.h"

/* Without a window manager GTK draws a frame of 5 pixels, which is no part of the picture. */
#define FRAME 5
#define RECORD_MS 12000 /* long enough for a curve */

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
resize (void)
{
  g_autofree char *command = g_strdup_printf (
      "xdotool search --onlyvisible --class wprui windowsize --sync %d %d windowmove 0 0",
      atoi (arguments[5]) + 2 * FRAME, atoi (arguments[6]) + 2 * FRAME);
  if (system (command) != 0)
    fail_msg ("the window could not be resized");
  /* without a window manager the keyboard goes where the pointer is */
  screen_keys ("mousemove 40 300");
  screen_sleep (600);
}

/* The choose page and what opens from it. By keyboard, which is the same in every language. */
static void
choose_pages (void)
{
  screen_sleep (3000); /* the forecast needs two looks at /proc */
  take ("2-faults");   /* the list goes to a file that was just added */
  screen_keys ("key ctrl+f");
  screen_keys ("type fan");
  screen_sleep (400);
  take ("2-search");
  screen_keys ("key ctrl+a");
  screen_keys ("key BackSpace");
  screen_sleep (400);
  take ("1-choose");
  screen_keys ("type cpu");
  screen_keys ("key Tab"); /* the row; in it the button that opens its window */
  screen_keys ("key Tab");
  screen_keys ("key space");
  screen_sleep (1500);
  take ("2-details");
  screen_keys ("key Escape");
  screen_keys ("key ctrl+f");
  screen_keys ("key ctrl+a");
  screen_keys ("key BackSpace");
  screen_keys ("key ctrl+comma");
  screen_sleep (800);
  take ("2-preferences");
  screen_keys ("key Escape");
  screen_sleep (400);
}

static void
every_page (void **state)
{
  Screen screen = { NULL, NULL };
  g_autofree char *broken
      = write_titled_profile ("fan-noise.wprp", "Fan noise, helpdesk", "1024K", "Exce");
  screen_start_with (&screen, (const char *[]){ arguments[1], broken, NULL },
                     (const char *const *)arguments + 7);
  screen_sleep (1000);
  resize ();
  choose_pages ();
  screen_keys ("key ctrl+r");
  g_autoptr (AtspiAccessible) clock = NULL;
  for (guint i = 0; i < 300 && clock == NULL; i++)
    {
      screen_sleep (100);
      clock = screen_find (&screen, ATSPI_ROLE_PROGRESS_BAR, NULL);
      if (clock == NULL)
        clock = screen_find (&screen, ATSPI_ROLE_IMAGE, NULL);
    }
  g_autofree char *work = g_strdup ("sh -c 'for i in 1 2 3 4 5 6; do dd if=/dev/zero "
                                    "of=/dev/null bs=4k count=200000 2>&1; sleep 1; done'");
  g_spawn_command_line_async (work, NULL);
  screen_sleep (RECORD_MS);
  take ("3-recording");
  screen_keys ("key ctrl+m");
  screen_keys ("type 'menu froze'");
  take ("4-mark");
  screen_keys ("key Return");
  screen_sleep (3000);
  take ("5-marked");
  screen_keys ("key ctrl+w");
  screen_sleep (500);
  take ("6-close");
  screen_keys ("key Escape");
  screen_keys ("key ctrl+r");
  take ("7-saving");
  screen_sleep (5000);
  take ("8-result");
  screen_end (&screen);
  clean_places (arguments[2]);
  g_unlink (broken);
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
  const struct CMUnitTest tests[] = { cmocka_unit_test (every_page) };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
