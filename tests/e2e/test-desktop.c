/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a desktop asks of the program: record at once, be one instance, be started by D-Bus. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include "screen.h"
#include "wpr.h"

static const char *wprui, *wpr;

static int
set_up (void **state)
{
  clean_places (wpr);
  *state = g_new0 (Screen, 1);
  return 0;
}

static int
tear_down (void **state)
{
  screen_end (*state);
  g_free (*state);
  clean_places (wpr);
  return 0;
}

static void
stop_and_look (Screen *screen)
{
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Stop and Save");
  g_object_unref (screen_wait_described (screen, "How it ended"));
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
  if (argc < 3)
    return 2;
  for (int i = 1; i <= 2; i++)
    argv[i] = g_canonicalize_filename (argv[i], NULL);
  wprui = argv[1];
  wpr = argv[2];
  g_setenv ("WPR_RECORDER", wpr, TRUE);
  atspi_init ();
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown (record_now_begins_without_a_press, set_up, tear_down),
    cmocka_unit_test_setup_teardown (record_now_reaches_the_window_that_is_open, set_up, tear_down),
    cmocka_unit_test_setup_teardown (a_launcher_reaches_it_by_dbus, set_up, tear_down),
  };
  cmocka_set_test_filter (g_getenv ("E2E_ONLY"));
  int failed = cmocka_run_group_tests (tests, NULL, NULL);
  for (int i = 1; i <= 2; i++)
    g_free (argv[i]);
  return failed;
}
