/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Merges the CPUs' streams of buffers by time. Does not live here: what a buffer or record is. */
#include "config.h"
#include "etl/cursor.h"

#include <string.h>
#include <glib/gi18n-lib.h>
#include "etl/container-private.h"
#include "etl/layout.h"

/* The index: one entry a buffer, CPU in the upper 16 bits, byte in the file below. Sorting by it
 * gives each CPU's buffers in file order. */
#define CPU_SHIFT 48
#define AT_MASK ((G_GUINT64_CONSTANT (1) << CPU_SHIFT) - 1)

/* Unpacked buffers of all CPUs together. Real files: 256 CPUs with 1 MiB each. */
#define MOST_UNPACKED (G_GUINT64_CONSTANT (1) << 30)

/* One CPU's stream. */
typedef struct
{
  guint next, last; /* in the index: the next buffer, and behind the last */
  WprEtlBuffer buffer;
  const guint8 *bytes; /* of the open buffer */
  guint32 at, end;
  guint8 *scratch;
  gsize scratch_size;
  WprEtlEvent event; /* the next to be given out */
} Lane;

struct _WprEtlCursor
{
  const WprEtlFile *file;
  WprEtlFaults faults;
  GArray *index; /* of guint64 */
  Lane head;     /* the header buffer */
  Lane *lanes;
  guint *heap; /* lanes that have an event, the earliest first */
  guint n_lanes, n_heap;
  Lane *given; /* whose event was given out last */
  gboolean in_head;
  guint64 done, unpacked, n_unordered;
  gint64 last_ticks;
};

/* ---- the index ---- */

static int
compare_entries (gconstpointer a, gconstpointer b)
{
  guint64 x = *(const guint64 *)a, y = *(const guint64 *)b;

  return (x > y) - (x < y);
}

/* A look at a header maps the pages around it, up to 64 KiB, which are given back at once. */
#define MAPPED_AROUND 65536u

static guint64
sequence_at (const WprEtlFile *file, guint64 entry)
{
  guint64 at = entry & AT_MASK;
  guint64 sequence = wpr_etl_get64 (file->bytes + at + WPR_ETL_BUFFER_SEQUENCE);

  wpr_etl_file_release (file, at, at + MAPPED_AROUND);
  return sequence;
}

static int
compare_sequences (gconstpointer a, gconstpointer b, gpointer file)
{
  guint64 x = sequence_at (file, *(const guint64 *)a), y = sequence_at (file, *(const guint64 *)b);

  return x != y ? (x > y) - (x < y) : compare_entries (a, b);
}

static void
make_index (WprEtlCursor *self)
{
  WprEtlBuffer buffer;
  guint64 entry;
  gboolean more;

  for (more = wpr_etl_buffer_first (self->file, &buffer, &self->faults); more;
       more = wpr_etl_buffer_next (self->file, &buffer, &self->faults))
    {
      /* One look at its header has mapped the pages around it. */
      wpr_etl_file_release (self->file, buffer.at, buffer.at + buffer.bytes);
      if (buffer.index == 0)
        continue;
      if (buffer.end == 0 || buffer.at > AT_MASK) /* nothing to come back for */
        {
          self->done += buffer.bytes;
          continue;
        }
      entry = (guint64)buffer.cpu << CPU_SHIFT | buffer.at;
      g_array_append_val (self->index, entry);
    }
  g_array_sort (self->index, compare_entries);
}

/* A CPU's buffers are from `from` to `to`; circular files have them in another order. */
static void
order_lane (WprEtlCursor *self, guint from, guint to)
{
  guint64 *entries = &g_array_index (self->index, guint64, 0);
  guint64 last = from < to ? sequence_at (self->file, entries[from]) : 0;

  for (guint i = from + 1; i < to; i++)
    {
      guint64 sequence = sequence_at (self->file, entries[i]);
      gboolean is_back = sequence < last;

      last = sequence;
      if (is_back)
        {
          g_qsort_with_data (entries + from, (gint)(to - from), sizeof *entries, compare_sequences,
                             (gpointer)self->file);
          return;
        }
    }
}

static void
make_lanes (WprEtlCursor *self)
{
  const guint64 *entries = (const guint64 *)(gconstpointer)self->index->data;
  guint n = self->index->len;

  for (guint i = 0; i < n; i++)
    self->n_lanes += i == 0 || entries[i] >> CPU_SHIFT != entries[i - 1] >> CPU_SHIFT;
  self->lanes = g_new0 (Lane, MAX (self->n_lanes, 1u));
  self->heap = g_new (guint, MAX (self->n_lanes, 1u));
  for (guint i = 0, lane = 0, from = 0; i < n; i++)
    if (i + 1 == n || entries[i] >> CPU_SHIFT != entries[i + 1] >> CPU_SHIFT)
      {
        order_lane (self, from, i + 1);
        self->lanes[lane].next = from;
        self->lanes[lane].last = from = i + 1;
        lane++;
      }
}

/* ---- streams ---- */

