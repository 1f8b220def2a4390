/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How long the window takes from fork to its first frame, with no files of a person's and with 500;
 * and until all rows are there, which is when it uses no CPU any more; and how long its main loop
 * was ever away until then. Called inside tests/e2e/run-window: bench-window WPRUI TURNS. Watches
 * the screen as a person does: the window is there once its pixels are of more than one colour. */
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
/* With so little CPU it is at rest; it looks at the machine again after 2 s. */
#define REST_MS 300
#define REST_CPU_NS 3000000
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

/* Of all threads of a process. */
static guint64
read_cpu_ns (const char *pid)
{
  g_autofree char *folder = g_build_filename ("/proc", pid, "task", NULL);
  g_autoptr (GDir) tasks = g_dir_open (folder, 0, NULL);
  guint64 total = 0;
  const char *task;
  while (tasks != NULL && (task = g_dir_read_name (tasks)) != NULL)
    {
      g_autofree char *file = g_build_filename (folder, task, "schedstat", NULL);
      g_autofree char *text = NULL;
      if (g_file_get_contents (file, &text, NULL, NULL))
        total += g_ascii_strtoull (text, NULL, 10);
    }
  return total;
}

/* Milliseconds since begin_us at which it came to rest. */
static double
wait_for_rest (const char *pid, gint64 begin_us)
{
  gint64 rest_us = g_get_monotonic_time ();
  guint64 at_rest_ns = read_cpu_ns (pid);
  while (g_get_monotonic_time () - rest_us < REST_MS * 1000
         && g_get_monotonic_time () - begin_us < PATIENCE_MS * 1000)
    {
      g_usleep (10000);
      guint64 now_ns = read_cpu_ns (pid);
      if (now_ns - at_rest_ns < REST_CPU_NS)
        continue;
      at_rest_ns = now_ns;
      rest_us = g_get_monotonic_time ();
    }
  return (double)(rest_us - begin_us) / 1000;
}

typedef struct
{
  double first_ms; /* -1: it never came */
  double rest_ms;
  double turn_ms, turn_cpu_ms; /* the longest; 0 without turns */
} Start;

/* What turns.c wrote. */
static void
read_turns (const char *path, Start *start)
{
  g_autofree char *text = NULL;
  gsize length = 0;
  guint64 longest[2];
  if (!g_file_get_contents (path, &text, &length, NULL) || length < sizeof longest)
    return;
  memcpy (longest, text, sizeof longest);
  start->turn_ms = longest[0] / 1e6;
  start->turn_cpu_ms = longest[1] / 1e6;
}

/* turns: the library that times them, or NULL; it costs a little. */
static Start
time_start (Display *display, const char *wprui, const char *turns)
{
  g_autoptr (GError) error = NULL;
  double took = -1;
  Start start = { .first_ms = -1 };
  g_autofree char *file = g_build_filename (g_getenv ("E2E_PLACE"), "turns", NULL);
  g_autoptr (GSubprocessLauncher) launcher
      = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDERR_SILENCE);
  if (turns != NULL)
    {
      g_subprocess_launcher_setenv (launcher, "LD_PRELOAD", turns, TRUE);
      g_subprocess_launcher_setenv (launcher, "WPR_TURNS", file, TRUE);
      g_unlink (file);
    }
  gint64 begin = g_get_monotonic_time ();
  g_autoptr (GSubprocess) window = g_subprocess_launcher_spawn (launcher, &error, wprui, NULL);
  if (window == NULL)
    g_error ("%s", error->message);
  while (took < 0 && g_get_monotonic_time () - begin < PATIENCE_MS * 1000)
    {
      if (shows_a_window (display))
        took = (double)(g_get_monotonic_time () - begin) / 1000;
      else
        g_usleep (1000);
    }
  start.first_ms = took;
  start.rest_ms = wait_for_rest (g_subprocess_get_identifier (window), begin);
  if (turns != NULL)
    read_turns (file, &start);
  g_subprocess_force_exit (window);
  g_subprocess_wait (window, NULL, NULL);
  while (shows_a_window (display))
    g_usleep (10000);
  return start;
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

static void
print_times (const char *what, guint n_files, double *took)
{
  qsort (took, N_RUNS, sizeof (double), compare);
  printf ("%s, %3u files of a person's: %6.0f ms (%.0f to %.0f)\n", what, n_files, took[N_RUNS / 2],
          took[0], took[N_RUNS - 1]);
}

int
main (int argc, char **argv)
{
  Display *display = argc > 2 ? XOpenDisplay (NULL) : NULL;
  const char *place = g_getenv ("E2E_PLACE");
  if (display == NULL || place == NULL)
    return 2;
  XSetErrorHandler (ignore_error);
  g_setenv ("GSETTINGS_BACKEND", "keyfile", TRUE);
  double first[2][N_RUNS], rest[2][N_RUNS];
  remember (place, FALSE);
  time_start (display, argv[1], NULL); /* what is read for the first time is not its doing */
  for (guint run = 0; run < N_RUNS; run++)
    for (guint files = 0; files < 2; files++)
      {
        remember (place, files != 0);
        Start start = time_start (display, argv[1], NULL);
        first[files][run] = start.first_ms;
        rest[files][run] = start.rest_ms;
      }
  for (guint files = 0; files < 2; files++)
    {
      remember (place, files != 0);
      Start start = time_start (display, argv[1], argv[2]);
      guint n_files = files ? N_FILES : 0;
      print_times ("fork to first frame", n_files, first[files]);
      print_times ("fork to all rows   ", n_files, rest[files]);
      printf ("longest turn       , %3u files of a person's: %6.0f ms, %.0f of CPU\n", n_files,
              start.turn_ms, start.turn_cpu_ms);
    }
  XCloseDisplay (display);
  return 0;
}
