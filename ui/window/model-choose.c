/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The model: profiles, what the person wants of them, and the plan of it. */
#include "config.h"
#include "model-private.h"

#define SLOW_START_US (2 * G_USEC_PER_SEC) /* it takes a third of a second */

GListModel *
wpr_model_get_profiles (WprModel *self)
{
  return G_LIST_MODEL (self->profiles);
}

WprCustoms *
wpr_model_get_customs (WprModel *self)
{
  return self->customs;
}

const char *
wpr_model_get_rights_text (WprModel *self)
{
  return self->rights_text;
}

guint64
wpr_model_get_memory_bytes (WprModel *self)
{
  return self->memory_bytes;
}

void
wpr_model_set_wish (WprModel *self, const WprWish *wish)
{
  g_clear_pointer (&self->wish, wpr_wish_free);
  self->wish = wpr_wish_copy (wish);
  g_free (self->wish->folder);
  self->wish->folder = g_strdup (wpr_model_get_folder (self));
  self->wish->unlock = wpr_model_is_unlocked (self);
  g_clear_pointer (&self->plan, wpr_plan_unref);
  g_clear_error (&self->plan_error);
  g_clear_pointer (&self->estimate, g_free);
  self->serial++;
  wpr_backend_plan (self->backend, self->wish, self->serial);
  if (wish->names[0] == NULL)
    wpr_model_emit (self, WPR_MODEL_PLANNED);
}

const WprPlan *
wpr_model_get_plan (WprModel *self)
{
  return self->plan;
}

const GError *
wpr_model_get_plan_error (WprModel *self)
{
  return self->plan_error;
}

const WprEstimate *
wpr_model_get_estimate (WprModel *self)
{
  return self->estimate;
}

WprWorth
wpr_model_get_worth (WprModel *self, const char *profile)
{
  if (self->worth == NULL)
    return WPR_WORTH_SOMETHING;
  return GPOINTER_TO_INT (g_hash_table_lookup (self->worth, profile));
}

void
wpr_model_export (WprModel *self, const char *file)
{
  if (self->wish != NULL && self->wish->names[0] != NULL)
    wpr_backend_export (self->backend, self->wish, file);
}

void
wpr_model_ask_samples (WprModel *self)
{
  wpr_backend_ask_samples (self->backend);
}

void
wpr_model_set_samples (WprModel *self, guint samples_per_s)
{
  wpr_backend_set_samples (self->backend, samples_per_s);
  if (self->wish == NULL)
    return;
  g_autoptr (WprWish) wish = wpr_wish_copy (self->wish);
  wpr_model_set_wish (self, wish);
}

gboolean
wpr_model_can_start (WprModel *self)
{
  return self->plan != NULL && !self->plan->needs_rights && !wpr_details_is_empty (self->plan)
         && !self->starting && self->lock != WPR_LOCK_ASKING && self->page == WPR_PAGE_CHOOSE;
}

void
wpr_model_begin_starting (WprModel *self)
{
  self->starting = TRUE;
  self->starting_us = g_get_monotonic_time ();
}

gboolean
wpr_model_get_starting_slowly (WprModel *self)
{
  return self->starting && g_get_monotonic_time () - self->starting_us > SLOW_START_US;
}

gboolean
wpr_model_get_starting (WprModel *self)
{
  return self->starting;
}

void
wpr_model_ask_details (WprModel *self, const char *profile)
{
  char *none[] = { NULL };
  WprWish empty = { .names = none };
  wpr_backend_describe (self->backend, self->wish ? self->wish : &empty, profile);
}

void
wpr_model_start (WprModel *self)
{
  if (!wpr_model_can_start (self))
    return;
  wpr_model_start_wish (self, self->wish);
  wpr_model_emit (self, WPR_MODEL_PLANNED);
}

void
wpr_model_take_loaded (WprModel *self, GPtrArray *items, const char *rights_text,
                       guint64 memory_bytes)
{
  wpr_model_replace (&self->rights_text, rights_text);
  self->memory_bytes = memory_bytes;
  g_list_store_splice (self->profiles, 0, 0, items->pdata, items->len);
  wpr_model_emit (self, WPR_MODEL_LOADED);
}

void
wpr_model_take_plan (WprModel *self, guint serial, WprPlan *plan, GError *error)
{
  g_autoptr (WprPlan) taken = plan;
  g_autoptr (GError) taken_error = error;
  if (serial != self->serial)
    return;
  self->plan = g_steal_pointer (&taken);
  self->plan_error = g_steal_pointer (&taken_error);
  wpr_model_emit (self, WPR_MODEL_PLANNED);
}

void
wpr_model_take_estimate (WprModel *self, guint serial, WprEstimate *estimate)
{
  g_autofree WprEstimate *taken = estimate;
  if (serial != self->serial || self->plan == NULL)
    return;
  g_free (self->estimate);
  self->estimate = g_steal_pointer (&taken);
  wpr_model_emit (self, WPR_MODEL_PLANNED);
}

void
wpr_model_take_worth (WprModel *self, guint serial, GHashTable *worth)
{
  g_autoptr (GHashTable) taken = worth;
  if (serial != self->serial)
    return;
  g_clear_pointer (&self->worth, g_hash_table_unref);
  self->worth = g_steal_pointer (&taken);
  wpr_model_emit (self, WPR_MODEL_WORTH);
}

void
wpr_model_take_samples (WprModel *self, guint samples_per_s)
{
  wpr_model_emit (self, WPR_MODEL_SAMPLES, samples_per_s);
}

void
wpr_model_take_details (WprModel *self, WprDetails *details)
{
  wpr_model_emit (self, WPR_MODEL_DETAILS, details);
}
