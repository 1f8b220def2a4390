/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The worker's part in a guide: its file is read and planned; the words of its ticket go into the
 * name of what is saved. */
#include "config.h"
#include "backend-private.h"

#include "guide.h"

/* There and back again: the question, then its answer. */
typedef struct
{
  WprBackend *backend;
  WprModel *model;
  char *name;
  WprCustomContent *content; /* as it was read */
  WprGuide *guide;           /* the answer */
} GuideJob;

static void
free_guide_job (gpointer data)
{
  GuideJob *job = data;
  g_clear_pointer (&job->guide, wpr_guide_unref);
  g_clear_pointer (&job->content, wpr_custom_content_free);
  g_object_unref (job->model);
  g_free (job->name);
  g_free (job);
}

static GuideJob *
new_guide_job (WprBackend *backend, const char *name)
{
  GuideJob *job = g_new0 (GuideJob, 1);
  job->backend = backend;
  job->model = g_object_ref (backend->model);
  job->name = g_strdup (name);
  return job;
}

static void
take_answer (gpointer data)
{
  GuideJob *answer = data;
  wpr_model_take_guide (answer->model, g_steal_pointer (&answer->guide));
}

static void
take_content (GuideJob *job, const WprCustomContent *content)
{
  WprBackend *backend = job->backend;
  ASSERT_WORKER (backend);
  GBytes *bytes = NULL;
  GuideJob *answer = new_guide_job (backend, job->name);
  answer->guide = wpr_guide_new (backend->library, backend->machine, job->name, content, &bytes);
  if (bytes != NULL)
    g_hash_table_insert (backend->customs, g_strdup (job->name), bytes);
  else
    g_hash_table_remove (backend->customs, job->name);
  wpr_worker_reply (take_answer, answer, free_guide_job);
}

/* In a thread of its own. */
static void
read_content (gpointer data)
{
  GuideJob *job = data;
  job->content = wpr_custom_content_read (job->name);
}

static void
on_content (gpointer data)
{
  GuideJob *job = data;
  take_content (job, job->content);
}

static void
on_content_late (gpointer data)
{
  GuideJob *job = data;
  g_autoptr (WprCustomContent) content = wpr_custom_content_new_late (job->name);
  take_content (job, content);
}

static void
do_read (gpointer data)
{
  GuideJob *job = data;
  static const WprAsideCall call = {
    .work = read_content, .done = on_content, .late = on_content_late, .destroy = free_guide_job
  };
  ASSERT_WORKER (job->backend);
  wpr_aside_run (wpr_backend_get_aside (job->backend, WPR_ASIDE_PROFILES), &call,
                 new_guide_job (job->backend, job->name));
}

void
wpr_backend_read_guide (WprBackend *backend, const char *name)
{
  wpr_worker_send (backend->worker, do_read, new_guide_job (backend, name), free_guide_job);
}

static void
do_set_words (gpointer data)
{
  WprJob *job = data;
  ASSERT_WORKER (job->backend);
  g_free (job->backend->name_words);
  job->backend->name_words = g_strdup (job->first);
}

void
wpr_backend_set_name_words (WprBackend *backend, const char *words)
{
  wpr_backend_send (backend, do_set_words, NULL, words, NULL, 0);
}
