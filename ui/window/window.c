/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The window: shows the page the model is at, passes on what it says, and stops listening while
 * nobody looks. What a person can do is in window-actions.c. */
#include "config.h"
#include "window-private.h"

#include <glib/gi18n.h>
#include "details-window.h"
#include "fit.h"
#include "naming.h"
#include "wrap-layout.h"

/* GDK_TOPLEVEL_STATE_SUSPENDED of GTK 4.12, where the compositor shows nothing of the window: 4.8's
 * header lacks the name. */
#define STATE_SUSPENDED (1u << 16)

/* How long a choice can be undone: twice a toast's time, to get there by keyboard. */
#define UNDO_S 10

G_DEFINE_FINAL_TYPE (WprWindow, wpr_window, ADW_TYPE_APPLICATION_WINDOW)

void
wpr_window_toast (WprWindow *self, const char *text)
{
  AdwToast *toast = adw_toast_new ("");
  g_autofree char *escaped = g_markup_escape_text (text, -1);
  adw_toast_set_title (toast, escaped);
  wpr_name_and_add_toast (self->toasts, toast);
}

/* GTK 4.8 tells screen readers of every page of a stack, also of those it does not show, unless
 * they are hidden. */
static void
show_only (WprWindow *self, const char *name)
{
  wpr_window_need_page (self, name);
  GtkWidget *shown = gtk_stack_get_child_by_name (GTK_STACK (self->pages), name);
  gtk_widget_show (shown);
  gtk_stack_set_visible_child (GTK_STACK (self->pages), shown);
  for (GtkWidget *page = gtk_widget_get_first_child (self->pages); page != NULL;
       page = gtk_widget_get_next_sibling (page))
    gtk_widget_set_visible (page, page == shown);
  /* what had the keyboard is gone with its page: nothing else takes it by itself */
  gtk_window_set_focus (GTK_WINDOW (self), NULL);
}

void
wpr_window_show_page (WprWindow *self)
{
  static const char *const names[] = {
    [WPR_PAGE_CHOOSE] = "choose",
    [WPR_PAGE_RECORDING] = "recording",
    [WPR_PAGE_SAVING] = "saving",
    [WPR_PAGE_RESULT] = "result",
  };
  show_only (self, self->guided ? "guide" : names[wpr_model_get_page (self->model)]);
  wpr_window_update_actions (self);
}

static void
show_outcome (WprWindow *self, const WprOutcome *outcome)
{
  wpr_window_need_page (self, "result");
  wpr_result_page_show (WPR_RESULT_PAGE (self->result), outcome, wpr_model_get_stats (self->model),
                        wpr_model_get_profiles (self->model));
}

static void
on_page (WprWindow *self)
{
  WprPage page = wpr_model_get_page (self->model);
  const WprOutcome *outcome = wpr_model_get_outcome (self->model);
  if (page == WPR_PAGE_SAVING)
    {
      wpr_window_need_page (self, "saving");
      wpr_saving_page_enter (WPR_SAVING_PAGE (self->saving));
    }
  else if (page == WPR_PAGE_RESULT)
    show_outcome (self, outcome);
  wpr_window_show_page (self);
  if (page != WPR_PAGE_CHOOSE)
    adw_view_stack_set_visible_child_name (ADW_VIEW_STACK (self->places), "record");
  if (page == WPR_PAGE_RESULT)
    {
      wpr_window_find_programs (self);
      wpr_window_notify_end (self);
    }
  wpr_window_settle (self);
}

/* More is known of what the result page shows. */
static void
on_outcome (WprWindow *self)
{
  const WprOutcome *outcome = wpr_model_get_outcome (self->model);
  if (wpr_model_get_page (self->model) == WPR_PAGE_RESULT && outcome != NULL)
    show_outcome (self, outcome);
  wpr_window_update_actions (self);
}

/* Its page takes what comes of it from here on. */
static void
on_subject (WprWindow *self)
{
  wpr_window_need_page (self, "recording");
  wpr_window_update_actions (self);
}

static void
on_toast (WprWindow *self, const char *text)
{
  wpr_window_toast (self, text);
  if (self->in_background)
    wpr_window_notify (self, "end", _ ("Performance Recorder"), text);
}

static void
on_chosen (WprWindow *self, const char *text)
{
  AdwToast *toast = adw_toast_new ("");
  g_autofree char *escaped = g_markup_escape_text (text, -1);
  adw_toast_set_title (toast, escaped);
  adw_toast_set_button_label (toast, _ ("Undo"));
  adw_toast_set_action_name (toast, "win.undo-choice");
  adw_toast_set_timeout (toast, UNDO_S);
  wpr_name_and_add_toast (self->toasts, toast);
}

static void
on_trouble_response (WprWindow *self, const char *response)
{
  if (g_strcmp0 (response, "folder") != 0)
    return;
  self->stop_when_chosen = self->stop_was_refused;
  gtk_widget_activate_action (GTK_WIDGET (self), "win.choose-folder", NULL);
}

