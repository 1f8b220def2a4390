/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pass 2: a k-way merge of the lanes by time. One thread: a record is taken apart in less time than
 * handing it to another thread takes, and the merge and the sinks are serial anyway. Nothing here
 * allocates an event or looks anything up by hash but the record's id. */
#include "config.h"
#include "trace/player.h"

#include <string.h>

#include "trace/convert.h"
#include "trace/lane.h"
#include "trace/running.h"

/* Between two looks at the clock and the cancellable: about a millisecond. */
#define EVENTS_A_PULSE 2048
/* Life first (its lane has 0), then side lanes, then the records' lanes by CPU. */
#define STREAM_ORDER 16

struct _WprPlayer
{
  WprTrace *trace;
  WprSink *const *sinks;
  gsize n_sinks;
  WprConvert *convert;
  WprFiles *files; /* the converter's; NULL: no file operations were asked for */
  WprRunning *running;
  guint n_cpus;
  gboolean *tallied;                 /* of collector x CPU: losses are known without LOST records */
  WprTime offset_from, offset_until; /* where offset_ns holds */
  gint64 offset_ns;
  GPtrArray *lanes; /* WprLane, owned */
  WprLane **heap;
  guint n_heap;
  guint64 total_bytes; /* of the store */
};

/* ---- giving out ---- */

gint64
wpr_player_boottime (WprPlayer *self, WprTime when)
{
  if (G_LIKELY (when >= self->offset_from && when < self->offset_until))
    return when + self->offset_ns;
  const GArray *offsets = self->trace->offsets;
  self->offset_from = WPR_WORLD_BEFORE;
  self->offset_until = G_MAXINT64;
  self->offset_ns = 0;
  for (guint i = 0; i < offsets->len; i++)
    {
      const WprClockOffset *row = &g_array_index (offsets, WprClockOffset, i);
      if (i > 0 && row->from > when)
        {
          self->offset_until = row->from;
          break;
        }
      self->offset_from = row->from;
      self->offset_ns = row->offset_ns;
    }
  return when + self->offset_ns;
}

guint32
wpr_player_cpu_of (WprPlayer *self, guint32 tid)
{
  return wpr_running_cpu_of (self->running, tid);
}

static gboolean
give (WprPlayer *self, WprTime when, const WprEvent *event, GError **error)
{
  self->trace->counters.events++;
  wpr_running_saw (self->running, event->cpu, when);
  for (gsize i = 0; i < self->n_sinks; i++)
    if (!self->sinks[i]->klass->event (self->sinks[i], event, error))
      return FALSE;
  return TRUE;
}

/* Which names became known with an event, and what it made certain beside. */
static gboolean
give_more (WprPlayer *self, WprTime when, const WprEvent *cause, GError **error)
{
  if (G_LIKELY (self->files == NULL))
    return TRUE;
  WprEvent event = { .time = cause->time, .cpu = cause->cpu, .pid = cause->pid, .tid = cause->tid };
  event.row = G_MAXUINT32;
  while (wpr_convert_next (self->convert, &event))
    if (!give (self, when, &event, error))
      return FALSE;
  return TRUE;
}

/* Descriptors are inherited, and go with their process. */
static void
follow_life (WprPlayer *self, const WprEvent *event)
{
  gboolean by_exec = event->kind < WPR_EVENT_MARK && event->u.life.by_exec;
  if (event->kind == WPR_EVENT_PROCESS_START && by_exec)
    wpr_files_execed (self->files, event->pid);
  else if (event->kind == WPR_EVENT_PROCESS_START)
    wpr_files_forked (self->files, event->pid, event->u.life.process->ppid);
  else if (event->kind == WPR_EVENT_PROCESS_END && !by_exec)
    wpr_files_ended (self->files, event->pid);
}

