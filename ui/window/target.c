/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The folder and the name of a saved recording. */
#include "config.h"
#include "target.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <glib/gi18n.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wpr-error.h>

#define SUFFIX ".etl"
#define NAME_MOST 255 /* bytes, of Linux's file systems */

char *
wpr_target_default_folder (void)
{
  const char *folder = g_getenv ("WPR_SAVE_DIR");
  if (folder != NULL && *folder != '\0')
    return g_strdup (folder);
  const char *documents = g_get_user_special_dir (G_USER_DIRECTORY_DOCUMENTS);
  return g_build_filename (documents ? documents : g_get_home_dir (), "WPR Files", NULL);
}

int
wpr_target_open_folder (const char *folder, GError **error)
{
  int fd = -1;
  if (g_mkdir_with_parents (folder, 0700) == 0)
    fd = open (folder, O_DIRECTORY | O_CLOEXEC | O_RDONLY);
  if (fd < 0)
    {
      int errsv = errno;
      wpr_set_error (error, WPR_ERROR_NOT_WRITABLE, 0,
                     _ ("Nothing can be saved in “%s”: %s. Choose another folder."), folder,
                     g_strerror (errsv));
    }
  return fd;
}

static gboolean
is_taken (int folder_fd, const char *name)
{
  struct stat st;
  return fstatat (folder_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

char *
wpr_target_file_name (int folder_fd)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  g_autofree char *when = g_date_time_format (now, "%Y-%m-%d %H-%M-%S");
  g_autofree char *stem = g_strdup_printf ("%s %s", g_get_host_name (), when);
  char *name = g_strconcat (stem, SUFFIX, NULL);
  for (guint i = 2; is_taken (folder_fd, name); i++)
    {
      g_free (name);
      name = g_strdup_printf ("%s -%u%s", stem, i, SUFFIX);
    }
  return name;
}

char *
wpr_target_add_words (const char *name, const char *words)
{
  if (words == NULL || *words == '\0' || !g_str_has_suffix (name, SUFFIX))
    return g_strdup (name);
  GString *out = g_string_new_len (name, strlen (name) - strlen (SUFFIX));
  g_string_append_c (out, ' ');
  for (const char *at = words; *at != '\0'; at = g_utf8_next_char (at))
    {
      gsize size = g_utf8_next_char (at) - at;
      if (out->len + size > NAME_MOST - strlen (SUFFIX))
        break;
      g_string_append_len (out, at, size);
    }
  g_string_append (out, SUFFIX);
  return g_string_free (out, FALSE);
}

char *
wpr_target_clean_name (const char *typed)
{
  g_autofree char *name = g_strstrip (g_strdup (typed));
  if (g_str_has_suffix (name, SUFFIX))
    name[strlen (name) - strlen (SUFFIX)] = '\0';
  if (*name == '\0' || *name == '.' || strchr (name, '/') != NULL || strchr (name, '\n') != NULL
      || strlen (name) > NAME_MOST - strlen (SUFFIX))
    return NULL;
  return g_strconcat (name, SUFFIX, NULL);
}

char *
wpr_target_rename (int folder_fd, const char *name, const char *wanted, GError **error)
{
  if (wanted == NULL || strcmp (name, wanted) == 0)
    return g_strdup (name);
  if (renameat2 (folder_fd, name, folder_fd, wanted, RENAME_NOREPLACE) == 0)
    return g_strdup (wanted);
  int errsv = errno;
  wpr_set_error (error, WPR_ERROR_NOT_WRITABLE, 0,
                 _ ("The recording is saved, but could not be called “%s”: %s. It is “%s”."),
                 wanted, g_strerror (errsv), name);
  return g_strdup (name);
}

char **
wpr_target_rename_parts (int folder_fd, char **parts, const char *first)
{
  char **names = g_strdupv (parts);
  if (names == NULL || strcmp (names[0], first) == 0)
    return names;
  g_free (names[0]);
  names[0] = g_strdup (first);
  g_autofree char *stem = g_strdup (first);
  if (g_str_has_suffix (stem, SUFFIX))
    stem[strlen (stem) - strlen (SUFFIX)] = '\0';
  for (guint i = 1; names[i] != NULL; i++)
    {
      g_autofree char *name = g_strdup_printf ("%s-%u%s", stem, i + 1, SUFFIX);
      if (renameat2 (folder_fd, names[i], folder_fd, name, RENAME_NOREPLACE) != 0)
        continue;
      g_free (names[i]);
      names[i] = g_steal_pointer (&name);
    }
  return names;
}
