/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Facts of one pid, in time order, become the lives of its holders. One function a kind of fact.
 * What is told of a task nobody told the birth of is evidence that it lived. */
#include "config.h"
#include "world/world-private.h"

/* /proc shows a child some microseconds before its fork is stamped; no number is given out anew
 * that fast without an exit in between. */
#define FORK_STAMP_SLACK_NS (10 * G_TIME_SPAN_MILLISECOND * 1000)

/* Between the exit of the old leader and the record of the exec that killed it. No number is given
 * out anew in that time without a fork being told. */
#define EXEC_SLACK_NS (60 * G_TIME_SPAN_SECOND * 1000)

typedef struct _WprDerivation Derivation;
struct _WprDerivation
{
  WprWorld *world;
  WprEntry *entry;
  GPtrArray *lives;
  WprLife *life;       /* the last one begun; NULL: none yet */
  gboolean open;       /* it lives */
  guint maps_finished; /* how many of its mappings have an .until */
  WprThreadLife *leader;
  GHashTable *others; /* tid -> WprThreadLife, living, other than the leader; NULL: none */
};

static void
forget_threads (Derivation *d)
{
  d->leader = NULL;
  g_clear_pointer (&d->others, g_hash_table_unref);
}

static void
adopt_thread (Derivation *d, WprThreadLife *thread)
{
  if (thread->thread.tid == d->entry->pid)
    {
      d->leader = thread;
      return;
    }
  if (d->others == NULL)
    d->others = g_hash_table_new (NULL, NULL);
  g_hash_table_insert (d->others, GUINT_TO_POINTER (thread->thread.tid), thread);
}

static WprThreadLife *
living_thread (Derivation *d, guint32 tid)
{
  if (tid == d->entry->pid)
    return d->leader;
  return d->others == NULL ? NULL : g_hash_table_lookup (d->others, GUINT_TO_POINTER (tid));
}

static WprThreadLife *
begin_thread (Derivation *d, guint32 tid, WprTime start, const char *name)
{
  WprThreadLife *thread = wpr_life_add_thread (d->life, tid, start);
  wpr_thread_life_add_name (thread, start, name);
  adopt_thread (d, thread);
  return thread;
}

static void
end_thread (Derivation *d, WprThreadLife *thread, WprTime when)
{
  thread->thread.end = when;
  d->life->n_live--;
  if (thread == d->leader)
    d->leader = NULL;
  else if (d->others != NULL)
    g_hash_table_remove (d->others, GUINT_TO_POINTER (thread->thread.tid));
}

static void
end_others (Derivation *d, WprTime when)
{
  GHashTableIter iter;
  gpointer value;
  if (d->others == NULL)
    return;
  g_hash_table_iter_init (&iter, d->others);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      ((WprThreadLife *)value)->thread.end = when;
      d->life->n_live--;
    }
  g_clear_pointer (&d->others, g_hash_table_unref);
}

static void
end_life (Derivation *d, WprTime when)
{
  end_others (d, when);
  if (d->leader != NULL)
    end_thread (d, d->leader, when);
  d->life->process.end = when;
  d->open = FALSE;
  forget_threads (d);
}

static void
begin_life (Derivation *d, WprTime start, WprTime evidence)
{
  if (d->open)
    end_life (d, start);
  forget_threads (d);
  d->life = wpr_life_new (d->entry->pid, start);
  d->life->evidence = evidence;
  g_ptr_array_add (d->lives, d->life);
  d->open = TRUE;
}

static void
go_on (Derivation *d)
{
  d->life->process.end = WPR_WORLD_ALIVE;
  d->open = TRUE;
}

/* Somebody does something under this pid: there must be a holder. A thread that outlived what
 * seemed the last one shows that the process went on. */
static void
need_life (Derivation *d, const WprFact *fact)
{
  if (d->open)
    return;
  if (d->life != NULL && fact->tid != d->entry->pid)
    {
      go_on (d);
      return;
    }
  begin_life (d, d->life == NULL ? WPR_WORLD_BEFORE : fact->time, fact->time);
  wpr_life_add_program (d->life, d->life->process.start, FALSE, NULL, NULL, NULL);
  begin_thread (d, d->entry->pid, d->life->process.start, NULL)->evidence = fact->time;
}

static WprThreadLife *
need_thread (Derivation *d, const WprFact *fact)
{
  need_life (d, fact);
  WprThreadLife *thread = living_thread (d, fact->tid);
  if (thread == NULL)
    {
      thread = begin_thread (d, fact->tid, d->life->process.start, NULL);
      thread->evidence = fact->time;
    }
  return thread;
}