static void
show_trouble (WprWindow *self, const char *heading, const char *body, gboolean folder_helps)
{
  self->close_when_saved = FALSE;
  wpr_window_notify (self, "trouble", heading, body);
  if (self->in_background)
    gtk_window_present (GTK_WINDOW (self)); /* its saving, finished unseen, was refused */
  GtkWidget *dialog = adw_message_dialog_new (GTK_WINDOW (self), heading, NULL);
  adw_message_dialog_set_body (ADW_MESSAGE_DIALOG (dialog), body);
  adw_message_dialog_add_response (ADW_MESSAGE_DIALOG (dialog), "close", _ ("Close"));
  adw_message_dialog_set_default_response (ADW_MESSAGE_DIALOG (dialog), "close");
  if (folder_helps)
    {
      adw_message_dialog_add_response (ADW_MESSAGE_DIALOG (dialog), "folder",
                                       _ ("Choose Another Folder…"));
      adw_message_dialog_set_default_response (ADW_MESSAGE_DIALOG (dialog), "folder");
    }
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_trouble_response), self,
                           G_CONNECT_SWAPPED);
  gtk_window_present (GTK_WINDOW (dialog));
}

static void
on_trouble (WprWindow *self, const char *heading, const char *body)
{
  show_trouble (self, heading, body, FALSE);
}

/* It still records: nothing is lost, and another folder may do. */
static void
on_refused (WprWindow *self, const char *heading, const char *body)
{
  self->stop_was_refused = wpr_model_get_page (self->model) == WPR_PAGE_SAVING;
  show_trouble (self, heading, body, TRUE);
}

static void
on_notice (WprWindow *self, const char *text)
{
  wpr_window_notify (self, "notice", _ ("Performance Recorder"), text);
}

/* Where there is no bin, what goes is gone. */
static void
on_delete_response (WprWindow *self, const char *response, GtkWidget *dialog)
{
  if (g_strcmp0 (response, "delete") == 0)
    wpr_recordings_delete (self->list, g_object_get_data (G_OBJECT (dialog), "name"));
}

static void
on_cannot_trash (WprWindow *self, const char *name)
{
  g_autofree char *shown = g_filename_display_name (name);
  GtkWidget *dialog
      = adw_message_dialog_new (GTK_WINDOW (self), _ ("Delete this recording for good?"), NULL);
  adw_message_dialog_format_body (ADW_MESSAGE_DIALOG (dialog),
                                  /* Translators: %s is a file name */
                                  _ ("There is no bin where “%s” lies."), shown);
  adw_message_dialog_add_responses (ADW_MESSAGE_DIALOG (dialog), "cancel", _ ("Cancel"), "delete",
                                    _ ("Delete"), NULL);
  adw_message_dialog_set_response_appearance (ADW_MESSAGE_DIALOG (dialog), "delete",
                                              ADW_RESPONSE_DESTRUCTIVE);
  adw_message_dialog_set_close_response (ADW_MESSAGE_DIALOG (dialog), "cancel");
  g_object_set_data_full (G_OBJECT (dialog), "name", g_strdup (name), g_free);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_delete_response), self,
                           G_CONNECT_SWAPPED);
  gtk_window_present (GTK_WINDOW (dialog));
}

static void
on_details (WprWindow *self, const WprDetails *details)
{
  gtk_window_present (GTK_WINDOW (wpr_details_window_new (GTK_WINDOW (self), details)));
}

/* ---- being looked at ---- */

static void
update_watched (WprWindow *self)
{
  GdkSurface *surface = gtk_native_get_surface (GTK_NATIVE (self));
  gboolean watched = gtk_widget_get_mapped (GTK_WIDGET (self));
  if (GDK_IS_TOPLEVEL (surface))
    watched = watched
              && !(gdk_toplevel_get_state (GDK_TOPLEVEL (surface))
                   & (GDK_TOPLEVEL_STATE_MINIMIZED | STATE_SUSPENDED));
  if (watched == self->watched)
    return;
  self->watched = watched;
  wpr_model_set_watched (self->model, watched);
}

static void
on_realize (WprWindow *self)
{
  GdkSurface *surface = gtk_native_get_surface (GTK_NATIVE (self));
  g_signal_connect_object (surface, "notify::state", G_CALLBACK (update_watched), self,
                           G_CONNECT_SWAPPED);
}

/* ---- its size ---- */

static void
restore_size (WprWindow *self)
{
  int width, height;
  gboolean maximized;
  wpr_settings_get_size (self->settings, &width, &height, &maximized);
  gtk_window_set_default_size (GTK_WINDOW (self), width, height);
  wpr_fit_to_display (GTK_WINDOW (self));
  if (maximized)
    gtk_window_maximize (GTK_WINDOW (self));
}

static void
store_size (WprWindow *self)
{
  int width, height;
  gtk_window_get_default_size (GTK_WINDOW (self), &width, &height);
  wpr_settings_set_size (self->settings, width, height,
                         gtk_window_is_maximized (GTK_WINDOW (self)));
}