static void
open_bytes (WprEtlCursor *self, Lane *lane)
{
  gsize before = lane->scratch_size;

  lane->at = WPR_ETL_BUFFER_HEADER;
  lane->bytes = NULL;
  if ((lane->buffer.flags & WPR_ETL_FLAG_COMPRESSED) != 0 && lane->buffer.end > before
      && self->unpacked - before + lane->buffer.end > MOST_UNPACKED)
    {
      wpr_etl_fault (&self->faults, lane->buffer.at,
                     _ ("buffer %u would need more memory than unpacked buffers may have"),
                     (guint)lane->buffer.index);
      return;
    }
  lane->bytes = wpr_etl_buffer_bytes (self->file, &lane->buffer, &lane->scratch,
                                      &lane->scratch_size, &lane->end, &self->faults);
  self->unpacked += lane->scratch_size - before;
}

/* The stream's next event into lane->event; FALSE at its end. */
static gboolean
advance (WprEtlCursor *self, Lane *lane)
{
  gboolean compressed = (lane->buffer.flags & WPR_ETL_FLAG_COMPRESSED) != 0;

  for (;;)
    {
      if (lane->bytes != NULL && lane->at < lane->end)
        {
          guint64 offset = compressed ? lane->buffer.at : lane->buffer.at + lane->at;
          guint32 n = wpr_etl_record_parse (lane->bytes + lane->at, lane->end - lane->at,
                                            (guint8)self->file->info.pointer_size, offset,
                                            &lane->event, &self->faults);

          if (n > 0)
            {
              lane->event.offset = offset;
              lane->at += n;
              return TRUE;
            }
        }
      if (lane->buffer.bytes > 0)
        {
          wpr_etl_file_release (self->file, lane->buffer.at, lane->buffer.at + lane->buffer.bytes);
          self->done += lane->buffer.bytes;
        }
      if (lane->next >= lane->last)
        return FALSE;
      wpr_etl_buffer_peek (self->file, g_array_index (self->index, guint64, lane->next++) & AT_MASK,
                           &lane->buffer);
      lane->event.cpu = lane->buffer.cpu;
      lane->event.buffer = lane->buffer.at;
      compressed = (lane->buffer.flags & WPR_ETL_FLAG_COMPRESSED) != 0;
      open_bytes (self, lane);
    }
}

/* ---- the heap ---- */

static gboolean
is_before (const WprEtlCursor *self, guint a, guint b)
{
  gint64 x = self->lanes[a].event.ticks, y = self->lanes[b].event.ticks;

  return x != y ? x < y : a < b;
}

static void
sift_down (WprEtlCursor *self, guint at)
{
  guint moving = self->heap[at];

  for (guint child; (child = 2 * at + 1) < self->n_heap; at = child)
    {
      if (child + 1 < self->n_heap && is_before (self, self->heap[child + 1], self->heap[child]))
        child++;
      if (!is_before (self, self->heap[child], moving))
        break;
      self->heap[at] = self->heap[child];
    }
  self->heap[at] = moving;
}

static void
fill_heap (WprEtlCursor *self)
{
  for (guint i = 0; i < self->n_lanes; i++)
    if (advance (self, &self->lanes[i]))
      self->heap[self->n_heap++] = i;
  for (guint i = self->n_heap; i-- > 0;)
    sift_down (self, i);
}

static const WprEtlEvent *
next_of_lanes (WprEtlCursor *self)
{
  if (self->given != NULL)
    {
      if (!advance (self, self->given))
        self->heap[0] = self->heap[--self->n_heap];
      if (self->n_heap > 0)
        sift_down (self, 0);
    }
  if (self->n_heap == 0)
    {
      self->given = NULL;
      return NULL;
    }
  self->given = &self->lanes[self->heap[0]];
  if (self->given->event.ticks < self->last_ticks)
    self->n_unordered++;
  self->last_ticks = self->given->event.ticks;
  return &self->given->event;
}

/* ---- for callers ---- */

WprEtlCursor *
wpr_etl_cursor_new (const WprEtlFile *file, WprEtlFaultFunc fault, gpointer data)
{
  WprEtlCursor *self = g_new0 (WprEtlCursor, 1);

  self->file = file;
  self->faults = (WprEtlFaults){ fault, data };
  self->index = g_array_new (FALSE, FALSE, sizeof (guint64));
  make_index (self);
  make_lanes (self);
  self->in_head = TRUE;
  wpr_etl_buffer_peek (file, 0, &self->head.buffer);
  self->head.event.cpu = self->head.buffer.cpu;
  open_bytes (self, &self->head);
  self->last_ticks = G_MININT64;
  return self;
}

const WprEtlEvent *
wpr_etl_cursor_next (WprEtlCursor *self)
{
  if (self->in_head)
    {
      if (advance (self, &self->head))
        return &self->head.event;
      self->in_head = FALSE;
      fill_heap (self);
    }
  return self->n_heap > 0 || self->given != NULL ? next_of_lanes (self) : NULL;
}

guint64
wpr_etl_cursor_done (const WprEtlCursor *self)
{
  return MIN (self->done, self->file->size);
}

guint64
wpr_etl_cursor_unordered (const WprEtlCursor *self)
{
  return self->n_unordered;
}

void
wpr_etl_cursor_free (WprEtlCursor *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < self->n_lanes; i++)
    g_free (self->lanes[i].scratch);
  g_free (self->head.scratch);
  g_free (self->lanes);
  g_free (self->heap);
  g_array_unref (self->index);
  g_free (self);
}
