/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers of the kernel source: heads (cost nothing), group counts (an interrupt to a running CPU),
 * losses by the second, how far back a ring reaches. */
#include "config.h"

#include <string.h>

#include <glib/gi18n-lib.h>

#include "base/log.h"
#include "source/kernel.h"
#include "store/payload.h"

/* Losses kept for the saves of memory mode: a day of one loss a second. Later ones are added to the
 * last of their row and CPU. */
#define LOSSES_MOST 86400
#define HISTORY_STEP_NS (100 * G_GINT64_CONSTANT (1000000))

/* ---- how far back ---- */

static void
wpr_history_drop (WprRingHistory *history, guint64 overwritten)
{
  guint first = 0;
  while (first + 1 < history->n && history->points[first + 1].bytes <= overwritten)
    first++;
  history->n -= first;
  memmove (history->points, history->points + first, history->n * sizeof history->points[0]);
}

void
wpr_history_add (WprRingHistory *history, WprTime when, guint64 bytes)
{
  if (history->n > 0 && when - history->points[history->n - 1].when < history->step_ns)
    return;
  if (history->n == WPR_HISTORY_MOST)
    {
      for (guint i = 0; i < WPR_HISTORY_MOST / 2; i++)
        history->points[i] = history->points[2 * i];
      history->n = WPR_HISTORY_MOST / 2;
      history->step_ns *= 2;
    }
  if (history->n == 0)
    history->step_ns = HISTORY_STEP_NS;
  history->points[history->n].when = when;
  history->points[history->n++].bytes = bytes;
}

WprTime
wpr_history_before (const WprRingHistory *history, guint64 bytes)
{
  WprTime found = history->n > 0 ? history->points[0].when : 0;
  for (guint i = 1; i < history->n && history->points[i].bytes <= bytes; i++)
    found = history->points[i].when;
  return found;
}

/* The time from which on a ring holds everything. */
static WprTime
wpr_kernel_oldest (WprKernelRing *ring, WprTime now, guint64 bytes)
{
  guint64 overwritten = bytes - MIN (bytes, wpr_kernel_held (ring));
  if (ring->history.n == WPR_HISTORY_MOST)
    {
      wpr_history_drop (&ring->history, overwritten);
      /* A ring that turns over faster than before deserves closer points. */
      if (ring->history.n < WPR_HISTORY_MOST / 4)
        ring->history.step_ns = MAX (HISTORY_STEP_NS, ring->history.step_ns / 2);
    }
  wpr_history_add (&ring->history, now, bytes);
  return wpr_history_before (&ring->history, overwritten);
}

/* ---- counts ---- */

/* Events of a row on one CPU: hits where the period is 1. cpu-clock counts ns and hardware counters
 * count cycles: there it is an estimate, exact only in the file. */
static guint64
wpr_kernel_events_of (const WprPerfEvent *event, guint64 counted, guint32 cpu_mhz)
{
  if (event->frequency > 0)
    return cpu_mhz > 0 ? (guint64)((double)counted / (cpu_mhz * 1e6) * (double)event->frequency)
                       : 0;
  return event->period > 1 ? counted / event->period : counted;
}

static void
wpr_kernel_take_counts (WprSourceKernel *self, const GArray *counts)
{
  for (guint i = 0; i < counts->len; i++)
    {
      const WprGroupCount *count = &g_array_index (counts, WprGroupCount, i);
      guint index = GPOINTER_TO_UINT (g_hash_table_lookup (self->by_id, &count->id));
      if (index == 0) /* the leader itself */
        continue;
      WprKernelMember *member = &g_array_index (self->members, WprKernelMember, index - 1);
      member->counted = count->count;
      member->lost = count->lost;
    }
}

/* A ring's sums are over all that ever put something into it, also what was closed since. */
static void
wpr_kernel_add_up (WprSourceKernel *self)
{
  for (guint i = 0; i < self->rings->len; i++)
    {
      WprKernelRing *ring = &g_array_index (self->rings, WprKernelRing, i);
      ring->events = ring->lost = 0;
    }
  for (guint i = 0; i < self->members->len; i++)
    {
      WprKernelMember *member = &g_array_index (self->members, WprKernelMember, i);
      for (guint r = 0; member->ring == 0 && r < self->rings->len; r++)
        {
          const WprKernelRing *ring = &g_array_index (self->rings, WprKernelRing, r);
          if (ring->cpu == member->cpu && ring->collector == member->collector)
            member->ring = r + 1;
        }
      const WprPerfEvent *event = wpr_kernel_event (self, member->row);
      if (member->ring == 0 || !event)
        continue;
      WprKernelRing *ring = &g_array_index (self->rings, WprKernelRing, member->ring - 1);
      ring->lost += member->lost;
      ring->events += wpr_kernel_events_of (event, member->counted, self->cpu_mhz);
    }
}

