/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The model: the recording that is saved, and how it ended. */
#include "config.h"
#include "model-private.h"

#include <string.h>
#include "customs.h"
#include "profile-item.h"

const char *
wpr_model_get_folder (WprModel *self)
{
  return self->folder ? self->folder : self->default_folder;
}

void
wpr_model_set_folder (WprModel *self, const char *folder)
{
  wpr_model_replace (&self->folder, folder);
  wpr_model_emit (self, WPR_MODEL_FOLDER);
  if (self->wish == NULL)
    return;
  /* another disk has other room */
  g_autoptr (WprWish) wish = wpr_wish_copy (self->wish);
  wpr_model_set_wish (self, wish);
}

const char *
wpr_model_get_note (WprModel *self)
{
  return self->note;
}

void
wpr_model_set_note (WprModel *self, const char *note)
{
  if (strcmp (self->note, note) == 0)
    return;
  wpr_model_replace (&self->note, note);
  if (self->page == WPR_PAGE_SAVING && self->outcome == NULL)
    wpr_backend_set_note (self->backend, note);
}

const char *
wpr_model_get_file_name (WprModel *self)
{
  return self->file_name;
}

void
wpr_model_set_file_name (WprModel *self, const char *name)
{
  if (strcmp (self->file_name, name) == 0)
    return;
  wpr_model_replace (&self->file_name, name);
  wpr_backend_set_name (self->backend, name);
}

const char *
wpr_model_get_phase (WprModel *self)
{
  return self->phase;
}

double
wpr_model_get_fraction (WprModel *self)
{
  return self->fraction;
}

void
wpr_model_get_phase_count (WprModel *self, guint64 *done, guint64 *total)
{
  *done = self->done;
  *total = self->total;
}

gboolean
wpr_model_get_compress (WprModel *self)
{
  return self->compress;
}

void
wpr_model_set_compress (WprModel *self, gboolean compress)
{
  if (self->compress == compress)
    return;
  self->compress = compress;
  wpr_backend_set_compress (self->backend, compress);
}

gboolean
wpr_model_get_names (WprModel *self)
{
  return self->names;
}

void
wpr_model_set_names (WprModel *self, gboolean names)
{
  self->names = names;
  wpr_backend_set_names (self->backend, names);
}

WprSaveFlags
wpr_model_get_save_flags (WprModel *self)
{
  return (self->compress ? WPR_SAVE_COMPRESSED : 0) | (self->names ? 0 : WPR_SAVE_NO_NAMES);
}

gboolean
wpr_model_can_save_again (WprModel *self)
{
  return self->page == WPR_PAGE_SAVING && self->own_save && self->outcome == NULL;
}

void
wpr_model_finish_later (WprModel *self)
{
  wpr_backend_later (self->backend);
}

/* ---- result ---- */

const WprOutcome *
wpr_model_get_outcome (WprModel *self)
{
  return self->outcome;
}

void
wpr_model_hold_result (WprModel *self, gboolean hold)
{
  self->hold_result = hold;
  if (!hold && self->outcome != NULL && self->page == WPR_PAGE_SAVING)
    wpr_model_set_page (self, WPR_PAGE_RESULT);
}

void
wpr_model_record_again (WprModel *self)
{
  self->open_serial++;
  g_clear_pointer (&self->outcome, wpr_outcome_free);
  wpr_model_set_page (self, WPR_PAGE_CHOOSE);
  wpr_model_emit (self, WPR_MODEL_PLANNED);
}

/* Borrowed; by its id, or by its name where id is NULL. */
static WprProfileItem *
find_among (WprProfileItem *const *items, guint n, const char *name, const char *id)
{
  for (guint i = 0; i < n; i++)
    if (g_str_equal (id != NULL ? wpr_profile_item_get_id (items[i])
                                : wpr_profile_item_get_name (items[i]),
                     id != NULL ? id : name))
      return items[i];
  return NULL;
}

static WprProfileItem *
find_item (WprModel *self, const char *name, const char *id)
{
  GListModel *items = G_LIST_MODEL (self->profiles);
  g_auto (GStrv) files = wpr_customs_list (self->customs);
  WprProfileItem *found = NULL;
  for (guint i = 0; i < g_list_model_get_n_items (items) && found == NULL; i++)
    {
      g_autoptr (WprProfileItem) item = g_list_model_get_item (items, i);
      found = find_among (&item, 1, name, id);
    }
  for (guint i = 0; files[i] != NULL && found == NULL; i++)
    {
      const WprCustomFile *file = wpr_customs_get_file (self->customs, files[i]);
      if (file != NULL && file->usable)
        found
            = find_among ((WprProfileItem *const *)file->items->pdata, file->items->len, name, id);
    }
  return found;
}

