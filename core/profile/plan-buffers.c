/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Buffers asked for and granted. The kernel's rings are one a CPU and powers of two, so what is
 * asked for in all is shared out among CPUs and cut to the next power of two. */
#include "config.h"
#include "profile/plan.h"

#include <glib/gi18n-lib.h>

/* 16 pages of 4 KiB: below that one event with a deep stack fills a tenth of the ring. */
#define LEAST_RING_BYTES G_GUINT64_CONSTANT (65536)
/* File mode: less than this overflows before the drain's first write returns. */
#define LEAST_FILE_RING_BYTES G_GUINT64_CONSTANT (1048576)
/* The kernel refuses 2 GiB. */
#define MOST_RING_BYTES G_GUINT64_CONSTANT (1073741824)
/* What profiles without a person's own numbers: used when no profile says anything. */
#define DEFAULT_BUFFER_KB 1024
#define DEFAULT_BUFFERS 64

static guint64
wpr_power_of_two_not_above (guint64 number)
{
  guint64 power = 1;
  while (power <= number / 2)
    power *= 2;
  return power;
}

/* What a person says overrides what the profiles say, collector by collector. */
static void
wpr_collector_ask (const WprPlanBuild *build, WprCollectorBuild *collector)
{
  const WprChoice *choice = build->choice;
  WprPlanCollector *public = &collector->collector;
  if (collector->bytes == 0) /* no profile has this collector: it holds what is always recorded */
    {
      public->buffer_kb = DEFAULT_BUFFER_KB;
      collector->buffers = DEFAULT_BUFFERS;
      collector->bytes = (guint64)DEFAULT_BUFFER_KB * 1024 * DEFAULT_BUFFERS;
    }
  if (choice->buffer_size_kb != 0)
    {
      public->buffer_kb = choice->buffer_size_kb;
      if (collector->buffers > 0)
        collector->bytes = (guint64)(public->buffer_kb * 1024.0 * collector->buffers);
    }
  if (choice->buffers_percent > 0)
    collector->bytes
        = (guint64)(wpr_machine_get_memory (build->machine) * choice->buffers_percent / 100);
  else if (choice->buffers != 0)
    collector->bytes = (guint64) public->buffer_kb * 1024 * choice->buffers;
  if (choice->buffer_size_kb != 0 || choice->buffers != 0 || choice->buffers_percent > 0)
    collector->is_own = TRUE;
  public->bytes_asked = collector->bytes;
  public->buffers_asked
      = CLAMP (collector->bytes / ((guint64) public->buffer_kb * 1024), 1, G_MAXUINT);
}

static void
wpr_collector_grant (const WprPlanBuild *build, WprCollectorBuild *collector)
{
  guint64 least
      = build->owner->plan.mode == WPR_MODE_FILE ? LEAST_FILE_RING_BYTES : LEAST_RING_BYTES;
  guint64 share = collector->bytes / wpr_machine_get_n_cpus (build->machine);
  collector->collector.ring_bytes
      = CLAMP (wpr_power_of_two_not_above (share), least, MOST_RING_BYTES);
}

/* Halves the largest ring until all fit; FALSE if none had to be halved. */
static gboolean
wpr_plan_fit (WprPlanBuild *build, guint64 most_bytes)
{
  guint64 n_cpus = wpr_machine_get_n_cpus (build->machine);
  gboolean cut = FALSE;
  while (TRUE)
    {
      WprCollectorBuild *largest = NULL;
      guint64 sum = 0;
      for (guint i = 0; i < build->owner->collectors->len; i++)
        {
          WprCollectorBuild *collector = g_ptr_array_index (build->owner->collectors, i);
          if (!collector->is_used)
            continue;
          sum += collector->collector.ring_bytes * n_cpus;
          if (largest == NULL || collector->collector.ring_bytes > largest->collector.ring_bytes)
            largest = collector;
        }
      if (sum <= most_bytes || largest == NULL || largest->collector.ring_bytes <= LEAST_RING_BYTES)
        return cut;
      largest->collector.ring_bytes /= 2;
      cut = TRUE;
    }
}

static void
wpr_plan_tell_cut (WprPlanBuild *build, const WprCollectorBuild *collector, gboolean is_fitted,
                   gboolean is_own)
{
  const WprPlanCollector *public = &collector->collector;
  if (public->bytes_granted >= public->bytes_asked)
    return;
  const char *why = NULL;
  if (is_fitted && is_own)
    why = _ ("buffers take at most half of this computer's memory");
  else if (is_fitted && collector->buffers > 0) /* a percentage is a share, not a number */
    why = _ ("buffers take at most 5 percent of this computer's memory unless you choose a number "
             "yourself");
  else if (public->ring_bytes == MOST_RING_BYTES)
    why = _ ("the kernel gives at most 1 GB for each CPU");
  else if (is_own)
    why = _ ("the kernel shares buffers out among CPUs in powers of two");
  if (why != NULL)
    wpr_plan_notice (build, _ ("%s: %'u buffers of %'u KB were asked for, %'u are granted: %s."),
                     public->name, public->buffers_asked, public->buffer_kb,
                     public->buffers_granted, why);
}

static void
wpr_plan_tell_disagreement (WprPlanBuild *build, const WprCollectorBuild *collector)
{
  g_autofree char *first = wpr_plan_place (collector->first);
  g_autofree char *other = wpr_plan_place (collector->other);
  wpr_plan_notice (build,
                   _ ("The profiles ask for different buffers of %s; the largest are used.%s%s"),
                   collector->collector.name, first, other);
}

void
wpr_plan_grant_buffers (WprPlanBuild *build)
{
  gboolean is_own = FALSE;
  GPtrArray *collectors = build->owner->collectors;
  for (guint i = 0; i < collectors->len; i++)
    {
      WprCollectorBuild *collector = g_ptr_array_index (collectors, i);
      wpr_collector_ask (build, collector);
      wpr_collector_grant (build, collector);
      is_own |= collector->is_own && collector->is_used;
      if (collector->other != NULL)
        wpr_plan_tell_disagreement (build, collector);
    }
  guint64 memory = wpr_machine_get_memory (build->machine);
  gboolean is_fitted = wpr_plan_fit (build, is_own ? memory / 2 : memory / 20);

  guint64 n_cpus = wpr_machine_get_n_cpus (build->machine);
  for (guint i = 0; i < collectors->len; i++)
    {
      WprCollectorBuild *collector = g_ptr_array_index (collectors, i);
      WprPlanCollector *public = &collector->collector;
      public->bytes_granted = public->ring_bytes * n_cpus;
      public->buffers_granted
          = CLAMP (public->bytes_granted / ((guint64) public->buffer_kb * 1024), 1, G_MAXUINT);
      if (collector->is_used)
        wpr_plan_tell_cut (build, collector, is_fitted, is_own);
    }
}
