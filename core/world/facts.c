/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Keeping what was told: one list of facts a pid, sorted by time; texts are interned. */
#include "config.h"
#include "world/world-private.h"

char *
wpr_text (const char *text)
{
  if (text == NULL || g_utf8_validate (text, -1, NULL))
    return text == NULL ? NULL : g_ref_string_new_intern (text);
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  return g_ref_string_new_intern (valid);
}

/* The path's bytes are kept as they are: a file must be found by them. */
WprMapInfo *
wpr_map_info_new (const WprMapping *mapping)
{
  WprMapInfo *info = g_new (WprMapInfo, 1);
  info->mapping = *mapping;
  info->mapping.path = g_ref_string_new_intern (mapping->path);
  info->refs = 1;
  return info;
}

WprMapInfo *
wpr_map_info_ref (WprMapInfo *info)
{
  info->refs++;
  return info;
}

void
wpr_map_info_unref (WprMapInfo *info)
{
  if (--info->refs > 0)
    return;
  g_ref_string_release (info->mapping.path);
  g_free (info);
}

void
wpr_proc_shot_free (WprProcShot *shot)
{
  g_clear_pointer (&shot->exe, g_ref_string_release);
  g_clear_pointer (&shot->comm, g_ref_string_release);
  g_clear_pointer (&shot->cmdline, g_ref_string_release);
  g_ptr_array_unref (shot->maps);
  for (guint i = 0; i < shot->threads->len; i++)
    g_ref_string_release (g_array_index (shot->threads, WprProcThread, i).name);
  g_array_unref (shot->threads);
  g_free (shot);
}

void
wpr_fact_clear (WprFact *fact)
{
  if (fact->data == NULL)
    return;
  switch ((WprFactKind)fact->kind)
    {
    case WPR_FACT_BASE:
      wpr_life_free (fact->data);
      break;
    case WPR_FACT_FORK:
      if (fact->data_is_name)
        g_ref_string_release (fact->data);
      else
        wpr_life_free (fact->data);
      break;
    case WPR_FACT_PROC:
      wpr_proc_shot_free (fact->data);
      break;
    case WPR_FACT_MMAP:
      wpr_map_info_unref (fact->data);
      break;
    case WPR_FACT_COMM:
    case WPR_FACT_CMDLINE:
      g_ref_string_release (fact->data);
      break;
    case WPR_FACT_GONE:
      g_free (fact->data);
      break;
    case WPR_FACT_UID:
    case WPR_FACT_EXIT:
    case WPR_FACT_N_KINDS:
      break;
    }
  fact->data = NULL;
}

WprEntry *
wpr_world_entry (WprWorld *world, guint32 pid, gboolean make)
{
  WprEntry *entry = g_hash_table_lookup (world->entries, GUINT_TO_POINTER (pid));
  if (entry != NULL || !make)
    return entry;
  entry = g_new0 (WprEntry, 1);
  entry->pid = pid;
  entry->latest_child = entry->drop_until = WPR_WORLD_BEFORE;
  g_hash_table_insert (world->entries, GUINT_TO_POINTER (pid), entry);
  return entry;
}

void
wpr_entry_free (WprEntry *entry)
{
  for (guint i = 0; i < entry->n_facts; i++)
    wpr_fact_clear (&entry->facts[i]);
  g_free (entry->facts);
  g_clear_pointer (&entry->lives, g_ptr_array_unref);
  g_free (entry);
}

static gboolean
goes_before (const WprFact *a, const WprFact *b)
{
  return a->time < b->time || (a->time == b->time && a->kind < b->kind);
}

/* Behind all that are not later. Nearly always the end, or close to it. */
static guint
position (const WprEntry *entry, const WprFact *fact)
{
  guint low = 0, high = entry->n_facts, middle = high > 0 ? high - 1 : 0;
  while (low < high)
    {
      if (goes_before (fact, &entry->facts[middle]))
        high = middle;
      else
        low = middle + 1;
      middle = high - low > 64 ? (low + high) / 2 : high - (high > low);
    }
  return low;
}

static void
insert (WprEntry *entry, const WprFact *fact)
{
  if (entry->n_facts == entry->n_room)
    {
      entry->n_room = entry->n_room == 0 ? 4 : entry->n_room * 2;
      entry->facts = g_renew (WprFact, entry->facts, entry->n_room);
    }
  guint at = position (entry, fact);
  memmove (&entry->facts[at + 1], &entry->facts[at], (entry->n_facts - at) * sizeof (WprFact));
  entry->facts[at] = *fact;
  entry->n_facts++;
}