/* The ring whose group the leader is: leaders and rings come in the same order, but for further
 * groups. */
static WprKernelRing *
wpr_kernel_ring_of (WprSourceKernel *self, const WprLeader *leader, guint guess)
{
  guint32 collector = wpr_kernel_collector (self, leader->ring);
  for (guint i = 0; i < self->rings->len; i++)
    {
      WprKernelRing *ring
          = &g_array_index (self->rings, WprKernelRing, (guess + i) % self->rings->len);
      if (ring->cpu == leader->cpu && ring->collector == collector)
        return ring;
    }
  return NULL;
}

static void
wpr_kernel_choose_rings (WprSourceKernel *self, gboolean all)
{
  for (guint i = 0; i < self->rings->len; i++)
    {
      WprKernelRing *ring = &g_array_index (self->rings, WprKernelRing, i);
      guint64 bytes = wpr_kernel_bytes (ring);
      ring->read_now = all || (bytes != ring->counted_at && ring->online);
      if (ring->read_now)
        ring->counted_at = bytes;
    }
}

/* ---- by records ---- */

static void
wpr_kernel_count_record (const struct perf_event_header *header, gpointer data)
{
  WprKernelRing *ring = data;
  guint64 lost[2]; /* id, number */
  switch (header->type)
    {
    case PERF_RECORD_SAMPLE:
    case PERF_RECORD_SWITCH:
    case PERF_RECORD_SWITCH_CPU_WIDE:
      ring->events++;
      break;
    case PERF_RECORD_LOST:
      if (header->size < sizeof *header + sizeof lost)
        break;
      memcpy (lost, header + 1, sizeof lost);
      ring->lost += lost[1];
      break;
    default:
      break;
    }
}

void
wpr_kernel_count_records (WprKernelRing *ring)
{
  wpr_ring_peek (ring->ring, &ring->looked_at, wpr_kernel_count_record, ring);
}

/* The LOST records are in the file, so no notes beside them. */
static void
wpr_kernel_tell_ring_losses (WprSourceKernel *self)
{
  for (guint i = 0; i < self->rings->len; i++)
    {
      WprKernelRing *ring = &g_array_index (self->rings, WprKernelRing, i);
      WprSourceLoss told
          = { ring->collector, ring->cpu, G_MAXUINT32, ring->lost - ring->lost_told };
      if (told.count > 0 && ring->collector != WPR_COLLECTOR_SIDEBAND)
        g_array_append_val (self->untold, told);
      ring->lost_told = ring->lost;
    }
}

/* ---- by groups ---- */

static void
wpr_kernel_count_groups (WprSourceKernel *self, gboolean all)
{
  g_autoptr (GArray) counts = g_array_new (FALSE, FALSE, sizeof (WprGroupCount));
  wpr_kernel_choose_rings (self, all);
  for (guint i = 0; i < self->opened.leaders->len; i++)
    {
      const WprLeader *leader = &g_array_index (self->opened.leaders, WprLeader, i);
      WprKernelRing *ring = wpr_kernel_ring_of (self, leader, i);
      gboolean has_lost = TRUE;
      if (!ring || !ring->read_now)
        continue;
      g_array_set_size (counts, 0);
      if (!wpr_group_read (leader->fd, counts, &has_lost, NULL))
        continue; /* what was read before stands */
      self->has_lost &= has_lost;
      wpr_kernel_take_counts (self, counts);
    }
  wpr_kernel_add_up (self);
}

void
wpr_kernel_count (WprSourceKernel *self, gboolean all)
{
  if (!self->by_records)
    wpr_kernel_count_groups (self, all);
  for (guint i = 0; self->by_records && i < self->rings->len; i++)
    wpr_kernel_count_records (&g_array_index (self->rings, WprKernelRing, i));
}

/* Before 6.0 a group read has no losses; the records of the ring tell them afterwards. */
static void
wpr_kernel_tell_no_counter (WprSourceKernel *self, WprSession *session)
{
  if (self->has_lost || self->told_no_counter)
    return;
  self->told_no_counter = TRUE;
  session->notice (session->notice_data, WPR_NOTICE_INFO, "loss-later",
                   _ ("This kernel does not say at once how many events were lost (6.0 and later "
                      "do). The file will say it."));
}

/* ---- losses ---- */

static void
wpr_kernel_keep_loss (WprSourceKernel *self, const WprKernelLoss *loss)
{
  if (self->losses->len < LOSSES_MOST)
    {
      g_array_append_val (self->losses, *loss);
      return;
    }
  for (guint i = self->losses->len; i > 0; i--)
    {
      WprKernelLoss *kept = &g_array_index (self->losses, WprKernelLoss, i - 1);
      if (kept->row != loss->row || kept->cpu != loss->cpu)
        continue;
      kept->count += loss->count;
      return;
    }
  g_array_append_val (self->losses, *loss);
}

