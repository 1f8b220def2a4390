/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Addresses that occurred in a recording, each once, with how often. Bounded: what comes when it is
 * full is counted and not kept. Not locked. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  guint64 address; /* never 0 */
  guint32 space;   /* 0: the kernel; what others mean is the caller's */
  guint32 count;   /* saturates */
} WprSeenAddress;

typedef struct _WprAddressSet WprAddressSet;

/* 16 to 32 bytes an address kept. */
WprAddressSet *wpr_address_set_new (guint most);
void wpr_address_set_free (WprAddressSet *set);
void wpr_address_set_add (WprAddressSet *set, guint32 space, guint64 address);
/* The same for each of n, but waits for memory once and not n times. */
void wpr_address_set_add_all (WprAddressSet *set, guint32 space, const guint64 *addresses, guint n);
guint wpr_address_set_size (const WprAddressSet *set);
/* How often an address came that was not kept. */
guint64 wpr_address_set_beyond (const WprAddressSet *set);
/* All of them, by space and address. The set is empty afterwards; free with g_free. */
WprSeenAddress *wpr_address_set_take (WprAddressSet *set, guint *n);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprAddressSet, wpr_address_set_free)

G_END_DECLS
