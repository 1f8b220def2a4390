/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A person's file with its faults: opens to one row a fault. And the menu of every such file. */
#pragma once

#include <adwaita.h>
#include "custom-file.h"

G_BEGIN_DECLS

#define WPR_TYPE_FAULTS_ROW (wpr_faults_row_get_type ())
G_DECLARE_FINAL_TYPE (WprFaultsRow, wpr_faults_row, WPR, FAULTS_ROW, AdwExpanderRow)

/* What it shows is copied. */
GtkWidget *wpr_faults_row_new (const WprCustomFile *file);
/* Shows or hides the row, with what matches emphasised; whether it matches. */
gboolean wpr_faults_row_search (WprFaultsRow *self, const char *query);
/* Open File, Check Again, Remove. */
GtkWidget *wpr_custom_menu_new (const WprCustomFile *file);

G_END_DECLS
