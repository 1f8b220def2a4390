/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files of a recording are found by what they say of themselves, not by their names alone:
 * another recording's is never written to. */
#include "config.h"
#include "note.h"

#include <gio/gio.h>
#include <glib/gi18n.h>
#include <string.h>
#include <unistd.h>
#include <wpr-error.h>
#include <wpr-trace.h>
#include "target.h"

static WprTraceInfo *
read_brief (int folder_fd, const char *name)
{
  g_autofree char *path = g_strdup_printf ("/proc/self/fd/%d/%s", folder_fd, name);
  return wpr_trace_brief_read (path, NULL, NULL);
}

static gboolean
is_of_same_recording (const WprTraceInfo *one, const WprTraceInfo *other)
{
  return one->n_parts == other->n_parts && one->parts->len > 0 && other->parts->len > 0
         && g_str_equal (one->parts->pdata[0], other->parts->pdata[0])
         && g_strcmp0 (one->host, other->host) == 0;
}

/* "froze.etl" is followed by "froze-2.etl", also when all were renamed together. */
static char *
name_part (const char *name, guint part, guint wanted)
{
  g_autofree char *stem = g_strdup (name);
  g_autofree char *mark = g_strdup_printf ("-%u", part);
  if (g_str_has_suffix (stem, ".etl"))
    stem[strlen (stem) - strlen (".etl")] = '\0';
  if (part > 1 && g_str_has_suffix (stem, mark))
    stem[strlen (stem) - strlen (mark)] = '\0';
  return wanted > 1 ? g_strdup_printf ("%s-%u.etl", stem, wanted)
                    : g_strdup_printf ("%s.etl", stem);
}

/* Its name now, or as it was saved; NULL: it is not there. */
static char *
find_part (int folder_fd, const char *name, const WprTraceInfo *info, guint wanted)
{
  g_autofree char *now = name_part (name, info->part, wanted);
  const char *names[] = { now, wanted <= info->parts->len ? info->parts->pdata[wanted - 1] : NULL };
  for (guint i = 0; i < G_N_ELEMENTS (names) && names[i] != NULL; i++)
    {
      g_autoptr (WprTraceInfo) other
          = strchr (names[i], '/') == NULL ? read_brief (folder_fd, names[i]) : NULL;
      if (other != NULL && other->part == wanted && is_of_same_recording (info, other))
        return g_strdup (names[i]);
    }
  return NULL;
}

static gboolean
add_to_others (int folder_fd, const char *name, const WprTraceInfo *info, const char *note,
               GError **error)
{
  g_autoptr (GString) without = g_string_new (NULL);
  g_autoptr (GError) why = NULL;
  for (guint part = 1; part <= info->n_parts; part++)
    {
      g_autofree char *other = part != info->part ? find_part (folder_fd, name, info, part) : NULL;
      if (other == NULL)
        continue;
      g_clear_error (&why);
      if (!wpr_trace_add_note (folder_fd, other, note, &why))
        g_string_append_printf (without, "\n%s: %s", other, why->message);
    }
  if (without->len == 0)
    return TRUE;
  /* Translators: a file name; then lines of other names with the reason each */
  wpr_set_error (error, WPR_ERROR_NOT_WRITABLE, 0, _ ("It is in “%s”, but not in:%s"), name,
                 without->str);
  return FALSE;
}

gboolean
wpr_note_add_at (int folder_fd, const char *name, const char *note, GError **error)
{
  /* before: what is added stands behind what says which part it is */
  g_autoptr (WprTraceInfo) info = read_brief (folder_fd, name);
  if (!wpr_trace_add_note (folder_fd, name, note, error))
    return FALSE;
  return info == NULL || info->n_parts < 2 || add_to_others (folder_fd, name, info, note, error);
}

gboolean
wpr_note_add (const char *folder, const char *name, const char *note, GError **error)
{
  int folder_fd = wpr_target_open_folder (folder, error);
  if (folder_fd < 0)
    return FALSE;
  gboolean added = wpr_note_add_at (folder_fd, name, note, error);
  close (folder_fd);
  return added;
}
