/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A raw recording that is there becomes a file: a save that begins again, compressed or not, and
 * one that failed or was put off. It is played in a thread of its own, so that the worker still
 * answers; the recorder's own merge is in backend-recording.c. */
#include "config.h"
#include "backend-post.h"

#include <fcntl.h>
#include <glib/gi18n.h>
#include <unistd.h>
#include <wpr-trace.h>
#include "note.h"
#include "target.h"

#define PROGRESS_US 50000 /* at most twenty steps of the bar a second */
/* Two clocks were read at the start, one after the other. */
#define SAME_START_NS (2 * (gint64)G_USEC_PER_SEC * 1000)
/* How long a dying recorder may take to let go of its raw recording. */
#define IN_USE_MS 5000
#define IN_USE_STEP_MS 50

typedef struct
{
  WprBackend *backend; /* lives: its end waits for this */
  char *store, *name;
  int folder_fd;
  WprSaveFlags flags;
  GCancellable *cancellable;
  gint64 sent_us;
  char *phase;
} Play;

static void
free_play (gpointer data)
{
  Play *play = data;
  g_free (play->store);
  g_free (play->name);
  g_free (play->phase);
  close (play->folder_fd);
  g_object_unref (play->cancellable);
  g_free (play);
}

WprSaveFlags
wpr_backend_get_save_flags (WprBackend *backend)
{
  return (backend->compress ? WPR_SAVE_COMPRESSED : 0)
         | (backend->no_names ? WPR_SAVE_NO_NAMES : 0);
}

/* *in_use: it is there, and a process has it still. */
static char *
find_store (WprBackend *backend, gboolean *in_use)
{
  g_autoptr (GPtrArray) list = wpr_unfinished_list (NULL);
  char *found = NULL;
  *in_use = FALSE;
  for (guint i = 0; list != NULL && i < list->len; i++)
    {
      const WprUnfinished *unfinished = list->pdata[i];
      gboolean same
          = g_strcmp0 (unfinished->path, backend->store) == 0
            || (backend->started_ns != 0
                && ABS (unfinished->started_realtime_ns - backend->started_ns) < SAME_START_NS);
      if (!same)
        continue;
      *in_use |= unfinished->in_use;
      if (unfinished->in_use)
        continue;
      g_free (found);
      found = g_strdup (unfinished->path);
    }
  return found;
}

/* Of a recorder that was killed the kernel closes the socket first, then event by event (20-35 ms
 * each), and at last what it had locked. */
char *
wpr_backend_find_store (WprBackend *backend)
{
  ASSERT_WORKER (backend);
  gboolean in_use = FALSE;
  char *found = find_store (backend, &in_use);
  for (guint i = 0; found == NULL && in_use && i < IN_USE_MS / IN_USE_STEP_MS; i++)
    {
      g_usleep (IN_USE_STEP_MS * 1000);
      found = find_store (backend, &in_use);
    }
  return found;
}

/* ---- in the thread ---- */

static void
on_progress (const char *phase, double fraction, guint64 done, guint64 total, gpointer data)
{
  Play *play = data;
  gint64 now_us = g_get_monotonic_time ();
  gboolean same = g_strcmp0 (play->phase, phase) == 0;
  if (same && now_us - play->sent_us < PROGRESS_US && fraction < 1)
    return;
  if (!same)
    {
      g_free (play->phase);
      play->phase = g_strdup (phase);
    }
  play->sent_us = now_us;
  wpr_backend_post_progress (play->backend, phase, fraction, done, total);
}

static void
run (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Play *play = data;
  GError *error = NULL;
  WprSaved *saved = wpr_recover_as (play->store, play->folder_fd, play->name, play->flags,
                                    on_progress, play, play->cancellable, &error);
  if (saved != NULL)
    g_task_return_pointer (task, saved, (GDestroyNotify)wpr_saved_free);
  else
    g_task_return_error (task, error);
}

/* ---- in the worker ---- */

/* What was typed after the raw recording was closed is not in it. */
static void
add_note (WprBackend *backend, int folder_fd, const WprSaved *saved)
{
  g_autoptr (GError) error = NULL;
  if (backend->note == NULL || *backend->note == '\0')
    return;
  if (!wpr_note_add_at (folder_fd, saved->name, backend->note, &error))
    wpr_backend_post_trouble (backend, _ ("The note was not added"), error->message);
}

