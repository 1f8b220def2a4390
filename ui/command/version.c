/* SPDX-License-Identifier: GPL-3.0-or-later */
/* wpr -version */
#include "config.h"
#include "verbs.h"

#include <wpr-error.h>

#include "arguments.h"
#include "json.h"
#include "say.h"

static const WprOption options[] = { { "json", WPR_OPTION_FLAG } };

int
wpr_verb_version (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (WprArguments) arguments
      = wpr_arguments_parse (argc, argv, options, G_N_ELEMENTS (options));
  gboolean json = wpr_arguments_has (arguments, "json");
  if (!wpr_arguments_check (arguments, 0, &error))
    return wpr_complain (error, json);
  if (!json)
    {
      wpr_say ("Performance Recorder (wpr) %s", WPR_VERSION);
      return 0;
    }
  WprJson out = WPR_JSON_INIT;
  wpr_json_open (&out, NULL, '{');
  wpr_json_integer (&out, "version", 1);
  wpr_json_string (&out, "product", "Performance Recorder");
  wpr_json_string (&out, "release", WPR_VERSION);
  wpr_json_close (&out, '}');
  wpr_json_print (&out);
  return 0;
}
