/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is being recorded: one class, two back ends. A local recorder records in this process (in
 * `wpr --recorder`, and in tests); a connected one drives a recording in another process. Async
 * functions return at once, do their work on the recorder's worker thread and call back, like every
 * signal, in the thread-default main context in which the recorder was made. */
#pragma once

#include <gio/gio.h>
#include <wpr-profile.h>

G_BEGIN_DECLS

/* Fills a machine from this system: CPUs, memory, rights, events. Blocks (10-50 ms): not for a main
 * loop. Never fails; says UNKNOWN where it cannot look. */
WPR_API WprMachine *wpr_machine_probe (void);
/* The same, but of what the recorder may do: where this process has no rights and the program that
 * would record has some of its own (file capabilities), that program is asked. For a window. */
WPR_API WprMachine *wpr_machine_probe_recorder (void);
/* What it answers (`wpr --probe`): prints the machine; an exit status. */
WPR_API int wpr_recorder_host_probe (void);

typedef enum
{
  WPR_STATE_IDLE,
  WPR_STATE_PREPARING,
  WPR_STATE_RECORDING,
  WPR_STATE_STOPPING,
  WPR_STATE_MERGING,
  WPR_STATE_SAVED,
  WPR_STATE_CANCELLED, /* discarded; nothing is left */
  WPR_STATE_FAILED,    /* see the error; a raw store may be kept, named in the message */
} WprState;
WPR_API const char *wpr_state_name (WprState state); /* "recording": stable, untranslated */

/* ---- figures ---- */

#define WPR_STATS_LOSSES 64

/* Events lost within one second. */
typedef struct
{
  guint cpu;
  gint64 second; /* since start */
  guint64 count;
} WprLossSecond;

typedef struct
{
  guint cpu;
  gboolean online;
  guint64 ring_bytes;
  guint64 used_bytes; /* file mode: not yet drained; memory mode: bytes held */
  double fill;        /* 0..1; memory mode: 1 once wrapped */
  double holds_s;     /* memory mode: seconds the ring holds at the present rate, -1 not known */
  guint64 bytes;      /* ever put into the ring */
  guint64 events;     /* counted by the kernel */
  guint64 lost;
  guint64 overwritten_bytes; /* memory mode */
} WprCpuStats;

typedef struct
{
  const char *name;    /* "WPR System Collector" */
  const char *session; /* "WPR_initiated_WprApp_WPR System Collector" */
  WprCollectorKind kind;
  guint buffer_kb;
  guint buffers_asked, buffers_total, buffers_free;
  guint64 buffers_written; /* bytes / BufferSize, rounded up */
  double fill;             /* the worst ring's */
  guint worst_cpu;
  double holds_s; /* the least of its rings', -1 not known */
  guint64 events;
  double events_per_s;
  guint64 lost;
  guint64 overwritten_bytes;
  guint64 bytes_written; /* drained to the store */
  guint n_cpus;
  const WprCpuStats *cpus;
  guint n_losses; /* the newest WPR_STATS_LOSSES seconds with losses */
  const WprLossSecond *losses;
} WprCollectorStats;

/* Every live number, once. Immutable, reference counted, any thread. */
typedef struct
{
  WprState state;
  WprMode mode;
  gint64 started_realtime_ns;
  gint64 elapsed_ns;
  guint64 events; /* all collectors */
  double events_per_s;
  guint64 lost;
  guint64 overwritten_bytes;
  guint64 bytes_written; /* file mode: on disk. memory mode: 0 */
  guint64 save_bytes;    /* estimate of what a save would write now */
  double fill;           /* the worst ring of all */
  guint worst_collector, worst_cpu;
  double holds_s;          /* memory mode: the span complete on all CPUs, -1 not known */
  guint64 disk_free_bytes; /* where it will be written */
  double disk_full_s;      /* seconds until it is full at the present rate, -1 never or not known */
  double recorder_cpu;     /* share of one CPU, 0..n, over the last second */
  gint64 recorder_cpu_ns;  /* since start */
  guint64 recorder_wakeups; /* since start */
  guint n_marks;
  guint n_collectors;
  const WprCollectorStats *collectors;
} WprStats;
WPR_API WprStats *wpr_stats_ref (WprStats *stats);
WPR_API void wpr_stats_unref (WprStats *stats);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprStats, wpr_stats_unref)

