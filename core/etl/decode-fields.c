/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An event's payload taken apart as its layout says. A stranger's bytes: every step is checked
 * against the payload's end, and what an event can become is bounded (WPR_ETL_MOST_FIELDS). */
#include "config.h"
#include "etl/decode-private.h"

#include <string.h>
#include "etl/layout.h"

#define TOKEN_USER_BYTES(pointer) (2u * (pointer)) /* a pointer, attributes, padding */

/* One value each; 0: it says so itself. */
static const guint8 type_bytes[WPR_ETL_N_TYPES] = {
  [WPR_ETL_TYPE_I8] = 1,       [WPR_ETL_TYPE_U8] = 1,          [WPR_ETL_TYPE_I16] = 2,
  [WPR_ETL_TYPE_U16] = 2,      [WPR_ETL_TYPE_I32] = 4,         [WPR_ETL_TYPE_U32] = 4,
  [WPR_ETL_TYPE_I64] = 8,      [WPR_ETL_TYPE_U64] = 8,         [WPR_ETL_TYPE_F32] = 4,
  [WPR_ETL_TYPE_F64] = 8,      [WPR_ETL_TYPE_BOOL32] = 4,      [WPR_ETL_TYPE_GUID] = 16,
  [WPR_ETL_TYPE_FILETIME] = 8, [WPR_ETL_TYPE_SYSTEMTIME] = 16, [WPR_ETL_TYPE_HEX32] = 4,
  [WPR_ETL_TYPE_HEX64] = 8,    [WPR_ETL_TYPE_CHAR16] = 2,      [WPR_ETL_TYPE_CHAR8] = 1,
  [WPR_ETL_TYPE_BOOL8] = 1,    [WPR_ETL_TYPE_PORT] = 2,        [WPR_ETL_TYPE_TICKS] = 8,
};

typedef struct
{
  const WprEtlLayout *layout;
  const WprEtlEvent *event;
  GArray *fields;
  guint first; /* of this event in fields */
  guint32 at;
} Walk;

guint8
wpr_etl_type_bytes (guint8 type, guint8 pointer_size)
{
  return type == WPR_ETL_TYPE_POINTER ? pointer_size
         : type < WPR_ETL_N_TYPES     ? type_bytes[type]
                                      : 0;
}

/* ---- values of no fixed size ---- */

static gint64
sid_bytes (const guint8 *at, guint32 left)
{
  return left >= 8 && 8u + 4u * at[1] <= left ? (gint64)(8u + 4u * at[1]) : -1;
}

/* The last text of an event may lack its NUL, and ends with it; as 8-bit ones. */
static gint64
utf16_bytes (const guint8 *at, guint32 left, guint32 *trim)
{
  guint32 n = 0;

  for (; n + 2 <= left; n += 2)
    if (at[n] == 0 && at[n + 1] == 0)
      {
        *trim = 2;
        return (gint64)n + 2;
      }
  return n > 0 ? (gint64)n : -1;
}

/* Bytes that one value at `at` takes, its NUL or length included; -1 if it does not hold. skip,
 * trim: what of it, before and behind, is not the value itself. */
static gint64
value_bytes (guint8 type, guint8 pointer_size, const guint8 *at, guint32 left, guint32 *skip,
             guint32 *trim)
{
  guint32 fixed = wpr_etl_type_bytes (type, pointer_size);
  const guint8 *nul;
  gint64 n;

  *skip = *trim = 0;
  if (fixed != 0)
    return fixed <= left ? (gint64)fixed : -1;
  switch (type)
    {
    case WPR_ETL_TYPE_NONE:
      return 0;
    case WPR_ETL_TYPE_STRING8:
      nul = left > 0 ? memchr (at, 0, left) : NULL;
      *trim = nul != NULL;
      return nul != NULL ? nul - at + 1 : left > 0 ? (gint64)left : -1;
    case WPR_ETL_TYPE_UTF16:
      return utf16_bytes (at, left, trim);
    case WPR_ETL_TYPE_BINARY:
    case WPR_ETL_TYPE_COUNTED16:
    case WPR_ETL_TYPE_COUNTED8:
    case WPR_ETL_TYPE_COUNTED_BINARY:
      *skip = 2;
      n = left >= 2 ? 2 + (gint64)wpr_etl_get16 (at) : G_MAXINT64;
      return n <= left ? n : -1;
    case WPR_ETL_TYPE_SID:
      return sid_bytes (at, left);
    case WPR_ETL_TYPE_WBEMSID:
      if (left < 4 || wpr_etl_get32 (at) == 0)
        return left >= 4 ? 4 : -1;
      *skip = TOKEN_USER_BYTES (pointer_size);
      n = left > *skip ? sid_bytes (at + *skip, left - *skip) : -1;
      return n >= 0 ? n + *skip : -1;
    default:
      return -1;
    }
}

/* ---- fields ---- */

/* The number that an earlier field holds; the newest of that row. */
static guint32
field_number (const Walk *self, guint row)
{
  const char *name = g_array_index (self->layout->rows, WprEtlRow, row).name;

  for (guint i = self->fields->len; i-- > self->first;)
    {
      const WprEtlField *field = &g_array_index (self->fields, WprEtlField, i);
      guint64 value;

      if (field->name == name && wpr_etl_field_get_uint64 (field, &value))
        return (guint32)MIN (value, (guint64)G_MAXUINT16);
    }
  return 0;
}

