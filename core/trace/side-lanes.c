/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Notes as events: marks, notices, losses, gaps and steps of the clock from the list made when the
 * trace was opened; counters, of which a long recording has very many, in pieces from the store. */
#include "config.h"
#include "trace/lane.h"

#include <string.h>

/* Counters notes held at a time; some hundred bytes each. The store is walked anew for each piece,
 * which at ten notes a second costs a step a second of recording. */
#define PIECE 512
/* A sampler has at most about 50 counters (meminfo). */
#define MOST_COUNTERS 512

/* At one time, life (order 0) comes first, then these, then records. */
#define SIDE_ORDER 1
#define COUNTER_ORDER 2

/* ---- the list ---- */

typedef struct
{
  WprLane lane;
  WprTrace *trace;
  guint at;
} SideLane;

static void
side_set_next (SideLane *self)
{
  const GArray *sides = self->trace->sides;
  self->lane.time = self->at < sides->len ? MAX (g_array_index (sides, WprSide, self->at).time,
                                                 self->trace->context.start_monotonic)
                                          : WPR_LANE_END;
}

static void
fill_side (SideLane *self, WprPlayer *player, const WprSide *side, WprEvent *event)
{
  const WprTraceContext *context = &self->trace->context;
  *event = (WprEvent){ .kind = side->kind, .cpu = side->cpu, .pid = side->pid, .tid = side->tid };
  switch (side->kind)
    {
    case WPR_EVENT_MARK:
    case WPR_EVENT_NOTICE:
      event->u.text = (const char *)self->trace->texts->data + side->u.text;
      break;
    case WPR_EVENT_LOSS:
      event->u.loss.collector = side->u.loss.collector;
      event->u.loss.count = side->u.loss.count;
      event->u.loss.second = MAX (wpr_trace_boottime (context, side->time) - context->start_time, 0)
                             / G_GINT64_CONSTANT (1000000000);
      break;
    case WPR_EVENT_CPU_GAP:
      event->u.gap.collector = side->u.gap.collector;
      event->u.gap.from = wpr_trace_boottime (context, side->u.gap.from);
      event->u.gap.to = side->u.gap.to == G_MAXINT64 ? G_MAXINT64
                                                     : wpr_trace_boottime (context, side->u.gap.to);
      break;
    default:
      event->u.clock.wall_from_ns = side->u.clock.wall_from_ns;
      event->u.clock.wall_to_ns = side->u.clock.wall_to_ns;
      event->u.clock.slept_ns = side->u.clock.slept_ns;
      break;
    }
}

static gboolean
side_visit (WprLane *lane, WprPlayer *player, GError **error)
{
  SideLane *self = (SideLane *)lane;
  WprEvent event;
  fill_side (self, player, &g_array_index (self->trace->sides, WprSide, self->at), &event);
  if (!wpr_player_event (player, lane->time, &event, error))
    return FALSE;
  self->at++;
  side_set_next (self);
  return TRUE;
}

static void
side_free (WprLane *lane)
{
  g_free (lane);
}

WprLane *
wpr_side_lane_new (WprTrace *trace)
{
  SideLane *self = g_new0 (SideLane, 1);
  self->lane.order = SIDE_ORDER;
  self->lane.visit = side_visit;
  self->lane.free = side_free;
  self->trace = trace;
  side_set_next (self);
  return &self->lane;
}

/* ---- counters ---- */

typedef struct
{
  WprTime time;
  guint32 cpu, pid, tid;
  guint8 *payload;
  gsize size;
} Counters;

typedef struct
{
  WprLane lane;
  WprTrace *trace;
  GArray *piece; /* Counters */
  guint at;      /* in the piece */
  guint done;    /* notes of all pieces up to the end of this one */
  guint seen;    /* while walking */
} CounterLane;

static void
clear_counters (gpointer data)
{
  g_free (((Counters *)data)->payload);
}

static gboolean
take_note (const WprStoreNote *note, gpointer data)
{
  CounterLane *self = data;
  if (note->kind != WPR_NOTE_SAMPLER || note->size == 0 || self->seen++ < self->done)
    return TRUE;
  Counters row
      = { note->time, note->cpu, note->pid, note->tid, g_memdup2 (note->payload, note->size),
          note->size };
  g_array_append_val (self->piece, row);
  return self->piece->len < PIECE;
}

static int
compare_counters (gconstpointer a, gconstpointer b)
{
  const Counters *x = a, *y = b;
  return (x->time > y->time) - (x->time < y->time);
}

static void
counter_set_next (CounterLane *self)
{
  if (self->at >= self->piece->len && self->done < self->trace->n_counters)
    {
      g_array_set_size (self->piece, 0);
      self->at = self->seen = 0;
      wpr_store_reader_notes (self->trace->reader, take_note, self);
      self->done += self->piece->len;
      g_array_sort (self->piece, compare_counters);
    }
  WprTime least = MAX (self->lane.time, self->trace->context.start_monotonic);
  self->lane.time = self->at < self->piece->len
                        ? MAX (g_array_index (self->piece, Counters, self->at).time, least)
                        : WPR_LANE_END;
}

/* name NUL, then a(sx); FALSE if the bytes are something else. */
static GVariant *
counters_values (const Counters *row, const char **name)
{
  const guint8 *nul = memchr (row->payload, 0, row->size);
  if (nul == NULL)
    return NULL;
  gsize at = (gsize)(nul - row->payload) + 1;
  *name = (const char *)row->payload;
  /* A copy, since a variant's bytes must be aligned. */
  g_autoptr (GBytes) bytes = g_bytes_new (row->payload + at, row->size - at);
  GVariant *values
      = g_variant_ref_sink (g_variant_new_from_bytes (G_VARIANT_TYPE ("a(sx)"), bytes, FALSE));
  if (g_variant_is_normal_form (values))
    return values;
  g_variant_unref (values);
  return NULL;
}

static gboolean
counter_visit (WprLane *lane, WprPlayer *player, GError **error)
{
  CounterLane *self = (CounterLane *)lane;
  const Counters *row = &g_array_index (self->piece, Counters, self->at);
  const char *names[MOST_COUNTERS];
  gint64 numbers[MOST_COUNTERS];
  WprEvent event
      = { .kind = WPR_EVENT_COUNTERS, .cpu = row->cpu, .pid = row->pid, .tid = row->tid };
  g_autoptr (GVariant) values = counters_values (row, &event.u.counters.name);
  if (values != NULL)
    {
      guint n = (guint)MIN (g_variant_n_children (values), MOST_COUNTERS);
      for (guint i = 0; i < n; i++)
        g_variant_get_child (values, i, "(&sx)", &names[i], &numbers[i]);
      event.u.counters.n = n;
      event.u.counters.names = names;
      event.u.counters.values = numbers;
      if (!wpr_player_event (player, lane->time, &event, error))
        return FALSE;
    }
  else
    self->trace->counters.undecodable++;
  self->at++;
  counter_set_next (self);
  return TRUE;
}

static void
counter_free (WprLane *lane)
{
  g_array_unref (((CounterLane *)lane)->piece);
  g_free (lane);
}

WprLane *
wpr_counter_lane_new (WprTrace *trace)
{
  CounterLane *self = g_new0 (CounterLane, 1);
  self->lane.order = COUNTER_ORDER;
  self->lane.visit = counter_visit;
  self->lane.free = counter_free;
  self->trace = trace;
  self->piece = g_array_new (FALSE, FALSE, sizeof (Counters));
  g_array_set_clear_func (self->piece, clear_counters);
  counter_set_next (self);
  return &self->lane;
}
