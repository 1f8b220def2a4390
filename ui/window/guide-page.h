/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A recording somebody was asked for, on one page from beginning to end: who asks, what is recorded
 * and what is not, what to do, and one button. */
#pragma once

#include <adwaita.h>
#include "guide.h"
#include "model.h"

G_BEGIN_DECLS

#define WPR_TYPE_GUIDE_PAGE (wpr_guide_page_get_type ())
G_DECLARE_FINAL_TYPE (WprGuidePage, wpr_guide_page, WPR, GUIDE_PAGE, AdwBin)

void wpr_guide_page_set_model (WprGuidePage *self, WprModel *model);
/* ticket, note: what is known already; the person can change both. */
void wpr_guide_page_show (WprGuidePage *self, WprGuide *guide, const char *ticket,
                          const char *note);
/* own: only what needs no approval. */
void wpr_guide_page_start (WprGuidePage *self, gboolean own);
gboolean wpr_guide_page_can_start_own (WprGuidePage *self);
/* Whether Start is possible now. */
gboolean wpr_guide_page_can_start (WprGuidePage *self);
/* Whether it records or saves now. */
gboolean wpr_guide_page_is_at_work (WprGuidePage *self);
/* What is wrong with the file, for whoever made it. Free with g_free. */
char *wpr_guide_page_dup_faults (WprGuidePage *self);

G_END_DECLS
