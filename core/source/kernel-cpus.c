/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CPUs that go and come while it records, as in every suspend: the events of a CPU that goes are
 * dead for good, without a word, so they are opened anew when it comes. The gap is in the file. */
#include "config.h"

#include <errno.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <glib/gi18n-lib.h>

#include "base/files.h"
#include "base/log.h"
#include "source/kernel.h"
#include "store/payload.h"

/* One message: a line, then NAME=value lines with a NUL behind each. */
#define UEVENT_MOST 8192
#define CPU_PATH "@/devices/system/cpu/cpu"
/* Two clocks read one after the other differ by less. */
#define SLEPT_LEAST_NS (20 * G_GINT64_CONSTANT (1000000))

/* ---- gaps ---- */

static gboolean
wpr_kernel_note_gap (WprStore *store, const WprKernelGap *gap, GError **error)
{
  WprGapPayload payload = { gap->collector, gap->from, gap->to };
  return wpr_store_add_note (store, WPR_NOTE_CPU_GAP, gap->cpu, gap->from, 0, 0, &payload,
                             sizeof payload, error);
}

/* File mode: at once, first as open, and once more when it is over. */
static void
wpr_kernel_tell_gap (WprSession *session, const WprKernelRing *ring, WprTime to)
{
  WprKernelGap gap = { ring->collector, ring->cpu, ring->offline_since, to };
  if (session->store && !session->backward && ring->collector != WPR_COLLECTOR_SIDEBAND)
    wpr_kernel_note_gap (session->store, &gap, NULL);
}

gboolean
wpr_kernel_note_gaps (WprSourceKernel *self, WprStore *store, GError **error)
{
  for (guint i = 0; i < self->gaps->len; i++)
    if (!wpr_kernel_note_gap (store, &g_array_index (self->gaps, WprKernelGap, i), error))
      return FALSE;
  for (guint i = 0; i < self->rings->len; i++)
    {
      const WprKernelRing *ring = &g_array_index (self->rings, WprKernelRing, i);
      WprKernelGap gap = { ring->collector, ring->cpu, ring->offline_since, G_MAXINT64 };
      if (!ring->online && ring->collector != WPR_COLLECTOR_SIDEBAND
          && !wpr_kernel_note_gap (store, &gap, error))
        return FALSE;
    }
  return TRUE;
}

/* ---- going ---- */

/* It went between this look and the one before: the gap begins with the earlier. */
static void
wpr_kernel_cpu_went (WprSourceKernel *self, WprSession *session, guint cpu)
{
  gboolean any = FALSE;
  for (guint i = 0; i < self->rings->len; i++)
    {
      WprKernelRing *ring = &g_array_index (self->rings, WprKernelRing, i);
      if (ring->cpu != cpu || !ring->online)
        continue;
      any = TRUE;
      ring->online = FALSE;
      ring->offline_since = self->cpus_watched;
      wpr_kernel_tell_gap (session, ring, G_MAXINT64);
    }
  if (!any)
    return;
  g_autofree char *text = g_strdup_printf (
      _ ("CPU %u was switched off while recording. What it does is recorded again once it comes "
         "back; the file says from when to when nothing was."),
      cpu);
  session->notice (session->notice_data, WPR_NOTICE_WARNING, "cpu-offline", text);
  wpr_log (WPR_LOG_NOTICE, "%s", text);
}

void
wpr_kernel_withdraw (WprSource *source, WprSession *session)
{
  WprSourceKernel *self = WPR_SOURCE_KERNEL (source);
  WprClockReading now;
  wpr_clock_read (&now);
  self->withdrawn = TRUE;
  for (guint i = 0; i < self->rings->len; i++)
    {
      WprKernelRing *ring = &g_array_index (self->rings, WprKernelRing, i);
      if (!ring->online)
        continue;
      ring->online = FALSE;
      ring->offline_since = now.monotonic_ns;
      wpr_kernel_tell_gap (session, ring, G_MAXINT64);
    }
}

/* ---- coming ---- */

