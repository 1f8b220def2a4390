/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Disk requests on their way: who asked, when they went to the device. A table of fixed size by
 * (device, sector); of two that want one place the newer wins. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _WprRequests WprRequests;
typedef struct
{
  gint64 issue_time; /* boot ns; -1: not seen */
  guint32 issuer_tid;
  guint64 first; /* sector of the whole request */
} WprRequest;

WprRequests *wpr_requests_new (void);
void wpr_requests_free (WprRequests *requests);
/* A thread asked for a transfer that begins at this sector. A partition's bio names the partition,
 * its request the disk: only the major number is compared. */
void wpr_requests_queued (WprRequests *requests, guint32 dev, guint64 sector, guint32 tid);
/* Put into the device's queue: tid asked, if no bio was seen. */
void wpr_requests_inserted (WprRequests *requests, guint32 dev, guint64 sector, guint32 tid);
/* Goes to the device; returns who asked (tid, if nobody else was seen to). */
guint32 wpr_requests_issued (WprRequests *requests, guint32 dev, guint64 sector, guint32 n_sectors,
                             gint64 time, guint32 tid);
/* n_sectors of it came back; where more are to come, the rest waits under its own first sector. */
WprRequest wpr_requests_completed (WprRequests *requests, guint32 dev, guint64 sector,
                                   guint32 n_sectors);

G_END_DECLS
