/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The folder of recordings, which may lie on a share that does not answer: opened, and asked for
 * its free space, beside the worker. */
#include "config.h"
#include "backend-private.h"

#include <fcntl.h>
#include <glib/gi18n.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <wpr-error.h>
#include "target.h"

WprAside *
wpr_backend_get_aside (WprBackend *backend, WprAsideKind kind)
{
  ASSERT_WORKER (backend);
  /* connecting has limits of its own */
  if (backend->asides[kind] == NULL)
    backend->asides[kind]
        = wpr_aside_new ("wprui-aside", kind == WPR_ASIDE_FINDER ? 0 : WPR_ASIDE_LIMIT_MS);
  return backend->asides[kind];
}

/* ---- opening ---- */

typedef struct
{
  WprBackend *backend;
  char *folder, *wanted, *text;
  WprFolderFunc then;
  int fd;
  char *name;
  GError *error;
  gboolean given_up;
} Opening;

static void
free_opening (gpointer data)
{
  Opening *opening = data;
  if (opening->fd >= 0)
    close (opening->fd);
  g_clear_error (&opening->error);
  g_free (opening->folder);
  g_free (opening->wanted);
  g_free (opening->text);
  g_free (opening->name);
  g_free (opening);
}

/* In a thread of its own. */
static void
open_folder (gpointer data)
{
  Opening *opening = data;
  opening->fd = wpr_target_open_folder (opening->folder, &opening->error);
  if (opening->fd < 0)
    return;
  gboolean as_wanted = opening->wanted != NULL
                       && faccessat (opening->fd, opening->wanted, F_OK, AT_SYMLINK_NOFOLLOW) != 0;
  opening->name = as_wanted ? g_strdup (opening->wanted) : wpr_target_file_name (opening->fd);
}

static void
on_opened (gpointer data)
{
  Opening *opening = data;
  if (!opening->given_up)
    opening->then (opening->backend, opening->fd, opening->name, opening->text, opening->error);
}

char *
wpr_backend_describe_silence (const char *place)
{
  /* Translators: %s is a folder or file */
  return g_strdup_printf (
      _ ("“%s” does not answer. The disk or share it lies on may be gone or very busy. Try again, "
         "or choose another folder."),
      place);
}

static void
on_late (gpointer data)
{
  Opening *opening = data;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = wpr_backend_describe_silence (opening->folder);
  opening->given_up = TRUE;
  wpr_set_error (&error, WPR_ERROR_NOT_WRITABLE, 0, "%s", text);
  opening->then (opening->backend, -1, NULL, opening->text, error);
}

void
wpr_backend_open_folder (WprBackend *backend, const char *folder, const char *wanted,
                         const char *text, WprFolderFunc then)
{
  static const WprAsideCall call
      = { .work = open_folder, .done = on_opened, .late = on_late, .destroy = free_opening };
  Opening *opening = g_new0 (Opening, 1);
  opening->backend = backend;
  opening->folder = g_strdup (folder);
  opening->wanted = g_strdup (wanted);
  opening->text = g_strdup (text);
  opening->then = then;
  opening->fd = -1;
  wpr_aside_run (wpr_backend_get_aside (backend, WPR_ASIDE_FOLDER), &call, opening);
}

void
wpr_backend_keep_folder (WprBackend *backend, int folder_fd)
{
  if (backend->folder_fd >= 0)
    close (backend->folder_fd);
  backend->folder_fd = folder_fd >= 0 ? fcntl (folder_fd, F_DUPFD_CLOEXEC, 0) : -1;
}

/* ---- free space ---- */

typedef struct
{
  WprBackend *backend;
  char *folder;
  guint64 bytes;
} Space;

static void
free_space (gpointer data)
{
  Space *space = data;
  g_free (space->folder);
  g_free (space);
}

/* Of the folder, or of the one it would be made in. In a thread of its own. */
static void
look_at_space (gpointer data)
{
  Space *space = data;
  g_autofree char *path = g_strdup (space->folder);
  struct statvfs disk;
  while (statvfs (path, &disk) != 0)
    {
      g_autofree char *above = g_path_get_dirname (path);
      if (g_str_equal (above, path))
        return;
      g_free (path);
      path = g_steal_pointer (&above);
    }
  space->bytes = (guint64)disk.f_bavail * disk.f_frsize;
}

static void
on_space (gpointer data)
{
  Space *space = data;
  WprBackend *backend = space->backend;
  backend->free_asked = FALSE;
  if (g_strcmp0 (space->folder, backend->free_folder) != 0)
    {
      wpr_backend_ask_free_bytes (backend); /* it was changed meanwhile */
      return;
    }
  gboolean same = backend->free_bytes == space->bytes;
  backend->free_bytes = space->bytes;
  if (!same)
    wpr_backend_estimate (backend);
}

/* One question at a time: a folder that does not answer is not asked again. */
void
wpr_backend_ask_free_bytes (WprBackend *backend)
{
  static const WprAsideCall call
      = { .work = look_at_space, .done = on_space, .destroy = free_space };
  const char *folder = backend->plan_folder ? backend->plan_folder : "/";
  if (g_strcmp0 (backend->free_folder, folder) != 0)
    backend->free_bytes = 0;
  g_free (backend->free_folder);
  backend->free_folder = g_strdup (folder);
  if (backend->free_asked)
    return;
  backend->free_asked = TRUE;
  Space *space = g_new0 (Space, 1);
  space->backend = backend;
  space->folder = g_strdup (folder);
  wpr_aside_run (wpr_backend_get_aside (backend, WPR_ASIDE_SPACE), &call, space);
}
