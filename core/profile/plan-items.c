/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One event of the tables becomes an item of a collector, or a note that says why not. */
#include "config.h"
#include "profile/plan.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#define DEFAULT_INTERVAL_100NS 10000

/* How often the recorder reads what no event tells. The memory of single programs is read less
 * often: it costs one file a program. */
static const struct
{
  const char *name;
  guint64 interval_ns;
} samplers[] = {
  { "meminfo", G_GUINT64_CONSTANT (1000000000) },
  { "vmstat", G_GUINT64_CONSTANT (1000000000) },
  { "psi", G_GUINT64_CONSTANT (1000000000) },
  { "rss", G_GUINT64_CONSTANT (10000000000) },
};

/* Systems whose events the recorder itself makes by writing: it must not feed on them. Never sched:
 * the switch away from the recorder would vanish and the switch to it stay. */
static const char *const own_systems[]
    = { "syscalls:", "raw_syscalls:", "block:", "filemap:", "writeback:", "kprobe:" };

static gboolean
wpr_event_is_own (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (own_systems); i++)
    if (g_str_has_prefix (name, own_systems[i]))
      return TRUE;
  return FALSE;
}

static void
wpr_texts_add (WprPlanBuild *build, GPtrArray *texts, const char *text)
{
  if (text == NULL)
    return;
  const char *kept = wpr_plan_string (build, text);
  if (!g_ptr_array_find (texts, kept, NULL))
    g_ptr_array_add (texts, (gpointer)kept);
}

/* The item of that name: a new one in `collector`, or the one there is, in whichever collector:
 * the same event twice in a file would be a lie. */
static WprItemBuild *
wpr_plan_get_item (WprPlanBuild *build, WprCollectorBuild *collector, WprItemKind kind,
                   const char *name, const WprAsker *asker)
{
  WprItemBuild *item = g_hash_table_lookup (build->items, name);
  if (item == NULL)
    {
      item = g_new0 (WprItemBuild, 1);
      item->item.kind = kind;
      item->item.name = wpr_plan_string (build, name);
      item->item.period = kind == WPR_ITEM_TRACEPOINT || kind == WPR_ITEM_SOFTWARE ? 1 : 0;
      item->item.skip_self = kind == WPR_ITEM_TRACEPOINT && build->owner->plan.mode == WPR_MODE_FILE
                             && wpr_event_is_own (name);
      item->item.asked_by = item->asked_by = g_ptr_array_new ();
      item->item.keywords = item->keywords = g_ptr_array_new ();
      item->item.profiles = item->profiles = g_ptr_array_new ();
      item->filters = g_ptr_array_new ();
      item->programs = g_ptr_array_new ();
      g_hash_table_insert (build->items, (gpointer)item->item.name, item);
      g_ptr_array_add (collector->items, item);
    }
  wpr_item_build_ask_filter (build, item, asker);
  item->item.strict |= asker->strict;
  build->owner->plan.strict |= asker->strict;
  wpr_texts_add (build, item->asked_by, asker->text);
  wpr_texts_add (build, item->keywords, asker->keyword);
  wpr_texts_add (build, item->profiles, asker->profile);
  return item;
}

/* An item that needs rights: NULL, and a note, without them. */
static WprItemBuild *
wpr_plan_get_kernel_item (WprPlanBuild *build, WprCollectorBuild *collector, WprItemKind kind,
                          const char *name, const WprAsker *asker)
{
  gboolean may = wpr_plan_may (build, kind);
  build->has_kernel_item = TRUE;
  /* Without any rights what it would take is still said. */
  collector->is_used |= may || build->owner->plan.rights == WPR_RIGHTS_NONE;
  if (may)
    return wpr_plan_get_item (build, collector, kind, name, asker);
  if (asker->profile != NULL)
    g_hash_table_add (build->denied, (gpointer)asker->profile);
  wpr_plan_add_missing (build, name, WPR_MISSING_NEEDS_RIGHTS, wpr_plan_denial (build), asker);
  return NULL;
}

