/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One page of the real window after the other: a picture of each, and of each what a screen reader
 * would say. Words are looked up in the window's own catalogue, so that one program does every
 * language. */
#pragma once

#include "screen.h"

/* How the pages are to look; from the command line. */
typedef struct
{
  const char *wprui;
  const char *wpr;
  const char *folder; /* of the pictures; NULL: none are taken */
  const char *look;
  int width, height;
  guint seconds;            /* a recording lasts before it is looked at */
  const char *const *words; /* "NAME=value" of the window's environment */
} Look;

extern Look look;

/* In the language of the look. */
const char *say (const char *english) G_GNUC_FORMAT (1);
/* Opens the window at the size of the look, with what follows it on its command line. */
void shot_open (Screen *screen, const char *const *arguments);
/* Ends the window. */
void shot_close (Screen *screen);
/* The picture "PAGE-LOOK.png", and the names of all that is showing. */
void shot_take (Screen *screen, const char *page);
/* The same of a window of its own before the main one: it is put into the middle first. */
void shot_take_dialog (Screen *screen, const char *page);
/* The picture alone: of a window that is GTK's own. */
void shot_take_foreign (Screen *screen, const char *page);
/* Waits for a widget of that English name, presses it. */
void shot_press (Screen *screen, const char *english);
/* Opens a menu button by its name as it is shown. */
void shot_open_menu (Screen *screen, const char *name);
/* Waits until a text that begins so is showing; FALSE if that does not come. */
gboolean shot_wait (Screen *screen, AtspiRole role, const char *english);

/* Work for the kernel that rises and falls, until it is ended. */
GPid shot_begin_work (void);
void shot_end_work (GPid pid);
/* The process that records, stopped. Let it go with SIGCONT. */
GPid shot_hold_recorder (void);
/* What the next window finds in its settings: "buffers=uint32 12\n"; NULL: nothing. */
void shot_set_settings (const char *lines);

/* What is nameless among the widgets that are showing is printed; how many there are. */
guint check_names (Screen *screen, const char *page);

/* The scenes, each a group of pages. */
void scene_choose (void **state);
void scene_windows (void **state);
void scene_rights (void **state);
void scene_recording (void **state);
void scene_losses (void **state);
void scene_ends (void **state);
void scene_recordings (void **state);
void scene_guide (void **state);
/* The last of all tests: whether a page was found wanting. */
void everything_has_a_name (void **state);
