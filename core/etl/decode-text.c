/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A field's value as a number and as text. Does not live here: where values lie
 * (decode-fields.c). */
#include "config.h"
#include "etl/decode-private.h"

#include <math.h>
#include <string.h>
#include "etl/layout.h"

static const char hex_digits[] = "0123456789abcdef";

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
  if (type == WPR_ETL_TYPE_F32 || type == WPR_ETL_TYPE_F64)
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

/* ---- numbers as text ---- */

static void
append_unsigned (GString *text, guint64 value)
{
  char digits[20], *at = digits + sizeof digits;

  do
    *--at = (char)('0' + value % 10);
  while ((value /= 10) != 0);
  g_string_append_len (text, at, digits + sizeof digits - at);
}

static void
append_signed (GString *text, gint64 value)
{
  if (value < 0)
    g_string_append_c (text, '-');
  append_unsigned (text, value < 0 ? -(guint64)value : (guint64)value);
}

static void
append_hex (GString *text, guint64 value)
{
  char digits[18], *at = digits + sizeof digits;

  do
    *--at = hex_digits[value & 15];
  while ((value >>= 4) != 0);
  *--at = 'x';
  *--at = '0';
  g_string_append_len (text, at, digits + sizeof digits - at);
}

/* At least `width` digits. */
static void
append_padded (GString *text, guint value, guint width)
{
  for (guint least = 1, i = 1; i < width; i++)
    if (value < (least *= 10))
      g_string_append_c (text, '0');
  append_unsigned (text, value);
}

static void
append_bytes (GString *text, const guint8 *at, guint32 size)
{
  gsize from = text->len;

  if (size == 0)
    return;
  g_string_append (text, "0x");
  g_string_set_size (text, from + 2 + 2 * (gsize)size);
  for (guint32 i = 0; i < size; i++)
    {
      text->str[from + 2 + 2 * i] = hex_digits[at[i] >> 4];
      text->str[from + 3 + 2 * i] = hex_digits[at[i] & 15];
    }
}

static void
append_double (GString *text, double value)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  if (isnan (value))
    g_string_append (text, "nan");
  else if (isinf (value))
    g_string_append (text, value < 0 ? "-inf" : "inf");
  else
    g_string_append (text, g_ascii_formatd (buffer, sizeof buffer, "%.9g", value));
}

/* ---- text ---- */

/* 0x80 to 0x9f of Windows' western code page; the rest of it is Latin-1. */
static const guint16 western[32]
    = { 0x20ac, 0xfffd, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
        0x2039, 0x0152, 0xfffd, 0x017d, 0xfffd, 0xfffd, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
        0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0xfffd, 0x017e, 0x0178 };

/* 8-bit text is UTF-8 where it can be, else of the western code page: the file does not say. */
static void
append_text8 (GString *text, const guint8 *at, gsize size)
{
  const guint8 *nul = size > 0 ? memchr (at, 0, size) : NULL;

  if (nul != NULL)
    size = (gsize)(nul - at);
  if (g_utf8_validate_len ((const char *)at, size, NULL))
    {
      g_string_append_len (text, (const char *)at, (gssize)size);
      return;
    }
  for (gsize i = 0; i < size; i++)
    g_string_append_unichar (text, at[i] >= 0x80 && at[i] < 0xa0 ? western[at[i] - 0x80] : at[i]);
}

static void
append_text16 (GString *text, const guint8 *at, gsize size)
{
  for (gsize i = 0; i + 2 <= size; i += 2)
    {
      gunichar c = wpr_etl_get16 (at + i);

      if (c == 0)
        break;
      if (c < 0x80)
        {
          g_string_append_c (text, (char)c);
          continue;
        }
      if (c >= 0xd800 && c < 0xdc00 && i + 4 <= size
          && (wpr_etl_get16 (at + i + 2) & 0xfc00) == 0xdc00)
        {
          c = 0x10000 + ((c - 0xd800) << 10) + (wpr_etl_get16 (at + i + 2) - 0xdc00u);
          i += 2;
        }
      else if (c >= 0xd800 && c < 0xe000)
        c = 0xfffd;
      g_string_append_unichar (text, c);
    }
}

