/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures as people read them: grouped digits, sizes, spans of time. Pure; any thread. Every string
 * is newly allocated. Does not live here: sentences, which belong to the pages. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* "1,234,567", grouped as the locale says (the C locale has no rule: commas there). */
char *wpr_format_count (guint64 count);
/* "96 MB", "1.1 GB"; units of 1,024, as buffers are counted. */
char *wpr_format_bytes (guint64 bytes);
/* "7,680 MB": always in MB, for a limit beside a figure in MB. */
char *wpr_format_megabytes (guint64 bytes);
/* "00:01:23", of a span in ns. */
char *wpr_format_clock (gint64 span_ns);
/* "0:42", "1:02:03". */
char *wpr_format_minutes (double span_s);
/* "42 s", "1 min 20 s", "2 h 35 min", "3 d 4 h": two units at most. */
char *wpr_format_span (double span_s);
/* "71%"; of a share 0..1. */
char *wpr_format_percent (double share, int decimals);
/* "0.04%": as many decimals as a small share of events needs, "less than 0.01%" below. */
char *wpr_format_loss_share (guint64 lost, guint64 events);
/* "30 Nov 2026, 09:12". */
char *wpr_format_date (gint64 realtime_ns);
/* "today, 09:12", "24 Nov, 09:12"; with the year where it is another. */
char *wpr_format_recent (gint64 realtime_ns);
/* "10:02" in local time, of ns since 1970. */
char *wpr_format_time_of_day (gint64 realtime_ns);

G_END_DECLS
