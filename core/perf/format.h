/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The layout of a tracepoint's bytes, from its format text, by libtraceevent; flat afterwards, so
 * that playing touches no library. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  WPR_FIELD_SIGNED = 1 << 0,
  WPR_FIELD_STRING = 1 << 1,   /* text: char[n] (NUL or n ends it) or dynamic */
  WPR_FIELD_DYNAMIC = 1 << 2,  /* __data_loc: u32 at offset: low 16 position, high 16 length */
  WPR_FIELD_RELATIVE = 1 << 3, /* __rel_loc: position counts from behind the u32 */
  WPR_FIELD_ARRAY = 1 << 4,    /* element_size says of what */
  WPR_FIELD_POINTER = 1 << 5,  /* an address: print hex */
  WPR_FIELD_COMMON = 1 << 6,   /* common_type, common_flags, common_preempt_count, common_pid */
} WprFieldFlags;

typedef struct
{
  char *name;
  char *type; /* C type as the format says */
  guint32 offset, size, element_size;
  guint32 flags; /* WprFieldFlags */
} WprField;

/* A flag or symbol name of print_flags/print_symbolic of one field. */
typedef struct
{
  guint64 value;
  char *name;
} WprFieldSymbol;

typedef struct
{
  guint32 id;
  char *system, *name;
  guint n_fields;
  WprField *fields;
} WprFormat;

WprFormat *wpr_format_new (const char *system, const char *text, gsize size, GError **error);
void wpr_format_free (WprFormat *format);
/* NULL if there is none of that name. */
const WprField *wpr_format_field (const WprFormat *format, const char *name);
/* A number field, sign-extended as its flags say; 0 where the raw bytes are too short. */
gint64 wpr_field_int (const WprField *field, const guint8 *raw, guint32 raw_size);
/* A text or array field's bytes (not NUL-terminated); NULL with size 0 where they lie outside the
 * raw bytes. */
const guint8 *wpr_field_bytes (const WprField *field, const guint8 *raw, guint32 raw_size,
                               guint32 *size);
/* print_flags/print_symbolic names of a field of the format text (sched_switch's prev_state). Array
 * of WprFieldSymbol; empty if none. */
GArray *wpr_format_symbols (const char *text, const char *field);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprFormat, wpr_format_free)

G_END_DECLS
