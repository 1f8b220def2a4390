/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The local back end: what is asked in the owner's thread is handed to the worker; state, notices
 * and the end of a recording. The steps themselves are in local-*.c. */
#include "config.h"

#include <sched.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <glib/gi18n-lib.h>

#include "base/files.h"
#include "base/log.h"
#include "recorder/local.h"

/* ---- state and notices ---- */

/* The last figures once more, with the state of now. */
static void
wpr_local_restate_figures (WprLocal *local)
{
  g_autoptr (WprStats) last = wpr_recorder_ref_stats (local->parent.recorder);
  WprStats values = *last;
  values.state = local->state;
  g_autoptr (WprStats) stats = wpr_stats_new (&values);
  wpr_recorder_set_stats (local->parent.recorder, stats);
}

gboolean
wpr_local_step (WprLocal *local, WprStep step, GError **error)
{
  WprState to;
  if (!wpr_transition (local->state, step, &to, error))
    return FALSE;
  if (to == local->state)
    return TRUE;
  local->state = to;
  wpr_recorder_set_state (local->parent.recorder, to);
  wpr_local_restate_figures (local);
  return TRUE;
}

static void
wpr_local_notice_text (WprLocal *local, WprSeverity severity, const char *id, const char *text)
{
  WprSession *session = &local->session;
  WprNotice *notice = wpr_notice_new (severity, 0, id, text);
  if (session->store && !session->backward)
    {
      WprClockReading now;
      wpr_clock_read (&now);
      wpr_store_add_note (session->store, WPR_NOTE_NOTICE, 0, now.monotonic_ns, 0, 0, text,
                          strlen (text), NULL);
    }
  wpr_recorder_add_notice (local->parent.recorder, severity, notice->realtime_ns, id, text);
  g_ptr_array_add (local->notices, notice);
}

void
wpr_local_notice (WprLocal *local, WprSeverity severity, const char *id, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  wpr_local_notice_text (local, severity, id, text);
}

static void
wpr_local_session_notice (gpointer data, WprSeverity severity, const char *id, const char *text)
{
  wpr_local_notice_text (data, severity, id, text);
}

/* ---- the end of a recording ---- */

static void
wpr_local_answer_interrupts (WprLocal *local, const GError *error)
{
  for (guint i = 0; i < local->interrupts->len; i++)
    {
      GTask *task = g_ptr_array_index (local->interrupts, i);
      if (local->kept)
        wpr_recorder_return_string (task, g_strdup (local->kept));
      else if (error)
        wpr_recorder_return_error (task, g_error_copy (error));
      else
        wpr_recorder_return_error (
            task, g_error_new_literal (WPR_ERROR, WPR_ERROR_NOT_RECORDING,
                                       _ ("Nothing was recording, so nothing is kept.")));
    }
  g_ptr_array_set_free_func (local->interrupts, NULL); /* the answers took them over */
  g_ptr_array_set_size (local->interrupts, 0);
  g_ptr_array_set_free_func (local->interrupts, g_object_unref);
}

void
wpr_local_over (WprLocal *local, GError *error)
{
  if (error)
    {
      wpr_log (WPR_LOG_STOP, "%s: %s", local->instance, error->message);
      wpr_local_step (local, WPR_STEP_FAIL, NULL);
    }
  wpr_local_answer_interrupts (local, error);
  g_clear_error (&error);
}

static gpointer
wpr_local_close_thread (gpointer data)
{
  g_autoptr (GPtrArray) sources = data;
  for (guint i = 0; i < sources->len; i++)
    wpr_source_close (g_ptr_array_index (sources, i));
  return NULL;
}

void
wpr_local_wait_closed (WprLocal *local)
{
  if (!local->closer)
    return;
  if (local->state == WPR_STATE_PREPARING)
    wpr_local_notice (local, WPR_NOTICE_INFO, "finishing-last",
                      _ ("Finishing the last recording before the next one begins."));
  g_thread_join (g_steal_pointer (&local->closer));
}

