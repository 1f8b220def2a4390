/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the chosen variants want, united: collectors of the same name become one, keywords are
 * united, providers of the same name too, and stacks reach whatever events are then on. */
#include "config.h"
#include "profile/keywords.h"
#include "profile/plan.h"
#include "profile/stacks.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#define SYSTEM_COLLECTOR_NAME "WPR System Collector"
/* Without MaximumBufferSpace a percentage of a large server's memory is tens of GB. */
#define DEFAULT_MOST_SPACE_MB 1024

/* ---- buffers asked for ---- */

static void
wpr_plan_ask_buffers (WprPlanBuild *build, WprCollectorBuild *collector, const WprCollectorUse *use)
{
  guint64 bytes = (guint64)use->buffer_kb * 1024;
  double buffers = 0;
  if (use->is_percent)
    {
      guint64 most_mb = use->max_space_mb != 0 ? use->max_space_mb : DEFAULT_MOST_SPACE_MB;
      bytes = (guint64)(wpr_machine_get_memory (build->machine) * use->buffers / 100);
      bytes = MIN (bytes, most_mb * 1024 * 1024);
    }
  else
    {
      buffers = use->buffers;
      bytes = (guint64)(bytes * buffers);
    }
  gboolean is_first = collector->bytes == 0;
  if (!is_first && bytes != collector->bytes && (use->buffers_own || collector->is_own)
      && collector->other == NULL)
    collector->other = use->node;
  if (is_first)
    collector->first = use->node;
  collector->collector.buffer_kb = MAX (collector->collector.buffer_kb, use->buffer_kb);
  if (is_first || bytes > collector->bytes)
    {
      collector->bytes = bytes;
      collector->buffers = buffers;
    }
  collector->is_own |= use->buffers_own;
}

/* ---- keywords ---- */

static void
wpr_plan_add_keyword (WprPlanBuild *build, WprCollectorBuild *collector, const WprChosen *chosen,
                      const WprNamed *named, const char *pool_filter)
{
  g_autofree char *place = wpr_plan_place (named->node);
  g_autofree char *text
      = g_strdup_printf (_ ("%s: keyword %s%s"), chosen->profile->name, named->value, place);
  g_autofree char *what = g_strdup_printf ("keyword %s", named->value);
  WprAsker asker = { .text = text,
                     .keyword = named->value,
                     .profile = chosen->profile->name,
                     .strict = named->strict,
                     .filter = pool_filter,
                     .is_pool_filter = TRUE };
  if (named->custom)
    {
      wpr_plan_add_missing (build, what, WPR_MISSING_NO_COUNTERPART,
                            _ ("A bare keyword mask means something to Windows only."), &asker);
      return;
    }
  const WprKeywordRow *row = wpr_keyword_find (named->value);
  if (row->note != NULL)
    wpr_plan_add_missing (build, what, row->later ? WPR_MISSING_LATER : WPR_MISSING_NO_COUNTERPART,
                          _ (row->note), &asker);
  for (gsize i = 0; row->events != NULL && row->events[i] != NULL; i++)
    wpr_plan_add_event (build, collector, row->events[i], WPR_STACK_NONE, &asker);
}

/* ---- collectors ---- */

/* Kinds of collectors that this version cannot record. */
static void
wpr_plan_add_unsupported (WprPlanBuild *build, const WprChosen *chosen, const WprCollectorUse *use)
{
  g_autofree char *text
      = g_strdup_printf (_ ("%s: collector %s"), chosen->profile->name, use->name);
  g_autofree char *what = g_strdup_printf ("collector %s", use->name);
  WprAsker asker = { .text = text, .profile = chosen->profile->name };
  if (use->kind == WPR_USE_HEAP)
    wpr_plan_add_missing (build, what, WPR_MISSING_LATER,
                          _ ("This version does not record heaps yet."), &asker);
  else
    wpr_plan_add_missing (build, what, WPR_MISSING_NO_COUNTERPART,
                          _ ("Linux's hypervisor has no buffers of its own."), &asker);
}

