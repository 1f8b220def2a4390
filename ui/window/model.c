/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The values the pages show, and how one page follows the other. */
#include "config.h"
#include "model.h"

#include <glib/gi18n.h>
#include <string.h>
#include "backend.h"
#include "customs.h"
#include "format.h"
#include "profile-item.h"
#include "target.h"

struct _WprModel
{
  GObject parent;
  WprBackend *backend;
  WprCustoms *customs;

  GListStore *profiles;
  char *rights_text;
  guint64 memory_bytes;
  WprWish *wish;
  guint serial; /* of the newest plan asked for */
  WprPlan *plan;
  GError *plan_error;
  gboolean starting;

  WprPage page;
  WprSubject *subject;
  WprStats *stats;
  WprHistory *history;
  guint own_marks;

  char *folder; /* NULL: the default one */
  char *default_folder;
  char *note;
  char *file_name;
  char *phase;
  double fraction;
  guint64 done, total;
  WprOutcome *outcome;
  gboolean hold_result;
};

G_DEFINE_FINAL_TYPE (WprModel, wpr_model, G_TYPE_OBJECT)

enum
{
  SIGNAL_LOADED,
  SIGNAL_PLANNED,
  SIGNAL_PAGE,
  SIGNAL_SUBJECT,
  SIGNAL_FIGURES,
  SIGNAL_NOTICE,
  SIGNAL_PROGRESS,
  SIGNAL_TOAST,
  SIGNAL_TROUBLE,
  SIGNAL_DETAILS,
  N_SIGNALS
};
static guint signals[N_SIGNALS];

/* One row a signal: its name and the types of what it carries. */
static const struct
{
  const char *name;
  guint n_types;
  GType types[2];
} signal_table[N_SIGNALS] = {
  [SIGNAL_LOADED] = { "loaded", 0, { 0 } },
  [SIGNAL_PLANNED] = { "planned", 0, { 0 } },
  [SIGNAL_PAGE] = { "page", 0, { 0 } },
  [SIGNAL_SUBJECT] = { "subject", 0, { 0 } },
  [SIGNAL_FIGURES] = { "figures", 0, { 0 } },
  [SIGNAL_NOTICE] = { "notice", 2, { G_TYPE_INT, G_TYPE_STRING } },
  [SIGNAL_PROGRESS] = { "progress", 0, { 0 } },
  [SIGNAL_TOAST] = { "toast", 1, { G_TYPE_STRING } },
  [SIGNAL_TROUBLE] = { "trouble", 2, { G_TYPE_STRING, G_TYPE_STRING } },
  [SIGNAL_DETAILS] = { "details", 1, { G_TYPE_POINTER } },
};

static void
replace (char **where, const char *text)
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
  g_clear_pointer (&self->subject, wpr_subject_free);
  g_clear_pointer (&self->stats, wpr_stats_unref);
  g_clear_pointer (&self->history, wpr_history_free);
  g_clear_pointer (&self->outcome, wpr_outcome_free);
  g_free (self->rights_text);
  g_free (self->folder);
  g_free (self->default_folder);
  g_free (self->note);
  g_free (self->file_name);
  g_free (self->phase);
  G_OBJECT_CLASS (wpr_model_parent_class)->finalize (object);
}

static void
wpr_model_class_init (WprModelClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = wpr_model_finalize;
  for (guint i = 0; i < N_SIGNALS; i++)
    signals[i] = g_signal_newv (signal_table[i].name, WPR_TYPE_MODEL, G_SIGNAL_RUN_LAST, NULL, NULL,
                                NULL, NULL, G_TYPE_NONE, signal_table[i].n_types,
                                (GType *)signal_table[i].types);
}

