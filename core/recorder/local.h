/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The local back end, within the room. local.c: its hooks and threads; local-start.c, local-run.c,
 * local-stop.c, local-save.c: the life cycle, local-live.c: changes meanwhile, all on the worker;
 * figures.c, guard.c: what the tick
 * looks at; job.c: a raw store into a file, on a thread of its own. */
#pragma once

#include "broker/client/client.h"
#include "recorder/figures.h"
#include "recorder/guard.h"
#include "recorder/recorder-private.h"
#include "recorder/transition.h"
#include "source/source.h"
#include "source/world-fold.h"

G_BEGIN_DECLS

typedef struct _WprLocal WprLocal;

struct _WprLocal
{
  WprRecorderBackend parent;
  char *instance;
  WprWorker *worker; /* life cycle, drain, figures */
  WprWorker *jobs;   /* merges, one after the other */
  guint32 tids[2];   /* of both: the recorder's threads that write */
  GThread *closer;   /* closes the last recording's events; worker only */
  gint closing;      /* atomic: closer is at it */
  gint cancel_start; /* atomic: asked to cancel while starting */

  /* ---- worker only: the broker's session, of this recording or the next ---- */
  WprBrokerSession *broker; /* NULL: none */
  const char *broker_mode;  /* "memory", "file" */
  gboolean broker_contents;
  GSource *broker_watch;
  gint64 keep_next_us; /* MONOTONIC */
  int kallsyms_fd;     /* of the merge that is about to be queued; -1 */

  /* ---- worker only: this recording ---- */
  WprState state;
  WprChoice *choice;
  GVariant *files; /* a(say): the .wprp files of the choice; NULL: none */
  WprMachine *machine;
  WprPlan *plan;
  WprManifest *manifest; /* memory mode: copied for each save. File mode: the store's */
  WprSession session;
  GPtrArray *sources;
  WprSource *marks; /* in sources */
  WprFold *fold;
  WprClockTable *clocks;
  WprFigures *figures;
  WprGuard guard;
  GSource *tick, *wake, *duration;
  int epoll_fd;
  gint64 started_realtime_ns;
  guint n_ticks;
  gint64 n_counts;       /* half seconds of the recording whose events are counted */
  guint n_failed_drains; /* in a row */
  guint64 flushed_bytes; /* of the store when it was last put on the disk for good */
  guint n_marks;
  gboolean saving;                      /* a save job runs */
  gboolean stop_asked;                  /* by itself: the guard's, once */
  GPtrArray *notices;                   /* WprNotice *: of this recording */
  GPtrArray *interrupts;                /* GTask *: answered when it is over */
  char *kept;                           /* path of the file or store that is left */
  char *stopped_store, *stopped_folder; /* of the merge that runs */
  GArray *values, *losses;              /* of the tick: WprSourceFigures, WprSourceLoss */
  WprTime loss_told_ns;
  guint64 others_need; /* see guard.h */
  int disk_fd;         /* the folder below which raw stores lie */

  /* ---- any thread, under lock ---- */
  GMutex lock;
  GVariant *description;
  char *note; /* what was wrong, for the stop that runs or comes */
  char *user; /* NULL: this process's */
};

/* local.c */
/* The session, with the recorder as its listener. */
WprSession *wpr_local_session (WprLocal *local);
/* Follows the table; FALSE with error where the step is not possible. Worker only. */
gboolean wpr_local_step (WprLocal *local, WprStep step, GError **error);
void wpr_local_notice (WprLocal *local, WprSeverity severity, const char *id, const char *format,
                       ...) G_GNUC_PRINTF (4, 5);
/* FAILED or CANCELLED, interrupts answered. Takes over error (NULL ok). */
void wpr_local_over (WprLocal *local, GError *error);
/* Frees what belongs to one recording. */
void wpr_local_clear (WprLocal *local);
/* Events are closed on a thread of their own: 20-35 ms a tracepoint. */
void wpr_local_close_sources (WprLocal *local);
void wpr_local_wait_closed (WprLocal *local);

/* local-start.c */
/* Takes over the choice. */
gboolean wpr_local_start (WprLocal *local, WprChoice *choice, GVariant *files, const char *program,
                          GCancellable *cancellable, GError **error);
