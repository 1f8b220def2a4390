/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Epochs: all files change together; the oldest go whole, what must outlive them first moved to the
 * head of the next. */
#include "config.h"
#include "base/files.h"
#include "base/wpr-error.h"
#include "store/writer-private.h"

#include <glib/gi18n-lib.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* Epochs of 64 MiB: few enough files for long recordings, and little lost when the oldest goes. At
 * most an eighth of a limit, so that seven eighths of it are always there; below 1 MiB a folder
 * with its files costs more than what is in it. */
#define EPOCH_BYTES (64 << 20)
#define EPOCH_LEAST (1 << 20)

WprStoreEpoch *
wpr_store_current (WprStore *store)
{
  return &g_array_index (store->epochs, WprStoreEpoch, store->epochs->len - 1);
}

static guint64
epoch_bytes (const WprStore *store)
{
  guint64 bytes = store->limits.epoch_bytes != 0 ? store->limits.epoch_bytes : EPOCH_BYTES;
  if (store->limits.most_bytes != 0)
    bytes = MIN (bytes, MAX (store->limits.most_bytes / 8, EPOCH_LEAST));
  return bytes;
}

gboolean
wpr_store_begin_epoch (WprStore *store, GError **error)
{
  char name[32];
  WprStoreEpoch epoch = { .number = 1 };
  if (store->epochs->len > 0)
    epoch.number = wpr_store_current (store)->number + 1;
  g_snprintf (name, sizeof name, WPR_STORE_EPOCH_FORMAT, epoch.number);
  int folder = wpr_create_folder_at (store->folder, name, error);
  if (folder < 0)
    return FALSE;
  GHashTableIter iter;
  gpointer value;
  g_hash_table_iter_init (&iter, store->files);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      WprStoreFile *file = value;
      wpr_behind_add (store->behind, file->fd, (gint64)file->flushed, 0, 0, (gint64)file->flushed);
      if (store->is_synced && file->synced < file->told)
        wpr_behind_sync (store->behind, file->fd);
    }
  g_hash_table_remove_all (store->files);
  if (store->epoch_folder >= 0)
    close (store->epoch_folder);
  store->epoch_folder = folder;
  g_array_append_val (store->epochs, epoch);
  return TRUE;
}

/* A file that is there whole or not at all, whenever we are killed. Not synced: that may take
 * seconds on the disk under study, and the rings fill meanwhile. */
static gboolean
write_whole (int folder, const char *name, gconstpointer data, gsize size, GError **error)
{
  g_autofree char *beside = g_strdup_printf ("%s.new", name);
  unlinkat (folder, beside, 0);
  int fd = wpr_create_file_at (folder, beside, error);
  if (fd < 0)
    return FALSE;
  gboolean good = wpr_write_all (fd, data, size, error);
  if (good && renameat (folder, beside, folder, name) != 0)
    {
      wpr_set_error (error, errno == ENOSPC ? WPR_ERROR_NO_SPACE : WPR_ERROR_INTERNAL, 0,
                     _ ("Keeping the list of processes beside the recording failed: %s."),
                     g_strerror (errno));
      good = FALSE;
    }
  if (good)
    sync_file_range (fd, 0, 0, SYNC_FILE_RANGE_WRITE);
  else
    unlinkat (folder, beside, 0);
  close (fd);
  return good;
}

gboolean
wpr_store_checkpoint (WprStore *store, GBytes *world, GError **error)
{
  g_return_val_if_fail (store != NULL && world != NULL, FALSE);
  gsize size;
  gconstpointer data = g_bytes_get_data (world, &size);
  return write_whole (store->epoch_folder, WPR_STORE_WORLD, data, size, error);
}

void
wpr_store_set_fold (WprStore *store, WprStoreFold fold, gpointer data)
{
  g_return_if_fail (store != NULL);
  store->fold = fold;
  store->fold_data = data;
}

/* ---- deleting the oldest ---- */

static GBytes *
load_or_empty (int folder, const char *name)
{
  GBytes *bytes = wpr_store_load (folder, name, G_MAXSSIZE);
  return bytes != NULL ? bytes : g_bytes_new_static ("", 0);
}

static gboolean
keep_notes (WprStore *store, int old, int next, GBytes *notes, guint64 bytes, GError **error)
{
  g_autoptr (GByteArray) all = g_byte_array_new ();
  g_autoptr (GByteArray) kept = g_byte_array_new ();
  g_autoptr (GBytes) before = load_or_empty (old, WPR_STORE_KEPT);
  guint64 dropped = store->bytes_dropped + bytes;
  gsize size;
  const guint8 *data = g_bytes_get_data (before, &size);
  g_byte_array_append (all, data, (guint)size);
  data = g_bytes_get_data (notes, &size);
  g_byte_array_append (all, data, (guint)size);
  wpr_note_append (kept, WPR_NOTE_DROPPED, 0, 0, 0, 0, &dropped, sizeof dropped);
  wpr_notes_keep (kept, all->data, all->len);
  return write_whole (next, WPR_STORE_KEPT, kept->data, kept->len, error);
}

