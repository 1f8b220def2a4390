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

/* What the header of a data buffer says. */
typedef struct
{
  guint32 bytes; /* it takes in the file */
  guint32 used;  /* end of what is valid in it, uncompressed, header included */
  guint cpu;
  gint64 ticks; /* of flushing */
  guint64 sequence;
  guint16 flags, type;
} WprEtlBufferHead;

/* Fills `buffer`, of WPR_ETL_BUFFER_BYTES: TRACE_LOGFILE_HEADER and names, group masks 0x0005,
 * partition 0x0050, 0xFF to the end. Returns the bytes it takes in the file: all of them, or of a
 * compressed file, as Windows does, the next whole KiB. The same each time for one `info`. */
gsize wpr_etl_logfile_fill (guint8 *buffer, const WprEtlHeaderInfo *info, const WprEtlTail *tail);
/* The WPR_ETL_BUFFER_HEADER bytes of a WMI_BUFFER_HEADER. */
void wpr_etl_buffer_head (guint8 *at, const WprEtlBufferHead *head);

G_END_DECLS
