/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the recorder says of a recording: the bar says it, once, also what was said before the
 * window knew of the recording. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <unistd.h>
#include "kit.h"

/* Of a raw recording on a tmpfs; said when it starts. */
#define IN_MEMORY "The raw recording lies in memory"
#define CLOSE "Close This Message"
#define PATIENCE 600 /* tenths of a second */

static char *place; /* a tmpfs, or NULL */

static int
tear_down (void **state)
{
  int result = kit_tear_down (state);
  if (place != NULL)
    kit_unmount_folder (place);
  g_clear_pointer (&place, g_free);
  return result;
}

static void
make_place (void)
{
  if (!may_record () || geteuid () != 0)
    skip ();
  place = kit_mount_folder ("size=512m", 0);
  if (place == NULL)
    skip ();
}

static void
wait_unsaid (Screen *screen, const char *begin)
{
  g_autofree char *text = NULL;
  for (guint i = 0; i < PATIENCE; i++)
    {
      g_free (text);
      text = screen_find_text (screen, ATSPI_ROLE_LABEL, begin);
      if (text == NULL)
        return;
      screen_sleep (100);
    }
  fail_msg ("it still says “%s”", text);
}

/* Closed, it does not come back. */
static void
what_was_said_before_is_shown_and_closed (void **state)
{
  Screen *screen = *state;
  make_place ();
  g_free (run_program (0, wpr, "-start", "CPU", "-filemode", "-recordtempto", place, NULL));
  screen_start (screen, wprui, NULL);
  kit_wait_text (screen, IN_MEMORY);
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, CLOSE);
  wait_unsaid (screen, IN_MEMORY);
  guint64 before = screen_number (screen, "Events so far");
  for (guint i = 0; i < PATIENCE && screen_number (screen, "Events so far") == before; i++)
    screen_sleep (100);
  g_autofree char *again = screen_find_text (screen, ATSPI_ROLE_LABEL, IN_MEMORY);
  assert_null (again);
}

/* Said while it started, before there was anything to show. */
static void
what_was_said_at_the_start_is_shown (void **state)
{
  Screen *screen = *state;
  make_place ();
  g_autofree char *elsewhere = g_strconcat ("WPR_STATE_DIR=", place, NULL);
  kit_keep_settings ("mode='file'");
  screen_start (screen, wprui, (const char *[]){ kit_lasting[0], elsewhere, NULL });
  kit_start_recording (screen);
  kit_wait_text (screen, IN_MEMORY);
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, CLOSE);
  wait_unsaid (screen, IN_MEMORY);
  kit_stop_and_save (screen);
}

int
main (int argc, char **argv)
{
  if (!kit_begin (argc, argv, 2))
    return 2;
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown (what_was_said_before_is_shown_and_closed, kit_set_up,
                                     tear_down),
    cmocka_unit_test_setup_teardown (what_was_said_at_the_start_is_shown, kit_set_up, tear_down),
  };
  return kit_run (tests);
}
