/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sink that writes an .etl, as its files see it: sink-etl.c (the row a kind, begin, event,
 * end), -part (one file of several), -kernel (Windows' kernel layouts), -file (FileIo), -stack,
 * -rundown (who was there), -machine (system config), -recorder (provider Linux.Recorder), -generic
 * (any tracepoint), -names (provider Linux.Symbols), -places (which image an address lies in). */
#pragma once

#include "etl/writer.h"
#include "sink/payload.h"
#include "sink/sink.h"
#include "symbols/addresses.h"
#include "symbols/symbols.h"

G_BEGIN_DECLS

#define WPR_SYSTEM_PID 4u /* owns every kernel thread, as on Windows */
#define WPR_SCRATCH_BYTES 65536

typedef struct _WprGeneric WprGeneric;       /* a tracepoint's schema and how to copy its fields */
typedef struct _WprStacks WprStacks;         /* stacks of threads that are switched out */
typedef struct _WprStackCache WprStackCache; /* stacks that are written once each */
typedef struct _WprSinkNames WprSinkNames;   /* addresses seen, to be named */
typedef struct _WprMappedFiles WprMappedFiles; /* files of hard faults */
typedef struct _WprRoutines WprRoutines;       /* addresses of interrupts and calls */

typedef struct
{
  guint32 dev;
  guint64 n_events;
} WprSinkDisk;

typedef struct
{
  WprSink parent;
  int fd;
  gboolean compress;
  WprEtlWriter *writer;
  const WprTraceContext *context; /* of this file */
  const WprTraceContext *whole;   /* of the recording: the same, unless that is several files */
  WprTraceContext part;           /* what `context` is where it is several */
  gboolean goes_on;               /* another file follows */
  WprTraceCounters before;        /* what playing had met with when this file began */
  guint64 n_lost;                 /* told by the events of this file */
  guint n_cpus;
  guint8 *scratch;             /* WPR_SCRATCH_BYTES: the payload being built */
  guint8 *priorities;          /* a CPU: of the thread that runs there, 0-31 */
  GByteArray *last_priorities; /* by thread: 1 + as last switched, 0: not seen */
  GHashTable *idle_tids; /* set: threads known to be SCHED_IDLE, which a switch does not tell */
  guint64 *kernel_pids;  /* a bit a pid: a kernel thread's */
  guint32 n_kernel_pids;
  WprStacks *stacks;
  WprStackCache *stack_cache; /* NULL: each stack is written in full */
  WprSinkNames *names;        /* NULL: not wanted */
  GHashTable *held;           /* key of what has begun -> its stack */
  WprRoutines *routines;
  WprMappedFiles *mapped;
  GPtrArray *by_row;     /* WprGeneric, by row of the manifest; NULL until the row's first event */
  GHashTable *by_format; /* WprFormat -> WprGeneric: owns them; what has no row */
  GHashTable *counter_kinds; /* "name/field/..." -> WprEtlSchema */
  WprEtlSchema **recorder_kinds;
  GArray *disks;    /* WprSinkDisk; its index is the DiskNumber */
  guint64 *in_file; /* records given, by row and CPU: n_rows x n_cpus */
  guint32 n_rows;
  guint64 n_inferred, n_cut_texts, n_stacks;
} WprSinkEtl;

/* ---- sink-etl.c ---- */
/* A recording in several files (sink-parts.c). The next file's sink, before it begins: takes over
 * what the one before knows of CPUs, threads and disks, and its tables. NULL: the first. */
WprSink *wpr_sink_etl_new_part (int fd, WprSink *previous, gboolean compress);
/* Of the file whose `part` is filled in; `whole` as the player has it. */
gboolean wpr_sink_etl_begin_part (WprSinkEtl *self, const WprTraceContext *whole, GError **error);
/* All but what is known when all files are; the file waits for that, and takes no memory. */
gboolean wpr_sink_etl_end_part (WprSinkEtl *self, gboolean goes_on, GError **error);
/* The description, the header. */
gboolean wpr_sink_etl_finish (WprSinkEtl *self, GError **error);
gint64 wpr_sink_etl_ticks (gint64 time_ns); /* 100 ns */
/* Payload of the size put so far, on the CPU's stream. */
gboolean wpr_sink_etl_add (WprSinkEtl *self, guint cpu, gint64 time_ns, const WprEtlHead *head,
                           WprPayload *payload, GError **error);
void wpr_sink_etl_set_kernel (WprSinkEtl *self, guint32 pid, gboolean kernel);

static inline guint32
wpr_sink_etl_pid (const WprSinkEtl *self, guint32 pid)
{
  return pid < self->n_kernel_pids && (self->kernel_pids[pid / 64] >> (pid % 64) & 1) != 0
             ? WPR_SYSTEM_PID
             : pid;
}

/* ---- sink-etl-kernel.c ---- */
gint8 wpr_sink_etl_priority (gint32 linux_prio);
/* Of a thread as it was last switched, -1: it was not; forget: the number is another thread's now.
 */
gint wpr_sink_etl_last_priority (const WprSinkEtl *self, guint32 tid);
void wpr_sink_etl_forget_priority (WprSinkEtl *self, guint32 tid);
gboolean wpr_sink_etl_switch (WprSinkEtl *self, const WprEvent *event, GError **error);
gboolean wpr_sink_etl_waking (WprSinkEtl *self, const WprEvent *event, GError **error);
gboolean wpr_sink_etl_sample (WprSinkEtl *self, const WprEvent *event, GError **error);
gboolean wpr_sink_etl_disk_issue (WprSinkEtl *self, const WprEvent *event, GError **error);
gboolean wpr_sink_etl_disk_complete (WprSinkEtl *self, const WprEvent *event, GError **error);
gboolean wpr_sink_etl_mark (WprSinkEtl *self, const WprEvent *event, GError **error);
gboolean wpr_sink_etl_interval (WprSinkEtl *self, gint64 time, gboolean end, GError **error);

/* ---- sink-etl-interrupt.c ---- */
gboolean wpr_sink_etl_begun (WprSinkEtl *self, const WprEvent *event, GError **error);
gboolean wpr_sink_etl_interrupt (WprSinkEtl *self, const WprEvent *event, GError **error);
gboolean wpr_sink_etl_syscall_enter (WprSinkEtl *self, const WprEvent *event, GError **error);
gboolean wpr_sink_etl_syscall_exit (WprSinkEtl *self, const WprEvent *event, GError **error);

/* ---- sink-etl-memory.c ---- */
gboolean wpr_sink_etl_fault (WprSinkEtl *self, const WprEvent *event, GError **error);
gboolean wpr_sink_etl_memory (WprSinkEtl *self, const WprEvent *event, GError **error);

/* ---- sink-etl-net.c ---- */
gboolean wpr_sink_etl_socket (WprSinkEtl *self, const WprEvent *event, GError **error);

/* ---- sink-etl-mapped.c ---- */
WprMappedFiles *wpr_mapped_files_new (void);
void wpr_mapped_files_free (WprMappedFiles *mapped);
/* The key of a hard fault's file, 0: none; tells its name as soon as it is known. */
gboolean wpr_sink_etl_mapped_file (WprSinkEtl *self, const WprEvent *event, guint64 *key,
                                   GError **error);
/* A further file of the recording tells the names that are known again. */
gboolean wpr_sink_etl_begin_mapped (WprSinkEtl *self, GError **error);
gboolean wpr_sink_etl_end_mapped (WprSinkEtl *self, GError **error); /* the other names */

/* ---- sink-etl-routine.c ---- */
/* The recording is of the machine as it runs now: its /proc and /sys tell of it. */
gboolean wpr_sink_etl_is_this_boot (const WprSinkEtl *self);
WprRoutines *wpr_routines_new (void);
void wpr_routines_free (WprRoutines *routines);
/* Address of the routine of an event; tells its name before its first use. */
gboolean wpr_sink_etl_interrupt_routine (WprSinkEtl *self, const WprEvent *event, guint64 *address,
                                         GError **error);
gboolean wpr_sink_etl_softirq_routine (WprSinkEtl *self, const WprEvent *event, guint64 *address,
                                       GError **error);
gboolean wpr_sink_etl_call_routine (WprSinkEtl *self, const WprEvent *event, guint64 *address,
                                    GError **error);
/* What was told in the file before is told again. */
gboolean wpr_sink_etl_begin_routines (WprSinkEtl *self, GError **error);
/* The images that were made for names, in the rundown at the end. */
gboolean wpr_sink_etl_end_routines (WprSinkEtl *self, GError **error);

/* ---- sink-etl-file.c ---- */
gboolean wpr_sink_etl_file_op (WprSinkEtl *self, const WprEvent *event, GError **error);
gboolean wpr_sink_etl_file_end (WprSinkEtl *self, const WprEvent *event, GError **error);
gboolean wpr_sink_etl_file_name (WprSinkEtl *self, const WprEvent *event, GError **error);
/* Names of all files that are known by now, for the end of a file. */
gboolean wpr_sink_etl_file_rundown (WprSinkEtl *self, GError **error);

/* ---- sink-etl-stack-keys.c ---- */
/* What kernel.perf_event_max_stack may be set to; 8 KiB of an event. */
#define WPR_MOST_FRAMES 1024
/* An event that has a stack, and where and when that is told. */
typedef struct
{
  guint cpu;
  gint64 time, event_time;
  guint32 pid, tid;
} WprStackOf;
WprStackCache *wpr_stack_cache_new (guint32 cache_kb);
void wpr_stack_cache_free (WprStackCache *keys);
gboolean wpr_sink_etl_stack_keys (WprSinkEtl *self, const WprStackOf *of, const guint64 *frames,
                                  guint32 n, GError **error);
/* What the keys of this file stand for. */
gboolean wpr_sink_etl_end_stack_keys (WprSinkEtl *self, GError **error);

/* ---- sink-etl-stack.c ---- */
WprStacks *wpr_stacks_new (void);
void wpr_stacks_free (WprStacks *stacks);
gboolean wpr_sink_etl_has_stack (const WprEvent *event);
/* StackWalk of the event just written, for its thread. */
gboolean wpr_sink_etl_stack (WprSinkEtl *self, const WprEvent *event, GError **error);
/* The stack of a record that is told with the event of its end: kept under a key of the caller's,
 * written behind that event (its own, if it has one, instead). */
void wpr_sink_etl_hold_stack (WprSinkEtl *self, const WprEvent *event, guint64 key);
gboolean wpr_sink_etl_held_stack (WprSinkEtl *self, const WprEvent *event, guint64 key,
                                  GError **error);
/* The stack on which a thread is switched out belongs to its next switch-in, as Windows records it:
 * kept until then; what never came back is written at the end. */
gboolean wpr_sink_etl_switch_stacks (WprSinkEtl *self, const WprEvent *event, GError **error);
gboolean wpr_sink_etl_end_stacks (WprSinkEtl *self, GError **error);
/* Those that wait will be in the file that begins: their names are wanted there. */
void wpr_sink_etl_see_waiting (WprSinkEtl *self);

/* ---- sink-etl-rundown.c ---- */
gboolean wpr_sink_etl_rundown (WprSinkEtl *self, gboolean end, GError **error);
gboolean wpr_sink_etl_process (WprSinkEtl *self, const WprEvent *event, GError **error);
gboolean wpr_sink_etl_thread (WprSinkEtl *self, const WprEvent *event, GError **error);
gboolean wpr_sink_etl_thread_name (WprSinkEtl *self, const WprEvent *event, GError **error);
gboolean wpr_sink_etl_image (WprSinkEtl *self, const WprEvent *event, GError **error);
/* An image of the kernel's, in a rundown. */
gboolean wpr_sink_etl_kernel_image (WprSinkEtl *self, gboolean end, guint cpu, gint64 time,
                                    const WprImage *image, GError **error);

/* ---- sink-etl-images.c ---- */
typedef gboolean (*WprImageFunc) (WprSinkEtl *self, guint32 pid, const WprImage *image,
                                  gpointer data, GError **error);
/* Images of the program that a process ran at a time (from its last exec before to the next one),
 * one a file, ascending by time. */
gboolean wpr_sink_etl_each_image (WprSinkEtl *self, const WprProcess *process, WprTime when,
                                  WprImageFunc func, gpointer data, GError **error);
/* Those of them that were mapped by then. */
gboolean wpr_sink_etl_each_image_by (WprSinkEtl *self, const WprProcess *process, WprTime when,
                                     WprImageFunc func, gpointer data, GError **error);
/* The kernel's and its modules': pid 0. */
gboolean wpr_sink_etl_each_kernel_image (WprSinkEtl *self, WprImageFunc func, gpointer data,
                                         GError **error);
/* ImageID (Info, DbgID_RSDS) of everything that was loaded. */
gboolean wpr_sink_etl_image_ids (WprSinkEtl *self, GError **error);

/* ---- sink-etl-machine.c ---- */
void wpr_sink_etl_group_masks (const WprManifest *manifest, guint32 masks[8]);
guint32 wpr_sink_etl_disk_number (WprSinkEtl *self, guint32 dev);
gboolean wpr_sink_etl_machine (WprSinkEtl *self, GError **error);

/* ---- sink-etl-config.c ---- */
gboolean wpr_sink_etl_config (WprSinkEtl *self, GError **error);

/* ---- sink-etl-recorder.c ---- */
gboolean wpr_sink_etl_recorder_begin (WprSinkEtl *self, GError **error);
gboolean wpr_sink_etl_recorder_event (WprSinkEtl *self, const WprEvent *event, GError **error);
gboolean wpr_sink_etl_recorder_end (WprSinkEtl *self, GError **error);
gboolean wpr_sink_etl_description (WprSinkEtl *self, GError **error); /* NULL or "": none */
void wpr_sink_etl_recorder_free (WprSinkEtl *self);

/* ---- sink-etl-names.c ---- */
WprSinkNames *wpr_sink_names_new (const WprSinkNamesWish *wish);
void wpr_sink_names_free (WprSinkNames *names);
void wpr_sink_names_program (WprSinkNames *names, const WprEvent *event); /* PROCESS_START */
/* Where names are wanted: the frames of an event, its ip without any; and an address by itself. */
void wpr_sink_etl_saw_stack (WprSinkEtl *self, const WprEvent *event);
void wpr_sink_etl_saw_address (WprSinkEtl *self, guint32 pid, guint64 address);
gboolean wpr_sink_etl_names (WprSinkEtl *self, GError **error);
/* The process of a space of addresses, and a time when it was that. */
WprTime wpr_sink_names_space (const WprSinkNames *names, guint32 space, guint32 *pid);

/* ---- sink-etl-places.c ---- */
/* Of WprSymbolImage, owned: what every address lies in. */
GPtrArray *wpr_sink_etl_gather_images (WprSinkEtl *self, const WprSeenAddress *seen, guint n);
gboolean wpr_sink_etl_search_names (WprSinkEtl *self, const WprSinkNamesWish *wish,
                                    GPtrArray *images, WprSymbolSearch *search, GError **error);

/* ---- sink-etl-part.c ---- */
WprTraceCounters wpr_sink_etl_played (const WprSinkEtl *self); /* in this file */
gboolean wpr_sink_etl_order (WprSinkEtl *self, GError **error);
/* part: from 1. names: of all (char *). limit: bytes of a file. */
gboolean wpr_sink_etl_part (WprSinkEtl *self, guint part, const GPtrArray *names, guint64 limit,
                            GError **error);

/* ---- sink-etl-generic.c ---- */
gboolean wpr_sink_etl_tracepoint (WprSinkEtl *self, const WprEvent *event, GError **error);
gboolean wpr_sink_etl_counters (WprSinkEtl *self, const WprEvent *event, GError **error);
void wpr_generic_free (WprGeneric *generic);

G_END_DECLS
