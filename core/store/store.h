/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The raw recording on disk: a folder with a manifest and a row of epochs, each a folder with one
 * file a CPU and collector (raw perf records as drained, no framing: cut = back to the last whole
 * record), one sideband file and one notes file. All CPUs change epoch together. Writing: one
 * thread, the recorder's worker. Reading: WprStoreReader. */
#pragma once

#include <glib.h>
#include "base/clock.h"

G_BEGIN_DECLS

/* An event of the recording: what a row means. */
typedef struct
{
  guint32 row, collector;
  char *name;   /* "sched:sched_switch", "cpu-clock" */
  guint32 kind; /* WprPerfKind */
  guint64 sample_type, period, frequency;
  guint32 callchain; /* WprCallchain */
  char *format;      /* tracepoints: text of the format file; NULL else */
  guint32 as_file;   /* asked for as an operation on a file (keyword FileIO): read as one */
} WprStoreEvent;
typedef struct
{
  char *name, *session;
  guint32 kind; /* WprCollectorKind as a number */
  guint32 buffer_kb, buffers_asked, buffers_granted;
  guint64 ring_bytes;
} WprStoreCollector;
typedef struct
{
  guint64 id;
  guint32 row, cpu;
} WprStoreId;

/* Written before ENABLE; ids are appended when events are opened later (the whole manifest is
 * written anew beside the old and renamed). */
typedef struct
{
  char *instance, *tool_version, *host, *kernel, *boot_id, *program, *user;
  char *rights;                /* "own", "system", "full": what was seen; NULL: not said */
  char *plan_text, *plan_json; /* for the file's Linux.Recorder */
  GPtrArray *profiles;         /* char *, variant ids */
  GPtrArray *missing;          /* char *, "name: reason" */
  guint32 mode, level;         /* WprMode, WprLevel as numbers */
  guint32 n_cpus, max_possible_cpu, cpu_mhz;
  guint64 memory_bytes, page_size;
  gint64 sample_interval_ns; /* of the timer or cycles samples; 0: none */
  guint32 stack_cache_kb; /* stacks are written once each, and looked up in so much; 0: in full */
  guint32 recorder_pid;
  guint64 part_bytes; /* of a finished file; the recording is then several. 0: one */
  GArray *collectors; /* WprStoreCollector */
  GArray *events;     /* WprStoreEvent */
  GArray *ids;        /* WprStoreId */
} WprManifest;
WprManifest *wpr_manifest_new (void);
void wpr_manifest_free (WprManifest *manifest);
GBytes *wpr_manifest_to_bytes (const WprManifest *manifest);
WprManifest *wpr_manifest_from_bytes (GBytes *bytes, GError **error);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprManifest, wpr_manifest_free)

/* What is not a perf record: framed {u32 size, u16 kind, u16 cpu, i64 time (MONOTONIC), u32 pid,
 * u32 tid, u32 crc or 0, payload}. */
typedef enum
{
  WPR_NOTE_MARK = 1, /* payload: UTF-8 text */
  WPR_NOTE_SAMPLER,  /* payload: name NUL, then serialised GVariant a(sx): counters by name */
  WPR_NOTE_CLOCK,    /* payload: WprClockReading; kept for the whole recording */
  WPR_NOTE_LOSS, /* payload: u32 collector, u32 row (G_MAXUINT32: not known), u64 count: lost on cpu
                    within the second before time */
  WPR_NOTE_CPU_GAP, /* payload: u32 collector, i64 from, i64 to (G_MAXINT64: did not come back):
                       this CPU recorded nothing */
  WPR_NOTE_NOTICE,  /* payload: UTF-8 text: what the person was told */
  WPR_NOTE_CMDLINE, /* payload: i64 when, UTF-8 command line of pid */
  WPR_NOTE_UID,     /* payload: i64 when, u32 uid of pid */
  WPR_NOTE_TALLY, /* payload: u32 row, u32 collector, u64 counted, u64 lost: final group read of one
                     row on cpu; written at stop */
  WPR_NOTE_RING,  /* payload: u32 collector, u64 bytes_ever, u64 kept, u64 overwritten bytes: per
                     cpu, at stop or save (memory mode) */
  WPR_NOTE_COST,  /* payload: i64 cpu_ns, u64 wakeups: the recorder's own */
  WPR_NOTE_DESCRIPTION, /* payload: UTF-8: what was wrong; last one wins */
  WPR_NOTE_STOPPED, /* payload: WprClockReading: DISABLE happened here; absent = the recorder died
                     */
  WPR_NOTE_FILES,   /* payload: WprFilesPayload, then WprFilesEntry and path by turns: what pid had
                       open at time */
} WprNoteKind;

