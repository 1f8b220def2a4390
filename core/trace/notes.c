/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The notes of a store, read when it is opened: the context of the recording, its clocks, and those
 * notes that become events. Counters are only counted here; side-lanes.c reads them in pieces. The
 * bytes are a stranger's: every payload's length is checked. */
#include "config.h"
#include "store/payload.h"
#include "trace/trace-private.h"

#include <string.h>

#define NS_PER_SEC G_GINT64_CONSTANT (1000000000)
/* As base/clock.c: a clock moved against another by more than this is a step. */
#define STEP_NS (1000 * 1000)

typedef struct
{
  WprTrace *trace;
  WprClockReading last;
  gboolean has_last;
} Reading;

typedef void (*NoteFunc) (Reading *self, const WprStoreNote *note);

static WprSide *
add_side (WprTrace *trace, const WprStoreNote *note, WprEventKind kind)
{
  WprSide side
      = { .time = note->time, .kind = kind, .cpu = note->cpu, .pid = note->pid, .tid = note->tid };
  g_array_append_val (trace->sides, side);
  return &g_array_index (trace->sides, WprSide, trace->sides->len - 1);
}

static gsize
add_text (WprTrace *trace, const WprStoreNote *note)
{
  static const guint8 nul = 0;
  gsize at = trace->texts->len;
  g_byte_array_append (trace->texts, note->payload, (guint)note->size);
  g_byte_array_append (trace->texts, &nul, 1);
  return at;
}

static void
read_mark (Reading *self, const WprStoreNote *note)
{
  gsize at = add_text (self->trace, note);
  add_side (self->trace, note, WPR_EVENT_MARK)->u.text = at;
}

static void
read_notice (Reading *self, const WprStoreNote *note)
{
  gsize at = add_text (self->trace, note);
  add_side (self->trace, note, WPR_EVENT_NOTICE)->u.text = at;
  g_ptr_array_add (self->trace->context.notices,
                   g_strndup ((const char *)note->payload, note->size));
}

static void
read_counters (Reading *self, const WprStoreNote *note)
{
  self->trace->n_counters++;
}

/* A new offset only where a suspend moved it: two readings differ by their own jitter, too, and
 * time must not go back by that. */
static void
follow_offset (WprTrace *trace, const WprClockReading *reading, WprTime last)
{
  gint64 offset = reading->boottime_ns - reading->monotonic_ns;
  guint n = trace->offsets->len;
  if (n > 0 && offset - g_array_index (trace->offsets, WprClockOffset, n - 1).offset_ns <= STEP_NS)
    return;
  WprClockOffset row = { n == 0 ? WPR_WORLD_BEFORE : reading->monotonic_ns, offset, last };
  g_array_append_val (trace->offsets, row);
}

static void
add_reading (Reading *self, const WprStoreNote *note, const WprClockReading *reading)
{
  const WprClockReading *last = &self->last;
  if (self->has_last && reading->monotonic_ns < last->monotonic_ns)
    return;
  gboolean step = wpr_clock_table_add (self->trace->clocks, reading);
  follow_offset (self->trace, reading, last->monotonic_ns);
  if (step && self->has_last)
    {
      gint64 passed = reading->boottime_ns - last->boottime_ns;
      gint64 slept = passed - (reading->monotonic_ns - last->monotonic_ns);
      gint64 expected = last->realtime_ns + passed;
      WprSide *side = add_side (self->trace, note, WPR_EVENT_CLOCK_STEP);
      side->time = reading->monotonic_ns;
      side->u.clock.wall_from_ns = expected;
      side->u.clock.wall_to_ns = reading->realtime_ns;
      side->u.clock.slept_ns = slept > STEP_NS ? slept : 0;
    }
  self->last = *reading;
  self->has_last = TRUE;
}

static void
read_clock (Reading *self, const WprStoreNote *note)
{
  WprClockReading reading;
  memcpy (&reading, note->payload, sizeof reading);
  add_reading (self, note, &reading);
}

static void
read_stopped (Reading *self, const WprStoreNote *note)
{
  WprClockReading reading;
  memcpy (&reading, note->payload, sizeof reading);
  add_reading (self, note, &reading);
  self->trace->has_stop = TRUE;
  self->trace->stop_time = reading.monotonic_ns;
}

