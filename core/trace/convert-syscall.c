/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* System calls in general, and sched_yield. What a call means for memory or files is beside those.
 */
#include "config.h"
#include "trace/convert-private.h"

#include <sys/syscall.h>

enum
{
  NR,
  RESULT
};

static WprConverted
convert_yield (WprConvert *convert, const WprConvertRow *row, const WprRecord *record,
               WprEvent *event)
{
  return WPR_CONVERT_YIELD;
}

static WprConverted
convert_yielded (WprConvert *convert, const WprConvertRow *row, const WprRecord *record,
                 WprEvent *event)
{
  return WPR_CONVERT_YIELDED;
}

/* System call numbers are those of the machine this was built for, like the recording's. */
static WprConverted
convert_sys_enter (WprConvert *convert, const WprConvertRow *row, const WprRecord *record,
                   WprEvent *event)
{
  event->kind = WPR_EVENT_SYSCALL_ENTER;
  event->u.syscall.nr = wpr_convert_int (row, NR, record);
  return event->u.syscall.nr == SYS_sched_yield ? WPR_CONVERT_YIELD : WPR_CONVERT_EVENT;
}

static WprConverted
convert_sys_exit (WprConvert *convert, const WprConvertRow *row, const WprRecord *record,
                  WprEvent *event)
{
  event->kind = WPR_EVENT_SYSCALL_EXIT;
  event->u.syscall.nr = wpr_convert_int (row, NR, record);
  event->u.syscall.result = wpr_convert_int (row, RESULT, record);
  return event->u.syscall.nr == SYS_sched_yield ? WPR_CONVERT_YIELDED : WPR_CONVERT_EVENT;
}

const WprConvertKind wpr_convert_syscall_kinds[] = {
  { "syscalls:sys_enter_sched_yield", convert_yield, { NULL } },
  { "syscalls:sys_exit_sched_yield", convert_yielded, { NULL } },
  { "raw_syscalls:sys_enter", convert_sys_enter, { "id" } },
  { "raw_syscalls:sys_exit", convert_sys_exit, { "id", "ret" } },
  { NULL },
};
