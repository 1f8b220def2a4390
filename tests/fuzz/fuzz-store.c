/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Any bytes as a raw recording: as its manifest, its raw records, its notes, its checkpoint of the
 * world; and with the right digests in front, so that what is inside is looked at too. */
#include "config.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "perf/record.h"
#include "store/store-private.h"
#include "world/world.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static char *folder;

static void
remove_folder (void)
{
  g_autofree char *parent = g_path_get_dirname (folder);
  g_autofree char *name = g_path_get_basename (folder);
  int fd = open (parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  wpr_remove_tree_at (fd, name, NULL);
  close (fd);
}

/* A store with a good manifest; its files are written anew each time. */
static void
make_store (void)
{
  WprManifest *manifest = wpr_manifest_new ();
  manifest->instance = g_strdup ("fuzz");
  g_autoptr (GBytes) bytes = wpr_manifest_to_bytes (manifest);
  wpr_manifest_free (manifest);
  folder = g_dir_make_tmp ("wpr-fuzz-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "manifest", NULL);
  g_autofree char *epoch = g_build_filename (folder, "epoch-000001", NULL);
  g_mkdir_with_parents (epoch, 0700);
  g_file_set_contents (path, g_bytes_get_data (bytes, NULL), (gssize)g_bytes_get_size (bytes),
                       NULL);
  atexit (remove_folder);
}

static void
put (const char *name, const uint8_t *data, size_t size)
{
  g_autofree char *path = g_build_filename (folder, "epoch-000001", name, NULL);
  int fd = open (path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd >= 0 && write (fd, data, size) < 0)
    abort ();
  close (fd);
}

static gboolean
touch_note (const WprStoreNote *note, gpointer data)
{
  for (gsize i = 0; i < note->size; i++)
    *(guint *)data += note->payload[i];
  return TRUE;
}

static void
feed_records (const guint8 *bytes, gsize size)
{
  g_autoptr (WprWorld) world = wpr_world_new (4);
  g_autoptr (WprIdTable) ids = wpr_id_table_new ();
  for (gsize at = 0; at < size;)
    {
      const struct perf_event_header *header = (const struct perf_event_header *)(bytes + at);
      WprRecord record;
      if (wpr_record_parse (header, ids, &record))
        wpr_world_feed (world, &record);
      at += header->size;
    }
  wpr_world_forget (world, 1000);
  g_autoptr (GBytes) saved = wpr_world_save (world);
}

static void
read_store (const uint8_t *data, size_t size)
{
  guint sum = 0;
  gsize length, cut;
  put ("data-0-0", data, size);
  put ("sideband", data, size);
  put ("notes", data, size);
  put ("world", data, size);
  g_autoptr (WprStoreReader) reader = wpr_store_reader_open (folder, NULL);
  wpr_store_reader_data (reader, 0, 0, 0, &length, &cut);
  const guint8 *sideband = wpr_store_reader_sideband (reader, 0, &length, &cut);
  feed_records (sideband, length);
  wpr_store_reader_notes (reader, touch_note, &sum);
  g_autoptr (WprClockTable) clocks = wpr_store_reader_clocks (reader);
}

/* `head` bytes, the last 32 of which are the digest of what follows. */
static GBytes *
with_digest (const uint8_t *data, size_t size, size_t head, gsize size_offset, gsize size_bytes)
{
  if (size < head)
    return g_bytes_new (data, size);
  guint8 *copy = g_memdup2 (data, size);
  gsize length = 32;
  guint64 rest = size - head;
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  g_checksum_update (checksum, copy + head, (gssize)rest);
  g_checksum_get_digest (checksum, copy + head - 32, &length);
  memcpy (copy + size_offset, &rest, size_bytes);
  return g_bytes_new_take (copy, size);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  if (folder == NULL)
    make_store ();
  read_store (data, size);
  /* Heads: 8 magic, 4 version, 4 size; 8 magic, 4 version, 4 digest's size, 8 size. */
  g_autoptr (GBytes) manifest_bytes = with_digest (data, size, 48, 12, 4);
  wpr_manifest_free (wpr_manifest_from_bytes (manifest_bytes, NULL));
  g_autoptr (WprWorld) world = wpr_world_new (4);
  g_autoptr (GBytes) world_bytes = with_digest (data, size, 56, 16, 8);
  if (wpr_world_load (world, world_bytes, NULL))
    {
      g_autoptr (GPtrArray) threads = wpr_world_list_threads (world);
      wpr_world_forget (world, 1000);
    }
  return 0;
}
