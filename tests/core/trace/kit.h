/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes recordings for the tests of this room: a store written through wpr_store_*, with records
 * put together byte by byte as the kernel's ABI says (never by core/perf's own structs), and a sink
 * that keeps what it is given. Times are CLOCK_MONOTONIC ns; boot time is SLEPT later. */
#pragma once

#include "trace/trace.h"

G_BEGIN_DECLS

#define MS G_GINT64_CONSTANT (1000000)
#define SECOND G_GINT64_CONSTANT (1000000000)
/* Time slept before the recording, and what the wall clock shows at monotonic 0. */
#define SLEPT (5 * SECOND)
#define WALL (1700000000 * SECOND)
#define NO_THREAD G_MAXUINT32

/* Rows of the manifest every kit has. */
typedef enum
{
  ROW_SWITCH,
  ROW_WAKING,
  ROW_WAKEUP_NEW,
  ROW_CPU_CLOCK,
  ROW_PAGE_FAULTS,
  ROW_MAJOR_FAULTS,
  ROW_RQ_ISSUE,
  ROW_RQ_COMPLETE,
  ROW_RQ_INSERT,
  ROW_BIO_QUEUE,
  ROW_YIELD,
  ROW_YIELDED,
  ROW_SYS_ENTER,
  ROW_SYS_EXIT,
  ROW_SIDEBAND,
  N_ROWS
} Row;

/* prev_state as Linux 4.14 and later give it. */
#define STATE_R 0x0
#define STATE_S 0x1
#define STATE_D 0x2
#define STATE_PREEMPTED 0x100

typedef struct
{
  char *parent; /* temporary folder */
  char *path;   /* of the store, once finished */
  WprManifest *manifest;
  WprStore *store;
  guint n_cpus, n_collectors;
  guint collector;            /* where records of the data rows go */
  GByteArray *pending[4][16]; /* by collector and CPU */
  GByteArray *sideband;
} Kit;

/* memory: memory mode. Rows without switches can be had by dropping them from the manifest. */
Kit *kit_new (gboolean memory, guint n_collectors, guint n_cpus);
void kit_drop_row (Kit *kit, Row row);
/* One more row, of a test's own: a tracepoint, or a software event without a format (with an
 * address, as page faults have it). */
Row kit_add_row (Kit *kit, const char *name, const char *format);
void kit_begin (Kit *kit, const WprStoreLimits *limits); /* creates the store, first clock note */
void kit_flush (Kit *kit);
void kit_rotate (Kit *kit);
void kit_finish (Kit *kit, WprTime stop); /* stop < 0: the recorder died */
void kit_free (Kit *kit);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Kit, kit_free)

/* Records. tid == pid unless said. */
void kit_sample (Kit *kit, Row row, guint cpu, WprTime time, guint32 pid, guint32 tid,
                 gconstpointer raw, guint32 raw_size);
void kit_switch (Kit *kit, guint cpu, WprTime time, guint32 prev, gint64 state, guint32 next);
void kit_waking (Kit *kit, guint cpu, WprTime time, guint32 by, guint32 tid, guint32 target);
void kit_clock_sample (Kit *kit, guint cpu, WprTime time, guint32 tid, guint64 ip);
void kit_fault (Kit *kit, Row row, guint cpu, WprTime time, guint32 tid, guint64 ip, guint64 addr);
void kit_request (Kit *kit, Row row, guint cpu, WprTime time, guint32 tid, guint32 dev,
                  guint64 sector, guint32 n_sectors, const char *rwbs);
void kit_plain (Kit *kit, Row row, guint cpu, WprTime time, guint32 tid); /* syscall: nr 24 */
/* A row "switches" instead of sched_switch, and its records. other G_MAXUINT32: the kernel does not
 * say who is on the other side. */
void kit_use_switch_records (Kit *kit);
void kit_switch_record (Kit *kit, guint cpu, WprTime time, guint32 tid, gboolean out,
                        gboolean preempted, guint32 other);
void kit_lost (Kit *kit, guint cpu, WprTime time, Row row, guint64 lost);
void kit_throttle (Kit *kit, guint cpu, WprTime time, Row row, gboolean end);
void kit_bytes (Kit *kit, guint cpu, gconstpointer bytes, guint size);
guint64 kit_id (Row row, guint cpu);

/* Sideband, written on `cpu`. */
void kit_fork (Kit *kit, guint cpu, WprTime time, guint32 pid, guint32 ppid, guint32 tid,
               guint32 ptid);
void kit_exit (Kit *kit, guint cpu, WprTime time, guint32 pid, guint32 tid);
void kit_comm (Kit *kit, guint cpu, WprTime time, guint32 pid, guint32 tid, const char *comm,
               gboolean exec);
void kit_mmap (Kit *kit, guint cpu, WprTime time, guint32 pid, guint64 start, guint64 length,
               guint64 page_offset, const char *path);

void kit_note (Kit *kit, WprNoteKind kind, guint cpu, WprTime time, gconstpointer payload,
               gsize size);
void kit_clock (Kit *kit, WprTime time, gint64 slept, gint64 wall);

/* ---- playing ---- */

typedef struct
{
  WprEvent event; /* pointers are gone but for texts, which are the sink's */
  char *text;     /* mark, notice, name, program's exe, image's path, counters' name, file's */
} Seen;
typedef struct
{
  WprSink sink;
  GArray *seen; /* Seen */
  guint begun, ended;
  guint fail_at; /* refuse this event, counted from 1 */
  GCancellable *cancel;
  guint cancel_at;
  char *description; /* at the end */
  gboolean keeps;    /* FALSE: only counts */
  gboolean any_cpu;  /* do not look at the order of CPUs beyond the sixteenth */
  guint64 n, n_back_on_cpu, n_back;
  gint64 last[16], newest;
} Recorder;

void recorder_init (Recorder *recorder);
void recorder_clear (Recorder *recorder);
/* Opens and plays; asserts that it works. */
WprTrace *kit_play (Kit *kit, Recorder *recorder);
const Seen *recorder_nth (const Recorder *recorder, WprEventKind kind, guint nth);
guint recorder_count (const Recorder *recorder, WprEventKind kind);

G_END_DECLS
