/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a person can do: every button, shortcut, menu and test uses these names. */
#include "config.h"
#include "window-private.h"

#include <glib/gi18n.h>
#include "format.h"
#include "preferences-window.h"
#include "show-file.h"

static void
do_start (GtkWidget *widget, const char *name, GVariant *parameter)
{
  wpr_model_start (WPR_WINDOW (widget)->model);
}

static void
do_stop (GtkWidget *widget, const char *name, GVariant *parameter)
{
  wpr_model_stop (WPR_WINDOW (widget)->model);
}

/* Ctrl+R: whichever of the two is possible. */
static void
do_record (GtkWidget *widget, const char *name, GVariant *parameter)
{
  WprModel *model = WPR_WINDOW (widget)->model;
  if (wpr_model_get_page (model) == WPR_PAGE_RECORDING)
    wpr_model_stop (model);
  else if (WPR_WINDOW (widget)->guided)
    wpr_window_start_guide (widget, name, parameter);
  else
    wpr_model_start (model);
}

static void
do_unlock (GtkWidget *widget, const char *name, GVariant *parameter)
{
  wpr_model_unlock (WPR_WINDOW (widget)->model);
}

static void
do_cancel_unlock (GtkWidget *widget, const char *name, GVariant *parameter)
{
  wpr_model_cancel_unlock (WPR_WINDOW (widget)->model);
}

static void
do_save_ring (GtkWidget *widget, const char *name, GVariant *parameter)
{
  wpr_model_save_ring (WPR_WINDOW (widget)->model);
}

static void
do_mark (GtkWidget *widget, const char *name, GVariant *parameter)
{
  WprWindow *self = WPR_WINDOW (widget);
  wpr_model_mark (self->model);
  if (self->guided)
    {
      wpr_window_toast (self, _ ("Marked"));
      return;
    }
  wpr_recording_page_ask_words (WPR_RECORDING_PAGE (self->recording));
}

static void
do_enlarge (GtkWidget *widget, const char *name, GVariant *parameter)
{
  wpr_model_enlarge_buffers (WPR_WINDOW (widget)->model);
}

static void
do_fewer_stacks (GtkWidget *widget, const char *name, GVariant *parameter)
{
  wpr_model_fewer_stacks (WPR_WINDOW (widget)->model);
}

static void
do_show_profiles (GtkWidget *widget, const char *name, GVariant *parameter)
{
  wpr_recording_page_open_profiles (WPR_RECORDING_PAGE (WPR_WINDOW (widget)->recording));
}

static void
do_show_collectors (GtkWidget *widget, const char *name, GVariant *parameter)
{
  wpr_recording_page_open_collectors (WPR_RECORDING_PAGE (WPR_WINDOW (widget)->recording));
}

static GtkWidget *
new_dialog (WprWindow *self, const char *heading, const char *body)
{
  GtkWidget *dialog = adw_message_dialog_new (GTK_WINDOW (self), heading, NULL);
  adw_message_dialog_set_body (ADW_MESSAGE_DIALOG (dialog), body);
  adw_message_dialog_set_close_response (ADW_MESSAGE_DIALOG (dialog), "cancel");
  return dialog;
}

/* "1 min 23 s of events will be gone for good." */
static char *
describe_loss (WprWindow *self)
{
  const WprStats *stats = wpr_model_get_stats (self->model);
  g_autofree char *span = wpr_format_span (stats ? stats->elapsed_ns / 1e9 : 0);
  /* Translators: %s is a span of time */
  return g_strdup_printf (_ ("%s of events will be gone for good."), span);
}

static void
on_discard_response (WprWindow *self, const char *response)
{
  if (g_strcmp0 (response, "discard") == 0)
    wpr_model_discard (self->model);
}