/* ---- class ---- */

static gboolean
wpr_window_close_request (GtkWindow *window)
{
  if (wpr_window_ask_before_close (WPR_WINDOW (window)))
    return TRUE;
  return GTK_WINDOW_CLASS (wpr_window_parent_class)->close_request (window);
}

static void
wpr_window_dispose (GObject *object)
{
  WprWindow *self = WPR_WINDOW (object);
  g_cancellable_cancel (self->programs);
  g_clear_object (&self->programs);
  g_clear_object (&self->folder_chooser);
  g_clear_object (&self->profile_chooser);
  g_clear_object (&self->settings);
  G_OBJECT_CLASS (wpr_window_parent_class)->dispose (object);
}

static void
wpr_window_finalize (GObject *object)
{
  WprWindow *self = WPR_WINDOW (object);
  g_clear_object (&self->model);
  g_clear_object (&self->list);
  g_free (self->guide_asked);
  g_free (self->guide_ticket);
  g_free (self->guide_note);
  G_OBJECT_CLASS (wpr_window_parent_class)->finalize (object);
}

static void
wpr_window_class_init (WprWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = wpr_window_dispose;
  G_OBJECT_CLASS (klass)->finalize = wpr_window_finalize;
  GTK_WINDOW_CLASS (klass)->close_request = wpr_window_close_request;
  g_type_ensure (WPR_TYPE_CHOOSE_PAGE);
  g_type_ensure (WPR_TYPE_WRAP_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/io/github/performance_recorder/Wpr/window.ui");
  gtk_widget_class_bind_template_child (widget_class, WprWindow, toasts);
  gtk_widget_class_bind_template_child (widget_class, WprWindow, places);
  gtk_widget_class_bind_template_child (widget_class, WprWindow, pages);
  gtk_widget_class_bind_template_child (widget_class, WprWindow, choose);
  gtk_widget_class_bind_template_child (widget_class, WprWindow, recordings_place);
  wpr_window_install_actions (widget_class);
}

static void
wpr_window_init (WprWindow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  show_only (self, "choose");
  self->watched = TRUE;
  g_signal_connect_swapped (self, "realize", G_CALLBACK (on_realize), self);
  g_signal_connect_after (self, "map", G_CALLBACK (update_watched), NULL);
  g_signal_connect_after (self, "unmap", G_CALLBACK (update_watched), NULL);
}

/* The folder chosen last; a test's or administrator's WPR_SAVE_DIR comes first. */
static void
restore_folder (WprWindow *self)
{
  if (g_getenv ("WPR_SAVE_DIR") != NULL)
    return;
  g_autofree char *folder = wpr_settings_get_folder (self->settings);
  if (folder != NULL)
    wpr_model_set_folder (self->model, folder);
}

GtkWidget *
wpr_window_new (GtkApplication *application, WprSettings *settings)
{
  WprWindow *self = g_object_new (WPR_TYPE_WINDOW, "application", application, NULL);
  self->settings = g_object_ref (settings);
  self->model = wpr_model_new ();
  wpr_model_set_names (self->model, wpr_settings_get_names (settings));
  restore_folder (self);
  restore_size (self);
  g_signal_connect (self, "unmap", G_CALLBACK (store_size), NULL);
  g_signal_connect_object (self->model, "page", G_CALLBACK (on_page), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->model, "planned", G_CALLBACK (wpr_window_update_actions), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->model, "lock", G_CALLBACK (wpr_window_update_actions), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->model, "subject", G_CALLBACK (on_subject), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->model, "outcome", G_CALLBACK (on_outcome), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->model, "refused", G_CALLBACK (on_refused), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->model, "toast", G_CALLBACK (on_toast), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->model, "trouble", G_CALLBACK (on_trouble), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->model, "notice", G_CALLBACK (on_notice), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->model, "details", G_CALLBACK (on_details), self,
                           G_CONNECT_SWAPPED);
  wpr_choose_page_set_model (WPR_CHOOSE_PAGE (self->choose), self->model, self->settings);
  g_signal_connect_swapped (self->choose, "chosen", G_CALLBACK (on_chosen), self);
  wpr_window_set_up_customs (self);
  wpr_model_set_compress (self->model, wpr_settings_get_compress (settings));
  self->list = wpr_recordings_new ();
  g_signal_connect_object (self->list, "toast", G_CALLBACK (on_toast), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->list, "trouble", G_CALLBACK (on_trouble), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->list, "cannot-trash", G_CALLBACK (on_cannot_trash), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_swapped (self->places, "notify::visible-child-name",
                            G_CALLBACK (wpr_window_need_recordings), self);
  g_signal_connect_object (self->model, "guide", G_CALLBACK (wpr_window_take_guide), self,
                           G_CONNECT_SWAPPED);
  wpr_window_update_actions (self);
  return GTK_WIDGET (self);
}

void
wpr_window_close_model (WprWindow *self)
{
  wpr_model_close (self->model);
  wpr_recordings_close (self->list);
}
