/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How to record: logging mode, detail level, buffers, when it stops by itself, folder. */
#pragma once

#include <adwaita.h>
#include "model.h"

G_BEGIN_DECLS

#define WPR_TYPE_OPTIONS_PANE (wpr_options_pane_get_type ())
/* Signal "changed": the wish is another one. */
G_DECLARE_FINAL_TYPE (WprOptionsPane, wpr_options_pane, WPR, OPTIONS_PANE, AdwBin)

/* Fills in everything but names and folder. */
void wpr_options_pane_get (WprOptionsPane *self, WprWish *wish);
void wpr_options_pane_set (WprOptionsPane *self, const WprWish *wish);
/* What the plan makes of it: cost, or the refusal of a number. Any of the three may be NULL. */
void wpr_options_pane_show_plan (WprOptionsPane *self, const WprPlan *plan, const GError *error,
                                 const WprEstimate *estimate, guint64 memory_bytes);
void wpr_options_pane_set_folder (WprOptionsPane *self, const char *folder);

G_END_DECLS
