/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The model: what this user may record, and an administrator's approval for more. */
#include "config.h"
#include "model-private.h"

WprLock
wpr_model_get_lock (WprModel *self)
{
  return self->lock;
}

WprRights
wpr_model_get_rights (WprModel *self)
{
  return self->rights;
}

const char *
wpr_model_get_lock_words (WprModel *self)
{
  return self->lock_words;
}

gboolean
wpr_model_is_unlocked (WprModel *self)
{
  return self->lock == WPR_LOCK_OPEN || self->lock == WPR_LOCK_UNLOCKED;
}

gboolean
wpr_model_can_unlock (WprModel *self)
{
  return self->lock == WPR_LOCK_CLOSED && !self->starting
         && (self->page == WPR_PAGE_CHOOSE || self->page == WPR_PAGE_RESULT);
}

static void
ask (WprModel *self)
{
  self->lock = WPR_LOCK_ASKING;
  wpr_model_replace (&self->lock_words, "");
  wpr_backend_unlock (self->backend);
  wpr_model_emit (self, WPR_MODEL_LOCK);
}

void
wpr_model_unlock (WprModel *self)
{
  if (wpr_model_can_unlock (self))
    ask (self);
}

void
wpr_model_cancel_unlock (WprModel *self)
{
  if (self->lock == WPR_LOCK_ASKING)
    wpr_backend_cancel_unlock (self->backend);
}

void
wpr_model_start_wish (WprModel *self, const WprWish *wish)
{
  wpr_model_begin_starting (self);
  self->recorded_unlocked = wish->unlock;
  g_strfreev (self->begun);
  self->begun = g_strdupv (wish->names);
  if (!wish->unlock || self->lock != WPR_LOCK_CLOSED)
    {
      wpr_backend_start (self->backend, wish);
      return;
    }
  g_clear_pointer (&self->waiting, wpr_wish_free);
  self->waiting = wpr_wish_copy (wish);
  ask (self);
}

/* What waited for the answer starts, or does not. */
static void
go_on (WprModel *self)
{
  g_autoptr (WprWish) waiting = g_steal_pointer (&self->waiting);
  if (waiting == NULL)
    return;
  if (wpr_model_is_unlocked (self))
    wpr_backend_start (self->backend, waiting);
  else
    self->starting = FALSE;
  wpr_model_emit (self, WPR_MODEL_PLANNED);
  wpr_model_emit (self, WPR_MODEL_OUTCOME);
}

void
wpr_model_take_lock (WprModel *self, WprLock lock, WprRights rights, const char *words)
{
  gboolean was_unlocked = wpr_model_is_unlocked (self);
  self->lock = lock;
  self->rights = rights;
  wpr_model_replace (&self->lock_words, words);
  if (was_unlocked != wpr_model_is_unlocked (self) && self->wish != NULL)
    {
      g_autoptr (WprWish) wish = wpr_wish_copy (self->wish);
      wpr_model_set_wish (self, wish);
    }
  wpr_model_emit (self, WPR_MODEL_LOCK);
  if (lock != WPR_LOCK_ASKING)
    go_on (self);
}
