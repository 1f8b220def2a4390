/* SPDX-License-Identifier: GPL-3.0-or-later */
/* wpr -flush */
#include "config.h"
#include "verbs.h"

#include <glib/gi18n.h>

#include "arguments.h"
#include "say.h"
#include "session.h"

static const WprOption options[] = { { "instancename", WPR_OPTION_VALUE } };

int
wpr_verb_flush (int argc, char **argv)
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
  wpr_recorder_flush_async (recorder, NULL, wpr_on_result, &result);
  wpr_wait (&result);
  if (!wpr_recorder_flush_finish (recorder, result, &error))
    return wpr_complain (error, FALSE);
  wpr_say ("%s", _ ("What the buffers held is on disk."));
  return 0;
}
