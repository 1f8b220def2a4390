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

/* ---- event providers ---- */

/* SYSTEM:NAME of letters, digits, _ and -, with * and ?: nothing that could be a path. */
static gboolean
wpr_tracepoint_name_valid (const char *name)
{
  const char *colon = strchr (name, ':');
  if (colon == NULL || colon == name || colon[1] == '\0' || strlen (name) > 200)
    return FALSE;
  for (const char *at = name; *at != '\0'; at++)
    if (!g_ascii_isalnum (*at) && strchr ("_-*?", *at) == NULL && at != colon)
      return FALSE;
  return TRUE;
}

static void
wpr_plan_add_target (WprPlanBuild *build, WprCollectorBuild *collector, const WprTarget *target,
                     WprStack stack, const WprAsker *asker)
{
  if (target->kind == WPR_TARGET_TRACEPOINT && wpr_tracepoint_name_valid (target->value))
    {
      wpr_plan_add_event (build, collector, target->value, stack, asker);
      return;
    }
  g_autofree char *what
      = g_strdup_printf ("%s:%s", wpr_target_kind_name (target->kind), target->value);
  if (target->kind == WPR_TARGET_TRACEPOINT)
    wpr_plan_add_missing (build, what, WPR_MISSING_NOT_HERE,
                          _ ("This is not the name of a kernel event. Write, for example, "
                             "tracepoint:sched:sched_switch."),
                          asker);
  else
    wpr_plan_add_missing (build, what, WPR_MISSING_LATER,
                          _ ("This version records events of the kernel only."), asker);
}

/* The format wants profiles to agree about a provider. Keywords are united, the largest Level and
 * stacks win, and it is said, with both places. */
static void
wpr_plan_compare_provider (WprPlanBuild *build, const WprProviderUse *use)
{
  const WprProviderUse *first = g_hash_table_lookup (build->providers, use->name);
  if (first == NULL)
    {
      g_hash_table_insert (build->providers, (gpointer)use->name, (gpointer)use);
      return;
    }
  g_autofree char *here = wpr_plan_place (use->node), *there = wpr_plan_place (first->node);
  if (first->stack != use->stack)
    wpr_plan_notice (build,
                     _ ("The profiles disagree about call stacks of the provider %s; they are "
                        "recorded.%s%s"),
                     use->name, there, here);
  if (first->level != use->level)
    wpr_plan_notice (build,
                     _ ("The profiles disagree about the level of the provider %s; all its "
                        "events are recorded.%s%s"),
                     use->name, there, here);
  if (first->strict != use->strict)
    wpr_plan_notice (build,
                     _ ("The profiles disagree whether the provider %s is needed; it is.%s%s"),
                     use->name, there, here);
  if (first->non_paged != use->non_paged)
    wpr_plan_notice (build,
                     _ ("The profiles disagree about paged memory for the provider %s, which "
                        "means nothing here.%s%s"),
                     use->name, there, here);
}

/* TRUE if an EventNameFilters lets a tracepoint pass; it names the event without its system. */
static gboolean
wpr_plan_name_passes (const WprEventFilter *filter, const char *event)
{
  const char *colon = strchr (event, ':');
  if (!filter->is_set || colon == NULL)
    return TRUE;
  gboolean is_listed = FALSE;
  for (guint i = 0; i < filter->values->len; i++)
    is_listed |= g_str_equal (g_ptr_array_index (filter->values, i), colon + 1);
  return is_listed == filter->filter_in;
}

/* A filter of names takes a pattern apart. */
static void
wpr_plan_add_named_target (WprPlanBuild *build, WprCollectorBuild *collector,
                           const WprTarget *target, const WprProviderUse *use,
                           const WprAsker *asker)
{
  WprStack stack = use->stack ? WPR_STACK_FULL : WPR_STACK_NONE;
  if (!use->names.is_set || target->kind != WPR_TARGET_TRACEPOINT)
    {
      wpr_plan_add_target (build, collector, target, stack, asker);
      return;
    }
  if (strpbrk (target->value, "*?") == NULL)
    {
      if (wpr_plan_name_passes (&use->names, target->value))
        wpr_plan_add_target (build, collector, target, stack, asker);
      return;
    }
  g_autoptr (GPtrArray) names = wpr_machine_match_events (build->machine, target->value);
  for (guint i = 0; i < names->len; i++)
    if (wpr_plan_name_passes (&use->names, g_ptr_array_index (names, i)))
      wpr_plan_add_event (build, collector, g_ptr_array_index (names, i), stack, asker);
}

