/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files of the converter share: a row, and the functions that kinds are made by. */
#pragma once

#include "trace/convert.h"
#include "trace/files.h"
#include "trace/requests.h"

G_BEGIN_DECLS

#define WPR_CONVERT_FIELDS 12
#define WPR_CONVERT_STATES 32

typedef struct _WprConvertRow WprConvertRow;
typedef struct _WprConvertOpen WprConvertOpen;
typedef struct _WprConvertMemory WprConvertMemory;
typedef struct _WprConvertFaults WprConvertFaults;
typedef struct _WprConvertNet WprConvertNet;
typedef WprConverted (*WprConvertFunc) (WprConvert *convert, const WprConvertRow *row,
                                        const WprRecord *record, WprEvent *event);

/* A row of a table of kinds: the event's name and the fields that its function asks for by place.
 * A table ends with a row without a name. */
typedef struct
{
  const char *name;
  WprConvertFunc func;
  const char *fields[WPR_CONVERT_FIELDS];
  guint what;        /* where several kinds have one function: which of them */
  const char *label; /* the same */
} WprConvertKind;

/* An event of the manifest. */
struct _WprConvertRow
{
  gboolean known;
  WprConvertFunc func;
  const WprConvertKind *kind; /* NULL: a plain event */
  WprFormat *format;
  const WprField *fields[WPR_CONVERT_FIELDS]; /* as the kind names them */
  guint8 states[WPR_CONVERT_STATES];          /* sched_switch: WprTaskState by bit of prev_state */
  guint64 preempted, state_bits;              /* bit of "+"; all bits of states */
  gconstpointer call;                         /* convert-file.c: which system call */
};

typedef struct _WprFileCalls WprFileCalls;

struct _WprConvert
{
  WprConvertRow *rows;
  guint n_rows;
  gboolean has_switches;
  guint32 switches_row; /* of switches that are no tracepoints; G_MAXUINT32: none */
  WprRequests *requests;
  WprConvertOpen *open;
  WprConvertMemory *memory;
  WprConvertFaults *faults;
  WprConvertNet *net;
  guint64 n_unpaired;
  WprFileCalls *file_calls; /* NULL: no file operations were asked for */
};

static inline gint64
wpr_convert_int (const WprConvertRow *row, guint field, const WprRecord *record)
{
  return wpr_field_int (row->fields[field], record->raw, record->raw_size);
}

extern const WprConvertKind wpr_convert_sched_kinds[];  /* convert-sched.c: and samples */
extern const WprConvertKind wpr_convert_block_kinds[];  /* convert-block.c */
extern const WprConvertKind wpr_convert_memory_kinds[]; /* convert-memory.c: the address space */
extern const WprConvertKind wpr_convert_fault_kinds[];  /* convert-fault.c */
extern const WprConvertKind
    wpr_convert_syscall_kinds[]; /* convert-syscall.c: raw_syscalls, yield */

extern const WprConvertKind wpr_convert_net_kinds[]; /* convert-net.c */
extern const WprConvertKind wpr_convert_irq_kinds[]; /* convert-irq.c */

/* convert-irq.c: interrupts that are not over, a CPU. */
WprConvertOpen *wpr_convert_open_new (guint n_cpus);
void wpr_convert_open_free (WprConvertOpen *open);
/* What is open on a CPU will not be closed: records are missing. */
void wpr_convert_open_forget (WprConvert *convert, guint cpu);

/* convert-memory.c: calls that are not over, a thread; where heaps end. */
WprConvertMemory *wpr_convert_memory_new (guint64 page_size);
void wpr_convert_memory_free (WprConvertMemory *memory);
guint64 wpr_convert_memory_n_open (const WprConvertMemory *memory);

/* convert-fault.c: what is known of faults that are not over. */
WprConvertFaults *wpr_convert_faults_new (const WprManifest *manifest);
void wpr_convert_faults_free (WprConvertFaults *faults);

/* convert-net.c: sockets that are open. */
WprConvertNet *wpr_convert_net_new (void);
void wpr_convert_net_free (WprConvertNet *net);

/* convert-sched.c: sched_switch, by which the converter knows it; and what sched_wakeup may stand
 * in for. */
void wpr_convert_learn_states (WprConvertRow *row, const char *format_text);
WprConverted wpr_convert_switch (WprConvert *convert, const WprConvertRow *row,
                                 const WprRecord *record, WprEvent *event);
/* Of the records that the kernel writes of itself. */
WprConverted wpr_convert_switch_record (WprConvert *convert, const WprRecord *record,
                                        WprEvent *event);
WprConverted wpr_convert_waking (WprConvert *convert, const WprConvertRow *row,
                                 const WprRecord *record, WprEvent *event);

/* convert-file.c: system calls on files. TRUE if the row is one, and was asked for as one. */
gboolean wpr_convert_file_row (WprConvert *convert, WprConvertRow *row, const WprManifest *manifest,
                               const WprStoreEvent *event);
void wpr_file_calls_free (WprFileCalls *calls);
WprFiles *wpr_file_calls_files (WprFileCalls *calls);
gboolean wpr_file_calls_next (WprFileCalls *calls, WprEvent *event);
gboolean wpr_file_calls_last (WprFileCalls *calls, WprEvent *event);

G_END_DECLS
