/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* wpr_plan_new(): the steps, and what a plan owns. */
#include "config.h"
#include "profile/plan.h"

#include <glib/gi18n-lib.h>
#include <stdarg.h>

/* ---- ownership ---- */

static void
wpr_item_build_free (gpointer data)
{
  WprItemBuild *item = data;
  g_ptr_array_unref (item->asked_by);
  g_ptr_array_unref (item->keywords);
  g_ptr_array_unref (item->profiles);
  g_ptr_array_unref (item->filters);
  g_ptr_array_unref (item->programs);
  g_free (item);
}

static void
wpr_collector_build_free (gpointer data)
{
  WprCollectorBuild *collector = data;
  g_ptr_array_unref (collector->items);
  g_free (collector);
}

static void
wpr_missing_build_free (gpointer data)
{
  WprMissingBuild *missing = data;
  g_ptr_array_unref (missing->asked_by);
  g_free (missing);
}

static WprPlanOwner *
wpr_plan_owner_new (void)
{
  WprPlanOwner *owner = g_new0 (WprPlanOwner, 1);
  g_atomic_ref_count_init (&owner->ref_count);
  owner->strings = g_string_chunk_new (4096);
  owner->plan.profiles = owner->profiles = g_ptr_array_new ();
  owner->plan.titles = owner->titles = g_ptr_array_new ();
  owner->plan.collectors = owner->collectors
      = g_ptr_array_new_with_free_func (wpr_collector_build_free);
  owner->plan.missing = owner->missing = g_ptr_array_new_with_free_func (wpr_missing_build_free);
  owner->plan.notices = owner->notices = g_ptr_array_new ();
  owner->plan.notes = owner->notes = g_ptr_array_new_with_free_func (g_free);
  return owner;
}

WprPlan *
wpr_plan_ref (WprPlan *plan)
{
  g_return_val_if_fail (plan != NULL, NULL);
  g_atomic_ref_count_inc (&((WprPlanOwner *)plan)->ref_count);
  return plan;
}

void
wpr_plan_unref (WprPlan *plan)
{
  g_return_if_fail (plan != NULL);
  WprPlanOwner *owner = (WprPlanOwner *)plan;
  if (!g_atomic_ref_count_dec (&owner->ref_count))
    return;
  g_ptr_array_unref (owner->profiles);
  g_ptr_array_unref (owner->titles);
  g_ptr_array_unref (owner->collectors);
  g_ptr_array_unref (owner->missing);
  g_ptr_array_unref (owner->notices);
  g_ptr_array_unref (owner->notes);
  g_string_chunk_free (owner->strings);
  g_free (owner);
}

/* ---- what the steps share ---- */

const char *
wpr_plan_string (WprPlanBuild *build, const char *text)
{
  return g_string_chunk_insert_const (build->owner->strings, text);
}

void
wpr_plan_notice (WprPlanBuild *build, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  const char *kept = wpr_plan_string (build, text);
  if (!g_ptr_array_find (build->owner->notices, kept, NULL)) /* strings are kept once */
    g_ptr_array_add (build->owner->notices, (gpointer)kept);
}

static void
wpr_plan_add_once (WprPlanBuild *build, GPtrArray *texts, const char *text)
{
  if (text == NULL)
    return;
  const char *kept = wpr_plan_string (build, text);
  if (!g_ptr_array_find (texts, kept, NULL))
    g_ptr_array_add (texts, (gpointer)kept);
}

void
wpr_plan_add_missing (WprPlanBuild *build, const char *what, WprMissingReason reason,
                      const char *text, const WprAsker *asker)
{
  WprMissingBuild *missing = g_hash_table_lookup (build->missing, what);
  if (missing == NULL)
    {
      missing = g_new0 (WprMissingBuild, 1);
      missing->missing.what = wpr_plan_string (build, what);
      missing->missing.reason = reason;
      missing->missing.text = wpr_plan_string (build, text);
      missing->missing.asked_by = missing->asked_by = g_ptr_array_new ();
      g_ptr_array_add (build->owner->missing, missing);
      g_hash_table_insert (build->missing, (gpointer)missing->missing.what, missing);
    }
  wpr_plan_add_once (build, missing->asked_by, asker->text);
  missing->missing.strict |= asker->strict;
  build->owner->plan.strict |= asker->strict;
}

