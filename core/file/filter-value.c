/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Values of a filter: one text, looked at once as integer, number, time and bytes. */
#include "config.h"
#include "file/filter-private.h"

#include <errno.h>
#include <string.h>

static gboolean
parse_integer (const char *text, gboolean *negative, guint64 *magnitude)
{
  char *end = NULL;
  int base = 10;

  *negative = *text == '-';
  if (*text == '-' || *text == '+')
    text++;
  if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
    {
      base = 16;
      text += 2;
    }
  if (!g_ascii_isxdigit (*text) || (base == 10 && !g_ascii_isdigit (*text)))
    return FALSE;
  errno = 0;
  *magnitude = g_ascii_strtoull (text, &end, base);
  return errno == 0 && *end == '\0';
}

static gboolean
parse_real (const char *text, double *real)
{
  char *end = NULL;

  if (strspn (text, "0123456789+-.eE") != strlen (text))
    return FALSE; /* inf, nan and hexadecimal */
  *real = g_ascii_strtod (text, &end);
  return end != text && *end == '\0';
}

/* Byte order of a GUID in a file, as positions in its text's 16 bytes. */
static const guint8 guid_order[16] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 };

gboolean
wpr_filter_guid_parse (const char *text, guint8 guid[16])
{
  guint8 bytes[16];
  guint n = 0;

  if (strlen (text) != 38 || text[0] != '{' || text[37] != '}')
    return FALSE;
  for (guint i = 1; i < 37;)
    {
      if (i == 9 || i == 14 || i == 19 || i == 24)
        {
          if (text[i++] != '-')
            return FALSE;
          continue;
        }
      if (!g_ascii_isxdigit (text[i]) || !g_ascii_isxdigit (text[i + 1]))
        return FALSE;
      bytes[n++]
          = (guint8)(g_ascii_xdigit_value (text[i]) << 4 | g_ascii_xdigit_value (text[i + 1]));
      i += 2;
    }
  for (guint i = 0; i < 16; i++)
    guid[i] = bytes[guid_order[i]];
  return TRUE;
}

/* Pairs of hexadecimal digits, 0x in front or not. */
static gboolean
parse_bytes (WprFilterValue *value)
{
  const char *text = value->text;
  gsize n;

  if (g_str_has_prefix (text, "0x"))
    text += 2;
  n = strlen (text);
  if (n == 0 || n % 2 != 0 || strspn (text, "0123456789abcdefABCDEF") != n)
    return FALSE;
  value->bytes_size = n / 2;
  value->bytes = g_malloc (value->bytes_size);
  for (gsize i = 0; i < value->bytes_size; i++)
    value->bytes[i] = (guint8)(g_ascii_xdigit_value (text[2 * i]) << 4
                               | g_ascii_xdigit_value (text[2 * i + 1]));
  return TRUE;
}

void
wpr_filter_value_init (WprFilterValue *value, char *text)
{
  guint8 guid[16];

  memset (value, 0, sizeof *value);
  value->text = text;
  value->size = strlen (text);
  value->is_integer = parse_integer (text, &value->negative, &value->magnitude);
  if (value->is_integer)
    {
      value->is_real = TRUE;
      value->real = (value->negative ? -1.0 : 1.0) * (double)value->magnitude;
    }
  else
    value->is_real = parse_real (text, &value->real);
  value->is_time = wpr_when_parse (text, value->size, &value->when);
  if (wpr_filter_guid_parse (text, guid))
    {
      value->bytes = g_memdup2 (guid, sizeof guid);
      value->bytes_size = sizeof guid;
      value->is_bytes = TRUE;
    }
  else
    value->is_bytes = parse_bytes (value);
}

void
wpr_filter_value_clear (WprFilterValue *value)
{
  g_free (value->text);
  g_free (value->bytes);
}
