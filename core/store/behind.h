/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Write-back behind the writer, on a thread of its own: starting it can wait for the disk for a
 * quarter of a second, which the thread that drains the rings must not. Private to the room. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _WprBehind WprBehind;
WprBehind *wpr_behind_new (void);
/* Begins writing `size` bytes at `offset` (0: to the end), then lets go of the `dropped` bytes at
 * `drop_offset`, which were begun earlier. The descriptor may be closed afterwards. */
void wpr_behind_add (WprBehind *behind, int fd, gint64 offset, gint64 size, gint64 drop_offset,
                     gint64 dropped);
/* What was written so far is on the disk once this piece's turn has come. */
void wpr_behind_sync (WprBehind *behind, int fd);
/* Waits until all of it is begun. */
void wpr_behind_free (WprBehind *behind);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprBehind, wpr_behind_free)

G_END_DECLS
