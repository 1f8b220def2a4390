/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of stacks' keys and the queue of events that wait for their stacks. */
#include "config.h"
#include "file/stacks.h"

#include <string.h>

/* ---- keys ---- */

typedef struct
{
  guint64 key;
  gint64 ticks;
  guint first, n; /* of the frames */
} Key;

struct _WprStackKeys
{
  GArray *keys;   /* of Key; once finished by key and time */
  GArray *frames; /* of guint64 */
};

WprStackKeys *
wpr_stack_keys_new (void)
{
  WprStackKeys *self = g_new0 (WprStackKeys, 1);

  self->keys = g_array_new (FALSE, FALSE, sizeof (Key));
  self->frames = g_array_new (FALSE, FALSE, sizeof (guint64));
  return self;
}

void
wpr_stack_keys_free (WprStackKeys *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->keys);
  g_array_unref (self->frames);
  g_free (self);
}

void
wpr_stack_keys_note (WprStackKeys *self, gint64 ticks, const WprEtlStack *stack)
{
  Key key = { stack->match, ticks, self->frames->len, stack->n_frames };

  /* A GArray's sizes are of 32 bits. */
  if (self->frames->len > G_MAXUINT / 16 - stack->n_frames)
    return;
  for (guint i = 0; i < stack->n_frames; i++)
    {
      guint64 frame = wpr_etl_stack_frame (stack, i);

      g_array_append_val (self->frames, frame);
    }
  g_array_append_val (self->keys, key);
}

static int
compare_keys (gconstpointer a, gconstpointer b)
{
  const Key *x = a, *y = b;

  if (x->key != y->key)
    return x->key < y->key ? -1 : 1;
  return x->ticks < y->ticks ? -1 : x->ticks > y->ticks;
}

void
wpr_stack_keys_finish (WprStackKeys *self)
{
  g_array_sort (self->keys, compare_keys);
}

const guint64 *
wpr_stack_keys_find (const WprStackKeys *self, guint64 key, gint64 ticks, guint *n)
{
  const Key *keys = (const Key *)(gpointer)self->keys->data;
  Key wanted = { .key = key, .ticks = ticks };
  guint low = 0, high = self->keys->len;

  /* The first that was told then or later; else the key's last. */
  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (compare_keys (&keys[middle], &wanted) < 0)
        low = middle + 1;
      else
        high = middle;
    }
  if (low == self->keys->len || keys[low].key != key)
    {
      if (low == 0 || keys[low - 1].key != key)
        return NULL;
      low--;
    }
  *n = keys[low].n;
  return &g_array_index (self->frames, guint64, keys[low].first);
}

/* ---- the queue ---- */

/* Windows hands a user stack over when the thread returns to user mode, which other CPUs' events
 * may overtake by far: so many events wait, with so many bytes. */
#define MOST_WAITING 65536u
#define MOST_BYTES (32u << 20)
#define N_BUCKETS 65536u /* by time and thread */
#define MOST_FRAMES 4096u

struct _WprStackQueue
{
  WprWaiting *ring; /* MOST_WAITING + 1: what was popped is kept until the next call */
  gint32 *older;    /* a place: the one before it in its bucket; -1 */
  gint32 *newer;    /* a place: the one after it; -1 */
  gint32 *buckets;  /* newest place; -1 */
  guint first, n;
  gsize bytes;
  WprWaiting popped;
};

WprStackQueue *
wpr_stack_queue_new (void)
{
  WprStackQueue *self = g_new0 (WprStackQueue, 1);

  self->ring = g_new0 (WprWaiting, MOST_WAITING);
  self->older = g_new (gint32, MOST_WAITING);
  self->newer = g_new (gint32, MOST_WAITING);
  self->buckets = g_new (gint32, N_BUCKETS);
  memset (self->buckets, 0xff, N_BUCKETS * sizeof *self->buckets);
  return self;
}

static void
waiting_clear (WprWaiting *waiting)
{
  g_clear_pointer (&waiting->bytes, g_free);
  g_clear_pointer (&waiting->frames, g_array_unref);
}

void
wpr_stack_queue_clear (WprStackQueue *self)
{
  while (wpr_stack_queue_pop (self) != NULL)
    ;
}

void
wpr_stack_queue_free (WprStackQueue *self)
{
  if (self == NULL)
    return;
  wpr_stack_queue_clear (self);
  g_free (self->ring);
  g_free (self->older);
  g_free (self->newer);
  g_free (self->buckets);
  g_free (self);
}

gboolean
wpr_stack_queue_is_full (const WprStackQueue *self)
{
  return self->n == MOST_WAITING || self->bytes >= MOST_BYTES;
}

