/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A writer that follows the kernel's protocol of publishing: it takes space first, writes, and the
 * outermost of nested writers publishes the head. Its records are numbered and every word of them
 * can be checked. Not here: any test. */
#pragma once

#include <glib.h>
#include "perf/ring.h"

typedef struct
{
  struct perf_event_mmap_page *page;
  guint8 *data;
  gsize size;
  gboolean backward;
  guint64 head; /* taken, not yet published */
  guint nest;
  guint64 next;      /* number of the next record */
  guint64 published; /* numbers below this are published (atomic) */
  GRand *random;
} FakeKernel;

/* `start` is where the first record goes, a multiple of 8. */
FakeKernel *fake_kernel_new (gsize size, gboolean backward, guint64 start);
void fake_kernel_free (FakeKernel *kernel);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (FakeKernel, fake_kernel_free)
/* FALSE if there is no room in a forward ring: nothing is written. `bytes`: a multiple of 8, at
 * least 16. Up to `nested` writers interrupt it, each in the middle of the one before. */
gboolean fake_kernel_write (FakeKernel *kernel, gsize bytes, guint nested);
/* A size of record: mostly some hundred bytes, now and then up to most. */
gsize fake_kernel_size (FakeKernel *kernel, gsize most);

/* Asserts that bytes are whole records numbered without a gap, all words as they were written, and
 * returns how many; *first is the number of the first (unchanged if there is none). */
guint64 fake_kernel_check (const guint8 *bytes, gsize size, guint64 *first);
