/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A decoded event, as a sink sees it: one at a time, in time order. Pointers are valid during the
 * visit only. trace/convert.c makes them of raw records, one row a kind; a kind without a row of
 * its own is WPR_EVENT_TRACEPOINT with its format. */
#pragma once

#include <glib.h>
#include "perf/format.h"
#include "world/world.h"

G_BEGIN_DECLS

typedef enum
{
  /* from raw records */
  WPR_EVENT_TRACEPOINT,    /* any tracepoint: format, raw */
  WPR_EVENT_SWITCH,        /* u.sw */
  WPR_EVENT_WAKING,        /* u.waking: sched_waking, sched_wakeup_new */
  WPR_EVENT_SAMPLE,        /* ip: a profile sample */
  WPR_EVENT_FAULT,         /* addr, ip; u.fault */
  WPR_EVENT_DISK_ISSUE,    /* u.disk */
  WPR_EVENT_DISK_COMPLETE, /* u.disk */
  WPR_EVENT_SYSCALL_ENTER, /* u.syscall; arguments: in raw */
  WPR_EVENT_SYSCALL_EXIT,  /* u.syscall */
  WPR_EVENT_BEGUN,         /* a tracepoint that is told with the event of its end; its stack is that
                              event's: u.begun */
  WPR_EVENT_MEMORY,        /* u.memory: address space came or went, or both */
  WPR_EVENT_SOCKET,        /* u.socket */
  WPR_EVENT_INTERRUPT, /* u.interrupt: the end of one; an end without a begin stays a tracepoint */
  WPR_EVENT_THROTTLE,  /* u.throttle: samples were lost from here / until here */
  WPR_EVENT_FILE_OP,   /* u.file: an operation on a file begins */
  WPR_EVENT_FILE_END,  /* u.file: .request is over, with .result */
  WPR_EVENT_FILE_NAME, /* u.file_name: which name a key stands for; no record of its own */
  WPR_EVENT_JOINED,    /* a record that another event tells of: counted, nothing to write */
  /* from the world, live (start rundown and end rundown are given by WprTraceContext) */
  WPR_EVENT_PROCESS_START,
  WPR_EVENT_PROCESS_END, /* u.life.process, .program (exec: END + START at one time) */
  WPR_EVENT_THREAD_START,
  WPR_EVENT_THREAD_END,  /* u.life.thread */
  WPR_EVENT_THREAD_NAME, /* u.life.thread, .name */
  WPR_EVENT_IMAGE_LOAD,  /* u.life.process, .image */
  /* from notes */
  WPR_EVENT_MARK,       /* u.text */
  WPR_EVENT_COUNTERS,   /* u.counters */
  WPR_EVENT_CLOCK_STEP, /* u.clock */
  WPR_EVENT_LOSS,       /* u.loss: one collector, CPU and second */
  WPR_EVENT_CPU_GAP,    /* u.gap */
  WPR_EVENT_NOTICE,     /* u.text */
  WPR_EVENT_N_KINDS
} WprEventKind;

/* A thread's priority that the record does not tell. */
#define WPR_PRIO_UNKNOWN G_MININT32

/* Linux task states, decoded by the format's own flag table. */
typedef enum
{
  WPR_TASK_RUNNING,
  WPR_TASK_PREEMPTED,
  WPR_TASK_SLEEPING,
  WPR_TASK_DISK_SLEEP,
  WPR_TASK_STOPPED,
  WPR_TASK_TRACED,
  WPR_TASK_PARKED,
  WPR_TASK_IDLE,
  WPR_TASK_DEAD,
  WPR_TASK_ZOMBIE,
  WPR_TASK_WAITING /* left of its own accord; nobody says what for */
} WprTaskState;

/* ANY: soft or hard, nobody told. */
typedef enum
{
  WPR_FAULT_ANY,
  WPR_FAULT_TRANSITION, /* the page was in memory */
  WPR_FAULT_DEMAND_ZERO,
  WPR_FAULT_COPY_ON_WRITE,
  WPR_FAULT_HARD
} WprFaultKind;

typedef enum
{
  WPR_SOCKET_SEND,
  WPR_SOCKET_RECEIVE,
  WPR_SOCKET_CONNECT,
  WPR_SOCKET_ACCEPT,
  WPR_SOCKET_DISCONNECT,
  WPR_SOCKET_RETRANSMIT
} WprSocketOp;

/* What interrupts a thread. Those of a CPU may lie within each other. */
typedef enum
{
  WPR_INTERRUPT_IRQ, /* a device's: name, number, result (IRQ_NONE 0, HANDLED 1, WAKE_THREAD 2) */
  WPR_INTERRUPT_VECTOR,  /* the CPU's own timer, other CPUs: name, number */
  WPR_INTERRUPT_SOFTIRQ, /* number */
  WPR_INTERRUPT_TASKLET, /* routine */
  WPR_INTERRUPT_TIMER,   /* routine */
} WprInterruptKind;
typedef enum
{
  WPR_FILE_CREATE,  /* also opens what is there */
  WPR_FILE_CLEANUP, /* a descriptor is closed, and others of the same open file remain */
  WPR_FILE_CLOSE,   /* the last one */
  WPR_FILE_READ,
  WPR_FILE_WRITE,
  WPR_FILE_FLUSH,
  WPR_FILE_DELETE,
  WPR_FILE_RENAME,
  WPR_FILE_DIR_ENUM,
  WPR_FILE_QUERY_INFO
} WprFileOp;
typedef enum
{
  WPR_FILE_NAME_CREATED, /* new here, by a system call */
  WPR_FILE_NAME_KNOWN,   /* was there: from /proc, or at the end */
  WPR_FILE_NAME_GONE     /* deleted, renamed, or not kept any longer */
} WprFileNaming;

