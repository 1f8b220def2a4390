/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rings in memory whose recorder was killed: the broker has them for ten minutes. They are listed
 * among the unfinished recordings, as "broker:ID". */
#pragma once

#include "wpr-recorder.h"

G_BEGIN_DECLS

#define WPR_ORPHAN_PREFIX "broker:"

/* Appends WprUnfinished. Blocks shortly; nothing where there is no broker. */
void wpr_orphans_add (GPtrArray *unfinished);
/* Stops it and writes what its rings hold into a raw recording of this user's, whose path is
 * returned; the broker has let go of it then. *kallsyms_fd: the kernel's names, the caller's; -1:
 * not to be had. NULL with error: it is as it was, or gone (WPR_ERROR_NOT_RECORDING). */
char *wpr_orphan_take (const char *path, int *kallsyms_fd, GError **error);
gboolean wpr_orphan_discard (const char *path, GError **error);

G_END_DECLS