static void
wpr_kernel_close_gaps (WprSourceKernel *self, WprSession *session, guint cpu, WprTime now)
{
  for (guint i = 0; i < self->rings->len; i++)
    {
      WprKernelRing *ring = &g_array_index (self->rings, WprKernelRing, i);
      if (ring->cpu != cpu || ring->online)
        continue;
      ring->online = TRUE;
      wpr_kernel_tell_gap (session, ring, now);
      WprKernelGap gap = { ring->collector, cpu, ring->offline_since, now };
      if (session->backward && ring->collector != WPR_COLLECTOR_SIDEBAND)
        g_array_append_val (self->gaps, gap);
    }
}

/* Opened, told to the manifest, mapped where it is new, and switched on, the sideband first. */
static gboolean
wpr_kernel_open_cpu (WprSourceKernel *self, WprSession *session, guint cpu, GError **error)
{
  WprOpened *opened = &self->opened;
  guint first_id = opened->ids->len, first_leader = opened->leaders->len;
  guint first_refusal = opened->refusals->len, first_remark = opened->remarks->len;
  wpr_kernel_count (self, TRUE); /* what the dead events counted stays */
  if (!wpr_opener_cpu_online (self->opener, cpu, opened, error))
    return FALSE;
  wpr_kernel_tell_refusals (self, session, first_refusal);
  wpr_kernel_tell_remarks (self, session, first_remark);
  wpr_kernel_add_ids (self, session, first_id);
  return wpr_kernel_map (self, session, first_leader, error)
         && wpr_kernel_switch (self, TRUE, TRUE, first_leader, error)
         && wpr_kernel_switch (self, FALSE, TRUE, first_leader, error);
}

static gboolean
wpr_kernel_has_cpu (const WprSourceKernel *self, guint cpu, gboolean *online)
{
  for (guint i = 0; i < self->rings->len; i++)
    {
      const WprKernelRing *ring = &g_array_index (self->rings, WprKernelRing, i);
      if (ring->cpu != cpu)
        continue;
      *online = ring->online;
      return TRUE;
    }
  return FALSE;
}

static void
wpr_kernel_cpu_came (WprSourceKernel *self, WprSession *session, guint cpu)
{
  g_autoptr (GError) error = NULL;
  gboolean was_online = FALSE, is_known = wpr_kernel_has_cpu (self, cpu, &was_online);
  g_autofree char *text = NULL;
  if (!wpr_kernel_open_cpu (self, session, cpu, &error))
    {
      g_hash_table_add (self->cpus_lost, GUINT_TO_POINTER (cpu));
      text = g_strdup_printf (_ ("CPU %u came back and cannot be recorded: %s"), cpu,
                              error->message);
      session->notice (session->notice_data, WPR_NOTICE_WARNING, "cpu-lost", text);
      wpr_log (WPR_LOG_NOTICE, "%s", text);
      return;
    }
  WprClockReading now;
  wpr_clock_read (&now);
  wpr_kernel_close_gaps (self, session, cpu, now.monotonic_ns);
  text = is_known
             ? g_strdup_printf (_ ("CPU %u is back and is recorded again."), cpu)
             : g_strdup_printf (_ ("CPU %u was switched on and is recorded from now on."), cpu);
  session->notice (session->notice_data, WPR_NOTICE_INFO, "cpu-online", text);
  wpr_log (WPR_LOG_NOTICE, "%s", text);
}

/* ---- what the kernel tells ---- */

/* "online@/devices/system/cpu/cpu1" of the kernel (port 0). */
static void
wpr_kernel_take_uevent (WprSourceKernel *self, WprSession *session, const char *text)
{
  const char *path = strstr (text, CPU_PATH);
  gboolean online = g_str_has_prefix (text, "online@"), was_online;
  guint64 cpu;
  if (!path || (!online && !g_str_has_prefix (text, "offline@"))
      || !g_ascii_string_to_unsigned (path + strlen (CPU_PATH), 10, 0, G_MAXUINT16, &cpu, NULL))
    return;
  if (!online)
    wpr_kernel_cpu_went (self, session, (guint)cpu);
  else if (!wpr_kernel_has_cpu (self, (guint)cpu, &was_online) || !was_online)
    wpr_kernel_cpu_came (self, session, (guint)cpu); /* else it was seen to be there already */
}

