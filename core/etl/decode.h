/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a record is: its kind (provider, name, layout) and its fields. Layouts come from the event
 * itself (self-describing), from the file (EventMetadata: manifests' TRACE_EVENT_INFO), or from
 * this room's table of the kernel's classes. What nobody describes has one field "Data", its bytes.
 *
 * Use: kind = wpr_etl_decoder_kind (d, event); n = wpr_etl_decoder_fields (d, event, kind,
 * &fields); Nothing is allocated for an event whose kind was met before. One decoder a thread. */
#pragma once

#include "etl/reader.h"

G_BEGIN_DECLS

/* How a value lies in the payload. 1 to 25 are the format's own numbers. */
typedef enum
{
  WPR_ETL_TYPE_NONE,
  WPR_ETL_TYPE_UTF16, /* NUL-terminated, as STRING8 */
  WPR_ETL_TYPE_STRING8,
  WPR_ETL_TYPE_I8,
  WPR_ETL_TYPE_U8,
  WPR_ETL_TYPE_I16,
  WPR_ETL_TYPE_U16,
  WPR_ETL_TYPE_I32,
  WPR_ETL_TYPE_U32,
  WPR_ETL_TYPE_I64,
  WPR_ETL_TYPE_U64,
  WPR_ETL_TYPE_F32,
  WPR_ETL_TYPE_F64,
  WPR_ETL_TYPE_BOOL32,
  WPR_ETL_TYPE_BINARY,
  WPR_ETL_TYPE_GUID,
  WPR_ETL_TYPE_POINTER, /* 4 or 8 bytes: as the event's pointers are */
  WPR_ETL_TYPE_FILETIME,
  WPR_ETL_TYPE_SYSTEMTIME,
  WPR_ETL_TYPE_SID,
  WPR_ETL_TYPE_HEX32,
  WPR_ETL_TYPE_HEX64,
  WPR_ETL_TYPE_COUNTED16, /* u16 bytes, then text; as COUNTED8 */
  WPR_ETL_TYPE_COUNTED8,
  WPR_ETL_TYPE_STRUCT,
  WPR_ETL_TYPE_COUNTED_BINARY,
  WPR_ETL_TYPE_CHAR16,
  WPR_ETL_TYPE_CHAR8,
  WPR_ETL_TYPE_BOOL8,
  WPR_ETL_TYPE_WBEMSID, /* u32 0, or a TOKEN_USER and its SID */
  WPR_ETL_TYPE_PORT,    /* u16 in network order */
  WPR_ETL_TYPE_TICKS,   /* i64 of the file's clock */
  WPR_ETL_N_TYPES
} WprEtlType;

/* How it is meant to be shown; wpr_etl_field_append_text() does. */
typedef enum
{
  WPR_ETL_SHOW_DEFAULT,
  WPR_ETL_SHOW_NOTHING, /* the writer asks that viewers hide it; it is shown all the same */
  WPR_ETL_SHOW_TEXT,
  WPR_ETL_SHOW_BOOL,
  WPR_ETL_SHOW_HEX,
  WPR_ETL_SHOW_PID,
  WPR_ETL_SHOW_TID,
  WPR_ETL_SHOW_PORT,
  WPR_ETL_SHOW_IPV4,
  WPR_ETL_SHOW_IPV6,
  WPR_ETL_SHOW_SOCKADDR,
  WPR_ETL_SHOW_WIN32,
  WPR_ETL_SHOW_NTSTATUS,
  WPR_ETL_SHOW_HRESULT,
  WPR_ETL_SHOW_TIME,
  WPR_ETL_SHOW_UNSIGNED, /* a POINTER that is a size */
  WPR_ETL_N_SHOWS
} WprEtlShow;

/* Names of a manifest's numbers, or of its bits. */
typedef struct _WprEtlMap WprEtlMap;

/* One field of one event. A struct is a field of its own (type STRUCT) whose members follow with
 * depth + 1; an array of structs repeats that, `index` counting. An array of values is one field.
 */
typedef struct
{
  const char *name; /* UTF-8; holds as long as the decoder */
  guint8 type;      /* WprEtlType */
  guint8 show;      /* WprEtlShow */
  guint8 depth;
  gboolean is_array;
  guint16 value_bytes; /* of one element; 0: they are of different sizes */
  guint16 count;       /* elements; 1 unless an array; of a STRUCT: its members */
  guint16 index;       /* of a STRUCT in an array of them */
  guint32 offset;      /* in the payload: where the value is, its length or NUL not included */
  guint32 size;        /* bytes of the value: all elements of an array, their NULs included */
  const guint8 *value; /* payload + offset */
  const WprEtlMap *map;
} WprEtlField;

/* One a provider, event, version and layout; lives as long as the decoder. */
typedef struct
{
  guint serial; /* 0, 1, 2 .. as they are met: an index for the caller's own tables */
  const char
      *provider;    /* "Thread", "Linux.sched", "{guid}"; never NULL, as all but opcode and task */
  const char *name; /* "CSwitch", "sched_waking", "event 12" */
  const char *opcode, *task; /* a manifest's names; NULL */
  gboolean is_known;         /* FALSE: only "Data" */
  WprEtlGuid guid;           /* of kernel events: their class's */
  guint16 n_fields;          /* of the layout, members included, arrays once */
} WprEtlKind;

typedef struct _WprEtlDecoder WprEtlDecoder;
/* The file must outlive it. At the first event of a manifest the file is read once for the layouts
 * it carries, which may lie behind the events. */
WprEtlDecoder *wpr_etl_decoder_new (const WprEtlFile *file);
const WprEtlKind *wpr_etl_decoder_kind (WprEtlDecoder *decoder, const WprEtlEvent *event);
/* The event's fields, valid until the next call. Bytes that the layout does not describe, or an
 * event that is too short for it, become a last field "Data" ("" is never a name). */
guint wpr_etl_decoder_fields (WprEtlDecoder *decoder, const WprEtlEvent *event,
                              const WprEtlKind *kind, const WprEtlField **fields);
void wpr_etl_decoder_free (WprEtlDecoder *decoder);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprEtlDecoder, wpr_etl_decoder_free)

