/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The backend's answers: called in the worker, delivered in the main thread, in order. Values are
 * taken unless const. */
#pragma once

#include "backend-private.h"

G_BEGIN_DECLS

void wpr_backend_post_loaded (WprBackend *backend, GPtrArray *items, const char *rights_text,
                              guint64 memory_bytes);
void wpr_backend_post_lock (WprBackend *backend, WprLock lock, WprRights rights, const char *words);
void wpr_backend_post_plan (WprBackend *backend, guint serial, WprPlan *plan, GError *error);
void wpr_backend_post_estimate (WprBackend *backend, guint serial, WprEstimate *estimate);
void wpr_backend_post_worth (WprBackend *backend, guint serial, GHashTable *worth);
void wpr_backend_post_samples (WprBackend *backend, guint samples_per_s);
void wpr_backend_post_details (WprBackend *backend, WprDetails *details);
void wpr_backend_post_subject (WprBackend *backend, WprSubject *subject);
void wpr_backend_post_switched (WprBackend *backend, WprSubject *subject);
void wpr_backend_post_state (WprBackend *backend, WprState state);
void wpr_backend_post_figures (WprBackend *backend, GPtrArray *readings);
void wpr_backend_post_notice (WprBackend *backend, const WprNotice *notice);
void wpr_backend_post_progress (WprBackend *backend, const char *phase, double fraction,
                                guint64 done, guint64 total);
void wpr_backend_post_name (WprBackend *backend, const char *name);
void wpr_backend_post_noted (WprBackend *backend, const char *name, const char *note);
void wpr_backend_post_opened (WprBackend *backend, guint serial, WprOutcome *outcome);
/* How a recording ended after all that was left without an answer. */
void wpr_backend_post_late (WprBackend *backend, WprOutcome *outcome);
/* text NULL: it is heard of again. */
void wpr_backend_post_silence (WprBackend *backend, char *text);
void wpr_backend_post_toast (WprBackend *backend, char *text);
void wpr_backend_post_trouble (WprBackend *backend, const char *heading, const char *body);
/* Trouble that another folder may cure, as the error says. */
void wpr_backend_post_refused (WprBackend *backend, const char *heading, const GError *error);
/* Detaches from the recording, and says how it ended. */
void wpr_backend_post_end (WprBackend *backend, WprOutcome *outcome, char *toast);

G_END_DECLS
