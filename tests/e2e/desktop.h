/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A desktop that takes notifications and keeps what they say. One at a time. */
#pragma once

#include <gio/gio.h>

void desktop_begin (void);
/* Also where none was begun. */
void desktop_end (void);
/* Whether one was told: "title: text" has these words; "": any. */
gboolean desktop_was_told (const char *what);
/* Waits for it; fails the test otherwise. */
void desktop_wait_told (const char *what);
/* The person presses the first of them. */
void desktop_press_first (void);
