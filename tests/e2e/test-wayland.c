/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The real window under a Wayland compositor without a screen: one recording from start to stop, by
 * the accessibility tree alone. Everything else is tested under X11. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <unistd.h>
#include "kit.h"

#define SOCKET "wpr-e2e"
#define PATIENCE_MS 60000
#define STEP_MS 50

/* Its socket is there once it is ready. */
static GSubprocess *
start_weston (void)
{
  g_autofree char *socket = g_build_filename (g_getenv ("XDG_RUNTIME_DIR"), SOCKET, NULL);
  g_autoptr (GError) error = NULL;
  GSubprocess *weston
      = g_subprocess_new (G_SUBPROCESS_FLAGS_STDOUT_SILENCE | G_SUBPROCESS_FLAGS_STDERR_SILENCE,
                          &error, "weston", "--backend=headless-backend.so", "--socket=" SOCKET,
                          "--no-config", "--idle-time=0", "--width=1280", "--height=900", NULL);
  if (weston == NULL)
    fail_msg ("%s", error->message);
  for (guint ms = 0; ms < PATIENCE_MS && access (socket, F_OK) != 0; ms += STEP_MS)
    screen_sleep (STEP_MS);
  if (access (socket, F_OK) != 0)
    fail_msg ("weston did not open its socket");
  return weston;
}

static void
a_recording_becomes_a_file_under_wayland (void **state)
{
  g_autofree char *compositor = g_find_program_in_path ("weston");
  if (compositor == NULL || !may_record ())
    {
      print_message ("weston is not installed, or nothing can be recorded here\n");
      skip ();
    }
  g_autoptr (GSubprocess) weston = start_weston ();
  Screen screen = { NULL, NULL };
  /* no way back to X11 */
  screen_start (&screen, wprui,
                (const char *[]){ "GDK_BACKEND=wayland", "WAYLAND_DISPLAY=" SOCKET,
                                  "DISPLAY=:nowhere", NULL });
  screen_wait_state (&screen, ATSPI_ROLE_PUSH_BUTTON, "Start", ATSPI_STATE_SENSITIVE, TRUE);
  screen_press (&screen, ATSPI_ROLE_PUSH_BUTTON, "Start");
  g_object_unref (screen_wait_described (&screen, "Events so far"));
  guint64 before = screen_number (&screen, "Events so far");
  run_named_programs ("e2e-wayland", 20);
  for (guint i = 0; i < 100 && screen_number (&screen, "Events so far") <= before; i++)
    screen_sleep (100);
  assert_true (screen_number (&screen, "Events so far") > before);
  screen_press (&screen, ATSPI_ROLE_PUSH_BUTTON, "Stop and Save");
  g_autofree char *words = kit_wait_verdict (&screen);
  assert_true (g_str_has_prefix (words, "Saved"));
  g_autofree char *file = the_saved_file ();
  g_autofree char *info = run_program (-1, wpr, "-info", file, "-json", NULL);
  assert_true (json_number (info, "events") > 20);
  screen_end (&screen);
  g_subprocess_force_exit (weston);
  g_subprocess_wait (weston, NULL, NULL);
  clean_places (wpr);
}

int
main (int argc, char **argv)
{
  if (argc < 3)
    return 2;
  g_autofree char *window = g_canonicalize_filename (argv[1], NULL);
  g_autofree char *command = g_canonicalize_filename (argv[2], NULL);
  wprui = window;
  wpr = command;
  g_setenv ("WPR_RECORDER", wpr, TRUE);
  atspi_init ();
  const struct CMUnitTest tests[] = { cmocka_unit_test (a_recording_becomes_a_file_under_wayland) };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
