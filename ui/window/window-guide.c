/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The window while a guide is shown: its file is asked for, its page takes the place of all others
 * until it is closed. */
#include "config.h"
#include "window-private.h"

#include <glib/gi18n.h>

void
wpr_window_show_guide (WprWindow *self, const char *name, const char *ticket, const char *note)
{
  g_return_if_fail (WPR_IS_WINDOW (self));
  g_free (self->guide_ticket);
  g_free (self->guide_note);
  g_free (self->guide_asked);
  self->guide_asked = g_strdup (name);
  self->guide_ticket = g_strdup (ticket);
  self->guide_note = g_strdup (note);
  wpr_model_read_guide (self->model, name);
}

void
wpr_window_open_file (WprWindow *self, GFile *file)
{
  g_autofree char *name = g_file_get_parse_name (file);
  wpr_model_read_guide (self->model, name);
}

/* A file that is no guide, and was not called one, goes into the list like any other. */
void
wpr_window_take_guide (WprWindow *self, WprGuide *guide)
{
  gboolean asked = g_strcmp0 (self->guide_asked, guide->file->name) == 0;
  if (!asked && !guide->is_guide)
    {
      wpr_window_add_profile (self, guide->file->name);
      return;
    }
  /* what is recorded by a guide is not lost sight of */
  if (self->guided && wpr_guide_page_is_at_work (WPR_GUIDE_PAGE (self->guide)))
    {
      wpr_window_toast (self,
                        _ ("Stop the recording of this page first, then open the file again"));
      return;
    }
  wpr_window_need_page (self, "guide");
  wpr_guide_page_show (WPR_GUIDE_PAGE (self->guide), guide, asked ? self->guide_ticket : "",
                       asked ? self->guide_note : "");
  g_clear_pointer (&self->guide_asked, g_free);
  self->guided = TRUE;
  adw_view_stack_set_visible_child_name (ADW_VIEW_STACK (self->places), "record");
  wpr_window_show_page (self);
}

void
wpr_window_leave_guide (GtkWidget *widget, const char *name, GVariant *parameter)
{
  WprWindow *self = WPR_WINDOW (widget);
  self->guided = FALSE;
  wpr_window_show_page (self);
}

void
wpr_window_start_guide (GtkWidget *widget, const char *name, GVariant *parameter)
{
  wpr_guide_page_start (WPR_GUIDE_PAGE (WPR_WINDOW (widget)->guide), FALSE);
}

void
wpr_window_start_guide_own (GtkWidget *widget, const char *name, GVariant *parameter)
{
  wpr_guide_page_start (WPR_GUIDE_PAGE (WPR_WINDOW (widget)->guide), TRUE);
}

void
wpr_window_copy_guide_faults (GtkWidget *widget, const char *name, GVariant *parameter)
{
  WprWindow *self = WPR_WINDOW (widget);
  g_autofree char *text = wpr_guide_page_dup_faults (WPR_GUIDE_PAGE (self->guide));
  gdk_clipboard_set_text (gtk_widget_get_clipboard (widget), text);
  wpr_window_toast (self, _ ("Copied"));
}

/* What the page that is hidden would do is not possible. */
void
wpr_window_update_guide_actions (WprWindow *self)
{
  static const char *const hidden[] = {
    "win.start",         "win.search",          "win.undo-choice",  "win.details",
    "win.show-profiles", "win.show-collectors", "win.record-again", "win.unlock",
  };
  for (guint i = 0; self->guided && i < G_N_ELEMENTS (hidden); i++)
    gtk_widget_action_set_enabled (GTK_WIDGET (self), hidden[i], FALSE);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "win.leave-guide", self->guided);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "win.copy-guide-faults", self->guided);
  gboolean can_start = self->guided && wpr_guide_page_can_start (WPR_GUIDE_PAGE (self->guide));
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "win.start-guide", can_start);
  gtk_widget_action_set_enabled (
      GTK_WIDGET (self), "win.start-guide-own",
      self->guided && wpr_guide_page_can_start_own (WPR_GUIDE_PAGE (self->guide)));
}
