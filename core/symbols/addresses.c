/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A hash set with open addressing: one probe in most cases, since it is asked for every frame of
 * every stack. */
#include "config.h"
#include "symbols/addresses.h"

#include <stdlib.h>

#define FIRST_SLOTS 4096

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

static WprSeenAddress *
find (const WprAddressSet *self, guint32 space, guint64 address)
{
  guint i = slot_of (self, space, address);
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
      *find (self, old[i].space, old[i].address) = old[i];
  g_free (old);
}

void
wpr_address_set_add (WprAddressSet *self, guint32 space, guint64 address)
{
  if (address == 0)
    return;
  if (G_UNLIKELY (self->n >= self->n_slots / 2) && self->n < self->most)
    grow (self);
  if (G_UNLIKELY (self->n_slots == 0))
    {
      self->beyond++;
      return;
    }
  WprSeenAddress *slot = find (self, space, address);
  if (slot->address != 0)
    slot->count += slot->count < G_MAXUINT32;
  else if (self->n < self->most)
    {
      *slot = (WprSeenAddress){ address, space, 1 };
      self->n++;
    }
  else
    self->beyond++;
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
