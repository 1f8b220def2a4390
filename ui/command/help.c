/* SPDX-License-Identifier: GPL-3.0-or-later */
/* wpr -help [COMMAND] */
#include "config.h"
#include "verbs.h"

#include <glib/gi18n.h>
#include <string.h>
#include <wpr-profile.h>

#include "arguments.h"
#include "say.h"

static void
explain (const WprVerb *verb)
{
  wpr_say ("wpr -%s%s%s", verb->name, *verb->usage != '\0' ? " " : "", verb->usage);
  wpr_say ("    %s", _ (verb->help));
  if (verb->run == NULL)
    wpr_say ("    %s", _ ("Not in this version."));
}

static void
list (void)
{
  gsize n = 0;
  const WprVerb *verbs = wpr_verb_table (&n);
  wpr_say ("%s", _ ("Performance Recorder records what this computer does, for somebody to find "
                    "out why it is slow."));
  wpr_say ("%s", "");
  for (gsize i = 0; i < n; i++)
    if (verbs[i].run != NULL)
      explain (&verbs[i]);
  wpr_say ("%s", "");
  wpr_say ("%s", _ ("For example:"));
  wpr_say ("    wpr -start GeneralProfile");
  wpr_say ("    wpr -status");
  wpr_say ("    wpr -stop slow.etl \"%s\"", _ ("opening a folder takes ten seconds"));
  wpr_say ("%s", "");
  wpr_say ("%s", _ ("Exit status: 0 done, 1 not understood, 2 the profile is not valid, 5 not "
                    "permitted, 7 saved, but events were lost. wpr(1) has all of them."));
}

/* "profiles" alone is the format of profile files; "-profiles" is the command. With -man: the
 * source of wprp(5), for the build. */
static gboolean
explain_format (int argc, char **argv)
{
  if (g_ascii_strcasecmp (argv[0], "profiles") != 0)
    return FALSE;
  gboolean man = argc > 1 && g_str_equal (argv[1], "-man");
  g_autofree char *text = man ? wpr_profile_format_to_man () : wpr_profile_format_to_text ();
  g_print ("%s", text);
  return TRUE;
}

/* One row a name of EXPR. */
static const struct
{
  const char *name, *help;
} filter_names[] = {
  { "ProcessName", N_ ("name of the process") },
  { "ProcessId, ThreadId", N_ ("its numbers") },
  { "Provider", N_ ("who wrote the event: a name, or a {GUID}") },
  { "EventName, EventId", N_ ("the event's name and number") },
  { "Level", N_ ("1 critical, 2 error, 3 warning, 4 information, 5 verbose") },
  { "Keywords", N_ ("bits; Keywords ~ 0x10 means: has this bit") },
  { "Cpu", N_ ("the processor") },
  { "Time", N_ ("1.5 (seconds since the beginning), 14:00:05.25, \"2026-11-30 14:00:05\"") },
};

static gboolean
explain_filter (const char *word)
{
  if (g_ascii_strcasecmp (word, "filter") != 0)
    return FALSE;
  wpr_say ("%s", _ ("A filter of -dump compares what is known of an event:"));
  for (gsize i = 0; i < G_N_ELEMENTS (filter_names); i++)
    wpr_say ("    %-22s %s", filter_names[i].name, _ (filter_names[i].help));
  wpr_say ("%s", _ ("Any other name is that of a field of the event, as -dump shows it; so is one "
                    "with a point in front, such as .Level, or in quotation marks."));
  wpr_say ("%s", _ ("with == (or =), !=, <, <=, >, >=, or ~, which looks for a part of a text, in "
                    "small or capital letters. Values are numbers (12, 0x1f), words, or text in "
                    "quotation marks. Comparisons are joined by && and ||, negated by !, grouped "
                    "by ( ). An event without the field fails every comparison with it."));
  wpr_say ("%s", _ ("For example:"));
  wpr_say ("    wpr -dump slow.etl -filter 'ProcessName=\"myapp\" && Level<=3'");
  wpr_say ("    wpr -dump slow.etl -filter 'Provider==DiskIo && TransferSize>=65536' -csv");
  wpr_say ("    wpr -dump slow.etl -filter '!(ProcessId==0) && Time>=2.5 && Time<2.75' -stacks");
  return TRUE;
}

int
wpr_verb_help (int argc, char **argv)
{
  if (argc == 0)
    {
      list ();
      return 0;
    }
  if (explain_format (argc, argv) || explain_filter (argv[0]))
    return 0;
  g_autofree char *name = wpr_option_name (argv[0]);
  const WprVerb *verb = wpr_verb_find (name != NULL ? name : argv[0]);
  if (verb != NULL)
    {
      explain (verb);
      return 0;
    }
  g_autoptr (GError) error = NULL;
  wpr_set_error (&error, WPR_ERROR_USAGE, 0xc5600602,
                 _ ("wpr has no command \"%s\". \"wpr -help\" lists them all."), argv[0]);
  return wpr_complain (error, FALSE);
}