/* ---- notices ---- */
typedef enum
{
  WPR_NOTICE_INFO,
  WPR_NOTICE_WARNING,
  WPR_NOTICE_ERROR
} WprSeverity;
typedef struct
{
  WprSeverity severity;
  gint64 realtime_ns;
  char
      *id; /* stable word: "loss", "ring-shrunk", "disk-low", "cpu-offline", "event-refused", ... */
  char *text; /* translated */
} WprNotice;

/* ---- the recorder ---- */

#define WPR_TYPE_RECORDER (wpr_recorder_get_type ())
WPR_API
G_DECLARE_FINAL_TYPE (WprRecorder, wpr_recorder, WPR, RECORDER, GObject)

/* Signals (in the context the recorder was made in):
 *   "notify::state"
 *   "notice" (WprNotice *)            valid during the emission
 *   "progress" (const char *phase, double fraction, guint64 done, guint64 total)   while merging;
 * phase: "collect", "order", "names", "check" */

/* instance NULL: "WprApp". WPR_ERROR_USAGE for a name that is refused. */
WPR_API WprRecorder *wpr_recorder_new_local (const char *instance, GError **error);
/* Blocks until the other process answered or 5 s went by; not on a window's main thread.
 * WPR_ERROR_NOT_RECORDING (0xc5583000) if there is none (a stale socket is removed). */
WPR_API WprRecorder *wpr_recorder_connect (const char *instance, GError **error);
/* Starts `wpr --recorder` for the instance as a process of its own that outlives the caller
 * (WPR_RECORDER, beside the executable, else BINDIR), and connects. Blocks.
 * WPR_ERROR_ALREADY_RECORDING (0xc5583001) with since when and by whom if it records already. */
WPR_API WprRecorder *wpr_recorder_spawn (const char *instance, GError **error);
/* Instances of this user that a recorder listens for, and those of root's, which another user knows
 * as "root:NAME" and may connect to by that name: what they may do there is decided at each call
 * (WPR_ERROR_NOT_PERMITTED). Array of char *; blocks. */
WPR_API GPtrArray *wpr_recorder_list (GError **error);

WPR_API WprState wpr_recorder_get_state (WprRecorder *self);
WPR_API const char *wpr_recorder_get_instance (WprRecorder *self);
/* The newest figures, never NULL. Any thread, costs nothing. Free with wpr_stats_unref. */
WPR_API WprStats *wpr_recorder_ref_stats (WprRecorder *self);
/* So far; array of WprNotice *. Free with g_ptr_array_unref. */
WPR_API GPtrArray *wpr_recorder_get_notices (WprRecorder *self);
/* a{sv}: "profiles" as (variant ids), "titles" as, "mode" s, "level" s, "rights" s, "rights-text"
 * s, "rights-help" s (WprPlan), "user" s, "program" s (who began it: "wpr", "wprui"), "pid" u,
 * "started" x (realtime ns), "plan-text" s, "plan-json" s, "digest" s, "store" s, "withdrawn" b
 * (the broker has gone meanwhile), "by-itself" s (it stopped without being told to: the notice of
 * that id says why); once SAVED also "saved-folder" ay, "saved-name" ay, "saved-size" t,
 * "saved-events" t, "saved-lost" t, "saved-duration" x (ns). Empty before a start. Floating-free
 * (owned). */
WPR_API GVariant *wpr_recorder_describe (WprRecorder *self);

/* files: a(say) of (display name, bytes) of every .wprp the choice names; NULL if none. program:
 * "wpr" or "wprui". Plans on its own machine, opens, records. Finishes when recording or failed. */
WPR_API void wpr_recorder_start_async (WprRecorder *self, const WprChoice *choice, GVariant *files,
                                       const char *program, GCancellable *cancellable,
                                       GAsyncReadyCallback callback, gpointer data);
WPR_API gboolean wpr_recorder_start_finish (WprRecorder *self, GAsyncResult *result,
                                            GError **error);

/* Before a start: asks the broker for the rights this user lacks, which may ask a person (WprUnlock
 * of the machine says so). The recorder, not the face, is who is let in, and holds what it got for
 * its next start; a start whose plan says `unlock` asks by itself if nobody did. contents: probes,
 * too. WPR_ERROR_NOT_PERMITTED: refused, dismissed, or nobody answered, each in its own words. */
