/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Merges of the local back end. */
#include "config.h"

#include <unistd.h>

#include "recorder/job.h"
#include "recorder/merge.h"

typedef struct
{
  WprLocal *local;
  GTask *task;
  char *path, *name, *note;
  int folder_fd, kallsyms_fd;
  WprStoreHold hold;
  WprBehalf *behalf;
  WprSaveFlags flags;
  WprMergeDone done;
  WprSaved *saved;
  GError *error;
} WprMerge;

static char *
wpr_merge_description (gpointer data)
{
  WprMerge *merge = data;
  if (merge->note)
    return g_strdup (merge->note);
  g_mutex_lock (&merge->local->lock);
  char *note = g_strdup (merge->local->note);
  g_mutex_unlock (&merge->local->lock);
  return note;
}

static void
wpr_merge_progress (const char *phase, double fraction, guint64 done, guint64 total, gpointer data)
{
  WprMerge *merge = data;
  wpr_recorder_emit_progress (merge->local->parent.recorder, phase, fraction, done, total);
}

static void
wpr_merge_free (gpointer data)
{
  WprMerge *merge = data;
  g_free (merge->path);
  g_free (merge->name);
  g_free (merge->note);
  close (merge->folder_fd);
  wpr_behalf_unref (merge->behalf);
  if (merge->kallsyms_fd >= 0)
    close (merge->kallsyms_fd);
  g_free (merge);
}

static void
wpr_merge_report (gpointer data)
{
  WprMerge *merge = data;
  merge->done (merge->local, merge->saved, merge->error);
  if (!merge->task)
    {
      g_clear_pointer (&merge->saved, wpr_saved_free);
      g_clear_error (&merge->error);
    }
  else if (merge->saved)
    wpr_recorder_return_saved (g_steal_pointer (&merge->task), g_steal_pointer (&merge->saved));
  else
    wpr_recorder_return_error (g_steal_pointer (&merge->task), g_steal_pointer (&merge->error));
}

static void
wpr_merge_run (gpointer data)
{
  WprMerge *merge = data;
  g_autofree char *kallsyms
      = merge->kallsyms_fd >= 0 ? g_strdup_printf ("/proc/self/fd/%d", merge->kallsyms_fd) : NULL;
  WprJob job = {
    .kallsyms = kallsyms,
    .store_path = merge->path,
    .hold = merge->hold,
    .folder_fd = merge->folder_fd,
    .name = merge->name,
    .behalf = merge->behalf,
    .flags = merge->flags,
    .description = wpr_merge_description,
    .progress = wpr_merge_progress,
    .data = merge,
    .cancellable = merge->task ? g_task_get_cancellable (merge->task) : NULL,
  };
  merge->saved = wpr_job_run (&job, &merge->error);
  /* The lock ends with the merge, not with the report: what is left can be recovered at once. */
  wpr_store_hold_clear (&merge->hold);
  wpr_worker_call (merge->local->worker, wpr_merge_report, merge, wpr_merge_free);
}

void
wpr_merge_queue (WprLocal *local, GTask *task, const char *store_path, WprStoreHold hold,
                 int kallsyms_fd, int folder_fd, const char *name, const char *note,
                 WprMergeDone done)
{
  WprMerge *merge = g_new0 (WprMerge, 1);
  *merge = (WprMerge){
    .local = local,
    .task = task,
    .path = g_strdup (store_path),
    .name = g_strdup (name),
    .note = g_strdup (note),
    .folder_fd = folder_fd,
    .hold = hold,
    .kallsyms_fd = kallsyms_fd,
    .behalf = task ? wpr_behalf_ref (wpr_recorder_task_behalf (task)) : wpr_behalf_of_caller (),
    /* who stops by itself writes as was wished at the start */
    .flags = task || !local->choice ? wpr_recorder_task_flags (task) : local->choice->save_flags,
    .done = done,
  };
  wpr_worker_call (local->jobs, wpr_merge_run, merge, NULL);
}
