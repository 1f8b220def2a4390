/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One row a collector: buffers, fill, events, losses, live. */
#pragma once

#include <adwaita.h>
#include <wpr-recorder.h>

G_BEGIN_DECLS

#define WPR_TYPE_COLLECTORS_TABLE (wpr_collectors_table_get_type ())
G_DECLARE_FINAL_TYPE (WprCollectorsTable, wpr_collectors_table, WPR, COLLECTORS_TABLE, AdwBin)

void wpr_collectors_table_show (WprCollectorsTable *self, const WprStats *stats);

G_END_DECLS
