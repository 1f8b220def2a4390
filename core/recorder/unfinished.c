/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Raw recordings that are left: listed, and finished. */
#include "config.h"

#include <unistd.h>

#include <glib/gi18n-lib.h>

#include "base/files.h"
#include "base/log.h"
#include "recorder/job.h"
#include "recorder/orphan.h"
#include "store/store.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprUnfinished, wpr_unfinished_free)

void
wpr_unfinished_free (WprUnfinished *unfinished)
{
  if (!unfinished)
    return;
  g_free (unfinished->path);
  g_free (unfinished->instance);
  g_free (unfinished);
}

/* Wall clock of the first reading; 0 where not even that was written. */
static gint64
wpr_unfinished_started (WprStoreReader *reader)
{
  g_autoptr (WprClockTable) clocks = wpr_store_reader_clocks (reader);
  return clocks && wpr_clock_table_length (clocks) > 0
             ? wpr_clock_table_get (clocks, 0)->realtime_ns
             : 0;
}

static WprUnfinished *
wpr_unfinished_read (const char *path)
{
  g_autoptr (WprStoreReader) reader = wpr_store_reader_open (path, NULL);
  if (!reader)
    return NULL;
  const WprManifest *manifest = wpr_store_reader_manifest (reader);
  WprUnfinished *unfinished = g_new0 (WprUnfinished, 1);
  unfinished->path = g_strdup (path);
  unfinished->instance = g_strdup (manifest->instance ? manifest->instance : "");
  unfinished->started_realtime_ns = wpr_unfinished_started (reader);
  unfinished->bytes = wpr_store_reader_bytes (reader);
  unfinished->in_use = wpr_store_in_use (path);
  return unfinished;
}

GPtrArray *
wpr_unfinished_list_in (const char *folder)
{
  g_return_val_if_fail (folder, NULL);
  GPtrArray *list = g_ptr_array_new_with_free_func ((GDestroyNotify)wpr_unfinished_free);
  g_autoptr (GPtrArray) paths = wpr_store_list (folder);
  for (guint i = 0; paths && i < paths->len; i++)
    {
      WprUnfinished *unfinished = wpr_unfinished_read (g_ptr_array_index (paths, i));
      if (unfinished)
        g_ptr_array_add (list, unfinished);
    }
  return list;
}

GPtrArray *
wpr_unfinished_list (GError **error)
{
  g_autofree char *parent = wpr_raw_dir (error);
  GPtrArray *list = parent ? wpr_unfinished_list_in (parent) : NULL;
  if (list)
    wpr_orphans_add (list);
  return list;
}

static WprSaved *
wpr_recover_held (const char *store_path, const WprStoreHold *hold, int kallsyms_fd, int folder_fd,
                  const char *name, WprSaveFlags flags, WprProgressFunc progress, gpointer data,
                  GCancellable *cancellable, GError **error)
{
  g_autofree char *own_name = NULL;
  g_autofree char *kallsyms
      = kallsyms_fd >= 0 ? g_strdup_printf ("/proc/self/fd/%d", kallsyms_fd) : NULL;
  g_autoptr (WprBehalf) behalf = wpr_behalf_of_caller ();
  if (!name)
    {
      g_autoptr (WprUnfinished) unfinished = wpr_unfinished_read (store_path);
      gint64 started = unfinished ? unfinished->started_realtime_ns : 0;
      own_name = wpr_recording_file_name (folder_fd, started ? started : g_get_real_time () * 1000);
      name = own_name;
    }
  if (!wpr_new_file_check_for (folder_fd, name, behalf, error))
    return NULL;
  WprJob job = {
    .store_path = store_path,
    .hold = *hold,
    .kallsyms = kallsyms,
    .folder_fd = folder_fd,
    .name = name,
    .behalf = behalf,
    .flags = flags,
    .progress = progress,
    .data = data,
    .cancellable = cancellable,
  };
  return wpr_job_run (&job, error);
}

WprSaved *
wpr_recover_as (const char *store_path, int folder_fd, const char *name, WprSaveFlags flags,
                WprProgressFunc progress, gpointer data, GCancellable *cancellable, GError **error)
{
  g_return_val_if_fail (store_path, NULL);
  g_autofree char *taken = NULL;
  int kallsyms_fd = -1;
  WprSaved *saved = NULL;
  if (g_str_has_prefix (store_path, WPR_ORPHAN_PREFIX))
    {
      taken = wpr_orphan_take (store_path, &kallsyms_fd, error);
      store_path = taken;
    }
  WprStoreHold hold;
  if (store_path && wpr_job_hold (store_path, &hold, error))
    {
      saved = wpr_recover_held (store_path, &hold, kallsyms_fd, folder_fd, name, flags, progress,
                                data, cancellable, error);
      wpr_store_hold_clear (&hold);
    }
  if (kallsyms_fd >= 0)
    close (kallsyms_fd);
  if (saved)
    wpr_log (WPR_LOG_RECOVER, "%s finished as %s", store_path, saved->name);
  return saved;
}

WprSaved *
wpr_recover (const char *store_path, int folder_fd, const char *name, WprProgressFunc progress,
             gpointer data, GCancellable *cancellable, GError **error)
{
  return wpr_recover_as (store_path, folder_fd, name, 0, progress, data, cancellable, error);
}

gboolean
wpr_unfinished_discard (const char *store_path, GError **error)
{
  g_return_val_if_fail (store_path, FALSE);
  if (g_str_has_prefix (store_path, WPR_ORPHAN_PREFIX))
    return wpr_orphan_discard (store_path, error);
  /* Only what is a raw recording goes. */
  g_autoptr (WprUnfinished) unfinished = wpr_unfinished_read (store_path);
  if (!unfinished)
    {
      wpr_set_error (error, WPR_ERROR_USAGE, 0, _ ("“%s” is no raw recording."), store_path);
      return FALSE;
    }
  WprStoreHold hold;
  if (!wpr_job_hold (store_path, &hold, error))
    return FALSE;
  gboolean gone = wpr_store_delete_held (&hold, store_path, error);
  wpr_store_hold_clear (&hold);
  if (gone)
    wpr_log (WPR_LOG_RECOVER, "%s discarded", store_path);
  return gone;
}

/* ---- where files go ---- */

int
wpr_recorder_open_folder (const char *path, GError **error)
{
  g_return_val_if_fail (path, -1);
  return wpr_open_folder_careful (path, error);
}

int
wpr_recorder_open_save_folder (char **path, GError **error)
{
  g_return_val_if_fail (path, -1);
  g_autoptr (WprBehalf) behalf = wpr_behalf_of_caller ();
  return wpr_open_save_folder (NULL, behalf, path, error);
}
