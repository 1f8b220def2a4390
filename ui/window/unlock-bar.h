/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bar that says what this user may not record, and asks an administrator. */
#pragma once

#include <adwaita.h>
#include "model.h"

G_BEGIN_DECLS

#define WPR_TYPE_UNLOCK_BAR (wpr_unlock_bar_get_type ())
G_DECLARE_FINAL_TYPE (WprUnlockBar, wpr_unlock_bar, WPR, UNLOCK_BAR, AdwBin)

void wpr_unlock_bar_show (WprUnlockBar *self, WprModel *model);
/* The button stands below the words. */
void wpr_unlock_bar_set_narrow (WprUnlockBar *self, gboolean narrow);

G_END_DECLS
