/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The backend's answers on their way into the main thread, one small envelope a kind. */
#include "config.h"
#include "backend-post.h"

typedef struct
{
  WprModel *model;
  gpointer value;
  GDestroyNotify free_value;
  char *first, *second;
  gint64 number;
  double fraction;
  guint64 done, total;
  GError *error;
} Envelope;

static void
free_envelope (gpointer data)
{
  Envelope *envelope = data;
  if (envelope->value != NULL && envelope->free_value != NULL)
    envelope->free_value (envelope->value);
  g_clear_error (&envelope->error);
  g_free (envelope->first);
  g_free (envelope->second);
  g_object_unref (envelope->model);
  g_free (envelope);
}

static void
post (WprBackend *backend, WprWorkFunc open, const Envelope *content)
{
  Envelope *envelope = g_memdup2 (content, sizeof *content);
  envelope->model = g_object_ref (backend->model);
  wpr_worker_reply (open, envelope, free_envelope);
}

static void
open_loaded (gpointer data)
{
  Envelope *envelope = data;
  wpr_model_take_loaded (envelope->model, envelope->value, envelope->first, envelope->total);
}

void
wpr_backend_post_loaded (WprBackend *backend, GPtrArray *items, const char *rights_text,
                         guint64 memory_bytes)
{
  post (backend, open_loaded,
        &(Envelope){ .value = items,
                     .free_value = (GDestroyNotify)g_ptr_array_unref,
                     .first = g_strdup (rights_text),
                     .total = memory_bytes });
}

static void
open_lock (gpointer data)
{
  Envelope *envelope = data;
  wpr_model_take_lock (envelope->model, envelope->number, envelope->total, envelope->first);
}

void
wpr_backend_post_lock (WprBackend *backend, WprLock lock, WprRights rights, const char *words)
{
  post (backend, open_lock,
        &(Envelope){ .number = lock, .total = rights, .first = g_strdup (words) });
}

static void
open_plan (gpointer data)
{
  Envelope *envelope = data;
  wpr_model_take_plan (envelope->model, envelope->number, g_steal_pointer (&envelope->value),
                       g_steal_pointer (&envelope->error));
}

void
wpr_backend_post_plan (WprBackend *backend, guint serial, WprPlan *plan, GError *error)
{
  post (backend, open_plan,
        &(Envelope){ .number = serial,
                     .value = plan,
                     .free_value = (GDestroyNotify)wpr_plan_unref,
                     .error = error });
}

static void
open_estimate (gpointer data)
{
  Envelope *envelope = data;
  wpr_model_take_estimate (envelope->model, envelope->number, g_steal_pointer (&envelope->value));
}

void
wpr_backend_post_estimate (WprBackend *backend, guint serial, WprEstimate *estimate)
{
  post (backend, open_estimate,
        &(Envelope){ .number = serial, .value = estimate, .free_value = g_free });
}

static void
open_worth (gpointer data)
{
  Envelope *envelope = data;
  wpr_model_take_worth (envelope->model, envelope->number, g_steal_pointer (&envelope->value));
}

void
wpr_backend_post_worth (WprBackend *backend, guint serial, GHashTable *worth)
{
  post (backend, open_worth,
        &(Envelope){
            .number = serial, .value = worth, .free_value = (GDestroyNotify)g_hash_table_unref });
}

static void
open_samples (gpointer data)
{
  Envelope *envelope = data;
  wpr_model_take_samples (envelope->model, (guint)envelope->number);
}

void
wpr_backend_post_samples (WprBackend *backend, guint samples_per_s)
{
  post (backend, open_samples, &(Envelope){ .number = samples_per_s });
}

static void
open_details (gpointer data)
{
  Envelope *envelope = data;
  wpr_model_take_details (envelope->model, envelope->value);
}

void
wpr_backend_post_details (WprBackend *backend, WprDetails *details)
{
  post (backend, open_details,
        &(Envelope){ .value = details, .free_value = (GDestroyNotify)wpr_details_free });
}

static void
open_subject (gpointer data)
{
  Envelope *envelope = data;
  wpr_model_take_subject (envelope->model, g_steal_pointer (&envelope->value));
}

void
wpr_backend_post_subject (WprBackend *backend, WprSubject *subject)
{
  post (backend, open_subject,
        &(Envelope){ .value = subject, .free_value = (GDestroyNotify)wpr_subject_free });
}

static void
open_switched (gpointer data)
{
  Envelope *envelope = data;
  wpr_model_take_switched (envelope->model, envelope->value);
}

void
wpr_backend_post_switched (WprBackend *backend, WprSubject *subject)
{
  post (backend, open_switched,
        &(Envelope){ .value = subject, .free_value = (GDestroyNotify)wpr_subject_free });
}

static void
open_state (gpointer data)
{
  Envelope *envelope = data;
  wpr_model_take_state (envelope->model, envelope->number);
}

void
wpr_backend_post_state (WprBackend *backend, WprState state)
{
  post (backend, open_state, &(Envelope){ .number = state });
}

