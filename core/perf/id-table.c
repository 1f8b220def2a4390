/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Event id -> row and sample_type, asked once a record: open addressing, half empty at least. The
 * kernel counts ids from 1, so 0 marks an empty place. */
#include "config.h"
#include "perf/record.h"
#include "perf/record-private.h"

/* A power of two; an ordinary recording has some hundred ids. */
#define PLACES_AT_FIRST 256

typedef struct
{
  guint64 id, sample_type;
  guint32 row;
} Entry;

struct _WprIdTable
{
  Entry *entries;
  gsize n_places, n_used;
  Entry fault; /* any entry of the row of faults; id 0: there is none, or more than one such row */
  gboolean many_faults;
};

WprIdTable *
wpr_id_table_new (void)
{
  WprIdTable *table = g_new0 (WprIdTable, 1);
  table->n_places = PLACES_AT_FIRST;
  table->entries = g_new0 (Entry, table->n_places);
  return table;
}

void
wpr_id_table_free (WprIdTable *table)
{
  if (table == NULL)
    return;
  g_free (table->entries);
  g_free (table);
}

/* The id's place, or the empty one where it would go. Ids are consecutive: the multiplication
 * (2^64 / golden ratio) spreads them, the high bits are the good ones. */
static Entry *
place_of (const WprIdTable *table, guint64 id)
{
  gsize index = (gsize)((id * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15)) >> 32);

  for (;; index++)
    {
      Entry *entry = &table->entries[index & (table->n_places - 1)];
      if (entry->id == id || entry->id == 0)
        return entry;
    }
}

static void
grow (WprIdTable *table)
{
  g_autofree Entry *old = table->entries;
  gsize n_old = table->n_places;

  table->n_places *= 2;
  table->entries = g_new0 (Entry, table->n_places);
  for (gsize i = 0; i < n_old; i++)
    if (old[i].id != 0)
      *place_of (table, old[i].id) = old[i];
}

/* Of all we open only faults sample an address, and no bytes. */
static void
note_fault (WprIdTable *table, const Entry *entry)
{
  if ((entry->sample_type & (PERF_SAMPLE_ADDR | PERF_SAMPLE_RAW)) != PERF_SAMPLE_ADDR)
    return;
  table->many_faults |= table->fault.id != 0 && table->fault.row != entry->row;
  table->fault = *entry;
}

void
wpr_id_table_add (WprIdTable *table, guint64 id, guint32 row, guint64 sample_type)
{
  g_return_if_fail (table != NULL && id != 0);

  if (2 * (table->n_used + 1) > table->n_places)
    grow (table);
  Entry *entry = place_of (table, id);
  table->n_used += entry->id == 0;
  *entry = (Entry){ .id = id, .sample_type = sample_type, .row = row };
  note_fault (table, entry);
}

gboolean
wpr_id_table_fault (const WprIdTable *table, guint32 *row, guint64 *sample_type)
{
  *row = table->fault.row;
  *sample_type = table->fault.sample_type;
  return table->fault.id != 0 && !table->many_faults;
}

gboolean
wpr_id_table_find (const WprIdTable *table, guint64 id, guint32 *row, guint64 *sample_type)
{
  const Entry *entry = place_of (table, id);
  if (id == 0 || entry->id != id)
    return FALSE;
  *row = entry->row;
  *sample_type = entry->sample_type;
  return TRUE;
}
