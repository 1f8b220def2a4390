/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A point in time as a person writes it: seconds since the beginning of a file, or wall clock.
 * Private to this room. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  WPR_WHEN_SINCE_START, /* ns: since the beginning */
  WPR_WHEN_WALL,        /* ns: since 1970 */
  WPR_WHEN_TIME_OF_DAY, /* ns: since midnight, of the file's day in local time */
} WprWhenKind;

typedef struct
{
  WprWhenKind kind;
  gint64 ns;
} WprWhen;

/* "1.5", "1.5s", "250ms"; "2026-11-30 14:00[:05[.25]]" (or T between, Z or +hh:mm behind);
 * "14:00[:05[.25]]". FALSE if it is none of them or out of range. */
gboolean wpr_when_parse (const char *text, gsize size, WprWhen *when);
/* As ns since the beginning; FALSE where that needs the wall clock and the file does not tell it.
 */
gboolean wpr_when_resolve (const WprWhen *when, gint64 start_realtime_ns, gint64 *since_start_ns);

G_END_DECLS
