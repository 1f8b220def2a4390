/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The model: the recording that runs: its figures, marks, and what is asked of it. */
#include "config.h"
#include "model-private.h"

#include <glib/gi18n.h>
#include "format.h"
#include "profile-item.h"

const WprSubject *
wpr_model_get_subject (WprModel *self)
{
  return self->subject;
}

const WprStats *
wpr_model_get_stats (WprModel *self)
{
  return self->stats;
}

const WprHistory *
wpr_model_get_history (WprModel *self)
{
  return self->history;
}

void
wpr_model_mark (WprModel *self)
{
  if (self->page != WPR_PAGE_RECORDING)
    return;
  /* Translators: the text of a mark in the recording, when the person says nothing */
  wpr_backend_mark (self->backend, _ ("It happened now"));
  wpr_history_flag (self->history, self->history->now, NULL);
  self->own_marks++;
  wpr_model_emit (self, WPR_MODEL_FIGURES);
}

void
wpr_model_mark_words (WprModel *self, const char *words)
{
  if (self->page != WPR_PAGE_RECORDING)
    return;
  wpr_backend_mark (self->backend, words);
  wpr_history_flag (self->history, self->history->now, words);
  self->own_marks++;
  wpr_model_emit (self, WPR_MODEL_FIGURES);
}

void
wpr_model_describe_mark (WprModel *self, const char *words)
{
  if (self->page != WPR_PAGE_RECORDING || *words == '\0' || self->history->flags->len == 0)
    return;
  const WprFlag *flag
      = &g_array_index (self->history->flags, WprFlag, self->history->flags->len - 1);
  g_autofree char *at = wpr_format_minutes (flag->second);
  /* Translators: the text of a mark that describes the one made a little before, at that time */
  g_autofree char *text = g_strdup_printf (_ ("%s (marked at %s)"), words, at);
  wpr_backend_mark (self->backend, text);
  self->own_marks++;
  wpr_history_name_flag (self->history, words);
  wpr_model_emit (self, WPR_MODEL_FIGURES);
}

/* Level LIGHT has no counterpart among the recording's words but "light". */
static WprLevel
get_level (WprModel *self)
{
  return g_strcmp0 (self->subject->level, "light") == 0 ? WPR_LEVEL_LIGHT : WPR_LEVEL_VERBOSE;
}

void
wpr_model_switch_profile (WprModel *self, const char *id, gboolean on)
{
  if (self->page != WPR_PAGE_RECORDING)
    return;
  char *names[] = { (char *)id, NULL };
  WprWish wish = { .names = names, .level = get_level (self), .mode = self->subject->mode };
  wpr_backend_switch (self->backend, &wish, on);
}

gboolean
wpr_model_can_have_fewer_stacks (WprModel *self)
{
  if (self->subject == NULL || get_level (self) == WPR_LEVEL_LIGHT)
    return FALSE;
  g_autoptr (GPtrArray) items = wpr_model_list_recorded (self);
  for (guint i = 0; items != NULL && i < items->len; i++)
    if (wpr_profile_item_has (items->pdata[i], WPR_LEVEL_LIGHT, self->subject->mode))
      return TRUE;
  return FALSE;
}

void
wpr_model_fewer_stacks (WprModel *self)
{
  if (self->page != WPR_PAGE_RECORDING || !wpr_model_can_have_fewer_stacks (self))
    return;
  g_autoptr (GPtrArray) items = wpr_model_list_recorded (self);
  g_auto (GStrv) names = wpr_model_list_ids (items);
  WprWish wish = { .names = names, .level = WPR_LEVEL_LIGHT, .mode = self->subject->mode };
  wpr_backend_switch (self->backend, &wish, TRUE);
}

void
wpr_model_enlarge_buffers (WprModel *self)
{
  if (self->page == WPR_PAGE_RECORDING)
    wpr_backend_enlarge (self->backend);
}

