/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writing much text to a descriptor. */
#include "config.h"
#include "file/put.h"

#include <errno.h>
#include <unistd.h>

void
wpr_put_init (WprPut *put, int fd)
{
  *put = (WprPut){ .fd = fd, .bytes = g_malloc (WPR_PUT_BYTES) };
}

void
wpr_put_clear (WprPut *put)
{
  g_clear_pointer (&put->bytes, g_free);
}

gboolean
wpr_put_flush (WprPut *put)
{
  gsize done = 0;

  while (done < put->used && put->errsv == 0)
    {
      gssize n = write (put->fd, put->bytes + done, put->used - done);

      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        put->errsv = n < 0 ? errno : EIO;
      else
        done += (gsize)n;
    }
  put->written += put->used;
  put->used = 0;
  return put->errsv == 0;
}

void
wpr_put_bytes (WprPut *put, const char *text, gsize size)
{
  while (G_UNLIKELY (size > WPR_PUT_BYTES - put->used))
    {
      gsize n = WPR_PUT_BYTES - put->used;

      memcpy (put->bytes + put->used, text, n);
      put->used += n;
      text += n;
      size -= n;
      wpr_put_flush (put);
    }
  memcpy (put->bytes + put->used, text, size);
  put->used += size;
}

static inline char *
reserve (WprPut *put, gsize size)
{
  if (G_UNLIKELY (WPR_PUT_BYTES - put->used < size))
    wpr_put_flush (put);
  return put->bytes + put->used;
}

/* Two digits at a time. */
static const char pairs[] = "00010203040506070809"
                            "10111213141516171819"
                            "20212223242526272829"
                            "30313233343536373839"
                            "40414243444546474849"
                            "50515253545556575859"
                            "60616263646566676869"
                            "70717273747576777879"
                            "80818283848586878889"
                            "90919293949596979899";

/* Digits that end before `end`; returns where they begin. */
static char *
digits_before (char *end, guint64 value)
{
  while (value >= 100)
    {
      guint64 rest = value / 100;

      end -= 2;
      memcpy (end, pairs + 2 * (value - rest * 100), 2);
      value = rest;
    }
  if (value >= 10)
    {
      end -= 2;
      memcpy (end, pairs + 2 * value, 2);
    }
  else
    *--end = (char)('0' + value);
  return end;
}

void
wpr_put_unsigned (WprPut *put, guint64 value)
{
  char digits[20], *end = digits + sizeof digits, *begin = digits_before (end, value);
  char *to = reserve (put, WPR_PUT_NUMBER);

  memcpy (to, begin, (gsize)(end - begin));
  put->used += (gsize)(end - begin);
}

void
wpr_put_signed (WprPut *put, gint64 value)
{
  if (value < 0)
    wpr_put_char (put, '-');
  wpr_put_unsigned (put, value < 0 ? 0 - (guint64)value : (guint64)value);
}

void
wpr_put_hex (WprPut *put, guint64 value)
{
  char *to = reserve (put, WPR_PUT_NUMBER);
  guint n = 1;

  while (n < 16 && value >> (4 * n) != 0)
    n++;
  to[0] = '0';
  to[1] = 'x';
  for (guint i = n; i-- > 0; value >>= 4)
    to[2 + i] = "0123456789abcdef"[value & 15];
  put->used += 2 + n;
}

void
wpr_put_padded (WprPut *put, guint64 value, guint least)
{
  char digits[20], *end = digits + sizeof digits, *begin = digits_before (end, value);
  gsize n = (gsize)(end - begin), pad = least > n ? MIN (least, 40) - n : 0;
  char *to = reserve (put, WPR_PUT_NUMBER);

  memset (to, ' ', pad);
  memcpy (to + pad, begin, n);
  put->used += pad + n;
}

void
wpr_put_zeros (WprPut *put, guint64 value, guint digits)
{
  char *to = reserve (put, WPR_PUT_NUMBER);

  for (guint i = digits; i-- > 0; value /= 10)
    to[i] = (char)('0' + value % 10);
  put->used += digits;
}

void
wpr_put_double (WprPut *put, double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  /* The fewest digits that are read back as the same number are 15 to 17. */
  g_ascii_formatd (text, sizeof text, "%.15g", value);
  if (g_ascii_strtod (text, NULL) != value)
    g_ascii_formatd (text, sizeof text, "%.17g", value);
  wpr_put_text (put, text);
}

void
wpr_put_hex_bytes (WprPut *put, const guint8 *bytes, gsize size)
{
  for (gsize i = 0; i < size; i++)
    {
      char pair[2] = { "0123456789abcdef"[bytes[i] >> 4], "0123456789abcdef"[bytes[i] & 15] };

      wpr_put_bytes (put, pair, 2);
    }
}

void
wpr_put_pad (WprPut *put, guint64 from, guint least)
{
  guint64 n = wpr_put_position (put) - from;

  for (; n < least; n++)
    wpr_put_char (put, ' ');
}

