/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A person's .wprp files: added from a chooser, by dropping them and from the command line; opened,
 * checked again, removed; remembered. */
#include "config.h"
#include "window-private.h"

#include <glib/gi18n.h>

/* Nobody corrects a file in less. */
#define AWAY_US G_USEC_PER_SEC

static void
remember (WprWindow *self)
{
  g_auto (GStrv) names = wpr_customs_list (wpr_model_get_customs (self->model));
  wpr_settings_set_files (self->settings, (const char *const *)names);
}

/* Where the list it went into is not in sight. */
static void
say_added (WprWindow *self, const char *name)
{
  const char *place = adw_view_stack_get_visible_child_name (ADW_VIEW_STACK (self->places));
  if (!self->guided && wpr_model_get_page (self->model) == WPR_PAGE_CHOOSE
      && g_strcmp0 (place, "record") == 0)
    return;
  g_autoptr (GFile) file = g_file_parse_name (name);
  g_autofree char *base = g_file_get_basename (file);
  g_autofree char *shown = g_filename_display_name (base ? base : name);
  /* Translators: %s is the name of a file */
  g_autofree char *text = g_strdup_printf (_ ("Added to the list of profiles: %s"), shown);
  wpr_window_toast (self, text);
}

void
wpr_window_add_profile (WprWindow *self, const char *name)
{
  wpr_customs_read (wpr_model_get_customs (self->model), name, TRUE);
  remember (self);
  say_added (self, name);
}

static void
add_file (WprWindow *self, GFile *file)
{
  g_autofree char *name = g_file_get_parse_name (file);
  wpr_window_add_profile (self, name);
}

void
wpr_window_add_profiles (WprWindow *self, GFile **files, int n_files)
{
  for (int i = 0; i < n_files; i++)
    wpr_window_open_file (self, files[i]);
}

/* ---- chooser ---- */

static void
on_chosen (WprWindow *self, int response, GtkNativeDialog *dialog)
{
  if (response == GTK_RESPONSE_ACCEPT)
    {
      g_autoptr (GListModel) files = gtk_file_chooser_get_files (GTK_FILE_CHOOSER (dialog));
      for (guint i = 0; i < g_list_model_get_n_items (files); i++)
        {
          g_autoptr (GFile) file = g_list_model_get_item (files, i);
          add_file (self, file);
        }
    }
  g_clear_object (&self->profile_chooser);
}

static void
add_filter (GtkFileChooser *chooser, const char *name, const char *pattern)
{
  g_autoptr (GtkFileFilter) filter = gtk_file_filter_new ();
  gtk_file_filter_set_name (filter, name);
  gtk_file_filter_add_pattern (filter, pattern);
  gtk_file_chooser_add_filter (chooser, filter);
}

void
wpr_window_choose_profiles (GtkWidget *widget, const char *name, GVariant *parameter)
{
  WprWindow *self = WPR_WINDOW (widget);
  if (self->profile_chooser != NULL)
    return;
  self->profile_chooser = gtk_file_chooser_native_new (
      _ ("Add Profiles"), GTK_WINDOW (self), GTK_FILE_CHOOSER_ACTION_OPEN, _ ("Add"), _ ("Cancel"));
  GtkFileChooser *chooser = GTK_FILE_CHOOSER (self->profile_chooser);
  gtk_file_chooser_set_select_multiple (chooser, TRUE);
  add_filter (chooser, _ ("Profiles (*.wprp)"), "*.[wW][pP][rR][pP]");
  add_filter (chooser, _ ("All Files"), "*");
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (self->profile_chooser), TRUE);
  g_signal_connect_object (self->profile_chooser, "response", G_CALLBACK (on_chosen), self,
                           G_CONNECT_SWAPPED);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (self->profile_chooser));
}

static void
on_place_chosen (WprWindow *self, int response, GtkNativeDialog *dialog)
{
  if (response == GTK_RESPONSE_ACCEPT)
    {
      g_autoptr (GFile) file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
      g_autofree char *name = file ? g_file_get_parse_name (file) : NULL;
      if (name != NULL)
        wpr_model_export (self->model, name);
    }
  g_clear_object (&self->profile_chooser);
}