static void
take_base (Derivation *d, WprFact *fact)
{
  if (d->open)
    end_life (d, fact->time);
  forget_threads (d);
  d->life = wpr_life_copy (fact->data);
  g_ptr_array_add (d->lives, d->life);
  d->open = d->life->process.end == WPR_WORLD_ALIVE;
  d->life->n_live = 0;
  for (guint i = 0; i < d->life->threads->len; i++)
    {
      WprThreadLife *thread = g_ptr_array_index (d->life->threads, i);
      if (thread->thread.end != WPR_WORLD_ALIVE)
        continue;
      adopt_thread (d, thread);
      d->life->n_live++;
    }
}

/* ---- fork ---- */

/* The holder of the parent's pid as of now: being derived along with the child, or derived before.
 */
static WprLife *
parent_life (Derivation *d, guint32 ppid, WprTime when)
{
  WprEntry *entry = wpr_world_entry (d->world, ppid, FALSE);
  if (entry == NULL || entry == d->entry)
    return NULL;
  Derivation *p = entry->derivation;
  if (p == NULL)
    return entry->lives == NULL ? NULL : wpr_lives_at (entry->lives, when);
  if (p->life != NULL && p->maps_finished != p->life->maps->len)
    {
      wpr_life_finish_maps (p->life);
      p->maps_finished = p->life->maps->len;
    }
  return p->lives->len == 0 ? NULL : p->life;
}

static WprThreadLife *
thread_of_parent (Derivation *d, const WprFact *fact, const WprLife *parent)
{
  Derivation *p = wpr_world_entry (d->world, fact->a, FALSE)->derivation;
  WprThreadLife *thread = p == NULL ? NULL : living_thread (p, fact->b);
  return thread != NULL ? thread : wpr_life_thread_at (parent, fact->b, fact->time);
}

static void
inherit_from (Derivation *d, const WprFact *fact, WprLife *parent)
{
  WprLife *life = d->life;
  const char *name = NULL;
  WprProgram *program = wpr_life_program_at (parent, fact->time);
  WprThreadLife *thread = thread_of_parent (d, fact, parent);
  if (thread != NULL)
    name = wpr_thread_life_name (thread, fact->time);
  else if (program != NULL)
    name = program->comm;
  if (program != NULL)
    wpr_life_add_program (life, fact->time, FALSE, program->exe, name, program->cmdline);
  else
    wpr_life_add_program (life, fact->time, FALSE, NULL, name, NULL);
  begin_thread (d, fact->tid, fact->time, name);
  life->process.uid = parent->process.uid;
  life->process.kernel = parent->process.kernel;
  for (guint i = 0; i < parent->maps->len; i++)
    {
      const WprMapState *map = &g_array_index (parent->maps, WprMapState, i);
      if (map->when <= fact->time && fact->time < map->until)
        wpr_life_add_map (life, map->info, fact->time, FALSE);
    }
}

static void
begin_child (Derivation *d, WprFact *fact)
{
  if (d->open)
    end_life (d, fact->time);
  if (fact->data != NULL) /* kept when the parent was forgotten */
    {
      take_base (d, fact);
      return;
    }
  begin_life (d, fact->time, fact->time);
  d->life->process.ppid = fact->a;
  d->life->start_known = TRUE;
  WprLife *parent = parent_life (d, fact->a, fact->time);
  if (parent != NULL)
    inherit_from (d, fact, parent);
  else
    {
      wpr_life_add_program (d->life, fact->time, FALSE, NULL, NULL, NULL);
      begin_thread (d, fact->tid, fact->time, NULL);
    }
  if (d->leader != NULL) /* no leader: a record that the kernel does not make */
    d->leader->start_known = TRUE;
  if (fact->flag) /* the parent is about to be forgotten */
    {
      fact->data = wpr_life_copy (d->life);
      fact->flag = FALSE;
    }
}

/* The fork of a process /proc has shown already: now its beginning is known. */
static gboolean
is_birth_of_known (Derivation *d, const WprFact *fact)
{
  if (!d->open || d->life->start_known)
    return FALSE;
  if (fact->time <= d->life->evidence)
    return TRUE;
  return d->life->proc_end != WPR_WORLD_BEFORE && d->life->process.programs->len == 1
         && fact->time - d->life->evidence <= FORK_STAMP_SLACK_NS;
}

static void
set_birth (Derivation *d, const WprFact *fact)
{
  WprLife *life = d->life;
  WprTime before = life->process.start;
  life->process.start = fact->time;
  life->process.ppid = fact->a;
  life->start_known = TRUE;
  if (life->process.programs->len > 0)
    {
      WprProgram *first = &g_array_index (life->process.programs, WprProgram, 0);
      if (first->when == before)
        first->when = fact->time;
    }
  for (guint i = 0; i < life->threads->len; i++)
    {
      WprThreadLife *thread = g_ptr_array_index (life->threads, i);
      if (thread->thread.start != before)
        continue;
      thread->thread.start = fact->time;
      if (thread->thread.names->len > 0)
        g_array_index (thread->thread.names, WprThreadName, 0).when = fact->time;
    }
  for (guint i = 0; i < life->maps->len; i++)
    {
      WprMapState *map = &g_array_index (life->maps, WprMapState, i);
      if (map->when == before)
        map->when = fact->time;
    }
}