void
wpr_put_seconds (WprPut *put, gint64 ns, guint digits, guint least)
{
  static const guint64 units[10]
      = { 1000000000, 100000000, 10000000, 1000000, 100000, 10000, 1000, 100, 10, 1 };
  guint64 magnitude = ns < 0 ? 0 - (guint64)ns : (guint64)ns;
  char text[20], *end = text + sizeof text, *begin = digits_before (end, magnitude / 1000000000);

  if (ns < 0)
    *--begin = '-';
  for (gsize n = (gsize)(end - begin) + 1 + digits; n < least; n++)
    wpr_put_char (put, ' ');
  wpr_put_bytes (put, begin, (gsize)(end - begin));
  wpr_put_char (put, '.');
  wpr_put_zeros (put, magnitude % 1000000000 / units[digits], digits);
}

/* ---- text ---- */

/* What a byte needs: 0 nothing, 1 escaping as a control character, 2 escaping inside quotes, 3 it
 * begins or continues a character of several bytes. */
static const guint8 *
needs_table (void)
{
  static guint8 needs[256];
  static gsize is_filled;

  if (g_once_init_enter (&is_filled))
    {
      for (guint i = 0; i < 256; i++)
        needs[i] = i < 0x20 || i == 0x7f ? 1 : i >= 0x80 ? 3 : i == '"' || i == '\\' ? 2 : 0;
      g_once_init_leave (&is_filled, 1);
    }
  return needs;
}

typedef void (*Escape) (WprPut *put, guint32 c);

static void
put_control (WprPut *put, guint32 c)
{
  static const char names[] = "\a\b\t\n\v\f\r";

  wpr_put_char (put, '\\');
  if (c >= '\a' && c <= '\r' && names[c - '\a'] == (char)c)
    wpr_put_char (put, "abtnvfr"[c - '\a']);
  else
    {
      wpr_put_char (put, 'x');
      wpr_put_hex_bytes (put, (const guint8[]){ (guint8)c }, 1);
    }
}

/* JSON knows \u only; what a terminal takes for a command (C1) is escaped as well. */
static void
put_json_control (WprPut *put, guint32 c)
{
  wpr_put_text (put, "\\u00");
  wpr_put_hex_bytes (put, (const guint8[]){ (guint8)c }, 1);
}

/* A character of several bytes at `at`; returns its bytes. */
static gsize
put_wide (WprPut *put, const char *at, gsize left, Escape escape)
{
  gunichar c = g_utf8_get_char_validated (at, (gssize)left);

  if (c == (gunichar)-1 || c == (gunichar)-2)
    {
      wpr_put_text (put, "\xef\xbf\xbd"); /* the replacement character */
      return 1;
    }
  if (c < 0xa0)
    escape (put, c);
  else
    wpr_put_bytes (put, at, (gsize)(g_utf8_next_char (at) - at));
  return (gsize)(g_utf8_next_char (at) - at);
}

static void
put_mark (WprPut *put)
{
  wpr_put_bytes (put, "\"\"", put->doubles_quotes ? 2 : 1);
}

/* A quotation mark or a backslash. */
static void
put_special (WprPut *put, char c, gboolean in_quotes)
{
  if (in_quotes)
    wpr_put_char (put, '\\');
  if (c == '"')
    put_mark (put);
  else
    wpr_put_char (put, c);
}

/* Whether one of eight bytes may need something; a byte below 0x20 may say so for its neighbour. */
static inline gboolean
is_any_special (const char *text, gboolean special)
{
#define ALL(byte) (G_GUINT64_CONSTANT (0x0101010101010101) * (byte))
#define HAS_ZERO(v) (((v)-ALL (1)) & ~(v)&ALL (0x80))
  guint64 v, found;

  memcpy (&v, text, sizeof v);
  found = (v & ALL (0x80)) | ((v - ALL (0x20)) & ALL (0x80)) | HAS_ZERO (v ^ ALL (0x7f));
  if (special)
    found |= HAS_ZERO (v ^ ALL ((guint8)'"')) | HAS_ZERO (v ^ ALL ((guint8)'\\'));
  return found != 0;
}

/* How many bytes go as they are. */
static gsize
count_plain (const char *text, gsize size, gboolean special)
{
  const guint8 *needs = needs_table ();
  gsize n = 0;

  while (n + 8 <= size && !is_any_special (text + n, special))
    n += 8;
  while (n < size && (needs[(guint8)text[n]] == 0 || (needs[(guint8)text[n]] == 2 && !special)))
    n++;
  return n;
}

static void
put_escaped (WprPut *put, const char *text, gsize size, Escape escape, gboolean in_quotes)
{
  gboolean special = in_quotes || put->doubles_quotes;

  for (gsize i = 0; i < size;)
    {
      gsize n = count_plain (text + i, size - i, special);
      guint8 need;

      wpr_put_bytes (put, text + i, n);
      i += n;
      if (i == size)
        break;
      need = needs_table ()[(guint8)text[i]];
      if (need == 3)
        {
          i += put_wide (put, text + i, size - i, escape);
          continue;
        }
      if (need == 2)
        put_special (put, text[i], in_quotes);
      else
        escape (put, (guint8)text[i]);
      i++;
    }
}

void
wpr_put_plain (WprPut *put, const char *text, gsize size)
{
  put_escaped (put, text, size, put_control, FALSE);
}

void
wpr_put_quoted (WprPut *put, const char *text, gsize size)
{
  put_mark (put);
  put_escaped (put, text, size, put_control, TRUE);
  put_mark (put);
}

void
wpr_put_json (WprPut *put, const char *text, gsize size)
{
  wpr_put_char (put, '"');
  put_escaped (put, text, size, put_json_control, TRUE);
  wpr_put_char (put, '"');
}
