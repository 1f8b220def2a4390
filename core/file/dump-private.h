/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writing events as text, CSV or JSON. Private to dump*.c. */
#pragma once

#include "file/file-private.h"
#include "file/put.h"

G_BEGIN_DECLS

/* The wall clock of the place where somebody reads it; the offset to UTC is looked up once an hour
 * of the trace, the date once a day. */
typedef struct
{
  gboolean is_utc;
  gint64 hour;
  gint32 offset_s;
  gint64 day;
  char date[16]; /* "2026-11-30" */
} WprDumpClock;

/* What is written the same each time, as it was written the first time. */
typedef struct
{
  gconstpointer key; /* whose text it is */
  guint32 id, size;
  char *text; /* NULL: not written yet */
} WprDumpMemo;

/* Of a kind of event. */
typedef struct
{
  WprDumpMemo title;
  WprDumpMemo *names; /* of fields, by their place; n_names of them */
  guint n_names;
} WprDumpKind;

#define WPR_DUMP_PROCESSES 1024u /* by pid */

typedef struct
{
  WprTraceFile *file;
  WprPut put;
  WprDumpClock clock, utc;
  WprTraceDumpFlags flags;
  GString *text; /* scratch */
  GString *naming;
  GArray *kinds;          /* of WprDumpKind, by serial */
  WprDumpMemo *processes; /* WPR_DUMP_PROCESSES */
  guint64 n_shown;
} WprDump;

/* ---- dump-memo.c ---- */
void wpr_dump_memos_init (WprDump *self);
void wpr_dump_memos_clear (WprDump *self);
WprDumpKind *wpr_dump_kind (WprDump *self); /* of the event; until the next kind is met */
/* Puts what was kept; else puts what `func` puts, and keeps it. */
typedef void (*WprDumpPutFunc) (WprDump *self, gconstpointer key);
void wpr_dump_remember (WprDump *self, WprDumpMemo *memo, gconstpointer key, guint32 id,
                        WprDumpPutFunc func);
static inline void
wpr_dump_put_memo (WprDump *self, WprDumpMemo *memo, gconstpointer key, guint32 id,
                   WprDumpPutFunc func)
{
  if (G_LIKELY (memo->text != NULL && memo->key == key && memo->id == id))
    wpr_put_bytes (&self->put, memo->text, memo->size);
  else
    wpr_dump_remember (self, memo, key, id, func);
}

/* ---- dump-value.c ---- */
void wpr_dump_clock_init (WprDumpClock *clock, gboolean is_utc);
void wpr_dump_put_time_of_day (WprPut *put, WprDumpClock *clock, gint64 realtime_ns, guint digits);
/* "2026-11-30T14:00:05.123456789+01:00", or Z. */
void wpr_dump_put_iso (WprPut *put, WprDumpClock *clock, gint64 realtime_ns);
/* Name=value, one space between. */
void wpr_dump_put_fields (WprDump *self);
void wpr_dump_put_json_fields (WprDump *self); /* {"Name":value,..} */
/* What is told of a frame; the text is self->text's, empty where nothing is known. */
const char *wpr_dump_describe_frame (WprDump *self, const guint64 *frames, guint index);

/* ---- a face each: what comes before, an event, what comes after ---- */
typedef struct
{
  void (*begin) (WprDump *self, const char *name);
  void (*event) (WprDump *self, const WprTraceEvent *event);
  void (*end) (WprDump *self);
} WprDumpFace;
extern const WprDumpFace wpr_dump_text, wpr_dump_csv, wpr_dump_json;

G_END_DECLS
