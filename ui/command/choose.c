/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From words to a choice: "CPU", "CPU.light", "FILE.wprp", "FILE.wprp!NAME", several with "+". */
#include "config.h"
#include "choose.h"

#include <errno.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <wpr-recorder.h>

#include "say.h"

/* As the reader of profiles: a file of a stranger's is not read without end. */
#define WPR_PROFILE_MOST_BYTES (16 * 1024 * 1024)
/* WPR's own limit on -start. */
#define WPR_MOST_PROFILES 64
/* One buffer: ETW takes up to 16 MiB, which is more than anybody profits from. */
#define WPR_BUFFER_LEAST_KB 4
#define WPR_BUFFER_MOST_KB 16384
#define WPR_BUFFERS_MOST 1048576
/* As the format's FileMax. */
#define WPR_FILES_MOST 16

static gboolean
check_profile_file (const char *path, const char *shown, GError **error)
{
  GStatBuf info;
  if (g_stat (path, &info) != 0)
    {
      int errsv = errno;
      if (errsv == ENOENT)
        wpr_set_error (error, WPR_ERROR_PROFILE, 0,
                       _ ("There is no profile file “%s”. Is the path right?"), shown);
      else
        wpr_set_error (error, WPR_ERROR_PROFILE, 0, _ ("The profile file “%s” cannot be read: %s."),
                       shown, g_strerror (errsv));
      return FALSE;
    }
  if (!S_ISREG (info.st_mode))
    {
      wpr_set_error (error, WPR_ERROR_PROFILE, 0,
                     _ ("“%s” is not a file, so it cannot be read as a profile."), shown);
      return FALSE;
    }
  if (info.st_size > WPR_PROFILE_MOST_BYTES)
    {
      wpr_set_error (error, WPR_ERROR_PROFILE, 0,
                     _ ("“%s” is larger than 16 MiB: that is no profile file."), shown);
      return FALSE;
    }
  return TRUE;
}

gboolean
wpr_add_profile_file (WprLibrary *library, const char *path, GBytes **bytes, GError **error)
{
  g_autofree char *shown = wpr_format_path (path);
  g_autofree char *content = NULL;
  g_autoptr (GError) why = NULL;
  gsize size = 0;
  if (!check_profile_file (path, shown, error))
    return FALSE;
  if (!g_file_get_contents (path, &content, &size, &why))
    {
      wpr_set_error (error, WPR_ERROR_PROFILE, 0, _ ("The profile file “%s” cannot be read: %s."),
                     shown, why->message);
      return FALSE;
    }
  g_autoptr (GBytes) whole = g_bytes_new_take (g_steal_pointer (&content), size);
  if (!wpr_library_add_bytes (library, whole, shown, error))
    return FALSE;
  if (bytes != NULL)
    *bytes = g_steal_pointer (&whole);
  return TRUE;
}

/* ---- profiles ---- */

typedef struct
{
  WprChosen *chosen;
  GVariantBuilder *files;
  GHashTable *seen; /* display names of files that are in the library */
} WprChoosing;

/* A file that can be used may have words that are left out. */
static void
warn_of_faults (WprLibrary *library, const char *shown)
{
  const GPtrArray *faults = wpr_library_get_faults (library);
  for (guint i = 0; i < faults->len; i++)
    {
      const WprFault *fault = g_ptr_array_index (faults, i);
      if (!fault->is_error && g_str_equal (fault->file, shown))
        wpr_warn ("%s:%u:%u: %s %s", fault->file, fault->line, fault->column, fault->what,
                  fault->advice);
    }
}

static gboolean
use_file (WprChoosing *choosing, const char *path, const char *shown, GError **error)
{
  g_autoptr (GBytes) bytes = NULL;
  if (g_hash_table_contains (choosing->seen, shown))
    return TRUE;
  if (!wpr_add_profile_file (choosing->chosen->library, path, &bytes, error))
    return FALSE;
  g_hash_table_add (choosing->seen, g_strdup (shown));
  warn_of_faults (choosing->chosen->library, shown);
  g_variant_builder_add (choosing->files, "(s@ay)", shown,
                         g_variant_new_from_bytes (G_VARIANT_TYPE_BYTESTRING, bytes, TRUE));
  return TRUE;
}

