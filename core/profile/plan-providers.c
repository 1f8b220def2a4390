/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Event providers of the chosen variants: where their names, levels, keywords and event numbers
 * lead, and what of it is a note. */
#include "config.h"
#include "profile/plan.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/* SYSTEM:NAME of letters, digits, _ and -, with * and ?: nothing that could be a path. */
static gboolean
wpr_tracepoint_name_valid (const char *name)
{
  name += *name == '?'; /* optional */
  const char *colon = strchr (name, ':');
  if (colon == NULL || colon == name || colon[1] == '\0' || strlen (name) > 200)
    return FALSE;
  for (const char *at = name; *at != '\0'; at++)
    if (!g_ascii_isalnum (*at) && strchr ("_-*?", *at) == NULL && at != colon)
      return FALSE;
  return TRUE;
}

/* Counters of the kernel itself, of which each hit is an event. */
static const char *const software_events[]
    = { "page-faults",      "minor-faults",     "major-faults",  "alignment-faults",
        "emulation-faults", "context-switches", "cpu-migrations" };
static const char *const sampled[] = { "meminfo", "vmstat", "psi", "rss" };

static gboolean
wpr_names_contain (const char *const *names, gsize n, const char *name)
{
  for (gsize i = 0; i < n; i++)
    if (g_str_equal (names[i], name))
      return TRUE;
  return FALSE;
}

/* As keywords.h writes events; NULL if it is none. Free with g_free. */
static char *
wpr_target_event (const WprTarget *target)
{
  const char *value = target->value;
  if (target->kind == WPR_TARGET_TRACEPOINT && wpr_tracepoint_name_valid (value))
    return g_strdup (value);
  if (target->kind == WPR_TARGET_SOFTWARE
      && wpr_names_contain (software_events, G_N_ELEMENTS (software_events), value))
    return g_strdup_printf ("software/%s", value);
  if (target->kind == WPR_TARGET_SAMPLER
      && wpr_names_contain (sampled, G_N_ELEMENTS (sampled), value))
    return g_strdup_printf ("sampler/%s", value);
  return NULL;
}

static void
wpr_plan_add_target (WprPlanBuild *build, WprCollectorBuild *collector, const WprTarget *target,
                     WprStack stack, const WprAsker *asker)
{
  g_autofree char *event = wpr_target_event (target);
  if (event != NULL)
    {
      wpr_plan_add_event (build, collector, event, stack, asker);
      return;
    }
  g_autofree char *what
      = g_strdup_printf ("%s:%s", wpr_target_kind_name (target->kind), target->value);
  gboolean is_ours = target->kind == WPR_TARGET_TRACEPOINT || target->kind == WPR_TARGET_SOFTWARE
                     || target->kind == WPR_TARGET_SAMPLER;
  if (is_ours)
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
  if (strpbrk (target->value + 1, "*?") == NULL) /* the first may say that it is optional */
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
                          _ ("The keywords, level and events asked for lead to nothing on Linux."),
                          asker);
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

/* Numbers of an EventFilters for which nothing stands here. */
static void
wpr_plan_tell_unknown_ids (WprPlanBuild *build, const WprChosen *chosen, const WprProviderUse *use,
                           const GPtrArray *targets)
{
  gboolean has_ids = FALSE;
  g_autoptr (GString) unknown = g_string_new (NULL);
  for (guint i = 0; i < targets->len; i++)
    has_ids |= ((const WprTarget *)g_ptr_array_index (targets, i))->event >= 0;
  if (!use->ids.is_set || use->ids.values->len == 0 || targets->len == 0)
    return;
  g_autofree char *place = wpr_plan_place (use->node);
  if (!has_ids)
    {
      wpr_plan_notice (build,
                       _ ("“%s” chooses events of %s by number; none of those numbers is known "
                          "here, so all of its events are recorded.%s"),
                       chosen->profile->name, use->name, place);
      return;
    }
  for (guint i = 0; use->ids.filter_in && i < use->ids.values->len; i++)
    {
      const char *id = g_ptr_array_index (use->ids.values, i);
      gboolean is_known = FALSE;
      for (guint j = 0; j < targets->len && !is_known; j++)
        is_known = wpr_target_is_event (g_ptr_array_index (targets, j), id);
      if (!is_known)
        g_string_append_printf (unknown, "%s%s", unknown->len > 0 ? ", " : "", id);
    }
  if (unknown->len > 0)
    wpr_plan_notice (build,
                     _ ("“%s” also chooses events of %s for which nothing stands here: %s.%s"),
                     chosen->profile->name, use->name, unknown->str, place);
}

/* What is optional on Linux, and not here: a provider that comes to nothing is a note. */
static void
wpr_plan_tell_if_empty (WprPlanBuild *build, const WprProviderUse *use, const GPtrArray *targets,
                        const WprAsker *asker)
{
  for (guint i = 0; i < targets->len; i++)
    {
      const WprTarget *target = g_ptr_array_index (targets, i);
      g_autofree char *event = wpr_target_event (target);
      if (event == NULL || *event != '?')
        return; /* recorded, or said to be missing */
      if (build->owner->plan.rights < WPR_RIGHTS_FULL || build->owner->plan.unlock
          || wpr_plan_find_item (build, event) != NULL
          || g_hash_table_contains (build->missing, event + 1))
        return;
    }
  g_autofree char *what = g_strdup_printf ("provider %s", use->name);
  if (targets->len > 0)
    wpr_plan_add_missing (build, what, WPR_MISSING_NOT_HERE,
                          _ ("This kernel has none of the events that stand for it."), asker);
}

void
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
  wpr_plan_tell_unknown_ids (build, chosen, use, targets);
  wpr_plan_tell_unsplit (build, chosen, use, targets);
  g_autoptr (GPtrArray) programs = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *filter = wpr_plan_exe_filter (build, chosen, use, programs);
  asker.filter = filter;
  asker.programs = programs;
  for (guint i = 0; i < targets->len; i++)
    wpr_plan_add_named_target (build, collector, g_ptr_array_index (targets, i), use, &asker);
  wpr_plan_tell_if_empty (build, use, targets, &asker);
}
