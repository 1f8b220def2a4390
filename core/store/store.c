/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writing a raw recording: the folder, its manifest and lock, the files of the current epoch.
 * Changing epoch and deleting old ones is in rotate.c, reading in reader.c. */
#include "config.h"
#include "base/files.h"
#include "base/wpr-error.h"
#include "store/writer-private.h"

#include <glib/gi18n-lib.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Write-back is started each 8 MiB: large enough for the disk to stream, small enough that dirty
 * pages never reach the limit at which write() itself is made to wait. */
#define FLUSH_BYTES (8 << 20)

/* ---- manifest and lock ---- */

static gboolean
fail_errno (GError **error, const char *what)
{
  int number = errno;
  wpr_set_error (error,
                 number == ENOSPC || number == EDQUOT ? WPR_ERROR_NO_SPACE : WPR_ERROR_INTERNAL, 0,
                 _ ("%s in the folder of the raw recording failed: %s. Make room, or record to "
                    "another folder with -recordtempto."),
                 what, g_strerror (number));
  return FALSE;
}

/* Beside the old, locked, synced, renamed: a visible manifest is whole, and locked while we live.
 */
static gboolean
write_manifest (WprStore *store, GError **error)
{
  g_autoptr (GBytes) bytes = wpr_manifest_to_bytes (store->manifest);
  gsize size;
  gconstpointer data = g_bytes_get_data (bytes, &size);
  unlinkat (store->folder, WPR_STORE_MANIFEST_NEW, 0);
  int fd = wpr_create_file_at (store->folder, WPR_STORE_MANIFEST_NEW, error);
  if (fd < 0)
    return FALSE;
  gboolean good = flock (fd, LOCK_EX | LOCK_NB) == 0 || fail_errno (error, _ ("Locking"));
  good = good && wpr_write_all (fd, data, size, error);
  good = good && (fsync (fd) == 0 || fail_errno (error, _ ("Writing")));
  good
      = good
        && (renameat (store->folder, WPR_STORE_MANIFEST_NEW, store->folder, WPR_STORE_MANIFEST) == 0
            || fail_errno (error, _ ("Renaming")));
  good = good && (fsync (store->folder) == 0 || fail_errno (error, _ ("Writing")));
  if (!good)
    {
      close (fd);
      return FALSE;
    }
  if (store->lock >= 0)
    close (store->lock);
  store->lock = fd;
  return TRUE;
}

gboolean
wpr_store_add_ids (WprStore *store, const WprStoreId *ids, gsize n, GError **error)
{
  g_return_val_if_fail (store != NULL, FALSE);
  g_array_append_vals (store->manifest->ids, ids, (guint)n);
  return write_manifest (store, error);
}

/* ---- making one ---- */

static char *
folder_name (const WprManifest *manifest)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();
  g_autofree char *when = g_date_time_format (now, "%Y%m%dT%H%M%S");
  g_autofree char *boot = NULL;
  const char *id = manifest->boot_id;
  if (id == NULL || strlen (id) < 8)
    id = boot = wpr_read_small ("/proc/sys/kernel/random/boot_id", 64, NULL);
  if (id == NULL || strlen (id) < 8)
    id = "00000000";
  /* To the microsecond: names are never the same and sort by time. */
  return g_strdup_printf ("%s-%.8s-%s.%06d", manifest->instance, id, when,
                          g_date_time_get_microsecond (now));
}

static gboolean
make_folder (WprStore *store, int parent_fd, const char *parent, GError **error)
{
  g_autofree char *name = folder_name (store->manifest);
  store->folder = wpr_create_folder_at (parent_fd, name, error);
  if (store->folder >= 0)
    {
      store->path = g_build_filename (parent, name, NULL);
      fsync (parent_fd);
    }
  return store->folder >= 0;
}

static void
close_file (gpointer data)
{
  WprStoreFile *file = data;
  close (file->fd);
  g_free (file);
}