/* Something told of somebody who was there before /proc was read, and was not listed. */
static void
insert_gone (WprWorld *world, WprEntry *entry)
{
  WprFact gone = { .time = world->listed_end, .kind = WPR_FACT_GONE, .tid = entry->pid };
  for (guint i = 0; i < entry->n_facts; i++)
    if (entry->facts[i].kind == WPR_FACT_GONE && entry->facts[i].time == gone.time)
      return;
  gone.data = g_memdup2 (&world->listed_begun, sizeof world->listed_begun);
  insert (entry, &gone);
}

void
wpr_entry_add (WprWorld *world, WprEntry *entry, const WprFact *fact)
{
  insert (entry, fact);
  if (world->listed != NULL && fact->time < world->listed_begun
      && !g_hash_table_contains (world->listed, GUINT_TO_POINTER (entry->pid)))
    insert_gone (world, entry);
  g_clear_pointer (&entry->lives, g_ptr_array_unref);
  /* Children may have been derived without it. What /proc shows was so before. */
  if (fact->time <= entry->latest_child
      || (fact->kind == WPR_FACT_PROC && entry->latest_child != WPR_WORLD_BEFORE))
    world->generation++;
}

/* ---- whose thread a tid is ---- */

void
wpr_world_add_owner (WprWorld *world, guint32 tid, guint32 pid)
{
  gpointer key = GUINT_TO_POINTER (tid), owner;
  if (!g_hash_table_lookup_extended (world->owners, key, NULL, &owner))
    {
      g_hash_table_insert (world->owners, key, GUINT_TO_POINTER (pid));
      return;
    }
  if (GPOINTER_TO_UINT (owner) == pid)
    return;
  GArray *more = g_hash_table_lookup (world->owners_more, key);
  if (more == NULL)
    {
      more = g_array_new (FALSE, FALSE, sizeof (guint32));
      g_hash_table_insert (world->owners_more, key, more);
    }
  for (guint i = 0; i < more->len; i++)
    if (g_array_index (more, guint32, i) == pid)
      return;
  g_array_append_val (more, pid);
}

void
wpr_world_drop_owner (WprWorld *world, guint32 tid, guint32 pid)
{
  gpointer key = GUINT_TO_POINTER (tid), owner;
  GArray *more = g_hash_table_lookup (world->owners_more, key);
  for (guint i = 0; more != NULL && i < more->len; i++)
    if (g_array_index (more, guint32, i) == pid)
      {
        g_array_remove_index_fast (more, i);
        break;
      }
  if (g_hash_table_lookup_extended (world->owners, key, NULL, &owner)
      && GPOINTER_TO_UINT (owner) == pid)
    {
      g_hash_table_remove (world->owners, key);
      if (more != NULL && more->len > 0)
        {
          g_hash_table_insert (world->owners, key,
                               GUINT_TO_POINTER (g_array_index (more, guint32, more->len - 1)));
          g_array_set_size (more, more->len - 1);
        }
    }
  if (more != NULL && more->len == 0)
    g_hash_table_remove (world->owners_more, key);
}

/* Every thread an entry's facts speak of. */
void
wpr_entry_add_owners (WprWorld *world, const WprEntry *entry)
{
  for (guint i = 0; i < entry->n_facts; i++)
    {
      const WprFact *fact = &entry->facts[i];
      if (fact->tid != entry->pid && fact->kind != WPR_FACT_MMAP && fact->kind != WPR_FACT_BASE)
        wpr_world_add_owner (world, fact->tid, entry->pid);
      if (fact->kind == WPR_FACT_BASE)
        {
          const WprLife *life = fact->data;
          for (guint n = 0; n < life->threads->len; n++)
            {
              const WprThreadLife *thread = g_ptr_array_index (life->threads, n);
              if (thread->thread.tid != entry->pid)
                wpr_world_add_owner (world, thread->thread.tid, entry->pid);
            }
        }
      if (fact->kind == WPR_FACT_PROC)
        {
          const WprProcShot *shot = fact->data;
          for (guint n = 0; n < shot->threads->len; n++)
            {
              guint32 tid = g_array_index (shot->threads, WprProcThread, n).tid;
              if (tid != entry->pid)
                wpr_world_add_owner (world, tid, entry->pid);
            }
        }
    }
}
