/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A recorder that is not heard of: stopped, starved, or at work on a disk that does not answer.
 * Who it is is said, it is waited for, and it can be left. */
#include "config.h"
#include "backend-post.h"

#include <glib/gi18n.h>

/* It sends figures ten times a second; a computer that is very busy has it wait for seconds. */
#define SILENT_US (10 * G_USEC_PER_SEC)
/* While it saves it is heard of by its progress: looking up names takes ten seconds at most. */
#define SILENT_SAVING_US (20 * G_USEC_PER_SEC)
/* An answer to "later" takes no longer, unless none will come. */
#define LEAVE_MS 5000

/* 0 if it does not say. */
static guint32
get_pid (WprBackend *backend)
{
  guint32 pid = 0;
  g_autoptr (GVariant) description = wpr_recorder_describe (backend->recorder);
  g_variant_lookup (description, "pid", "u", &pid);
  return pid;
}

void
wpr_backend_heard (WprBackend *backend)
{
  backend->heard_us = g_get_monotonic_time ();
  if (!backend->silent)
    return;
  backend->silent = FALSE;
  wpr_backend_post_silence (backend, NULL);
}

void
wpr_backend_check_silence (WprBackend *backend)
{
  ASSERT_WORKER (backend);
  if (backend->recorder == NULL || backend->silent)
    return;
  WprState state = wpr_recorder_get_state (backend->recorder);
  gint64 limit_us = state == WPR_STATE_RECORDING ? SILENT_US : SILENT_SAVING_US;
  if (state < WPR_STATE_RECORDING || g_get_monotonic_time () - backend->heard_us < limit_us)
    return;
  backend->silent = TRUE;
  /* Translators: %u is the number of a process */
  wpr_backend_post_silence (
      backend,
      g_strdup_printf (
          _ ("The recorder (process %u) does not answer. It may be stopped, wait for a disk, or "
             "the "
             "computer is very busy. It is waited for; what it has recorded stays with it. If it "
             "never answers, end that process: what it had written to disk is then among the "
             "recordings."),
          get_pid (backend)));
}

static gboolean
on_leave (gpointer data)
{
  WprBackend *backend = data;
  g_clear_pointer (&backend->leave, g_source_unref);
  if (backend->recorder == NULL || !backend->busy)
    return G_SOURCE_REMOVE;
  WprOutcome *outcome = g_new0 (WprOutcome, 1);
  outcome->kind = WPR_OUTCOME_LATER;
  /* Translators: %u is the number of a process */
  outcome->message = g_strdup_printf (
      _ ("The recorder (process %u) has not answered. It keeps what it recorded; "
         "once it answers it stops, and that is among the recordings, to be "
         "finished."),
      get_pid (backend));
  backend->left_ns = backend->started_ns;
  backend->busy = FALSE;
  backend->again = FALSE;
  g_clear_object (&backend->merge);
  wpr_backend_post_end (backend, outcome, NULL);
  return G_SOURCE_REMOVE;
}

void
wpr_backend_leave_soon (WprBackend *backend)
{
  ASSERT_WORKER (backend);
  if (backend->leave == NULL)
    backend->leave = wpr_backend_add_timer (LEAVE_MS, on_leave, backend);
}
