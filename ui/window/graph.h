/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The last 60 seconds as a picture: events a second as an area; in file mode the fullest buffer as
 * a line and lost events as bars; in memory mode what a save would still hold; marks as flags. */
#pragma once

#include <gtk/gtk.h>
#include "history.h"

G_BEGIN_DECLS

#define WPR_TYPE_GRAPH (wpr_graph_get_type ())
G_DECLARE_FINAL_TYPE (WprGraph, wpr_graph, WPR, GRAPH, GtkWidget)

/* Draws it from now on; the history belongs to the caller and must live until the next call (NULL:
 * draws nothing). Call again when it changed. */
void wpr_graph_set_history (WprGraph *self, const WprHistory *history);
/* Only time went on since: draws it where that is to be seen. */
void wpr_graph_move (WprGraph *self);
/* What it shows, for assistive technology. */
void wpr_graph_set_description (WprGraph *self, const char *description);

G_END_DECLS
