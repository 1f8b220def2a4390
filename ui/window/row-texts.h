/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Title and subtitle of rows, laid out a few times, not a hundred. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

/* For every row of libadwaita in the widget, or the widget itself. Looks the same. */
void wpr_lay_out_rows (GtkWidget *widget);

G_END_DECLS
