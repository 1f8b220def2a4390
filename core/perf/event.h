/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is opened: an event as we ask the kernel for it, and the opener, which alone touches member
 * events. Knows the kernel, no profile. The opener is an interface: opener-local.c opens here, a
 * broker's client may open elsewhere. */
#pragma once

#include <glib-object.h>
#include <linux/perf_event.h>
#include "base/wpr-error.h"

G_BEGIN_DECLS

typedef enum
{
  WPR_PERF_TRACEPOINT,
  WPR_PERF_SOFTWARE,
  WPR_PERF_HARDWARE,
  WPR_PERF_SIDEBAND,
  WPR_PERF_SWITCHES /* PERF_RECORD_SWITCH of a dummy: needs no tracepoint */
} WprPerfKind;
typedef enum
{
  WPR_CALLCHAIN_NONE,
  WPR_CALLCHAIN_KERNEL,
  WPR_CALLCHAIN_FULL
} WprCallchain;

/* At most this many threads in a closed filter "common_pid != ..". */
#define WPR_PERF_FILTER_MOST 64

/* One kind of event, opened on every CPU. */
typedef struct
{
  guint32 row; /* number in the recording's event table; what ids lead back to */
  guint ring;  /* which ring set (index into WprRingSpec) */
  WprPerfKind kind;
  const char *name;  /* "sched:sched_switch", "cpu-clock", "page-faults", "major-faults", "cycles",
                        "sideband", "switches" */
  guint64 period;    /* 1 for tracepoints and faults; ns for cpu-clock; 0 with frequency */
  guint64 frequency; /* samples a second for hardware events; 0 with period */
  WprCallchain callchain;
  gboolean addr;       /* sample the address (faults) */
  gboolean regs;       /* sample REGS_USER {ip, sp}: where user frames are not recorded */
  const char *filter;  /* further filter (tracepoints only); interned; NULL: none */
  guint32 n_skip_tids; /* filter: common_pid != each of these (tracepoints only) */
  guint32 skip_tids[WPR_PERF_FILTER_MOST];
} WprPerfEvent;

/* sample_type of an event as the opener opens it: IDENTIFIER|TID|TIME|CPU always, RAW for
 * tracepoints, IP|.. for samples, ADDR, CALLCHAIN, REGS_USER. Pure: the manifest keeps it, so that
 * records can be read by another version. */
guint64 wpr_perf_event_sample_type (const WprPerfEvent *event);
/* Fills attr (clockid MONOTONIC, sample_id_all, disabled for leaders only, ...) but for a
 * tracepoint's config. */
void wpr_perf_event_fill_attr (const WprPerfEvent *event, gboolean backward,
                               struct perf_event_attr *attr);

/* A set of rings, one a CPU. */
typedef struct
{
  gsize bytes;       /* of data a CPU: a power of two of pages */
  gboolean backward; /* memory mode: newest kept */
  guint32 watermark; /* bytes; 0: no wake-ups */
} WprRingSpec;

/* The inert leader of a ring: a disabled `dummy`; ENABLE/DISABLE of it (without the group flag)
 * switches its group, read() gives every member's count and loss. A CPU may have further groups in
 * a set (hardware events, which the kernel may take turns with; more members than one group holds;
 * a CPU that came back): their leaders have bytes 0, are enabled and read like the first, but have
 * no ring to map, since their records go to the ring that CPU has in that set. */
typedef struct
{
  guint ring;
  guint cpu;
  int fd;
  gsize bytes; /* of its ring; 0: none of its own */
} WprLeader;
typedef struct
{
  guint64 id;
  guint32 row;
  guint cpu;
} WprEventId;
typedef struct
{
  guint32 row;
  guint cpu;
  int error_number;
} WprRefusal; /* cpu G_MAXUINT: on all of them alike */

/* A row of WPR_ROW_LEADER: no leader could be opened on that CPU, so nothing of it is recorded. */
#define WPR_ROW_LEADER G_MAXUINT32

/* What opening gave. Arrays grow with add, grow and cpu_online. */
typedef struct
{
  GArray *leaders;    /* WprLeader; descriptors belong to the opener */
  GArray *ids;        /* WprEventId */
  GArray *refusals;   /* WprRefusal */
  GPtrArray *remarks; /* char *: what else a person should know, translated sentences */
} WprOpened;
void wpr_opened_clear (WprOpened *opened); /* frees the arrays, closes nothing */

#define WPR_TYPE_OPENER (wpr_opener_get_type ())
G_DECLARE_DERIVABLE_TYPE (WprOpener, wpr_opener, WPR, OPENER, GObject)