typedef struct
{
  WprNoteKind kind;
  guint cpu;
  WprTime time;
  guint32 pid, tid;
  const guint8 *payload;
  gsize size;
} WprStoreNote;
/* Return FALSE to stop. */
typedef gboolean (*WprStoreNoteFunc) (const WprStoreNote *note, gpointer data);
/* Walks the bytes of a notes file; stops without complaint at a cut end. */
void wpr_store_walk_notes (const guint8 *bytes, gsize size, WprStoreNoteFunc func, gpointer data);

typedef struct
{
  guint64 epoch_bytes; /* all CPUs change epoch at this many bytes of data; 0: 64 MiB */
  guint64 most_bytes;  /* keep at most this much: oldest epochs go; 0: no limit */
  /* Read back at once and then deleted (a save of rings): stays in the page cache and is not synced
   * when closed; a kill -9 loses nothing of it, a power cut does, as it would of the rings. */
  gboolean transient;
} WprStoreLimits;

typedef struct _WprStore WprStore;
/* Creates <parent>/<instance>-<boot id, 8 digits>-<time> (parent is made if missing) with the
 * manifest (synced) and epoch 1. */
WprStore *wpr_store_create (const char *parent, WprManifest *manifest, const WprStoreLimits *limits,
                            GError **error); /* takes the manifest */
/* The same in a folder that is open, whose path is `parent`. */
WprStore *wpr_store_create_in (int parent_fd, const char *parent, WprManifest *manifest,
                               const WprStoreLimits *limits, GError **error);
const char *wpr_store_get_path (WprStore *store);
int wpr_store_get_folder_fd (WprStore *store);
const WprManifest *wpr_store_get_manifest (WprStore *store);
gboolean wpr_store_add_ids (WprStore *store, const WprStoreId *ids, gsize n, GError **error);
/* The world (wpr_world_save) at the head of the current epoch; once, right after the rundown, or by
 * a save. */
gboolean wpr_store_checkpoint (WprStore *store, GBytes *world, GError **error);
/* Who folds an epoch that is about to go: gets the checkpoint at its head (NULL: none), its
 * sideband, and its CMDLINE and UID notes one by one through wpr_store_walk_notes; returns the
 * checkpoint for the head of the next. Unset: the checkpoint is moved as it is. */
typedef GBytes *(*WprStoreFold) (GBytes *checkpoint, const guint8 *sideband, gsize size,
                                 const guint8 *notes, gsize notes_size, gpointer data);
void wpr_store_set_fold (WprStore *store, WprStoreFold fold, gpointer data);
/* Descriptor of the current epoch's file; opened when first asked for; belongs to the store. Tell
 * what was written with _wrote. */
int wpr_store_data_fd (WprStore *store, guint collector, guint cpu, GError **error);
int wpr_store_sideband_fd (WprStore *store, GError **error);
/* Counts bytes, starts write-back behind (sync_file_range, DONTNEED each 8 MiB). After a failed
 * write: cuts the file back to what was told. */
void wpr_store_wrote (WprStore *store, guint collector, guint cpu, gsize bytes);
void wpr_store_wrote_sideband (WprStore *store, gsize bytes);
gboolean wpr_store_cut_back (WprStore *store, GError **error);
gboolean wpr_store_add_note (WprStore *store, WprNoteKind kind, guint cpu, WprTime time,
                             guint32 pid, guint32 tid, gconstpointer payload, gsize size,
                             GError **error);
