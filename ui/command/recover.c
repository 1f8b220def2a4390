/* SPDX-License-Identifier: GPL-3.0-or-later */
/* wpr -recover [DIR|FILE.etl]: makes files of raw recordings that nobody finished. Without DIR all
 * of this user's; with it that one, or those below it. Of a FILE.etl whose writer died: a finished
 * one. */
#include "config.h"
#include "verbs.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n.h>
#include <unistd.h>
#include <wpr-recorder.h>
#include <wpr-trace.h>

#include "arguments.h"
#include "json.h"
#include "say.h"
#include "session.h"

static const WprOption options[] = { { "json", WPR_OPTION_FLAG }, WPR_SAVE_OPTIONS };

/* One raw recording into one file; its line of the answer. The exit status. */
static int
recover_one (const char *store, int folder_fd, const char *folder, WprSaveFlags flags,
             WprJson *json)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  guint interrupt = wpr_cancel_on_interrupt (cancellable);
  g_autoptr (WprSaved) saved
      = wpr_recover_as (store, folder_fd, NULL, flags, wpr_progress_bar, NULL, cancellable, &error);
  g_source_remove (interrupt);
  wpr_progress_end ();
  if (saved == NULL)
    return wpr_complain (error, FALSE);
  g_autofree char *path = g_build_filename (folder, saved->name, NULL);
  if (json == NULL)
    return wpr_say_saved (saved, path);
  wpr_json_open (json, NULL, '{');
  wpr_json_string (json, "path", path);
  wpr_json_unsigned (json, "size_bytes", saved->size);
  wpr_json_unsigned (json, "events", saved->events);
  wpr_json_unsigned (json, "lost", saved->lost);
  wpr_json_integer (json, "duration_ns", saved->duration_ns);
  if (saved->parts != NULL)
    wpr_json_strings (json, "parts", (const char *const *)saved->parts,
                      g_strv_length (saved->parts));
  wpr_json_close (json, '}');
  return saved->lost > 0 ? WPR_ERROR_EVENTS_LOST : 0;
}

/* The folders to finish, those that nobody works on. A folder without any is taken for a raw
 * recording itself. Array of char *. */
static GPtrArray *
find_stores (const char *dir, GError **error)
{
  g_autoptr (GPtrArray) stores = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) unfinished
      = dir != NULL ? wpr_unfinished_list_in (dir) : wpr_unfinished_list (error);
  if (unfinished == NULL)
    return NULL;
  for (guint i = 0; i < unfinished->len; i++)
    {
      const WprUnfinished *one = g_ptr_array_index (unfinished, i);
      if (!one->in_use)
        g_ptr_array_add (stores, g_strdup (one->path));
    }
  if (dir != NULL && unfinished->len == 0)
    g_ptr_array_add (stores, g_strdup (dir));
  return g_steal_pointer (&stores);
}

static int
recover_all (GPtrArray *stores, int folder_fd, const char *folder, WprSaveFlags flags,
             gboolean json)
{
  WprJson out = WPR_JSON_INIT;
  int status = 0;
  wpr_json_open (&out, NULL, '{');
  wpr_json_integer (&out, "version", 1);
  wpr_json_open (&out, "recovered", '[');
  for (guint i = 0; i < stores->len; i++)
    {
      int one = recover_one (g_ptr_array_index (stores, i), folder_fd, folder, flags,
                             json ? &out : NULL);
      /* The worst counts; lost events are the mildest. */
      if (one != 0 && (status == 0 || status == WPR_ERROR_EVENTS_LOST))
        status = one;
    }
  wpr_json_close (&out, ']');
  wpr_json_close (&out, '}');
  if (json)
    wpr_json_print (&out);
  else
    g_string_free (out.text, TRUE);
  return status;
}

/* ---- a file ---- */

