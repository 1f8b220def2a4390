/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What holds for every recording, whatever is chosen: how often is sampled, where and how is
 * saved, what is told. */
#pragma once

#include <adwaita.h>
#include "model.h"
#include "settings.h"

G_BEGIN_DECLS

#define WPR_TYPE_PREFERENCES_WINDOW (wpr_preferences_window_get_type ())
G_DECLARE_FINAL_TYPE (WprPreferencesWindow, wpr_preferences_window, WPR, PREFERENCES_WINDOW,
                      AdwPreferencesWindow)

GtkWidget *wpr_preferences_window_new (GtkWindow *parent, WprModel *model, WprSettings *settings);

G_END_DECLS
