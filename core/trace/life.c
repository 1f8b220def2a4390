/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What happened to processes within the recording, from the world's history: starts, ends, names,
 * images. The first exec of a process that was forked within the recording belongs to its start
 * (a start with the parent's name helps nobody); a later exec is an end and a start at one time,
 * of the process and its one thread (ETL.md 6a). */
#include "config.h"
#include "trace/lane.h"

#include <string.h>

/* At one time: who goes goes first, a thread within its process. */
typedef enum
{
  RANK_THREAD_END,
  RANK_PROCESS_END,
  RANK_PROCESS_START,
  RANK_EXEC, /* the one that its start tells of: no event, but descriptors go */
  RANK_THREAD_START,
  RANK_NAME,
  RANK_IMAGE
} Rank;

static const WprEventKind kinds[] = {
  [RANK_THREAD_END] = WPR_EVENT_THREAD_END,
  [RANK_PROCESS_END] = WPR_EVENT_PROCESS_END,
  [RANK_PROCESS_START] = WPR_EVENT_PROCESS_START,
  [RANK_THREAD_START] = WPR_EVENT_THREAD_START,
  [RANK_NAME] = WPR_EVENT_THREAD_NAME,
  [RANK_IMAGE] = WPR_EVENT_IMAGE_LOAD,
};

typedef struct
{
  WprTime time;
  Rank rank;
  gboolean by_exec;
  guint32 pid, tid;
  const WprProcess *process;
  const WprThread *thread;
  gconstpointer what; /* WprProgram, name or WprMapping, by rank */
} Life;

typedef struct
{
  WprLane lane;
  WprTrace *trace;
  GArray *lives; /* Life, by time and rank */
  guint at;
} LifeLane;

static gboolean
within (const WprTrace *trace, WprTime time)
{
  return time >= trace->context.start_monotonic && time <= trace->context.end_monotonic;
}

static void
add (LifeLane *self, WprTime time, Rank rank, gboolean by_exec, const WprProcess *process,
     const WprThread *thread, gconstpointer what)
{
  if (!within (self->trace, time))
    return;
  Life life = { .time = time,
                .rank = rank,
                .by_exec = by_exec,
                .pid = process != NULL ? process->pid : thread->pid,
                .tid = thread != NULL ? thread->tid : process->pid,
                .process = process,
                .thread = thread,
                .what = what };
  g_array_append_val (self->lives, life);
}

static const WprProgram *
program_at (const WprProcess *process, guint i)
{
  return &g_array_index (process->programs, WprProgram, i);
}

/* The exec that belongs to the process' start; NULL if it started before or never called exec. */
static const WprProgram *
first_exec (const WprTrace *trace, const WprProcess *process)
{
  if (!within (trace, process->start))
    return NULL;
  for (guint i = 0; i < process->programs->len; i++)
    if (program_at (process, i)->exec && program_at (process, i)->when >= process->start)
      return program_at (process, i);
  return NULL;
}

static const WprThread *
leader_at (const WprTrace *trace, const WprProcess *process, WprTime when)
{
  const WprThread *thread = wpr_world_thread (trace->world, process->pid, when);
  return thread != NULL && thread->pid == process->pid ? thread : NULL;
}

static const char *
name_at (const WprThread *thread, WprTime when)
{
  const char *name = "";
  for (guint i = 0; i < thread->names->len; i++)
    {
      const WprThreadName *row = &g_array_index (thread->names, WprThreadName, i);
      if (i > 0 && row->when > when)
        break;
      name = row->name;
    }
  return name;
}

static void
add_exec (LifeLane *self, const WprProcess *process, const WprProgram *before,
          const WprProgram *program)
{
  const WprThread *leader = leader_at (self->trace, process, program->when);
  if (leader != NULL)
    add (self, program->when, RANK_THREAD_END, TRUE, process, leader,
         name_at (leader, program->when - 1));
  add (self, program->when, RANK_PROCESS_END, TRUE, process, NULL, before);
  add (self, program->when, RANK_PROCESS_START, TRUE, process, NULL, program);
  if (leader != NULL)
    add (self, program->when, RANK_THREAD_START, TRUE, process, leader,
         name_at (leader, program->when));
}

/* One image a file: the first mapping of it since the last exec. `seen` holds those. */
static void
add_images (LifeLane *self, const WprProcess *process, WprTime from, WprTime until,
            GHashTable *seen)
{
  g_hash_table_remove_all (seen);
  for (guint i = 0; i < process->mappings->len; i++)
    {
      const WprMapping *mapping = &g_array_index (process->mappings, WprMapping, i);
      if (mapping->when < from || mapping->when >= until)
        continue;
      if (mapping->path != NULL && g_hash_table_add (seen, mapping->path))
        add (self, mapping->when, RANK_IMAGE, FALSE, process, NULL, mapping);
    }
}

static void
add_process (LifeLane *self, const WprProcess *process, GHashTable *seen)
{
  const WprProgram *merged = first_exec (self->trace, process);
  const WprProgram *last = program_at (process, 0);
  /* What a fork inherits from its parent is gone with the exec that its start tells of. */
  WprTime from = merged != NULL ? merged->when : WPR_WORLD_BEFORE;
  add (self, process->start, RANK_PROCESS_START, FALSE, process, NULL,
       merged != NULL ? merged : last);
  if (merged != NULL)
    add (self, merged->when, RANK_EXEC, TRUE, process, NULL, merged);
  for (guint i = 0; i < process->programs->len; i++)
    {
      const WprProgram *program = program_at (process, i);
      if (program->exec && (merged == NULL ? i > 0 : program->when > merged->when))
        {
          add_exec (self, process, last, program);
          add_images (self, process, from, program->when, seen);
          from = program->when;
        }
      if (merged == NULL || program->when >= merged->when)
        last = program;
    }
  add_images (self, process, from, G_MAXINT64, seen);
  add (self, process->end, RANK_PROCESS_END, FALSE, process, NULL, last);
}

/* A name that an exec gave is told by the thread's start at that exec. */
static gboolean
named_by_exec (const WprProcess *process, const WprThread *thread, WprTime when)
{
  if (process == NULL || thread->tid != thread->pid)
    return FALSE;
  for (guint i = 0; i < process->programs->len; i++)
    if (program_at (process, i)->exec && program_at (process, i)->when == when)
      return TRUE;
  return FALSE;
}

static void
add_thread (LifeLane *self, const WprThread *thread)
{
  WprTime when = MAX (thread->start, self->trace->context.start_monotonic);
  const WprProcess *process = wpr_world_process (self->trace->world, thread->pid, when);
  const WprProgram *merged
      = process != NULL && thread->tid == thread->pid && process->start == thread->start
            ? first_exec (self->trace, process)
            : NULL;
  add (self, thread->start, RANK_THREAD_START, FALSE, process, thread,
       name_at (thread, merged != NULL ? merged->when : thread->start));
  for (guint i = 1; i < thread->names->len; i++)
    {
      const WprThreadName *row = &g_array_index (thread->names, WprThreadName, i);
      if (!named_by_exec (process, thread, row->when)
          && (merged == NULL || row->when > merged->when))
        add (self, row->when, RANK_NAME, FALSE, process, thread, row->name);
    }
  if (thread->end != WPR_WORLD_ALIVE)
    add (self, thread->end, RANK_THREAD_END, FALSE, process, thread, name_at (thread, thread->end));
}

static int
compare_lives (gconstpointer a, gconstpointer b)
{
  const Life *x = a, *y = b;
  if (x->time != y->time)
    return x->time < y->time ? -1 : 1;
  if (x->rank != y->rank)
    return (int)x->rank - (int)y->rank;
  return (x->tid > y->tid) - (x->tid < y->tid);
}

static void
set_next (LifeLane *self)
{
  self->lane.time = self->at < self->lives->len ? g_array_index (self->lives, Life, self->at).time
                                                : WPR_LANE_END;
}

/* The CPU it happened on: of the sideband record, else where the thread (or, for a fork, the
 * parent) runs, else 0. */
static guint32
cpu_of (LifeLane *self, WprPlayer *player, const Life *life)
{
  gboolean forked
      = !life->by_exec && (life->rank == RANK_PROCESS_START || life->rank == RANK_THREAD_START);
  guint32 cpu = wpr_trace_sideband_cpu (self->trace, life->tid, life->time);
  if (cpu == G_MAXUINT32)
    {
      guint32 parent = life->tid != life->pid  ? life->pid
                       : life->process != NULL ? life->process->ppid
                                               : 0;
      cpu = wpr_player_cpu_of (player, forked ? parent : life->tid);
    }
  return cpu == G_MAXUINT32 ? 0 : cpu;
}

static gboolean
visit (WprLane *lane, WprPlayer *player, GError **error)
{
  LifeLane *self = (LifeLane *)lane;
  const Life *life = &g_array_index (self->lives, Life, self->at);
  WprEvent event = { .kind = kinds[life->rank],
                     .cpu = cpu_of (self, player, life),
                     .pid = life->pid,
                     .tid = life->tid };
  gboolean wanted = life->rank != RANK_EXEC;
  event.u.life.process = life->process;
  event.u.life.thread = life->thread;
  event.u.life.by_exec = life->by_exec;
  if (life->rank == RANK_EXEC)
    wpr_player_execed (player, life->pid);
  else if (life->rank == RANK_IMAGE)
    wanted
        = wpr_image_table_get (self->trace->images, life->process, life->what, &event.u.life.image);
  else if (life->rank == RANK_PROCESS_START || life->rank == RANK_PROCESS_END)
    event.u.life.program = life->what;
  else
    event.u.life.name = life->what;
  if (wanted && !wpr_player_event (player, life->time, &event, error))
    return FALSE;
  self->at++;
  set_next (self);
  return TRUE;
}

static void
life_free (WprLane *lane)
{
  g_array_unref (((LifeLane *)lane)->lives);
  g_free (lane);
}

WprLane *
wpr_life_lane_new (WprTrace *trace)
{
  LifeLane *self = g_new0 (LifeLane, 1);
  g_autoptr (GPtrArray) processes = wpr_world_list_processes (trace->world);
  g_autoptr (GPtrArray) threads = wpr_world_list_threads (trace->world);
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  self->lane.visit = visit;
  self->lane.free = life_free;
  self->trace = trace;
  self->lives = g_array_new (FALSE, FALSE, sizeof (Life));
  for (guint i = 0; i < processes->len; i++)
    {
      const WprProcess *process = g_ptr_array_index (processes, i);
      if (process->pid != 0 && process->programs->len > 0)
        add_process (self, process, seen);
    }
  for (guint i = 0; i < threads->len; i++)
    {
      const WprThread *thread = g_ptr_array_index (threads, i);
      if (thread->tid != 0 && thread->names->len > 0)
        add_thread (self, thread);
    }
  g_array_sort (self->lives, compare_lives);
  set_next (self);
  return &self->lane;
}