/* All verbs: worker thread only. */
struct _WprOpenerClass
{
  GObjectClass parent_class;
  /* Opens one group a CPU and ring set: leader first, its ring mapped once (memory is taken here),
   * then every event as a member with FD_OUTPUT. A refused event is a refusal, never a failure;
   * where a ring cannot be had (ENOMEM, EPERM) all of that set are halved until it can (at least 16
   * pages), seen in leaders[].bytes. Fails only when no leader can be opened at all. cpus: which
   * CPUs. */
  gboolean (*open) (WprOpener *self, const WprPerfEvent *events, gsize n_events,
                    const WprRingSpec *rings, gsize n_rings, const guint *cpus, gsize n_cpus,
                    WprOpened *opened, GError **error);
  /* One more event while running: opened on every CPU, then the dummy that makes 6.18 schedule it.
   * A leader that is appended (bytes 0) is disabled: the caller enables it. A refused event is a
   * refusal, not an error. */
  gboolean (*add) (WprOpener *self, const WprPerfEvent *event, WprOpened *opened, GError **error);
  /* The row's members are switched off, then read, then closed: what they counted last is appended
   * to counts (WprGroupCount, by id; NULL ok), so that what was recorded of them adds up. */
  gboolean (*drop) (WprOpener *self, guint32 row, GArray *counts, GError **error);
  /* The kernel takes one filter for the life of an event, so an event that has one is opened anew
   * with the new filter before the old one is closed: its new ids are appended, and an event that
   * hits in between is there twice at most, never missing. */
  gboolean (*filter) (WprOpener *self, guint32 row, const guint32 *skip_tids, gsize n,
                      WprOpened *opened, GError **error);
  /* A second, larger ring for one set: new leaders are appended, all members sent there; the old
   * ring is drained to its end by the caller. The old leaders still switch the groups and are read
   * for counts; the new ones own the rings only. The opener lets go of the old ring: its memory is
   * free once the caller unmaps it, too. ENOMEM: nothing changed. */
  gboolean (*grow) (WprOpener *self, guint ring, gsize bytes, WprOpened *opened, GError **error);
  /* What of the next grow takes long (a ring is zeroed when mapped: 1-2 s a GiB), ahead of it. The
   * only verb that may run on another thread, while the worker calls none but drains. */
  gboolean (*grow_ahead) (WprOpener *self, guint ring, gsize bytes, GError **error);
  /* A CPU came (back): its events are opened anew, on new leaders with bytes 0 that write to the
   * ring it had, else with a ring of its own. Disabled: the caller enables the appended leaders. */
  gboolean (*cpu_online) (WprOpener *self, guint cpu, WprOpened *opened, GError **error);
  /* Switches the group of a leader. Of a CPU that has gone it may fail, with errno. Default: one
   * ioctl of the leader. */
  gboolean (*enable) (WprOpener *self, const WprLeader *leader, gboolean on);
  /* Leaders have no group to read: what was recorded is counted by the records in the rings. */
  gboolean counts_by_records;
  /* Closes all; 20-35 ms a tracepoint, so off the face's way. */
  void (*close) (WprOpener *self);
};
gboolean wpr_opener_open (WprOpener *self, const WprPerfEvent *events, gsize n_events,
                          const WprRingSpec *rings, gsize n_rings, const guint *cpus, gsize n_cpus,
                          WprOpened *opened, GError **error);
gboolean wpr_opener_add (WprOpener *self, const WprPerfEvent *event, WprOpened *opened,
                         GError **error);
gboolean wpr_opener_drop (WprOpener *self, guint32 row, GArray *counts, GError **error);
gboolean wpr_opener_filter (WprOpener *self, guint32 row, const guint32 *skip_tids, gsize n,
                            WprOpened *opened, GError **error);
gboolean wpr_opener_grow (WprOpener *self, guint ring, gsize bytes, WprOpened *opened,
                          GError **error);
gboolean wpr_opener_grow_ahead (WprOpener *self, guint ring, gsize bytes, GError **error);
gboolean wpr_opener_cpu_online (WprOpener *self, guint cpu, WprOpened *opened, GError **error);
gboolean wpr_opener_enable (WprOpener *self, const WprLeader *leader, gboolean on);
gboolean wpr_opener_counts_by_records (WprOpener *self);
void wpr_opener_close (WprOpener *self);

WprOpener *wpr_opener_local_new (void);
/* Of this user's programs only: an event a thread and CPU, inherited by what they start, at most
 * so many descriptors, the largest programs first. sees_kernel: also what they do inside the kernel
 * (perf_event_paranoid 1). */
#define WPR_OWN_DESCRIPTORS_MOST 4096
WprOpener *wpr_opener_own_new (gboolean sees_kernel);
/* Threads of a user's programs, as that opener would count them. */
guint wpr_own_threads_count (guint32 uid);

/* tracefs: its mount point (mounted at /sys/kernel/tracing if root and absent), NULL with errno if
 * there is none or it may not be read. Cached. */
const char *wpr_tracefs_path (void);
/* Id of "sched:sched_switch"; -1 with errno. */
int wpr_tracefs_id (const char *name);
/* Text of the format file; NULL. Free with g_free. */
char *wpr_tracefs_format (const char *name);
/* What the broker has read of an event where this process may not: id and format are answered from
 * it first, from now on. Any thread. */
void wpr_tracefs_learn (const char *name, int id, const char *format);
/* Raises RLIMIT_NOFILE to its hard limit. */
void wpr_raise_nofile (void);

/* Count and loss of every member of a leader's group, as of now: an interrupt to a running CPU,
 * none once disabled. lost is 0 before kernel 6.0 (has_lost says). Appends WprGroupCount. */
typedef struct
{
  guint64 id;
  guint64 count;
  guint64 lost;
} WprGroupCount;
gboolean wpr_group_read (int leader_fd, GArray *counts, gboolean *has_lost, GError **error);

/* The online CPUs, ascending (guint). */
GArray *wpr_cpus_online (void);
guint wpr_cpus_possible (void); /* highest possible number + 1 */

G_END_DECLS
