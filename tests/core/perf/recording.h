/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A small recording over the local opener, and threads whose system calls are numbered: what the
 * opener's tests have in common. Not here: any test. */
#pragma once

#include <glib.h>
#include "perf/event.h"
#include "perf/record.h"
#include "perf/ring.h"

typedef struct
{
  WprOpener *opener;
  WprOpened opened;
  WprRingSpec spec;
  GArray *events;   /* WprPerfEvent: what a row is */
  WprIdTable *ids;  /* as far as registered */
  GPtrArray *rings; /* WprRing of each leader, NULL where it has none */
  GPtrArray *bytes; /* GByteArray of each leader: what was drained or copied */
  guint n_ids;
} Recording;

/* Opens on all online CPUs, switched off. The calling test is skipped if the kernel refuses the
 * first event also to a raw perf_event_open. */
Recording *recording_new (const WprPerfEvent *events, gsize n_events, gsize ring_bytes,
                          gboolean backward);
void recording_free (Recording *recording);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Recording, recording_free)
/* Takes in what a verb appended: maps rings, learns ids. */
void recording_update (Recording *recording);
/* Tells what a row added or filtered later is. */
void recording_learn (Recording *recording, const WprPerfEvent *event);
void recording_switch (Recording *recording, gboolean on);
/* Forward: what is in the rings is appended to bytes. Backward: bytes become a copy of the ring. */
void recording_collect (Recording *recording);
/* Of a row, over all leaders, from the groups. */
void recording_counts (Recording *recording, guint32 row, guint64 *count, guint64 *lost);
typedef void (*RecordFunc) (const WprRecord *record, gpointer data);
void recording_each (Recording *recording, RecordFunc func, gpointer data);
guint64 recording_rows (Recording *recording, guint32 row);

/* ioprio_get (IOPRIO_WHO_PROCESS, number): a call nobody else makes, which carries its number. */
#define NUMBERED_EVENT "syscalls:sys_enter_ioprio_get"
#define NUMBER_OFFSET 24 /* of `who` in the raw bytes */
typedef struct
{
  guint cpu;
  guint32 tid;     /* set once it runs */
  guint32 n_calls; /* asked for; 0: until stop */
  guint pause_us;  /* after every 16 calls */
  gint stop;
  gint made; /* calls that have returned */
  GThread *thread;
} Workload;
/* One thread a CPU, bound to it. */
GPtrArray *workloads_start (guint32 n_calls, guint pause_us);
/* Waits for (n_calls) or stops all; how many calls were made. */
guint64 workloads_finish (GPtrArray *workloads);
/* The number in a record of NUMBERED_EVENT made on `cpu`; -1 if it is somebody else's. */
gint64 workload_number (const WprRecord *record, guint *cpu);

/* A thread a CPU that runs when nothing else does. Some virtual machines' kernels count what
 * happens in the idle task but do not record it, nor call it lost: tests that compare the two keep
 * CPUs out of idle. */
GPtrArray *spinners_start (void);
void spinners_stop (GPtrArray *spinners);
