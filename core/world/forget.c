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
      if (life != NULL && life->process.end == WPR_WORLD_ALIVE && life->leader_exited)
        g_array_index (world->deaths, WprDeath, kept++) = death;
      else if (life != NULL && life->process.end != WPR_WORLD_ALIVE)
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

/* Children that stay keep what they were born with. all: also those whose own facts of that time
 * are about to be folded. */
static void
keep_births (WprWorld *world, gboolean all)
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
              || (!all && fact->time <= entry->drop_until))
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
    keep_births (world, FALSE);
  for (guint i = 0; i < going->len; i++)
    drop_lives (world, g_ptr_array_index (going, i));
  world->deaths_at = MAX (world->max_dead, world->deaths->len + world->max_dead / 8);
}

/* ---- folding ---- */

typedef struct
{
  WprTime until;
  WprEntry *threads_of; /* of this one alone, and nothing goes but threads that are over; NULL: of
                           all marked by drop_until */
} Fold;

static void
drop_dead_threads (WprLife *life)
{
  for (guint i = life->threads->len; i-- > 0;)
    {
      const WprThreadLife *thread = g_ptr_array_index (life->threads, i);
      if (thread->thread.tid != life->process.pid && thread->thread.end != WPR_WORLD_ALIVE)
        g_ptr_array_remove_index (life->threads, i);
    }
}

/* Steals the lives that stay. */
static void
make_bases (GPtrArray *lives, const Fold *fold, GArray *bases)
{
  g_ptr_array_set_free_func (lives, NULL);
  for (guint i = 0; i < lives->len; i++)
    {
      WprLife *life = g_ptr_array_index (lives, i);
      WprFact fact = {
        .time = life->process.start, .kind = WPR_FACT_BASE, .tid = life->process.pid, .data = life
      };
      if (fold->threads_of == NULL && life->process.end < fold->until)
        {
          wpr_life_free (life);
          continue;
        }
      if (fold->threads_of != NULL)
        drop_dead_threads (life);
      else
        wpr_life_trim (life, fold->until);
      g_array_append_val (bases, fact);
    }
  g_ptr_array_set_size (lives, 0);
}

static void
put_first (WprEntry *entry, const GArray *facts)
{
  if (entry->n_facts + facts->len > entry->n_room)
    {
      entry->n_room = entry->n_facts + facts->len;
      entry->facts = g_renew (WprFact, entry->facts, entry->n_room);
    }
  memmove (entry->facts + facts->len, entry->facts, entry->n_facts * sizeof (WprFact));
  memcpy (entry->facts, facts->data, facts->len * sizeof (WprFact));
  entry->n_facts += facts->len;
}

/* All that was told up to a time becomes one state a life. Parents are derived along and stay as
 * they are. */
static void
fold_entry (WprWorld *world, WprEntry *entry, GPtrArray *lives, gpointer data)
{
  Fold *fold = data;
  g_autoptr (GArray) bases = g_array_new (FALSE, FALSE, sizeof (WprFact));
  if (entry->drop_until == WPR_WORLD_BEFORE
      || (fold->threads_of != NULL && fold->threads_of != entry))
    return;
  entry->drop_until = WPR_WORLD_BEFORE;
  for (guint i = 0; i < lives->len; i++)
    drop_owners (world, g_ptr_array_index (lives, i));
  make_bases (lives, fold, bases);
  filter_facts (entry, is_told_until, &fold->until);
  if (bases->len > 0)
    put_first (entry, bases);
  add_owners_anew (world, entry);
}

/* ---- too many dead threads ---- */

static void
push_out_threads (WprWorld *world)
{
  /* With the thread alone its process' end might change: what the process did until then is folded
   * into one state. */
  guint n = world->thread_deaths->len - (world->max_dead - world->max_dead / 8);
  g_autoptr (GPtrArray) going = g_ptr_array_new ();
  g_array_sort (world->thread_deaths, compare_death);
  n = MIN (n, world->thread_deaths->len);
  for (guint i = 0; i < n; i++)
    {
      WprDeath death = g_array_index (world->thread_deaths, WprDeath, i);
      WprEntry *entry = wpr_world_entry (world, death.pid, FALSE);
      if (entry == NULL)
        continue;
      if (entry->drop_until == WPR_WORLD_BEFORE)
        g_ptr_array_add (going, entry);
      entry->drop_until = MAX (entry->drop_until, death.time);
    }
  if (going->len > 0)
    keep_births (world, TRUE);
  for (guint i = 0; i < going->len; i++)
    {
      WprEntry *entry = g_ptr_array_index (going, i);
      Fold fold = { .until = entry->drop_until, .threads_of = entry };
      g_autoptr (GPtrArray) one = g_ptr_array_new ();
      g_ptr_array_add (one, entry);
      wpr_world_derive (world, one, fold.until, fold_entry, &fold);
    }
  g_array_remove_range (world->thread_deaths, 0, n);
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
  Fold fold = { .until = oldest };
  wpr_world_derive (world, entries, oldest, fold_entry, &fold);
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
