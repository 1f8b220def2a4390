/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A mapped ring and its two positions: draining a forward one into a file, reading the sideband's.
 * The copy of a backward ring is in ring-copy.c. What the records mean is not known here. */
#include "config.h"
#include "perf/ring.h"
#include "perf/ring-private.h"

#include <errno.h>
#include <glib/gi18n-lib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>
#include "base/wpr-error.h"

/* Larger writes lost events while the ring was far from full: the space must come back in small
 * steps. */
#define CHUNK_BYTES (256 * 1024)
/* A record's size is a u16. */
#define RECORD_MOST 65536

WprRing *
wpr_ring_map (int leader_fd, gsize bytes, gboolean backward, GError **error)
{
  gsize page_bytes = (gsize)sysconf (_SC_PAGESIZE);
  /* Without PROT_WRITE the kernel overwrites the oldest; with it, it waits for our tail. */
  int protection = backward ? PROT_READ : PROT_READ | PROT_WRITE;

  g_return_val_if_fail (bytes >= page_bytes && (bytes & (bytes - 1)) == 0, NULL);

  gpointer base = mmap (NULL, page_bytes + bytes, protection, MAP_SHARED, leader_fd, 0);
  if (base == MAP_FAILED)
    {
      int saved = errno;
      WprErrorCode code = saved == EPERM ? WPR_ERROR_NOT_PERMITTED : WPR_ERROR_NO_SPACE;
      wpr_set_error (error, code, 0,
                     _ ("A buffer of %zu KiB could not be had from the kernel: %s. "
                        "Choose smaller or fewer buffers."),
                     bytes / 1024, g_strerror (saved));
      return NULL;
    }

  WprRing *ring = wpr_ring_new_over (base, bytes, backward);
  ring->data = (guint8 *)base + page_bytes;
  ring->mapped_bytes = page_bytes + bytes;
  return ring;
}

WprRing *
wpr_ring_new_over (gpointer base, gsize bytes, gboolean backward)
{
  g_return_val_if_fail (base != NULL && bytes >= 8 && (bytes & (bytes - 1)) == 0, NULL);

  WprRing *ring = g_new0 (WprRing, 1);
  ring->page = base;
  ring->data = (guint8 *)base + sysconf (_SC_PAGESIZE);
  ring->size = bytes;
  ring->backward = backward;
  return ring;
}

void
wpr_ring_free (WprRing *ring)
{
  if (ring == NULL)
    return;
  if (ring->mapped_bytes > 0)
    munmap (ring->page, ring->mapped_bytes);
  g_free (ring->joined);
  g_free (ring);
}

gsize
wpr_ring_size (const WprRing *ring)
{
  return ring->size;
}

guint64
wpr_ring_bytes (const WprRing *ring)
{
  guint64 head = wpr_ring_head (ring);
  return ring->backward ? -head : head;
}

guint64
wpr_ring_used (const WprRing *ring)
{
  if (ring->backward)
    return MIN (wpr_ring_bytes (ring), ring->size);
  /* Tail first: it only grows, and never past a head read after it. */
  guint64 tail = __atomic_load_n (&ring->page->data_tail, __ATOMIC_ACQUIRE);
  return MIN (wpr_ring_head (ring) - tail, ring->size);
}

/* The kernel may write over everything before `tail` once it sees it, so all our reads are over. */
static void
give_back (WprRing *ring, guint64 tail)
{
  __atomic_store_n (&ring->page->data_tail, tail, __ATOMIC_RELEASE);
}

/* Records are 8-aligned and so is the ring: a header never wraps. */
static const struct perf_event_header *
header_at (const WprRing *ring, guint64 position)
{
  return (const struct perf_event_header *)(ring->data + (position & (ring->size - 1)));
}

/* Whether the record at position, of which `left` bytes are published, is one. */
static gboolean
record_is_sound (guint16 size, guint64 left)
{
  return size >= sizeof (struct perf_event_header) && size % 8 == 0 && size <= left;
}

/* The kernel never publishes half a record; if it is not so, the mapping is not what we think, and
 * nothing in it can be found any more. */
static void
say_damaged (WprRing *ring, guint64 head, GError **error)
{
  give_back (ring, head);
  wpr_set_error (error, WPR_ERROR_INTERNAL, 0,
                 _ ("A buffer of the kernel did not hold whole records; what was in it is lost."));
}

/* End of the last whole record within `most` bytes behind tail; tail itself if not one fits. 0 if
 * what is there are no records. */
static gboolean
chunk_end (const WprRing *ring, guint64 tail, guint64 head, gsize most, guint64 *end)
{
  /* The head is the end of a record, so the last chunk needs no walk. */
  *end = head;
  if (head - tail <= most)
    return TRUE;

  guint64 position = tail;
  while (position != head)
    {
      guint16 size = header_at (ring, position)->size;
      if (!record_is_sound (size, head - position))
        return FALSE;
      if (position + size - tail > most)
        break;
      position += size;
    }
  *end = position;
  return TRUE;
}