/* The name without ".light" or ".verbose", which the choice takes apart by itself. */
static char *
bare_name (const char *name)
{
  static const char *const levels[] = { ".light", ".verbose" };
  gsize length = strlen (name);
  for (gsize i = 0; i < G_N_ELEMENTS (levels); i++)
    {
      gsize end = strlen (levels[i]);
      if (length > end && g_ascii_strcasecmp (name + length - end, levels[i]) == 0)
        return g_strndup (name, length - end);
    }
  return g_strdup (name);
}

static gboolean
choose_profile (WprChoosing *choosing, const char *name, const char *source, GError **error)
{
  g_autofree char *bare = bare_name (name);
  if (wpr_library_find (choosing->chosen->library, bare, source, error) == NULL)
    return FALSE;
  wpr_choice_add (choosing->chosen->choice, name, source, -1);
  return TRUE;
}

/* What a file stands for, where no profile of it is named. */
static gboolean
choose_defaults (WprChoosing *choosing, const char *source, GError **error)
{
  g_autoptr (GPtrArray) defaults
      = wpr_library_list_defaults (choosing->chosen->library, source, error);
  for (guint i = 0; defaults != NULL && i < defaults->len; i++)
    {
      const WprProfile *profile = g_ptr_array_index (defaults, i);
      wpr_choice_add (choosing->chosen->choice, profile->name, source, -1);
    }
  return defaults != NULL;
}

/* Where ".wprp" ends in the word if it names a file: behind it come "!", "+" or nothing. */
static const char *
end_of_file (const char *word)
{
  for (const char *at = word; *at != '\0'; at++)
    if (g_ascii_strncasecmp (at, ".wprp", 5) == 0 && strchr ("!+", at[5]) != NULL)
      return at + 5;
  return NULL;
}

/* Takes one profile off the front of the word; returns where the next begins, NULL after the last
 * or with an error. */
static const char *
choose_next (WprChoosing *choosing, const char *word, GError **error)
{
  const char *plus = strchr (word, '+');
  const char *end = end_of_file (word);
  g_autofree char *path = end != NULL ? g_strndup (word, end - word) : NULL;
  /* "CPU+mine.wprp" is two, unless there is a file of that name. */
  if (path != NULL && plus != NULL && plus < end && !g_file_test (path, G_FILE_TEST_EXISTS))
    g_clear_pointer (&path, g_free);
  if (path == NULL)
    {
      g_autofree char *name = plus != NULL ? g_strndup (word, plus - word) : g_strdup (word);
      return choose_profile (choosing, name, NULL, error) && plus != NULL ? plus + 1 : NULL;
    }
  g_autofree char *shown = wpr_format_path (path);
  if (!use_file (choosing, path, shown, error))
    return NULL;
  plus = strchr (end, '+');
  g_autofree char *name = NULL;
  if (*end == '!')
    name = plus != NULL ? g_strndup (end + 1, plus - end - 1) : g_strdup (end + 1);
  else
    return choose_defaults (choosing, shown, error) && plus != NULL ? plus + 1 : NULL;
  return name != NULL && choose_profile (choosing, name, shown, error) && plus != NULL ? plus + 1
                                                                                       : NULL;
}

static gboolean
choose_profiles (WprChosen *chosen, WprArguments *arguments, GError **error)
{
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GVariantBuilder) files = g_variant_builder_new (G_VARIANT_TYPE ("a(say)"));
  WprChoosing choosing = { chosen, files, seen };
  g_autoptr (GError) why = NULL;
  for (guint i = 0; i < arguments->words->len && why == NULL; i++)
    for (const char *word = g_ptr_array_index (arguments->words, i); word != NULL && why == NULL;)
      word = choose_next (&choosing, word, &why);
  guint n = chosen->choice->profiles->len;
  if (why == NULL && n == 0)
    wpr_set_error (&why, WPR_ERROR_USAGE, 0xc5600602,
                   _ ("Say which profile to record, for example GeneralProfile. \"wpr -profiles\" "
                      "lists them all."));
  if (why == NULL && n > WPR_MOST_PROFILES)
    wpr_set_error (&why, WPR_ERROR_USAGE, 0xc5600602,
                   _ ("At most %d profiles can be recorded at a time; these are %u."),
                   WPR_MOST_PROFILES, n);
  if (why != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&why));
      return FALSE;
    }
  chosen->files = g_variant_ref_sink (g_variant_builder_end (files));
  return TRUE;
}

