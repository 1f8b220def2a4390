/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The class WprRecorder: what its owner sees of a recording, and the doors to its back end. No
 * recording happens here. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>

#include "recorder/recorder-private.h"

/* What deliveries hold in place of the recorder: a reference taken on a worker could be the last
 * one, and the recorder would then join that worker. Only the owner's thread refers to it. */
typedef struct
{
  gatomicrefcount refs;
  GMainContext *context; /* the owner's: signals are emitted there */
  WprRecorder *recorder; /* owner's thread; NULL once it is gone */
} WprHub;

struct _WprRecorder
{
  GObject parent_instance;
  char *instance;
  WprHub *hub;
  WprRecorderBackend *backend;
  GMutex lock; /* what is below */
  WprState state;
  WprStats *stats;
  GPtrArray *notices; /* WprNotice * */
  WprSaveFlags save_flags;
  WprBehalf *behalf;
};

G_DEFINE_FINAL_TYPE (WprRecorder, wpr_recorder, G_TYPE_OBJECT)

enum
{
  PROP_STATE = 1,
  N_PROPS
};
enum
{
  SIGNAL_NOTICE,
  SIGNAL_PROGRESS,
  N_SIGNALS
};
static GParamSpec *properties[N_PROPS];
static guint signals[N_SIGNALS];

/* ---- deliveries into the owner's context ---- */

static void
wpr_hub_unref (WprHub *hub)
{
  if (!g_atomic_ref_count_dec (&hub->refs))
    return;
  g_main_context_unref (hub->context);
  g_free (hub);
}

typedef struct
{
  WprHub *hub;
  WprNotice *notice; /* or */
  char *phase;       /* or neither: the state */
  double fraction;
  guint64 done, total;
} WprDelivery;

static void
wpr_delivery_free (gpointer data)
{
  WprDelivery *delivery = data;
  g_clear_pointer (&delivery->notice, wpr_notice_free);
  g_free (delivery->phase);
  wpr_hub_unref (delivery->hub);
  g_free (delivery);
}

static gboolean
wpr_delivery_dispatch (gpointer data)
{
  WprDelivery *delivery = data;
  if (!delivery->hub->recorder)
    return G_SOURCE_REMOVE;
  g_autoptr (WprRecorder) self = g_object_ref (delivery->hub->recorder);
  if (delivery->notice)
    g_signal_emit (self, signals[SIGNAL_NOTICE], 0, delivery->notice);
  else if (delivery->phase)
    g_signal_emit (self, signals[SIGNAL_PROGRESS], 0, delivery->phase, delivery->fraction,
                   delivery->done, delivery->total);
  else
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_STATE]);
  return G_SOURCE_REMOVE;
}

/* Takes over the delivery. FIFO: one priority, one context. */
static void
wpr_recorder_deliver (WprRecorder *self, WprDelivery *delivery)
{
  g_atomic_ref_count_inc (&self->hub->refs);
  delivery->hub = self->hub;
  g_autoptr (GSource) source = g_idle_source_new ();
  g_source_set_priority (source, G_PRIORITY_DEFAULT);
  g_source_set_callback (source, wpr_delivery_dispatch, delivery, wpr_delivery_free);
  g_source_attach (source, self->hub->context);
}

void
wpr_recorder_set_state (WprRecorder *self, WprState state)
{
  g_mutex_lock (&self->lock);
  gboolean same = self->state == state;
  self->state = state;
  g_mutex_unlock (&self->lock);
  if (!same)
    wpr_recorder_deliver (self, g_new0 (WprDelivery, 1));
}

void
wpr_recorder_add_notice (WprRecorder *self, WprSeverity severity, gint64 realtime_ns,
                         const char *id, const char *text)
{
  WprNotice *notice = wpr_notice_new (severity, realtime_ns, id, text);
  WprDelivery *delivery = g_new0 (WprDelivery, 1);
  delivery->notice = wpr_notice_copy (notice);
  g_mutex_lock (&self->lock);
  g_ptr_array_add (self->notices, notice);
  g_mutex_unlock (&self->lock);
  wpr_recorder_deliver (self, delivery);
}

void
wpr_recorder_set_stats (WprRecorder *self, WprStats *stats)
{
  wpr_stats_ref (stats);
  g_mutex_lock (&self->lock);
  WprStats *old = self->stats;
  self->stats = stats;
  g_mutex_unlock (&self->lock);
  wpr_stats_unref (old);
}

