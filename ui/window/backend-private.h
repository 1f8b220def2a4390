/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of the backend share: backend.c (finding and watching a recording),
 * backend-recording.c (beginning and ending one), backend-choose.c (profiles and plans),
 * backend-custom.c (a person's files). Worker thread only, but for the fields marked. */
#pragma once

#include "aside.h"
#include "backend.h"
#include "load.h"
#include "worker.h"

G_BEGIN_DECLS

/* Core calls after this line are in the worker, or the program is wrong. */
#define ASSERT_WORKER(backend) g_assert (wpr_worker_is_current ((backend)->worker))

/* What is asked beside the worker, so that it goes on where no answer comes: a person's profile
 * files, what is opened and written in the folder of recordings, its free space, whether somebody
 * records. */
typedef enum
{
  WPR_ASIDE_PROFILES,
  WPR_ASIDE_FOLDER,
  WPR_ASIDE_SPACE,
  WPR_ASIDE_FINDER,
  WPR_ASIDE_N
} WprAsideKind;

struct _WprBackend
{
  WprModel *model;   /* borrowed; outlives the worker. Any thread */
  WprWorker *worker; /* any thread */

  WprLibrary *library;
  WprMachine *machine;
  GHashTable *customs; /* of GBytes by name: usable files that a person added */
  GHashTable *stamps;  /* of gint64 by name: of every such file, as it was when it was read */

  WprAside *asides[WPR_ASIDE_N]; /* NULL until first used */

  WprPlan *plan; /* of the newest wish, or NULL */
  guint plan_serial;
  char *plan_folder;    /* where that would be saved */
  char *free_folder;    /* the folder that was asked last how much is free there */
  guint64 free_bytes;   /* the answer; 0: nobody knows */
  gboolean free_asked;  /* there is none yet */
  WprLoad load;         /* the first of two readings */
  GSource *load_source; /* waits for the second */
  gint64 load_us;       /* when the rates were read; 0: never */
  double rates[WPR_LOAD_N];

  WprLock lock;
  WprRecorder *spare;    /* that was asked to unlock, for the next start; or NULL */
  GCancellable *asking;  /* cancels the question */
  gint64 dropped_us;     /* when one that was refused was let go; 0: never */
  WprRecorder *recorder; /* the recording shown, or NULL */
  gboolean ours;         /* begun in this window */
  gboolean busy;         /* a start, stop or discard of ours is under way */
  gboolean announced;    /* the subject was sent */
  GSource *poll;         /* looks for a recording begun elsewhere */
  gboolean looking;      /* it is asked for beside the worker */
  gint64 heard_us;       /* when the recorder was last heard of */
  gboolean silent;       /* that was said */
  gboolean opening;      /* a stop waits for its folder */
  GSource *leave;        /* what was left for later is left without its answer */
  gint64 left_ns;        /* the start of the recording that was left so; 0: none */
  GSource *tick;         /* reads figures */
  gboolean watched;
  GPtrArray *held; /* of WprStats, read while nobody looked */
  gint64 last_elapsed_ns;
  guint64 last_events;
  gint64 progress_sent_us;
  char *phase_sent;
  char *last_error; /* newest notice of severity ERROR */

  GCancellable *merge; /* cancels the merge under way */
  gboolean again;      /* it was cancelled to begin again */
  gboolean compress;
  gboolean no_names;  /* of functions */
  char *store;        /* of the newest recording; "" where it has none while it records */
  gint64 started_ns;  /* its start, real time */
  guint n_tasks;      /* threads of their own that work for this: backend-finish.c, -file.c */
  GCancellable *read; /* cancels the reading of a file that is opened */
  char *folder;       /* of the stop under way */
  int folder_fd;      /* the same, open; -1: none */
  char *name;         /* its file name */
  char *wanted_name;  /* what the person made of it, NULL: the same */
  char *name_words;   /* behind the name of what is saved of this recording; NULL: none */
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

/* The same, once nothing else is asked of the worker. */
void wpr_backend_send_low (WprBackend *backend, WprWorkFunc func, const WprWish *wish,
                           const char *first, const char *second, guint number);
/* In the worker's context; of the caller's, until wpr_backend_remove_timer(). */
GSource *wpr_backend_add_timer (guint interval_ms, GSourceFunc func, gpointer data);
void wpr_backend_remove_timer (GSource **source);

/* backend-folder.c: asks beside the worker; `then` runs in the worker. folder_fd is the caller's to
 * dup(), -1 with an error. name: `wanted` if no file there has it, else one made of the time. */
typedef void (*WprFolderFunc) (WprBackend *backend, int folder_fd, const char *name,
                               const char *text, const GError *error);
void wpr_backend_open_folder (WprBackend *backend, const char *folder, const char *wanted,
                              const char *text, WprFolderFunc then);
/* Words for a folder or file that lets people wait. Free with g_free. */
char *wpr_backend_describe_silence (const char *place);
/* Keeps one, in the place of what was kept; -1: none. */
void wpr_backend_keep_folder (WprBackend *backend, int folder_fd);
/* backend->free_bytes of the plan's folder; then backend-choose.c's estimate is sent. */
void wpr_backend_ask_free_bytes (WprBackend *backend);
void wpr_backend_estimate (WprBackend *backend);
WprAside *wpr_backend_get_aside (WprBackend *backend, WprAsideKind kind);
/* What became of the recording that is shown, if it is over. */
void wpr_backend_look_at_state (WprBackend *backend);

/* backend-recording.c: what a save brought; and when it failed. */
WprOutcome *wpr_backend_make_outcome (WprBackend *backend, const WprSaved *saved, int folder_fd);
WprOutcome *wpr_backend_make_failure (const GError *error, const char *store);
/* backend-finish.c: the raw recording that the newest one left, NULL if none is left. */
char *wpr_backend_find_store (WprBackend *backend);
/* Plays it into backend->folder under backend->name, beside the worker; the worker is busy. */
void wpr_backend_play (WprBackend *backend, const char *store);
WprSaveFlags wpr_backend_get_save_flags (WprBackend *backend);
/* backend-recording.c: sends how a recording ended that stopped by itself. */
/* Why it stopped without being told to; NULL if it was told to, or has not stopped. Free with
 * g_free. */
char *wpr_backend_why_stopped (WprBackend *backend);
void wpr_backend_end_by_itself (WprBackend *backend, char *why);
/* backend-choose.c: the first thing the worker does. */
void wpr_backend_do_load (gpointer job);
/* backend-unlock.c: sends what the machine says; asks it anew once nothing else is to be done. */
void wpr_backend_show_lock (WprBackend *backend);
void wpr_backend_look_at_lock (WprBackend *backend);
/* The recorder that holds an approval, or that was refused one; NULL: none. The caller's. */
WprRecorder *wpr_backend_take_spare (WprBackend *backend);
void wpr_backend_drop_spare (WprBackend *backend);
/* backend-silence.c: the recorder was heard of; is to be, once a second; is left when it does not
 * answer to "later". */
void wpr_backend_heard (WprBackend *backend);
void wpr_backend_check_silence (WprBackend *backend);
void wpr_backend_leave_soon (WprBackend *backend);
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
