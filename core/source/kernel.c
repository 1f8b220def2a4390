/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernel events as a source: its life cycle. What is opened, drained, copied and counted is in the
 * kernel-*.c beside. */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <glib/gi18n-lib.h>

#include "source/kernel.h"
#include "source/sideband.h"

G_DEFINE_FINAL_TYPE (WprSourceKernel, wpr_source_kernel, WPR_TYPE_SOURCE)

static void
wpr_kernel_ring_clear (gpointer data)
{
  g_clear_pointer (&((WprKernelRing *)data)->ring, wpr_ring_free);
  g_clear_pointer (&((WprKernelRing *)data)->old, wpr_ring_free);
}

static gboolean
wpr_source_kernel_prepare (WprSource *source, WprSession *session, GError **error)
{
  WprSourceKernel *self = WPR_SOURCE_KERNEL (source);
  g_return_val_if_fail (!self->opener, FALSE);
  self->opener = g_object_ref (session->opener);
  self->by_records = wpr_opener_counts_by_records (self->opener);
  self->cpu_mhz = session->manifest->cpu_mhz;
  return wpr_kernel_open (self, session, error) && wpr_kernel_map (self, session, 0, error);
}

gboolean
wpr_kernel_switch (WprSourceKernel *self, gboolean sideband, gboolean on, guint first_leader,
                   GError **error)
{
  guint n_failed = 0, n = 0;
  int saved = 0;
  for (guint i = first_leader; i < self->opened.leaders->len; i++)
    {
      const WprLeader *leader = &g_array_index (self->opened.leaders, WprLeader, i);
      if ((wpr_kernel_collector (self, leader->ring) == WPR_COLLECTOR_SIDEBAND) != sideband)
        continue;
      n++;
      if (wpr_opener_enable (self->opener, leader, on))
        continue;
      n_failed++;
      saved = errno;
    }
  /* Of a CPU that has gone the leader may fail: the others count. */
  if (n_failed == 0 || n_failed < n)
    return TRUE;
  wpr_set_error (error, WPR_ERROR_INTERNAL, 0,
                 on ? _ ("The kernel did not switch the events on: %s.")
                    : _ ("The kernel did not switch the events off: %s."),
                 g_strerror (saved));
  return FALSE;
}

static gboolean
wpr_source_kernel_start (WprSource *source, WprSession *session, gboolean sideband, GError **error)
{
  WprSourceKernel *self = WPR_SOURCE_KERNEL (source);
  if (!self->opener)
    return TRUE;
  if (!wpr_kernel_switch (self, sideband, TRUE, 0, error))
    return FALSE;
  if (sideband)
    return TRUE;
  WprClockReading now;
  wpr_clock_read (&now);
  self->losses_told = now.monotonic_ns;
  self->cpus_watched = now.monotonic_ns;
  self->running = TRUE;
  wpr_kernel_listen (self);
  return TRUE;
}

/* DISABLE first: only then are the counts final, and in ring + lost = counted. The sideband goes
 * last, so that whoever was seen in a data ring has a name. */
static gboolean
wpr_source_kernel_stop (WprSource *source, WprSession *session, GError **error)
{
  WprSourceKernel *self = WPR_SOURCE_KERNEL (source);
  if (!self->opener)
    return TRUE;
  self->running = FALSE;
  g_autoptr (GError) first = NULL;
  wpr_kernel_switch (self, FALSE, FALSE, 0, &first);
  wpr_kernel_switch (self, TRUE, FALSE, 0, first ? NULL : &first);
  WprClockReading now;
  wpr_clock_read (&now);
  wpr_kernel_watch_cpus (self, session, now.monotonic_ns);
  wpr_kernel_count (self, TRUE);
  wpr_kernel_tell_losses (self, session, now.monotonic_ns);
  if (!session->backward && session->store && !self->by_records)
    wpr_kernel_note_tallies (self, session->store, now.monotonic_ns, first ? NULL : &first);
  wpr_kernel_drain (self, session, TRUE, first ? NULL : &first);
  if (!first)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&first));
  return FALSE;
}

static gboolean
wpr_source_kernel_drain (WprSource *source, WprSession *session, GError **error)
{
  return wpr_kernel_drain (WPR_SOURCE_KERNEL (source), session, FALSE, error);
}

static gboolean
wpr_source_kernel_copy (WprSource *source, WprSession *session, WprStore *store,
                        WprTime *complete_from, GError **error)
{
  return wpr_kernel_copy (WPR_SOURCE_KERNEL (source), session, store, complete_from, error);
}

static gboolean
wpr_source_kernel_set (WprSource *source, WprSession *session, const WprPlanItem *item, gboolean on,
                       GError **error)
{
  return wpr_kernel_set (WPR_SOURCE_KERNEL (source), session, item, on, error);
}

