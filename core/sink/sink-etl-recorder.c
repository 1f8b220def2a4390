/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Provider Linux.Recorder: what the file was made from and what happened to the recording itself.
 * One row a kind of event; whoever writes one puts its values in the row's order. Page faults
 * of which nobody knows whether they are soft or hard are here as well. */
#include "config.h"
#include "perf/event.h"
#include "sink/sink-etl-private.h"

#define OUT_HEX 4
#define MOST_FIELDS 14

typedef struct
{
  const char *name;
  WprTlType type;
  guint8 out;
} Field;

typedef enum
{
  REC_RECORDING,
  REC_PROFILE,
  REC_PLAN,
  REC_COLLECTOR,
  REC_EVENT,
  REC_NOT_AVAILABLE,
  REC_CLOCK,
  REC_COMPLETE_FROM,
  REC_MARK,
  REC_NOTICE,
  REC_LOST,
  REC_CPU_GAP,
  REC_CLOCK_STEP,
  REC_THROTTLED,
  REC_UNTHROTTLED,
  REC_DISK_ERROR,
  REC_FAULT,
  REC_RING,
  REC_TALLY,
  REC_COST,
  REC_TOTALS,
  REC_DESCRIPTION,
  REC_N
} RecorderKind;

static const char recorder[] = "Linux.Recorder";

