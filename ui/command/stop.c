/* SPDX-License-Identifier: GPL-3.0-or-later */
/* wpr -stop FILE.etl ["WHAT WAS WRONG"], and wpr -save, which differs in what goes on afterwards.
 * Whatever else is on the command line: first save, then complain. */
#include "config.h"
#include "verbs.h"

#include <glib/gi18n.h>
#include <unistd.h>

#include "agent.h"
#include "arguments.h"
#include "say.h"
#include "session.h"

static const WprOption options[] = {
  { "instancename", WPR_OPTION_VALUE },
  WPR_SAVE_OPTIONS,
};

typedef void (*WprFileFunc) (WprRecorder *self, int folder_fd, const char *name, const char *note,
                             GCancellable *cancellable, GAsyncReadyCallback callback,
                             gpointer data);
typedef WprSaved *(*WprFinishFunc) (WprRecorder *self, GAsyncResult *result, GError **error);

/* The file is the first word that ends in .etl, so that the value of an option nobody here knows is
 * not taken for it; else the first word. The note is the word behind it. */
static void
find_file_and_note (WprArguments *arguments, const char **file, const char **note)
{
  guint at = 0;
  for (guint i = 0; i < arguments->words->len; i++)
    {
      g_autofree char *folded = g_ascii_strdown (wpr_arguments_word (arguments, i), -1);
      if (g_str_has_suffix (folded, ".etl"))
        {
          at = i;
          break;
        }
    }
  *file = wpr_arguments_word (arguments, at);
  *note = wpr_arguments_word (arguments, at + 1);
}

/* What was on the line and meant nothing here. */
static void
warn_of_faults (WprArguments *arguments, const char *file, const char *note)
{
  for (guint i = 0; i < arguments->faults->len; i++)
    wpr_warn (_ ("Ignored: %s"),
              ((const GError *)g_ptr_array_index (arguments->faults, i))->message);
  for (guint i = 0; i < arguments->words->len; i++)
    {
      const char *word = wpr_arguments_word (arguments, i);
      if (word != file && word != note)
        wpr_warn (_ ("Ignored: \"%s\" is neither the file nor the description."), word);
    }
}

static int
save_into (WprRecorder *recorder, WprFileFunc func, WprFinishFunc finish, const char *file,
           const char *note)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GAsyncResult) result = NULL;
  g_autofree char *name = NULL;
  int folder_fd = -1;
  if (!wpr_open_target (file, &folder_fd, &name, &error))
    return wpr_complain (error, FALSE);
  wpr_show_progress (recorder);
  guint interrupt = wpr_cancel_on_interrupt (cancellable);
  func (recorder, folder_fd, name, note, cancellable, wpr_on_result, &result);
  close (folder_fd);
  wpr_wait (&result);
  g_source_remove (interrupt);
  wpr_progress_end ();
  g_autoptr (WprSaved) saved = finish (recorder, result, &error);
  return saved != NULL ? wpr_say_saved (saved, file) : wpr_complain (error, FALSE);
}

static int
run (int argc, char **argv, WprFileFunc func, WprFinishFunc finish)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (WprArguments) arguments
      = wpr_arguments_parse (argc, argv, options, G_N_ELEMENTS (options));
  const char *file = NULL, *note = NULL;
  find_file_and_note (arguments, &file, &note);
  g_autoptr (WprRecorder) recorder
      = wpr_recorder_connect (wpr_arguments_get (arguments, "instancename"), &error);
  if (recorder == NULL)
    return wpr_complain (error, FALSE);
  if (file == NULL)
    {
      wpr_set_error (
          &error, WPR_ERROR_USAGE, 0xc5600602,
          _ ("Say where to save, for example: wpr -stop slow.etl. The recording goes on."));
      return wpr_complain (error, FALSE);
    }
  wpr_recorder_set_save_flags (recorder, wpr_save_flags (arguments));
  GPid agent = wpr_agent_begin_for_guest (wpr_arguments_get (arguments, "instancename"));
  int status = save_into (recorder, func, finish, file, note);
  wpr_agent_end (agent);
  warn_of_faults (arguments, file, note);
  return status;
}

int
wpr_verb_stop (int argc, char **argv)
{
  return run (argc, argv, wpr_recorder_stop_async, wpr_recorder_stop_finish);
}

int
wpr_verb_save (int argc, char **argv)
{
  return run (argc, argv, wpr_recorder_save_async, wpr_recorder_save_finish);
}
