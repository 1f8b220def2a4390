/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Encodings, and a scanner for positions. libxml2 tells where it *is* when it reports an element
 * (behind the tag), never where an attribute stood; what is scanned here was accepted by it, so the
 * scanner may be simple. */
#include "config.h"
#include "profile/text.h"

#include <glib/gi18n-lib.h>
#include <string.h>

static char *
wpr_text_from_utf16 (const guint8 *bytes, gsize size, gboolean big_endian, gsize *text_size,
                     const char **why)
{
  gsize n_units = size / 2;
  g_autofree gunichar2 *units = g_new (gunichar2, n_units + 1);
  for (gsize i = 0; i < n_units; i++)
    units[i] = big_endian ? (bytes[2 * i] << 8 | bytes[2 * i + 1])
                          : (bytes[2 * i] | bytes[2 * i + 1] << 8);
  glong n_written = 0;
  char *text = size % 2 == 0 ? g_utf16_to_utf8 (units, n_units, NULL, &n_written, NULL) : NULL;
  if (text == NULL)
    *why = _ ("This is not valid UTF-16 text. Save it again in a text editor, as UTF-8.");
  *text_size = n_written;
  return text;
}

char *
wpr_text_to_utf8 (const guint8 *bytes, gsize size, gsize *text_size, const char **why)
{
  *text_size = 0;
  if (size > WPR_TEXT_MOST_BYTES)
    {
      *why = _ ("This file is larger than 16 MiB, so it is no profile. Choose another one.");
      return NULL;
    }
  gboolean little = size >= 2 && bytes[0] == 0xff && bytes[1] == 0xfe;
  gboolean big = size >= 2 && bytes[0] == 0xfe && bytes[1] == 0xff;
  if (little || big)
    return wpr_text_from_utf16 (bytes + 2, size - 2, big, text_size, why);
  if (size >= 2 && bytes[0] == '<' && bytes[1] == 0)
    return wpr_text_from_utf16 (bytes, size, FALSE, text_size, why);
  if (size >= 2 && bytes[0] == 0 && bytes[1] == '<')
    return wpr_text_from_utf16 (bytes, size, TRUE, text_size, why);

  if (size >= 3 && memcmp (bytes, "\xef\xbb\xbf", 3) == 0)
    bytes += 3, size -= 3;
  if (!g_utf8_validate_len ((const char *)bytes, size, NULL))
    {
      *why
          = _ ("This is not valid UTF-8 or UTF-16 text. Save it again in a text editor, as UTF-8.");
      return NULL;
    }
  *text_size = size;
  char *text = g_malloc (size + 1);
  if (size > 0)
    memcpy (text, bytes, size);
  text[size] = '\0';
  return text;
}

void
wpr_scan_init (WprScan *scan, const char *text, gsize size)
{
  *scan = (WprScan){ .at = text, .end = text + size, .line = 1, .column = 1 };
}

static void
wpr_scan_go_to (WprScan *scan, const char *where)
{
  for (; scan->at < where; scan->at++)
    if (*scan->at == '\n')
      scan->line++, scan->column = 1;
    else if ((*scan->at & 0xc0) != 0x80) /* the first byte of a character */
      scan->column++;
}

/* Behind `closing`, or the end. */
static void
wpr_scan_go_behind (WprScan *scan, const char *closing)
{
  const char *found = g_strstr_len (scan->at, scan->end - scan->at, closing);
  wpr_scan_go_to (scan, found != NULL ? found + strlen (closing) : scan->end);
}

static gboolean
wpr_scan_starts_with (const WprScan *scan, const char *what)
{
  gsize size = strlen (what);
  return (gsize)(scan->end - scan->at) >= size && memcmp (scan->at, what, size) == 0;
}

/* To the next '<' that opens something other than comment, PI, CDATA or end tag. */
static gboolean
wpr_scan_next_opening (WprScan *scan)
{
  static const struct
  {
    const char *opening, *closing;
  } skipped[] = {
    { "<!--", "-->" },
    { "<?", "?>" },
    { "<![CDATA[", "]]>" },
    { "</", ">" },
  };
  while (scan->at < scan->end)
    {
      const char *found = memchr (scan->at, '<', scan->end - scan->at);
      wpr_scan_go_to (scan, found != NULL ? found : scan->end);
      gsize i = 0;
      while (i < G_N_ELEMENTS (skipped) && !wpr_scan_starts_with (scan, skipped[i].opening))
        i++;
      if (i == G_N_ELEMENTS (skipped))
        return scan->at < scan->end;
      wpr_scan_go_behind (scan, skipped[i].closing);
    }
  return FALSE;
}

gboolean
wpr_scan_next_tag (WprScan *scan)
{
  if (!wpr_scan_next_opening (scan))
    return FALSE;
  scan->tag = scan->at;
  scan->tag_line = scan->line;
  scan->tag_column = scan->column;
  const char *name_end = scan->at + 1;
  while (name_end < scan->end && strchr (" \t\r\n/>", *name_end) == NULL)
    name_end++;
  wpr_scan_go_to (scan, name_end);
  return TRUE;
}

gboolean
wpr_scan_next_attribute (WprScan *scan, const char **name, gsize *size, guint *line, guint *column)
{
  const char *at = scan->at;
  while (at < scan->end && strchr (" \t\r\n", *at) != NULL && *at != '\0')
    at++;
  wpr_scan_go_to (scan, at);
  if (at >= scan->end || *at == '>' || *at == '/')
    return FALSE;
  *name = at;
  *line = scan->line;
  *column = scan->column;
  while (at < scan->end && strchr (" \t\r\n=", *at) == NULL)
    at++;
  *size = at - *name;

  while (at < scan->end && *at != '"' && *at != '\'')
    at++;
  if (at < scan->end)
    {
      const char *closing = memchr (at + 1, *at, scan->end - at - 1);
      at = closing != NULL ? closing + 1 : scan->end;
    }
  wpr_scan_go_to (scan, at);
  return TRUE;
}

gboolean
wpr_scan_doctype (WprScan *scan)
{
  if (!wpr_scan_next_opening (scan))
    return FALSE;
  scan->tag_line = scan->line;
  scan->tag_column = scan->column;
  return wpr_scan_starts_with (scan, "<!DOCTYPE");
}

gboolean
wpr_scan_find (WprScan *scan, const char *what)
{
  const char *found = g_strstr_len (scan->at, scan->end - scan->at, what);
  if (found == NULL)
    return FALSE;
  wpr_scan_go_to (scan, found);
  return TRUE;
}
