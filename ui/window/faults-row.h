/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A person's file with its faults: opens to one row a fault. And the menu of every such file. */
#pragma once

#include <adwaita.h>
#include "custom-file.h"

G_BEGIN_DECLS

/* An AdwExpanderRow; what it shows is copied. */
GtkWidget *wpr_faults_row_new (const WprCustomFile *file);
/* Open File, Check Again, Remove. */
GtkWidget *wpr_custom_menu_new (const WprCustomFile *file);

G_END_DECLS