static const struct
{
  const char *provider, *name;
  Field fields[MOST_FIELDS];
} kinds[REC_N] = {
  [REC_RECORDING] = { recorder,
                      "Recording",
                      { { "ToolVersion", WPR_TL_STRING8 },
                        { "Host", WPR_TL_STRING8 },
                        { "Kernel", WPR_TL_STRING8 },
                        { "Instance", WPR_TL_STRING8 },
                        { "Program", WPR_TL_STRING8 },
                        { "User", WPR_TL_STRING8 },
                        { "BootId", WPR_TL_STRING8 },
                        { "Mode", WPR_TL_STRING8 },
                        { "Level", WPR_TL_STRING8 },
                        { "Cpus", WPR_TL_U32 },
                        { "SampleIntervalNs", WPR_TL_I64 },
                        { "Stopped", WPR_TL_BOOL32 },
                        { "Rights", WPR_TL_STRING8 } } },
  [REC_PROFILE] = { recorder, "Profile", { { "Id", WPR_TL_STRING8 } } },
  [REC_PLAN] = { recorder,
                 "Plan",
                 { { "Part", WPR_TL_U32 }, { "Parts", WPR_TL_U32 }, { "Text", WPR_TL_STRING8 } } },
  [REC_COLLECTOR] = { recorder,
                      "Collector",
                      { { "Collector", WPR_TL_U32 },
                        { "Name", WPR_TL_STRING8 },
                        { "Session", WPR_TL_STRING8 },
                        { "BufferKB", WPR_TL_U32 },
                        { "BuffersAsked", WPR_TL_U32 },
                        { "BuffersGranted", WPR_TL_U32 },
                        { "RingBytesPerCpu", WPR_TL_U64 } } },
  [REC_EVENT] = { recorder,
                  "Event",
                  { { "Row", WPR_TL_U32 },
                    { "Name", WPR_TL_STRING8 },
                    { "Collector", WPR_TL_U32 },
                    { "Period", WPR_TL_U64 },
                    { "Frequency", WPR_TL_U64 },
                    { "Stacks", WPR_TL_STRING8 } } },
  [REC_NOT_AVAILABLE] = { recorder, "NotAvailable", { { "What", WPR_TL_STRING8 } } },
  [REC_CLOCK]
  = { recorder,
      "Clock",
      { { "MonotonicNs", WPR_TL_I64 }, { "BootNs", WPR_TL_I64 }, { "RealNs", WPR_TL_I64 } } },
  [REC_COMPLETE_FROM]
  = { recorder, "CompleteFrom", { { "BootNs", WPR_TL_I64 }, { "AfterStartNs", WPR_TL_I64 } } },
  [REC_MARK] = { recorder, "Mark", { { "Text", WPR_TL_STRING8 } } },
  [REC_NOTICE] = { recorder, "Notice", { { "Text", WPR_TL_STRING8 } } },
  [REC_LOST] = { recorder,
                 "EventsLost",
                 { { "Collector", WPR_TL_U32 },
                   { "Cpu", WPR_TL_U32 },
                   { "Second", WPR_TL_I64 },
                   { "Count", WPR_TL_I64 } } },
  [REC_CPU_GAP] = { recorder,
                    "CpuGap",
                    { { "Collector", WPR_TL_U32 },
                      { "Cpu", WPR_TL_U32 },
                      { "FromBootNs", WPR_TL_I64 },
                      { "ToBootNs", WPR_TL_I64 },
                      { "CameBack", WPR_TL_BOOL32 } } },
  [REC_CLOCK_STEP]
  = { recorder,
      "ClockStep",
      { { "WallFromNs", WPR_TL_I64 }, { "WallToNs", WPR_TL_I64 }, { "SleptNs", WPR_TL_I64 } } },
  [REC_THROTTLED] = { recorder, "SamplesThrottled", { { "Cpu", WPR_TL_U32 } } },
  [REC_UNTHROTTLED] = { recorder, "SamplesResumed", { { "Cpu", WPR_TL_U32 } } },
  [REC_DISK_ERROR] = { recorder,
                       "DiskError",
                       { { "DiskNumber", WPR_TL_U32 },
                         { "Sector", WPR_TL_U64 },
                         { "Bytes", WPR_TL_U32 },
                         { "Error", WPR_TL_I32 } } },
  [REC_FAULT]
  = { "Linux.perf",
      "page-faults",
      { { "Address", WPR_TL_U64, OUT_HEX }, { "InstructionPointer", WPR_TL_U64, OUT_HEX } } },
  [REC_RING] = { recorder,
                 "Ring",
                 { { "Collector", WPR_TL_U32 },
                   { "Cpu", WPR_TL_U32 },
                   { "BytesEver", WPR_TL_U64 },
                   { "BytesKept", WPR_TL_U64 },
                   { "BytesOverwritten", WPR_TL_U64 } } },
  [REC_TALLY] = { recorder,
                  "Tally",
                  { { "Row", WPR_TL_U32 },
                    { "Name", WPR_TL_STRING8 },
                    { "Cpu", WPR_TL_U32 },
                    { "Counted", WPR_TL_U64 },
                    { "Lost", WPR_TL_U64 },
                    { "InFile", WPR_TL_U64 } } },
  [REC_COST] = { recorder, "RecorderCost", { { "CpuNs", WPR_TL_I64 }, { "WakeUps", WPR_TL_U64 } } },
  [REC_TOTALS] = { recorder,
                   "Totals",
                   { { "Events", WPR_TL_U64 },
                     { "Lost", WPR_TL_U64 },
                     { "OverwrittenBytes", WPR_TL_U64 },
                     { "DroppedBytes", WPR_TL_U64 },
                     { "InferredSwitches", WPR_TL_U64 },
                     { "ClampedTimes", WPR_TL_U64 },
                     { "UndecodableRecords", WPR_TL_U64 },
                     { "UnknownIds", WPR_TL_U64 },
                     { "CutBytes", WPR_TL_U64 },
                     { "CutTexts", WPR_TL_U64 },
                     { "Stacks", WPR_TL_U64 },
                     { "Unexplained", WPR_TL_U64 },
                     { "Unpaired", WPR_TL_U64 } } },
  [REC_DESCRIPTION] = { recorder, "ProblemDescription", { { "Text", WPR_TL_STRING8 } } },
};

void
wpr_sink_etl_recorder_free (WprSinkEtl *self)
{
  for (guint i = 0; self->recorder_kinds != NULL && i < REC_N; i++)
    wpr_etl_schema_free (self->recorder_kinds[i]);
  g_free (self->recorder_kinds);
}