void
wpr_recorder_emit_progress (WprRecorder *self, const char *phase, double fraction, guint64 done,
                            guint64 total)
{
  WprDelivery *delivery = g_new0 (WprDelivery, 1);
  delivery->phase = g_strdup (phase);
  delivery->fraction = fraction;
  delivery->done = done;
  delivery->total = total;
  wpr_recorder_deliver (self, delivery);
}

/* ---- the object ---- */

static void
wpr_recorder_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_STATE)
    g_value_set_int (value, (int)wpr_recorder_get_state (WPR_RECORDER (object)));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
wpr_recorder_dispose (GObject *object)
{
  WPR_RECORDER (object)->hub->recorder = NULL;
  G_OBJECT_CLASS (wpr_recorder_parent_class)->dispose (object);
}

static void
wpr_recorder_finalize (GObject *object)
{
  WprRecorder *self = WPR_RECORDER (object);
  if (self->backend)
    self->backend->klass->free (self->backend);
  g_free (self->instance);
  wpr_hub_unref (self->hub);
  wpr_stats_unref (self->stats);
  wpr_behalf_unref (self->behalf);
  g_ptr_array_unref (self->notices);
  g_mutex_clear (&self->lock);
  G_OBJECT_CLASS (wpr_recorder_parent_class)->finalize (object);
}

static void
wpr_recorder_class_init (WprRecorderClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  object_class->get_property = wpr_recorder_get_property;
  object_class->dispose = wpr_recorder_dispose;
  object_class->finalize = wpr_recorder_finalize;
  /* A WprState. */
  properties[PROP_STATE]
      = g_param_spec_int ("state", NULL, NULL, WPR_STATE_IDLE, WPR_STATE_FAILED, WPR_STATE_IDLE,
                          G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY);
  g_object_class_install_properties (object_class, N_PROPS, properties);
  signals[SIGNAL_NOTICE] = g_signal_new ("notice", WPR_TYPE_RECORDER, G_SIGNAL_RUN_LAST, 0, NULL,
                                         NULL, NULL, G_TYPE_NONE, 1, G_TYPE_POINTER);
  signals[SIGNAL_PROGRESS]
      = g_signal_new ("progress", WPR_TYPE_RECORDER, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                      G_TYPE_NONE, 4, G_TYPE_STRING, G_TYPE_DOUBLE, G_TYPE_UINT64, G_TYPE_UINT64);
}

static void
wpr_recorder_init (WprRecorder *self)
{
  g_mutex_init (&self->lock);
  self->hub = g_new (WprHub, 1);
  g_atomic_ref_count_init (&self->hub->refs);
  self->hub->context = g_main_context_ref_thread_default ();
  self->hub->recorder = self;
  self->notices = g_ptr_array_new_with_free_func ((GDestroyNotify)wpr_notice_free);
  self->stats
      = wpr_stats_new (&(WprStats){ .state = WPR_STATE_IDLE, .holds_s = -1, .disk_full_s = -1 });
}

WprRecorder *
wpr_recorder_new_with_backend (const char *instance, WprRecorderBackend *backend)
{
  WprRecorder *self = g_object_new (WPR_TYPE_RECORDER, NULL);
  self->instance = g_strdup (instance);
  self->backend = backend;
  backend->recorder = self;
  return self;
}

WprRecorderBackend *
wpr_recorder_get_backend (WprRecorder *self)
{
  return self->backend;
}

/* ---- public: asking ---- */

WprState
wpr_recorder_get_state (WprRecorder *self)
{
  g_return_val_if_fail (WPR_IS_RECORDER (self), WPR_STATE_FAILED);
  g_mutex_lock (&self->lock);
  WprState state = self->state;
  g_mutex_unlock (&self->lock);
  return state;
}

const char *
wpr_recorder_get_instance (WprRecorder *self)
{
  g_return_val_if_fail (WPR_IS_RECORDER (self), NULL);
  return self->instance;
}

WprStats *
wpr_recorder_ref_stats (WprRecorder *self)
{
  g_return_val_if_fail (WPR_IS_RECORDER (self), NULL);
  const WprRecorderBackendClass *klass = self->backend ? self->backend->klass : NULL;
  WprStats *stats = klass && klass->ref_stats ? klass->ref_stats (self->backend) : NULL;
  if (stats)
    return stats;
  g_mutex_lock (&self->lock);
  stats = wpr_stats_ref (self->stats);
  g_mutex_unlock (&self->lock);
  return stats;
}

