/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What window.c (pages follow the model) and window-actions.c (what a person can do) share. */
#pragma once

#include "choose-page.h"
#include "customs.h"
#include "model.h"
#include "recording-page.h"
#include "result-page.h"
#include "saving-page.h"
#include "window.h"

G_BEGIN_DECLS

struct _WprWindow
{
  AdwApplicationWindow parent;
  /* template */
  GtkWidget *toasts;
  GtkWidget *pages;
  GtkWidget *choose;
  GtkWidget *recording;
  GtkWidget *saving;
  GtkWidget *result;
  /* owned */
  WprModel *model;
  WprSettings *settings;
  GtkFileChooserNative *folder_chooser;
  GtkFileChooserNative *profile_chooser;
  /* state */
  gboolean close_when_saved;
  gboolean record_when_ready;
  gboolean watched;
};

/* window-actions.c */
void wpr_window_install_actions (GtkWidgetClass *klass);
/* Which actions are possible now. */
void wpr_window_update_actions (WprWindow *self);
/* Asks what becomes of the recording; TRUE if the window must not close now. */
gboolean wpr_window_ask_before_close (WprWindow *self);
/* window-custom.c: actions on a person's .wprp files; the last three take the file's name. The
 * second saves what is chosen as one. */
void wpr_window_choose_profiles (GtkWidget *widget, const char *name, GVariant *parameter);
void wpr_window_save_profile (GtkWidget *widget, const char *name, GVariant *parameter);
void wpr_window_open_profile (GtkWidget *widget, const char *name, GVariant *parameter);
void wpr_window_check_profile (GtkWidget *widget, const char *name, GVariant *parameter);
void wpr_window_remove_profile (GtkWidget *widget, const char *name, GVariant *parameter);
/* Files can be dropped from now on, and those of last time are read. */
void wpr_window_set_up_customs (WprWindow *self);

G_END_DECLS
