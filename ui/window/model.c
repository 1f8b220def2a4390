/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The model's class: its life, its signals, its page. */
#include "config.h"
#include "model-private.h"

#include <string.h>
#include "customs.h"
#include "profile-item.h"
#include "target.h"

G_DEFINE_FINAL_TYPE (WprModel, wpr_model, G_TYPE_OBJECT)

guint wpr_model_signals[WPR_MODEL_N_SIGNALS];

/* One row a signal: its name and the types of what it carries. */
static const struct
{
  const char *name;
  guint n_types;
  GType types[3];
} signal_table[WPR_MODEL_N_SIGNALS] = {
  [WPR_MODEL_LOADED] = { "loaded", 0, { 0 } },
  [WPR_MODEL_PLANNED] = { "planned", 0, { 0 } },
  [WPR_MODEL_WORTH] = { "worth", 0, { 0 } },
  [WPR_MODEL_SAMPLES] = { "samples", 1, { G_TYPE_UINT } },
  [WPR_MODEL_FOLDER] = { "folder", 0, { 0 } },
  [WPR_MODEL_PAGE] = { "page", 0, { 0 } },
  [WPR_MODEL_SUBJECT] = { "subject", 0, { 0 } },
  [WPR_MODEL_SWITCHED] = { "switched", 0, { 0 } },
  [WPR_MODEL_FIGURES] = { "figures", 0, { 0 } },
  [WPR_MODEL_NOTICE] = { "notice", 1, { G_TYPE_STRING } },
  [WPR_MODEL_PROGRESS] = { "progress", 0, { 0 } },
  [WPR_MODEL_OUTCOME] = { "outcome", 0, { 0 } },
  [WPR_MODEL_TOAST] = { "toast", 1, { G_TYPE_STRING } },
  [WPR_MODEL_TROUBLE] = { "trouble", 2, { G_TYPE_STRING, G_TYPE_STRING } },
  [WPR_MODEL_REFUSED] = { "refused", 2, { G_TYPE_STRING, G_TYPE_STRING } },
  [WPR_MODEL_DETAILS] = { "details", 1, { G_TYPE_POINTER } },
  [WPR_MODEL_SILENCE] = { "silence", 1, { G_TYPE_STRING } },
  [WPR_MODEL_LOCK] = { "lock", 0, { 0 } },
  [WPR_MODEL_GUIDE] = { "guide", 1, { G_TYPE_POINTER } },
};

void
wpr_model_replace (char **where, const char *text)
{
  char *copy = g_strdup (text);
  g_free (*where);
  *where = copy;
}

/* ---- class ---- */

static void
wpr_model_finalize (GObject *object)
{
  WprModel *self = WPR_MODEL (object);
  g_clear_object (&self->profiles);
  g_clear_object (&self->customs);
  g_clear_pointer (&self->wish, wpr_wish_free);
  g_clear_pointer (&self->plan, wpr_plan_unref);
  g_clear_error (&self->plan_error);
  g_free (self->estimate);
  g_clear_pointer (&self->worth, g_hash_table_unref);
  g_clear_pointer (&self->subject, wpr_subject_free);
  g_clear_pointer (&self->stats, wpr_stats_unref);
  g_clear_pointer (&self->history, wpr_history_free);
  g_clear_pointer (&self->remarks, wpr_remarks_free);
  g_clear_pointer (&self->outcome, wpr_outcome_free);
  g_free (self->rights_text);
  g_free (self->lock_words);
  g_clear_pointer (&self->waiting, wpr_wish_free);
  g_strfreev (self->begun);
  g_free (self->folder);
  g_free (self->default_folder);
  g_free (self->note);
  g_free (self->file_name);
  g_free (self->phase);
  g_free (self->silence);
  G_OBJECT_CLASS (wpr_model_parent_class)->finalize (object);
}

static void
wpr_model_class_init (WprModelClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = wpr_model_finalize;
  for (guint i = 0; i < WPR_MODEL_N_SIGNALS; i++)
    wpr_model_signals[i] = g_signal_newv (signal_table[i].name, WPR_TYPE_MODEL, G_SIGNAL_RUN_LAST,
                                          NULL, NULL, NULL, NULL, G_TYPE_NONE,
                                          signal_table[i].n_types, (GType *)signal_table[i].types);
}

static void
wpr_model_init (WprModel *self)
{
  self->profiles = g_list_store_new (WPR_TYPE_PROFILE_ITEM);
  self->history = wpr_history_new ();
  self->remarks = wpr_remarks_new ();
  self->default_folder = wpr_target_default_folder ();
  self->names = TRUE;
  self->lock_words = g_strdup ("");
  self->note = g_strdup ("");
  self->file_name = g_strdup ("");
  self->phase = g_strdup ("");
}

WprModel *
wpr_model_new (void)
{
  WprModel *self = g_object_new (WPR_TYPE_MODEL, NULL);
  self->backend = wpr_backend_new (self);
  self->customs = wpr_customs_new (self->backend);
  return self;
}

void
wpr_model_close (WprModel *self)
{
  wpr_customs_close (self->customs);
  g_clear_pointer (&self->backend, wpr_backend_free);
}

void
wpr_model_set_page (WprModel *self, WprPage page)
{
  if (self->page == page)
    return;
  self->page = page;
  wpr_model_emit (self, WPR_MODEL_PAGE);
}

WprPage
wpr_model_get_page (WprModel *self)
{
  return self->page;
}

void
wpr_model_take_silence (WprModel *self, const char *text)
{
  wpr_model_replace (&self->silence, text);
  wpr_model_emit (self, WPR_MODEL_SILENCE, text);
}

const char *
wpr_model_get_silence (WprModel *self)
{
  return self->silence;
}

void
wpr_model_take_toast (WprModel *self, const char *text)
{
  wpr_model_emit (self, WPR_MODEL_TOAST, text);
}

void
wpr_model_take_trouble (WprModel *self, const char *heading, const char *body)
{
  wpr_model_emit (self, WPR_MODEL_TROUBLE, heading, body);
}

void
wpr_model_take_refused (WprModel *self, const char *heading, const char *body)
{
  wpr_model_emit (self, WPR_MODEL_REFUSED, heading, body);
}
