/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finding recordings: those of a name, all of this user, and root's, which are called "root:NAME"
 * here. */
#include "config.h"

#include <errno.h>
#include <glib/gi18n-lib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/files.h"
#include "base/retell.h"
#include "recorder/place.h"
#include "recorder/proxy.h"

/* How long a recorder may take to answer. One that is merging or opening events has a main loop of
 * its own for this and answers within milliseconds. */
#define WPR_CONNECT_MS 5000
#define WPR_SOCKET_SUFFIX ".socket"

/* Path of the door of root's recording of that name; NULL if there is none. */
static char *
door_of_root (const char *name)
{
  g_autofree char *dir = wpr_root_runtime_dir ();
  g_autofree char *path = dir != NULL ? g_strconcat (dir, "/", name, WPR_DOOR_SUFFIX, NULL) : NULL;
  return path != NULL && g_file_test (path, G_FILE_TEST_EXISTS) ? g_steal_pointer (&path) : NULL;
}

/* Nobody records under the name; what became of the last who did is worth more than that. */
static void
say_gone (const char *dir, const char *instance, GError **error)
{
  g_autofree char *left = wpr_place_last_words (dir, instance);
  g_autofree char *words = left != NULL ? wpr_retell (left) : NULL;
  g_autofree char *door = door_of_root (instance);
  if (door != NULL)
    {
      wpr_set_error (error, WPR_ERROR_NOT_RECORDING, 0xc5583000,
                     _ ("Nothing of yours is being recorded under the name “%s”; root records "
                        "under it, which is “-instancename %s%s” here."),
                     instance, WPR_ROOT_PREFIX, instance);
      return;
    }
  wpr_set_error (error, WPR_ERROR_NOT_RECORDING, 0xc5583000,
                 _ ("Nothing is being recorded under the name “%s”.%s%s"), instance,
                 words != NULL ? " " : "", words != NULL ? words : "");
}

static WprRecorder *
connect_to_root (const char *instance, GError **error)
{
  const char *name = instance + strlen (WPR_ROOT_PREFIX);
  gboolean broke = FALSE;
  g_autoptr (GError) why = NULL;
  if (wpr_place_check_instance (name, error) == NULL)
    return NULL;
  if (geteuid () == 0)
    return wpr_recorder_connect (name, error);
  g_autofree char *door = door_of_root (name);
  WprRecorder *recorder
      = door != NULL ? wpr_proxy_connect (instance, door, TRUE, WPR_CONNECT_MS, &broke, &why)
                     : NULL;
  if (recorder == NULL && why != NULL && !broke)
    g_propagate_error (error, g_steal_pointer (&why));
  else if (recorder == NULL)
    wpr_set_error (error, WPR_ERROR_NOT_RECORDING, 0xc5583000,
                   _ ("Root records nothing under the name “%s”."), name);
  return recorder;
}

WprRecorder *
wpr_recorder_connect (const char *instance, GError **error)
{
  if (instance != NULL && g_str_has_prefix (instance, WPR_ROOT_PREFIX))
    return connect_to_root (instance, error);
  instance = wpr_place_check_instance (instance, error);
  g_autofree char *dir = instance != NULL ? wpr_runtime_dir (error) : NULL;
  g_autofree char *path = dir != NULL ? wpr_place_socket_path (dir, instance, error) : NULL;
  if (path == NULL)
    return NULL;
  gint64 end = g_get_monotonic_time () + WPR_CONNECT_MS * 1000;
  for (;;)
    {
      gboolean broke = FALSE;
      g_autoptr (GError) why = NULL;
      WprRecorder *recorder
          = wpr_proxy_connect (instance, path, FALSE, WPR_CONNECT_MS, &broke, &why);
      if (recorder != NULL)
        return recorder;
      if (broke && wpr_place_sweep (dir, instance))
        {
          say_gone (dir, instance, error);
          return NULL;
        }
      /* Somebody has the name, though: about to listen, or about to go. */
      if (!broke || g_get_monotonic_time () >= end)
        {
          g_propagate_error (error, g_steal_pointer (&why));
          return NULL;
        }
      g_usleep (20 * 1000);
    }
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *)a, *(char *const *)b);
}

/* FALSE with errno. */
static gboolean
answers (const char *path)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  int fd = socket (AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0)
    return FALSE;
  g_strlcpy (address.sun_path, path, sizeof address.sun_path);
  gboolean listening = connect (fd, (const struct sockaddr *)&address, sizeof address) == 0
                       || errno == EAGAIN; /* its queue is full */
  int errsv = errno;
  close (fd);
  errno = errsv;
  return listening;
}

/* TRUE if somebody listens on the socket; removes it if it is stale. Only that: who looks whether
 * it also answers connects anyway. Never waits: one who takes no connections lets others queue. */
static gboolean
is_listening (const char *dir, const char *instance)
{
  g_autofree char *path = wpr_place_socket_path (dir, instance, NULL);
  if (path == NULL || answers (path))
    return path != NULL;
  if (errno == ECONNREFUSED)
    wpr_place_sweep (dir, instance);
  return FALSE;
}

/* Those of root's that are there; whether they are stale only root can tell. */
static void
list_of_root (GPtrArray *instances)
{
  g_autofree char *dir = wpr_root_runtime_dir ();
  g_autoptr (GDir) folder = dir != NULL ? g_dir_open (dir, 0, NULL) : NULL;
  const char *entry;
  while (folder != NULL && (entry = g_dir_read_name (folder)) != NULL)
    {
      if (!g_str_has_suffix (entry, WPR_DOOR_SUFFIX))
        continue;
      g_autofree char *name = g_strndup (entry, strlen (entry) - strlen (WPR_DOOR_SUFFIX));
      g_autofree char *path = g_build_filename (dir, entry, NULL);
      if (wpr_instance_name_valid (name) && answers (path))
        g_ptr_array_add (instances, g_strconcat (WPR_ROOT_PREFIX, name, NULL));
    }
}

GPtrArray *
wpr_recorder_list (GError **error)
{
  g_autofree char *dir = wpr_runtime_dir (error);
  g_autoptr (GDir) folder = dir != NULL ? g_dir_open (dir, 0, NULL) : NULL;
  if (dir == NULL)
    return NULL;
  GPtrArray *instances = g_ptr_array_new_with_free_func (g_free);
  const char *entry;
  while (folder != NULL && (entry = g_dir_read_name (folder)) != NULL)
    {
      if (!g_str_has_suffix (entry, WPR_SOCKET_SUFFIX))
        continue;
      g_autofree char *name = g_strndup (entry, strlen (entry) - strlen (WPR_SOCKET_SUFFIX));
      if (wpr_instance_name_valid (name) && is_listening (dir, name))
        g_ptr_array_add (instances, g_steal_pointer (&name));
    }
  list_of_root (instances);
  g_ptr_array_sort (instances, compare_names);
  return instances;
}