gboolean
wpr_player_event (WprPlayer *self, WprTime when, WprEvent *event, GError **error)
{
  event->time = wpr_player_boottime (self, when);
  event->row = G_MAXUINT32;
  event->cpu = MIN (event->cpu, self->n_cpus - 1);
  if (event->kind == WPR_EVENT_THREAD_START && !event->u.life.by_exec)
    wpr_running_started (self->running, event->pid, event->tid);
  else if (event->kind == WPR_EVENT_CPU_GAP)
    {
      wpr_running_gap (self->running, event->cpu);
      wpr_convert_gap (self->convert, event->cpu);
    }
  if (self->files != NULL)
    follow_life (self, event);
  return give (self, when, event, error) && give_more (self, when, event, error);
}

void
wpr_player_execed (WprPlayer *self, guint32 pid)
{
  if (self->files != NULL)
    wpr_files_execed (self->files, pid);
}

gboolean
wpr_player_looked (WprPlayer *self, WprTime when, guint32 pid, const guint8 *payload, gsize size,
                   GError **error)
{
  WprEvent event = { .pid = pid, .tid = pid };
  if (self->files == NULL)
    return TRUE;
  wpr_files_looked (self->files, pid, payload, size, FALSE);
  event.time = wpr_player_boottime (self, when);
  return give_more (self, when, &event, error);
}

/* ---- records ---- */

/* The kernel no longer knows the number of a thread on its last way out: -1. The tracepoint's own
 * common_pid still does (bytes 4 to 7 of every tracepoint). */
static void
name_the_nameless (WprPlayer *self, WprTime time, guint32 cpu, WprEvent *event)
{
  if (event->tid == G_MAXUINT32)
    {
      if (event->format != NULL && event->raw_size >= 8)
        memcpy (&event->tid, event->raw + 4, sizeof event->tid);
      else
        event->tid = wpr_running_current (self->running, cpu);
    }
  if (event->pid == G_MAXUINT32 && event->tid != G_MAXUINT32)
    event->pid = wpr_running_pid (self->running, event->tid, time);
  if (event->kind == WPR_EVENT_SWITCH && event->u.sw.prev_tid == G_MAXUINT32)
    event->u.sw.prev_tid = event->tid;
}

/* LOST records tell what tallies and loss notes do not: of a recorder that died. */
static gboolean
give_lost (WprPlayer *self, guint collector, guint cpu, WprTime time, guint64 lost, GError **error)
{
  WprTraceContext *context = &self->trace->context;
  if (self->tallied[collector * self->n_cpus + cpu] || lost == 0)
    return TRUE;
  gint64 since = wpr_player_boottime (self, time) - context->start_time;
  WprTraceLoss loss = { collector, cpu, MAX (since, 0) / G_GINT64_CONSTANT (1000000000), lost };
  g_array_append_val (context->losses, loss);
  context->lost += lost;
  WprEvent event = { .kind = WPR_EVENT_LOSS, .cpu = cpu };
  event.u.loss.collector = collector;
  event.u.loss.count = lost;
  event.u.loss.second = loss.second;
  return wpr_player_event (self, time, &event, error);
}

static void
take_note (WprPlayer *self, WprTime time, WprConverted converted, WprEvent *event)
{
  if (event->kind == WPR_EVENT_SWITCH)
    wpr_running_switch (self->running, event->cpu, time, event);
  else if (event->kind == WPR_EVENT_WAKING)
    wpr_running_waking (self->running, time, event);
  if (G_UNLIKELY (converted != WPR_CONVERT_EVENT))
    wpr_running_yields (self->running, event->tid, converted == WPR_CONVERT_YIELD);
}

static gboolean
give_inferred (WprPlayer *self, WprTime time, const WprEvent *cause, GError **error)
{
  WprEvent inferred;
  WprTime at;
  if (!wpr_running_proves (self->running, cause->cpu, cause->tid, time, &inferred, &at))
    return TRUE;
  inferred.time = wpr_player_boottime (self, at);
  self->trace->counters.inferred_switches++;
  return give (self, at, &inferred, error);
}

