/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the two halves of the backend share: backend.c (profiles, plans, finding and watching a
 * recording) and backend-recording.c (beginning and ending one). Worker thread only, but for the
 * fields marked. */
#pragma once

#include "backend.h"
#include "worker.h"

G_BEGIN_DECLS

/* Core calls after this line are in the worker, or the program is wrong. */
#define ASSERT_WORKER(backend) g_assert (wpr_worker_is_current ((backend)->worker))

struct _WprBackend
{
  WprModel *model;   /* borrowed; outlives the worker. Any thread */
  WprWorker *worker; /* any thread */

  WprLibrary *library;
  WprMachine *machine;
  GHashTable *customs; /* of GBytes by name: usable files that a person added */

  WprRecorder *recorder; /* the recording shown, or NULL */
  gboolean ours;         /* begun in this window */
  gboolean busy;         /* a start, stop or discard of ours is under way */
  gboolean announced;    /* the subject was sent */
  GSource *poll;         /* looks for a recording begun elsewhere */
  GSource *tick;         /* reads figures */
  gboolean watched;
  GPtrArray *held; /* of WprStats, read while nobody looked */
  gint64 last_elapsed_ns;
  guint64 last_events;
  gint64 progress_sent_us;
  char *phase_sent;
  char *last_error; /* newest notice of severity ERROR */

  GCancellable *merge; /* cancels the merge under way */
  char *folder;        /* of the stop under way */
  char *name;          /* its file name */
  char *wanted_name;   /* what the person made of it, NULL: the same */
  char *note;
};

/* A request on its way into the worker. */
typedef struct
{
  WprBackend *backend;
  WprWish *wish;
  char *first, *second;
  guint number;
} WprJob;
void wpr_backend_send (WprBackend *backend, WprWorkFunc func, const WprWish *wish,
                       const char *first, const char *second, guint number);

/* Follows a recorder (takes it) until wpr_backend_detach(). */
void wpr_backend_attach (WprBackend *backend, WprRecorder *recorder, gboolean ours);
void wpr_backend_detach (WprBackend *backend);
/* Sends who records what, once the recorder knows. */
void wpr_backend_announce (WprBackend *backend);
/* What it records, as it is now. Free with wpr_subject_free. */
WprSubject *wpr_backend_read_subject (WprBackend *backend);
/* Sends the newest figures now. */
void wpr_backend_read_figures (WprBackend *backend);
/* A wish as the core wants it. */
WprChoice *wpr_backend_make_choice (WprBackend *backend, const WprWish *wish);
/* backend-custom.c: the profile's name in an id of WprProfileItem, and its file, NULL for a
 * built-in one. */
const char *wpr_backend_split_id (WprBackend *backend, const char *id, const char **source);
/* The files of a choice as the recorder takes them; NULL if none. Free with g_variant_unref. */
GVariant *wpr_backend_make_files (WprBackend *backend, const WprChoice *choice);

G_END_DECLS
