/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stacks: records of their own (StackWalk), and what events of providers carry. */
#include "config.h"
#include "etl/decode.h"

#include <string.h>
#include "etl/layout.h"

#define HOOK_STACK 0x1820
#define HOOK_KEY_DELETE 0x1823
#define HOOK_KEY_RUNDOWN 0x1824
#define HOOK_KEY_KERNEL 0x1825
#define HOOK_KEY_USER 0x1826
#define OWNER_BYTES 16 /* u64 time of the event, u32 PID, u32 TID */

static void
take_frames (WprEtlStack *stack, const guint8 *at, guint32 size, guint8 frame_bytes)
{
  stack->frame_bytes = frame_bytes;
  stack->frames = at;
  stack->n_frames = size / frame_bytes;
}

static gboolean
take_own_record (const WprEtlEvent *event, WprEtlStack *stack)
{
  const guint8 *at = event->payload;
  guint32 size = event->payload_size, key = event->pointer_size;

  stack->is_own_record = TRUE;
  if (event->hook == HOOK_KEY_DELETE || event->hook == HOOK_KEY_RUNDOWN)
    {
      if (size < key)
        return FALSE;
      stack->is_keyed = TRUE;
      stack->match = key == 8 ? wpr_etl_get64 (at) : wpr_etl_get32 (at);
      take_frames (stack, at + key, size - key, event->pointer_size);
      return TRUE;
    }
  if (size < OWNER_BYTES)
    return FALSE;
  stack->ticks = (gint64)wpr_etl_get64 (at);
  stack->pid = wpr_etl_get32 (at + 8);
  stack->tid = wpr_etl_get32 (at + 12);
  if (event->hook == HOOK_STACK)
    {
      take_frames (stack, at + OWNER_BYTES, size - OWNER_BYTES, event->pointer_size);
      return TRUE;
    }
  if (size < OWNER_BYTES + key)
    return FALSE;
  stack->is_keyed = TRUE;
  stack->match = key == 8 ? wpr_etl_get64 (at + OWNER_BYTES) : wpr_etl_get32 (at + OWNER_BYTES);
  return TRUE;
}

static gboolean
take_item (const WprEtlEvent *event, WprEtlStack *stack)
{
  guint32 at = 0;

  while (at + 8 <= event->items_size)
    {
      guint32 total = wpr_etl_get16 (event->items + at), type, used;

      type = wpr_etl_get16 (event->items + at + 2);
      used = wpr_etl_get16 (event->items + at + 6);
      if (total < 8 || total > event->items_size - at)
        return FALSE;
      if ((type == WPR_ETL_EXT_STACK32 || type == WPR_ETL_EXT_STACK64) && used >= 8
          && used <= total - 8)
        {
          stack->ticks = event->ticks;
          stack->pid = event->pid;
          stack->tid = event->tid;
          stack->match = wpr_etl_get64 (event->items + at + 8);
          take_frames (stack, event->items + at + 16, used - 8,
                       type == WPR_ETL_EXT_STACK32 ? 4 : 8);
          return TRUE;
        }
      at += total;
    }
  return FALSE;
}

gboolean
wpr_etl_event_get_stack (const WprEtlEvent *event, WprEtlStack *stack)
{
  memset (stack, 0, sizeof *stack);
  stack->frame_bytes = event->pointer_size;
  if (event->header_type == WPR_ETL_HEAD_EVENT || event->header_type == WPR_ETL_HEAD_EVENT32)
    return take_item (event, stack);
  if (event->header_type <= WPR_ETL_HEAD_COMPACT || event->header_type == WPR_ETL_HEAD_PERFINFO
      || event->header_type == WPR_ETL_HEAD_PERFINFO32)
    return (event->hook == HOOK_STACK
            || (event->hook >= HOOK_KEY_DELETE && event->hook <= HOOK_KEY_USER))
           && take_own_record (event, stack);
  return FALSE;
}

guint64
wpr_etl_stack_frame (const WprEtlStack *stack, guint index)
{
  const guint8 *at = stack->frames + (gsize)index * stack->frame_bytes;

  return stack->frame_bytes == 8 ? wpr_etl_get64 (at) : wpr_etl_get32 (at);
}