static void
do_cancel (GtkWidget *widget, const char *name, GVariant *parameter)
{
  WprWindow *self = WPR_WINDOW (widget);
  g_autofree char *body = describe_loss (self);
  GtkWidget *dialog = new_dialog (self, _ ("Discard this recording?"), body);
  adw_message_dialog_add_responses (ADW_MESSAGE_DIALOG (dialog), "cancel", _ ("Cancel"), "discard",
                                    _ ("Discard"), NULL);
  adw_message_dialog_set_response_appearance (ADW_MESSAGE_DIALOG (dialog), "discard",
                                              ADW_RESPONSE_DESTRUCTIVE);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_discard_response), self,
                           G_CONNECT_SWAPPED);
  gtk_window_present (GTK_WINDOW (dialog));
}

static void
on_close_response (WprWindow *self, const char *response)
{
  if (g_strcmp0 (response, "stop") == 0)
    {
      self->close_when_saved = TRUE;
      wpr_model_stop (self->model);
    }
  else if (g_strcmp0 (response, "background") == 0)
    wpr_window_go_to_background (self);
  else if (g_strcmp0 (response, "discard") == 0)
    {
      self->close_when_saved = TRUE;
      wpr_model_discard (self->model);
    }
}

static void
on_leave_response (WprWindow *self, const char *response)
{
  if (g_strcmp0 (response, "close") == 0)
    gtk_window_destroy (GTK_WINDOW (self));
}

/* Whatever it waits for, nobody is held. */
static void
ask_to_leave_starting (WprWindow *self)
{
  GtkWidget *dialog = new_dialog (
      self, _ ("The recording has not begun yet"),
      _ ("It may begin after this window is closed; open it again to stop and save."));
  adw_message_dialog_add_responses (ADW_MESSAGE_DIALOG (dialog), "cancel", _ ("Wait"), "close",
                                    _ ("Close"), NULL);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_leave_response), self,
                           G_CONNECT_SWAPPED);
  gtk_window_present (GTK_WINDOW (dialog));
}

gboolean
wpr_window_ask_before_close (WprWindow *self)
{
  /* a recording that has just begun would go on unseen: in a moment there is something to ask */
  if (wpr_model_get_starting_slowly (self->model))
    ask_to_leave_starting (self);
  if (wpr_model_get_starting (self->model))
    return TRUE;
  if (wpr_model_get_page (self->model) == WPR_PAGE_SAVING)
    return wpr_window_finish_unseen (self);
  if (wpr_model_get_page (self->model) != WPR_PAGE_RECORDING)
    return FALSE;
  GtkWidget *dialog = new_dialog (
      self, _ ("A recording is running"),
      _ ("It can go on without this window; open it again to stop and save. You are told when "
         "it ends or something goes wrong."));
  adw_message_dialog_add_responses (
      ADW_MESSAGE_DIALOG (dialog), "cancel", _ ("Cancel"), "discard", _ ("Discard"), "background",
      _ ("Keep Recording in the Background"), "stop", _ ("Stop and Save"), NULL);
  adw_message_dialog_set_response_appearance (ADW_MESSAGE_DIALOG (dialog), "discard",
                                              ADW_RESPONSE_DESTRUCTIVE);
  adw_message_dialog_set_response_appearance (ADW_MESSAGE_DIALOG (dialog), "stop",
                                              ADW_RESPONSE_SUGGESTED);
  adw_message_dialog_set_default_response (ADW_MESSAGE_DIALOG (dialog), "stop");
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_close_response), self,
                           G_CONNECT_SWAPPED);
  gtk_window_present (GTK_WINDOW (dialog));
  return TRUE;
}

static void
do_finish_later (GtkWidget *widget, const char *name, GVariant *parameter)
{
  wpr_model_finish_later (WPR_WINDOW (widget)->model);
}

static void
do_done (GtkWidget *widget, const char *name, GVariant *parameter)
{
  wpr_model_hold_result (WPR_WINDOW (widget)->model, FALSE);
}

static void
do_record_again (GtkWidget *widget, const char *name, GVariant *parameter)
{
  wpr_model_record_again (WPR_WINDOW (widget)->model);
}

