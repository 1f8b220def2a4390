/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernel as a source, within the room: its state, and the parts it is cut into. kernel.c: the
 * life cycle; kernel-events.c: plan -> rows; kernel-live.c: rows and rings while it records;
 * kernel-rings.c: drain and copy; kernel-counts.c: figures, losses; kernel-cpus.c: CPUs that go and
 * come; kernel-probe.c: what can be had here; sideband.c: processes. */
#pragma once

#include "perf/kprobe.h"
#include "perf/record.h"
#include "perf/ring.h"
#include "source/programs.h"
#include "source/source.h"

G_BEGIN_DECLS

/* In place of a collector's number: the sideband's own ring set. */
#define WPR_COLLECTOR_SIDEBAND G_MAXUINT32

/* When a ring's head was where: so that the age of the oldest byte is known, not guessed from a
 * rate. Halved when full, so that 64 points span any length. */
#define WPR_HISTORY_MOST 64
typedef struct
{
  guint n;
  gint64 step_ns; /* least distance of two points */
  struct
  {
    WprTime when;
    guint64 bytes;
  } points[WPR_HISTORY_MOST];
} WprRingHistory;

/* One ring: of one collector on one CPU. */
typedef struct
{
  guint32 collector; /* or WPR_COLLECTOR_SIDEBAND */
  guint cpu;
  int leader_fd; /* of the leader that owns it; the opener's */
  WprRing *ring;
  /* A smaller one it had before. File mode: gone once it is drained. Memory mode: kept while the
   * new one has not come round, for both hold one unbroken stretch then. */
  WprRing *old;
  guint64 bytes_before; /* ever put into the rings before `ring` */
  gboolean online;
  WprTime offline_since;
  guint64 counted_at; /* ring bytes when the group was read last; G_MAXUINT64: never */
  gboolean read_now;  /* while counting */
  guint64 drained;
  guint64 events, lost; /* sums over the group's members; else records */
  guint64 looked_at;    /* records: up to where they were counted */
  guint64 lost_told;    /* records: what of `lost` was told */
  WprRingHistory history;
} WprKernelRing;

/* One event on one CPU: what its id leads to. */
typedef struct
{
  guint64 id;
  guint32 row, collector;
  guint cpu;
  guint ring; /* index into rings + 1; 0: not looked up yet */
  guint64 counted, lost, lost_told;
} WprKernelMember;

/* A CPU that was away, kept in memory mode for the saves to come. */
typedef struct
{
  guint32 collector;
  guint cpu;
  WprTime from, to;
} WprKernelGap;

/* A loss told, kept in memory mode for the saves to come. */
typedef struct
{
  WprTime when;
  guint cpu;
  guint32 collector, row;
  guint64 count;
} WprKernelLoss;

typedef struct _WprSideband WprSideband;

#define WPR_TYPE_SOURCE_KERNEL (wpr_source_kernel_get_type ())
G_DECLARE_FINAL_TYPE (WprSourceKernel, wpr_source_kernel, WPR, SOURCE_KERNEL, WprSource)

struct _WprSourceKernel
{
  WprSource parent_instance;
  WprOpener *opener;     /* from prepare to close */
  WprKprobes *probes;    /* NULL: none were asked for, or can be had */
  GArray *events;        /* WprPerfEvent: rows of this source, the sideband's last */
  GArray *ring_sets;     /* guint32: ring set -> collector, or WPR_COLLECTOR_SIDEBAND */
  GArray *rings;         /* WprKernelRing; sideband's too */
  GArray *members;       /* WprKernelMember */
  WprIdTable *ids;       /* of every member: what a record of a copied ring holds */
  WprPrograms *programs; /* while events are opened */
  GHashTable *by_id;     /* guint64 * (in members' own table) -> index + 1 */
  GArray *losses;        /* WprKernelLoss: kept in memory mode */
  GArray *gaps;          /* WprKernelGap: likewise, of CPUs that came back */
  GHashTable *off;       /* rows that were switched off while recording */
  GHashTable *cpus_lost; /* CPUs that could not be opened: told once */
  int uevents;           /* what the kernel tells of its CPUs; -1: nothing */
  guint64 n_sleeps;      /* tried, as the kernel counts them */
  gint64 slept_ns;       /* boot time - monotonic time when last looked */
  gboolean growing;      /* a thread has the opener: CPUs must wait */
  GArray *untold;        /* WprSourceLoss: for the next figures */
  WprOpened opened;
  WprSideband *sideband;
  gboolean by_records; /* there are no groups to read: records are counted */
  gboolean has_lost;   /* PERF_FORMAT_LOST: kernel 6.0 and later */
  gboolean told_no_counter;
  gboolean running;
  gboolean withdrawn; /* nothing can be opened or changed, nothing arrives */
  guint32 cpu_mhz;
  WprTime losses_told;  /* when losses were told last */
  WprTime cpus_watched; /* when it was last looked which CPUs are there */
};

/* The collector of a ring set. */
static inline guint32
wpr_kernel_collector (const WprSourceKernel *self, guint set)
{
  return g_array_index (self->ring_sets, guint32, set);
}

