/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is done to the files of the list, beside it; answers come back to the main thread. */
#include "config.h"
#include "recordings-private.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wpr-trace.h>
#include "note.h"
#include "target.h"
#include "worker.h"

#define PROGRESS_US (G_USEC_PER_SEC / 10)

/* A request on its way into a worker, and its answer on the way back. */
typedef struct
{
  WprRecordings *recordings;
  WprRecordingItem *item;
  char *folder, *name, *text;
  GCancellable *cancellable;
  WprSaveFlags flags;
  /* answer */
  GPtrArray *items, *unfinished;
  guint64 free_bytes;
  double fraction;
  WprRecordingBrief brief;
  char *heading, *toast, *fault;
  gboolean watch; /* the folder is to be watched */
  GFileMonitor *monitor;
  gint64 sent_us; /* of the last progress */
} Job;

static void
free_job (gpointer data)
{
  Job *job = data;
  g_object_unref (job->recordings);
  g_clear_object (&job->item);
  g_clear_object (&job->cancellable);
  g_clear_pointer (&job->items, g_ptr_array_unref);
  g_clear_pointer (&job->unfinished, g_ptr_array_unref);
  wpr_recording_brief_clear (&job->brief);
  g_free (job->folder);
  g_free (job->name);
  g_free (job->text);
  g_free (job->heading);
  g_free (job->toast);
  g_free (job->fault);
  g_clear_object (&job->monitor);
  g_free (job);
}

static Job *
make_job (WprRecordings *self, const char *folder, const char *name, const char *text)
{
  Job *job = g_new0 (Job, 1);
  job->recordings = g_object_ref (self);
  job->folder = g_strdup (folder);
  job->name = g_strdup (name);
  job->text = g_strdup (text);
  return job;
}

/* Main thread. */
static Job *
new_job (WprRecordings *self, const char *name, const char *text)
{
  return make_job (self, self->folder, name, text);
}

/* A worker's: the list may be of another folder by now. */
static Job *
new_answer (const Job *job, const char *name, const char *text)
{
  return make_job (job->recordings, job->folder, name, text);
}

static void
send (WprRecordings *self, const WprAsideCall *call, Job *job)
{
  if (self->closed)
    {
      free_job (job);
      return;
    }
  if (self->files == NULL)
    self->files = wpr_aside_new ("wprui-files", WPR_ASIDE_LIMIT_MS);
  wpr_aside_run (self->files, call, job);
}

/* ---- answers ---- */

static void
take_trouble (gpointer data)
{
  Job *answer = data;
  wpr_recordings_emit (answer->recordings, WPR_RECORDINGS_TROUBLE, answer->heading, answer->text);
}

static void
reply_trouble (Job *job, const char *heading, const char *body)
{
  Job *answer = new_answer (job, NULL, body);
  answer->heading = g_strdup (heading);
  wpr_worker_reply (take_trouble, answer, free_job);
}

static void
take_toast (gpointer data)
{
  Job *answer = data;
  wpr_recordings_emit (answer->recordings, WPR_RECORDINGS_TOAST, answer->toast);
}

static void
reply_toast (Job *job, const char *text)
{
  Job *answer = new_answer (job, NULL, NULL);
  answer->toast = g_strdup (text);
  wpr_worker_reply (take_toast, answer, free_job);
}

static void
on_write_late (gpointer data)
{
  const Job *job = data;
  /* Translators: %s is a folder */
  g_autofree char *text = g_strdup_printf (
      _ ("“%s” does not answer. The disk or share it lies on may be gone or very busy."),
      job->folder);
  wpr_recordings_emit (job->recordings, WPR_RECORDINGS_TROUBLE, _ ("Not done yet"), text);
}

/* What changes a file or the folder. */
#define WRITING(func)     \
  (&(const WprAsideCall){ \
      .work = func, .late = on_write_late, .destroy = free_job, .writes = TRUE })

static void
take_list (gpointer data)
{
  Job *answer = data;
  if (g_strcmp0 (answer->folder, answer->recordings->folder) == 0)
    wpr_recordings_take_list (answer->recordings, answer->items, answer->unfinished,
                              answer->free_bytes, answer->fault);
}

