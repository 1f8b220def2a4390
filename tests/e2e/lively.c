/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether the window answers an accessibility request and paints within a second. What it has to
 * wait for the processor, with all that runs beside it, is not counted as its own. */
#include "lively.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#define LOOKS 4         /* a state is looked at so often, half a second apart */
#define PAINT_WAIT_S 20 /* then nothing will be painted any more */

static GMappedFile *pixels; /* of the screen; for as long as the program lives */

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

double
time_answer (Screen *screen)
{
  Watch watch = begin_watch (screen);
  guint windows;
  if (!atspi_accessible_count_children (screen->root, &windows) || windows < 1)
    return ANSWER_S + PAINT_WAIT_S; /* the question's own time was over */
  return end_watch (screen, &watch);
}

/* Of what is drawn after `first` and differently after `second`: words for xdotool. */
static double
time_paint (Screen *screen, const char *first, const char *second)
{
  if (pixels == NULL)
    pixels = g_mapped_file_new (g_getenv ("E2E_FRAMEBUFFER"), FALSE, NULL);
  assert_non_null (pixels);
  gsize size = g_mapped_file_get_length (pixels);
  const char *live = g_mapped_file_get_contents (pixels);
  screen_keys (first);
  g_autofree char *before = g_memdup2 (live, size);
  screen_keys_at_once (second);
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
look (Screen *screen, const char *state, const char *first, const char *second)
{
  double answer = 0, paint = 0;
  for (guint i = 0; i < LOOKS; i++)
    {
      answer = MAX (answer, time_answer (screen));
      paint = MAX (paint, time_paint (screen, first, second));
      g_usleep (G_USEC_PER_SEC / 2);
    }
  print_message ("%s: answers within %.0f ms, paints within %.0f ms\n", state, answer * 1e3,
                 paint * 1e3);
  if (answer >= ANSWER_S || paint >= ANSWER_S)
    fail_msg ("%s: it answered after %.1f s and painted after %.1f s", state, answer, paint);
}

/* The pointer comes to the menu button. */
void
assert_lively (Screen *screen, const char *state)
{
  look (screen, state, "mousemove 400 28", "mousemove 818 28");
}

/* The keyboard goes from one control to the next. */
void
assert_dialog_lively (Screen *screen, const char *state)
{
  look (screen, state, "key Tab", "key Tab");
}
