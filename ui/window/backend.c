/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recording that is shown: found, followed, let go. What begins and ends one is in
 * backend-recording.c, what chooses it in backend-choose.c. */
#include "config.h"
#include "backend-post.h"

#include <glib/gi18n.h>
#include <string.h>
#include "profile-item.h"

#define TICK_MS 100            /* ten readings a second while somebody looks */
#define TICK_UNWATCHED_MS 1000 /* enough to draw what was missed */
#define POLL_MS 1000           /* how soon a recording begun elsewhere shows */
#define PROGRESS_US 50000      /* at most twenty steps of the bar a second */

static void
free_job (gpointer data)
{
  WprJob *job = data;
  g_clear_pointer (&job->wish, wpr_wish_free);
  g_free (job->first);
  g_free (job->second);
  g_free (job);
}

static WprJob *
new_job (WprBackend *backend, const WprWish *wish, const char *first, const char *second,
         guint number)
{
  WprJob *job = g_new0 (WprJob, 1);
  job->backend = backend;
  job->wish = wish ? wpr_wish_copy (wish) : NULL;
  job->first = g_strdup (first);
  job->second = g_strdup (second);
  job->number = number;
  return job;
}

void
wpr_backend_send (WprBackend *backend, WprWorkFunc func, const WprWish *wish, const char *first,
                  const char *second, guint number)
{
  wpr_worker_send (backend->worker, func, new_job (backend, wish, first, second, number), free_job);
}

void
wpr_backend_send_low (WprBackend *backend, WprWorkFunc func, const WprWish *wish, const char *first,
                      const char *second, guint number)
{
  wpr_worker_send_low (backend->worker, func, new_job (backend, wish, first, second, number),
                       free_job);
}

/* ---- figures ---- */

GSource *
wpr_backend_add_timer (guint interval_ms, GSourceFunc func, gpointer data)
{
  GSource *source = g_timeout_source_new (interval_ms);
  g_source_set_callback (source, func, data, NULL);
  g_source_attach (source, g_main_context_get_thread_default ());
  return source;
}

void
wpr_backend_remove_timer (GSource **source)
{
  if (*source == NULL)
    return;
  g_source_destroy (*source);
  g_source_unref (*source);
  *source = NULL;
}

void
wpr_backend_read_figures (WprBackend *backend)
{
  ASSERT_WORKER (backend);
  WprStats *stats = wpr_recorder_ref_stats (backend->recorder);
  if (stats->elapsed_ns == backend->last_elapsed_ns && stats->events == backend->last_events)
    {
      wpr_stats_unref (stats);
      return;
    }
  wpr_backend_heard (backend);
  backend->last_elapsed_ns = stats->elapsed_ns;
  backend->last_events = stats->events;
  if (backend->held->len >= WPR_HISTORY_S)
    g_ptr_array_remove_index (backend->held, 0);
  g_ptr_array_add (backend->held, stats);
  if (!backend->watched)
    return;
  wpr_backend_post_figures (backend, backend->held);
  backend->held = g_ptr_array_new_with_free_func ((GDestroyNotify)wpr_stats_unref);
}

static gboolean
on_tick (gpointer data)
{
  WprBackend *backend = data;
  wpr_backend_announce (backend);
  wpr_backend_read_figures (backend);
  wpr_backend_check_silence (backend);
  return G_SOURCE_CONTINUE;
}

static void
restart_tick (WprBackend *backend)
{
  wpr_backend_remove_timer (&backend->tick);
  if (backend->recorder != NULL)
    backend->tick
        = wpr_backend_add_timer (backend->watched ? TICK_MS : TICK_UNWATCHED_MS, on_tick, backend);
}

static void
do_watch (gpointer data)
{
  WprJob *job = data;
  job->backend->watched = job->number != 0;
  restart_tick (job->backend);
  if (job->backend->watched && job->backend->recorder != NULL)
    wpr_backend_read_figures (job->backend);
}

void
wpr_backend_watch (WprBackend *backend, gboolean watched)
{
  wpr_backend_send (backend, do_watch, NULL, NULL, NULL, watched);
}

/* ---- following a recording ---- */

static void
on_notice (WprRecorder *recorder, const WprNotice *notice, gpointer data)
{
  WprBackend *backend = data;
  if (notice->severity == WPR_NOTICE_ERROR)
    {
      g_free (backend->last_error);
      backend->last_error = g_strdup (notice->text);
    }
  /* before, there is nothing to say it of: then all of them follow */
  if (backend->announced)
    wpr_backend_post_notice (backend, notice);
}

