/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Beginning a recording and ending it: start, stop and save, save and go on, mark, discard. Finding
 * and following one is in backend.c. */
#include "config.h"
#include "backend-post.h"

#include <glib/gi18n.h>
#include <unistd.h>
#include "target.h"
#include "texts.h"

#define ENDING_US (5 * G_USEC_PER_SEC) /* a recorder with nothing to do ends within one */
#define ENDING_STEP_US 50000

/* ---- start ---- */

static void
on_started (GObject *object, GAsyncResult *result, gpointer data)
{
  WprBackend *backend = data;
  g_autoptr (GError) error = NULL;
  backend->busy = FALSE;
  if (wpr_recorder_start_finish (WPR_RECORDER (object), result, &error))
    {
      wpr_backend_announce (backend);
      return;
    }
  wpr_backend_post_trouble (backend, _ ("The recording did not start"), error->message);
  wpr_backend_post_end (backend, NULL, NULL);
}

/* One that was refused an approval a moment ago may still have the name: it is about to end. */
static WprRecorder *
spawn (WprBackend *backend, GError **error)
{
  WprRecorder *recorder = wpr_recorder_spawn (NULL, error);
  while (recorder == NULL && backend->dropped_us != 0
         && g_get_monotonic_time () - backend->dropped_us < ENDING_US)
    {
      g_clear_error (error);
      g_usleep (ENDING_STEP_US);
      recorder = wpr_recorder_spawn (NULL, error);
    }
  backend->dropped_us = 0;
  return recorder;
}

static void
do_start (gpointer data)
{
  WprJob *job = data;
  WprBackend *backend = job->backend;
  ASSERT_WORKER (backend);
  if (backend->recorder != NULL || backend->busy)
    return;
  g_autoptr (GError) error = NULL;
  WprRecorder *recorder = wpr_backend_take_spare (backend);
  if (recorder == NULL)
    recorder = spawn (backend, &error);
  if (recorder == NULL)
    {
      wpr_backend_post_trouble (backend, _ ("The recording did not start"), error->message);
      wpr_backend_post_end (backend, NULL, NULL);
      return;
    }
  backend->busy = TRUE;
  wpr_backend_attach (backend, recorder, TRUE);
  g_autoptr (WprChoice) choice = wpr_backend_make_choice (backend, job->wish);
  choice->save_flags = wpr_backend_get_save_flags (backend);
  g_autoptr (GVariant) files = wpr_backend_make_files (backend, choice);
  wpr_recorder_start_async (recorder, choice, files, "wprui", NULL, on_started, backend);
}

void
wpr_backend_start (WprBackend *backend, const WprWish *wish)
{
  wpr_backend_send (backend, do_start, wish, NULL, NULL, 0);
}

/* ---- stop and save ---- */

WprOutcome *
wpr_backend_make_outcome (WprBackend *backend, const WprSaved *saved, int folder_fd)
{
  g_autoptr (GError) error = NULL;
  WprOutcome *outcome = g_new0 (WprOutcome, 1);
  outcome->kind = saved->lost > 0    ? WPR_OUTCOME_HOLED
                  : !saved->complete ? WPR_OUTCOME_DAMAGED
                                     : WPR_OUTCOME_WHOLE;
  outcome->folder = g_strdup (backend->folder);
  g_autofree char *with_words = wpr_target_add_words (saved->name, backend->name_words);
  const char *wanted = backend->wanted_name ? backend->wanted_name : with_words;
  outcome->name = wpr_target_rename (folder_fd, saved->name, wanted, &error);
  outcome->parts = wpr_target_rename_parts (folder_fd, saved->parts, outcome->name);
  outcome->size = saved->size;
  outcome->events = saved->events;
  outcome->lost = saved->lost;
  outcome->duration_ns = saved->duration_ns;
  outcome->note = g_strdup (backend->note);
  g_autoptr (WprSubject) subject = backend->recorder ? wpr_backend_read_subject (backend) : NULL;
  outcome->rights = subject ? g_steal_pointer (&subject->rights) : NULL;
  if (error != NULL)
    wpr_backend_post_trouble (backend, _ ("The file has another name"), error->message);
  return outcome;
}

