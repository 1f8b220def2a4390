/* SPDX-License-Identifier: GPL-3.0-or-later */
/* wpr --recorder: the recording process itself. Started by wpr and wprui, not by people. */
#include "config.h"
#include "verbs.h"

#include <wpr-recorder.h>

#include "arguments.h"
#include "say.h"

static const WprOption options[] = {
  { "instance", WPR_OPTION_VALUE },
  { "ready-fd", WPR_OPTION_VALUE },
};

int
wpr_verb_recorder (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (WprArguments) arguments
      = wpr_arguments_parse (argc, argv, options, G_N_ELEMENTS (options));
  guint ready_fd = 0;
  if (!wpr_arguments_check (arguments, 0, &error)
      || !wpr_arguments_number (arguments, "ready-fd", 3, 1023, &ready_fd, &error))
    return wpr_complain (error, FALSE);
  return wpr_recorder_host_run (wpr_arguments_get (arguments, "instance"),
                                ready_fd != 0 ? (int)ready_fd : -1);
}