/* ---- reading the folder ---- */

static int
compare_items (gconstpointer a, gconstpointer b)
{
  WprRecordingItem *x = *(WprRecordingItem *const *)a, *y = *(WprRecordingItem *const *)b;
  gint64 difference = wpr_recording_item_get_saved_us (y) - wpr_recording_item_get_saved_us (x);
  if (difference != 0)
    return difference > 0 ? 1 : -1;
  return strcmp (wpr_recording_item_get_name (x), wpr_recording_item_get_name (y));
}

static gboolean
is_recording (const char *name)
{
  gsize length = strlen (name);
  return *name != '.' && length > 4 && g_ascii_strcasecmp (name + length - 4, ".etl") == 0;
}

static GPtrArray *
list_folder (const char *folder, char **fault)
{
  GPtrArray *items = g_ptr_array_new_with_free_func (g_object_unref);
  int fd = open (folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  /* it is made when something is saved */
  if (fd < 0 && errno != ENOENT)
    /* Translators: a folder, and why it cannot be read */
    *fault = g_strdup_printf (_ ("“%s”: %s."), folder, g_strerror (errno));
  g_autoptr (GDir) dir = fd >= 0 ? g_dir_open (folder, 0, NULL) : NULL;
  for (const char *name = dir ? g_dir_read_name (dir) : NULL; name != NULL;
       name = g_dir_read_name (dir))
    {
      struct stat st;
      if (!is_recording (name) || fstatat (fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0
          || !S_ISREG (st.st_mode))
        continue;
      gint64 saved_us = st.st_mtim.tv_sec * G_USEC_PER_SEC + st.st_mtim.tv_nsec / 1000;
      g_ptr_array_add (items, wpr_recording_item_new (name, (guint64)st.st_size, saved_us));
    }
  if (fd >= 0)
    close (fd);
  g_ptr_array_sort (items, compare_items);
  return items;
}

/* Those whose recorder lives are none of ours to finish. */
static GPtrArray *
list_unfinished (void)
{
  GPtrArray *all = wpr_unfinished_list (NULL);
  if (all == NULL)
    return g_ptr_array_new_with_free_func ((GDestroyNotify)wpr_unfinished_free);
  for (guint i = all->len; i > 0; i--)
    if (((WprUnfinished *)all->pdata[i - 1])->in_use)
      g_ptr_array_remove_index (all, i - 1);
  return all;
}

static void
reply_list (Job *job)
{
  Job *answer = new_answer (job, NULL, NULL);
  g_autoptr (GFile) file = g_file_new_for_path (job->folder);
  g_autoptr (GFileInfo) info
      = g_file_query_filesystem_info (file, G_FILE_ATTRIBUTE_FILESYSTEM_FREE, NULL, NULL);
  answer->items = list_folder (job->folder, &answer->fault);
  answer->unfinished = list_unfinished ();
  answer->free_bytes
      = info ? g_file_info_get_attribute_uint64 (info, G_FILE_ATTRIBUTE_FILESYSTEM_FREE) : 0;
  wpr_worker_reply (take_list, answer, free_job);
}

/* The monitor's changes come to the main thread, since this one has no context. It is there before
 * the list is, so that nothing is missed. */
static void
do_read (gpointer data)
{
  Job *job = data;
  g_autoptr (GFile) folder = g_file_new_for_path (job->folder);
  if (job->watch)
    job->monitor = g_file_monitor_directory (folder, G_FILE_MONITOR_NONE, NULL, NULL);
  reply_list (job);
}

static void
on_read (gpointer data)
{
  Job *job = data;
  if (job->monitor != NULL && g_strcmp0 (job->folder, job->recordings->folder) == 0)
    wpr_recordings_take_monitor (job->recordings, job->monitor);
}

static void
on_read_late (gpointer data)
{
  Job *job = data;
  if (g_strcmp0 (job->folder, job->recordings->folder) == 0)
    wpr_recordings_take_silence (job->recordings);
}

void
wpr_recordings_read (WprRecordings *self, const char *folder)
{
  static const WprAsideCall call
      = { .work = do_read, .done = on_read, .late = on_read_late, .destroy = free_job };
  if (g_strcmp0 (self->folder, folder) != 0)
    {
      g_clear_object (&self->monitor);
      self->was_read = self->silent = FALSE;
      g_clear_pointer (&self->fault, g_free);
      char *copy = g_strdup (folder);
      g_free (self->folder);
      self->folder = copy;
    }
  if (self->silent)
    return; /* it was asked, and will be listed */
  Job *job = new_job (self, NULL, NULL);
  job->watch = self->watched && self->monitor == NULL;
  send (self, &call, job);
}

/* ---- looking into one ---- */

static void
look (const char *folder, const char *name, WprRecordingBrief *brief)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autoptr (WprTraceInfo) info = wpr_trace_brief_read (path, NULL, NULL);
  if (info == NULL)
    {
      brief->seal = WPR_SEAL_UNREADABLE;
      return;
    }
  brief->lost = info->events_lost;
  brief->seal = info->faults->len > 0 || info->was_completed      ? WPR_SEAL_DAMAGED
                : info->events_lost > 0 || info->buffers_lost > 0 ? WPR_SEAL_LOST
                                                                  : WPR_SEAL_COMPLETE;
  brief->note = info->note != NULL && *info->note != '\0' ? g_strdup (info->note) : NULL;
  brief->profiles = g_new0 (char *, info->profiles->len + 1);
  for (guint i = 0; i < info->profiles->len; i++)
    brief->profiles[i] = g_strdup (info->profiles->pdata[i]);
}

static void
take_look (gpointer data)
{
  Job *answer = data;
  wpr_recording_item_set_brief (answer->item, &answer->brief);
  wpr_recordings_emit (answer->recordings, WPR_RECORDINGS_LOOKED);
}

static void
do_look (gpointer data)
{
  Job *job = data;
  Job *answer = new_answer (job, NULL, NULL);
  answer->item = g_object_ref (job->item);
  look (job->folder, wpr_recording_item_get_name (job->item), &answer->brief);
  wpr_worker_reply (take_look, answer, free_job);
}

void
wpr_recordings_look (WprRecordings *self, WprRecordingItem *item)
{
  if (!wpr_recording_item_begin_look (item))
    return;
  Job *job = new_job (self, NULL, NULL);
  job->item = g_object_ref (item);
  static const WprAsideCall call = { .work = do_look, .destroy = free_job, .low = TRUE };
  send (self, &call, job);
}

/* ---- one file ---- */

static void
do_rename (gpointer data)
{
  Job *job = data;
  g_autoptr (GError) error = NULL;
  int folder_fd = wpr_target_open_folder (job->folder, &error);
  if (folder_fd >= 0)
    {
      g_autofree char *wanted = wpr_target_clean_name (job->text);
      g_autofree char *name
          = wanted ? wpr_target_rename (folder_fd, job->name, wanted, &error) : NULL;
      if (wanted == NULL)
        reply_trouble (job, _ ("Not renamed"), _ ("A file cannot have that name."));
      close (folder_fd);
    }
  if (error != NULL)
    reply_trouble (job, _ ("Not renamed"), error->message);
  reply_list (job);
}

void
wpr_recordings_rename (WprRecordings *self, const char *name, const char *title)
{
  send (self, WRITING (do_rename), new_job (self, name, title));
}

static void
do_set_note (gpointer data)
{
  Job *job = data;
  g_autoptr (GError) error = NULL;
  if (wpr_note_add (job->folder, job->name, job->text, &error))
    reply_toast (job, _ ("The note is in the file"));
  else
    reply_trouble (job, _ ("The note was not added"), error->message);
  reply_list (job);
}

void
wpr_recordings_set_note (WprRecordings *self, const char *name, const char *note)
{
  send (self, WRITING (do_set_note), new_job (self, name, note));
}

static void
take_cannot_trash (gpointer data)
{
  Job *answer = data;
  wpr_recordings_emit (answer->recordings, WPR_RECORDINGS_CANNOT_TRASH, answer->name);
}

static void
do_trash (gpointer data)
{
  Job *job = data;
  g_autoptr (GError) error = NULL;
  g_autofree char *path = g_build_filename (job->folder, job->name, NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  if (g_file_trash (file, NULL, &error))
    reply_toast (job, _ ("Moved to the bin"));
  else if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED))
    wpr_worker_reply (take_cannot_trash, new_answer (job, job->name, NULL), free_job);
  else
    reply_trouble (job, _ ("Not moved to the bin"), error->message);
  reply_list (job);
}

