/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the window shows, as values of the main thread: profiles, the plan of what is chosen, the
 * recording that runs, the one that is over. The pages read it and ask it for things; it never
 * waits. What calls the core is backend.h, in the worker.
 *
 * Signals, in the main thread: "loaded"; "planned" (also when it was estimated); "worth";
 * "samples" (guint a second); "folder"; "page"; "figures" (readings came); "subject" (what is
 * recorded became known); "switched" (what is recorded has changed meanwhile, or was to); "notice"
 * (char *text: a remark that is new); "progress"; "outcome" (what is known of it has changed);
 * "toast" (char *text); "trouble" (char *heading, char *body); "refused" (the same: nothing can be
 * saved in that folder); "details" (WprDetails *); "silence" (char *text, or NULL: the recorder
 * answers again); "guide" (WprGuide *); "lock" (what may be recorded, or the question about it). */
#pragma once

#include <gio/gio.h>
#include <wpr-recorder.h>
#include "history.h"
#include "model-values.h"

G_BEGIN_DECLS

typedef enum
{
  WPR_PAGE_CHOOSE,
  WPR_PAGE_RECORDING,
  WPR_PAGE_SAVING,
  WPR_PAGE_RESULT
} WprPage;

#define WPR_TYPE_MODEL (wpr_model_get_type ())
G_DECLARE_FINAL_TYPE (WprModel, wpr_model, WPR, MODEL, GObject)
typedef struct _WprCustoms WprCustoms;
typedef struct _WprGuide WprGuide;

/* Starts the worker and loads the profiles. */
WprModel *wpr_model_new (void);
/* Ends the worker; a recording that runs goes on. Waits for what the worker is at. */
void wpr_model_close (WprModel *self);

/* ---- choose ---- */
/* Of WprProfileItem; empty until "loaded". */
GListModel *wpr_model_get_profiles (WprModel *self);
/* The files the person added (customs.h). */
WprCustoms *wpr_model_get_customs (WprModel *self);
/* Why not everything can be recorded, "" when it can; NULL until "loaded". */
const char *wpr_model_get_rights_text (WprModel *self);
/* Of this user without an approval. */
WprRights wpr_model_get_rights (WprModel *self);
WprLock wpr_model_get_lock (WprModel *self);
/* What became of the last question, as a sentence; "" if that was what was hoped for. */
const char *wpr_model_get_lock_words (WprModel *self);
gboolean wpr_model_is_unlocked (WprModel *self);
/* Asks an administrator; answers with "lock", in minutes if somebody has to be fetched. */
gboolean wpr_model_can_unlock (WprModel *self);
void wpr_model_unlock (WprModel *self);
void wpr_model_cancel_unlock (WprModel *self);
guint64 wpr_model_get_memory_bytes (WprModel *self);
/* Plans it; answers with "planned". */
void wpr_model_set_wish (WprModel *self, const WprWish *wish);
/* NULL while planning and when it cannot be: then see the error, NULL too if nothing is chosen. */
const WprPlan *wpr_model_get_plan (WprModel *self);
const GError *wpr_model_get_plan_error (WprModel *self);
/* What it would cost; NULL: not known yet. */
const WprEstimate *wpr_model_get_estimate (WprModel *self);
/* What switching a profile on would add to it; "worth" when that was found out. */
WprWorth wpr_model_get_worth (WprModel *self, const char *profile);
/* Writes what is wished as a .wprp; file: as g_file_parse_name() takes it. Answers with "toast" or
 * "trouble". */
void wpr_model_export (WprModel *self, const char *file);
/* How often the core samples each CPU. Answers with "samples". */
void wpr_model_ask_samples (WprModel *self);
void wpr_model_set_samples (WprModel *self, guint samples_per_s);
gboolean wpr_model_can_start (WprModel *self);
gboolean wpr_model_get_starting (WprModel *self);
/* The same, and it takes longer than anybody expects. */
gboolean wpr_model_get_starting_slowly (WprModel *self);
/* profile: an id of WprProfileItem. Answers with "details". */
void wpr_model_ask_details (WprModel *self, const char *profile);
void wpr_model_start (WprModel *self);

/* ---- recording ---- */
WprPage wpr_model_get_page (WprModel *self);
const WprSubject *wpr_model_get_subject (WprModel *self);
/* NULL before the first reading. */
const WprStats *wpr_model_get_stats (WprModel *self);
const WprHistory *wpr_model_get_history (WprModel *self);
/* The newest thing the recorder said of it that a person should read, also before this window was
 * there; closed, the one before it is. NULL: none. */
