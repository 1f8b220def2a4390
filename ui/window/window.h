/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The window: its pages, and the actions every button, key and menu uses. */
#pragma once

#include <adwaita.h>
#include "settings.h"

G_BEGIN_DECLS

#define WPR_TYPE_WINDOW (wpr_window_get_type ())
G_DECLARE_FINAL_TYPE (WprWindow, wpr_window, WPR, WINDOW, AdwApplicationWindow)

GtkWidget *wpr_window_new (GtkApplication *application, WprSettings *settings);
/* Ends the worker; call once the window is gone. */
void wpr_window_close_model (WprWindow *self);

/* Starts recording with what is chosen as soon as the plan is known; where something is recorded
 * already, or cannot be, that is what shows. */
void wpr_window_record_now (WprWindow *self);
void wpr_window_toast (WprWindow *self, const char *text);

/* Shows a finished recording (.etl), or why it cannot be shown now. */
void wpr_window_show_recording (WprWindow *self, GFile *file);

/* Adds .wprp files to the list; one that is a guide is shown as such. */
void wpr_window_add_profiles (WprWindow *self, GFile **files, int n_files);
/* Shows a .wprp as a guide; name: of g_file_get_parse_name(). */
void wpr_window_show_guide (WprWindow *self, const char *name, const char *ticket,
                            const char *note);

G_END_DECLS
