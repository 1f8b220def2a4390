/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Raw record -> event: one table of kinds, field offsets looked up once a format. Says what the
 * record says and nothing of who runs where; of its own it only remembers disk
 * requests, and which file a descriptor is. */
#pragma once

#include "store/store.h"
#include "trace/event.h"
#include "trace/files.h"

G_BEGIN_DECLS

typedef struct _WprConvert WprConvert;

WprConvert *wpr_convert_new (const WprManifest *manifest);
void wpr_convert_free (WprConvert *convert);
/* sched_switch is among the events. */
gboolean wpr_convert_has_switches (const WprConvert *convert);
/* Format of an event; NULL if it is no tracepoint, or its format text cannot be read. */
const WprFormat *wpr_convert_format (const WprConvert *convert, guint32 row);

typedef enum
{
  WPR_CONVERT_EVENT,   /* event is filled, but for cpu and time */
  WPR_CONVERT_YIELD,   /* the same, and its thread is between sched_yield's entry and exit */
  WPR_CONVERT_YIELDED, /* the same, and no longer */
  WPR_CONVERT_ARRIVED, /* a switch that tells who comes; who left may have been told already */
  WPR_CONVERT_LOST,    /* *lost records are missing here */
  WPR_CONVERT_UNKNOWN, /* an id that is not in the manifest */
  WPR_CONVERT_NOTHING, /* bookkeeping of the kernel's */
} WprConverted;
/* Records of a CPU are missing from here on. */
void wpr_convert_gap (WprConvert *convert, guint cpu);
/* Begins without an end and ends without a begin so far: of losses, and at both ends of the
 * recording. */
guint64 wpr_convert_unpaired (const WprConvert *convert);
/* event->cpu is set. boot_time: of the record, for disk requests. */
WprConverted wpr_convert_record (WprConvert *convert, const WprRecord *record, gint64 boot_time,
                                 WprEvent *event, guint64 *lost);
/* Further events that came of the last record, one after the other; kind and union are filled. */
gboolean wpr_convert_next (WprConvert *convert, WprEvent *event);
/* The same, once after the last record: what waited for more. */
gboolean wpr_convert_last (WprConvert *convert, WprEvent *event);
/* Which file a descriptor is; NULL where no file operations were asked for. */
WprFiles *wpr_convert_files (WprConvert *convert);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprConvert, wpr_convert_free)

G_END_DECLS
