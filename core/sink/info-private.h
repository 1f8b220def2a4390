/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading a whole .etl that lies in memory, for `wpr -info` and for the check of a file just
 * written. Private to this room. */
#pragma once

#include "etl/reader.h"
#include "wpr-trace.h"

G_BEGIN_DECLS

/* Called once a buffer with the bytes read so far; FALSE stops. */
typedef gboolean (*WprInfoPulse) (guint64 done, guint64 total, gpointer data);
/* WPR_ERROR_CANCELLED when the pulse stopped it. */
WprTraceInfo *wpr_trace_info_from_bytes (const guint8 *bytes, gsize size, WprInfoPulse pulse,
                                         gpointer data, GError **error);

/* ---- info-names.c ---- */
/* Readable names of a kernel event, and of a classic one by GUID and opcode; FALSE if unknown. */
gboolean wpr_info_hook_name (guint16 hook, const char **provider, const char **name);
gboolean wpr_info_classic_name (const WprEtlGuid *guid, guint8 opcode, const char **provider,
                                const char **name);
char *wpr_info_guid_text (const WprEtlGuid *guid); /* "{...}" */

/* ---- info-facts.c ---- */
/* What an event of Linux.Recorder says: into host, profiles, .. and facts. */
void wpr_info_take_fact (WprTraceInfo *info, const WprEtlEvent *event);
/* ---- info-symbols.c ---- */
void wpr_info_take_symbols (WprTraceInfo *info, const WprEtlEvent *event); /* of Linux.Symbols */
/* A field's value for people; NULL where it is none. */
char *wpr_info_field_text (const WprEtlFieldIter *field);

G_END_DECLS
