/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file or folder in the file manager. Where none answers, the window says where it is. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* window: a WprWindow. Returns at once. */
void wpr_show_file (GtkWindow *window, const char *path);
void wpr_show_folder (GtkWindow *window, const char *folder);

G_END_DECLS
