/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What can be done with a recording that is over: its note, other programs, the same again with
 * larger buffers, and finishing one that is kept. */
#include "config.h"
#include "window-private.h"

#include <glib/gi18n.h>
#include "note-dialog.h"

#define ETL_TYPE "application/x-etl"

void
wpr_window_record_larger (GtkWidget *widget, const char *name, GVariant *parameter)
{
  wpr_model_record_larger (WPR_WINDOW (widget)->model);
}

void
wpr_window_show_recording (WprWindow *self, GFile *file)
{
  g_return_if_fail (WPR_IS_WINDOW (self));
  WprPage page = wpr_model_get_page (self->model);
  g_autofree char *path = g_file_get_path (file);
  if (page == WPR_PAGE_RECORDING || page == WPR_PAGE_SAVING)
    wpr_window_toast (self, _ ("First stop and save the recording that runs"));
  else if (path == NULL)
    wpr_window_toast (self, _ ("Only files of this computer can be shown: copy it here first"));
  else
    {
      self->guided = FALSE; /* the recording takes the page's place */
      wpr_model_open_file (self->model, path);
    }
}

/* ---- the note ---- */

static void
take_note (GObject *owner, const char *name, const char *note)
{
  wpr_model_edit_note (WPR_WINDOW (owner)->model, note);
}

void
wpr_window_edit_note (GtkWidget *widget, const char *name, GVariant *parameter)
{
  const WprOutcome *outcome = wpr_model_get_outcome (WPR_WINDOW (widget)->model);
  if (outcome != NULL && outcome->name != NULL)
    wpr_note_dialog_show (GTK_WINDOW (widget), outcome->note, G_OBJECT (widget), NULL, take_note);
}

/* ---- other programs ---- */

static void
say_not_opened (WprWindow *self, const GError *error)
{
  /* Translators: %s is a reason */
  g_autofree char *text = g_strdup_printf (_ ("Not opened: %s"), error->message);
  wpr_window_toast (self, text);
}

static void
on_launched (GObject *object, GAsyncResult *result, gpointer data)
{
  g_autoptr (WprWindow) self = data;
  g_autoptr (GError) error = NULL;
  if (!g_app_info_launch_uris_finish (G_APP_INFO (object), result, &error))
    say_not_opened (self, error);
}

static void
launch (WprWindow *self, GAppInfo *program)
{
  g_autofree char *path = wpr_window_get_path (self);
  g_autofree char *uri = path ? g_filename_to_uri (path, NULL, NULL) : NULL;
  if (uri == NULL)
    return;
  GdkDisplay *display = gtk_widget_get_display (GTK_WIDGET (self));
  g_autoptr (GdkAppLaunchContext) context = gdk_display_get_app_launch_context (display);
  g_autoptr (GList) uris = g_list_append (NULL, uri);
  g_app_info_launch_uris_async (program, uris, G_APP_LAUNCH_CONTEXT (context), NULL, on_launched,
                                g_object_ref (self));
}

void
wpr_window_open_with (GtkWidget *widget, const char *name, GVariant *parameter)
{
  const char *id = g_variant_get_string (parameter, NULL);
  g_autolist (GAppInfo) all = g_app_info_get_all_for_type (ETL_TYPE);
  for (GList *l = all; l != NULL; l = l->next)
    if (g_strcmp0 (g_app_info_get_id (l->data), id) == 0)
      {
        launch (WPR_WINDOW (widget), l->data);
        return;
      }
}

static void
on_program_chosen (GtkWidget *dialog, int response, gpointer data)
{
  g_autoptr (GAppInfo) program = response == GTK_RESPONSE_OK
                                     ? gtk_app_chooser_get_app_info (GTK_APP_CHOOSER (dialog))
                                     : NULL;
  if (program != NULL)
    launch (data, program);
  gtk_window_destroy (GTK_WINDOW (dialog));
}

void
wpr_window_choose_program (GtkWidget *widget, const char *name, GVariant *parameter)
{
  GtkWidget *dialog = gtk_app_chooser_dialog_new_for_content_type (GTK_WINDOW (widget),
                                                                   GTK_DIALOG_MODAL, ETL_TYPE);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_program_chosen), widget, 0);
  gtk_window_present (GTK_WINDOW (dialog));
}

/* Reads files of the desktop: a thread of its own. */
static void
find_programs (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  GMenu *menu = g_menu_new ();
  g_autoptr (GMenu) found = g_menu_new ();
  g_autolist (GAppInfo) all = g_app_info_get_all_for_type (ETL_TYPE);
  for (GList *l = all; l != NULL; l = l->next)
    {
      const char *id = g_app_info_get_id (l->data);
      if (id == NULL || g_str_has_prefix (id, WPR_APP_ID))
        continue;
      g_autoptr (GMenuItem) item = g_menu_item_new (g_app_info_get_display_name (l->data), NULL);
      g_menu_item_set_action_and_target (item, "win.open-with", "s", id);
      g_menu_append_item (found, item);
    }
  g_autoptr (GMenu) other = g_menu_new ();
  g_menu_append (other, _ ("Another Program…"), "win.choose-program");
  if (g_menu_model_get_n_items (G_MENU_MODEL (found)) > 0)
    g_menu_append_section (menu, NULL, G_MENU_MODEL (found));
  g_menu_append_section (menu,
                         g_menu_model_get_n_items (G_MENU_MODEL (found)) > 0
                             ? NULL
                             : _ ("No program here says that it opens .etl files"),
                         G_MENU_MODEL (other));
  g_task_return_pointer (task, menu, g_object_unref);
}

static void
on_programs (GObject *object, GAsyncResult *result, gpointer data)
{
  WprWindow *self = WPR_WINDOW (object);
  g_autoptr (GMenuModel) menu = g_task_propagate_pointer (G_TASK (result), NULL);
  if (menu != NULL)
    wpr_result_page_set_programs (WPR_RESULT_PAGE (self->result), menu);
}

void
wpr_window_find_programs (WprWindow *self)
{
  g_cancellable_cancel (self->programs);
  g_clear_object (&self->programs);
  self->programs = g_cancellable_new ();
  g_autoptr (GTask) task = g_task_new (self, self->programs, on_programs, NULL);
  g_task_run_in_thread (task, find_programs);
}

/* ---- what is kept ---- */

void
wpr_window_finish_now (GtkWidget *widget, const char *name, GVariant *parameter)
{
  wpr_model_finish_now (WPR_WINDOW (widget)->model, NULL);
}

static void
on_elsewhere (WprWindow *self, int response, GtkNativeDialog *dialog)
{
  g_autoptr (GFile) file = response == GTK_RESPONSE_ACCEPT
                               ? gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog))
                               : NULL;
  g_autofree char *path = file ? g_file_get_path (file) : NULL;
  g_clear_object (&self->folder_chooser);
  if (path != NULL)
    wpr_model_finish_now (self->model, path);
}

void
wpr_window_finish_elsewhere (GtkWidget *widget, const char *name, GVariant *parameter)
{
  WprWindow *self = WPR_WINDOW (widget);
  if (self->folder_chooser != NULL)
    return;
  self->folder_chooser = gtk_file_chooser_native_new (_ ("Save Recordings In"), GTK_WINDOW (self),
                                                      GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER,
                                                      _ ("Choose"), _ ("Cancel"));
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (self->folder_chooser), TRUE);
  g_signal_connect_object (self->folder_chooser, "response", G_CALLBACK (on_elsewhere), self,
                           G_CONNECT_SWAPPED);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (self->folder_chooser));
}