/* ---- values of several bytes ---- */

void
wpr_etl_guid_append_text (const WprEtlGuid *guid, GString *text)
{
  g_string_append_printf (text, "{%08x-%04x-%04x-%02x%02x-%02x%02x%02x%02x%02x%02x}", guid->data1,
                          guid->data2, guid->data3, guid->data4[0], guid->data4[1], guid->data4[2],
                          guid->data4[3], guid->data4[4], guid->data4[5], guid->data4[6],
                          guid->data4[7]);
}

static void
append_guid (GString *text, const guint8 *at)
{
  WprEtlGuid guid = { wpr_etl_get32 (at), wpr_etl_get16 (at + 4), wpr_etl_get16 (at + 6), { 0 } };

  memcpy (guid.data4, at + 8, 8);
  wpr_etl_guid_append_text (&guid, text);
}

/* 2021-09-09T14:59:35.7912345Z: 100 ns since 1601. */
static void
append_filetime (GString *text, gint64 filetime)
{
  gint64 seconds = filetime / 10000000 - G_GINT64_CONSTANT (11644473600);
  g_autoptr (GDateTime) time = filetime >= 0 ? g_date_time_new_from_unix_utc (seconds) : NULL;
  g_autofree char *date = time != NULL ? g_date_time_format (time, "%FT%T") : NULL;

  if (date == NULL)
    {
      append_signed (text, filetime);
      return;
    }
  g_string_append (text, date);
  g_string_append_c (text, '.');
  append_padded (text, (guint)(filetime % 10000000), 7);
  g_string_append_c (text, 'Z');
}

static void
append_systemtime (GString *text, const guint8 *at)
{
  append_padded (text, wpr_etl_get16 (at), 4);
  g_string_append_c (text, '-');
  append_padded (text, wpr_etl_get16 (at + 2), 2);
  g_string_append_c (text, '-');
  append_padded (text, wpr_etl_get16 (at + 6), 2);
  g_string_append_c (text, 'T');
  append_padded (text, wpr_etl_get16 (at + 8), 2);
  g_string_append_c (text, ':');
  append_padded (text, wpr_etl_get16 (at + 10), 2);
  g_string_append_c (text, ':');
  append_padded (text, wpr_etl_get16 (at + 12), 2);
  g_string_append_c (text, '.');
  append_padded (text, wpr_etl_get16 (at + 14), 3);
}

/* S-1-5-21-..: revision, number of parts, authority of 6 bytes big endian, parts. */
static void
append_sid (GString *text, const guint8 *at, guint32 size)
{
  guint64 authority = 0;

  if (size < 8)
    return;
  for (guint i = 2; i < 8; i++)
    authority = authority << 8 | at[i];
  g_string_append (text, "S-");
  append_unsigned (text, at[0]);
  g_string_append_c (text, '-');
  append_unsigned (text, authority);
  for (guint i = 0; i < at[1] && 12 + 4 * i <= size; i++)
    {
      g_string_append_c (text, '-');
      append_unsigned (text, wpr_etl_get32 (at + 8 + 4 * i));
    }
}

static void
append_ipv4 (GString *text, const guint8 *at)
{
  for (guint i = 0; i < 4; i++)
    {
      if (i > 0)
        g_string_append_c (text, '.');
      append_unsigned (text, at[i]);
    }
}

/* The longest run of zeros, of two at least, becomes "::". */
static void
append_ipv6 (GString *text, const guint8 *at)
{
  guint from = 8, longest = 1;

  for (guint i = 0, run = 0; i < 8; i++)
    {
      run = at[2 * i] == 0 && at[2 * i + 1] == 0 ? run + 1 : 0;
      if (run > longest)
        {
          longest = run;
          from = i + 1 - run;
        }
    }
  for (guint i = 0; i < 8; i++)
    {
      if (i == from)
        {
          g_string_append (text, "::");
          i += longest - 1;
          continue;
        }
      if (i > 0 && i != from + longest)
        g_string_append_c (text, ':');
      g_string_append_printf (text, "%x", (guint)at[2 * i] << 8 | at[2 * i + 1]);
    }
}

