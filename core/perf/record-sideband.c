/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bodies of the records that are no samples: who was mapped, named, born, gone, what was lost. Each
 * has a fixed part, and some a NUL-terminated text behind it. */
#include "config.h"
#include "perf/record.h"

#include <string.h>

/* Fixed parts of the bodies, in bytes. */
#define MMAP2_BYTES 64
#define COMM_BYTES 8
#define TASK_BYTES 24
#define THROTTLE_BYTES 24
#define SWITCH_WIDE_BYTES 8
#define KSYMBOL_BYTES 16
#define BUILD_ID_MOST 20

/* A fixed part that begins at `offset` of the body. */
static void
field (const WprRecord *record, gsize offset, gpointer to, gsize size)
{
  memcpy (to, record->body + offset, size);
}

static gboolean
has (const WprRecord *record, guint32 type, guint32 fixed_bytes)
{
  return record->type == type && record->body != NULL && record->body_size >= fixed_bytes;
}

/* The text behind the fixed part; NULL if it does not end inside the body. */
static const char *
text (const WprRecord *record, guint32 fixed_bytes)
{
  const char *at = (const char *)record->body + fixed_bytes;
  return memchr (at, 0, record->body_size - fixed_bytes) != NULL ? at : NULL;
}

gboolean
wpr_record_mmap2 (const WprRecord *record, WprMmap2 *mmap2)
{
  memset (mmap2, 0, sizeof *mmap2);
  if (!has (record, PERF_RECORD_MMAP2, MMAP2_BYTES))
    return FALSE;

  field (record, 0, &mmap2->pid, 4);
  field (record, 4, &mmap2->tid, 4);
  field (record, 8, &mmap2->addr, 8);
  field (record, 16, &mmap2->len, 8);
  field (record, 24, &mmap2->pgoff, 8);
  if ((record->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) != 0)
    {
      field (record, 32, &mmap2->build_id_size, 1);
      mmap2->build_id_size = MIN (mmap2->build_id_size, BUILD_ID_MOST);
      field (record, 36, mmap2->build_id, mmap2->build_id_size);
    }
  else
    {
      field (record, 32, &mmap2->maj, 4);
      field (record, 36, &mmap2->min, 4);
      field (record, 40, &mmap2->ino, 8);
      field (record, 48, &mmap2->ino_generation, 8);
    }
  field (record, 56, &mmap2->prot, 4);
  field (record, 60, &mmap2->flags, 4);
  mmap2->path = text (record, MMAP2_BYTES);
  return mmap2->path != NULL;
}

gboolean
wpr_record_comm (const WprRecord *record, WprComm *comm)
{
  memset (comm, 0, sizeof *comm);
  if (!has (record, PERF_RECORD_COMM, COMM_BYTES))
    return FALSE;

  field (record, 0, &comm->pid, 4);
  field (record, 4, &comm->tid, 4);
  comm->exec = (record->misc & PERF_RECORD_MISC_COMM_EXEC) != 0;
  comm->comm = text (record, COMM_BYTES);
  return comm->comm != NULL;
}

gboolean
wpr_record_task (const WprRecord *record, WprTask *task)
{
  memset (task, 0, sizeof *task);
  if (!has (record, PERF_RECORD_FORK, TASK_BYTES) && !has (record, PERF_RECORD_EXIT, TASK_BYTES))
    return FALSE;

  field (record, 0, &task->pid, 4);
  field (record, 4, &task->ppid, 4);
  field (record, 8, &task->tid, 4);
  field (record, 12, &task->ptid, 4);
  field (record, 16, &task->time, 8);
  return TRUE;
}

gboolean
wpr_record_switch (const WprRecord *record, WprSwitch *sw)
{
  memset (sw, 0, sizeof *sw);
  sw->is_known = has (record, PERF_RECORD_SWITCH_CPU_WIDE, SWITCH_WIDE_BYTES);
  if (!sw->is_known && !has (record, PERF_RECORD_SWITCH, 0))
    return FALSE;

  sw->out = (record->misc & PERF_RECORD_MISC_SWITCH_OUT) != 0;
  sw->preempted = sw->out && (record->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT) != 0;
  if (sw->is_known)
    {
      field (record, 0, &sw->other_pid, 4);
      field (record, 4, &sw->other_tid, 4);
    }
  return TRUE;
}

gboolean
wpr_record_lost (const WprRecord *record, WprLost *lost)
{
  memset (lost, 0, sizeof *lost);
  if (has (record, PERF_RECORD_LOST, 16))
    {
      field (record, 0, &lost->id, 8);
      field (record, 8, &lost->lost, 8);
      return TRUE;
    }
  if (has (record, PERF_RECORD_LOST_SAMPLES, 8))
    {
      lost->id = record->id;
      field (record, 0, &lost->lost, 8);
      return TRUE;
    }
  return FALSE;
}

gboolean
wpr_record_throttle (const WprRecord *record, WprThrottle *throttle)
{
  memset (throttle, 0, sizeof *throttle);
  if (!has (record, PERF_RECORD_THROTTLE, THROTTLE_BYTES)
      && !has (record, PERF_RECORD_UNTHROTTLE, THROTTLE_BYTES))
    return FALSE;

  field (record, 0, &throttle->time, 8);
  field (record, 8, &throttle->id, 8);
  field (record, 16, &throttle->stream_id, 8);
  return TRUE;
}

gboolean
wpr_record_ksymbol (const WprRecord *record, WprKsymbol *ksymbol)
{
  memset (ksymbol, 0, sizeof *ksymbol);
  if (!has (record, PERF_RECORD_KSYMBOL, KSYMBOL_BYTES))
    return FALSE;

  field (record, 0, &ksymbol->addr, 8);
  field (record, 8, &ksymbol->len, 4);
  field (record, 12, &ksymbol->ksym_type, 2);
  field (record, 14, &ksymbol->flags, 2);
  ksymbol->name = text (record, KSYMBOL_BYTES);
  return ksymbol->name != NULL;
}
