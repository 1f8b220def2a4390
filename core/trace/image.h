/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where an image lies in a process, from the ELF headers of its file: kept by file, bounded. Not
 * locked: the thread that plays. Reads files, so never while recording. */
#pragma once

#include "trace/event.h"

G_BEGIN_DECLS

typedef struct _WprImageTable WprImageTable;

WprImageTable *wpr_image_table_new (void);
void wpr_image_table_free (WprImageTable *table);
/* Base, size, build id of a mapping of the process (event.h says how; NULL: nobody's, the
 * kernel's). A file that is no longer the one that was mapped (build id, else device, inode, time
 * of change) is not believed; where the path does not lead to it, the process is asked while it
 * lives (another container's file, a deleted one). FALSE: no image, memory without a file (JIT
 * code, stacks). The pointers are the mapping's and the table's: valid until the next call. */
gboolean wpr_image_table_get (WprImageTable *table, const WprProcess *process,
                              const WprMapping *mapping, WprImage *image);
/* Asks all who live for the files that their paths do not lead to, and nobody any more afterwards:
 * what is said of a file is then the same for all who mapped it, the first and the last time. */
void wpr_image_table_look_around (WprImageTable *table, const WprWorld *world);
/* The file of a mapping, open for reading, if it is the one that was mapped; else -1 and errno
 * (ENOENT: not there any more, or another one). */
int wpr_image_table_open (WprImageTable *table, const WprMapping *mapping);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprImageTable, wpr_image_table_free)

G_END_DECLS
