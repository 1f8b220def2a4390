/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The back end as the class sees it. A worker thread with its own context holds the connection:
 * calls are sent from there, signals arrive there. How it connects is in proxy-connect.c. */
#include "config.h"

#include <gio/gunixfdlist.h>
#include <glib/gi18n-lib.h>
#include <unistd.h>

#include "recorder/proxy-private.h"
#include "recorder/transition.h"

/* ---- calls: made in the owner's thread, sent on the worker ---- */

typedef enum
{
  WPR_ANSWER_BOOLEAN,
  WPR_ANSWER_SAVED,
  WPR_ANSWER_STRING,
} WprAnswerKind;

typedef struct
{
  WprProxy *proxy; /* lives as long as the task, which holds the recorder */
  GTask *task;     /* NULL: nobody waits */
  const char *method;
  GVariant *arguments;
  int folder_fd; /* -1: none; else handle 0 of the message */
  WprAnswerKind answer;
  guint32 job;
  gulong cancel_id;
} WprProxyCall;

static void
call_free (WprProxyCall *call)
{
  g_variant_unref (call->arguments);
  if (call->folder_fd >= 0)
    close (call->folder_fd);
  g_free (call);
}

static GError *
error_of_call (const WprProxyCall *call, GError *remote)
{
  GError *error = NULL;
  WprState state = wpr_recorder_get_state (call->proxy->parent.recorder), to;
  if (g_dbus_error_is_remote_error (remote))
    return wpr_bus_error_from_remote (remote);
  /* The connection itself broke: as it should, where the recording is over. */
  gboolean over = state == WPR_STATE_SAVED || state == WPR_STATE_CANCELLED;
  if (over && !g_str_equal (call->method, "Start"))
    wpr_transition (state, WPR_STEP_STOP, &to, &error);
  else
    wpr_set_error (&error, WPR_ERROR_INTERNAL, 0, "%s", wpr_proxy_lost_text ());
  g_error_free (remote);
  return error;
}

static void
on_answer (GObject *source, GAsyncResult *result, gpointer data)
{
  WprProxyCall *call = data;
  GError *error = NULL;
  g_autoptr (GVariant) answer = g_dbus_connection_call_with_unix_fd_list_finish (
      G_DBUS_CONNECTION (source), NULL, result, &error);
  GTask *task = call->task;
  GCancellable *cancellable = task != NULL ? g_task_get_cancellable (task) : NULL;
  if (call->cancel_id != 0)
    g_cancellable_disconnect (cancellable, call->cancel_id);
  if (task == NULL)
    g_clear_error (&error);
  else if (error != NULL)
    wpr_recorder_return_error (task, error_of_call (call, error));
  else if (call->answer == WPR_ANSWER_BOOLEAN)
    wpr_recorder_return_boolean (task);
  else if (call->answer == WPR_ANSWER_STRING)
    {
      char *text = NULL;
      g_variant_get (answer, "(s)", &text);
      wpr_recorder_return_string (task, text);
    }
  else
    {
      g_autoptr (GVariant) saved = g_variant_get_child_value (answer, 0);
      wpr_recorder_return_saved (task, wpr_saved_from_variant (saved));
    }
  call_free (call);
}

typedef struct
{
  WprProxy *proxy;
  guint32 job;
} WprAbandon;

static void
send_abandon (gpointer data)
{
  const WprAbandon *abandon = data;
  g_dbus_connection_call (abandon->proxy->connection, NULL, WPR_BUS_PATH, WPR_BUS_INTERFACE,
                          "Abandon", g_variant_new ("(u)", abandon->job), NULL,
                          G_DBUS_CALL_FLAGS_NONE, -1, NULL, NULL, NULL);
}

/* In the thread of whoever cancels. The call itself is not given up: its answer says what became of
 * the recording. */
static void
on_task_cancelled (GCancellable *cancellable, gpointer data)
{
  const WprAbandon *abandon = data;
  wpr_worker_call (abandon->proxy->worker, send_abandon, g_memdup2 (abandon, sizeof *abandon),
                   g_free);
}

static void
send_call (gpointer data)
{
  WprProxyCall *call = data;
  GCancellable *cancellable = call->task != NULL ? g_task_get_cancellable (call->task) : NULL;
  g_autoptr (GUnixFDList) fds = NULL;
  if (call->folder_fd >= 0)
    {
      fds = g_unix_fd_list_new_from_array (&call->folder_fd, 1); /* takes it over */
      call->folder_fd = -1;
    }
  /* No timeout: a merge takes as long as it takes. */
  g_dbus_connection_call_with_unix_fd_list (
      call->proxy->connection, NULL, WPR_BUS_PATH, WPR_BUS_INTERFACE, call->method, call->arguments,
      call->answer == WPR_ANSWER_SAVED    ? G_VARIANT_TYPE ("(" WPR_SAVED_TYPE ")")
      : call->answer == WPR_ANSWER_STRING ? G_VARIANT_TYPE ("(s)")
                                          : NULL,
      G_DBUS_CALL_FLAGS_NONE, G_MAXINT, fds, NULL, on_answer, call);
  if (cancellable != NULL)
    {
      /* Behind the call, so that Abandon cannot overtake it; the answer comes to this thread, so
       * that it finds the id. */
      WprAbandon *abandon = g_new (WprAbandon, 1);
      *abandon = (WprAbandon){ call->proxy, call->job };
      call->cancel_id
          = g_cancellable_connect (cancellable, G_CALLBACK (on_task_cancelled), abandon, g_free);
    }
}

