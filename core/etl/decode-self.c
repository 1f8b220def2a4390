/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Layouts of self-describing events: the EVENT_SCHEMA_TL item that every such event carries. A
 * stranger's bytes: every step is checked against their end. */
#include "config.h"
#include "etl/decode-private.h"

#include <string.h>
#include "etl/layout.h"

#define CHAIN 0x80
#define FIXED_ARRAY 0x20
#define COUNTED_ARRAY 0x40
#define CUSTOM (FIXED_ARRAY | COUNTED_ARRAY) /* a description of its own, then counted bytes */
#define TYPE_MASK 0x1f

/* The format's out types. */
static const guint8 shows[128] = {
  [1] = WPR_ETL_SHOW_NOTHING,   [2] = WPR_ETL_SHOW_TEXT,      [3] = WPR_ETL_SHOW_BOOL,
  [4] = WPR_ETL_SHOW_HEX,       [5] = WPR_ETL_SHOW_PID,       [6] = WPR_ETL_SHOW_TID,
  [7] = WPR_ETL_SHOW_PORT,      [8] = WPR_ETL_SHOW_IPV4,      [9] = WPR_ETL_SHOW_IPV6,
  [10] = WPR_ETL_SHOW_SOCKADDR, [11] = WPR_ETL_SHOW_TEXT,     [12] = WPR_ETL_SHOW_TEXT,
  [13] = WPR_ETL_SHOW_WIN32,    [14] = WPR_ETL_SHOW_NTSTATUS, [15] = WPR_ETL_SHOW_HRESULT,
  [16] = WPR_ETL_SHOW_TIME,     [35] = WPR_ETL_SHOW_TEXT,     [37] = WPR_ETL_SHOW_HEX,
  [38] = WPR_ETL_SHOW_TIME,
};

/* Out types that only say whether a number has a sign: its type says so here. */
#define OUT_SIGNED 17
#define OUT_UNSIGNED 18

typedef struct
{
  const guint8 *bytes;
  guint32 size, at;
  WprEtlLayout *layout;
} Schema;

/* A row of tag bytes: 7 bits each, the highest bit says that more follow. */
static gboolean
skip_tags (Schema *self)
{
  while (self->at < self->size)
    if ((self->bytes[self->at++] & CHAIN) == 0)
      return TRUE;
  return FALSE;
}

/* The NUL-terminated UTF-8 text that comes next, made valid; NULL if no NUL comes. */
static const char *
take_text (Schema *self)
{
  const guint8 *start = self->bytes + self->at;
  const guint8 *end = self->at < self->size ? memchr (start, 0, self->size - self->at) : NULL;
  g_autofree char *valid = NULL;

  if (end == NULL)
    return NULL;
  self->at += (guint32)(end - start) + 1;
  valid = g_utf8_make_valid ((const char *)start, end - start);
  return g_string_chunk_insert_const (self->layout->texts, valid);
}

static gboolean
take_u16 (Schema *self, guint16 *value)
{
  if (self->size - self->at < 2)
    return FALSE;
  *value = wpr_etl_get16 (self->bytes + self->at);
  self->at += 2;
  return TRUE;
}

/* What the type's array bits ask for. */
static gboolean
take_many (Schema *self, guint8 in, WprEtlRow *row)
{
  guint16 description;

  if ((in & CUSTOM) == CUSTOM)
    {
      if (!take_u16 (self, &description) || description > self->size - self->at)
        return FALSE;
      self->at += description;
      row->type = WPR_ETL_TYPE_COUNTED_BINARY;
    }
  else if ((in & FIXED_ARRAY) != 0)
    {
      row->many = WPR_ETL_MANY_FIXED;
      return take_u16 (self, &row->count);
    }
  else if ((in & COUNTED_ARRAY) != 0)
    row->many = WPR_ETL_MANY_COUNTED;
  return TRUE;
}

static gboolean
take_field (Schema *self, WprEtlRow *row)
{
  guint8 in, out = 0;

  memset (row, 0, sizeof *row);
  row->name = take_text (self);
  if (row->name == NULL || self->at >= self->size)
    return FALSE;
  in = self->bytes[self->at++];
  if ((in & CHAIN) != 0)
    {
      if (self->at >= self->size)
        return FALSE;
      out = self->bytes[self->at++];
      if ((out & CHAIN) != 0 && !skip_tags (self))
        return FALSE;
      out &= (guint8)~CHAIN;
    }
  row->type = in & TYPE_MASK;
  if (row->type > WPR_ETL_TYPE_COUNTED_BINARY)
    return FALSE;
  if (row->type == WPR_ETL_TYPE_STRUCT)
    row->members = out;
  else
    row->show = shows[out];
  if (row->type == WPR_ETL_TYPE_U16 && row->show == WPR_ETL_SHOW_PORT)
    row->type = WPR_ETL_TYPE_PORT; /* compared as it is shown */
  /* I8, U8, I16, U16 .. U64: the signed ones are odd. */
  if (row->type >= WPR_ETL_TYPE_I8 && row->type <= WPR_ETL_TYPE_U64
      && (out == OUT_SIGNED ? row->type % 2 == 0 : out == OUT_UNSIGNED && row->type % 2 == 1))
    row->type = (guint8)(out == OUT_SIGNED ? row->type - 1 : row->type + 1);
  return take_many (self, in, row);
}

/* `n` fields and what is in them; FALSE where the bytes do not hold. */
static gboolean
take_fields (Schema *self, guint n, guint depth)
{
  for (guint i = 0; i < n && self->at < self->size; i++)
    {
      guint index = self->layout->rows->len;
      WprEtlRow row;

      if (index >= WPR_ETL_MOST_ROWS || !take_field (self, &row))
        return FALSE;
      g_array_append_val (self->layout->rows, row);
      if (row.type == WPR_ETL_TYPE_STRUCT
          && (depth + 1 >= WPR_ETL_MOST_DEPTH || !take_fields (self, row.members, depth + 1)))
        {
          g_array_set_size (self->layout->rows, index);
          return FALSE;
        }
      g_array_index (self->layout->rows, WprEtlRow, index).next = (guint16)self->layout->rows->len;
      if (depth == 0)
        self->layout->n_top++;
    }
  return TRUE;
}

gboolean
wpr_etl_layout_from_schema (WprEtlLayout *layout, const guint8 *schema, guint32 size,
                            const char *provider)
{
  Schema self = { schema, size, 2, layout };
  g_autofree char *valid = g_utf8_make_valid (provider, -1);
  const char *name;

  layout->kind.provider = g_string_chunk_insert_const (layout->texts, valid);
  if (!skip_tags (&self) || (name = take_text (&self)) == NULL)
    return FALSE;
  layout->kind.is_known = TRUE;
  layout->kind.name = name;
  layout->rows = g_array_new (FALSE, FALSE, sizeof (WprEtlRow));
  take_fields (&self, G_MAXUINT, 0);
  return TRUE;
}