/* A sockaddr of Windows: family little endian, port big endian. */
static void
append_sockaddr (GString *text, const guint8 *at, guint32 size)
{
  enum
  {
    FAMILY_V4 = 2,
    FAMILY_V6 = 23
  };
  guint16 family = size >= 2 ? wpr_etl_get16 (at) : 0;

  if (family == FAMILY_V4 && size >= 8)
    append_ipv4 (text, at + 4);
  else if (family == FAMILY_V6 && size >= 24)
    {
      g_string_append_c (text, '[');
      append_ipv6 (text, at + 8);
      g_string_append_c (text, ']');
    }
  else
    {
      append_bytes (text, at, size);
      return;
    }
  g_string_append_c (text, ':');
  append_unsigned (text, (guint)at[2] << 8 | at[3]);
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
      append_hex (text, bytes < 8 ? value & ((G_GUINT64_CONSTANT (1) << 8 * bytes) - 1) : value);
      break;
    case WPR_ETL_SHOW_PORT:
      append_unsigned (text, type == WPR_ETL_TYPE_PORT || bytes != 2 ? value
                                                                     : (guint64)at[0] << 8 | at[1]);
      break;
    case WPR_ETL_SHOW_TEXT:
      if (bytes <= 2 && type != WPR_ETL_TYPE_CHAR16)
        append_text8 (text, at, 1);
      else
        append_text16 (text, at, bytes);
      break;
    case WPR_ETL_SHOW_TIME:
      if (bytes == 8)
        {
          append_filetime (text, (gint64)value);
          break;
        }
      G_GNUC_FALLTHROUGH;
    default:
      if (is_signed (type) && show != WPR_ETL_SHOW_UNSIGNED)
        append_signed (text, (gint64)value);
      else
        append_unsigned (text, value);
    }
}

static void
append_value (GString *text, const WprEtlField *field, const guint8 *at, guint32 size)
{
  switch (field->type)
    {
    case WPR_ETL_TYPE_UTF16:
    case WPR_ETL_TYPE_COUNTED16:
    case WPR_ETL_TYPE_REST16:
    case WPR_ETL_TYPE_CHAR16:
      append_text16 (text, at, size);
      break;
    case WPR_ETL_TYPE_STRING8:
    case WPR_ETL_TYPE_COUNTED8:
    case WPR_ETL_TYPE_REST8:
    case WPR_ETL_TYPE_CHAR8:
      append_text8 (text, at, size);
      break;
    case WPR_ETL_TYPE_F32:
    case WPR_ETL_TYPE_F64:
      append_double (text, float_at (field->type, at));
      break;
    case WPR_ETL_TYPE_BOOL32:
    case WPR_ETL_TYPE_BOOL8:
      g_string_append (text, number_at (at, size) != 0 ? "true" : "false");
      break;
    case WPR_ETL_TYPE_GUID:
      append_guid (text, at);
      break;
    case WPR_ETL_TYPE_FILETIME:
      append_filetime (text, (gint64)wpr_etl_get64 (at));
      break;
    case WPR_ETL_TYPE_SYSTEMTIME:
      append_systemtime (text, at);
      break;
    case WPR_ETL_TYPE_SID:
    case WPR_ETL_TYPE_WBEMSID:
      append_sid (text, at, size);
      break;
    case WPR_ETL_TYPE_BINARY:
    case WPR_ETL_TYPE_COUNTED_BINARY:
      if (field->show == WPR_ETL_SHOW_IPV6 && size == 16)
        append_ipv6 (text, at);
      else if (field->show == WPR_ETL_SHOW_SOCKADDR)
        append_sockaddr (text, at, size);
      else
        append_bytes (text, at, size);
      break;
    case WPR_ETL_TYPE_HEX32:
    case WPR_ETL_TYPE_HEX64:
    case WPR_ETL_TYPE_POINTER:
      if (field->show == WPR_ETL_SHOW_UNSIGNED)
        {
          append_unsigned (text, number_at (at, size));
          break;
        }
      append_hex (text, number_at (at, size));
      break;
    case WPR_ETL_TYPE_U32:
      if (field->show == WPR_ETL_SHOW_IPV4)
        {
          append_ipv4 (text, at);
          break;
        }
      G_GNUC_FALLTHROUGH;
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
