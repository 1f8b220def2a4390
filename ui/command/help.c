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

int
wpr_verb_help (int argc, char **argv)
{
  if (argc == 0)
    {
      list ();
      return 0;
    }
  if (explain_format (argc, argv))
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