WprStore *
wpr_store_create_in (int parent_fd, const char *parent, WprManifest *manifest,
                     const WprStoreLimits *limits, GError **error)
{
  g_return_val_if_fail (parent != NULL && manifest != NULL, NULL);
  WprStore *store = g_new0 (WprStore, 1);
  store->manifest = manifest;
  store->folder = store->lock = store->epoch_folder = -1;
  store->files = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, close_file);
  store->epochs = g_array_new (FALSE, TRUE, sizeof (WprStoreEpoch));
  store->behind = wpr_behind_new ();
  if (limits != NULL)
    store->limits = *limits;
  if (manifest->instance == NULL || !wpr_instance_name_valid (manifest->instance))
    {
      wpr_set_error (error, WPR_ERROR_USAGE, 0,
                     _ ("“%s” is no name for a recording: use up to 48 letters, digits, dots, "
                        "hyphens and underscores, not beginning with a dot."),
                     manifest->instance != NULL ? manifest->instance : "");
      wpr_store_close (store);
      return NULL;
    }
  if (!make_folder (store, parent_fd, parent, error) || !write_manifest (store, error)
      || !wpr_store_begin_epoch (store, error))
    {
      if (store->path != NULL)
        wpr_store_delete (store->path, NULL);
      wpr_store_close (store);
      return NULL;
    }
  return store;
}

WprStore *
wpr_store_create (const char *parent, WprManifest *manifest, const WprStoreLimits *limits,
                  GError **error)
{
  g_return_val_if_fail (parent != NULL && manifest != NULL, NULL);
  int parent_fd = -1;
  if (g_mkdir_with_parents (parent, 0700) != 0)
    wpr_set_error (error, WPR_ERROR_NOT_WRITABLE, 0,
                   _ ("The folder %s for raw recordings cannot be made: %s. Choose another one "
                      "with -recordtempto."),
                   parent, g_strerror (errno));
  else
    parent_fd = wpr_open_folder (parent, error);
  if (parent_fd < 0)
    {
      wpr_manifest_free (manifest);
      return NULL;
    }
  WprStore *store = wpr_store_create_in (parent_fd, parent, manifest, limits, error);
  close (parent_fd);
  return store;
}

const char *
wpr_store_get_path (WprStore *store)
{
  return store->path;
}

int
wpr_store_get_folder_fd (WprStore *store)
{
  return store->folder;
}

const WprManifest *
wpr_store_get_manifest (WprStore *store)
{
  return store->manifest;
}

/* ---- files of the current epoch ---- */

WprStoreFile *
wpr_store_file (WprStore *store, gint64 key, const char *name, GError **error)
{
  WprStoreFile *file = g_hash_table_lookup (store->files, &key);
  if (file != NULL)
    return file;
  int fd = wpr_create_file_at (store->epoch_folder, name, error);
  if (fd < 0)
    return NULL;
  /* Appending: after a cut the next write goes to the new end. */
  fcntl (fd, F_SETFL, fcntl (fd, F_GETFL) | O_APPEND);
  file = g_new0 (WprStoreFile, 1);
  file->key = key;
  file->fd = fd;
  g_hash_table_insert (store->files, &file->key, file);
  return file;
}

static gint64
data_key (guint collector, guint cpu)
{
  return (gint64)collector << 32 | cpu;
}

int
wpr_store_data_fd (WprStore *store, guint collector, guint cpu, GError **error)
{
  char name[64];
  g_return_val_if_fail (store != NULL && collector <= G_MAXINT32, -1);
  g_snprintf (name, sizeof name, WPR_STORE_DATA_FORMAT, collector, cpu);
  WprStoreFile *file = wpr_store_file (store, data_key (collector, cpu), name, error);
  return file == NULL ? -1 : file->fd;
}

int
wpr_store_sideband_fd (WprStore *store, GError **error)
{
  g_return_val_if_fail (store != NULL, -1);
  WprStoreFile *file = wpr_store_file (store, WPR_STORE_KEY_SIDEBAND, WPR_STORE_SIDEBAND, error);
  return file == NULL ? -1 : file->fd;
}

/* Starts writing what is full, and lets go of what was started two steps ago: written by now. */
static void
flush_behind (WprStore *store, WprStoreFile *file)
{
  if (store->limits.transient)
    return;
  while (file->told - file->flushed >= FLUSH_BYTES)
    {
      gboolean drops = file->flushed >= 2 * FLUSH_BYTES;
      wpr_behind_add (store->behind, file->fd, (gint64)file->flushed, FLUSH_BYTES,
                      drops ? (gint64)(file->flushed - 2 * FLUSH_BYTES) : 0,
                      drops ? FLUSH_BYTES : 0);
      file->flushed += FLUSH_BYTES;
    }
}

static void
wrote (WprStore *store, gint64 key, gsize bytes)
{
  WprStoreFile *file = g_hash_table_lookup (store->files, &key);
  g_return_if_fail (file != NULL);
  file->told += bytes;
  wpr_store_current (store)->bytes += bytes;
  flush_behind (store, file);
}

