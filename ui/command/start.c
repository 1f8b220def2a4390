/* SPDX-License-Identifier: GPL-3.0-or-later */
/* wpr -start PROFILE ... */
#include "config.h"
#include "verbs.h"

#include <glib-unix.h>
#include <glib/gi18n.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent.h"
#include "arguments.h"
#include "choose.h"
#include "say.h"
#include "session.h"

static const WprOption options[] = {
  WPR_CHOOSE_OPTIONS,
  { "start", WPR_OPTION_AGAIN },
  { "recordtempto", WPR_OPTION_VALUE },
  { "instancename", WPR_OPTION_VALUE },
  { "duration", WPR_OPTION_VALUE },
  { "onoffscenario", WPR_OPTION_LATER_VALUE },
  { "onoffresultspath", WPR_OPTION_LATER_VALUE },
  { "onoffproblemdescription", WPR_OPTION_LATER_VALUE },
  { "onoffpretracecommand", WPR_OPTION_LATER_VALUE },
  { "onoffposttracecommand", WPR_OPTION_LATER_VALUE },
  { "numiterations", WPR_OPTION_LATER_VALUE },
};

/* A month: longer is a mistyped number. */
#define WPR_DURATION_MOST_S (31 * 24 * 3600)

/* ---- what to record, and where ---- */

/* The recorder has another working directory: it gets an absolute path, of a folder that is there.
 */
static gboolean
choose_raw_folder (WprChoice *choice, const char *path, GError **error)
{
  if (path == NULL)
    return TRUE;
  g_autofree char *absolute = g_canonicalize_filename (path, NULL);
  g_autofree char *shown = wpr_format_path (absolute);
  if (!g_file_test (absolute, G_FILE_TEST_IS_DIR))
    wpr_set_error (error, WPR_ERROR_NOT_WRITABLE, 0,
                   _ ("There is no folder “%s” for the raw recording. Make it, or leave out "
                      "-recordtempto."),
                   shown);
  else if (access (absolute, W_OK | X_OK) != 0)
    wpr_set_error (error, WPR_ERROR_NOT_WRITABLE, 0,
                   _ ("The folder “%s” for the raw recording cannot be written. Choose another, or "
                      "leave out -recordtempto."),
                   shown);
  else
    {
      choice->record_to = g_steal_pointer (&absolute);
      return TRUE;
    }
  return FALSE;
}

/* The plan on this machine, so that what cannot be is said before anything is started. */
static WprPlan *
plan_here (WprChosen *chosen, WprUnlock *unlock, GError **error)
{
  g_autoptr (WprMachine) machine = wpr_machine_probe ();
  *unlock = wpr_machine_get_unlock (machine);
  g_autoptr (WprPlan) plan = wpr_plan_new (chosen->library, chosen->choice, machine, error);
  if (plan == NULL || !plan->needs_rights)
    return g_steal_pointer (&plan);
  wpr_set_error (error, WPR_ERROR_NOT_PERMITTED, 0, "%s", wpr_machine_get_rights_text (machine));
  return NULL;
}

/* ---- what is said ---- */

static void
say_titles (const WprPlan *plan)
{
  g_autoptr (GString) titles = g_string_new (NULL);
  for (guint i = 0; i < plan->titles->len; i++)
    g_string_append_printf (titles, "%s%s", i > 0 ? ", " : "",
                            (const char *)g_ptr_array_index (plan->titles, i));
  wpr_say (plan->mode == WPR_MODE_FILE ? _ ("Recording to disk: %s.")
                                       : _ ("Recording in memory: %s."),
           titles->str);
}

/* More are only counted: the line should still be read. */
#define WPR_MISSING_NAMED 6

