/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A back end that takes five seconds for every answer and every file: in each state the window
 * still answers and paints within one. What it has to wait for the processor, with all that runs
 * beside it, is not counted as its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "kit.h"

#define ANSWER_S 1.0
#define LOOKS 4         /* a state is looked at so often, half a second apart */
#define PAINT_WAIT_S 20 /* then nothing will be painted any more */

static const char *slow;
static char *slow_file;
static GMappedFile *pixels;

static int
tear_down (void **state)
{
  g_unlink (slow_file);
  return kit_tear_down (state);
}

static void
set_slow (gboolean on)
{
  if (on)
    assert_true (g_file_set_contents (slow_file, "", 0, NULL));
  else
    g_unlink (slow_file);
}

static void
start_window (Screen *screen)
{
  g_autofree char *file = g_strdup_printf ("WPR_SLOW=%s", slow_file);
  g_autofree char *preload = g_strdup_printf ("LD_PRELOAD=%s", slow);
  const char *environment[] = { file, *slow ? preload : NULL, NULL };
  screen_start (screen, wprui, environment);
}

/* Seconds a process's main thread stood ready and was not let run. */
static double
waited_for_processor (const char *pid)
{
  g_autofree char *path = g_strdup_printf ("/proc/%s/schedstat", pid);
  g_autofree char *text = NULL;
  if (!g_file_get_contents (path, &text, NULL, NULL))
    return 0;
  const char *second = strchr (text, ' ');
  return second ? g_ascii_strtod (second, NULL) / 1e9 : 0;
}

typedef struct
{
  gint64 begin_us;
  double window, self;
} Watch;

static Watch
begin_watch (Screen *screen)
{
  return (Watch){ g_get_monotonic_time (),
                  waited_for_processor (g_subprocess_get_identifier (screen->process)),
                  waited_for_processor ("self") };
}

static double
end_watch (Screen *screen, const Watch *watch)
{
  double took = (double)(g_get_monotonic_time () - watch->begin_us) / G_USEC_PER_SEC;
  took -= waited_for_processor (g_subprocess_get_identifier (screen->process)) - watch->window;
  return took - (waited_for_processor ("self") - watch->self);
}

static double
time_answer (Screen *screen)
{
  Watch watch = begin_watch (screen);
  g_autoptr (GError) error = NULL;
  atspi_accessible_clear_cache (screen->root);
  int count = atspi_accessible_get_child_count (screen->root, &error);
  if (error != NULL || count < 1)
    return ANSWER_S + PAINT_WAIT_S; /* the question's own time was over */
  return end_watch (screen, &watch);
}

/* The pointer comes to the menu button, which is drawn so. */
static double
time_paint (Screen *screen)
{
  gsize size = g_mapped_file_get_length (pixels);
  const char *live = g_mapped_file_get_contents (pixels);
  screen_keys ("mousemove 400 28");
  g_autofree char *before = g_memdup2 (live, size);
  screen_keys_at_once ("mousemove 818 28");
  Watch watch = begin_watch (screen);
  while (memcmp (live, before, size) == 0)
    {
      if (g_get_monotonic_time () - watch.begin_us > PAINT_WAIT_S * G_USEC_PER_SEC)
        return PAINT_WAIT_S;
      g_usleep (5000);
    }
  return end_watch (screen, &watch);
}

static void
assert_lively (Screen *screen, const char *state)
{
  double answer = 0, paint = 0;
  for (guint i = 0; i < LOOKS; i++)
    {
      answer = MAX (answer, time_answer (screen));
      paint = MAX (paint, time_paint (screen));
      g_usleep (G_USEC_PER_SEC / 2);
    }
  print_message ("%s: answers within %.0f ms, paints within %.0f ms\n", state, answer * 1e3,
                 paint * 1e3);
  if (answer >= ANSWER_S || paint >= ANSWER_S)
    fail_msg ("%s: it answered after %.1f s and painted after %.1f s", state, answer, paint);
}

/* The measure itself: of a window that is stopped it tells so. */
static void
a_frozen_window_is_noticed (void **state)
{
  Screen *screen = *state;
  start_window (screen);
  g_object_unref (screen_wait (screen, ATSPI_ROLE_CHECK_BOX, "CPU usage"));
  g_subprocess_send_signal (screen->process, SIGSTOP);
  double answer = time_answer (screen);
  g_subprocess_send_signal (screen->process, SIGCONT);
  assert_true (answer >= ANSWER_S);
}

static void
it_is_there_before_the_core_has_answered (void **state)
{
  Screen *screen = *state;
  if (*slow == '\0')
    skip ();
  set_slow (TRUE);
  start_window (screen);
  assert_lively (screen, "choosing, nothing loaded");
  assert_null (screen_find (screen, ATSPI_ROLE_CHECK_BOX, "CPU usage"));
  set_slow (FALSE);
  g_object_unref (screen_wait (screen, ATSPI_ROLE_CHECK_BOX, "CPU usage"));
  set_slow (TRUE);
  screen_press (screen, ATSPI_ROLE_CHECK_BOX, "CPU usage");
  assert_lively (screen, "choosing");
}

static void
it_answers_in_every_state_of_a_recording (void **state)
{
  Screen *screen = *state;
  if (*slow == '\0' || !may_record ())
    skip ();
  start_window (screen);
  screen_wait_state (screen, ATSPI_ROLE_PUSH_BUTTON, "Start", ATSPI_STATE_SENSITIVE, TRUE);
  set_slow (TRUE);
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Start");
  assert_lively (screen, "starting");
  assert_null (screen_find_described (screen, "Events so far"));
  set_slow (FALSE);
  g_object_unref (screen_wait_described (screen, "Events so far"));
  set_slow (TRUE);
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Save Now, Keep Recording");
  assert_lively (screen, "recording");
  set_slow (FALSE);
  screen_sleep (2000);
  set_slow (TRUE);
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Stop and Save");
  assert_lively (screen, "saving");
  assert_null (screen_find_described (screen, "How it ended"));
  set_slow (FALSE);
  g_object_unref (screen_wait_described (screen, "How it ended"));
  set_slow (TRUE);
  assert_lively (screen, "result");
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Record Again");
  assert_lively (screen, "choosing again");
}

int
main (int argc, char **argv)
{
  if (!kit_begin (argc, argv, 3))
    return 2;
  slow = argv[3];
  slow_file = g_build_filename (g_getenv ("E2E_PLACE"), "slow", NULL);
  pixels = g_mapped_file_new (g_getenv ("E2E_FRAMEBUFFER"), FALSE, NULL);
  if (pixels == NULL)
    return 2;
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown (a_frozen_window_is_noticed, kit_set_up, tear_down),
    cmocka_unit_test_setup_teardown (it_is_there_before_the_core_has_answered, kit_set_up,
                                     tear_down),
    cmocka_unit_test_setup_teardown (it_answers_in_every_state_of_a_recording, kit_set_up,
                                     tear_down),
  };
  int failed = kit_run (tests);
  g_mapped_file_unref (pixels);
  g_free (slow_file);
  return failed;
}
