/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Takes a raw record apart. The bytes are a stranger's: every step asks how much is left before it
 * takes. The table of ids is in id-table.c, the sideband's bodies in record-sideband.c. */
#include "config.h"
#include "perf/record.h"
#include "perf/record-private.h"

#include <string.h>

/* TID, TIME, CPU, IDENTIFIER behind every record that is no sample. */
#define TRAILER_BYTES 32
/* IDENTIFIER, TID, TIME, CPU of a sample without IP and ADDR. */
#define PREFIX_BYTES 32
/* Of what may be taken: eight bytes a step. */
typedef struct
{
  const guint8 *at;
  gsize left;
} Cursor;

static gboolean
take (Cursor *cursor, guint64 *value)
{
  if (cursor->left < 8)
    return FALSE;
  memcpy (value, cursor->at, 8);
  cursor->at += 8;
  cursor->left -= 8;
  return TRUE;
}

/* NULL if n bytes are not left. */
static const guint8 *
take_bytes (Cursor *cursor, guint64 n)
{
  const guint8 *at = cursor->at;
  if (n > cursor->left)
    return NULL;
  cursor->at += n;
  cursor->left -= n;
  return at;
}

/* Two u32 in one word, in memory order. */
static gboolean
take_pair (Cursor *cursor, guint32 *first, guint32 *second)
{
  const guint8 *at = take_bytes (cursor, 8);
  if (at == NULL)
    return FALSE;
  memcpy (first, at, 4);
  memcpy (second, at + 4, 4);
  return TRUE;
}

static gboolean
take_callchain (Cursor *cursor, WprRecord *record)
{
  guint64 n;
  if (!take (cursor, &n) || n > cursor->left / 8)
    return FALSE;
  record->callchain = (const guint64 *)take_bytes (cursor, n * 8);
  record->n_callchain = (guint32)n;
  return TRUE;
}

/* A u32 of size, then the bytes; both together padded to eight by the kernel, which counts the
 * padding as data. */
static gboolean
take_raw (Cursor *cursor, WprRecord *record)
{
  guint32 size;
  if (cursor->left < sizeof size)
    return FALSE;
  memcpy (&size, take_bytes (cursor, sizeof size), sizeof size);
  record->raw = take_bytes (cursor, size);
  record->raw_size = record->raw != NULL ? size : 0;
  return record->raw != NULL;
}

/* ip and sp in the order of their numbers, which is sp first on x86 and arm64 alike. */
static gboolean
take_registers (Cursor *cursor, WprRecord *record)
{
  guint64 abi;
  if (!take (cursor, &abi))
    return FALSE;
  if (abi == PERF_SAMPLE_REGS_ABI_NONE)
    return TRUE;
  return take (cursor, &record->user_sp) && take (cursor, &record->user_ip);
}

/* In the kernel's order of fields, which is not that of their bits. */
static gboolean
take_sample (Cursor *cursor, guint64 type, WprRecord *record)
{
  guint32 reserved;

  return ((type & PERF_SAMPLE_IDENTIFIER) == 0 || take (cursor, &record->id))
         && ((type & PERF_SAMPLE_IP) == 0 || take (cursor, &record->ip))
         && ((type & PERF_SAMPLE_TID) == 0 || take_pair (cursor, &record->pid, &record->tid))
         && ((type & PERF_SAMPLE_TIME) == 0 || take (cursor, (guint64 *)&record->time))
         && ((type & PERF_SAMPLE_ADDR) == 0 || take (cursor, &record->addr))
         && ((type & PERF_SAMPLE_CPU) == 0 || take_pair (cursor, &record->cpu, &reserved))
         && ((type & PERF_SAMPLE_PERIOD) == 0 || take (cursor, &record->period))
         && ((type & PERF_SAMPLE_CALLCHAIN) == 0 || take_callchain (cursor, record))
         && ((type & PERF_SAMPLE_RAW) == 0 || take_raw (cursor, record))
         && ((type & PERF_SAMPLE_REGS_USER) == 0 || take_registers (cursor, record));
}

/* Where two recordings sample faults, the kernel fills in the sample once and gives the second the
 * first one's id (and time): the recording that began earlier sees ids it does not know. A sample
 * of an unknown id that is, to its last byte, what our faults look like is one. */
static gboolean
take_strange_fault (const Cursor *start, const WprIdTable *ids, WprRecord *record)
{
  Cursor cursor = *start;
  WprRecord fault = *record;
  guint64 type;

  if (!wpr_id_table_fault (ids, &fault.row, &type) || !take_sample (&cursor, type, &fault)
      || cursor.left != 0)
    return FALSE;
  *record = fault;
  return TRUE;
}

static gboolean
parse_sample (const guint8 *body, gsize size, const WprIdTable *ids, WprRecord *record)
{
  static const guint64 prefix
      = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
  Cursor cursor = { body, size };
  guint64 type = prefix;

  if (size < PREFIX_BYTES)
    return FALSE;
  memcpy (&record->id, body, sizeof record->id);
  if (!wpr_id_table_find (ids, record->id, &record->row, &type)
      && take_strange_fault (&cursor, ids, record))
    return TRUE;
  return take_sample (&cursor, type, record);
}

static gboolean
parse_other (const guint8 *body, gsize size, const WprIdTable *ids, WprRecord *record)
{
  if (size < TRAILER_BYTES)
    return FALSE;
  record->body = body;
  record->body_size = (guint32)(size - TRAILER_BYTES);

  Cursor cursor = { body + record->body_size, TRAILER_BYTES };
  guint32 reserved;
  take_pair (&cursor, &record->pid, &record->tid);
  take (&cursor, (guint64 *)&record->time);
  take_pair (&cursor, &record->cpu, &reserved);
  take (&cursor, &record->id);

  guint64 type;
  wpr_id_table_find (ids, record->id, &record->row, &type);
  return TRUE;
}

gboolean
wpr_record_parse (const struct perf_event_header *header, const WprIdTable *ids, WprRecord *record)
{
  memset (record, 0, sizeof *record);
  record->type = header->type;
  record->misc = header->misc;
  record->row = G_MAXUINT32;
  if (header->size < sizeof *header)
    return FALSE;

  const guint8 *body = (const guint8 *)(header + 1);
  gsize size = header->size - sizeof *header;
  return header->type == PERF_RECORD_SAMPLE ? parse_sample (body, size, ids, record)
                                            : parse_other (body, size, ids, record);
}
