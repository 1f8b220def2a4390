/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Interrupts, softirqs, tasklets, timers: a pair of records becomes one event at its end. What a
 * CPU is in the middle of lies here, innermost last; it is forgotten where records are missing, so
 * that no end finds the begin of another. */
#include "config.h"
#include "trace/convert-private.h"

#include <string.h>

/* A timer in a softirq, interrupted by a device within the interrupt of a clock: 5. What is deeper
 * are begins whose end never came. */
#define MOST_OPEN 8
/* As /proc/interrupts shows them; longer ones are cut. */
#define MOST_NAME 48

typedef struct
{
  WprInterruptKind what;
  guint32 number;
  guint64 key; /* of its kind: number or address */
  gint64 start;
  guint64 routine;
  char name[MOST_NAME];
} Open;

typedef struct
{
  guint n;
  Open open[MOST_OPEN];
} Cpu;

struct _WprConvertOpen
{
  guint n_cpus;
  Cpu **cpus; /* NULL until its first interrupt */
  Open ended; /* the last that ended: an event points to its name */
};

enum
{
  KEY,
  ROUTINE,
  NAME = ROUTINE,
  RESULT = ROUTINE
};

WprConvertOpen *
wpr_convert_open_new (guint n_cpus)
{
  WprConvertOpen *open = g_new0 (WprConvertOpen, 1);
  open->n_cpus = n_cpus;
  open->cpus = g_new0 (Cpu *, n_cpus);
  return open;
}

void
wpr_convert_open_free (WprConvertOpen *open)
{
  if (open == NULL)
    return;
  for (guint i = 0; i < open->n_cpus; i++)
    g_free (open->cpus[i]);
  g_free (open->cpus);
  g_free (open);
}

void
wpr_convert_open_forget (WprConvert *convert, guint cpu)
{
  WprConvertOpen *open = convert->open;
  if (cpu >= open->n_cpus || open->cpus[cpu] == NULL)
    return;
  convert->n_unpaired += open->cpus[cpu]->n;
  open->cpus[cpu]->n = 0;
}

static Cpu *
cpu_of (WprConvertOpen *open, guint32 cpu)
{
  if (cpu >= open->n_cpus)
    return NULL;
  if (open->cpus[cpu] == NULL)
    open->cpus[cpu] = g_new0 (Cpu, 1);
  return open->cpus[cpu];
}

/* -1: none. */
static gint
find (const Cpu *cpu, WprInterruptKind what, guint64 key)
{
  for (guint i = cpu->n; i-- > 0;)
    if (cpu->open[i].what == what && cpu->open[i].key == key)
      return (gint)i;
  return -1;
}

/* What holds a stack apart that waits for the end: CPU and kind; two of a kind within each other
 * would be two timers, whose begins carry no stack. */
static guint64
stack_key (guint32 cpu, WprInterruptKind what)
{
  return G_GUINT64_CONSTANT (1) << 63 | (guint64)cpu << 8 | what;
}

static void
copy_name (Open *open, const WprConvertRow *row, const WprRecord *record)
{
  guint32 size = 0;
  const guint8 *name = NULL;
  if (row->kind->label != NULL)
    name = (const guint8 *)row->kind->label, size = (guint32)strlen (row->kind->label);
  else if (open->what == WPR_INTERRUPT_IRQ)
    name = wpr_field_bytes (row->fields[NAME], record->raw, record->raw_size, &size);
  size = MIN (size, MOST_NAME - 1);
  if (name != NULL)
    memcpy (open->name, name, size);
  open->name[name != NULL ? size : 0] = '\0';
}

static WprConverted
convert_entry (WprConvert *convert, const WprConvertRow *row, const WprRecord *record,
               WprEvent *event)
{
  Cpu *cpu = cpu_of (convert->open, event->cpu);
  WprInterruptKind what = (WprInterruptKind)row->kind->what;
  guint64 key = (guint64)wpr_convert_int (row, KEY, record);
  if (cpu == NULL)
    return WPR_CONVERT_EVENT;
  event->kind = WPR_EVENT_BEGUN;
  event->u.begun.key = stack_key (event->cpu, what);
  /* Nothing is within itself: the end of the one before is missing. */
  gint stale = find (cpu, what, key);
  if (stale < 0 && cpu->n == MOST_OPEN)
    stale = 0;
  if (stale >= 0)
    {
      convert->n_unpaired++;
      cpu->n--;
      memmove (&cpu->open[stale], &cpu->open[stale + 1], (cpu->n - stale) * sizeof (Open));
    }
  Open *open = &cpu->open[cpu->n++];
  open->what = what;
  open->key = key;
  open->number = (guint32)key;
  open->start = event->time;
  open->routine = what == WPR_INTERRUPT_TASKLET || what == WPR_INTERRUPT_TIMER
                      ? (guint64)wpr_convert_int (row, ROUTINE, record)
                      : 0;
  copy_name (open, row, record);
  return WPR_CONVERT_EVENT;
}

