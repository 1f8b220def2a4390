/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Interrupts (ISR), softirqs and tasklets (DPC), timers (timer DPC), system calls, as Windows'
 * kernel tells them. Layouts: docs/etl.md. */
#include "config.h"
#include "sink/sink-etl-private.h"

/* Told with the event of its end; here for its count and for its stack. */
gboolean
wpr_sink_etl_begun (WprSinkEtl *self, const WprEvent *event, GError **error)
{
  wpr_sink_etl_hold_stack (self, event, event->u.begun.key);
  return TRUE;
}

static const struct
{
  guint16 hook;
  gboolean isr;
} interrupts[] = {
  [WPR_INTERRUPT_IRQ] = { 0x0f43, TRUE },      [WPR_INTERRUPT_VECTOR] = { 0x0f43, TRUE },
  [WPR_INTERRUPT_SOFTIRQ] = { 0x0f44, FALSE }, [WPR_INTERRUPT_TASKLET] = { 0x0f44, FALSE },
  [WPR_INTERRUPT_TIMER] = { 0x0f45, FALSE },
};

static gboolean
routine_of (WprSinkEtl *self, const WprEvent *event, guint64 *address, GError **error)
{
  *address = event->u.interrupt.routine;
  if (interrupts[event->u.interrupt.what].isr)
    return wpr_sink_etl_interrupt_routine (self, event, address, error);
  if (event->u.interrupt.what == WPR_INTERRUPT_SOFTIRQ)
    return wpr_sink_etl_softirq_routine (self, event, address, error);
  wpr_sink_etl_saw_address (self, 0, *address);
  return TRUE;
}

gboolean
wpr_sink_etl_interrupt (WprSinkEtl *self, const WprEvent *event, GError **error)
{
  WprEtlHead head = { .kind = WPR_ETL_PERFINFO,
                      .hook = interrupts[event->u.interrupt.what].hook,
                      .version = 2 };
  guint64 routine;
  WprPayload payload;

  if (!routine_of (self, event, &routine, error))
    return FALSE;
  wpr_payload_init (&payload, self->scratch, WPR_SCRATCH_BYTES);
  wpr_payload_u64 (&payload, (guint64)wpr_sink_etl_ticks (event->u.interrupt.start));
  wpr_payload_u64 (&payload, routine);
  if (interrupts[event->u.interrupt.what].isr)
    {
      wpr_payload_u8 (&payload, (guint8)event->u.interrupt.result);
      wpr_payload_u16 (&payload, (guint16)MIN (event->u.interrupt.number, G_MAXUINT16));
      wpr_payload_u8 (&payload, 0);
    }
  return wpr_sink_etl_add (self, event->cpu, event->time, &head, &payload, error)
         && wpr_sink_etl_held_stack (self, event, event->u.interrupt.key, error);
}

/* COMPACT, as ReadyThread: the header says whose call it is. */
static WprEtlHead
call_head (const WprSinkEtl *self, const WprEvent *event, guint16 hook)
{
  return (WprEtlHead){ .kind = WPR_ETL_COMPACT,
                       .hook = hook,
                       .version = 2,
                       .pid = wpr_sink_etl_pid (self, event->pid),
                       .tid = event->tid };
}

gboolean
wpr_sink_etl_syscall_enter (WprSinkEtl *self, const WprEvent *event, GError **error)
{
  WprEtlHead head = call_head (self, event, 0x0f33);
  guint64 address;
  WprPayload payload;

  if (!wpr_sink_etl_call_routine (self, event, &address, error))
    return FALSE;
  wpr_payload_init (&payload, self->scratch, WPR_SCRATCH_BYTES);
  wpr_payload_u64 (&payload, address);
  return wpr_sink_etl_add (self, event->cpu, event->time, &head, &payload, error)
         && wpr_sink_etl_stack (self, event, error);
}

gboolean
wpr_sink_etl_syscall_exit (WprSinkEtl *self, const WprEvent *event, GError **error)
{
  WprEtlHead head = call_head (self, event, 0x0f34);
  WprPayload payload;

  wpr_payload_init (&payload, self->scratch, WPR_SCRATCH_BYTES);
  wpr_payload_u32 (&payload, (guint32)event->u.syscall.result); /* the lower half of a long */
  return wpr_sink_etl_add (self, event->cpu, event->time, &head, &payload, error)
         && wpr_sink_etl_stack (self, event, error);
}
