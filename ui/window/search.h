/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The search of the lists: every word of a query, in any order, whatever the case. Pure. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The text as wpr_search_matches() takes it. Free with g_free. */
char *wpr_search_fold (const char *text);
/* Every word of the query is in the folded text. */
gboolean wpr_search_matches (const char *folded_text, const char *query);
/* Pango markup of the text with what matches a word of the query emphasised. Free with g_free. */
char *wpr_search_markup (const char *text, const char *query);

G_END_DECLS
