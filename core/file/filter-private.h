/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A compiled filter: comparisons that each say where to go on. Private to filter*.c. */
#pragma once

#include "file/filter.h"
#include "file/when.h"

G_BEGIN_DECLS

typedef enum
{
  WPR_OP_EQUAL,
  WPR_OP_UNEQUAL,
  WPR_OP_LESS,
  WPR_OP_LESS_EQUAL,
  WPR_OP_GREATER,
  WPR_OP_GREATER_EQUAL,
  WPR_OP_CONTAINS,
} WprFilterOp;

/* What a value can be taken for. */
typedef struct
{
  char *text;
  gsize size;
  gboolean is_integer, negative, is_real, is_time, is_bytes;
  guint64 magnitude; /* of the integer */
  double real;       /* of the integer, too */
  WprWhen when;
  gint64 since_start_ns, realtime_ns; /* set by wpr_filter_set_start() */
  guint8 *bytes;                      /* hexadecimal text, or a GUID in the order of a file */
  gsize bytes_size;
} WprFilterValue;

#define WPR_FILTER_TRUE (-1)
#define WPR_FILTER_FALSE (-2)

typedef struct
{
  WprFilterName name;
  char *field; /* of WPR_FILTER_FIELD */
  WprFilterOp op;
  WprFilterValue value;
  gint on_true, on_false; /* index of the next comparison, WPR_FILTER_TRUE or _FALSE */
} WprComparison;

struct _WprFilter
{
  GArray *comparisons; /* of WprComparison */
  gint first;
};

/* ---- filter-value.c ---- */
/* Text as everything it can be; takes `text`. */
void wpr_filter_value_init (WprFilterValue *value, char *text);
void wpr_filter_value_clear (WprFilterValue *value);
/* "{...}" into the 16 bytes as they lie in a file. */
gboolean wpr_filter_guid_parse (const char *text, guint8 guid[16]);

G_END_DECLS