/* An image of a process: one a file and process. base: start - pgoff + p_offset - p_vaddr of the
 * executable segment + the lowest p_vaddr; where the file cannot be read: start - pgoff. size: to
 * the end of the last PT_LOAD, else of the mapping. */
typedef struct
{
  const WprMapping *mapping;
  guint64 base, size;
  const guint8 *build_id;
  guint build_id_size;
  const char *path;
  gboolean known; /* base and size by the file's headers */
  guint64 entry;  /* where the program begins to run; 0: not known, or no program */
} WprImage;

typedef struct
{
  WprEventKind kind;
  gint64 time; /* trace time: CLOCK_BOOTTIME ns */
  guint32 cpu;
  guint32 pid, tid;  /* whose it is; idle: 0, 0; kernel threads keep their Linux pid here (the etl
                        sink maps them to 4) */
  guint32 row;       /* of the manifest; G_MAXUINT32: none */
  gboolean inferred; /* a switch that was not recorded but must have been */
  const WprFormat *format; /* tracepoints (also those with a kind of their own); NULL else */
  const guint8 *raw;       /* the tracepoint's bytes */
  guint32 raw_size;
  guint64 ip, addr;
  guint64 user_ip;          /* REGS_USER; 0 if none */
  const guint64 *callchain; /* with PERF_CONTEXT_* markers; NULL */
  guint32 n_callchain;
  union
  {
    struct
    {
      /* G_MAXUINT32: a thread that is not recorded */
      guint32 prev_tid, prev_pid, next_tid, next_pid;
      WprTaskState prev_state;
      gint32 prev_prio, next_prio; /* Linux prio 0..139 */
      gboolean prev_yielded;
      gint64 wait_ns; /* of next since its waking, or since it was preempted; -1 unknown */
    } sw;
    struct
    {
      guint32 tid, pid;
      gint32 prio;
      guint32 target_cpu;
      gboolean is_new;
      gboolean from_interrupt;
    } waking;
    struct
    {
      gboolean major;
      WprFaultKind kind;
      gboolean with_soft; /* soft ones are recorded too */
      gint64 start;       /* boot ns; its own time where nobody told */
      guint32 dev;        /* 0: no file, or nobody told */
      guint64 inode, offset;
    } fault;
    struct
    {
      guint64 key;                                          /* of its begin */
      guint64 allocated, allocated_size, freed, freed_size; /* size 0: nothing of that */
      gboolean committed;                                   /* may be touched at once */
      gboolean released; /* the addresses too, not only the memory */
    } memory;
    struct
    {
      guint32 dev;
      guint64 sector;
      guint32 bytes;
      guint64 first;         /* sector of the request that this may be a part of */
      gboolean write, flush; /* flush: a flush and nothing else */
      gboolean discard;      /* or another command that moves nothing in or out */
      gboolean sync, ahead;  /* somebody waits for it; read in case */
      guint priority_class;  /* of ioprio: 0 none, 1 real time, 2 best effort, 3 idle */
      gint32 error;
      gint64 issue_time; /* complete: boot ns, -1 unknown */
      guint32 issuer_tid;
    } disk;
    struct
    {
      WprSocketOp op;
      gboolean udp, v6;
      guint32 pid;  /* whose socket it is, which need not be who runs; G_MAXUINT32: not known */
      guint32 size; /* bytes sent or received */
      guint64 id;   /* of the socket, while it lives */
      guint16 local_port, remote_port; /* 0, and no address: of before the recording */
      guint8 local[16], remote[16];    /* the first 4 of IPv4; network order */
    } socket;
    struct
    {
      gint64 nr, result; /* result: at the exit */
    } syscall;
    struct
    {
      guint64 key; /* the same as that of the event of its end; of no other that is open */
    } begun;
    struct
    {
      guint64 key;
      WprInterruptKind what;
      gint64 start; /* boot ns */
      guint32 number, result;
      guint64 routine;  /* 0: the kernel gives no address */
      const char *name; /* "" where it has none */
    } interrupt;
    struct
    {
      WprFileOp op;
      guint64 request;     /* joins an operation and its end */
      guint64 object, key; /* the open file, 0: none; the file */
      gint64 offset;       /* of a read or write; -1: not known, or at the end */
      guint64 size;        /* asked for; 0: not known (vectors) */
      guint32 flags;       /* of open: O_CREAT .. */
      const char *path;    /* whole, of operations by name; a rename: the new name */
      gint64 result;       /* of the end: what the call returned */
    } file;
    struct
    {
      guint64 key;
      const char *text;
      WprFileNaming naming;
    } file_name;
    struct
    {
      gboolean end;
    } throttle;
    struct
    {
      const WprProcess *process;
      const WprProgram *program;
      const WprThread *thread;
      const char *name;
      WprImage image;
      gboolean by_exec;
    } life;
    const char *text;
    struct
    {
      const char *name;
      guint n;
      const char *const *names;
      const gint64 *values;
    } counters;
    struct
    {
      gint64 wall_from_ns, wall_to_ns;
      gint64 slept_ns;
    } clock; /* what the wall clock said and says; time slept */
    struct
    {
      guint32 collector;
      guint64 count;
      gint64 second; /* whole seconds since the trace's start_time */
    } loss;
    struct
    {
      guint32 collector;
      gint64 from, to;
    } gap; /* boot ns; to G_MAXINT64: did not come back */
  } u;
} WprEvent;

G_END_DECLS
