/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading a store that is over, or whose recorder died: files are mapped, and each is cut back to
 * its last whole record. A stranger's bytes: every size is looked at before it is believed. */
#include "config.h"
#include "base/wpr-error.h"
#include "store/store-private.h"

#include <glib/gi18n-lib.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct
{
  guint8 *bytes; /* NULL: empty, or no such file */
  gsize mapped, size;
} Mapped;

typedef struct
{
  guint epoch, collector, cpu;
} DataKey;

struct _WprStoreReader
{
  int folder;
  WprManifest *manifest;
  GArray *epochs;      /* guint, numbers */
  GHashTable *data;    /* DataKey -> Mapped */
  GPtrArray *sideband; /* Mapped of each epoch, NULL until asked for */
  guint64 bytes_dropped;
};

static guint
hash_key (gconstpointer key)
{
  const DataKey *k = key;
  return k->epoch * 31 * 1021 + k->collector * 1021 + k->cpu;
}

static gboolean
equal_key (gconstpointer a, gconstpointer b)
{
  return memcmp (a, b, sizeof (DataKey)) == 0;
}

static void
unmap (gpointer data)
{
  Mapped *mapped = data;
  if (mapped == NULL)
    return;
  if (mapped->bytes != NULL)
    munmap (mapped->bytes, mapped->mapped);
  g_free (mapped);
}

