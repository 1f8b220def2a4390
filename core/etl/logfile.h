/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The header buffer (buffer 0) of a file being written; private to this room. */
#pragma once

#include "etl/writer.h"

G_BEGIN_DECLS

/* What is known only when the file is complete. */
typedef struct
{
  guint32 n_buffers; /* the header buffer included */
  guint32 events_lost, buffers_lost;
  gint64 end_filetime;
} WprEtlTail;

/* Fills all WPR_ETL_BUFFER_BYTES of `buffer`: TRACE_LOGFILE_HEADER and names, group masks 0x0005,
 * partition 0x0050, 0xFF to the end. */
void wpr_etl_logfile_fill (guint8 *buffer, const WprEtlHeaderInfo *info, const WprEtlTail *tail);
/* A WMI_BUFFER_HEADER, and 0xFF from `used` on. */
void wpr_etl_buffer_close (guint8 *buffer, guint32 used, guint cpu, gint64 ticks, guint64 sequence,
                           guint16 flags, guint16 type);

G_END_DECLS
