/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scheduler events and profile samples. */
#include "config.h"
#include "trace/convert-private.h"

#include <string.h>

/* common_flags: in a hardware or software interrupt, or an NMI. */
#define IN_INTERRUPT (0x08 | 0x10 | 0x40)

enum
{
  PREV_PID,
  PREV_PRIO,
  PREV_STATE,
  NEXT_PID,
  NEXT_PRIO
};
enum
{
  WAKEE,
  WAKEE_PRIO,
  TARGET_CPU,
  COMMON_FLAGS
};

/* The letters the kernel prints for states; their bits differ between kernels, so the format says
 * them. */
static const struct
{
  const char *letter;
  WprTaskState state;
} letters[] = {
  { "S", WPR_TASK_SLEEPING },   { "D", WPR_TASK_DISK_SLEEP }, { "T", WPR_TASK_STOPPED },
  { "t", WPR_TASK_TRACED },     { "X", WPR_TASK_DEAD },       { "Z", WPR_TASK_ZOMBIE },
  { "P", WPR_TASK_PARKED },     { "I", WPR_TASK_IDLE },       { "x", WPR_TASK_DEAD },
  { "K", WPR_TASK_DISK_SLEEP }, { "W", WPR_TASK_DISK_SLEEP },
};

/* Used where the format has no table: the bits since Linux 4.14. */
static const WprFieldSymbol usual[] = { { 0x01, (char *)"S" }, { 0x02, (char *)"D" },
                                        { 0x04, (char *)"T" }, { 0x08, (char *)"t" },
                                        { 0x10, (char *)"X" }, { 0x20, (char *)"Z" },
                                        { 0x40, (char *)"P" }, { 0x80, (char *)"I" } };

static void
learn_state (WprConvertRow *row, const WprFieldSymbol *symbol)
{
  guint bit = symbol->value != 0 ? (guint)__builtin_ctzll (symbol->value) : WPR_CONVERT_STATES;
  if (bit >= WPR_CONVERT_STATES)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (letters); i++)
    if (strcmp (symbol->name, letters[i].letter) == 0)
      {
        row->states[bit] = (guint8)letters[i].state;
        row->state_bits |= symbol->value;
      }
}

void
wpr_convert_learn_states (WprConvertRow *row, const char *format_text)
{
  g_autoptr (GArray) symbols
      = format_text != NULL ? wpr_format_symbols (format_text, "prev_state") : NULL;
  if (symbols != NULL)
    for (guint i = 0; i < symbols->len; i++)
      learn_state (row, &g_array_index (symbols, WprFieldSymbol, i));
  if (row->state_bits == 0)
    for (guint i = 0; i < G_N_ELEMENTS (usual); i++)
      learn_state (row, &usual[i]);
  /* "+", preempted, is the bit above the highest state. */
  row->preempted = (guint64)2 << (63 - __builtin_clzll (row->state_bits));
}

static WprTaskState
state_of (const WprConvertRow *row, guint64 bits)
{
  guint64 states = bits & row->state_bits;
  if (states != 0)
    return (WprTaskState)row->states[__builtin_ctzll (states)];
  return (bits & row->preempted) != 0 ? WPR_TASK_PREEMPTED : WPR_TASK_RUNNING;
}

WprConverted
wpr_convert_switch (WprConvert *convert, const WprConvertRow *row, const WprRecord *record,
                    WprEvent *event)
{
  event->kind = WPR_EVENT_SWITCH;
  event->u.sw.prev_tid = (guint32)wpr_convert_int (row, PREV_PID, record);
  event->u.sw.next_tid = (guint32)wpr_convert_int (row, NEXT_PID, record);
  event->u.sw.prev_prio = (gint32)wpr_convert_int (row, PREV_PRIO, record);
  event->u.sw.next_prio = (gint32)wpr_convert_int (row, NEXT_PRIO, record);
  event->u.sw.prev_state = state_of (row, (guint64)wpr_convert_int (row, PREV_STATE, record));
  event->tid = event->u.sw.prev_tid;
  return WPR_CONVERT_EVENT;
}

/* Each switch is two records, of the thread that leaves and of the one that comes; of own programs
 * only those of own threads, and who is on the other side nobody says. What a thread that leaves
 * waits for is not said either, nor any priority. */
WprConverted
wpr_convert_switch_record (WprConvert *convert, const WprRecord *record, WprEvent *event)
{
  WprSwitch sw;
  if (!wpr_record_switch (record, &sw) || convert->switches_row == G_MAXUINT32)
    return WPR_CONVERT_NOTHING;
  guint32 other = sw.is_known ? sw.other_tid : G_MAXUINT32;
  guint32 other_pid = sw.is_known ? sw.other_pid : G_MAXUINT32;
  event->kind = WPR_EVENT_SWITCH;
  event->row = convert->switches_row;
  event->u.sw.prev_tid = sw.out ? record->tid : other;
  event->u.sw.next_tid = sw.out ? other : record->tid;
  event->u.sw.prev_prio = event->u.sw.next_prio = WPR_PRIO_UNKNOWN;
  event->u.sw.prev_state = sw.preempted ? WPR_TASK_PREEMPTED : WPR_TASK_WAITING;
  event->tid = event->u.sw.prev_tid;
  event->pid = sw.out ? record->pid : other_pid;
  return sw.out ? WPR_CONVERT_EVENT : WPR_CONVERT_ARRIVED;
}

WprConverted
wpr_convert_waking (WprConvert *convert, const WprConvertRow *row, const WprRecord *record,
                    WprEvent *event)
{
  event->kind = WPR_EVENT_WAKING;
  event->u.waking.tid = (guint32)wpr_convert_int (row, WAKEE, record);
  event->u.waking.prio = (gint32)wpr_convert_int (row, WAKEE_PRIO, record);
  event->u.waking.target_cpu = (guint32)wpr_convert_int (row, TARGET_CPU, record);
  event->u.waking.is_new = FALSE;
  event->u.waking.from_interrupt
      = (wpr_convert_int (row, COMMON_FLAGS, record) & IN_INTERRUPT) != 0;
  return WPR_CONVERT_EVENT;
}

static WprConverted
convert_waking_new (WprConvert *convert, const WprConvertRow *row, const WprRecord *record,
                    WprEvent *event)
{
  wpr_convert_waking (convert, row, record, event);
  event->u.waking.is_new = TRUE;
  return WPR_CONVERT_EVENT;
}

static WprConverted
convert_sample (WprConvert *convert, const WprConvertRow *row, const WprRecord *record,
                WprEvent *event)
{
  event->kind = WPR_EVENT_SAMPLE;
  return WPR_CONVERT_EVENT;
}

const WprConvertKind wpr_convert_sched_kinds[] = {
  { "sched:sched_switch",
    wpr_convert_switch,
    { "prev_pid", "prev_prio", "prev_state", "next_pid", "next_prio" } },
  { "sched:sched_waking", wpr_convert_waking, { "pid", "prio", "target_cpu", "common_flags" } },
  { "sched:sched_wakeup_new", convert_waking_new, { "pid", "prio", "target_cpu", "common_flags" } },
  { "cpu-clock", convert_sample, { NULL } },
  { "cycles", convert_sample, { NULL } },
  { NULL },
};
