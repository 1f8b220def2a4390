/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What one profile records, as its plan says it. */
#pragma once

#include <adwaita.h>
#include "model.h"

G_BEGIN_DECLS

#define WPR_TYPE_DETAILS_WINDOW (wpr_details_window_get_type ())
G_DECLARE_FINAL_TYPE (WprDetailsWindow, wpr_details_window, WPR, DETAILS_WINDOW, AdwWindow)

GtkWidget *wpr_details_window_new (GtkWindow *parent, const WprDetails *details);

G_END_DECLS