void
wpr_local_close_sources (WprLocal *local)
{
  local->marks = NULL;
  if (!local->sources)
    return;
  if (local->closer)
    g_thread_join (g_steal_pointer (&local->closer));
  g_clear_object (&local->session.opener);
  /* The opener holds the session until all is closed. */
  wpr_local_drop_broker (local);
  local->closer
      = g_thread_new ("wpr-close", wpr_local_close_thread, g_steal_pointer (&local->sources));
}

static void
wpr_local_hook_set_note (WprRecorderBackend *backend, const char *note)
{
  WprLocal *local = (WprLocal *)backend;
  g_mutex_lock (&local->lock);
  g_free (local->note);
  local->note = g_strdup (note);
  g_mutex_unlock (&local->lock);
}

void
wpr_local_clear (WprLocal *local)
{
  wpr_local_end_ticks (local);
  wpr_local_close_sources (local);
  if (local->session.store)
    wpr_store_close (local->session.store);
  else
    g_clear_pointer (&local->manifest, wpr_manifest_free);
  local->manifest = NULL;
  g_clear_pointer (&local->session.world, wpr_world_free);
  g_clear_pointer (&local->session.own_tids, g_array_unref);
  local->session = (WprSession){ 0 };
  g_clear_pointer (&local->figures, wpr_figures_free);
  g_clear_pointer (&local->fold, wpr_fold_free);
  g_clear_pointer (&local->clocks, wpr_clock_table_unref);
  g_clear_pointer (&local->plan, wpr_plan_unref);
  g_clear_pointer (&local->machine, wpr_machine_unref);
  g_clear_pointer (&local->choice, wpr_choice_free);
  g_clear_pointer (&local->files, g_variant_unref);
  g_clear_pointer (&local->kept, g_free);
  g_clear_pointer (&local->stopped_store, g_free);
  g_clear_pointer (&local->stopped_folder, g_free);
  g_clear_pointer (&local->values, g_array_unref);
  g_clear_pointer (&local->losses, g_array_unref);
  if (local->disk_fd >= 0)
    close (local->disk_fd);
  local->disk_fd = -1;
  g_ptr_array_set_size (local->notices, 0);
  wpr_local_hook_set_note (&local->parent, NULL);
  local->guard = (WprGuard){ 0 };
  local->n_ticks = local->n_failed_drains = local->n_marks = 0;
  local->n_counts = 0;
  local->loss_told_ns = 0;
  local->flushed_bytes = 0;
  local->others_need = 0;
}

/* ---- what is asked, on its way to the worker ---- */

typedef struct _WprLocalCall WprLocalCall;
struct _WprLocalCall
{
  WprLocal *local;
  void (*func) (WprLocal *local, WprLocalCall *call);
  GTask *task;
  WprChoice *choice;
  GVariant *files;
  char *text; /* program, name or mark */
  char *note;
  int folder_fd;
  gboolean on;
  guint64 bytes;
  WprTime when;
  guint cpu;
};

static void
wpr_local_call_run (gpointer data)
{
  WprLocalCall *call = data;
  call->func (call->local, call);
}

static void
wpr_local_call_free (gpointer data)
{
  WprLocalCall *call = data;
  g_clear_object (&call->task);
  g_clear_pointer (&call->choice, wpr_choice_free);
  g_clear_pointer (&call->files, g_variant_unref);
  g_free (call->text);
  g_free (call->note);
  if (call->folder_fd >= 0)
    close (call->folder_fd);
  g_free (call);
}

static void
wpr_local_ask (WprRecorderBackend *backend, WprLocalCall values)
{
  WprLocalCall *call = g_memdup2 (&values, sizeof values);
  call->local = (WprLocal *)backend;
  wpr_worker_call (call->local->worker, wpr_local_call_run, call, wpr_local_call_free);
}

static void
wpr_local_answer (GTask *task, gboolean good, GError *error)
{
  if (good)
    wpr_recorder_return_boolean (task);
  else
    wpr_recorder_return_error (task, error);
}

