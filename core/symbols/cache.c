/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A folder of files, each a head and a table. What lies there is read into memory, never mapped,
 * and believed only if it is this user's own plain file, whole by its digest and sound as a table.
 */
#include "config.h"
#include "symbols/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "wpr-trace.h"

/* A table that is larger is not kept: it would push out everything else. */
#define LARGEST_TABLE (G_GUINT64_CONSTANT (64) << 20)
/* Files looked at when it is emptied or cut back; a folder with more is somebody's joke. */
#define MOST_FILES 65536
#define DIGEST_BYTES 20

typedef struct
{
  char magic[8];
  guint32 version, source;
  guint64 size; /* of what follows */
  guint8 digest[DIGEST_BYTES], padding[4];
} Head;
#define MAGIC "WPRcache"
#define VERSION 1u

struct _WprSymbolCache
{
  int folder_fd;
  guint64 most_bytes;
  gboolean grew;
};

/* ---- the folder ---- */

static int
open_folder (GError **error)
{
  g_autofree char *path = wpr_cache_dir (error);
  return path != NULL ? open (path, O_DIRECTORY | O_RDONLY | O_NOFOLLOW | O_CLOEXEC) : -1;
}

WprSymbolCache *
wpr_symbol_cache_open (guint64 most_bytes)
{
  int fd = open_folder (NULL);
  struct stat st;
  if (fd < 0 || fstat (fd, &st) != 0 || st.st_uid != geteuid () || (st.st_mode & 077) != 0)
    {
      if (fd >= 0)
        close (fd);
      return NULL;
    }
  WprSymbolCache *self = g_new0 (WprSymbolCache, 1);
  self->folder_fd = fd;
  self->most_bytes = most_bytes;
  return self;
}

typedef struct
{
  char *name;
  guint64 bytes;
  gint64 used_s;
} Entry;

static void
clear_entry (gpointer data)
{
  g_free (((Entry *)data)->name);
}

/* Every plain file of the folder. */
static GArray *
list_entries (int folder_fd)
{
  GArray *entries = g_array_new (FALSE, FALSE, sizeof (Entry));
  g_array_set_clear_func (entries, clear_entry);
  int fd = openat (folder_fd, ".", O_DIRECTORY | O_RDONLY | O_CLOEXEC);
  DIR *dir = fd >= 0 ? fdopendir (fd) : NULL;
  const struct dirent *row;
  struct stat st;
  if (dir == NULL && fd >= 0)
    close (fd);
  while (dir != NULL && entries->len < MOST_FILES && (row = readdir (dir)) != NULL)
    if (fstatat (folder_fd, row->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG (st.st_mode))
      {
        Entry entry = { g_strdup (row->d_name), (guint64)st.st_blocks * 512, st.st_mtime };
        g_array_append_val (entries, entry);
      }
  if (dir != NULL)
    closedir (dir);
  return entries;
}

static int
compare_entries (gconstpointer a, gconstpointer b)
{
  const Entry *x = a, *y = b;
  return (x->used_s > y->used_s) - (x->used_s < y->used_s);
}

/* To three quarters, so that the next ones do not meet the limit at once. */
static void
cut_back (WprSymbolCache *self)
{
  g_autoptr (GArray) entries = list_entries (self->folder_fd);
  guint64 bytes = 0;
  for (guint i = 0; i < entries->len; i++)
    bytes += g_array_index (entries, Entry, i).bytes;
  if (bytes <= self->most_bytes)
    return;
  g_array_sort (entries, compare_entries);
  for (guint i = 0; i < entries->len && bytes > self->most_bytes / 4 * 3; i++)
    {
      const Entry *entry = &g_array_index (entries, Entry, i);
      if (unlinkat (self->folder_fd, entry->name, 0) == 0)
        bytes -= entry->bytes;
    }
}

void
wpr_symbol_cache_close (WprSymbolCache *self)
{
  if (self == NULL)
    return;
  if (self->grew)
    cut_back (self);
  close (self->folder_fd);
  g_free (self);
}

gboolean
wpr_symbol_cache_purge (guint *n_files, guint64 *bytes, GError **error)
{
  int fd = open_folder (error);
  *n_files = 0;
  *bytes = 0;
  if (fd < 0)
    {
      if (error != NULL && *error == NULL)
        wpr_set_error (error, WPR_ERROR_NOT_WRITABLE, 0,
                       _ ("The folder of the symbol cache cannot be opened."));
      return FALSE;
    }
  g_autoptr (GArray) entries = list_entries (fd);
  gboolean ok = TRUE;
  for (guint i = 0; ok && i < entries->len; i++)
    {
      const Entry *entry = &g_array_index (entries, Entry, i);
      ok = unlinkat (fd, entry->name, 0) == 0 || errno == ENOENT;
      if (!ok)
        wpr_set_error (error, WPR_ERROR_NOT_WRITABLE, 0,
                       _ ("A file of the symbol cache cannot be deleted: %s."), g_strerror (errno));
      else
        {
          *n_files += 1;
          *bytes += entry->bytes;
        }
    }
  close (fd);
  return ok;
}

/* ---- names ---- */

static void
add_identity (GChecksum *sum, const struct stat *st)
{
  const gint64 identity[]
      = { (gint64)st->st_dev,  (gint64)st->st_ino, st->st_size,        st->st_mtim.tv_sec,
          st->st_mtim.tv_nsec, st->st_ctim.tv_sec, st->st_ctim.tv_nsec };
  g_checksum_update (sum, (const guchar *)identity, sizeof identity);
}

char *
wpr_symbol_cache_key (const guint8 *build_id, guint build_id_size, const struct stat *file,
                      const struct stat *debug_file)
{
  if (build_id_size == 0)
    return NULL;
  GString *key = g_string_new (NULL);
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA1);
  add_identity (sum, file);
  if (debug_file != NULL)
    add_identity (sum, debug_file);
  for (guint i = 0; i < build_id_size; i++)
    g_string_append_printf (key, "%02x", build_id[i]);
  g_string_append_printf (key, "-%s", g_checksum_get_string (sum));
  return g_string_free (key, FALSE);
}

