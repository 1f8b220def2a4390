/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What ring.c and ring-copy.c share: the ring itself. Nobody else includes this. */
#pragma once

#include "perf/ring.h"

struct _WprRing
{
  struct perf_event_mmap_page *page;
  guint8 *data;
  gsize size;
  gboolean backward;
  gsize mapped_bytes; /* what free unmaps; 0: the memory is the caller's */
  guint8 *joined;     /* one record that wraps, in one piece; NULL until there is one */
};

/* The kernel publishes a record by its head: what the head covers is readable after this load. */
static inline guint64
wpr_ring_head (const WprRing *ring)
{
  return __atomic_load_n (&ring->page->data_head, __ATOMIC_ACQUIRE);
}
