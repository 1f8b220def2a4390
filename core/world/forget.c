/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What keeps the world bounded: forgetting what was over before the oldest event still held, and
 * pushing out the oldest dead when there are too many of them. */
#include "config.h"
#include "world/world-private.h"

static void
add_owners_anew (WprWorld *world, WprEntry *entry)
{
  g_clear_pointer (&entry->lives, g_ptr_array_unref);
  wpr_entry_add_owners (world, entry);
}

static void
drop_owners (WprWorld *world, const WprLife *life)
{
  for (guint i = 0; i < life->threads->len; i++)
    {
      const WprThreadLife *thread = g_ptr_array_index (life->threads, i);
      if (thread->thread.tid != life->process.pid)
        wpr_world_drop_owner (world, thread->thread.tid, life->process.pid);
    }
}

/* Removes facts for which `goes` says so. */
static void
filter_facts (WprEntry *entry, gboolean (*goes) (WprFact *fact, gpointer data), gpointer data)
{
  guint kept = 0;
  for (guint i = 0; i < entry->n_facts; i++)
    {
      if (goes (&entry->facts[i], data))
        wpr_fact_clear (&entry->facts[i]);
      else
        entry->facts[kept++] = entry->facts[i];
    }
  entry->n_facts = kept;
}

static gboolean
is_told_until (WprFact *fact, gpointer data)
{
  return fact->time <= *(WprTime *)data;
}

static gint
compare_death (gconstpointer a, gconstpointer b)
{
  const WprDeath *x = a, *y = b;
  return x->time < y->time ? -1 : x->time > y->time;
}

/* ---- too many dead processes ---- */

/* The oldest deaths become drop_until of their entries; those that turn out to live (the leader is
 * gone, other threads are not) stay in the list. */
static GPtrArray *
choose_going (WprWorld *world, guint n)
{
  GPtrArray *going = g_ptr_array_new ();
  g_autoptr (GPtrArray) entries = g_ptr_array_new ();
  guint kept = 0;
  for (guint i = 0; i < n; i++)
    {
      WprEntry *entry
          = wpr_world_entry (world, g_array_index (world->deaths, WprDeath, i).pid, FALSE);
      if (entry != NULL)
        g_ptr_array_add (entries, entry);
    }
  wpr_world_need_lives (world, entries);
  for (guint i = 0; i < n; i++)
    {
      WprDeath death = g_array_index (world->deaths, WprDeath, i);
      WprEntry *entry = wpr_world_entry (world, death.pid, FALSE);
      WprLife *life = entry == NULL ? NULL : wpr_lives_at (entry->lives, death.time);
      if (life != NULL && life->process.end == WPR_WORLD_ALIVE)
        g_array_index (world->deaths, WprDeath, kept++) = death;
      else if (life != NULL)
        {
          if (entry->drop_until == WPR_WORLD_BEFORE)
            g_ptr_array_add (going, entry);
          entry->drop_until = MAX (entry->drop_until, life->process.end);
        }
    }
  if (kept < n)
    g_array_remove_range (world->deaths, kept, n - kept);
  return going;
}

static void
no_lives (WprWorld *world, WprEntry *entry, GPtrArray *lives, gpointer data)
{
}

/* Children that stay keep what they were born with. */
static void
keep_births (WprWorld *world)
{
  g_autoptr (GPtrArray) children = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer value;
  g_hash_table_iter_init (&iter, world->entries);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      WprEntry *entry = value;
      gboolean found = FALSE;
      for (guint i = 0; i < entry->n_facts; i++)
        {
          WprFact *fact = &entry->facts[i];
          if (fact->kind != WPR_FACT_FORK || fact->tid != entry->pid || fact->data != NULL
              || fact->time <= entry->drop_until)
            continue;
          WprEntry *parent = wpr_world_entry (world, fact->a, FALSE);
          if (parent == NULL || parent->drop_until < fact->time)
            continue;
          fact->flag = TRUE;
          found = TRUE;
        }
      if (found)
        g_ptr_array_add (children, entry);
    }
  if (children->len > 0)
    wpr_world_derive (world, children, WPR_WORLD_ALIVE, no_lives, NULL);
}

static void
drop_lives (WprWorld *world, WprEntry *entry)
{
  WprTime until = entry->drop_until;
  for (guint i = 0; i < entry->lives->len; i++)
    {
      const WprLife *life = g_ptr_array_index (entry->lives, i);
      if (life->process.end > until)
        break;
      drop_owners (world, life);
      world->n_forgotten++;
    }
  filter_facts (entry, is_told_until, &until);
  entry->drop_until = WPR_WORLD_BEFORE;
  if (entry->n_facts == 0)
    g_hash_table_remove (world->entries, GUINT_TO_POINTER (entry->pid));
  else
    add_owners_anew (world, entry);
}

