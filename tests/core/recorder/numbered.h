/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A workload that numbers its calls, and what of it is in a store: whether a number is missing, and
 * whether what is in the file and what was lost is what was counted. */
#pragma once

#include "drive.h"
#include "trace/trace.h"

#define CPUS_MOST 32

typedef struct
{
  guint cpu, pause_us;
  gint *stop;
  gint made; /* atomic */
  GThread *thread;
} Caller;

typedef struct
{
  gint stop;
  guint n;
  Caller callers[CPUS_MOST];
} Workload;

/* A thread on each CPU calls getppid with its next number, until it is told to end. */
void work_begin (Workload *work, guint pause_us);
/* Until each thread has made n more calls. */
void work_wait (Workload *work, gint n);
void work_end (Workload *work);

typedef struct
{
  gint64 time;
  guint64 number;
} Seen;

typedef struct
{
  WprSink sink;
  guint32 pid;
  GArray *events[CPUS_MOST]; /* Seen: numbered calls of this process */
  GPtrArray *marks;          /* char *: text */
  GArray *mark_times;        /* gint64 */
  GArray *rows;              /* guint64: events by row */
  gint64 first_switch, last_switch;
  guint64 n_switches, n_stacks; /* switches with a call stack */
  gint64 first_stack;
  guint n_counters;
} Watch;

/* Plays a store into it; fails the test if it cannot. Free with wpr_trace_free, and the watch's
 * with watch_clear. */
WprTrace *watch_play (Watch *watch, const char *path);
void watch_clear (Watch *watch);
/* When the mark was set that says so. */
gint64 mark_time (const Watch *watch, const char *part);
/* In the file + lost = counted, for rows of that name; how many. n_offs: how often it was switched
 * off in the middle of work. A system call's event runs with interrupts on: the one during which it
 * is switched off on its CPU is counted and not recorded (seen once in twenty runs). */
guint64 assert_row_adds_up (const Watch *watch, const WprTraceContext *context, const char *name,
                            guint n_offs, guint64 *lost);
/* No number is missing or there twice between the first and the last of each CPU. */
void assert_unbroken (const Watch *watch, const Workload *work);
