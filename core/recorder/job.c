/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Playing a store into its file. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gi18n-lib.h>

#include "base/log.h"
#include "recorder/job.h"
#include "sink/sink.h"

/* Who only asks whether the store is in use holds a shared lock for a moment. */
#define LOCK_TRIES 20
#define LOCK_WAIT_US 5000

int
wpr_job_lock (const char *store_path, GError **error)
{
  g_autofree char *path = g_build_filename (store_path, "manifest", NULL);
  int fd = open (path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    {
      wpr_set_error (error, WPR_ERROR_USAGE, 0, _ ("There is no raw recording in %s: %s."),
                     store_path, g_strerror (errno));
      return -1;
    }
  for (guint i = 0; i < LOCK_TRIES; i++)
    {
      if (flock (fd, LOCK_EX | LOCK_NB) == 0)
        return fd;
      g_usleep (LOCK_WAIT_US);
    }
  close (fd);
  wpr_set_error (error, WPR_ERROR_STATE, 0,
                 _ ("%s is still being recorded or saved. Wait for that, or stop that recording."),
                 store_path);
  return -1;
}

static void
wpr_job_progress (const char *phase, double fraction, guint64 done, guint64 total, gpointer data)
{
  const WprJob *job = data;
  job->progress (phase, fraction, done, total, job->data);
}

static char *
wpr_job_description (gpointer data)
{
  const WprJob *job = data;
  return job->description (job->data);
}

/* The kept store is what the person needs to know. */
static void
wpr_job_fail (const WprJob *job, GError *why, GError **error)
{
  gboolean cancelled = g_error_matches (why, WPR_ERROR, WPR_ERROR_CANCELLED)
                       || g_error_matches (why, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  if (cancelled)
    wpr_set_error (
        error, WPR_ERROR_CANCELLED, 0,
        _ ("Saving was cancelled. The recording is kept in %s; \"wpr -recover\" finishes "
           "it."),
        job->store_path);
  else
    wpr_set_error (error, why->domain == WPR_ERROR ? (WprErrorCode)why->code : WPR_ERROR_INTERNAL,
                   wpr_error_get_number (why),
                   _ ("%s The recording is kept in %s; \"wpr -recover\" finishes it."),
                   why->message, job->store_path);
  wpr_log (WPR_LOG_SAVE, "%s not saved: %s Kept: %s", job->name, why->message, job->store_path);
}

/* A folder that was unmounted or deleted in the meantime still takes files from who has it open;
 * nobody finds them. */
static gboolean
wpr_job_is_found (const WprJob *job, const char *name)
{
  struct stat written, found;
  g_autofree char *link = g_strdup_printf ("/proc/self/fd/%d", job->folder_fd);
  g_autofree char *folder = g_file_read_link (link, NULL);
  if (!folder)
    return TRUE; /* nobody knows */
  g_autofree char *path = g_build_filename (folder, name, NULL);
  return fstatat (job->folder_fd, name, &written, AT_SYMLINK_NOFOLLOW) == 0
         && lstat (path, &found) == 0 && found.st_dev == written.st_dev
         && found.st_ino == written.st_ino;
}

WprSaved *
wpr_job_run (const WprJob *job, GError **error)
{
  g_autoptr (GError) why = NULL;
  WprProgress progress = { wpr_job_progress, (gpointer)job };
  WprSinkResult result = { 0 };
  g_autoptr (WprTrace) trace = wpr_trace_open (job->store_path, &why);
  if (trace && job->description)
    wpr_trace_set_description_func (trace, wpr_job_description, (gpointer)job);
  WprSinkOptions options = { .compress = (job->flags & WPR_SAVE_COMPRESSED) != 0,
                             .no_names = (job->flags & WPR_SAVE_NO_NAMES) != 0,
                             .debuginfod = (job->flags & WPR_SAVE_DEBUGINFOD) != 0 };
  if (trace)
    options.part_bytes = wpr_trace_context (trace)->manifest->part_bytes;
  if (!trace
      || !wpr_sink_save_etl (trace, job->folder_fd, job->name, &options,
                             job->progress ? &progress : NULL, job->cancellable, &result, &why))
    {
      wpr_job_fail (job, why, error);
      return NULL;
    }
  g_clear_pointer (&trace, wpr_trace_free);
  if (!wpr_job_is_found (job, result.name))
    {
      wpr_set_error (&why, WPR_ERROR_NOT_WRITABLE, 0,
                     _ ("The folder went away while the recording was being saved in it."));
      wpr_job_fail (job, why, error);
      g_free (result.name);
      g_strfreev (result.names);
      return NULL;
    }
  WprSaved *saved = g_new0 (WprSaved, 1);
  *saved = (WprSaved){
    .name = result.name,
    .size = result.size,
    .events = result.events,
    .lost = result.lost,
    .duration_ns = result.duration_ns,
    .complete = result.complete,
    .parts = result.names,
  };
  wpr_log (WPR_LOG_SAVE,
           "%s: %" G_GUINT64_FORMAT " events, %" G_GUINT64_FORMAT " lost, %" G_GUINT64_FORMAT
           " bytes",
           saved->name, saved->events, saved->lost, saved->size);
  /* The file is whole; a store that cannot be deleted costs space, no data. */
  g_autoptr (GError) left = NULL;
  if (!wpr_store_delete (job->store_path, &left))
    wpr_log (WPR_LOG_NOTICE, "%s is left: %s", job->store_path, left->message);
  return saved;
}
