/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names for screen readers where GTK 4.8 and libadwaita 1.2 leave a button of theirs without one.
 */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

/* The search entry of a window of preferences, which is there also where search is off. */
void wpr_name_search (GtkWidget *window);
/* The cross of an information bar. */
void wpr_name_bar (GtkWidget *info_bar);
/* Shows the toast; its cross has a name, also when it waits for another one to go. */
void wpr_name_and_add_toast (GtkWidget *overlay, AdwToast *toast);

G_END_DECLS
