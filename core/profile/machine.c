/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The machine as a value: what a plan asks about. Looking at the real one is the sources' part. */
#include "config.h"
#include "profile/machine.h"

#include <string.h>

struct _WprMachine
{
  gatomicrefcount ref_count;
  guint n_cpus, max_possible_cpu;
  guint64 memory_bytes;
  WprRights rights;
  char *rights_text;
  WprUnlock unlock;
  gboolean sees_kernel;
  guint own_threads;
  gboolean has_pmu;
  char *architecture; /* NULL: not known */
  int family, model;
  char *kernel;
  WprHave unset;
  GHashTable *events; /* "sched:sched_switch" -> WprHave */
};

WprMachine *
wpr_machine_new (guint n_cpus, guint64 memory_bytes, WprRights rights)
{
  g_return_val_if_fail (n_cpus > 0, NULL);
  WprMachine *machine = g_new0 (WprMachine, 1);
  g_atomic_ref_count_init (&machine->ref_count);
  machine->n_cpus = n_cpus;
  machine->max_possible_cpu = n_cpus - 1;
  machine->memory_bytes = memory_bytes;
  machine->rights = rights;
  machine->rights_text = g_strdup ("");
  machine->kernel = g_strdup ("");
  machine->unset = WPR_HAVE_UNKNOWN;
  machine->events = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  return machine;
}

const char *
wpr_rights_name (WprRights rights)
{
  static const char *const names[] = { "none", "own", "system", "full" };
  g_return_val_if_fail (rights <= WPR_RIGHTS_FULL, "none");
  return names[rights];
}

WprMachine *
wpr_machine_ref (WprMachine *machine)
{
  g_return_val_if_fail (machine != NULL, NULL);
  g_atomic_ref_count_inc (&machine->ref_count);
  return machine;
}

void
wpr_machine_unref (WprMachine *machine)
{
  g_return_if_fail (machine != NULL);
  if (!g_atomic_ref_count_dec (&machine->ref_count))
    return;
  g_free (machine->rights_text);
  g_free (machine->kernel);
  g_free (machine->architecture);
  g_hash_table_unref (machine->events);
  g_free (machine);
}

guint
wpr_machine_get_n_cpus (const WprMachine *machine)
{
  g_return_val_if_fail (machine != NULL, 1);
  return machine->n_cpus;
}

guint64
wpr_machine_get_memory (const WprMachine *machine)
{
  g_return_val_if_fail (machine != NULL, 0);
  return machine->memory_bytes;
}

WprRights
wpr_machine_get_rights (const WprMachine *machine)
{
  g_return_val_if_fail (machine != NULL, WPR_RIGHTS_NONE);
  return machine->rights;
}

const char *
wpr_machine_get_rights_text (const WprMachine *machine)
{
  g_return_val_if_fail (machine != NULL, "");
  return machine->rights_text;
}

void
wpr_machine_set_rights_text (WprMachine *machine, const char *text)
{
  g_return_if_fail (machine != NULL && text != NULL);
  g_free (machine->rights_text);
  machine->rights_text = g_strdup (text);
}

WprUnlock
wpr_machine_get_unlock (const WprMachine *machine)
{
  g_return_val_if_fail (machine != NULL, WPR_UNLOCK_NONE);
  return machine->unlock;
}

void
wpr_machine_set_unlock (WprMachine *machine, WprUnlock unlock)
{
  g_return_if_fail (machine != NULL);
  machine->unlock = unlock;
}

gboolean
wpr_machine_get_sees_kernel (const WprMachine *machine)
{
  g_return_val_if_fail (machine != NULL, FALSE);
  return machine->sees_kernel;
}

void
wpr_machine_set_sees_kernel (WprMachine *machine, gboolean sees)
{
  g_return_if_fail (machine != NULL);
  machine->sees_kernel = sees;
}

guint
wpr_machine_get_own_threads (const WprMachine *machine)
{
  g_return_val_if_fail (machine != NULL, 0);
  return machine->own_threads;
}

