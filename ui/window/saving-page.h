/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recording becomes a file: phases, percentage, what was wrong, the file's name. */
#pragma once

#include <adwaita.h>
#include "model.h"
#include "settings.h"

G_BEGIN_DECLS

#define WPR_TYPE_SAVING_PAGE (wpr_saving_page_get_type ())
G_DECLARE_FINAL_TYPE (WprSavingPage, wpr_saving_page, WPR, SAVING_PAGE, AdwBin)

void wpr_saving_page_set_model (WprSavingPage *self, WprModel *model, WprSettings *settings);
/* The page comes up: takes over note and name. */
void wpr_saving_page_enter (WprSavingPage *self);

G_END_DECLS