static void
push_out_processes (WprWorld *world)
{
  /* An eighth at a time: looking for their children takes a walk over all. */
  guint n = world->deaths->len - (world->max_dead - world->max_dead / 8);
  g_array_sort (world->deaths, compare_death);
  g_autoptr (GPtrArray) going = choose_going (world, MIN (n, world->deaths->len));
  if (going->len > 0)
    keep_births (world);
  for (guint i = 0; i < going->len; i++)
    drop_lives (world, g_ptr_array_index (going, i));
  world->deaths_at = MAX (world->max_dead, world->deaths->len + world->max_dead / 8);
}

/* ---- too many dead threads of processes that live ---- */

static gboolean
was_thread_gone (GHashTable *gone, guint32 tid, WprTime when)
{
  WprTime *until = g_hash_table_lookup (gone, GUINT_TO_POINTER (tid));
  return until != NULL && when <= *until;
}

static gboolean
tells_of_gone_thread (WprFact *fact, gpointer data)
{
  if (fact->kind == WPR_FACT_BASE)
    {
      WprLife *life = fact->data;
      for (guint i = life->threads->len; i-- > 0;)
        {
          const WprThreadLife *thread = g_ptr_array_index (life->threads, i);
          if (was_thread_gone (data, thread->thread.tid, thread->thread.start))
            g_ptr_array_remove_index (life->threads, i);
        }
      return FALSE;
    }
  if (fact->kind == WPR_FACT_PROC)
    {
      WprProcShot *shot = fact->data;
      for (guint i = shot->threads->len; i-- > 0;)
        {
          WprProcThread *thread = &g_array_index (shot->threads, WprProcThread, i);
          if (!was_thread_gone (data, thread->tid, fact->time))
            continue;
          g_ref_string_release (thread->name);
          g_array_remove_index (shot->threads, i);
        }
      return FALSE;
    }
  return fact->kind != WPR_FACT_MMAP && was_thread_gone (data, fact->tid, fact->time);
}

/* Threads that stay keep the name their creator gave them. */
static void
keep_thread_names (WprEntry *entry)
{
  for (guint i = 0; i < entry->n_facts; i++)
    {
      WprFact *fact = &entry->facts[i];
      if (fact->kind != WPR_FACT_FORK || fact->tid == entry->pid || fact->data != NULL)
        continue;
      WprLife *life = wpr_lives_at (entry->lives, fact->time);
      WprThreadLife *thread
          = life == NULL ? NULL : wpr_life_thread_at (life, fact->tid, fact->time);
      if (thread == NULL || thread->thread.names->len == 0)
        continue;
      fact->data
          = g_ref_string_acquire (g_array_index (thread->thread.names, WprThreadName, 0).name);
      fact->data_is_name = TRUE;
    }
}

static void
push_out_threads_of (WprWorld *world, WprEntry *entry, GHashTable *gone)
{
  GHashTableIter iter;
  gpointer tid;
  wpr_world_lives (world, entry);
  keep_thread_names (entry);
  filter_facts (entry, tells_of_gone_thread, gone);
  g_hash_table_iter_init (&iter, gone);
  while (g_hash_table_iter_next (&iter, &tid, NULL))
    wpr_world_drop_owner (world, GPOINTER_TO_UINT (tid), entry->pid);
  add_owners_anew (world, entry);
}

static void
push_out_threads (WprWorld *world)
{
  guint n = world->thread_deaths->len - (world->max_dead - world->max_dead / 8);
  g_autoptr (GHashTable) processes = g_hash_table_new_full (
      NULL, NULL, NULL, (GDestroyNotify)g_hash_table_unref); /* pid -> tid -> until */
  GHashTableIter iter;
  gpointer pid, gone;
  g_array_sort (world->thread_deaths, compare_death);
  n = MIN (n, world->thread_deaths->len);
  for (guint i = 0; i < n; i++)
    {
      WprDeath *death = &g_array_index (world->thread_deaths, WprDeath, i);
      GHashTable *tids = g_hash_table_lookup (processes, GUINT_TO_POINTER (death->pid));
      if (tids == NULL)
        {
          tids = g_hash_table_new (NULL, NULL);
          g_hash_table_insert (processes, GUINT_TO_POINTER (death->pid), tids);
        }
      g_hash_table_insert (tids, GUINT_TO_POINTER (death->tid), &death->time); /* later ones win */
    }
  g_hash_table_iter_init (&iter, processes);
  while (g_hash_table_iter_next (&iter, &pid, &gone))
    {
      WprEntry *entry = wpr_world_entry (world, GPOINTER_TO_UINT (pid), FALSE);
      if (entry != NULL)
        push_out_threads_of (world, entry, gone);
    }
  g_array_remove_range (world->thread_deaths, 0, n);
  world->thread_deaths_at = MAX (world->max_dead, 1);
}

