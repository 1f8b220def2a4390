/* SPDX-License-Identifier: GPL-3.0-or-later */
/* wpr -marker "TEXT" */
#include "config.h"
#include "verbs.h"

#include <glib/gi18n.h>

#include "agent.h"
#include "arguments.h"
#include "say.h"
#include "session.h"

static const WprOption options[] = { { "instancename", WPR_OPTION_VALUE } };

int
wpr_verb_marker (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GAsyncResult) result = NULL;
  /* The first word is the text, whatever it begins with. */
  const char *text = argc > 0 ? argv[0] : NULL;
  g_autoptr (WprArguments) arguments = wpr_arguments_parse (
      MAX (argc - 1, 0), argc > 0 ? argv + 1 : argv, options, G_N_ELEMENTS (options));
  if (text == NULL)
    wpr_set_error (&error, WPR_ERROR_USAGE, 0xc5600602,
                   _ ("Say what to write into the recording, for example: wpr -marker \"it hangs "
                      "now\"."));
  if (error != NULL || !wpr_arguments_check (arguments, 0, &error))
    return wpr_complain (error, FALSE);
  g_autoptr (WprRecorder) recorder
      = wpr_recorder_connect (wpr_arguments_get (arguments, "instancename"), &error);
  if (recorder == NULL)
    return wpr_complain (error, FALSE);
  GPid agent = wpr_agent_begin_for_guest (wpr_arguments_get (arguments, "instancename"));
  wpr_recorder_mark_async (recorder, text, NULL, wpr_on_result, &result);
  wpr_wait (&result);
  wpr_agent_end (agent);
  if (!wpr_recorder_mark_finish (recorder, result, &error))
    return wpr_complain (error, FALSE);
  wpr_say ("%s", _ ("Marked."));
  return 0;
}
