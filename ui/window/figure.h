/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures that change many times a second, in a GtkInscription: unlike a label's, its new text
 * makes nobody lay out the window again, which under X11 alone is twenty questions to the server.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Shows the text if it is another one. The inscription is as wide as it is given; if grows, it asks
 * for room where the text has another number of characters than the last one. TRUE: it is another.
 */
gboolean wpr_figure_show (GtkWidget *inscription, const char *text, gboolean grows);

/* The text as it is shown: on the right where lines begin there. Free with g_free. */
char *wpr_figure_align (GtkWidget *widget, const char *text);

G_END_DECLS
