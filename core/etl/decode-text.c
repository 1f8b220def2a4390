/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A field's value as a number and as text. Does not live here: where values lie
 * (decode-fields.c). */
#include "config.h"
#include "etl/decode-private.h"

#include <string.h>
#include "etl/layout.h"
#include "etl/manifest.h"
#include "etl/text.h"

/* ---- numbers ---- */

static guint64
number_at (const guint8 *at, guint32 bytes)
{
  switch (bytes)
    {
    case 1:
      return *at;
    case 2:
      return wpr_etl_get16 (at);
    case 4:
      return wpr_etl_get32 (at);
    default:
      return wpr_etl_get64 (at);
    }
}

static gboolean
is_signed (guint8 type)
{
  return type == WPR_ETL_TYPE_I8 || type == WPR_ETL_TYPE_I16 || type == WPR_ETL_TYPE_I32
         || type == WPR_ETL_TYPE_I64 || type == WPR_ETL_TYPE_FILETIME || type == WPR_ETL_TYPE_TICKS;
}

/* An integer of 1, 2, 4 or 8 bytes, its sign carried on. */
static gboolean
integer_at (guint8 type, const guint8 *at, guint32 bytes, guint64 *value)
{
  if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8)
    return FALSE;
  if (type == WPR_ETL_TYPE_F32 || type == WPR_ETL_TYPE_F64 || wpr_etl_type_bytes (type, 8) == 0)
    return FALSE;
  if (type == WPR_ETL_TYPE_PORT)
    {
      *value = (guint64)at[0] << 8 | at[1];
      return TRUE;
    }
  *value = number_at (at, bytes);
  if (is_signed (type))
    *value = (guint64)((gint64)(*value << (64 - 8 * bytes)) >> (64 - 8 * bytes));
  return TRUE;
}

static double
float_at (guint8 type, const guint8 *at)
{
  guint32 narrow = wpr_etl_get32 (at);
  guint64 wide;
  float f;
  double d;

  if (type == WPR_ETL_TYPE_F32)
    {
      memcpy (&f, &narrow, sizeof f);
      return f;
    }
  wide = wpr_etl_get64 (at);
  memcpy (&d, &wide, sizeof d);
  return d;
}

gboolean
wpr_etl_field_get_uint64 (const WprEtlField *field, guint64 *value)
{
  return field->value_bytes > 0 && field->size >= field->value_bytes
         && integer_at (field->type, field->value, field->value_bytes, value);
}

gboolean
wpr_etl_field_get_int64 (const WprEtlField *field, gint64 *value)
{
  return wpr_etl_field_get_uint64 (field, (guint64 *)value);
}

gboolean
wpr_etl_field_get_double (const WprEtlField *field, double *value)
{
  guint64 integer;

  if ((field->type == WPR_ETL_TYPE_F32 || field->type == WPR_ETL_TYPE_F64)
      && field->size >= field->value_bytes)
    {
      *value = float_at (field->type, field->value);
      return TRUE;
    }
  if (!wpr_etl_field_get_uint64 (field, &integer))
    return FALSE;
  *value = is_signed (field->type) ? (double)(gint64)integer : (double)integer;
  return TRUE;
}

/* ---- one value ---- */

static void
append_integer (GString *text, guint8 type, guint8 show, const guint8 *at, guint32 bytes)
{
  guint64 value = 0;

  integer_at (type, at, bytes, &value);
  switch (show)
    {
    case WPR_ETL_SHOW_BOOL:
      g_string_append (text, value != 0 ? "true" : "false");
      break;
    case WPR_ETL_SHOW_HEX:
    case WPR_ETL_SHOW_NTSTATUS:
    case WPR_ETL_SHOW_HRESULT:
      wpr_etl_append_hex (text,
                          bytes < 8 ? value & ((G_GUINT64_CONSTANT (1) << 8 * bytes) - 1) : value);
      break;
    case WPR_ETL_SHOW_PORT:
      wpr_etl_append_unsigned (
          text, type == WPR_ETL_TYPE_PORT || bytes != 2 ? value : (guint64)at[0] << 8 | at[1]);
      break;
    default:
      /* An 8-bit character is a number, as it is for PerfView. */
      if (show == WPR_ETL_SHOW_TEXT && bytes == 2)
        wpr_etl_append_text16 (text, at, bytes);
      else if (show == WPR_ETL_SHOW_TIME && bytes == 8)
        wpr_etl_append_filetime (text, (gint64)value);
      else if (show == WPR_ETL_SHOW_IPV4 && bytes == 4)
        wpr_etl_append_ipv4 (text, at);
      else if (is_signed (type))
        wpr_etl_append_signed (text, (gint64)value);
      else
        wpr_etl_append_unsigned (text, value);
    }
}

/* Bits: "A|B|0x10", what has no name as a number. FALSE: a value that has none. */
static gboolean
append_mapped (GString *text, const WprEtlMap *map, guint64 value)
{
  gsize from = text->len;

  for (guint i = 0; i < map->n; i++)
    {
      guint64 entry = map->entries[i].value;

      if (map->is_bits ? entry == 0 || (value & entry) != entry : value != entry)
        continue;
      if (text->len > from)
        g_string_append_c (text, '|');
      g_string_append (text, map->entries[i].text);
      if (!map->is_bits)
        return TRUE;
      value &= ~entry;
    }
  if (map->is_bits && value != 0 && text->len > from)
    {
      g_string_append_c (text, '|');
      wpr_etl_append_hex (text, value);
    }
  return text->len > from;
}

