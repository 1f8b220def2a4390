/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An opened .etl: the reader's cursor and decoder, and the tables the file itself fills. Private to
 * this room. */
#pragma once

#include "etl/cursor.h"
#include "etl/decode.h"
#include "file/filter.h"
#include "file/functions.h"
#include "file/modules.h"
#include "file/owner.h"
#include "file/stacks.h"
#include "file/who.h"
#include "wpr-trace-file.h"

G_BEGIN_DECLS

struct _WprTraceFile
{
  WprEtlFile *etl;
  WprEtlCursor *cursor;
  WprEtlDecoder *decoder;
  WprTraceHeader header;
  WprTraceFlags flags;
  /* What the first reading fills. */
  WprWho *who;
  WprModules *modules;
  WprFunctions *functions;
  WprStackKeys *keys;
  char *host, *boot_id; /* NULL: not told */
  GPtrArray *faults;    /* of char * */
  guint64 n_faults;
  guint64 n_events;
  /* Where reading is. */
  WprRunning *running_first; /* a CPU: whom it ran before its first switch */
  WprRunning *running;       /* a CPU: whom it runs now */
  WprStackQueue *queue;      /* of WPR_TRACE_STACKS */
  gboolean at_end;           /* of the cursor */
  gboolean is_over;          /* what follows is behind the range */
  gint64 from_ns, to_ns;
  WprFilter *filter;
  /* The event that was given out. */
  const WprEtlEvent *raw;
  const WprEtlKind *kind;
  WprTraceEvent event;
  gboolean has_raw_fields, has_fields;
  const WprEtlField *raw_fields;
  guint n_raw_fields;
  GArray *fields;               /* of WprTraceField */
  GArray *stack;                /* of guint64 */
  const GArray *waiting_frames; /* of the event's stack records; NULL */
  gboolean has_stack;
  GString *texts;   /* of the fields; offsets while it grows */
  GString *prefix;  /* of members of structs */
  GString *address; /* of wpr_trace_file_describe_address() */
};

/* ---- file.c ---- */
/* Takes etl, also on failure. */
WprTraceFile *wpr_trace_file_new (WprEtlFile *etl, WprTraceFlags flags, GCancellable *cancellable,
                                  GError **error);

/* ---- tables.c ---- */
/* Reads the file once, in its own order: faults, processes, threads, images, stacks' keys. FALSE if
 * cancelled. */
gboolean wpr_trace_file_fill_tables (WprTraceFile *self, GCancellable *cancellable, GError **error);
/* ---- fields.c ---- */
guint wpr_trace_file_raw_fields (WprTraceFile *self, const WprEtlField **fields);
/* One field as the public type; a text goes to the end of `texts` and is told as its offset there
 * (u), since they may move. */
void wpr_field_convert (WprTraceFile *self, const WprEtlField *raw, WprTraceField *field);
/* Whole names: of a member "Struct.Member", "Structs[2].Member". */
#define WPR_NAMING_DEPTH 8
typedef struct
{
  gsize ends[WPR_NAMING_DEPTH + 1]; /* of the prefix at each depth */
  GString *text;
} WprFieldNaming;
void wpr_field_naming_init (WprFieldNaming *self, GString *text);
/* The event's fields one after the other; NULL for a struct itself. Valid until the next. */
const char *wpr_field_naming_next (WprFieldNaming *self, const WprEtlField *raw);
/* By whole name; FALSE if the event has none of it. */
gboolean wpr_trace_file_copy_field (WprTraceFile *self, const char *name, WprTraceField *field);
/* A number as it is meant; FALSE where the field is none. */
gboolean wpr_field_get_number (const WprEtlField *raw, guint64 *value);
/* Of FILETIME, SYSTEMTIME and TICKS: ns since 1970. */
gboolean wpr_field_get_time (const WprTraceFile *self, const WprEtlField *raw, gint64 *ns);
/* 100 ns since 1601 as ns since 1970, clamped. */
gint64 wpr_filetime_to_realtime (gint64 filetime);

/* ---- address.c ---- */
/* "module!function+0x12" of an address in a process at a time; FALSE, and nothing appended, where
 * nobody knows. is_return: a frame behind the first of its part; it belongs to address - 1. */
gboolean wpr_trace_file_append_address (const WprTraceFile *self, guint32 pid, gint64 ticks,
                                        guint64 address, gboolean is_return, GString *text);

G_END_DECLS
