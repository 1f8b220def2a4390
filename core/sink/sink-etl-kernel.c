/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events for which Windows' kernel has a layout of its own: switches, readied threads, samples,
 * disk operations, marks. Layouts: docs/etl.md. */
#include "config.h"
#include "sink/sink-etl-private.h"

/* Linux priorities as the scheduler counts them: below 0 deadline, 0-99 real time (99 - priority),
 * 100-139 nice -20..19. Windows: 0 idle, 1-15 ordinary (8 normal), 16-31 real time. */
gint8
wpr_sink_etl_priority (gint32 prio)
{
  if (prio < 0)
    return 31;
  if (prio < 100)
    return (gint8)(16 + (CLAMP (99 - prio, 1, 99) - 1) * 15 / 98);
  return (gint8)(15 - (MIN (prio, 139) - 100) * 14 / 39);
}

/* Of a thread that is switched: the scheduler counts SCHED_IDLE as nice 0. */
static guint8
priority_of (const WprSinkEtl *self, guint32 tid, gint32 prio)
{
  if (tid == 0)
    return 0;
  if (prio >= 100 && g_hash_table_size (self->idle_tids) > 0
      && g_hash_table_contains (self->idle_tids, GUINT_TO_POINTER (tid)))
    return 1;
  return (guint8)wpr_sink_etl_priority (prio);
}

#define MOST_TIDS (1u << 22) /* PID_MAX_LIMIT: 4 MiB at the very most */

static void
note_priority (WprSinkEtl *self, guint32 tid, guint8 priority)
{
  GByteArray *last = self->last_priorities;

  if (G_UNLIKELY (tid >= last->len))
    {
      guint old = last->len;

      if (tid >= MOST_TIDS)
        return;
      g_byte_array_set_size (last, MAX (2 * old, tid + 1024));
      memset (last->data + old, 0, last->len - old);
    }
  last->data[tid] = (guint8)(priority + 1);
}

gint
wpr_sink_etl_last_priority (const WprSinkEtl *self, guint32 tid)
{
  return tid < self->last_priorities->len ? self->last_priorities->data[tid] - 1 : -1;
}

void
wpr_sink_etl_forget_priority (WprSinkEtl *self, guint32 tid)
{
  if (tid < self->last_priorities->len)
    self->last_priorities->data[tid] = 0;
}

/* What a Linux state is in the two fields of a CSwitch: KTHREAD_STATE and KWAIT_REASON. */
static const struct
{
  guint8 state, reason;
} switch_states[] = {
  [WPR_TASK_RUNNING] = { 1, 30 },   /* ready, quantum end */
  [WPR_TASK_PREEMPTED] = { 1, 32 }, /* ready, preempted */
  [WPR_TASK_SLEEPING] = { 5, 6 },   /* waiting, user request */
  [WPR_TASK_DISK_SLEEP] = { 5, 7 }, /* waiting, executive */
  [WPR_TASK_STOPPED] = { 5, 5 },    /* waiting, suspended */
  [WPR_TASK_TRACED] = { 5, 5 },
  [WPR_TASK_PARKED] = { 5, 26 }, /* kernel */
  [WPR_TASK_IDLE] = { 5, 15 },   /* queue */
  [WPR_TASK_DEAD] = { 4, 22 },   /* terminated */
  [WPR_TASK_ZOMBIE] = { 4, 22 },
  [WPR_TASK_WAITING] = { 5, 37 }, /* the number behind the last reason */
};
#define REASON_YIELD 33

gboolean
wpr_sink_etl_switch (WprSinkEtl *self, const WprEvent *event, GError **error)
{
  WprEtlHead head = { .kind = WPR_ETL_PERFINFO, .hook = 0x0524, .version = 4 };
  guint8 next_prio, prev_prio, reason;
  guint state = MIN ((guint)event->u.sw.prev_state, G_N_ELEMENTS (switch_states) - 1);
  gint64 wait_ms = event->u.sw.wait_ns > 0 ? event->u.sw.wait_ns / 1000000 : 0;
  WprPayload payload;

  next_prio = priority_of (self, event->u.sw.next_tid, event->u.sw.next_prio);
  prev_prio = priority_of (self, event->u.sw.prev_tid, event->u.sw.prev_prio);
  reason = state == WPR_TASK_RUNNING && event->u.sw.prev_yielded ? REASON_YIELD
                                                                 : switch_states[state].reason;
  if (event->cpu < self->n_cpus)
    self->priorities[event->cpu] = next_prio;
  if (event->inferred)
    self->n_inferred++;
  else
    {
      note_priority (self, event->u.sw.prev_tid, prev_prio);
      note_priority (self, event->u.sw.next_tid, next_prio);
    }

  wpr_payload_init (&payload, self->scratch, WPR_SCRATCH_BYTES);
  wpr_payload_u32 (&payload, event->u.sw.next_tid);
  wpr_payload_u32 (&payload, event->u.sw.prev_tid);
  wpr_payload_u8 (&payload, next_prio);
  wpr_payload_u8 (&payload, prev_prio);
  wpr_payload_u8 (&payload, 0); /* C state */
  wpr_payload_u8 (&payload, 0);
  wpr_payload_u8 (&payload, reason);
  wpr_payload_u8 (&payload, 0); /* thread flags */
  wpr_payload_u8 (&payload, switch_states[state].state);
  wpr_payload_u8 (&payload, (guint8)event->cpu); /* ideal CPU */
  wpr_payload_u32 (&payload, (guint32)MIN (wait_ms, G_MAXUINT32));
  wpr_payload_u32 (&payload, 0);
  return wpr_sink_etl_add (self, event->cpu, event->time, &head, &payload, error)
         && wpr_sink_etl_switch_stacks (self, event, error);
}

