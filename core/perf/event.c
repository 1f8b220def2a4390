/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An event as we ask the kernel for it: pure, opens nothing. What of it is not known on older
 * kernels is taken away again by opener-slot.c. */
#include "config.h"
#include "perf/event.h"

#include <string.h>
#include <time.h>
#if defined(__x86_64__) || defined(__i386__) || defined(__aarch64__)
#include <asm/perf_regs.h>
#endif
#include "perf/event-private.h"

/* Program counter and stack pointer of this machine, as the kernel numbers them. 0: no registers.
 */
#if defined(__x86_64__) || defined(__i386__)
#define USER_REGISTERS ((1ull << PERF_REG_X86_IP) | (1ull << PERF_REG_X86_SP))
#elif defined(__aarch64__)
#define USER_REGISTERS ((1ull << PERF_REG_ARM64_PC) | (1ull << PERF_REG_ARM64_SP))
#else
#define USER_REGISTERS 0ull
#endif

#define SAMPLE_TYPE_ALWAYS \
  (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU)

typedef struct
{
  WprPerfKind kind;
  const char *name;
  guint64 config;
} NamedEvent;

static const NamedEvent named_events[] = {
  { WPR_PERF_SOFTWARE, "cpu-clock", PERF_COUNT_SW_CPU_CLOCK },
  { WPR_PERF_SOFTWARE, "task-clock", PERF_COUNT_SW_TASK_CLOCK },
  { WPR_PERF_SOFTWARE, "page-faults", PERF_COUNT_SW_PAGE_FAULTS },
  { WPR_PERF_SOFTWARE, "minor-faults", PERF_COUNT_SW_PAGE_FAULTS_MIN },
  { WPR_PERF_SOFTWARE, "major-faults", PERF_COUNT_SW_PAGE_FAULTS_MAJ },
  { WPR_PERF_SOFTWARE, "context-switches", PERF_COUNT_SW_CONTEXT_SWITCHES },
  { WPR_PERF_SOFTWARE, "cpu-migrations", PERF_COUNT_SW_CPU_MIGRATIONS },
  { WPR_PERF_SOFTWARE, "alignment-faults", PERF_COUNT_SW_ALIGNMENT_FAULTS },
  { WPR_PERF_SOFTWARE, "emulation-faults", PERF_COUNT_SW_EMULATION_FAULTS },
  { WPR_PERF_HARDWARE, "cycles", PERF_COUNT_HW_CPU_CYCLES },
  { WPR_PERF_HARDWARE, "ref-cycles", PERF_COUNT_HW_REF_CPU_CYCLES },
  { WPR_PERF_HARDWARE, "bus-cycles", PERF_COUNT_HW_BUS_CYCLES },
  { WPR_PERF_HARDWARE, "instructions", PERF_COUNT_HW_INSTRUCTIONS },
  { WPR_PERF_HARDWARE, "cache-references", PERF_COUNT_HW_CACHE_REFERENCES },
  { WPR_PERF_HARDWARE, "cache-misses", PERF_COUNT_HW_CACHE_MISSES },
  { WPR_PERF_HARDWARE, "branches", PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
  { WPR_PERF_HARDWARE, "branch-misses", PERF_COUNT_HW_BRANCH_MISSES },
  { WPR_PERF_HARDWARE, "stalled-cycles-frontend", PERF_COUNT_HW_STALLED_CYCLES_FRONTEND },
  { WPR_PERF_HARDWARE, "stalled-cycles-backend", PERF_COUNT_HW_STALLED_CYCLES_BACKEND },
};

/* "L1-dcache-load-misses" and its like: cache, operation and result, a byte each. */
static const struct
{
  const char *name;
  guint64 config;
} cache_events[] = {
  { "L1-dcache-loads", PERF_COUNT_HW_CACHE_L1D },
  { "L1-dcache-load-misses", PERF_COUNT_HW_CACHE_L1D | PERF_COUNT_HW_CACHE_RESULT_MISS << 16 },
  { "L1-icache-load-misses", PERF_COUNT_HW_CACHE_L1I | PERF_COUNT_HW_CACHE_RESULT_MISS << 16 },
  { "L1-icache-loads", PERF_COUNT_HW_CACHE_L1I },
  { "LLC-loads", PERF_COUNT_HW_CACHE_LL },
  { "LLC-load-misses", PERF_COUNT_HW_CACHE_LL | PERF_COUNT_HW_CACHE_RESULT_MISS << 16 },
  { "dTLB-load-misses", PERF_COUNT_HW_CACHE_DTLB | PERF_COUNT_HW_CACHE_RESULT_MISS << 16 },
  { "iTLB-load-misses", PERF_COUNT_HW_CACHE_ITLB | PERF_COUNT_HW_CACHE_RESULT_MISS << 16 },
};

/* "r01c2": the processor's own number, hexadecimal. */
static gboolean
parse_raw (const char *name, guint64 *config)
{
  return *name == 'r' && g_ascii_string_to_unsigned (name + 1, 16, 0, G_MAXUINT64, config, NULL);
}

gboolean
wpr_perf_event_config (const WprPerfEvent *event, guint32 *type, guint64 *config)
{
  *type = event->kind == WPR_PERF_TRACEPOINT ? PERF_TYPE_TRACEPOINT
          : event->kind == WPR_PERF_SOFTWARE ? PERF_TYPE_SOFTWARE
                                             : PERF_TYPE_HARDWARE;
  for (gsize i = 0; i < G_N_ELEMENTS (named_events); i++)
    if (named_events[i].kind == event->kind && g_str_equal (named_events[i].name, event->name))
      {
        *config = named_events[i].config;
        return TRUE;
      }
  if (event->kind != WPR_PERF_HARDWARE)
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (cache_events); i++)
    if (g_str_equal (cache_events[i].name, event->name))
      {
        *type = PERF_TYPE_HW_CACHE;
        *config = cache_events[i].config;
        return TRUE;
      }
  *type = PERF_TYPE_RAW;
  return parse_raw (event->name, config);
}