static void
wpr_local_do_start (WprLocal *local, WprLocalCall *call)
{
  GError *error = NULL;
  gboolean good = wpr_local_start (local, g_steal_pointer (&call->choice), call->files, call->text,
                                   g_task_get_cancellable (call->task), &error);
  wpr_local_answer (g_steal_pointer (&call->task), good, error);
}

/* A copy of the choice, else the task is answered with the error. */
static WprChoice *
wpr_local_copy_choice (GTask *task, const WprChoice *choice)
{
  g_autoptr (GVariant) variant = g_variant_ref_sink (wpr_choice_to_variant (choice));
  GError *error = NULL;
  WprChoice *copy = wpr_choice_from_variant (variant, &error);
  if (!copy)
    wpr_recorder_return_error (task, error);
  return copy;
}

static void
wpr_local_hook_start (WprRecorderBackend *backend, GTask *task, const WprChoice *choice,
                      GVariant *files, const char *program)
{
  WprChoice *copy = wpr_local_copy_choice (task, choice);
  if (!copy)
    return;
  g_atomic_int_set (&((WprLocal *)backend)->cancel_start, 0);
  wpr_local_ask (backend, (WprLocalCall){ .func = wpr_local_do_start,
                                          .task = task,
                                          .choice = copy,
                                          .files = files ? g_variant_ref_sink (files) : NULL,
                                          .text = g_strdup (program),
                                          .folder_fd = -1 });
}

static void
wpr_local_do_stop (WprLocal *local, WprLocalCall *call)
{
  int fd = call->folder_fd;
  call->folder_fd = -1;
  wpr_local_stop (local, g_steal_pointer (&call->task), fd, call->text, call->note);
}

static void
wpr_local_hook_stop (WprRecorderBackend *backend, GTask *task, int folder_fd, const char *name,
                     const char *note)
{
  wpr_local_ask (backend, (WprLocalCall){ .func = wpr_local_do_stop,
                                          .task = task,
                                          .text = g_strdup (name),
                                          .note = g_strdup (note),
                                          .folder_fd = folder_fd });
}

static void
wpr_local_do_save (WprLocal *local, WprLocalCall *call)
{
  int fd = call->folder_fd;
  call->folder_fd = -1;
  wpr_local_save (local, g_steal_pointer (&call->task), fd, call->text, call->note);
}

static void
wpr_local_hook_save (WprRecorderBackend *backend, GTask *task, int folder_fd, const char *name,
                     const char *note)
{
  wpr_local_ask (backend, (WprLocalCall){ .func = wpr_local_do_save,
                                          .task = task,
                                          .text = g_strdup (name),
                                          .note = g_strdup (note),
                                          .folder_fd = folder_fd });
}

static void
wpr_local_do_cancel (WprLocal *local, WprLocalCall *call)
{
  GError *error = NULL;
  /* A start that was being made has heard of it already. */
  gboolean good = (local->state == WPR_STATE_CANCELLED && g_atomic_int_get (&local->cancel_start))
                  || wpr_local_cancel (local, &error);
  wpr_local_answer (g_steal_pointer (&call->task), good, error);
}

static void
wpr_local_hook_cancel (WprRecorderBackend *backend, GTask *task)
{
  g_atomic_int_set (&((WprLocal *)backend)->cancel_start, 1);
  wpr_local_ask (backend,
                 (WprLocalCall){ .func = wpr_local_do_cancel, .task = task, .folder_fd = -1 });
}

static void
wpr_local_do_mark (WprLocal *local, WprLocalCall *call)
{
  GError *error = NULL;
  gboolean good = wpr_local_step (local, WPR_STEP_MARK, &error)
                  && wpr_source_mark_add (local->marks, &local->session, call->text, call->when,
                                          call->cpu, &error);
  local->n_marks += good;
  wpr_local_answer (g_steal_pointer (&call->task), good, error);
}

static void
wpr_local_hook_mark (WprRecorderBackend *backend, GTask *task, const char *text)
{
  WprClockReading now;
  wpr_clock_read (&now);
  int cpu = sched_getcpu ();
  wpr_local_ask (backend, (WprLocalCall){ .func = wpr_local_do_mark,
                                          .task = task,
                                          .text = g_strdup (text),
                                          .when = now.monotonic_ns,
                                          .cpu = cpu > 0 ? (guint)cpu : 0,
                                          .folder_fd = -1 });
}

