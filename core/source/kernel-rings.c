/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rings of the kernel source on their way out: drained into the store (file mode), copied as they
 * are (memory mode). No record of a data ring is looked at, but the first of a copy. */
#include "config.h"

#include <string.h>

#include "base/files.h"
#include "store/payload.h"
#include "source/kernel.h"
#include "source/sideband.h"

guint64
wpr_kernel_bytes (const WprKernelRing *ring)
{
  return ring->bytes_before + wpr_ring_bytes (ring->ring);
}

guint64
wpr_kernel_held (const WprKernelRing *ring)
{
  guint64 bytes = wpr_ring_bytes (ring->ring);
  guint64 used = MIN (bytes, wpr_ring_size (ring->ring));
  /* Once the new ring has come round, what the old one holds is older than what is missing. */
  return ring->old && used == bytes ? used + wpr_ring_used (ring->old) : used;
}

/* ---- order ---- */

typedef struct
{
  const WprIdTable *ids;
  const guint8 *bytes;
  gsize size, at;
  gsize next;   /* bytes of the record at `at`; 0: no more */
  WprTime time; /* its time, else that of the one before */
} WprStretch;

static void
wpr_stretch_step (WprStretch *stretch)
{
  WprRecord record;
  stretch->at += stretch->next;
  stretch->next = 0;
  if (stretch->size - stretch->at < sizeof (struct perf_event_header))
    return;
  const struct perf_event_header *header = (gconstpointer)(stretch->bytes + stretch->at);
  if (header->size < sizeof *header || header->size > stretch->size - stretch->at)
    return;
  stretch->next = header->size;
  if (wpr_record_parse (header, stretch->ids, &record))
    stretch->time = record.time;
}

GByteArray *
wpr_kernel_interleave (const WprIdTable *ids, const guint8 *a, gsize a_size, const guint8 *b,
                       gsize b_size)
{
  WprStretch x = { ids, a, a_size, 0, 0, 0 }, y = { ids, b, b_size, 0, 0, 0 };
  GByteArray *both = g_byte_array_sized_new ((guint)(a_size + b_size));
  wpr_stretch_step (&x);
  wpr_stretch_step (&y);
  while (x.next > 0 || y.next > 0)
    {
      WprStretch *first = y.next == 0 || (x.next > 0 && x.time <= y.time) ? &x : &y;
      g_byte_array_append (both, first->bytes + first->at, (guint)first->next);
      wpr_stretch_step (first);
    }
  return both;
}

/* ---- file mode ---- */

static void
wpr_kernel_take_record (const struct perf_event_header *record, gpointer bytes)
{
  g_byte_array_append (bytes, (const guint8 *)record, record->size);
}

static gboolean
wpr_kernel_join (WprSourceKernel *self, WprSession *session, WprKernelRing *ring, GError **error)
{
  g_autoptr (GByteArray) rest = g_byte_array_new (), fresh = g_byte_array_new ();
  int fd = wpr_store_data_fd (session->store, ring->collector, ring->cpu, error);
  if (fd < 0)
    return FALSE;
  wpr_ring_read (ring->old, wpr_kernel_take_record, rest);
  wpr_ring_read (ring->ring, wpr_kernel_take_record, fresh);
  g_clear_pointer (&ring->old, wpr_ring_free);
  g_autoptr (GByteArray) both
      = wpr_kernel_interleave (self->ids, rest->data, rest->len, fresh->data, fresh->len);
  if (!wpr_write_all (fd, both->data, both->len, error))
    {
      wpr_store_cut_back (session->store, NULL);
      return FALSE;
    }
  wpr_store_wrote (session->store, ring->collector, ring->cpu, both->len);
  ring->drained += both->len;
  return TRUE;
}

gboolean
wpr_kernel_join_rings (WprSourceKernel *self, WprSession *session, GError **error)
{
  g_autoptr (GError) first = NULL;
  for (guint i = 0; i < self->rings->len; i++)
    {
      WprKernelRing *ring = &g_array_index (self->rings, WprKernelRing, i);
      if (ring->old)
        wpr_kernel_join (self, session, ring, first ? NULL : &first);
    }
  if (!first)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&first));
  return FALSE;
}

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
  wpr_kernel_hear (self, session);
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
        {
          if (self->by_records)
            wpr_kernel_count_records (ring);
          wpr_kernel_drain_data (ring, session->store, to_the_end, slot);
        }
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

/* With what the ring before held, where both are one unbroken stretch. */
static gboolean
wpr_kernel_copy_ring (WprSourceKernel *self, const WprKernelRing *ring, WprRingCopy *copy,
                      GError **error)
{
  WprRingCopy before = { 0 };
  if (ring->old && !wpr_ring_copy (ring->old, &before, error))
    return FALSE;
  if (!wpr_ring_copy (ring->ring, copy, error))
    {
      wpr_ring_copy_clear (&before);
      return FALSE;
    }
  if (before.size > 0 && copy->bytes_ever == copy->size)
    {
      g_autoptr (GByteArray) both
          = wpr_kernel_interleave (self->ids, before.data, before.size, copy->data, copy->size);
      g_free (copy->data);
      copy->size = both->len;
      copy->data = g_byte_array_free (g_steal_pointer (&both), FALSE);
    }
  copy->bytes_ever += ring->bytes_before;
  wpr_ring_copy_clear (&before);
  return TRUE;
}

/* All at once where memory allows, so that the CPUs end at nearly the same moment; else one by one.
 */
static gboolean
wpr_kernel_fits_at_once (WprSourceKernel *self)
{
  guint64 need = 0, available = 0;
  for (guint i = 0; i < self->rings->len; i++)
    if (g_array_index (self->rings, WprKernelRing, i).collector != WPR_COLLECTOR_SIDEBAND)
      need += wpr_kernel_held (&g_array_index (self->rings, WprKernelRing, i));
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
      if (!wpr_kernel_copy_ring (self, ring, &copy.copy, error))
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
  return (self->by_records || wpr_kernel_note_tallies (self, store, now.monotonic_ns, error))
         && wpr_kernel_note_losses (self, store, error)
         && wpr_kernel_note_gaps (self, store, error);
}