static void
on_progress (WprRecorder *recorder, const char *phase, double fraction, guint64 done, guint64 total,
             gpointer data)
{
  WprBackend *backend = data;
  gint64 now_us = g_get_monotonic_time ();
  gboolean same = g_strcmp0 (backend->phase_sent, phase) == 0;
  wpr_backend_heard (backend);
  if (same && now_us - backend->progress_sent_us < PROGRESS_US && fraction < 1)
    return;
  if (!same)
    {
      g_free (backend->phase_sent);
      backend->phase_sent = g_strdup (phase);
    }
  backend->progress_sent_us = now_us;
  wpr_backend_post_progress (backend, phase, fraction, done, total);
}

static void
post_death (WprBackend *backend)
{
  WprOutcome *outcome = g_new0 (WprOutcome, 1);
  outcome->kind = WPR_OUTCOME_FAILED;
  outcome->store = wpr_backend_find_store (backend);
  const char *message = backend->last_error;
  if (message == NULL && outcome->store != NULL)
    message = _ ("The recorder ended by itself. What it had written until then is kept and can be "
                 "finished.");
  else if (message == NULL)
    message = _ ("The recorder ended by itself, and what was in its memory went with it.");
  outcome->message = g_strdup (message);
  wpr_backend_post_end (backend, outcome, NULL);
}

/* Ended by another face, or by itself: what is under way in this window answers for itself. */
static void
on_state (WprRecorder *recorder, GParamSpec *pspec, gpointer data)
{
  WprBackend *backend = data;
  WprState state = wpr_recorder_get_state (recorder);
  wpr_backend_heard (backend);
  wpr_backend_announce (backend);
  if (state >= WPR_STATE_STOPPING && backend->recorder == recorder)
    wpr_backend_read_figures (backend);
  if (state < WPR_STATE_SAVED)
    {
      if (state >= WPR_STATE_RECORDING)
        wpr_backend_post_state (backend, state);
      return;
    }
  wpr_backend_look_at_state (backend);
}

void
wpr_backend_look_at_state (WprBackend *backend)
{
  WprState state = backend->recorder ? wpr_recorder_get_state (backend->recorder) : WPR_STATE_IDLE;
  if (backend->busy || state < WPR_STATE_SAVED)
    return;
  g_autofree char *why = state == WPR_STATE_SAVED ? wpr_backend_why_stopped (backend) : NULL;
  if (why != NULL)
    wpr_backend_end_by_itself (backend, g_steal_pointer (&why));
  else if (state == WPR_STATE_SAVED)
    wpr_backend_post_end (backend, NULL, g_strdup (_ ("The recording was saved elsewhere.")));
  else if (state == WPR_STATE_CANCELLED)
    wpr_backend_post_end (backend, NULL, g_strdup (_ ("The recording was discarded elsewhere.")));
  else
    post_death (backend);
}

static char *
lookup_string (GVariant *description, const char *key)
{
  const char *text = "";
  g_variant_lookup (description, key, "&s", &text);
  return g_strdup (text);
}

/* The recorder may speak another language than the window: titles are looked up here, by the name
 * that begins "CPU.Verbose.Memory"; the recorder's own are for profiles of files. */
static char **
find_titles (WprBackend *backend, GVariant *description)
{
  g_auto (GStrv) ids = NULL, told = NULL;
  if (!g_variant_lookup (description, "titles", "^as", &told))
    told = g_new0 (char *, 1);
  if (!g_variant_lookup (description, "profiles", "^as", &ids)
      || g_strv_length (ids) != g_strv_length (told))
    return g_steal_pointer (&told);
  for (guint i = 0; ids[i] != NULL; i++)
    {
      g_autofree char *name = g_strndup (ids[i], strcspn (ids[i], "."));
      const WprProfile *profile = wpr_library_find (backend->library, name, NULL, NULL);
      if (profile == NULL || profile->source != NULL)
        continue;
      g_free (told[i]);
      told[i] = g_strdup (profile->title);
    }
  return g_steal_pointer (&told);
}

/* "CPU.Verbose.Memory" -> "CPU" */
static char **
find_names (GVariant *description)
{
  char **ids = NULL;
  if (!g_variant_lookup (description, "profiles", "^as", &ids))
    return g_new0 (char *, 1);
  for (guint i = 0; ids[i] != NULL; i++)
    ids[i][strcspn (ids[i], ".")] = '\0';
  return ids;
}

