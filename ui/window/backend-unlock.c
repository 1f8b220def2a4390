/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The worker's part in an administrator's approval: whether one can be asked for, the question, and
 * the recorder that holds what was granted until the next start. */
#include "config.h"
#include "backend-post.h"

#include <glib/gi18n.h>

/* With the rights there are; as what the broker said when it was asked last. */
static WprLock
lock_of (const WprMachine *machine)
{
  static const WprLock locks[] = { [WPR_UNLOCK_NONE] = WPR_LOCK_FIXED,
                                   [WPR_UNLOCK_ASK] = WPR_LOCK_CLOSED,
                                   [WPR_UNLOCK_YES] = WPR_LOCK_OPEN };
  if (wpr_machine_get_rights (machine) == WPR_RIGHTS_FULL)
    return WPR_LOCK_OPEN;
  return locks[wpr_machine_get_unlock (machine)];
}

static void
set_lock (WprBackend *backend, WprLock lock, const char *words)
{
  backend->lock = lock;
  wpr_backend_post_lock (backend, lock, wpr_machine_get_rights (backend->machine), words);
}

void
wpr_backend_show_lock (WprBackend *backend)
{
  set_lock (backend, lock_of (backend->machine), "");
}

/* ---- the recorder at hand ---- */

/* It has ended while nobody used it: what was granted went with it. */
static void
on_spare_state (WprRecorder *recorder, GParamSpec *pspec, gpointer data)
{
  WprBackend *backend = data;
  if (recorder != backend->spare || wpr_recorder_get_state (recorder) < WPR_STATE_SAVED)
    return;
  gboolean granted = backend->lock == WPR_LOCK_UNLOCKED;
  g_clear_object (&backend->spare);
  if (granted)
    set_lock (backend, WPR_LOCK_CLOSED, _ ("The approval has ended. Ask for it again."));
}

WprRecorder *
wpr_backend_take_spare (WprBackend *backend)
{
  WprRecorder *spare = g_steal_pointer (&backend->spare);
  if (spare != NULL)
    g_signal_handlers_disconnect_by_data (spare, backend);
  return spare;
}

void
wpr_backend_drop_spare (WprBackend *backend)
{
  g_cancellable_cancel (backend->asking);
  g_clear_object (&backend->asking);
  WprRecorder *spare = wpr_backend_take_spare (backend);
  g_clear_object (&spare);
}

/* ---- the question ---- */

static void
on_unlocked (GObject *object, GAsyncResult *result, gpointer data)
{
  WprBackend *backend = data;
  g_autoptr (GError) error = NULL;
  gboolean granted = wpr_recorder_unlock_finish (WPR_RECORDER (object), result, &error);
  g_clear_object (&backend->asking);
  if (granted && WPR_RECORDER (object) == backend->spare)
    {
      set_lock (backend, WPR_LOCK_UNLOCKED, "");
      return;
    }
  WprRecorder *spare = wpr_backend_take_spare (backend);
  g_clear_object (&spare); /* it ends, and its name is free for others */
  backend->dropped_us = g_get_monotonic_time ();
  gboolean taken_back = g_error_matches (error, WPR_ERROR, WPR_ERROR_CANCELLED)
                        || g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  const char *words = error != NULL ? error->message : _ ("The recorder has ended by itself.");
  set_lock (backend, WPR_LOCK_CLOSED, taken_back ? "" : words);
}

static void
do_unlock (gpointer data)
{
  WprBackend *backend = ((WprJob *)data)->backend;
  g_autoptr (GError) error = NULL;
  ASSERT_WORKER (backend);
  if (backend->lock != WPR_LOCK_CLOSED || backend->recorder != NULL || backend->busy)
    {
      set_lock (backend, backend->lock, "");
      return;
    }
  backend->spare = wpr_recorder_spawn (NULL, &error);
  if (backend->spare == NULL)
    {
      set_lock (backend, WPR_LOCK_CLOSED, error->message);
      return;
    }
  g_signal_connect (backend->spare, "notify::state", G_CALLBACK (on_spare_state), backend);
  backend->asking = g_cancellable_new ();
  set_lock (backend, WPR_LOCK_ASKING, "");
  wpr_recorder_unlock_async (backend->spare, FALSE, backend->asking, on_unlocked, backend);
}

void
wpr_backend_unlock (WprBackend *backend)
{
  wpr_backend_send (backend, do_unlock, NULL, NULL, NULL, 0);
}

static void
do_cancel_unlock (gpointer data)
{
  WprBackend *backend = ((WprJob *)data)->backend;
  g_cancellable_cancel (backend->asking);
}

void
wpr_backend_cancel_unlock (WprBackend *backend)
{
  wpr_backend_send (backend, do_cancel_unlock, NULL, NULL, NULL, 0);
}

/* ---- after a recording ---- */

/* An approval lasts as long as its recording; polkit may remember it for the next. */
static void
do_look (gpointer data)
{
  WprBackend *backend = ((WprJob *)data)->backend;
  ASSERT_WORKER (backend);
  if (backend->recorder != NULL || backend->busy || backend->spare != NULL)
    return; /* the next one has begun */
  g_clear_pointer (&backend->machine, wpr_machine_unref);
  backend->machine = wpr_machine_probe_recorder ();
  wpr_backend_show_lock (backend);
}

void
wpr_backend_look_at_lock (WprBackend *backend)
{
  if (backend->machine != NULL && wpr_machine_get_rights (backend->machine) != WPR_RIGHTS_FULL)
    wpr_backend_send (backend, do_look, NULL, NULL, NULL, 0);
}
