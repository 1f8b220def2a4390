/* SPDX-License-Identifier: GPL-3.0-or-later */
/* wpr -enable PROFILE ..., wpr -disable PROFILE ...: while it records. */
#include "config.h"
#include "verbs.h"

#include <glib/gi18n.h>
#include <string.h>

#include "arguments.h"
#include "choose.h"
#include "say.h"
#include "session.h"

static const WprOption enable_options[]
    = { { "enable", WPR_OPTION_AGAIN }, { "instancename", WPR_OPTION_VALUE } };
static const WprOption disable_options[]
    = { { "disable", WPR_OPTION_AGAIN }, { "instancename", WPR_OPTION_VALUE } };

/* What the recorder said about it: notices come before the answer. */
static void
say_notices_from (WprRecorder *recorder, guint first)
{
  g_autoptr (GPtrArray) notices = wpr_recorder_get_notices (recorder);
  for (guint i = first; i < notices->len; i++)
    {
      const WprNotice *notice = g_ptr_array_index (notices, i);
      if (notice->severity == WPR_NOTICE_INFO)
        wpr_say ("%s", notice->text);
      else
        wpr_warn ("%s", notice->text);
    }
}

/* To switch a profile off its file need not be there any more: the name is enough. */
static WprChosen *
choose_to_disable (WprArguments *arguments, GError **error)
{
  g_autoptr (GError) why = NULL;
  g_autoptr (WprChosen) chosen = wpr_chosen_new (arguments, &why);
  if (chosen != NULL)
    return g_steal_pointer (&chosen);
  if (!g_error_matches (why, WPR_ERROR, WPR_ERROR_PROFILE))
    {
      g_propagate_error (error, g_steal_pointer (&why));
      return NULL;
    }
  chosen = g_new0 (WprChosen, 1);
  chosen->choice = wpr_choice_new ();
  for (guint i = 0; i < arguments->words->len; i++)
    {
      const char *word = g_ptr_array_index (arguments->words, i);
      const char *mark = strchr (word, '!');
      g_auto (GStrv) names = g_strsplit (mark != NULL ? mark + 1 : word, "+", -1);
      for (guint j = 0; names[j] != NULL; j++)
        wpr_choice_add (chosen->choice, names[j], NULL, -1);
    }
  return g_steal_pointer (&chosen);
}

static int
set_profiles (int argc, char **argv, const WprOption *options, gsize n_options, gboolean on)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (WprArguments) arguments = wpr_arguments_parse (argc, argv, options, n_options);
  if (!wpr_arguments_check (arguments, G_MAXUINT, &error))
    return wpr_complain (error, FALSE);
  g_autoptr (WprChosen) chosen
      = on ? wpr_chosen_new (arguments, &error) : choose_to_disable (arguments, &error);
  if (chosen == NULL)
    return wpr_complain (error, FALSE);
  g_autoptr (WprRecorder) recorder
      = wpr_recorder_connect (wpr_arguments_get (arguments, "instancename"), &error);
  if (recorder == NULL)
    return wpr_complain (error, FALSE);
  g_autoptr (GPtrArray) before = wpr_recorder_get_notices (recorder);
  wpr_recorder_set_profiles_async (recorder, chosen->choice, chosen->files, on, NULL, wpr_on_result,
                                   &result);
  wpr_wait (&result);
  if (!wpr_recorder_set_profiles_finish (recorder, result, &error))
    return wpr_complain (error, FALSE);
  say_notices_from (recorder, before->len);
  wpr_say ("%s", on ? _ ("Recorded from now on; a mark in the recording says so.")
                    : _ ("Not recorded any more; a mark in the recording says so."));
  return 0;
}

int
wpr_verb_enable (int argc, char **argv)
{
  return set_profiles (argc, argv, enable_options, G_N_ELEMENTS (enable_options), TRUE);
}

int
wpr_verb_disable (int argc, char **argv)
{
  return set_profiles (argc, argv, disable_options, G_N_ELEMENTS (disable_options), FALSE);
}
