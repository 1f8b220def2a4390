/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What window.c (pages follow the model) and window-actions.c (what a person can do) share. */
#pragma once

#include "choose-page.h"
#include "customs.h"
#include "guide-page.h"
#include "model.h"
#include "recording-page.h"
#include "recordings-page.h"
#include "result-page.h"
#include "saving-page.h"
#include "window.h"

G_BEGIN_DECLS

struct _WprWindow
{
  AdwApplicationWindow parent;
  /* template */
  GtkWidget *toasts;
  GtkWidget *places; /* record, recordings */
  GtkWidget *pages;
  GtkWidget *choose;
  GtkWidget *recordings_place;
  /* NULL until they are first shown: window-pages.c */
  GtkWidget *recording;
  GtkWidget *saving;
  GtkWidget *guide;
  GtkWidget *result;
  GtkWidget *recordings;
  /* owned */
  WprModel *model;
  WprRecordings *list;
  WprSettings *settings;
  GtkFileChooserNative *folder_chooser;
  GtkFileChooserNative *profile_chooser;
  GCancellable *programs; /* of the search for programs that open a recording */
  char *guide_asked; /* the file that was called a guide, until it is read; and what goes with it */
  char *guide_ticket;
  char *guide_note;
  /* state */
  gboolean guided; /* the guide's page stands for all others */
  gboolean close_when_saved;
  gboolean record_when_ready;
  gboolean stop_was_refused;
  gboolean stop_when_chosen; /* the folder that was refused had stopped the saving */
  gboolean in_background;    /* hidden by the person's wish; the recording goes on */
  gboolean watched;
  gint64 left_us; /* when the keyboard went elsewhere */
};

/* window-actions.c */
void wpr_window_install_actions (GtkWidgetClass *klass);
/* Which actions are possible now. */
void wpr_window_update_actions (WprWindow *self);
/* Asks what becomes of the recording; TRUE if the window must not close now. */
gboolean wpr_window_ask_before_close (WprWindow *self);
/* The file that the result page is about, NULL if none. Free with g_free. */
char *wpr_window_get_path (WprWindow *self);
/* window-result.c: what can be done with a finished recording, or one that is not. */
void wpr_window_record_larger (GtkWidget *widget, const char *name, GVariant *parameter);
void wpr_window_edit_note (GtkWidget *widget, const char *name, GVariant *parameter);
void wpr_window_open_with (GtkWidget *widget, const char *name, GVariant *parameter);
void wpr_window_choose_program (GtkWidget *widget, const char *name, GVariant *parameter);
void wpr_window_finish_now (GtkWidget *widget, const char *name, GVariant *parameter);
void wpr_window_finish_elsewhere (GtkWidget *widget, const char *name, GVariant *parameter);
/* Looks for programs, for the menu of the page. */
void wpr_window_find_programs (WprWindow *self);
/* window-pages.c: builds the page of the stack, if it is not there. */
void wpr_window_need_page (WprWindow *self, const char *name);
/* Builds the list of recordings once its place is shown. */
void wpr_window_need_recordings (WprWindow *self);
/* window-background.c: hides the window; the program stays as long as there is something to tell.
 */
void wpr_window_go_to_background (WprWindow *self);
/* The window goes, the saving is finished; TRUE if there is something to finish. */
gboolean wpr_window_finish_unseen (WprWindow *self);
/* Tells the desktop what nobody at the window would see; a press on it shows the window. */
void wpr_window_notify (WprWindow *self, const char *id, const char *title, const char *body);
/* How it ended, where nobody looks. */
void wpr_window_notify_end (WprWindow *self);
/* After its page was shown: a window in the background comes back, or goes for good. */
void wpr_window_settle (WprWindow *self);
/* window-custom.c: actions on a person's .wprp files; the last three take the file's name. The
 * second saves what is chosen as one. */
void wpr_window_choose_profiles (GtkWidget *widget, const char *name, GVariant *parameter);
void wpr_window_save_profile (GtkWidget *widget, const char *name, GVariant *parameter);
void wpr_window_open_profile (GtkWidget *widget, const char *name, GVariant *parameter);
void wpr_window_check_profile (GtkWidget *widget, const char *name, GVariant *parameter);
void wpr_window_remove_profile (GtkWidget *widget, const char *name, GVariant *parameter);
void wpr_window_add_profile (WprWindow *self, const char *name);
/* window.c: the page of where the model is. */
void wpr_window_show_page (WprWindow *self);
/* window-guide.c */
void wpr_window_take_guide (WprWindow *self, WprGuide *guide);
void wpr_window_leave_guide (GtkWidget *widget, const char *name, GVariant *parameter);
void wpr_window_start_guide (GtkWidget *widget, const char *name, GVariant *parameter);
void wpr_window_start_guide_own (GtkWidget *widget, const char *name, GVariant *parameter);
void wpr_window_copy_guide_faults (GtkWidget *widget, const char *name, GVariant *parameter);
void wpr_window_update_guide_actions (WprWindow *self);
/* A guide, else one for the list. */
void wpr_window_open_file (WprWindow *self, GFile *file);
/* Files can be dropped from now on, and those of last time are read. */
void wpr_window_set_up_customs (WprWindow *self);

G_END_DECLS
