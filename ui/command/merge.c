/* SPDX-License-Identifier: GPL-3.0-or-later */
/* wpr -merge A.etl B.etl ... OUT.etl: several files into a new one. */
#include "config.h"
#include "verbs.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n.h>
#include <unistd.h>
#include <wpr-trace.h>

#include "arguments.h"
#include "json.h"
#include "say.h"

static const WprOption options[] = { { "json", WPR_OPTION_FLAG } };

static int
open_folder (const char *path, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (path);
  int fd = open (folder, O_DIRECTORY | O_RDONLY | O_CLOEXEC);
  int errsv = errno;
  g_autofree char *shown = wpr_format_path (folder);
  if (fd < 0)
    wpr_set_error (error, WPR_ERROR_NOT_WRITABLE, 0,
                   _ ("The folder “%s” cannot be opened: %s. Choose another folder for the new "
                      "file."),
                   shown, g_strerror (errsv));
  return fd;
}

static void
say_as_json (const WprTraceMerged *merged, const char *path)
{
  WprJson out = WPR_JSON_INIT;
  wpr_json_open (&out, NULL, '{');
  wpr_json_integer (&out, "version", 1);
  wpr_json_string (&out, "path", path);
  wpr_json_unsigned (&out, "size_bytes", merged->size_bytes);
  wpr_json_unsigned (&out, "events", merged->n_events);
  wpr_json_unsigned (&out, "events_lost", merged->events_lost);
  wpr_json_unsigned (&out, "buffers_lost", merged->buffers_lost);
  wpr_json_unsigned (&out, "clamped", merged->n_clamped);
  wpr_json_unsigned (&out, "left_out", merged->n_left_out);
  wpr_json_boolean (&out, "damaged", merged->is_damaged);
  wpr_json_strings (&out, "notices", (const char *const *)merged->notices->pdata,
                    merged->notices->len);
  wpr_json_close (&out, '}');
  wpr_json_print (&out);
}

static void
say_as_text (const WprTraceMerged *merged, const char *path)
{
  g_autofree char *shown = wpr_format_path (path);
  g_autofree char *size = wpr_format_bytes (merged->size_bytes);
  g_autofree char *events = wpr_format_count (merged->n_events);
  g_autofree char *lost = wpr_format_count (merged->events_lost);
  wpr_say (_ ("Written to “%s”: %s, %s events."), shown, size, events);
  if (merged->events_lost > 0)
    wpr_say (_ ("Events lost while recording, of all files together: %s."), lost);
}

static int
merge (WprArguments *arguments, GError **error)
{
  GPtrArray *words = arguments->words;
  const char *target = g_ptr_array_index (words, words->len - 1);
  int folder_fd = open_folder (target, error);
  if (folder_fd < 0)
    return 0;
  g_autofree char *name = g_path_get_basename (target);
  g_autoptr (WprTraceMerged) merged = wpr_trace_merge_files (
      (const char *const *)words->pdata, words->len - 1, folder_fd, name, NULL, error);
  close (folder_fd);
  if (merged == NULL)
    return 0;
  if (wpr_arguments_has (arguments, "json"))
    say_as_json (merged, target);
  else
    say_as_text (merged, target);
  for (guint i = 0; i < merged->notices->len; i++)
    wpr_warn ("%s", (const char *)g_ptr_array_index (merged->notices, i));
  return merged->is_damaged ? WPR_ERROR_DAMAGED : 0;
}

int
wpr_verb_merge (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (WprArguments) arguments
      = wpr_arguments_parse (argc, argv, options, G_N_ELEMENTS (options));
  int status = 0;
  if (wpr_arguments_check (arguments, G_MAXUINT, &error) && arguments->words->len < 2)
    wpr_set_error (&error, WPR_ERROR_USAGE, 0xc5600602,
                   _ ("Say which files, and last the new one, for example: wpr -merge "
                      "kernel.etl user.etl both.etl."));
  if (error == NULL)
    status = merge (arguments, &error);
  return error != NULL ? wpr_complain (error, wpr_arguments_has (arguments, "json")) : status;
}
