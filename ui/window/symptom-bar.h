/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From what is wrong to the profiles for it, in one press: one small button a symptom. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define WPR_TYPE_SYMPTOM_BAR (wpr_symptom_bar_get_type ())
/* Signal "chosen" (const char *profiles): names of built-in profiles, with spaces between. */
G_DECLARE_FINAL_TYPE (WprSymptomBar, wpr_symptom_bar, WPR, SYMPTOM_BAR, AdwBin)

G_END_DECLS
