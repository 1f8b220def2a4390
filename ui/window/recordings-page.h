/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recordings: what is in the save folder, and raw ones to finish. */
#pragma once

#include <adwaita.h>
#include "model.h"
#include "recordings.h"

G_BEGIN_DECLS

#define WPR_TYPE_RECORDINGS_PAGE (wpr_recordings_page_get_type ())
G_DECLARE_FINAL_TYPE (WprRecordingsPage, wpr_recordings_page, WPR, RECORDINGS_PAGE, AdwBin)

void wpr_recordings_page_set_model (WprRecordingsPage *self, WprModel *model,
                                    WprRecordings *recordings);
/* The page came to be seen, or the folder may have changed: reads it again. */
void wpr_recordings_page_refresh (WprRecordingsPage *self);
void wpr_recordings_page_focus_search (WprRecordingsPage *self);

G_END_DECLS
