/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The container's parts, for the two ways to walk a file (reader.c, cursor.c). Private to this
 * room. */
#pragma once

#include "etl/reader.h"

G_BEGIN_DECLS

/* Windows writes 1 KiB to 16 MiB. */
#define WPR_ETL_LEAST_BUFFER 1024u
#define WPR_ETL_MOST_BUFFER (16u * 1024 * 1024)

typedef struct
{
  WprEtlFaultFunc func; /* may be NULL */
  gpointer data;
} WprEtlFaults;
void wpr_etl_fault (const WprEtlFaults *faults, guint64 offset, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

/* ---- file.c ---- */

struct _WprEtlFile
{
  const guint8 *bytes;
  gsize size;
  GMappedFile *mapped; /* NULL: bytes are the caller's */
  WprEtlFileInfo info;
};
/* The kernel may take these pages back; they are read again if they are asked for again. */
void wpr_etl_file_release (const WprEtlFile *file, guint64 from, guint64 to);
/* Reads TRACE_LOGFILE_HEADER; FALSE with an error if bytes do not begin with one. */
gboolean wpr_etl_logfile_read (const guint8 *bytes, gsize size, WprEtlFileInfo *info,
                               GError **error);

/* ---- buffer.c ---- */

/* One buffer as its header describes it. */
typedef struct
{
  guint64 at, index; /* in the file: byte, number */
  guint32 bytes;     /* that it takes in the file */
  guint32 end;       /* of valid bytes, from `at`, once unpacked */
  guint16 flags, type;
  guint cpu;
  guint64 sequence;
} WprEtlBuffer;
/* Sets at and index to the first, or moves on to the next; FALSE at the end of the file. Where the
 * file is cut, or a size does not hold, says so. end is 0 where nothing of the buffer can be read.
 */
gboolean wpr_etl_buffer_first (const WprEtlFile *file, WprEtlBuffer *buffer,
                               const WprEtlFaults *faults);
gboolean wpr_etl_buffer_next (const WprEtlFile *file, WprEtlBuffer *buffer,
                              const WprEtlFaults *faults);
/* The buffer at `at`, without a word about its faults. */
void wpr_etl_buffer_peek (const WprEtlFile *file, guint64 at, WprEtlBuffer *buffer);
/* Its bytes from its header to end, unpacked into *scratch (made or made larger; g_free) if it is
 * compressed. NULL, said, where it cannot be unpacked; *end is where what is there ends. */
const guint8 *wpr_etl_buffer_bytes (const WprEtlFile *file, const WprEtlBuffer *buffer,
                                    guint8 **scratch, gsize *scratch_size, guint32 *end,
                                    const WprEtlFaults *faults);

/* ---- record.c ---- */

/* The record at `bytes`, of which `left` bytes are there. Fills all of event but cpu, buffer and
 * offset. Returns its size rounded up to the next record, 0, said, where none begins. */
guint32 wpr_etl_record_parse (const guint8 *bytes, guint32 left, guint8 file_pointer_size,
                              guint64 offset, WprEtlEvent *event, const WprEtlFaults *faults);

G_END_DECLS
