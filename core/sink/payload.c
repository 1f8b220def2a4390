/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Texts of a payload. */
#include "config.h"
#include "sink/payload.h"

static const char ellipsis[] = "\xe2\x80\xa6"; /* U+2026 */

void
wpr_payload_zeros (WprPayload *self, gsize size)
{
  size = MIN (size, (gsize)(self->end - self->at));
  memset (self->at, 0, size);
  self->at += size;
}

static gboolean
is_ascii (const char *text, gsize size)
{
  guint8 all = 0;

  for (gsize i = 0; i < size; i++)
    all |= (guint8)text[i];
  return all < 0x80;
}

/* `most` counts the text without its NUL. */
static void
put_cut (WprPayload *self, const char *text, gsize size, gsize most)
{
  const char *end = text + most - strlen (ellipsis);

  while (end > text && ((guint8)*end & 0xc0) == 0x80) /* not within a character */
    end--;
  wpr_payload_bytes (self, text, (gsize)(end - text));
  wpr_payload_bytes (self, ellipsis, strlen (ellipsis));
  self->n_cut++;
}

void
wpr_payload_text (WprPayload *self, const char *text, gssize length, gsize most)
{
  gsize size = text == NULL ? 0 : length < 0 ? strlen (text) : strnlen (text, (gsize)length);
  g_autofree char *valid = NULL;

  if (G_UNLIKELY (!is_ascii (text, size)))
    {
      valid = g_utf8_make_valid (text, (gssize)size);
      text = valid;
      size = strlen (valid);
    }
  most = MIN (most, (gsize)MAX (self->end - self->at - 1, 0));
  if (size <= most)
    wpr_payload_bytes (self, text, size);
  else if (most >= strlen (ellipsis))
    put_cut (self, text, size, most);
  wpr_payload_u8 (self, 0);
}

/* At most `most` units; returns how many were put. */
static gsize
put_units (WprPayload *self, const char *text, gsize most, char from, char to)
{
  g_autofree char *valid = NULL;
  gsize n = 0;

  if (text == NULL)
    return 0;
  if (G_UNLIKELY (!g_utf8_validate (text, -1, NULL)))
    text = valid = g_utf8_make_valid (text, -1);
  for (const char *p = text; *p != '\0'; p = g_utf8_next_char (p))
    {
      gunichar c = (guint8)*p < 0x80 ? (guint8)*p : g_utf8_get_char (p);

      if (n + 2 > most && (n == most || *g_utf8_next_char (p) != '\0'))
        { /* no room for a pair, or for this one and what follows */
          if (n < most)
            {
              wpr_payload_u16 (self, 0x2026);
              n++;
            }
          self->n_cut++;
          return n;
        }
      if (c == (guchar)from)
        c = (guchar)to;
      if (c >= 0x10000)
        {
          wpr_payload_u16 (self, (guint16)(0xd7c0 + (c >> 10)));
          wpr_payload_u16 (self, (guint16)(0xdc00 + (c & 0x3ff)));
          n += 2;
          continue;
        }
      wpr_payload_u16 (self, (guint16)c);
      n++;
    }
  return n;
}

void
wpr_payload_wide (WprPayload *self, const char *text, gsize most)
{
  put_units (self, text, most, 0, 0);
  wpr_payload_u16 (self, 0);
}

void
wpr_payload_wide_fixed (WprPayload *self, const char *text, gsize units)
{
  gsize n = put_units (self, text, units - 1, 0, 0);

  wpr_payload_zeros (self, 2 * (units - n));
}

void
wpr_payload_nt_path (WprPayload *self, const char *path)
{
  if (path != NULL && path[0] == '/')
    put_units (self, "\\Device\\HarddiskVolume1", WPR_MOST_PATH, 0, 0);
  put_units (self, path, WPR_MOST_PATH, '/', '\\');
  wpr_payload_u16 (self, 0);
}