GPtrArray *
wpr_recorder_get_notices (WprRecorder *self)
{
  g_return_val_if_fail (WPR_IS_RECORDER (self), NULL);
  GPtrArray *copy = g_ptr_array_new_with_free_func ((GDestroyNotify)wpr_notice_free);
  g_mutex_lock (&self->lock);
  for (guint i = 0; i < self->notices->len; i++)
    g_ptr_array_add (copy, wpr_notice_copy (g_ptr_array_index (self->notices, i)));
  g_mutex_unlock (&self->lock);
  return copy;
}

GVariant *
wpr_recorder_describe (WprRecorder *self)
{
  g_return_val_if_fail (WPR_IS_RECORDER (self), NULL);
  return self->backend->klass->describe (self->backend);
}

/* ---- public: doing ---- */

static GTask *
wpr_recorder_task (WprRecorder *self, GCancellable *cancellable, GAsyncReadyCallback callback,
                   gpointer data, gpointer tag)
{
  GTask *task = g_task_new (self, cancellable, callback, data);
  g_task_set_source_tag (task, tag);
  /* A result stands also if the caller gave up meanwhile: what happened must be known. */
  g_task_set_check_cancellable (task, FALSE);
  return task;
}

void
wpr_recorder_start_async (WprRecorder *self, const WprChoice *choice, GVariant *files,
                          const char *program, GCancellable *cancellable,
                          GAsyncReadyCallback callback, gpointer data)
{
  g_return_if_fail (WPR_IS_RECORDER (self) && choice);
  self->backend->klass->start (
      self->backend,
      wpr_recorder_task (self, cancellable, callback, data, wpr_recorder_start_async), choice,
      files, program);
}

gboolean
wpr_recorder_start_finish (WprRecorder *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, self), FALSE);
  return g_task_propagate_boolean (G_TASK (result), error);
}

/* A task's own data: the flags at the time of the call. */
#define SAVE_FLAGS "wpr-save-flags"
#define SAVE_BEHALF "wpr-save-behalf"

typedef void (*WprSaveHook) (WprRecorderBackend *backend, GTask *task, int folder_fd,
                             const char *name, const char *note);

static void
wpr_recorder_into_file (WprRecorder *self, WprSaveHook hook, GTask *task, int folder_fd,
                        const char *name, const char *note)
{
  int own_fd = fcntl (folder_fd, F_DUPFD_CLOEXEC, 0);
  if (own_fd < 0)
    {
      GError *error = NULL;
      wpr_set_error (&error, WPR_ERROR_NOT_WRITABLE, 0,
                     _ ("The folder to save into is not open: %s. Nothing was stopped."),
                     g_strerror (errno));
      wpr_recorder_return_error (task, error);
      return;
    }
  g_mutex_lock (&self->lock);
  g_object_set_data (G_OBJECT (task), SAVE_FLAGS, GUINT_TO_POINTER (self->save_flags));
  g_object_set_data_full (G_OBJECT (task), SAVE_BEHALF, wpr_behalf_ref (self->behalf),
                          (GDestroyNotify)wpr_behalf_unref);
  g_mutex_unlock (&self->lock);
  hook (self->backend, task, own_fd, name, note);
}

void
wpr_recorder_set_save_flags (WprRecorder *self, WprSaveFlags flags)
{
  g_return_if_fail (WPR_IS_RECORDER (self));
  g_mutex_lock (&self->lock);
  self->save_flags = flags;
  g_mutex_unlock (&self->lock);
}

void
wpr_recorder_set_behalf (WprRecorder *self, WprBehalf *behalf)
{
  wpr_behalf_ref (behalf);
  g_mutex_lock (&self->lock);
  wpr_behalf_unref (self->behalf);
  self->behalf = behalf;
  g_mutex_unlock (&self->lock);
}

WprBehalf *
wpr_recorder_task_behalf (GTask *task)
{
  return task ? g_object_get_data (G_OBJECT (task), SAVE_BEHALF) : NULL;
}

WprSaveFlags
wpr_recorder_task_flags (GTask *task)
{
  return task ? GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (task), SAVE_FLAGS)) : 0;
}

void
wpr_recorder_stop_async (WprRecorder *self, int folder_fd, const char *name, const char *note,
                         GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data)
{
  g_return_if_fail (WPR_IS_RECORDER (self) && name);
  wpr_recorder_into_file (
      self, self->backend->klass->stop,
      wpr_recorder_task (self, cancellable, callback, data, wpr_recorder_stop_async), folder_fd,
      name, note);
}

WprSaved *
wpr_recorder_stop_finish (WprRecorder *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, self), NULL);
  return g_task_propagate_pointer (G_TASK (result), error);
}

