/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* All records of a file in the order of time, once. A file's buffers belong to CPUs; a CPU's
 * buffers in sequence order are one stream whose time goes on, and the streams are merged by the
 * time of their next record (same time: lower CPU first). Within a CPU the file's order is kept, so
 * that a StackWalk stays behind its event.
 *
 * Memory: 8 bytes a buffer (512 KiB for a file of 4 GiB) and, in a compressed file, one unpacked
 * buffer a CPU. What was read is given back to the kernel as it is passed. */
#pragma once

#include "etl/reader.h"

G_BEGIN_DECLS

typedef struct _WprEtlCursor WprEtlCursor;

/* Looks at the header of every buffer. The file must outlive the cursor; one thread at a time.
 * `fault` (may be NULL) is told as wpr_etl_file_visit() tells it, also later, by _next(). */
WprEtlCursor *wpr_etl_cursor_new (const WprEtlFile *file, WprEtlFaultFunc fault, gpointer data);
/* The next record, valid until the next call; NULL at the end. The records of the header buffer
 * come first. */
const WprEtlEvent *wpr_etl_cursor_next (WprEtlCursor *cursor);
/* Bytes of the file passed so far, of wpr_etl_file_size(). */
guint64 wpr_etl_cursor_done (const WprEtlCursor *cursor);
/* Records given out so far whose time was before that of the one before: time goes back within a
 * CPU's stream. Such a file is read all the same, and its order is not that of time. */
guint64 wpr_etl_cursor_unordered (const WprEtlCursor *cursor);
void wpr_etl_cursor_free (WprEtlCursor *cursor);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprEtlCursor, wpr_etl_cursor_free)

G_END_DECLS