/* TRUE where another item tells the same; nothing of that can be filtered. */
static gboolean
wpr_plan_add_stand_in (WprPlanBuild *build, WprCollectorBuild *collector, const char *name,
                       const WprAsker *asker)
{
  WprItemKind kind;
  const char *instead;
  WprAsker whole = *asker;
  if (!wpr_plan_find_stand_in (build, name, &kind, &instead))
    return FALSE;
  whole.filter = NULL;
  whole.programs = NULL;
  wpr_plan_get_kernel_item (build, collector, kind, instead, &whole);
  return TRUE;
}

static void
wpr_plan_add_tracepoint (WprPlanBuild *build, WprCollectorBuild *collector, const char *name,
                         gboolean optional, WprStack stack, const WprAsker *asker)
{
  if (wpr_plan_add_stand_in (build, collector, name, asker))
    return;
  switch (wpr_machine_get_event (build->machine, name))
    {
    case WPR_HAVE_NO:
      if (!optional)
        wpr_plan_add_missing (build, name, WPR_MISSING_NOT_HERE,
                              _ ("This kernel has no such event."), asker);
      return;
    case WPR_HAVE_REFUSED:
      wpr_plan_add_missing (build, name, WPR_MISSING_REFUSED,
                            _ ("The kernel refuses it, also to administrators."), asker);
      return;
    case WPR_HAVE_YES:
    case WPR_HAVE_UNKNOWN: /* probably: the opener will tell */
      break;
    }
  WprItemBuild *item
      = wpr_plan_get_kernel_item (build, collector, WPR_ITEM_TRACEPOINT, name, asker);
  if (item != NULL)
    item->item.stack = MAX (item->item.stack, stack);
}

static void
wpr_plan_add_pattern (WprPlanBuild *build, WprCollectorBuild *collector, const char *pattern,
                      gboolean optional, WprStack stack, const WprAsker *asker)
{
  g_autoptr (GPtrArray) names = wpr_machine_match_events (build->machine, pattern);
  for (guint i = 0; i < names->len; i++)
    wpr_plan_add_tracepoint (build, collector, g_ptr_array_index (names, i), optional, stack,
                             asker);
  if (names->len > 0 || optional)
    return;
  if (asker->profile != NULL && build->owner->plan.rights < WPR_RIGHTS_FULL)
    g_hash_table_add (build->denied, (gpointer)asker->profile);
  /* An unlocked machine has not been looked at yet. */
  if (build->owner->plan.rights < WPR_RIGHTS_FULL || build->owner->plan.unlock)
    wpr_plan_add_missing (build, pattern, WPR_MISSING_NEEDS_RIGHTS,
                          _ ("Which events these are can be looked up with an administrator's "
                             "permission only."),
                          asker);
  else
    wpr_plan_add_missing (build, pattern, WPR_MISSING_NOT_HERE,
                          _ ("This kernel has no event of that name."), asker);
}

/* cycles where there is a PMU, else the clock. */
static void
wpr_plan_add_sample (WprPlanBuild *build, WprCollectorBuild *collector, WprStack stack,
                     const WprAsker *asker)
{
  guint interval_100ns = build->choice->sample_interval_100ns;
  guint64 interval_ns
      = (guint64)(interval_100ns != 0 ? interval_100ns : DEFAULT_INTERVAL_100NS) * 100;
  gboolean has_pmu = wpr_machine_get_has_pmu (build->machine);
  WprItemBuild *item
      = wpr_plan_get_kernel_item (build, collector, has_pmu ? WPR_ITEM_HARDWARE : WPR_ITEM_SOFTWARE,
                                  has_pmu ? "cycles" : "cpu-clock", asker);
  if (item != NULL)
    {
      item->item.period = has_pmu ? 0 : interval_ns;
      item->item.interval_ns = interval_ns;
      item->item.stack = MAX (item->item.stack, stack);
    }
  WprAsker not_strict = *asker; /* the clock does as well */
  not_strict.strict = FALSE;
  if (!has_pmu && build->owner->plan.rights != WPR_RIGHTS_NONE)
    wpr_plan_add_missing (build, "hardware counters", WPR_MISSING_NOT_HERE,
                          _ ("This computer offers none. The system clock is used for sampling "
                             "instead."),
                          &not_strict);
}