static int
open_epoch (WprStoreReader *reader, guint epoch)
{
  char name[32];
  g_snprintf (name, sizeof name, WPR_STORE_EPOCH_FORMAT,
              g_array_index (reader->epochs, guint, epoch));
  return openat (reader->folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static gboolean
note_dropped (const WprStoreNote *note, gpointer data)
{
  WprStoreReader *reader = data;
  if ((guint)note->kind == WPR_NOTE_DROPPED && note->size >= sizeof reader->bytes_dropped)
    memcpy (&reader->bytes_dropped, note->payload, sizeof reader->bytes_dropped);
  return (guint)note->kind != WPR_NOTE_DROPPED;
}

/* Notes of a file of an epoch. */
static void
walk_file (WprStoreReader *reader, guint epoch, const char *name, WprStoreNoteFunc func,
           gpointer data)
{
  int folder = open_epoch (reader, epoch);
  g_autoptr (GBytes) notes = wpr_store_load (folder, name, G_MAXSSIZE);
  if (folder >= 0)
    close (folder);
  if (notes == NULL)
    return;
  gsize size;
  const guint8 *bytes = g_bytes_get_data (notes, &size);
  wpr_store_walk_notes (bytes, size, func, data);
}

/* Takes over the folder. */
static WprStoreReader *
read_folder (int folder, const char *path, GError **error)
{
  g_autoptr (GBytes) bytes = wpr_store_load (folder, WPR_STORE_MANIFEST, WPR_STORE_MANIFEST_MOST);
  if (bytes == NULL)
    bytes = g_bytes_new_static ("", 0);
  WprManifest *manifest = wpr_manifest_from_bytes (bytes, error);
  if (manifest == NULL)
    {
      g_prefix_error (error, "%s: ", path);
      close (folder);
      return NULL;
    }
  WprStoreReader *reader = g_new0 (WprStoreReader, 1);
  reader->folder = folder;
  reader->manifest = manifest;
  reader->epochs = wpr_store_epochs (folder);
  reader->data = g_hash_table_new_full (hash_key, equal_key, g_free, unmap);
  reader->sideband = g_ptr_array_new_with_free_func (unmap);
  g_ptr_array_set_size (reader->sideband, (gint)reader->epochs->len);
  if (reader->epochs->len > 0)
    walk_file (reader, 0, WPR_STORE_KEPT, note_dropped, reader);
  return reader;
}

WprStoreReader *
wpr_store_reader_open_at (int folder_fd, const char *path, GError **error)
{
  g_return_val_if_fail (path != NULL, NULL);
  int folder = openat (folder_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0)
    return read_folder (folder, path, error);
  wpr_set_error (error, WPR_ERROR_NOT_AVAILABLE, 0,
                 _ ("The raw recording %s cannot be opened: %s."), path, g_strerror (errno));
  return NULL;
}

WprStoreReader *
wpr_store_reader_open (const char *path, GError **error)
{
  g_return_val_if_fail (path != NULL, NULL);
  int folder = open (path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder >= 0)
    return read_folder (folder, path, error);
  wpr_set_error (error, WPR_ERROR_NOT_AVAILABLE, 0,
                 _ ("The raw recording %s cannot be opened: %s."), path, g_strerror (errno));
  return NULL;
}

void
wpr_store_reader_free (WprStoreReader *reader)
{
  if (reader == NULL)
    return;
  g_hash_table_unref (reader->data);
  g_ptr_array_unref (reader->sideband);
  g_array_unref (reader->epochs);
  wpr_manifest_free (reader->manifest);
  close (reader->folder);
  g_free (reader);
}

const WprManifest *
wpr_store_reader_manifest (WprStoreReader *reader)
{
  return reader->manifest;
}

guint
wpr_store_reader_n_epochs (WprStoreReader *reader)
{
  return reader->epochs->len;
}

/* ---- raw records ---- */

static Mapped *
map_records (WprStoreReader *reader, guint epoch, const char *name)
{
  Mapped *mapped = g_new0 (Mapped, 1);
  struct stat st;
  int folder = open_epoch (reader, epoch);
  int fd = folder < 0 ? -1 : openat (folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (fd >= 0 && fstat (fd, &st) == 0 && S_ISREG (st.st_mode) && st.st_size > 0)
    {
      void *bytes = mmap (NULL, (gsize)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
      if (bytes != MAP_FAILED)
        {
          madvise (bytes, (gsize)st.st_size, MADV_SEQUENTIAL);
          mapped->bytes = bytes;
          mapped->mapped = (gsize)st.st_size;
          mapped->size = wpr_records_whole (bytes, mapped->mapped);
        }
    }
  if (fd >= 0)
    close (fd);
  if (folder >= 0)
    close (folder);
  return mapped;
}

static const guint8 *
give (const Mapped *mapped, gsize *size, gsize *cut)
{
  *size = mapped->size;
  if (cut != NULL)
    *cut = mapped->mapped - mapped->size;
  return mapped->size == 0 ? NULL : mapped->bytes;
}

const guint8 *
wpr_store_reader_data (WprStoreReader *reader, guint epoch, guint collector, guint cpu, gsize *size,
                       gsize *cut)
{
  DataKey key = { epoch, collector, cpu };
  g_return_val_if_fail (reader != NULL && size != NULL && epoch < reader->epochs->len, NULL);
  Mapped *mapped = g_hash_table_lookup (reader->data, &key);
  if (mapped == NULL)
    {
      char name[64];
      g_snprintf (name, sizeof name, WPR_STORE_DATA_FORMAT, collector, cpu);
      mapped = map_records (reader, epoch, name);
      g_hash_table_insert (reader->data, g_memdup2 (&key, sizeof key), mapped);
    }
  return give (mapped, size, cut);
}

const guint8 *
wpr_store_reader_sideband (WprStoreReader *reader, guint epoch, gsize *size, gsize *cut)
{
  g_return_val_if_fail (reader != NULL && size != NULL && epoch < reader->epochs->len, NULL);
  if (g_ptr_array_index (reader->sideband, epoch) == NULL)
    g_ptr_array_index (reader->sideband, epoch) = map_records (reader, epoch, WPR_STORE_SIDEBAND);
  return give (g_ptr_array_index (reader->sideband, epoch), size, cut);
}

void
wpr_store_reader_release (WprStoreReader *reader, guint epoch, guint collector, guint cpu)
{
  DataKey key = { epoch, collector, cpu };
  g_return_if_fail (reader != NULL);
  g_hash_table_remove (reader->data, &key);
}

/* ---- the rest ---- */

GBytes *
wpr_store_reader_world (WprStoreReader *reader)
{
  g_return_val_if_fail (reader != NULL, NULL);
  int folder = reader->epochs->len == 0 ? -1 : open_epoch (reader, 0);
  GBytes *world = wpr_store_load (folder, WPR_STORE_WORLD, G_MAXSSIZE);
  if (folder >= 0)
    close (folder);
  return world;
}

typedef struct
{
  WprStoreNoteFunc func;
  gpointer data;
  gboolean stopped;
} Forward;

static gboolean
forward (const WprStoreNote *note, gpointer data)
{
  Forward *f = data;
  if ((guint)note->kind != WPR_NOTE_DROPPED && !f->func (note, f->data))
    f->stopped = TRUE;
  return !f->stopped;
}

void
wpr_store_reader_notes (WprStoreReader *reader, WprStoreNoteFunc func, gpointer data)
{
  Forward f = { .func = func, .data = data };
  g_return_if_fail (reader != NULL && func != NULL);
  for (guint epoch = 0; epoch < reader->epochs->len && !f.stopped; epoch++)
    {
      if (epoch == 0)
        walk_file (reader, epoch, WPR_STORE_KEPT, forward, &f);
      if (!f.stopped)
        walk_file (reader, epoch, WPR_STORE_NOTES, forward, &f);
    }
}

static gboolean
add_clock (const WprStoreNote *note, gpointer data)
{
  WprClockTable *table = data;
  WprClockReading reading;
  guint n = wpr_clock_table_length (table);
  if ((note->kind != WPR_NOTE_CLOCK && note->kind != WPR_NOTE_STOPPED)
      || note->size < sizeof reading)
    return TRUE;
  memcpy (&reading, note->payload, sizeof reading);
  if (n == 0 || reading.monotonic_ns >= wpr_clock_table_get (table, n - 1)->monotonic_ns)
    wpr_clock_table_add (table, &reading);
  return TRUE;
}

WprClockTable *
wpr_store_reader_clocks (WprStoreReader *reader)
{
  WprClockTable *table = wpr_clock_table_new ();
  wpr_store_reader_notes (reader, add_clock, table);
  return table;
}

static gboolean
find_stopped (const WprStoreNote *note, gpointer data)
{
  *(gboolean *)data |= note->kind == WPR_NOTE_STOPPED;
  return TRUE;
}

gboolean
wpr_store_reader_stopped (WprStoreReader *reader)
{
  gboolean stopped = FALSE;
  wpr_store_reader_notes (reader, find_stopped, &stopped);
  return stopped;
}

guint64
wpr_store_reader_bytes (WprStoreReader *reader)
{
  g_return_val_if_fail (reader != NULL, 0);
  return wpr_store_folder_bytes (reader->folder);
}

guint64
wpr_store_reader_bytes_dropped (WprStoreReader *reader)
{
  g_return_val_if_fail (reader != NULL, 0);
  return reader->bytes_dropped;
}
