/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Page faults, and address space that comes and goes, as Windows' kernel tells them. Layouts:
 * docs/etl.md. */
#include "config.h"
#include "sink/sink-etl-private.h"

#define HARD_FAULT 0x0220
#define VIRTUAL_ALLOC 0x0262
#define VIRTUAL_FREE 0x0263
/* MEM_COMMIT .. of Windows. */
#define COMMIT 0x1000u
#define RESERVE 0x2000u
#define DECOMMIT 0x4000u
#define RELEASE 0x8000u

/* COMPACT: the header says whose it is; none of these has room for a thread in its payload. */
static WprEtlHead
thread_head (const WprSinkEtl *self, const WprEvent *event, guint16 hook)
{
  return (WprEtlHead){ .kind = WPR_ETL_COMPACT,
                       .hook = hook,
                       .version = 2,
                       .pid = wpr_sink_etl_pid (self, event->pid),
                       .tid = event->tid };
}

/* ---- faults ---- */

static const guint16 fault_hooks[] = {
  [WPR_FAULT_TRANSITION] = 0x020a,
  [WPR_FAULT_DEMAND_ZERO] = 0x020b,
  [WPR_FAULT_COPY_ON_WRITE] = 0x020c,
  [WPR_FAULT_HARD] = 0x020e,
};

static gboolean
write_fault (WprSinkEtl *self, const WprEvent *event, GError **error)
{
  WprEtlHead head = thread_head (self, event, fault_hooks[event->u.fault.kind]);
  WprPayload payload;

  wpr_payload_init (&payload, self->scratch, WPR_SCRATCH_BYTES);
  wpr_payload_u64 (&payload, event->addr);
  wpr_payload_u64 (&payload, event->ip);
  return wpr_sink_etl_add (self, event->cpu, event->time, &head, &payload, error);
}

static gboolean
write_hard_fault (WprSinkEtl *self, const WprEvent *event, GError **error)
{
  WprEtlHead head = { .kind = WPR_ETL_PERFINFO, .hook = HARD_FAULT, .version = 2 };
  guint64 file;
  WprPayload payload;

  if (!wpr_sink_etl_mapped_file (self, event, &file, error))
    return FALSE;
  wpr_payload_init (&payload, self->scratch, WPR_SCRATCH_BYTES);
  wpr_payload_u64 (&payload, (guint64)wpr_sink_etl_ticks (event->u.fault.start));
  wpr_payload_u64 (&payload, event->u.fault.offset);
  wpr_payload_u64 (&payload, event->addr);
  wpr_payload_u64 (&payload, file);
  wpr_payload_u32 (&payload, event->tid);
  /* The page that was waited for; how much was read around it the block events tell. */
  wpr_payload_u32 (&payload, (guint32)self->context->manifest->page_size);
  return wpr_sink_etl_add (self, event->cpu, event->time, &head, &payload, error);
}

gboolean
wpr_sink_etl_fault (WprSinkEtl *self, const WprEvent *event, GError **error)
{
  WprFaultKind kind = event->u.fault.kind;

  if (kind == WPR_FAULT_ANY)
    return wpr_sink_etl_recorder_event (self, event, error);
  /* As on Windows, a hard fault among all faults is told of as one of them too. */
  if ((kind != WPR_FAULT_HARD || event->u.fault.with_soft) && !write_fault (self, event, error))
    return FALSE;
  if (kind == WPR_FAULT_HARD && !write_hard_fault (self, event, error))
    return FALSE;
  return wpr_sink_etl_stack (self, event, error);
}

/* ---- address space ---- */

static gboolean
write_virtual (WprSinkEtl *self, const WprEvent *event, guint16 hook, guint64 base, guint64 size,
               guint32 flags, GError **error)
{
  WprEtlHead head = thread_head (self, event, hook);
  WprPayload payload;

  if (size == 0)
    return TRUE;
  wpr_payload_init (&payload, self->scratch, WPR_SCRATCH_BYTES);
  wpr_payload_u64 (&payload, base);
  wpr_payload_u64 (&payload, size);
  wpr_payload_u32 (&payload, head.pid);
  wpr_payload_u32 (&payload, flags);
  return wpr_sink_etl_add (self, event->cpu, event->time, &head, &payload, error);
}

gboolean
wpr_sink_etl_memory (WprSinkEtl *self, const WprEvent *event, GError **error)
{
  return write_virtual (self, event, VIRTUAL_FREE, event->u.memory.freed,
                        event->u.memory.freed_size, event->u.memory.released ? RELEASE : DECOMMIT,
                        error)
         && write_virtual (self, event, VIRTUAL_ALLOC, event->u.memory.allocated,
                           event->u.memory.allocated_size,
                           event->u.memory.committed ? RESERVE | COMMIT : RESERVE, error)
         && wpr_sink_etl_held_stack (self, event, event->u.memory.key, error);
}