char *
wpr_backend_why_stopped (WprBackend *backend)
{
  g_autoptr (GVariant) description
      = backend->recorder != NULL ? wpr_recorder_describe (backend->recorder) : NULL;
  const char *id;
  if (description == NULL || !g_variant_lookup (description, "by-itself", "&s", &id))
    return NULL;
  g_autoptr (GPtrArray) notices = wpr_recorder_get_notices (backend->recorder);
  for (guint i = 0; i < notices->len; i++)
    {
      const WprNotice *notice = notices->pdata[i];
      if (g_str_equal (notice->id, id))
        return g_strdup (notice->text);
    }
  return g_strdup ("");
}

/* Takes why. */
void
wpr_backend_end_by_itself (WprBackend *backend, char *why)
{
  g_autofree char *reason = why;
  g_autoptr (GVariant) description = wpr_recorder_describe (backend->recorder);
  g_autoptr (WprSaved) saved = g_new0 (WprSaved, 1);
  g_autofree char *folder = NULL;
  g_variant_lookup (description, "saved-folder", "^ay", &folder);
  g_variant_lookup (description, "saved-name", "^ay", &saved->name);
  g_variant_lookup (description, "saved-size", "t", &saved->size);
  g_variant_lookup (description, "saved-events", "t", &saved->events);
  g_variant_lookup (description, "saved-lost", "t", &saved->lost);
  g_variant_lookup (description, "saved-duration", "x", &saved->duration_ns);
  saved->complete = saved->lost == 0; /* what is damaged fails */
  if (folder == NULL || saved->name == NULL)
    {
      wpr_backend_post_end (backend, NULL, g_strdup (_ ("The recording was saved.")));
      return;
    }
  g_free (backend->folder);
  backend->folder = g_steal_pointer (&folder);
  int folder_fd = wpr_target_open_folder (backend->folder, NULL);
  WprOutcome *outcome = wpr_backend_make_outcome (backend, saved, folder_fd);
  if (folder_fd >= 0)
    close (folder_fd);
  outcome->reason = g_steal_pointer (&reason);
  wpr_backend_post_end (backend, outcome, NULL);
}

WprOutcome *
wpr_backend_make_failure (const GError *error, const char *store)
{
  WprOutcome *outcome = g_new0 (WprOutcome, 1);
  gboolean cancelled = g_error_matches (error, WPR_ERROR, WPR_ERROR_CANCELLED)
                       || g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_autofree char *shown = wpr_text_folder (store != NULL ? store : "");
  outcome->kind = cancelled ? WPR_OUTCOME_LATER : WPR_OUTCOME_FAILED;
  outcome->message
      = cancelled && store != NULL
            /* Translators: %s is a folder; it has a line of its own */
            ? g_strdup_printf (_ ("All that was recorded is kept. Finish it now, or later from "
                                  "Recordings.\n%s"),
                               shown)
            : g_strdup (error->message);
  outcome->store = g_strdup (store);
  return outcome;
}

/* Refused before anything was stopped: it still records. */
static gboolean
goes_on (WprRecorder *recorder, const GError *error)
{
  return wpr_recorder_get_state (recorder) == WPR_STATE_RECORDING
         || (g_error_matches (error, WPR_ERROR, WPR_ERROR_STATE)
             && wpr_recorder_get_state (recorder) < WPR_STATE_SAVED);
}

/* Of a recording that was left because its recorder did not answer. */
static void
take_late_answer (WprBackend *backend, const WprSaved *saved, const GError *error)
{
  if (backend->recorder != NULL || backend->busy)
    return; /* the next one runs */
  g_autofree char *store = saved == NULL ? wpr_backend_find_store (backend) : NULL;
  wpr_backend_post_late (
      backend, saved != NULL ? wpr_backend_make_outcome (backend, saved, backend->folder_fd)
                             : wpr_backend_make_failure (error, store));
}

