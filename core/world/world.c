/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The world's public face: feeding it records, asking it. How lives follow from what was told is in
 * derive.c, what is forgotten in forget.c. */
#include "config.h"
#include "world/world.h"
#include "world/world-private.h"

WprWorld *
wpr_world_new (guint max_dead)
{
  WprWorld *world = g_new0 (WprWorld, 1);
  world->max_dead = max_dead;
  world->deaths_at = world->thread_deaths_at = max_dead;
  world->entries = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify)wpr_entry_free);
  world->owners = g_hash_table_new (NULL, NULL);
  world->owners_more = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
  world->deaths = g_array_new (FALSE, FALSE, sizeof (WprDeath));
  world->thread_deaths = g_array_new (FALSE, FALSE, sizeof (WprDeath));
  world->kernel_maps = wpr_kernel_maps_new ();
  return world;
}

void
wpr_world_free (WprWorld *world)
{
  if (world == NULL)
    return;
  g_hash_table_unref (world->entries);
  g_hash_table_unref (world->owners);
  g_hash_table_unref (world->owners_more);
  g_array_unref (world->deaths);
  g_array_unref (world->thread_deaths);
  g_array_unref (world->kernel_maps);
  g_clear_pointer (&world->listed, g_hash_table_unref);
  g_free (world);
}

/* ---- feeding ---- */

static void
feed_task (WprWorld *world, const WprRecord *record)
{
  WprTask task;
  if (!wpr_record_task (record, &task))
    return;
  WprFact fact = { .time = record->time, .tid = task.tid, .a = task.ppid, .b = task.ptid };
  fact.kind = record->type == PERF_RECORD_FORK ? WPR_FACT_FORK : WPR_FACT_EXIT;
  if (task.tid != task.pid)
    wpr_world_add_owner (world, task.tid, task.pid);
  wpr_entry_add (world, wpr_world_entry (world, task.pid, TRUE), &fact);
  if (fact.kind == WPR_FACT_EXIT)
    wpr_world_note_death (world, record->time, task.pid, task.tid);
  else if (task.tid == task.pid)
    {
      WprEntry *parent = wpr_world_entry (world, task.ppid, TRUE);
      parent->latest_child = MAX (parent->latest_child, record->time);
    }
}

static void
feed_comm (WprWorld *world, const WprRecord *record)
{
  WprComm comm;
  if (!wpr_record_comm (record, &comm))
    return;
  WprFact fact = { .time = record->time,
                   .kind = WPR_FACT_COMM,
                   .tid = comm.tid,
                   .flag = comm.exec,
                   .data = wpr_text (comm.comm) };
  if (comm.tid != comm.pid)
    wpr_world_add_owner (world, comm.tid, comm.pid);
  wpr_entry_add (world, wpr_world_entry (world, comm.pid, TRUE), &fact);
}

static void
feed_mmap2 (WprWorld *world, const WprRecord *record)
{
  WprMmap2 m;
  if (!wpr_record_mmap2 (record, &m))
    return;
  WprMapping mapping = { .when = record->time,
                         .start = m.addr,
                         .length = m.len,
                         .page_offset = m.pgoff,
                         .path = (char *)m.path };
  if (m.build_id_size > 0)
    {
      mapping.build_id_size = MIN (m.build_id_size, sizeof mapping.build_id);
      memcpy (mapping.build_id, m.build_id, mapping.build_id_size);
    }
  else
    {
      mapping.major = m.maj;
      mapping.minor = m.min;
      mapping.inode = m.ino;
    }
  WprFact fact = {
    .time = record->time, .kind = WPR_FACT_MMAP, .tid = m.tid, .data = wpr_map_info_new (&mapping)
  };
  wpr_entry_add (world, wpr_world_entry (world, m.pid, TRUE), &fact);
}

static void
feed_ksymbol (WprWorld *world, const WprRecord *record)
{
  WprKsymbol symbol;
  if (!wpr_record_ksymbol (record, &symbol))
    return;
  if (symbol.flags & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER)
    return; /* what it was called stays true of the time before */
  wpr_kernel_maps_add (world, record->time, symbol.addr, symbol.len, symbol.name);
}

static const struct
{
  guint32 type;
  void (*feed) (WprWorld *world, const WprRecord *record);
} feeders[] = {
  { PERF_RECORD_MMAP2, feed_mmap2 },     { PERF_RECORD_COMM, feed_comm },
  { PERF_RECORD_FORK, feed_task },       { PERF_RECORD_EXIT, feed_task },
  { PERF_RECORD_KSYMBOL, feed_ksymbol },
};

void
wpr_world_feed (WprWorld *world, const WprRecord *record)
{
  g_return_if_fail (world != NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (feeders); i++)
    if (feeders[i].type == record->type)
      {
        feeders[i].feed (world, record);
        return;
      }
}