WprCollectorBuild *
wpr_plan_get_collector (WprPlanBuild *build, WprCollectorKind kind, const char *name)
{
  GPtrArray *collectors = build->owner->collectors;
  for (guint i = 0; i < collectors->len; i++)
    {
      WprCollectorBuild *collector = g_ptr_array_index (collectors, i);
      if (collector->collector.kind == kind && g_str_equal (collector->collector.name, name))
        return collector;
    }
  WprCollectorBuild *collector = g_new0 (WprCollectorBuild, 1);
  collector->collector.name = wpr_plan_string (build, name);
  collector->collector.kind = kind;
  collector->collector.items = collector->items
      = g_ptr_array_new_with_free_func (wpr_item_build_free);
  g_ptr_array_add (collectors, collector);
  return collector;
}

/* ---- the plan ---- */

/* Names and GUIDs of providers: case does not count. */
static guint
wpr_name_hash (gconstpointer name)
{
  g_autofree char *lower = g_ascii_strdown (name, -1);
  return g_str_hash (lower);
}

static gboolean
wpr_name_equal (gconstpointer left, gconstpointer right)
{
  return g_ascii_strcasecmp (left, right) == 0;
}

static void
wpr_plan_sum_up (WprPlanBuild *build)
{
  WprPlan *plan = &build->owner->plan;
  guint64 n_cpus = wpr_machine_get_n_cpus (build->machine);
  plan->memory_bytes = n_cpus * WPR_PLAN_SIDEBAND_RING_BYTES;
  for (guint i = 0; i < build->owner->collectors->len; i++)
    {
      const WprCollectorBuild *collector = g_ptr_array_index (build->owner->collectors, i);
      plan->n_kinds += collector->items->len;
      plan->memory_bytes += collector->is_used ? collector->collector.bytes_granted : 0;
    }
  plan->duration_s = build->choice->duration_s;
}

GArray *
wpr_plan_choose_for_export (WprLibrary *library, const WprChoice *choice, GError **error)
{
  g_autoptr (GArray) chosen = g_array_new (FALSE, FALSE, sizeof (WprChosen));
  WprPlanBuild build = { .owner = NULL, .library = library, .choice = choice, .chosen = chosen };
  if (!wpr_plan_check_choice (choice, error))
    return NULL;
  build.owner = wpr_plan_owner_new ();
  gboolean good = wpr_plan_choose (&build, error);
  wpr_plan_unref (&build.owner->plan);
  return good ? g_steal_pointer (&chosen) : NULL;
}

WprPlan *
wpr_plan_new (WprLibrary *library, const WprChoice *choice, const WprMachine *machine,
              GError **error)
{
  g_return_val_if_fail (library != NULL && choice != NULL && machine != NULL, NULL);
  if (!wpr_plan_check_choice (choice, error))
    return NULL;

  g_autoptr (GArray) chosen = g_array_new (FALSE, FALSE, sizeof (WprChosen));
  g_autoptr (GHashTable) items = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GHashTable) missing = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GHashTable) denied = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GHashTable) providers = g_hash_table_new (wpr_name_hash, wpr_name_equal);
  WprPlanBuild build = { .owner = wpr_plan_owner_new (),
                         .library = library,
                         .choice = choice,
                         .machine = machine,
                         .chosen = chosen,
                         .items = items,
                         .missing = missing,
                         .denied = denied,
                         .providers = providers };
  if (!wpr_plan_choose (&build, error))
    {
      wpr_plan_unref (&build.owner->plan);
      return NULL;
    }
  wpr_plan_take_rights (&build);
  wpr_plan_collect (&build);
  wpr_plan_finish_filters (&build);
  wpr_plan_finish_limits (&build);
  wpr_plan_add_notes (&build);
  wpr_plan_grant_buffers (&build);
  wpr_plan_sum_up (&build);
  wpr_plan_finish_rights (&build);
  wpr_plan_digest (&build);
  return &build.owner->plan;
}
