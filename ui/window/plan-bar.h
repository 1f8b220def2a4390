/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bottom of the choose page: what Start would bring, what is missing, Start. */
#pragma once

#include <adwaita.h>
#include "model.h"

G_BEGIN_DECLS

#define WPR_TYPE_PLAN_BAR (wpr_plan_bar_get_type ())
G_DECLARE_FINAL_TYPE (WprPlanBar, wpr_plan_bar, WPR, PLAN_BAR, GtkBox)

/* There is little room: the least of figures. */
void wpr_plan_bar_set_narrow (WprPlanBar *self, gboolean narrow);
/* As the model has it now. */
void wpr_plan_bar_show (WprPlanBar *self, WprModel *model);

G_END_DECLS
