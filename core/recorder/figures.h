/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From what the sources report to the one snapshot everybody sees. */
#pragma once

#include "recorder/recorder-private.h"
#include "source/source.h"

G_BEGIN_DECLS

typedef struct _WprFigures WprFigures;

/* What the recorder itself knows of the moment. */
typedef struct
{
  WprState state;
  WprTime now; /* MONOTONIC */
  gint64 started_realtime_ns;
  WprTime started;
  guint64 store_bytes; /* file mode: kept on disk */
  guint64 disk_free_bytes;
  guint64 disk_budget_bytes; /* what this recording may still add; 0: not known */
  guint n_marks;
} WprMoment;

/* session: the names; lives as long. backward: memory mode. */
WprFigures *wpr_figures_new (const WprSession *session);
void wpr_figures_free (WprFigures *figures);
/* Figures of all sources (WprSourceFigures) and losses of the second just over (WprSourceLoss). */
WprStats *wpr_figures_take (WprFigures *figures, const WprMoment *moment, gboolean counted,
                            const GArray *values, const GArray *losses);
/* What the recorder itself costs: of this process since the figures were made. */
void wpr_figures_cost (WprFigures *figures, gint64 *cpu_ns, guint64 *wakeups);

G_END_DECLS
