/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One row an event or a family of events: what of /proc moves with it, and how often it comes for
 * one of these. Measured on a two-CPU machine compiling programs; orders of magnitude carry over.
 */
#include "config.h"
#include "estimate.h"

/* Bytes of a record without a stack, as the kernel writes it: header and common fields 40, what
 * the event itself says mostly 16 to 40. */
#define BYTES_RECORD 64
/* And of stacks: a kernel stack has about 11 frames, programs' add about 8; of samples many are of
 * an idle CPU and short. */
#define BYTES_KERNEL_STACK 90
#define BYTES_FULL_STACK 150
#define BYTES_SAMPLE 50
#define BYTES_SAMPLE_STACK 70
/* Beside the raw recording the finished file needs room, about as much again. */
#define FILES_A_RECORDING 2

typedef enum
{
  RARE,   /* too seldom to matter */
  BY_LOAD /* so many for one of the counter's */
} Basis;

/* The first row that fits counts; what fits none, nobody can tell. */
static const struct
{
  const char *pattern; /* of the name, * and ? as in a shell */
  Basis basis;
  WprLoadKind kind;
  double times;
  guint more_bytes; /* beside BYTES_RECORD */
} rows[] = {
  { "sched:sched_switch", BY_LOAD, WPR_LOAD_SWITCHES, 1, 48 },
  { "switches", BY_LOAD, WPR_LOAD_SWITCHES, 2, 0 }, /* of who leaves and of who comes */
  { "sched:sched_waking", BY_LOAD, WPR_LOAD_SWITCHES, .6, 24 },
  { "sched:sched_wakeup", BY_LOAD, WPR_LOAD_SWITCHES, .6, 24 },
  { "sched:sched_wakeup_new", BY_LOAD, WPR_LOAD_FORKS, 1, 24 },
  { "sched:sched_migrate_task", BY_LOAD, WPR_LOAD_SWITCHES, .1, 24 },
  { "sched:sched_process_*", BY_LOAD, WPR_LOAD_FORKS, 1, 24 },
  { "sched:sched_stat_*", BY_LOAD, WPR_LOAD_SWITCHES, 1, 24 },
  { "sched:*", RARE, 0, 0, 0 },
  { "task:*", BY_LOAD, WPR_LOAD_FORKS, 1, 24 },
  { "irq:irq_handler_*", BY_LOAD, WPR_LOAD_IRQS, 1, 8 },
  { "irq:softirq_*", BY_LOAD, WPR_LOAD_SOFTIRQS, 1, 0 },
  { "irq:tasklet_*", BY_LOAD, WPR_LOAD_TASKLETS, 1, 0 },
  { "irq_vectors:local_timer_*", BY_LOAD, WPR_LOAD_VECTORS, 1, 0 },
  { "irq_vectors:*", BY_LOAD, WPR_LOAD_VECTORS, .3, 0 },
  { "timer:hrtimer_*", BY_LOAD, WPR_LOAD_VECTORS, 1, 0 },
  { "timer:timer_*", BY_LOAD, WPR_LOAD_TIMERS, 1, 0 },
  { "block:block_rq_*", BY_LOAD, WPR_LOAD_DISK, 1, 40 },
  { "block:block_bio_*", BY_LOAD, WPR_LOAD_DISK, 1, 40 },
  { "block:*", RARE, 0, 0, 0 },
  { "filemap:mm_filemap_fault", BY_LOAD, WPR_LOAD_FAULTS, .03, 16 },
  { "exceptions:page_fault_user", BY_LOAD, WPR_LOAD_FAULTS, 1, 0 },
  { "exceptions:page_fault_kernel", BY_LOAD, WPR_LOAD_FAULTS, .1, 0 },
  { "page-faults", BY_LOAD, WPR_LOAD_FAULTS, 1, 0 },
  { "minor-faults", BY_LOAD, WPR_LOAD_FAULTS, 1, 0 },
  { "major-faults", BY_LOAD, WPR_LOAD_MAJFAULTS, 1, 0 },
  { "context-switches", BY_LOAD, WPR_LOAD_SWITCHES, 1, 0 },
  { "kmem:mm_page_alloc", BY_LOAD, WPR_LOAD_ALLOCS, .7, 16 },
  { "kmem:mm_page_free", BY_LOAD, WPR_LOAD_FREES, .7, 16 },
  { "kmem:rss_stat", BY_LOAD, WPR_LOAD_FAULTS, .2, 16 },
  { "syscalls:sys_*_mmap", BY_LOAD, WPR_LOAD_FORKS, 25, 48 },
  { "syscalls:sys_*_munmap", BY_LOAD, WPR_LOAD_FORKS, 5, 32 },
  { "syscalls:sys_*_mprotect", BY_LOAD, WPR_LOAD_FORKS, 10, 32 },
  { "syscalls:sys_*_brk", BY_LOAD, WPR_LOAD_FORKS, 5, 16 },
  { "syscalls:sys_*_madvise", BY_LOAD, WPR_LOAD_FORKS, 2, 32 },
  { "syscalls:sys_*_mremap", RARE, 0, 0, 0 },
  { "syscalls:sys_*_sched_setscheduler", RARE, 0, 0, 0 },
  { "syscalls:sys_*_setpriority", RARE, 0, 0, 0 },
  { "skb:kfree_skb", BY_LOAD, WPR_LOAD_PACKETS, .2, 24 },
  { "net:*", BY_LOAD, WPR_LOAD_PACKETS, 1, 40 },
  { "napi:*", BY_LOAD, WPR_LOAD_PACKETS, .5, 24 },
  { "sock:sock_*_length", BY_LOAD, WPR_LOAD_PACKETS, 1, 24 },
  { "sock:*", RARE, 0, 0, 0 },
  { "tcp:tcp_probe", BY_LOAD, WPR_LOAD_PACKETS, 1, 60 },
  { "tcp:*", RARE, 0, 0, 0 },
  { "power:cpu_idle", BY_LOAD, WPR_LOAD_SWITCHES, 1, 0 },
  { "power:*", RARE, 0, 0, 0 },
  { "thermal:*", RARE, 0, 0, 0 },
  { "vmscan:*", RARE, 0, 0, 0 },
  { "oom:*", RARE, 0, 0, 0 },
  { "signal:*", RARE, 0, 0, 0 },
  { "module:*", RARE, 0, 0, 0 },
  { "ipi:*", BY_LOAD, WPR_LOAD_VECTORS, .3, 0 },
  { "workqueue:*", BY_LOAD, WPR_LOAD_SWITCHES, .3, 16 },
  /* once a frame or a period of sound: some hundred a second at most */
  { "drm:*", RARE, 0, 0, 0 },
  { "dma_fence:*", RARE, 0, 0, 0 },
  { "gpu_mem:*", RARE, 0, 0, 0 },
  { "snd_pcm:*", RARE, 0, 0, 0 },
  { "v4l2:*", RARE, 0, 0, 0 },
  { "vb2:*", RARE, 0, 0, 0 },
};

