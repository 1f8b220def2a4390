/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A workload that numbers its events, and a sink that finds the numbers again. Each thread, pinned
 * to a CPU, calls getppid with its count as first argument: raw_syscalls:sys_enter carries it. */
#pragma once

#include "trace/trace.h"

/* Calls per CPU 0, 1, .. to at least n - 1, on every online CPU at once, until all are so far.
 * Returns the last number of each CPU, by CPU (guint64; 0: not online). */
GArray *numbers_run (guint n);

typedef struct
{
  WprSink sink;
  guint32 pid;      /* whose calls */
  GArray *per_cpu;  /* GArray * of guint64: numbers in the order seen; by CPU */
  guint64 n_other;  /* sys_enter events of all else */
  guint n_nameless; /* switches to or from a thread without a name or a process */
  guint n_switches;
  gint64 first; /* time of the first event */
  gint64 boot_minus_monotonic_ns;
  const WprWorld *world;
  char *nameless; /* the first one, in words */
} Numbers;
void numbers_init (Numbers *numbers);
void numbers_clear (Numbers *numbers);
/* Plays a store into it; fails the test if it cannot. */
WprTrace *numbers_play (Numbers *numbers, const char *store_path);
guint64 numbers_found (const Numbers *numbers);