const WprNotice *wpr_model_get_remark (WprModel *self);
void wpr_model_close_remark (WprModel *self);
/* Who does not answer, and what can be done; NULL: it does. */
const char *wpr_model_get_silence (WprModel *self);
void wpr_model_mark (WprModel *self);
/* Words for the mark just made, and a second mark that carries them. */
void wpr_model_describe_mark (WprModel *self, const char *words);
/* Switches a profile (an id of WprProfileItem) of the running recording on or off, at the level it
 * records at; answers with "switched", also when it was refused (then "trouble", too). */
void wpr_model_switch_profile (WprModel *self, const char *id, gboolean on);
/* What records goes on without call stacks; answers with "switched". */
void wpr_model_fewer_stacks (WprModel *self);
/* Not when it has few, its profiles have no lighter variant, or one is of a file that this window
 * does not know. */
gboolean wpr_model_can_have_fewer_stacks (WprModel *self);
/* Twice the buffers where most is lost; says how it went. */
void wpr_model_enlarge_buffers (WprModel *self);
void wpr_model_save_ring (WprModel *self);
void wpr_model_stop (WprModel *self);
void wpr_model_discard (WprModel *self);
/* FALSE: nobody looks, send no figures. */
void wpr_model_set_watched (WprModel *self, gboolean watched);

/* The same with words, at once. */
void wpr_model_mark_words (WprModel *self, const char *words);

/* ---- guide (guide.h) ---- */
/* Reads a .wprp as one; name: of g_file_get_parse_name(). Answers with "guide". */
void wpr_model_read_guide (WprModel *self, const char *name);
gboolean wpr_model_can_start_guide (WprModel *self, const WprGuide *guide);
/* own: without an administrator's approval, which is else asked for where it is needed. */
void wpr_model_start_guide (WprModel *self, const WprGuide *guide, gboolean own);
/* Further words for the name of what is saved of the recording that runs. */
void wpr_model_set_name_words (WprModel *self, const char *words);

/* ---- saving ---- */
const char *wpr_model_get_folder (WprModel *self);
void wpr_model_set_folder (WprModel *self, const char *folder); /* NULL: the default one */
const char *wpr_model_get_note (WprModel *self);
void wpr_model_set_note (WprModel *self, const char *note);
/* Without ".etl". */
const char *wpr_model_get_file_name (WprModel *self);
void wpr_model_set_file_name (WprModel *self, const char *name);
/* Smaller files; counts for every save from now on, and for the one under way if
 * wpr_model_can_save_again(): then it begins again from the raw recording. */
gboolean wpr_model_get_compress (WprModel *self);
void wpr_model_set_compress (WprModel *self, gboolean compress);
gboolean wpr_model_can_save_again (WprModel *self);
/* The same and the next as one. */
WprSaveFlags wpr_model_get_save_flags (WprModel *self);
/* Functions are named in every file saved from now on. */
gboolean wpr_model_get_names (WprModel *self);
void wpr_model_set_names (WprModel *self, gboolean names);
/* "collect", "order", "names", "check"; "" before the first. */
const char *wpr_model_get_phase (WprModel *self);
/* Of all phases together; goes back only when it begins again. */
double wpr_model_get_fraction (WprModel *self);
void wpr_model_get_phase_count (WprModel *self, guint64 *done, guint64 *total);
void wpr_model_finish_later (WprModel *self);

/* ---- result ---- */
const WprOutcome *wpr_model_get_outcome (WprModel *self);
/* While TRUE the saving page stays although the file is there: somebody types. */
void wpr_model_hold_result (WprModel *self, gboolean hold);
void wpr_model_record_again (WprModel *self);
/* The same recording at once, in buffers twice as large. */
gboolean wpr_model_can_record_larger (WprModel *self);
void wpr_model_record_larger (WprModel *self);
/* Finishes the raw recording that was kept; folder NULL: where it was to go. */
void wpr_model_finish_now (WprModel *self, const char *folder);
/* What was wrong, into the finished file; the last one counts. Answers with "outcome". */
void wpr_model_edit_note (WprModel *self, const char *note);
/* Shows a finished file: "page", and "outcome" once all of it was read. */
void wpr_model_open_file (WprModel *self, const char *path);

G_END_DECLS