static guint
bucket_of (gint64 ticks, guint32 tid)
{
  guint64 hash = ((guint64)ticks ^ (guint64)tid << 32) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);

  return (guint)(hash >> 48);
}

/* The pointer in the copy, if it leads into the part that was copied. */
#define MOVED(pointer, from, size, to)                                                \
  ((const guint8 *)(pointer) >= (from) && (const guint8 *)(pointer) < (from) + (size) \
       ? (gpointer)((to) + ((const guint8 *)(pointer) - (from)))                      \
       : (gpointer)(pointer))

static void
copy_event (WprWaiting *waiting, const WprEtlEvent *event)
{
  const guint8 *from = event->record;
  gsize size = event->record_size;
  WprEtlEvent *copy = &waiting->event;
  guint8 *to = g_memdup2 (from, size);

  *copy = *event;
  copy->record = waiting->bytes = to;
  copy->provider = MOVED (event->provider, from, size, to);
  copy->name = MOVED (event->name, from, size, to);
  copy->schema = MOVED (event->schema, from, size, to);
  copy->activity = MOVED (event->activity, from, size, to);
  copy->items = MOVED (event->items, from, size, to);
  copy->payload = to + (event->payload - from);
}

static gsize
waiting_size (const WprWaiting *waiting)
{
  return sizeof *waiting + waiting->event.record_size
         + (waiting->frames != NULL ? waiting->frames->len * sizeof (guint64) : 0);
}

void
wpr_stack_queue_push (WprStackQueue *self, const WprEtlEvent *event, const WprOwner *owner)
{
  guint place = (self->first + self->n) % MOST_WAITING;
  guint bucket = bucket_of (event->ticks, owner->runner);
  WprWaiting *waiting = &self->ring[place];

  g_return_if_fail (self->n < MOST_WAITING);
  waiting->owner = *owner;
  waiting->frames = NULL;
  copy_event (waiting, event);
  self->older[place] = self->buckets[bucket];
  self->newer[place] = -1;
  if (self->older[place] >= 0)
    self->newer[self->older[place]] = (gint32)place;
  self->buckets[bucket] = (gint32)place;
  self->n++;
  self->bytes += waiting_size (waiting);
}

/* Takes a place out of its bucket, in which it is the oldest. */
static void
unlink_place (WprStackQueue *self, guint place)
{
  const WprWaiting *waiting = &self->ring[place];

  if (self->newer[place] >= 0)
    self->older[self->newer[place]] = -1;
  else
    self->buckets[bucket_of (waiting->event.ticks, waiting->owner.runner)] = -1;
}

const WprWaiting *
wpr_stack_queue_pop (WprStackQueue *self)
{
  waiting_clear (&self->popped);
  if (self->n == 0)
    return NULL;
  unlink_place (self, self->first);
  self->popped = self->ring[self->first];
  self->bytes -= waiting_size (&self->popped);
  self->ring[self->first].bytes = NULL;
  self->ring[self->first].frames = NULL;
  self->first = (self->first + 1) % MOST_WAITING;
  self->n--;
  return &self->popped;
}

/* Of several events of one time and thread the newest without a stack: a stack follows its event. A
 * second part of a stack, of user mode, finds only events that have one. */
static WprWaiting *
find_waiting (WprStackQueue *self, gint64 ticks, guint32 tid)
{
  WprWaiting *with_stack = NULL;
  guint steps = 0;

  /* A hostile file may put all into one bucket. */
  for (gint32 at = self->buckets[bucket_of (ticks, tid)]; at >= 0 && steps < 256;
       at = self->older[at], steps++)
    {
      WprWaiting *waiting = &self->ring[at];

      if (waiting->event.ticks != ticks || waiting->owner.runner != tid)
        continue;
      if (waiting->frames == NULL)
        return waiting;
      if (with_stack == NULL)
        with_stack = waiting;
    }
  return with_stack;
}

gboolean
wpr_stack_queue_attach (WprStackQueue *self, const WprEtlStack *stack, const guint64 *frames,
                        guint n)
{
  WprWaiting *waiting = find_waiting (self, stack->ticks, stack->tid);

  if (waiting == NULL)
    return FALSE;
  if (waiting->frames == NULL)
    waiting->frames = g_array_new (FALSE, FALSE, sizeof (guint64));
  n = MIN (n, MOST_FRAMES - waiting->frames->len);
  g_array_append_vals (waiting->frames, frames, n);
  self->bytes += n * sizeof (guint64);
  return TRUE;
}
