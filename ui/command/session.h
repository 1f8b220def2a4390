/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the verbs that talk to a recording share: waiting for answers, the file to save to, a bar of
 * progress. */
#pragma once

#include <wpr-recorder.h>

#include "arguments.h"

G_BEGIN_DECLS

/* Id of the notice that says where a recording that ended by itself was saved. */
#define WPR_SAVED_NOTICE "saved"

/* A GAsyncReadyCallback for a GAsyncResult * that wpr_wait() waits for. */
void wpr_on_result (GObject *source, GAsyncResult *result, gpointer data);
/* Runs the default context until *result is there. */
void wpr_wait (GAsyncResult **result);

/* The folder of a file to be written, opened, and the file's name in it. FALSE with
 * WPR_ERROR_NOT_WRITABLE, before anything was stopped. */
gboolean wpr_open_target (const char *path, int *folder_fd, char **name, GError **error);

/* Shows the recorder's progress as a bar, if stdout is a terminal, and every warning from now on.
 */
void wpr_show_progress (WprRecorder *recorder);
/* A WprProgressFunc that does. */
void wpr_progress_bar (const char *phase, double fraction, guint64 done, guint64 total,
                       gpointer data);
/* Ends the line of the bar, if there is one. */
void wpr_progress_end (void);
/* Cancels on Ctrl-C (once; a second one ends the program). Free with g_source_remove. */
guint wpr_cancel_on_interrupt (GCancellable *cancellable);

/* The options that say how a file is written, for a verb's table, and what they come to. */
#define WPR_SAVE_OPTIONS                                              \
  { "compress", WPR_OPTION_FLAG }, { "skippdbgen", WPR_OPTION_FLAG }, \
      { "nosymbols", WPR_OPTION_FLAG },                               \
  {                                                                   \
    "debuginfod", WPR_OPTION_FLAG                                     \
  }
WprSaveFlags wpr_save_flags (WprArguments *arguments);

/* Says what was saved; the exit status (7 where events were lost). `path` as the person named it.
 */
int wpr_say_saved (const WprSaved *saved, const char *path);
/* Says that events are missing, on stderr: 7. 0 if none are. */
int wpr_say_lost (guint64 lost);

G_END_DECLS
