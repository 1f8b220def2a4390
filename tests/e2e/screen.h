/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The real window as a screen reader sees it: starts wprui, finds widgets by role and name through
 * AT-SPI, presses them, reads them. A failure to find something fails the cmocka test. */
#pragma once

#include "reader.h"

typedef struct
{
  GSubprocess *process;
  AtspiAccessible *root;
} Screen;

/* Starts the program (environment: "NAME=value", NULL-ended, may be NULL) and waits until it is on
 * the accessibility bus. */
void screen_start (Screen *screen, const char *program, const char *const *environment);
/* The same, with what follows the program on its command line. */
void screen_start_with (Screen *screen, const char *const *command, const char *const *environment);
/* Kills it if it still runs. */
void screen_end (Screen *screen);

/* A widget that is showing, by role and name (either may be ATSPI_ROLE_INVALID, NULL); NULL if
 * there is none now. Free with g_object_unref. */
AtspiAccessible *screen_find (Screen *screen, AtspiRole role, const char *name);
/* The same by accessible description. */
AtspiAccessible *screen_find_described (Screen *screen, const char *description);
/* The whole text of one whose text begins so; NULL if there is none now. Free with g_free. */
char *screen_find_text (Screen *screen, AtspiRole role, const char *begin);
/* The same, waiting up to twenty seconds; fails the test otherwise. */
AtspiAccessible *screen_wait (Screen *screen, AtspiRole role, const char *name);
AtspiAccessible *screen_wait_described (Screen *screen, const char *description);
/* Waits until no such widget is showing. */
void screen_wait_gone (Screen *screen, AtspiRole role, const char *name);
/* Waits until the widget has (or has not) the state. */
void screen_wait_state (Screen *screen, AtspiRole role, const char *name, AtspiStateType state,
                        gboolean wanted);

void screen_press (Screen *screen, AtspiRole role, const char *name);
/* What a label or button says. Free with g_free. */
char *screen_text (AtspiAccessible *accessible);
/* The first number in what a described label says, grouped digits and all. */
guint64 screen_number (Screen *screen, const char *description);
/* xdotool, where no accessible action exists: "key ctrl+r", "type fan". */
void screen_keys (const char *what);
/* The same without a pause behind it. */
void screen_keys_at_once (const char *what);
/* Opens a menu button's menu and presses an entry. */
void screen_choose (Screen *screen, const char *menu, const char *entry);
void screen_sleep (guint ms);
/* Waits until a window of that title is there, or is gone: of GTK's own file chooser, which is not
 * to be asked over the accessibility bus. In GTK 4.8 it has widgets without an address there; asked
 * for one of them GTK's handler runs into "g_variant_is_object_path: assertion 'string != NULL'
 * failed", and then into a null pointer, with nothing of this program on the stack. */
void screen_wait_window (const char *title, gboolean there);
/* Everything showing, on stderr. */
void screen_dump (Screen *screen);