void wpr_local_describe (WprLocal *local, const char *program);

gboolean wpr_local_add_files (WprLibrary *library, GVariant *files, GError **error);
/* FALSE with error if a plan lacks what one of its profiles cannot do without. */
gboolean wpr_local_check_strict (const WprPlan *plan, GError **error);

/* local-broker.c: all on the worker */
/* Holds a session that may do that; asks for one, and so perhaps a person, unless there is one. */
gboolean wpr_local_unlock (WprLocal *local, const char *mode, gboolean contents,
                           GCancellable *cancellable, GError **error);
/* What the plan needs: a session and what the events are, or none. */
gboolean wpr_local_unlock_for_plan (WprLocal *local, GCancellable *cancellable, GError **error);
void wpr_local_drop_broker (WprLocal *local);
WprOpener *wpr_local_broker_opener (WprLocal *local);
/* Ids and formats of a plan's events; TRUE where they are read here. */
gboolean wpr_local_learn_formats (WprLocal *local, const WprPlan *plan, GError **error);
gboolean wpr_local_broker_rundown (WprLocal *local, GError **error);
/* A memfd with the kernel's names, the caller's; -1: /proc/kallsyms it is, error or not. */
int wpr_broker_kallsyms_fd (WprBrokerSession *session, GError **error);
int wpr_local_kallsyms (WprLocal *local);
/* Memory mode: what the rings mean is left with the broker, should this process be killed. */
void wpr_local_keep (WprLocal *local);
void wpr_local_keep_now_and_then (WprLocal *local);
void wpr_local_watch_broker (WprLocal *local);
/* Of the back end: in the owner's thread. */
void wpr_local_hook_unlock (WprRecorderBackend *backend, GTask *task, gboolean contents);
void wpr_local_hook_bus_name (WprRecorderBackend *backend, GTask *task);
WprManifest *wpr_kept_manifest (GBytes *kept, GArray **sets, gint64 *started_ns,
                                gint64 *started_realtime_ns, GBytes **world, GError **error);

/* local-live.c */
/* wanted: only its profiles count. */
gboolean wpr_local_set_profiles (WprLocal *local, const WprChoice *wanted, GVariant *files,
                                 gboolean on, GError **error);
gboolean wpr_local_grow (WprLocal *local, const char *collector, guint64 bytes, GError **error);

/* local-run.c */
/* Waits for what sources have to wait for now. */
void wpr_local_rewatch (WprLocal *local);
void wpr_local_begin_ticks (WprLocal *local);
void wpr_local_end_ticks (WprLocal *local);
gboolean wpr_local_drain (WprLocal *local);
void wpr_local_read_clocks (WprLocal *local);
void wpr_local_figures (WprLocal *local);

/* local-stop.c */
/* Takes over task and folder_fd. */
void wpr_local_stop (WprLocal *local, GTask *task, int folder_fd, const char *name,
                     const char *note);
/* Called by -duration, the guard, a signal: into the save folder; a raw store is kept where that
 * cannot be. reason: what a person is told. */
void wpr_local_stop_by_itself (WprLocal *local, WprSeverity severity, const char *id,
                               const char *reason);
gboolean wpr_local_cancel (WprLocal *local, GError **error);

/* local-save.c */
void wpr_local_save (WprLocal *local, GTask *task, int folder_fd, const char *name,
                     const char *note);
/* Memory mode: a fresh store with what the rings hold and all that is known beside. NULL with
 * error; nothing is left then. */
WprStore *wpr_local_new_ring_store (WprLocal *local, GError **error);
gboolean wpr_local_fill_ring_store (WprLocal *local, WprStore *store, const char *note,
                                    GError **error);
/* Notes of the recorder itself, written last: cost, what was wrong, and that it was stopped. */
gboolean wpr_local_note_end (WprLocal *local, WprStore *store, const char *note, GError **error);

/* manifest.c */
WprManifest *wpr_local_manifest (WprLocal *local, const char *program);
WprManifest *wpr_manifest_copy (const WprManifest *manifest);
/* The plan has changed while recording; profiles that were on once stay listed. */
void wpr_manifest_replan (WprManifest *manifest, const WprPlan *plan);
char *wpr_local_raw_parent (const WprChoice *choice, GError **error);

G_END_DECLS
