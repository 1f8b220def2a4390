/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A finished file: read for the page that shows it, and given another note. */
#include "config.h"
#include "backend-post.h"

#include <glib/gi18n.h>
#include <string.h>
#include <wpr-trace.h>
#include "format.h"
#include "note.h"

#define MOST_FAULTS 2 /* that are told: others follow from these; "wpr -info" tells all */

/* ---- reading ---- */

typedef struct
{
  WprBackend *backend; /* lives: its end waits for this */
  char *path;
  guint serial;
  GCancellable *cancellable;
} Reading;

static void
free_reading (gpointer data)
{
  Reading *reading = data;
  g_free (reading->path);
  g_object_unref (reading->cancellable);
  g_free (reading);
}

static char *
join_faults (const WprTraceInfo *info)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_string_append (text, info->was_completed
                             ? _ ("Its end is missing: the recorder was stopped while it wrote.")
                             : _ ("What is intact can be read, the rest cannot."));
  for (guint i = 0; i < MIN (info->faults->len, MOST_FAULTS); i++)
    g_string_append_printf (text, "\n%s", (const char *)info->faults->pdata[i]);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* "ada-laptop, 30 Nov 2026, 10:12" */
static char *
describe_origin (const WprTraceInfo *info)
{
  g_autofree char *when = wpr_format_date (info->start_realtime_ns);
  if (info->host == NULL || *info->host == '\0')
    return g_steal_pointer (&when);
  /* Translators: a computer, a date */
  return g_strdup_printf (_ ("%s, %s"), info->host, when);
}

static WprOutcome *
make_outcome (const Reading *reading, const WprTraceInfo *info, gboolean checking)
{
  WprOutcome *outcome = g_new0 (WprOutcome, 1);
  outcome->opened = TRUE;
  outcome->checking = checking;
  outcome->folder = g_path_get_dirname (reading->path);
  outcome->name = g_path_get_basename (reading->path);
  outcome->kind = info->faults->len > 0 || info->was_completed      ? WPR_OUTCOME_DAMAGED
                  : info->events_lost > 0 || info->buffers_lost > 0 ? WPR_OUTCOME_HOLED
                                                                    : WPR_OUTCOME_WHOLE;
  outcome->size = info->size_bytes;
  outcome->events = info->n_events;
  outcome->lost = info->events_lost;
  outcome->duration_ns = info->duration_ns;
  outcome->note = g_strdup (info->note);
  outcome->message = outcome->kind == WPR_OUTCOME_DAMAGED ? join_faults (info) : NULL;
  outcome->about = describe_origin (info);
  outcome->gaps = wpr_gaps_new (info);
  outcome->profiles = g_new0 (char *, info->profiles->len + 1);
  for (guint i = 0; i < info->profiles->len; i++)
    outcome->profiles[i] = g_strdup (info->profiles->pdata[i]);
  if (info->n_parts > 1 && info->parts != NULL)
    {
      g_ptr_array_add (info->parts, NULL);
      outcome->parts = g_strdupv ((char **)info->parts->pdata);
      g_ptr_array_set_size (info->parts, info->parts->len - 1);
    }
  return outcome;
}

static void
post_unreadable (const Reading *reading, const GError *error)
{
  WprOutcome *outcome = g_new0 (WprOutcome, 1);
  outcome->opened = TRUE;
  outcome->kind = WPR_OUTCOME_FAILED;
  outcome->message = g_strdup (error->message);
  wpr_backend_post_opened (reading->backend, reading->serial, outcome);
}

static void
run (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Reading *reading = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (WprTraceInfo) brief
      = wpr_trace_brief_read (reading->path, reading->cancellable, &error);
  if (brief != NULL)
    {
      wpr_backend_post_opened (reading->backend, reading->serial,
                               make_outcome (reading, brief, TRUE));
      g_autoptr (WprTraceInfo) info
          = wpr_trace_info_read (reading->path, reading->cancellable, &error);
      if (info != NULL)
        wpr_backend_post_opened (reading->backend, reading->serial,
                                 make_outcome (reading, info, FALSE));
    }
  if (error != NULL && !g_cancellable_is_cancelled (reading->cancellable))
    post_unreadable (reading, error);
  g_task_return_boolean (task, TRUE);
}

static void
on_read (GObject *object, GAsyncResult *result, gpointer data)
{
  WprBackend *backend = data;
  ASSERT_WORKER (backend);
  backend->n_tasks--;
}

static void
do_open (gpointer data)
{
  WprJob *job = data;
  WprBackend *backend = job->backend;
  ASSERT_WORKER (backend);
  g_cancellable_cancel (backend->read); /* only the newest is shown */
  g_clear_object (&backend->read);
  backend->read = g_cancellable_new ();
  Reading *reading = g_new0 (Reading, 1);
  reading->backend = backend;
  reading->path = g_strdup (job->first);
  reading->serial = job->number;
  reading->cancellable = g_object_ref (backend->read);
  g_autoptr (GTask) task = g_task_new (NULL, NULL, on_read, backend);
  g_task_set_task_data (task, reading, free_reading);
  backend->n_tasks++;
  g_task_run_in_thread (task, run);
}

void
wpr_backend_open_file (WprBackend *backend, const char *path, guint serial)
{
  wpr_backend_send (backend, do_open, NULL, path, NULL, serial);
}

/* ---- the note ---- */

typedef struct
{
  WprBackend *backend;
  char *folder, *name, *note;
  GError *error;
} Noting;

static void
free_noting (gpointer data)
{
  Noting *noting = data;
  g_free (noting->folder);
  g_free (noting->name);
  g_free (noting->note);
  g_clear_error (&noting->error);
  g_free (noting);
}

/* In a thread of its own. */
static void
add_note (gpointer data)
{
  Noting *noting = data;
  wpr_note_add (noting->folder, noting->name, noting->note, &noting->error);
}

static void
on_noted (gpointer data)
{
  Noting *noting = data;
  if (noting->error != NULL)
    wpr_backend_post_trouble (noting->backend, _ ("The note was not added"),
                              noting->error->message);
  else
    wpr_backend_post_noted (noting->backend, noting->name, noting->note);
}

static void
on_note_late (gpointer data)
{
  Noting *noting = data;
  g_autofree char *text = wpr_backend_describe_silence (noting->folder);
  wpr_backend_post_trouble (noting->backend, _ ("The note is not in the file yet"), text);
}

static void
do_add_note (gpointer data)
{
  WprJob *job = data;
  WprBackend *backend = job->backend;
  static const WprAsideCall call = {
    .work = add_note, .done = on_noted, .late = on_note_late, .destroy = free_noting, .writes = TRUE
  };
  Noting *noting = g_new0 (Noting, 1);
  noting->backend = backend;
  noting->folder = g_path_get_dirname (job->first);
  noting->name = g_path_get_basename (job->first);
  noting->note = g_strdup (job->second);
  wpr_aside_run (wpr_backend_get_aside (backend, WPR_ASIDE_FOLDER), &call, noting);
}

void
wpr_backend_add_note (WprBackend *backend, const char *folder, const char *name, const char *note)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  wpr_backend_send (backend, do_add_note, NULL, path, note, 0);
}
