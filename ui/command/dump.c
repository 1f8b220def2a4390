/* SPDX-License-Identifier: GPL-3.0-or-later */
/* wpr -dump FILE.etl: its events as lines for people, CSV or JSON. */
#include "config.h"
#include "verbs.h"

#include <glib/gi18n.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
#include <wpr-trace.h>

#include "arguments.h"
#include "say.h"

static const WprOption options[] = {
  { "filter", WPR_OPTION_VALUE }, { "from", WPR_OPTION_VALUE }, { "to", WPR_OPTION_VALUE },
  { "stacks", WPR_OPTION_FLAG },  { "csv", WPR_OPTION_FLAG },   { "json", WPR_OPTION_FLAG },
};

/* Faults that are said one by one. */
#define MOST_SAID 20

static gboolean
check_words (WprArguments *arguments, GError **error)
{
  if (!wpr_arguments_check (arguments, 1, error))
    return FALSE;
  if (wpr_arguments_word (arguments, 0) == NULL)
    wpr_set_error (error, WPR_ERROR_USAGE, 0xc5600602,
                   _ ("Say which file, for example: wpr -dump slow.etl."));
  else if (wpr_arguments_has (arguments, "csv") && wpr_arguments_has (arguments, "json"))
    wpr_set_error (error, WPR_ERROR_USAGE, 0xc5600602,
                   _ ("-csv and -json are two formats: choose one of them."));
  else
    return TRUE;
  return FALSE;
}

/* What is damaged, once the rest has been printed. */
static int
complain_of_faults (const GPtrArray *faults, const char *shown)
{
  g_autoptr (GError) error = NULL;
  if (faults->len == 0)
    return 0;
  for (guint i = 0; i < MIN (faults->len, MOST_SAID); i++)
    wpr_warn ("%s", (const char *)g_ptr_array_index (faults, i));
  wpr_set_error (&error, WPR_ERROR_DAMAGED, 0,
                 _ ("“%s” is damaged. What is whole in it was printed; \"wpr -info\" lists every "
                    "fault."),
                 shown);
  return wpr_complain (error, FALSE);
}

static int
dump (WprArguments *arguments, GError **error)
{
  const char *path = wpr_arguments_word (arguments, 0);
  gboolean stacks = wpr_arguments_has (arguments, "stacks");
  WprTraceDumpFormat format = wpr_arguments_has (arguments, "json")  ? WPR_DUMP_JSON
                              : wpr_arguments_has (arguments, "csv") ? WPR_DUMP_CSV
                                                                     : WPR_DUMP_TEXT;
  g_autofree char *shown = wpr_format_path (path);
  g_autoptr (WprTraceFile) file
      = wpr_trace_file_open (path, stacks ? WPR_TRACE_STACKS : WPR_TRACE_PLAIN, NULL, error);
  if (file == NULL
      || !wpr_trace_file_set_filter (file, wpr_arguments_get (arguments, "filter"), NULL, error)
      || !wpr_trace_file_set_range (file, wpr_arguments_get (arguments, "from"),
                                    wpr_arguments_get (arguments, "to"), error)
      || !wpr_trace_file_dump (file, STDOUT_FILENO, shown, format,
                               stacks ? WPR_DUMP_STACKS : WPR_DUMP_PLAIN, NULL, error))
    return 0;
  return complain_of_faults (wpr_trace_file_get_faults (file), shown);
}

int
wpr_verb_dump (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (WprArguments) arguments
      = wpr_arguments_parse (argc, argv, options, G_N_ELEMENTS (options));
  int status = 0;
  /* A reader that has seen enough ("| head") is no fault; a pipe that breaks is told by write(). */
  signal (SIGPIPE, SIG_IGN);
  if (check_words (arguments, &error))
    status = dump (arguments, &error);
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_BROKEN_PIPE))
    return 0;
  return error != NULL ? wpr_complain (error, wpr_arguments_has (arguments, "json")) : status;
}
