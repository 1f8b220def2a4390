/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The records of one collector on one CPU, over all epochs, in time order. The kernel's nested
 * writers put records into a ring a little out of order: a window of 1 ms is sorted here, what is
 * later still is given the time of its forerunner and counted. Only time and place of a record are
 * kept; it is taken apart when its turn comes. */
#include "config.h"
#include "trace/lane.h"

#include <sys/mman.h>
#include <unistd.h>

/* A record costs the kernel 490 ns at least: 2 000 a millisecond, four times that for nested ones.
 * 16 bytes each: 128 KiB a CPU and collector. */
#define MOST_ITEMS 8192
/* The pages behind us are given back in steps, so that an epoch does not add up in memory. */
#define GIVE_BACK (1024 * 1024)

typedef struct
{
  WprTime time;
  const struct perf_event_header *header;
} Item;

typedef struct
{
  const guint8 *bytes;
  gsize size, given_back;
  guint epoch;
  guint left; /* items that still point into it */
} Piece;

typedef struct
{
  WprLane lane;
  WprTrace *trace;
  guint collector, cpu;
  Piece now, old; /* an epoch's file, and the one before while items point there */
  gsize at;       /* next byte of `now` */
  guint next_epoch, n_epochs;
  gboolean at_end;
  guint first, n; /* items[first .. first + n), ascending */
  WprTime newest, last_given;
  WprTime latest; /* what is beyond is no time of this recording */
  guint64 bytes;
  Item items[MOST_ITEMS];
} Stream;

static void
release_piece (Stream *self, Piece *piece)
{
  if (piece->bytes != NULL)
    wpr_store_reader_release (self->trace->reader, piece->epoch, self->collector, self->cpu);
  *piece = (Piece){ 0 };
}

/* The next epoch that holds anything. FALSE at the end, or while two are in use already. */
static gboolean
next_piece (Stream *self)
{
  if (self->now.left > 0)
    {
      if (self->old.left > 0)
        return FALSE;
      release_piece (self, &self->old);
      self->old = self->now;
      self->now = (Piece){ 0 };
    }
  else
    release_piece (self, &self->now);
  while (self->next_epoch < self->n_epochs)
    {
      gsize size = 0, cut = 0;
      guint epoch = self->next_epoch++;
      const guint8 *bytes = wpr_store_reader_data (self->trace->reader, epoch, self->collector,
                                                   self->cpu, &size, &cut);
      self->trace->counters.cut_bytes += cut;
      self->at = 0;
      self->now = (Piece){ .bytes = bytes, .size = bytes != NULL ? size : 0, .epoch = epoch };
      if (self->now.size > 0)
        {
          /* The reader went through all of it to find its end. */
          madvise ((gpointer)self->now.bytes, self->now.size, MADV_DONTNEED);
          return TRUE;
        }
      release_piece (self, &self->now);
    }
  self->at_end = TRUE;
  return FALSE;
}

static void
add_item (Stream *self, WprTime time, const struct perf_event_header *header)
{
  guint at = self->first + self->n;
  if (time < self->newest)
    {
      WprTraceCounters *counters = &self->trace->counters;
      counters->largest_reorder_ns = MAX (counters->largest_reorder_ns, self->newest - time);
      if (time < self->last_given)
        {
          time = self->last_given;
          counters->clamped++;
        }
      for (; at > self->first && self->items[at - 1].time > time; at--)
        self->items[at] = self->items[at - 1];
    }
  else
    self->newest = time;
  self->items[at] = (Item){ time, header };
  self->n++;
  self->now.left++;
}