gboolean
wpr_player_record (WprPlayer *self, guint collector, guint cpu, WprTime time,
                   const struct perf_event_header *header, GError **error)
{
  WprTraceCounters *counters = &self->trace->counters;
  WprRecord record;
  WprEvent event;
  guint64 lost = 0;
  if (G_UNLIKELY (!wpr_record_parse (header, self->trace->ids, &record)))
    {
      counters->undecodable++;
      return TRUE;
    }
  event.cpu = cpu;
  WprConverted converted = wpr_convert_record (self->convert, &record,
                                               wpr_player_boottime (self, time), &event, &lost);
  if (G_UNLIKELY (converted >= WPR_CONVERT_LOST))
    {
      counters->unknown_ids += converted == WPR_CONVERT_UNKNOWN;
      return converted != WPR_CONVERT_LOST || give_lost (self, collector, cpu, time, lost, error);
    }
  guint32 named_pid = converted == WPR_CONVERT_ARRIVED ? record.pid : event.pid;
  if (G_UNLIKELY (converted == WPR_CONVERT_ARRIVED))
    {
      if (!wpr_running_arrives (self->running, cpu, &event))
        return TRUE;
      converted = WPR_CONVERT_EVENT;
    }
  if (G_UNLIKELY (event.tid == G_MAXUINT32 || event.pid == G_MAXUINT32))
    name_the_nameless (self, time, cpu, &event);
  if (G_LIKELY (record.tid != G_MAXUINT32 && named_pid != G_MAXUINT32))
    wpr_running_names (self->running, named_pid, record.tid);
  if (!give_inferred (self, time, &event, error))
    return FALSE;
  take_note (self, time, converted, &event);
  return give (self, time, &event, error) && give_more (self, time, &event, error);
}

/* ---- merging ---- */

static inline gboolean
before (const WprLane *a, const WprLane *b)
{
  return a->time < b->time || (a->time == b->time && a->order < b->order);
}

static void
sift_down (WprLane **heap, guint n, guint at)
{
  WprLane *lane = heap[at];
  for (guint child = 2 * at + 1; child < n; child = 2 * at + 1)
    {
      if (child + 1 < n && before (heap[child + 1], heap[child]))
        child++;
      if (!before (heap[child], lane))
        break;
      heap[at] = heap[child];
      at = child;
    }
  heap[at] = lane;
}

static void
lane_free (gpointer data)
{
  WprLane *lane = data;
  if (lane != NULL)
    lane->free (lane);
}

static void
open_lanes (WprPlayer *self)
{
  WprTrace *trace = self->trace;
  guint order = STREAM_ORDER;
  self->lanes = g_ptr_array_new_with_free_func (lane_free);
  g_ptr_array_add (self->lanes, wpr_life_lane_new (trace));
  g_ptr_array_add (self->lanes, wpr_side_lane_new (trace));
  g_ptr_array_add (self->lanes, wpr_counter_lane_new (trace));
  if (self->files != NULL)
    g_ptr_array_add (self->lanes, wpr_look_lane_new (trace));
  for (guint cpu = 0; cpu < self->n_cpus; cpu++)
    for (guint c = 0; c < trace->context.manifest->collectors->len; c++)
      {
        WprLane *lane = wpr_stream_lane_new (trace, c, cpu);
        if (lane == NULL)
          continue;
        lane->order = order++;
        g_ptr_array_add (self->lanes, lane);
      }
  self->n_heap = self->lanes->len;
  self->heap = g_memdup2 (self->lanes->pdata, self->n_heap * sizeof *self->heap);
  for (guint i = self->n_heap / 2; i-- > 0;)
    sift_down (self->heap, self->n_heap, i);
}

static gboolean
tell_progress (WprPlayer *self, WprPulse *pulse, GError **error)
{
  guint64 done = 0, total = self->total_bytes;
  for (guint i = 0; i < self->lanes->len; i++)
    done += wpr_stream_lane_bytes (g_ptr_array_index (self->lanes, i));
  return wpr_pulse (pulse, "order", MIN (done, total), total, error);
}

static gboolean
merge (WprPlayer *self, WprPulse *pulse, GError **error)
{
  WprLane **heap = self->heap;
  for (guint n = 0; heap[0]->time != WPR_LANE_END; n++)
    {
      if (n % EVENTS_A_PULSE == 0 && !tell_progress (self, pulse, error))
        return FALSE;
      if (!heap[0]->visit (heap[0], self, error))
        return FALSE;
      sift_down (heap, self->n_heap, 0);
    }
  return wpr_pulse (pulse, "order", self->total_bytes, self->total_bytes, error);
}

