/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What buffers of compressed files are packed with (facts: MS-XCA). Decoders of a stranger's bytes:
 * they read and write only what they are given, allocate nothing, and every step takes input or
 * makes output. Private to this room. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* All three: unpack `in` into `out` until that is full or the input ends. Returns the bytes
 * written, -1 where the input does not hold. */
typedef gssize (*WprEtlUnpack) (const guint8 *in, gsize in_size, guint8 *out, gsize out_size);

/* LZNT1: chunks of 4096 bytes, each with a header of 2. */
gssize wpr_etl_lznt1_unpack (const guint8 *in, gsize in_size, guint8 *out, gsize out_size);
/* XPRESS, plain LZ77: matches of 8 KiB back at most. */
gssize wpr_etl_xpress_unpack (const guint8 *in, gsize in_size, guint8 *out, gsize out_size);
/* XPRESS with Huffman codes: blocks of 64 KiB, each behind a table of 256 bytes. */
gssize wpr_etl_xpress_huffman_unpack (const guint8 *in, gsize in_size, guint8 *out, gsize out_size);

G_END_DECLS