static void
take_fork_of_thread (Derivation *d, WprFact *fact)
{
  need_life (d, fact);
  WprThreadLife *known = living_thread (d, fact->tid);
  if (known != NULL && !known->start_known && fact->time - FORK_STAMP_SLACK_NS <= known->evidence)
    {
      known->thread.start = fact->time;
      if (known->thread.names->len > 0)
        g_array_index (known->thread.names, WprThreadName, 0).when = fact->time;
      known->start_known = TRUE;
      return;
    }
  if (known != NULL)
    end_thread (d, known, fact->time);
  WprThreadLife *creator = living_thread (d, fact->b);
  if (creator == NULL)
    creator = wpr_life_thread_at (d->life, fact->b, fact->time);
  const char *name = fact->data;
  if (name == NULL && creator != NULL)
    name = wpr_thread_life_name (creator, fact->time);
  begin_thread (d, fact->tid, fact->time, name)->start_known = TRUE;
}

static void
take_fork (Derivation *d, WprFact *fact)
{
  if (fact->tid != d->entry->pid)
    take_fork_of_thread (d, fact);
  else if (is_birth_of_known (d, fact))
    set_birth (d, fact);
  else if (!d->open || !d->life->start_known || d->life->process.start != fact->time)
    begin_child (d, fact); /* else it is told twice */
}

/* ---- the rest ---- */

static void
take_exit (Derivation *d, WprFact *fact)
{
  if (!d->open && d->life != NULL)
    return;
  need_life (d, fact);
  WprThreadLife *thread = living_thread (d, fact->tid);
  if (thread == NULL && fact->tid != d->entry->pid)
    thread = need_thread (d, fact);
  if (thread != NULL)
    end_thread (d, thread, fact->time);
  if (fact->tid == d->entry->pid)
    d->life->leader_exited = TRUE;
  /* The process is over with its last thread, which need not be the leader. */
  if (d->life->leader_exited && d->life->n_live == 0)
    end_life (d, fact->time);
}

static void
set_name (WprThreadLife *thread, WprTime when, const char *name)
{
  GArray *names = thread->thread.names;
  WprThreadName *last
      = names->len == 0 ? NULL : &g_array_index (names, WprThreadName, names->len - 1);
  if (last != NULL && last->name == name) /* interned */
    return;
  wpr_thread_life_add_name (thread, when, name);
}

static void
take_exec (Derivation *d, WprFact *fact)
{
  /* A thread from before the recording, of which nobody told, has called exec: the old leader is
   * gone, the process goes on. */
  if (!d->open && d->life != NULL && !d->life->start_known
      && fact->time - d->life->process.end <= EXEC_SLACK_NS)
    go_on (d);
  need_life (d, fact);
  /* Whoever called exec goes on as the leader, alone. */
  end_others (d, fact->time);
  if (d->leader == NULL)
    begin_thread (d, fact->tid, fact->time, fact->data)->start_known = TRUE;
  else
    set_name (d->leader, fact->time, fact->data);
  d->life->leader_exited = FALSE;
  d->life->process.kernel = FALSE;
  d->maps_finished = G_MAXUINT;
  if (fact->time <= d->life->proc_end)
    for (guint i = 0; i < d->life->maps->len; i++) /* seen, but of which of the two programs? */
      if (g_array_index (d->life->maps, WprMapState, i).proc)
        g_array_index (d->life->maps, WprMapState, i).when = d->life->process.start;
  wpr_life_add_program (d->life, fact->time, TRUE, NULL, fact->data, NULL);
}

static void
take_comm (Derivation *d, WprFact *fact)
{
  if (fact->flag && fact->tid == d->entry->pid)
    take_exec (d, fact);
  else
    set_name (need_thread (d, fact), fact->time, fact->data);
}

static void
take_mmap (Derivation *d, WprFact *fact)
{
  WprMapInfo *info = fact->data;
  need_life (d, fact);
  wpr_life_add_map (d->life, info, fact->time, FALSE);
  /* The kernel maps the program itself first, then its loader. */
  WprProgram *program = wpr_life_program_at (d->life, fact->time);
  if (program != NULL && program->exec && program->exe[0] == '\0' && info->mapping.path[0] == '/'
      && info->mapping.path[1] != '/')
    {
      g_ref_string_release (program->exe);
      program->exe = wpr_text (info->mapping.path);
    }
}

static void
take_cmdline (Derivation *d, WprFact *fact)
{
  WprProgram *program = d->life == NULL ? NULL : wpr_life_program_at (d->life, fact->time);
  if (program == NULL)
    return;
  g_clear_pointer (&program->cmdline, g_ref_string_release);
  program->cmdline = g_ref_string_acquire (fact->data);
}