void
wpr_recorder_set_note (WprRecorder *self, const char *note)
{
  g_return_if_fail (WPR_IS_RECORDER (self));
  self->backend->klass->set_note (self->backend, note);
}

void
wpr_recorder_save_async (WprRecorder *self, int folder_fd, const char *name, const char *note,
                         GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data)
{
  g_return_if_fail (WPR_IS_RECORDER (self) && name);
  wpr_recorder_into_file (
      self, self->backend->klass->save,
      wpr_recorder_task (self, cancellable, callback, data, wpr_recorder_save_async), folder_fd,
      name, note);
}

WprSaved *
wpr_recorder_save_finish (WprRecorder *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, self), NULL);
  return g_task_propagate_pointer (G_TASK (result), error);
}

void
wpr_recorder_cancel_async (WprRecorder *self, GCancellable *cancellable,
                           GAsyncReadyCallback callback, gpointer data)
{
  g_return_if_fail (WPR_IS_RECORDER (self));
  self->backend->klass->cancel (self->backend, wpr_recorder_task (self, cancellable, callback, data,
                                                                  wpr_recorder_cancel_async));
}

gboolean
wpr_recorder_cancel_finish (WprRecorder *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, self), FALSE);
  return g_task_propagate_boolean (G_TASK (result), error);
}

void
wpr_recorder_mark_async (WprRecorder *self, const char *text, GCancellable *cancellable,
                         GAsyncReadyCallback callback, gpointer data)
{
  g_return_if_fail (WPR_IS_RECORDER (self));
  self->backend->klass->mark (
      self->backend, wpr_recorder_task (self, cancellable, callback, data, wpr_recorder_mark_async),
      text ? text : "");
}

gboolean
wpr_recorder_mark_finish (WprRecorder *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, self), FALSE);
  return g_task_propagate_boolean (G_TASK (result), error);
}

void
wpr_recorder_flush_async (WprRecorder *self, GCancellable *cancellable,
                          GAsyncReadyCallback callback, gpointer data)
{
  g_return_if_fail (WPR_IS_RECORDER (self));
  self->backend->klass->flush (self->backend, wpr_recorder_task (self, cancellable, callback, data,
                                                                 wpr_recorder_flush_async));
}

gboolean
wpr_recorder_flush_finish (WprRecorder *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, self), FALSE);
  return g_task_propagate_boolean (G_TASK (result), error);
}

void
wpr_recorder_set_profiles_async (WprRecorder *self, const WprChoice *choice, GVariant *files,
                                 gboolean on, GCancellable *cancellable,
                                 GAsyncReadyCallback callback, gpointer data)
{
  g_return_if_fail (WPR_IS_RECORDER (self) && choice);
  self->backend->klass->set_profiles (
      self->backend,
      wpr_recorder_task (self, cancellable, callback, data, wpr_recorder_set_profiles_async),
      choice, files, on);
}

gboolean
wpr_recorder_set_profiles_finish (WprRecorder *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, self), FALSE);
  return g_task_propagate_boolean (G_TASK (result), error);
}

void
wpr_recorder_grow_async (WprRecorder *self, const char *collector, guint64 bytes,
                         GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data)
{
  g_return_if_fail (WPR_IS_RECORDER (self));
  self->backend->klass->grow (
      self->backend, wpr_recorder_task (self, cancellable, callback, data, wpr_recorder_grow_async),
      collector, bytes);
}

gboolean
wpr_recorder_grow_finish (WprRecorder *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, self), FALSE);
  return g_task_propagate_boolean (G_TASK (result), error);
}

void
wpr_recorder_unlock_async (WprRecorder *self, gboolean contents, GCancellable *cancellable,
                           GAsyncReadyCallback callback, gpointer data)
{
  g_return_if_fail (WPR_IS_RECORDER (self));
  self->backend->klass->unlock (
      self->backend,
      wpr_recorder_task (self, cancellable, callback, data, wpr_recorder_unlock_async), contents);
}

gboolean
wpr_recorder_unlock_finish (WprRecorder *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, self), FALSE);
  return g_task_propagate_boolean (G_TASK (result), error);
}

void
wpr_recorder_bus_name_async (WprRecorder *self, GCancellable *cancellable,
                             GAsyncReadyCallback callback, gpointer data)
{
  g_return_if_fail (WPR_IS_RECORDER (self));
  self->backend->klass->bus_name (
      self->backend,
      wpr_recorder_task (self, cancellable, callback, data, wpr_recorder_bus_name_async));
}

char *
wpr_recorder_bus_name_finish (WprRecorder *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, self), NULL);
  return g_task_propagate_pointer (G_TASK (result), error);
}
