/* SPDX-License-Identifier: GPL-3.0-or-later */
/* wpr -validate FILE ... */
#include "config.h"
#include "verbs.h"

#include <glib/gi18n.h>
#include <string.h>
#include <wpr-profile.h>

#include "arguments.h"
#include "choose.h"
#include "json.h"
#include "say.h"

static const WprOption options[] = { { "strict", WPR_OPTION_FLAG }, { "json", WPR_OPTION_FLAG } };

typedef struct
{
  WprLibrary *library;
  gboolean strict;
  guint n_errors, n_warnings;
} Validation;

static gboolean
is_error (const Validation *validation, const WprFault *fault)
{
  return fault->is_error || (validation->strict && fault->is_refused);
}

static void
count_fault (Validation *validation, const WprFault *fault)
{
  if (is_error (validation, fault))
    validation->n_errors++;
  else
    validation->n_warnings++;
}

/* FILE:LINE:COLUMN: error 0x...: ELEMENT: what is wrong. What helps. */
static void
say_fault (const Validation *validation, const WprFault *fault)
{
  g_autoptr (GString) line = g_string_new (fault->file);
  if (fault->line > 0)
    g_string_append_printf (line, ":%u:%u", fault->line, fault->column);
  g_string_append_printf (line, ": %s", is_error (validation, fault) ? _ ("error") : _ ("warning"));
  if (fault->wpr_number != 0)
    g_string_append_printf (line, " 0x%08x", fault->wpr_number);
  if (*fault->path != '\0')
    g_string_append_printf (line, ": %s", fault->path);
  g_string_append_printf (line, ": %s", fault->what);
  if (*fault->advice != '\0')
    g_string_append_printf (line, " %s", fault->advice);
  if (*fault->allowed != '\0' && strstr (fault->advice, fault->allowed) == NULL)
    g_string_append_printf (line, _ (" Allowed: %s."), fault->allowed);
  g_print ("%s\n", line->str);
}

static void
write_fault (const Validation *validation, const WprFault *fault, WprJson *out)
{
  g_autofree char *number
      = fault->wpr_number != 0 ? g_strdup_printf ("0x%08x", fault->wpr_number) : NULL;
  wpr_json_open (out, NULL, '{');
  wpr_json_string (out, "severity", is_error (validation, fault) ? "error" : "warning");
  wpr_json_integer (out, "line", fault->line);
  wpr_json_integer (out, "column", fault->column);
  wpr_json_string (out, "path", fault->path);
  wpr_json_string (out, "what", fault->what);
  wpr_json_string (out, "allowed", fault->allowed);
  wpr_json_string (out, "advice", fault->advice);
  wpr_json_string (out, "number", number);
  wpr_json_boolean (out, "refused_by_wpr", fault->is_refused);
  wpr_json_close (out, '}');
}

/* What leads nowhere is no fault: files are often made of a common stock. */
static void
report_unused (Validation *validation, const char *shown, WprJson *out)
{
  g_autoptr (GPtrArray) unused = wpr_library_list_unused (validation->library, shown);
  if (out != NULL)
    wpr_json_open (out, "unused", '[');
  for (guint i = 0; i < unused->len; i++)
    {
      const WprPlanNote *note = g_ptr_array_index (unused, i);
      if (out == NULL)
        {
          wpr_say (_ ("%s:%u:%u: note: %s: %s"), note->file, note->line, note->column, note->path,
                   note->text);
          continue;
        }
      wpr_json_open (out, NULL, '{');
      wpr_json_integer (out, "line", note->line);
      wpr_json_integer (out, "column", note->column);
      wpr_json_string (out, "path", note->path);
      wpr_json_close (out, '}');
    }
  if (out != NULL)
    wpr_json_close (out, ']');
}

static guint
count_profiles (WprLibrary *library, const char *source)
{
  guint n = 0;
  for (guint i = 0; i < wpr_library_get_n_profiles (library); i++)
    n += g_strcmp0 (wpr_library_get_profile (library, i)->source, source) == 0;
  return n;
}

/* The faults of one file, which was added to the library already. */
static void
report_faults (Validation *validation, const char *shown, WprJson *out)
{
  const GPtrArray *faults = wpr_library_get_faults (validation->library);
  for (guint i = 0; i < faults->len; i++)
    {
      const WprFault *fault = g_ptr_array_index (faults, i);
      if (!g_str_equal (fault->file, shown))
        continue;
      count_fault (validation, fault);
      if (out != NULL)
        write_fault (validation, fault, out);
      else
        say_fault (validation, fault);
    }
}

/* FALSE where the file could not even be read. */
static gboolean
validate_file (Validation *validation, const char *path, WprJson *out, GError **error)
{
  g_autofree char *shown = wpr_format_path (path);
  g_autoptr (GError) why = NULL;
  guint n_errors = validation->n_errors, n_warnings = validation->n_warnings;
  gboolean is_good = wpr_add_profile_file (validation->library, path, NULL, &why);
  if (out != NULL)
    {
      wpr_json_open (out, NULL, '{');
      wpr_json_string (out, "file", shown);
      wpr_json_open (out, "faults", '[');
    }
  report_faults (validation, shown, out);
  gboolean is_read = is_good || validation->n_errors > n_errors;
  if (out != NULL)
    {
      wpr_json_close (out, ']');
      report_unused (validation, shown, out);
      wpr_json_integer (out, "profiles", count_profiles (validation->library, shown));
      wpr_json_boolean (out, "valid", is_read && validation->n_errors == n_errors);
      wpr_json_close (out, '}');
    }
  else if (is_read && validation->n_errors == n_errors && validation->n_warnings == n_warnings)
    wpr_say (_ ("%s: nothing is wrong."), shown);
  if (is_read && out == NULL)
    report_unused (validation, shown, NULL);
  if (!is_read)
    g_propagate_error (error, g_steal_pointer (&why));
  return is_read;
}

int
wpr_verb_validate (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (WprArguments) arguments
      = wpr_arguments_parse (argc, argv, options, G_N_ELEMENTS (options));
  gboolean json = wpr_arguments_has (arguments, "json");
  if (wpr_arguments_check (arguments, G_MAXUINT, &error) && arguments->words->len == 0)
    wpr_set_error (&error, WPR_ERROR_USAGE, 0xc5600602,
                   _ ("Say which file to check, for example: wpr -validate mine.wprp."));
  if (error != NULL)
    return wpr_complain (error, json);
  Validation validation
      = { .library = wpr_library_new (), .strict = wpr_arguments_has (arguments, "strict") };
  WprJson out = WPR_JSON_INIT;
  wpr_json_open (&out, NULL, '{');
  wpr_json_integer (&out, "version", 1);
  wpr_json_open (&out, "files", '[');
  int status = 0;
  for (guint i = 0; i < arguments->words->len; i++)
    {
      g_autoptr (GError) why = NULL;
      const char *path = g_ptr_array_index (arguments->words, i);
      if (!validate_file (&validation, path, json ? &out : NULL, &why))
        status = wpr_complain (why, FALSE);
    }
  wpr_json_close (&out, ']');
  wpr_json_close (&out, '}');
  if (json)
    wpr_json_print (&out);
  else
    g_string_free (out.text, TRUE);
  wpr_library_unref (validation.library);
  return status == 0 && validation.n_errors > 0 ? WPR_ERROR_PROFILE : status;
}