void
wpr_world_note_death (WprWorld *world, WprTime time, guint32 pid, guint32 tid)
{
  WprDeath death = { .time = time, .pid = pid, .tid = tid };
  GArray *deaths = pid == tid ? world->deaths : world->thread_deaths;
  g_array_append_val (deaths, death);
  if (pid == tid && deaths->len > world->deaths_at)
    push_out_processes (world);
  else if (pid != tid && deaths->len > world->thread_deaths_at)
    push_out_threads (world);
}

/* ---- what was over before the oldest event ---- */

static gboolean
has_what_ends (const WprLife *life)
{
  if (life->process.end != WPR_WORLD_ALIVE || life->process.programs->len > 1)
    return TRUE;
  for (guint i = 0; i < life->threads->len; i++)
    {
      const WprThreadLife *thread = g_ptr_array_index (life->threads, i);
      if (thread->thread.end != WPR_WORLD_ALIVE || thread->thread.names->len > 1)
        return TRUE;
    }
  for (guint i = 0; i < life->maps->len; i++)
    if (g_array_index (life->maps, WprMapState, i).until != WPR_WORLD_ALIVE)
      return TRUE;
  return FALSE;
}

static gboolean
has_old (const WprEntry *entry, WprTime oldest)
{
  for (guint i = 0; i < entry->n_facts && entry->facts[i].time <= oldest; i++)
    if (entry->facts[i].kind != WPR_FACT_BASE || has_what_ends (entry->facts[i].data))
      return TRUE;
  return FALSE;
}

/* All that was told up to `oldest` becomes one state a life. */
static void
rebase (WprWorld *world, WprEntry *entry, GPtrArray *lives, gpointer data)
{
  WprTime oldest = *(WprTime *)data;
  g_autoptr (GArray) bases = g_array_new (FALSE, FALSE, sizeof (WprFact));
  if (entry->drop_until == WPR_WORLD_BEFORE)
    return; /* a parent derived along */
  entry->drop_until = WPR_WORLD_BEFORE;
  for (guint i = 0; i < lives->len; i++)
    drop_owners (world, g_ptr_array_index (lives, i));
  g_ptr_array_set_free_func (lives, NULL);
  for (guint i = 0; i < lives->len; i++)
    {
      WprLife *life = g_ptr_array_index (lives, i);
      if (life->process.end < oldest)
        {
          wpr_life_free (life);
          continue;
        }
      wpr_life_trim (life, oldest);
      WprFact fact
          = { .time = life->process.start, .kind = WPR_FACT_BASE, .tid = entry->pid, .data = life };
      g_array_append_val (bases, fact);
    }
  g_ptr_array_set_size (lives, 0);
  filter_facts (entry, is_told_until, &oldest);
  if (entry->n_facts + bases->len > entry->n_room)
    {
      entry->n_room = entry->n_facts + bases->len;
      entry->facts = g_renew (WprFact, entry->facts, entry->n_room);
    }
  memmove (entry->facts + bases->len, entry->facts, entry->n_facts * sizeof (WprFact));
  memcpy (entry->facts, bases->data, bases->len * sizeof (WprFact));
  entry->n_facts += bases->len;
  add_owners_anew (world, entry);
}

/* Deaths of what is no longer held; of a process whose leader alone is gone they stay. */
static void
forget_deaths (WprWorld *world, GArray *deaths, WprTime oldest)
{
  guint kept = 0;
  for (guint i = 0; i < deaths->len; i++)
    {
      WprDeath death = g_array_index (deaths, WprDeath, i);
      WprEntry *entry = wpr_world_entry (world, death.pid, FALSE);
      if (entry == NULL)
        continue;
      const WprFact *first = entry->n_facts > 0 ? &entry->facts[0] : NULL;
      gboolean goes_on = first != NULL && first->kind == WPR_FACT_BASE && death.pid == death.tid
                         && first->time <= death.time && ((WprLife *)first->data)->leader_exited;
      if (death.time >= oldest || goes_on)
        g_array_index (deaths, WprDeath, kept++) = death;
    }
  g_array_set_size (deaths, kept);
}

void
wpr_world_forget (WprWorld *world, WprTime oldest)
{
  g_autoptr (GPtrArray) entries = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer value;
  g_return_if_fail (world != NULL);
  g_hash_table_iter_init (&iter, world->entries);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      WprEntry *entry = value;
      if (!has_old (entry, oldest))
        continue;
      entry->drop_until = oldest;
      g_ptr_array_add (entries, entry);
    }
  wpr_world_derive (world, entries, oldest, rebase, &oldest);
  g_hash_table_iter_init (&iter, world->entries);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      const WprEntry *entry = value;
      if (entry->n_facts == 0 && entry->latest_child < oldest)
        g_hash_table_iter_remove (&iter);
    }
  forget_deaths (world, world->deaths, oldest);
  forget_deaths (world, world->thread_deaths, oldest);
  world->deaths_at = MAX (world->max_dead, world->deaths->len);
  world->thread_deaths_at = MAX (world->max_dead, world->thread_deaths->len);
}
