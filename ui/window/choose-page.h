/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What to record: profiles by problem, search, options, and what would come of it. */
#pragma once

#include <adwaita.h>
#include "model.h"
#include "settings.h"

G_BEGIN_DECLS

#define WPR_TYPE_CHOOSE_PAGE (wpr_choose_page_get_type ())
/* Signal "chosen" (const char *text): a symptom chose other profiles; it can be undone. */
G_DECLARE_FINAL_TYPE (WprChoosePage, wpr_choose_page, WPR, CHOOSE_PAGE, AdwBin)

void wpr_choose_page_set_model (WprChoosePage *self, WprModel *model, WprSettings *settings);
void wpr_choose_page_focus_search (WprChoosePage *self);
/* What was on before the last symptom is again. */
void wpr_choose_page_undo (WprChoosePage *self);
/* The folder of the model changed. */
void wpr_choose_page_show_folder (WprChoosePage *self);

G_END_DECLS
