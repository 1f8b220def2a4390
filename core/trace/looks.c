/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Looks into /proc/PID/fd, as the recorder noted them: the first tells what was open before, at its
 * place among the events; the last names what nobody told the name of. One look is kept in memory:
 * some hundred processes with 20 descriptors each take 1 MB. */
#include "config.h"
#include "trace/lane.h"

#define LOOK_ORDER 3

typedef struct
{
  WprLane lane;
  WprTrace *trace;
  guint at;
} LookLane;

static void
clear_look (gpointer data)
{
  g_bytes_unref (((WprLook *)data)->payload);
}

GArray *
wpr_looks_new (void)
{
  GArray *looks = g_array_new (FALSE, FALSE, sizeof (WprLook));
  g_array_set_clear_func (looks, clear_look);
  return looks;
}

static void
set_next (LookLane *self)
{
  const GArray *looks = self->trace->first_looks;
  WprTime least = MAX (self->lane.time, self->trace->context.start_monotonic);
  self->lane.time = self->at < looks->len
                        ? MAX (g_array_index (looks, WprLook, self->at).time, least)
                        : WPR_LANE_END;
}

static gboolean
visit (WprLane *lane, WprPlayer *player, GError **error)
{
  LookLane *self = (LookLane *)lane;
  const WprLook *look = &g_array_index (self->trace->first_looks, WprLook, self->at);
  gsize size;
  const guint8 *payload = g_bytes_get_data (look->payload, &size);
  if (!wpr_player_looked (player, lane->time, look->pid, payload, size, error))
    return FALSE;
  self->at++;
  set_next (self);
  return TRUE;
}

static void
look_free (WprLane *lane)
{
  g_free (lane);
}

WprLane *
wpr_look_lane_new (WprTrace *trace)
{
  LookLane *self = g_new0 (LookLane, 1);
  self->lane.order = LOOK_ORDER;
  self->lane.visit = visit;
  self->lane.free = look_free;
  self->trace = trace;
  self->lane.time = G_MININT64;
  set_next (self);
  return &self->lane;
}

void
wpr_looks_last (WprTrace *trace, WprFiles *files)
{
  const GArray *looks = trace->last_looks;
  for (guint i = 0; i < looks->len; i++)
    {
      const WprLook *look = &g_array_index (looks, WprLook, i);
      gsize size;
      const guint8 *payload = g_bytes_get_data (look->payload, &size);
      wpr_files_looked (files, look->pid, payload, size, TRUE);
    }
}