static void
wpr_model_init (WprModel *self)
{
  self->profiles = g_list_store_new (WPR_TYPE_PROFILE_ITEM);
  self->history = wpr_history_new ();
  self->default_folder = wpr_target_default_folder ();
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

static void
set_page (WprModel *self, WprPage page)
{
  if (self->page == page)
    return;
  self->page = page;
  g_signal_emit (self, signals[SIGNAL_PAGE], 0);
}

/* ---- choose ---- */

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
  g_clear_pointer (&self->plan, wpr_plan_unref);
  g_clear_error (&self->plan_error);
  self->serial++;
  if (wish->names[0] != NULL)
    wpr_backend_plan (self->backend, wish, self->serial);
  else
    g_signal_emit (self, signals[SIGNAL_PLANNED], 0);
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

gboolean
wpr_model_can_start (WprModel *self)
{
  return self->plan != NULL && !self->plan->needs_rights && !self->starting
         && self->page == WPR_PAGE_CHOOSE;
}

gboolean
wpr_model_get_starting (WprModel *self)
{
  return self->starting;
}

void
wpr_model_ask_details (WprModel *self, const char *profile)
{
  char *names[] = { (char *)profile, NULL };
  WprWish wish = { .names = names };
  if (self->wish != NULL)
    {
      wish.level = self->wish->level;
      wish.mode = self->wish->mode;
    }
  wpr_backend_describe (self->backend, &wish);
}

void
wpr_model_start (WprModel *self)
{
  if (!wpr_model_can_start (self))
    return;
  self->starting = TRUE;
  wpr_backend_start (self->backend, self->wish);
  g_signal_emit (self, signals[SIGNAL_PLANNED], 0);
}

/* ---- recording ---- */

WprPage
wpr_model_get_page (WprModel *self)
{
  return self->page;
}

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
  g_signal_emit (self, signals[SIGNAL_FIGURES], 0);
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
  g_signal_emit (self, signals[SIGNAL_FIGURES], 0);
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
  replace (&self->phase, "");
  self->fraction = 0;
  self->done = self->total = 0;
  wpr_backend_stop (self->backend, wpr_model_get_folder (self), *self->note ? self->note : NULL);
  set_page (self, WPR_PAGE_SAVING);
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

/* ---- saving ---- */

const char *
wpr_model_get_folder (WprModel *self)
{
  return self->folder ? self->folder : self->default_folder;
}

void
wpr_model_set_folder (WprModel *self, const char *folder)
{
  replace (&self->folder, folder);
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
  replace (&self->note, note);
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
  replace (&self->file_name, name);
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
    set_page (self, WPR_PAGE_RESULT);
}

void
wpr_model_record_again (WprModel *self)
{
  g_clear_pointer (&self->outcome, wpr_outcome_free);
  set_page (self, WPR_PAGE_CHOOSE);
  g_signal_emit (self, signals[SIGNAL_PLANNED], 0);
}

/* ---- answers of the backend ---- */

void
wpr_model_take_loaded (WprModel *self, GPtrArray *items, const char *rights_text,
                       guint64 memory_bytes)
{
  replace (&self->rights_text, rights_text);
  self->memory_bytes = memory_bytes;
  g_list_store_splice (self->profiles, 0, 0, items->pdata, items->len);
  g_signal_emit (self, signals[SIGNAL_LOADED], 0);
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
  g_signal_emit (self, signals[SIGNAL_PLANNED], 0);
}

void
wpr_model_take_details (WprModel *self, WprDetails *details)
{
  g_signal_emit (self, signals[SIGNAL_DETAILS], 0, details);
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
  self->own_marks = 0;
  self->starting = FALSE;
  replace (&self->note, "");
  replace (&self->file_name, "");
  replace (&self->phase, "");
  self->fraction = 0;
  g_signal_emit (self, signals[SIGNAL_SUBJECT], 0);
}

void
wpr_model_take_state (WprModel *self, WprState state)
{
  if (state == WPR_STATE_RECORDING)
    set_page (self, WPR_PAGE_RECORDING);
  else if (state == WPR_STATE_STOPPING || state == WPR_STATE_MERGING)
    set_page (self, WPR_PAGE_SAVING);
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
  g_signal_emit (self, signals[SIGNAL_FIGURES], 0);
}

void
wpr_model_take_notice (WprModel *self, WprSeverity severity, const char *text)
{
  g_signal_emit (self, signals[SIGNAL_NOTICE], 0, (int)severity, text);
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
  replace (&self->phase, phase);
  self->fraction = MAX (self->fraction, total_fraction (phase, fraction));
  self->done = done;
  self->total = total;
  g_signal_emit (self, signals[SIGNAL_PROGRESS], 0);
}

void
wpr_model_take_name (WprModel *self, const char *name)
{
  g_free (self->file_name);
  self->file_name
      = g_str_has_suffix (name, ".etl") ? g_strndup (name, strlen (name) - 4) : g_strdup (name);
  g_signal_emit (self, signals[SIGNAL_PROGRESS], 0);
}

void
wpr_model_take_end (WprModel *self, WprOutcome *outcome, const char *toast)
{
  self->starting = FALSE;
  g_clear_pointer (&self->outcome, wpr_outcome_free);
  self->outcome = outcome;
  if (outcome == NULL)
    set_page (self, WPR_PAGE_CHOOSE);
  else if (self->page == WPR_PAGE_SAVING && self->hold_result
           && (outcome->kind == WPR_OUTCOME_WHOLE || outcome->kind == WPR_OUTCOME_HOLED))
    {
      self->fraction = 1;
      g_signal_emit (self, signals[SIGNAL_PROGRESS], 0);
    }
  else
    set_page (self, WPR_PAGE_RESULT);
  if (toast != NULL)
    g_signal_emit (self, signals[SIGNAL_TOAST], 0, toast);
  g_signal_emit (self, signals[SIGNAL_PLANNED], 0);
}

void
wpr_model_take_toast (WprModel *self, const char *text)
{
  g_signal_emit (self, signals[SIGNAL_TOAST], 0, text);
}

void
wpr_model_take_trouble (WprModel *self, const char *heading, const char *body)
{
  g_signal_emit (self, signals[SIGNAL_TROUBLE], 0, heading, body);
}
