/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers, texts, times, addresses and ids of an .etl as UTF-8, appended. Written for dumps of many
 * millions of values: nothing here is allocated but the text's own growth. Does not live here:
 * which of them a field is (decode-text.c). */
#include "config.h"
#include "etl/text.h"

#include <math.h>
#include <string.h>
#include "etl/layout.h"

static const char hex_digits[] = "0123456789abcdef";

/* g_string_append_len() without its questions, where there is room. */
static inline void
put (GString *text, const char *at, gsize size)
{
  if (text->len + size >= text->allocated_len)
    {
      g_string_append_len (text, at, (gssize)size);
      return;
    }
  memcpy (text->str + text->len, at, size);
  text->len += size;
  text->str[text->len] = '\0';
}

/* ---- numbers as text ---- */

void
wpr_etl_append_unsigned (GString *text, guint64 value)
{
  char digits[20], *at = digits + sizeof digits;

  do
    *--at = (char)('0' + value % 10);
  while ((value /= 10) != 0);
  put (text, at, (gsize)(digits + sizeof digits - at));
}

void
wpr_etl_append_signed (GString *text, gint64 value)
{
  if (value < 0)
    g_string_append_c (text, '-');
  wpr_etl_append_unsigned (text, value < 0 ? -(guint64)value : (guint64)value);
}

void
wpr_etl_append_hex (GString *text, guint64 value)
{
  char digits[18], *at = digits + sizeof digits;

  do
    *--at = hex_digits[value & 15];
  while ((value >>= 4) != 0);
  *--at = 'x';
  *--at = '0';
  put (text, at, (gsize)(digits + sizeof digits - at));
}

/* At least `width` digits. */
void
wpr_etl_append_padded (GString *text, guint value, guint width)
{
  for (guint least = 1, i = 1; i < width; i++)
    if (value < (least *= 10))
      g_string_append_c (text, '0');
  wpr_etl_append_unsigned (text, value);
}

void
wpr_etl_append_bytes (GString *text, const guint8 *at, guint32 size)
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

void
wpr_etl_append_double (GString *text, double value)
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
void
wpr_etl_append_text8 (GString *text, const guint8 *at, gsize size)
{
  const guint8 *nul = size > 0 ? memchr (at, 0, size) : NULL;

  if (nul != NULL)
    size = (gsize)(nul - at);
  if (g_utf8_validate_len ((const char *)at, size, NULL))
    {
      put (text, (const char *)at, size);
      return;
    }
  for (gsize i = 0; i < size; i++)
    g_string_append_unichar (text, at[i] >= 0x80 && at[i] < 0xa0 ? western[at[i] - 0x80] : at[i]);
}

void
wpr_etl_append_text16 (GString *text, const guint8 *at, gsize size)
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

void
wpr_etl_append_guid (GString *text, const guint8 *at)
{
  WprEtlGuid guid = { wpr_etl_get32 (at), wpr_etl_get16 (at + 4), wpr_etl_get16 (at + 6), { 0 } };

  memcpy (guid.data4, at + 8, 8);
  wpr_etl_guid_append_text (&guid, text);
}

/* 2021-09-09T14:59:35.7912345Z: 100 ns since 1601. */
void
wpr_etl_append_filetime (GString *text, gint64 filetime)
{
  gint64 seconds = filetime / 10000000 - G_GINT64_CONSTANT (11644473600);
  g_autoptr (GDateTime) time = filetime >= 0 ? g_date_time_new_from_unix_utc (seconds) : NULL;
  g_autofree char *date = time != NULL ? g_date_time_format (time, "%FT%T") : NULL;

  if (date == NULL)
    {
      wpr_etl_append_signed (text, filetime);
      return;
    }
  g_string_append (text, date);
  g_string_append_c (text, '.');
  wpr_etl_append_padded (text, (guint)(filetime % 10000000), 7);
  g_string_append_c (text, 'Z');
}

void
wpr_etl_append_systemtime (GString *text, const guint8 *at)
{
  wpr_etl_append_padded (text, wpr_etl_get16 (at), 4);
  g_string_append_c (text, '-');
  wpr_etl_append_padded (text, wpr_etl_get16 (at + 2), 2);
  g_string_append_c (text, '-');
  wpr_etl_append_padded (text, wpr_etl_get16 (at + 6), 2);
  g_string_append_c (text, 'T');
  wpr_etl_append_padded (text, wpr_etl_get16 (at + 8), 2);
  g_string_append_c (text, ':');
  wpr_etl_append_padded (text, wpr_etl_get16 (at + 10), 2);
  g_string_append_c (text, ':');
  wpr_etl_append_padded (text, wpr_etl_get16 (at + 12), 2);
  g_string_append_c (text, '.');
  wpr_etl_append_padded (text, wpr_etl_get16 (at + 14), 3);
}

/* S-1-5-21-..: revision, number of parts, authority of 6 bytes big endian, parts. */
void
wpr_etl_append_sid (GString *text, const guint8 *at, guint32 size)
{
  guint64 authority = 0;

  if (size < 8)
    return;
  for (guint i = 2; i < 8; i++)
    authority = authority << 8 | at[i];
  g_string_append (text, "S-");
  wpr_etl_append_unsigned (text, at[0]);
  g_string_append_c (text, '-');
  wpr_etl_append_unsigned (text, authority);
  for (guint i = 0; i < at[1] && 12 + 4 * i <= size; i++)
    {
      g_string_append_c (text, '-');
      wpr_etl_append_unsigned (text, wpr_etl_get32 (at + 8 + 4 * i));
    }
}

void
wpr_etl_append_ipv4 (GString *text, const guint8 *at)
{
  for (guint i = 0; i < 4; i++)
    {
      if (i > 0)
        g_string_append_c (text, '.');
      wpr_etl_append_unsigned (text, at[i]);
    }
}

/* The longest run of zeros, of two at least, becomes "::". */
void
wpr_etl_append_ipv6 (GString *text, const guint8 *at)
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
void
wpr_etl_append_sockaddr (GString *text, const guint8 *at, guint32 size)
{
  enum
  {
    FAMILY_V4 = 2,
    FAMILY_V6 = 23
  };
  guint16 family = size >= 2 ? wpr_etl_get16 (at) : 0;

  if (family == FAMILY_V4 && size >= 8)
    wpr_etl_append_ipv4 (text, at + 4);
  else if (family == FAMILY_V6 && size >= 24)
    {
      g_string_append_c (text, '[');
      wpr_etl_append_ipv6 (text, at + 8);
      g_string_append_c (text, ']');
    }
  else
    {
      wpr_etl_append_bytes (text, at, size);
      return;
    }
  g_string_append_c (text, ':');
  wpr_etl_append_unsigned (text, (guint)at[2] << 8 | at[3]);
}