/* kernel.c */
/* One ioctl of a leader switches its CPU's whole group. */
gboolean wpr_kernel_switch (WprSourceKernel *self, gboolean sideband, gboolean on,
                            guint first_leader, GError **error);

/* kernel-events.c */
gboolean wpr_kernel_open (WprSourceKernel *self, WprSession *session, GError **error);
gboolean wpr_kernel_map (WprSourceKernel *self, WprSession *session, guint first_leader,
                         GError **error);
void wpr_kernel_add_ids (WprSourceKernel *self, WprSession *session, guint first_id);
/* The row's event; NULL if it is not ours. */
const WprPerfEvent *wpr_kernel_event (WprSourceKernel *self, guint32 row);
/* FALSE for an item that is not the kernel's to record. */
gboolean wpr_kernel_row (WprSourceKernel *self, const WprPlanItem *item, const WprSession *session,
                         WprPerfEvent *event);
/* name: as the recording calls it. */
void wpr_kernel_add_row (WprSourceKernel *self, WprManifest *manifest, guint32 collector,
                         WprPerfEvent *event, const char *name, gboolean as_file);
void wpr_kernel_tell_refusals (WprSourceKernel *self, WprSession *session, guint first);
void wpr_kernel_tell_remarks (WprSourceKernel *self, WprSession *session, guint first);
const char *wpr_kernel_refusal_reason (int error_number);
void wpr_kernel_note_granted (WprSession *session, guint32 collector, gsize got, guint n_cpus);

/* kernel-cpus.c: as if all CPUs went for good. */
void wpr_kernel_withdraw (WprSource *source, WprSession *session);

/* kernel-live.c */
gboolean wpr_kernel_set (WprSourceKernel *self, WprSession *session, const WprPlanItem *item,
                         gboolean on, GError **error);
gboolean wpr_kernel_grow (WprSourceKernel *self, WprSession *session, guint32 collector,
                          guint64 ring_bytes, GError **error);

/* kernel-rings.c */
gboolean wpr_kernel_drain (WprSourceKernel *self, WprSession *session, gboolean to_the_end,
                           GError **error);
gboolean wpr_kernel_copy (WprSourceKernel *self, WprSession *session, WprStore *store,
                          WprTime *complete_from, GError **error);
/* Two stretches of records, each in order, as one in order of time. */
GByteArray *wpr_kernel_interleave (const WprIdTable *ids, const guint8 *a, gsize a_size,
                                   const guint8 *b, gsize b_size);
/* File mode, after a grow: what is left in the old rings and what came into the new ones meanwhile,
 * in order of time. */
gboolean wpr_kernel_join_rings (WprSourceKernel *self, WprSession *session, GError **error);
/* Bytes ever put into the rings a CPU had; and what of them is held now. */
guint64 wpr_kernel_bytes (const WprKernelRing *ring);
guint64 wpr_kernel_held (const WprKernelRing *ring);
/* Time of a copy's first record: what is older was overwritten. 0 if it holds none. */
WprTime wpr_kernel_first_time (const WprIdTable *ids, const WprRingCopy *copy);

/* kernel-counts.c */
/* Reads the groups: all, or only those whose ring moved since the last time. */
void wpr_kernel_count (WprSourceKernel *self, gboolean all);
/* Without groups: the records that came since, before they are given back. */
void wpr_kernel_count_records (WprKernelRing *ring);
/* What was lost since the last call: as notes, and into `untold` for the next figures. */
void wpr_kernel_tell_losses (WprSourceKernel *self, WprSession *session, WprTime now);
/* Losses kept (memory mode), and the tally of every row and CPU, as notes. */
gboolean wpr_kernel_note_losses (WprSourceKernel *self, WprStore *store, GError **error);
gboolean wpr_kernel_note_tallies (WprSourceKernel *self, WprStore *store, WprTime now,
                                  GError **error);

/* kernel-cpus.c */
/* From now on the kernel tells of CPUs that go and come (self->uevents). */
void wpr_kernel_listen (WprSourceKernel *self);
/* What it told since; costs one system call where it told nothing. */
void wpr_kernel_hear (WprSourceKernel *self, WprSession *session);
/* Looks which CPUs are there: notices those that went, and opens those that came anew. */
void wpr_kernel_watch_cpus (WprSourceKernel *self, WprSession *session, WprTime now);
gboolean wpr_kernel_note_gaps (WprSourceKernel *self, WprStore *store, GError **error);
void wpr_kernel_figures (WprSourceKernel *self, WprSession *session, gboolean counts,
                         GArray *figures, GArray *losses);
void wpr_history_add (WprRingHistory *history, WprTime when, guint64 bytes);
/* A time at which the ring had taken at most `bytes`: not later than when byte `bytes` came. */
WprTime wpr_history_before (const WprRingHistory *history, guint64 bytes);

/* kernel-probe.c */
void wpr_kernel_probe (WprSource *source, WprMachine *machine);

G_END_DECLS