void
wpr_machine_set_own_threads (WprMachine *machine, guint n)
{
  g_return_if_fail (machine != NULL);
  machine->own_threads = n;
}

void
wpr_machine_set_max_possible_cpu (WprMachine *machine, guint highest)
{
  g_return_if_fail (machine != NULL);
  machine->max_possible_cpu = highest;
}

guint
wpr_machine_get_max_possible_cpu (const WprMachine *machine)
{
  g_return_val_if_fail (machine != NULL, 0);
  return machine->max_possible_cpu;
}

void
wpr_machine_set_has_pmu (WprMachine *machine, gboolean has)
{
  g_return_if_fail (machine != NULL);
  machine->has_pmu = has;
}

gboolean
wpr_machine_get_has_pmu (const WprMachine *machine)
{
  g_return_val_if_fail (machine != NULL, FALSE);
  return machine->has_pmu;
}

void
wpr_machine_set_processor (WprMachine *machine, const char *architecture, int family, int model)
{
  g_return_if_fail (machine != NULL);
  g_free (machine->architecture);
  machine->architecture = g_strdup (architecture);
  machine->family = family;
  machine->model = model;
}

const char *
wpr_machine_get_processor (const WprMachine *machine, int *family, int *model)
{
  g_return_val_if_fail (machine != NULL, NULL);
  *family = machine->family;
  *model = machine->model;
  return machine->architecture;
}

void
wpr_machine_set_kernel (WprMachine *machine, const char *release)
{
  g_return_if_fail (machine != NULL && release != NULL);
  g_free (machine->kernel);
  machine->kernel = g_strdup (release);
}

const char *
wpr_machine_get_kernel (const WprMachine *machine)
{
  g_return_val_if_fail (machine != NULL, "");
  return machine->kernel;
}

void
wpr_machine_set_event (WprMachine *machine, const char *event, WprHave have)
{
  g_return_if_fail (machine != NULL && event != NULL);
  g_hash_table_insert (machine->events, g_strdup (event), GINT_TO_POINTER (have));
}

void
wpr_machine_set_default (WprMachine *machine, WprHave have)
{
  g_return_if_fail (machine != NULL);
  machine->unset = have;
}

WprHave
wpr_machine_get_event (const WprMachine *machine, const char *event)
{
  g_return_val_if_fail (machine != NULL && event != NULL, WPR_HAVE_UNKNOWN);
  gpointer have;
  if (g_hash_table_lookup_extended (machine->events, event, NULL, &have))
    return GPOINTER_TO_INT (have);
  return machine->unset;
}

static int
wpr_compare_names (gconstpointer left, gconstpointer right)
{
  return strcmp (*(const char *const *)left, *(const char *const *)right);
}

GPtrArray *
wpr_machine_match_events (const WprMachine *machine, const char *pattern)
{
  g_return_val_if_fail (machine != NULL && pattern != NULL, NULL);
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPatternSpec) spec = g_pattern_spec_new (pattern);
  GHashTableIter iter;
  gpointer name, have;
  g_hash_table_iter_init (&iter, machine->events);
  while (g_hash_table_iter_next (&iter, &name, &have))
    if (GPOINTER_TO_INT (have) == WPR_HAVE_YES && g_pattern_spec_match_string (spec, name))
      g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, wpr_compare_names);
  return names;
}

/* ---- between processes ---- */

