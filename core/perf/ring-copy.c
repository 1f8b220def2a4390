/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A backward ring as of now, while the kernel goes on writing into it: positions fall, so the head
 * is where the newest record begins and what is older follows behind it; the oldest end is what is
 * being overwritten. Does not live here: draining (ring.c). */
#include "config.h"
#include "perf/ring.h"
#include "perf/ring-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/wpr-error.h"

/* Writers that have taken their space but not published it: task, soft interrupt, interrupt and NMI
 * can interrupt each other within one record each, of 64 KiB at most. */
#define UNPUBLISHED_BYTES (4 * 65536)
/* How long to watch a small ring for the writers under way; a record takes microseconds. */
#define SETTLE_US 2000
/* No head moved in that time: nobody wrote, or the writer's CPU was taken away from under it (a
 * virtual machine's may be, for longer than anybody would wait). Then this many of the largest
 * records in the copy are given up, twice the nesting there can be, and never under 8 KiB; but at
 * most a quarter of the ring, so that a ring of a page still holds something. */
#define SETTLED_RECORDS 8
#define SETTLED_LEAST 8192

/* Touches the pages first: a fault for each of them during the copy would let the kernel overwrite
 * more meanwhile. */
static void
populate (guint8 *data, gsize size)
{
  gsize page = (gsize)sysconf (_SC_PAGESIZE);
  for (gsize offset = 0; offset < size; offset += page)
    ((volatile guint8 *)data)[offset] = 0;
}

/* The kernel may be writing what we copy: such bytes are cut off afterwards, by a head that is read
 * after all of them. The thread sanitizer knows no fences and wants to be told word by word. */
static void
copy_bytes (guint8 *to, const guint8 *from, gsize size)
{
#ifdef __SANITIZE_THREAD__
  for (gsize offset = 0; offset < size; offset += 8)
    *(guint64 *)(to + offset)
        = __atomic_load_n ((const guint64 *)(from + offset), __ATOMIC_ACQUIRE);
#else
  memcpy (to, from, size);
  __atomic_thread_fence (__ATOMIC_ACQUIRE);
#endif
}

/* Size of the largest record at the start of a copy, as far as there are records. */
static gsize
largest_record (const guint8 *data, gsize size)
{
  gsize largest = 0;

  for (gsize at = 0, length; size - at >= sizeof (struct perf_event_header); at += length)
    {
      length = ((const struct perf_event_header *)(data + at))->size;
      if (length < sizeof (struct perf_event_header) || length % 8 != 0 || length > size - at)
        break;
      largest = MAX (largest, length);
    }
  return largest;
}

/* How far (in bytes from old_head downward) the ring may have been written while `size` bytes were
 * copied. A large ring that has wrapped gives up the most that can be under way. Otherwise that
 * would be much of a small ring, or a piece of one where nothing was overwritten yet, so we wait
 * until what was under way is published: heads are published by the outermost writer, so after two
 * of them whoever wrote during the copy is done. */
static guint64
written_bytes (const WprRing *ring, guint64 old_head, const guint8 *copied, gsize size)
{
  guint64 head = wpr_ring_head (ring);
  guint64 at_most = old_head - head + UNPUBLISHED_BYTES;
  gboolean wrapped = size == ring->size;
  if (size + at_most <= ring->size || (wrapped && ring->size >= 4 * UNPUBLISHED_BYTES))
    return at_most;

  gint64 until = g_get_monotonic_time () + SETTLE_US;
  guint changes = 0;
  while (changes < 2 && g_get_monotonic_time () < until)
    {
      guint64 now = wpr_ring_head (ring);
      changes += now != head;
      head = now;
    }
  if (changes == 2 || !wrapped)
    return old_head - head;
  guint64 under_way = MAX (SETTLED_RECORDS * largest_record (copied, size), SETTLED_LEAST);
  return old_head - head + MIN (under_way, ring->size / 4);
}

/* Bytes of whole records at the start of the copy, newest first; what follows is the rest of a
 * record that was cut. */
static gsize
whole_records (const guint8 *data, gsize size)
{
  gsize position = 0;

  while (size - position >= sizeof (struct perf_event_header))
    {
      guint16 length = ((const struct perf_event_header *)(data + position))->size;
      if (length < sizeof (struct perf_event_header) || length % 8 != 0 || length > size - position)
        break;
      position += length;
    }
  return position;
}

static void
reverse_words (guint64 *words, gsize n)
{
  for (gsize left = 0, right = n; left + 1 < right; left++)
    {
      guint64 word = words[left];
      words[left] = words[--right];
      words[right] = word;
    }
}

/* Newest first becomes oldest first, in place: all words are reversed, which puts each record's
 * header at its end, then, from the end, the words of each record. */
static void
reverse_records (guint8 *data, gsize size)
{
  guint64 *words = (guint64 *)data;
  gsize end = size / 8;

  reverse_words (words, end);
  while (end > 0)
    {
      gsize n = ((const struct perf_event_header *)&words[end - 1])->size / 8;
      reverse_words (&words[end - n], n);
      end -= n;
    }
}

gboolean
wpr_ring_copy (WprRing *ring, WprRingCopy *copy, GError **error)
{
  g_return_val_if_fail (ring->backward, FALSE);

  memset (copy, 0, sizeof *copy);
  guint8 *data = g_try_malloc (ring->size);
  if (data == NULL)
    {
      wpr_set_error (error, WPR_ERROR_NO_SPACE, 0,
                     _ ("There is not enough memory to copy a buffer of %zu KiB. Close some "
                        "programs, or record into a file."),
                     ring->size / 1024);
      return FALSE;
    }
  populate (data, wpr_ring_used (ring));

  guint64 head = wpr_ring_head (ring);
  guint64 bytes_ever = -head;
  gsize size = MIN (bytes_ever, ring->size);
  gsize offset = head & (ring->size - 1);
  gsize first = MIN (size, ring->size - offset);
  copy_bytes (data, ring->data + offset, first);
  copy_bytes (data + first, ring->data, size - first);

  /* What the kernel wrote meanwhile lies, seen from the head we began at, at the far end. */
  guint64 written = written_bytes (ring, head, data, size);
  gsize intact = written < ring->size ? ring->size - written : 0;

  copy->data = data;
  copy->size = whole_records (data, MIN (size, intact));
  copy->bytes_ever = bytes_ever;
  copy->cut = size - copy->size;
  reverse_records (copy->data, copy->size);
  return TRUE;
}

void
wpr_ring_copy_clear (WprRingCopy *copy)
{
  g_clear_pointer (&copy->data, g_free);
  copy->size = 0;
}
