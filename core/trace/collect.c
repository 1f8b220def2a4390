/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pass 1: the world from checkpoint, sideband and notes, and the span the recording covers. The
 * data files are only looked at where they begin and end. */
#include "config.h"
#include "trace/trace-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "store/payload.h"
#include "wpr-profile.h"

/* Two readings of the clock for one record, the task's and the sample's own, are this close. */
#define SAME_RECORD_NS (50 * 1000)
/* File mode, oldest epochs deleted: when the next one began, no ring had been left undrained for
 * longer than this, for a ring is made to hold two seconds. */
#define MOST_UNDRAINED_NS (2 * G_GINT64_CONSTANT (1000000000))

/* Sample: IDENTIFIER [IP] TID TIME behind the header. Others end TID TIME CPU IDENTIFIER. */
#define SAMPLE_ID 8
#define SAMPLE_TIME 24
#define TRAILER_TIME 24
#define LEAST_RECORD 40

WprPeek
wpr_trace_peek_time (const WprIdTable *ids, const struct perf_event_header *header, WprTime *time)
{
  gsize at = header->size - TRAILER_TIME;
  if (header->size < LEAST_RECORD)
    return WPR_PEEK_DAMAGED;
  if (header->type == PERF_RECORD_SAMPLE)
    {
      guint64 id, type;
      guint32 row;
      memcpy (&id, (const guint8 *)header + SAMPLE_ID, sizeof id);
      if (!wpr_id_table_find (ids, id, &row, &type))
        return WPR_PEEK_UNKNOWN;
      at = (type & PERF_SAMPLE_IP) == 0 ? SAMPLE_TIME : SAMPLE_TIME + 8;
    }
  memcpy (time, (const guint8 *)header + at, sizeof *time);
  return *time >= 0 ? WPR_PEEK_TIME : WPR_PEEK_DAMAGED;
}

static void
remember_cpu (WprTrace *trace, const WprRecord *record)
{
  WprTask task;
  WprSidebandCpu row = { record->time, record->tid, record->cpu };
  if (record->type == PERF_RECORD_FORK || record->type == PERF_RECORD_EXIT)
    {
      if (!wpr_record_task (record, &task))
        return;
      row.tid = task.tid;
    }
  g_array_append_val (trace->side_cpus, row);
}

static void
feed_epoch (WprTrace *trace, const guint8 *bytes, gsize size)
{
  WprRecord record;
  for (gsize at = 0; at + sizeof (struct perf_event_header) <= size;)
    {
      const struct perf_event_header *header = (gconstpointer)(bytes + at);
      if (header->size < sizeof *header || header->size > size - at)
        break;
      at += header->size;
      if (!wpr_record_parse (header, trace->ids, &record))
        {
          trace->counters.undecodable++;
          continue;
        }
      remember_cpu (trace, &record);
      wpr_world_feed (trace->world, &record);
    }
}

static gboolean
feed_note (const WprStoreNote *note, gpointer data)
{
  WprTrace *trace = data;
  WprUidPayload uid;
  gint64 when;
  if (note->kind == WPR_NOTE_CMDLINE && note->size >= sizeof when)
    {
      memcpy (&when, note->payload, sizeof when);
      g_autofree char *text
          = g_strndup ((const char *)note->payload + sizeof when, note->size - sizeof when);
      wpr_world_set_cmdline (trace->world, note->pid, when, text);
    }
  else if (note->kind == WPR_NOTE_UID && note->size >= sizeof uid)
    {
      memcpy (&uid, note->payload, sizeof uid);
      wpr_world_set_uid (trace->world, note->pid, uid.when, uid.uid);
    }
  return TRUE;
}

static int
compare_cpus (gconstpointer a, gconstpointer b)
{
  const WprSidebandCpu *x = a, *y = b;
  return (x->time > y->time) - (x->time < y->time);
}

guint32
wpr_trace_sideband_cpu (const WprTrace *trace, guint32 tid, WprTime time)
{
  const WprSidebandCpu *rows = (gconstpointer)trace->side_cpus->data;
  guint low = 0, high = trace->side_cpus->len;
  while (low < high)
    {
      guint middle = (low + high) / 2;
      if (rows[middle].time < time - SAME_RECORD_NS)
        low = middle + 1;
      else
        high = middle;
    }
  for (; low < trace->side_cpus->len && rows[low].time <= time + SAME_RECORD_NS; low++)
    if (rows[low].tid == tid)
      return MIN (rows[low].cpu, trace->context.manifest->max_possible_cpu);
  return G_MAXUINT32;
}

/* ---- the span ---- */

typedef struct
{
  WprTime oldest, newest; /* of all records */
  WprTime latest_first;   /* the latest of the oldest records of rings that lost their beginning */
  gboolean any, any_overwritten;
} Span;

static WprTime
last_time (const WprIdTable *ids, const guint8 *bytes, gsize size)
{
  WprTime time, last = 0;
  for (gsize at = 0; at + sizeof (struct perf_event_header) <= size;)
    {
      const struct perf_event_header *header = (gconstpointer)(bytes + at);
      if (header->size < sizeof *header || header->size > size - at)
        break;
      if (wpr_trace_peek_time (ids, header, &time) == WPR_PEEK_TIME)
        last = MAX (last, time);
      at += header->size;
    }
  return last;
}

static gboolean
was_overwritten (const WprTrace *trace, guint collector, guint cpu)
{
  const GArray *rings = trace->context.rings;
  for (guint i = 0; i < rings->len; i++)
    {
      const WprTraceRing *ring = &g_array_index (rings, WprTraceRing, i);
      if (ring->collector == collector && ring->cpu == cpu)
        return ring->overwritten > 0;
    }
  return TRUE; /* nobody said that it holds everything */
}

