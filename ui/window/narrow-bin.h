/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A container of one child that knows whether it is narrow: the pages hang their second layout on
 * it. (AdwBreakpointBin is of libadwaita 1.4.) */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define WPR_TYPE_NARROW_BIN (wpr_narrow_bin_get_type ())
/* Property "narrow": below 600 pixels. Property "child". */
G_DECLARE_FINAL_TYPE (WprNarrowBin, wpr_narrow_bin, WPR, NARROW_BIN, GtkWidget)

gboolean wpr_narrow_bin_get_narrow (WprNarrowBin *self);

G_END_DECLS