/* How many elements there are; FALSE where the bytes do not hold. G_MAXUINT: to the end. */
static gboolean
take_count (Walk *self, const WprEtlRow *row, guint *count)
{
  const WprEtlEvent *event = self->event;

  switch (row->many)
    {
    case WPR_ETL_MANY_FIXED:
      *count = row->count;
      return TRUE;
    case WPR_ETL_MANY_COUNTED:
      if (event->payload_size - self->at < 2)
        return FALSE;
      *count = wpr_etl_get16 (event->payload + self->at);
      self->at += 2;
      return TRUE;
    case WPR_ETL_MANY_FIELD:
      *count = field_number (self, row->count);
      return TRUE;
    case WPR_ETL_MANY_REST:
      *count = G_MAXUINT;
      return TRUE;
    default:
      *count = 1;
      return TRUE;
    }
}

/* A value whose length is a number of its own: text of so many units, or bytes. */
static gint64
measured_bytes (const Walk *self, const WprEtlRow *row, guint32 left)
{
  guint unit = row->type == WPR_ETL_TYPE_UTF16 || row->type == WPR_ETL_TYPE_CHAR16 ? 2 : 1;
  guint64 n;

  if (row->length == WPR_ETL_MANY_REST)
    return left;
  n = row->length == WPR_ETL_MANY_FIXED ? row->length_count
                                        : field_number (self, row->length_count);
  n *= unit;
  return n <= left ? (gint64)n : -1;
}

static WprEtlField *
add_field (Walk *self, const WprEtlRow *row, guint depth)
{
  guint n = self->fields->len;
  WprEtlField *field;

  g_array_set_size (self->fields, n + 1);
  field = &g_array_index (self->fields, WprEtlField, n);
  field->name = row->name;
  field->type = row->type;
  field->show = row->show;
  field->depth = (guint8)depth;
  field->value_bytes = wpr_etl_type_bytes (row->type, self->event->pointer_size);
  field->is_array = row->many != WPR_ETL_MANY_ONE;
  field->count = 1;
  field->index = 0;
  field->offset = self->at;
  field->size = 0;
  field->value = self->event->payload + self->at;
  field->map = row->map;
  return field;
}

static gboolean
is_full (const Walk *self)
{
  return self->fields->len - self->first >= WPR_ETL_MOST_FIELDS;
}

static gboolean
read_values (Walk *self, const WprEtlRow *row, guint depth)
{
  const WprEtlEvent *event = self->event;
  guint32 start, skip = 0, trim = 0;
  guint count, n = 0, from = self->at;
  WprEtlField *field;

  if (is_full (self) || !take_count (self, row, &count))
    return FALSE;
  start = self->at;
  for (; n < count; n++)
    {
      guint32 left = event->payload_size - self->at;
      gint64 bytes = row->length != WPR_ETL_MANY_ONE
                         ? measured_bytes (self, row, left)
                         : value_bytes (row->type, event->pointer_size, event->payload + self->at,
                                        left, &skip, &trim);

      if (count == G_MAXUINT && (bytes <= 0 || n == G_MAXUINT16))
        break;
      if (bytes < 0)
        {
          self->at = from;
          return FALSE;
        }
      self->at += (guint32)bytes;
      if (bytes == 0) /* so are all others */
        {
          n = count;
          break;
        }
    }
  field = add_field (self, row, depth);
  field->count = (guint16)MIN (n, (guint)G_MAXUINT16);
  field->offset = start;
  field->size = self->at - start;
  if (row->length != WPR_ETL_MANY_ONE && field->is_array && n > 0 && field->size / n <= G_MAXUINT16)
    field->value_bytes = (guint16)(field->size / n);
  if (row->many == WPR_ETL_MANY_ONE)
    {
      field->offset += skip;
      field->size -= skip + trim;
    }
  field->value = event->payload + field->offset;
  return TRUE;
}

/* Rows from `row` to `end`, those in structs with them. */
static gboolean
read_rows (Walk *self, guint row, guint end, guint depth)
{
  const WprEtlRow *rows = (const WprEtlRow *)(gconstpointer)self->layout->rows->data;

  for (; row < end; row = rows[row].next)
    {
      const WprEtlRow *this = &rows[row];
      guint count;

      if (this->is_optional && self->at >= self->event->payload_size)
        return TRUE;
      if (this->type != WPR_ETL_TYPE_STRUCT)
        {
          if (!read_values (self, this, depth))
            return FALSE;
          continue;
        }
      if (!take_count (self, this, &count))
        return FALSE;
      for (guint i = 0; i < count; i++)
        {
          guint32 from = self->at;
          WprEtlField *field;

          if (is_full (self) || (count == G_MAXUINT && self->at >= self->event->payload_size))
            return count == G_MAXUINT && !is_full (self);
          field = add_field (self, this, depth);
          field->count = this->members;
          field->index = (guint16)i;
          if (!read_rows (self, row + 1, this->next, depth + 1))
            return FALSE;
          if (self->at == from) /* so are all others */
            break;
        }
    }
  return TRUE;
}

static void
add_data (Walk *self)
{
  static const WprEtlRow data
      = { .name = "Data", .type = WPR_ETL_TYPE_BINARY, .show = WPR_ETL_SHOW_HEX };
  WprEtlField *field = add_field (self, &data, 0);

  field->size = self->event->payload_size - self->at;
}

void
wpr_etl_layout_read (const WprEtlLayout *layout, const WprEtlEvent *event, GArray *fields)
{
  Walk self = { layout, event, fields, fields->len, 0 };
  gboolean whole = TRUE;

  if (layout->rows != NULL)
    whole = read_rows (&self, 0, layout->rows->len, 0);
  if (self.at < event->payload_size || (!whole && event->payload_size > 0))
    add_data (&self);
}
