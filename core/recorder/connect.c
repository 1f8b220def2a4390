/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finding recordings: those of a name, and all of this user. */
#include "config.h"

#include <errno.h>
#include <glib/gi18n-lib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/files.h"
#include "recorder/place.h"
#include "recorder/proxy.h"

/* How long a recorder may take to answer. One that is merging or opening events has a main loop of
 * its own for this and answers within milliseconds. */
#define WPR_CONNECT_MS 5000
#define WPR_SOCKET_SUFFIX ".socket"

/* Nobody records under the name; what became of the last who did is worth more than that. */
static void
say_gone (const char *dir, const char *instance, GError **error)
{
  g_autofree char *words = wpr_place_last_words (dir, instance);
  wpr_set_error (error, WPR_ERROR_NOT_RECORDING, 0xc5583000,
                 _ ("Nothing is being recorded under the name “%s”.%s%s"), instance,
                 words != NULL ? " " : "", words != NULL ? words : "");
}

WprRecorder *
wpr_recorder_connect (const char *instance, GError **error)
{
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
      WprRecorder *recorder = wpr_proxy_connect (instance, path, WPR_CONNECT_MS, &broke, &why);
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

/* TRUE if somebody listens on the socket; removes it if it is stale. Only that: who looks whether
 * it also answers connects anyway. Never waits: one who takes no connections lets others queue. */
static gboolean
is_listening (const char *dir, const char *instance)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  g_autofree char *path = wpr_place_socket_path (dir, instance, NULL);
  int fd = path != NULL ? socket (AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0) : -1;
  if (fd < 0)
    return FALSE;
  g_strlcpy (address.sun_path, path, sizeof address.sun_path);
  gboolean listening = connect (fd, (const struct sockaddr *)&address, sizeof address) == 0
                       || errno == EAGAIN; /* its queue is full */
  gboolean stale = !listening && errno == ECONNREFUSED;
  close (fd);
  if (stale)
    wpr_place_sweep (dir, instance);
  return listening;
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
  g_ptr_array_sort (instances, compare_names);
  return instances;
}
