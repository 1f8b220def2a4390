/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The group "Custom measurements": profiles of a person's files, faults of those files, Add. Rows
 * follow the files, a few at a time, so that many files hold up nothing. */
#pragma once

#include <adwaita.h>
#include "customs.h"

G_BEGIN_DECLS

#define WPR_TYPE_CUSTOM_GROUP (wpr_custom_group_get_type ())
/* Signal "changed": other profiles of files are switched on, or are other ones. "arrived": there
 * are rows the search has not seen. */
G_DECLARE_FINAL_TYPE (WprCustomGroup, wpr_custom_group, WPR, CUSTOM_GROUP, AdwPreferencesGroup)

GtkWidget *wpr_custom_group_new (WprCustoms *customs);
/* Ids of profiles that were switched on: each is, once its file has come. */
void wpr_custom_group_want (WprCustomGroup *self, const char *id);
/* Adds ids of what is switched on; waiting: and of what waits for its file. */
void wpr_custom_group_list_on (WprCustomGroup *self, GStrvBuilder *ids, gboolean waiting);
/* As the model knows it now. */
void wpr_custom_group_show_worth (WprCustomGroup *self, WprModel *model);
/* Shows rows that match, also those to come, and the group for them; how many. hidden: titles of
 * what is switched on and does not match. */
guint wpr_custom_group_search (WprCustomGroup *self, const char *query, GStrvBuilder *hidden);

G_END_DECLS