char *
wpr_window_get_path (WprWindow *self)
{
  const WprOutcome *outcome = wpr_model_get_outcome (self->model);
  if (outcome == NULL || outcome->name == NULL)
    return NULL;
  return g_build_filename (outcome->folder, outcome->name, NULL);
}

static void
do_copy_path (GtkWidget *widget, const char *name, GVariant *parameter)
{
  WprWindow *self = WPR_WINDOW (widget);
  g_autofree char *path = wpr_window_get_path (self);
  if (path == NULL)
    return;
  gdk_clipboard_set_text (gtk_widget_get_clipboard (widget), path);
  wpr_window_toast (self, _ ("Path copied"));
}

static void
do_show_in_folder (GtkWidget *widget, const char *name, GVariant *parameter)
{
  g_autofree char *path = wpr_window_get_path (WPR_WINDOW (widget));
  if (path != NULL)
    wpr_show_file (GTK_WINDOW (widget), path);
}

static void
on_folder_chosen (WprWindow *self, int response, GtkNativeDialog *dialog)
{
  if (response == GTK_RESPONSE_ACCEPT)
    {
      g_autoptr (GFile) file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
      g_autofree char *path = file ? g_file_get_path (file) : NULL;
      if (path != NULL)
        {
          wpr_model_set_folder (self->model, path);
          wpr_settings_set_folder (self->settings, path);
          wpr_choose_page_show_folder (WPR_CHOOSE_PAGE (self->choose));
        }
    }
  if (response == GTK_RESPONSE_ACCEPT && self->stop_when_chosen)
    wpr_model_stop (self->model);
  self->stop_when_chosen = FALSE;
  g_clear_object (&self->folder_chooser);
}

static void
do_choose_folder (GtkWidget *widget, const char *name, GVariant *parameter)
{
  WprWindow *self = WPR_WINDOW (widget);
  if (self->folder_chooser != NULL)
    return;
  self->folder_chooser = gtk_file_chooser_native_new (_ ("Save Recordings In"), GTK_WINDOW (self),
                                                      GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER,
                                                      _ ("Choose"), _ ("Cancel"));
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (self->folder_chooser), TRUE);
  g_autoptr (GFile) folder = g_file_new_for_path (wpr_model_get_folder (self->model));
  gtk_file_chooser_set_current_folder (GTK_FILE_CHOOSER (self->folder_chooser), folder, NULL);
  g_signal_connect_object (self->folder_chooser, "response", G_CALLBACK (on_folder_chosen), self,
                           G_CONNECT_SWAPPED);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (self->folder_chooser));
}

static void
do_details (GtkWidget *widget, const char *name, GVariant *parameter)
{
  wpr_model_ask_details (WPR_WINDOW (widget)->model, g_variant_get_string (parameter, NULL));
}

static void
do_search (GtkWidget *widget, const char *name, GVariant *parameter)
{
  WprWindow *self = WPR_WINDOW (widget);
  const char *place = adw_view_stack_get_visible_child_name (ADW_VIEW_STACK (self->places));
  if (g_strcmp0 (place, "recordings") == 0)
    wpr_recordings_page_focus_search (WPR_RECORDINGS_PAGE (self->recordings));
  else
    wpr_choose_page_focus_search (WPR_CHOOSE_PAGE (self->choose));
}

static void
do_show_recordings (GtkWidget *widget, const char *name, GVariant *parameter)
{
  adw_view_stack_set_visible_child_name (ADW_VIEW_STACK (WPR_WINDOW (widget)->places),
                                         "recordings");
}

static void
do_show_record (GtkWidget *widget, const char *name, GVariant *parameter)
{
  adw_view_stack_set_visible_child_name (ADW_VIEW_STACK (WPR_WINDOW (widget)->places), "record");
}

static void
do_preferences (GtkWidget *widget, const char *name, GVariant *parameter)
{
  WprWindow *self = WPR_WINDOW (widget);
  gtk_window_present (
      GTK_WINDOW (wpr_preferences_window_new (GTK_WINDOW (self), self->model, self->settings)));
}