/* Writes [from, to) of the ring, in two parts where it wraps. Bytes written before a failure, with
 * errno, or all of them. */
static gsize
write_span (const WprRing *ring, int fd, guint64 from, guint64 to)
{
  guint64 position = from;

  while (position != to)
    {
      gsize offset = position & (ring->size - 1);
      gsize left = to - position;
      gsize first = MIN (left, ring->size - offset);
      struct iovec parts[2] = { { ring->data + offset, first }, { ring->data, left - first } };
      gssize written = writev (fd, parts, left > first ? 2 : 1);
      if (written < 0 && errno == EINTR)
        continue;
      if (written <= 0)
        {
          if (written == 0)
            errno = ENOSPC;
          break;
        }
      position += (guint64)written;
    }
  return position - from;
}

/* Takes the part of a chunk that did go out back, so that the file ends with a whole record. */
static void
take_back (int fd, gsize bytes)
{
  off_t end = bytes > 0 ? lseek (fd, 0, SEEK_CUR) : -1;
  if (end >= (off_t)bytes && ftruncate (fd, end - (off_t)bytes) == 0)
    lseek (fd, end - (off_t)bytes, SEEK_SET);
}

static void
say_write_failed (int error_number, GError **error)
{
  if (error_number == ENOSPC || error_number == EDQUOT)
    wpr_set_error (error, WPR_ERROR_NO_SPACE, 0,
                   _ ("There is no space left for the recording. Free some space, or record in "
                      "memory."));
  else
    wpr_set_error (error, WPR_ERROR_INTERNAL, 0, _ ("The recording could not be written: %s."),
                   g_strerror (error_number));
}

gssize
wpr_ring_drain (WprRing *ring, int fd, gsize most, GError **error)
{
  g_return_val_if_fail (!ring->backward, -1);

  guint64 head = wpr_ring_head (ring);
  guint64 start = ring->page->data_tail;
  guint64 tail = start;

  while (tail != head)
    {
      gsize room = most == 0 ? CHUNK_BYTES : MIN (CHUNK_BYTES, most - (tail - start));
      guint64 end;
      if (!chunk_end (ring, tail, head, room, &end))
        {
          say_damaged (ring, head, error);
          return -1;
        }
      if (end == tail)
        break;

      gsize written = write_span (ring, fd, tail, end);
      if (written != end - tail)
        {
          int saved = errno;
          take_back (fd, written);
          if (tail != start)
            break;
          say_write_failed (saved, error);
          return -1;
        }
      tail = end;
      give_back (ring, tail);
    }
  return (gssize)(tail - start);
}

/* The record at position in one piece. */
static const struct perf_event_header *
joined_record (WprRing *ring, guint64 position, guint16 size)
{
  gsize offset = position & (ring->size - 1);
  gsize first = ring->size - offset;
  if (size <= first)
    return header_at (ring, position);

  if (ring->joined == NULL)
    ring->joined = g_malloc (RECORD_MOST);
  memcpy (ring->joined, ring->data + offset, first);
  memcpy (ring->joined + first, ring->data, size - first);
  return (const struct perf_event_header *)ring->joined;
}

gsize
wpr_ring_read (WprRing *ring, WprRingFunc func, gpointer data)
{
  g_return_val_if_fail (!ring->backward, 0);

  guint64 head = wpr_ring_head (ring);
  guint64 tail = ring->page->data_tail;
  guint64 given_back = tail;
  gsize n_records = 0;

  while (tail != head)
    {
      guint16 size = header_at (ring, tail)->size;
      if (!record_is_sound (size, head - tail))
        {
          g_autoptr (GError) error = NULL;
          say_damaged (ring, head, &error);
          g_warning ("%s", error->message);
          return n_records;
        }
      func (joined_record (ring, tail, size), data);
      n_records++;
      tail += size;
      if (tail - given_back >= CHUNK_BYTES)
        {
          give_back (ring, tail);
          given_back = tail;
        }
    }
  give_back (ring, tail);
  return n_records;
}

gsize
wpr_ring_peek (WprRing *ring, guint64 *seen, WprRingFunc func, gpointer data)
{
  guint64 head = wpr_ring_head (ring);
  guint64 bytes = ring->backward ? -head : head;
  guint64 fresh = MIN (bytes - *seen, ring->size);
  guint64 at = ring->backward ? head : MAX (head - fresh, ring->page->data_tail);
  guint64 end = ring->backward ? head + fresh : head;
  gsize n_records = 0;

  *seen = bytes;
  while (at != end)
    {
      guint16 size = header_at (ring, at)->size;
      if (!record_is_sound (size, end - at))
        break; /* overwritten meanwhile */
      func (joined_record (ring, at, size), data);
      n_records++;
      at += size;
    }
  return n_records;
}
