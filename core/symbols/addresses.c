/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A hash set with open addressing: one probe in most cases, since it is asked for every frame of
 * every stack; those of one stack are asked for together. */
#include "config.h"
#include "symbols/addresses.h"

#include <stdlib.h>

#define FIRST_SLOTS 4096
/* The table is larger than a cache: so many of its lines are on their way at a time. */
#define AT_ONCE 16

struct _WprAddressSet
{
  WprSeenAddress *slots; /* address 0: free */
  guint n_slots, n, most;
  guint64 seed, beyond;
};

WprAddressSet *
wpr_address_set_new (guint most)
{
  WprAddressSet *self = g_new0 (WprAddressSet, 1);
  self->most = most;
  /* Who chooses the addresses of a stack must not be able to choose slots. */
  self->seed = (guint64)g_random_int () << 32 | g_random_int ();
  return self;
}

void
wpr_address_set_free (WprAddressSet *self)
{
  if (self == NULL)
    return;
  g_free (self->slots);
  g_free (self);
}

static inline guint
slot_of (const WprAddressSet *self, guint32 space, guint64 address)
{
  guint64 hash = (address ^ self->seed) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  hash ^= hash >> 32;
  hash = (hash + space) * G_GUINT64_CONSTANT (0xd6e8feb86659fd93);
  return (guint)(hash >> 32) & (self->n_slots - 1);
}

static inline WprSeenAddress *
find_from (const WprAddressSet *self, guint i, guint32 space, guint64 address)
{
  while (self->slots[i].address != 0
         && (self->slots[i].address != address || self->slots[i].space != space))
    i = (i + 1) & (self->n_slots - 1);
  return &self->slots[i];
}

static void
grow (WprAddressSet *self)
{
  WprSeenAddress *old = self->slots;
  guint n_old = self->n_slots;
  self->n_slots = MAX (FIRST_SLOTS, n_old * 2);
  self->slots = g_new0 (WprSeenAddress, self->n_slots);
  for (guint i = 0; i < n_old; i++)
    if (old[i].address != 0)
      *find_from (self, slot_of (self, old[i].space, old[i].address), old[i].space, old[i].address)
          = old[i];
  g_free (old);
}

/* There is room for n more, or as many as there may be. */
static inline void
make_room (WprAddressSet *self, guint n)
{
  while (G_UNLIKELY (self->n + n > self->n_slots / 2) && self->n_slots / 2 < self->most)
    grow (self);
}

static inline void
add_at (WprAddressSet *self, guint i, guint32 space, guint64 address)
{
  WprSeenAddress *slot = find_from (self, i, space, address);
  if (G_LIKELY (slot->address != 0))
    slot->count += slot->count < G_MAXUINT32;
  else if (self->n < self->most)
    {
      *slot = (WprSeenAddress){ address, space, 1 };
      self->n++;
    }
  else
    self->beyond++;
}

void
wpr_address_set_add (WprAddressSet *self, guint32 space, guint64 address)
{
  wpr_address_set_add_all (self, space, &address, 1);
}

void
wpr_address_set_add_all (WprAddressSet *self, guint32 space, const guint64 *addresses, guint n)
{
  guint slots[AT_ONCE];
  for (guint done = 0, k; done < n; done += k)
    {
      const guint64 *some = addresses + done;
      k = MIN (n - done, AT_ONCE);
      make_room (self, k);
      if (G_UNLIKELY (self->n_slots == 0))
        {
          self->beyond += k;
          continue;
        }
      for (guint i = 0; i < k; i++)
        {
          slots[i] = slot_of (self, space, some[i]);
          __builtin_prefetch (&self->slots[slots[i]], 1);
        }
      for (guint i = 0; i < k; i++)
        if (some[i] != 0)
          add_at (self, slots[i], space, some[i]);
    }
}

guint
wpr_address_set_size (const WprAddressSet *self)
{
  return self->n;
}

guint64
wpr_address_set_beyond (const WprAddressSet *self)
{
  return self->beyond;
}

static int
compare_addresses (const void *a, const void *b)
{
  const WprSeenAddress *x = a, *y = b;
  if (x->space != y->space)
    return x->space < y->space ? -1 : 1;
  return (x->address > y->address) - (x->address < y->address);
}

WprSeenAddress *
wpr_address_set_take (WprAddressSet *self, guint *n)
{
  WprSeenAddress *all = g_steal_pointer (&self->slots);
  guint kept = 0;
  for (guint i = 0; i < self->n_slots; i++)
    if (all[i].address != 0)
      all[kept++] = all[i];
  if (kept > 0)
    qsort (all, kept, sizeof *all, compare_addresses);
  self->n_slots = self->n = 0;
  *n = kept;
  return all;
}