GVariant *
wpr_machine_to_variant (const WprMachine *machine)
{
  g_return_val_if_fail (machine != NULL, NULL);
  GVariantDict dict;
  GVariantBuilder events;
  GHashTableIter iter;
  gpointer name, have;
  g_variant_builder_init (&events, G_VARIANT_TYPE ("a{si}"));
  g_hash_table_iter_init (&iter, machine->events);
  while (g_hash_table_iter_next (&iter, &name, &have))
    g_variant_builder_add (&events, "{si}", (const char *)name, GPOINTER_TO_INT (have));
  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, "cpus", "u", machine->n_cpus);
  g_variant_dict_insert (&dict, "highest-cpu", "u", machine->max_possible_cpu);
  g_variant_dict_insert (&dict, "memory", "t", machine->memory_bytes);
  g_variant_dict_insert (&dict, "rights", "i", (gint32)machine->rights);
  g_variant_dict_insert (&dict, "rights-text", "s", machine->rights_text);
  g_variant_dict_insert (&dict, "unlock", "i", (gint32)machine->unlock);
  g_variant_dict_insert (&dict, "sees-kernel", "b", machine->sees_kernel);
  g_variant_dict_insert (&dict, "own-threads", "u", machine->own_threads);
  g_variant_dict_insert (&dict, "pmu", "b", machine->has_pmu);
  if (machine->architecture != NULL)
    g_variant_dict_insert (&dict, "processor", "(sii)", machine->architecture, machine->family,
                           machine->model);
  g_variant_dict_insert (&dict, "kernel", "s", machine->kernel);
  g_variant_dict_insert (&dict, "unset", "i", (gint32)machine->unset);
  g_variant_dict_insert_value (&dict, "events", g_variant_builder_end (&events));
  return g_variant_dict_end (&dict);
}

static void
wpr_machine_take_events (WprMachine *machine, GVariant *events)
{
  GVariantIter iter;
  const char *name = NULL;
  gint32 have = 0;
  g_variant_iter_init (&iter, events);
  while (g_variant_iter_next (&iter, "{&si}", &name, &have))
    wpr_machine_set_event (machine, name, (WprHave)have);
}

WprMachine *
wpr_machine_from_variant (GVariant *variant)
{
  g_return_val_if_fail (variant != NULL, NULL);
  guint32 cpus = 0, highest = 0;
  guint64 memory = 0;
  gint32 rights = WPR_RIGHTS_NONE, unset = WPR_HAVE_UNKNOWN, family = 0, model = 0;
  gint32 unlock = WPR_UNLOCK_NONE;
  const char *text = "", *kernel = "", *architecture = NULL;
  gboolean pmu = FALSE;
  g_variant_lookup (variant, "cpus", "u", &cpus);
  g_variant_lookup (variant, "memory", "t", &memory);
  g_variant_lookup (variant, "rights", "i", &rights);
  if (cpus == 0)
    return NULL;
  rights = CLAMP (rights, WPR_RIGHTS_NONE, WPR_RIGHTS_FULL);
  WprMachine *machine = wpr_machine_new (cpus, memory, (WprRights)rights);
  if (g_variant_lookup (variant, "highest-cpu", "u", &highest))
    machine->max_possible_cpu = highest;
  if (g_variant_lookup (variant, "rights-text", "&s", &text))
    wpr_machine_set_rights_text (machine, text);
  if (g_variant_lookup (variant, "unlock", "i", &unlock))
    machine->unlock = (WprUnlock)CLAMP (unlock, WPR_UNLOCK_NONE, WPR_UNLOCK_YES);
  g_variant_lookup (variant, "sees-kernel", "b", &machine->sees_kernel);
  g_variant_lookup (variant, "own-threads", "u", &machine->own_threads);
  if (g_variant_lookup (variant, "pmu", "b", &pmu))
    machine->has_pmu = pmu;
  if (g_variant_lookup (variant, "processor", "(&sii)", &architecture, &family, &model))
    wpr_machine_set_processor (machine, architecture, family, model);
  if (g_variant_lookup (variant, "kernel", "&s", &kernel))
    wpr_machine_set_kernel (machine, kernel);
  if (g_variant_lookup (variant, "unset", "i", &unset))
    machine->unset = (WprHave)unset;
  g_autoptr (GVariant) events
      = g_variant_lookup_value (variant, "events", G_VARIANT_TYPE ("a{si}"));
  if (events != NULL)
    wpr_machine_take_events (machine, events);
  return machine;
}
