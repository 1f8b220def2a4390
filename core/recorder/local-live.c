/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Changes while it records: the plan is made anew for what is chosen then, and the difference is
 * applied, event by event; what else is recorded has no gap. Each change is a mark in the trace. */
#include "config.h"

#include <sched.h>
#include <string.h>

#include <glib/gi18n-lib.h>

#include "base/log.h"
#include "recorder/local.h"

/* The kernel refuses 2 GiB. */
#define WPR_RING_BYTES_MOST G_GUINT64_CONSTANT (1073741824)

/* The manifest is written after so much of adding: without its ids an event means nothing. */
#define MANIFEST_EACH_US (250 * 1000)

/* One item that differs between two plans. */
typedef struct
{
  const WprPlanItem *item;   /* of the new plan if on, else of the old one */
  const WprPlanItem *before; /* on: what it was, NULL: not there */
  gboolean on;
} WprChange;

typedef struct
{
  WprPlan *old, *fresh;
  GArray *changes; /* WprChange */
  gint64 written_us;
} WprChanging;

/* ---- the difference ---- */

static const WprPlanItem *
wpr_live_find (const WprPlan *plan, const WprPlanItem *like)
{
  for (guint c = 0; c < plan->collectors->len; c++)
    {
      const WprPlanCollector *collector = g_ptr_array_index (plan->collectors, c);
      for (guint i = 0; i < collector->items->len; i++)
        {
          const WprPlanItem *item = g_ptr_array_index (collector->items, i);
          if (item->kind == like->kind && g_str_equal (item->name, like->name))
            return item;
        }
    }
  return NULL;
}

static gboolean
wpr_live_same_programs (const GPtrArray *a, const GPtrArray *b)
{
  guint n = a ? a->len : 0;
  if (n != (b ? b->len : 0))
    return FALSE;
  for (guint i = 0; i < n; i++)
    if (!g_str_equal (g_ptr_array_index (a, i), g_ptr_array_index (b, i)))
      return FALSE;
  return TRUE;
}

static gboolean
wpr_live_same (const WprPlanItem *a, const WprPlanItem *b)
{
  return a->stack == b->stack && a->period == b->period && a->interval_ns == b->interval_ns
         && a->skip_self == b->skip_self && g_strcmp0 (a->filter, b->filter) == 0
         && wpr_live_same_programs (a->programs, b->programs)
         && wpr_source_is_file (a) == wpr_source_is_file (b);
}

/* Items of `plan` that `other` lacks, or has otherwise. */
static void
wpr_live_compare (const WprPlan *plan, const WprPlan *other, gboolean on, GArray *changes)
{
  for (guint c = 0; c < plan->collectors->len; c++)
    {
      const WprPlanCollector *collector = g_ptr_array_index (plan->collectors, c);
      for (guint i = 0; i < collector->items->len; i++)
        {
          const WprPlanItem *item = g_ptr_array_index (collector->items, i);
          WprChange change = { item, wpr_live_find (other, item), on };
          if (change.before ? on && !wpr_live_same (item, change.before) : TRUE)
            g_array_append_val (changes, change);
        }
    }
}

/* ---- applied ---- */

/* Opening an event takes milliseconds, closing one 20-35: the rings must not wait for all. What
 * fails here the next tick tells. */
static void
wpr_live_breathe (WprLocal *local, WprChanging *changing)
{
  WprSession *session = &local->session;
  for (guint i = 0; i < local->sources->len; i++)
    wpr_source_drain (g_ptr_array_index (local->sources, i), session, NULL);
  gint64 now = g_get_monotonic_time ();
  if (!session->store || session->backward || now - changing->written_us < MANIFEST_EACH_US)
    return;
  wpr_store_add_ids (session->store, NULL, 0, NULL);
  changing->written_us = now;
}

static gboolean
wpr_live_set (WprLocal *local, const WprPlanItem *item, gboolean on, GError **error)
{
  for (guint i = 0; i < local->sources->len; i++)
    if (!wpr_source_set (g_ptr_array_index (local->sources, i), &local->session, item, on, error))
      return FALSE;
  return TRUE;
}

static void
wpr_live_undo (WprLocal *local, WprChanging *changing, guint n_done)
{
  local->session.plan = changing->old;
  for (guint i = n_done; i > 0; i--)
    {
      const WprChange *change = &g_array_index (changing->changes, WprChange, i - 1);
      if (!change->on || change->before)
        wpr_live_set (local, change->before ? change->before : change->item, TRUE, NULL);
      else
        wpr_live_set (local, change->item, FALSE, NULL);
      wpr_live_breathe (local, changing);
    }
}