void
wpr_model_take_switched (WprModel *self, const WprSubject *subject)
{
  if (self->subject == NULL)
    return;
  g_strfreev (self->subject->names);
  g_strfreev (self->subject->titles);
  self->subject->names = g_strdupv (subject->names);
  self->subject->titles = g_strdupv (subject->titles);
  wpr_model_replace (&self->subject->level, subject->level);
  wpr_model_emit (self, WPR_MODEL_SWITCHED);
}

void
wpr_model_save_ring (WprModel *self)
{
  if (self->page == WPR_PAGE_RECORDING)
    wpr_backend_save_ring (self->backend, wpr_model_get_folder (self));
}

void
wpr_model_stop (WprModel *self)
{
  if (self->page != WPR_PAGE_RECORDING)
    return;
  wpr_model_replace (&self->phase, "");
  self->fraction = 0;
  self->done = self->total = 0;
  self->own_save = TRUE;
  wpr_backend_stop (self->backend, wpr_model_get_folder (self), *self->note ? self->note : NULL);
  wpr_model_set_page (self, WPR_PAGE_SAVING);
}

void
wpr_model_discard (WprModel *self)
{
  if (self->page == WPR_PAGE_RECORDING)
    wpr_backend_discard (self->backend);
}

void
wpr_model_set_watched (WprModel *self, gboolean watched)
{
  wpr_backend_watch (self->backend, watched);
}

void
wpr_model_take_subject (WprModel *self, WprSubject *subject)
{
  g_clear_pointer (&self->subject, wpr_subject_free);
  self->subject = subject;
  g_clear_pointer (&self->stats, wpr_stats_unref);
  g_clear_pointer (&self->history, wpr_history_free);
  self->history = wpr_history_new ();
  g_clear_pointer (&self->outcome, wpr_outcome_free);
  wpr_remarks_free (self->remarks);
  self->remarks = wpr_remarks_new ();
  self->own_marks = 0;
  self->own_save = FALSE;
  self->starting = FALSE;
  g_clear_pointer (&self->silence, g_free);
  self->open_serial++;
  wpr_model_replace (&self->note, "");
  wpr_model_replace (&self->file_name, "");
  wpr_model_replace (&self->phase, "");
  self->fraction = 0;
  wpr_model_emit (self, WPR_MODEL_SUBJECT);
}

void
wpr_model_take_state (WprModel *self, WprState state)
{
  if (state == WPR_STATE_RECORDING)
    wpr_model_set_page (self, WPR_PAGE_RECORDING);
  else if (state == WPR_STATE_STOPPING || state == WPR_STATE_MERGING)
    wpr_model_set_page (self, WPR_PAGE_SAVING);
}

/* A mark of another face has no words here. */
static void
flag_other_marks (WprModel *self, const WprStats *stats)
{
  while (self->own_marks < stats->n_marks)
    {
      wpr_history_flag (self->history, self->history->now, NULL);
      self->own_marks++;
    }
}

void
wpr_model_take_figures (WprModel *self, GPtrArray *readings)
{
  for (guint i = 0; i < readings->len; i++)
    wpr_history_push (self->history, readings->pdata[i]);
  if (readings->len == 0)
    return;
  gboolean first = self->stats == NULL;
  g_clear_pointer (&self->stats, wpr_stats_unref);
  self->stats = wpr_stats_ref (readings->pdata[readings->len - 1]);
  if (first)
    self->own_marks = MAX (self->own_marks, self->stats->n_marks);
  else
    flag_other_marks (self, self->stats);
  wpr_model_emit (self, WPR_MODEL_FIGURES);
}

void
wpr_model_take_notice (WprModel *self, const WprNotice *notice)
{
  if (wpr_remarks_add (self->remarks, notice))
    wpr_model_emit (self, WPR_MODEL_NOTICE, notice->text);
}

const WprNotice *
wpr_model_get_remark (WprModel *self)
{
  return wpr_remarks_get (self->remarks);
}

void
wpr_model_close_remark (WprModel *self)
{
  wpr_remarks_close (self->remarks);
}
