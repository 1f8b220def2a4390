/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the product keeps things: sockets, raw recordings, saved files, and how they are named. */
#include "config.h"
#include "base/files.h"
#include "base/wpr-error.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <pwd.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROOT_RUNTIME_DIR "/run/wpr"

/* Makes the folder (and its parents) and checks that it is ours: nobody else may own what we trust.
 */
static char *
own_folder (char *path, mode_t mode, GError **error)
{
  g_autofree char *taken = path;
  if (g_mkdir_with_parents (path, mode) != 0)
    {
      int errsv = errno;
      wpr_set_error (error, WPR_ERROR_NOT_WRITABLE, 0,
                     _ ("The folder “%s” cannot be made: %s. Make it yourself, or choose another."),
                     path, g_strerror (errsv));
      return NULL;
    }
  struct stat st;
  int fd = open (path, O_DIRECTORY | O_CLOEXEC | O_RDONLY);
  gboolean ok = fd >= 0 && fstat (fd, &st) == 0;
  if (fd >= 0)
    close (fd);
  if (!ok || (st.st_uid != geteuid () && st.st_uid != 0))
    {
      wpr_set_error (error, WPR_ERROR_NOT_PERMITTED, 0,
                     _ ("The folder “%s” belongs to somebody else, so it is not used."), path);
      return NULL;
    }
  return g_steal_pointer (&taken);
}

static char *
state_home (void)
{
  const char *home = g_getenv ("WPR_STATE_DIR");
  if (home != NULL && *home != '\0')
    return g_strdup (home);
  if (geteuid () == 0)
    return g_strdup ("/var/lib/wpr");
  return g_build_filename (g_get_user_state_dir (), "wpr", NULL);
}

/* Others come to its door, whatever this process's umask. */
static char *
root_folder (GError **error)
{
  char *path = own_folder (g_strdup (ROOT_RUNTIME_DIR), 0755, error);
  if (path != NULL)
    chmod (path, 0755);
  return path;
}

char *
wpr_runtime_dir (GError **error)
{
  const char *set = g_getenv ("WPR_RUNTIME_DIR");
  if (set != NULL && *set != '\0')
    return own_folder (g_strdup (set), 0700, error);
  if (geteuid () == 0)
    return root_folder (error);
  /* g_get_user_runtime_dir() falls back to the cache folder, which is not ours to say: ask the
   * variable. */
  const char *runtime = g_getenv ("XDG_RUNTIME_DIR");
  if (runtime != NULL && g_path_is_absolute (runtime) && g_file_test (runtime, G_FILE_TEST_IS_DIR))
    return own_folder (g_build_filename (runtime, "wpr", NULL), 0700, error);
  g_autofree char *state = state_home ();
  return own_folder (g_build_filename (state, "run", NULL), 0700, error);
}

char *
wpr_root_runtime_dir (void)
{
  const char *set = g_getenv ("WPR_RUNTIME_DIR");
  const char *path
      = set != NULL && *set != '\0' ? g_getenv ("WPR_ROOT_RUNTIME_DIR") : ROOT_RUNTIME_DIR;
  struct stat st;
  if (geteuid () == 0 || path == NULL || stat (path, &st) != 0 || st.st_uid != 0)
    return NULL;
  return g_strdup (path);
}

char *
wpr_state_dir (GError **error)
{
  return own_folder (state_home (), 0700, error);
}

char *
wpr_raw_dir (GError **error)
{
  g_autofree char *state = wpr_state_dir (error);
  if (state == NULL)
    return NULL;
  return own_folder (g_build_filename (state, "raw", NULL), 0700, error);
}

char *
wpr_cache_dir (GError **error)
{
  const char *set = g_getenv ("WPR_CACHE_DIR"), *state = g_getenv ("WPR_STATE_DIR");
  if (set != NULL && *set != '\0')
    return own_folder (g_strdup (set), 0700, error);
  if (state != NULL && *state != '\0')
    return own_folder (g_build_filename (state, "cache", NULL), 0700, error);
  if (geteuid () == 0)
    return own_folder (g_strdup ("/var/cache/wpr/symbols"), 0700, error);
  return own_folder (g_build_filename (g_get_user_cache_dir (), "wpr", "symbols", NULL), 0700,
                     error);
}

gboolean
wpr_instance_name_valid (const char *name)
{
  /* 48 characters: the socket's path has to fit into 108 bytes. */
  gsize length = name ? strlen (name) : 0;
  if (length < 1 || length > 48 || name[0] == '.')
    return FALSE;
  for (gsize i = 0; i < length; i++)
    if (!g_ascii_isalnum (name[i]) && strchr ("._-", name[i]) == NULL)
      return FALSE;
  return TRUE;
}

char *
wpr_recording_file_name (int folder_fd, gint64 realtime_ns)
{
  g_autoptr (GDateTime) when = g_date_time_new_from_unix_local (realtime_ns / 1000000000);
  g_autofree char *stamp = g_date_time_format (when, "%Y-%m-%d %H-%M-%S");
  g_autofree char *host = g_strdup (g_get_host_name ());
  g_strdelimit (host, "/", '_');
  g_autofree char *stem = g_strdup_printf ("%s %s", host, stamp);
  for (guint n = 1;; n++)
    {
      g_autofree char *name
          = n == 1 ? g_strdup_printf ("%s.etl", stem) : g_strdup_printf ("%s -%u.etl", stem, n);
      struct stat st;
      if (folder_fd < 0 || fstatat (folder_fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return g_steal_pointer (&name);
    }
}

char *
wpr_default_save_dir (const WprBehalf *behalf)
{
  const char *set = g_getenv ("WPR_SAVE_DIR");
  if (set != NULL && *set != '\0')
    return g_strdup (set);
  if (geteuid () == 0)
    {
      struct passwd entry, *found = NULL;
      char room[16384];
      getpwuid_r (wpr_behalf_get_uid (behalf), &entry, room, sizeof room, &found);
      return g_build_filename (found != NULL ? found->pw_dir : "/root", "WPR Files", NULL);
    }
  const char *documents = g_get_user_special_dir (G_USER_DIRECTORY_DOCUMENTS);
  return g_build_filename (documents ? documents : g_get_home_dir (), "WPR Files", NULL);
}

int
wpr_open_save_folder (const char *wanted, const WprBehalf *behalf, char **path, GError **error)
{
  *path = wanted != NULL && *wanted != '\0' ? g_strdup (wanted) : wpr_default_save_dir (behalf);
  if (wpr_behalf_enter (behalf))
    {
      g_mkdir_with_parents (*path, 0755);
      wpr_behalf_leave (behalf);
    }
  return wpr_open_folder_careful (*path, error);
}
