/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* LZNT1 unpacked: chunks that become 4096 bytes each (the last one maybe less). A chunk begins with
 * u16: bit 15 packed, bits 11 to 0 its bytes - 1; 0 ends the data. Packed: a byte of 8 flags,
 * lowest first, then what each stands for: 0 a byte, 1 a match of u16, whose upper bits are offset
 * - 1 and lower ones length - 3; the further a chunk has come, the more of them the offset takes.
 */
#include "config.h"
#include "etl/xpress.h"

#include <string.h>
#include "etl/layout.h"

#define CHUNK_BYTES 4096
#define IS_PACKED 0x8000
#define LEAST_MATCH 3
#define MOST_LENGTH_BITS 12 /* of a match within the first 16 bytes */

/* One packed chunk, in[0] to in[in_size - 1], into out[0] to out[out_size - 1]; returns the bytes
 * written, -1 where it does not hold. */
static gssize
unpack_chunk (const guint8 *in, gsize in_size, guint8 *out, gsize out_size)
{
  gsize from = 0, to = 0;

  while (from < in_size && to < out_size)
    {
      guint8 flags = in[from++];

      for (guint bit = 0; bit < 8 && from < in_size && to < out_size; bit++)
        {
          guint length_bits = MOST_LENGTH_BITS;
          gsize offset, length;
          guint16 match;

          if ((flags >> bit & 1) == 0)
            {
              out[to++] = in[from++];
              continue;
            }
          if (in_size - from < 2 || to == 0)
            return -1;
          match = wpr_etl_get16 (in + from);
          from += 2;
          for (gsize reach = to - 1; reach >= 16; reach >>= 1)
            length_bits--;
          offset = (gsize)(match >> length_bits) + 1;
          length = (match & ((1u << length_bits) - 1)) + LEAST_MATCH;
          if (offset > to)
            return -1;
          /* Byte by byte: a match may lie over what it makes. */
          for (length = MIN (length, out_size - to); length > 0; length--, to++)
            out[to] = out[to - offset];
        }
    }
  return (gssize)to;
}

gssize
wpr_etl_lznt1_unpack (const guint8 *in, gsize in_size, guint8 *out, gsize out_size)
{
  gsize from = 0, to = 0;

  while (in_size - from >= 2 && to < out_size)
    {
      guint16 head = wpr_etl_get16 (in + from);
      gsize size = (head & 0xfffu) + 1, most = MIN ((gsize)CHUNK_BYTES, out_size - to);
      gssize n;

      if (head == 0)
        break;
      from += 2;
      if (size > in_size - from)
        return -1;
      if ((head & IS_PACKED) != 0)
        n = unpack_chunk (in + from, size, out + to, most);
      else
        {
          n = (gssize)MIN (size, most);
          memcpy (out + to, in + from, (gsize)n);
        }
      if (n < 0)
        return -1;
      from += size;
      to += (gsize)n;
    }
  return (gssize)to;
}