/* Suspends that came about, and those that were given up on the way: both take the CPUs away. */
static guint64
wpr_kernel_count_sleeps (void)
{
  static const char *const paths[]
      = { "/sys/power/suspend_stats/success", "/sys/power/suspend_stats/fail" };
  guint64 n = 0;
  for (guint i = 0; i < G_N_ELEMENTS (paths); i++)
    {
      g_autofree char *text = wpr_read_small (paths[i], 32, NULL);
      n += text ? g_ascii_strtoull (text, NULL, 10) : 0;
    }
  return n;
}

/* A suspend takes away all CPUs but the first without a uevent, and brings them back before anybody
 * could look. Boot time then goes ahead of monotonic time; where it did not come about the kernel's
 * count says so. */
static gboolean
wpr_kernel_has_slept (WprSourceKernel *self, gboolean looks)
{
  WprClockReading now;
  wpr_clock_read (&now);
  gint64 slept = now.boottime_ns - now.monotonic_ns;
  gboolean has_slept = slept - self->slept_ns > SLEPT_LEAST_NS;
  self->slept_ns = slept;
  if (!looks && !has_slept)
    return FALSE;
  guint64 n = wpr_kernel_count_sleeps ();
  has_slept |= n != self->n_sleeps;
  self->n_sleeps = n;
  return has_slept;
}

void
wpr_kernel_listen (WprSourceKernel *self)
{
  struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = 1 };
  int fd = socket (AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT);
  if (fd >= 0 && bind (fd, (const struct sockaddr *)&address, sizeof address) != 0)
    {
      close (fd);
      fd = -1;
    }
  self->uevents = fd;                /* without it the CPUs are looked at twice a second */
  wpr_kernel_has_slept (self, TRUE); /* so far */
}

/* Events of a CPU that was away for a moment are dead all the same. */
static void
wpr_kernel_reopen (WprSourceKernel *self, WprSession *session)
{
  g_autoptr (GArray) online = wpr_cpus_online ();
  for (guint i = 1; i < online->len; i++)
    {
      guint cpu = g_array_index (online, guint, i);
      wpr_kernel_cpu_went (self, session, cpu);
      wpr_kernel_cpu_came (self, session, cpu);
    }
}

void
wpr_kernel_hear (WprSourceKernel *self, WprSession *session)
{
  char text[UEVENT_MOST + 1];
  struct sockaddr_nl from;
  socklen_t from_size = sizeof from;
  gssize size;
  if (!self->running || self->growing || self->withdrawn)
    return;
  if (wpr_kernel_has_slept (self, FALSE))
    wpr_kernel_reopen (self, session);
  if (self->uevents < 0)
    return;
  while (
      (size = recvfrom (self->uevents, text, UEVENT_MOST, 0, (struct sockaddr *)&from, &from_size))
      > 0)
    {
      text[size] = '\0';
      if (from.nl_pid == 0)
        wpr_kernel_take_uevent (self, session, text);
      from_size = sizeof from;
    }
  if (size < 0 && errno == ENOBUFS) /* some were missed */
    wpr_kernel_reopen (self, session);
}

void
wpr_kernel_watch_cpus (WprSourceKernel *self, WprSession *session, WprTime now)
{
  wpr_kernel_hear (self, session);
  if (self->running && !self->growing && !self->withdrawn && wpr_kernel_has_slept (self, TRUE))
    wpr_kernel_reopen (self, session);
  g_autoptr (GArray) online = wpr_cpus_online ();
  if (self->growing || self->withdrawn || online->len == 0)
    return;
  for (guint i = 0; i < self->rings->len; i++)
    {
      const WprKernelRing *ring = &g_array_index (self->rings, WprKernelRing, i);
      gboolean here = FALSE;
      for (guint j = 0; j < online->len; j++)
        here |= g_array_index (online, guint, j) == ring->cpu;
      if (ring->online && !here)
        wpr_kernel_cpu_went (self, session, ring->cpu);
    }
  for (guint j = 0; self->running && j < online->len; j++)
    {
      guint cpu = g_array_index (online, guint, j);
      gboolean was_online;
      if ((!wpr_kernel_has_cpu (self, cpu, &was_online) || !was_online)
          && !g_hash_table_contains (self->cpus_lost, GUINT_TO_POINTER (cpu)))
        wpr_kernel_cpu_came (self, session, cpu);
    }
  self->cpus_watched = now;
}
