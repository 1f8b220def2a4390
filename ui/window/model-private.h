/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of the model share: model.c (class, pages), model-choose.c (profiles, wish, plan),
 * model-unlock.c (approval), model-recording.c (figures, marks), model-saving.c (saving, result).
 * Main thread only. */
#pragma once

#include "backend.h"
#include "model.h"
#include "remarks.h"

G_BEGIN_DECLS

struct _WprModel
{
  GObject parent;
  WprBackend *backend;
  WprCustoms *customs;

  GListStore *profiles;
  char *rights_text;
  WprLock lock;
  WprRights rights;
  char *lock_words;
  WprWish *waiting; /* to start once it is unlocked; NULL: nothing */
  guint64 memory_bytes;
  WprWish *wish;
  guint serial; /* of the newest plan asked for */
  WprPlan *plan;
  GError *plan_error;
  WprEstimate *estimate;      /* of the plan, NULL: not yet */
  GHashTable *worth;          /* WprWorth by id; NULL: not yet */
  gboolean recorded_unlocked; /* the recording that is shown began with an approval */
  char **begun;               /* ids of what was started here last; NULL: nothing was */
  gboolean starting;
  gint64 starting_us; /* since when */

  WprPage page;
  WprSubject *subject;
  WprStats *stats;
  WprHistory *history;
  WprRemarks *remarks;
  guint own_marks;

  char *folder; /* NULL: the default one */
  char *default_folder;
  char *note;
  char *file_name;
  char *phase;
  double fraction;
  guint64 done, total;
  gboolean compress;
  char *silence; /* NULL: the recorder answers */
  gboolean names;
  gboolean own_save; /* asked for here: it can begin again */
  WprOutcome *outcome;
  gboolean hold_result;
  guint open_serial; /* of the newest file that was to be shown */
};

/* Its signals, in the order of model.c's table. */
typedef enum
{
  WPR_MODEL_LOADED,
  WPR_MODEL_PLANNED,
  WPR_MODEL_WORTH,
  WPR_MODEL_SAMPLES,
  WPR_MODEL_FOLDER,
  WPR_MODEL_PAGE,
  WPR_MODEL_SUBJECT,
  WPR_MODEL_SWITCHED,
  WPR_MODEL_FIGURES,
  WPR_MODEL_NOTICE,
  WPR_MODEL_PROGRESS,
  WPR_MODEL_OUTCOME,
  WPR_MODEL_TOAST,
  WPR_MODEL_TROUBLE,
  WPR_MODEL_REFUSED,
  WPR_MODEL_DETAILS,
  WPR_MODEL_SILENCE,
  WPR_MODEL_GUIDE,
  WPR_MODEL_LOCK,
  WPR_MODEL_N_SIGNALS
} WprModelSignal;

/* With what the signal carries. */
#define wpr_model_emit(self, signal, ...) \
  g_signal_emit (self, wpr_model_signals[signal], 0, ##__VA_ARGS__)
extern guint wpr_model_signals[WPR_MODEL_N_SIGNALS];

void wpr_model_set_page (WprModel *self, WprPage page);
/* Starts it; asks an administrator first if the wish says so and nobody did. */
void wpr_model_start_wish (WprModel *self, const WprWish *wish);
/* A recording was asked for, and did not begin yet. */
void wpr_model_begin_starting (WprModel *self);
/* WprProfileItem of what is recorded, also of a person's files; NULL: one is of a file that this
 * window does not know. Free with g_ptr_array_unref. Their ids: free with g_strfreev. */
GPtrArray *wpr_model_list_recorded (WprModel *self);
char **wpr_model_list_ids (GPtrArray *items);
/* *where becomes a copy of text. */
void wpr_model_replace (char **where, const char *text);

G_END_DECLS
