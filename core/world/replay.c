/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Deriving the lives of several pids together, in time order, with those they inherit from; and
 * keeping them until something new is told. */
#include "config.h"
#include "world/world-private.h"

#include <stdlib.h>

static gboolean
is_derived (const WprWorld *world, const WprEntry *entry)
{
  return entry->lives != NULL && entry->lives_generation == world->generation;
}

static void
begin_derivation (WprWorld *world, WprEntry *entry, GPtrArray *set)
{
  if (entry->derivation != NULL)
    return;
  entry->derivation = wpr_derivation_new (world, entry);
  g_ptr_array_add (set, entry);
}

/* Those a life inherits from are derived along, unless they have been. */
static void
add_parents (WprWorld *world, GPtrArray *set, WprTime limit)
{
  for (guint n = 0; n < set->len; n++)
    {
      const WprEntry *entry = g_ptr_array_index (set, n);
      for (guint i = 0; i < entry->n_facts && entry->facts[i].time <= limit; i++)
        {
          const WprFact *fact = &entry->facts[i];
          if (fact->kind != WPR_FACT_FORK || fact->tid != entry->pid || fact->data != NULL)
            continue;
          WprEntry *parent = wpr_world_entry (world, fact->a, FALSE);
          if (parent != NULL && !is_derived (world, parent))
            begin_derivation (world, parent, set);
        }
    }
}

typedef struct
{
  WprTime time;
  guint8 kind;
  guint index;
  WprEntry *entry;
} Step;

static int
compare_step (const void *a, const void *b)
{
  const Step *x = a, *y = b;
  if (x->time != y->time)
    return x->time < y->time ? -1 : 1;
  if (x->kind != y->kind)
    return (int)x->kind - (int)y->kind;
  if (x->entry != y->entry)
    return x->entry->pid < y->entry->pid ? -1 : 1;
  return x->index < y->index ? -1 : x->index > y->index;
}

/* A pid may have been its own grandparent's: so all go forward in time together. */
static void
replay (GPtrArray *set, WprTime limit)
{
  g_autoptr (GArray) steps = g_array_new (FALSE, FALSE, sizeof (Step));
  for (guint n = 0; n < set->len; n++)
    {
      WprEntry *entry = g_ptr_array_index (set, n);
      for (guint i = 0; i < entry->n_facts && entry->facts[i].time <= limit; i++)
        {
          Step step = { entry->facts[i].time, entry->facts[i].kind, i, entry };
          g_array_append_val (steps, step);
        }
    }
  if (set->len > 1)
    qsort (steps->data, steps->len, sizeof (Step), compare_step);
  for (guint i = 0; i < steps->len; i++)
    {
      const Step *step = &g_array_index (steps, Step, i);
      wpr_derivation_take (step->entry->derivation, &step->entry->facts[step->index]);
    }
}

void
wpr_world_derive (WprWorld *world, GPtrArray *entries, WprTime limit, WprDerived func,
                  gpointer data)
{
  g_autoptr (GPtrArray) set = g_ptr_array_new ();
  for (guint i = 0; i < entries->len; i++)
    begin_derivation (world, g_ptr_array_index (entries, i), set);
  add_parents (world, set, limit);
  replay (set, limit);
  for (guint i = 0; i < set->len; i++)
    {
      WprEntry *entry = g_ptr_array_index (set, i);
      g_autoptr (GPtrArray) lives = wpr_derivation_finish (g_steal_pointer (&entry->derivation));
      func (world, entry, lives, data);
    }
}

static void
keep_lives (WprWorld *world, WprEntry *entry, GPtrArray *lives, gpointer data)
{
  g_clear_pointer (&entry->lives, g_ptr_array_unref);
  entry->lives = g_ptr_array_ref (lives);
  entry->lives_generation = world->generation;
}

/* Lives of all of these, derived in one go. */
void
wpr_world_need_lives (WprWorld *world, GPtrArray *entries)
{
  g_autoptr (GPtrArray) missing = g_ptr_array_new ();
  for (guint i = 0; i < entries->len; i++)
    if (!is_derived (world, g_ptr_array_index (entries, i)))
      g_ptr_array_add (missing, g_ptr_array_index (entries, i));
  if (missing->len > 0)
    wpr_world_derive (world, missing, WPR_WORLD_ALIVE, keep_lives, NULL);
}

void
wpr_world_derive_all (WprWorld *world)
{
  g_autoptr (GPtrArray) entries = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer entry;
  g_hash_table_iter_init (&iter, world->entries);
  while (g_hash_table_iter_next (&iter, NULL, &entry))
    g_ptr_array_add (entries, entry);
  wpr_world_need_lives (world, entries);
}

GPtrArray *
wpr_world_lives (WprWorld *world, WprEntry *entry)
{
  if (!is_derived (world, entry))
    {
      g_autoptr (GPtrArray) entries = g_ptr_array_new ();
      g_ptr_array_add (entries, entry);
      wpr_world_need_lives (world, entries);
    }
  return entry->lives;
}

/* The last one begun by then; a dying task's last switch comes after its exit record. */
WprLife *
wpr_lives_at (GPtrArray *lives, WprTime when)
{
  guint low = 0, high = lives->len;
  while (low < high)
    {
      guint middle = (low + high) / 2;
      if (((WprLife *)g_ptr_array_index (lives, middle))->process.start <= when)
        low = middle + 1;
      else
        high = middle;
    }
  return low == 0 ? NULL : g_ptr_array_index (lives, low - 1);
}
