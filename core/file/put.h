/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writing much text to a descriptor, fast: numbers without a format to read, one write() a quarter
 * of a MiB. Private to this room. */
#pragma once

#include <glib.h>
#include <string.h>

G_BEGIN_DECLS

#define WPR_PUT_BYTES (256u * 1024)
/* A number, with its point and padding, takes no more. */
#define WPR_PUT_NUMBER 64u

typedef struct
{
  int fd;
  int errsv;               /* of the first write that failed; 0 */
  gboolean doubles_quotes; /* " as "", as a quoted cell of CSV has it, in escaped text */
  gsize used;
  guint64 written;
  char *bytes; /* WPR_PUT_BYTES */
} WprPut;

void wpr_put_init (WprPut *put, int fd);
void wpr_put_clear (WprPut *put);
/* FALSE where writing fails or has failed; what is put then is thrown away. */
gboolean wpr_put_flush (WprPut *put);

void wpr_put_bytes (WprPut *put, const char *text, gsize size);
void wpr_put_unsigned (WprPut *put, guint64 value);
void wpr_put_signed (WprPut *put, gint64 value);
void wpr_put_hex (WprPut *put, guint64 value);                 /* "0x1f" */
void wpr_put_padded (WprPut *put, guint64 value, guint least); /* spaces in front */
void wpr_put_zeros (WprPut *put, guint64 value, guint digits); /* exactly so many digits */
void wpr_put_double (WprPut *put, double value);
void wpr_put_hex_bytes (WprPut *put, const guint8 *bytes, gsize size);
/* "-1.0000005": ns as seconds with so many digits behind the point, at least `least` characters. */
void wpr_put_seconds (WprPut *put, gint64 ns, guint digits, guint least);

static inline void
wpr_put_char (WprPut *put, char c)
{
  if (G_UNLIKELY (put->used == WPR_PUT_BYTES))
    wpr_put_flush (put);
  put->bytes[put->used++] = c;
}

static inline void
wpr_put_text (WprPut *put, const char *text)
{
  wpr_put_bytes (put, text, strlen (text));
}

/* Spaces until `least` characters have been put since `from` = put->written + put->used. */
void wpr_put_pad (WprPut *put, guint64 from, guint least);
static inline guint64
wpr_put_position (const WprPut *put)
{
  return put->written + put->used;
}

/* ---- text that must not break the format; what is not UTF-8 is replaced ---- */
/* For a terminal: control characters as \n or \x1b; inside quotation marks " and \ as well. */
void wpr_put_quoted (WprPut *put, const char *text, gsize size);
void wpr_put_plain (WprPut *put, const char *text, gsize size);
/* A JSON string with its quotation marks. */
void wpr_put_json (WprPut *put, const char *text, gsize size);

G_END_DECLS
