/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the rights that are there leave of a plan: which kinds of items, what stands in for others,
 * and the sentences that say so. A table decides; nothing here looks at the machine itself. */
#include "config.h"
#include "profile/plan.h"

#include <glib/gi18n-lib.h>

/* The least rights each kind of item needs. */
static const WprRights needed[] = {
  [WPR_ITEM_TRACEPOINT] = WPR_RIGHTS_FULL, [WPR_ITEM_SOFTWARE] = WPR_RIGHTS_OWN,
  [WPR_ITEM_HARDWARE] = WPR_RIGHTS_OWN,    [WPR_ITEM_SIDEBAND] = WPR_RIGHTS_OWN,
  [WPR_ITEM_SAMPLER] = WPR_RIGHTS_NONE,    [WPR_ITEM_SWITCHES] = WPR_RIGHTS_OWN,
};

/* What tells the same without the rights that tracepoints need: a record that the kernel writes of
 * itself. */
static const struct
{
  const char *event;
  WprItemKind kind;
  const char *instead;
} stand_ins[] = {
  { "sched:sched_switch", WPR_ITEM_SWITCHES, "switches" },
  { "sched:sched_process_fork", WPR_ITEM_SIDEBAND, "sideband" },
  { "sched:sched_process_exec", WPR_ITEM_SIDEBAND, "sideband" },
  { "sched:sched_process_exit", WPR_ITEM_SIDEBAND, "sideband" },
};

static const char *const denials[] = {
  [WPR_RIGHTS_NONE] = N_ ("This needs an administrator's permission."),
  [WPR_RIGHTS_OWN] = N_ ("This is an event of the whole system; recording those needs an "
                         "administrator's permission."),
  [WPR_RIGHTS_SYSTEM] = N_ ("This event carries data of the kernel; recording it needs an "
                            "administrator's permission."),
};

gboolean
wpr_plan_may (const WprPlanBuild *build, WprItemKind kind)
{
  return build->owner->plan.rights >= needed[kind];
}

const char *
wpr_plan_denial (const WprPlanBuild *build)
{
  const char *text = wpr_machine_get_rights_text (build->machine);
  WprRights rights = build->owner->plan.rights;
  if (rights == WPR_RIGHTS_NONE && *text != '\0')
    return text;
  return _ (denials[MIN (rights, WPR_RIGHTS_SYSTEM)]);
}

gboolean
wpr_plan_find_stand_in (const WprPlanBuild *build, const char *event, WprItemKind *kind,
                        const char **instead)
{
  for (gsize i = 0; i < G_N_ELEMENTS (stand_ins); i++)
    if (g_str_equal (stand_ins[i].event, event) && !wpr_plan_may (build, WPR_ITEM_TRACEPOINT)
        && wpr_plan_may (build, stand_ins[i].kind))
      {
        *kind = stand_ins[i].kind;
        *instead = stand_ins[i].instead;
        return TRUE;
      }
  return FALSE;
}

/* ---- what is left ---- */

static gboolean
wpr_item_is_of (const WprPlanItem *item, const char *profile)
{
  for (guint i = 0; i < item->profiles->len; i++)
    if (g_str_equal (g_ptr_array_index (item->profiles, i), profile))
      return TRUE;
  return FALSE;
}

/* Whether anything is recorded because this profile asked, beside who runs. */
static gboolean
wpr_plan_gives (const WprPlanBuild *build, const char *profile)
{
  for (guint i = 0; i < build->owner->collectors->len; i++)
    {
      const WprCollectorBuild *collector = g_ptr_array_index (build->owner->collectors, i);
      for (guint j = 0; j < collector->items->len; j++)
        {
          const WprPlanItem *item = g_ptr_array_index (collector->items, j);
          if (item->kind != WPR_ITEM_SIDEBAND && wpr_item_is_of (item, profile))
            return TRUE;
        }
    }
  return FALSE;
}

/* Without any rights the whole plan says it once; else each profile that comes to nothing does. */
static void
wpr_plan_find_empty (WprPlanBuild *build)
{
  WprPlan *plan = &build->owner->plan;
  guint n_empty = 0;
  for (guint i = 0; plan->rights != WPR_RIGHTS_NONE && i < build->chosen->len; i++)
    {
      const char *name = g_array_index (build->chosen, WprChosen, i).profile->name;
      if (!g_hash_table_contains (build->denied, name) || wpr_plan_gives (build, name))
        continue;
      n_empty++;
      wpr_plan_notice (build,
                       _ ("Nothing of what “%s” is for can be recorded without an administrator's "
                          "permission."),
                       name);
    }
  plan->needs_rights = plan->rights == WPR_RIGHTS_NONE
                           ? build->has_kernel_item
                           : n_empty > 0 && n_empty == build->chosen->len;
}

