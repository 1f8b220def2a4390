/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The local opener's insides: opener-local.c opens and closes, opener-live.c changes what is open.
 * Private to the room. */
#pragma once

#include "perf/event-private.h"
#include "perf/opener-slot.h"
#include "perf/ring.h"

G_BEGIN_DECLS

#define WPR_TYPE_OPENER_LOCAL (wpr_opener_local_get_type ())
G_DECLARE_FINAL_TYPE (WprOpenerLocal, wpr_opener_local, WPR, OPENER_LOCAL, WprOpener)

/* A grow of which leaders and rings are there already. */
typedef struct
{
  guint ring;
  gsize bytes;       /* 0: none */
  GPtrArray *slots;  /* WprSlot *, not owned */
  GArray *fds;       /* int: their new leaders */
  GPtrArray *mapped; /* WprRing: theirs */
} WprGrowth;

struct _WprOpenerLocal
{
  WprOpener parent_instance;

  GArray *events;     /* WprPerfEvent, texts owned */
  GArray *rings;      /* WprRingSpec, bytes as granted */
  GPtrArray *slots;   /* WprSlot */
  GArray *leader_fds; /* int */
  WprGrowth growth;   /* ahead of a grow */
  WprPerfLacks lacks;
  int task; /* of the leaders: -1 all, else one */
};

/* The rings of all sets on these CPUs, each with its leader; nothing is left where it fails. */
gboolean wpr_local_opener_open_sets (WprOpenerLocal *self, const WprRingSpec *rings, gsize n_rings,
                                     const guint *cpus, gsize n_cpus, WprOpened *opened,
                                     GError **error);
void wpr_local_opener_keep_event (WprOpenerLocal *self, const WprPerfEvent *event);
WprSlot *wpr_local_opener_find_slot (WprOpenerLocal *self, guint ring, guint cpu);
WprPerfEvent *wpr_local_opener_find_event (WprOpenerLocal *self, guint32 row);
gboolean wpr_local_opener_no_such_row (guint32 row, GError **error);
void wpr_local_opener_refuse (GArray *refused, guint32 row, guint cpu, int error_number);
int wpr_local_opener_look_up (const WprPerfEvent *event, int *id);
void wpr_local_opener_append_leader (const WprSlot *slot, int fd, gsize bytes, WprOpened *opened);
GPtrArray *wpr_local_opener_open_leaders (WprOpenerLocal *self, guint ring, const guint *cpus,
                                          gsize n_cpus, int *last_errno, WprOpened *opened);
gboolean wpr_local_opener_map_sets (WprOpenerLocal *self, GPtrArray *const *sets, gsize n_sets,
                                    WprOpened *opened, GError **error);
void wpr_local_opener_say_no_leader (const WprOpenerLocal *self, int error_number, GError **error);
void wpr_growth_clear (WprGrowth *growth);

/* opener-live.c */
gboolean wpr_local_opener_drop (WprOpener *opener, guint32 row, GArray *counts, GError **error);
gboolean wpr_local_opener_filter (WprOpener *opener, guint32 row, const guint32 *skip_tids, gsize n,
                                  WprOpened *opened, GError **error);
gboolean wpr_local_opener_grow (WprOpener *opener, guint ring, gsize bytes, WprOpened *opened,
                                GError **error);
gboolean wpr_local_opener_grow_ahead (WprOpener *opener, guint ring, gsize bytes, GError **error);
gboolean wpr_local_opener_cpu_online (WprOpener *opener, guint cpu, WprOpened *opened,
                                      GError **error);

G_END_DECLS
