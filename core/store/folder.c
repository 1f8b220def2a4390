/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Raw recordings as folders: which there are, whether one is in use, how large it is, deleting
 * one. */
#include "config.h"
#include "base/files.h"
#include "base/wpr-error.h"
#include "store/store-private.h"

#include <glib/gi18n-lib.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

GBytes *
wpr_store_load (int folder_fd, const char *name, gsize most)
{
  struct stat st;
  if (folder_fd < 0)
    return NULL;
  int fd = openat (folder_fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return NULL;
  GBytes *bytes = NULL;
  if (fstat (fd, &st) == 0 && S_ISREG (st.st_mode) && (guint64)st.st_size <= most)
    {
      gsize size = (gsize)st.st_size, got = 0;
      guint8 *data = g_try_malloc (MAX (size, 1));
      gssize n = 1;
      while (data != NULL && got < size && n > 0)
        {
          n = read (fd, data + got, size - got);
          if (n > 0)
            got += (gsize)n;
          else if (n < 0 && errno == EINTR)
            n = 1;
        }
      if (data != NULL && n >= 0)
        bytes = g_bytes_new_take (data, got);
      else
        g_free (data);
    }
  close (fd);
  return bytes;
}

typedef void (*EntryFunc) (int folder_fd, const char *name, gpointer data);

static void
each_entry (int folder_fd, EntryFunc func, gpointer data)
{
  int fd = folder_fd < 0 ? -1 : openat (folder_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *dir = fd < 0 ? NULL : fdopendir (fd);
  if (dir == NULL)
    {
      if (fd >= 0)
        close (fd);
      return;
    }
  for (struct dirent *entry = readdir (dir); entry != NULL; entry = readdir (dir))
    if (strcmp (entry->d_name, ".") != 0 && strcmp (entry->d_name, "..") != 0)
      func (dirfd (dir), entry->d_name, data);
  closedir (dir);
}

/* ---- epochs ---- */

static void
add_epoch (int folder_fd, const char *name, gpointer data)
{
  char expected[32];
  guint number = 0;
  struct stat st;
  if (sscanf (name, "epoch-%9u", &number) != 1)
    return;
  g_snprintf (expected, sizeof expected, WPR_STORE_EPOCH_FORMAT, number);
  if (strcmp (name, expected) == 0 && fstatat (folder_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0
      && S_ISDIR (st.st_mode))
    g_array_append_val ((GArray *)data, number);
}

static gint
compare_number (gconstpointer a, gconstpointer b)
{
  guint x = *(const guint *)a, y = *(const guint *)b;
  return x < y ? -1 : x > y;
}

GArray *
wpr_store_epochs (int folder_fd)
{
  GArray *epochs = g_array_new (FALSE, FALSE, sizeof (guint));
  each_entry (folder_fd, add_epoch, epochs);
  g_array_sort (epochs, compare_number);
  return epochs;
}

static void
add_bytes (int folder_fd, const char *name, gpointer data)
{
  struct stat st;
  if (fstatat (folder_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG (st.st_mode))
    *(guint64 *)data += (guint64)st.st_size;
}

guint64
wpr_store_folder_bytes (int folder_fd)
{
  guint64 bytes = 0;
  g_autoptr (GArray) epochs = wpr_store_epochs (folder_fd);
  for (guint i = 0; i < epochs->len; i++)
    {
      char name[32];
      g_snprintf (name, sizeof name, WPR_STORE_EPOCH_FORMAT, g_array_index (epochs, guint, i));
      int fd = openat (folder_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
      each_entry (fd, add_bytes, &bytes);
      if (fd >= 0)
        close (fd);
    }
  return bytes;
}

/* ---- whole stores ---- */

/* The recorder locks each new manifest before it takes the old one's place: a lock we got counts
 * only if the file is still the manifest. */
static gboolean
is_locked (int folder_fd)
{
  for (int tries = 0; tries < 5; tries++)
    {
      struct stat ours, now;
      int fd
          = openat (folder_fd, WPR_STORE_MANIFEST, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
      if (fd < 0)
        return FALSE;
      gboolean locked = flock (fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
      gboolean same = fstat (fd, &ours) == 0
                      && fstatat (folder_fd, WPR_STORE_MANIFEST, &now, AT_SYMLINK_NOFOLLOW) == 0
                      && ours.st_dev == now.st_dev && ours.st_ino == now.st_ino;
      close (fd);
      if (locked || same)
        return locked;
    }
  return TRUE; /* written anew all the time: somebody is at it */
}

gboolean
wpr_store_in_use (const char *path)
{
  g_return_val_if_fail (path != NULL, FALSE);
  int folder = open (path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0)
    return FALSE;
  gboolean locked = is_locked (folder);
  close (folder);
  return locked;
}

static void
add_store (int folder_fd, const char *name, gpointer data)
{
  struct stat st;
  int folder = openat (folder_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0)
    return;
  if (fstatat (folder, WPR_STORE_MANIFEST, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG (st.st_mode))
    g_ptr_array_add (data, g_strdup (name));
  close (folder);
}

/* By the time at the end of the name. */
static gint
compare_store (gconstpointer a, gconstpointer b)
{
  const char *x = *(char *const *)a, *y = *(char *const *)b;
  const char *x_time = strrchr (x, '-'), *y_time = strrchr (y, '-');
  int order = strcmp (x_time != NULL ? x_time : x, y_time != NULL ? y_time : y);
  return order != 0 ? order : strcmp (x, y);
}

GPtrArray *
wpr_store_list (const char *parent)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  g_return_val_if_fail (parent != NULL, names);
  int folder = open (parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  each_entry (folder, add_store, names);
  if (folder >= 0)
    close (folder);
  g_ptr_array_sort (names, compare_store);
  for (guint i = 0; i < names->len; i++)
    {
      char *name = g_ptr_array_index (names, i);
      g_ptr_array_index (names, i) = g_build_filename (parent, name, NULL);
      g_free (name);
    }
  return names;
}

gboolean
wpr_store_delete (const char *path, GError **error)
{
  g_return_val_if_fail (path != NULL, FALSE);
  g_autofree char *parent = g_path_get_dirname (path);
  g_autofree char *name = g_path_get_basename (path);
  int folder = open (parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0 && errno == ENOENT)
    return TRUE;
  if (folder < 0)
    {
      wpr_set_error (error, WPR_ERROR_INTERNAL, 0,
                     _ ("The raw recording %s cannot be deleted: %s. Delete the folder by hand."),
                     path, g_strerror (errno));
      return FALSE;
    }
  gboolean good = wpr_remove_tree_at (folder, name, error);
  close (folder);
  return good;
}

/* The folder it lies in by now, and the name it should have there. */
gboolean
wpr_store_delete_held (const WprStoreHold *hold, const char *path, GError **error)
{
  g_return_val_if_fail (hold != NULL && path != NULL, FALSE);
  struct stat ours, named;
  g_autofree char *name = g_path_get_basename (path);
  int parent = openat (hold->folder_fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  gboolean same = parent >= 0 && fstat (hold->folder_fd, &ours) == 0
                  && fstatat (parent, name, &named, AT_SYMLINK_NOFOLLOW) == 0
                  && ours.st_dev == named.st_dev && ours.st_ino == named.st_ino;
  gboolean good = same && wpr_remove_tree_at (parent, name, error);
  if (!same)
    wpr_set_error (error, WPR_ERROR_INTERNAL, 0,
                   _ ("The raw recording %s was moved meanwhile. Delete the folder by hand."),
                   path);
  if (parent >= 0)
    close (parent);
  return good;
}
