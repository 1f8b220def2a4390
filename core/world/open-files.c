/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"
#include "world/open-files.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static WprTime
time_now (void)
{
  WprClockReading now;
  wpr_clock_read (&now);
  return now.monotonic_ns;
}

static void
clear_file (gpointer data)
{
  g_free (((WprOpenFile *)data)->path);
}

WprOpenFiles *
wpr_open_files_new (guint32 pid)
{
  WprOpenFiles *files = g_new0 (WprOpenFiles, 1);
  files->pid = pid;
  files->when = time_now ();
  files->files = g_array_new (FALSE, FALSE, sizeof (WprOpenFile));
  g_array_set_clear_func (files->files, clear_file);
  return files;
}

void
wpr_open_files_add (WprOpenFiles *files, gint32 fd, guint32 flags, gint64 position, char *path)
{
  WprOpenFile file = { fd, flags, position, path };
  g_array_append_val (files->files, file);
}

void
wpr_open_files_free (WprOpenFiles *files)
{
  g_array_unref (files->files);
  g_free (files);
}

/* "pos:\t0\nflags:\t0100002\n.." */
static void
read_info (int folder, const char *fd, guint32 *flags, gint64 *position)
{
  char name[32], text[256];
  g_snprintf (name, sizeof name, "fdinfo/%s", fd);
  int info = openat (folder, name, O_RDONLY | O_CLOEXEC);
  gssize n = info >= 0 ? read (info, text, sizeof text - 1) : -1;
  if (info >= 0)
    close (info);
  if (n <= 0)
    return;
  text[n] = '\0';
  const char *pos = strstr (text, "pos:"), *flag = strstr (text, "flags:");
  if (pos != NULL)
    *position = g_ascii_strtoll (pos + strlen ("pos:"), NULL, 10);
  if (flag != NULL)
    *flags = (guint32)g_ascii_strtoull (flag + strlen ("flags:"), NULL, 8);
}

static void
look_at (WprOpenFiles *files, int folder, const char *name, const char *place, gint32 fd,
         gboolean positions)
{
  char path[4096];
  guint32 flags = 0;
  gint64 position = -1;
  gssize size = readlinkat (folder, place, path, sizeof path - 1);
  if (size <= 0)
    return;
  path[size] = '\0';
  if (positions && path[0] == '/' && fd >= 0)
    read_info (folder, name, &flags, &position);
  wpr_open_files_add (files, fd, flags, position, g_strdup (path));
}

/* NULL if it may not be looked into. */
static WprOpenFiles *
look_into (int folder, guint32 pid, gboolean positions)
{
  int fds = openat (folder, "fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *dir = fds >= 0 ? fdopendir (fds) : NULL;
  if (dir == NULL)
    {
      if (fds >= 0)
        close (fds);
      return NULL;
    }
  WprOpenFiles *files = wpr_open_files_new (pid);
  look_at (files, folder, "cwd", "cwd", AT_FDCWD, FALSE);
  for (const struct dirent *d; (d = readdir (dir)) != NULL;)
    {
      char place[300];
      if (!g_ascii_isdigit (d->d_name[0]))
        continue;
      g_snprintf (place, sizeof place, "fd/%s", d->d_name);
      look_at (files, folder, d->d_name, place, (gint32)g_ascii_strtoll (d->d_name, NULL, 10),
               positions);
    }
  closedir (dir);
  files->when = time_now ();
  return files;
}

GPtrArray *
wpr_open_files_read (const char *proc_path, gboolean positions)
{
  GPtrArray *all = g_ptr_array_new_with_free_func ((GDestroyNotify)wpr_open_files_free);
  DIR *proc = opendir (proc_path);
  for (const struct dirent *d; proc != NULL && (d = readdir (proc)) != NULL;)
    {
      if (!g_ascii_isdigit (d->d_name[0]))
        continue;
      int folder = openat (dirfd (proc), d->d_name, O_PATH | O_DIRECTORY | O_CLOEXEC);
      if (folder < 0)
        continue;
      WprOpenFiles *files
          = look_into (folder, (guint32)g_ascii_strtoull (d->d_name, NULL, 10), positions);
      close (folder);
      if (files != NULL)
        g_ptr_array_add (all, files);
    }
  if (proc != NULL)
    closedir (proc);
  return all;
}

GVariant *
wpr_open_files_pack (const GPtrArray *all)
{
  GVariantBuilder builder;
  g_variant_builder_init (&builder, G_VARIANT_TYPE (WPR_OPEN_FILES_PACKED));
  for (guint i = 0; i < all->len; i++)
    {
      const WprOpenFiles *process = g_ptr_array_index (all, i);
      g_variant_builder_open (&builder, G_VARIANT_TYPE ("(uxa(iuxay))"));
      g_variant_builder_add (&builder, "u", process->pid);
      g_variant_builder_add (&builder, "x", process->when);
      g_variant_builder_open (&builder, G_VARIANT_TYPE ("a(iuxay)"));
      for (guint f = 0; f < process->files->len; f++)
        {
          const WprOpenFile *file = &g_array_index (process->files, WprOpenFile, f);
          g_variant_builder_add (&builder, "(iux@ay)", file->fd, file->flags, file->position,
                                 g_variant_new_bytestring (file->path));
        }
      g_variant_builder_close (&builder);
      g_variant_builder_close (&builder);
    }
  return g_variant_builder_end (&builder);
}

GPtrArray *
wpr_open_files_unpack (GVariant *packed)
{
  GVariantIter iter, *files;
  guint32 pid;
  gint64 when;
  GPtrArray *all = g_ptr_array_new_with_free_func ((GDestroyNotify)wpr_open_files_free);
  g_variant_iter_init (&iter, packed);
  while (g_variant_iter_loop (&iter, "(uxa(iuxay))", &pid, &when, &files))
    {
      WprOpenFiles *process = wpr_open_files_new (pid);
      GVariant *path;
      gint32 fd;
      guint32 flags;
      gint64 position;
      process->when = when;
      while (g_variant_iter_loop (files, "(iux@ay)", &fd, &flags, &position, &path))
        wpr_open_files_add (process, fd, flags, position, g_variant_dup_bytestring (path, NULL));
      g_ptr_array_add (all, process);
    }
  return all;
}