static void
take_uid (Derivation *d, WprFact *fact)
{
  if (d->life != NULL)
    d->life->process.uid = fact->a;
}

/* ---- /proc ---- */

static void
fill (char **text, const char *from)
{
  if (from == NULL || (*text != NULL && (*text)[0] != '\0'))
    return;
  g_clear_pointer (text, g_ref_string_release);
  *text = g_ref_string_acquire ((char *)from);
}

static gboolean
shows_leader (const WprProcShot *shot, guint32 pid)
{
  for (guint i = 0; i < shot->threads->len; i++)
    if (g_array_index (shot->threads, WprProcThread, i).tid == pid)
      return TRUE;
  return FALSE;
}

static void
take_proc_threads (Derivation *d, const WprFact *fact, const WprProcShot *shot)
{
  for (guint i = 0; i < shot->threads->len; i++)
    {
      const WprProcThread *seen = &g_array_index (shot->threads, WprProcThread, i);
      WprThreadLife *thread = living_thread (d, seen->tid);
      if (thread == NULL)
        {
          thread = begin_thread (d, seen->tid, d->life->process.start, seen->name);
          thread->evidence = fact->time;
        }
      thread->thread.nice = seen->nice;
      thread->thread.policy = seen->policy;
      thread->thread.rt_priority = seen->rt_priority;
      GArray *names = thread->thread.names;
      WprThreadName *last = &g_array_index (names, WprThreadName, names->len - 1);
      if (last->name[0] == '\0')
        fill (&last->name, seen->name);
      else
        set_name (thread, fact->time, seen->name);
    }
}

static void
take_proc (Derivation *d, WprFact *fact)
{
  const WprProcShot *shot = fact->data;
  gboolean leader = shows_leader (shot, fact->tid);
  if (!d->open && d->life != NULL && !leader)
    go_on (d); /* its leader has gone, others that nobody told of have not */
  else if (!d->open)
    begin_life (d, d->life == NULL ? WPR_WORLD_BEFORE : fact->time, fact->time);
  WprLife *life = d->life;
  if (life->process.programs->len == 0)
    {
      wpr_life_add_program (life, life->process.start, FALSE, shot->exe, shot->comm, shot->cmdline);
    }
  if (!leader)
    {
      life->leader_exited = TRUE;
      if (d->leader != NULL)
        end_thread (d, d->leader, fact->time);
    }
  life->proc_end = shot->end;
  if (!life->start_known)
    life->process.ppid = shot->ppid;
  if (shot->uid != G_MAXUINT32)
    life->process.uid = shot->uid;
  life->process.kernel = shot->kernel;
  life->process.start_ticks = shot->start_ticks;
  WprProgram *program = wpr_life_program_at (life, fact->time);
  fill (&program->exe, shot->exe);
  fill (&program->comm, shot->comm);
  fill (&program->cmdline, shot->cmdline);
  for (guint i = 0; i < shot->maps->len; i++)
    wpr_life_add_map (life, g_ptr_array_index (shot->maps, i),
                      program->exec ? program->when : life->process.start, TRUE);
  take_proc_threads (d, fact, shot);
}

/* Its exit was lost, or happened before anything was told of it. */
static void
take_gone (Derivation *d, WprFact *fact)
{
  const WprTime *begun = fact->data;
  if (d->open && d->life->process.start < *begun)
    end_life (d, fact->time);
}

static void (*const takers[WPR_FACT_N_KINDS]) (Derivation *d, WprFact *fact) = {
  [WPR_FACT_BASE] = take_base, [WPR_FACT_FORK] = take_fork, [WPR_FACT_PROC] = take_proc,
  [WPR_FACT_COMM] = take_comm, [WPR_FACT_MMAP] = take_mmap, [WPR_FACT_CMDLINE] = take_cmdline,
  [WPR_FACT_UID] = take_uid,   [WPR_FACT_EXIT] = take_exit, [WPR_FACT_GONE] = take_gone,
};

Derivation *
wpr_derivation_new (WprWorld *world, WprEntry *entry)
{
  Derivation *d = g_new0 (Derivation, 1);
  d->world = world;
  d->entry = entry;
  d->lives = g_ptr_array_new_with_free_func ((GDestroyNotify)wpr_life_free);
  return d;
}

void
wpr_derivation_take (Derivation *d, WprFact *fact)
{
  takers[fact->kind](d, fact);
}

GPtrArray *
wpr_derivation_finish (Derivation *d)
{
  GPtrArray *lives = d->lives;
  forget_threads (d);
  for (guint i = 0; i < lives->len; i++)
    wpr_life_finish (g_ptr_array_index (lives, i));
  g_free (d);
  return lives;
}
