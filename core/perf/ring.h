/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A mapped ring: looked at, drained (file mode), read (sideband), copied (memory mode). One thread
 * a ring, but head, used and fill: any thread. */
#pragma once

#include <glib.h>
#include <linux/perf_event.h>

G_BEGIN_DECLS

typedef struct _WprRing WprRing;

/* Maps a leader's ring: forward read-write, backward PROT_READ. */
WprRing *wpr_ring_map (int leader_fd, gsize bytes, gboolean backward, GError **error);
/* Over memory of the caller (tests): one page of struct perf_event_mmap_page, then `bytes` of data;
 * not unmapped. */
WprRing *wpr_ring_new_over (gpointer base, gsize bytes, gboolean backward);
void wpr_ring_free (WprRing *ring);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprRing, wpr_ring_free)

gsize wpr_ring_size (const WprRing *ring);
guint64 wpr_ring_bytes (
    const WprRing *ring); /* ever written by the kernel (head; backward: -head) */
guint64 wpr_ring_used (const WprRing *ring); /* forward: head - tail; backward: min (bytes, size) */

/* Writes whole records from the mapping to fd in chunks of at most 256 KiB, giving the space back
 * chunk by chunk; stops at what was there when called, or before the record that would exceed
 * `most` bytes (0: no limit). Bytes written. A write that fails (disk full) takes its chunk out of
 * the file again, where it is a file, and leaves it in the ring: what went before is returned, as
 * write(2) does, and the next call says the error; -1 with WPR_ERROR_NO_SPACE or _INTERNAL. */
gssize wpr_ring_drain (WprRing *ring, int fd, gsize most, GError **error);

/* Calls func for each record now in a forward ring (a wrapped record is joined first), then gives
 * the space back. Number of records. */
typedef void (*WprRingFunc) (const struct perf_event_header *record, gpointer data);
gsize wpr_ring_read (WprRing *ring, WprRingFunc func, gpointer data);

/* The same without giving space back, for each record since the last look (*seen, 0 at first): of a
 * forward ring what has not been given back yet, of a backward one the newest first and at most
 * what it holds, so that the oldest of them may be overwritten while it is looked at. */
gsize wpr_ring_peek (WprRing *ring, guint64 *seen, WprRingFunc func, gpointer data);

/* A backward ring as of now, not paused: what was overwritten during the copy is cut off, and what
 * is left is put oldest first. */
typedef struct
{
  guint8 *data; /* whole records, oldest first; g_free */
  gsize size;
  guint64 bytes_ever; /* written by the kernel up to the newest record of the copy */
  guint64 cut;        /* bytes cut at the old end */
} WprRingCopy;
gboolean wpr_ring_copy (WprRing *ring, WprRingCopy *copy, GError **error);
void wpr_ring_copy_clear (WprRingCopy *copy);

/* A witness of a ring that other processes may map, made while it is mapped here: tells when its
 * memory is free again. The descriptor is the caller's; -1 with errno. */
int wpr_ring_witness_new (int leader_fd, guint cpu, gboolean backward);
/* TRUE once nobody has it mapped, through whatever event. -1 is never free. */
gboolean wpr_ring_witness_is_free (int witness_fd);

G_END_DECLS
