/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The .etl container, read and verified: files of 32- and 64-bit systems, plain and compressed,
 * every kind of buffer and event header. What an event means is decode.h's, the order of time
 * cursor.h's. A stranger's bytes: never reads out of bounds, loops or allocates without bound. */
#pragma once

#include <glib.h>
#include "etl/writer.h"

G_BEGIN_DECLS

/* One record of a file as its header describes it. Pointers lead into the file (into an unpacked
 * buffer of a compressed one) and hold until the next record is asked for. */
typedef struct
{
  guint8 header_type;  /* WPR_ETL_HEAD_*: 02 SYSTEM, 11 PERFINFO, 13 EVENT, 0F MESSAGE, .. */
  guint8 pointer_size; /* 4 or 8: of the pointers in this event */
  guint8 type;         /* CLASSIC, INSTANCE, EVENT: opcode; kernel events: low byte of hook */
  guint8 level, channel;
  guint16 hook; /* kernel events: group << 8 | type; EVENT: id; MESSAGE: number */
  guint16 version, task;
  guint cpu;
  guint32 pid, tid; /* G_MAXUINT32 where the header has none */
  guint64 buffer;   /* where its buffer begins in the file; 0: the header buffer */
  guint64 offset;   /* where it begins in the file; its buffer where that is compressed */
  gint64 ticks;     /* of the file's clock */
  guint64 keyword;
  WprEtlGuid guid;             /* CLASSIC, INSTANCE, EVENT, MESSAGE; of zeros else */
  const char *provider, *name; /* self-describing events: UTF-8 as the file has it; "" else */
  const guint8 *schema;        /* EVENT_SCHEMA_TL item of a self-describing event; NULL else */
  const guint8 *activity;      /* EVENT: 16 bytes; NULL else */
  const guint8 *items;         /* EVENT: extended items; kernel events: 8 bytes each; or NULL */
  const guint8 *payload;
  const guint8 *record; /* the whole of it, for who copies it */
  guint32 schema_size, items_size, payload_size, record_size;
  guint8 time_at; /* where its i64 time lies in the record; 0: it has none */
} WprEtlEvent;

/* What the header buffer says. */
typedef struct
{
  guint32 buffer_bytes, n_buffers, n_cpus, pointer_size, events_lost, buffers_lost, cpu_mhz;
  guint32 mode;       /* LogFileMode */
  guint32 clock_type; /* 1 performance counter, 2 system time, 3 CPU cycles */
  guint32 os_build;
  guint8 os_major, os_minor;
  guint16 compression; /* 0 none, 2 LZNT1, 3 XPRESS, 4 XPRESS with Huffman codes */
  gint32 bias_minutes; /* UTC = local time + this */
  gint64 boot_filetime, start_filetime, end_filetime; /* 100 ns since 1601 */
  gint64 perf_frequency;                              /* ticks a second, > 0 */
  gint64 start_ticks;
  char *logger_name, *file_name;
} WprEtlFileInfo;
void wpr_etl_file_info_clear (WprEtlFileInfo *info);
/* ns between the header's event and `ticks`, whatever the clock; clamped to what a number holds. */
gint64 wpr_etl_ticks_to_ns (const WprEtlFileInfo *info, gint64 ticks);

/* A file that lies in memory or is mapped; immutable, any thread. Opening reads the header buffer.
 */
typedef struct _WprEtlFile WprEtlFile;
/* WPR_ERROR_DAMAGED: not an .etl; _NOT_PERMITTED: may not be read. A pipe or folder is refused. */
WprEtlFile *wpr_etl_file_open (const char *path, GError **error);
/* `bytes` are not copied: they must outlive the file. */
WprEtlFile *wpr_etl_file_new (const guint8 *bytes, gsize size, GError **error);
const WprEtlFileInfo *wpr_etl_file_info (const WprEtlFile *file);
guint64 wpr_etl_file_size (const WprEtlFile *file);
void wpr_etl_file_free (WprEtlFile *file);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprEtlFile, wpr_etl_file_free)

/* Return FALSE to stop. */
typedef gboolean (*WprEtlEventFunc) (const WprEtlEvent *event, gpointer data);
typedef void (*WprEtlFaultFunc) (guint64 offset, const char *fault, gpointer data);
/* Visits the events in file order; faults (time going back in a buffer or CPU, sizes, counts, cut
 * end) are reported and reading goes on where it can. */
void wpr_etl_file_visit (const WprEtlFile *file, WprEtlEventFunc func, WprEtlFaultFunc fault,
                         gpointer data);
/* The same of bytes. FALSE with WPR_ERROR_DAMAGED if the header buffer is none. */
gboolean wpr_etl_read (const guint8 *bytes, gsize size, WprEtlFileInfo *info, WprEtlEventFunc func,
                       WprEtlFaultFunc fault, gpointer data, GError **error);

G_END_DECLS
