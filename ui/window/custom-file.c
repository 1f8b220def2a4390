/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A person's .wprp file is read, tried and described. */
#include "config.h"
#include "custom-file.h"

#include <glib/gi18n.h>
#include "profile-item.h"

/* As `wpr`: a file of a stranger's is not read without end. */
#define MOST_BYTES (16 * 1024 * 1024)

static void
free_fault (gpointer data)
{
  WprCustomFault *fault = data;
  g_free (fault->what);
  g_free (fault->advice);
  g_free (fault);
}

void
wpr_custom_file_free (WprCustomFile *file)
{
  g_free (file->name);
  g_free (file->shown);
  g_free (file->title);
  g_ptr_array_unref (file->items);
  g_ptr_array_unref (file->faults);
  g_free (file);
}

static void
add_fault (WprCustomFile *file, const char *what, const char *advice, guint line, guint column)
{
  WprCustomFault *fault = g_new0 (WprCustomFault, 1);
  fault->what = g_strdup (what);
  fault->advice = g_strdup (advice);
  fault->line = line;
  fault->column = column;
  g_ptr_array_add (file->faults, fault);
}

/* ---- its content ---- */

void
wpr_custom_content_free (WprCustomContent *content)
{
  g_clear_pointer (&content->bytes, g_bytes_unref);
  g_free (content->what);
  g_free (content->advice);
  g_free (content);
}

static void
say (WprCustomContent *content, const char *what, const char *advice)
{
  content->what = g_strdup (what);
  content->advice = g_strdup (advice);
}

static void
say_error (WprCustomContent *content, const char *name, const GError *error)
{
  if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND))
    {
      say (content, _ ("The file cannot be read"), error->message);
      return;
    }
  /* Translators: %s is the path of a file */
  g_autofree char *advice
      = g_strdup_printf (_ ("It was %s. Once it is back there it can be used again."), name);
  say (content, _ ("The file is not there any more"), advice);
}

static gint64
make_stamp (GFileInfo *info)
{
  g_autoptr (GDateTime) when = info ? g_file_info_get_modification_date_time (info) : NULL;
  if (when == NULL)
    return 0;
  return g_date_time_to_unix (when) * G_USEC_PER_SEC + g_date_time_get_microsecond (when)
         + g_file_info_get_size (info);
}

static GFileInfo *
query (GFile *place, GError **error)
{
  return g_file_query_info (place,
                            G_FILE_ATTRIBUTE_STANDARD_TYPE "," G_FILE_ATTRIBUTE_STANDARD_SIZE
                                                           "," G_FILE_ATTRIBUTE_TIME_MODIFIED
                                                           "," G_FILE_ATTRIBUTE_TIME_MODIFIED_USEC,
                            G_FILE_QUERY_INFO_NONE, NULL, error);
}

gint64
wpr_custom_content_stamp (const char *name)
{
  g_autoptr (GFile) place = g_file_parse_name (name);
  g_autoptr (GFileInfo) info = query (place, NULL);
  return make_stamp (info);
}

/* Neither a pipe, which would be waited for, nor a picture of a disk. */
WprCustomContent *
wpr_custom_content_read (const char *name)
{
  WprCustomContent *content = g_new0 (WprCustomContent, 1);
  g_autoptr (GFile) place = g_file_parse_name (name);
  g_autoptr (GError) error = NULL;
  g_autoptr (GFileInfo) info = query (place, &error);
  content->stamp = make_stamp (info); /* before: what changes meanwhile is seen next time */
  if (info == NULL)
    say_error (content, name, error);
  else if (g_file_info_get_file_type (info) == G_FILE_TYPE_SYMBOLIC_LINK)
    say (content, _ ("The file is not there any more"),
         _ ("It is a link, and what it leads to is gone. Add the file itself."));
  else if (g_file_info_get_file_type (info) != G_FILE_TYPE_REGULAR
           || g_file_info_get_size (info) > MOST_BYTES)
    say (content, _ ("This is no profile file"),
         _ ("Add a file of up to 16 MiB, whose name usually ends in .wprp."));
  else
    content->bytes = g_file_load_bytes (place, NULL, NULL, &error);
  if (content->bytes == NULL && content->what == NULL)
    say_error (content, name, error);
  return content;
}

WprCustomContent *
wpr_custom_content_new_late (const char *name)
{
  WprCustomContent *content = g_new0 (WprCustomContent, 1);
  /* Translators: %s is the path of a file */
  g_autofree char *advice = g_strdup_printf (
      _ ("It is %s. The disk or share it lies on may be gone or very busy. It is "
         "listed once it answers; or remove it from this list."),
      name);
  say (content, _ ("The file does not answer"), advice);
  return content;
}

/* ---- the file ---- */

static void
describe_faults (WprCustomFile *file, WprLibrary *library)
{
  const GPtrArray *faults = wpr_library_get_faults (library);
  for (guint i = 0; i < faults->len; i++)
    {
      const WprFault *fault = faults->pdata[i];
      if (g_str_equal (fault->file, file->name))
        add_fault (file, fault->what, *fault->advice ? fault->advice : fault->allowed, fault->line,
                   fault->column);
    }
}

static void
describe_profiles (WprCustomFile *file, WprLibrary *library)
{
  for (guint i = 0; i < wpr_library_get_n_profiles (library); i++)
    {
      const WprProfile *profile = wpr_library_get_profile (library, i);
      if (!profile->internal && g_strcmp0 (profile->source, file->name) == 0)
        g_ptr_array_add (file->items, wpr_profile_item_new (profile));
    }
  if (file->items->len == 0)
    add_fault (file, _ ("The file has no profile that can be recorded"),
               _ ("It may hold parts for other files, or only profiles marked Internal."), 0, 0);
  file->usable = file->items->len > 0;
}

WprCustomFile *
wpr_custom_file_new (WprLibrary *library, const char *name, const WprCustomContent *content,
                     GBytes **bytes)
{
  WprCustomFile *file = g_new0 (WprCustomFile, 1);
  g_autoptr (GFile) place = g_file_parse_name (name);
  g_autofree char *base = g_file_get_basename (place);
  file->name = g_strdup (name);
  file->shown = base ? g_filename_display_name (base) : g_strdup (name);
  file->items = g_ptr_array_new_with_free_func (g_object_unref);
  file->faults = g_ptr_array_new_with_free_func (free_fault);
  *bytes = NULL;
  wpr_library_remove (library, name);
  if (content->bytes == NULL)
    {
      add_fault (file, content->what, content->advice, 0, 0);
      return file;
    }
  g_autoptr (GError) error = NULL;
  gboolean added = wpr_library_add_bytes (library, content->bytes, name, &error);
  describe_faults (file, library);
  file->title = wpr_library_dup_title (library, name);
  if (added)
    describe_profiles (file, library);
  else if (file->faults->len == 0)
    add_fault (file, error->message, "", 0, 0);
  if (file->usable)
    *bytes = g_bytes_ref (content->bytes);
  return file;
}
