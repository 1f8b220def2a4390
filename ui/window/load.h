/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How busy the computer is, from /proc: how often things happen that would be recorded. Opens no
 * event. Reading waits for files: worker only. Does not live here: what events cost (estimate.h).
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* What /proc counts. */
typedef enum
{
  WPR_LOAD_SWITCHES,  /* stat: ctxt */
  WPR_LOAD_FORKS,     /* stat: processes; threads too */
  WPR_LOAD_IRQS,      /* stat: intr, those of devices */
  WPR_LOAD_VECTORS,   /* stat: intr, the rest: timers and what CPUs send each other */
  WPR_LOAD_SOFTIRQS,  /* stat: softirq */
  WPR_LOAD_TASKLETS,  /* stat: softirq, HI and TASKLET */
  WPR_LOAD_TIMERS,    /* stat: softirq, TIMER */
  WPR_LOAD_BUSY_NS,   /* stat: cpu, all but idle and iowait, of all CPUs together */
  WPR_LOAD_DISK,      /* diskstats: requests completed by whole disks */
  WPR_LOAD_FAULTS,    /* vmstat: pgfault */
  WPR_LOAD_MAJFAULTS, /* vmstat: pgmajfault */
  WPR_LOAD_ALLOCS,    /* vmstat: pgalloc_* */
  WPR_LOAD_FREES,     /* vmstat: pgfree */
  WPR_LOAD_PACKETS,   /* net/dev: received and sent */
  WPR_LOAD_N
} WprLoadKind;

/* Counted since boot. A file that could not be read leaves its counters at 0: nothing moves. */
typedef struct
{
  gint64 time_us; /* monotonic */
  guint64 counts[WPR_LOAD_N];
} WprLoad;

void wpr_load_read (WprLoad *load);
/* The parsers, for text of those files. is_disk: whether a name is that of a whole disk. */
void wpr_load_parse_stat (WprLoad *load, const char *text);
void wpr_load_parse_vmstat (WprLoad *load, const char *text);
void wpr_load_parse_netdev (WprLoad *load, const char *text);
void wpr_load_parse_diskstats (WprLoad *load, const char *text,
                               gboolean (*is_disk) (const char *name));
/* Each kind a second between two readings. */
void wpr_load_rates (const WprLoad *before, const WprLoad *after, double rates[WPR_LOAD_N]);

G_END_DECLS