/* What was started here is known with its file; its name alone may be that of another profile. */
static const char *
find_begun_id (WprModel *self, const char *name)
{
  for (guint i = 0; self->subject->ours && self->begun != NULL && self->begun[i] != NULL; i++)
    {
      const char *file_end = strrchr (self->begun[i], '!');
      if (g_str_equal (file_end != NULL ? file_end + 1 : self->begun[i], name))
        return self->begun[i];
    }
  return NULL;
}

GPtrArray *
wpr_model_list_recorded (WprModel *self)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func (g_object_unref);
  for (char **name = self->subject->names; *name != NULL; name++)
    {
      WprProfileItem *item = find_item (self, *name, find_begun_id (self, *name));
      if (item == NULL)
        return NULL;
      g_ptr_array_add (items, g_object_ref (item));
    }
  return g_steal_pointer (&items);
}

char **
wpr_model_list_ids (GPtrArray *items)
{
  char **ids = g_new0 (char *, items->len + 1);
  for (guint i = 0; i < items->len; i++)
    ids[i] = g_strdup (wpr_profile_item_get_id (items->pdata[i]));
  return ids;
}

/* The collector whose buffers were too small. */
static const WprCollectorStats *
find_loser (WprModel *self)
{
  const WprCollectorStats *loser = NULL;
  for (guint i = 0; self->stats != NULL && i < self->stats->n_collectors; i++)
    if (loser == NULL || self->stats->collectors[i].lost > loser->lost)
      loser = &self->stats->collectors[i];
  return loser != NULL && loser->lost > 0 ? loser : NULL;
}

static gboolean
knows_recorded (WprModel *self)
{
  g_autoptr (GPtrArray) items = wpr_model_list_recorded (self);
  return items != NULL;
}

gboolean
wpr_model_can_record_larger (WprModel *self)
{
  return self->page == WPR_PAGE_RESULT && self->outcome != NULL && !self->outcome->opened
         && self->outcome->kind == WPR_OUTCOME_HOLED && self->subject != NULL && !self->starting
         && find_loser (self) != NULL && knows_recorded (self);
}

void
wpr_model_record_larger (WprModel *self)
{
  if (!wpr_model_can_record_larger (self))
    return;
  const WprCollectorStats *loser = find_loser (self);
  g_autoptr (GPtrArray) items = wpr_model_list_recorded (self);
  g_autoptr (WprWish) wish = self->wish ? wpr_wish_copy (self->wish) : g_new0 (WprWish, 1);
  g_strfreev (wish->names);
  wish->names = wpr_model_list_ids (items);
  wish->mode = self->subject->mode;
  wish->level = strcmp (self->subject->level, "light") == 0 ? WPR_LEVEL_LIGHT : WPR_LEVEL_VERBOSE;
  wish->buffer_kb = loser->buffer_kb;
  wish->buffers = 2 * MAX (loser->buffers_total, 1);
  wish->unlock = self->recorded_unlocked;
  wpr_model_start_wish (self, wish);
  wpr_model_emit (self, WPR_MODEL_OUTCOME);
}

void
wpr_model_finish_now (WprModel *self, const char *folder)
{
  if (self->page != WPR_PAGE_RESULT || self->outcome == NULL || self->outcome->store == NULL)
    return;
  g_autofree char *store = g_strdup (self->outcome->store);
  if (folder != NULL)
    wpr_model_set_folder (self, folder);
  g_clear_pointer (&self->outcome, wpr_outcome_free);
  wpr_model_replace (&self->phase, "");
  self->fraction = 0;
  self->done = self->total = 0;
  self->own_save = TRUE;
  wpr_backend_finish (self->backend, store, wpr_model_get_folder (self));
  wpr_model_set_page (self, WPR_PAGE_SAVING);
}

void
wpr_model_edit_note (WprModel *self, const char *note)
{
  const WprOutcome *outcome = self->outcome;
  if (self->page == WPR_PAGE_RESULT && outcome != NULL && outcome->name != NULL)
    wpr_backend_add_note (self->backend, outcome->folder, outcome->name, note);
}

