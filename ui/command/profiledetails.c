/* SPDX-License-Identifier: GPL-3.0-or-later */
/* wpr -profiledetails P1+P2: the plan, without recording anything. */
#include "config.h"
#include "verbs.h"

#include <stdio.h>
#include <wpr-recorder.h>

#include "arguments.h"
#include "choose.h"
#include "json.h"
#include "say.h"

static const WprOption options[] = { WPR_CHOOSE_OPTIONS, { "json", WPR_OPTION_FLAG } };

int
wpr_verb_profiledetails (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (WprArguments) arguments
      = wpr_arguments_parse (argc, argv, options, G_N_ELEMENTS (options));
  gboolean json = wpr_arguments_has (arguments, "json");
  if (!wpr_arguments_check (arguments, G_MAXUINT, &error))
    return wpr_complain (error, json);
  g_autoptr (WprChosen) chosen = wpr_chosen_new (arguments, &error);
  if (chosen == NULL)
    return wpr_complain (error, json);
  g_autoptr (WprMachine) machine = wpr_machine_probe ();
  g_autoptr (WprPlan) plan = wpr_plan_new (chosen->library, chosen->choice, machine, &error);
  if (plan == NULL)
    return wpr_complain (error, json);
  g_autofree char *text = json ? wpr_plan_to_json (plan) : wpr_plan_to_text (plan);
  if (json)
    puts (text);
  else
    g_print ("%s%s", text, g_str_has_suffix (text, "\n") ? "" : "\n");
  return 0;
}
