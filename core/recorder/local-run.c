/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* While it records: woken by a watermark, else ten times a second. Drain, figures, clocks, guard.
 * An idle CPU is never woken to be asked. */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <glib-unix.h>
#include <glib/gi18n-lib.h>
#include <inttypes.h>

#include "base/files.h"
#include "base/log.h"
#include "recorder/local.h"
#include "recorder/urgent.h"

#define TICK_MS 100
/* Counts: an interrupt to each CPU whose ring moved, so only twice a second: at whole half seconds
 * of the recording, so that a face's clock and its counts change together. */
#define COUNT_NS (WPR_NS_PER_SECOND / 2)
#define TICKS_A_SECOND 10
/* Others' recordings are looked at rarely: it walks their folders. */
#define TICKS_A_LOOK_AROUND 50
/* After so many drains in a row that failed for want of space there is nothing left to give up. */
#define FAILED_DRAINS_MOST 3
/* Losses are told at most this often; the figures and the file have every one. */
#define LOSS_NOTICE_NS (10 * WPR_NS_PER_SECOND)
#define EPOLL_EVENTS 64

void
wpr_local_read_clocks (WprLocal *local)
{
  WprSession *session = &local->session;
  WprClockReading now;
  wpr_clock_read (&now);
  wpr_clock_table_add (local->clocks, &now);
  if (session->store && !session->backward)
    wpr_store_add_note (session->store, WPR_NOTE_CLOCK, 0, now.monotonic_ns, 0, 0, &now, sizeof now,
                        NULL);
}

/* ---- drain ---- */

/* The disk gave no more: old epochs go at once, and what is in the rings waits for the next tick.
 */
static void
wpr_run_relieve (WprLocal *local)
{
  WprStore *store = local->session.store;
  guint64 own = wpr_store_bytes (store);
  wpr_store_cut_back (store, NULL);
  local->guard.told_most = local->guard.told_most ? MIN (local->guard.told_most, own) / 2 : own / 2;
  wpr_store_set_most (store, MAX (local->guard.told_most, 1), NULL);
  wpr_store_rotate (store, NULL);
}

static void
wpr_run_drain_failed (WprLocal *local, const GError *why)
{
  wpr_log (WPR_LOG_NOTICE, "%s: %s", local->instance, why->message);
  local->n_failed_drains++;
  if (g_error_matches (why, WPR_ERROR, WPR_ERROR_NO_SPACE)
      && local->n_failed_drains < FAILED_DRAINS_MOST)
    {
      if (local->n_failed_drains == 1)
        wpr_local_notice (local, WPR_NOTICE_WARNING, "disk-low",
                          _ ("The disk is full. From here on only the newest part of the recording "
                             "is kept."));
      wpr_run_relieve (local);
      return;
    }
  g_autofree char *text
      = g_strdup_printf (_ ("The raw recording cannot be written: %s It is stopped; what was "
                            "recorded is kept."),
                         why->message);
  wpr_local_stop_by_itself (local, WPR_NOTICE_ERROR, "store-failed", text);
}

gboolean
wpr_local_drain (WprLocal *local)
{
  WprSession *session = &local->session;
  g_autoptr (GError) first = NULL;
  for (guint i = 0; i < local->sources->len; i++)
    wpr_source_drain (g_ptr_array_index (local->sources, i), session, first ? NULL : &first);
  if (!first && session->store && wpr_store_wants_rotate (session->store))
    wpr_store_rotate (session->store, &first);
  if (!first)
    {
      local->n_failed_drains = 0;
      return TRUE;
    }
  wpr_run_drain_failed (local, first);
  return FALSE;
}

/* FlushTimer, FlushThreshold: what was recorded is on the disk at most so many seconds or bytes
 * later, also if the power fails. Else it waits for the kernel (30 s). */