/* FALSE where the field is no number (one element of an array: the first). */
gboolean wpr_etl_field_get_uint64 (const WprEtlField *field, guint64 *value);
gboolean wpr_etl_field_get_int64 (const WprEtlField *field, gint64 *value);
gboolean wpr_etl_field_get_double (const WprEtlField *field, double *value);
/* Valid UTF-8, numbers in the C locale; an array as "[1, 2, 3]". Control characters are kept: what
 * they must become is the caller's format's matter. */
void wpr_etl_field_append_text (const WprEtlField *field, GString *text);
void wpr_etl_guid_append_text (const WprEtlGuid *guid, GString *text); /* "{...}", lower case */

/* A stack: a StackWalk record is a record of its own that names its event by time and thread;
 * events of providers carry theirs with them. Frames: leaf first. */
typedef struct
{
  gint64 ticks;       /* of the event it belongs to */
  guint32 pid, tid;   /* its thread */
  guint8 frame_bytes; /* 4 or 8 */
  guint n_frames;
  const guint8 *frames;   /* little endian, unaligned; wpr_etl_stack_frame() reads one */
  guint64 match;          /* MatchId of an extended item (0: complete), key of a keyed stack */
  gboolean is_own_record; /* StackWalk, KeyRundown */
  gboolean is_keyed; /* `match` names the frames, which a KeyRundown record tells; or tells it */
} WprEtlStack;
gboolean wpr_etl_event_get_stack (const WprEtlEvent *event, WprEtlStack *stack);
guint64 wpr_etl_stack_frame (const WprEtlStack *stack, guint index);

G_END_DECLS
