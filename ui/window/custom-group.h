/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The group "Custom measurements": profiles of a person's files, faults of those files, Add. */
#pragma once

#include <adwaita.h>
#include "custom-file.h"

G_BEGIN_DECLS

#define WPR_TYPE_CUSTOM_GROUP (wpr_custom_group_get_type ())
G_DECLARE_FINAL_TYPE (WprCustomGroup, wpr_custom_group, WPR, CUSTOM_GROUP, AdwPreferencesGroup)

GtkWidget *wpr_custom_group_new (void);
/* Makes its rows anew; files: of WprCustomFile *, copied. */
void wpr_custom_group_set_files (WprCustomGroup *self, const GPtrArray *files);
/* Of WprProfileRow, until the next wpr_custom_group_set_files(). */
const GPtrArray *wpr_custom_group_get_profile_rows (WprCustomGroup *self);
/* Shows files with faults whose name matches, and the group for them; how many. */
guint wpr_custom_group_search (WprCustomGroup *self, const char *query);
/* The keyboard, and with it the view, goes to the newest file. */
void wpr_custom_group_show_newest (WprCustomGroup *self);

G_END_DECLS
