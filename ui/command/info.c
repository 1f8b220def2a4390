/* SPDX-License-Identifier: GPL-3.0-or-later */
/* wpr -info FILE.etl */
#include "config.h"
#include "verbs.h"

#include <glib/gi18n.h>
#include <stdio.h>
#include <wpr-trace.h>

#include "arguments.h"
#include "say.h"

static const WprOption options[] = { { "json", WPR_OPTION_FLAG } };

static int
say_info (const WprTraceInfo *info, const char *shown, gboolean json)
{
  g_autofree char *text = json ? wpr_trace_info_to_json (info) : wpr_trace_info_to_text (info);
  g_autoptr (GError) error = NULL;
  if (json)
    puts (text);
  else
    g_print ("%s%s", text, g_str_has_suffix (text, "\n") ? "" : "\n");
  if (info->faults->len == 0)
    return 0;
  wpr_set_error (
      &error, WPR_ERROR_DAMAGED, 0,
      ngettext ("“%s” is damaged: %u fault, listed above. What is whole in it can still "
                "be read.",
                "“%s” is damaged: %u faults, listed above. What is whole in it can still "
                "be read.",
                info->faults->len),
      shown, info->faults->len);
  return wpr_complain (error, FALSE);
}

int
wpr_verb_info (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (WprArguments) arguments
      = wpr_arguments_parse (argc, argv, options, G_N_ELEMENTS (options));
  gboolean json = wpr_arguments_has (arguments, "json");
  const char *file = wpr_arguments_word (arguments, 0);
  if (wpr_arguments_check (arguments, 1, &error) && file == NULL)
    wpr_set_error (&error, WPR_ERROR_USAGE, 0xc5600602,
                   _ ("Say which file, for example: wpr -info slow.etl."));
  if (error != NULL)
    return wpr_complain (error, json);
  g_autoptr (WprTraceInfo) info = wpr_trace_info_read (file, NULL, &error);
  g_autofree char *shown = wpr_format_path (file);
  return info != NULL ? say_info (info, shown, json) : wpr_complain (error, json);
}