guint64 wpr_store_bytes (const WprStore *store);         /* kept, all epochs */
guint64 wpr_store_bytes_dropped (const WprStore *store); /* of deleted epochs */
/* TRUE when the epoch is full. Rotate: new epoch for all CPUs; then oldest epochs are deleted down
 * to the limit, their sideband folded first into a checkpoint at the head of the next, their marks,
 * clocks, losses, gaps kept. */
gboolean wpr_store_wants_rotate (const WprStore *store);
gboolean wpr_store_rotate (WprStore *store, GError **error);
/* From now on keep at most this much (disk nearly full). */
gboolean wpr_store_set_most (WprStore *store, guint64 most_bytes, GError **error);
/* Lock and folder once more, as descriptors of the caller's (-1: none): the store stays in use
 * until the lock is closed, too, so that nobody takes the store between close and merge; and the
 * folder is the same, whatever its path leads to by then. */
typedef struct
{
  int lock_fd, folder_fd;
} WprStoreHold;
#define WPR_STORE_HOLD_NONE ((WprStoreHold){ -1, -1 })
WprStoreHold wpr_store_hold (WprStore *store);
void wpr_store_hold_clear (WprStoreHold *hold);
/* What was written is on disk when it returns. */
gboolean wpr_store_sync (WprStore *store, GError **error);
/* The same, begun behind the writer's back: of the files of this epoch that grew since the last
 * time. How many. */
guint wpr_store_sync_behind (WprStore *store);
void wpr_store_close (WprStore *store); /* syncs and frees; the folder stays */
gboolean wpr_store_delete (const char *path, GError **error);
/* The same of a store that is held: where its path leads to another by now, nothing is deleted. */
gboolean wpr_store_delete_held (const WprStoreHold *hold, const char *path, GError **error);

/* ---- a store that is over (or whose recorder died) ---- */
typedef struct _WprStoreReader WprStoreReader;
WprStoreReader *wpr_store_reader_open (const char *path, GError **error);
/* folder_fd: of a store that is held; `path` for messages. */
WprStoreReader *wpr_store_reader_open_at (int folder_fd, const char *path, GError **error);
void wpr_store_reader_free (WprStoreReader *reader);
const WprManifest *wpr_store_reader_manifest (WprStoreReader *reader);
guint wpr_store_reader_n_epochs (WprStoreReader *reader);
/* Mapped bytes of one file, cut to whole records; NULL, size 0 if there is none. Valid until
 * _release. `cut`: bytes left off at the end (NULL ok). */
const guint8 *wpr_store_reader_data (WprStoreReader *reader, guint epoch, guint collector,
                                     guint cpu, gsize *size, gsize *cut);
const guint8 *wpr_store_reader_sideband (WprStoreReader *reader, guint epoch, gsize *size,
                                         gsize *cut);
void wpr_store_reader_release (WprStoreReader *reader, guint epoch, guint collector, guint cpu);
/* World of the first kept epoch's checkpoint; NULL if none. Owned by the caller. */
GBytes *wpr_store_reader_world (WprStoreReader *reader);
/* Notes of all kept epochs in the order written; stops without complaint at a cut end. */
void wpr_store_reader_notes (WprStoreReader *reader, WprStoreNoteFunc func, gpointer data);
/* The clock table from the notes. */
WprClockTable *wpr_store_reader_clocks (WprStoreReader *reader);
gboolean wpr_store_reader_stopped (WprStoreReader *reader); /* a STOPPED note is there */
guint64 wpr_store_reader_bytes (WprStoreReader *reader);
/* Of epochs that were deleted while recording (size limit, disk nearly full). */
guint64 wpr_store_reader_bytes_dropped (WprStoreReader *reader);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprStoreReader, wpr_store_reader_free)

/* Raw recordings below a folder: array of char * paths, oldest first. A store whose recorder lives
 * holds a lock (flock on the manifest). */
GPtrArray *wpr_store_list (const char *parent);
gboolean wpr_store_in_use (const char *path);

G_END_DECLS