static void
on_stopped (GObject *object, GAsyncResult *result, gpointer data)
{
  WprBackend *backend = data;
  WprRecorder *recorder = WPR_RECORDER (object);
  g_autoptr (GError) error = NULL;
  g_autoptr (WprSaved) saved = wpr_recorder_stop_finish (recorder, result, &error);
  if (recorder != backend->recorder)
    {
      take_late_answer (backend, saved, error);
      return;
    }
  backend->busy = FALSE;
  gboolean again = backend->again;
  backend->again = FALSE;
  g_clear_object (&backend->merge);
  WprState state = wpr_recorder_get_state (recorder);
  if (saved == NULL && (state == WPR_STATE_SAVED || state == WPR_STATE_CANCELLED))
    {
      wpr_backend_look_at_state (backend); /* another face was first */
      return;
    }
  if (saved == NULL && (state == WPR_STATE_STOPPING || state == WPR_STATE_MERGING)
      && g_error_matches (error, WPR_ERROR, WPR_ERROR_STATE))
    {
      wpr_backend_post_toast (backend, g_strdup (_ ("It is being saved elsewhere already")));
      wpr_backend_post_state (backend, state);
      return;
    }
  if (saved == NULL && goes_on (recorder, error))
    {
      wpr_backend_post_refused (backend, _ ("Not stopped"), error);
      wpr_backend_post_state (backend, wpr_recorder_get_state (recorder));
      return;
    }
  wpr_backend_read_figures (backend);
  if (saved == NULL)
    {
      g_autofree char *store = wpr_backend_find_store (backend);
      if (again && store != NULL && g_error_matches (error, WPR_ERROR, WPR_ERROR_CANCELLED))
        wpr_backend_play (backend, store);
      else
        wpr_backend_post_end (backend, wpr_backend_make_failure (error, store), NULL);
      return;
    }
  if (again)
    wpr_backend_post_toast (backend,
                            g_strdup (_ ("It was finished already; the next file will be so")));
  wpr_backend_post_end (backend, wpr_backend_make_outcome (backend, saved, backend->folder_fd),
                        NULL);
}

static void
replace (char **where, const char *text)
{
  char *copy = g_strdup (text);
  g_free (*where);
  *where = copy;
}

static void
on_stop_folder (WprBackend *backend, int folder_fd, const char *name, const char *note,
                const GError *error)
{
  ASSERT_WORKER (backend);
  if (!backend->opening || backend->recorder == NULL)
    return; /* it was given up */
  backend->opening = FALSE;
  if (folder_fd < 0)
    {
      backend->busy = FALSE;
      wpr_backend_post_refused (backend, _ ("Not stopped"), error);
      wpr_backend_post_state (backend, wpr_recorder_get_state (backend->recorder));
      wpr_backend_look_at_state (backend);
      return;
    }
  wpr_backend_keep_folder (backend, folder_fd);
  replace (&backend->name, name);
  wpr_backend_post_name (backend, backend->name);
  g_clear_object (&backend->merge);
  backend->merge = g_cancellable_new ();
  wpr_recorder_stop_async (backend->recorder, folder_fd, backend->name, backend->note,
                           backend->merge, on_stopped, backend);
}

static void
do_stop (gpointer data)
{
  WprJob *job = data;
  WprBackend *backend = job->backend;
  ASSERT_WORKER (backend);
  if (backend->recorder == NULL || backend->busy)
    return;
  backend->busy = backend->opening = TRUE;
  replace (&backend->folder, job->first);
  replace (&backend->note, job->second);
  g_clear_pointer (&backend->wanted_name, g_free);
  wpr_backend_open_folder (backend, job->first, NULL, NULL, on_stop_folder);
}

void
wpr_backend_stop (WprBackend *backend, const char *folder, const char *note)
{
  wpr_backend_send (backend, do_stop, NULL, folder, note, 0);
}

static void
do_set_note (gpointer data)
{
  WprJob *job = data;
  WprBackend *backend = job->backend;
  ASSERT_WORKER (backend);
  g_autofree char *why = wpr_backend_why_stopped (backend);
  if (!backend->busy && why == NULL)
    return;
  replace (&backend->note, job->first);
  if (backend->recorder != NULL)
    wpr_recorder_set_note (backend->recorder, backend->note);
}

void
wpr_backend_set_note (WprBackend *backend, const char *note)
{
  wpr_backend_send (backend, do_set_note, NULL, note, NULL, 0);
}

static void
do_set_name (gpointer data)
{
  WprJob *job = data;
  g_free (job->backend->wanted_name);
  job->backend->wanted_name = wpr_target_clean_name (job->first);
}

void
wpr_backend_set_name (WprBackend *backend, const char *name)
{
  wpr_backend_send (backend, do_set_name, NULL, name, NULL, 0);
}

