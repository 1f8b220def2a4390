/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is being recorded: clock, graph, tiles, losses, collectors. */
#pragma once

#include <adwaita.h>
#include "model.h"

G_BEGIN_DECLS

#define WPR_TYPE_RECORDING_PAGE (wpr_recording_page_get_type ())
G_DECLARE_FINAL_TYPE (WprRecordingPage, wpr_recording_page, WPR, RECORDING_PAGE, AdwBin)

void wpr_recording_page_set_model (WprRecordingPage *self, WprModel *model);
/* Opens the switches of the profiles, or the table of the collectors, and goes there. */
void wpr_recording_page_open_profiles (WprRecordingPage *self);
void wpr_recording_page_open_collectors (WprRecordingPage *self);
/* A mark was made: asks for its words. */
void wpr_recording_page_ask_words (WprRecordingPage *self);

G_END_DECLS