/* ---- files ---- */

static void
digest_of (GBytes *bytes, guint32 source, guint8 digest[DIGEST_BYTES])
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA1);
  gsize size = 0, digest_size = DIGEST_BYTES;
  const guchar *data = g_bytes_get_data (bytes, &size);
  g_checksum_update (sum, (const guchar *)&source, sizeof source);
  g_checksum_update (sum, data, (gssize)size);
  g_checksum_get_digest (sum, digest, &digest_size);
}

static gboolean
read_whole (int fd, void *to, gsize size)
{
  while (size > 0)
    {
      ssize_t n = read (fd, to, size);
      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        return FALSE;
      to = (guint8 *)to + n;
      size -= (gsize)n;
    }
  return TRUE;
}

static GBytes *
read_entry (int fd, guint32 *source)
{
  struct stat st;
  Head head;
  guint8 digest[DIGEST_BYTES];
  if (fstat (fd, &st) != 0 || !S_ISREG (st.st_mode) || st.st_uid != geteuid ()
      || (st.st_mode & 077) != 0 || st.st_size < (off_t)sizeof head
      || !read_whole (fd, &head, sizeof head) || memcmp (head.magic, MAGIC, sizeof head.magic) != 0
      || head.version != VERSION || head.size > LARGEST_TABLE
      || head.size != (guint64)st.st_size - sizeof head)
    return NULL;
  g_autofree guint8 *data = g_try_malloc (head.size);
  if (data == NULL || !read_whole (fd, data, head.size))
    return NULL;
  g_autoptr (GBytes) bytes = g_bytes_new_take (g_steal_pointer (&data), head.size);
  digest_of (bytes, head.source, digest);
  if (memcmp (digest, head.digest, sizeof digest) != 0)
    return NULL;
  *source = head.source;
  return g_steal_pointer (&bytes);
}

GBytes *
wpr_symbol_cache_get (WprSymbolCache *self, const char *key, guint32 *source)
{
  if (self == NULL || key == NULL)
    return NULL;
  int fd = openat (self->folder_fd, key, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0)
    return NULL;
  GBytes *bytes = read_entry (fd, source);
  if (bytes != NULL)
    futimens (fd, NULL); /* used now */
  else
    unlinkat (self->folder_fd, key, 0);
  close (fd);
  return bytes;
}

void
wpr_symbol_cache_put (WprSymbolCache *self, const char *key, guint32 source, GBytes *bytes)
{
  Head head = { .magic = MAGIC, .version = VERSION, .source = source };
  gsize size = 0;
  const void *data = g_bytes_get_data (bytes, &size);
  if (self == NULL || key == NULL || size > LARGEST_TABLE)
    return;
  g_autofree char *name = g_strdup_printf (".%d-%s", (int)getpid (), key);
  unlinkat (self->folder_fd, name, 0);
  int fd = wpr_create_file_at (self->folder_fd, name, NULL);
  if (fd < 0)
    return;
  head.size = size;
  digest_of (bytes, source, head.digest);
  gboolean ok
      = wpr_write_all (fd, &head, sizeof head, NULL) && wpr_write_all (fd, data, size, NULL);
  close (fd);
  if (!ok || renameat (self->folder_fd, name, self->folder_fd, key) != 0)
    unlinkat (self->folder_fd, name, 0);
  self->grew = TRUE;
}