/* Memory mode has nothing to write before a save. */
static void
wpr_local_do_flush (WprLocal *local, WprLocalCall *call)
{
  GError *error = NULL;
  gboolean good = wpr_local_step (local, WPR_STEP_MARK, &error);
  if (good && local->session.store == NULL)
    {
      good = FALSE;
      wpr_set_error (&error, WPR_ERROR_STATE, 0,
                     _ ("This recording is kept in memory, so there is nothing to write to disk. "
                        "Save it instead."));
    }
  good = good && wpr_local_drain (local) && local->session.store != NULL
         && wpr_store_sync (local->session.store, &error);
  if (!good && error == NULL)
    wpr_set_error (&error, WPR_ERROR_NO_SPACE, 0,
                   _ ("The buffers could not be written to disk; \"wpr -status\" says why."));
  wpr_local_answer (g_steal_pointer (&call->task), good, error);
}

static void
wpr_local_hook_flush (WprRecorderBackend *backend, GTask *task)
{
  wpr_local_ask (backend,
                 (WprLocalCall){ .func = wpr_local_do_flush, .task = task, .folder_fd = -1 });
}

static void
wpr_local_do_set_profiles (WprLocal *local, WprLocalCall *call)
{
  GError *error = NULL;
  gboolean good = wpr_local_set_profiles (local, call->choice, call->files, call->on, &error);
  wpr_local_answer (g_steal_pointer (&call->task), good, error);
}

static void
wpr_local_hook_set_profiles (WprRecorderBackend *backend, GTask *task, const WprChoice *choice,
                             GVariant *files, gboolean on)
{
  WprChoice *copy = wpr_local_copy_choice (task, choice);
  if (copy)
    wpr_local_ask (backend, (WprLocalCall){ .func = wpr_local_do_set_profiles,
                                            .task = task,
                                            .choice = copy,
                                            .files = files ? g_variant_ref_sink (files) : NULL,
                                            .on = on,
                                            .folder_fd = -1 });
}

static void
wpr_local_do_grow (WprLocal *local, WprLocalCall *call)
{
  GError *error = NULL;
  gboolean good = wpr_local_grow (local, call->text, call->bytes, &error);
  wpr_local_answer (g_steal_pointer (&call->task), good, error);
}

static void
wpr_local_hook_grow (WprRecorderBackend *backend, GTask *task, const char *collector, guint64 bytes)
{
  wpr_local_ask (backend, (WprLocalCall){ .func = wpr_local_do_grow,
                                          .task = task,
                                          .text = g_strdup (collector),
                                          .bytes = bytes,
                                          .folder_fd = -1 });
}

static GVariant *
wpr_local_hook_describe (WprRecorderBackend *backend)
{
  WprLocal *local = (WprLocal *)backend;
  g_mutex_lock (&local->lock);
  GVariant *description = g_variant_ref (local->description);
  g_mutex_unlock (&local->lock);
  return description;
}

/* A recorder let go of while it records: the raw store stays, as after a crash. */
static void
wpr_local_shut_down (gpointer data)
{
  WprLocal *local = data;
  if (local->state == WPR_STATE_RECORDING)
    for (guint i = 0; i < local->sources->len; i++)
      wpr_source_stop (g_ptr_array_index (local->sources, i), &local->session, NULL);
  wpr_local_clear (local);
  wpr_local_drop_broker (local);
  if (local->closer)
    g_thread_join (g_steal_pointer (&local->closer));
}

static void
wpr_local_hook_free (WprRecorderBackend *backend)
{
  WprLocal *local = (WprLocal *)backend;
  wpr_worker_free (local->jobs);
  wpr_worker_call (local->worker, wpr_local_shut_down, local, NULL);
  wpr_worker_free (local->worker);
  g_ptr_array_unref (local->interrupts);
  g_ptr_array_unref (local->notices);
  g_variant_unref (local->description);
  g_free (local->note);
  g_free (local->user);
  g_free (local->instance);
  g_mutex_clear (&local->lock);
  g_free (local);
}