static void
read_loss (Reading *self, const WprStoreNote *note)
{
  WprLossPayload loss;
  memcpy (&loss, note->payload, sizeof loss);
  WprSide *side = add_side (self->trace, note, WPR_EVENT_LOSS);
  side->u.loss.collector = loss.collector;
  side->u.loss.count = loss.count;
}

/* The event is where the gap begins. A gap noted first as open and later as closed is one. */
static void
read_gap (Reading *self, const WprStoreNote *note)
{
  WprGapPayload gap;
  memcpy (&gap, note->payload, sizeof gap);
  for (guint i = self->trace->sides->len; i-- > 0;)
    {
      WprSide *old = &g_array_index (self->trace->sides, WprSide, i);
      if (old->kind == WPR_EVENT_CPU_GAP && old->cpu == note->cpu
          && old->u.gap.collector == gap.collector && old->u.gap.from == gap.from)
        {
          old->u.gap.to = gap.to;
          return;
        }
    }
  WprSide *side = add_side (self->trace, note, WPR_EVENT_CPU_GAP);
  side->time = gap.from;
  side->u.gap.collector = gap.collector;
  side->u.gap.from = gap.from;
  side->u.gap.to = gap.to;
}

/* The last one of a row and CPU wins, as of a ring. */
static void
read_tally (Reading *self, const WprStoreNote *note)
{
  GArray *tallies = self->trace->context.tallies;
  WprTallyPayload payload;
  memcpy (&payload, note->payload, sizeof payload);
  WprTraceTally tally = { payload.row, note->cpu, payload.counted, payload.lost };
  for (guint i = tallies->len; i-- > 0;)
    {
      WprTraceTally *old = &g_array_index (tallies, WprTraceTally, i);
      if (old->row != tally.row || old->cpu != tally.cpu)
        continue;
      *old = tally;
      return;
    }
  g_array_append_val (tallies, tally);
}

static void
read_ring (Reading *self, const WprStoreNote *note)
{
  GArray *rings = self->trace->context.rings;
  WprRingPayload payload;
  memcpy (&payload, note->payload, sizeof payload);
  WprTraceRing ring
      = { payload.collector, note->cpu, payload.bytes_ever, payload.kept, payload.overwritten };
  for (guint i = rings->len; i-- > 0;)
    {
      WprTraceRing *old = &g_array_index (rings, WprTraceRing, i);
      if (old->collector != ring.collector || old->cpu != ring.cpu)
        continue;
      *old = ring;
      return;
    }
  g_array_append_val (rings, ring);
}

static void
read_cost (Reading *self, const WprStoreNote *note)
{
  WprCostPayload cost;
  memcpy (&cost, note->payload, sizeof cost);
  self->trace->context.cost_cpu_ns = cost.cpu_ns;
  self->trace->context.cost_wakeups = cost.wakeups;
}

static void
read_description (Reading *self, const WprStoreNote *note)
{
  g_free (self->trace->context.description);
  self->trace->context.description = g_strndup ((const char *)note->payload, note->size);
}

/* The first look into /proc, and the last. */
static void
read_files (Reading *self, const WprStoreNote *note)
{
  WprTrace *trace = self->trace;
  WprFilesPayload payload;
  WprLook look = { note->time, note->pid, NULL };
  memcpy (&payload, note->payload, sizeof payload);
  gboolean last = (payload.look & WPR_LOOK_LAST) != 0;
  GArray *looks = last ? trace->last_looks : trace->first_looks;
  if (looks->len == 0)
    *(last ? &trace->last_look : &trace->first_look) = payload.look;
  if (last && payload.look != trace->last_look)
    {
      g_array_set_size (looks, 0);
      trace->last_look = payload.look;
    }
  if (!last && payload.look != trace->first_look)
    return;
  look.payload = g_bytes_new (note->payload, note->size);
  g_array_append_val (looks, look);
}