gboolean
wpr_sink_etl_waking (WprSinkEtl *self, const WprEvent *event, GError **error)
{
  /* COMPACT: the header says who readied; without CPU times it is 8 bytes shorter. */
  WprEtlHead head = { .kind = WPR_ETL_COMPACT,
                      .hook = 0x0532,
                      .version = 2,
                      .pid = wpr_sink_etl_pid (self, event->pid),
                      .tid = event->tid };
  WprPayload payload;

  wpr_payload_init (&payload, self->scratch, WPR_SCRATCH_BYTES);
  wpr_payload_u32 (&payload, event->u.waking.tid);
  wpr_payload_u8 (&payload, 0); /* reason and size of a priority boost: Linux has none */
  wpr_payload_u8 (&payload, 0);
  wpr_payload_u8 (&payload, event->u.waking.from_interrupt ? 1 : 0);
  wpr_payload_u8 (&payload, 0);
  return wpr_sink_etl_add (self, event->cpu, event->time, &head, &payload, error)
         && wpr_sink_etl_stack (self, event, error);
}

gboolean
wpr_sink_etl_sample (WprSinkEtl *self, const WprEvent *event, GError **error)
{
  WprEtlHead head = { .kind = WPR_ETL_PERFINFO, .hook = 0x0f2e, .version = 2 };
  guint8 priority = event->cpu < self->n_cpus ? self->priorities[event->cpu] : 0;
  WprPayload payload;

  wpr_payload_init (&payload, self->scratch, WPR_SCRATCH_BYTES);
  wpr_payload_u64 (&payload, event->ip);
  wpr_payload_u32 (&payload, event->tid);
  wpr_payload_u16 (&payload, 1);                        /* samples this one stands for */
  wpr_payload_u16 (&payload, (guint16)(priority << 3)); /* bits 3-7 */
  return wpr_sink_etl_add (self, event->cpu, event->time, &head, &payload, error)
         && wpr_sink_etl_stack (self, event, error);
}

/* CollectionStart and CollectionEnd: readers take a sample's weight from the interval. */
gboolean
wpr_sink_etl_interval (WprSinkEtl *self, gint64 time, gboolean end, GError **error)
{
  WprEtlHead head = {
    .kind = WPR_ETL_SYSTEM, .hook = end ? 0x0f4a : 0x0f49, .version = 3, .pid = WPR_SYSTEM_PID
  };
  gint64 interval = self->context->manifest->sample_interval_ns / 100;
  WprPayload payload;

  if (interval <= 0)
    return TRUE;
  wpr_payload_init (&payload, self->scratch, WPR_SCRATCH_BYTES);
  wpr_payload_u32 (&payload, 0); /* source: the timer */
  wpr_payload_u32 (&payload, (guint32)interval);
  wpr_payload_u32 (&payload, (guint32)interval);
  wpr_payload_wide (&payload, "Timer", 16);
  return wpr_sink_etl_add (self, 0, time, &head, &payload, error);
}

/* ---- disk ---- */

/* What is known of a request as Windows' IRP flags say it: past the cache, waited for, read ahead
 * (by the cache, for itself), priority + 1 from bit 17 on. */
#define IRP_NOCACHE 0x1
#define IRP_PAGING_IO 0x2
#define IRP_SYNCHRONOUS_API 0x4
#define IRP_PRIORITY_SHIFT 17

static guint32
irp_flags (const WprEvent *event)
{
  static const guint8 priorities[] = { 3, 4, 3, 1 }; /* normal, high, normal, very low */

  return IRP_NOCACHE | (event->u.disk.ahead ? IRP_PAGING_IO : 0)
         | (event->u.disk.sync ? IRP_SYNCHRONOUS_API : 0)
         | (guint32)priorities[MIN (event->u.disk.priority_class, 3u)] << IRP_PRIORITY_SHIFT;
}