/* Of the first record that has a time. */
static gboolean
first_time (const WprIdTable *ids, const guint8 *bytes, gsize size, WprTime *time)
{
  for (gsize at = 0; at + sizeof (struct perf_event_header) <= size;)
    {
      const struct perf_event_header *header = (gconstpointer)(bytes + at);
      if (header->size < sizeof *header || header->size > size - at)
        break;
      if (wpr_trace_peek_time (ids, header, time) == WPR_PEEK_TIME)
        return TRUE;
      at += header->size;
    }
  return FALSE;
}

/* First and, where the recorder did not say when it stopped, last record of one CPU's files. */
static void
look_at_stream (WprTrace *trace, guint collector, guint cpu, Span *span)
{
  guint n = wpr_store_reader_n_epochs (trace->reader);
  gboolean memory = trace->context.manifest->mode == WPR_MODE_MEMORY;
  gboolean first = TRUE;
  for (guint i = 0; i < n; i++)
    {
      gsize size = 0;
      WprTime time;
      const guint8 *bytes = wpr_store_reader_data (trace->reader, i, collector, cpu, &size, NULL);
      if (first && first_time (trace->ids, bytes, size, &time))
        {
          first = FALSE;
          span->any = TRUE;
          span->oldest = MIN (span->oldest, time);
          if (memory ? was_overwritten (trace, collector, cpu) : trace->context.bytes_dropped > 0)
            {
              span->any_overwritten = TRUE;
              span->latest_first = MAX (span->latest_first, time);
            }
        }
      if (size > 0 && !trace->has_stop)
        span->newest = MAX (span->newest, last_time (trace->ids, bytes, size));
      wpr_store_reader_release (trace->reader, i, collector, cpu);
      if (!first && trace->has_stop)
        return;
    }
}

static void
find_span (WprTrace *trace)
{
  const WprManifest *manifest = trace->context.manifest;
  WprTraceContext *context = &trace->context;
  Span span = { .oldest = G_MAXINT64 };
  for (guint c = 0; c < manifest->collectors->len; c++)
    for (guint cpu = 0; cpu <= manifest->max_possible_cpu; cpu++)
      look_at_stream (trace, c, cpu, &span);

  gboolean memory = manifest->mode == WPR_MODE_MEMORY;
  gboolean has_clock = wpr_clock_table_length (trace->clocks) > 0;
  WprTime begun = has_clock ? wpr_clock_table_get (trace->clocks, 0)->monotonic_ns : G_MAXINT64;
  WprTime start = begun;
  if (span.any && (memory || context->bytes_dropped > 0 || span.oldest < begun))
    start = span.oldest;
  if (start == G_MAXINT64)
    start = 0;
  WprTime end = trace->has_stop ? trace->stop_time : MAX (span.newest, start);
  WprTime complete = span.any_overwritten ? span.latest_first : start;
  if (!memory)
    complete = MIN (complete, start + MOST_UNDRAINED_NS);
  context->start_monotonic = start;
  context->end_monotonic = MAX (start, end);
  context->start_time = wpr_trace_boottime (context, start);
  context->end_time = wpr_trace_boottime (context, context->end_monotonic);
  context->complete_from = wpr_trace_boottime (context, MAX (complete, start));
  context->start_realtime_ns = wpr_clock_table_realtime (trace->clocks, start);
}

/* ---- the pass ---- */

static gboolean
build_world (WprTrace *trace, WprPulse *pulse, GError **error)
{
  g_autoptr (GBytes) checkpoint = wpr_store_reader_world (trace->reader);
  g_autoptr (GError) damaged = NULL;
  if (checkpoint != NULL && !wpr_world_load (trace->world, checkpoint, &damaged))
    g_ptr_array_add (
        trace->context.notices,
        g_strdup_printf (_ ("Who ran before the recording is not known: %s"), damaged->message));
  guint n = wpr_store_reader_n_epochs (trace->reader);
  for (guint i = 0; i < n; i++)
    {
      gsize size = 0, cut = 0;
      const guint8 *bytes = wpr_store_reader_sideband (trace->reader, i, &size, &cut);
      trace->counters.cut_bytes += cut;
      if (bytes != NULL)
        feed_epoch (trace, bytes, size);
      if (!wpr_pulse (pulse, "collect", i + 1, n, error))
        return FALSE;
    }
  wpr_store_reader_notes (trace->reader, feed_note, trace);
  g_array_sort (trace->side_cpus, compare_cpus);
  return TRUE;
}

gboolean
wpr_trace_collect (WprTrace *trace, WprPulse *pulse, GError **error)
{
  g_clear_pointer (&trace->world, wpr_world_free);
  trace->world = wpr_world_new (WPR_TRACE_MAX_DEAD);
  trace->context.world = trace->world;
  wpr_trace_place_sleeps (trace);
  g_array_set_size (trace->side_cpus, 0);
  if (!build_world (trace, pulse, error))
    return FALSE;
  find_span (trace);
  wpr_trace_order_notes (trace);
  wpr_world_forget (trace->world, trace->context.start_monotonic - WPR_WORLD_GRACE_NS);
  guint64 forgotten = wpr_world_n_forgotten (trace->world);
  if (forgotten > 0)
    {
      g_autofree char *number = g_strdup_printf ("%" G_GUINT64_FORMAT, forgotten);
      g_ptr_array_add (
          trace->context.notices,
          g_strdup_printf (g_dngettext (GETTEXT_PACKAGE,
                                        "%s process that ended early in the recording is not named "
                                        "in the file: more ended than are kept.",
                                        "%s processes that ended early in the recording are not "
                                        "named in the file: more ended than are kept.",
                                        (gulong)MIN (forgotten, G_MAXULONG)),
                           number));
    }
  return TRUE;
}
