/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Socket and lock of an instance. A lock file that is removed while it is held is no lock for who
 * opened it before: after flock() its inode is compared with what the name leads to now. */
#include "config.h"
#include "recorder/place.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <glib/gi18n-lib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/files.h"
#include "base/wpr-error.h"

/* Who looks for stale sockets holds the lock for a moment, too. */
#define WPR_LOCK_TRIES 20
#define WPR_LOCK_WAIT_US (10 * 1000)
/* A sentence or two; more is not read. */
#define WPR_LAST_WORDS_MOST 4096

struct _WprPlace
{
  int lock_fd;
  char *words_path;
  char *lock_path;
  char *socket_path;
  char *door_path;
  char *address;
};

const char *
wpr_place_check_instance (const char *instance, GError **error)
{
  if (instance == NULL)
    return WPR_DEFAULT_INSTANCE;
  if (wpr_instance_name_valid (instance))
    return instance;
  wpr_set_error (error, WPR_ERROR_USAGE, 0xc5600602,
                 _ ("“%s” cannot name a recording: use 1 to 48 letters A-Z and a-z, digits, dots, "
                    "dashes and underscores, with no dot in front."),
                 instance);
  return NULL;
}

char *
wpr_place_socket_path (const char *runtime_dir, const char *instance, GError **error)
{
  g_autofree char *path = g_strconcat (runtime_dir, "/", instance, ".socket", NULL);
  if (strlen (path) < sizeof ((struct sockaddr_un *)0)->sun_path)
    return g_steal_pointer (&path);
  wpr_set_error (error, WPR_ERROR_USAGE, 0,
                 _ ("The path “%s” is too long for a socket. Choose a shorter name for the "
                    "recording, or a shorter WPR_RUNTIME_DIR."),
                 path);
  return NULL;
}

static char *
lock_path (const char *runtime_dir, const char *instance)
{
  return g_strconcat (runtime_dir, "/", instance, ".lock", NULL);
}

static char *
words_path (const char *runtime_dir, const char *instance)
{
  return g_strconcat (runtime_dir, "/", instance, ".last", NULL);
}

/* Opens and locks; -1 if it is held by somebody (errno EWOULDBLOCK) or cannot be made. */
static int
take_lock (const char *path)
{
  for (;;)
    {
      struct stat opened, named;
      int fd = open (path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
      if (fd < 0)
        return -1;
      if (flock (fd, LOCK_EX | LOCK_NB) != 0)
        {
          int errsv = errno;
          close (fd);
          errno = errsv;
          return -1;
        }
      if (fstat (fd, &opened) == 0 && lstat (path, &named) == 0 && opened.st_ino == named.st_ino
          && opened.st_dev == named.st_dev)
        return fd;
      close (fd); /* its owner removed it in between: this is another file by now */
    }
}

/* For who asks a recorder that does not answer: it is no more than a hint. */
static void
write_owner (int fd)
{
  char text[16];
  int size = g_snprintf (text, sizeof text, "%d\n", (int)getpid ());
  if (ftruncate (fd, 0) == 0)
    wpr_write_all (fd, text, (gsize)size, NULL);
}

GPid
wpr_place_read_owner (const char *runtime_dir, const char *instance)
{
  g_autofree char *path = lock_path (runtime_dir, instance);
  g_autofree char *text = wpr_read_small (path, 16, NULL);
  return text != NULL ? (GPid)g_ascii_strtoull (text, NULL, 10) : 0;
}

WprPlace *
wpr_place_take (const char *instance, GError **error)
{
  instance = wpr_place_check_instance (instance, error);
  g_autofree char *dir = instance != NULL ? wpr_runtime_dir (error) : NULL;
  g_autofree char *socket_path = dir != NULL ? wpr_place_socket_path (dir, instance, error) : NULL;
  if (socket_path == NULL)
    return NULL;
  g_autofree char *path = lock_path (dir, instance);
  int fd = take_lock (path);
  for (int i = 0; fd < 0 && errno == EWOULDBLOCK && i < WPR_LOCK_TRIES; i++)
    {
      g_usleep (WPR_LOCK_WAIT_US);
      fd = take_lock (path);
    }
  int errsv = errno;
  if (fd < 0)
    {
      if (errsv == EWOULDBLOCK)
        wpr_set_error (error, WPR_ERROR_ALREADY_RECORDING, 0xc5583001,
                       _ ("A recording named “%s” is running already."), instance);
      else
        wpr_set_error (error, WPR_ERROR_NOT_WRITABLE, 0, _ ("“%s” cannot be made: %s."), path,
                       g_strerror (errsv));
      return NULL;
    }
  unlink (socket_path); /* of a recorder that died: the lock is ours */
  write_owner (fd);
  WprPlace *place = g_new0 (WprPlace, 1);
  g_autofree char *escaped = g_dbus_address_escape_value (socket_path);
  place->lock_fd = fd;
  place->words_path = words_path (dir, instance);
  unlink (place->words_path);
  place->lock_path = g_steal_pointer (&path);
  if (geteuid () == 0)
    place->door_path = g_strconcat (dir, "/", instance, WPR_DOOR_SUFFIX, NULL);
  place->socket_path = g_steal_pointer (&socket_path);
  place->address = g_strconcat ("unix:path=", escaped, NULL);
  return place;
}

const char *
wpr_place_get_address (WprPlace *place)
{
  return place->address;
}

const char *
wpr_place_get_socket (WprPlace *place)
{
  return place->socket_path;
}

const char *
wpr_place_get_door (WprPlace *place)
{
  return place->door_path;
}

void
wpr_place_leave_words (WprPlace *place, const char *text)
{
  int fd = open (place->words_path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0)
    return;
  wpr_write_all (fd, text, MIN (strlen (text), WPR_LAST_WORDS_MOST), NULL);
  close (fd);
}

char *
wpr_place_last_words (const char *runtime_dir, const char *instance)
{
  g_autofree char *path = words_path (runtime_dir, instance);
  g_autofree char *text = wpr_read_small (path, WPR_LAST_WORDS_MOST, NULL);
  return text != NULL && *text != '\0' ? g_utf8_make_valid (text, -1) : NULL;
}

void
wpr_place_free (WprPlace *place)
{
  if (place == NULL)
    return;
  unlink (place->socket_path);
  if (place->door_path != NULL)
    unlink (place->door_path);
  unlink (place->lock_path);
  close (place->lock_fd);
  g_free (place->lock_path);
  g_free (place->words_path);
  g_free (place->socket_path);
  g_free (place->door_path);
  g_free (place->address);
  g_free (place);
}

gboolean
wpr_place_sweep (const char *runtime_dir, const char *instance)
{
  g_autofree char *path = lock_path (runtime_dir, instance);
  g_autofree char *socket_path = g_strconcat (runtime_dir, "/", instance, ".socket", NULL);
  g_autofree char *door_path = g_strconcat (runtime_dir, "/", instance, WPR_DOOR_SUFFIX, NULL);
  int fd = take_lock (path);
  if (fd < 0)
    return errno != EWOULDBLOCK;
  unlink (socket_path);
  unlink (door_path);
  unlink (path);
  close (fd);
  return TRUE;
}
