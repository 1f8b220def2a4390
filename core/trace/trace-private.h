/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files of this room share: a trace's insides, and what pass 1 hands to pass 2. All times
 * here are CLOCK_MONOTONIC ns, as recorded; trace time is made when an event is given out. */
#pragma once

#include "trace/trace.h"

G_BEGIN_DECLS

/* Four times what a live recording keeps, since all that ended within the recording has a name in
 * the file: four minutes of a build that starts a thousand programs a second. Each takes about 5 KB
 * with its images, so 1.3 GB at the very most. What is beyond is forgotten, counted and said. */
#define WPR_TRACE_MAX_DEAD (4 * WPR_WORLD_MAX_DEAD)

/* Trace time - world time from a moment on: changes with each suspend, never by jitter. */
typedef struct
{
  WprTime from;
  gint64 offset_ns;
  WprTime after; /* of the last reading that had the one before */
} WprClockOffset;

/* A note that becomes an event; counters are not among them (they are read in pieces). */
typedef struct
{
  WprTime time;
  WprEventKind kind;
  guint32 cpu, pid, tid;
  union
  {
    gsize text; /* where in `texts` */
    struct
    {
      guint32 collector;
      guint64 count;
    } loss;
    struct
    {
      guint32 collector;
      WprTime from, to;
    } gap;
    struct
    {
      gint64 wall_from_ns, wall_to_ns, slept_ns;
    } clock;
  } u;
} WprSide;

/* On which CPU a sideband record was written. */
typedef struct
{
  WprTime time;
  guint32 tid, cpu;
} WprSidebandCpu;

/* What a process had open when /proc was looked into. */
typedef struct
{
  WprTime time;
  guint32 pid;
  GBytes *payload;
} WprLook;
GArray *wpr_looks_new (void); /* looks.c */

struct _WprTrace
{
  char *path;
  WprStoreReader *reader;
  WprIdTable *ids; /* the manifest's */
  WprTraceContext context;
  WprTraceCounters counters;
  WprClockTable *clocks;
  GArray *offsets; /* WprClockOffset */
  WprWorld *world;
  WprImageTable *images;
  GArray *sides;                    /* WprSide */
  GByteArray *texts;                /* NUL-terminated, of the sides */
  guint n_counters;                 /* SAMPLER notes */
  GArray *first_looks, *last_looks; /* WprLook; of a long recording those between are left out */
  guint32 first_look, last_look;    /* their numbers */
  guint n_notices;                  /* of the notes; what playing adds comes behind */
  GArray *side_cpus;                /* WprSidebandCpu, by time */
  gboolean has_stop;
  WprTime stop_time;
  char *(*describe) (gpointer data);
  gpointer describe_data;
};

/* How far playing is, for the callback; 20 times a second at most. */
typedef struct
{
  const WprProgress *progress;
  GCancellable *cancellable;
  gint64 last_us;
  const char *path;
} WprPulse;
/* FALSE with WPR_ERROR_CANCELLED when the person does not want it any more. */
gboolean wpr_pulse (WprPulse *pulse, const char *phase, guint64 done, guint64 total,
                    GError **error);

/* notes.c: context, clocks and sides from the notes. */
void wpr_trace_read_notes (WprTrace *trace);
/* Losses become one a collector, CPU and second; sides are put in order. After the span is known.
 */
void wpr_trace_order_notes (WprTrace *trace);

/* sleep.c: when exactly a new offset holds, from the kernel's events. Before any time is made trace
 * time. */
void wpr_trace_place_sleeps (WprTrace *trace);

/* collect.c: pass 1: the world, the span. */
gboolean wpr_trace_collect (WprTrace *trace, WprPulse *pulse, GError **error);
/* CPU of the sideband record of this thread at this time; G_MAXUINT32 if there is none. */
guint32 wpr_trace_sideband_cpu (const WprTrace *trace, guint32 tid, WprTime time);

typedef enum
{
  WPR_PEEK_TIME,
  WPR_PEEK_UNKNOWN, /* a sample of an event the manifest does not have: nobody knows its layout */
  WPR_PEEK_DAMAGED
} WprPeek;
/* Time of a record without taking it apart. */
WprPeek wpr_trace_peek_time (const WprIdTable *ids, const struct perf_event_header *header,
                             WprTime *time);

G_END_DECLS
