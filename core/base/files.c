/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files that are made safely: beneath an opened folder, never through a link, whole or not at all.
 */
#include "config.h"
#include "base/files.h"
#include "base/wpr-error.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#ifndef O_TMPFILE
#define O_TMPFILE (020000000 | O_DIRECTORY)
#endif

struct _WprNewFile
{
  int folder_fd;
  int fd;
  char *name;
  char *temporary;   /* NULL: O_TMPFILE, no name yet */
  WprBehalf *behalf; /* NULL: as this process */
};

/* A file name in an opened folder as a person can find it: /proc knows where the folder is. */
static char *
folder_name (int folder_fd)
{
  g_autofree char *link = g_strdup_printf ("/proc/self/fd/%d", folder_fd);
  char path[4096];
  gssize n = readlink (link, path, sizeof path - 1);
  return n > 0 ? g_strndup (path, n) : g_strdup ("?");
}

static WprErrorCode
code_of (int error_number)
{
  if (error_number == ENOSPC || error_number == EDQUOT)
    return WPR_ERROR_NO_SPACE;
  return WPR_ERROR_NOT_WRITABLE;
}

int
wpr_open_folder (const char *path, GError **error)
{
  int fd = open (path, O_DIRECTORY | O_RDONLY | O_CLOEXEC);
  int errsv = errno;
  if (fd >= 0)
    return fd;
  if (errsv == ENOENT)
    wpr_set_error (error, WPR_ERROR_NOT_WRITABLE, 0,
                   _ ("There is no folder “%s”. Make it, or choose another."), path);
  else if (errsv == ENOTDIR)
    wpr_set_error (error, WPR_ERROR_NOT_WRITABLE, 0, _ ("“%s” is not a folder. Choose another."),
                   path);
  else
    wpr_set_error (error, WPR_ERROR_NOT_WRITABLE, 0,
                   _ ("The folder “%s” cannot be opened: %s. Choose another."), path,
                   g_strerror (errsv));
  return -1;
}

int
wpr_create_file_at (int folder_fd, const char *name, GError **error)
{
  g_return_val_if_fail (strchr (name, '/') == NULL, -1);
  int fd = openat (folder_fd, name, O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR | O_CLOEXEC, 0600);
  int errsv = errno;
  if (fd < 0)
    {
      g_autofree char *folder = folder_name (folder_fd);
      wpr_set_error (error, code_of (errsv), 0,
                     _ ("“%s” cannot be made in “%s”: %s. Choose another folder."), name, folder,
                     g_strerror (errsv));
    }
  return fd;
}

int
wpr_create_folder_at (int folder_fd, const char *name, GError **error)
{
  g_return_val_if_fail (strchr (name, '/') == NULL, -1);
  int fd = -1;
  if (mkdirat (folder_fd, name, 0700) == 0)
    fd = openat (folder_fd, name, O_DIRECTORY | O_NOFOLLOW | O_RDONLY | O_CLOEXEC);
  int errsv = errno;
  if (fd < 0)
    {
      g_autofree char *folder = folder_name (folder_fd);
      wpr_set_error (error, code_of (errsv), 0,
                     _ ("The folder “%s” cannot be made in “%s”: %s. Choose another."), name,
                     folder, g_strerror (errsv));
    }
  return fd;
}