/* By kind: the least a payload holds, and what is made of it. */
static const struct
{
  gsize least;
  NoteFunc func;
} kinds[] = {
  [WPR_NOTE_MARK] = { 0, read_mark },
  [WPR_NOTE_SAMPLER] = { 1, read_counters },
  [WPR_NOTE_CLOCK] = { sizeof (WprClockReading), read_clock },
  [WPR_NOTE_LOSS] = { sizeof (WprLossPayload), read_loss },
  [WPR_NOTE_CPU_GAP] = { sizeof (WprGapPayload), read_gap },
  [WPR_NOTE_NOTICE] = { 0, read_notice },
  [WPR_NOTE_TALLY] = { sizeof (WprTallyPayload), read_tally },
  [WPR_NOTE_RING] = { sizeof (WprRingPayload), read_ring },
  [WPR_NOTE_COST] = { sizeof (WprCostPayload), read_cost },
  [WPR_NOTE_DESCRIPTION] = { 0, read_description },
  [WPR_NOTE_STOPPED] = { sizeof (WprClockReading), read_stopped },
  [WPR_NOTE_FILES] = { sizeof (WprFilesPayload), read_files },
};

static gboolean
on_note (const WprStoreNote *note, gpointer data)
{
  if (note->kind < G_N_ELEMENTS (kinds) && kinds[note->kind].func != NULL
      && note->size >= kinds[note->kind].least)
    kinds[note->kind].func (data, note);
  return TRUE;
}

void
wpr_trace_read_notes (WprTrace *trace)
{
  Reading self = { .trace = trace };
  trace->sides = g_array_new (FALSE, TRUE, sizeof (WprSide));
  trace->texts = g_byte_array_new ();
  trace->clocks = wpr_clock_table_new ();
  trace->offsets = g_array_new (FALSE, FALSE, sizeof (WprClockOffset));
  trace->first_looks = wpr_looks_new ();
  trace->last_looks = wpr_looks_new ();
  wpr_store_reader_notes (trace->reader, on_note, &self);
  trace->context.clocks = trace->clocks;
  trace->context.offsets = trace->offsets;
  trace->context.counters = &trace->counters;
  trace->context.stopped = trace->has_stop;
}

static int
compare_sides (gconstpointer a, gconstpointer b)
{
  const WprSide *x = a, *y = b;
  return (x->time > y->time) - (x->time < y->time);
}

/* One row a collector, CPU and second; many events and rows may have lost in it. */
static void
add_loss (GArray *losses, const WprSide *side, gint64 second)
{
  for (guint i = losses->len; i-- > 0;)
    {
      WprTraceLoss *old = &g_array_index (losses, WprTraceLoss, i);
      if (old->second != second)
        break;
      if (old->collector == side->u.loss.collector && old->cpu == side->cpu)
        {
          old->count += side->u.loss.count;
          return;
        }
    }
  WprTraceLoss loss = { side->u.loss.collector, side->cpu, second, side->u.loss.count };
  g_array_append_val (losses, loss);
}

static gint64
second_of (const WprTrace *trace, WprTime time)
{
  gint64 since = wpr_trace_boottime (&trace->context, time) - trace->context.start_time;
  return MAX (since, 0) / NS_PER_SEC;
}

void
wpr_trace_order_notes (WprTrace *trace)
{
  GArray *losses = trace->context.losses;
  GArray *sides = trace->sides;
  guint kept = 0;
  g_array_sort (sides, compare_sides);
  g_array_set_size (losses, 0);
  for (guint i = 0; i < sides->len; i++)
    {
      WprSide *side = &g_array_index (sides, WprSide, i);
      if (side->kind == WPR_EVENT_LOSS)
        {
          guint n = losses->len;
          add_loss (losses, side, second_of (trace, side->time));
          if (losses->len == n)
            continue; /* its row has an event already */
        }
      g_array_index (sides, WprSide, kept++) = *side;
    }
  g_array_set_size (sides, kept);
  for (guint i = 0, n = 0; i < kept; i++)
    {
      WprSide *side = &g_array_index (sides, WprSide, i);
      if (side->kind == WPR_EVENT_LOSS)
        side->u.loss.count = g_array_index (losses, WprTraceLoss, n++).count;
    }
}

gint64
wpr_trace_boottime (const WprTraceContext *context, WprTime monotonic_ns)
{
  gint64 offset = 0;
  for (guint i = 0; i < context->offsets->len; i++)
    {
      const WprClockOffset *row = &g_array_index (context->offsets, WprClockOffset, i);
      if (i > 0 && row->from > monotonic_ns)
        break;
      offset = row->offset_ns;
    }
  return monotonic_ns + offset;
}
