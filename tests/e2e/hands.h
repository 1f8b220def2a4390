/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a hand does that accessible actions cannot: files dragged from another program, GTK's own
 * file chooser, and the way of the keyboard through a page. Include behind cmocka.h. */
#pragma once

#include "screen.h"

/* Drops files (NULL-ended) onto the window, from the program drag-files. */
void hands_drop (const char *drag_files, const char *const *files);
/* Types a path into the chooser of that title, once it is there, and accepts it. */
void hands_choose_path (const char *title, const char *path);
/* The keyboard goes from control to control (Tab) until it is on that one; fails the test after
 * once around. */
void hands_tab_to (Screen *screen, AtspiRole role, const char *name);
/* Where the keyboard is; NULL: nowhere. Free with g_object_unref. */
AtspiAccessible *hands_get_focused (Screen *screen);