/* ---- the pass ---- */

/* Where tallies or loss notes of a collector and CPU are, they tell all its losses. */
static void
find_tallied (WprPlayer *self)
{
  const WprTraceContext *context = &self->trace->context;
  const WprManifest *manifest = context->manifest;
  guint n = manifest->collectors->len;
  self->tallied = g_new0 (gboolean, (gsize)n * self->n_cpus + 1);
  for (guint i = 0; i < context->tallies->len; i++)
    {
      const WprTraceTally *tally = &g_array_index (context->tallies, WprTraceTally, i);
      for (guint j = 0; j < manifest->events->len; j++)
        {
          const WprStoreEvent *event = &g_array_index (manifest->events, WprStoreEvent, j);
          if (event->row == tally->row && event->collector < n && tally->cpu < self->n_cpus)
            self->tallied[event->collector * self->n_cpus + tally->cpu] = TRUE;
        }
    }
  for (guint i = 0; i < context->losses->len; i++)
    {
      const WprTraceLoss *loss = &g_array_index (context->losses, WprTraceLoss, i);
      if (loss->collector < n && loss->cpu < self->n_cpus)
        self->tallied[loss->collector * self->n_cpus + loss->cpu] = TRUE;
    }
}

static gboolean
begin_sinks (WprPlayer *self, GError **error)
{
  for (gsize i = 0; i < self->n_sinks; i++)
    if (!self->sinks[i]->klass->begin (self->sinks[i], &self->trace->context, error))
      return FALSE;
  return TRUE;
}

static gboolean
end_sinks (WprPlayer *self, GError **error)
{
  WprTrace *trace = self->trace;
  for (guint cpu = 0; cpu < self->n_cpus; cpu++)
    wpr_convert_gap (self->convert, cpu);
  trace->counters.unpaired = wpr_convert_unpaired (self->convert);
  if (trace->describe != NULL)
    {
      g_free (trace->context.description);
      trace->context.description = trace->describe (trace->describe_data);
    }
  for (gsize i = 0; i < self->n_sinks; i++)
    if (!self->sinks[i]->klass->end (self->sinks[i], &trace->context, error))
      return FALSE;
  return TRUE;
}

/* What waited for more; then the names of what is still open, as /proc showed it in the end. */
static gboolean
give_last (WprPlayer *self, GError **error)
{
  WprTime when = self->trace->context.end_monotonic;
  WprEvent event = { .time = wpr_player_boottime (self, when), .row = G_MAXUINT32 };
  if (self->files == NULL)
    return TRUE;
  wpr_looks_last (self->trace, self->files);
  while (wpr_convert_last (self->convert, &event))
    if (!give (self, when, &event, error))
      return FALSE;
  return TRUE;
}

gboolean
wpr_trace_merge (WprTrace *trace, WprSink *const *sinks, gsize n_sinks, WprPulse *pulse,
                 GError **error)
{
  WprPlayer self = { .trace = trace, .sinks = sinks, .n_sinks = n_sinks };
  self.total_bytes = wpr_store_reader_bytes (trace->reader);
  self.n_cpus = trace->context.manifest->max_possible_cpu + 1;
  self.convert = wpr_convert_new (trace->context.manifest);
  self.running
      = wpr_running_new (trace->world, self.n_cpus, wpr_convert_has_switches (self.convert));
  trace->context.files = self.files = wpr_convert_files (self.convert);
  find_tallied (&self);
  open_lanes (&self);
  gboolean ok = begin_sinks (&self, error) && merge (&self, pulse, error)
                && give_last (&self, error) && end_sinks (&self, error);
  g_ptr_array_unref (self.lanes);
  g_free (self.heap);
  g_free (self.tallied);
  trace->context.files = NULL;
  wpr_running_free (self.running);
  wpr_convert_free (self.convert);
  return ok;
}
