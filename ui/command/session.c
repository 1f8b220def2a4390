/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the verbs that talk to a recording share. */
#include "config.h"
#include "session.h"

#include <errno.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <glib/gi18n.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "say.h"

void
wpr_on_result (GObject *source, GAsyncResult *result, gpointer data)
{
  *(GAsyncResult **)data = g_object_ref (result);
}

void
wpr_wait (GAsyncResult **result)
{
  while (*result == NULL)
    g_main_context_iteration (NULL, TRUE);
}

/* ---- the file to save to ---- */

gboolean
wpr_open_target (const char *path, int *folder_fd, char **name, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *shown = wpr_format_path (folder);
  if (*path == '\0' || g_str_has_suffix (path, "/"))
    {
      g_autofree char *whole = wpr_format_path (path);
      wpr_set_error (
          error, WPR_ERROR_NOT_WRITABLE, 0,
          _ ("“%s” does not name a file. The recording goes on: say where to save it, for "
             "example slow.etl."),
          whole);
      return FALSE;
    }
  gboolean as_root = geteuid () == 0;
  int fd = as_root ? wpr_recorder_open_folder (folder, error)
                   : open (folder, O_DIRECTORY | O_RDONLY | O_CLOEXEC);
  int errsv = errno;
  if (fd < 0 && as_root)
    return FALSE;
  if (fd < 0)
    {
      if (errsv == ENOENT)
        wpr_set_error (error, WPR_ERROR_NOT_WRITABLE, 0,
                       _ ("There is no folder “%s”. The recording goes on: make the folder, or "
                          "choose another."),
                       shown);
      else
        wpr_set_error (error, WPR_ERROR_NOT_WRITABLE, 0,
                       _ ("The folder “%s” cannot be opened: %s. The recording goes on: choose "
                          "another folder."),
                       shown, g_strerror (errsv));
      return FALSE;
    }
  *folder_fd = fd;
  *name = g_path_get_basename (path);
  return TRUE;
}

/* ---- how it is written ---- */

WprSaveFlags
wpr_save_flags (WprArguments *arguments)
{
  static const struct
  {
    const char *option;
    WprSaveFlags flag;
  } rows[] = {
    { "compress", WPR_SAVE_COMPRESSED },
    { "skippdbgen", WPR_SAVE_NO_NAMES }, /* what WPR calls it */
    { "nosymbols", WPR_SAVE_NO_NAMES },
    { "debuginfod", WPR_SAVE_DEBUGINFOD },
  };
  WprSaveFlags flags = 0;
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    if (wpr_arguments_has (arguments, rows[i].option))
      flags |= rows[i].flag;
  return flags;
}

/* ---- progress ---- */

static gboolean bar_is_drawn;

/* One row a phase of saving. */
static const struct
{
  const char *phase, *words;
} phases[] = {
  { "collect", N_ ("Collecting") },
  { "order", N_ ("Writing events in order of time") },
  { "names", N_ ("Finding names") },
  { "check", N_ ("Checking the file") },
};

void
wpr_progress_bar (const char *phase, double fraction, guint64 done, guint64 total, gpointer data)
{
  enum
  {
    WIDTH = 40 /* leaves half of a line of 80 for the words */
  };
  static const char full[WIDTH + 1] = "########################################";
  const char *words = phase;
  int filled = (int)(CLAMP (fraction, 0, 1) * WIDTH);
  if (!isatty (STDOUT_FILENO))
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (phases); i++)
    if (g_str_equal (phases[i].phase, phase))
      words = _ (phases[i].words);
  /* \033[K: nothing of longer words stays behind. */
  g_print ("\r[%.*s%*s] %3d %%  %s\033[K", filled, full, WIDTH - filled, "",
           (int)(CLAMP (fraction, 0, 1) * 100), words);
  fflush (stdout);
  bar_is_drawn = TRUE;
}

static void
on_progress (WprRecorder *recorder, const char *phase, double fraction, guint64 done, guint64 total,
             gpointer data)
{
  wpr_progress_bar (phase, fraction, done, total, data);
}

/* What fails is in the answer; what is only worth knowing is in -status. */
static void
on_notice (WprRecorder *recorder, const WprNotice *notice, gpointer data)
{
  if (notice->severity != WPR_NOTICE_WARNING)
    return;
  wpr_progress_end ();
  wpr_warn ("%s", notice->text);
}

void
wpr_show_progress (WprRecorder *recorder)
{
  g_signal_connect (recorder, "notice", G_CALLBACK (on_notice), NULL);
  g_signal_connect (recorder, "progress", G_CALLBACK (on_progress), NULL);
}

void
wpr_progress_end (void)
{
  if (bar_is_drawn)
    g_print ("\n");
  bar_is_drawn = FALSE;
}

static gboolean
on_interrupt (gpointer data)
{
  wpr_progress_end ();
  wpr_warn ("%s", _ ("Cancelling; the raw recording is kept. Ctrl-C once more ends this command."));
  signal (SIGINT, SIG_DFL);
  g_cancellable_cancel (data);
  return G_SOURCE_CONTINUE;
}

guint
wpr_cancel_on_interrupt (GCancellable *cancellable)
{
  return g_unix_signal_add (SIGINT, on_interrupt, cancellable);
}

/* ---- the result ---- */

/* A recording in several files: all of them, a line each. */
static void
wpr_say_parts (const WprSaved *saved, const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);
  gboolean here = strchr (path, '/') == NULL;
  if (saved->parts == NULL)
    return;
  wpr_say (_ ("It is %u files, each complete by itself:"), g_strv_length (saved->parts));
  for (guint i = 0; saved->parts[i] != NULL; i++)
    {
      g_autofree char *part
          = here ? g_strdup (saved->parts[i]) : g_build_filename (folder, saved->parts[i], NULL);
      g_autofree char *shown = wpr_format_path (part);
      wpr_say ("    %s", shown);
    }
}

int
wpr_say_saved (const WprSaved *saved, const char *path)
{
  g_autofree char *shown = wpr_format_path (path);
  g_autofree char *size = wpr_format_bytes (saved->size);
  g_autofree char *events = wpr_format_count (saved->events);
  g_autofree char *span = wpr_format_span (saved->duration_ns);
  /* Translators: file, size, number of events, time ("1:05") */
  wpr_say (_ ("Saved “%s”: %s, %s events of %s."), shown, size, events, span);
  wpr_say_parts (saved, path);
  return wpr_say_lost (saved->lost);
}

int
wpr_say_lost (guint64 lost)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *count = wpr_format_count (lost);
  if (lost == 0)
    return 0;
  wpr_set_error (&error, WPR_ERROR_EVENTS_LOST, 0xc5586000,
                 _ ("%s events were lost, because they came faster than they could be written: the "
                    "file is missing them. Larger buffers help: see -buffers and -buffersize."),
                 count);
  return wpr_complain (error, FALSE);
}
