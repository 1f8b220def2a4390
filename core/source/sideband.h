/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Records about processes, on their way: into the store (file mode), into the world (memory mode),
 * and folded into a checkpoint when an epoch goes. */
#pragma once

#include "perf/ring.h"
#include "source/source.h"

G_BEGIN_DECLS

typedef struct _WprSideband WprSideband;

WprSideband *wpr_sideband_new (void);
void wpr_sideband_free (WprSideband *sideband);
/* The sideband row's id on one CPU. */
void wpr_sideband_add_id (WprSideband *sideband, guint64 id, guint32 row, guint64 sample_type);
/* Empties a ring. With a store the records go there as they are, and command lines and users of
 * programs that were just started as notes; without one into session->world. */
gboolean wpr_sideband_drain (WprSideband *sideband, WprSession *session, WprRing *ring,
                             GError **error);

G_END_DECLS
