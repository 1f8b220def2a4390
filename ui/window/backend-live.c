/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Changing a recording that runs: profiles on and off, larger buffers. */
#include "config.h"
#include "backend-post.h"

#include <glib/gi18n.h>
#include "format.h"

static void
on_switched (GObject *object, GAsyncResult *result, gpointer data)
{
  WprBackend *backend = data;
  g_autoptr (GError) error = NULL;
  if (!wpr_recorder_set_profiles_finish (WPR_RECORDER (object), result, &error))
    wpr_backend_post_trouble (backend, _ ("Not changed; the recording goes on"), error->message);
  if (backend->recorder == WPR_RECORDER (object))
    wpr_backend_post_switched (backend, wpr_backend_read_subject (backend));
}

static void
do_switch (gpointer data)
{
  WprJob *job = data;
  WprBackend *backend = job->backend;
  ASSERT_WORKER (backend);
  if (backend->recorder == NULL || backend->busy)
    return;
  g_autoptr (WprChoice) choice = wpr_backend_make_choice (backend, job->wish);
  g_autoptr (GVariant) files = wpr_backend_make_files (backend, choice);
  wpr_recorder_set_profiles_async (backend->recorder, choice, files, job->number != 0, NULL,
                                   on_switched, backend);
}

void
wpr_backend_switch (WprBackend *backend, const WprWish *wish, gboolean on)
{
  wpr_backend_send (backend, do_switch, wish, NULL, NULL, on);
}

static guint64
count_buffer_bytes (WprRecorder *recorder)
{
  g_autoptr (WprStats) stats = wpr_recorder_ref_stats (recorder);
  guint64 bytes = 0;
  for (guint i = 0; i < stats->n_collectors; i++)
    bytes += (guint64)stats->collectors[i].buffers_total * stats->collectors[i].buffer_kb * 1024;
  return bytes;
}

static void
on_enlarged (GObject *object, GAsyncResult *result, gpointer data)
{
  WprBackend *backend = data;
  g_autoptr (GError) error = NULL;
  if (!wpr_recorder_grow_finish (WPR_RECORDER (object), result, &error))
    {
      wpr_backend_post_trouble (backend, _ ("Not enlarged; the recording goes on"), error->message);
      return;
    }
  g_autofree char *size = wpr_format_bytes (count_buffer_bytes (WPR_RECORDER (object)));
  /* Translators: %s is a size */
  wpr_backend_post_toast (backend, g_strdup_printf (_ ("Buffers enlarged to %s"), size));
}

static void
do_enlarge (gpointer data)
{
  WprBackend *backend = ((WprJob *)data)->backend;
  ASSERT_WORKER (backend);
  if (backend->recorder != NULL && !backend->busy)
    wpr_recorder_grow_async (backend->recorder, NULL, 0, NULL, on_enlarged, backend);
}

void
wpr_backend_enlarge (WprBackend *backend)
{
  wpr_backend_send (backend, do_enlarge, NULL, NULL, NULL, 0);
}