static const WprEtlSchema *
get_schema (WprSinkEtl *self, RecorderKind kind)
{
  if (self->recorder_kinds == NULL)
    self->recorder_kinds = g_new0 (WprEtlSchema *, REC_N);
  if (self->recorder_kinds[kind] == NULL)
    {
      WprEtlSchema *schema = wpr_etl_schema_new (kinds[kind].provider, kinds[kind].name);

      for (const Field *field = kinds[kind].fields;
           field < kinds[kind].fields + MOST_FIELDS && field->name != NULL; field++)
        wpr_etl_schema_add_field (schema, field->name, field->type, field->out, 0);
      self->recorder_kinds[kind] = schema;
    }
  return self->recorder_kinds[kind];
}

static void
put_text (WprPayload *payload, const char *text)
{
  wpr_payload_text (payload, text, -1, WPR_MOST_PATH);
}

static WprPayload
begin (WprSinkEtl *self)
{
  WprPayload payload;

  wpr_payload_init (&payload, self->scratch, WPR_SCRATCH_BYTES);
  return payload;
}

/* Made by the recorder itself: on CPU 0. */
static gboolean
emit (WprSinkEtl *self, RecorderKind kind, gint64 time, WprPayload *payload, GError **error)
{
  guint32 pid = self->context->manifest->recorder_pid;
  WprEtlHead head = { .pid = pid, .tid = pid };

  wpr_etl_schema_fill_head (get_schema (self, kind), &head);
  return wpr_sink_etl_add (self, 0, time, &head, payload, error);
}

/* ---- at the start ---- */

static gboolean
write_recording (WprSinkEtl *self, GError **error)
{
  const WprManifest *manifest = self->context->manifest;
  WprPayload payload = begin (self);

  put_text (&payload, manifest->tool_version);
  put_text (&payload, manifest->host);
  put_text (&payload, manifest->kernel);
  put_text (&payload, manifest->instance);
  put_text (&payload, manifest->program);
  put_text (&payload, manifest->user);
  put_text (&payload, manifest->boot_id);
  put_text (&payload, manifest->mode == 0 ? "memory" : "file"); /* WprMode, WprLevel */
  put_text (&payload, manifest->level == 0 ? "verbose" : "light");
  wpr_payload_u32 (&payload, manifest->n_cpus);
  wpr_payload_u64 (&payload, (guint64)manifest->sample_interval_ns);
  wpr_payload_u32 (&payload, self->context->stopped ? 1 : 0);
  put_text (&payload, manifest->rights);
  return emit (self, REC_RECORDING, self->context->start_time, &payload, error);
}

