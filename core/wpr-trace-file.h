/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A finished .etl, event by event; part of wpr-trace.h. A file is read by one thread at a time;
 * files in different threads do not know of each other. Memory: the tables of processes, threads,
 * images and functions, and a fixed amount beside them, however long the file is. */
#pragma once

#include <gio/gio.h>
#include <wpr-error.h>

G_BEGIN_DECLS

typedef struct _WprTraceFile WprTraceFile;

/* Facts of the header. Members may be added at the end. */
typedef struct
{
  guint64 size_bytes;
  guint32 buffer_bytes, n_buffers, n_cpus, pointer_size, cpu_mhz;
  guint32 events_lost, buffers_lost;
  gint64 start_realtime_ns; /* wall clock of the beginning, ns since 1970; 0 where not known */
  gint64 end_realtime_ns;   /* 0: not closed */
  gint64 boot_realtime_ns;
  gint64 perf_frequency; /* ticks a second of the timestamps in the file */
  const char *logger_name;
  const char *host; /* NULL: the file does not tell */
} WprTraceHeader;

/* One event. Borrowed from the file until its next event is asked for. Members may be added at the
 * end. */
typedef struct
{
  gint64 time_ns;           /* since the beginning of the file */
  gint64 realtime_ns;       /* wall clock, ns since 1970; 0 where not known */
  guint32 cpu, pid, tid;    /* pid, tid: G_MAXUINT32 where nobody knows */
  const char *process;      /* name; "" where nobody knows */
  const char *provider;     /* "Thread", "Linux.sched", "{guid}" */
  const char *name;         /* "CSwitch", "sched_waking", "event 12" */
  guint8 provider_guid[16]; /* as it lies in the file */
  guint16 id, version;      /* id: of a kernel or classic event its opcode */
  guint8 opcode, level;
  guint64 keywords;
  guint32 payload_bytes;
} WprTraceEvent;

typedef enum
{
  WPR_TRACE_FIELD_INT,     /* i */
  WPR_TRACE_FIELD_UINT,    /* u */
  WPR_TRACE_FIELD_DOUBLE,  /* d */
  WPR_TRACE_FIELD_BOOL,    /* u: 0 or 1 */
  WPR_TRACE_FIELD_STRING,  /* text: UTF-8; GUIDs, SIDs and network addresses are strings, too */
  WPR_TRACE_FIELD_BYTES,   /* bytes */
  WPR_TRACE_FIELD_TIME,    /* i: ns since 1970 */
  WPR_TRACE_FIELD_ADDRESS, /* u */
} WprTraceFieldType;

typedef struct
{
  const char *name;
  WprTraceFieldType type;
  gboolean hex; /* INT, UINT: people read it in hexadecimal */
  union
  {
    gint64 i;
    guint64 u;
    double d;
    const char *text; /* NUL-terminated */
    const guint8 *bytes;
  };
  gsize size; /* STRING: bytes without the NUL; BYTES: bytes */
} WprTraceField;

typedef enum
{
  WPR_TRACE_PLAIN = 0,
  WPR_TRACE_STACKS = 1 << 0, /* give events their stacks; costs memory for the stacks' table and
                                time */
} WprTraceFlags;

/* Opens a file and reads its tables. WPR_ERROR_DAMAGED if it is no .etl; a damaged or cut file is
 * opened. Blocks. */
WPR_API WprTraceFile *wpr_trace_file_open (const char *path, WprTraceFlags flags,
                                           GCancellable *cancellable, GError **error);
WPR_API void wpr_trace_file_close (WprTraceFile *file);
WPR_API const WprTraceHeader *wpr_trace_file_get_header (const WprTraceFile *file);
/* Only events for which EXPR (`wpr -help filter`) is true, NULL: all. WPR_ERROR_USAGE says the
 * column and what was expected; *column counts from 1 and may be NULL. */
WPR_API gboolean wpr_trace_file_set_filter (WprTraceFile *file, const char *expr, guint *column,
                                            GError **error);
/* Only events from and to a time, each included: seconds since the beginning ("1.5") or wall clock
 * ("2026-11-30 14:00:05.25", "14:00:05"; local time unless it ends in Z or +hh:mm). NULL: no limit.
 */
WPR_API gboolean wpr_trace_file_set_range (WprTraceFile *file, const char *from, const char *to,
                                           GError **error);
/* The next event in time order; NULL at the end. */
WPR_API const WprTraceEvent *wpr_trace_file_next (WprTraceFile *file);
/* Back to the beginning. */
WPR_API void wpr_trace_file_rewind (WprTraceFile *file);
/* Sentences about what is damaged, of what has been read so far; borrowed, of char *. */
WPR_API const GPtrArray *wpr_trace_file_get_faults (const WprTraceFile *file);

/* The event's fields in order, decoded when first asked; borrowed until the next event. An event
 * whose layout nobody knows has one field of its bytes. */
WPR_API const WprTraceField *wpr_trace_file_get_fields (WprTraceFile *file, guint *n);
/* By name, in any case; NULL if the event has none of it. */
WPR_API const WprTraceField *wpr_trace_file_get_field (WprTraceFile *file, const char *name);
/* Addresses, leaf first, kernel before user; NULL and 0 where there is no stack. */
WPR_API const guint64 *wpr_trace_file_get_stack (WprTraceFile *file, guint *n);
/* "libc.so.6!malloc+0x12" or "libc.so.6+0x9a8f2" of an address in the event's process at its time;
 * NULL where nobody knows. Borrowed until the next event. */
WPR_API const char *wpr_trace_file_describe_address (WprTraceFile *file, guint64 address);

typedef enum
{
  WPR_DUMP_TEXT, /* for people, in their language and local time */
  WPR_DUMP_CSV,
  WPR_DUMP_JSON, /* an object a line; wpr(1) has both schemas */
} WprTraceDumpFormat;
typedef enum
{
  WPR_DUMP_PLAIN = 0,
  WPR_DUMP_STACKS = 1 << 0, /* of a file opened with WPR_TRACE_STACKS */
} WprTraceDumpFlags;
/* Writes the wanted events from the beginning to fd. `name`: what the file is called there. FALSE
 * with G_IO_ERROR_BROKEN_PIPE if the reading end was closed, WPR_ERROR_NO_SPACE, _CANCELLED or
 * _INTERNAL. Blocks. */
WPR_API gboolean wpr_trace_file_dump (WprTraceFile *file, int fd, const char *name,
                                      WprTraceDumpFormat format, WprTraceDumpFlags flags,
                                      GCancellable *cancellable, GError **error);

/* What came of a merge. Owned by the caller. */
typedef struct
{
  guint64 n_events, size_bytes;
  guint64 events_lost, buffers_lost; /* of all files together */
  guint64 n_clamped;                 /* events out of order in their file */
  guint64 n_left_out;                /* records too large for a buffer */
  gboolean is_damaged;               /* one of the files is; what is whole of it was taken */
  GPtrArray *notices;                /* of char *: sentences */
} WprTraceMerged;
/* Several files, of one or of several computers, into a new one in the order of wall-clock time.
 * Never over an existing file; appears whole or not at all. folder_fd stays the caller's. Blocks.
 */
WPR_API WprTraceMerged *wpr_trace_merge_files (const char *const *paths, guint n_paths,
                                               int folder_fd, const char *name,
                                               GCancellable *cancellable, GError **error);
WPR_API void wpr_trace_merged_free (WprTraceMerged *merged);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprTraceMerged, wpr_trace_merged_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprTraceFile, wpr_trace_file_close)

G_END_DECLS
