/* SPDX-License-Identifier: GPL-3.0-or-later */
/* wpr -status [profiles] [collectors [-details]] */
#include "config.h"
#include "status.h"

#include <glib/gi18n.h>

#include "arguments.h"
#include "say.h"
#include "verbs.h"

static const WprOption options[] = {
  { "instancename", WPR_OPTION_VALUE },
  { "json", WPR_OPTION_FLAG },
  { "details", WPR_OPTION_FLAG },
  /* Also with a dash. */
  { "profiles", WPR_OPTION_FLAG },
  { "collectors", WPR_OPTION_FLAG },
};

typedef struct
{
  gboolean json, profiles, collectors, details;
} WprStatusWish;

static gboolean
read_wish (WprArguments *arguments, WprStatusWish *wish, GError **error)
{
  *wish = (WprStatusWish){ .json = wpr_arguments_has (arguments, "json"),
                           .profiles = wpr_arguments_has (arguments, "profiles"),
                           .collectors = wpr_arguments_has (arguments, "collectors"),
                           .details = wpr_arguments_has (arguments, "details") };
  if (!wpr_arguments_check (arguments, G_MAXUINT, error))
    return FALSE;
  for (guint i = 0; i < arguments->words->len; i++)
    {
      const char *word = wpr_arguments_word (arguments, i);
      if (g_ascii_strcasecmp (word, "profiles") == 0)
        wish->profiles = TRUE;
      else if (g_ascii_strcasecmp (word, "collectors") == 0)
        wish->collectors = TRUE;
      else
        {
          wpr_set_error (error, WPR_ERROR_USAGE, 0xc5600602,
                         _ ("-status can say more about \"profiles\" and \"collectors\", not about "
                            "\"%s\"."),
                         word);
          return FALSE;
        }
    }
  wish->collectors |= wish->details;
  return TRUE;
}

/* Over, and its process about to end: nothing is being recorded there. */
static gboolean
is_over (WprRecorder *recorder)
{
  WprState state = wpr_recorder_get_state (recorder);
  return state == WPR_STATE_SAVED || state == WPR_STATE_CANCELLED || state == WPR_STATE_FAILED;
}

static void
add_if_recording (GPtrArray *recorders, WprRecorder *recorder)
{
  if (recorder != NULL && !is_over (recorder))
    g_ptr_array_add (recorders, recorder);
  else if (recorder != NULL)
    g_object_unref (recorder);
}

/* The recordings to speak of. One that ends while we look is left out. */
static GPtrArray *
connect_all (const char *instance, GError **error)
{
  GPtrArray *recorders = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (GPtrArray) names = NULL;
  if (instance != NULL)
    {
      add_if_recording (recorders, wpr_recorder_connect (instance, error));
      return recorders;
    }
  names = wpr_recorder_list (error);
  for (guint i = 0; names != NULL && i < names->len; i++)
    {
      g_autoptr (GError) why = NULL;
      add_if_recording (recorders, wpr_recorder_connect (g_ptr_array_index (names, i), &why));
      if (why == NULL || g_error_matches (why, WPR_ERROR, WPR_ERROR_NOT_RECORDING))
        continue;
      g_clear_error (error);
      g_propagate_error (error, g_steal_pointer (&why));
    }
  /* One that does not answer is not nothing: a fault if there is no other. */
  if (recorders->len > 0 && *error != NULL)
    wpr_warn ("%s", (*error)->message);
  return recorders;
}

static int
say_json (GPtrArray *recorders)
{
  WprJson out = WPR_JSON_INIT;
  wpr_json_open (&out, NULL, '{');
  wpr_json_integer (&out, "version", 1);
  wpr_json_open (&out, "recordings", '[');
  for (guint i = 0; i < recorders->len; i++)
    wpr_status_to_json (g_ptr_array_index (recorders, i), &out);
  wpr_json_close (&out, ']');
  wpr_json_close (&out, '}');
  wpr_json_print (&out);
  return recorders->len > 0 ? 0 : WPR_ERROR_NOT_RECORDING;
}

int
wpr_verb_status (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (WprArguments) arguments
      = wpr_arguments_parse (argc, argv, options, G_N_ELEMENTS (options));
  WprStatusWish wish;
  if (!read_wish (arguments, &wish, &error))
    return wpr_complain (error, wish.json);
  g_autoptr (GPtrArray) recorders
      = connect_all (wpr_arguments_get (arguments, "instancename"), &error);
  if (recorders->len == 0 && error != NULL
      && !g_error_matches (error, WPR_ERROR, WPR_ERROR_NOT_RECORDING))
    return wpr_complain (error, wish.json);
  if (wish.json)
    return say_json (recorders);
  if (recorders->len == 0)
    {
      /* An answer to a question, not a fault: on stdout. 0xc5583000 is WPR's number for it. */
      wpr_say ("%s (0x%08x)", error != NULL ? error->message : _ ("Nothing is being recorded."),
               0xc5583000);
      return WPR_ERROR_NOT_RECORDING;
    }
  for (guint i = 0; i < recorders->len; i++)
    {
      if (i > 0)
        wpr_say ("%s", "");
      wpr_status_say (g_ptr_array_index (recorders, i), wish.profiles, wish.collectors,
                      wish.details);
    }
  return 0;
}
