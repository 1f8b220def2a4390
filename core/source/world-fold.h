/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Folds what an epoch knows of processes into a checkpoint for the head of the next one, when the
 * epoch is about to be deleted. */
#pragma once

#include "store/store.h"

G_BEGIN_DECLS

typedef struct _WprFold WprFold;

/* Ids of the manifest are read once. */
WprFold *wpr_fold_new (const WprManifest *manifest);
void wpr_fold_free (WprFold *fold);
/* A WprStoreFold; data: a WprFold. */
GBytes *wpr_fold_epoch (GBytes *checkpoint, const guint8 *sideband, gsize size, const guint8 *notes,
                        gsize notes_size, gpointer data);

G_END_DECLS
