/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Saying things to people: results on stdout, faults on stderr, times and sizes in words. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A line on stdout. */
void wpr_say (const char *format, ...) G_GNUC_PRINTF (1, 2);
/* A line on stderr, "wpr: " in front. */
void wpr_warn (const char *format, ...) G_GNUC_PRINTF (1, 2);
/* Says a fault on stderr, with WPR's number where it has one, and as JSON on stdout if asked.
 * Returns its exit status. */
int wpr_complain (const GError *error, gboolean json);
/* "1:02:03" of ns; "0:42" below an hour. Free with g_free. */
char *wpr_format_span (gint64 ns);
/* Local date and time of ns since 1970. Free with g_free. */
char *wpr_format_when (gint64 realtime_ns);
/* A number of 64 bits as text, since a format macro would cut a sentence that is translated. Free
 * with g_free. */
char *wpr_format_count (guint64 count);
/* "384.0 MiB". Free with g_free. */
char *wpr_format_bytes (guint64 bytes);
/* A path to show: UTF-8, control characters as \n or \x1b, so that a name cannot draw on the
 * terminal. Free with g_free. */
char *wpr_format_path (const char *path);

G_END_DECLS
