/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A recording as a strip from its start to its end, with the seconds in which events were lost. */
#pragma once

#include <gtk/gtk.h>
#include <wpr-recorder.h>

G_BEGIN_DECLS

#define WPR_TYPE_GAP_STRIP (wpr_gap_strip_get_type ())
G_DECLARE_FINAL_TYPE (WprGapStrip, wpr_gap_strip, WPR, GAP_STRIP, GtkWidget)

/* Reads the losses of the figures; words say the same to assistive technology. */
void wpr_gap_strip_show (WprGapStrip *self, const WprStats *stats, const char *words);

G_END_DECLS