static gboolean
wpr_live_apply (WprLocal *local, WprChanging *changing, GError **error)
{
  local->session.plan = changing->fresh;
  local->session.gathers = TRUE;
  gboolean good = TRUE;
  for (guint i = 0; good && i < changing->changes->len; i++)
    {
      const WprChange *change = &g_array_index (changing->changes, WprChange, i);
      good = wpr_live_set (local, change->item, change->on, error);
      if (!good)
        wpr_live_undo (local, changing, i);
      wpr_live_breathe (local, changing);
    }
  local->session.gathers = FALSE;
  if (local->session.store && !local->session.backward)
    wpr_store_add_ids (local->session.store, NULL, 0, NULL);
  return good;
}

/* ---- marks and words ---- */

static void
wpr_live_mark (WprLocal *local, WprTime when, const char *text)
{
  int cpu = sched_getcpu ();
  local->n_marks += wpr_source_mark_add (local->marks, &local->session, text, when,
                                         cpu > 0 ? (guint)cpu : 0, NULL);
  wpr_log (WPR_LOG_NOTICE, "%s: %s", local->instance, text);
}

static gboolean
wpr_live_has_text (const GPtrArray *texts, const char *text)
{
  for (guint i = 0; i < texts->len; i++)
    if (g_str_equal (g_ptr_array_index (texts, i), text))
      return TRUE;
  return FALSE;
}

/* What the new plan says that the old one did not. */
static void
wpr_live_tell (WprLocal *local, const WprPlan *old, const WprPlan *fresh)
{
  g_autoptr (GString) names = g_string_new (NULL);
  for (guint i = 0; i < fresh->notices->len; i++)
    {
      const char *text = g_ptr_array_index (fresh->notices, i);
      if (!wpr_live_has_text (old->notices, text))
        wpr_local_notice (local, WPR_NOTICE_INFO, "plan", "%s", text);
    }
  for (guint i = 0; i < fresh->missing->len; i++)
    {
      const WprPlanMissing *missing = g_ptr_array_index (fresh->missing, i);
      gboolean is_known = FALSE;
      for (guint j = 0; j < old->missing->len && !is_known; j++)
        is_known = g_str_equal (((const WprPlanMissing *)g_ptr_array_index (old->missing, j))->what,
                                missing->what);
      if (!is_known)
        g_string_append_printf (names, "%s%s", names->len > 0 ? ", " : "", missing->what);
    }
  if (names->len > 0)
    wpr_local_notice (local, WPR_NOTICE_INFO, "missing",
                      _ ("Of what was switched on, this is not available here: %s."), names->str);
}

/* ---- the choice ---- */

/* To be switched off a profile of a file may be named without its file. */
static guint
wpr_live_position (const WprChoice *choice, const WprChoiceItem *like, gboolean on)
{
  guint by_name = G_MAXUINT;
  for (guint i = 0; i < choice->profiles->len; i++)
    {
      const WprChoiceItem *item = g_ptr_array_index (choice->profiles, i);
      if (g_ascii_strcasecmp (item->name, like->name) != 0)
        continue;
      if (g_strcmp0 (item->source, like->source) == 0)
        return i;
      by_name = i;
    }
  return on || like->source ? G_MAXUINT : by_name;
}

static gboolean
wpr_live_switch_item (WprChoice *choice, const WprChoiceItem *item, gboolean on, GError **error)
{
  guint at = wpr_live_position (choice, item, on);
  const WprChoiceItem *there = at != G_MAXUINT ? g_ptr_array_index (choice->profiles, at) : NULL;
  if (on && there && there->level == item->level)
    wpr_set_error (error, WPR_ERROR_STATE, 0, _ ("“%s” is being recorded already."), item->name);
  else if (!on && !there)
    wpr_set_error (error, WPR_ERROR_STATE, 0,
                   _ ("“%s” is not being recorded, so it cannot be switched off."), item->name);
  else if (!on && choice->profiles->len == 1)
    wpr_set_error (error, WPR_ERROR_STATE, 0,
                   _ ("“%s” is all that is being recorded. Stop the recording instead."),
                   item->name);
  else
    {
      if (there)
        g_ptr_array_remove_index (choice->profiles, at);
      if (on)
        wpr_choice_add (choice, item->name, item->source, item->level);
      return TRUE;
    }
  return FALSE;
}

/* The choice of now, changed; NULL with error. */
static WprChoice *
wpr_live_choice (WprLocal *local, const WprChoice *wanted, gboolean on, GError **error)
{
  g_autoptr (GVariant) variant = g_variant_ref_sink (wpr_choice_to_variant (local->choice));
  g_autoptr (WprChoice) choice = wpr_choice_from_variant (variant, error);
  if (!choice)
    return NULL;
  choice->mode = local->plan->mode; /* another than was asked for, where a profile had not that */
  for (guint i = 0; i < wanted->profiles->len; i++)
    if (!wpr_live_switch_item (choice, g_ptr_array_index (wanted->profiles, i), on, error))
      return NULL;
  return g_steal_pointer (&choice);
}

