/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* See running.h. Threads lie in pages of a two-level table by tid: pid_max is 2^22 at most. */
#include "config.h"
#include "trace/running.h"

#define PAGE_BITS 10
#define PAGE_THREADS (1u << PAGE_BITS)
#define MOST_TIDS (1u << 22)
#define N_PAGES (MOST_TIDS >> PAGE_BITS)
#define UNKNOWN G_MAXUINT32
/* Linux prio of nice 0, and of the idle task. */
#define PRIO_NORMAL 120
#define PRIO_IDLE 120
/* A waker may be stamped while the sleeper is still on its way off the CPU: a waking this short
 * before a switch to sleep is of that sleep. */
#define OVERTAKEN_NS (20 * 1000)

typedef struct
{
  WprTime ready; /* since when it could run; -1: it cannot, or nobody said */
  guint32 pid;   /* UNKNOWN until seen */
  gint16 prio;   /* as last seen */
  guint8 asked;  /* the world does not know it either */
  guint8 yields;
  guint8 sleeps; /* it left its CPU to sleep */
  guint8 ranked; /* its priority was told, or looked up */
} Thread;

typedef struct
{
  guint32 current;
  gboolean switches; /* a switch was seen here: from now on a missing one can be told */
  WprTime last;      /* of the last event given out */
} Cpu;

struct _WprRunning
{
  const WprWorld *world;
  gboolean infers;
  guint n_cpus;
  Cpu *cpus;
  Thread nobody; /* for tids that no kernel gives out */
  Thread *pages[N_PAGES];
};

WprRunning *
wpr_running_new (const WprWorld *world, guint n_cpus, gboolean infers)
{
  WprRunning *running = g_new0 (WprRunning, 1);
  running->world = world;
  running->infers = infers;
  running->n_cpus = n_cpus;
  running->cpus = g_new0 (Cpu, n_cpus);
  for (guint i = 0; i < n_cpus; i++)
    running->cpus[i] = (Cpu){ UNKNOWN, FALSE, 0 };
  return running;
}

void
wpr_running_free (WprRunning *running)
{
  if (running == NULL)
    return;
  for (guint i = 0; i < N_PAGES; i++)
    g_free (running->pages[i]);
  g_free (running->cpus);
  g_free (running);
}

static const Thread fresh = { .ready = -1, .pid = UNKNOWN, .prio = PRIO_NORMAL };

static Thread *
new_page (WprRunning *running, guint32 tid)
{
  Thread *page = g_new (Thread, PAGE_THREADS);
  for (guint i = 0; i < PAGE_THREADS; i++)
    page[i] = fresh;
  running->pages[tid >> PAGE_BITS] = page;
  if (tid >> PAGE_BITS == 0)
    page[0] = (Thread){ .ready = -1, .pid = 0, .prio = PRIO_IDLE };
  return page;
}

static inline Thread *
thread_of (WprRunning *running, guint32 tid)
{
  if (G_UNLIKELY (tid >= MOST_TIDS))
    {
      running->nobody = fresh;
      running->nobody.asked = TRUE;
      return &running->nobody;
    }
  Thread *page = running->pages[tid >> PAGE_BITS];
  if (G_UNLIKELY (page == NULL))
    page = new_page (running, tid);
  return &page[tid & (PAGE_THREADS - 1)];
}

static guint32
pid_of (WprRunning *running, Thread *thread, guint32 tid, WprTime when)
{
  if (G_LIKELY (thread->pid != UNKNOWN) || thread->asked)
    return thread->pid;
  const WprThread *known = wpr_world_thread (running->world, tid, when);
  thread->asked = TRUE;
  if (known != NULL)
    thread->pid = known->pid;
  return thread->pid;
}

/* As a switch tells it, else as it last was, else as the rundown found it. */
static gint16
prio_of (WprRunning *running, Thread *thread, guint32 tid, WprTime when, gint32 told)
{
  if (told != WPR_PRIO_UNKNOWN)
    thread->prio = (gint16)told;
  else if (!thread->ranked && tid < MOST_TIDS)
    {
      const WprThread *known = wpr_world_thread (running->world, tid, when);
      if (known != NULL)
        thread->prio = (gint16)(known->rt_priority > 0 ? 99 - known->rt_priority
                                                       : PRIO_NORMAL + known->nice);
    }
  thread->ranked = TRUE;
  return thread->prio;
}

guint32
wpr_running_pid (WprRunning *running, guint32 tid, WprTime when)
{
  return pid_of (running, thread_of (running, tid), tid, when);
}

guint32
wpr_running_current (const WprRunning *running, guint32 cpu)
{
  return running->cpus[cpu].current;
}

guint32
wpr_running_cpu_of (const WprRunning *running, guint32 tid)
{
  for (guint i = 0; i < running->n_cpus; i++)
    if (running->cpus[i].current == tid)
      return i;
  return UNKNOWN;
}

/* When the unrecorded switch to a thread was, at the latest guess that breaks nothing: after the
 * CPU's last event, and not before the thread could run. A CPU that was idle while nobody knows
 * when the thread woke: the thread is given no time it may not have had. */
static WprTime
time_of_missing (const Cpu *cpu, const Thread *next, WprTime time)
{
  WprTime at = cpu->last;
  if (next->ready > at)
    at = next->ready;
  else if (next->ready < 0 && cpu->current == 0)
    at = time;
  return MIN (at, MAX (time, cpu->last));
}