/* An array of texts, an event each. */
static gboolean
write_texts (WprSinkEtl *self, RecorderKind kind, const GPtrArray *texts, GError **error)
{
  for (guint i = 0; texts != NULL && i < texts->len; i++)
    {
      WprPayload payload = begin (self);

      put_text (&payload, g_ptr_array_index (texts, i));
      if (!emit (self, kind, self->context->start_time, &payload, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
write_plan (WprSinkEtl *self, GError **error)
{
  const char *text = self->context->manifest->plan_text;
  const gsize part = WPR_MOST_TEXT / 2;
  gsize size = text != NULL ? strlen (text) : 0, at = 0;
  guint32 n = (guint32)((size + part - 1) / part);

  for (guint32 i = 0; i < n; i++)
    {
      WprPayload payload = begin (self);
      gsize end = MIN (at + part, size);

      while (end < size && end > at && ((guint8)text[end] & 0xc0) == 0x80)
        end--; /* not within a character */
      wpr_payload_u32 (&payload, i);
      wpr_payload_u32 (&payload, n);
      wpr_payload_text (&payload, text + at, (gssize)(end - at), WPR_MOST_TEXT);
      if (!emit (self, REC_PLAN, self->context->start_time, &payload, error))
        return FALSE;
      at = end;
    }
  return TRUE;
}

static gboolean
write_collectors (WprSinkEtl *self, GError **error)
{
  const GArray *collectors = self->context->manifest->collectors;

  for (guint i = 0; collectors != NULL && i < collectors->len; i++)
    {
      const WprStoreCollector *row = &g_array_index (collectors, WprStoreCollector, i);
      WprPayload payload = begin (self);

      wpr_payload_u32 (&payload, i);
      put_text (&payload, row->name);
      put_text (&payload, row->session);
      wpr_payload_u32 (&payload, row->buffer_kb);
      wpr_payload_u32 (&payload, row->buffers_asked);
      wpr_payload_u32 (&payload, row->buffers_granted);
      wpr_payload_u64 (&payload, row->ring_bytes);
      if (!emit (self, REC_COLLECTOR, self->context->start_time, &payload, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
write_events (WprSinkEtl *self, GError **error)
{
  static const char *const stacks[] = { "none", "kernel", "kernel and user" }; /* WprCallchain */
  const GArray *events = self->context->manifest->events;

  for (guint i = 0; events != NULL && i < events->len; i++)
    {
      const WprStoreEvent *row = &g_array_index (events, WprStoreEvent, i);
      WprPayload payload = begin (self);

      wpr_payload_u32 (&payload, row->row);
      put_text (&payload, row->name);
      wpr_payload_u32 (&payload, row->collector);
      wpr_payload_u64 (&payload, row->period);
      wpr_payload_u64 (&payload, row->frequency);
      put_text (&payload, stacks[MIN (row->callchain, 2u)]);
      if (!emit (self, REC_EVENT, self->context->start_time, &payload, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
wpr_sink_etl_recorder_begin (WprSinkEtl *self, GError **error)
{
  const WprTraceContext *context = self->context;
  WprPayload payload;

  if (!write_recording (self, error)
      || !write_texts (self, REC_PROFILE, context->manifest->profiles, error)
      || !write_plan (self, error) || !write_collectors (self, error) || !write_events (self, error)
      || !write_texts (self, REC_NOT_AVAILABLE, context->manifest->missing, error))
    return FALSE;
  payload = begin (self);
  wpr_payload_u64 (&payload, (guint64)context->complete_from);
  wpr_payload_u64 (&payload, (guint64)MAX (context->complete_from - context->start_time, 0));
  return emit (self, REC_COMPLETE_FROM, context->start_time, &payload, error);
}

/* ---- meanwhile ---- */

typedef void (*PutFunc) (WprSinkEtl *self, const WprEvent *event, WprPayload *payload);

static void
put_sentence (WprSinkEtl *self, const WprEvent *event, WprPayload *payload)
{
  wpr_payload_text (payload, event->u.text, -1, WPR_MOST_TEXT);
}

static void
put_lost (WprSinkEtl *self, const WprEvent *event, WprPayload *payload)
{
  wpr_payload_u32 (payload, event->u.loss.collector);
  wpr_payload_u32 (payload, event->cpu);
  wpr_payload_u64 (payload, (guint64)event->u.loss.second);
  wpr_payload_u64 (payload, (guint64)event->u.loss.count);
}

static void
put_gap (WprSinkEtl *self, const WprEvent *event, WprPayload *payload)
{
  wpr_payload_u32 (payload, event->u.gap.collector);
  wpr_payload_u32 (payload, event->cpu);
  wpr_payload_u64 (payload, (guint64)event->u.gap.from);
  wpr_payload_u64 (payload, (guint64)event->u.gap.to);
  wpr_payload_u32 (payload, event->u.gap.to != G_MAXINT64 ? 1 : 0);
}

static void
put_clock_step (WprSinkEtl *self, const WprEvent *event, WprPayload *payload)
{
  wpr_payload_u64 (payload, (guint64)event->u.clock.wall_from_ns);
  wpr_payload_u64 (payload, (guint64)event->u.clock.wall_to_ns);
  wpr_payload_u64 (payload, (guint64)event->u.clock.slept_ns);
}

static void
put_cpu (WprSinkEtl *self, const WprEvent *event, WprPayload *payload)
{
  wpr_payload_u32 (payload, event->cpu);
}

static void
put_disk_error (WprSinkEtl *self, const WprEvent *event, WprPayload *payload)
{
  wpr_payload_u32 (payload, wpr_sink_etl_disk_number (self, event->u.disk.dev));
  wpr_payload_u64 (payload, event->u.disk.sector);
  wpr_payload_u32 (payload, event->u.disk.bytes);
  wpr_payload_u32 (payload, (guint32)event->u.disk.error);
}

static void
put_fault (WprSinkEtl *self, const WprEvent *event, WprPayload *payload)
{
  wpr_payload_u64 (payload, event->addr);
  wpr_payload_u64 (payload, event->ip);
}

static const struct
{
  RecorderKind kind, other; /* `other` where the event's flag is set */
  PutFunc put;
} rows[WPR_EVENT_N_KINDS] = {
  [WPR_EVENT_FAULT] = { REC_FAULT, REC_FAULT, put_fault },
  [WPR_EVENT_THROTTLE] = { REC_THROTTLED, REC_UNTHROTTLED, put_cpu },
  [WPR_EVENT_DISK_COMPLETE] = { REC_DISK_ERROR, REC_DISK_ERROR, put_disk_error },
  [WPR_EVENT_MARK] = { REC_MARK, REC_MARK, put_sentence },
  [WPR_EVENT_NOTICE] = { REC_NOTICE, REC_NOTICE, put_sentence },
  [WPR_EVENT_LOSS] = { REC_LOST, REC_LOST, put_lost },
  [WPR_EVENT_CPU_GAP] = { REC_CPU_GAP, REC_CPU_GAP, put_gap },
  [WPR_EVENT_CLOCK_STEP] = { REC_CLOCK_STEP, REC_CLOCK_STEP, put_clock_step },
};

gboolean
wpr_sink_etl_recorder_event (WprSinkEtl *self, const WprEvent *event, GError **error)
{
  WprEtlHead head = { .pid = wpr_sink_etl_pid (self, event->pid), .tid = event->tid };
  gboolean other = event->kind == WPR_EVENT_THROTTLE && event->u.throttle.end;
  WprPayload payload = begin (self);

  g_return_val_if_fail (rows[event->kind].put != NULL, FALSE);
  wpr_etl_schema_fill_head (
      get_schema (self, other ? rows[event->kind].other : rows[event->kind].kind), &head);
  rows[event->kind].put (self, event, &payload);
  if (!wpr_sink_etl_add (self, event->cpu, event->time, &head, &payload, error))
    return FALSE;
  return event->kind != WPR_EVENT_FAULT || wpr_sink_etl_stack (self, event, error);
}

/* ---- at the end ---- */

static gboolean
write_clocks (WprSinkEtl *self, GError **error)
{
  const WprClockTable *clocks = self->context->clocks;
  guint n = clocks != NULL ? wpr_clock_table_length (clocks) : 0;

  for (guint i = 0; i < n; i++)
    {
      const WprClockReading *row = wpr_clock_table_get (clocks, i);
      WprPayload payload = begin (self);

      wpr_payload_u64 (&payload, (guint64)row->monotonic_ns);
      wpr_payload_u64 (&payload, (guint64)row->boottime_ns);
      wpr_payload_u64 (&payload, (guint64)row->realtime_ns);
      if (!emit (self, REC_CLOCK, self->context->end_time, &payload, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
write_rings (WprSinkEtl *self, GError **error)
{
  const GArray *rings = self->context->rings;

  for (guint i = 0; rings != NULL && i < rings->len; i++)
    {
      const WprTraceRing *row = &g_array_index (rings, WprTraceRing, i);
      WprPayload payload = begin (self);

      wpr_payload_u32 (&payload, row->collector);
      wpr_payload_u32 (&payload, row->cpu);
      wpr_payload_u64 (&payload, row->bytes_ever);
      wpr_payload_u64 (&payload, row->kept);
      wpr_payload_u64 (&payload, row->overwritten);
      if (!emit (self, REC_RING, self->context->end_time, &payload, error))
        return FALSE;
    }
  return TRUE;
}

static const WprStoreEvent *
find_row (const WprManifest *manifest, guint32 row)
{
  for (guint i = 0; manifest->events != NULL && i < manifest->events->len; i++)
    if (g_array_index (manifest->events, WprStoreEvent, i).row == row)
      return &g_array_index (manifest->events, WprStoreEvent, i);
  return NULL;
}

static guint64
in_file (const WprSinkEtl *self, guint32 row, guint32 cpu)
{
  return row < self->n_rows && cpu < self->n_cpus ? self->in_file[(gsize)row * self->n_cpus + cpu]
                                                  : 0;
}

/* Records that the kernel counted and neither gave nor called lost: some do that with what happens
 * in interrupts, mostly of a CPU that idles. Only where nothing was overwritten or dropped can they
 * be told from what was; timers count nanoseconds, not records. */
static guint64
count_unexplained (const WprSinkEtl *self)
{
  const WprTraceContext *context = self->whole;
  guint64 n = 0;

  if (self->goes_on || context->overwritten_bytes > 0 || context->bytes_dropped > 0
      || !context->stopped || context->tallies == NULL)
    return 0;
  for (guint i = 0; i < context->tallies->len; i++)
    {
      const WprTraceTally *tally = &g_array_index (context->tallies, WprTraceTally, i);
      const WprStoreEvent *event = find_row (context->manifest, tally->row);
      guint64 known = tally->lost + in_file (self, tally->row, tally->cpu);

      if (event != NULL && event->kind == WPR_PERF_TRACEPOINT && tally->counted > known)
        n += tally->counted - known;
    }
  return n;
}

static gboolean
write_tallies (WprSinkEtl *self, GError **error)
{
  const GArray *tallies = self->context->tallies;

  for (guint i = 0; tallies != NULL && i < tallies->len; i++)
    {
      const WprTraceTally *row = &g_array_index (tallies, WprTraceTally, i);
      const WprStoreEvent *event = find_row (self->context->manifest, row->row);
      WprPayload payload = begin (self);

      wpr_payload_u32 (&payload, row->row);
      put_text (&payload, event != NULL ? event->name : "");
      wpr_payload_u32 (&payload, row->cpu);
      wpr_payload_u64 (&payload, row->counted);
      wpr_payload_u64 (&payload, row->lost);
      wpr_payload_u64 (&payload, in_file (self, row->row, row->cpu));
      if (!emit (self, REC_TALLY, self->context->end_time, &payload, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
write_cost (WprSinkEtl *self, GError **error)
{
  WprPayload payload = begin (self);

  wpr_payload_u64 (&payload, (guint64)self->context->cost_cpu_ns);
  wpr_payload_u64 (&payload, self->context->cost_wakeups);
  return emit (self, REC_COST, self->context->end_time, &payload, error);
}

/* Events: all of the file before this one. */
static gboolean
write_totals (WprSinkEtl *self, GError **error)
{
  const WprTraceCounters played = wpr_sink_etl_played (self);
  WprPayload payload = begin (self);

  wpr_payload_u64 (&payload, wpr_etl_writer_events (self->writer));
  wpr_payload_u64 (&payload, self->context->lost);
  wpr_payload_u64 (&payload, self->context->overwritten_bytes);
  wpr_payload_u64 (&payload, self->context->bytes_dropped);
  wpr_payload_u64 (&payload, self->n_inferred);
  wpr_payload_u64 (&payload, wpr_etl_writer_clamped (self->writer) + played.clamped);
  wpr_payload_u64 (&payload, played.undecodable);
  wpr_payload_u64 (&payload, played.unknown_ids);
  wpr_payload_u64 (&payload, played.cut_bytes);
  wpr_payload_u64 (&payload, self->n_cut_texts);
  wpr_payload_u64 (&payload, self->n_stacks);
  wpr_payload_u64 (&payload, count_unexplained (self));
  wpr_payload_u64 (&payload, played.unpaired);
  return emit (self, REC_TOTALS, self->context->end_time, &payload, error);
}

/* What is counted over the whole recording is in the last of its files. */
gboolean
wpr_sink_etl_recorder_end (WprSinkEtl *self, GError **error)
{
  return write_clocks (self, error)
         && (self->goes_on
             || (write_rings (self, error) && write_tallies (self, error)
                 && write_cost (self, error)))
         && write_totals (self, error);
}

gboolean
wpr_sink_etl_description (WprSinkEtl *self, GError **error)
{
  const char *description = self->whole->description;
  WprPayload payload;

  if (description == NULL || description[0] == '\0')
    return TRUE;
  payload = begin (self);
  wpr_payload_text (&payload, description, -1, WPR_MOST_TEXT);
  return emit (self, REC_DESCRIPTION, self->context->end_time, &payload, error);
}
