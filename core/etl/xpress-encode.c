/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* XPRESS (plain LZ77 of [MS-XCA]), compressing. What comes out is a row of groups: 32 flags, the
 * highest first, then a byte (flag 0) or a match (flag 1) for each. A match is a u16, distance - 1
 * in its upper 13 bits, length - 3 in its lower 3; a length that does not fit goes on in half a
 * byte that two matches share, then in a byte, then in a u16. Flags left over are 1. */
#include "config.h"
#include "etl/xpress-encode.h"

#include <string.h>
#include "etl/layout.h"

#define WINDOW 8192 /* 13 bits of distance */
#define LEAST_MATCH 3
#define HASH_BITS 14
/* Candidates looked at, newest first. Recordings are rows of like records, and shrink to 16 to 18 %
 * at 350 MB a second and core; with half as many to 17 to 19 % at 400, with twice as many to 15 to
 * 18 % at 300. */
#define MOST_TRIES 16
/* A match this long is taken without looking further, and of a longer one only its beginning is
 * entered into the tables: runs of zeros would fill them. */
#define LONG_MATCH 64

struct _WprXpressEncoder
{
  guint16 newest[1 << HASH_BITS]; /* position + 1 of the newest such 4 bytes; 0: none */
  guint16 before[WINDOW];         /* of the position modulo WINDOW: the one before it, likewise */
};

typedef struct
{
  guint8 *out;
  gsize at, most;
  gsize flags_at; /* where the flags of this group go */
  guint32 flags;
  guint n_flags;
  gsize half_at; /* the byte whose upper half is free; 0: none */
} Writer;

WprXpressEncoder *
wpr_xpress_encoder_new (void)
{
  return g_new0 (WprXpressEncoder, 1);
}

void
wpr_xpress_encoder_free (WprXpressEncoder *self)
{
  g_free (self);
}

/* ---- writing ---- */

static inline void
put_flag (Writer *self, guint32 flag)
{
  self->flags = self->flags << 1 | flag;
  if (++self->n_flags < 32)
    return;
  wpr_etl_put32 (self->out + self->flags_at, self->flags);
  self->n_flags = 0;
  self->flags_at = self->at;
  self->at += 4;
}

static void
put_length (Writer *self, gsize length)
{
  guint8 half = (guint8)MIN (length - 7, 15);

  if (self->half_at == 0)
    {
      self->half_at = self->at;
      self->out[self->at++] = half;
    }
  else
    {
      self->out[self->half_at] |= (guint8)(half << 4);
      self->half_at = 0;
    }
  if (half < 15)
    return;
  if (length - 22 < 255)
    {
      self->out[self->at++] = (guint8)(length - 22);
      return;
    }
  self->out[self->at++] = 255;
  wpr_etl_put16 (self->out + self->at, (guint16)length);
  self->at += 2;
}

static void
put_match (Writer *self, gsize distance, gsize length)
{
  length -= LEAST_MATCH;
  wpr_etl_put16 (self->out + self->at, (guint16)((distance - 1) << 3 | MIN (length, 7)));
  self->at += 2;
  if (length >= 7)
    put_length (self, length);
  put_flag (self, 1);
}

/* ---- finding ---- */

static inline guint
hash (const guint8 *at)
{
  guint32 value;

  memcpy (&value, at, sizeof value);
  return value * 2654435761u >> (32 - HASH_BITS); /* the golden ratio, as 32 bits */
}

static inline void
enter (WprXpressEncoder *self, const guint8 *in, gsize at)
{
  guint16 *newest = &self->newest[hash (in + at)];

  self->before[at % WINDOW] = *newest;
  *newest = (guint16)(at + 1);
}

static inline gsize
common (const guint8 *a, const guint8 *b, const guint8 *end)
{
  const guint8 *start = b;

  while (b + 8 <= end)
    {
      guint64 x, y;

      memcpy (&x, a, sizeof x);
      memcpy (&y, b, sizeof y);
      if (x != y)
        return (gsize)(b - start)
               + (gsize)(__builtin_ctzll (GUINT64_TO_LE (x) ^ GUINT64_TO_LE (y)) / 8);
      a += 8;
      b += 8;
    }
  while (b < end && *a == *b)
    {
      a++;
      b++;
    }
  return (gsize)(b - start);
}

/* The longest of the first candidates; 0 if there is none. */
static gsize
find (const WprXpressEncoder *self, const guint8 *in, gsize at, gsize size, gsize *distance)
{
  gsize best = LEAST_MATCH;
  guint candidate = self->newest[hash (in + at)];

  for (guint tries = 0; candidate != 0 && tries < MOST_TRIES; tries++)
    {
      gsize from = candidate - 1, length;

      if (at - from > WINDOW)
        break;
      /* A better one differs from the best not before its end. */
      if (at + best < size && in[from + best] == in[at + best])
        {
          length = common (in + from, in + at, in + size);
          if (length > best)
            {
              best = length;
              *distance = at - from;
              if (best >= LONG_MATCH)
                break;
            }
        }
      candidate = self->before[from % WINDOW];
      if (candidate > from) /* overwritten since: of a position a window later */
        break;
    }
  return best > LEAST_MATCH ? best : 0;
}

gsize
wpr_xpress_encode (WprXpressEncoder *self, const guint8 *in, gsize size, guint8 *out, gsize most)
{
  Writer writer = { .out = out, .most = most, .at = 4 };
  gsize at = 0;

  g_return_val_if_fail (size < 65536, 0);
  if (most < 4)
    return 0;
  memset (self->newest, 0, sizeof self->newest);
  while (at < size)
    {
      gsize distance = 0, length = at + 8 <= size ? find (self, in, at, size, &distance) : 0;

      /* The most one step takes: a match of 6 bytes, and the flags of the next group. */
      if (writer.at + 16 > most)
        return 0;
      if (at + 8 <= size)
        enter (self, in, at);
      if (length == 0)
        {
          out[writer.at++] = in[at++];
          put_flag (&writer, 0);
          continue;
        }
      put_match (&writer, distance, length);
      for (gsize i = 1; i < MIN (length, LONG_MATCH) && at + i + 8 <= size; i++)
        enter (self, in, at + i);
      at += length;
    }
  wpr_etl_put32 (out + writer.flags_at,
                 writer.n_flags == 0
                     ? G_MAXUINT32
                     : writer.flags << (32 - writer.n_flags) | (G_MAXUINT32 >> writer.n_flags));
  return writer.at;
}