/* Takes over task and folder_fd; arguments may be floating. */
static void
call_method (WprProxy *self, GTask *task, const char *method, guint32 job, GVariant *arguments,
             int folder_fd, WprAnswerKind answer)
{
  WprProxyCall *call = g_new0 (WprProxyCall, 1);
  call->proxy = self;
  call->task = task;
  call->method = method;
  call->arguments = g_variant_ref_sink (arguments);
  call->folder_fd = folder_fd;
  call->answer = answer;
  call->job = job;
  wpr_worker_call (self->worker, send_call, call, NULL);
}

static guint32
next_job (WprProxy *self)
{
  return (guint32)g_atomic_int_add (&self->next_job, 1);
}

static char *
valid_text (const char *text)
{
  return g_utf8_make_valid (text != NULL ? text : "", -1);
}

/* ---- the hooks ---- */

static void
proxy_start (WprRecorderBackend *backend, GTask *task, const WprChoice *choice, GVariant *files,
             const char *program)
{
  WprProxy *self = (WprProxy *)backend;
  guint32 job = next_job (self);
  g_autofree char *who = valid_text (program);
  g_autoptr (GVariant) none
      = g_variant_ref_sink (g_variant_new_array (G_VARIANT_TYPE ("(say)"), NULL, 0));
  call_method (self, task, "Start", job,
               g_variant_new ("(u@a{sv}@a(say)s)", job, wpr_choice_to_variant (choice),
                              files != NULL ? files : none, who),
               -1, WPR_ANSWER_BOOLEAN);
}

static void
into_file (WprProxy *self, GTask *task, const char *method, int folder_fd, const char *name,
           const char *note)
{
  guint32 job = next_job (self);
  g_autofree char *text = valid_text (note);
  g_autoptr (WprBehalf) behalf = wpr_behalf_of_caller ();
  guint32 uid = behalf != NULL ? (guint32)wpr_behalf_get_uid (behalf) : G_MAXUINT32;
  call_method (
      self, task, method, job,
      g_variant_new ("(uh^aysuu)", job, 0, name, text, wpr_recorder_task_flags (task), uid),
      folder_fd, WPR_ANSWER_SAVED);
}

static void
proxy_stop (WprRecorderBackend *backend, GTask *task, int folder_fd, const char *name,
            const char *note)
{
  into_file ((WprProxy *)backend, task, "Stop", folder_fd, name, note);
}

static void
proxy_save (WprRecorderBackend *backend, GTask *task, int folder_fd, const char *name,
            const char *note)
{
  into_file ((WprProxy *)backend, task, "Save", folder_fd, name, note);
}

static void
proxy_cancel (WprRecorderBackend *backend, GTask *task)
{
  WprProxy *self = (WprProxy *)backend;
  guint32 job = next_job (self);
  call_method (self, task, "Cancel", job, g_variant_new ("(u)", job), -1, WPR_ANSWER_BOOLEAN);
}

static void
proxy_flush (WprRecorderBackend *backend, GTask *task)
{
  WprProxy *self = (WprProxy *)backend;
  guint32 job = next_job (self);
  call_method (self, task, "Flush", job, g_variant_new ("(u)", job), -1, WPR_ANSWER_BOOLEAN);
}

static void
proxy_set_profiles (WprRecorderBackend *backend, GTask *task, const WprChoice *choice,
                    GVariant *files, gboolean on)
{
  WprProxy *self = (WprProxy *)backend;
  guint32 job = next_job (self);
  g_autoptr (GVariant) none
      = g_variant_ref_sink (g_variant_new_array (G_VARIANT_TYPE ("(say)"), NULL, 0));
  call_method (self, task, "SetProfiles", job,
               g_variant_new ("(u@a{sv}@a(say)b)", job, wpr_choice_to_variant (choice),
                              files != NULL ? files : none, on),
               -1, WPR_ANSWER_BOOLEAN);
}