WPR_API void wpr_recorder_unlock_async (WprRecorder *self, gboolean contents,
                                        GCancellable *cancellable, GAsyncReadyCallback callback,
                                        gpointer data);
WPR_API gboolean wpr_recorder_unlock_finish (WprRecorder *self, GAsyncResult *result,
                                             GError **error);
/* What the recorder's process is called on the system bus: for an agent that answers polkit's
 * question for it, as pkttyagent. Free with g_free; WPR_ERROR_NOT_AVAILABLE: there is no bus. */
WPR_API void wpr_recorder_bus_name_async (WprRecorder *self, GCancellable *cancellable,
                                          GAsyncReadyCallback callback, gpointer data);
WPR_API char *wpr_recorder_bus_name_finish (WprRecorder *self, GAsyncResult *result,
                                            GError **error);

/* What a finished file is, or several together. */
typedef struct
{
  char *name;   /* file name in the folder */
  guint64 size; /* bytes */
  guint64 events, lost;
  gint64 duration_ns;
  gboolean complete; /* nothing lost, nothing damaged */
  char **parts;      /* names of all files of a recording that is several, `name` the first; else
                        NULL */
} WprSaved;
WPR_API void wpr_saved_free (WprSaved *saved);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprSaved, wpr_saved_free)

/* How files are written that are asked for from now on by this object; any thread. */
typedef enum
{
  WPR_SAVE_COMPRESSED = 1 << 0, /* a fifth of the size; every reader must unpack it */
  WPR_SAVE_NO_NAMES = 1 << 1,   /* of functions: neither looked for nor written */
  WPR_SAVE_DEBUGINFOD = 1 << 2, /* names: also from the servers that the recorder's DEBUGINFOD_URLS
                                   names, which learn what runs here */
} WprSaveFlags;
WPR_API void wpr_recorder_set_save_flags (WprRecorder *self, WprSaveFlags flags);

/* Stop and save: folder_fd is duplicated. Target checked first (WPR_ERROR_NOT_WRITABLE: nothing was
 * stopped). Then state STOPPING, MERGING, SAVED. note: what was wrong, NULL if nothing. Cancelling
 * the cancellable while merging keeps the raw store and names it (WPR_ERROR_CANCELLED). Success
 * with saved->lost > 0 is success. */
WPR_API void wpr_recorder_stop_async (WprRecorder *self, int folder_fd, const char *name,
                                      const char *note, GCancellable *cancellable,
                                      GAsyncReadyCallback callback, gpointer data);
WPR_API WprSaved *wpr_recorder_stop_finish (WprRecorder *self, GAsyncResult *result,
                                            GError **error);
/* While a stop merges: the sentence to write last into the file. Until the file is finished it can
 * be changed. */
WPR_API void wpr_recorder_set_note (WprRecorder *self, const char *note);
/* What the rings hold, without pausing them; memory mode only (else WPR_ERROR_STATE). One save at a
 * time. */
WPR_API void wpr_recorder_save_async (WprRecorder *self, int folder_fd, const char *name,
                                      const char *note, GCancellable *cancellable,
                                      GAsyncReadyCallback callback, gpointer data);
WPR_API WprSaved *wpr_recorder_save_finish (WprRecorder *self, GAsyncResult *result,
                                            GError **error);
/* Stop without saving; the raw store is deleted. */
WPR_API void wpr_recorder_cancel_async (WprRecorder *self, GCancellable *cancellable,
                                        GAsyncReadyCallback callback, gpointer data);
WPR_API gboolean wpr_recorder_cancel_finish (WprRecorder *self, GAsyncResult *result,
                                             GError **error);
/* A mark with a sentence, at the time of the call. */
WPR_API void wpr_recorder_mark_async (WprRecorder *self, const char *text,
                                      GCancellable *cancellable, GAsyncReadyCallback callback,
                                      gpointer data);
WPR_API gboolean wpr_recorder_mark_finish (WprRecorder *self, GAsyncResult *result, GError **error);
/* Writes what the buffers hold to disk now. File mode only (else WPR_ERROR_STATE). */
WPR_API void wpr_recorder_flush_async (WprRecorder *self, GCancellable *cancellable,
                                       GAsyncReadyCallback callback, gpointer data);
WPR_API gboolean wpr_recorder_flush_finish (WprRecorder *self, GAsyncResult *result,
                                            GError **error);