/* ---- options ---- */

static gboolean
choose_buffers (WprChoice *choice, WprArguments *arguments, GError **error)
{
  const char *text = wpr_arguments_get (arguments, "buffers");
  if (!wpr_arguments_number (arguments, "buffersize", WPR_BUFFER_LEAST_KB, WPR_BUFFER_MOST_KB,
                             &choice->buffer_size_kb, error))
    return FALSE;
  if (text == NULL || !g_str_has_suffix (text, "%"))
    return wpr_arguments_number (arguments, "buffers", 1, WPR_BUFFERS_MOST, &choice->buffers,
                                 error);
  char *end = NULL;
  double percent = g_ascii_strtod (text, &end);
  /* "!(... )" so that NaN is refused, too. */
  if (!(percent > 0 && percent <= 100) || !g_str_equal (end, "%"))
    {
      wpr_set_error (
          error, WPR_ERROR_USAGE, 0xc5600602,
          _ ("-buffers takes a number of buffers, or a share of the memory above 0%% and "
             "up to 100%%, not \"%s\"."),
          text);
      return FALSE;
    }
  choice->buffers_percent = percent;
  return TRUE;
}

/* Limits of the file; only a recording to disk has one. */
static gboolean
choose_limits (WprChoice *choice, WprArguments *arguments, GError **error)
{
  if (!wpr_arguments_number (arguments, "maxsize", 1, G_MAXUINT, &choice->max_size_mb, error)
      || !wpr_arguments_number (arguments, "maxfiles", 1, WPR_FILES_MOST, &choice->max_files,
                                error))
    return FALSE;
  gboolean is_asked = choice->max_size_mb != 0 || choice->max_files != 0;
  if (is_asked && choice->mode != WPR_MODE_FILE)
    wpr_set_error (error, WPR_ERROR_USAGE, 0xc558200a,
                   _ ("-maxsize and -maxfiles limit a recording to disk. Add -filemode."));
  else if (choice->max_files != 0 && choice->max_size_mb == 0)
    wpr_set_error (error, WPR_ERROR_USAGE, 0xc5600602,
                   _ ("-maxfiles says how many files of -maxsize are kept. Add -maxsize MB."));
  else
    return TRUE;
  return FALSE;
}

WprChosen *
wpr_chosen_new (WprArguments *arguments, GError **error)
{
  g_autoptr (WprChosen) chosen = g_new0 (WprChosen, 1);
  chosen->library = wpr_library_new ();
  chosen->choice = wpr_choice_new ();
  chosen->choice->mode
      = wpr_arguments_has (arguments, "filemode") ? WPR_MODE_FILE : WPR_MODE_MEMORY;
  chosen->choice->sample_interval_100ns = wpr_sample_interval_get ();
  chosen->choice->unlock = !wpr_arguments_has (arguments, "ownprograms");
  if (!choose_buffers (chosen->choice, arguments, error)
      || !choose_limits (chosen->choice, arguments, error)
      || !choose_profiles (chosen, arguments, error))
    return NULL;
  return g_steal_pointer (&chosen);
}

void
wpr_chosen_free (WprChosen *chosen)
{
  if (chosen == NULL)
    return;
  g_clear_pointer (&chosen->library, wpr_library_unref);
  g_clear_pointer (&chosen->choice, wpr_choice_free);
  g_clear_pointer (&chosen->files, g_variant_unref);
  g_free (chosen);
}