static void
open_figures (gpointer data)
{
  Envelope *envelope = data;
  wpr_model_take_figures (envelope->model, envelope->value);
}

void
wpr_backend_post_figures (WprBackend *backend, GPtrArray *readings)
{
  post (backend, open_figures,
        &(Envelope){ .value = readings, .free_value = (GDestroyNotify)g_ptr_array_unref });
}

static void
open_notice (gpointer data)
{
  Envelope *envelope = data;
  const WprNotice notice = { .severity = envelope->number,
                             .realtime_ns = (gint64)envelope->total,
                             .id = envelope->second,
                             .text = envelope->first };
  wpr_model_take_notice (envelope->model, &notice);
}

void
wpr_backend_post_notice (WprBackend *backend, const WprNotice *notice)
{
  post (backend, open_notice,
        &(Envelope){ .number = notice->severity,
                     .total = (guint64)notice->realtime_ns,
                     .first = g_strdup (notice->text),
                     .second = g_strdup (notice->id) });
}

static void
open_progress (gpointer data)
{
  Envelope *envelope = data;
  wpr_model_take_progress (envelope->model, envelope->first, envelope->fraction, envelope->done,
                           envelope->total);
}

void
wpr_backend_post_progress (WprBackend *backend, const char *phase, double fraction, guint64 done,
                           guint64 total)
{
  post (
      backend, open_progress,
      &(Envelope){ .first = g_strdup (phase), .fraction = fraction, .done = done, .total = total });
}

static void
open_name (gpointer data)
{
  Envelope *envelope = data;
  wpr_model_take_name (envelope->model, envelope->first);
}

void
wpr_backend_post_name (WprBackend *backend, const char *name)
{
  post (backend, open_name, &(Envelope){ .first = g_strdup (name) });
}

static void
open_end (gpointer data)
{
  Envelope *envelope = data;
  wpr_model_take_end (envelope->model, g_steal_pointer (&envelope->value), envelope->first);
}

void
wpr_backend_post_end (WprBackend *backend, WprOutcome *outcome, char *toast)
{
  wpr_backend_detach (backend);
  post (backend, open_end,
        &(Envelope){
            .value = outcome, .free_value = (GDestroyNotify)wpr_outcome_free, .first = toast });
}

static void
open_noted (gpointer data)
{
  Envelope *envelope = data;
  wpr_model_take_noted (envelope->model, envelope->first, envelope->second);
}

void
wpr_backend_post_noted (WprBackend *backend, const char *name, const char *note)
{
  post (backend, open_noted, &(Envelope){ .first = g_strdup (name), .second = g_strdup (note) });
}

static void
open_opened (gpointer data)
{
  Envelope *envelope = data;
  wpr_model_take_opened (envelope->model, envelope->number, g_steal_pointer (&envelope->value));
}

void
wpr_backend_post_opened (WprBackend *backend, guint serial, WprOutcome *outcome)
{
  post (backend, open_opened,
        &(Envelope){
            .number = serial, .value = outcome, .free_value = (GDestroyNotify)wpr_outcome_free });
}

static void
open_late (gpointer data)
{
  Envelope *envelope = data;
  wpr_model_take_late (envelope->model, g_steal_pointer (&envelope->value));
}

void
wpr_backend_post_late (WprBackend *backend, WprOutcome *outcome)
{
  post (backend, open_late,
        &(Envelope){ .value = outcome, .free_value = (GDestroyNotify)wpr_outcome_free });
}

static void
open_silence (gpointer data)
{
  Envelope *envelope = data;
  wpr_model_take_silence (envelope->model, envelope->first);
}

void
wpr_backend_post_silence (WprBackend *backend, char *text)
{
  post (backend, open_silence, &(Envelope){ .first = text });
}

static void
open_toast (gpointer data)
{
  Envelope *envelope = data;
  wpr_model_take_toast (envelope->model, envelope->first);
}

void
wpr_backend_post_toast (WprBackend *backend, char *text)
{
  post (backend, open_toast, &(Envelope){ .first = text });
}

static void
open_trouble (gpointer data)
{
  Envelope *envelope = data;
  wpr_model_take_trouble (envelope->model, envelope->first, envelope->second);
}

void
wpr_backend_post_trouble (WprBackend *backend, const char *heading, const char *body)
{
  post (backend, open_trouble,
        &(Envelope){ .first = g_strdup (heading), .second = g_strdup (body) });
}

static void
open_refused (gpointer data)
{
  Envelope *envelope = data;
  wpr_model_take_refused (envelope->model, envelope->first, envelope->second);
}

void
wpr_backend_post_refused (WprBackend *backend, const char *heading, const GError *error)
{
  gboolean folder = g_error_matches (error, WPR_ERROR, WPR_ERROR_NOT_WRITABLE)
                    || g_error_matches (error, WPR_ERROR, WPR_ERROR_NO_SPACE);
  post (backend, folder ? open_refused : open_trouble,
        &(Envelope){ .first = g_strdup (heading), .second = g_strdup (error->message) });
}
