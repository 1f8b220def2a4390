/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Windows that are to be no larger than the display they open on. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Makes its default size no larger than the largest monitor. */
void wpr_fit_to_display (GtkWindow *window);

G_END_DECLS
