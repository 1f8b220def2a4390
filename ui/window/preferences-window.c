/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each setting is stored as it is made. The rate of samples is the core's and the command line's
 * too (-setprofint): read when the window opens. */
#include "config.h"
#include "preferences-window.h"

#include <glib/gi18n.h>
#include "fit.h"
#include "naming.h"
#include "texts.h"

/* A row is typed into, digit by digit: what stands there so long is meant. */
#define TYPED_MS 600

struct _WprPreferencesWindow
{
  AdwPreferencesWindow parent;
  /* template */
  GtkWidget *samples;
  GtkWidget *folder_row;
  GtkWidget *compress;
  GtkWidget *names;
  GtkWidget *notifications;
  /* owned */
  WprModel *model;
  WprSettings *settings;
  /* state */
  gboolean filling;
  guint typed_source;
};

G_DEFINE_FINAL_TYPE (WprPreferencesWindow, wpr_preferences_window, ADW_TYPE_PREFERENCES_WINDOW)

static void
store_samples (WprPreferencesWindow *self)
{
  g_clear_handle_id (&self->typed_source, g_source_remove);
  wpr_model_set_samples (self->model,
                         (guint)gtk_spin_button_get_value_as_int (GTK_SPIN_BUTTON (self->samples)));
}

static gboolean
on_typed (gpointer data)
{
  WprPreferencesWindow *self = data;
  self->typed_source = 0;
  store_samples (self);
  return G_SOURCE_REMOVE;
}

static void
on_value (WprPreferencesWindow *self)
{
  if (self->filling)
    return;
  g_clear_handle_id (&self->typed_source, g_source_remove);
  self->typed_source = g_timeout_add (TYPED_MS, on_typed, self);
}

static void
on_samples (WprPreferencesWindow *self, guint samples_per_s)
{
  self->filling = TRUE;
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (self->samples), samples_per_s);
  self->filling = FALSE;
  gtk_widget_set_sensitive (self->samples, TRUE);
}

static void
show_folder (WprPreferencesWindow *self)
{
  g_autofree char *shown = wpr_text_folder (wpr_model_get_folder (self->model));
  g_autofree char *escaped = g_markup_escape_text (shown, -1);
  adw_action_row_set_subtitle (ADW_ACTION_ROW (self->folder_row), escaped);
}

static void
on_switch (WprPreferencesWindow *self)
{
  if (self->filling)
    return;
  gboolean compress = gtk_switch_get_active (GTK_SWITCH (self->compress));
  gboolean names = gtk_switch_get_active (GTK_SWITCH (self->names));
  wpr_settings_set_compress (self->settings, compress);
  wpr_settings_set_names (self->settings, names);
  wpr_settings_set_notifications (self->settings,
                                  gtk_switch_get_active (GTK_SWITCH (self->notifications)));
  wpr_model_set_compress (self->model, compress);
  wpr_model_set_names (self->model, names);
}

static void
show_switches (WprPreferencesWindow *self)
{
  self->filling = TRUE;
  gtk_switch_set_active (GTK_SWITCH (self->compress), wpr_model_get_compress (self->model));
  gtk_switch_set_active (GTK_SWITCH (self->names), wpr_model_get_names (self->model));
  gtk_switch_set_active (GTK_SWITCH (self->notifications),
                         wpr_settings_get_notifications (self->settings));
  self->filling = FALSE;
}

static void
choose_folder (GtkWidget *widget, const char *name, GVariant *parameter)
{
  GtkWindow *parent = gtk_window_get_transient_for (GTK_WINDOW (widget));
  gtk_widget_activate_action (GTK_WIDGET (parent), "win.choose-folder", NULL);
}

static void
wpr_preferences_window_dispose (GObject *object)
{
  WprPreferencesWindow *self = WPR_PREFERENCES_WINDOW (object);
  if (self->typed_source != 0)
    store_samples (self); /* typed, and closed at once */
  g_clear_object (&self->model);
  g_clear_object (&self->settings);
  G_OBJECT_CLASS (wpr_preferences_window_parent_class)->dispose (object);
}

static void
wpr_preferences_window_class_init (WprPreferencesWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = wpr_preferences_window_dispose;
  gtk_widget_class_set_template_from_resource (
      widget_class, "/io/github/performance_recorder/Wpr/preferences-window.ui");
  gtk_widget_class_bind_template_child (widget_class, WprPreferencesWindow, samples);
  gtk_widget_class_bind_template_child (widget_class, WprPreferencesWindow, folder_row);
  gtk_widget_class_bind_template_child (widget_class, WprPreferencesWindow, compress);
  gtk_widget_class_bind_template_child (widget_class, WprPreferencesWindow, names);
  gtk_widget_class_bind_template_child (widget_class, WprPreferencesWindow, notifications);
  gtk_widget_class_install_action (widget_class, "preferences.choose-folder", NULL, choose_folder);
}

static void
wpr_preferences_window_init (WprPreferencesWindow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  wpr_name_search (GTK_WIDGET (self));
  g_signal_connect_swapped (self->samples, "value-changed", G_CALLBACK (on_value), self);
  GtkWidget *switches[] = { self->compress, self->names, self->notifications };
  for (guint i = 0; i < G_N_ELEMENTS (switches); i++)
    g_signal_connect_swapped (switches[i], "notify::active", G_CALLBACK (on_switch), self);
}

GtkWidget *
wpr_preferences_window_new (GtkWindow *parent, WprModel *model, WprSettings *settings)
{
  WprPreferencesWindow *self
      = g_object_new (WPR_TYPE_PREFERENCES_WINDOW, "transient-for", parent, NULL);
  wpr_fit_to_display (GTK_WINDOW (self));
  self->model = g_object_ref (model);
  self->settings = g_object_ref (settings);
  g_signal_connect_object (model, "samples", G_CALLBACK (on_samples), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (model, "folder", G_CALLBACK (show_folder), self, G_CONNECT_SWAPPED);
  show_folder (self);
  show_switches (self);
  wpr_model_ask_samples (model);
  return GTK_WIDGET (self);
}
