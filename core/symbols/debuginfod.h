/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Debugging symbols from a server of the distribution's (debuginfod): only where the person asked
 * for it, since it tells a server what runs here, and only from the servers DEBUGINFOD_URLS names.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct _WprDebuginfod WprDebuginfod;

/* NULL where no server is named or elfutils' client library is not installed. */
WprDebuginfod *wpr_debuginfod_open (gint64 deadline_us, GCancellable *cancellable);
void wpr_debuginfod_close (WprDebuginfod *client);
/* The file of debugging symbols of a build id, open for reading; -1. Blocks until the deadline at
 * most. */
int wpr_debuginfod_find (WprDebuginfod *client, const guint8 *build_id, guint build_id_size);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprDebuginfod, wpr_debuginfod_close)

G_END_DECLS