/* PmcProfile alone names no counter. */
static void
wpr_plan_check_counters (WprPlanBuild *build, const WprChosen *chosen, const WprCollectorUse *use)
{
  for (guint i = 0; use->counters->len == 0 && i < use->keywords->len; i++)
    {
      const WprNamed *named = &g_array_index (use->keywords, WprNamed, i);
      if (!g_str_equal (named->value, "PmcProfile"))
        continue;
      g_autofree char *place = wpr_plan_place (named->node);
      g_autofree char *text
          = g_strdup_printf (_ ("%s: keyword %s%s"), chosen->profile->name, named->value, place);
      WprAsker asker = { .text = text, .profile = chosen->profile->name, .strict = named->strict };
      wpr_plan_add_missing (build, "keyword PmcProfile", WPR_MISSING_NOT_HERE,
                            _ ("The profile names no counter; a HardwareCounter in its collector "
                               "does."),
                            &asker);
    }
}

static void
wpr_plan_add_collector (WprPlanBuild *build, const WprChosen *chosen, const WprCollectorUse *use)
{
  if (use->kind != WPR_USE_SYSTEM && use->kind != WPR_USE_EVENT)
    {
      wpr_plan_add_unsupported (build, chosen, use);
      return;
    }
  /* One system collector, whatever names profiles give it: two would record the kernel twice. */
  WprCollectorBuild *collector
      = use->kind == WPR_USE_SYSTEM
            ? build->system
            : wpr_plan_get_collector (build, WPR_COLLECTOR_EVENT, use->name);
  wpr_plan_ask_buffers (build, collector, use);
  g_autofree char *pool_filter = wpr_plan_pool_filter (use);
  for (guint i = 0; i < use->keywords->len; i++)
    wpr_plan_add_keyword (build, collector, chosen, &g_array_index (use->keywords, WprNamed, i),
                          pool_filter);
  if (use->pool_tags->len > 0)
    wpr_plan_notice (build,
                     _ ("Pool tags of “%s” choose slab caches by the beginning of their names; "
                        "kmalloc has no names and is recorded whole."),
                     chosen->profile->name);
  for (guint i = 0; i < use->providers->len; i++)
    wpr_plan_add_provider (build, collector, chosen, g_ptr_array_index (use->providers, i));
  wpr_plan_add_counters (build, collector, chosen, use);
  wpr_plan_check_counters (build, chosen, use);
  wpr_plan_ask_limits (build, chosen, use);
}

/* ---- stacks ---- */

static gboolean
wpr_plan_has_keyword (WprPlanBuild *build, const char *keyword)
{
  for (guint i = 0; i < build->chosen->len; i++)
    {
      const WprVariant *variant = g_array_index (build->chosen, WprChosen, i).variant;
      for (guint j = 0; j < variant->collectors->len; j++)
        {
          const WprCollectorUse *use = g_ptr_array_index (variant->collectors, j);
          for (guint k = 0; k < use->keywords->len; k++)
            if (g_str_equal (g_array_index (use->keywords, WprNamed, k).value, keyword))
              return TRUE;
        }
    }
  return FALSE;
}