static void
on_played (GObject *object, GAsyncResult *result, gpointer data)
{
  WprBackend *backend = data;
  ASSERT_WORKER (backend);
  const Play *play = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  g_autoptr (WprSaved) saved = g_task_propagate_pointer (G_TASK (result), &error);
  backend->n_tasks--;
  backend->busy = FALSE;
  gboolean again = backend->again;
  backend->again = FALSE;
  g_clear_object (&backend->merge);
  if (saved != NULL)
    {
      add_note (backend, play->folder_fd, saved);
      wpr_backend_post_end (backend, wpr_backend_make_outcome (backend, saved, play->folder_fd),
                            NULL);
    }
  else if (again && g_error_matches (error, WPR_ERROR, WPR_ERROR_CANCELLED))
    wpr_backend_play (backend, play->store);
  else
    wpr_backend_post_end (backend, wpr_backend_make_failure (error, play->store), NULL);
}

static void
on_play_folder (WprBackend *backend, int folder_fd, const char *name, const char *store,
                const GError *error)
{
  ASSERT_WORKER (backend);
  if (folder_fd < 0)
    {
      backend->busy = FALSE;
      wpr_backend_post_end (backend, wpr_backend_make_failure (error, store), NULL);
      return;
    }
  if (g_strcmp0 (backend->name, name) != 0)
    {
      g_free (backend->name);
      backend->name = g_strdup (name);
      wpr_backend_post_name (backend, name);
    }
  g_clear_object (&backend->merge);
  backend->merge = g_cancellable_new ();
  Play *play = g_new0 (Play, 1);
  play->backend = backend;
  play->store = g_strdup (store);
  play->name = g_strdup (name);
  play->folder_fd = fcntl (folder_fd, F_DUPFD_CLOEXEC, 0);
  play->flags = wpr_backend_get_save_flags (backend);
  play->cancellable = g_object_ref (backend->merge);
  wpr_backend_post_progress (backend, WPR_PHASE_AGAIN, 0, 0, 0);
  /* without the cancellable: what it says when cancelled is the core's sentence */
  g_autoptr (GTask) task = g_task_new (NULL, NULL, on_played, backend);
  g_task_set_task_data (task, play, free_play);
  backend->n_tasks++;
  g_task_run_in_thread (task, run);
}

void
wpr_backend_play (WprBackend *backend, const char *store)
{
  ASSERT_WORKER (backend);
  wpr_backend_detach (backend);
  backend->busy = TRUE;
  wpr_backend_open_folder (backend, backend->folder, backend->name, store, on_play_folder);
}

static void
do_set_compress (gpointer data)
{
  WprJob *job = data;
  WprBackend *backend = job->backend;
  ASSERT_WORKER (backend);
  backend->compress = job->number != 0;
  if (backend->recorder != NULL)
    wpr_recorder_set_save_flags (backend->recorder, wpr_backend_get_save_flags (backend));
  if (backend->merge == NULL)
    return;
  backend->again = TRUE;
  g_cancellable_cancel (backend->merge);
}

void
wpr_backend_set_compress (WprBackend *backend, gboolean compress)
{
  wpr_backend_send (backend, do_set_compress, NULL, NULL, NULL, compress);
}

static void
do_set_names (gpointer data)
{
  WprJob *job = data;
  WprBackend *backend = job->backend;
  ASSERT_WORKER (backend);
  backend->no_names = job->number == 0;
  if (backend->recorder != NULL)
    wpr_recorder_set_save_flags (backend->recorder, wpr_backend_get_save_flags (backend));
}

void
wpr_backend_set_names (WprBackend *backend, gboolean names)
{
  wpr_backend_send (backend, do_set_names, NULL, NULL, NULL, names);
}

static void
do_finish (gpointer data)
{
  WprJob *job = data;
  WprBackend *backend = job->backend;
  ASSERT_WORKER (backend);
  if (backend->recorder != NULL || backend->busy)
    return;
  g_free (backend->folder);
  backend->folder = g_strdup (job->second);
  wpr_backend_play (backend, job->first);
}

void
wpr_backend_finish (WprBackend *backend, const char *store, const char *folder)
{
  wpr_backend_send (backend, do_finish, NULL, store, folder, 0);
}
