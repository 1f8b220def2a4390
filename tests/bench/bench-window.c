/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How long the window takes from fork to its first frame, with no files of a person's and with 500.
 * Called inside tests/e2e/run-window: bench-window WPRUI. Watches the screen as a person does: the
 * window is there once its pixels are of more than one colour. */
#include <X11/Xlib.h>
#include <X11/Xutil.h>
#include <glib/gstdio.h>
#include <gio/gio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_FILES 500
#define N_RUNS 7 /* of each kind, turn by turn; the middle one is printed */
#define PATIENCE_MS 20000
#define LEAST_SIZE 300 /* of the window; smaller ones are helpers of the toolkit */

static const char profile[]
    = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<WindowsPerformanceRecorder Version=\"1.0\">\n"
      "<Profiles><SystemCollector Id=\"C\" Name=\"NT Kernel Logger\"><BufferSize Value=\"1024\"/>"
      "<Buffers Value=\"64\"/></SystemCollector><SystemProvider Id=\"S\"><Keywords><Keyword "
      "Value=\"CSwitch\"/><Keyword Value=\"SampledProfile\"/></Keywords></SystemProvider>\n"
      "<Profile Id=\"P%u.Verbose.Memory\" Name=\"P%u\" Description=\"Measurement %u\" "
      "LoggingMode=\"Memory\" DetailLevel=\"Verbose\"><Collectors><SystemCollectorId Value=\"C\">"
      "<SystemProviderId Value=\"S\"/></SystemCollectorId></Collectors></Profile>\n"
      "</Profiles></WindowsPerformanceRecorder>\n";

static int
ignore_error (Display *display, XErrorEvent *event)
{
  return 0; /* a window that went between two questions */
}

/* More than one colour in a line through the middle. */
static gboolean
is_painted (Display *display, Window window, const XWindowAttributes *at)
{
  XImage *line
      = XGetImage (display, window, 0, at->height / 2, (unsigned)at->width, 1, AllPlanes, ZPixmap);
  gboolean painted = FALSE;
  if (line == NULL)
    return FALSE;
  for (int x = 1; x < at->width && !painted; x++)
    painted = XGetPixel (line, x, 0) != XGetPixel (line, 0, 0);
  XDestroyImage (line);
  return painted;
}

static gboolean
shows_a_window (Display *display)
{
  Window root, parent, *children = NULL;
  unsigned n = 0;
  gboolean shown = FALSE;
  if (XQueryTree (display, DefaultRootWindow (display), &root, &parent, &children, &n) == 0)
    return FALSE;
  for (unsigned i = 0; i < n && !shown; i++)
    {
      XWindowAttributes at;
      if (XGetWindowAttributes (display, children[i], &at) != 0 && at.map_state == IsViewable
          && at.width > LEAST_SIZE && at.height > LEAST_SIZE)
        shown = is_painted (display, children[i], &at);
    }
  if (children != NULL)
    XFree (children);
  return shown;
}

/* Milliseconds from fork to the first frame; -1: it never came. */
static double
time_start (Display *display, const char *wprui)
{
  g_autoptr (GError) error = NULL;
  double took = -1;
  gint64 begin = g_get_monotonic_time ();
  g_autoptr (GSubprocess) window
      = g_subprocess_new (G_SUBPROCESS_FLAGS_STDERR_SILENCE, &error, wprui, NULL);
  if (window == NULL)
    g_error ("%s", error->message);
  while (took < 0 && g_get_monotonic_time () - begin < PATIENCE_MS * 1000)
    {
      if (shows_a_window (display))
        took = (double)(g_get_monotonic_time () - begin) / 1000;
      else
        g_usleep (1000);
    }
  g_subprocess_force_exit (window);
  g_subprocess_wait (window, NULL, NULL);
  while (shows_a_window (display))
    g_usleep (10000);
  return took;
}

/* Writes the files once, and the settings that remember them or not. */
static void
remember (const char *place, gboolean files)
{
  g_autoptr (GString) list = g_string_new (NULL);
  for (guint i = 0; files && i < N_FILES; i++)
    {
      g_autofree char *path = g_strdup_printf ("%s/measurement-%u.wprp", place, i);
      g_autofree char *text = g_strdup_printf (profile, i, i, i);
      if (!g_file_test (path, G_FILE_TEST_EXISTS))
        g_file_set_contents (path, text, -1, NULL);
      g_string_append_printf (list, "%s'%s'", i > 0 ? ", " : "", path);
    }
  g_autofree char *folder
      = g_build_filename (g_getenv ("XDG_CONFIG_HOME"), "glib-2.0", "settings", NULL);
  g_autofree char *file = g_build_filename (folder, "keyfile", NULL);
  g_autofree char *text
      = files ? g_strdup_printf ("[io/github/performance_recorder/Wpr]\ncustom-profiles=[%s]\n",
                                 list->str)
              : g_strdup ("");
  g_mkdir_with_parents (folder, 0700);
  if (!g_file_set_contents (file, text, -1, NULL))
    g_error ("%s cannot be written", file);
}

static int
compare (gconstpointer a, gconstpointer b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int
main (int argc, char **argv)
{
  Display *display = argc > 1 ? XOpenDisplay (NULL) : NULL;
  const char *place = g_getenv ("E2E_PLACE");
  if (display == NULL || place == NULL)
    return 2;
  XSetErrorHandler (ignore_error);
  g_setenv ("GSETTINGS_BACKEND", "keyfile", TRUE);
  double took[2][N_RUNS];
  time_start (display, argv[1]); /* what is read for the first time is not the window's doing */
  for (guint run = 0; run < N_RUNS; run++)
    for (guint files = 0; files < 2; files++)
      {
        remember (place, files != 0);
        took[files][run] = time_start (display, argv[1]);
      }
  for (guint files = 0; files < 2; files++)
    {
      qsort (took[files], N_RUNS, sizeof (double), compare);
      printf ("fork to first frame, %3d files of a person's: %6.0f ms (%.0f to %.0f)\n",
              files ? N_FILES : 0, took[files][N_RUNS / 2], took[files][0],
              took[files][N_RUNS - 1]);
    }
  XCloseDisplay (display);
  return 0;
}