static gboolean
wpr_kernel_note_loss (WprStore *store, const WprKernelLoss *loss, GError **error)
{
  WprLossPayload payload = { loss->collector, loss->row, loss->count };
  return wpr_store_add_note (store, WPR_NOTE_LOSS, loss->cpu, loss->when, 0, 0, &payload,
                             sizeof payload, error);
}

void
wpr_kernel_tell_losses (WprSourceKernel *self, WprSession *session, WprTime now)
{
  self->losses_told = now;
  if (self->by_records)
    {
      wpr_kernel_tell_ring_losses (self);
      return;
    }
  for (guint i = 0; i < self->members->len; i++)
    {
      WprKernelMember *member = &g_array_index (self->members, WprKernelMember, i);
      if (member->lost <= member->lost_told)
        continue;
      WprKernelLoss loss
          = { now, member->cpu, member->collector, member->row, member->lost - member->lost_told };
      member->lost_told = member->lost;
      WprSourceLoss told = { loss.collector, loss.cpu, loss.row, loss.count };
      g_array_append_val (self->untold, told);
      if (session->store && !session->backward)
        wpr_kernel_note_loss (session->store, &loss, NULL);
      else
        wpr_kernel_keep_loss (self, &loss);
    }
}

gboolean
wpr_kernel_note_losses (WprSourceKernel *self, WprStore *store, GError **error)
{
  for (guint i = 0; i < self->losses->len; i++)
    if (!wpr_kernel_note_loss (store, &g_array_index (self->losses, WprKernelLoss, i), error))
      return FALSE;
  return TRUE;
}

typedef struct
{
  guint64 key; /* row << 32 | CPU */
  guint cpu;
  WprTallyPayload payload;
} WprKernelTally;

/* One a row and CPU, however often its events were opened anew. */
gboolean
wpr_kernel_note_tallies (WprSourceKernel *self, WprStore *store, WprTime now, GError **error)
{
  g_autoptr (GHashTable) tallies
      = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, g_free);
  g_autoptr (GPtrArray) in_order = g_ptr_array_new ();
  for (guint i = 0; i < self->members->len; i++)
    {
      const WprKernelMember *member = &g_array_index (self->members, WprKernelMember, i);
      guint64 key = (guint64)member->row << 32 | member->cpu;
      WprKernelTally *tally = g_hash_table_lookup (tallies, &key);
      if (!tally)
        {
          tally = g_new (WprKernelTally, 1);
          *tally = (WprKernelTally){ key, member->cpu, { member->row, member->collector, 0, 0 } };
          g_hash_table_insert (tallies, &tally->key, tally);
          g_ptr_array_add (in_order, tally);
        }
      tally->payload.counted += member->counted;
      tally->payload.lost += member->lost;
    }
  for (guint i = 0; i < in_order->len; i++)
    {
      const WprKernelTally *tally = g_ptr_array_index (in_order, i);
      if (!wpr_store_add_note (store, WPR_NOTE_TALLY, tally->cpu, now, 0, 0, &tally->payload,
                               sizeof tally->payload, error))
        return FALSE;
    }
  return TRUE;
}

/* ---- the hook ---- */

void
wpr_kernel_figures (WprSourceKernel *self, WprSession *session, gboolean counts, GArray *figures,
                    GArray *losses)
{
  WprClockReading now;
  wpr_clock_read (&now);
  if (counts && self->running)
    {
      wpr_kernel_watch_cpus (self, session, now.monotonic_ns);
      wpr_kernel_count (self, FALSE);
      wpr_kernel_tell_no_counter (self, session);
      /* Called twice a second: each second call tells, give or take a late tick. */
      if (now.monotonic_ns - self->losses_told > WPR_NS_PER_SECOND * 3 / 4)
        wpr_kernel_tell_losses (self, session, now.monotonic_ns);
    }
  g_array_append_vals (losses, self->untold->data, self->untold->len);
  g_array_set_size (self->untold, 0);
  for (guint i = 0; i < self->rings->len; i++)
    {
      WprKernelRing *ring = &g_array_index (self->rings, WprKernelRing, i);
      if (ring->collector == WPR_COLLECTOR_SIDEBAND)
        continue;
      WprSourceFigures f = {
        .collector = ring->collector,
        .cpu = ring->cpu,
        .online = ring->online,
        .ring_bytes = wpr_ring_size (ring->ring),
        .used_bytes = session->backward ? wpr_kernel_held (ring) : wpr_ring_used (ring->ring),
        .bytes = wpr_kernel_bytes (ring),
        .events = ring->events,
        .lost = ring->lost,
        .drained_bytes = ring->drained,
      };
      if (session->backward)
        {
          f.overwritten_bytes = f.bytes - MIN (f.bytes, f.used_bytes);
          f.oldest = wpr_kernel_oldest (ring, now.monotonic_ns, f.bytes);
        }
      g_array_append_val (figures, f);
    }
}