static gboolean
remove_children (int fd)
{
  DIR *dir = fdopendir (fd); /* takes fd */
  if (dir == NULL)
    {
      close (fd);
      return FALSE;
    }
  gboolean ok = TRUE;
  struct dirent *entry;
  while ((entry = readdir (dir)) != NULL)
    {
      if (strcmp (entry->d_name, ".") == 0 || strcmp (entry->d_name, "..") == 0)
        continue;
      if (unlinkat (dirfd (dir), entry->d_name, 0) == 0)
        continue;
      int child = openat (dirfd (dir), entry->d_name, O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
      ok = child >= 0 && remove_children (child)
           && unlinkat (dirfd (dir), entry->d_name, AT_REMOVEDIR) == 0 && ok;
    }
  closedir (dir);
  return ok;
}

gboolean
wpr_remove_tree_at (int parent_fd, const char *name, GError **error)
{
  int fd = openat (parent_fd, name, O_DIRECTORY | O_NOFOLLOW | O_RDONLY | O_CLOEXEC);
  if (fd < 0 && errno == ENOENT)
    return TRUE;
  gboolean ok = fd >= 0 ? remove_children (fd) && unlinkat (parent_fd, name, AT_REMOVEDIR) == 0
                        : unlinkat (parent_fd, name, 0) == 0;
  int errsv = errno;
  if (!ok)
    {
      g_autofree char *folder = folder_name (parent_fd);
      wpr_set_error (error, WPR_ERROR_INTERNAL, 0, _ ("“%s” in “%s” cannot be deleted: %s."), name,
                     folder, g_strerror (errsv));
    }
  return ok;
}

static gboolean
fail_to_enter (GError **error)
{
  wpr_set_error (error, WPR_ERROR_NOT_PERMITTED, 0,
                 _ ("The file cannot be made with the rights of who asked for it: %s."),
                 g_strerror (errno));
  return FALSE;
}

static gboolean
name_is_free (int folder_fd, const char *name, GError **error)
{
  struct stat st;
  g_autofree char *folder = folder_name (folder_fd);
  if (*name == '\0' || strchr (name, '/') != NULL || strcmp (name, ".") == 0
      || strcmp (name, "..") == 0 || strlen (name) > 255)
    {
      wpr_set_error (error, WPR_ERROR_NOT_WRITABLE, 0,
                     _ ("“%s” cannot be a file name. Choose a name of 1 to 255 bytes without “/”."),
                     name);
      return FALSE;
    }
  if (fstatat (folder_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
    {
      wpr_set_error (
          error, WPR_ERROR_NOT_WRITABLE, 0,
          _ ("“%s” exists already in “%s”, and nothing is written over it. Choose another name."),
          name, folder);
      return FALSE;
    }
  return TRUE;
}

/* Files that are written under a name of their own are locked by who writes them: of one that is
 * not, the writer died. */
static gboolean
is_left_over (const char *name)
{
  return g_str_has_prefix (name, ".wpr-") && g_str_has_suffix (name, ".partial")
         && strlen (name) == strlen (".wpr-0123456789abcdef.partial");
}

static void
sweep_left_over (int folder_fd)
{
  int fd = openat (folder_fd, ".", O_DIRECTORY | O_RDONLY | O_CLOEXEC);
  DIR *dir = fd >= 0 ? fdopendir (fd) : NULL;
  struct dirent *entry;
  if (dir == NULL && fd >= 0)
    close (fd);
  while (dir != NULL && (entry = readdir (dir)) != NULL)
    {
      int left
          = is_left_over (entry->d_name)
                ? openat (folder_fd, entry->d_name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
                : -1;
      if (left < 0)
        continue;
      if (flock (left, LOCK_EX | LOCK_NB) == 0)
        unlinkat (folder_fd, entry->d_name, 0);
      close (left);
    }
  if (dir != NULL)
    closedir (dir);
}

/* Between making and locking it somebody may have swept it away. */
static int
open_named (WprNewFile *file, int folder_fd)
{
  struct stat st;
  int fd = -1;
  sweep_left_over (folder_fd);
  for (guint tries = 0; tries < 10; tries++)
    {
      g_free (file->temporary);
      file->temporary = g_strdup_printf (".wpr-%08x%08x.partial", g_random_int (), g_random_int ());
      fd = openat (folder_fd, file->temporary, O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR | O_CLOEXEC,
                   0600);
      if (fd < 0)
        break;
      flock (fd, LOCK_EX | LOCK_NB);
      if (fstat (fd, &st) != 0 || st.st_nlink > 0)
        return fd;
      close (fd);
      fd = -1;
    }
  int errsv = errno;
  g_clear_pointer (&file->temporary, g_free);
  errno = errsv;
  return fd;
}

/* As whoever this thread is at the moment. */
static WprNewFile *
open_new (int folder_fd, const char *name, GError **error)
{
  if (!name_is_free (folder_fd, name, error))
    return NULL;
  g_autoptr (WprNewFile) file = g_new0 (WprNewFile, 1);
  file->fd = -1;
  file->name = g_strdup (name);
  file->folder_fd = fcntl (folder_fd, F_DUPFD_CLOEXEC, 3);
  file->fd = openat (folder_fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file->fd < 0
      && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL || errno == ENOENT))
    file->fd = open_named (file, folder_fd);
  int errsv = errno;
  if (file->fd < 0 || file->folder_fd < 0)
    {
      g_autofree char *folder = folder_name (folder_fd);
      wpr_set_error (error, code_of (errsv), 0,
                     _ ("Nothing can be written in “%s”: %s. Choose another folder."), folder,
                     g_strerror (errsv));
      return NULL;
    }
  return g_steal_pointer (&file);
}

WprNewFile *
wpr_new_file_open_for (int folder_fd, const char *name, WprBehalf *behalf, GError **error)
{
  g_autoptr (GError) why = NULL;
  WprNewFile *file = NULL;
  if (!wpr_behalf_enter (behalf))
    fail_to_enter (&why);
  else
    {
      file = open_new (folder_fd, name, &why);
      wpr_behalf_leave (behalf);
    }
  if (file != NULL)
    file->behalf = wpr_behalf_ref (behalf);
  else if (behalf != NULL && wpr_behalf_may_fall_back (behalf))
    return open_new (folder_fd, name, error);
  else
    g_propagate_error (error, g_steal_pointer (&why));
  return file;
}

WprNewFile *
wpr_new_file_open (int folder_fd, const char *name, GError **error)
{
  return wpr_new_file_open_for (folder_fd, name, NULL, error);
}

int
wpr_new_file_get_fd (WprNewFile *file)
{
  return file->fd;
}

/* linkat() of an unnamed file by its descriptor needs a right (CAP_DAC_READ_SEARCH); through /proc
 * it does not. */
static gboolean
link_to_name (WprNewFile *file)
{
  if (file->temporary != NULL)
    return linkat (file->folder_fd, file->temporary, file->folder_fd, file->name, 0) == 0;
  g_autofree char *self = g_strdup_printf ("/proc/self/fd/%d", file->fd);
  return linkat (AT_FDCWD, self, file->folder_fd, file->name, AT_SYMLINK_FOLLOW) == 0;
}

static gboolean
commit (WprNewFile *file, GError **error)
{
  gboolean ok = fsync (file->fd) == 0 && link_to_name (file);
  int errsv = errno;
  /* File systems without hard links (FAT, some shares): a rename that does not replace. */
  if (!ok && file->temporary != NULL && (errsv == EPERM || errsv == EOPNOTSUPP || errsv == ENOSYS))
    {
      ok = renameat2 (file->folder_fd, file->temporary, file->folder_fd, file->name,
                      RENAME_NOREPLACE)
           == 0;
      errsv = errno;
      if (ok)
        g_clear_pointer (&file->temporary, g_free);
    }
  if (!ok)
    {
      g_autofree char *folder = folder_name (file->folder_fd);
      wpr_set_error (error, code_of (errsv), 0, _ ("“%s” cannot be finished in “%s”: %s."),
                     file->name, folder, g_strerror (errsv));
      return FALSE;
    }
  fsync (file->folder_fd);
  return TRUE;
}

gboolean
wpr_new_file_commit (WprNewFile *file, GError **error)
{
  if (!wpr_behalf_enter (file->behalf))
    return fail_to_enter (error);
  gboolean good = commit (file, error);
  wpr_behalf_leave (file->behalf);
  return good;
}

void
wpr_new_file_withdraw (WprNewFile *file)
{
  struct stat named, own;
  if (!wpr_behalf_enter (file->behalf))
    return;
  if (fstatat (file->folder_fd, file->name, &named, AT_SYMLINK_NOFOLLOW) == 0
      && fstat (file->fd, &own) == 0 && named.st_dev == own.st_dev && named.st_ino == own.st_ino)
    unlinkat (file->folder_fd, file->name, 0);
  wpr_behalf_leave (file->behalf);
}

void
wpr_new_file_free (WprNewFile *file)
{
  if (file == NULL)
    return;
  if (file->temporary != NULL && wpr_behalf_enter (file->behalf))
    {
      unlinkat (file->folder_fd, file->temporary, 0);
      wpr_behalf_leave (file->behalf);
    }
  wpr_behalf_unref (file->behalf);
  if (file->fd >= 0)
    close (file->fd);
  if (file->folder_fd >= 0)
    close (file->folder_fd);
  g_free (file->temporary);
  g_free (file->name);
  g_free (file);
}

gboolean
wpr_new_file_check_for (int folder_fd, const char *name, WprBehalf *behalf, GError **error)
{
  g_autoptr (WprNewFile) file = wpr_new_file_open_for (folder_fd, name, behalf, error);
  return file != NULL;
}

gboolean
wpr_new_file_check (int folder_fd, const char *name, GError **error)
{
  return wpr_new_file_check_for (folder_fd, name, NULL, error);
}

gboolean
wpr_write_all (int fd, gconstpointer data, gsize size, GError **error)
{
  const guint8 *at = data;
  while (size > 0)
    {
      gssize n = write (fd, at, size);
      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        {
          int errsv = n < 0 ? errno : ENOSPC;
          gboolean full = errsv == ENOSPC || errsv == EDQUOT;
          wpr_set_error (error, full ? WPR_ERROR_NO_SPACE : WPR_ERROR_INTERNAL, 0,
                         full ? _ ("The disk is full: %s.") : _ ("Writing failed: %s."),
                         g_strerror (errsv));
          return FALSE;
        }
      at += n;
      size -= n;
    }
  return TRUE;
}

char *
wpr_read_small (const char *path, gsize most, gsize *size)
{
  int fd = open (path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return NULL;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  guint8 chunk[16384];
  gssize n;
  while (bytes->len < most && (n = read (fd, chunk, MIN (sizeof chunk, most - bytes->len))) != 0)
    {
      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        {
          close (fd);
          return NULL;
        }
      g_byte_array_append (bytes, chunk, n);
    }
  close (fd);
  if (size != NULL)
    *size = bytes->len;
  g_byte_array_append (bytes, (const guint8 *)"", 1);
  return (char *)g_byte_array_free (g_steal_pointer (&bytes), FALSE);
}

gboolean
wpr_free_space (int fd, guint64 *free_bytes, guint64 *total_bytes)
{
  struct statvfs st;
  if (fstatvfs (fd, &st) != 0)
    return FALSE;
  if (free_bytes != NULL)
    *free_bytes = (guint64)st.f_bavail * st.f_frsize;
  if (total_bytes != NULL)
    *total_bytes = (guint64)st.f_blocks * st.f_frsize;
  return TRUE;
}