static void
say_missing (const GPtrArray *missing)
{
  g_autoptr (GString) names = g_string_new (NULL);
  guint n = MIN (missing->len, WPR_MISSING_NAMED);
  if (n == 0)
    return;
  for (guint i = 0; i < n; i++)
    g_string_append_printf (names, "%s%s", i > 0 ? ", " : "",
                            ((const WprPlanMissing *)g_ptr_array_index (missing, i))->what);
  if (missing->len > n)
    wpr_say (_ ("Not available here: %s and %u more. \"wpr -profiledetails\" says why."),
             names->str, missing->len - n);
  else
    wpr_say (_ ("Not available here: %s. \"wpr -profiledetails\" says why."), names->str);
}

static void
say_plan (const WprPlan *plan)
{
  g_autofree char *memory = wpr_format_bytes (plan->memory_bytes);
  say_titles (plan);
  wpr_say (ngettext ("%u kind of event, in %s of memory.", "%u kinds of events, in %s of memory.",
                     plan->n_kinds),
           plan->n_kinds, memory);
  if (*plan->rights_text != '\0')
    wpr_say ("%s%s%s", plan->rights_text, *plan->rights_help ? " " : "", plan->rights_help);
  say_missing (plan->missing);
}

static void
say_notices (WprRecorder *recorder)
{
  g_autoptr (GPtrArray) notices = wpr_recorder_get_notices (recorder);
  for (guint i = 0; i < notices->len; i++)
    {
      const WprNotice *notice = g_ptr_array_index (notices, i);
      if (notice->severity == WPR_NOTICE_INFO)
        wpr_say ("%s", notice->text);
      else
        wpr_warn ("%s", notice->text);
    }
}

static void
say_how_to_stop (const char *instance, gboolean memory)
{
  g_autofree char *name
      = instance != NULL ? g_strdup_printf (" -instancename %s", instance) : g_strdup ("");
  wpr_say (_ ("Do the slow thing now. Then stop and save with:\n    wpr -stop FILE.etl%s"), name);
  if (memory)
    wpr_say (_ ("The newest events are kept, older ones are replaced. To save them and go on:\n"
                "    wpr -save FILE.etl%s"),
             name);
}

/* ---- -duration ---- */

static gboolean
on_interrupt (gpointer data)
{
  *(gboolean *)data = TRUE;
  return G_SOURCE_CONTINUE;
}

static gboolean
is_over (WprState state)
{
  return state == WPR_STATE_SAVED || state == WPR_STATE_CANCELLED || state == WPR_STATE_FAILED;
}

/* The newest notice of the severity at least, NULL if there is none. */
static char *
last_words (WprRecorder *recorder, const char *id)
{
  g_autoptr (GPtrArray) notices = wpr_recorder_get_notices (recorder);
  for (guint i = notices->len; i > 0; i--)
    {
      const WprNotice *notice = g_ptr_array_index (notices, i - 1);
      if (id != NULL ? g_str_equal (notice->id, id) : notice->severity == WPR_NOTICE_ERROR)
        return g_strdup (notice->text);
    }
  return NULL;
}

static int
say_end (WprRecorder *recorder)
{
  WprState state = wpr_recorder_get_state (recorder);
  g_autoptr (GError) error = NULL;
  g_autoptr (WprStats) stats = wpr_recorder_ref_stats (recorder);
  if (state == WPR_STATE_CANCELLED)
    {
      wpr_say ("%s", _ ("The recording was cancelled. Nothing was saved."));
      return 0;
    }
  if (state == WPR_STATE_FAILED)
    {
      g_autofree char *why = last_words (recorder, NULL);
      wpr_set_error (&error, WPR_ERROR_INTERNAL, 0, "%s",
                     why != NULL ? why : _ ("The recording failed."));
      return wpr_complain (error, FALSE);
    }
  g_autofree char *where = last_words (recorder, WPR_SAVED_NOTICE);
  /* It comes right behind the state. */
  for (gint64 end = g_get_monotonic_time () + 2 * G_USEC_PER_SEC;
       where == NULL && g_get_monotonic_time () < end;
       where = last_words (recorder, WPR_SAVED_NOTICE))
    if (!g_main_context_iteration (NULL, FALSE))
      g_usleep (1000);
  if (where != NULL)
    wpr_say ("%s", where);
  return wpr_say_lost (stats->lost);
}

