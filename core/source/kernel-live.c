/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What changes while it records: events on and off, larger rings. What else is recorded has no gap
 * by it. */
#include "config.h"

#include <string.h>

#include <glib/gi18n-lib.h>

#include "source/kernel.h"

/* While a thread maps new rings the old ones are drained this often. */
#define DRAIN_WAIT_US (5 * 1000)
/* A record that was begun before its event was sent to the new ring is in the old one by then: the
 * kernel writes it with interrupts off. */
#define STRAGGLERS_US 1000

/* ---- one item on or off ---- */

/* The ring set of a collector of the manifest; FALSE if it has none. */
static gboolean
wpr_kernel_set_of_collector (const WprSourceKernel *self, guint32 collector, guint *set)
{
  for (guint i = 0; i < self->ring_sets->len; i++)
    if (wpr_kernel_collector (self, i) == collector)
      {
        *set = i;
        return TRUE;
      }
  return FALSE;
}

static const WprPlanCollector *
wpr_kernel_collector_of_item (const WprPlan *plan, const WprPlanItem *item)
{
  for (guint c = 0; c < plan->collectors->len; c++)
    {
      const WprPlanCollector *collector = g_ptr_array_index (plan->collectors, c);
      if (g_ptr_array_find ((GPtrArray *)collector->items, item, NULL))
        return collector;
    }
  return NULL;
}

/* The rings of its own collector, which the plan may number otherwise than the manifest; those of
 * the system collector, or of any, where it has none: rings for a further collector cannot be had
 * while recording. FALSE if there is no ring at all. */
static gboolean
wpr_kernel_set_of_item (WprSourceKernel *self, WprSession *session, const WprPlanItem *item,
                        guint *set)
{
  const WprPlanCollector *own = wpr_kernel_collector_of_item (session->plan, item);
  const GArray *collectors = session->manifest->collectors;
  guint found = 0;
  gboolean any = FALSE, is_own = FALSE;
  for (guint32 c = 0; c < collectors->len && !is_own; c++)
    {
      const WprStoreCollector *stored = &g_array_index (collectors, WprStoreCollector, c);
      guint ring;
      if (!wpr_kernel_set_of_collector (self, c, &ring))
        continue;
      is_own = own && stored->kind == (guint32)own->kind
               && (own->kind == WPR_COLLECTOR_SYSTEM || g_str_equal (stored->name, own->name));
      if (is_own || !any || stored->kind == WPR_COLLECTOR_SYSTEM)
        found = ring;
      any = TRUE;
    }
  *set = found;
  if (!any || is_own || !own)
    return any;
  g_autofree char *text = g_strdup_printf (
      _ ("Buffers of their own for “%s” cannot be had while recording; its events go into those of "
         "“%s”."),
      own->name,
      g_array_index (collectors, WprStoreCollector, wpr_kernel_collector (self, found)).name);
  session->notice (session->notice_data, WPR_NOTICE_INFO, "shared-buffers", text);
  return TRUE;
}

static gboolean
wpr_kernel_is_on (const WprSourceKernel *self, const WprPerfEvent *event)
{
  return !g_hash_table_contains (self->off, GUINT_TO_POINTER (event->row));
}

/* Whether records of both mean the same to a reader of the manifest. */
static gboolean
wpr_kernel_is_like (const WprPerfEvent *a, const WprPerfEvent *b)
{
  return a->ring == b->ring && a->kind == b->kind && g_str_equal (a->name, b->name)
         && a->callchain == b->callchain && a->period == b->period && a->frequency == b->frequency
         && a->addr == b->addr && a->regs == b->regs;
}

/* What a dropped event counted last stays in its members, and so in the sums. */
static gboolean
wpr_kernel_drop (WprSourceKernel *self, guint32 row, GError **error)
{
  g_autoptr (GArray) counts = g_array_new (FALSE, FALSE, sizeof (WprGroupCount));
  if (!wpr_opener_drop (self->opener, row, counts, error))
    return FALSE;
  for (guint i = 0; i < counts->len; i++)
    {
      const WprGroupCount *count = &g_array_index (counts, WprGroupCount, i);
      guint index = GPOINTER_TO_UINT (g_hash_table_lookup (self->by_id, &count->id));
      if (index == 0)
        continue;
      WprKernelMember *member = &g_array_index (self->members, WprKernelMember, index - 1);
      member->counted = count->count;
      member->lost = count->lost;
    }
  g_hash_table_add (self->off, GUINT_TO_POINTER (row));
  return TRUE;
}

