/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rings of the kernel source on their way out: drained into the store (file mode), copied as they
 * are (memory mode). No record of a data ring is looked at, but the first of a copy. */
#include "config.h"

#include <string.h>

#include "base/files.h"
#include "store/payload.h"
#include "source/kernel.h"
#include "source/sideband.h"

/* ---- file mode ---- */

static gboolean
wpr_kernel_drain_data (WprKernelRing *ring, WprStore *store, gboolean to_the_end, GError **error)
{
  gboolean again;
  do
    {
      if (wpr_ring_used (ring->ring) == 0)
        return TRUE;
      int fd = wpr_store_data_fd (store, ring->collector, ring->cpu, error);
      if (fd < 0)
        return FALSE;
      gssize n = wpr_ring_drain (ring->ring, fd, 0, error);
      if (n < 0)
        return FALSE;
      wpr_store_wrote (store, ring->collector, ring->cpu, (gsize)n);
      ring->drained += (guint64)n;
      again = to_the_end && n > 0;
    }
  while (again);
  return TRUE;
}

/* All rings are tried, whichever fails: the first error is the one told. */
gboolean
wpr_kernel_drain (WprSourceKernel *self, WprSession *session, gboolean to_the_end, GError **error)
{
  g_autoptr (GError) first = NULL;
  for (guint i = 0; i < self->rings->len; i++)
    {
      WprKernelRing *ring = &g_array_index (self->rings, WprKernelRing, i);
      GError **slot = first ? NULL : &first;
      if (ring->collector == WPR_COLLECTOR_SIDEBAND)
        {
          if (wpr_ring_used (ring->ring) > 0)
            wpr_sideband_drain (self->sideband, session, ring->ring, slot);
        }
      else if (!session->backward && session->store)
        wpr_kernel_drain_data (ring, session->store, to_the_end, slot);
    }
  if (!first)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&first));
  return FALSE;
}

/* ---- memory mode ---- */

typedef struct
{
  guint32 collector;
  guint cpu;
  WprRingCopy copy;
} WprKernelCopy;

static void
wpr_kernel_copy_clear (gpointer data)
{
  wpr_ring_copy_clear (&((WprKernelCopy *)data)->copy);
}

/* Where in a sample the time is depends on what its event samples: hence the ids. */
WprTime
wpr_kernel_first_time (const WprIdTable *ids, const WprRingCopy *copy)
{
  for (gsize at = 0; at + sizeof (struct perf_event_header) <= copy->size;)
    {
      const struct perf_event_header *header = (gconstpointer)(copy->data + at);
      WprRecord record;
      if (header->size < sizeof *header || header->size > copy->size - at)
        break;
      if (wpr_record_parse (header, ids, &record))
        return record.time;
      at += header->size;
    }
  return 0;
}

static gboolean
wpr_kernel_write_copy (const WprIdTable *ids, const WprKernelCopy *copy, WprStore *store,
                       WprTime now, WprTime *complete_from, GError **error)
{
  const WprRingCopy *c = &copy->copy;
  if (c->size > 0)
    {
      int fd = wpr_store_data_fd (store, copy->collector, copy->cpu, error);
      if (fd < 0 || !wpr_write_all (fd, c->data, c->size, error))
        return FALSE;
      wpr_store_wrote (store, copy->collector, copy->cpu, c->size);
    }
  guint64 overwritten = c->bytes_ever > c->size ? c->bytes_ever - c->size : 0;
  if (overwritten > 0)
    {
      WprTime oldest = wpr_kernel_first_time (ids, c);
      *complete_from = MAX (*complete_from, oldest ? oldest : now);
    }
  WprRingPayload payload = { copy->collector, c->bytes_ever, c->size, overwritten };
  return wpr_store_add_note (store, WPR_NOTE_RING, copy->cpu, now, 0, 0, &payload, sizeof payload,
                             error);
}

/* All at once where memory allows, so that the CPUs end at nearly the same moment; else one by one.
 */
static gboolean
wpr_kernel_fits_at_once (WprSourceKernel *self)
{
  guint64 need = 0, available = 0;
  for (guint i = 0; i < self->rings->len; i++)
    if (g_array_index (self->rings, WprKernelRing, i).collector != WPR_COLLECTOR_SIDEBAND)
      need += wpr_ring_used (g_array_index (self->rings, WprKernelRing, i).ring);
  g_autofree char *meminfo = wpr_read_small ("/proc/meminfo", 16384, NULL);
  const char *at = meminfo ? strstr (meminfo, "MemAvailable:") : NULL;
  if (at)
    available = g_ascii_strtoull (at + strlen ("MemAvailable:"), NULL, 10) * 1024;
  return need <= available / 2;
}

static gboolean
wpr_kernel_flush_copies (const WprIdTable *ids, GArray *copies, WprStore *store, WprTime now,
                         WprTime *complete_from, GError **error)
{
  for (guint i = 0; i < copies->len; i++)
    if (!wpr_kernel_write_copy (ids, &g_array_index (copies, WprKernelCopy, i), store, now,
                                complete_from, error))
      return FALSE;
  g_array_set_size (copies, 0);
  return TRUE;
}

gboolean
wpr_kernel_copy (WprSourceKernel *self, WprSession *session, WprStore *store,
                 WprTime *complete_from, GError **error)
{
  g_autoptr (GArray) copies = g_array_new (FALSE, TRUE, sizeof (WprKernelCopy));
  g_array_set_clear_func (copies, wpr_kernel_copy_clear);
  gboolean at_once = wpr_kernel_fits_at_once (self);
  WprClockReading now;
  wpr_clock_read (&now);
  for (guint i = 0; i < self->rings->len; i++)
    {
      const WprKernelRing *ring = &g_array_index (self->rings, WprKernelRing, i);
      if (ring->collector == WPR_COLLECTOR_SIDEBAND)
        continue;
      WprKernelCopy copy = { .collector = ring->collector, .cpu = ring->cpu };
      if (!wpr_ring_copy (ring->ring, &copy.copy, error))
        return FALSE;
      g_array_append_val (copies, copy);
      if (!at_once
          && !wpr_kernel_flush_copies (self->ids, copies, store, now.monotonic_ns, complete_from,
                                       error))
        return FALSE;
    }
  /* The newest records' threads have a name only if the sideband is read after the copy. */
  if (!wpr_kernel_drain (self, session, FALSE, error)
      || !wpr_kernel_flush_copies (self->ids, copies, store, now.monotonic_ns, complete_from,
                                   error))
    return FALSE;
  if (self->running)
    {
      wpr_kernel_count (self, TRUE);
      wpr_kernel_tell_losses (self, session, now.monotonic_ns);
    }
  return wpr_kernel_note_tallies (self, store, now.monotonic_ns, error)
         && wpr_kernel_note_losses (self, store, error)
         && wpr_kernel_note_gaps (self, store, error);
}
