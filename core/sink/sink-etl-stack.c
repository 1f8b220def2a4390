/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* StackWalk: kernel and user frames in one event, kernel first, found by (time of its event,
 * thread). What Linux samples at a switch is the stack of the thread that leaves; Windows' switch
 * carries that of the thread that comes, which is the same stack when it comes back. So it waits
 * here, one a thread. */
#include "config.h"
#include "sink/sink-etl-private.h"

/* As <linux/perf_event.h> has it: -4095 and above are markers, not addresses. */
#define FIRST_MARKER ((guint64)-4095)
#define MOST_FRAMES WPR_MOST_FRAMES
/* Frames that wait, of all threads together: 64 MiB, the stacks of 200 000 threads as the kernel's
 * usually are. What does not fit is written at once. */
#define MOST_WAITING_FRAMES (8u * 1024 * 1024)
#define FIRST_KERNEL_ADDRESS G_GUINT64_CONSTANT (0xffff800000000000)

typedef struct
{
  gint64 time; /* of the switch that took it away; boot ns */
  guint32 cpu, pid, n;
  guint32 space; /* frames that fit */
  guint64 frames[];
} Waiting;

/* Of what has begun and is not over; begins with what it is found by. */
typedef struct
{
  guint64 key;
  guint32 pid, tid, n;
  guint64 frames[];
} Held;
/* As many threads are within a call at most; more are begins whose end was lost. */
#define MOST_HELD 65536

struct _WprStacks
{
  Waiting **by_tid; /* of n_tids; entries are kept for reuse, n 0: nothing waits */
  guint32 n_tids;
  guint32 n_frames; /* of all entries */
  guint64 frames[MOST_FRAMES];
};

WprStacks *
wpr_stacks_new (void)
{
  return g_new0 (WprStacks, 1);
}

void
wpr_stacks_free (WprStacks *self)
{
  if (self == NULL)
    return;
  for (guint32 i = 0; i < self->n_tids; i++)
    g_free (self->by_tid[i]);
  g_free (self->by_tid);
  g_free (self);
}

gboolean
wpr_sink_etl_has_stack (const WprEvent *event)
{
  return event->n_callchain > 0 || event->user_ip != 0;
}

/* The frames of an event without markers; where no user frame was recorded, the user's instruction
 * pointer stands for it: readers otherwise glue a later stack of the thread underneath. */
static guint32
collect (const WprEvent *event, guint64 *frames)
{
  guint32 n = 0;

  for (guint32 i = 0; i < event->n_callchain && n < MOST_FRAMES; i++)
    if (event->callchain[i] < FIRST_MARKER)
      frames[n++] = event->callchain[i];
  if (event->user_ip != 0 && n < MOST_FRAMES && (n == 0 || frames[n - 1] >= FIRST_KERNEL_ADDRESS))
    frames[n++] = event->user_ip;
  return n;
}

static gboolean
write_stack (WprSinkEtl *self, guint cpu, gint64 time, gint64 event_time, guint32 pid, guint32 tid,
             const guint64 *frames, guint32 n, GError **error)
{
  WprEtlHead head = { .kind = WPR_ETL_PERFINFO, .hook = 0x1820, .version = 2 };
  WprPayload payload;

  if (n == 0)
    return TRUE;
  if (self->stack_cache != NULL)
    {
      const WprStackOf of = { cpu, time, event_time, wpr_sink_etl_pid (self, pid), tid };

      self->n_stacks++;
      return wpr_sink_etl_stack_keys (self, &of, frames, n, error);
    }
  wpr_payload_init (&payload, self->scratch, WPR_SCRATCH_BYTES);
  wpr_payload_u64 (&payload, (guint64)wpr_sink_etl_ticks (event_time));
  wpr_payload_u32 (&payload, wpr_sink_etl_pid (self, pid));
  wpr_payload_u32 (&payload, tid);
#if G_BYTE_ORDER == G_LITTLE_ENDIAN
  wpr_payload_bytes (&payload, frames, n * sizeof *frames);
#else
  for (guint32 i = 0; i < n; i++)
    wpr_payload_u64 (&payload, frames[i]);
#endif
  self->n_stacks++;
  return wpr_sink_etl_add (self, cpu, time, &head, &payload, error);
}

gboolean
wpr_sink_etl_stack (WprSinkEtl *self, const WprEvent *event, GError **error)
{
  guint32 n;

  if (!wpr_sink_etl_has_stack (event))
    return TRUE;
  n = collect (event, self->stacks->frames);
  return write_stack (self, event->cpu, event->time, event->time, event->pid, event->tid,
                      self->stacks->frames, n, error);
}

void
wpr_sink_etl_hold_stack (WprSinkEtl *self, const WprEvent *event, guint64 key)
{
  Held *held;
  guint32 n;

  if (!wpr_sink_etl_has_stack (event))
    return;
  n = collect (event, self->stacks->frames);
  if (n == 0 || g_hash_table_size (self->held) >= MOST_HELD)
    return;
  held = g_malloc (sizeof *held + n * sizeof (guint64));
  *held = (Held){ .key = key, .pid = event->pid, .tid = event->tid, .n = n };
  memcpy (held->frames, self->stacks->frames, n * sizeof (guint64));
  g_hash_table_replace (self->held, held, held);
}

