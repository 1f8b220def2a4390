/* SPDX-License-Identifier: GPL-3.0-or-later */
/* wpr -cancel */
#include "config.h"
#include "verbs.h"

#include <glib/gi18n.h>

#include "agent.h"
#include "arguments.h"
#include "say.h"
#include "session.h"

static const WprOption options[] = { { "instancename", WPR_OPTION_VALUE } };

int
wpr_verb_cancel (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (WprArguments) arguments
      = wpr_arguments_parse (argc, argv, options, G_N_ELEMENTS (options));
  if (!wpr_arguments_check (arguments, 0, &error))
    return wpr_complain (error, FALSE);
  g_autoptr (WprRecorder) recorder
      = wpr_recorder_connect (wpr_arguments_get (arguments, "instancename"), &error);
  if (recorder == NULL)
    return wpr_complain (error, FALSE);
  GPid agent = wpr_agent_begin_for_guest (wpr_arguments_get (arguments, "instancename"));
  wpr_recorder_cancel_async (recorder, NULL, wpr_on_result, &result);
  wpr_wait (&result);
  wpr_agent_end (agent);
  if (!wpr_recorder_cancel_finish (recorder, result, &error))
    return wpr_complain (error, FALSE);
  wpr_say ("%s", _ ("Stopped. Nothing was saved."));
  return 0;
}
