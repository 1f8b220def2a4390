/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Everything of the window that calls the core: called from the main thread, works in the worker,
 * answers through the functions of the second half, which run in the main thread. */
#pragma once

#include "custom-file.h"
#include "model.h"

G_BEGIN_DECLS

typedef struct _WprBackend WprBackend;
typedef struct _WprCustoms WprCustoms;
typedef struct _WprGuide WprGuide;

WprBackend *wpr_backend_new (WprModel *model);
/* Ends the worker. The recording goes on. */
void wpr_backend_free (WprBackend *backend);

void wpr_backend_plan (WprBackend *backend, const WprWish *wish, guint serial);
/* What the profile records, alone and beside the rest of the wish. */
void wpr_backend_describe (WprBackend *backend, const WprWish *wish, const char *profile);
/* How often each CPU is sampled, of this user. Answers with wpr_model_take_samples(). */
void wpr_backend_ask_samples (WprBackend *backend);
void wpr_backend_set_samples (WprBackend *backend, guint samples_per_s);
/* Writes the wish as a .wprp; file: as g_file_parse_name() takes it. */
void wpr_backend_export (WprBackend *backend, const WprWish *wish, const char *file);
/* A .wprp file of the person's: answers with wpr_customs_take_file(), _removed(). */
void wpr_backend_read_custom (WprBackend *backend, WprCustoms *customs, const char *name,
                              gboolean fresh);
/* Reads it again if it was changed or is gone, or is back. */
void wpr_backend_check_custom (WprBackend *backend, WprCustoms *customs, const char *name);
void wpr_backend_remove_custom (WprBackend *backend, WprCustoms *customs, const char *name);
/* A guide (guide.h): answers with wpr_model_take_guide(). */
void wpr_backend_read_guide (WprBackend *backend, const char *name);
/* Further words for the name of what is saved of the recording that runs; "": none. */
void wpr_backend_set_name_words (WprBackend *backend, const char *words);
void wpr_backend_start (WprBackend *backend, const WprWish *wish);
/* Asks for an administrator's approval of the next start; answers with wpr_model_take_lock(). */
void wpr_backend_unlock (WprBackend *backend);
void wpr_backend_cancel_unlock (WprBackend *backend);
void wpr_backend_stop (WprBackend *backend, const char *folder, const char *note);
void wpr_backend_set_note (WprBackend *backend, const char *note);
/* The name the person wants, without ".etl"; taken when the file is finished. */
void wpr_backend_set_name (WprBackend *backend, const char *name);
void wpr_backend_later (WprBackend *backend);
/* Counts for every save from now on; the one under way begins again. */
void wpr_backend_set_compress (WprBackend *backend, gboolean compress);
/* The same of the names of functions, but what is being saved goes on as it began. */
void wpr_backend_set_names (WprBackend *backend, gboolean names);
/* Plays a kept raw recording into a file in the folder, as the save before would have. */
void wpr_backend_finish (WprBackend *backend, const char *store, const char *folder);
/* Answers with wpr_model_take_noted(), or with trouble. */
void wpr_backend_add_note (WprBackend *backend, const char *folder, const char *name,
                           const char *note);
/* Answers with wpr_model_take_opened(): after a glance, and after all of it. */
void wpr_backend_open_file (WprBackend *backend, const char *path, guint serial);
void wpr_backend_save_ring (WprBackend *backend, const char *folder);
void wpr_backend_mark (WprBackend *backend, const char *text);
/* The profiles of the wish, at its level. */
void wpr_backend_switch (WprBackend *backend, const WprWish *wish, gboolean on);
void wpr_backend_enlarge (WprBackend *backend);
void wpr_backend_discard (WprBackend *backend);
void wpr_backend_watch (WprBackend *backend, gboolean watched);

/* ---- answers, in the main thread; the model takes what it is given ---- */
void wpr_model_take_loaded (WprModel *model, GPtrArray *items, const char *rights_text,
                            guint64 memory_bytes);
/* rights: those there are without an approval; words: what became of the question, "" if nothing.
 */
void wpr_model_take_lock (WprModel *model, WprLock lock, WprRights rights, const char *words);
void wpr_model_take_plan (WprModel *model, guint serial, WprPlan *plan, GError *error);
/* Of the plan of that serial; both are taken. worth: a WprWorth by id of WprProfileItem. */
void wpr_model_take_estimate (WprModel *model, guint serial, WprEstimate *estimate);
void wpr_model_take_worth (WprModel *model, guint serial, GHashTable *worth);
void wpr_model_take_samples (WprModel *model, guint samples_per_s);
void wpr_model_take_details (WprModel *model, WprDetails *details);
void wpr_model_take_guide (WprModel *model, WprGuide *guide);
void wpr_model_take_subject (WprModel *model, WprSubject *subject);
/* What of the subject can change while it records: profiles and level. */
void wpr_model_take_switched (WprModel *model, const WprSubject *subject);
void wpr_model_take_state (WprModel *model, WprState state);
void wpr_model_take_figures (WprModel *model, GPtrArray *readings);
/* May come twice. */
void wpr_model_take_notice (WprModel *model, const WprNotice *notice);
void wpr_model_take_progress (WprModel *model, const char *phase, double fraction, guint64 done,
                              guint64 total);
/* The phase in which a save that began again is: nothing is done yet. */
#define WPR_PHASE_AGAIN "again"
void wpr_model_take_name (WprModel *model, const char *name);
/* The file has that note now. */
void wpr_model_take_noted (WprModel *model, const char *name, const char *note);
void wpr_model_take_opened (WprModel *model, guint serial, WprOutcome *outcome);
/* The recording is over; outcome NULL: nothing to show, toast says why (may be NULL). */
void wpr_model_take_end (WprModel *model, WprOutcome *outcome, const char *toast);
/* The recorder does not answer; NULL: it does again. */
void wpr_model_take_silence (WprModel *model, const char *text);
/* What was left without an answer has one, for the page that says so if it is still there. */
void wpr_model_take_late (WprModel *model, WprOutcome *outcome);
void wpr_model_take_toast (WprModel *model, const char *text);
/* Something asked for did not happen; the recording, if any, goes on. */
void wpr_model_take_trouble (WprModel *model, const char *heading, const char *body);
/* The same, and another folder would help. */
void wpr_model_take_refused (WprModel *model, const char *heading, const char *body);

G_END_DECLS