void
wpr_world_set_cmdline (WprWorld *world, guint32 pid, WprTime when, const char *cmdline)
{
  WprFact fact = { .time = when, .kind = WPR_FACT_CMDLINE, .tid = pid };
  g_return_if_fail (world != NULL && cmdline != NULL);
  fact.data = wpr_text (cmdline);
  wpr_entry_add (world, wpr_world_entry (world, pid, TRUE), &fact);
}

void
wpr_world_set_uid (WprWorld *world, guint32 pid, WprTime when, guint32 uid)
{
  WprFact fact = { .time = when, .kind = WPR_FACT_UID, .tid = pid, .a = uid };
  g_return_if_fail (world != NULL);
  wpr_entry_add (world, wpr_world_entry (world, pid, TRUE), &fact);
}

/* ---- asking: the lives are derived when first asked for ---- */

const WprProcess *
wpr_world_process (const WprWorld *world, guint32 pid, WprTime when)
{
  WprWorld *self = (WprWorld *)world;
  WprEntry *entry = wpr_world_entry (self, pid, FALSE);
  WprLife *life = entry == NULL ? NULL : wpr_lives_at (wpr_world_lives (self, entry), when);
  if (life == NULL)
    return NULL;
  wpr_life_publish (life);
  return &life->process;
}

static WprThreadLife *
thread_of (WprWorld *world, guint32 pid, guint32 tid, WprTime when)
{
  WprEntry *entry = wpr_world_entry (world, pid, FALSE);
  if (entry == NULL)
    return NULL;
  GPtrArray *lives = wpr_world_lives (world, entry);
  for (guint i = lives->len; i-- > 0;)
    {
      WprThreadLife *thread = wpr_life_thread_at (g_ptr_array_index (lives, i), tid, when);
      if (thread != NULL)
        return thread;
    }
  return NULL;
}

static WprThreadLife *
later (WprThreadLife *a, WprThreadLife *b)
{
  if (a == NULL || b == NULL)
    return a == NULL ? b : a;
  return b->thread.start >= a->thread.start ? b : a;
}

static WprThreadLife *
find_thread (WprWorld *world, guint32 tid, WprTime when)
{
  WprThreadLife *found = thread_of (world, tid, tid, when);
  gpointer owner;
  if (g_hash_table_lookup_extended (world->owners, GUINT_TO_POINTER (tid), NULL, &owner))
    found = later (found, thread_of (world, GPOINTER_TO_UINT (owner), tid, when));
  GArray *more = g_hash_table_lookup (world->owners_more, GUINT_TO_POINTER (tid));
  for (guint i = 0; more != NULL && i < more->len; i++)
    found = later (found, thread_of (world, g_array_index (more, guint32, i), tid, when));
  return found;
}

const WprThread *
wpr_world_thread (const WprWorld *world, guint32 tid, WprTime when)
{
  WprThreadLife *thread = find_thread ((WprWorld *)world, tid, when);
  return thread == NULL ? NULL : &thread->thread;
}

const char *
wpr_world_thread_name (const WprWorld *world, guint32 tid, WprTime when)
{
  WprThreadLife *thread = find_thread ((WprWorld *)world, tid, when);
  return thread == NULL ? "" : wpr_thread_life_name (thread, when);
}

static gint
compare_process (gconstpointer a, gconstpointer b)
{
  const WprProcess *x = *(gpointer *)a, *y = *(gpointer *)b;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  return x->pid < y->pid ? -1 : x->pid > y->pid;
}

static gint
compare_thread (gconstpointer a, gconstpointer b)
{
  const WprThread *x = *(gpointer *)a, *y = *(gpointer *)b;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  return x->tid < y->tid ? -1 : x->tid > y->tid;
}

static GPtrArray *
list (const WprWorld *world, gboolean threads)
{
  GPtrArray *found = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer value;
  wpr_world_derive_all ((WprWorld *)world);
  g_hash_table_iter_init (&iter, world->entries);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      GPtrArray *lives = ((WprEntry *)value)->lives;
      for (guint i = 0; i < lives->len; i++)
        {
          WprLife *life = g_ptr_array_index (lives, i);
          if (!threads)
            {
              wpr_life_publish (life);
              g_ptr_array_add (found, life);
            }
          for (guint n = 0; threads && n < life->threads->len; n++)
            g_ptr_array_add (found, g_ptr_array_index (life->threads, n));
        }
    }
  g_ptr_array_sort (found, threads ? compare_thread : compare_process);
  return found;
}

GPtrArray *
wpr_world_list_processes (const WprWorld *world)
{
  return list (world, FALSE);
}

GPtrArray *
wpr_world_list_threads (const WprWorld *world)
{
  return list (world, TRUE);
}

const GArray *
wpr_world_kernel_mappings (const WprWorld *world)
{
  return world->kernel_maps;
}

guint64
wpr_world_n_forgotten (const WprWorld *world)
{
  return world->n_forgotten;
}
