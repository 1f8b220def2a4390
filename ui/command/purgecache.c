/* SPDX-License-Identifier: GPL-3.0-or-later */
/* wpr -purgecache: empties the cache of function names. */
#include "config.h"
#include "verbs.h"

#include <glib/gi18n.h>
#include <wpr-trace.h>

#include "arguments.h"
#include "json.h"
#include "say.h"

static const WprOption options[] = { { "json", WPR_OPTION_FLAG } };

int
wpr_verb_purgecache (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (WprArguments) arguments
      = wpr_arguments_parse (argc, argv, options, G_N_ELEMENTS (options));
  gboolean json = wpr_arguments_has (arguments, "json");
  guint n_files = 0;
  guint64 bytes = 0;
  if (!wpr_arguments_check (arguments, 0, &error)
      || !wpr_symbol_cache_purge (&n_files, &bytes, &error))
    return wpr_complain (error, json);
  if (json)
    {
      WprJson out = WPR_JSON_INIT;
      wpr_json_open (&out, NULL, '{');
      wpr_json_integer (&out, "version", 1);
      wpr_json_unsigned (&out, "files", n_files);
      wpr_json_unsigned (&out, "bytes", bytes);
      wpr_json_close (&out, '}');
      wpr_json_print (&out);
      return 0;
    }
  g_autofree char *size = wpr_format_bytes (bytes);
  wpr_say (ngettext ("The symbol cache is empty: %u file, %s, deleted.",
                     "The symbol cache is empty: %u files, %s, deleted.", n_files),
           n_files, size);
  return 0;
}
