/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a plan would record a second if the computer went on as it does: from how often things
 * happen (load.h) and what an event takes, as measured. Pure; opens nothing. */
#pragma once

#include <wpr-profile.h>
#include "load.h"

G_BEGIN_DECLS

typedef struct
{
  gboolean known;     /* FALSE: something of the plan happens as often as nobody can tell */
  double bytes_per_s; /* raw, into the buffers; of what can be told */
  double events_per_s;
  double holds_s; /* memory mode: how long the buffers last; of the collector that lasts least */
  double room_s;  /* file mode: until the disk is full */
} WprEstimate;

/* disk_free_bytes: where it will be saved. */
void wpr_estimate_plan (WprEstimate *estimate, const WprPlan *plan, guint n_cpus,
                        const double rates[WPR_LOAD_N], guint64 disk_free_bytes);

G_END_DECLS
