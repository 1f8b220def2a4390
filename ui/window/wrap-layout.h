/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Puts children side by side, and on further lines where that does not fit: words are not cut where
 * there is room below. (AdwWrapBox is of libadwaita 1.7, a GtkFlowBox has columns.) */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define WPR_TYPE_WRAP_LAYOUT (wpr_wrap_layout_get_type ())
/* Properties "spacing" and "line-spacing" in pixels; "xalign", where a line that is not full
 * stands, from 0 (start) to 1 (end); "fill", children share their line, equally where all of them
 * fit so; "wrap", FALSE: one line, whose width is asked for (what stands beside gives way instead).
 */
G_DECLARE_FINAL_TYPE (WprWrapLayout, wpr_wrap_layout, WPR, WRAP_LAYOUT, GtkLayoutManager)

G_END_DECLS
