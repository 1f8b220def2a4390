/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A display of 360 x 640: every page and dialog fits it.
 * Without a window manager GTK draws a frame of five pixels, so that the test's screen is ten
 * larger. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "hands.h"
#include "kit.h"
#include "profile-file.h"

#define WIDTH 370
#define HEIGHT 650

/* All that is shown; "WIDTH=…" and "HEIGHT=…" of each. */
static void
assert_fits (Screen *screen, const char *page)
{
  const char *pictures = g_getenv ("E2E_PICTURES");
  screen_sleep (700); /* what opens moves */
  if (pictures != NULL)
    {
      g_autofree char *command
          = g_strdup_printf ("import -window root '%s/narrow %s.png'", pictures, page);
      assert_int_equal (system (command), 0);
    }
  g_autofree char *out = run_program (0, "xdotool", "search", "--onlyvisible", "--class", "wprui",
                                      "getwindowgeometry", "--shell", "%@", NULL);
  g_auto (GStrv) lines = g_strsplit (out, "\n", -1);
  guint n = 0;
  for (char **line = lines; *line != NULL; line++)
    {
      guint64 limit = g_str_has_prefix (*line, "WIDTH=")    ? WIDTH
                      : g_str_has_prefix (*line, "HEIGHT=") ? HEIGHT
                                                            : 0;
      if (limit == 0)
        continue;
      n++;
      if (g_ascii_strtoull (strchr (*line, '=') + 1, NULL, 10) > limit)
        fail_msg ("%s: a window is larger than the screen: %s", page, *line);
    }
  assert_true (n >= 2);
}

/* What is wider than the window is cut by it, not made smaller. */
static void
assert_in_window (Screen *screen, const char *button)
{
  g_autoptr (AtspiAccessible) accessible = screen_wait (screen, ATSPI_ROLE_PUSH_BUTTON, button);
  int x = 0, width = 0;
  if (!atspi_accessible_get_place (accessible, &x, &width))
    fail_msg ("“%s” lies nowhere", button);
  if (x < 0 || x + width > WIDTH)
    fail_msg ("“%s” lies at %d to %d of %d", button, x, x + width, WIDTH);
}

/* Half as large again: nothing of it may lie outside. */
static void
large_text_stays_inside (void **state)
{
  Screen *screen = *state;
  if (!may_record ())
    skip ();
  g_autofree char *guide = write_titled_profile ("guide.wprp", "A profile", "256", "Exec");
  screen_start_with (screen, (const char *[]){ wprui, NULL }, NULL);
  assert_in_window (screen, "Start");
  kit_start_recording (screen);
  static const char *const buttons[]
      = { "It Happened Now", "Save Now, Keep Recording", "Discard…", "Stop and Save" };
  for (guint i = 0; i < G_N_ELEMENTS (buttons); i++)
    assert_in_window (screen, buttons[i]);
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Stop and Save");
  g_free (kit_wait_verdict (screen));
  assert_in_window (screen, "Show in Folder");
  screen_end (screen);
  screen_start_with (screen, (const char *[]){ wprui, "--guide", guide, NULL }, NULL);
  screen_wait_state (screen, ATSPI_ROLE_PUSH_BUTTON, "Start", ATSPI_STATE_SENSITIVE, TRUE);
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Start");
  assert_in_window (screen, "Stop and Save");
  assert_in_window (screen, "Discard…");
  assert_in_window (screen, "Close This Page");
  assert_int_equal (g_unlink (guide), 0);
}

static void
every_page_fits (void **state)
{
  Screen *screen = *state;
  if (!may_record ())
    skip ();
  g_autofree char *broken = write_titled_profile (
      "a name that is as long as people make names.wprp",
      "A profile with a title that is longer than the screen is wide", "256K", "Exce");
  screen_start_with (screen, (const char *[]){ wprui, broken, NULL }, NULL);
  g_object_unref (screen_wait (screen, ATSPI_ROLE_CHECK_BOX, "CPU usage"));
  kit_wait_text (screen, "3 faults");
  screen_keys ("mousemove 100 300");
  assert_fits (screen, "choose");
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "What It Records: CPU usage");
  kit_wait_text (screen, "Records");
  assert_fits (screen, "details");
  screen_keys ("key Escape");
  screen_sleep (1500);
  screen_keys ("key ctrl+comma");
  screen_sleep (1500);
  assert_fits (screen, "preferences");
  screen_keys ("key Escape");
  screen_sleep (1500);
  screen_keys ("key ctrl+question");
  g_object_unref (screen_wait (screen, ATSPI_ROLE_LABEL, "Start, or stop and save"));
  assert_fits (screen, "shortcuts");
  /* the last of them is reached with the keyboard */
  hands_tab_to (screen, ATSPI_ROLE_LIST_ITEM, "Close what is in front of the window");
  screen_keys ("key Escape");
  screen_wait_gone (screen, ATSPI_ROLE_LABEL, "Start, or stop and save");
  kit_start_recording (screen);
  assert_fits (screen, "recording");
  screen_keys ("key ctrl+l");
  screen_keys ("key ctrl+p");
  assert_fits (screen, "recording, opened");
  screen_keys ("key ctrl+w");
  kit_wait_text (screen, "A recording is running");
  assert_fits (screen, "closing");
  screen_keys ("key Escape");
  screen_sleep (1500);
  kit_hold_recorder ();
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Stop and Save");
  g_object_unref (screen_wait (screen, ATSPI_ROLE_PUSH_BUTTON, "Finish Later"));
  assert_fits (screen, "saving");
  kit_let_go ();
  g_free (kit_wait_verdict (screen));
  assert_fits (screen, "result");
  screen_keys ("key alt+2");
  g_object_unref (screen_wait (screen, ATSPI_ROLE_LABEL, "Today"));
  assert_fits (screen, "recordings");
  assert_int_equal (g_unlink (broken), 0);
}

static void
a_guide_fits (void **state)
{
  Screen *screen = *state;
  g_autofree char *guide = write_titled_profile (
      "guide.wprp", "A profile with a title that is longer than the screen is wide", "256", "Exec");
  screen_start_with (screen, (const char *[]){ wprui, "--guide", guide, "--ticket", "4711", NULL },
                     NULL);
  kit_wait_text (screen, "Press Start below.");
  assert_fits (screen, "guide");
  assert_int_equal (g_unlink (guide), 0);
}

int
main (int argc, char **argv)
{
  if (!kit_begin (argc, argv, 2))
    return 2;
  const struct CMUnitTest tests[] = {
    kit_test (every_page_fits),
    kit_test (a_guide_fits),
    kit_test (large_text_stays_inside),
  };
  return kit_run (tests);
}
