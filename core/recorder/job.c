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

/* A folder that looks like a raw recording is somebody's word: root takes its own, and that of who
 * has its rights lent. */
static gboolean
wpr_job_check_ours (const char *store_path, const WprStoreHold *hold, GError **error)
{
  struct stat folder, manifest;
  g_autoptr (WprBehalf) behalf = wpr_behalf_of_caller ();
  uid_t other = wpr_behalf_get_uid (behalf);
  if (geteuid () != 0
      || (fstat (hold->folder_fd, &folder) == 0 && fstat (hold->lock_fd, &manifest) == 0
          && (folder.st_uid == 0 || folder.st_uid == other)
          && (manifest.st_uid == 0 || manifest.st_uid == other)))
    return TRUE;
  wpr_set_error (error, WPR_ERROR_NOT_PERMITTED, 0,
                 _ ("The raw recording %s is somebody else's. They can finish it themselves."),
                 store_path);
  return FALSE;
}

gboolean
wpr_job_hold (const char *store_path, WprStoreHold *hold, GError **error)
{
  *hold = WPR_STORE_HOLD_NONE;
  hold->folder_fd = open (store_path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (hold->folder_fd >= 0)
    hold->lock_fd
        = openat (hold->folder_fd, "manifest", O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  gboolean good = hold->lock_fd >= 0;
  if (!good)
    wpr_set_error (error, WPR_ERROR_USAGE, 0, _ ("There is no raw recording in %s: %s."),
                   store_path, g_strerror (errno));
  good = good && wpr_job_check_ours (store_path, hold, error);
  for (guint i = 0; good && i < LOCK_TRIES; i++)
    {
      if (flock (hold->lock_fd, LOCK_EX | LOCK_NB) == 0)
        return TRUE;
      g_usleep (LOCK_WAIT_US);
    }
  wpr_store_hold_clear (hold);
  if (good)
    wpr_set_error (
        error, WPR_ERROR_STATE, 0,
        _ ("%s is still being recorded or saved. Wait for that, or stop that recording."),
        store_path);
  return FALSE;
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
  g_autoptr (WprTrace) trace = wpr_trace_open_at (job->hold.folder_fd, job->store_path, &why);
  if (trace)
    wpr_trace_set_kallsyms (trace, job->kallsyms);
  if (trace && job->description)
    wpr_trace_set_description_func (trace, wpr_job_description, (gpointer)job);
  WprSinkOptions options = { .compress = (job->flags & WPR_SAVE_COMPRESSED) != 0,
                             .no_names = (job->flags & WPR_SAVE_NO_NAMES) != 0,
                             .debuginfod = (job->flags & WPR_SAVE_DEBUGINFOD) != 0,
                             .behalf = job->behalf };
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
  if (!wpr_store_delete_held (&job->hold, job->store_path, &left))
    wpr_log (WPR_LOG_NOTICE, "%s is left: %s", job->store_path, left->message);
  return saved;
}