static void
wpr_run_flush (WprLocal *local)
{
  const WprPlan *plan = local->plan;
  WprStore *store = local->session.store;
  guint64 bytes = wpr_store_bytes (store) + wpr_store_bytes_dropped (store);
  guint64 ticks = (guint64)plan->flush_timer_s * TICKS_A_SECOND;
  gboolean is_time = ticks > 0 && local->n_ticks % ticks == 0;
  gboolean is_full = plan->flush_bytes > 0 && bytes - local->flushed_bytes >= plan->flush_bytes;
  if (!is_time && !is_full)
    return;
  local->flushed_bytes = bytes;
  wpr_store_sync_behind (store);
}

/* ---- guard ---- */

/* The disk's limit, or the profile's if that is smaller. */
static guint64
wpr_run_most_bytes (const WprLocal *local)
{
  guint64 own = local->plan->max_bytes;
  return own != 0 ? MIN (own, local->guard.most_bytes) : local->guard.most_bytes;
}

/* MaximumFileSize of FileMode Sequential: the beginning is what is wanted. */
static void
wpr_run_check_size (WprLocal *local)
{
  if (!local->plan->is_sequential || local->plan->max_bytes == 0
      || wpr_store_bytes (local->session.store) < local->plan->max_bytes)
    return;
  g_autofree char *size = g_format_size_full (local->plan->max_bytes, G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *text = g_strdup_printf (
      _ ("The recording has reached the size of %s that was asked for; it is saved."), size);
  wpr_local_stop_by_itself (local, WPR_NOTICE_INFO, "file-full", text);
}

static void
wpr_run_guard (WprLocal *local)
{
  WprSession *session = &local->session;
  if (local->n_ticks % TICKS_A_LOOK_AROUND == TICKS_A_SECOND)
    {
      g_autofree char *parent = g_path_get_dirname (wpr_store_get_path (session->store));
      local->others_need = wpr_guard_others_need (parent, wpr_store_get_path (session->store));
    }
  switch (wpr_guard_look (&local->guard, local->disk_fd, wpr_store_bytes (session->store),
                          local->others_need))
    {
    case WPR_GUARD_FINE:
      return;
    case WPR_GUARD_LOW:
      if (local->guard.told_most == 0)
        {
          g_autofree char *most
              = g_format_size_full (local->guard.most_bytes, G_FORMAT_SIZE_IEC_UNITS);
          wpr_local_notice (local, WPR_NOTICE_WARNING, "disk-low",
                            _ ("The disk is nearly full. From here on only the newest %s of the "
                               "recording are kept, so that it can still be saved."),
                            most);
          wpr_log (WPR_LOG_NOTICE, "%s: disk nearly full, keeps %s", local->instance, most);
        }
      local->guard.told_most = local->guard.most_bytes;
      wpr_store_set_most (session->store, wpr_run_most_bytes (local), NULL);
      return;
    case WPR_GUARD_FULL:
      wpr_local_stop_by_itself (local, WPR_NOTICE_ERROR, "disk-full",
                                _ ("The disk is too full to go on recording, so the recording was "
                                   "stopped."));
      return;
    }
}

/* ---- losses, told ---- */

static void
wpr_run_tell_losses (WprLocal *local, const GArray *losses, WprTime now)
{
  guint64 lost = 0, of_sideband = 0;
  guint32 worst_collector = G_MAXUINT32;
  guint worst_cpu = 0;
  guint64 worst = 0;
  for (guint i = 0; i < losses->len; i++)
    {
      const WprSourceLoss *loss = &g_array_index (losses, WprSourceLoss, i);
      if (loss->collector >= local->session.manifest->collectors->len)
        {
          of_sideband += loss->count;
          continue;
        }
      lost += loss->count;
      if (loss->count <= worst)
        continue;
      worst = loss->count;
      worst_cpu = loss->cpu;
      worst_collector = loss->collector;
    }
  if ((lost == 0 && of_sideband == 0)
      || (local->loss_told_ns && now - local->loss_told_ns < LOSS_NOTICE_NS))
    return;
  local->loss_told_ns = now;
  if (of_sideband > 0)
    wpr_local_notice (local, WPR_NOTICE_WARNING, "sideband-loss",
                      _ ("%" PRIu64 " records about processes were lost; some threads "
                         "will have no name."),
                      of_sideband);
  if (lost == 0)
    return;
  const char *name
      = g_array_index (local->session.manifest->collectors, WprStoreCollector, worst_collector)
            .name;
  wpr_local_notice (local, WPR_NOTICE_WARNING, "loss",
                    _ ("%" PRIu64 " events were lost within a second, most of them in "
                       "“%s” on CPU %u. Larger buffers or fewer stacks help."),
                    lost, name, worst_cpu);
  wpr_log (WPR_LOG_LOSS,
           "%s: %" G_GUINT64_FORMAT " events lost within a second, worst in %s on CPU %u",
           local->instance, lost, name, worst_cpu);
}

/* ---- figures ---- */

static void
wpr_run_figures (WprLocal *local, gboolean counted)
{
  WprSession *session = &local->session;
  g_array_set_size (local->values, 0);
  g_array_set_size (local->losses, 0);
  for (guint i = 0; i < local->sources->len; i++)
    wpr_source_figures (g_ptr_array_index (local->sources, i), session, counted, local->values,
                        local->losses);
  WprClockReading now;
  wpr_clock_read (&now);
  WprMoment moment = {
    .state = local->state,
    .now = now.monotonic_ns,
    .started_realtime_ns = local->started_realtime_ns,
    .started = session->started_ns,
    .store_bytes = session->store ? wpr_store_bytes (session->store) : 0,
    .disk_free_bytes = local->guard.free_bytes,
    .n_marks = local->n_marks,
  };
  if (session->store && local->guard.most_bytes > moment.store_bytes)
    moment.disk_budget_bytes = local->guard.most_bytes - moment.store_bytes;
  g_autoptr (WprStats) stats
      = wpr_figures_take (local->figures, &moment, counted, local->values, local->losses);
  wpr_recorder_set_stats (local->parent.recorder, stats);
  if (local->losses->len > 0)
    wpr_run_tell_losses (local, local->losses, now.monotonic_ns);
}

/* Dead processes are remembered while a ring may still hold an event of theirs. */
static void
wpr_run_forget (WprLocal *local)
{
  WprTime oldest = G_MAXINT64;
  for (guint i = 0; i < local->values->len; i++)
    {
      const WprSourceFigures *f = &g_array_index (local->values, WprSourceFigures, i);
      oldest = MIN (oldest, f->overwritten_bytes > 0 ? f->oldest : local->session.started_ns);
    }
  if (local->values->len > 0 && oldest > local->session.started_ns)
    wpr_world_forget (local->session.world, oldest - WPR_WORLD_GRACE_NS);
}

void
wpr_local_figures (WprLocal *local)
{
  wpr_run_figures (local, TRUE);
}

static gboolean
wpr_run_is_count (WprLocal *local)
{
  WprClockReading now;
  wpr_clock_read (&now);
  gint64 n_counts = (now.monotonic_ns - local->session.started_ns) / COUNT_NS;
  gboolean is_new = n_counts != local->n_counts;
  local->n_counts = n_counts;
  return is_new;
}

static gboolean
wpr_run_tick (gpointer data)
{
  WprLocal *local = data;
  local->n_ticks++;
  wpr_local_drain (local);
  if (local->state != WPR_STATE_RECORDING)
    return G_SOURCE_REMOVE;
  wpr_run_figures (local, wpr_run_is_count (local));
  if (local->session.store != NULL && !local->session.backward)
    {
      wpr_run_flush (local);
      wpr_run_check_size (local);
    }
  if (local->state != WPR_STATE_RECORDING)
    return G_SOURCE_REMOVE;
  if (local->n_ticks % TICKS_A_SECOND != 0)
    return G_SOURCE_CONTINUE;
  wpr_local_read_clocks (local);
  wpr_local_rewatch (local); /* a CPU may have come that was never there */
  if (local->session.backward)
    {
      wpr_free_space (local->disk_fd, &local->guard.free_bytes, &local->guard.total_bytes);
      wpr_run_forget (local);
      wpr_local_keep_now_and_then (local);
    }
  else
    wpr_run_guard (local);
  return local->state == WPR_STATE_RECORDING ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

/* ---- wake-ups ---- */

static gboolean
wpr_run_woken (int fd, GIOCondition condition, gpointer data)
{
  WprLocal *local = data;
  struct epoll_event events[EPOLL_EVENTS];
  while (epoll_wait (fd, events, EPOLL_EVENTS, 0) == EPOLL_EVENTS)
    ;
  wpr_local_drain (local);
  return local->state == WPR_STATE_RECORDING ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

static gboolean
wpr_run_duration_over (gpointer data)
{
  WprLocal *local = data;
  g_clear_pointer (&local->duration, g_source_unref);
  wpr_local_stop_by_itself (local, WPR_NOTICE_INFO, "duration",
                            _ ("The time that was asked for is over; the recording is saved."));
  return G_SOURCE_REMOVE;
}

static GSource *
wpr_run_attach (WprLocal *local, GSource *source, GSourceFunc func)
{
  g_source_set_callback (source, func, local, NULL);
  g_source_attach (source, wpr_worker_get_context (local->worker));
  return source;
}

/* Edge-triggered: an event whose CPU went would be ready for ever. Adding what is there already
 * changes nothing. */
void
wpr_local_rewatch (WprLocal *local)
{
  g_autoptr (GArray) fds = g_array_new (FALSE, FALSE, sizeof (int));
  for (guint i = 0; local->epoll_fd >= 0 && i < local->sources->len; i++)
    wpr_source_poll_fds (g_ptr_array_index (local->sources, i), fds);
  for (guint i = 0; i < fds->len; i++)
    {
      struct epoll_event event = { .events = EPOLLIN | EPOLLET };
      epoll_ctl (local->epoll_fd, EPOLL_CTL_ADD, g_array_index (fds, int, i), &event);
    }
}

static void
wpr_run_watch (WprLocal *local)
{
  local->epoll_fd = epoll_create1 (EPOLL_CLOEXEC);
  if (local->epoll_fd < 0)
    return; /* the tick drains, too */
  wpr_local_rewatch (local);
  local->wake = wpr_run_attach (local, g_unix_fd_source_new (local->epoll_fd, G_IO_IN),
                                (GSourceFunc)(void (*) (void))wpr_run_woken);
}

void
wpr_local_begin_ticks (WprLocal *local)
{
  local->values = g_array_new (FALSE, TRUE, sizeof (WprSourceFigures));
  local->losses = g_array_new (FALSE, TRUE, sizeof (WprSourceLoss));
  wpr_free_space (local->disk_fd, &local->guard.free_bytes, &local->guard.total_bytes);
  wpr_urgent_begin ();
  wpr_run_watch (local);
  local->tick = wpr_run_attach (local, g_timeout_source_new (TICK_MS), wpr_run_tick);
  if (local->plan->duration_s > 0)
    local->duration = wpr_run_attach (local, g_timeout_source_new_seconds (local->plan->duration_s),
                                      wpr_run_duration_over);
  wpr_run_figures (local, FALSE);
}

static void
wpr_run_detach (GSource **source)
{
  if (!*source)
    return;
  g_source_destroy (*source);
  g_clear_pointer (source, g_source_unref);
}

void
wpr_local_end_ticks (WprLocal *local)
{
  wpr_run_detach (&local->tick);
  wpr_run_detach (&local->wake);
  wpr_run_detach (&local->duration);
  if (local->epoll_fd >= 0)
    close (local->epoll_fd);
  local->epoll_fd = -1;
  wpr_urgent_end ();
}
