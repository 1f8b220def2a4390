/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A row that opens to a switch a profile: on and off while recording. */
#pragma once

#include <adwaita.h>
#include "model.h"

G_BEGIN_DECLS

#define WPR_TYPE_PROFILES_SWITCHES (wpr_profiles_switches_get_type ())
G_DECLARE_FINAL_TYPE (WprProfilesSwitches, wpr_profiles_switches, WPR, PROFILES_SWITCHES,
                      AdwExpanderRow)

void wpr_profiles_switches_set_model (WprProfilesSwitches *self, WprModel *model);

G_END_DECLS
