/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* XPRESS (plain LZ77) unpacked: 32 flags, highest first, then what each stands for: 0 a byte, 1 a
 * match of u16 (offset - 1) << 3 | length - 3. A length of 7 there goes on in half a byte (two
 * matches share one), of 15 in that in a byte, of 255 in a u16, of 0 there in a u32. */
#include "config.h"
#include "etl/xpress.h"

#include <string.h>
#include "etl/layout.h"

#define LEAST_MATCH 3
#define IN_TOKEN 7  /* what the token's 3 bits hold, and a half byte goes on from */
#define IN_HALF 15  /* as much again, and a byte goes on from */
#define IN_BYTE 255 /* says that a u16 holds the whole */

typedef struct
{
  const guint8 *in;
  gsize size, at, half; /* half: where the byte with a free upper half lies; 0: none */
} Input;

/* What follows a length of 7 in the token; FALSE where the input ends or counts down. */
static gboolean
take_long_length (Input *self, guint64 *length)
{
  guint64 n;

  if (self->half == 0)
    {
      if (self->at >= self->size)
        return FALSE;
      self->half = self->at++;
      n = self->in[self->half] & 15;
    }
  else
    {
      n = self->in[self->half] >> 4;
      self->half = 0;
    }
  if (n == IN_HALF)
    {
      if (self->at >= self->size)
        return FALSE;
      n = self->in[self->at++];
      if (n == IN_BYTE)
        {
          if (self->size - self->at < 2)
            return FALSE;
          n = wpr_etl_get16 (self->in + self->at);
          self->at += 2;
          if (n == 0)
            {
              if (self->size - self->at < 4)
                return FALSE;
              n = wpr_etl_get32 (self->in + self->at);
              self->at += 4;
            }
          if (n < IN_HALF + IN_TOKEN)
            return FALSE;
          n -= IN_HALF + IN_TOKEN;
        }
      n += IN_HALF;
    }
  *length = n + IN_TOKEN;
  return TRUE;
}

gssize
wpr_etl_xpress_unpack (const guint8 *in, gsize in_size, guint8 *out, gsize out_size)
{
  Input self = { in, in_size, 0, 0 };
  guint32 flags = 0;
  guint n_flags = 0;
  gsize to = 0;

  while (to < out_size)
    {
      guint64 length, offset;

      if (n_flags == 0)
        {
          if (in_size - self.at < 4)
            return self.at == in_size ? (gssize)to : -1;
          flags = wpr_etl_get32 (in + self.at);
          self.at += 4;
          n_flags = 32;
        }
      n_flags--;
      if ((flags >> n_flags & 1) == 0)
        {
          if (self.at >= in_size)
            return -1;
          out[to++] = in[self.at++];
          continue;
        }
      if (self.at == in_size)
        return (gssize)to;
      if (in_size - self.at < 2)
        return -1;
      length = wpr_etl_get16 (in + self.at) & 7;
      offset = (guint64)(wpr_etl_get16 (in + self.at) >> 3) + 1;
      self.at += 2;
      if ((length == IN_TOKEN && !take_long_length (&self, &length)) || offset > to)
        return -1;
      length = MIN (length + LEAST_MATCH, (guint64)(out_size - to));
      if (offset >= length)
        {
          memcpy (out + to, out + to - offset, length);
          to += length;
          continue;
        }
      /* Byte by byte: the match lies over what it makes. */
      for (; length > 0; length--, to++)
        out[to] = out[to - offset];
    }
  return (gssize)to;
}