static void
wpr_plan_add_stack (WprPlanBuild *build, const WprChosen *chosen, const WprNamed *named)
{
  g_autofree char *place = wpr_plan_place (named->node);
  g_autofree char *text
      = g_strdup_printf (_ ("%s: stack %s%s"), chosen->profile->name, named->value, place);
  g_autofree char *what = g_strdup_printf ("stack %s", named->value);
  WprAsker asker = { .text = text, .profile = chosen->profile->name, .strict = named->strict };
  const WprStackRow *row = named->custom ? NULL : wpr_stack_find (named->value);
  if (row == NULL || row->events == NULL)
    {
      wpr_plan_add_missing (build, what, WPR_MISSING_NO_COUNTERPART,
                            _ ("Nothing on Linux is like the operation this stack belongs to."),
                            &asker);
      return;
    }
  gboolean is_on = FALSE;
  for (gsize i = 0; row->keywords[i] != NULL && !is_on; i++)
    is_on = wpr_plan_has_keyword (build, row->keywords[i]);
  if (!is_on)
    {
      wpr_plan_notice (build,
                       _ ("“%s” asks for call stacks of %s, but not for its keyword %s; they "
                          "are not recorded."),
                       chosen->profile->name, named->value, row->keywords[0]);
      return;
    }
  gboolean is_known = FALSE; /* one of its events is an item, or said to be missing */
  gboolean is_told_otherwise = FALSE;
  for (gsize i = 0; row->events[i] != NULL; i++)
    {
      const char *event = row->events[i];
      WprItemBuild *item = wpr_plan_find_item (build, event);
      WprItemKind kind;
      const char *instead;
      is_told_otherwise |= wpr_plan_find_stand_in (build, event, &kind, &instead);
      if (item != NULL)
        item->item.stack = MAX (item->item.stack, row->depth);
      is_known |= *event == '?' || item != NULL || g_hash_table_contains (build->missing, event);
    }
  if (!is_known && is_told_otherwise)
    wpr_plan_add_missing (build, what, WPR_MISSING_NEEDS_RIGHTS,
                          _ ("Call stacks of it need an administrator's permission."), &asker);
  else if (!is_known && build->owner->plan.rights != WPR_RIGHTS_NONE)
    wpr_plan_add_missing (build, what, WPR_MISSING_NO_COUNTERPART,
                          _ ("The kernel takes no call stack at this operation."), &asker);
}

static void
wpr_plan_add_stacks (WprPlanBuild *build)
{
  for (guint i = 0; i < build->chosen->len; i++)
    {
      const WprChosen *chosen = &g_array_index (build->chosen, WprChosen, i);
      for (guint j = 0; j < chosen->variant->collectors->len; j++)
        {
          const WprCollectorUse *use = g_ptr_array_index (chosen->variant->collectors, j);
          for (guint k = 0; k < use->stacks->len; k++)
            wpr_plan_add_stack (build, chosen, &g_array_index (use->stacks, WprNamed, k));
        }
    }
}

/* The name the profiles give the system collector, if they agree. */
static const char *
wpr_plan_system_name (WprPlanBuild *build)
{
  const char *name = NULL;
  for (guint i = 0; i < build->chosen->len; i++)
    {
      const WprVariant *variant = g_array_index (build->chosen, WprChosen, i).variant;
      for (guint j = 0; j < variant->collectors->len; j++)
        {
          const WprCollectorUse *use = g_ptr_array_index (variant->collectors, j);
          if (use->kind != WPR_USE_SYSTEM)
            continue;
          if (name != NULL && !g_str_equal (name, use->name))
            return SYSTEM_COLLECTOR_NAME;
          name = use->name;
        }
    }
  return name != NULL ? name : SYSTEM_COLLECTOR_NAME;
}

void
wpr_plan_collect (WprPlanBuild *build)
{
  static const WprAsker always = { 0 };
  build->system
      = wpr_plan_get_collector (build, WPR_COLLECTOR_SYSTEM, wpr_plan_system_name (build));
  /* Who runs and what they load: without it nothing else has a name. */
  wpr_plan_add_event (build, build->system, "sideband/", WPR_STACK_NONE, &always);
  for (guint i = 0; i < build->chosen->len; i++)
    {
      const WprChosen *chosen = &g_array_index (build->chosen, WprChosen, i);
      for (guint j = 0; j < chosen->variant->collectors->len; j++)
        wpr_plan_add_collector (build, chosen, g_ptr_array_index (chosen->variant->collectors, j));
    }
  /* A suspend stops the kernel's clock and takes CPUs away: the gap must be in the trace. */
  wpr_plan_add_event (build, build->system, "?power:suspend_resume", WPR_STACK_NONE, &always);
  wpr_plan_add_stacks (build);
}
