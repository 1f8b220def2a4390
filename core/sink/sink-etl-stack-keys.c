/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stacks written once each (StackCaching): an event refers to its kernel frames and its user frames
 * by a key each; what a key stands for comes when it is dropped from the cache, or at the end of
 * the file. */
#include "config.h"
#include "sink/sink-etl-private.h"

#define KEY_DELETE 0x1823
#define KEY_RUNDOWN 0x1824
#define STACK_KEY_KERNEL 0x1825
#define STACK_KEY_USER 0x1826
#define FIRST_KERNEL_ADDRESS G_GUINT64_CONSTANT (0xffff800000000000)
/* As pointers look like to readers. */
#define FIRST_KEY G_GUINT64_CONSTANT (0xffffc00000000010)
#define KEY_STEP 16
/* A profile may ask for 4 GiB; more than this finds nothing more: distinct stacks of a minute of
 * sampling take some 10 MB. */
#define MOST_CACHE (64u * 1024 * 1024)
#define LEAST_CACHE (64u * 1024)

typedef struct
{
  guint64 key;
  guint32 hash, n;
  gboolean told; /* referred to in this file */
  gboolean used; /* since it was passed over */
  guint64 frames[];
} Stack;

struct _WprStackCache
{
  GHashTable *stacks; /* Stack: key and value */
  GQueue order;       /* Stack, oldest first */
  gsize bytes, most;
  guint64 next_key;
  Stack *probe; /* what is looked for */
};

static guint
stack_hash (gconstpointer stack)
{
  return ((const Stack *)stack)->hash;
}

static gboolean
stack_equal (gconstpointer a, gconstpointer b)
{
  const Stack *x = a, *y = b;

  return x->n == y->n && x->hash == y->hash
         && memcmp (x->frames, y->frames, x->n * sizeof (guint64)) == 0;
}

WprStackCache *
wpr_stack_cache_new (guint32 cache_kb)
{
  WprStackCache *self = g_new0 (WprStackCache, 1);

  self->stacks = g_hash_table_new_full (stack_hash, stack_equal, g_free, NULL);
  g_queue_init (&self->order);
  self->most = (gsize)CLAMP ((guint64)cache_kb * 1024, LEAST_CACHE, MOST_CACHE);
  self->next_key = FIRST_KEY;
  self->probe = g_malloc (sizeof (Stack) + WPR_MOST_FRAMES * sizeof (guint64));
  return self;
}

void
wpr_stack_cache_free (WprStackCache *self)
{
  if (self == NULL)
    return;
  g_queue_clear (&self->order);
  g_hash_table_unref (self->stacks);
  g_free (self->probe);
  g_free (self);
}

static gsize
stack_bytes (const Stack *stack)
{
  /* With its places in table and queue. */
  return sizeof *stack + stack->n * sizeof (guint64) + 64;
}

static gboolean
write_frames (WprSinkEtl *self, guint16 hook, guint cpu, gint64 time, const Stack *stack,
              GError **error)
{
  WprEtlHead head = { .kind = WPR_ETL_PERFINFO, .hook = hook, .version = 2 };
  WprPayload payload;

  wpr_payload_init (&payload, self->scratch, WPR_SCRATCH_BYTES);
  wpr_payload_u64 (&payload, stack->key);
  for (guint32 i = 0; i < stack->n; i++)
    wpr_payload_u64 (&payload, stack->frames[i]);
  return wpr_sink_etl_add (self, cpu, time, &head, &payload, error);
}

/* The oldest goes, but one that was used since gets another turn. */
static gboolean
make_room (WprSinkEtl *self, guint cpu, gint64 time, GError **error)
{
  WprStackCache *keys = self->stack_cache;

  while (keys->bytes > keys->most)
    {
      Stack *stack = g_queue_pop_head (&keys->order);

      if (stack->used)
        {
          stack->used = FALSE;
          g_queue_push_tail (&keys->order, stack);
          continue;
        }
      keys->bytes -= stack_bytes (stack);
      if (stack->told && !write_frames (self, KEY_DELETE, cpu, time, stack, error))
        return FALSE;
      g_hash_table_remove (keys->stacks, stack);
    }
  return TRUE;
}

static Stack *
find (WprStackCache *self, const guint64 *frames, guint32 n)
{
  guint64 hash = n;
  Stack *stack;

  for (guint32 i = 0; i < n; i++)
    hash = (hash ^ frames[i]) * G_GUINT64_CONSTANT (0x9E3779B97F4A7C15);
  self->probe->hash = (guint32)(hash >> 32);
  self->probe->n = n;
  memcpy (self->probe->frames, frames, n * sizeof (guint64));
  stack = g_hash_table_lookup (self->stacks, self->probe);
  if (stack == NULL)
    {
      stack = g_memdup2 (self->probe, sizeof *stack + n * sizeof (guint64));
      stack->key = self->next_key;
      self->next_key += KEY_STEP;
      stack->told = stack->used = FALSE;
      g_hash_table_add (self->stacks, stack);
      g_queue_push_tail (&self->order, stack);
      self->bytes += stack_bytes (stack);
    }
  else
    stack->used = TRUE;
  return stack;
}

static gboolean
write_key (WprSinkEtl *self, guint16 hook, const WprStackOf *of, const guint64 *frames, guint32 n,
           GError **error)
{
  WprEtlHead head = { .kind = WPR_ETL_PERFINFO, .hook = hook, .version = 2 };
  Stack *stack = find (self->stack_cache, frames, n);
  WprPayload payload;

  stack->told = TRUE;
  wpr_payload_init (&payload, self->scratch, WPR_SCRATCH_BYTES);
  wpr_payload_u64 (&payload, (guint64)wpr_sink_etl_ticks (of->event_time));
  wpr_payload_u32 (&payload, of->pid);
  wpr_payload_u32 (&payload, of->tid);
  wpr_payload_u64 (&payload, stack->key);
  return wpr_sink_etl_add (self, of->cpu, of->time, &head, &payload, error)
         && make_room (self, of->cpu, of->time, error);
}

gboolean
wpr_sink_etl_stack_keys (WprSinkEtl *self, const WprStackOf *of, const guint64 *frames, guint32 n,
                         GError **error)
{
  guint32 kernel = 0;

  while (kernel < n && frames[kernel] >= FIRST_KERNEL_ADDRESS)
    kernel++;
  return (kernel == 0 || write_key (self, STACK_KEY_KERNEL, of, frames, kernel, error))
         && (kernel == n
             || write_key (self, STACK_KEY_USER, of, frames + kernel, n - kernel, error));
}

gboolean
wpr_sink_etl_end_stack_keys (WprSinkEtl *self, GError **error)
{
  if (self->stack_cache == NULL)
    return TRUE;
  for (GList *l = self->stack_cache->order.head; l != NULL; l = l->next)
    {
      Stack *stack = l->data;

      if (!stack->told)
        continue;
      if (!write_frames (self, KEY_RUNDOWN, 0, self->context->end_time, stack, error))
        return FALSE;
      stack->told = FALSE;
    }
  return TRUE;
}
