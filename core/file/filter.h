/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* EXPR of `wpr -dump -filter`: compiled once, evaluated without allocation. Knows no file: who is
 * asked hands the values over. Private to this room.
 *
 *   expr       = and { "||" and }          and = unary { "&&" unary }
 *   unary      = "!" unary | "(" expr ")" | comparison
 *   comparison = name op value             op = == = != < <= > >= ~
 *   name       = one of the table in filter.c in any case, else a field's; a "." in front or
 *                quotes around it: always a field's
 *   value      = "quoted", with \" and \\ in it, or bare up to a space or one of ()&|=!<>~"
 *
 * A comparison with something the event does not have, or that cannot be compared with the value,
 * is false, whatever the operator. Text compares exactly; ~ looks for a part, in any ASCII case. Of
 * Keywords ~ means: has all these bits. */
#pragma once

#include "wpr-trace-file.h"

G_BEGIN_DECLS

typedef enum
{
  WPR_FILTER_FIELD,
  WPR_FILTER_PROCESS_NAME,
  WPR_FILTER_PROCESS_ID,
  WPR_FILTER_THREAD_ID,
  WPR_FILTER_PROVIDER,
  WPR_FILTER_PROVIDER_GUID, /* BYTES, 16: Provider compared with a text in braces */
  WPR_FILTER_EVENT_NAME,
  WPR_FILTER_EVENT_ID,
  WPR_FILTER_LEVEL,
  WPR_FILTER_KEYWORDS,
  WPR_FILTER_CPU,
  WPR_FILTER_TIME, /* INT: ns since the beginning */
} WprFilterName;

/* The value of a name; `field` is the field's for WPR_FILTER_FIELD. FALSE: the event has none. */
typedef gboolean (*WprFilterGet) (gpointer subject, WprFilterName name, const char *field,
                                  WprTraceField *value);

typedef struct _WprFilter WprFilter;
/* NULL with WPR_ERROR_USAGE, which names the column (characters from 1) and what was expected. */
WprFilter *wpr_filter_new (const char *text, guint *column, GError **error);
void wpr_filter_free (WprFilter *filter);
/* Before the first question: when the file begins. WPR_ERROR_USAGE if the filter has a wall-clock
 * time and start_realtime_ns is 0. */
gboolean wpr_filter_set_start (WprFilter *filter, gint64 start_realtime_ns, GError **error);
gboolean wpr_filter_matches (const WprFilter *filter, WprFilterGet get, gpointer subject);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprFilter, wpr_filter_free)

G_END_DECLS