WprSubject *
wpr_backend_read_subject (WprBackend *backend)
{
  g_autoptr (GVariant) description = wpr_recorder_describe (backend->recorder);
  WprSubject *subject = g_new0 (WprSubject, 1);
  g_autofree char *mode = lookup_string (description, "mode");
  subject->mode = g_strcmp0 (mode, "file") == 0 ? WPR_MODE_FILE : WPR_MODE_MEMORY;
  subject->level = lookup_string (description, "level");
  subject->rights = lookup_string (description, "rights");
  subject->user = lookup_string (description, "user");
  subject->program = lookup_string (description, "program");
  subject->names = find_names (description);
  subject->titles = find_titles (backend, description);
  g_variant_lookup (description, "started", "x", &subject->started_realtime_ns);
  subject->ours = backend->ours;
  return subject;
}

void
wpr_backend_announce (WprBackend *backend)
{
  if (backend->recorder == NULL || backend->announced
      || wpr_recorder_get_state (backend->recorder) < WPR_STATE_RECORDING)
    return;
  backend->announced = TRUE;
  g_autoptr (GVariant) description = wpr_recorder_describe (backend->recorder);
  g_free (backend->store);
  backend->store = lookup_string (description, "store");
  g_variant_lookup (description, "started", "x", &backend->started_ns);
  wpr_backend_post_subject (backend, wpr_backend_read_subject (backend));
  g_autoptr (GPtrArray) notices = wpr_recorder_get_notices (backend->recorder);
  for (guint i = 0; i < notices->len; i++)
    wpr_backend_post_notice (backend, notices->pdata[i]);
  wpr_backend_post_state (backend, wpr_recorder_get_state (backend->recorder));
}

void
wpr_backend_attach (WprBackend *backend, WprRecorder *recorder, gboolean ours)
{
  ASSERT_WORKER (backend);
  backend->recorder = recorder;
  backend->ours = ours;
  backend->announced = FALSE;
  g_clear_pointer (&backend->wanted_name, g_free);
  g_clear_pointer (&backend->name_words, g_free);
  g_clear_pointer (&backend->note, g_free);
  backend->last_elapsed_ns = -1;
  backend->heard_us = g_get_monotonic_time ();
  backend->silent = FALSE;
  g_clear_pointer (&backend->last_error, g_free);
  g_clear_pointer (&backend->phase_sent, g_free);
  backend->again = FALSE;
  backend->started_ns = 0;
  wpr_recorder_set_save_flags (recorder, wpr_backend_get_save_flags (backend));
  g_signal_connect (recorder, "notice", G_CALLBACK (on_notice), backend);
  g_signal_connect (recorder, "progress", G_CALLBACK (on_progress), backend);
  g_signal_connect (recorder, "notify::state", G_CALLBACK (on_state), backend);
  restart_tick (backend);
  wpr_backend_announce (backend);
}

void
wpr_backend_detach (WprBackend *backend)
{
  ASSERT_WORKER (backend);
  if (backend->recorder == NULL)
    return;
  g_signal_handlers_disconnect_by_data (backend->recorder, backend);
  g_clear_object (&backend->recorder);
  wpr_backend_remove_timer (&backend->leave);
  g_ptr_array_set_size (backend->held, 0);
  wpr_backend_remove_timer (&backend->tick);
  wpr_backend_look_at_lock (backend);
}

/* ---- finding one that was begun elsewhere ---- */

typedef struct
{
  WprBackend *backend;
  char *found; /* a name under which somebody records and answers; NULL: none */
} Looking;

static void
free_looking (gpointer data)
{
  Looking *looking = data;
  g_free (looking->found);
  g_free (looking);
}

/* In a thread of its own: one that does not answer takes its time. */
static void
look (gpointer data)
{
  Looking *looking = data;
  g_autoptr (GPtrArray) instances = wpr_recorder_list (NULL);
  for (guint i = 0; instances != NULL && i < instances->len && looking->found == NULL; i++)
    {
      g_autoptr (WprRecorder) recorder = wpr_recorder_connect (instances->pdata[i], NULL);
      WprState state = recorder ? wpr_recorder_get_state (recorder) : WPR_STATE_IDLE;
      /* one that has nothing yet, or is over, is left alone */
      if (state >= WPR_STATE_RECORDING && state <= WPR_STATE_MERGING)
        looking->found = g_strdup (instances->pdata[i]);
    }
}

