/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The disk guard. */
#include "config.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "recorder/guard.h"
#include "store/store.h"

#define RESERVE_MOST (G_GUINT64_CONSTANT (1) << 30)
/* Below this a recording holds no span worth keeping: eight epochs of the smallest size. */
#define LEAST_BYTES (8 * 1024 * 1024)
/* Once low, the limit follows the free space only when it falls by this share: each change deletes
 * epochs. */
#define HYSTERESIS 0.9

guint64
wpr_guard_reserve (guint64 total_bytes)
{
  return MIN (RESERVE_MOST, total_bytes / 20);
}

guint64
wpr_guard_most (guint64 free_bytes, guint64 total_bytes, guint64 own_bytes, guint64 others_need)
{
  guint64 spoken_for = wpr_guard_reserve (total_bytes) + others_need;
  guint64 there = free_bytes + own_bytes;
  return there > spoken_for ? (there - spoken_for) / 2 : 0;
}

WprGuardVerdict
wpr_guard_look (WprGuard *guard, int folder_fd, guint64 own_bytes, guint64 others_need)
{
  if (!wpr_free_space (folder_fd, &guard->free_bytes, &guard->total_bytes))
    return WPR_GUARD_FINE;
  guard->most_bytes
      = wpr_guard_most (guard->free_bytes, guard->total_bytes, own_bytes, others_need);
  if (own_bytes < guard->most_bytes && guard->told_most == 0)
    return WPR_GUARD_FINE;
  if (guard->most_bytes < LEAST_BYTES)
    return WPR_GUARD_FULL;
  if (guard->told_most && (double)guard->most_bytes > (double)guard->told_most * HYSTERESIS)
    return WPR_GUARD_FINE;
  return WPR_GUARD_LOW;
}

/* Bytes of the files below an opened folder; depth: folders below it that are entered. */
static guint64
wpr_guard_tree_bytes (int folder_fd, guint depth)
{
  guint64 sum = 0;
  DIR *folder = fdopendir (folder_fd);
  if (!folder)
    {
      close (folder_fd);
      return 0;
    }
  for (struct dirent *entry; (entry = readdir (folder)) != NULL;)
    {
      struct stat info;
      if (strcmp (entry->d_name, ".") == 0 || strcmp (entry->d_name, "..") == 0
          || fstatat (dirfd (folder), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) < 0)
        continue;
      if (S_ISREG (info.st_mode))
        sum += (guint64)info.st_size;
      else if (S_ISDIR (info.st_mode) && depth > 0)
        {
          int below = openat (dirfd (folder), entry->d_name,
                              O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
          if (below >= 0)
            sum += wpr_guard_tree_bytes (below, depth - 1);
        }
    }
  closedir (folder);
  return sum;
}

guint64
wpr_guard_others_need (const char *raw_parent, const char *own_path)
{
  guint64 need = 0;
  g_autoptr (GPtrArray) stores = wpr_store_list (raw_parent);
  for (guint i = 0; stores && i < stores->len; i++)
    {
      const char *path = g_ptr_array_index (stores, i);
      if (g_strcmp0 (path, own_path) == 0 || !wpr_store_in_use (path))
        continue;
      int fd = open (path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
      if (fd >= 0)
        need += wpr_guard_tree_bytes (fd, 1);
    }
  return need;
}
