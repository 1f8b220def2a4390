/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The model: the recording that is saved, and how it ended. */
#include "config.h"
#include "model-private.h"

#include <string.h>

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
  g_clear_pointer (&self->outcome, wpr_outcome_free);
  wpr_model_set_page (self, WPR_PAGE_CHOOSE);
  wpr_model_emit (self, WPR_MODEL_PLANNED);
}

/* One row a phase: where it begins and how much it is of the whole, as measured: reading who was
 * there, writing, and reading back take about 1 : 3 : 1. */
static const struct
{
  const char *phase;
  double begin, share;
} phases[] = {
  { "collect", 0, .2 },
  { "order", .2, .6 },
  { "check", .8, .2 },
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
  else if (self->page == WPR_PAGE_SAVING && self->hold_result
           && (outcome->kind == WPR_OUTCOME_WHOLE || outcome->kind == WPR_OUTCOME_HOLED))
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