/* What was left because it did not answer is no more shown while it stops. */
static gboolean
was_left (WprBackend *backend, WprRecorder *recorder)
{
  gint64 started_ns = 0;
  g_autoptr (GVariant) description = wpr_recorder_describe (recorder);
  g_variant_lookup (description, "started", "x", &started_ns);
  return backend->left_ns != 0 && started_ns == backend->left_ns;
}

static void
on_looked (gpointer data)
{
  Looking *looking = data;
  WprBackend *backend = looking->backend;
  ASSERT_WORKER (backend);
  backend->looking = FALSE;
  if (looking->found == NULL || backend->recorder != NULL || backend->busy)
    return;
  /* it has just answered */
  g_autoptr (WprRecorder) recorder = wpr_recorder_connect (looking->found, NULL);
  if (recorder != NULL && !was_left (backend, recorder))
    wpr_backend_attach (backend, g_steal_pointer (&recorder), FALSE);
}

/* A recording begun elsewhere shows at once. */
static gboolean
on_poll (gpointer data)
{
  WprBackend *backend = data;
  static const WprAsideCall call = { .work = look, .done = on_looked, .destroy = free_looking };
  if (backend->recorder != NULL || backend->busy || !backend->watched || backend->looking)
    return G_SOURCE_CONTINUE;
  backend->looking = TRUE;
  Looking *looking = g_new0 (Looking, 1);
  looking->backend = backend;
  wpr_aside_run (wpr_backend_get_aside (backend, WPR_ASIDE_FINDER), &call, looking);
  return G_SOURCE_CONTINUE;
}

static void
do_begin (gpointer data)
{
  WprBackend *backend = ((WprJob *)data)->backend;
  backend->poll = wpr_backend_add_timer (POLL_MS, on_poll, backend);
  on_poll (backend);
}

/* ---- life ---- */

WprBackend *
wpr_backend_new (WprModel *model)
{
  WprBackend *backend = g_new0 (WprBackend, 1);
  backend->model = model;
  backend->worker = wpr_worker_new ();
  backend->watched = TRUE;
  backend->folder_fd = -1;
  backend->held = g_ptr_array_new_with_free_func ((GDestroyNotify)wpr_stats_unref);
  backend->customs
      = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_bytes_unref);
  backend->stamps = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  wpr_backend_send (backend, wpr_backend_do_load, NULL, NULL, NULL, 0);
  wpr_backend_send (backend, do_begin, NULL, NULL, NULL, 0);
  return backend;
}

static void
do_end (gpointer data)
{
  WprBackend *backend = ((WprJob *)data)->backend;
  g_cancellable_cancel (backend->read);
  if (backend->n_tasks > 0 && backend->merge != NULL)
    g_cancellable_cancel (backend->merge);
  while (backend->n_tasks > 0)
    g_main_context_iteration (g_main_context_get_thread_default (), TRUE);
  for (guint i = 0; i < WPR_ASIDE_N; i++)
    g_clear_pointer (&backend->asides[i], wpr_aside_free);
  wpr_backend_drop_spare (backend);
  wpr_backend_detach (backend);
  wpr_backend_keep_folder (backend, -1);
  wpr_backend_remove_timer (&backend->poll);
  wpr_backend_remove_timer (&backend->load_source);
  g_clear_pointer (&backend->plan, wpr_plan_unref);
  g_clear_pointer (&backend->library, wpr_library_unref);
  g_clear_pointer (&backend->machine, wpr_machine_unref);
}

void
wpr_backend_free (WprBackend *backend)
{
  wpr_backend_send (backend, do_end, NULL, NULL, NULL, 0);
  wpr_worker_free (backend->worker);
  g_ptr_array_unref (backend->held);
  g_hash_table_unref (backend->customs);
  g_hash_table_unref (backend->stamps);
  g_clear_object (&backend->merge);
  g_clear_object (&backend->read);
  g_free (backend->store);
  g_free (backend->last_error);
  g_free (backend->phase_sent);
  g_free (backend->folder);
  g_free (backend->name);
  g_free (backend->wanted_name);
  g_free (backend->name_words);
  g_free (backend->note);
  g_free (backend->plan_folder);
  g_free (backend->free_folder);
  g_free (backend);
}