/* Files of the start and of now; of one name the later. Floating-free. */
static GVariant *
wpr_live_files (GVariant *before, GVariant *now)
{
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);
  GVariant *const lists[] = { now, before };
  GVariantBuilder builder;
  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a(say)"));
  for (guint i = 0; i < G_N_ELEMENTS (lists); i++)
    for (gsize j = 0; lists[i] && j < g_variant_n_children (lists[i]); j++)
      {
        g_autoptr (GVariant) file = g_variant_get_child_value (lists[i], j);
        const char *name;
        g_variant_get_child (file, 0, "&s", &name);
        if (g_hash_table_add (names, (gpointer)name))
          g_variant_builder_add_value (&builder, file);
      }
  return g_variant_ref_sink (g_variant_builder_end (&builder));
}

static WprPlan *
wpr_live_plan (WprLocal *local, const WprChoice *choice, GVariant *files, GError **error)
{
  g_autoptr (WprLibrary) library = wpr_library_new ();
  if (!wpr_local_add_files (library, files, error))
    return NULL;
  g_autoptr (WprPlan) plan = wpr_plan_new (library, choice, local->machine, error);
  if (!plan)
    return NULL;
  if (plan->mode != local->plan->mode)
    {
      wpr_set_error (error, WPR_ERROR_STATE, 0,
                     _ ("That profile cannot be recorded in the logging mode of this recording."));
      return NULL;
    }
  return wpr_local_check_strict (plan, error) ? g_steal_pointer (&plan) : NULL;
}

/* ---- profiles ---- */

static void
wpr_live_take_over (WprLocal *local, WprPlan *fresh, WprChoice *choice, GVariant *files)
{
  WprSession *session = &local->session;
  WprManifest *manifest = session->manifest;
  wpr_live_tell (local, local->plan, fresh);
  if (session->store && !fresh->is_sequential && fresh->max_bytes != local->plan->max_bytes)
    wpr_store_set_most (session->store, fresh->max_bytes, NULL);
  wpr_plan_unref (local->plan);
  local->plan = wpr_plan_ref (fresh);
  wpr_choice_free (local->choice);
  local->choice = choice;
  g_clear_pointer (&local->files, g_variant_unref);
  local->files = g_variant_ref (files);
  wpr_manifest_replan (manifest, fresh);
  if (session->store && !session->backward)
    wpr_store_add_ids (session->store, NULL, 0, NULL);
  g_autofree char *program = g_strdup (manifest->program);
  wpr_local_describe (local, program);
}

gboolean
wpr_local_set_profiles (WprLocal *local, const WprChoice *wanted, GVariant *files, gboolean on,
                        GError **error)
{
  WprState to;
  if (!wpr_transition (local->state, WPR_STEP_MARK, &to, error))
    return FALSE;
  g_autoptr (WprChoice) choice = wpr_live_choice (local, wanted, on, error);
  if (!choice)
    return FALSE;
  g_autoptr (GVariant) all = wpr_live_files (local->files, files);
  g_autoptr (WprPlan) fresh = wpr_live_plan (local, choice, all, error);
  if (!fresh || !wpr_local_learn_formats (local, fresh, error))
    return FALSE;
  g_autoptr (GArray) changes = g_array_new (FALSE, FALSE, sizeof (WprChange));
  WprChanging changing = { local->plan, fresh, changes, g_get_monotonic_time () };
  wpr_live_compare (fresh, local->plan, TRUE, changes);
  wpr_live_compare (local->plan, fresh, FALSE, changes);
  WprClockReading begun, over;
  wpr_clock_read (&begun);
  gboolean good = wpr_live_apply (local, &changing, error);
  wpr_clock_read (&over);
  if (good)
    wpr_live_take_over (local, fresh, g_steal_pointer (&choice), all);
  local->session.plan = local->plan;
  for (guint i = 0; good && i < wanted->profiles->len; i++)
    {
      const WprChoiceItem *item = g_ptr_array_index (wanted->profiles, i);
      g_autofree char *text = g_strdup_printf (
          on ? _ ("Profile “%s” enabled") : _ ("Profile “%s” disabled"), item->name);
      /* Nothing of it before the one, nor after the other. */
      wpr_live_mark (local, on ? begun.monotonic_ns : over.monotonic_ns, text);
    }
  wpr_local_rewatch (local);
  wpr_local_keep (local);
  return good;
}

/* ---- larger buffers ---- */