static void
do_undo_choice (GtkWidget *widget, const char *name, GVariant *parameter)
{
  wpr_choose_page_undo (WPR_CHOOSE_PAGE (WPR_WINDOW (widget)->choose));
}

/* GtkApplication would build it with every window, for gtk/help-overlay.ui. */
static void
do_show_shortcuts (GtkWidget *widget, const char *name, GVariant *parameter)
{
  g_autoptr (GtkBuilder) builder
      = gtk_builder_new_from_resource ("/io/github/performance_recorder/Wpr/help-overlay.ui");
  GtkWindow *overlay = GTK_WINDOW (gtk_builder_get_object (builder, "help_overlay"));
  gtk_window_set_transient_for (overlay, GTK_WINDOW (widget));
  gtk_window_present (overlay);
}

/* One row an action: its name, its parameter, what it does, on which pages it is possible. */
#define ON(page) (1u << (page))
#define ON_ALL G_MAXUINT
static const struct
{
  const char *name;
  const char *parameter_type;
  GtkWidgetActionActivateFunc activate;
  guint pages;
} actions[] = {
  { "win.start", NULL, do_start, ON (WPR_PAGE_CHOOSE) },
  { "win.stop", NULL, do_stop, ON (WPR_PAGE_RECORDING) },
  { "win.record", NULL, do_record, ON (WPR_PAGE_CHOOSE) | ON (WPR_PAGE_RECORDING) },
  { "win.unlock", NULL, do_unlock, ON (WPR_PAGE_CHOOSE) },
  { "win.cancel-unlock", NULL, do_cancel_unlock, ON_ALL },
  { "win.save-ring", NULL, do_save_ring, ON (WPR_PAGE_RECORDING) },
  { "win.mark", NULL, do_mark, ON (WPR_PAGE_RECORDING) },
  { "win.enlarge-buffers", NULL, do_enlarge, ON (WPR_PAGE_RECORDING) },
  { "win.fewer-stacks", NULL, do_fewer_stacks, ON (WPR_PAGE_RECORDING) },
  { "win.show-profiles", NULL, do_show_profiles, ON (WPR_PAGE_RECORDING) },
  { "win.show-collectors", NULL, do_show_collectors, ON (WPR_PAGE_RECORDING) },
  { "win.cancel", NULL, do_cancel, ON (WPR_PAGE_RECORDING) },
  { "win.finish-later", NULL, do_finish_later, ON (WPR_PAGE_SAVING) },
  { "win.done", NULL, do_done, ON (WPR_PAGE_SAVING) },
  { "win.record-again", NULL, do_record_again, ON (WPR_PAGE_RESULT) },
  { "win.copy-path", NULL, do_copy_path, ON (WPR_PAGE_RESULT) },
  { "win.show-in-folder", NULL, do_show_in_folder, ON (WPR_PAGE_RESULT) },
  { "win.record-larger", NULL, wpr_window_record_larger, ON (WPR_PAGE_RESULT) },
  { "win.edit-note", NULL, wpr_window_edit_note, ON (WPR_PAGE_RESULT) },
  { "win.open-with", "s", wpr_window_open_with, ON (WPR_PAGE_RESULT) },
  { "win.choose-program", NULL, wpr_window_choose_program, ON (WPR_PAGE_RESULT) },
  { "win.finish-now", NULL, wpr_window_finish_now, ON (WPR_PAGE_RESULT) },
  { "win.finish-elsewhere", NULL, wpr_window_finish_elsewhere, ON (WPR_PAGE_RESULT) },
  { "win.choose-folder", NULL, do_choose_folder, ON (WPR_PAGE_CHOOSE) | ON (WPR_PAGE_RECORDING) },
  { "win.details", "s", do_details, ON (WPR_PAGE_CHOOSE) },
  { "win.preferences", NULL, do_preferences, ON (WPR_PAGE_CHOOSE) },
  { "win.undo-choice", NULL, do_undo_choice, ON (WPR_PAGE_CHOOSE) },
  { "win.save-profile", NULL, wpr_window_save_profile, ON (WPR_PAGE_CHOOSE) },
  { "win.add-profile", NULL, wpr_window_choose_profiles, ON (WPR_PAGE_CHOOSE) },
  { "win.open-profile", "s", wpr_window_open_profile, ON (WPR_PAGE_CHOOSE) },
  { "win.check-profile", "s", wpr_window_check_profile, ON (WPR_PAGE_CHOOSE) },
  { "win.remove-profile", "s", wpr_window_remove_profile, ON (WPR_PAGE_CHOOSE) },
  { "win.search", NULL, do_search, ON_ALL },
  { "win.show-help-overlay", NULL, do_show_shortcuts, ON_ALL },
  { "win.show-recordings", NULL, do_show_recordings, ON_ALL },
  { "win.show-record", NULL, do_show_record, ON_ALL },
  { "win.start-guide", NULL, wpr_window_start_guide, 0 },
  { "win.start-guide-own", NULL, wpr_window_start_guide_own, 0 },
  { "win.leave-guide", NULL, wpr_window_leave_guide, 0 },
  { "win.copy-guide-faults", NULL, wpr_window_copy_guide_faults, 0 },
};