static gboolean
wpr_source_kernel_grow (WprSource *source, WprSession *session, guint collector, guint64 ring_bytes,
                        GError **error)
{
  return wpr_kernel_grow (WPR_SOURCE_KERNEL (source), session, collector, ring_bytes, error);
}

static void
wpr_source_kernel_figures (WprSource *source, WprSession *session, gboolean counts, GArray *figures,
                           GArray *losses)
{
  wpr_kernel_figures (WPR_SOURCE_KERNEL (source), session, counts, figures, losses);
}

/* Memory mode's data rings wake nobody: their watermark is 0. */
static void
wpr_source_kernel_poll_fds (WprSource *source, GArray *fds)
{
  WprSourceKernel *self = WPR_SOURCE_KERNEL (source);
  for (guint i = 0; i < self->rings->len; i++)
    g_array_append_val (fds, g_array_index (self->rings, WprKernelRing, i).leader_fd);
  if (self->uevents >= 0)
    g_array_append_val (fds, self->uevents);
}

static void
wpr_source_kernel_close (WprSource *source)
{
  WprSourceKernel *self = WPR_SOURCE_KERNEL (source);
  g_array_set_size (self->rings, 0);
  if (self->uevents >= 0)
    close (self->uevents);
  self->uevents = -1;
  if (self->opener)
    wpr_opener_close (self->opener);
  /* Now that nobody listens to them any more. */
  g_clear_pointer (&self->probes, wpr_kprobes_free);
  g_clear_object (&self->opener);
}

static void
wpr_source_kernel_finalize (GObject *object)
{
  WprSourceKernel *self = WPR_SOURCE_KERNEL (object);
  wpr_source_kernel_close (WPR_SOURCE (self));
  g_array_unref (self->events);
  g_clear_pointer (&self->ring_sets, g_array_unref);
  g_array_unref (self->rings);
  g_array_unref (self->members);
  wpr_id_table_free (self->ids);
  wpr_programs_free (self->programs);
  g_array_unref (self->losses);
  g_array_unref (self->gaps);
  g_hash_table_unref (self->off);
  g_hash_table_unref (self->cpus_lost);
  g_array_unref (self->untold);
  g_hash_table_unref (self->by_id);
  wpr_opened_clear (&self->opened);
  wpr_sideband_free (self->sideband);
  G_OBJECT_CLASS (wpr_source_kernel_parent_class)->finalize (object);
}

static void
wpr_source_kernel_class_init (WprSourceKernelClass *klass)
{
  WprSourceClass *source_class = WPR_SOURCE_CLASS (klass);
  G_OBJECT_CLASS (klass)->finalize = wpr_source_kernel_finalize;
  source_class->probe = wpr_kernel_probe;
  source_class->prepare = wpr_source_kernel_prepare;
  source_class->start = wpr_source_kernel_start;
  source_class->stop = wpr_source_kernel_stop;
  source_class->drain = wpr_source_kernel_drain;
  source_class->copy = wpr_source_kernel_copy;
  source_class->set = wpr_source_kernel_set;
  source_class->figures = wpr_source_kernel_figures;
  source_class->grow = wpr_source_kernel_grow;
  source_class->poll_fds = wpr_source_kernel_poll_fds;
  source_class->withdraw = wpr_kernel_withdraw;
  source_class->close = wpr_source_kernel_close;
}

static void
wpr_source_kernel_init (WprSourceKernel *self)
{
  self->events = g_array_new (FALSE, TRUE, sizeof (WprPerfEvent));
  self->rings = g_array_new (FALSE, TRUE, sizeof (WprKernelRing));
  g_array_set_clear_func (self->rings, wpr_kernel_ring_clear);
  self->members = g_array_new (FALSE, TRUE, sizeof (WprKernelMember));
  self->losses = g_array_new (FALSE, TRUE, sizeof (WprKernelLoss));
  self->gaps = g_array_new (FALSE, TRUE, sizeof (WprKernelGap));
  self->off = g_hash_table_new (NULL, NULL);
  self->cpus_lost = g_hash_table_new (NULL, NULL);
  self->uevents = -1;
  self->untold = g_array_new (FALSE, TRUE, sizeof (WprSourceLoss));
  self->ids = wpr_id_table_new ();
  self->by_id = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  self->sideband = wpr_sideband_new ();
  self->has_lost = TRUE;
}

WprSource *
wpr_source_kernel_new (void)
{
  return g_object_new (WPR_TYPE_SOURCE_KERNEL, NULL);
}

const GArray *
wpr_source_kernel_ring_sets (WprSource *source)
{
  return WPR_SOURCE_KERNEL (source)->ring_sets;
}