void
wpr_window_save_profile (GtkWidget *widget, const char *name, GVariant *parameter)
{
  WprWindow *self = WPR_WINDOW (widget);
  if (self->profile_chooser != NULL || wpr_model_get_plan (self->model) == NULL)
    return;
  self->profile_chooser
      = gtk_file_chooser_native_new (_ ("Save These Settings as a Profile"), GTK_WINDOW (self),
                                     GTK_FILE_CHOOSER_ACTION_SAVE, _ ("Save"), _ ("Cancel"));
  GtkFileChooser *chooser = GTK_FILE_CHOOSER (self->profile_chooser);
  /* Translators: a file name that is proposed; the end stays */
  gtk_file_chooser_set_current_name (chooser, _ ("my profile.wprp"));
  /* else it is where the program was started */
  const char *documents = g_get_user_special_dir (G_USER_DIRECTORY_DOCUMENTS);
  g_autoptr (GFile) place = g_file_new_for_path (documents ? documents : g_get_home_dir ());
  gtk_file_chooser_set_current_folder (chooser, place, NULL);
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (self->profile_chooser), TRUE);
  g_signal_connect_object (self->profile_chooser, "response", G_CALLBACK (on_place_chosen), self,
                           G_CONNECT_SWAPPED);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (self->profile_chooser));
}

/* ---- the menu of a file ---- */

static void
on_opened (GObject *object, GAsyncResult *result, gpointer data)
{
  g_autoptr (WprWindow) self = data;
  if (!gtk_show_uri_full_finish (GTK_WINDOW (object), result, NULL))
    wpr_window_toast (self, _ ("No program here opens this file"));
}

void
wpr_window_open_profile (GtkWidget *widget, const char *name, GVariant *parameter)
{
  g_autoptr (GFile) file = g_file_parse_name (g_variant_get_string (parameter, NULL));
  g_autofree char *uri = g_file_get_uri (file);
  gtk_show_uri_full (GTK_WINDOW (widget), uri, GDK_CURRENT_TIME, NULL, on_opened,
                     g_object_ref (widget));
}

void
wpr_window_check_profile (GtkWidget *widget, const char *name, GVariant *parameter)
{
  wpr_customs_read (wpr_model_get_customs (WPR_WINDOW (widget)->model),
                    g_variant_get_string (parameter, NULL), TRUE);
}

void
wpr_window_remove_profile (GtkWidget *widget, const char *name, GVariant *parameter)
{
  WprWindow *self = WPR_WINDOW (widget);
  wpr_customs_remove (wpr_model_get_customs (self->model), g_variant_get_string (parameter, NULL));
  remember (self);
}

/* ---- dropping ---- */

static gboolean
on_drop (WprWindow *self, const GValue *value)
{
  g_autoptr (GSList) files = gdk_file_list_get_files (g_value_get_boxed (value));
  for (GSList *file = files; file != NULL; file = file->next)
    wpr_window_open_file (self, file->data);
  return files != NULL;
}

/* Somebody may come back from an editor; a menu of the window's takes the keyboard for a moment,
 * too. */
static void
on_active (WprWindow *self)
{
  gint64 now_us = g_get_monotonic_time ();
  if (!gtk_window_is_active (GTK_WINDOW (self)))
    self->left_us = now_us;
  else if (now_us - self->left_us > AWAY_US)
    wpr_customs_check (wpr_model_get_customs (self->model));
}

void
wpr_window_set_up_customs (WprWindow *self)
{
  WprCustoms *customs = wpr_model_get_customs (self->model);
  GtkDropTarget *target = gtk_drop_target_new (GDK_TYPE_FILE_LIST, GDK_ACTION_COPY);
  g_signal_connect_swapped (target, "drop", G_CALLBACK (on_drop), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (target));
  g_signal_connect (self, "notify::is-active", G_CALLBACK (on_active), NULL);
  g_auto (GStrv) names = wpr_settings_get_files (self->settings);
  for (char **name = names; *name != NULL; name++)
    wpr_customs_read (customs, *name, FALSE);
}
