/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A recording that is over: open a store, play it into sinks. Pass 1 builds the world from
 * checkpoint and sideband; pass 2 decodes and merges by time. Memory: CPUs x one chunk + the world.
 */
#pragma once

#include <gio/gio.h>
#include "store/store.h"
#include "trace/event.h"
#include "trace/files.h"
#include "trace/image.h"

G_BEGIN_DECLS

typedef struct
{
  guint32 row, cpu;
  guint64 counted, lost;
} WprTraceTally;
typedef struct
{
  guint32 collector, cpu;
  guint64 bytes_ever, kept, overwritten;
} WprTraceRing;
typedef struct
{
  guint32 collector, cpu;
  gint64 second; /* whole seconds since start_time */
  guint64 count;
} WprTraceLoss;

/* How far back a CPU's late records are looked for and put in order; what is later still gets the
 * time of the record before it. */
#define WPR_TRACE_WINDOW_NS (1000 * 1000)

/* What playing met with; complete when the sinks' end is called. */
typedef struct
{
  guint64 events, inferred_switches, clamped, unknown_ids, cut_bytes, undecodable;
  guint64 unpaired; /* begins without an end, ends without a begin: of interrupts and calls */
  gint64 largest_reorder_ns; /* the latest record was so late, whether put in order or clamped */
} WprTraceCounters;

/* What is known of the recording as a whole, before and after the events. */
typedef struct
{
  const WprManifest *manifest;
  const WprWorld *world;
  const WprClockTable *clocks;
  const GArray *offsets; /* trace time minus the world's, by time: see wpr_trace_boottime */
  WprImageTable *images; /* for the rundown's images: wpr_image_table_get */
  const WprFiles *files; /* names of files, as of the event given last; NULL: none asked for */
  gint64 start_time, end_time; /* trace time (BOOTTIME ns): first and last moment of the recording;
                                  memory mode: of what is in it */
  /* The same in the world's clock. Rundown at the start: who lived with start < start_monotonic <=
   * end, as they were just before; from start_monotonic on there are events. */
  WprTime start_monotonic, end_monotonic;
  gint64 start_realtime_ns; /* wall clock at start_time */
  gint64 complete_from;     /* trace time from which on all CPUs are complete */
  gboolean stopped;         /* FALSE: the recorder died; end_time is the last record's */
  GArray *tallies;          /* WprTraceTally */
  GArray *rings;            /* WprTraceRing */
  GArray *losses;           /* WprTraceLoss */
  GPtrArray *notices;       /* char * */
  guint64 lost, overwritten_bytes, bytes_dropped;
  gint64 cost_cpu_ns;
  guint64 cost_wakeups;
  char *description;                /* what was wrong; NULL */
  const char *kallsyms;             /* a file with the kernel's names; NULL: /proc/kallsyms */
  const WprTraceCounters *counters; /* NULL in a context made by hand */
} WprTraceContext;

/* Where a trace is played to. Events come in time order; only an inferred switch may lie behind the
 * last event of another CPU, never behind the last of its own. */
typedef struct _WprSink WprSink;
typedef struct
{
  gboolean (*begin) (WprSink *self, const WprTraceContext *context,
                     GError **error); /* rundown at the start */
  gboolean (*event) (WprSink *self, const WprEvent *event, GError **error); /* in time order */
  gboolean (*end) (WprSink *self, const WprTraceContext *context,
                   GError **error); /* rundown at the end, header */
  void (*free) (WprSink *self);
} WprSinkClass;
struct _WprSink
{
  const WprSinkClass *klass;
};

/* phase: "collect", "order", "names", "check". Called at most about 20 times a second. */
typedef struct
{
  void (*func) (const char *phase, double fraction, guint64 done, guint64 total, gpointer data);
  gpointer data;
} WprProgress;

typedef struct _WprTrace WprTrace;
WprTrace *wpr_trace_open (const char *store_path, GError **error);
/* The kernel's names as somebody read them who may, for what is played from now on. `path` must
 * live as long as the trace. */
void wpr_trace_set_kallsyms (WprTrace *trace, const char *path);
/* folder_fd: of that store, which is held. */
WprTrace *wpr_trace_open_at (int folder_fd, const char *store_path, GError **error);
void wpr_trace_free (WprTrace *trace);
/* Sentence to write as the description, replacing the store's. Any time before the end is written:
 * it is asked for last through this callback. */
void wpr_trace_set_description_func (WprTrace *trace, char *(*func) (gpointer data), gpointer data);
/* Visits every event once. Cancelled: WPR_ERROR_CANCELLED, the store untouched. What the merge did
 * is in the counters below. */
gboolean wpr_trace_play (WprTrace *trace, WprSink *const *sinks, gsize n,
                         const WprProgress *progress, GCancellable *cancellable, GError **error);
const WprTraceContext *wpr_trace_context (
    WprTrace *trace); /* filled by play's pass 1; complete after play */
/* Trace time of a time of the world's; wpr_clock_table_boottime is not monotonic to the ns. */
gint64 wpr_trace_boottime (const WprTraceContext *context, WprTime monotonic_ns);
void wpr_trace_counters (WprTrace *trace, WprTraceCounters *counters);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprTrace, wpr_trace_free)

G_END_DECLS