guint64
wpr_perf_event_sample_type (const WprPerfEvent *event)
{
  guint64 type = SAMPLE_TYPE_ALWAYS;

  g_return_val_if_fail (event != NULL, type);

  if (event->kind == WPR_PERF_TRACEPOINT)
    type |= PERF_SAMPLE_RAW;
  if (event->kind == WPR_PERF_SOFTWARE || event->kind == WPR_PERF_HARDWARE)
    type |= PERF_SAMPLE_IP;
  if (event->kind == WPR_PERF_HARDWARE && event->frequency != 0)
    type |= PERF_SAMPLE_PERIOD;
  if (event->addr)
    type |= PERF_SAMPLE_ADDR;
  if (event->callchain != WPR_CALLCHAIN_NONE)
    type |= PERF_SAMPLE_CALLCHAIN;
  if (event->regs && USER_REGISTERS != 0)
    type |= PERF_SAMPLE_REGS_USER;
  return type;
}

void
wpr_perf_fill_common (gboolean backward, struct perf_event_attr *attr)
{
  memset (attr, 0, sizeof *attr);
  attr->size = sizeof *attr;
  attr->sample_type = SAMPLE_TYPE_ALWAYS;
  attr->sample_id_all = 1;
  attr->read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_LOST;
  attr->use_clockid = 1;
  attr->clockid = CLOCK_MONOTONIC;
  attr->write_backward = backward != FALSE;
}

void
wpr_perf_leave_kernel_out (struct perf_event_attr *attr)
{
  attr->exclude_kernel = 1;
  attr->exclude_hv = 1;
  attr->exclude_callchain_kernel = 1;
}

/* A dummy that tells of processes: who was mapped, named, born, gone, what code the kernel made. */
static void
fill_sideband (struct perf_event_attr *attr)
{
  attr->type = PERF_TYPE_SOFTWARE;
  attr->config = PERF_COUNT_SW_DUMMY;
  attr->mmap = 1;
  attr->mmap2 = 1;
  attr->build_id = 1;
  attr->comm = 1;
  attr->comm_exec = 1;
  attr->task = 1;
  attr->ksymbol = 1;
}

/* A dummy that tells who comes to a CPU and who leaves it. */
static void
fill_switches (struct perf_event_attr *attr)
{
  attr->type = PERF_TYPE_SOFTWARE;
  attr->config = PERF_COUNT_SW_DUMMY;
  attr->context_switch = 1;
}

void
wpr_perf_event_fill_attr (const WprPerfEvent *event, gboolean backward,
                          struct perf_event_attr *attr)
{
  g_return_if_fail (event != NULL && attr != NULL);

  wpr_perf_fill_common (backward, attr);
  if (event->kind == WPR_PERF_SIDEBAND)
    {
      fill_sideband (attr);
      return;
    }

  if (event->kind == WPR_PERF_SWITCHES)
    {
      fill_switches (attr);
      return;
    }

  guint32 type;
  guint64 config;
  if (wpr_perf_event_config (event, &type, &config))
    attr->config = config;
  attr->type = type;
  attr->sample_type = wpr_perf_event_sample_type (event);
  attr->freq = event->frequency != 0;
  if (event->frequency != 0)
    attr->sample_freq = event->frequency;
  else
    attr->sample_period = MAX (event->period, 1);
  attr->exclude_callchain_user = event->callchain == WPR_CALLCHAIN_KERNEL;
  if ((attr->sample_type & PERF_SAMPLE_REGS_USER) != 0)
    attr->sample_regs_user = USER_REGISTERS;
}
