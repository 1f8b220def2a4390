/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which thread runs on which CPU, as the events show it, and since when a thread could run: what a
 * switch is judged by, and what proves a switch that was not recorded (ETL.md 6a; some kernels
 * report none out of idle). Times: CLOCK_MONOTONIC ns. No allocation a thread, no hashing. */
#pragma once

#include "trace/event.h"

G_BEGIN_DECLS

typedef struct _WprRunning WprRunning;

/* infers: switches are recorded, so a missing one can be told. */
WprRunning *wpr_running_new (const WprWorld *world, guint n_cpus, gboolean infers);
void wpr_running_free (WprRunning *running);

/* Process of a thread as last seen, else as the world knows; G_MAXUINT32: nobody knows. */
guint32 wpr_running_pid (WprRunning *running, guint32 tid, WprTime when);
/* Thread now on a CPU; G_MAXUINT32: not known. */
guint32 wpr_running_current (const WprRunning *running, guint32 cpu);
guint32 wpr_running_cpu_of (const WprRunning *running, guint32 tid); /* G_MAXUINT32: nowhere */

/* Before an event of `tid` (a switch: the thread it leaves) on `cpu` is given out: TRUE if it
 * proves a switch that must be given out first. Fills that switch but for its trace time; *at is
 * when. */
gboolean wpr_running_proves (WprRunning *running, guint32 cpu, guint32 tid, WprTime time,
                             WprEvent *inferred, WprTime *at);
/* A record that tells who comes: FALSE if that was told already, by the one of who left. Where it
 * does not say who left that is who ran here last, if that is known. */
gboolean wpr_running_arrives (WprRunning *running, guint32 cpu, WprEvent *event);
/* A recorded switch: fills pids and waiting time, and takes note. */
void wpr_running_switch (WprRunning *running, guint32 cpu, WprTime time, WprEvent *event);
void wpr_running_waking (WprRunning *running, WprTime time, WprEvent *event);
/* An event was given out on a CPU. */
void wpr_running_saw (WprRunning *running, guint32 cpu, WprTime time);
/* A record says whose thread this is. */
void wpr_running_names (WprRunning *running, guint32 pid, guint32 tid);
/* A new holder of this tid. */
void wpr_running_started (WprRunning *running, guint32 pid, guint32 tid);
/* Between sched_yield's entry and exit. */
void wpr_running_yields (WprRunning *running, guint32 tid, gboolean yields);
/* The CPU recorded nothing for a while. */
void wpr_running_gap (WprRunning *running, guint32 cpu);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprRunning, wpr_running_free)

G_END_DECLS