static WprConverted
convert_exit (WprConvert *convert, const WprConvertRow *row, const WprRecord *record,
              WprEvent *event)
{
  Cpu *cpu = cpu_of (convert->open, event->cpu);
  WprInterruptKind what = (WprInterruptKind)row->kind->what;
  gint at = cpu != NULL ? find (cpu, what, (guint64)wpr_convert_int (row, KEY, record)) : -1;
  if (at < 0)
    {
      convert->n_unpaired++;
      return WPR_CONVERT_EVENT;
    }
  Open *open = &convert->open->ended;
  *open = cpu->open[at];
  /* What began later and has no end by now has lost it. */
  convert->n_unpaired += cpu->n - (guint)at - 1;
  cpu->n = (guint)at;
  event->kind = WPR_EVENT_INTERRUPT;
  event->u.interrupt.key = stack_key (event->cpu, what);
  event->u.interrupt.what = what;
  event->u.interrupt.start = open->start;
  event->u.interrupt.number = open->number;
  event->u.interrupt.result
      = what == WPR_INTERRUPT_IRQ ? (guint32)wpr_convert_int (row, RESULT, record) : 1;
  event->u.interrupt.routine = open->routine;
  event->u.interrupt.name = open->name;
  return WPR_CONVERT_EVENT;
}

#define PAIR(name, what, label)                                    \
  { name "_entry", convert_entry, { "vector" }, (what), (label) }, \
  {                                                                \
    name "_exit", convert_exit, { "vector" }, (what), NULL         \
  }
#define VECTOR(name) PAIR ("irq_vectors:" name, WPR_INTERRUPT_VECTOR, name)

const WprConvertKind wpr_convert_irq_kinds[] = {
  { "irq:irq_handler_entry", convert_entry, { "irq", "name" }, WPR_INTERRUPT_IRQ, NULL },
  { "irq:irq_handler_exit", convert_exit, { "irq", "ret" }, WPR_INTERRUPT_IRQ, NULL },
  { "irq:softirq_entry", convert_entry, { "vec" }, WPR_INTERRUPT_SOFTIRQ, NULL },
  { "irq:softirq_exit", convert_exit, { "vec" }, WPR_INTERRUPT_SOFTIRQ, NULL },
  { "irq:tasklet_entry", convert_entry, { "tasklet", "func" }, WPR_INTERRUPT_TASKLET, NULL },
  { "irq:tasklet_exit", convert_exit, { "tasklet" }, WPR_INTERRUPT_TASKLET, NULL },
  { "timer:timer_expire_entry", convert_entry, { "timer", "function" }, WPR_INTERRUPT_TIMER, NULL },
  { "timer:timer_expire_exit", convert_exit, { "timer" }, WPR_INTERRUPT_TIMER, NULL },
  { "timer:hrtimer_expire_entry",
    convert_entry,
    { "hrtimer", "function" },
    WPR_INTERRUPT_TIMER,
    NULL },
  { "timer:hrtimer_expire_exit", convert_exit, { "hrtimer" }, WPR_INTERRUPT_TIMER, NULL },
  { "ipi:ipi_entry", convert_entry, { "reason" }, WPR_INTERRUPT_VECTOR, "ipi" },
  { "ipi:ipi_exit", convert_exit, { "reason" }, WPR_INTERRUPT_VECTOR, NULL },
  VECTOR ("local_timer"),
  VECTOR ("reschedule"),
  VECTOR ("call_function"),
  VECTOR ("call_function_single"),
  VECTOR ("irq_work"),
  VECTOR ("x86_platform_ipi"),
  VECTOR ("thermal_apic"),
  VECTOR ("error_apic"),
  VECTOR ("spurious_apic"),
  { NULL },
};