/* TRUE, and a note, if there is nothing to add. */
static gboolean
wpr_plan_provider_is_missing (WprPlanBuild *build, const WprProviderUse *use,
                              const GPtrArray *targets, const WprAsker *asker)
{
  g_autofree char *what = g_strdup_printf ("provider %s", use->name);
  if (targets == NULL)
    wpr_plan_add_missing (
        build, what, WPR_MISSING_NO_COUNTERPART,
        _ ("Nobody has said yet what this Windows provider is on Linux. A file in "
           "/etc/wpr/providers.d can."),
        asker);
  else if (use->capture_state_only)
    wpr_plan_add_missing (build, what, WPR_MISSING_LATER,
                          _ ("Only its state was asked for, and this version cannot ask for the "
                             "state of a provider yet."),
                          asker);
  else if (targets->len == 0)
    wpr_plan_add_missing (build, what, WPR_MISSING_NO_COUNTERPART,
                          _ ("The keywords asked for lead to nothing on Linux."), asker);
  return targets == NULL || use->capture_state_only;
}

/* Level and keywords split a provider's events only where rows of providers.ini say how. */
static void
wpr_plan_tell_unsplit (WprPlanBuild *build, const WprChosen *chosen, const WprProviderUse *use,
                       const GPtrArray *targets)
{
  gboolean has_levels = FALSE, has_keywords = FALSE;
  for (guint i = 0; i < targets->len; i++)
    {
      const WprTarget *target = g_ptr_array_index (targets, i);
      has_levels |= target->level != 0;
      has_keywords |= target->keywords != 0;
    }
  g_autofree char *place = wpr_plan_place (use->node);
  /* 5 and above are all there are. */
  if (targets->len > 0 && use->level != 0 && use->level < 5 && !has_levels)
    wpr_plan_notice (build,
                     _ ("“%s” asks for level %u of %s; its events have no level here, so all of "
                        "them are recorded.%s"),
                     chosen->profile->name, use->level, use->name, place);
  if (targets->len > 0 && use->keywords != 0 && use->keywords != G_MAXUINT64 && !has_keywords)
    wpr_plan_notice (build,
                     _ ("“%s” asks for some keywords of %s; its events are not told apart by "
                        "keyword here, so all of them are recorded.%s"),
                     chosen->profile->name, use->name, place);
}

static void
wpr_plan_add_provider (WprPlanBuild *build, WprCollectorBuild *collector, const WprChosen *chosen,
                       const WprProviderUse *use)
{
  if (use->name == NULL)
    return;
  g_autofree char *place = wpr_plan_place (use->node);
  g_autofree char *text
      = g_strdup_printf (_ ("%s: provider %s%s"), chosen->profile->name, use->name, place);
  WprAsker asker = { .text = text, .profile = chosen->profile->name, .strict = use->strict };
  WprProviderWant want
      = { use->keywords, use->level, use->ids.is_set, use->ids.filter_in, use->ids.values };
  g_autoptr (GPtrArray) targets
      = wpr_providers_lookup (wpr_library_get_providers (build->library), use->name, &want);
  if (targets != NULL)
    wpr_plan_compare_provider (build, use);
  if (wpr_plan_provider_is_missing (build, use, targets, &asker))
    return;
  gboolean has_ids = FALSE;
  for (guint i = 0; i < targets->len; i++)
    has_ids |= ((const WprTarget *)g_ptr_array_index (targets, i))->event >= 0;
  if (use->ids.is_set && use->ids.values->len > 0 && !has_ids)
    wpr_plan_notice (build,
                     _ ("“%s” chooses events of %s by number; none of those numbers is known here, "
                        "so all of its events are recorded.%s"),
                     chosen->profile->name, use->name, place);
  wpr_plan_tell_unsplit (build, chosen, use, targets);
  g_autofree char *filter = wpr_plan_exe_filter (build, chosen, use);
  asker.filter = filter;
  for (guint i = 0; i < targets->len; i++)
    wpr_plan_add_named_target (build, collector, g_ptr_array_index (targets, i), use, &asker);
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
  for (gsize i = 0; row->events[i] != NULL; i++)
    {
      const char *event = row->events[i];
      WprItemBuild *item = wpr_plan_find_item (build, event);
      if (item != NULL)
        item->item.stack = MAX (item->item.stack, row->depth);
      is_known |= *event == '?' || item != NULL || g_hash_table_contains (build->missing, event);
    }
  if (!is_known && wpr_machine_get_rights (build->machine) != WPR_RIGHTS_NONE)
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