/* The name of a function that is probed, "kprobe:do_filp_open". Without it files have numbers. */
static void
wpr_plan_add_probe (WprPlanBuild *build, WprCollectorBuild *collector, const char *function,
                    WprStack stack, const WprAsker *asker)
{
  g_autofree char *name = g_strdup_printf ("kprobe:%s", function);
  WprAsker not_strict = *asker;
  WprHave have = wpr_machine_get_event (build->machine, name);
  not_strict.strict = FALSE;
  if (have == WPR_HAVE_YES || build->owner->plan.rights < WPR_RIGHTS_FULL)
    wpr_plan_add_tracepoint (build, collector, name, TRUE, stack, &not_strict);
  else if (have == WPR_HAVE_REFUSED)
    wpr_plan_add_missing (
        build, "names of files", WPR_MISSING_NEEDS_RIGHTS,
        _ ("Only an administrator may probe the kernel for the names of files that are opened. "
           "Those that are open when the recording starts or ends have theirs."),
        &not_strict);
  else
    wpr_plan_add_missing (
        build, "names of files", WPR_MISSING_NOT_HERE,
        _ ("This kernel offers no probes, which would tell the names of files that are opened. "
           "Those that are open when the recording starts or ends have theirs."),
        &not_strict);
}

void
wpr_plan_add_counter_item (WprPlanBuild *build, WprCollectorBuild *collector, WprItemKind kind,
                           const char *name, guint64 period, const WprAsker *asker)
{
  const WprItemBuild *known = g_hash_table_lookup (build->items, name);
  guint64 known_period = known != NULL ? known->item.period : 0;
  WprItemBuild *item = wpr_plan_get_kernel_item (build, collector, kind, name, asker);
  if (item == NULL)
    return;
  if (known == NULL)
    item->item.period = period;
  else if (known_period != period)
    wpr_plan_notice (build, _ ("%s is recorded already, more often or by time; once is enough."),
                     name);
}

static void
wpr_plan_add_sampler (WprPlanBuild *build, WprCollectorBuild *collector, const char *name,
                      const WprAsker *asker)
{
  WprItemBuild *item = wpr_plan_get_item (build, collector, WPR_ITEM_SAMPLER, name, asker);
  for (gsize i = 0; i < G_N_ELEMENTS (samplers); i++)
    if (g_str_equal (samplers[i].name, name))
      item->item.interval_ns = samplers[i].interval_ns;
}

void
wpr_plan_add_event (WprPlanBuild *build, WprCollectorBuild *collector, const char *event,
                    WprStack stack, const WprAsker *asker)
{
  gboolean optional = *event == '?';
  event += optional;
  if (g_str_equal (event, "sample/"))
    wpr_plan_add_sample (build, collector, stack, asker);
  else if (g_str_equal (event, "sideband/"))
    wpr_plan_get_kernel_item (build, collector, WPR_ITEM_SIDEBAND, "sideband", asker);
  else if (g_str_has_prefix (event, "sampler/"))
    wpr_plan_add_sampler (build, collector, event + strlen ("sampler/"), asker);
  else if (g_str_has_prefix (event, "software/"))
    {
      WprItemBuild *item = wpr_plan_get_kernel_item (build, collector, WPR_ITEM_SOFTWARE,
                                                     event + strlen ("software/"), asker);
      if (item != NULL)
        item->item.stack = MAX (item->item.stack, stack);
    }
  else if (g_str_has_prefix (event, "kprobe/"))
    wpr_plan_add_probe (build, collector, event + strlen ("kprobe/"), stack, asker);
  else if (strpbrk (event, "*?") != NULL)
    wpr_plan_add_pattern (build, collector, event, optional, stack, asker);
  else
    wpr_plan_add_tracepoint (build, collector, event, optional, stack, asker);
}

WprItemBuild *
wpr_plan_find_item (WprPlanBuild *build, const char *event)
{
  event += *event == '?';
  if (g_str_equal (event, "sample/"))
    {
      WprItemBuild *item = g_hash_table_lookup (build->items, "cycles");
      return item != NULL ? item : g_hash_table_lookup (build->items, "cpu-clock");
    }
  if (g_str_has_prefix (event, "software/"))
    event += strlen ("software/");
  return g_hash_table_lookup (build->items, event);
}
