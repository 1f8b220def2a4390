/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of buttons that libraries make. */
#include "config.h"
#include "naming.h"

#include <glib/gi18n.h>

/* A button without words closes what it is in. */
static void
name_buttons (GtkWidget *widget, const char *name)
{
  if (GTK_IS_BUTTON (widget) && gtk_button_get_label (GTK_BUTTON (widget)) == NULL)
    gtk_accessible_update_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_LABEL, name,
                                    -1);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    name_buttons (child, name);
}

void
wpr_name_search (GtkWidget *window)
{
  if (GTK_IS_SEARCH_ENTRY (window))
    gtk_accessible_update_property (GTK_ACCESSIBLE (window), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                    _ ("Search"), -1);
  for (GtkWidget *child = gtk_widget_get_first_child (window); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    wpr_name_search (child);
}

void
wpr_name_bar (GtkWidget *info_bar)
{
  g_return_if_fail (GTK_IS_INFO_BAR (info_bar));
  /* Translators: the cross of a bar that tells something; the window's own is "Close" */
  name_buttons (info_bar, _ ("Close This Message"));
}

/* Only one is there at a time, beside the overlay's child. */
static void
name_toasts (GtkWidget *overlay)
{
  GtkWidget *content = adw_toast_overlay_get_child (ADW_TOAST_OVERLAY (overlay));
  for (GtkWidget *child = gtk_widget_get_first_child (overlay); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (child != content)
      name_buttons (child, _ ("Close"));
}

void
wpr_name_and_add_toast (GtkWidget *overlay, AdwToast *toast)
{
  g_return_if_fail (ADW_IS_TOAST_OVERLAY (overlay));
  g_object_ref (toast);
  adw_toast_overlay_add_toast (ADW_TOAST_OVERLAY (overlay), toast);
  /* the overlay has shown the next one by then */
  g_signal_connect_object (toast, "dismissed", G_CALLBACK (name_toasts), overlay,
                           G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  name_toasts (overlay);
  g_object_unref (toast);
}