static void
proxy_grow (WprRecorderBackend *backend, GTask *task, const char *collector, guint64 bytes)
{
  WprProxy *self = (WprProxy *)backend;
  guint32 job = next_job (self);
  g_autofree char *name = valid_text (collector);
  call_method (self, task, "Grow", job, g_variant_new ("(ust)", job, name, bytes), -1,
               WPR_ANSWER_BOOLEAN);
}

static void
proxy_unlock (WprRecorderBackend *backend, GTask *task, gboolean contents)
{
  WprProxy *self = (WprProxy *)backend;
  guint32 job = next_job (self);
  call_method (self, task, "Unlock", job, g_variant_new ("(ub)", job, contents), -1,
               WPR_ANSWER_BOOLEAN);
}

static void
proxy_bus_name (WprRecorderBackend *backend, GTask *task)
{
  call_method ((WprProxy *)backend, task, "BusName", 0, g_variant_new ("()"), -1,
               WPR_ANSWER_STRING);
}

static void
proxy_mark (WprRecorderBackend *backend, GTask *task, const char *text)
{
  WprProxy *self = (WprProxy *)backend;
  guint32 job = next_job (self);
  g_autofree char *valid = valid_text (text);
  call_method (self, task, "Mark", job, g_variant_new ("(us)", job, valid), -1, WPR_ANSWER_BOOLEAN);
}

static void
proxy_set_note (WprRecorderBackend *backend, const char *note)
{
  g_autofree char *text = valid_text (note);
  call_method ((WprProxy *)backend, NULL, "SetNote", 0, g_variant_new ("(s)", text), -1,
               WPR_ANSWER_BOOLEAN);
}

static GVariant *
proxy_describe (WprRecorderBackend *backend)
{
  WprProxy *self = (WprProxy *)backend;
  g_mutex_lock (&self->lock);
  GVariant *description = g_variant_ref (self->description);
  g_mutex_unlock (&self->lock);
  return description;
}

static WprStats *
proxy_ref_stats (WprRecorderBackend *backend)
{
  WprProxy *self = (WprProxy *)backend;
  g_mutex_lock (&self->lock);
  g_autoptr (GBytes) bytes = wpr_published_read (self->published, &self->number);
  if (bytes != NULL)
    {
      g_autoptr (GVariant) variant = g_variant_ref_sink (
          g_variant_new_from_bytes (G_VARIANT_TYPE (WPR_STATS_TYPE), bytes, FALSE));
      WprStats *stats = wpr_stats_from_variant (variant);
      if (stats != NULL)
        {
          g_clear_pointer (&self->stats, wpr_stats_unref);
          self->stats = stats;
        }
    }
  WprStats *stats = self->stats != NULL ? wpr_stats_ref (self->stats) : NULL;
  g_mutex_unlock (&self->lock);
  return stats;
}

/* ---- the end ---- */

static void
end_on_worker (gpointer data)
{
  WprProxy *self = data;
  if (self->connection != NULL)
    {
      g_signal_handlers_disconnect_by_data (self->connection, self);
      if (self->subscription != 0)
        g_dbus_connection_signal_unsubscribe (self->connection, self->subscription);
      g_dbus_connection_close_sync (self->connection, NULL, NULL);
      g_clear_object (&self->connection);
    }
}

static void
proxy_free (WprRecorderBackend *backend)
{
  WprProxy *self = (WprProxy *)backend;
  WprWorker *worker = self->worker;
  /* Sent before this are set_note and abandon; they go out first. */
  wpr_worker_call (worker, end_on_worker, self, wpr_proxy_destroy);
  wpr_worker_free (worker);
}

void
wpr_proxy_destroy (gpointer data)
{
  WprProxy *self = data;
  g_clear_pointer (&self->description, g_variant_unref);
  g_clear_pointer (&self->published, wpr_published_free);
  g_clear_pointer (&self->stats, wpr_stats_unref);
  g_clear_object (&self->system);
  g_mutex_clear (&self->lock);
  g_free (self);
}

static const WprRecorderBackendClass proxy_class = {
  .start = proxy_start,
  .stop = proxy_stop,
  .save = proxy_save,
  .cancel = proxy_cancel,
  .mark = proxy_mark,
  .flush = proxy_flush,
  .set_profiles = proxy_set_profiles,
  .grow = proxy_grow,
  .set_note = proxy_set_note,
  .unlock = proxy_unlock,
  .bus_name = proxy_bus_name,
  .describe = proxy_describe,
  .ref_stats = proxy_ref_stats,
  .free = proxy_free,
};

WprProxy *
wpr_proxy_new (void)
{
  WprProxy *self = g_new0 (WprProxy, 1);
  self->parent.klass = &proxy_class;
  self->worker = wpr_worker_new ("wpr-proxy");
  self->next_job = 1;
  self->description = g_variant_ref_sink (g_variant_new_array (G_VARIANT_TYPE ("{sv}"), NULL, 0));
  g_mutex_init (&self->lock);
  return self;
}