/* Switches profiles on or off while recording: of the choice only its profiles count; files as in
 * start. The plan is made anew and the difference applied without a gap in what else is recorded;
 * each profile is a mark in the trace, before which nothing of it is there (after which, switched
 * off). A profile that is on at another level changes to the one asked for. What cannot be had
 * while recording is said by notices. WPR_ERROR_STATE: it is on (or off) already, or would be the
 * last; nothing has changed after an error. Afterwards wpr_recorder_describe() has the new plan. */
WPR_API void wpr_recorder_set_profiles_async (WprRecorder *self, const WprChoice *choice,
                                              GVariant *files, gboolean on,
                                              GCancellable *cancellable,
                                              GAsyncReadyCallback callback, gpointer data);
WPR_API gboolean wpr_recorder_set_profiles_finish (WprRecorder *self, GAsyncResult *result,
                                                   GError **error);
/* Larger buffers while recording, without a gap: the collector's (NULL: of that which loses most,
 * else is fullest) to so many bytes in all (0: twice what it has), rounded down to a power of two a
 * CPU. A mark and a notice say so. The cure of lost events. WPR_ERROR_USAGE: not larger than now,
 * more than 1 GiB a CPU, or no such collector; WPR_ERROR_NO_SPACE: half of the memory would not do,
 * or the kernel gave none: nothing has changed. */
WPR_API void wpr_recorder_grow_async (WprRecorder *self, const char *collector, guint64 bytes,
                                      GCancellable *cancellable, GAsyncReadyCallback callback,
                                      gpointer data);
WPR_API gboolean wpr_recorder_grow_finish (WprRecorder *self, GAsyncResult *result, GError **error);

/* ---- the sampling interval of this user, kept in the state folder ---- */
/* In units of 100 ns; 0: never set. Blocks shortly. */
WPR_API guint wpr_sample_interval_get (void);
/* 1221..10 000 000, or 0 to forget it; WPR_ERROR_USAGE with the limits (0xc5600602). */
WPR_API gboolean wpr_sample_interval_set (guint interval_100ns, GError **error);

/* ---- unfinished raw recordings ---- */
typedef struct
{
  char *path; /* the raw store's folder; "broker:ID": rings in memory whose recorder was killed,
                 kept for ten minutes, started_realtime_ns is then when that was */
  char *instance;
  gint64 started_realtime_ns;
  guint64 bytes;
  gboolean in_use; /* its recorder lives */
} WprUnfinished;
WPR_API void wpr_unfinished_free (WprUnfinished *unfinished);
WPR_API GPtrArray *wpr_unfinished_list (GError **error); /* blocks */
/* Those below a folder of the person's choice (-recordtempto). Never fails; blocks. */
WPR_API GPtrArray *wpr_unfinished_list_in (const char *folder);
/* Deletes a raw store for good. WPR_ERROR_STATE while its recorder lives or somebody finishes it.
 */
WPR_API gboolean wpr_unfinished_discard (const char *store_path, GError **error);
/* Plays a raw store into an .etl. Blocks. progress may be NULL. On success the store is deleted.
 * name NULL: the naming rule. _as: as the flags say. */
typedef void (*WprProgressFunc) (const char *phase, double fraction, guint64 done, guint64 total,
                                 gpointer data);
WPR_API WprSaved *wpr_recover (const char *store_path, int folder_fd, const char *name,
                               WprProgressFunc progress, gpointer data, GCancellable *cancellable,
                               GError **error);
WPR_API WprSaved *wpr_recover_as (const char *store_path, int folder_fd, const char *name,
                                  WprSaveFlags flags, WprProgressFunc progress, gpointer data,
                                  GCancellable *cancellable, GError **error);

/* ---- where files go ---- */
/* A folder to save into, opened; -1 with WPR_ERROR_NOT_WRITABLE or NOT_PERMITTED. As root a link on
 * the way is followed only where it is root's, and a folder in which everybody may replace
 * everything is refused. */
WPR_API int wpr_recorder_open_folder (const char *path, GError **error);
/* The folder for saved recordings, made if it is missing; *path: which; free with g_free. */
WPR_API int wpr_recorder_open_save_folder (char **path, GError **error);

/* The host: runs a recorder for the instance in this process and serves it until it is over (`wpr
 * --recorder`). ready_fd: one byte is written when it answers, -1 for none. Returns an exit status.
 */
WPR_API int wpr_recorder_host_run (const char *instance, int ready_fd);

G_END_DECLS