void
wpr_model_take_noted (WprModel *self, const char *name, const char *note)
{
  if (self->outcome == NULL || g_strcmp0 (self->outcome->name, name) != 0)
    return;
  wpr_model_replace (&self->outcome->note, note);
  wpr_model_emit (self, WPR_MODEL_OUTCOME);
}

void
wpr_model_open_file (WprModel *self, const char *path)
{
  self->open_serial++;
  wpr_backend_open_file (self->backend, path, self->open_serial);
}

void
wpr_model_take_opened (WprModel *self, guint serial, WprOutcome *outcome)
{
  if (serial != self->open_serial || self->starting || self->page == WPR_PAGE_RECORDING
      || self->page == WPR_PAGE_SAVING)
    {
      wpr_outcome_free (outcome);
      return;
    }
  /* what was written into it while it was read */
  if (self->outcome != NULL && self->outcome->opened && self->outcome->checking
      && self->outcome->note != NULL && g_strcmp0 (self->outcome->name, outcome->name) == 0)
    wpr_model_replace (&outcome->note, self->outcome->note);
  g_clear_pointer (&self->outcome, wpr_outcome_free);
  self->outcome = outcome;
  if (self->page == WPR_PAGE_RESULT)
    wpr_model_emit (self, WPR_MODEL_OUTCOME);
  else
    wpr_model_set_page (self, WPR_PAGE_RESULT);
}

/* One row a phase: where it begins and how much it is of the whole, as measured: reading who was
 * there, writing, and reading back take about 1 : 3 : 1; names of functions take what they take,
 * ten seconds at most. */
static const struct
{
  const char *phase;
  double begin, share;
} phases[] = {
  { "collect", 0, .15 },
  { "order", .15, .45 },
  { "names", .6, .25 },
  { "check", .85, .15 },
};

static double
total_fraction (const char *phase, double fraction)
{
  for (guint i = 0; i < G_N_ELEMENTS (phases); i++)
    if (strcmp (phases[i].phase, phase) == 0)
      return phases[i].begin + phases[i].share * CLAMP (fraction, 0, 1);
  return 0;
}

void
wpr_model_take_progress (WprModel *self, const char *phase, double fraction, guint64 done,
                         guint64 total)
{
  /* a save that goes on recording reports too: its file is announced by a toast */
  if (self->page != WPR_PAGE_SAVING)
    return;
  if (strcmp (phase, WPR_PHASE_AGAIN) == 0)
    {
      wpr_model_replace (&self->phase, "");
      self->fraction = 0;
      self->done = self->total = 0;
      wpr_model_emit (self, WPR_MODEL_PROGRESS);
      return;
    }
  wpr_model_replace (&self->phase, phase);
  self->fraction = MAX (self->fraction, total_fraction (phase, fraction));
  self->done = done;
  self->total = total;
  wpr_model_emit (self, WPR_MODEL_PROGRESS);
}

void
wpr_model_take_name (WprModel *self, const char *name)
{
  g_free (self->file_name);
  self->file_name
      = g_str_has_suffix (name, ".etl") ? g_strndup (name, strlen (name) - 4) : g_strdup (name);
  wpr_model_emit (self, WPR_MODEL_PROGRESS);
}

void
wpr_model_take_end (WprModel *self, WprOutcome *outcome, const char *toast)
{
  self->starting = FALSE;
  g_clear_pointer (&self->outcome, wpr_outcome_free);
  self->outcome = outcome;
  if (outcome == NULL)
    wpr_model_set_page (self, WPR_PAGE_CHOOSE);
  else if (self->page == WPR_PAGE_SAVING && self->hold_result && outcome->name != NULL)
    {
      self->fraction = 1;
      wpr_model_emit (self, WPR_MODEL_PROGRESS);
    }
  else
    wpr_model_set_page (self, WPR_PAGE_RESULT);
  if (toast != NULL)
    wpr_model_emit (self, WPR_MODEL_TOAST, toast);
  wpr_model_emit (self, WPR_MODEL_PLANNED);
}

void
wpr_model_take_late (WprModel *self, WprOutcome *outcome)
{
  const WprOutcome *shown = self->outcome;
  gboolean waits = self->page == WPR_PAGE_RESULT && shown != NULL && !shown->opened
                   && shown->kind == WPR_OUTCOME_LATER && shown->store == NULL;
  if (!waits)
    {
      wpr_outcome_free (outcome);
      return;
    }
  g_clear_pointer (&self->outcome, wpr_outcome_free);
  self->outcome = outcome;
  wpr_model_emit (self, WPR_MODEL_OUTCOME);
}
