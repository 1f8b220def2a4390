/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a back end of WprRecorder is, and what the class offers it. recorder.c is the class:
 * state, figures and notices as the owner sees them. Two back ends stand behind it: local.c records
 * in this process, proxy.c drives a recording in another one. */
#pragma once

#include "base/behalf.h"
#include "wpr-recorder.h"
#include "recorder/worker.h"

G_BEGIN_DECLS

typedef struct _WprRecorderBackend WprRecorderBackend;

/* All but free and describe are called in the caller's thread and must return at once: hand the
 * work to a worker and finish the task, from any thread, with one of wpr_recorder_return_*(). Every
 * hook takes over `task`; all other arguments are the caller's (copy what is kept). */
typedef struct
{
  void (*start) (WprRecorderBackend *backend, GTask *task, const WprChoice *choice, GVariant *files,
                 const char *program); /* returns boolean */
  /* folder_fd: taken over, already a duplicate. Return WprSaved *. */
  void (*stop) (WprRecorderBackend *backend, GTask *task, int folder_fd, const char *name,
                const char *note);
  void (*save) (WprRecorderBackend *backend, GTask *task, int folder_fd, const char *name,
                const char *note);
  void (*cancel) (WprRecorderBackend *backend, GTask *task);                 /* returns boolean */
  void (*mark) (WprRecorderBackend *backend, GTask *task, const char *text); /* returns boolean */
  void (*flush) (WprRecorderBackend *backend, GTask *task);                  /* returns boolean */
  /* returns boolean; files as in start */
  void (*set_profiles) (WprRecorderBackend *backend, GTask *task, const WprChoice *choice,
                        GVariant *files, gboolean on);
  void (*grow) (WprRecorderBackend *backend, GTask *task, const char *collector,
                guint64 bytes); /* returns boolean */
  void (*set_note) (WprRecorderBackend *backend, const char *note);
  void (*unlock) (WprRecorderBackend *backend, GTask *task, gboolean contents); /* boolean */
  void (*bus_name) (WprRecorderBackend *backend, GTask *task);                  /* returns string */
  GVariant *(*describe) (WprRecorderBackend *backend); /* any thread; owned, not floating */
  /* The newest figures, where the back end has them itself instead of calling
   * wpr_recorder_set_stats(); any thread, must not block. May be NULL, and may return NULL: none
   * yet.
   */
  WprStats *(*ref_stats) (WprRecorderBackend *backend);
  void (*free) (WprRecorderBackend *backend); /* ends its worker; may be called on that worker */
} WprRecorderBackendClass;

struct _WprRecorderBackend
{
  const WprRecorderBackendClass *klass;
  WprRecorder *recorder; /* not a reference: the recorder owns the back end. Set by
                            wpr_recorder_new_with_backend() before any hook is called */
};

/* Takes over the back end. The instance name is the caller's to check. */
WprRecorder *wpr_recorder_new_with_backend (const char *instance, WprRecorderBackend *backend);
WprRecorderBackend *wpr_recorder_get_backend (WprRecorder *self);

/* ---- for back ends: any thread; seen at once by the getters, signalled in the owner's context, in
 * the order in which they were called ---- */
void wpr_recorder_set_state (WprRecorder *self, WprState state);
/* realtime_ns 0: now. */
void wpr_recorder_add_notice (WprRecorder *self, WprSeverity severity, gint64 realtime_ns,
                              const char *id, const char *text);
void wpr_recorder_set_stats (WprRecorder *self, WprStats *stats); /* takes a reference of its own */
void wpr_recorder_emit_progress (WprRecorder *self, const char *phase, double fraction,
                                 guint64 done, guint64 total);

/* What wpr_recorder_set_save_flags() said when this stop or save was asked for. NULL: 0. */
WprSaveFlags wpr_recorder_task_flags (GTask *task);

/* Whose file a stop or save makes that is asked for from now on by this object; NULL: this
 * process's. Any thread. */
void wpr_recorder_set_behalf (WprRecorder *self, WprBehalf *behalf);
WprBehalf *wpr_recorder_task_behalf (GTask *task); /* the task's; NULL ok */

/* Finish a task from any thread. They take over the task; it completes, and gives up its reference
 * on the recorder, in its own context, after the signals that were caused before. */
void wpr_recorder_return_boolean (GTask *task);
void wpr_recorder_return_saved (GTask *task, WprSaved *saved); /* takes it over */
void wpr_recorder_return_string (GTask *task, char *string);   /* takes it over */
void wpr_recorder_return_error (GTask *task, GError *error);   /* takes it over */

/* ---- values (stats.c) ---- */
/* A deep copy in one block; n_* and pointers of `values` say how much. */
WprStats *wpr_stats_new (const WprStats *values);
GVariant *wpr_stats_to_variant (const WprStats *stats); /* floating, of type WPR_STATS_TYPE */
WprStats *wpr_stats_from_variant (GVariant *variant);   /* NULL if it is of another type */
#define WPR_STATS_CPU_TYPE "(ubttddtttt)"
#define WPR_STATS_COLLECTOR_TYPE "(ssuuuuutdudtdttta" WPR_STATS_CPU_TYPE "a(uxt))"
#define WPR_STATS_TYPE "((uuxxtd)(ttttd)(uudtd)(dxtu)a" WPR_STATS_COLLECTOR_TYPE ")"
WprNotice *wpr_notice_new (WprSeverity severity, gint64 realtime_ns, const char *id,
                           const char *text);
WprNotice *wpr_notice_copy (const WprNotice *notice);
void wpr_notice_free (WprNotice *notice);
GVariant *wpr_notice_to_variant (const WprNotice *notice); /* floating (uxss) */
WprNotice *wpr_notice_from_variant (GVariant *variant);    /* NULL if it is of another type */
#define WPR_NOTICE_TYPE "(uxss)"
GVariant *wpr_saved_to_variant (const WprSaved *saved); /* floating */
WprSaved *wpr_saved_from_variant (GVariant *variant);   /* NULL if it is of another type */
#define WPR_SAVED_TYPE "(stttxbas)"
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprNotice, wpr_notice_free)

/* ---- the local back end, for the host (local.c) ---- */
/* SIGINT, SIGTERM: stops cleanly and saves into the save folder by the naming rule; where that
 * cannot be, keeps the raw store. Finish gives the path of what is kept; free with g_free. */
void wpr_recorder_interrupt_async (WprRecorder *self, GAsyncReadyCallback callback, gpointer data);
char *wpr_recorder_interrupt_finish (WprRecorder *self, GAsyncResult *result, GError **error);
/* Who asked for what comes next, for the manifest and -status (a host sets the peer's name). */
void wpr_recorder_set_user (WprRecorder *self, const char *user);

G_END_DECLS
