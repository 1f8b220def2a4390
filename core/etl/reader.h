/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The .etl container, read and verified: every buffer and event header of uncompressed 64-bit files
 * (more kinds come with the trace-file issue). A stranger's bytes: never reads out of bounds, loops
 * or allocates without bound. */
#pragma once

#include <glib.h>
#include "etl/writer.h"

G_BEGIN_DECLS

typedef struct
{
  guint8 header_type; /* 0x02 SYSTEM, 0x04 COMPACT, 0x11 PERFINFO, 0x14 CLASSIC, 0x13 EVENT, .. */
  guint cpu;
  guint64 buffer; /* index in the file */
  gint64 ticks;
  guint16 hook, version;
  guint32 pid, tid; /* G_MAXUINT32 where the header has none */
  WprEtlGuid guid;  /* CLASSIC, EVENT */
  guint8 type, level;
  guint64 keyword;
  char provider[128], name[128]; /* TraceLogging, from the items; "" else */
  const guint8 *schema;
  guint32 schema_size; /* EVENT_SCHEMA_TL fields; NULL */
  const guint8 *payload;
  guint32 payload_size;
} WprEtlEvent;

typedef struct
{
  guint32 buffer_bytes, n_buffers, n_cpus, pointer_size, events_lost, buffers_lost, cpu_mhz;
  gint64 boot_filetime, start_filetime, end_filetime, perf_frequency, start_ticks;
  char *logger_name;
} WprEtlFileInfo;
void wpr_etl_file_info_clear (WprEtlFileInfo *info);

/* Return FALSE to stop. */
typedef gboolean (*WprEtlEventFunc) (const WprEtlEvent *event, gpointer data);
typedef void (*WprEtlFaultFunc) (guint64 offset, const char *fault, gpointer data);
/* Visits the events in file order; faults (time going back in a buffer or CPU, sizes, counts, cut
 * end) are reported and reading goes on where it can. FALSE with WPR_ERROR_DAMAGED if the header
 * buffer is none. */
gboolean wpr_etl_read (const guint8 *bytes, gsize size, WprEtlFileInfo *info, WprEtlEventFunc func,
                       WprEtlFaultFunc fault, gpointer data, GError **error);

/* Fields of a TraceLogging event, one at a time: name, type, pointer, size; strings without NUL.
 * FALSE at the end or where the bytes do not hold. */
typedef struct
{
  const WprEtlEvent *event;
  guint32 schema_at, payload_at;
  const char *name;
  guint8 in_type, out_type;
  guint16 count;
  const guint8 *value;
  guint32 value_size;
} WprEtlFieldIter;
void wpr_etl_field_iter_init (WprEtlFieldIter *iter, const WprEtlEvent *event);
gboolean wpr_etl_field_iter_next (WprEtlFieldIter *iter);

G_END_DECLS
