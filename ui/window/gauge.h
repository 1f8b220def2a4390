/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How full something is. Moves without a new layout, which GtkLevelBar does not. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define WPR_TYPE_GAUGE (wpr_gauge_get_type ())
G_DECLARE_FINAL_TYPE (WprGauge, wpr_gauge, WPR, GAUGE, GtkWidget)

/* 0..1 */
void wpr_gauge_set_value (WprGauge *self, double value);
double wpr_gauge_get_value (WprGauge *self);

G_END_DECLS
