/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What was recorded: facts about a finished .etl; wpr-trace-file.h, its events. */
#pragma once

#include <gio/gio.h>
#include <wpr-error.h>
#include <wpr-trace-file.h>

G_BEGIN_DECLS

/* One kind of event in a file. */
typedef struct
{
  const char *provider; /* "Thread", "Linux.sched", "{guid}" */
  const char *name;     /* "CSwitch", "sched_waking", "opcode 36" */
  guint64 count;
} WprEventCount;

/* Events lost by one collector on one CPU within one second. */
typedef struct
{
  char *collector; /* "WPR System Collector" */
  guint cpu;
  gint64 second; /* since the recording began */
  guint64 count;
} WprLostSecond;

/* What `wpr -info` says. Owned by the caller. */
typedef struct
{
  guint64 size_bytes;
  guint32 buffer_bytes, n_buffers, n_cpus, pointer_size;
  guint64 n_events;
  guint32 events_lost, buffers_lost;
  guint64 unexplained; /* counted by the kernel, but neither handed over nor said to be lost; some
                          virtual machines' kernels do so on idle CPUs. 0 where nobody knows */
  gint64 start_realtime_ns, end_realtime_ns, duration_ns;
  gint64 perf_frequency;
  char *logger_name;
  char *host, *kernel, *tool_version; /* NULL in files of others */
  char *user;                         /* who recorded; NULL: not said */
  char *rights;                       /* what was seen: "own", "system", "full"; NULL: not said */
  char *note;                         /* what was wrong; NULL if nobody said */
  GPtrArray *profiles;                /* of char * */
  GPtrArray *counts;                  /* of WprEventCount *, most first */
  GPtrArray *facts;       /* of char *: "name: value", everything Linux.Recorder says, in order */
  GPtrArray *collectors;  /* of char *: names, by number */
  GPtrArray *losses;      /* of WprLostSecond *, in order; where and when nobody may know */
  GPtrArray *faults;      /* of char *: what is damaged or violates the format; empty = sound */
  gboolean complete;      /* nothing lost, nothing damaged, header says closed */
  gboolean was_completed; /* by wpr_trace_complete(): its end is missing.. */
  guint64 left_out_bytes; /* ..and so much of what was there */
  gboolean compressed;
  guint64 replaced_bytes;  /* of older records, which newer ones replaced: not wanted, not lost */
  guint n_cpu_gaps;        /* processors that were switched off while recording */
  gint64 furthest_back_ns; /* the latest record came so late, and was put in order.. */
  guint64 n_clamped; /* ..but for so many, which were too late and got the time of the one before */
  guint part, n_parts; /* one of several files of a recording, from 1; 0, 0: the only one */
  GPtrArray *parts;    /* of char *: names of all of them, as they were saved */
  guint64 n_functions; /* named in it; 0: no names were looked for, or no code was seen */
  guint64 n_addresses, n_addresses_named; /* of code in stacks and samples, each once */
  guint64 n_frames, n_frames_named;       /* the same, as often as they were seen */
  guint n_unnamed_images; /* whose names could not be had (gone, no time ..); see `facts` */
} WprTraceInfo;

/* Reads the whole file and verifies every buffer and event. WPR_ERROR_DAMAGED if it is no .etl at
 * all; a cut file is described, with faults. Blocks. */
WPR_API WprTraceInfo *wpr_trace_info_read (const char *path, GCancellable *cancellable,
                                           GError **error);
/* A glance: header, and what the first and last buffers say (profiles, note, losses, host), so that
 * a list of many is shown at once. No events are counted, nothing is verified but the length. Of a
 * compressed file all is read. Blocks. */
WPR_API WprTraceInfo *wpr_trace_brief_read (const char *path, GCancellable *cancellable,
                                            GError **error);
/* Adds a sentence about what was wrong to a finished file; the last one counts. The file is as it
 * was after an error. WPR_ERROR_DAMAGED, _NOT_WRITABLE, _NO_SPACE. Blocks. */
WPR_API gboolean wpr_trace_add_note (int folder_fd, const char *name, const char *note,
                                     GError **error);
WPR_API void wpr_trace_info_free (WprTraceInfo *info);
WPR_API char *wpr_trace_info_to_text (const WprTraceInfo *info);
WPR_API char *wpr_trace_info_to_json (const WprTraceInfo *info);
/* What became of a file whose writer had died. */
typedef struct
{
  char *name;     /* of the completed file, in the same folder */
  char *original; /* what the other is called now; NULL: nothing was missing, and nothing is changed
                   */
  guint64 size, events, left_out_bytes;
  gint64 duration_ns;
} WprCompleted;
/* Makes a finished file of one that is not: all that is whole of it, beside it; then the two change
 * names, in one step where the file system can, so that `name` is the complete one. Never loses the
 * other, which is NAME-unfinished.etl afterwards. Blocks. */
WPR_API WprCompleted *wpr_trace_complete (int folder_fd, const char *name, gboolean compress,
                                          GCancellable *cancellable, GError **error);
WPR_API void wpr_completed_free (WprCompleted *completed);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprCompleted, wpr_completed_free)
/* Empties the cache of function names that saving keeps; says how much went. Blocks. */
WPR_API gboolean wpr_symbol_cache_purge (guint *n_files, guint64 *bytes, GError **error);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprTraceInfo, wpr_trace_info_free)

G_END_DECLS
