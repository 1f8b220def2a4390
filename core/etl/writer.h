/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The .etl container, written: buffers a CPU of 64 KiB, header buffer first and patched last. Knows
 * nothing of Linux. Facts: docs/etl.md. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  WPR_ETL_SYSTEM,
  WPR_ETL_COMPACT,
  WPR_ETL_PERFINFO,
  WPR_ETL_CLASSIC /* EVENT_TRACE_HEADER with GUID */,
  WPR_ETL_EVENT /* EVENT_HEADER */
} WprEtlHeadKind;
typedef struct
{
  guint32 data1;
  guint16 data2, data3;
  guint8 data4[8];
} WprEtlGuid;

/* How an event begins. Only what its kind has is read. */
typedef struct
{
  WprEtlHeadKind kind;
  guint16 hook;           /* SYSTEM, COMPACT, PERFINFO: Group << 8 | Type */
  guint16 version;        /* SYSTEM, COMPACT, PERFINFO, CLASSIC */
  guint32 pid, tid;       /* all but PERFINFO */
  guint8 type, level;     /* CLASSIC: Type; CLASSIC, EVENT: Level */
  const WprEtlGuid *guid; /* CLASSIC, EVENT */
  guint64 keyword;        /* EVENT */
  gconstpointer traits;
  gsize traits_size; /* EVENT: PROV_TRAITS item, as it is */
  gconstpointer schema;
  gsize schema_size; /* EVENT: EVENT_SCHEMA_TL item, as it is */
} WprEtlHead;

typedef struct
{
  guint32 n_cpus;
  guint32 cpu_mhz;
  gint64 boot_filetime, start_filetime; /* 100 ns since 1601 */
  gint64 start_ticks;                   /* timestamp of the first event: 100 ns ticks */
  gint32 bias_minutes;                  /* of the time zone */
  const char *logger_name, *file_name;  /* UTF-8 */
  guint32 group_masks[8];
  gboolean compress; /* buffers are written XPRESS-compressed */
} WprEtlHeaderInfo;

typedef struct _WprEtlWriter WprEtlWriter;
WprEtlWriter *wpr_etl_writer_new (int fd, const WprEtlHeaderInfo *info, GError **error);
/* ticks: 100 ns; below the CPU's last one it is clamped to that and counted. Extended items and
 * payload at most 60 KiB together, else WPR_ERROR_INTERNAL and nothing is written. */
gboolean wpr_etl_writer_add (WprEtlWriter *writer, guint cpu, gint64 ticks, const WprEtlHead *head,
                             gconstpointer payload, gsize size, GError **error);
/* A record of another file as it is, but for its time (at time_at; 0: it has none). Returns the
 * copy, which may be changed until the next call. NULL with WPR_ERROR_INTERNAL if it is larger than
 * WPR_ETL_MOST_RECORD. */
guint8 *wpr_etl_writer_add_record (WprEtlWriter *writer, guint cpu, gint64 ticks,
                                   const guint8 *record, gsize size, guint time_at, GError **error);
#define WPR_ETL_MOST_RECORD (65536 - 0x48)
/* Flushes all, patches the header. events_lost is clamped to u32. */
gboolean wpr_etl_writer_finish (WprEtlWriter *writer, gint64 end_filetime, guint64 events_lost,
                                guint32 buffers_lost, GError **error);
/* Writes what is open and gives its memory back: for a file that waits to be finished. Events can
 * still be added. */
gboolean wpr_etl_writer_park (WprEtlWriter *writer, GError **error);
guint64 wpr_etl_writer_events (const WprEtlWriter *writer);
guint64 wpr_etl_writer_bytes (const WprEtlWriter *writer); /* in the file so far */
/* What the buffers that are still open add at most. */
guint64 wpr_etl_writer_open_bytes (const WprEtlWriter *writer);
guint64 wpr_etl_writer_clamped (const WprEtlWriter *writer);
/* Of the CPU's newest event; start_ticks before its first. */
gint64 wpr_etl_writer_last_ticks (const WprEtlWriter *writer, guint cpu);
void wpr_etl_writer_free (WprEtlWriter *writer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprEtlWriter, wpr_etl_writer_free)

/* A self-describing event's schema, built once a kind: EVENT_SCHEMA_TL and PROV_TRAITS bytes, and
 * the provider's GUID by the naming convention. */
typedef struct _WprEtlSchema WprEtlSchema;
typedef enum
{
  WPR_TL_UTF16 = 1,
  WPR_TL_STRING8 = 2 /* NUL-terminated, written as UTF-8 */,
  WPR_TL_I8 = 3,
  WPR_TL_U8,
  WPR_TL_I16,
  WPR_TL_U16,
  WPR_TL_I32,
  WPR_TL_U32,
  WPR_TL_I64,
  WPR_TL_U64,
  WPR_TL_F32,
  WPR_TL_F64,
  WPR_TL_BOOL32,
  WPR_TL_BINARY = 14,
  WPR_TL_FILETIME = 17,
  WPR_TL_HEX32 = 20,
  WPR_TL_HEX64 = 21
} WprTlType;
WprEtlSchema *wpr_etl_schema_new (const char *provider, const char *event);
/* out: 0 or an OutType of docs/etl.md (35 UTF-8 is set by itself for STRING8). count: 0 scalar; > 0
 * fixed array; -1 array with a u16 count in the payload. */
void wpr_etl_schema_add_field (WprEtlSchema *schema, const char *name, WprTlType type, guint8 out,
                               int count);
void wpr_etl_schema_fill_head (const WprEtlSchema *schema,
                               WprEtlHead *head); /* kind EVENT, guid, traits, schema, level 4 */
gsize wpr_etl_schema_bytes (const WprEtlSchema *schema); /* both items */
void wpr_etl_schema_free (WprEtlSchema *schema);
/* GUID of a provider's name: the convention of self-describing providers. */
void wpr_etl_provider_guid (const char *name, WprEtlGuid *guid);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprEtlSchema, wpr_etl_schema_free)

G_END_DECLS
