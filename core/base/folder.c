/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A folder by its path, walked step by step as root: a path through a home is what its behalf makes
 * of it, also between two looks. */
#include "config.h"
#include "base/files.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/wpr-error.h"

/* The kernel's own limit. */
#define LINKS_MOST 40

typedef struct
{
  const char *path; /* as asked for, for messages */
  int fd;           /* O_PATH of where the walk is */
  guint n_links;
  GQueue steps; /* char *: what is still ahead */
} Walk;

static gboolean
fail (const Walk *walk, GError **error)
{
  if (errno == ENOENT)
    wpr_set_error (error, WPR_ERROR_NOT_WRITABLE, 0,
                   _ ("There is no folder “%s”. Make it, or choose another."), walk->path);
  else if (errno == ENOTDIR)
    wpr_set_error (error, WPR_ERROR_NOT_WRITABLE, 0, _ ("“%s” is not a folder. Choose another."),
                   walk->path);
  else
    wpr_set_error (error, WPR_ERROR_NOT_WRITABLE, 0,
                   _ ("The folder “%s” cannot be opened: %s. Choose another."), walk->path,
                   g_strerror (errno));
  return FALSE;
}

static gboolean
move_to (Walk *walk, int fd)
{
  if (walk->fd >= 0)
    close (walk->fd);
  walk->fd = fd;
  return TRUE;
}

/* Puts the steps of a path before those that are ahead; from the root if it is absolute. */
static gboolean
put_ahead (Walk *walk, const char *path, GError **error)
{
  g_auto (GStrv) steps = g_strsplit (path, "/", -1);
  for (guint i = g_strv_length (steps); i-- > 0;)
    if (*steps[i] != '\0' && strcmp (steps[i], ".") != 0)
      g_queue_push_head (&walk->steps, g_strdup (steps[i]));
  if (*path != '/')
    return TRUE;
  int root = open ("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
  return root >= 0 ? move_to (walk, root) : fail (walk, error);
}

static gboolean
follow (Walk *walk, int link_fd, const struct stat *info, const char *step, GError **error)
{
  char target[4096];
  gssize size = readlinkat (link_fd, "", target, sizeof target - 1);
  if (info->st_uid != 0)
    {
      wpr_set_error (error, WPR_ERROR_NOT_PERMITTED, 0,
                     _ ("On the way to “%s” lies the link “%s”, which is not root's; as "
                        "administrator it is not followed, since it may lead elsewhere in the next "
                        "moment. Name the folder itself."),
                     walk->path, step);
      return FALSE;
    }
  if (size <= 0 || ++walk->n_links > LINKS_MOST)
    {
      errno = size <= 0 ? errno : ELOOP;
      return fail (walk, error);
    }
  target[size] = '\0';
  return put_ahead (walk, target, error);
}

static gboolean
take_step (Walk *walk, const char *step, GError **error)
{
  struct stat info;
  int fd = openat (walk->fd, step, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0)
    return fail (walk, error);
  if (fstat (fd, &info) != 0)
    {
      close (fd);
      return fail (walk, error);
    }
  if (!S_ISLNK (info.st_mode))
    return move_to (walk, fd); /* what is no folder has nothing beneath it */
  gboolean good = follow (walk, fd, &info, step, error);
  close (fd);
  return good;
}

/* Where everybody may write, and rename and delete what is somebody else's. */
static gboolean
check_safe (const Walk *walk, int fd, GError **error)
{
  struct stat info;
  if (fstat (fd, &info) == 0 && ((info.st_mode & S_IWOTH) == 0 || (info.st_mode & S_ISVTX) != 0))
    return TRUE;
  wpr_set_error (error, WPR_ERROR_NOT_PERMITTED, 0,
                 _ ("In the folder “%s” everybody may replace what others put there, so nothing is "
                    "put there as administrator. Choose another, or have its sticky bit set "
                    "(chmod +t)."),
                 walk->path);
  return FALSE;
}

int
wpr_open_folder_careful (const char *path, GError **error)
{
  if (geteuid () != 0)
    return wpr_open_folder (path, error);
  g_autofree char *whole = g_canonicalize_filename (path, NULL);
  Walk walk = { .path = path, .fd = -1, .steps = G_QUEUE_INIT };
  gboolean good = put_ahead (&walk, whole, error);
  while (good && !g_queue_is_empty (&walk.steps))
    {
      g_autofree char *step = g_queue_pop_head (&walk.steps);
      good = take_step (&walk, step, error);
    }
  int fd = good ? openat (walk.fd, ".", O_DIRECTORY | O_RDONLY | O_CLOEXEC) : -1;
  if (good && fd < 0)
    fail (&walk, error);
  if (fd >= 0 && !check_safe (&walk, fd, error))
    {
      close (fd);
      fd = -1;
    }
  if (walk.fd >= 0)
    close (walk.fd);
  g_queue_clear_full (&walk.steps, g_free);
  return fd;
}