static void
append_binary (GString *text, guint8 show, const guint8 *at, guint32 size)
{
  if (show == WPR_ETL_SHOW_IPV6 && size == 16)
    wpr_etl_append_ipv6 (text, at);
  else if (show == WPR_ETL_SHOW_SOCKADDR)
    wpr_etl_append_sockaddr (text, at, size);
  else
    wpr_etl_append_bytes (text, at, size);
}

static void
append_value (GString *text, const WprEtlField *field, const guint8 *at, guint32 size)
{
  guint64 value;

  if (field->map != NULL && integer_at (field->type, at, size, &value)
      && append_mapped (text, field->map, value))
    return;
  switch (field->type)
    {
    case WPR_ETL_TYPE_UTF16:
    case WPR_ETL_TYPE_COUNTED16:
    case WPR_ETL_TYPE_CHAR16:
      wpr_etl_append_text16 (text, at, size);
      break;
    case WPR_ETL_TYPE_STRING8:
    case WPR_ETL_TYPE_COUNTED8:
    case WPR_ETL_TYPE_CHAR8:
      wpr_etl_append_text8 (text, at, size);
      break;
    case WPR_ETL_TYPE_F32:
    case WPR_ETL_TYPE_F64:
      wpr_etl_append_double (text, float_at (field->type, at));
      break;
    case WPR_ETL_TYPE_BOOL32:
    case WPR_ETL_TYPE_BOOL8:
      g_string_append (text, number_at (at, size) != 0 ? "true" : "false");
      break;
    case WPR_ETL_TYPE_GUID:
      wpr_etl_append_guid (text, at);
      break;
    case WPR_ETL_TYPE_FILETIME:
      wpr_etl_append_filetime (text, (gint64)wpr_etl_get64 (at));
      break;
    case WPR_ETL_TYPE_SYSTEMTIME:
      wpr_etl_append_systemtime (text, at);
      break;
    case WPR_ETL_TYPE_SID:
    case WPR_ETL_TYPE_WBEMSID:
      wpr_etl_append_sid (text, at, size);
      break;
    case WPR_ETL_TYPE_BINARY:
    case WPR_ETL_TYPE_COUNTED_BINARY:
      append_binary (text, field->show, at, size);
      break;
    case WPR_ETL_TYPE_HEX32:
    case WPR_ETL_TYPE_HEX64:
    case WPR_ETL_TYPE_POINTER:
      if (field->show == WPR_ETL_SHOW_UNSIGNED)
        wpr_etl_append_unsigned (text, number_at (at, size));
      else
        wpr_etl_append_hex (text, number_at (at, size));
      break;
    default:
      append_integer (text, field->type, field->show, at, size);
    }
}

/* Elements of different sizes are texts one behind the other, or counted bytes. */
static guint32
element_bytes (const WprEtlField *field, const guint8 *at, guint32 left, guint32 *skip,
               guint32 *trim)
{
  guint32 n = 0;

  *skip = *trim = 0;
  switch (field->type)
    {
    case WPR_ETL_TYPE_UTF16:
      while (n + 2 <= left && (at[n] != 0 || at[n + 1] != 0))
        n += 2;
      *trim = 2;
      return MIN (n + 2, left);
    case WPR_ETL_TYPE_STRING8:
      while (n < left && at[n] != 0)
        n++;
      *trim = 1;
      return MIN (n + 1, left);
    case WPR_ETL_TYPE_SID:
      return left >= 8 ? MIN (8u + 4u * at[1], left) : left;
    case WPR_ETL_TYPE_BINARY:
    case WPR_ETL_TYPE_COUNTED8:
    case WPR_ETL_TYPE_COUNTED16:
    case WPR_ETL_TYPE_COUNTED_BINARY:
      *skip = 2;
      return left >= 2 ? MIN (2u + wpr_etl_get16 (at), left) : left;
    default:
      return left;
    }
}

void
wpr_etl_field_append_text (const WprEtlField *field, GString *text)
{
  guint32 at = 0;

  if (field->type == WPR_ETL_TYPE_STRUCT || field->type == WPR_ETL_TYPE_NONE)
    return;
  if (!field->is_array)
    {
      if (field->value_bytes <= field->size)
        append_value (text, field, field->value, field->size);
      return;
    }
  /* Characters one by one are a text. */
  if (field->type == WPR_ETL_TYPE_CHAR8 || field->type == WPR_ETL_TYPE_CHAR16)
    {
      append_value (text, field, field->value, field->size);
      return;
    }
  g_string_append_c (text, '[');
  for (guint i = 0; i < field->count && at < field->size; i++)
    {
      guint32 skip = 0, trim = 0, n = field->value_bytes;

      if (n == 0)
        n = element_bytes (field, field->value + at, field->size - at, &skip, &trim);
      if (n == 0 || n > field->size - at)
        break;
      if (i > 0)
        g_string_append (text, ", ");
      if (n >= skip + trim)
        append_value (text, field, field->value + at + skip, n - skip - trim);
      at += n;
    }
  g_string_append_c (text, ']');
}