/* Every CPU, or one reason for all, refused it. */
static gboolean
wpr_kernel_was_refused (WprSourceKernel *self, guint first_id, guint first_refusal,
                        const WprPlanItem *item, GError **error)
{
  if (self->opened.ids->len > first_id || self->opened.refusals->len == first_refusal)
    return FALSE;
  const WprRefusal *refusal = &g_array_index (self->opened.refusals, WprRefusal, first_refusal);
  if (item->strict)
    wpr_set_error (error, WPR_ERROR_NOT_AVAILABLE, 0,
                   _ ("The profile is strict and %s cannot be recorded: %s."), item->name,
                   wpr_kernel_refusal_reason (refusal->error_number));
  return TRUE;
}

static gboolean
wpr_kernel_add (WprSourceKernel *self, WprSession *session, const WprPlanItem *item,
                WprPerfEvent *event, const WprPerfEvent *known, GError **error)
{
  guint first_id = self->opened.ids->len, first_refusal = self->opened.refusals->len;
  guint first_leader = self->opened.leaders->len, first_remark = self->opened.remarks->len;
  if (known)
    event->row = known->row;
  else
    wpr_kernel_add_row (self, session->manifest, wpr_kernel_collector (self, event->ring), event,
                        item->name, wpr_source_is_file (item));
  if (!wpr_opener_add (self->opener, event, &self->opened, error))
    return FALSE;
  g_hash_table_remove (self->off, GUINT_TO_POINTER (event->row));
  wpr_kernel_tell_refusals (self, session, first_refusal);
  wpr_kernel_tell_remarks (self, session, first_remark);
  wpr_kernel_add_ids (self, session, first_id);
  if (self->running && !wpr_kernel_switch (self, FALSE, TRUE, first_leader, error))
    return FALSE;
  if (!wpr_kernel_was_refused (self, first_id, first_refusal, item, error))
    return TRUE;
  wpr_kernel_drop (self, event->row, NULL);
  return !item->strict;
}

gboolean
wpr_kernel_set (WprSourceKernel *self, WprSession *session, const WprPlanItem *item, gboolean on,
                GError **error)
{
  WprPerfEvent event = { 0 };
  gboolean is_ours = self->opener && wpr_kernel_row (self, item, session, &event);
  g_clear_pointer (&self->programs, wpr_programs_free);
  if (!is_ours)
    return TRUE;
  guint32 was_on = G_MAXUINT32;
  for (guint i = 0; i < self->events->len; i++)
    {
      const WprPerfEvent *one = &g_array_index (self->events, WprPerfEvent, i);
      if (g_str_equal (one->name, event.name) && wpr_kernel_is_on (self, one))
        was_on = one->row;
    }
  if (!on)
    return was_on == G_MAXUINT32 || wpr_kernel_drop (self, was_on, error);
  if (!wpr_kernel_set_of_item (self, session, item, &event.ring))
    {
      wpr_set_error (error, WPR_ERROR_STATE, 0,
                     _ ("This recording has no buffers of the kernel's, so %s cannot be added."),
                     item->name);
      return FALSE;
    }
  const WprPerfEvent *known = NULL;
  for (guint i = 0; i < self->events->len && !known; i++)
    {
      const WprPerfEvent *one = &g_array_index (self->events, WprPerfEvent, i);
      if (!wpr_kernel_is_on (self, one) && wpr_kernel_is_like (one, &event)
          && g_array_index (session->manifest->events, WprStoreEvent, one->row).as_file
                 == (guint32)wpr_source_is_file (item))
        known = one;
    }
  /* The new one first: what hits in between is there twice, never missing. */
  return wpr_kernel_add (self, session, item, &event, known, error)
         && (was_on == G_MAXUINT32 || wpr_kernel_drop (self, was_on, error));
}

/* ---- larger rings ---- */

typedef struct
{
  WprSourceKernel *self;
  guint set;
  gsize bytes;
  GError *error;
  gint done; /* atomic */
} WprGrowAhead;

