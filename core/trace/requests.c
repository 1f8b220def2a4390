/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* See requests.h. */
#include "config.h"
#include "trace/requests.h"

/* A device has some thousand requests on their way at most (NVMe: 1 023 a queue); sets of 8, 40
 * bytes each: 640 KiB. */
#define N_SETS 2048
#define SET 8
/* Linux' dev_t as tracepoints print it: 12 bits of major above 20 of minor. */
#define MINOR_BITS 20
#define NOBODY G_MAXUINT32

typedef struct
{
  guint64 sector, first; /* first: of the request this is left of */
  gint64 issue_time;     /* -1: not issued yet */
  guint32 dev, n_sectors, issuer;
  guint32 age; /* 0: free */
} Slot;

struct _WprRequests
{
  guint32 clock;
  Slot requests[N_SETS][SET];
  Slot bios[N_SETS][SET]; /* dev: the major number */
};

WprRequests *
wpr_requests_new (void)
{
  return g_new0 (WprRequests, 1);
}

void
wpr_requests_free (WprRequests *requests)
{
  g_free (requests);
}

static guint
set_of (guint32 dev, guint64 sector)
{
  /* Sectors are multiples of 8: Fibonacci hashing spreads what the low bits do not. */
  guint64 key = (sector ^ ((guint64)dev << 40)) * G_GUINT64_CONSTANT (0x9E3779B97F4A7C15);
  return (guint)(key >> 40) % N_SETS;
}

static Slot *
find (Slot (*sets)[SET], guint32 dev, guint64 sector)
{
  Slot *set = sets[set_of (dev, sector)];
  for (guint i = 0; i < SET; i++)
    if (set[i].age != 0 && set[i].sector == sector && set[i].dev == dev)
      return &set[i];
  return NULL;
}

/* The one that is there, else a free place, else the oldest's. */
static Slot *
take (WprRequests *self, Slot (*sets)[SET], guint32 dev, guint64 sector)
{
  Slot *set = sets[set_of (dev, sector)];
  Slot *slot = find (sets, dev, sector);
  if (slot == NULL)
    {
      slot = &set[0];
      for (guint i = 1; i < SET; i++)
        if (set[i].age < slot->age)
          slot = &set[i];
      *slot = (Slot){ .sector = sector, .dev = dev, .issue_time = -1, .issuer = NOBODY };
    }
  slot->age = ++self->clock;
  return slot;
}

/* Who queued the bio a request begins with; forgotten once asked. */
static guint32
bio_owner (WprRequests *self, guint32 dev, guint64 sector)
{
  Slot *slot = find (self->bios, dev >> MINOR_BITS, sector);
  if (slot == NULL)
    return NOBODY;
  slot->age = 0;
  return slot->issuer;
}

void
wpr_requests_queued (WprRequests *self, guint32 dev, guint64 sector, guint32 tid)
{
  take (self, self->bios, dev >> MINOR_BITS, sector)->issuer = tid;
}

void
wpr_requests_inserted (WprRequests *self, guint32 dev, guint64 sector, guint32 tid)
{
  guint32 owner = bio_owner (self, dev, sector);
  Slot *slot = take (self, self->requests, dev, sector);
  slot->issue_time = -1;
  slot->issuer = owner != NOBODY ? owner : tid;
}

guint32
wpr_requests_issued (WprRequests *self, guint32 dev, guint64 sector, guint32 n_sectors, gint64 time,
                     guint32 tid)
{
  guint32 owner = bio_owner (self, dev, sector);
  Slot *slot = take (self, self->requests, dev, sector);
  if (owner != NOBODY)
    slot->issuer = owner;
  else if (slot->issuer == NOBODY || slot->issue_time >= 0)
    slot->issuer = tid;
  slot->issue_time = time;
  slot->first = sector;
  slot->n_sectors = n_sectors;
  return slot->issuer;
}

WprRequest
wpr_requests_completed (WprRequests *self, guint32 dev, guint64 sector, guint32 n_sectors)
{
  Slot *slot = find (self->requests, dev, sector);
  if (slot == NULL || slot->issue_time < 0)
    return (WprRequest){ -1, 0, sector };
  Slot done = *slot;
  slot->age = 0;
  if (n_sectors > 0 && n_sectors < done.n_sectors)
    {
      Slot *rest = take (self, self->requests, dev, sector + n_sectors);
      rest->issue_time = done.issue_time;
      rest->issuer = done.issuer;
      rest->first = done.first;
      rest->n_sectors = done.n_sectors - n_sectors;
    }
  return (WprRequest){ done.issue_time, done.issuer, done.first };
}