/* FALSE when the bytes of this epoch are used up. */
static gboolean
decode_one (Stream *self)
{
  WprTime time;
  if (self->at + sizeof (struct perf_event_header) > self->now.size)
    return FALSE;
  const struct perf_event_header *header = (gconstpointer)(self->now.bytes + self->at);
  if (header->size < sizeof *header || header->size > self->now.size - self->at)
    {
      self->at = self->now.size;
      return FALSE;
    }
  self->at += header->size;
  self->bytes += header->size;
  WprPeek peek = wpr_trace_peek_time (self->trace->ids, header, &time);
  if (peek == WPR_PEEK_TIME && time <= self->latest)
    add_item (self, time, header);
  else if (peek == WPR_PEEK_UNKNOWN)
    self->trace->counters.unknown_ids++;
  else
    self->trace->counters.undecodable++;
  return TRUE;
}

static void
give_back (Stream *self)
{
  if (self->now.bytes == NULL || self->at - self->now.given_back < GIVE_BACK)
    return;
  const guint8 *oldest = self->now.bytes + self->at;
  for (guint i = self->first; i < self->first + self->n; i++)
    {
      const guint8 *p = (const guint8 *)self->items[i].header;
      if (p >= self->now.bytes && p < oldest)
        oldest = p;
    }
  gsize page = (gsize)sysconf (_SC_PAGESIZE);
  gsize to = (gsize)(oldest - self->now.bytes) / page * page;
  if (to > self->now.given_back)
    madvise ((gpointer)(self->now.bytes + self->now.given_back), to - self->now.given_back,
             MADV_DONTNEED);
  self->now.given_back = MAX (self->now.given_back, to);
}

static void
refill (Stream *self)
{
  memmove (self->items, self->items + self->first, self->n * sizeof *self->items);
  self->first = 0;
  give_back (self);
  while (self->n < MOST_ITEMS)
    if (!decode_one (self) && !next_piece (self))
      break;
}

static void
set_next (Stream *self)
{
  /* The first item's turn has come once nothing within the window can come before it, or once so
   * many are decoded beyond it that no real kernel has more in the window. */
  if (!self->at_end && self->n < MOST_ITEMS / 2
      && (self->n == 0 || self->newest - self->items[self->first].time < WPR_TRACE_WINDOW_NS))
    refill (self);
  self->lane.time = self->n > 0 ? self->items[self->first].time : WPR_LANE_END;
}

static gboolean
visit (WprLane *lane, WprPlayer *player, GError **error)
{
  Stream *self = (Stream *)lane;
  const Item *item = &self->items[self->first];
  self->last_given = item->time;
  if (!wpr_player_record (player, self->collector, self->cpu, item->time, item->header, error))
    return FALSE;
  const guint8 *p = (const guint8 *)item->header;
  if (self->old.left > 0 && p >= self->old.bytes && p < self->old.bytes + self->old.size)
    {
      if (--self->old.left == 0)
        release_piece (self, &self->old);
    }
  else
    self->now.left--;
  self->first++;
  self->n--;
  set_next (self);
  return TRUE;
}

static void
stream_free (WprLane *lane)
{
  Stream *self = (Stream *)lane;
  release_piece (self, &self->old);
  release_piece (self, &self->now);
  g_free (self);
}

WprLane *
wpr_stream_lane_new (WprTrace *trace, guint collector, guint cpu)
{
  Stream *self = g_new (Stream, 1);
  memset (self, 0, G_STRUCT_OFFSET (Stream, items));
  self->lane.visit = visit;
  self->lane.free = stream_free;
  self->trace = trace;
  self->collector = collector;
  self->cpu = cpu;
  self->n_epochs = wpr_store_reader_n_epochs (trace->reader);
  /* A damaged record must not drag all later ones to its time. One second: the drain after the
   * clock was read. */
  self->latest
      = trace->has_stop ? trace->stop_time + G_GINT64_CONSTANT (1000000000) : G_MAXINT64 / 2;
  set_next (self);
  if (self->n > 0)
    return &self->lane;
  stream_free (&self->lane);
  return NULL;
}

guint64
wpr_stream_lane_bytes (const WprLane *lane)
{
  return lane->visit == visit ? ((const Stream *)lane)->bytes : 0;
}
