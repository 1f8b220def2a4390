/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the desktop is told of a recording while nobody looks: that it loses events, that its disk
 * is nearly full. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <unistd.h>
#include "desktop.h"
#include "kit.h"

static int
tear_down (void **state)
{
  desktop_end ();
  return kit_tear_down (state);
}

/* The window is there, then hidden; the desktop listens. */
static void
begin_unseen (Screen *screen)
{
  desktop_begin ();
  screen_start (screen, wprui, NULL);
  g_object_unref (screen_wait_described (screen, "Events so far"));
  kit_go_to_background (screen);
  desktop_wait_told ("The recording goes on: ");
}

static void
a_disk_that_fills_is_told (void **state)
{
  if (!may_record () || geteuid () != 0)
    skip ();
  g_autofree char *place = kit_mount_scarce (KIT_SCARCE_BYTES);
  if (place == NULL)
    skip ();
  g_free (run_program (0, wpr, "-start", "CPU", "-filemode", "-recordtempto", place, NULL));
  begin_unseen (*state);
  kit_fill_scarce (place);
  desktop_wait_told ("The disk is nearly full.");
  g_free (run_program (0, wpr, "-cancel", NULL));
}

static void
losses_are_told (void **state)
{
  if (!may_record ())
    skip ();
  g_free (run_program (0, wpr, "-start", "SystemCall", "-filemode", "-buffersize", "4", "-buffers",
                       "2", NULL));
  begin_unseen (*state);
  for (guint i = 0; i < 10 && !desktop_was_told ("events were lost"); i++)
    {
      /* it does not empty its buffers while this fills them */
      kit_hold_recorder ();
      for (guint n = 0; n < 100000; n++)
        getppid ();
      kit_let_go ();
      screen_sleep (1500);
    }
  desktop_wait_told ("events were lost");
  g_free (run_program (0, wpr, "-cancel", NULL));
}

int
main (int argc, char **argv)
{
  if (!kit_begin (argc, argv, 2))
    return 2;
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown (a_disk_that_fills_is_told, kit_set_up, tear_down),
    cmocka_unit_test_setup_teardown (losses_are_told, kit_set_up, tear_down),
  };
  return kit_run (tests);
}
