/* SPDX-License-Identifier: GPL-3.0-or-later */
/* While nobody looks: the window is hidden, not gone, so that the program can tell the desktop how
 * the recording fares; it reads figures once a second then and draws nothing. It ends by itself
 * once there is nothing left to tell. */
#include "config.h"
#include "window-private.h"

#include <glib/gi18n.h>

/* GTK 4.8 cannot announce: somebody who looks elsewhere is told by the desktop. */
void
wpr_window_notify (WprWindow *self, const char *id, const char *title, const char *body)
{
  if (gtk_window_is_active (GTK_WINDOW (self)) || !wpr_settings_get_notifications (self->settings))
    return;
  g_autoptr (GNotification) notification = g_notification_new (title);
  g_notification_set_body (notification, body);
  g_notification_set_default_action (notification, "app.show");
  g_notification_add_button (notification, _ ("Show"), "app.show");
  g_application_send_notification (g_application_get_default (), id, notification);
}

void
wpr_window_notify_end (WprWindow *self)
{
  const WprOutcome *outcome = wpr_model_get_outcome (self->model);
  if (outcome == NULL || outcome->opened)
    return;
  if (outcome->name == NULL)
    {
      wpr_window_notify (self, "end", _ ("Recording not saved"), outcome->message);
      return;
    }
  g_autoptr (GString) body = g_string_new (outcome->name);
  if (outcome->reason != NULL && *outcome->reason != '\0')
    g_string_append_printf (body, "\n%s", outcome->reason);
  if (outcome->kind == WPR_OUTCOME_HOLED)
    g_string_append_printf (body, "\n%s", _ ("Events were lost"));
  wpr_window_notify (self, "end", _ ("Recording saved"), body->str);
}

static void
on_shown (WprWindow *self)
{
  self->in_background = FALSE;
  self->close_when_saved = FALSE;
  g_application_withdraw_notification (g_application_get_default (), "background");
  g_signal_handlers_disconnect_by_func (self, on_shown, NULL);
}

static void
hide (WprWindow *self)
{
  self->in_background = TRUE;
  gtk_widget_hide (GTK_WIDGET (self));
  g_signal_handlers_disconnect_by_func (self, on_shown, NULL);
  g_signal_connect (self, "map", G_CALLBACK (on_shown), NULL);
}

void
wpr_window_go_to_background (WprWindow *self)
{
  hide (self);
  wpr_window_notify (self, "background", _ ("The recording goes on"),
                     _ ("Open Performance Recorder to stop and save it."));
}

gboolean
wpr_window_finish_unseen (WprWindow *self)
{
  const WprOutcome *outcome = wpr_model_get_outcome (self->model);
  /* what was typed is in the file by then */
  wpr_model_hold_result (self->model, FALSE);
  if (outcome != NULL)
    return FALSE;
  hide (self);
  self->close_when_saved = TRUE;
  return TRUE;
}

static gboolean
destroy (gpointer data)
{
  WprWindow *self = data;
  if (self->in_background || self->close_when_saved)
    gtk_window_destroy (GTK_WINDOW (self));
  return G_SOURCE_REMOVE;
}

void
wpr_window_settle (WprWindow *self)
{
  WprPage page = wpr_model_get_page (self->model);
  const WprOutcome *outcome = wpr_model_get_outcome (self->model);
  gboolean saved = page == WPR_PAGE_RESULT && outcome != NULL && outcome->name != NULL;
  if (page == WPR_PAGE_SAVING)
    return;
  /* nothing to show: it was discarded, or ended elsewhere. What says so comes after the page. */
  if (page == WPR_PAGE_CHOOSE && (self->in_background || self->close_when_saved))
    g_idle_add_full (G_PRIORITY_DEFAULT_IDLE, destroy, g_object_ref (self), g_object_unref);
  else if (saved && self->close_when_saved)
    gtk_window_destroy (GTK_WINDOW (self));
  else if (page == WPR_PAGE_RESULT && !saved && self->close_when_saved && self->in_background)
    gtk_window_present (GTK_WINDOW (self)); /* there is something to decide */
  else if (page != WPR_PAGE_CHOOSE)
    self->close_when_saved = FALSE;
}