void
wpr_store_wrote (WprStore *store, guint collector, guint cpu, gsize bytes)
{
  g_return_if_fail (store != NULL);
  wrote (store, data_key (collector, cpu), bytes);
}

void
wpr_store_wrote_sideband (WprStore *store, gsize bytes)
{
  g_return_if_fail (store != NULL);
  wrote (store, WPR_STORE_KEY_SIDEBAND, bytes);
}

gboolean
wpr_store_cut_back (WprStore *store, GError **error)
{
  GHashTableIter iter;
  gpointer value;
  g_return_val_if_fail (store != NULL, FALSE);
  g_hash_table_iter_init (&iter, store->files);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      WprStoreFile *file = value;
      struct stat st;
      if (fstat (file->fd, &st) == 0 && (guint64)st.st_size == file->told)
        continue;
      if (ftruncate (file->fd, (off_t)file->told) != 0)
        return fail_errno (error, _ ("Cutting a file"));
    }
  return TRUE;
}

gboolean
wpr_store_add_note (WprStore *store, WprNoteKind kind, guint cpu, WprTime time, guint32 pid,
                    guint32 tid, gconstpointer payload, gsize size, GError **error)
{
  g_return_val_if_fail (store != NULL && size <= WPR_NOTE_MOST - sizeof (WprNoteFrame), FALSE);
  WprStoreFile *file = wpr_store_file (store, WPR_STORE_KEY_NOTES, WPR_STORE_NOTES, error);
  if (file == NULL)
    return FALSE;
  g_autoptr (GByteArray) framed = g_byte_array_new ();
  wpr_note_append (framed, kind, cpu, time, pid, tid, payload, size);
  if (!wpr_write_all (file->fd, framed->data, framed->len, error))
    {
      if (ftruncate (file->fd, (off_t)file->told) != 0)
        return FALSE; /* the reader stops at what is cut */
      return FALSE;
    }
  wrote (store, WPR_STORE_KEY_NOTES, framed->len);
  return TRUE;
}

/* ---- closing ---- */

WprStoreHold
wpr_store_hold (WprStore *store)
{
  g_return_val_if_fail (store != NULL, WPR_STORE_HOLD_NONE);
  return (WprStoreHold){
    .lock_fd = store->lock >= 0 ? fcntl (store->lock, F_DUPFD_CLOEXEC, 0) : -1,
    .folder_fd = fcntl (store->folder, F_DUPFD_CLOEXEC, 0),
  };
}

void
wpr_store_hold_clear (WprStoreHold *hold)
{
  if (hold->lock_fd >= 0)
    close (hold->lock_fd);
  if (hold->folder_fd >= 0)
    close (hold->folder_fd);
  *hold = WPR_STORE_HOLD_NONE;
}

gboolean
wpr_store_sync (WprStore *store, GError **error)
{
  g_return_val_if_fail (store != NULL, FALSE);
  GHashTableIter iter;
  gpointer value;
  g_hash_table_iter_init (&iter, store->files);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    if (fdatasync (((WprStoreFile *)value)->fd) != 0)
      return fail_errno (error, _ ("Writing"));
  return TRUE;
}

guint
wpr_store_sync_behind (WprStore *store)
{
  g_return_val_if_fail (store != NULL, 0);
  guint n = 0;
  GHashTableIter iter;
  gpointer value;
  store->is_synced = TRUE;
  g_hash_table_iter_init (&iter, store->files);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      WprStoreFile *file = value;
      if (file->told == file->synced)
        continue;
      wpr_behind_sync (store->behind, file->fd);
      file->synced = file->told;
      n++;
    }
  if (n > 0 && store->epoch_folder >= 0)
    wpr_behind_sync (store->behind, store->epoch_folder); /* the files' names */
  return n;
}

void
wpr_store_close (WprStore *store)
{
  GHashTableIter iter;
  gpointer value;
  if (store == NULL)
    return;
  wpr_behind_free (store->behind);
  g_hash_table_iter_init (&iter, store->files);
  while (!store->limits.transient && g_hash_table_iter_next (&iter, NULL, &value))
    fsync (((WprStoreFile *)value)->fd);
  g_hash_table_unref (store->files);
  g_array_unref (store->epochs);
  if (store->epoch_folder >= 0)
    {
      if (!store->limits.transient)
        fsync (store->epoch_folder);
      close (store->epoch_folder);
    }
  if (store->lock >= 0)
    close (store->lock);
  if (store->folder >= 0)
    close (store->folder);
  wpr_manifest_free (store->manifest);
  g_free (store->path);
  g_free (store);
}
