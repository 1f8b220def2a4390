/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The window of somebody who may not record the whole system: it says so, and Start is impossible.
 * Runs as that user from the start: `run-window` is called through setpriv. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "kit.h"

static void
without_rights_the_window_says_so (void **state)
{
  if (may_record ())
    {
      print_message ("this user may record the whole system: nothing to see\n");
      skip ();
    }
  Screen screen = { NULL, NULL };
  screen_start (&screen, wprui, NULL);
  g_object_unref (screen_wait (&screen, ATSPI_ROLE_CHECK_BOX, "CPU usage"));
  g_object_unref (screen_wait (&screen, ATSPI_ROLE_LABEL, "Needs an administrator’s permission"));
  screen_wait_state (&screen, ATSPI_ROLE_PUSH_BUTTON, "Start", ATSPI_STATE_SENSITIVE, FALSE);
  g_autoptr (AtspiAccessible) sentence
      = screen_wait_described (&screen, "What may be recorded here");
  g_autofree char *text = screen_text (sentence);
  assert_true (strlen (text) > 20);
  /* the key must not do what the button may not */
  screen_keys ("key ctrl+r");
  screen_sleep (500);
  g_object_unref (screen_wait (&screen, ATSPI_ROLE_CHECK_BOX, "CPU usage"));
  screen_end (&screen);
}

/* What `./dev run` offers: the recorder has rights of its own, the window has none, and the first
 * Start records. */
static void
with_rights_of_the_recorder_it_records (void **state)
{
  const char *capable = g_getenv ("E2E_CAPABLE_WPR");
  if (capable == NULL || may_record ())
    {
      print_message ("no recorder with rights of its own: needs root and setcap\n");
      skip ();
    }
  g_autofree char *recorder = g_strdup_printf ("WPR_RECORDER=%s", capable);
  Screen screen = { NULL, NULL };
  screen_start (&screen, wprui, (const char *[]){ recorder, NULL });
  screen_wait_state (&screen, ATSPI_ROLE_PUSH_BUTTON, "Start", ATSPI_STATE_SENSITIVE, TRUE);
  screen_press (&screen, ATSPI_ROLE_PUSH_BUTTON, "Start");
  g_object_unref (screen_wait_described (&screen, "Events so far"));
  for (guint i = 0; i < 100 && screen_number (&screen, "Events so far") == 0; i++)
    screen_sleep (100);
  assert_true (screen_number (&screen, "Events so far") > 0);
  screen_press (&screen, ATSPI_ROLE_PUSH_BUTTON, "Stop and Save");
  g_autofree char *words = kit_wait_verdict (&screen);
  assert_true (g_str_has_prefix (words, "Saved"));
  screen_end (&screen);
}

int
main (int argc, char **argv)
{
  if (argc < 2)
    return 2;
  wprui = argv[1];
  atspi_init ();
  const struct CMUnitTest tests[] = { cmocka_unit_test (without_rights_the_window_says_so),
                                      cmocka_unit_test (with_rights_of_the_recorder_it_records) };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