void
wpr_window_install_actions (GtkWidgetClass *klass)
{
  for (guint i = 0; i < G_N_ELEMENTS (actions); i++)
    gtk_widget_class_install_action (klass, actions[i].name, actions[i].parameter_type,
                                     actions[i].activate);
}

/* The plan is made on the worker thread: until it is known nothing can start. */
static void
start_when_ready (WprWindow *self, WprPage page)
{
  if (!self->record_when_ready || (page == WPR_PAGE_CHOOSE && !wpr_model_can_start (self->model)))
    return;
  self->record_when_ready = FALSE;
  if (page == WPR_PAGE_CHOOSE)
    wpr_model_start (self->model);
}

void
wpr_window_update_actions (WprWindow *self)
{
  WprPage page = wpr_model_get_page (self->model);
  for (guint i = 0; i < G_N_ELEMENTS (actions); i++)
    gtk_widget_action_set_enabled (GTK_WIDGET (self), actions[i].name,
                                   (actions[i].pages & ON (page)) != 0);
  if (page == WPR_PAGE_CHOOSE)
    gtk_widget_action_set_enabled (GTK_WIDGET (self), "win.start",
                                   wpr_model_can_start (self->model));
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "win.unlock",
                                 page == WPR_PAGE_CHOOSE && wpr_model_can_unlock (self->model));
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "win.cancel-unlock",
                                 wpr_model_get_lock (self->model) == WPR_LOCK_ASKING);
  if (wpr_model_get_plan (self->model) == NULL)
    gtk_widget_action_set_enabled (GTK_WIDGET (self), "win.save-profile", FALSE);
  const WprSubject *subject = wpr_model_get_subject (self->model);
  if (subject != NULL && subject->mode == WPR_MODE_FILE)
    gtk_widget_action_set_enabled (GTK_WIDGET (self), "win.save-ring", FALSE);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "win.record-larger",
                                 wpr_model_can_record_larger (self->model));
  wpr_window_update_guide_actions (self);
  start_when_ready (self, page);
}

void
wpr_window_record_now (WprWindow *self)
{
  g_return_if_fail (WPR_IS_WINDOW (self));
  /* a guide asks for another recording, which its own button starts: its page gives way, unless it
   * records already */
  if (self->guided && wpr_guide_page_is_at_work (WPR_GUIDE_PAGE (self->guide)))
    {
      wpr_window_toast (self, _ ("Stop the recording of this page first"));
      return;
    }
  if (self->guided)
    wpr_window_leave_guide (GTK_WIDGET (self), NULL, NULL);
  /* what a finished recording shows is not in the way */
  if (wpr_model_get_page (self->model) == WPR_PAGE_RESULT)
    wpr_model_record_again (self->model);
  self->record_when_ready = TRUE;
  start_when_ready (self, wpr_model_get_page (self->model));
}
