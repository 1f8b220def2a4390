/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One more event at the end of a finished file. */
#pragma once

#include "etl/writer.h"

G_BEGIN_DECLS

/* Appends a buffer that holds the event, as late as anything on CPU 0, then counts it in the file's
 * header: the file is as it was after an error, and after a crash in between has one buffer more
 * than its header counts. fd: opened for reading and writing; stays the caller's.
 * WPR_ERROR_DAMAGED: the file is not whole, so nothing can follow; WPR_ERROR_NOT_AVAILABLE where it
 * is of a 32-bit system. Blocks. */
gboolean wpr_etl_append (int fd, const WprEtlHead *head, gconstpointer payload, gsize size,
                         GError **error);

G_END_DECLS
