/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* XPRESS, the plain LZ77 kind, compressing: what ETW does to the buffers of a compressed file. The
 * way back is xpress.c's. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Tables, kept from buffer to buffer; 48 KiB. One thread at a time. */
typedef struct _WprXpressEncoder WprXpressEncoder;
WprXpressEncoder *wpr_xpress_encoder_new (void);
void wpr_xpress_encoder_free (WprXpressEncoder *self);
/* At most 65535 bytes in. Returns the bytes put into `out`, 0 where they do not fit into `most`:
 * the caller then keeps the buffer as it is. */
gsize wpr_xpress_encode (WprXpressEncoder *self, const guint8 *in, gsize size, guint8 *out,
                         gsize most);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprXpressEncoder, wpr_xpress_encoder_free)

G_END_DECLS
