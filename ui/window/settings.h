/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What lasts from one start of the window to the next. The one place that knows where it is kept:
 * GSettings; nothing lasts where the schema is not installed. Main thread; reading and writing do
 * not wait for a disk. */
#pragma once

#include <gio/gio.h>
#include "model-values.h"

G_BEGIN_DECLS

#define WPR_TYPE_SETTINGS (wpr_settings_get_type ())
G_DECLARE_FINAL_TYPE (WprSettings, wpr_settings, WPR, SETTINGS, GObject)

/* beside: the folder of the executable, by which an uninstalled build finds its schema. */
WprSettings *wpr_settings_new (const char *beside);

/* Every field of the wish but those of the recording itself (note, name); free it. */
WprWish *wpr_settings_get_wish (WprSettings *self);
void wpr_settings_set_wish (WprSettings *self, const WprWish *wish);
/* .wprp files that were added, as g_file_parse_name() takes them. Free with g_strfreev. */
char **wpr_settings_get_files (WprSettings *self);
void wpr_settings_set_files (WprSettings *self, const char *const *files);
/* Where recordings are saved; NULL: the default place. Free with g_free. */
char *wpr_settings_get_folder (WprSettings *self);
void wpr_settings_set_folder (WprSettings *self, const char *folder);
/* Whether saved recordings are compressed. */
gboolean wpr_settings_get_compress (WprSettings *self);
void wpr_settings_set_compress (WprSettings *self, gboolean compress);
/* Whether functions are named in saved recordings. */
gboolean wpr_settings_get_names (WprSettings *self);
void wpr_settings_set_names (WprSettings *self, gboolean names);
/* Whether the desktop is told what nobody at the window would see. */
gboolean wpr_settings_get_notifications (WprSettings *self);
void wpr_settings_set_notifications (WprSettings *self, gboolean notifications);
/* Of the window when it is not maximized, in pixels. */
void wpr_settings_get_size (WprSettings *self, int *width, int *height, gboolean *maximized);
void wpr_settings_set_size (WprSettings *self, int width, int height, gboolean maximized);

G_END_DECLS