static void
say_completed (const WprCompleted *completed, const char *folder)
{
  g_autofree char *path = g_build_filename (folder, completed->name, NULL);
  g_autofree char *shown = wpr_format_path (path);
  g_autofree char *size = wpr_format_bytes (completed->size);
  g_autofree char *events = wpr_format_count (completed->events);
  g_autofree char *span = wpr_format_span (completed->duration_ns);
  g_autofree char *left_out = wpr_format_bytes (completed->left_out_bytes);
  if (completed->original == NULL)
    {
      wpr_say (_ ("“%s” is complete: %s, %s events of %s. Nothing was changed."), shown, size,
               events, span);
      return;
    }
  g_autofree char *original = g_build_filename (folder, completed->original, NULL);
  g_autofree char *original_shown = wpr_format_path (original);
  wpr_say (_ ("Finished “%s”: %s, %s events of %s. %s at its end were not whole and are left out; "
              "the file as it was is “%s”."),
           shown, size, events, span, left_out, original_shown);
}

static void
print_completed (const WprCompleted *completed, const char *folder)
{
  WprJson out = WPR_JSON_INIT;
  g_autofree char *path = g_build_filename (folder, completed->name, NULL);
  g_autofree char *original
      = completed->original != NULL ? g_build_filename (folder, completed->original, NULL) : NULL;
  wpr_json_open (&out, NULL, '{');
  wpr_json_integer (&out, "version", 1);
  wpr_json_string (&out, "path", path);
  wpr_json_string (&out, "original", original);
  wpr_json_unsigned (&out, "size_bytes", completed->size);
  wpr_json_unsigned (&out, "events", completed->events);
  wpr_json_unsigned (&out, "left_out_bytes", completed->left_out_bytes);
  wpr_json_integer (&out, "duration_ns", completed->duration_ns);
  wpr_json_close (&out, '}');
  wpr_json_print (&out);
}

static int
recover_file (const char *path, gboolean compress, gboolean json)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autofree char *folder = g_path_get_dirname (path), *name = g_path_get_basename (path);
  int fd = open (folder, O_DIRECTORY | O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    {
      wpr_set_error (&error, WPR_ERROR_NOT_WRITABLE, 0, _ ("The folder “%s” cannot be opened: %s."),
                     folder, g_strerror (errno));
      return wpr_complain (error, json);
    }
  guint interrupt = wpr_cancel_on_interrupt (cancellable);
  g_autoptr (WprCompleted) completed = wpr_trace_complete (fd, name, compress, cancellable, &error);
  g_source_remove (interrupt);
  close (fd);
  if (completed == NULL)
    return wpr_complain (error, json);
  if (json)
    print_completed (completed, folder);
  else
    say_completed (completed, folder);
  return 0;
}

int
wpr_verb_recover (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (WprArguments) arguments
      = wpr_arguments_parse (argc, argv, options, G_N_ELEMENTS (options));
  gboolean json = wpr_arguments_has (arguments, "json");
  g_autoptr (GPtrArray) stores = NULL;
  g_autofree char *folder = NULL;
  if (!wpr_arguments_check (arguments, 1, &error))
    return wpr_complain (error, json);
  const char *where = wpr_arguments_word (arguments, 0);
  if (where != NULL && !g_file_test (where, G_FILE_TEST_IS_DIR)
      && (g_file_test (where, G_FILE_TEST_EXISTS) || g_str_has_suffix (where, ".etl")))
    return recover_file (where, wpr_arguments_has (arguments, "compress"), json);
  stores = find_stores (where, &error);
  if (stores == NULL)
    return wpr_complain (error, json);
  if (stores->len == 0 && !json)
    {
      wpr_say ("%s", _ ("There is no unfinished recording."));
      return 0;
    }
  int folder_fd = wpr_recorder_open_save_folder (&folder, &error);
  if (folder_fd < 0)
    return wpr_complain (error, json);
  WprSaveFlags flags = wpr_save_flags (arguments);
  int status = recover_all (stores, folder_fd, folder, flags, json);
  close (folder_fd);
  return status;
}
