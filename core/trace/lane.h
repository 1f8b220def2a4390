/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A row of events in time order, one of those the player merges: the records of a collector on a
 * CPU, the life of processes, the notes, the counters. Each gives out its next event when it is the
 * earliest of all. */
#pragma once

#include "trace/files.h"
#include "trace/trace-private.h"

G_BEGIN_DECLS

#define WPR_LANE_END G_MAXINT64

typedef struct _WprPlayer WprPlayer;
typedef struct _WprLane WprLane;
struct _WprLane
{
  WprTime time; /* of the next event; WPR_LANE_END: there is none */
  guint order;  /* who is first at one time: lower */
  /* Gives out the event at `time` and moves on. */
  gboolean (*visit) (WprLane *self, WprPlayer *player, GError **error);
  void (*free) (WprLane *self);
};

/* stream.c: the records of one collector on one CPU over all epochs; NULL if there are none. */
WprLane *wpr_stream_lane_new (WprTrace *trace, guint collector, guint cpu);
guint64 wpr_stream_lane_bytes (const WprLane *lane); /* decoded so far */

/* life.c: starts, ends, names and images from the world. */
WprLane *wpr_life_lane_new (WprTrace *trace);

/* side-lanes.c */
WprLane *wpr_side_lane_new (WprTrace *trace);
WprLane *wpr_counter_lane_new (WprTrace *trace);

/* looks.c: what processes had open. The first look into /proc is a lane, the last comes after all
 * events. */
WprLane *wpr_look_lane_new (WprTrace *trace);
void wpr_looks_last (WprTrace *trace, WprFiles *files);

/* What a lane hands to the player (player.c). */
gboolean wpr_player_record (WprPlayer *player, guint collector, guint cpu, WprTime time,
                            const struct perf_event_header *header, GError **error);
/* An event that is no record. time is set from `when`, row and inferred are the player's. */
gboolean wpr_player_event (WprPlayer *player, WprTime when, WprEvent *event, GError **error);
/* What is no event: a program began within a process; what a process had open. */
void wpr_player_execed (WprPlayer *player, guint32 pid);
gboolean wpr_player_looked (WprPlayer *player, WprTime when, guint32 pid, const guint8 *payload,
                            gsize size, GError **error);
/* Boot time of a time, cached for times that come in order. */
gint64 wpr_player_boottime (WprPlayer *player, WprTime when);
/* The CPU this thread is on as far as is known; G_MAXUINT32 if nowhere. */
guint32 wpr_player_cpu_of (WprPlayer *player, guint32 tid);

G_END_DECLS