/* ---- the host's ---- */

static void
wpr_local_do_interrupt (WprLocal *local, WprLocalCall *call)
{
  g_ptr_array_add (local->interrupts, g_steal_pointer (&call->task));
  if (local->state == WPR_STATE_RECORDING)
    wpr_local_stop_by_itself (
        local, WPR_NOTICE_INFO, "interrupted",
        _ ("The recorder was asked to end, so the recording is stopped and saved."));
  else if (local->state != WPR_STATE_STOPPING && local->state != WPR_STATE_MERGING)
    wpr_local_over (local, NULL);
}

void
wpr_recorder_interrupt_async (WprRecorder *self, GAsyncReadyCallback callback, gpointer data)
{
  GTask *task = g_task_new (self, NULL, callback, data);
  g_task_set_source_tag (task, wpr_recorder_interrupt_async);
  wpr_local_ask (wpr_recorder_get_backend (self),
                 (WprLocalCall){ .func = wpr_local_do_interrupt, .task = task, .folder_fd = -1 });
}

char *
wpr_recorder_interrupt_finish (WprRecorder *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, self), NULL);
  return g_task_propagate_pointer (G_TASK (result), error);
}

void
wpr_recorder_set_user (WprRecorder *self, const char *user)
{
  WprLocal *local = (WprLocal *)wpr_recorder_get_backend (self);
  g_mutex_lock (&local->lock);
  g_free (local->user);
  local->user = g_strdup (user);
  g_mutex_unlock (&local->lock);
}

/* ---- making one ---- */

static void
wpr_local_learn_tid (gpointer data)
{
  *(guint32 *)data = (guint32)syscall (SYS_gettid);
}

static const WprRecorderBackendClass wpr_local_class = {
  .start = wpr_local_hook_start,
  .stop = wpr_local_hook_stop,
  .save = wpr_local_hook_save,
  .cancel = wpr_local_hook_cancel,
  .mark = wpr_local_hook_mark,
  .flush = wpr_local_hook_flush,
  .set_profiles = wpr_local_hook_set_profiles,
  .grow = wpr_local_hook_grow,
  .set_note = wpr_local_hook_set_note,
  .unlock = wpr_local_hook_unlock,
  .bus_name = wpr_local_hook_bus_name,
  .describe = wpr_local_hook_describe,
  .free = wpr_local_hook_free,
};

WprRecorder *
wpr_recorder_new_local (const char *instance, GError **error)
{
  if (!instance)
    instance = "WprApp";
  if (!wpr_instance_name_valid (instance))
    {
      wpr_set_error (error, WPR_ERROR_USAGE, 0,
                     _ ("\"%s\" is no name for an instance: up to 48 letters, digits, \".\", \"_\" "
                        "and \"-\", the first no dot."),
                     instance);
      return NULL;
    }
  WprLocal *local = g_new0 (WprLocal, 1);
  local->parent.klass = &wpr_local_class;
  local->instance = g_strdup (instance);
  local->epoll_fd = local->disk_fd = local->kallsyms_fd = -1;
  local->interrupts = g_ptr_array_new_with_free_func (g_object_unref);
  local->notices = g_ptr_array_new_with_free_func ((GDestroyNotify)wpr_notice_free);
  local->description = g_variant_ref_sink (g_variant_new_array (G_VARIANT_TYPE ("{sv}"), NULL, 0));
  g_mutex_init (&local->lock);
  WprRecorder *self = wpr_recorder_new_with_backend (instance, &local->parent);
  local->worker = wpr_worker_new ("wpr-worker");
  local->jobs = wpr_worker_new ("wpr-merge");
  wpr_worker_call (local->worker, wpr_local_learn_tid, &local->tids[0], NULL);
  wpr_worker_call (local->jobs, wpr_local_learn_tid, &local->tids[1], NULL);
  return self;
}

WprSession *
wpr_local_session (WprLocal *local)
{
  local->session.notice = wpr_local_session_notice;
  local->session.notice_data = local;
  return &local->session;
}
