/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Evaluating a filter. Allocates nothing. */
#include "config.h"
#include "file/filter-private.h"

#include <string.h>

/* How a field's value stands to the one compared with. */
typedef enum
{
  LESS,
  SAME,
  MORE,
  NEITHER, /* not a number: only unequal */
  NOTHING, /* cannot be compared */
} Order;

static Order
order_signed (gint64 a, gint64 b)
{
  return a < b ? LESS : a > b ? MORE : SAME;
}

static Order
order_unsigned (guint64 a, guint64 b)
{
  return a < b ? LESS : a > b ? MORE : SAME;
}

static Order
order_real (double a, double b)
{
  return a < b ? LESS : a > b ? MORE : a == b ? SAME : NEITHER;
}

static Order
order_int (gint64 i, const WprFilterValue *value)
{
  if (!value->is_integer)
    return value->is_real ? order_real ((double)i, value->real) : NOTHING;
  if (value->negative)
    {
      /* -9223372036854775808 is the least; 0 - magnitude does not overflow as unsigned. */
      if (value->magnitude > (guint64)G_MAXINT64 + 1)
        return MORE;
      return order_signed (i, (gint64)(0 - value->magnitude));
    }
  return i < 0 ? LESS : order_unsigned ((guint64)i, value->magnitude);
}

static Order
order_uint (guint64 u, const WprFilterValue *value)
{
  if (!value->is_integer)
    return value->is_real ? order_real ((double)u, value->real) : NOTHING;
  return value->negative && value->magnitude > 0 ? MORE : order_unsigned (u, value->magnitude);
}

static Order
order_bool (guint64 u, const WprFilterValue *value)
{
  static const struct
  {
    const char *word;
    guint64 u;
  } words[] = { { "true", 1 }, { "false", 0 }, { "yes", 1 }, { "no", 0 } };

  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if (g_ascii_strcasecmp (value->text, words[i].word) == 0)
      return order_unsigned (u != 0, words[i].u);
  return order_uint (u != 0, value);
}

static Order
order_bytes (const guint8 *a, gsize a_size, const guint8 *b, gsize b_size)
{
  gsize n = MIN (a_size, b_size);
  int order = n > 0 ? memcmp (a, b, n) : 0;

  return order != 0 ? (order < 0 ? LESS : MORE) : order_unsigned (a_size, b_size);
}

static Order
order_of (const WprComparison *self, const WprTraceField *field)
{
  const WprFilterValue *value = &self->value;

  if (self->name == WPR_FILTER_TIME)
    return order_signed (field->i, value->since_start_ns);
  switch (field->type)
    {
    case WPR_TRACE_FIELD_INT:
      return order_int (field->i, value);
    case WPR_TRACE_FIELD_UINT:
    case WPR_TRACE_FIELD_ADDRESS:
      return order_uint (field->u, value);
    case WPR_TRACE_FIELD_BOOL:
      return order_bool (field->u, value);
    case WPR_TRACE_FIELD_DOUBLE:
      return value->is_real ? order_real (field->d, value->real) : NOTHING;
    case WPR_TRACE_FIELD_TIME:
      return value->is_time ? order_signed (field->i, value->realtime_ns) : NOTHING;
    case WPR_TRACE_FIELD_STRING:
      return order_bytes ((const guint8 *)field->text, field->size, (const guint8 *)value->text,
                          value->size);
    case WPR_TRACE_FIELD_BYTES:
      return value->is_bytes
                 ? order_bytes (field->bytes, field->size, value->bytes, value->bytes_size)
                 : NOTHING;
    default:
      return NOTHING;
    }
}

static gboolean
has_text (const char *text, gsize size, const char *part, gsize part_size)
{
  for (gsize i = 0; i + part_size <= size; i++)
    if (g_ascii_strncasecmp (text + i, part, part_size) == 0)
      return TRUE;
  return FALSE;
}

static gboolean
has_bytes (const guint8 *bytes, gsize size, const guint8 *part, gsize part_size)
{
  return memmem (bytes, size, part, part_size) != NULL;
}

static gboolean
contains (const WprComparison *self, const WprTraceField *field)
{
  const WprFilterValue *value = &self->value;

  switch (field->type)
    {
    case WPR_TRACE_FIELD_STRING:
      return has_text (field->text, field->size, value->text, value->size);
    case WPR_TRACE_FIELD_BYTES:
      return value->is_bytes
             && has_bytes (field->bytes, field->size, value->bytes, value->bytes_size);
    case WPR_TRACE_FIELD_UINT: /* has all these bits */
      return value->is_integer && !value->negative
             && (field->u & value->magnitude) == value->magnitude;
    default:
      return FALSE;
    }
}

static gboolean
holds (const WprComparison *self, WprFilterGet get, gpointer subject)
{
  /* A row an operator: for which orders it holds. */
  static const guint8 operators[] = {
    [WPR_OP_EQUAL] = 1 << SAME,   [WPR_OP_UNEQUAL] = 1 << LESS | 1 << MORE | 1 << NEITHER,
    [WPR_OP_LESS] = 1 << LESS,    [WPR_OP_LESS_EQUAL] = 1 << LESS | 1 << SAME,
    [WPR_OP_GREATER] = 1 << MORE, [WPR_OP_GREATER_EQUAL] = 1 << MORE | 1 << SAME,
  };
  WprTraceField field;

  if (!get (subject, self->name, self->field, &field))
    return FALSE;
  if (self->op == WPR_OP_CONTAINS)
    return contains (self, &field);
  return (operators[self->op] >> order_of (self, &field) & 1) != 0;
}

gboolean
wpr_filter_matches (const WprFilter *self, WprFilterGet get, gpointer subject)
{
  const WprComparison *comparisons = (const WprComparison *)(gpointer)self->comparisons->data;
  gint at = self->first;

  /* on_true and on_false lead to smaller numbers only. */
  while (at >= 0)
    at = holds (&comparisons[at], get, subject) ? comparisons[at].on_true
                                                : comparisons[at].on_false;
  return at == WPR_FILTER_TRUE;
}
