/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Layouts, as all three of their makers (decode-self.c, manifest.c, decode-kernel.c) make
 * them and decode-fields.c follows them. Private to this room. */
#pragma once

#include "etl/decode.h"

G_BEGIN_DECLS

/* A stranger's schema: what is beyond these is left as Data. */
#define WPR_ETL_MOST_DEPTH 8      /* structs in structs; real ones have one or two */
#define WPR_ETL_MOST_ROWS 4096    /* of a layout; real ones have some dozens */
#define WPR_ETL_MOST_FIELDS 32768 /* of one event: 64 KiB of arrays of structs of four bytes */
#define WPR_ETL_MOST_KINDS 16384  /* of a decoder; a machine's manifests have some thousands */

typedef enum
{
  WPR_ETL_MANY_ONE,
  WPR_ETL_MANY_FIXED,   /* `count` */
  WPR_ETL_MANY_COUNTED, /* a u16 in the payload, before them */
  WPR_ETL_MANY_FIELD,   /* the value of the field that row `count` describes */
  WPR_ETL_MANY_REST     /* as many as there are to the payload's end */
} WprEtlMany;

/* One field of a layout. */
typedef struct
{
  const char *name;
  guint8 type, show;
  guint8 many;          /* WprEtlMany: elements */
  guint8 length;        /* WprEtlMany: ONE: the type says; else units of text, bytes */
  gboolean is_optional; /* its absence at the payload's end is no fault */
  guint16 count, length_count;
  guint16 members; /* of a STRUCT; they follow, with their own members in between */
  guint16 next;    /* the row behind it and all of its members */
  const WprEtlMap *map;
} WprEtlRow;

typedef struct
{
  WprEtlKind kind;
  GArray *rows;        /* of WprEtlRow; NULL: Data only */
  guint n_top;         /* rows of depth 0 */
  GStringChunk *texts; /* names made for this kind; NULL */
} WprEtlLayout;

/* ---- decode-self.c: EVENT_SCHEMA_TL ---- */
gboolean wpr_etl_layout_from_schema (WprEtlLayout *layout, const guint8 *schema, guint32 size,
                                     const char *provider);

/* ---- decode-kernel.c, classes-*.c: the kernel's classes ---- */

/* Groups of classes that have none: events name them by GUID. */
#define WPR_ETL_GROUP_IMAGE_ID 0x100
#define WPR_ETL_GROUP_SYS_CONFIG_EX 0x101
#define WPR_ETL_GROUP_METADATA 0x102
#define WPR_ETL_GROUP_WINSAT 0x103

typedef struct
{
  guint16 group;
  guint8 version;     /* the first that is so */
  const char *events; /* "10 Read 11 Write" */
  const char *fields; /* "Disk:u32 Path?:w Frames:p*" */
} WprEtlClassRow;
extern const WprEtlClassRow wpr_etl_classes_system[], wpr_etl_classes_devices[];
extern const guint wpr_etl_n_classes_system, wpr_etl_n_classes_devices;

/* FALSE for a group or class that is not known; else provider and guid are set, and name and rows
 * where the event is known, too. */
gboolean wpr_etl_layout_from_hook (WprEtlLayout *layout, guint16 hook, guint16 version);
gboolean wpr_etl_guid_is_metadata (const WprEtlGuid *guid);
gboolean wpr_etl_layout_from_class (WprEtlLayout *layout, const WprEtlGuid *guid, guint8 opcode,
                                    guint16 version);

/* ---- decode-fields.c ---- */

/* Appends the event's fields. */
void wpr_etl_layout_read (const WprEtlLayout *layout, const WprEtlEvent *event, GArray *fields);
/* Bytes of one value by type; 0: they differ. */
guint8 wpr_etl_type_bytes (guint8 type, guint8 pointer_size);

G_END_DECLS
