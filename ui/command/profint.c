/* SPDX-License-Identifier: GPL-3.0-or-later */
/* wpr -setprofint N, -profint, -resetprofint: the sampling interval of recordings to come. */
#include "config.h"
#include "verbs.h"

#include <glib/gi18n.h>
#include <wpr-recorder.h>

#include "arguments.h"
#include "json.h"
#include "say.h"

/* As in WPR: a millisecond. */
#define DEFAULT_100NS 10000

static const WprOption json_option[] = { { "json", WPR_OPTION_FLAG } };

static int
say_interval (gboolean json)
{
  guint set = wpr_sample_interval_get ();
  guint interval = set != 0 ? set : DEFAULT_100NS;
  if (json)
    {
      WprJson out = WPR_JSON_INIT;
      wpr_json_open (&out, NULL, '{');
      wpr_json_integer (&out, "version", 1);
      wpr_json_integer (&out, "interval_100ns", interval);
      wpr_json_boolean (&out, "set", set != 0);
      wpr_json_close (&out, '}');
      wpr_json_print (&out);
    }
  else
    wpr_say (_ ("A sample each %g ms on every CPU (%u units of 100 ns)."), interval / 10000.0,
             interval);
  return 0;
}

int
wpr_verb_profint (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (WprArguments) arguments = wpr_arguments_parse (argc, argv, json_option, 1);
  gboolean json = wpr_arguments_has (arguments, "json");
  if (!wpr_arguments_check (arguments, 0, &error))
    return wpr_complain (error, json);
  return say_interval (json);
}

int
wpr_verb_setprofint (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (WprArguments) arguments = wpr_arguments_parse (argc, argv, NULL, 0);
  guint64 interval = 0;
  if (!wpr_arguments_check (arguments, 1, &error))
    return wpr_complain (error, FALSE);
  const char *word = wpr_arguments_word (arguments, 0);
  if (word == NULL || !g_ascii_string_to_unsigned (word, 10, 1, G_MAXUINT, &interval, NULL))
    wpr_set_error (&error, WPR_ERROR_USAGE, 0xc5600602,
                   _ ("-setprofint takes a whole number from 1221 to 10000000, in units of 100 "
                      "nanoseconds."));
  if (error != NULL || !wpr_sample_interval_set ((guint)interval, &error))
    return wpr_complain (error, FALSE);
  return say_interval (FALSE);
}

int
wpr_verb_resetprofint (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (WprArguments) arguments = wpr_arguments_parse (argc, argv, NULL, 0);
  if (!wpr_arguments_check (arguments, 0, &error) || !wpr_sample_interval_set (0, &error))
    return wpr_complain (error, FALSE);
  return say_interval (FALSE);
}
