/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether a request is one of those that are answered: the closed vocabulary, and the limits of one
 * request. Pure: opens and reads nothing. */
#pragma once

#include "broker/protocol.h"

#define WPR_BROKER_ROWS_MOST 1024
#define WPR_BROKER_RINGS_MOST 16
#define WPR_BROKER_RING_BYTES_MOST (1024 * 1024 * 1024)

/* FALSE with a sentence for what no client of ours asks. Rows whose event is well-formed but not
 * opened for anybody (or not without `contents`) are left out of events and appended to refusals
 * (WprRefusal, EKEYREJECTED), so that the rest records. events: of wpr_broker_events_new (). */
gboolean wpr_broker_check_rows (GVariant *rows, guint n_rings, gboolean contents, GArray *events,
                                GArray *refusals, GError **error);
/* WprPerfEvent whose texts belong to the array. */
GArray *wpr_broker_events_new (void);
/* checked: WprRingSpec. */
gboolean wpr_broker_check_rings (GVariant *rings, GArray *checked, GError **error);
gboolean wpr_broker_check_bytes (guint64 bytes, GError **error);
gboolean wpr_broker_check_cpus (const guint32 *cpus, gsize n, GError **error);
/* "sched:sched_switch" and the like: well-formed, and of a system that is opened. */
gboolean wpr_broker_check_tracepoint (const char *name, gboolean contents);
/* FALSE with `sentence` (N_()) as the error: the client translates it. */
gboolean wpr_broker_refuse (GError **error, WprErrorCode code, const char *sentence);
