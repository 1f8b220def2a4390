/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a recording ended: a seal in words and colour, the file, what to do with it. */
#pragma once

#include <adwaita.h>
#include "model.h"

G_BEGIN_DECLS

#define WPR_TYPE_RESULT_PAGE (wpr_result_page_get_type ())
G_DECLARE_FINAL_TYPE (WprResultPage, wpr_result_page, WPR, RESULT_PAGE, AdwBin)

void wpr_result_page_show (WprResultPage *self, const WprOutcome *outcome, const WprStats *stats,
                           GListModel *profiles);
/* What can open it: entries of "win.open-with". */
void wpr_result_page_set_programs (WprResultPage *self, GMenuModel *programs);

G_END_DECLS
