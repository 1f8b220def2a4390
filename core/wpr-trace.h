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
  char *note;                         /* what was wrong; NULL if nobody said */
  GPtrArray *profiles;                /* of char * */
  GPtrArray *counts;                  /* of WprEventCount *, most first */
  GPtrArray *facts;        /* of char *: "name: value", everything Linux.Recorder says, in order */
  GPtrArray *faults;       /* of char *: what is damaged or violates the format; empty = sound */
  gboolean complete;       /* nothing lost, nothing damaged, header says closed */
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
WPR_API void wpr_trace_info_free (WprTraceInfo *info);
WPR_API char *wpr_trace_info_to_text (const WprTraceInfo *info);
WPR_API char *wpr_trace_info_to_json (const WprTraceInfo *info);
/* Empties the cache of function names that saving keeps; says how much went. Blocks. */
WPR_API gboolean wpr_symbol_cache_purge (guint *n_files, guint64 *bytes, GError **error);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprTraceInfo, wpr_trace_info_free)

G_END_DECLS
