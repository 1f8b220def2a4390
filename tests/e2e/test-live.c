/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A recording that is changed while it runs: profiles on and off, losses provoked by the smallest
 * buffers and cured with the card's own buttons. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "kit.h"
#include "profile-file.h"

static char *
stop_and_read (Screen *screen)
{
  kit_stop_and_save (screen);
  g_autofree char *file = the_saved_file ();
  return run_program (-1, wpr, "-info", file, "-json", NULL);
}

/* A switch is pressed, the words above follow, and the file says so. */
static void
profiles_are_switched_while_recording (void **state)
{
  Screen *screen = *state;
  if (!may_record ())
    skip ();
  g_free (run_program (0, wpr, "-start", "CPU", NULL));
  screen_start (screen, wprui, NULL);
  g_object_unref (screen_wait (screen, ATSPI_ROLE_LABEL, "CPU usage. Memory, verbose."));
  screen_keys ("key ctrl+p");
  screen_wait_state (screen, ATSPI_ROLE_CHECK_BOX, "CPU usage", ATSPI_STATE_SENSITIVE, FALSE);
  screen_press (screen, ATSPI_ROLE_CHECK_BOX, "Networking I/O activity");
  g_object_unref (screen_wait (screen, ATSPI_ROLE_LABEL,
                               "CPU usage, Networking I/O activity. Memory, verbose."));
  run_named_programs ("e2e-live", 20);
  screen_wait_state (screen, ATSPI_ROLE_CHECK_BOX, "CPU usage", ATSPI_STATE_SENSITIVE, TRUE);
  screen_press (screen, ATSPI_ROLE_CHECK_BOX, "CPU usage");
  g_object_unref (
      screen_wait (screen, ATSPI_ROLE_LABEL, "Networking I/O activity. Memory, verbose."));
  g_autofree char *info = stop_and_read (screen);
  assert_non_null (strstr (info, "\"Mark\""));
  assert_non_null (strstr (info, "Network.Verbose.Memory"));
}

/* The collector's own total of `wpr -status`. */
static guint64
count_buffers (void)
{
  g_autofree char *status = run_program (0, wpr, "-status", "-json", NULL);
  return json_number (status, "buffers_granted");
}

/* The recorder does not get the processor, as on a machine that is very busy, while calls come. */
static void
stall_the_recorder (void)
{
  kit_hold_recorder ();
  for (guint i = 0; i < 100000; i++)
    getppid ();
  kit_let_go ();
}

/* Where the strip of the page says that events were lost. */
static char *
get_gap (Screen *screen)
{
  g_autoptr (AtspiAccessible) strip
      = screen_wait (screen, ATSPI_ROLE_IMAGE, "When events were lost");
  return atspi_accessible_get_description (strip);
}

/* Opened later, the file tells the same as when it was saved. */
static void
assert_gap_is_in_the_file (Screen *screen, const char *file, const char *gap)
{
  g_free (run_program (0, wprui, file, NULL));
  g_object_unref (screen_wait (screen, ATSPI_ROLE_LABEL, "A recording with a gap"));
  g_autofree char *again = NULL;
  for (guint i = 0; i < 300 && g_strcmp0 (again, gap) != 0; i++)
    {
      /* its events are being counted */
      screen_sleep (100);
      g_autoptr (AtspiAccessible) strip
          = screen_find (screen, ATSPI_ROLE_IMAGE, "When events were lost");
      g_free (again);
      again = strip != NULL ? atspi_accessible_get_description (strip) : NULL;
    }
  assert_string_equal (again, gap);
}

