/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fields of a self-describing event, one at a time. A stranger's bytes: every step is checked
 * against the end of schema and payload. */
#include "config.h"
#include "etl/reader.h"

#include <string.h>
#include "etl/layout.h"

#define CHAIN 0x80
#define FIXED_ARRAY 0x20
#define COUNTED_ARRAY 0x40
#define TYPE_MASK 0x1f

/* Bytes of one value by InType; 0: it says so itself. */
static const guint8 type_bytes[32] = {
  [3] = 1,  [4] = 1,  [5] = 2,  [6] = 2,   [7] = 4,  [8] = 4,   [9] = 8,  [10] = 8,
  [11] = 4, [12] = 8, [13] = 4, [15] = 16, [17] = 8, [18] = 16, [20] = 4, [21] = 8,
};
#define TYPE_UTF16 1
#define TYPE_STRING8 2
#define TYPE_BINARY 14
#define TYPE_SID 19
#define TYPE_COUNTED16 22
#define TYPE_COUNTED8 23
#define TYPE_STRUCT 24
#define TYPE_COUNTED_BINARY 25

/* Skips a row of tag bytes: 7 bits each, the highest bit says that more follow. */
static gboolean
skip_tags (const guint8 *bytes, guint32 size, guint32 *at)
{
  while (*at < size)
    if ((bytes[(*at)++] & CHAIN) == 0)
      return TRUE;
  return FALSE;
}

/* The NUL-terminated text at *at, which is moved behind it; NULL if no NUL comes. */
static const char *
take_text (const guint8 *bytes, guint32 size, guint32 *at)
{
  const guint8 *start = bytes + *at;
  const guint8 *end = *at < size ? memchr (start, 0, size - *at) : NULL;

  if (end == NULL)
    return NULL;
  *at += (guint32)(end - start) + 1;
  return (const char *)start;
}

void
wpr_etl_field_iter_init (WprEtlFieldIter *iter, const WprEtlEvent *event)
{
  memset (iter, 0, sizeof *iter);
  iter->event = event;
  iter->schema_at = event->schema_size; /* nothing, unless the beginning holds */
  if (event->schema != NULL && event->schema_size > 3)
    {
      guint32 at = 2;

      if (skip_tags (event->schema, event->schema_size, &at)
          && take_text (event->schema, event->schema_size, &at) != NULL)
        iter->schema_at = at;
    }
}

/* The next field's name and types; moves schema_at. */
static gboolean
next_schema (WprEtlFieldIter *iter)
{
  const guint8 *schema = iter->event->schema;
  guint32 size = iter->event->schema_size, at = iter->schema_at;

  if (at >= size || (iter->name = take_text (schema, size, &at)) == NULL || at >= size)
    return FALSE;
  iter->in_type = schema[at++];
  iter->out_type = 0;
  iter->count = 1;
  if ((iter->in_type & CHAIN) != 0)
    {
      if (at >= size)
        return FALSE;
      iter->out_type = schema[at++];
      if ((iter->out_type & CHAIN) != 0 && !skip_tags (schema, size, &at))
        return FALSE;
      iter->out_type &= (guint8)~CHAIN;
      iter->in_type &= (guint8)~CHAIN;
    }
  if ((iter->in_type & FIXED_ARRAY) != 0)
    {
      if (size - at < 2)
        return FALSE;
      iter->count = wpr_etl_get16 (schema + at);
      at += 2;
    }
  iter->schema_at = at;
  return TRUE;
}

/* Bytes that one value at `at` takes, its NUL or length included; 0 if it does not hold. skip and
 * trim: what of it is not the value itself. */
static guint32
value_bytes (guint8 type, const guint8 *at, guint32 left, guint32 *skip, guint32 *trim)
{
  guint32 fixed = type_bytes[type], n;
  const guint8 *nul;

  *skip = *trim = 0;
  if (fixed != 0)
    return fixed <= left ? fixed : 0;
  switch (type)
    {
    case TYPE_STRING8:
      *trim = 1;
      nul = left > 0 ? memchr (at, 0, left) : NULL;
      return nul != NULL ? (guint32)(nul - at) + 1 : 0;
    case TYPE_UTF16:
      *trim = 2;
      for (n = 0; left >= 2 && n <= left - 2; n += 2)
        if (at[n] == 0 && at[n + 1] == 0)
          return n + 2;
      return 0;
    case TYPE_BINARY:
    case TYPE_COUNTED16:
    case TYPE_COUNTED8:
    case TYPE_COUNTED_BINARY:
      *skip = 2;
      n = left >= 2 ? 2u + wpr_etl_get16 (at) : G_MAXUINT32;
      return n <= left ? n : 0;
    case TYPE_SID:
      n = left >= 8 ? 8u + 4u * at[1] : G_MAXUINT32;
      return n <= left ? n : 0;
    default:
      return 0;
    }
}

gboolean
wpr_etl_field_iter_next (WprEtlFieldIter *iter)
{
  const guint8 *payload = iter->event->payload;
  guint32 size = iter->event->payload_size, at = iter->payload_at, skip = 0, trim = 0, start;
  guint8 type;

  if (!next_schema (iter))
    return FALSE;
  type = iter->in_type & TYPE_MASK;
  iter->value = NULL;
  iter->value_size = 0;
  if (type == TYPE_STRUCT) /* its members follow as fields of their own */
    return TRUE;
  if ((iter->in_type & COUNTED_ARRAY) != 0)
    {
      if (at > size || size - at < 2)
        return FALSE;
      iter->count = wpr_etl_get16 (payload + at);
      at += 2;
    }
  start = at;
  for (guint i = 0; i < iter->count; i++)
    {
      guint32 n = at <= size ? value_bytes (type, payload + at, size - at, &skip, &trim) : 0;

      if (n == 0)
        return FALSE;
      at += n;
    }
  iter->value = payload + start;
  iter->value_size = at - start;
  if (iter->count == 1 && (iter->in_type & (FIXED_ARRAY | COUNTED_ARRAY)) == 0)
    {
      iter->value += skip;
      iter->value_size -= skip + trim;
    }
  iter->payload_at = at;
  return TRUE;
}