gboolean
wpr_running_proves (WprRunning *running, guint32 cpu_number, guint32 tid, WprTime time,
                    WprEvent *inferred, WprTime *at)
{
  Cpu *cpu = &running->cpus[cpu_number];
  if (G_LIKELY (cpu->current == tid) || tid == UNKNOWN)
    return FALSE;
  if (!running->infers || !cpu->switches)
    {
      cpu->current = tid;
      return FALSE;
    }
  Thread *prev = thread_of (running, cpu->current);
  guint32 prev_pid = pid_of (running, prev, cpu->current, time);
  gint32 prev_prio = prev->prio;
  /* Where the thread went that left unrecorded nobody knows; most leave to sleep. Idle never
   * does. */
  prev->ready = -1;
  prev->sleeps = cpu->current != 0;
  Thread *next = thread_of (running, tid);
  *at = tid == 0 ? cpu->last : time_of_missing (cpu, next, time);
  *inferred = (WprEvent){ .kind = WPR_EVENT_SWITCH,
                          .cpu = cpu_number,
                          .pid = prev_pid,
                          .tid = cpu->current,
                          .row = UNKNOWN,
                          .inferred = TRUE };
  inferred->u.sw.prev_tid = cpu->current;
  inferred->u.sw.prev_pid = prev_pid;
  inferred->u.sw.prev_prio = prev_prio;
  inferred->u.sw.prev_state = cpu->current == 0 ? WPR_TASK_RUNNING : WPR_TASK_SLEEPING;
  inferred->u.sw.next_tid = tid;
  inferred->u.sw.next_pid = pid_of (running, next, tid, time);
  inferred->u.sw.next_prio = next->prio;
  inferred->u.sw.wait_ns = next->ready >= 0 ? MAX (*at - next->ready, 0) : -1;
  next->ready = -1;
  next->sleeps = FALSE;
  cpu->current = tid;
  return TRUE;
}

gboolean
wpr_running_arrives (WprRunning *running, guint32 cpu, WprEvent *event)
{
  guint32 current = running->cpus[cpu].current;
  if (current == event->u.sw.next_tid)
    return FALSE;
  if (event->u.sw.prev_tid == UNKNOWN)
    event->tid = event->u.sw.prev_tid = current;
  return TRUE;
}

void
wpr_running_switch (WprRunning *running, guint32 cpu_number, WprTime time, WprEvent *event)
{
  Cpu *cpu = &running->cpus[cpu_number];
  guint32 prev_tid = event->u.sw.prev_tid, next_tid = event->u.sw.next_tid;
  Thread *prev = thread_of (running, prev_tid);
  event->u.sw.prev_pid = pid_of (running, prev, prev_tid, time);
  event->u.sw.prev_prio = prio_of (running, prev, prev_tid, time, event->u.sw.prev_prio);
  gboolean runs_on
      = event->u.sw.prev_state == WPR_TASK_PREEMPTED || event->u.sw.prev_state == WPR_TASK_RUNNING;
  event->u.sw.prev_yielded = runs_on && prev->yields;
  prev->yields = FALSE;
  prev->sleeps = !runs_on;
  if (runs_on)
    prev->ready = prev_tid != 0 ? time : -1;
  else if (prev->ready < time - OVERTAKEN_NS)
    prev->ready = -1;
  Thread *next = thread_of (running, next_tid);
  event->u.sw.next_pid = pid_of (running, next, next_tid, time);
  event->u.sw.wait_ns = next->ready >= 0 ? MAX (time - next->ready, 0) : -1;
  event->u.sw.next_prio = prio_of (running, next, next_tid, time, event->u.sw.next_prio);
  next->ready = -1;
  next->sleeps = FALSE;
  cpu->current = next_tid;
  cpu->switches = TRUE;
}

void
wpr_running_waking (WprRunning *running, WprTime time, WprEvent *event)
{
  Thread *thread = thread_of (running, event->u.waking.tid);
  event->u.waking.pid = pid_of (running, thread, event->u.waking.tid, time);
  thread->prio = (gint16)event->u.waking.prio;
  if (thread->ready < 0 || thread->sleeps)
    thread->ready = time;
}

void
wpr_running_saw (WprRunning *running, guint32 cpu_number, WprTime time)
{
  Cpu *cpu = &running->cpus[cpu_number];
  cpu->last = MAX (cpu->last, time);
}

void
wpr_running_names (WprRunning *running, guint32 pid, guint32 tid)
{
  if (tid != 0)
    thread_of (running, tid)->pid = pid;
}

void
wpr_running_started (WprRunning *running, guint32 pid, guint32 tid)
{
  Thread *thread = thread_of (running, tid);
  WprTime ready = thread->ready;
  *thread = fresh;
  thread->pid = pid;
  /* The waking of a new thread may be told before its start: their clocks are read apart. */
  thread->ready = ready;
}

void
wpr_running_yields (WprRunning *running, guint32 tid, gboolean yields)
{
  thread_of (running, tid)->yields = yields;
}

void
wpr_running_gap (WprRunning *running, guint32 cpu)
{
  running->cpus[cpu].current = UNKNOWN;
  running->cpus[cpu].switches = FALSE;
}