/* ---- the sentences of the whole ---- */

/* Descriptors: one event of each kind a thread and CPU, since events of single threads have no
 * groups. Switches are told by the event that takes the samples, where there is one. */
static guint64
wpr_plan_count_open_files (const WprPlanBuild *build)
{
  guint64 threads = wpr_machine_get_own_threads (build->machine);
  guint64 events = 0;
  for (guint i = 0; i < build->owner->collectors->len; i++)
    {
      const WprCollectorBuild *collector = g_ptr_array_index (build->owner->collectors, i);
      gboolean switches = FALSE;
      guint n = 0;
      for (guint j = 0; j < collector->items->len; j++)
        {
          const WprPlanItem *item = g_ptr_array_index (collector->items, j);
          if (item->kind == WPR_ITEM_SWITCHES)
            switches = TRUE;
          else
            n += item->kind != WPR_ITEM_SAMPLER;
        }
      events += n + (switches && n == 0);
    }
  return threads * events * wpr_machine_get_n_cpus (build->machine);
}

static char *
wpr_plan_own_text (const WprPlanBuild *build)
{
  const WprPlan *plan = &build->owner->plan;
  g_autofree char *cost = g_strdup_printf (
      plan->open_files > WPR_OWN_FILES_MOST
          ? _ (
              "That takes more open files (%u) than there may be (%u; threads: %u, CPUs: %u): only "
              "the largest programs are recorded.")
          : _ ("That takes %u open files of at most %u (threads: %u, CPUs: %u)."),
      plan->open_files, WPR_OWN_FILES_MOST, wpr_machine_get_own_threads (build->machine),
      wpr_machine_get_n_cpus (build->machine));
  return g_strdup_printf (
      "%s %s",
      wpr_machine_get_sees_kernel (build->machine)
          ? _ ("Only your own programs are recorded: where they spend their time, also inside the "
               "kernel, when they run and wait, their page faults, starts and ends.")
          : _ ("Only your own programs are recorded, and not what they do inside the kernel: where "
               "they spend their time, when they run and wait, their page faults, starts and "
               "ends."),
      cost);
}

static char *
wpr_plan_rights_text (const WprPlanBuild *build)
{
  const WprPlan *plan = &build->owner->plan;
  if (plan->unlock)
    return g_strdup (wpr_machine_get_unlock (build->machine) == WPR_UNLOCK_YES
                         ? _ ("The recording service opens the kernel's events; nobody is asked.")
                         : _ ("The whole system is recorded, once an administrator's permission is "
                              "given: it is asked for at the start."));
  if (plan->rights == WPR_RIGHTS_OWN)
    return wpr_plan_own_text (build);
  if (plan->rights == WPR_RIGHTS_SYSTEM)
    return g_strdup (_ ("All programs and the kernel are recorded: where time is spent, "
                        "when threads run and wait, page faults, starts and ends; but no "
                        "events of disks, files, network and interrupts."));
  return g_strdup ("");
}

void
wpr_plan_take_rights (WprPlanBuild *build)
{
  WprPlan *plan = &build->owner->plan;
  plan->rights = wpr_machine_get_rights (build->machine);
  plan->unlock = plan->rights < WPR_RIGHTS_FULL && build->choice->unlock
                 && wpr_machine_get_unlock (build->machine) != WPR_UNLOCK_NONE;
  if (plan->unlock)
    plan->rights = WPR_RIGHTS_FULL;
}

void
wpr_plan_finish_rights (WprPlanBuild *build)
{
  WprPlan *plan = &build->owner->plan;
  wpr_plan_find_empty (build);
  if (plan->rights == WPR_RIGHTS_OWN)
    plan->open_files = (guint)MIN (wpr_plan_count_open_files (build), G_MAXUINT);
  g_autofree char *text = wpr_plan_rights_text (build);
  plan->rights_text = wpr_plan_string (build, text);
  plan->rights_help
      = wpr_plan_string (build, plan->unlock ? "" : wpr_machine_get_rights_text (build->machine));
}
