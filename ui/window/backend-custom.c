/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The worker's part in a person's .wprp files: read, forgotten, and handed to the recorder, which
 * has a library of its own. */
#include "config.h"
#include "backend-private.h"

#include <string.h>
#include "customs.h"

/* There and back again: the question, then its answer. */
typedef struct
{
  WprBackend *backend;
  WprCustoms *customs;
  char *name;
  gboolean fresh, check;
  gint64 stamp;              /* of a check */
  WprCustomContent *content; /* as it was read; NULL: it was not, or not yet */
  WprCustomFile *file;       /* the answer; NULL: it is removed */
} CustomJob;

static void
free_custom_job (gpointer data)
{
  CustomJob *job = data;
  g_clear_pointer (&job->file, wpr_custom_file_free);
  g_clear_pointer (&job->content, wpr_custom_content_free);
  g_object_unref (job->customs);
  g_free (job->name);
  g_free (job);
}

static CustomJob *
new_custom_job (WprBackend *backend, WprCustoms *customs, const char *name)
{
  CustomJob *job = g_new0 (CustomJob, 1);
  job->backend = backend;
  job->customs = g_object_ref (customs);
  job->name = g_strdup (name);
  return job;
}

static void
take_answer (gpointer data)
{
  CustomJob *answer = data;
  if (answer->file != NULL)
    wpr_customs_take_file (answer->customs, g_steal_pointer (&answer->file));
  else
    wpr_customs_take_removed (answer->customs, answer->name);
}

static void
take_content (CustomJob *job, const WprCustomContent *content)
{
  WprBackend *backend = job->backend;
  GBytes *bytes = NULL;
  ASSERT_WORKER (backend);
  if (!g_hash_table_contains (backend->stamps, job->name))
    return; /* removed meanwhile */
  CustomJob *answer = new_custom_job (backend, job->customs, job->name);
  g_hash_table_insert (backend->stamps, g_strdup (job->name),
                       g_memdup2 (&content->stamp, sizeof content->stamp));
  answer->file = wpr_custom_file_new (backend->library, job->name, content, &bytes);
  answer->file->fresh = job->fresh;
  if (bytes != NULL)
    g_hash_table_insert (backend->customs, g_strdup (job->name), bytes);
  else
    g_hash_table_remove (backend->customs, job->name);
  wpr_worker_reply (take_answer, answer, free_custom_job);
}

/* In a thread of its own. */
static void
read_content (gpointer data)
{
  CustomJob *job = data;
  if (!job->check || wpr_custom_content_stamp (job->name) != job->stamp)
    job->content = wpr_custom_content_read (job->name);
}

static void
on_content (gpointer data)
{
  CustomJob *job = data;
  if (job->content != NULL)
    take_content (job, job->content);
}

static void
on_content_late (gpointer data)
{
  CustomJob *job = data;
  g_autoptr (WprCustomContent) content = wpr_custom_content_new_late (job->name);
  take_content (job, content);
}

static void
read_aside (WprBackend *backend, CustomJob *job)
{
  const WprAsideCall call = { .work = read_content,
                              .done = on_content,
                              .late = on_content_late,
                              .destroy = free_custom_job,
                              .low = !job->fresh };
  wpr_aside_run (wpr_backend_get_aside (backend, WPR_ASIDE_PROFILES), &call, job);
}

static void
do_read (gpointer data)
{
  CustomJob *job = data;
  WprBackend *backend = job->backend;
  ASSERT_WORKER (backend);
  if (!g_hash_table_contains (backend->stamps, job->name))
    g_hash_table_insert (backend->stamps, g_strdup (job->name), g_new0 (gint64, 1));
  CustomJob *reading = new_custom_job (backend, job->customs, job->name);
  reading->fresh = job->fresh;
  read_aside (backend, reading);
}

static void
do_check (gpointer data)
{
  CustomJob *job = data;
  WprBackend *backend = job->backend;
  ASSERT_WORKER (backend);
  const gint64 *stamp = g_hash_table_lookup (backend->stamps, job->name);
  if (stamp == NULL)
    return;
  CustomJob *reading = new_custom_job (backend, job->customs, job->name);
  reading->check = TRUE;
  reading->stamp = *stamp;
  read_aside (backend, reading);
}

static void
do_remove (gpointer data)
{
  CustomJob *job = data;
  WprBackend *backend = job->backend;
  ASSERT_WORKER (backend);
  wpr_library_remove (backend->library, job->name);
  g_hash_table_remove (backend->customs, job->name);
  g_hash_table_remove (backend->stamps, job->name);
  wpr_worker_reply (take_answer, new_custom_job (backend, job->customs, job->name),
                    free_custom_job);
}

void
wpr_backend_read_custom (WprBackend *backend, WprCustoms *customs, const char *name, gboolean fresh)
{
  CustomJob *job = new_custom_job (backend, customs, name);
  job->fresh = fresh;
  (fresh ? wpr_worker_send : wpr_worker_send_low) (backend->worker, do_read, job, free_custom_job);
}

void
wpr_backend_check_custom (WprBackend *backend, WprCustoms *customs, const char *name)
{
  wpr_worker_send_low (backend->worker, do_check, new_custom_job (backend, customs, name),
                       free_custom_job);
}

void
wpr_backend_remove_custom (WprBackend *backend, WprCustoms *customs, const char *name)
{
  wpr_worker_send (backend->worker, do_remove, new_custom_job (backend, customs, name),
                   free_custom_job);
}

const char *
wpr_backend_split_id (WprBackend *backend, const char *id, const char **source)
{
  GHashTableIter iter;
  gpointer name;
  *source = NULL;
  g_hash_table_iter_init (&iter, backend->customs);
  while (g_hash_table_iter_next (&iter, &name, NULL))
    if (g_str_has_prefix (id, name) && id[strlen (name)] == '!')
      {
        *source = name;
        return id + strlen (name) + 1;
      }
  return id;
}

GVariant *
wpr_backend_make_files (WprBackend *backend, const WprChoice *choice)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GVariantBuilder) files = g_variant_builder_new (G_VARIANT_TYPE ("a(say)"));
  for (guint i = 0; i < choice->profiles->len; i++)
    {
      const WprChoiceItem *item = choice->profiles->pdata[i];
      GBytes *bytes = item->source ? g_hash_table_lookup (backend->customs, item->source) : NULL;
      if (bytes != NULL && g_hash_table_add (seen, item->source))
        g_variant_builder_add (files, "(s@ay)", item->source,
                               g_variant_new_from_bytes (G_VARIANT_TYPE_BYTESTRING, bytes, TRUE));
    }
  if (g_hash_table_size (seen) == 0)
    return NULL;
  return g_variant_ref_sink (g_variant_builder_end (files));
}
