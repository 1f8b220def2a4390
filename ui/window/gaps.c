/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Losses of a file by collector, as figures. */
#include "config.h"
#include "gaps.h"

#include <string.h>

struct _WprGaps
{
  WprStats stats;
  GArray *collectors; /* of WprCollectorStats */
  GPtrArray *losses;  /* of GArray of WprLossSecond, of each */
  GPtrArray *names;   /* of char *, of each */
};

static guint
find_collector (WprGaps *gaps, const char *name)
{
  for (guint i = 0; i < gaps->names->len; i++)
    if (strcmp (gaps->names->pdata[i], name) == 0)
      return i;
  g_ptr_array_add (gaps->names, g_strdup (name));
  g_ptr_array_add (gaps->losses, g_array_new (FALSE, FALSE, sizeof (WprLossSecond)));
  return gaps->names->len - 1;
}

/* The arrays have their last place now. */
static void
fill_collectors (WprGaps *gaps)
{
  for (guint i = 0; i < gaps->names->len; i++)
    {
      const char *name = gaps->names->pdata[i];
      GArray *losses = gaps->losses->pdata[i];
      WprCollectorStats collector
          = { .name = name,
              .session = "",
              .kind = strcmp (name, "WPR System Collector") == 0 ? WPR_COLLECTOR_SYSTEM
                                                                 : WPR_COLLECTOR_EVENT,
              .n_losses = losses->len,
              .losses = (const WprLossSecond *)losses->data };
      g_array_append_val (gaps->collectors, collector);
    }
  gaps->stats.n_collectors = gaps->collectors->len;
  gaps->stats.collectors = (const WprCollectorStats *)gaps->collectors->data;
}

WprGaps *
wpr_gaps_new (const WprTraceInfo *info)
{
  if (info->losses->len == 0)
    return NULL;
  WprGaps *gaps = g_new0 (WprGaps, 1);
  gaps->collectors = g_array_new (FALSE, FALSE, sizeof (WprCollectorStats));
  gaps->losses = g_ptr_array_new_with_free_func ((GDestroyNotify)g_array_unref);
  gaps->names = g_ptr_array_new_with_free_func (g_free);
  gint64 seconds = 0;
  for (guint i = 0; i < info->losses->len; i++)
    {
      const WprLostSecond *loss = info->losses->pdata[i];
      WprLossSecond second = { loss->cpu, loss->second, loss->count };
      guint collector = find_collector (gaps, loss->collector);
      g_array_append_val ((GArray *)gaps->losses->pdata[collector], second);
      seconds = MAX (seconds, loss->second);
    }
  fill_collectors (gaps);
  gaps->stats.lost = info->events_lost;
  /* a file that holds the end of a long recording is shorter than that was */
  gaps->stats.elapsed_ns = MAX (info->duration_ns, (seconds + 1) * G_USEC_PER_SEC * 1000);
  return gaps;
}

void
wpr_gaps_free (WprGaps *gaps)
{
  g_array_unref (gaps->collectors);
  g_ptr_array_unref (gaps->losses);
  g_ptr_array_unref (gaps->names);
  g_free (gaps);
}

const WprStats *
wpr_gaps_get_stats (const WprGaps *gaps)
{
  return gaps != NULL ? &gaps->stats : NULL;
}