void
wpr_recordings_trash (WprRecordings *self, const char *name)
{
  send (self, WRITING (do_trash), new_job (self, name, NULL));
}

static void
do_delete (gpointer data)
{
  Job *job = data;
  g_autoptr (GError) error = NULL;
  g_autofree char *path = g_build_filename (job->folder, job->name, NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  if (!g_file_delete (file, NULL, &error))
    reply_trouble (job, _ ("Not deleted"), error->message);
  reply_list (job);
}

void
wpr_recordings_delete (WprRecordings *self, const char *name)
{
  send (self, WRITING (do_delete), new_job (self, name, NULL));
}

/* ---- raw recordings ---- */

static void
take_progress (gpointer data)
{
  Job *answer = data;
  wpr_recordings_emit (answer->recordings, WPR_RECORDINGS_PROGRESS, answer->fraction);
}

static void
on_progress (const char *phase, double fraction, guint64 done, guint64 total, gpointer data)
{
  Job *job = data;
  gint64 now_us = g_get_monotonic_time ();
  if (now_us - job->sent_us < PROGRESS_US)
    return;
  job->sent_us = now_us;
  Job *answer = new_answer (job, NULL, NULL);
  answer->fraction = fraction;
  wpr_worker_reply (take_progress, answer, free_job);
}

static void
take_finished (gpointer data)
{
  Job *answer = data;
  wpr_recordings_take_finished (answer->recordings, answer->toast);
}

static void
do_finish (gpointer data)
{
  Job *job = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (WprSaved) saved = NULL;
  int folder_fd = wpr_target_open_folder (job->folder, &error);
  Job *answer = new_answer (job, NULL, NULL);
  if (folder_fd >= 0)
    {
      saved = wpr_recover_as (job->name, folder_fd, NULL, job->flags, on_progress, job,
                              job->cancellable, &error);
      close (folder_fd);
    }
  if (saved != NULL)
    /* Translators: %s is a file name */
    answer->toast = g_strdup_printf (_ ("Finished: %s"), saved->name);
  else if (!g_error_matches (error, WPR_ERROR, WPR_ERROR_CANCELLED)
           && !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    reply_trouble (job, _ ("Not finished"), error->message);
  reply_list (job);
  wpr_worker_reply (take_finished, answer, free_job);
}

void
wpr_recordings_finish (WprRecordings *self, const char *store_path, WprSaveFlags flags)
{
  if (self->closed || self->finishing != NULL)
    return;
  if (self->finisher == NULL)
    self->finisher = wpr_aside_new ("wprui-finish", 0);
  self->finishing = g_strdup (store_path);
  self->finish = g_cancellable_new ();
  Job *job = new_job (self, store_path, NULL);
  job->flags = flags;
  job->cancellable = g_object_ref (self->finish);
  static const WprAsideCall call = { .work = do_finish, .destroy = free_job, .writes = TRUE };
  wpr_aside_run (self->finisher, &call, job);
  wpr_recordings_emit (self, WPR_RECORDINGS_CHANGED);
}

static void
do_discard (gpointer data)
{
  Job *job = data;
  g_autoptr (GError) error = NULL;
  if (!wpr_unfinished_discard (job->name, &error))
    reply_trouble (job, _ ("Not discarded"), error->message);
  reply_list (job);
}

void
wpr_recordings_discard (WprRecordings *self, const char *store_path)
{
  send (self, WRITING (do_discard), new_job (self, store_path, NULL));
}