static void
losses_are_told_and_cured (void **state)
{
  Screen *screen = *state;
  if (!may_record ())
    skip ();
  g_free (run_program (0, wpr, "-start", "SystemCall", "-filemode", "-buffersize", "4", "-buffers",
                       "2", NULL));
  screen_start (screen, wprui, NULL);
  g_object_unref (screen_wait_described (screen, "Events so far"));
  guint64 before = count_buffers ();
  g_autoptr (AtspiAccessible) cure = NULL;
  for (guint i = 0; i < 10 && cure == NULL; i++)
    {
      stall_the_recorder ();
      screen_sleep (1500);
      cure = screen_find (screen, ATSPI_ROLE_PUSH_BUTTON, "Enlarge Buffers");
    }
  assert_non_null (cure);
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Enlarge Buffers");
  for (guint i = 0; i < 100 && count_buffers () <= before; i++)
    screen_sleep (100);
  assert_true (count_buffers () > before);
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Fewer Stacks");
  g_object_unref (screen_wait (screen, ATSPI_ROLE_LABEL, "System calls. File, light."));
  screen_wait_gone (screen, ATSPI_ROLE_PUSH_BUTTON, "Fewer Stacks");
  g_autofree char *info = stop_and_read (screen);
  assert_true (json_number (info, "events_lost") > 0);
  g_autofree char *file = the_saved_file ();
  g_autofree char *gap = get_gap (screen);
  assert_non_null (strstr (gap, "between"));
  /* from the page that tells of them: the same again, in twice the buffers */
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Record with Larger Buffers");
  g_object_unref (screen_wait_described (screen, "Events so far"));
  g_object_unref (screen_wait (screen, ATSPI_ROLE_LABEL, "System calls. File, light."));
  assert_true (count_buffers () > before);
  g_free (run_program (0, wpr, "-cancel", NULL));
  g_object_unref (screen_wait (screen, ATSPI_ROLE_CHECK_BOX, "CPU usage"));
  assert_gap_is_in_the_file (screen, file, gap);
}

static AtspiAccessible *
lose_some (Screen *screen)
{
  AtspiAccessible *cure = NULL;
  for (guint i = 0; i < 30 && cure == NULL; i++)
    {
      stall_the_recorder ();
      screen_sleep (1000);
      cure = screen_find (screen, ATSPI_ROLE_PUSH_BUTTON, "Enlarge Buffers");
    }
  return cure;
}

/* The recorder knows the file's profile by a name that no built-in one has. */
static void
a_file_s_profile_is_cured_as_any_other (void **state)
{
  Screen *screen = *state;
  if (!may_record ())
    skip ();
  g_autofree char *file = write_flooding_profile ("flood.wprp");
  kit_keep_settings ("mode='file'");
  screen_start_with (screen, (const char *[]){ wprui, file, NULL }, kit_lasting);
  g_object_unref (screen_wait (screen, ATSPI_ROLE_CHECK_BOX, "Every call"));
  g_object_unref (screen_wait (screen, ATSPI_ROLE_CHECK_BOX, "First level triage"));
  screen_press (screen, ATSPI_ROLE_CHECK_BOX, "First level triage");
  screen_press (screen, ATSPI_ROLE_CHECK_BOX, "Every call");
  kit_start_recording (screen);
  g_object_unref (screen_wait (screen, ATSPI_ROLE_LABEL, "Every call. File, verbose."));
  guint64 before = count_buffers ();
  g_autoptr (AtspiAccessible) cure = lose_some (screen);
  assert_non_null (cure);
  /* it has no lighter variant to change to */
  assert_null (screen_find (screen, ATSPI_ROLE_PUSH_BUTTON, "Fewer Stacks"));
  kit_stop_and_save (screen);
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Record with Larger Buffers");
  g_object_unref (screen_wait_described (screen, "Events so far"));
  g_object_unref (screen_wait (screen, ATSPI_ROLE_LABEL, "Every call. File, verbose."));
  assert_true (count_buffers () > before);
  g_free (run_program (0, wpr, "-cancel", NULL));
  assert_int_equal (g_unlink (file), 0);
}

int
main (int argc, char **argv)
{
  if (!kit_begin (argc, argv, 2))
    return 2;
  const struct CMUnitTest tests[] = {
    kit_test (profiles_are_switched_while_recording),
    kit_test (losses_are_told_and_cured),
    kit_test (a_file_s_profile_is_cured_as_any_other),
  };
  return kit_run (tests);
}
