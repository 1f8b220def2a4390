/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who had this pid, which file was mapped there, *at that time*. Fed by /proc (rundown) and by
 * sideband records, live and afterwards. Not locked: one thread. Bounded: forgets what died before
 * a time, and keeps at most max_dead dead processes (oldest first, counted). All times:
 * CLOCK_MONOTONIC ns; WPR_WORLD_BEFORE = before the recording. */
#pragma once

#include <glib.h>
#include "base/clock.h"
#include "perf/record.h"

G_BEGIN_DECLS

#define WPR_WORLD_BEFORE G_MININT64
#define WPR_WORLD_ALIVE G_MAXINT64
#define WPR_WORLD_MAX_DEAD 65536
/* A thread still runs for a while after its EXIT record, under load for some 100 ms: who forgets
 * keeps those that died this long before the oldest event. */
#define WPR_WORLD_GRACE_NS G_GINT64_CONSTANT (1000000000)

typedef struct _WprWorld WprWorld;

/* What a process runs since `when`: the state after fork or an exec. */
typedef struct
{
  WprTime when;
  gboolean exec;
  char *exe, *comm; /* "" where unknown */
  char *cmdline;    /* NULL where unknown */
} WprProgram;
typedef struct
{
  WprTime when;
  char *name;
} WprThreadName;
typedef struct
{
  WprTime when; /* mapped */
  guint64 start, length, page_offset;
  guint32 major, minor;
  guint64 inode;
  gint64 mtime_ns;
  guint64 file_size; /* from stat at rundown, 0 if unknown: a replaced file is noticed */
  guint8 build_id[20];
  guint8 build_id_size;
  char *path; /* bytes as the kernel gave them: need not be UTF-8; all other texts are */
} WprMapping; /* executable mappings only */
typedef struct
{
  guint32 tid, pid;
  WprTime start, end; /* BEFORE / ALIVE */
  gint8 nice;
  guint8 policy;
  guint8 rt_priority; /* at rundown; 0 else */
  GArray *names;      /* WprThreadName, ascending; at least one */
} WprThread;
typedef struct
{
  guint32 pid, ppid;
  guint32 uid;     /* G_MAXUINT32 unknown */
  gboolean kernel; /* a kernel thread */
  WprTime start, end;
  guint64 start_ticks; /* field 22 of /proc/PID/stat at rundown, 0 else */
  GArray *programs;    /* WprProgram, ascending; at least one */
  GArray *mappings;    /* WprMapping, ascending by `when`; those of an earlier program stay */
} WprProcess;

WprWorld *wpr_world_new (guint max_dead);
void wpr_world_free (WprWorld *world);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprWorld, wpr_world_free)

/* ---- feeding ---- */
/* One pass over /proc (processes, threads, executable mappings, command lines where may be read);
 * tolerates what vanishes. What sideband already told is not told twice. n_unreadable: processes
 * whose maps were closed to us. proc_path: "/proc", or a folder of a test. */
void wpr_world_read_proc (WprWorld *world, const char *proc_path, WprTime now, guint *n_unreadable);
/* The same without a part of it, for somebody with other rights: what is left out can be filled in
 * by who may read it. */
typedef enum
{
  WPR_PROC_ALL = 0,
  WPR_PROC_NO_CMDLINES = 1 << 0,
  WPR_PROC_NO_FILES
  = 1 << 1, /* mapped files are not asked for size and time: no path is resolved */
} WprProcFlags;
void wpr_world_read_proc_part (WprWorld *world, const char *proc_path, WprTime now,
                               WprProcFlags flags, guint *n_unreadable);
/* After a load of such a world, before anything else is fed: size and time of mapped files, and
 * command lines, as far as this process may read them. */
void wpr_world_fill_in (WprWorld *world, const char *proc_path);
/* Kernel modules and the kernel's own text (from /proc/modules, /proc/kallsyms, /sys/kernel/notes):
 * mappings of pid 0. */
void wpr_world_read_kernel (WprWorld *world, WprTime now);
/* A sideband record (MMAP2, COMM, FORK, EXIT, KSYMBOL); others are ignored. Records may come out of
 * order between CPUs: times decide. */
void wpr_world_feed (WprWorld *world, const WprRecord *record);
/* Learned late, e.g. read from /proc when an exec record was seen. when: the exec's time. */
void wpr_world_set_cmdline (WprWorld *world, guint32 pid, WprTime when, const char *cmdline);
void wpr_world_set_uid (WprWorld *world, guint32 pid, WprTime when, guint32 uid);
/* The oldest event still held anywhere: what died before may be forgotten; thread names, programs
 * and mappings superseded before as well. */
void wpr_world_forget (WprWorld *world, WprTime oldest);
guint64 wpr_world_n_forgotten (
    const WprWorld *world); /* dead ones pushed out by max_dead, not by forget() */

/* ---- asking: who had a pid last is found until somebody else has it, since a dying task's last
 * switch comes after its exit record (look at .end). Pointers are valid until something is fed or
 * forgotten. After wpr_world_list_processes(), and until something is fed, several threads may ask
 * at once. ---- */
const WprProcess *wpr_world_process (const WprWorld *world, guint32 pid, WprTime when);
const WprThread *wpr_world_thread (const WprWorld *world, guint32 tid, WprTime when);
/* Name of a thread as of then, "" never NULL. */
const char *wpr_world_thread_name (const WprWorld *world, guint32 tid, WprTime when);
/* All, alive or dead, ascending by start then pid. Elements const WprProcess * / const WprThread *;
 * free the array only. */
GPtrArray *wpr_world_list_processes (const WprWorld *world);
GPtrArray *wpr_world_list_threads (const WprWorld *world);
const GArray *wpr_world_kernel_mappings (const WprWorld *world); /* WprMapping */

/* ---- keeping ---- */
/* Everything as bytes (versioned; a checkpoint at the head of an epoch), and back. A cut or foreign
 * file: WPR_ERROR_DAMAGED, the world unchanged. */
GBytes *wpr_world_save (const WprWorld *world);
gboolean wpr_world_load (WprWorld *world, GBytes *bytes, GError **error);

G_END_DECLS