static gboolean
fold_world (WprStore *store, int old, int next, GBytes *notes, GError **error)
{
  g_autoptr (GBytes) world = wpr_store_load (old, WPR_STORE_WORLD, G_MAXSSIZE);
  if (store->fold != NULL)
    {
      g_autoptr (GBytes) sideband = load_or_empty (old, WPR_STORE_SIDEBAND);
      gsize sideband_size, notes_size;
      const guint8 *s = g_bytes_get_data (sideband, &sideband_size);
      const guint8 *n = g_bytes_get_data (notes, &notes_size);
      GBytes *folded = store->fold (world, s, wpr_records_whole (s, sideband_size), n, notes_size,
                                    store->fold_data);
      g_clear_pointer (&world, g_bytes_unref);
      world = folded;
    }
  if (world == NULL)
    return TRUE;
  gsize size;
  gconstpointer data = g_bytes_get_data (world, &size);
  return write_whole (next, WPR_STORE_WORLD, data, size, error);
}

static int
open_epoch (WprStore *store, guint index)
{
  char name[32];
  g_snprintf (name, sizeof name, WPR_STORE_EPOCH_FORMAT,
              g_array_index (store->epochs, WprStoreEpoch, index).number);
  return openat (store->folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static gboolean
move_on (WprStore *store, int old, int next, guint64 bytes, GError **error)
{
  g_autoptr (GBytes) notes = load_or_empty (old, WPR_STORE_NOTES);
  return next >= 0 && keep_notes (store, old, next, notes, bytes, error)
         && fold_world (store, old, next, notes, error);
}

/* Frees the better part of an epoch that goes: its events are given up first. Cut before they are
 * unlinked, for the write-back thread may still hold them open. */
static void
delete_data (int epoch)
{
  int fd = openat (epoch, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *dir = fd < 0 ? NULL : fdopendir (fd);
  if (dir == NULL)
    {
      if (fd >= 0)
        close (fd);
      return;
    }
  for (struct dirent *entry = readdir (dir); entry != NULL; entry = readdir (dir))
    if (g_str_has_prefix (entry->d_name, "data-"))
      {
        int data = openat (dirfd (dir), entry->d_name, O_WRONLY | O_TRUNC | O_NOFOLLOW | O_CLOEXEC);
        if (data >= 0)
          close (data);
        unlinkat (dirfd (dir), entry->d_name, 0);
      }
  closedir (dir);
}

/* What the next epoch needs of it is written first; then it goes in one step (renamed), and its
 * files afterwards: a reader sees all of it or nothing. On a full disk the events go first, to make
 * room for what outlives them. */
static gboolean
delete_oldest (WprStore *store, GError **error)
{
  char name[32], gone[32];
  g_autoptr (GError) failed = NULL;
  WprStoreEpoch epoch = g_array_index (store->epochs, WprStoreEpoch, 0);
  int old = open_epoch (store, 0), next = open_epoch (store, 1);
  gboolean good = move_on (store, old, next, epoch.bytes, &failed);
  if (!good && g_error_matches (failed, WPR_ERROR, WPR_ERROR_NO_SPACE))
    {
      g_clear_error (&failed);
      delete_data (old);
      good = move_on (store, old, next, epoch.bytes, &failed);
    }
  if (next >= 0)
    close (next);
  if (old >= 0)
    close (old);
  if (!good)
    {
      if (failed != NULL)
        g_propagate_error (error, g_steal_pointer (&failed));
      else
        wpr_set_error (error, WPR_ERROR_INTERNAL, 0,
                       _ ("A part of the raw recording has vanished while recording."));
      return FALSE;
    }
  g_snprintf (name, sizeof name, WPR_STORE_EPOCH_FORMAT, epoch.number);
  g_snprintf (gone, sizeof gone, WPR_STORE_GONE_FORMAT, epoch.number);
  renameat (store->folder, name, store->folder, gone);
  store->bytes_dropped += epoch.bytes;
  g_array_remove_index (store->epochs, 0);
  return wpr_remove_tree_at (store->folder, gone, error);
}

static gboolean
keep_within (WprStore *store, guint64 most, GError **error)
{
  while (store->epochs->len > 1 && wpr_store_bytes (store) > most)
    if (!delete_oldest (store, error))
      return FALSE;
  return TRUE;
}

guint64
wpr_store_bytes (const WprStore *store)
{
  guint64 bytes = 0;
  for (guint i = 0; i < store->epochs->len; i++)
    bytes += g_array_index (store->epochs, WprStoreEpoch, i).bytes;
  return bytes;
}

guint64
wpr_store_bytes_dropped (const WprStore *store)
{
  return store->bytes_dropped;
}

gboolean
wpr_store_wants_rotate (const WprStore *store)
{
  return wpr_store_current ((WprStore *)store)->bytes >= epoch_bytes (store);
}

gboolean
wpr_store_rotate (WprStore *store, GError **error)
{
  g_return_val_if_fail (store != NULL, FALSE);
  if (!wpr_store_begin_epoch (store, error))
    return FALSE;
  if (store->limits.most_bytes == 0)
    return TRUE;
  /* With room for the epoch that begins. */
  guint64 room = epoch_bytes (store);
  return keep_within (store, store->limits.most_bytes - MIN (room, store->limits.most_bytes),
                      error);
}

gboolean
wpr_store_set_most (WprStore *store, guint64 most_bytes, GError **error)
{
  g_return_val_if_fail (store != NULL, FALSE);
  store->limits.most_bytes = most_bytes;
  return most_bytes == 0 || keep_within (store, most_bytes, error);
}
