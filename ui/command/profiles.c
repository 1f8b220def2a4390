/* SPDX-License-Identifier: GPL-3.0-or-later */
/* wpr -profiles [FILE.wprp] */
#include "config.h"
#include "verbs.h"

#include <glib/gi18n.h>
#include <wpr-profile.h>

#include "arguments.h"
#include "choose.h"
#include "json.h"
#include "say.h"

static const WprOption options[] = { { "json", WPR_OPTION_FLAG } };

static const struct
{
  WprLevel level;
  WprMode mode;
  const char *name;
} variants[] = {
  { WPR_LEVEL_LIGHT, WPR_MODE_FILE, "Light.File" },
  { WPR_LEVEL_LIGHT, WPR_MODE_MEMORY, "Light.Memory" },
  { WPR_LEVEL_VERBOSE, WPR_MODE_FILE, "Verbose.File" },
  { WPR_LEVEL_VERBOSE, WPR_MODE_MEMORY, "Verbose.Memory" },
};

static gboolean
is_listed (const WprProfile *profile, const char *source)
{
  return !profile->internal && g_strcmp0 (profile->source, source) == 0;
}

static void
say_as_json (WprLibrary *library, const char *source)
{
  WprJson out = WPR_JSON_INIT;
  wpr_json_open (&out, NULL, '{');
  wpr_json_integer (&out, "version", 1);
  wpr_json_open (&out, "profiles", '[');
  for (guint i = 0; i < wpr_library_get_n_profiles (library); i++)
    {
      const WprProfile *profile = wpr_library_get_profile (library, i);
      if (!is_listed (profile, source))
        continue;
      wpr_json_open (&out, NULL, '{');
      wpr_json_string (&out, "name", profile->name);
      wpr_json_string (&out, "title", profile->title);
      wpr_json_string (&out, "group", profile->category);
      wpr_json_open (&out, "variants", '[');
      for (gsize v = 0; v < G_N_ELEMENTS (variants); v++)
        if (profile->has[variants[v].level][variants[v].mode])
          wpr_json_string (&out, NULL, variants[v].name);
      wpr_json_close (&out, ']');
      wpr_json_string (&out, "source", profile->source);
      wpr_json_close (&out, '}');
    }
  wpr_json_close (&out, ']');
  wpr_json_close (&out, '}');
  wpr_json_print (&out);
}

/* Group by group, each once, in the order of the library. */
static void
say_as_text (WprLibrary *library, const char *source)
{
  g_autoptr (GHashTable) said = g_hash_table_new (g_str_hash, g_str_equal);
  guint n = wpr_library_get_n_profiles (library);
  for (guint i = 0; i < n; i++)
    {
      const WprProfile *first = wpr_library_get_profile (library, i);
      if (!is_listed (first, source) || !g_hash_table_add (said, (gpointer)first->category))
        continue;
      wpr_say ("%s", first->category_title);
      for (guint j = i; j < n; j++)
        {
          const WprProfile *profile = wpr_library_get_profile (library, j);
          if (!is_listed (profile, source) || !g_str_equal (profile->category, first->category))
            continue;
          wpr_say ("  %-20s %s", profile->name, profile->title);
          if (*profile->symptom != '\0')
            wpr_say ("  %-20s %s", "", profile->symptom);
        }
    }
}

static void
say_faults (WprLibrary *library)
{
  const GPtrArray *faults = wpr_library_get_faults (library);
  for (guint i = 0; i < faults->len; i++)
    {
      const WprFault *fault = g_ptr_array_index (faults, i);
      if (!fault->is_error)
        wpr_warn ("%s:%u:%u: %s %s", fault->file, fault->line, fault->column, fault->what,
                  fault->advice);
    }
}

int
wpr_verb_profiles (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (WprArguments) arguments
      = wpr_arguments_parse (argc, argv, options, G_N_ELEMENTS (options));
  gboolean json = wpr_arguments_has (arguments, "json");
  if (!wpr_arguments_check (arguments, 1, &error))
    return wpr_complain (error, json);
  g_autoptr (WprLibrary) library = wpr_library_new ();
  const char *file = wpr_arguments_word (arguments, 0);
  g_autofree char *source = file != NULL ? wpr_format_path (file) : NULL;
  if (file != NULL && !wpr_add_profile_file (library, file, NULL, &error))
    return wpr_complain (error, json);
  if (json)
    say_as_json (library, source);
  else
    say_as_text (library, source);
  say_faults (library);
  return 0;
}
