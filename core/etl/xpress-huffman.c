/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* XPRESS with Huffman codes unpacked. Blocks that become 64 KiB each (the last one maybe less); a
 * block begins with the code lengths of 512 symbols, 4 bits each, the even symbol's below. Symbols
 * below 256 are bytes; the others are matches: bits 7 to 4 how many bits the offset has below its
 * highest, bits 3 to 0 length - 3, where 15 goes on in a byte, 255 there in a u16, 0 there in a
 * u32. Bits come from u16s, highest first; the bytes of lengths lie between them, where the reader
 * is. */
#include "config.h"
#include "etl/xpress.h"

#include <string.h>
#include "etl/layout.h"

#define N_SYMBOLS 512
#define TABLE_BYTES (N_SYMBOLS / 2)
#define MOST_CODE_BITS 15
#define BLOCK_BYTES 65536
#define LEAST_MATCH 3
#define END_SYMBOL 256 /* only at the input's end; a match before that */

typedef struct
{
  const guint8 *in;
  gsize size, at;
  guint32 bits; /* the next ones are the highest */
  int extra;    /* bits in `bits` beyond the 16 that are always there */
  guint16 symbols[1 << MOST_CODE_BITS];
  guint8 lengths[N_SYMBOLS];
} Input;

static guint16
next16 (Input *self)
{
  guint16 value = 0;

  if (self->size - self->at >= 2)
    value = wpr_etl_get16 (self->in + self->at);
  self->at = MIN (self->at + 2, self->size);
  return value;
}

/* Every 15-bit pattern's symbol; FALSE where the lengths are those of no code. */
static gboolean
read_table (Input *self)
{
  guint32 at = 0;

  if (self->size - self->at < TABLE_BYTES)
    return FALSE;
  for (guint i = 0; i < N_SYMBOLS; i++)
    self->lengths[i] = self->in[self->at + i / 2] >> (i % 2 != 0 ? 4 : 0) & 15;
  self->at += TABLE_BYTES;
  for (guint length = 1; length <= MOST_CODE_BITS; length++)
    for (guint i = 0; i < N_SYMBOLS; i++)
      {
        guint32 n = 1u << (MOST_CODE_BITS - length);

        if (self->lengths[i] != length)
          continue;
        if (at + n > G_N_ELEMENTS (self->symbols))
          return FALSE;
        for (guint32 k = 0; k < n; k++)
          self->symbols[at + k] = (guint16)i;
        at += n;
      }
  return at == G_N_ELEMENTS (self->symbols);
}

static void
skip_bits (Input *self, guint n)
{
  self->bits = n < 32 ? self->bits << n : 0;
  self->extra -= (int)n;
  if (self->extra < 0)
    {
      self->bits |= (guint32)next16 (self) << -self->extra;
      self->extra += 16;
    }
}

static void
start_block (Input *self)
{
  self->bits = (guint32)next16 (self) << 16;
  self->bits |= next16 (self);
  self->extra = 16;
}

/* What follows a length of 15; FALSE where the input ends or counts down. */
static gboolean
take_long_length (Input *self, guint64 *length)
{
  guint64 n;

  if (self->at >= self->size)
    return FALSE;
  n = self->in[self->at++];
  if (n == 255)
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
      if (n < 15)
        return FALSE;
      n -= 15;
    }
  *length = n + 15;
  return TRUE;
}

/* One block of at most `most` bytes at out + to; returns where it ends, -1 where it does not
 * hold. */
static gssize
unpack_block (Input *self, guint8 *out, gsize to, gsize most)
{
  gsize end = to + most;

  start_block (self);
  while (to < end)
    {
      guint symbol = self->symbols[self->bits >> (32 - MOST_CODE_BITS)], offset_bits;
      guint64 length, offset;

      skip_bits (self, self->lengths[symbol]);
      if (symbol < 256)
        {
          out[to++] = (guint8)symbol;
          continue;
        }
      if (symbol == END_SYMBOL && self->at >= self->size)
        return (gssize)to;
      length = symbol & 15;
      offset_bits = symbol >> 4 & 15;
      if (length == 15 && !take_long_length (self, &length))
        return -1;
      offset = 1u << offset_bits;
      if (offset_bits > 0)
        offset |= self->bits >> (32 - offset_bits);
      skip_bits (self, offset_bits);
      if (offset > to)
        return -1;
      /* Byte by byte: a match may lie over what it makes. */
      for (length = MIN (length + LEAST_MATCH, (guint64)(end - to)); length > 0; length--, to++)
        out[to] = out[to - offset];
    }
  return (gssize)to;
}

gssize
wpr_etl_xpress_huffman_unpack (const guint8 *in, gsize in_size, guint8 *out, gsize out_size)
{
  g_autofree Input *self = g_new (Input, 1);
  gsize to = 0;

  self->in = in;
  self->size = in_size;
  self->at = 0;
  while (to < out_size && self->at < in_size)
    {
      gssize n;

      if (!read_table (self))
        return -1;
      n = unpack_block (self, out, to, MIN ((gsize)BLOCK_BYTES, out_size - to));
      if (n < 0 || (gsize)n == to)
        return n;
      to = (gsize)n;
    }
  return (gssize)to;
}
