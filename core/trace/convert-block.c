/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Disk requests: bio queued, request inserted, issued, complete. */
#include "config.h"
#include "trace/convert-private.h"

#include <string.h>

#define SECTOR_BYTES 512

enum
{
  DEV,
  SECTOR,
  N_SECTORS,
  RWBS,
  PRIORITY, /* since 6.8 */
  ERROR_CODE
};
/* Of ioprio: the class. */
#define PRIORITY_CLASS_SHIFT 13

/* rwbs: one letter a property, the operation first but for a flush before it: "WS", "FWS", "RA",
 * "D", "FF". "N" is a command of a driver's own. */
static void
read_rwbs (const WprConvertRow *row, const WprRecord *record, WprEvent *event)
{
  guint32 size = 0;
  const char *text
      = (const char *)wpr_field_bytes (row->fields[RWBS], record->raw, record->raw_size, &size);
  guint32 length = text != NULL ? (guint32)strnlen (text, size) : 0;
  event->u.disk.write = length > 0 && memchr (text, 'W', length) != NULL;
  gboolean read = length > 0 && memchr (text, 'R', length) != NULL;
  event->u.disk.flush = length > 0 && text[0] == 'F' && !event->u.disk.write && !read;
  event->u.disk.discard
      = length > 0 && !event->u.disk.flush
        && (memchr (text, 'D', length) != NULL || (!read && !event->u.disk.write));
  event->u.disk.sync = length > 0 && memchr (text, 'S', length) != NULL;
  event->u.disk.ahead = length > 0 && memchr (text, 'A', length) != NULL;
}

static void
read_request (const WprConvertRow *row, const WprRecord *record, WprEvent *event)
{
  event->u.disk.dev = (guint32)wpr_convert_int (row, DEV, record);
  event->u.disk.sector = (guint64)wpr_convert_int (row, SECTOR, record);
  /* A flush is issued at sector 0 and completes at sector -1. */
  if (event->u.disk.sector == G_MAXUINT64)
    event->u.disk.sector = 0;
  /* A discard may be larger than 4 GiB. */
  guint32 n = (guint32)wpr_convert_int (row, N_SECTORS, record);
  event->u.disk.bytes = MIN (n, G_MAXUINT32 / SECTOR_BYTES) * SECTOR_BYTES;
  event->u.disk.error = 0;
  event->u.disk.first = event->u.disk.sector;
  event->u.disk.priority_class
      = row->fields[PRIORITY] != NULL
            ? (guint)wpr_convert_int (row, PRIORITY, record) >> PRIORITY_CLASS_SHIFT & 7
            : 0;
  read_rwbs (row, record, event);
}

/* Both stay tracepoints of their own: they tell who asked. */
static WprConverted
convert_bio (WprConvert *convert, const WprConvertRow *row, const WprRecord *record,
             WprEvent *event)
{
  wpr_requests_queued (convert->requests, (guint32)wpr_convert_int (row, DEV, record),
                       (guint64)wpr_convert_int (row, SECTOR, record), record->tid);
  return WPR_CONVERT_EVENT;
}

static WprConverted
convert_insert (WprConvert *convert, const WprConvertRow *row, const WprRecord *record,
                WprEvent *event)
{
  wpr_requests_inserted (convert->requests, (guint32)wpr_convert_int (row, DEV, record),
                         (guint64)wpr_convert_int (row, SECTOR, record), record->tid);
  return WPR_CONVERT_EVENT;
}

static WprConverted
convert_issue (WprConvert *convert, const WprConvertRow *row, const WprRecord *record,
               WprEvent *event)
{
  event->kind = WPR_EVENT_DISK_ISSUE;
  read_request (row, record, event);
  event->u.disk.issue_time = event->time;
  event->u.disk.issuer_tid
      = wpr_requests_issued (convert->requests, event->u.disk.dev, event->u.disk.sector,
                             event->u.disk.bytes / SECTOR_BYTES, event->time, record->tid);
  return WPR_CONVERT_EVENT;
}

static WprConverted
convert_complete (WprConvert *convert, const WprConvertRow *row, const WprRecord *record,
                  WprEvent *event)
{
  event->kind = WPR_EVENT_DISK_COMPLETE;
  read_request (row, record, event);
  event->u.disk.error = (gint32)wpr_convert_int (row, ERROR_CODE, record);
  WprRequest request
      = wpr_requests_completed (convert->requests, event->u.disk.dev, event->u.disk.sector,
                                event->u.disk.bytes / SECTOR_BYTES);
  event->u.disk.issue_time = request.issue_time;
  if (request.issue_time >= 0)
    event->u.disk.first = request.first;
  event->u.disk.issuer_tid = request.issuer_tid;
  /* Who asked for a flush gets a completion of their own, of nothing: no disk saw that one. */
  if (request.issue_time < 0 && event->u.disk.bytes == 0 && !event->u.disk.flush)
    event->kind = WPR_EVENT_TRACEPOINT;
  return WPR_CONVERT_EVENT;
}

const WprConvertKind wpr_convert_block_kinds[] = {
  { "block:block_bio_queue", convert_bio, { "dev", "sector" } },
  { "block:block_rq_insert", convert_insert, { "dev", "sector", "nr_sector", "rwbs" } },
  { "block:block_rq_issue", convert_issue, { "dev", "sector", "nr_sector", "rwbs", "?ioprio" } },
  { "block:block_rq_complete",
    convert_complete,
    { "dev", "sector", "nr_sector", "rwbs", "?ioprio", "error" } },
  { NULL },
};
