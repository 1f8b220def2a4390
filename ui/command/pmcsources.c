/* SPDX-License-Identifier: GPL-3.0-or-later */
/* wpr -pmcsources: counters by name, and whether this machine has them. */
#include "config.h"
#include "verbs.h"

#include <glib/gi18n.h>
#include <wpr-recorder.h>

#include "arguments.h"
#include "json.h"
#include "say.h"

static const WprOption options[] = { { "json", WPR_OPTION_FLAG } };

static gboolean
is_here (const WprMachine *machine, const WprCounter *counter)
{
  if (counter->software)
    return TRUE;
  if (!wpr_machine_get_has_pmu (machine))
    return FALSE;
  WprHave have = wpr_machine_get_event (machine, counter->event);
  return have == WPR_HAVE_YES || have == WPR_HAVE_UNKNOWN;
}

static void
say_as_json (const WprMachine *machine)
{
  WprJson out = WPR_JSON_INIT;
  const WprCounter *counter;
  wpr_json_open (&out, NULL, '{');
  wpr_json_integer (&out, "version", 1);
  wpr_json_boolean (&out, "hardware", wpr_machine_get_has_pmu (machine));
  wpr_json_open (&out, "counters", '[');
  for (guint i = 0; (counter = wpr_counter_get (i)) != NULL; i++)
    {
      wpr_json_open (&out, NULL, '{');
      wpr_json_string (&out, "name", counter->name);
      wpr_json_string (&out, "event", counter->event);
      wpr_json_boolean (&out, "software", counter->software);
      wpr_json_boolean (&out, "available", is_here (machine, counter));
      wpr_json_close (&out, '}');
    }
  wpr_json_close (&out, ']');
  wpr_json_close (&out, '}');
  wpr_json_print (&out);
}

int
wpr_verb_pmcsources (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (WprArguments) arguments
      = wpr_arguments_parse (argc, argv, options, G_N_ELEMENTS (options));
  gboolean json = wpr_arguments_has (arguments, "json");
  if (!wpr_arguments_check (arguments, 0, &error))
    return wpr_complain (error, json);
  g_autoptr (WprMachine) machine = wpr_machine_probe ();
  if (json)
    {
      say_as_json (machine);
      return 0;
    }
  if (!wpr_machine_get_has_pmu (machine))
    wpr_say ("%s", _ ("This computer offers no hardware counters; those of the kernel are there "
                      "in any case."));
  const WprCounter *counter;
  for (guint i = 0; (counter = wpr_counter_get (i)) != NULL; i++)
    wpr_say ("  %-30s %-26s %s", counter->name, counter->event,
             is_here (machine, counter) ? "" : _ ("not here"));
  return 0;
}
