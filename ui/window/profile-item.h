/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A profile as the list shows it: a copy of the library's words, made in the worker and read in the
 * main thread. */
#pragma once

#include <gio/gio.h>
#include <wpr-profile.h>

G_BEGIN_DECLS

#define WPR_TYPE_PROFILE_ITEM (wpr_profile_item_get_type ())
G_DECLARE_FINAL_TYPE (WprProfileItem, wpr_profile_item, WPR, PROFILE_ITEM, GObject)

/* What the window knows a profile by: its name, or "FILE!NAME" of a file's. Free with g_free. */
char *wpr_profile_make_id (const WprProfile *profile);
WprProfileItem *wpr_profile_item_new (const WprProfile *profile);
const char *wpr_profile_item_get_id (WprProfileItem *self);
const char *wpr_profile_item_get_name (WprProfileItem *self);
const char *wpr_profile_item_get_title (WprProfileItem *self);
const char *wpr_profile_item_get_symptom (WprProfileItem *self);
const char *wpr_profile_item_get_category (WprProfileItem *self);
const char *wpr_profile_item_get_category_title (WprProfileItem *self);
/* Whether it can be recorded that way. */
gboolean wpr_profile_item_has (WprProfileItem *self, WprLevel level, WprMode mode);
/* Every word of the query is in its name, title, symptom or search words, whatever the case. */
gboolean wpr_profile_item_matches (WprProfileItem *self, const char *query);
/* The titles of "CPU.Verbose.File" and so on, by a list of these; what is in none keeps its name.
 * ids may be NULL. Free with g_free. */
char *wpr_profile_items_join (GListModel *items, char **ids);

G_END_DECLS
