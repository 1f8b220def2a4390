/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The digest: SHA-256 over everything that makes two recordings differ, and no translated text. */
#include "config.h"
#include "profile/plan.h"

static void wpr_digest_add (GChecksum *sum, const char *format, ...) G_GNUC_PRINTF (2, 3);

static void
wpr_digest_add (GChecksum *sum, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *line = g_strdup_vprintf (format, args);
  va_end (args);
  g_checksum_update (sum, (const guchar *)line, -1);
  g_checksum_update (sum, (const guchar *)"\n", 1);
}

static void
wpr_digest_add_texts (GChecksum *sum, const char *what, const GPtrArray *texts)
{
  for (guint i = 0; i < texts->len; i++)
    wpr_digest_add (sum, "%s %s", what, (const char *)g_ptr_array_index (texts, i));
}

static void
wpr_digest_add_collector (GChecksum *sum, const WprPlanCollector *collector)
{
  wpr_digest_add (sum, "collector %d %s", collector->kind, collector->name);
  wpr_digest_add (sum,
                  "buffers %u %u %u %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT,
                  collector->buffer_kb, collector->buffers_asked, collector->buffers_granted,
                  collector->bytes_asked, collector->bytes_granted, collector->ring_bytes);
  for (guint i = 0; i < collector->items->len; i++)
    {
      const WprPlanItem *item = g_ptr_array_index (collector->items, i);
      wpr_digest_add (sum, "item %d %s", item->kind, item->name);
      wpr_digest_add (sum, "how %d %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %d %d", item->stack,
                      item->period, item->interval_ns, item->skip_self, item->strict);
      if (item->filter != NULL)
        wpr_digest_add (sum, "filter %s", item->filter);
      if (item->programs != NULL)
        wpr_digest_add_texts (sum, "program", item->programs);
      wpr_digest_add_texts (sum, "keyword", item->keywords);
      wpr_digest_add_texts (sum, "profile", item->profiles);
    }
}

void
wpr_plan_digest (WprPlanBuild *build)
{
  WprPlan *plan = &build->owner->plan;
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  wpr_digest_add (sum, "plan 1 %d %d", plan->mode, plan->level);
  wpr_digest_add (sum, "rights %d %d", plan->rights, plan->unlock);
  wpr_digest_add_texts (sum, "variant", plan->profiles);
  for (guint i = 0; i < plan->collectors->len; i++)
    wpr_digest_add_collector (sum, g_ptr_array_index (plan->collectors, i));
  for (guint i = 0; i < plan->missing->len; i++)
    {
      const WprPlanMissing *missing = g_ptr_array_index (plan->missing, i);
      wpr_digest_add (sum, "missing %d %d %s", missing->reason, missing->strict, missing->what);
    }
  wpr_digest_add (sum, "sum %u %" G_GUINT64_FORMAT " %u %d %d", plan->n_kinds, plan->memory_bytes,
                  plan->duration_s, plan->strict, plan->needs_rights);
  wpr_digest_add (
      sum, "limits %" G_GUINT64_FORMAT " %d %u %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %u",
      plan->max_bytes, plan->is_sequential, plan->flush_timer_s, plan->flush_bytes,
      plan->part_bytes, plan->stack_cache_kb);
  plan->digest = wpr_plan_string (build, g_checksum_get_string (sum));
}