static gpointer
wpr_kernel_grow_ahead_thread (gpointer data)
{
  WprGrowAhead *ahead = data;
  wpr_opener_grow_ahead (ahead->self->opener, ahead->set, ahead->bytes, &ahead->error);
  g_atomic_int_set (&ahead->done, 1);
  return NULL;
}

/* Mapping zeroes the memory, a second a GiB: a thread does it while the rings are drained here. */
static gboolean
wpr_kernel_grow_ahead (WprSourceKernel *self, WprSession *session, guint set, gsize bytes,
                       GError **error)
{
  WprGrowAhead ahead = { self, set, bytes, NULL, 0 };
  self->growing = TRUE;
  GThread *thread = g_thread_new ("wpr-grow", wpr_kernel_grow_ahead_thread, &ahead);
  while (!g_atomic_int_get (&ahead.done))
    {
      wpr_kernel_drain (self, session, FALSE, NULL); /* the tick tells what fails */
      g_usleep (DRAIN_WAIT_US);
    }
  g_thread_join (thread);
  self->growing = FALSE;
  if (!ahead.error)
    return TRUE;
  g_propagate_error (error, ahead.error);
  return FALSE;
}

/* The ring of a leader that was appended becomes its CPU's, the one before the old one. */
static gboolean
wpr_kernel_take_ring (WprSourceKernel *self, WprSession *session, const WprLeader *leader,
                      guint32 collector, GError **error)
{
  for (guint i = 0; i < self->rings->len; i++)
    {
      WprKernelRing *ring = &g_array_index (self->rings, WprKernelRing, i);
      if (ring->collector != collector || ring->cpu != leader->cpu)
        continue;
      WprRing *mapped = wpr_ring_map (leader->fd, leader->bytes, session->backward, error);
      if (!mapped)
        return FALSE;
      /* One that is older still, in memory mode: its stretch ends here. */
      g_clear_pointer (&ring->old, wpr_ring_free);
      ring->bytes_before += wpr_ring_bytes (ring->ring);
      if (self->by_records)
        wpr_kernel_count_records (ring);
      ring->looked_at = 0;
      ring->old = ring->ring;
      ring->ring = mapped;
      ring->leader_fd = leader->fd;
    }
  return TRUE;
}

static void
wpr_kernel_tell_grown (WprSourceKernel *self, WprSession *session, guint32 collector)
{
  gsize least = G_MAXSIZE;
  guint n = 0;
  for (guint i = 0; i < self->rings->len; i++)
    {
      const WprKernelRing *ring = &g_array_index (self->rings, WprKernelRing, i);
      if (ring->collector != collector || !ring->online)
        continue;
      least = MIN (least, wpr_ring_size (ring->ring));
      n++;
    }
  WprStoreCollector *stored
      = &g_array_index (session->manifest->collectors, WprStoreCollector, collector);
  if (n == 0)
    return;
  stored->ring_bytes = least;
  wpr_kernel_note_granted (session, collector, least, n);
}

gboolean
wpr_kernel_grow (WprSourceKernel *self, WprSession *session, guint32 collector, guint64 ring_bytes,
                 GError **error)
{
  guint set, first_leader = self->opened.leaders ? self->opened.leaders->len : 0;
  if (!self->opener || !wpr_kernel_set_of_collector (self, collector, &set))
    {
      wpr_set_error (error, WPR_ERROR_STATE, 0,
                     _ ("That collector has no buffers that could be enlarged."));
      return FALSE;
    }
  if (!wpr_kernel_grow_ahead (self, session, set, ring_bytes, error))
    return FALSE;
  /* Nearly empty when it is changed: the rest is put in order in memory. */
  wpr_kernel_drain (self, session, TRUE, NULL);
  if (!wpr_opener_grow (self->opener, set, ring_bytes, &self->opened, error))
    return FALSE;
  for (guint i = first_leader; i < self->opened.leaders->len; i++)
    if (!wpr_kernel_take_ring (self, session, &g_array_index (self->opened.leaders, WprLeader, i),
                               collector, error))
      return FALSE;
  wpr_kernel_tell_grown (self, session, collector);
  if (session->backward || !session->store)
    return TRUE;
  g_usleep (STRAGGLERS_US);
  return wpr_kernel_join_rings (self, session, error);
}
