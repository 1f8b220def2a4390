/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a desktop asks of the program: record at once, be one instance, be started by D-Bus. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include "kit.h"

static void
stop_and_look (Screen *screen)
{
  kit_stop_and_save (screen);
  g_autofree char *file = the_saved_file ();
  g_free (run_program (0, wpr, "-info", file, NULL));
}

static void
record_now_begins_without_a_press (void **state)
{
  Screen *screen = *state;
  if (!may_record ())
    skip ();
  screen_start_with (screen, (const char *[]){ wprui, "--record-now", NULL }, NULL);
  g_object_unref (screen_wait_described (screen, "Events so far"));
  stop_and_look (screen);
}

/* The second program hands over and ends; the first one's window records. */
static void
record_now_reaches_the_window_that_is_open (void **state)
{
  Screen *screen = *state;
  if (!may_record ())
    skip ();
  screen_start (screen, wprui, NULL);
  screen_wait_state (screen, ATSPI_ROLE_PUSH_BUTTON, "Start", ATSPI_STATE_SENSITIVE, TRUE);
  g_free (run_program (0, wprui, "--record-now", NULL));
  g_object_unref (screen_wait_described (screen, "Events so far"));
  stop_and_look (screen);
}

/* What the D-Bus service file starts, and what a launcher then calls. */
static void
a_launcher_reaches_it_by_dbus (void **state)
{
  Screen *screen = *state;
  if (!may_record ())
    skip ();
  /* a service shows no window until it is called */
  const char *script = "until gapplication action io.github.performance_recorder.Wpr record-now; "
                       "do sleep 0.2; done 2>/dev/null & exec \"$0\" --gapplication-service";
  screen_start_with (screen, (const char *[]){ "/bin/sh", "-c", script, wprui, NULL }, NULL);
  g_object_unref (screen_wait_described (screen, "Events so far"));
  stop_and_look (screen);
}

int
main (int argc, char **argv)
{
  if (!kit_begin (argc, argv, 2))
    return 2;
  const struct CMUnitTest tests[] = {
    kit_test (record_now_begins_without_a_press),
    kit_test (record_now_reaches_the_window_that_is_open),
    kit_test (a_launcher_reaches_it_by_dbus),
  };
  return kit_run (tests);
}
