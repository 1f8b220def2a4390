/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One CPU's share of a ring set: its leaders and members. Private to the local opener. */
#pragma once

#include "perf/event.h"
#include "perf/ring.h"

/* What this kernel turned out not to know. */
typedef struct
{
  gboolean no_lost;     /* PERF_FORMAT_LOST: before 6.0 */
  gboolean no_build_id; /* before 5.12 */
  gboolean no_ksymbol;  /* before 5.1 */
} WprPerfLacks;

typedef struct
{
  guint32 row;
  int fd;
  guint64 id;
  gboolean filtered; /* the kernel takes no second filter */
  guint32 tid;       /* of single threads: which */
  gboolean switches; /* of single threads: tells their switches, too */
} WprMember;

typedef struct
{
  int leader_fd; /* the opener closes it */
  gboolean hardware;
  GArray *members; /* WprMember */
} WprGroup;

typedef struct
{
  guint ring, cpu;
  int task;         /* of the leaders: -1 all, else one (rings of own programs) */
  gboolean running; /* members of single threads: switched on */
  WprRingSpec spec; /* bytes: as granted */
  int ring_fd;      /* the leader that owns the ring; the opener closes it */
  WprRing *mapped;  /* keeps the ring's memory; NULL before it is mapped */
  GPtrArray *groups;
  WprPerfLacks *lacks;
  GArray *leader_fds; /* the opener's: every leader ever opened */
} WprSlot;

WprSlot *wpr_slot_new (guint ring, guint cpu, const WprRingSpec *spec, WprPerfLacks *lacks,
                       GArray *leader_fds);
void wpr_slot_free (WprSlot *slot); /* closes the members, not the leaders; unmaps */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprSlot, wpr_slot_free)

/* An inert leader on the slot's CPU, kept in leader_fds. -1 with errno. */
int wpr_slot_open_leader (WprSlot *slot);
/* Opens; where the kernel does not know a bit, learns which it lacks. -1 with errno. */
int wpr_perf_open_known (struct perf_event_attr *attr, int task, guint cpu, int group_fd,
                         unsigned long flags, gboolean is_leader, WprPerfLacks *lacks);
/* A group whose leader that is. */
WprGroup *wpr_slot_add_group (WprSlot *slot, int leader_fd, gboolean hardware);
/* Opens an event of tracepoint `id` (else ignored). live: the group may be running, so the member
 * is switched on only once its filter and its ring are set. Appends id and, where a further group
 * was needed, its leader. 0 or errno. */
int wpr_slot_open_event (WprSlot *slot, const WprPerfEvent *event, int id, gboolean live,
                         WprOpened *opened);
/* Makes a running group schedule what was added or switched on: 6.18 leaves it off until the CPU's
 * events change otherwise. */
void wpr_slot_reschedule (const WprSlot *slot);
/* Switches the members of a row off, and appends what they have counted (WprGroupCount). */
void wpr_slot_finish_row (WprSlot *slot, guint32 row, GArray *counts);
/* Closes the members of a row, but for the newest if asked. */
void wpr_slot_close_row (WprSlot *slot, guint32 row, gboolean keep_newest);
void wpr_slot_close_all (WprSlot *slot);
/* "common_pid != N" for each, and the event's own filter; 0 or errno. */
int wpr_member_filter (WprMember *member, const WprPerfEvent *event);
