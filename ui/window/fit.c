/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A small display that no window manager fits windows to. */
#include "config.h"
#include "fit.h"

void
wpr_fit_to_display (GtkWindow *window)
{
  int width, height, most_width = 0, most_height = 0;
  GListModel *monitors = gdk_display_get_monitors (gtk_widget_get_display (GTK_WIDGET (window)));
  for (guint i = 0; i < g_list_model_get_n_items (monitors); i++)
    {
      g_autoptr (GdkMonitor) monitor = g_list_model_get_item (monitors, i);
      GdkRectangle place;
      gdk_monitor_get_geometry (monitor, &place);
      most_width = MAX (most_width, place.width);
      most_height = MAX (most_height, place.height);
    }
  gtk_window_get_default_size (window, &width, &height);
  if (most_width > 0 && most_height > 0)
    gtk_window_set_default_size (window, MIN (width, most_width), MIN (height, most_height));
}
