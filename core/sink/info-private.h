/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading a whole .etl that lies in memory, for `wpr -info` and for the check of a file just
 * written. Private to this room. */
#pragma once

#include "etl/decode.h"
#include "wpr-trace.h"

G_BEGIN_DECLS

/* Called once a buffer with the bytes read so far; FALSE stops. */
typedef gboolean (*WprInfoPulse) (guint64 done, guint64 total, gpointer data);
/* WPR_ERROR_CANCELLED when the pulse stopped it. */
WprTraceInfo *wpr_trace_info_from_bytes (const guint8 *bytes, gsize size, WprInfoPulse pulse,
                                         gpointer data, GError **error);

/* ---- info-facts.c ---- */
/* What an event of Linux.Recorder says: into host, profiles, .. and facts. */
void wpr_info_take_fact (WprTraceInfo *info, WprEtlDecoder *decoder, const WprEtlEvent *event,
                         const WprEtlKind *kind);

/* ---- info-symbols.c ---- */
/* What an event of Linux.Symbols says. */
void wpr_info_take_symbols (WprTraceInfo *info, WprEtlDecoder *decoder, const WprEtlEvent *event,
                            const WprEtlKind *kind);

G_END_DECLS
