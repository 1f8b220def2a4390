/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Page faults. */
#include "config.h"
#include "trace/convert-private.h"

static WprConverted
convert_fault (WprConvert *convert, const WprConvertRow *row, const WprRecord *record,
               WprEvent *event)
{
  event->kind = WPR_EVENT_FAULT;
  event->u.fault.major = FALSE;
  return WPR_CONVERT_EVENT;
}

static WprConverted
convert_major_fault (WprConvert *convert, const WprConvertRow *row, const WprRecord *record,
                     WprEvent *event)
{
  event->kind = WPR_EVENT_FAULT;
  event->u.fault.major = TRUE;
  return WPR_CONVERT_EVENT;
}

const WprConvertKind wpr_convert_memory_kinds[] = {
  { "page-faults", convert_fault, { NULL } },
  { "minor-faults", convert_fault, { NULL } },
  { "major-faults", convert_major_fault, { NULL } },
  { NULL },
};
