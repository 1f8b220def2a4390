/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A profile in the list: title, symptom, what it records, a switch. */
#pragma once

#include <adwaita.h>
#include "model-values.h"
#include "profile-item.h"

G_BEGIN_DECLS

#define WPR_TYPE_PROFILE_ROW (wpr_profile_row_get_type ())
/* Signal "toggled". */
G_DECLARE_FINAL_TYPE (WprProfileRow, wpr_profile_row, WPR, PROFILE_ROW, AdwActionRow)

GtkWidget *wpr_profile_row_new (WprProfileItem *item);
WprProfileItem *wpr_profile_row_get_item (WprProfileRow *self);
gboolean wpr_profile_row_get_on (WprProfileRow *self);
void wpr_profile_row_set_on (WprProfileRow *self, gboolean on);
/* Shows it with the matches emphasised, or hides it; TRUE if shown. */
/* What switching it on would add, as a badge where that is nothing; a lock where more would be
 * recorded with an administrator's approval. */
void wpr_profile_row_show_worth (WprProfileRow *self, WprWorth worth);
gboolean wpr_profile_row_search (WprProfileRow *self, const char *query);

G_END_DECLS