/* Of one event; FALSE: nobody can tell how often it comes. */
static gboolean
estimate_tracepoint (const WprPlanItem *item, const double rates[WPR_LOAD_N], double *events_per_s,
                     double *bytes)
{
  static const guint stack_bytes[] = {
    [WPR_STACK_NONE] = 0,
    [WPR_STACK_KERNEL] = BYTES_KERNEL_STACK,
    [WPR_STACK_FULL] = BYTES_FULL_STACK,
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      if (!g_pattern_match_simple (rows[i].pattern, item->name))
        continue;
      *events_per_s = rows[i].basis == RARE ? 0 : rates[rows[i].kind] * rows[i].times;
      *bytes = BYTES_RECORD + rows[i].more_bytes + stack_bytes[item->stack];
      return TRUE;
    }
  return FALSE;
}

/* Samples: the timer also strikes an idle CPU, a counter of the processor does not. */
static gboolean
estimate_sample (const WprPlanItem *item, guint n_cpus, const double rates[WPR_LOAD_N],
                 double *events_per_s, double *bytes)
{
  double cpus = item->kind == WPR_ITEM_HARDWARE ? rates[WPR_LOAD_BUSY_NS] / 1e9 : n_cpus;
  if (item->interval_ns == 0)
    return FALSE;
  *events_per_s = cpus * 1e9 / (double)item->interval_ns;
  *bytes = BYTES_SAMPLE + (item->stack != WPR_STACK_NONE ? BYTES_SAMPLE_STACK : 0);
  return TRUE;
}

static gboolean
estimate_item (const WprPlanItem *item, guint n_cpus, const double rates[WPR_LOAD_N],
               double *events_per_s, double *bytes)
{
  *events_per_s = *bytes = 0;
  /* both have a place of their own: nothing of it in the buffers */
  if (item->kind == WPR_ITEM_SIDEBAND || item->kind == WPR_ITEM_SAMPLER)
    return TRUE;
  if (item->kind != WPR_ITEM_TRACEPOINT && item->interval_ns != 0)
    return estimate_sample (item, n_cpus, rates, events_per_s, bytes);
  return estimate_tracepoint (item, rates, events_per_s, bytes);
}

void
wpr_estimate_plan (WprEstimate *estimate, const WprPlan *plan, guint n_cpus,
                   const double rates[WPR_LOAD_N], guint64 disk_free_bytes)
{
  *estimate = (WprEstimate){ .known = TRUE, .holds_s = G_MAXDOUBLE, .room_s = G_MAXDOUBLE };
  for (guint i = 0; i < plan->collectors->len; i++)
    {
      const WprPlanCollector *collector = plan->collectors->pdata[i];
      double collector_bytes_per_s = 0;
      for (guint j = 0; j < collector->items->len; j++)
        {
          double events_per_s, bytes;
          estimate->known
              &= estimate_item (collector->items->pdata[j], n_cpus, rates, &events_per_s, &bytes);
          estimate->events_per_s += events_per_s;
          collector_bytes_per_s += events_per_s * bytes;
        }
      estimate->bytes_per_s += collector_bytes_per_s;
      if (collector_bytes_per_s > 0)
        estimate->holds_s
            = MIN (estimate->holds_s, (double)collector->bytes_granted / collector_bytes_per_s);
    }
  if (estimate->bytes_per_s > 0)
    estimate->room_s = (double)disk_free_bytes / FILES_A_RECORDING / estimate->bytes_per_s;
}