static void
do_later (gpointer data)
{
  WprBackend *backend = ((WprJob *)data)->backend;
  if (backend->opening && backend->recorder != NULL)
    {
      /* nothing was stopped: the folder does not answer yet */
      backend->opening = backend->busy = FALSE;
      wpr_backend_post_state (backend, wpr_recorder_get_state (backend->recorder));
      wpr_backend_look_at_state (backend);
      return;
    }
  if (backend->merge != NULL)
    g_cancellable_cancel (backend->merge);
  if (backend->recorder != NULL && backend->busy)
    wpr_backend_leave_soon (backend);
}

void
wpr_backend_later (WprBackend *backend)
{
  wpr_backend_send (backend, do_later, NULL, NULL, NULL, 0);
}

/* ---- save and go on ---- */

static void
on_ring_saved (GObject *object, GAsyncResult *result, gpointer data)
{
  WprBackend *backend = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (WprSaved) saved = wpr_recorder_save_finish (WPR_RECORDER (object), result, &error);
  if (saved == NULL)
    {
      wpr_backend_post_refused (backend, _ ("Not saved; the recording goes on"), error);
      return;
    }
  /* Translators: %s is a file name */
  wpr_backend_post_toast (backend, g_strdup_printf (_ ("Saved: %s"), saved->name));
}

static void
on_ring_folder (WprBackend *backend, int folder_fd, const char *plain, const char *text,
                const GError *error)
{
  ASSERT_WORKER (backend);
  if (folder_fd < 0)
    {
      wpr_backend_post_refused (backend, _ ("Not saved; the recording goes on"), error);
      return;
    }
  if (backend->recorder == NULL)
    return; /* it ended meanwhile, which was said */
  g_autofree char *name = wpr_target_add_words (plain, backend->name_words);
  wpr_recorder_save_async (backend->recorder, folder_fd, name, NULL, NULL, on_ring_saved, backend);
}

static void
do_save_ring (gpointer data)
{
  WprJob *job = data;
  WprBackend *backend = job->backend;
  ASSERT_WORKER (backend);
  if (backend->recorder != NULL && !backend->busy)
    wpr_backend_open_folder (backend, job->first, NULL, NULL, on_ring_folder);
}

void
wpr_backend_save_ring (WprBackend *backend, const char *folder)
{
  wpr_backend_send (backend, do_save_ring, NULL, folder, NULL, 0);
}

/* ---- mark, discard ---- */

static void
on_marked (GObject *object, GAsyncResult *result, gpointer data)
{
  g_autoptr (GError) error = NULL;
  if (!wpr_recorder_mark_finish (WPR_RECORDER (object), result, &error))
    wpr_backend_post_trouble (data, _ ("The mark was not recorded"), error->message);
}

static void
do_mark (gpointer data)
{
  WprJob *job = data;
  ASSERT_WORKER (job->backend);
  if (job->backend->recorder != NULL)
    wpr_recorder_mark_async (job->backend->recorder, job->first, NULL, on_marked, job->backend);
}

void
wpr_backend_mark (WprBackend *backend, const char *text)
{
  wpr_backend_send (backend, do_mark, NULL, text, NULL, 0);
}

static void
on_discarded (GObject *object, GAsyncResult *result, gpointer data)
{
  WprBackend *backend = data;
  g_autoptr (GError) error = NULL;
  gboolean discarded = wpr_recorder_cancel_finish (WPR_RECORDER (object), result, &error);
  if (WPR_RECORDER (object) != backend->recorder)
    return; /* it was left */
  backend->busy = FALSE;
  if (discarded)
    wpr_backend_post_end (backend, NULL, g_strdup (_ ("Recording discarded")));
  else
    {
      wpr_backend_post_trouble (backend, _ ("Not discarded"), error->message);
      wpr_backend_post_state (backend, wpr_recorder_get_state (WPR_RECORDER (object)));
    }
}

static void
do_discard (gpointer data)
{
  WprBackend *backend = ((WprJob *)data)->backend;
  ASSERT_WORKER (backend);
  if (backend->recorder == NULL || backend->busy)
    return;
  backend->busy = TRUE;
  wpr_recorder_cancel_async (backend->recorder, NULL, on_discarded, backend);
}

void
wpr_backend_discard (WprBackend *backend)
{
  wpr_backend_send (backend, do_discard, NULL, NULL, NULL, 0);
}
