/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A raw record, taken apart. Every sample begins IDENTIFIER [IP] TID TIME [ADDR] CPU (IP and ADDR
 * of samples and faults only: the kernel's order); every other record ends TID TIME CPU IDENTIFIER
 * (sample_id_all). A stranger's bytes: nothing is read outside header.size. */
#pragma once

#include <glib.h>
#include <linux/perf_event.h>

G_BEGIN_DECLS

/* id -> row and sample_type: open addressing, built once from the manifest. */
typedef struct _WprIdTable WprIdTable;
WprIdTable *wpr_id_table_new (void);
void wpr_id_table_free (WprIdTable *table);
void wpr_id_table_add (WprIdTable *table, guint64 id, guint32 row, guint64 sample_type);
/* FALSE if unknown. */
gboolean wpr_id_table_find (const WprIdTable *table, guint64 id, guint32 *row,
                            guint64 *sample_type);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprIdTable, wpr_id_table_free)

typedef struct
{
  guint32 type; /* PERF_RECORD_* */
  guint16 misc;
  guint32 row; /* G_MAXUINT32 if the id is unknown */
  guint64 id;
  guint32 pid, tid, cpu;
  gint64 time;              /* CLOCK_MONOTONIC ns */
  guint64 ip, addr, period; /* 0 if not sampled */
  guint64 user_ip, user_sp; /* REGS_USER; 0 if none */
  const guint64
      *callchain; /* with PERF_CONTEXT_* markers; unaligned never: records are 8-aligned */
  guint32 n_callchain;
  const guint8 *raw; /* tracepoint bytes */
  guint32 raw_size;
  const guint8 *body; /* non-samples: after the header, before the trailer */
  guint32 body_size;
} WprRecord;

/* FALSE if the record does not hold what its id's sample_type promises. Unknown ids: only type,
 * misc, id, tid, time, cpu (the prefix) are filled; but a sample that looks like a fault in every
 * byte is given to the row of faults, if there is just one: the kernel gives faults the id (and the
 * clock) of whoever else samples them. */
gboolean wpr_record_parse (const struct perf_event_header *header, const WprIdTable *ids,
                           WprRecord *record);

/* Sideband and bookkeeping records, from record->body. FALSE if too short. Strings are
 * NUL-terminated inside the body. */
typedef struct
{
  guint32 pid, tid;
  guint64 addr, len, pgoff;
  guint32 maj, min;
  guint64 ino, ino_generation;
  guint32 prot, flags;
  guint8 build_id[20];
  guint8 build_id_size; /* 0: maj,min,ino are valid instead */
  const char *path;
} WprMmap2;
typedef struct
{
  guint32 pid, tid;
  const char *comm;
  gboolean exec;
} WprComm;
typedef struct
{
  guint32 pid, ppid, tid, ptid;
  gint64 time;
} WprTask; /* FORK and EXIT */
typedef struct
{
  guint64 id, lost;
} WprLost; /* LOST (id, n) and LOST_SAMPLES (n) */
typedef struct
{
  gint64 time;
  guint64 id, stream_id;
} WprThrottle;
typedef struct
{
  guint64 addr;
  guint32 len;
  guint16 ksym_type, flags;
  const char *name;
} WprKsymbol;
typedef struct
{
  gboolean out;       /* the record's thread leaves its CPU; else it comes to it */
  gboolean preempted; /* leaves and could go on */
  gboolean is_known;  /* who comes instead, or left (system-wide events) */
  guint32 other_pid, other_tid;
} WprSwitch; /* SWITCH, SWITCH_CPU_WIDE */
gboolean wpr_record_mmap2 (const WprRecord *record, WprMmap2 *mmap2);
gboolean wpr_record_comm (const WprRecord *record, WprComm *comm);
gboolean wpr_record_task (const WprRecord *record, WprTask *task);
gboolean wpr_record_switch (const WprRecord *record, WprSwitch *sw);
gboolean wpr_record_lost (const WprRecord *record, WprLost *lost);
gboolean wpr_record_throttle (const WprRecord *record, WprThrottle *throttle);
gboolean wpr_record_ksymbol (const WprRecord *record, WprKsymbol *ksymbol);

G_END_DECLS
