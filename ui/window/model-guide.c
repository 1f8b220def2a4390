/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The model: a guide (guide.h) that is read, and the recording it asks for. */
#include "config.h"
#include "model-private.h"

#include "guide.h"

void
wpr_model_read_guide (WprModel *self, const char *name)
{
  wpr_backend_read_guide (self->backend, name);
}

void
wpr_model_take_guide (WprModel *self, WprGuide *guide)
{
  g_autoptr (WprGuide) taken = guide;
  wpr_model_emit (self, WPR_MODEL_GUIDE, taken);
}

gboolean
wpr_model_can_start_guide (WprModel *self, const WprGuide *guide)
{
  return guide->ids != NULL && !guide->plan->needs_rights && !wpr_details_is_empty (guide->plan)
         && !self->starting && self->lock != WPR_LOCK_ASKING
         && (self->page == WPR_PAGE_CHOOSE || self->page == WPR_PAGE_RESULT);
}

void
wpr_model_start_guide (WprModel *self, const WprGuide *guide, gboolean own)
{
  if (!wpr_model_can_start_guide (self, guide) || (own && guide->own_plan == NULL))
    return;
  if (self->page == WPR_PAGE_RESULT)
    wpr_model_record_again (self);
  WprWish wish = { .names = guide->ids,
                   .level = guide->level,
                   .mode = guide->mode,
                   .folder = (char *)wpr_model_get_folder (self),
                   .unlock = guide->plan->unlock && !own };
  wpr_model_start_wish (self, &wish);
  wpr_model_emit (self, WPR_MODEL_PLANNED);
}

void
wpr_model_set_name_words (WprModel *self, const char *words)
{
  wpr_backend_set_name_words (self->backend, words);
}