/* Stands for the request packet: the same for issue and completion, also of its parts. */
static guint64
request_number (guint32 disk, guint64 sector)
{
  return ((guint64)disk + 1) << 48 | (sector & G_GUINT64_CONSTANT (0xffffffffffff));
}

/* A discard, or a driver's own command, has no counterpart in Windows' layouts: it stays a
 * tracepoint. */
static gboolean
has_layout (const WprEvent *event)
{
  return !event->u.disk.discard || event->format == NULL;
}

gboolean
wpr_sink_etl_disk_issue (WprSinkEtl *self, const WprEvent *event, GError **error)
{
  guint32 disk = wpr_sink_etl_disk_number (self, event->u.disk.dev);
  WprEtlHead head = { .kind = WPR_ETL_SYSTEM,
                      .hook = event->u.disk.flush   ? 0x010f
                              : event->u.disk.write ? 0x010d
                                                    : 0x010c,
                      .version = 3,
                      .pid = wpr_sink_etl_pid (self, event->pid),
                      .tid = event->tid };
  WprPayload payload;

  if (!has_layout (event))
    return wpr_sink_etl_tracepoint (self, event, error);
  wpr_payload_init (&payload, self->scratch, WPR_SCRATCH_BYTES);
  wpr_payload_u64 (&payload, request_number (disk, event->u.disk.first));
  wpr_payload_u32 (&payload, event->u.disk.issuer_tid);
  return wpr_sink_etl_add (self, event->cpu, event->time, &head, &payload, error)
         && wpr_sink_etl_stack (self, event, error);
}

gboolean
wpr_sink_etl_disk_complete (WprSinkEtl *self, const WprEvent *event, GError **error)
{
  guint32 disk = wpr_sink_etl_disk_number (self, event->u.disk.dev);
  guint64 request = request_number (disk, event->u.disk.first);
  WprEtlHead head = { .kind = WPR_ETL_PERFINFO,
                      .hook = event->u.disk.flush   ? 0x010e
                              : event->u.disk.write ? 0x010b
                                                    : 0x010a,
                      .version = 3 };
  gint64 took
      = event->u.disk.issue_time >= 0 && event->u.disk.issue_time < event->time
            ? wpr_sink_etl_ticks (event->time) - wpr_sink_etl_ticks (event->u.disk.issue_time)
            : 0;
  WprPayload payload;

  if (!has_layout (event))
    return wpr_sink_etl_tracepoint (self, event, error);
  wpr_payload_init (&payload, self->scratch, WPR_SCRATCH_BYTES);
  wpr_payload_u32 (&payload, disk);
  wpr_payload_u32 (&payload, irp_flags (event));
  if (!event->u.disk.flush)
    {
      wpr_payload_u32 (&payload, event->u.disk.bytes);
      wpr_payload_u32 (&payload, 0);
      wpr_payload_u64 (&payload, event->u.disk.sector * 512); /* Linux counts 512-byte sectors */
      wpr_payload_u64 (&payload, 0);                          /* file object: not known here */
      wpr_payload_u64 (&payload, request);
      wpr_payload_u64 (&payload, (guint64)took);
    }
  else
    {
      wpr_payload_u64 (&payload, (guint64)took);
      wpr_payload_u64 (&payload, request);
    }
  wpr_payload_u32 (&payload, event->u.disk.issuer_tid);
  if (!wpr_sink_etl_add (self, event->cpu, event->time, &head, &payload, error)
      || !wpr_sink_etl_stack (self, event, error))
    return FALSE;
  return event->u.disk.error == 0 || wpr_sink_etl_recorder_event (self, event, error);
}

/* Windows' mark is 8-bit text; the same sentence follows as UTF-8 from Linux.Recorder. */
gboolean
wpr_sink_etl_mark (WprSinkEtl *self, const WprEvent *event, GError **error)
{
  WprEtlHead head = { .kind = WPR_ETL_SYSTEM,
                      .hook = 0x0f22,
                      .version = 0,
                      .pid = wpr_sink_etl_pid (self, event->pid),
                      .tid = event->tid };
  WprPayload payload;

  wpr_payload_init (&payload, self->scratch, WPR_SCRATCH_BYTES);
  wpr_payload_text (&payload, event->u.text, -1, WPR_MOST_TEXT);
  wpr_payload_u16 (&payload, 0); /* a wide NUL of padding, says Windows' manifest */
  return wpr_sink_etl_add (self, event->cpu, event->time, &head, &payload, error)
         && wpr_sink_etl_recorder_event (self, event, error);
}
