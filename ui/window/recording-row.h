/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A saved recording in the list: seal, name, profiles, note, verdict, size, when, menu. */
#pragma once

#include <adwaita.h>
#include "recording-item.h"

G_BEGIN_DECLS

#define WPR_TYPE_RECORDING_ROW (wpr_recording_row_get_type ())
G_DECLARE_FINAL_TYPE (WprRecordingRow, wpr_recording_row, WPR, RECORDING_ROW, AdwBin)

GtkWidget *wpr_recording_row_new (void);
/* profiles: of WprProfileItem, for their titles. NULL item: none any more. */
void wpr_recording_row_show (WprRecordingRow *self, WprRecordingItem *item, GListModel *profiles);
WprRecordingItem *wpr_recording_row_get_item (WprRecordingRow *self);

G_END_DECLS