/* The one that loses events, else the one that is fullest. */
static guint
wpr_live_worst (const WprStats *stats)
{
  guint worst = 0;
  for (guint i = 1; i < stats->n_collectors; i++)
    {
      const WprCollectorStats *c = &stats->collectors[i], *w = &stats->collectors[worst];
      if (c->lost > w->lost || (c->lost == w->lost && c->fill > w->fill))
        worst = i;
    }
  return worst;
}

static gboolean
wpr_live_find_collector (WprLocal *local, const char *name, guint *index, GError **error)
{
  const GArray *collectors = local->session.manifest->collectors;
  g_autoptr (WprStats) stats = wpr_recorder_ref_stats (local->parent.recorder);
  if (!name)
    {
      *index = wpr_live_worst (stats);
      return TRUE;
    }
  for (*index = 0; *index < collectors->len; (*index)++)
    if (g_str_equal (g_array_index (collectors, WprStoreCollector, *index).name, name))
      return TRUE;
  wpr_set_error (error, WPR_ERROR_USAGE, 0, _ ("This recording has no collector “%s”."), name);
  return FALSE;
}

/* What the rings of all collectors would take, not counting those that are replaced. */
static gboolean
wpr_live_has_memory (WprLocal *local, guint index, guint64 ring_bytes, GError **error)
{
  const WprManifest *manifest = local->session.manifest;
  guint64 sum = 0, most = manifest->memory_bytes / 2;
  for (guint i = 0; i < manifest->collectors->len; i++)
    sum += (i == index ? ring_bytes
                       : g_array_index (manifest->collectors, WprStoreCollector, i).ring_bytes)
           * manifest->n_cpus;
  if (sum <= most)
    return TRUE;
  g_autofree char *need = g_format_size_full (sum, G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *have = g_format_size_full (most, G_FORMAT_SIZE_IEC_UNITS);
  wpr_set_error (error, WPR_ERROR_NO_SPACE, 0,
                 _ ("The buffers would take %s then; half of this computer's memory is %s. Switch "
                    "off profiles or call stacks instead."),
                 need, have);
  return FALSE;
}

/* bytes: in all, 0: twice what it has. */
static gboolean
wpr_live_ring_bytes (WprLocal *local, guint index, guint64 bytes, guint64 *ring_bytes,
                     GError **error)
{
  const WprManifest *manifest = local->session.manifest;
  const WprStoreCollector *c = &g_array_index (manifest->collectors, WprStoreCollector, index);
  guint64 wanted = bytes ? bytes / MAX (manifest->n_cpus, 1) : c->ring_bytes * 2;
  *ring_bytes = c->ring_bytes;
  while (*ring_bytes > 0 && wanted <= WPR_RING_BYTES_MOST && *ring_bytes * 2 <= wanted)
    *ring_bytes *= 2;
  if (*ring_bytes > c->ring_bytes)
    return wpr_live_has_memory (local, index, *ring_bytes, error);
  g_autofree char *size = g_format_size_full (c->ring_bytes, G_FORMAT_SIZE_IEC_UNITS);
  wpr_set_error (error, WPR_ERROR_USAGE, 0,
                 _ ("The buffers of “%s” have %s for each CPU already. They grow by powers of two, "
                    "up to 1 GiB for each CPU."),
                 c->name, size);
  return FALSE;
}

gboolean
wpr_local_grow (WprLocal *local, const char *name, guint64 bytes, GError **error)
{
  WprSession *session = &local->session;
  WprState to;
  guint index;
  guint64 ring_bytes;
  if (!wpr_transition (local->state, WPR_STEP_MARK, &to, error)
      || !wpr_live_find_collector (local, name, &index, error)
      || !wpr_live_ring_bytes (local, index, bytes, &ring_bytes, error))
    return FALSE;
  const WprStoreCollector *c
      = &g_array_index (session->manifest->collectors, WprStoreCollector, index);
  guint64 before = c->ring_bytes;
  WprClockReading now;
  wpr_clock_read (&now);
  for (guint i = 0; i < local->sources->len; i++)
    if (!wpr_source_grow (g_ptr_array_index (local->sources, i), session, index, ring_bytes, error))
      return FALSE;
  wpr_local_rewatch (local);
  if (session->store && !session->backward)
    wpr_store_add_ids (session->store, NULL, 0, NULL);
  g_autofree char *from = g_format_size_full (before, G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *size = g_format_size_full (c->ring_bytes, G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *text = g_strdup_printf (
      _ ("Buffers of “%s” enlarged from %s to %s for each CPU"), c->name, from, size);
  wpr_live_mark (local, now.monotonic_ns, text);
  wpr_local_notice (local, WPR_NOTICE_INFO, "ring-grown", "%s.", text);
  return TRUE;
}