/* Waits until it has stopped by itself, or the person has enough of waiting: it goes on then. */
static int
wait_for_end (WprRecorder *recorder, guint duration_s)
{
  gboolean interrupted = FALSE;
  guint source = g_unix_signal_add (SIGINT, on_interrupt, &interrupted);
  wpr_say (ngettext ("It stops by itself after %u second; waiting for that.",
                     "It stops by itself after %u seconds; waiting for that.", duration_s),
           duration_s);
  wpr_show_progress (recorder);
  while (!is_over (wpr_recorder_get_state (recorder)) && !interrupted)
    g_main_context_iteration (NULL, TRUE);
  g_source_remove (source);
  wpr_progress_end ();
  if (!interrupted)
    return say_end (recorder);
  wpr_say ("%s", _ ("The recording goes on without this command, and still stops by itself."));
  return 0;
}

/* ---- the verb ---- */

/* Whoever was not let in can still record: what, and how. */
static int
complain_of_start (const GError *error, const WprPlan *plan, gboolean is_asked, gboolean had_agent)
{
  int status = wpr_complain (error, FALSE);
  if (!plan->unlock || !g_error_matches (error, WPR_ERROR, WPR_ERROR_NOT_PERMITTED))
    return status;
  if (is_asked && !had_agent)
    wpr_warn ("%s", _ ("An administrator's password is asked for in a desktop session, or at a "
                       "terminal where pkttyagent is installed (package polkit); this is neither. "
                       "Or record as root: sudo wpr -start."));
  wpr_warn ("%s", _ ("To record only your own programs, which needs no permission, add "
                     "-ownprograms."));
  return status;
}

static int
start (WprChosen *chosen, WprPlan *plan, WprUnlock unlock, const char *instance)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (WprRecorder) recorder = wpr_recorder_spawn (instance, &error);
  if (recorder == NULL)
    return wpr_complain (error, FALSE);
  gboolean is_asked = plan->unlock && unlock == WPR_UNLOCK_ASK;
  GPid agent = is_asked ? wpr_agent_begin (recorder) : 0;
  wpr_recorder_start_async (recorder, chosen->choice, chosen->files, "wpr", NULL, wpr_on_result,
                            &result);
  wpr_wait (&result);
  wpr_agent_end (agent);
  if (!wpr_recorder_start_finish (recorder, result, &error))
    return complain_of_start (error, plan, is_asked, agent != 0);
  say_plan (plan);
  say_notices (recorder);
  if (chosen->choice->duration_s > 0)
    return wait_for_end (recorder, chosen->choice->duration_s);
  say_how_to_stop (instance, chosen->choice->mode == WPR_MODE_MEMORY);
  return 0;
}

int
wpr_verb_start (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (WprArguments) arguments
      = wpr_arguments_parse (argc, argv, options, G_N_ELEMENTS (options));
  if (!wpr_arguments_check (arguments, G_MAXUINT, &error))
    return wpr_complain (error, FALSE);
  g_autoptr (WprChosen) chosen = wpr_chosen_new (arguments, &error);
  if (chosen == NULL
      || !choose_raw_folder (chosen->choice, wpr_arguments_get (arguments, "recordtempto"), &error)
      || !wpr_arguments_number (arguments, "duration", 1, WPR_DURATION_MOST_S,
                                &chosen->choice->duration_s, &error))
    return wpr_complain (error, FALSE);
  const char *instance = wpr_arguments_get (arguments, "instancename");
  chosen->choice->instance = g_strdup (instance);
  WprUnlock unlock;
  g_autoptr (WprPlan) plan = plan_here (chosen, &unlock, &error);
  return plan != NULL ? start (chosen, plan, unlock, instance) : wpr_complain (error, FALSE);
}