gboolean
wpr_sink_etl_held_stack (WprSinkEtl *self, const WprEvent *event, guint64 key, GError **error)
{
  const Held *held
      = g_hash_table_size (self->held) > 0 ? g_hash_table_lookup (self->held, &key) : NULL;
  gboolean ok = TRUE;

  if (held == NULL)
    return wpr_sink_etl_stack (self, event, error);
  ok = wpr_sink_etl_has_stack (event)
           ? wpr_sink_etl_stack (self, event, error)
           : write_stack (self, event->cpu, event->time, event->time, held->pid, held->tid,
                          held->frames, held->n, error);
  g_hash_table_remove (self->held, &key);
  return ok;
}

static gboolean
grow (WprStacks *self, guint32 tid)
{
  guint32 n = MAX (self->n_tids, 1024);

  if (tid >= 1u << 22) /* PID_MAX_LIMIT */
    return FALSE;
  while (n <= tid)
    n *= 2;
  self->by_tid = g_renew (Waiting *, self->by_tid, n);
  memset (self->by_tid + self->n_tids, 0, (n - self->n_tids) * sizeof (Waiting *));
  self->n_tids = n;
  return TRUE;
}

/* FALSE if there is no room for one more thread. */
static gboolean
keep (WprStacks *self, const WprEvent *event, guint32 n)
{
  guint32 tid = event->u.sw.prev_tid;
  Waiting *waiting;

  if (tid >= self->n_tids && !grow (self, tid))
    return FALSE;
  waiting = self->by_tid[tid];
  if (waiting == NULL || waiting->space < n)
    {
      guint32 space = (n + 15) & ~15u;

      if (self->n_frames + space > MOST_WAITING_FRAMES)
        return FALSE;
      self->n_frames += space - (waiting != NULL ? waiting->space : 0);
      waiting = self->by_tid[tid] = g_realloc (waiting, sizeof *waiting + space * sizeof (guint64));
      waiting->space = space;
    }
  waiting->time = event->time;
  waiting->cpu = event->cpu;
  waiting->pid = event->u.sw.prev_pid;
  waiting->n = n;
  memcpy (waiting->frames, self->frames, n * sizeof (guint64));
  return TRUE;
}

static gboolean
comes_back (WprTaskState state)
{
  return state != WPR_TASK_DEAD && state != WPR_TASK_ZOMBIE;
}

/* Where a thread leaves twice, its coming in between was lost: the older stack is written for the
 * switch that took it, as at the end. */
static gboolean
write_waiting (WprSinkEtl *self, const WprEvent *event, GError **error)
{
  guint32 tid = event->u.sw.prev_tid, n;
  Waiting *waiting = tid < self->stacks->n_tids ? self->stacks->by_tid[tid] : NULL;

  if (waiting == NULL || waiting->n == 0)
    return TRUE;
  n = waiting->n;
  waiting->n = 0;
  return write_stack (self, event->cpu, event->time, waiting->time, waiting->pid, tid,
                      waiting->frames, n, error);
}

gboolean
wpr_sink_etl_switch_stacks (WprSinkEtl *self, const WprEvent *event, GError **error)
{
  WprStacks *stacks = self->stacks;
  guint32 next = event->u.sw.next_tid, n;
  Waiting *waiting = next != 0 && next < stacks->n_tids ? stacks->by_tid[next] : NULL;

  if (waiting != NULL && waiting->n > 0)
    {
      n = waiting->n;
      waiting->n = 0;
      if (!write_stack (self, event->cpu, event->time, event->time, event->u.sw.next_pid, next,
                        waiting->frames, n, error))
        return FALSE;
    }
  if (event->u.sw.prev_tid == 0 || !wpr_sink_etl_has_stack (event))
    return TRUE;
  n = collect (event, stacks->frames);
  if (n == 0)
    return TRUE;
  if (!write_waiting (self, event, error))
    return FALSE;
  if (!comes_back (event->u.sw.prev_state) || !keep (stacks, event, n))
    return write_stack (self, event->cpu, event->time, event->time, event->u.sw.prev_pid,
                        event->u.sw.prev_tid, stacks->frames, n, error);
  return TRUE;
}

gboolean
wpr_sink_etl_end_stacks (WprSinkEtl *self, GError **error)
{
  WprStacks *stacks = self->stacks;

  for (guint32 tid = 0; tid < stacks->n_tids; tid++)
    {
      Waiting *waiting = stacks->by_tid[tid];

      if (waiting == NULL || waiting->n == 0)
        continue;
      if (!write_stack (self, waiting->cpu, self->context->end_time, waiting->time, waiting->pid,
                        tid, waiting->frames, waiting->n, error))
        return FALSE;
      waiting->n = 0;
    }
  return TRUE;
}

void
wpr_sink_etl_see_waiting (WprSinkEtl *self)
{
  const WprStacks *stacks = self->stacks;

  for (guint32 tid = 0; self->names != NULL && tid < stacks->n_tids; tid++)
    for (guint32 i = 0; stacks->by_tid[tid] != NULL && i < stacks->by_tid[tid]->n; i++)
      wpr_sink_etl_saw_address (self, stacks->by_tid[tid]->pid,
                                stacks->by_tid[tid]->frames[i] - (i > 0 ? 1 : 0));
}
