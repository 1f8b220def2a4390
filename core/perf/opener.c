/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The opener's interface: checks what it is called with and passes it on. Opens nothing itself. */
#include "config.h"
#include "perf/event.h"

#include <sys/ioctl.h>

G_DEFINE_ABSTRACT_TYPE (WprOpener, wpr_opener, G_TYPE_OBJECT)

static gboolean
enable_leader (WprOpener *self, const WprLeader *leader, gboolean on)
{
  return ioctl (leader->fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0) == 0;
}

static void
wpr_opener_class_init (WprOpenerClass *klass)
{
  klass->enable = enable_leader;
}

static void
wpr_opener_init (WprOpener *self)
{
}

void
wpr_opened_clear (WprOpened *opened)
{
  g_clear_pointer (&opened->leaders, g_array_unref);
  g_clear_pointer (&opened->ids, g_array_unref);
  g_clear_pointer (&opened->refusals, g_array_unref);
  g_clear_pointer (&opened->remarks, g_ptr_array_unref);
}

/* Arrays the caller has not made yet. */
static void
prepare_opened (WprOpened *opened)
{
  if (opened->leaders == NULL)
    opened->leaders = g_array_new (FALSE, FALSE, sizeof (WprLeader));
  if (opened->ids == NULL)
    opened->ids = g_array_new (FALSE, FALSE, sizeof (WprEventId));
  if (opened->refusals == NULL)
    opened->refusals = g_array_new (FALSE, FALSE, sizeof (WprRefusal));
  if (opened->remarks == NULL)
    opened->remarks = g_ptr_array_new_with_free_func (g_free);
}

gboolean
wpr_opener_open (WprOpener *self, const WprPerfEvent *events, gsize n_events,
                 const WprRingSpec *rings, gsize n_rings, const guint *cpus, gsize n_cpus,
                 WprOpened *opened, GError **error)
{
  g_return_val_if_fail (WPR_IS_OPENER (self) && opened != NULL, FALSE);
  g_return_val_if_fail (rings != NULL && n_rings > 0 && cpus != NULL && n_cpus > 0, FALSE);
  g_return_val_if_fail (events != NULL || n_events == 0, FALSE);
  for (gsize i = 0; i < n_events; i++)
    g_return_val_if_fail (events[i].name != NULL && events[i].ring < n_rings, FALSE);

  prepare_opened (opened);
  return WPR_OPENER_GET_CLASS (self)->open (self, events, n_events, rings, n_rings, cpus, n_cpus,
                                            opened, error);
}

gboolean
wpr_opener_add (WprOpener *self, const WprPerfEvent *event, WprOpened *opened, GError **error)
{
  g_return_val_if_fail (WPR_IS_OPENER (self) && opened != NULL, FALSE);
  g_return_val_if_fail (event != NULL && event->name != NULL, FALSE);

  prepare_opened (opened);
  return WPR_OPENER_GET_CLASS (self)->add (self, event, opened, error);
}

gboolean
wpr_opener_drop (WprOpener *self, guint32 row, GArray *counts, GError **error)
{
  g_return_val_if_fail (WPR_IS_OPENER (self), FALSE);

  return WPR_OPENER_GET_CLASS (self)->drop (self, row, counts, error);
}

gboolean
wpr_opener_filter (WprOpener *self, guint32 row, const guint32 *skip_tids, gsize n,
                   WprOpened *opened, GError **error)
{
  g_return_val_if_fail (WPR_IS_OPENER (self) && opened != NULL, FALSE);
  g_return_val_if_fail ((skip_tids != NULL || n == 0) && n <= WPR_PERF_FILTER_MOST, FALSE);

  prepare_opened (opened);
  return WPR_OPENER_GET_CLASS (self)->filter (self, row, skip_tids, n, opened, error);
}

gboolean
wpr_opener_grow (WprOpener *self, guint ring, gsize bytes, WprOpened *opened, GError **error)
{
  g_return_val_if_fail (WPR_IS_OPENER (self) && opened != NULL, FALSE);

  prepare_opened (opened);
  return WPR_OPENER_GET_CLASS (self)->grow (self, ring, bytes, opened, error);
}

gboolean
wpr_opener_grow_ahead (WprOpener *self, guint ring, gsize bytes, GError **error)
{
  g_return_val_if_fail (WPR_IS_OPENER (self), FALSE);

  return WPR_OPENER_GET_CLASS (self)->grow_ahead (self, ring, bytes, error);
}

gboolean
wpr_opener_cpu_online (WprOpener *self, guint cpu, WprOpened *opened, GError **error)
{
  g_return_val_if_fail (WPR_IS_OPENER (self) && opened != NULL, FALSE);

  prepare_opened (opened);
  return WPR_OPENER_GET_CLASS (self)->cpu_online (self, cpu, opened, error);
}

void
wpr_opener_close (WprOpener *self)
{
  g_return_if_fail (WPR_IS_OPENER (self));

  WPR_OPENER_GET_CLASS (self)->close (self);
}

gboolean
wpr_opener_enable (WprOpener *self, const WprLeader *leader, gboolean on)
{
  g_return_val_if_fail (WPR_IS_OPENER (self) && leader != NULL, FALSE);

  return WPR_OPENER_GET_CLASS (self)->enable (self, leader, on);
}

gboolean
wpr_opener_counts_by_records (WprOpener *self)
{
  g_return_val_if_fail (WPR_IS_OPENER (self), FALSE);

  return WPR_OPENER_GET_CLASS (self)->counts_by_records;
}
