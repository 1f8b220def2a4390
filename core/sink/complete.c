/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A file whose writer died, and the finished one that takes its name. */
#include "config.h"
#include "etl/complete.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/wpr-error.h"
#include "sink/info-private.h"

typedef struct
{
  const guint8 *bytes;
  gsize size;
} Mapped;

static gboolean
map (int fd, Mapped *mapped)
{
  struct stat st;
  void *bytes;

  if (fstat (fd, &st) != 0)
    return FALSE;
  if (!S_ISREG (st.st_mode) || st.st_size <= 0)
    {
      errno = EINVAL;
      return FALSE;
    }
  bytes = mmap (NULL, (gsize)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
  if (bytes == MAP_FAILED)
    return FALSE;
  madvise (bytes, (gsize)st.st_size, MADV_SEQUENTIAL);
  *mapped = (Mapped){ bytes, (gsize)st.st_size };
  return TRUE;
}

static void
unmap (Mapped *mapped)
{
  if (mapped->bytes != NULL)
    munmap ((void *)mapped->bytes, mapped->size);
}

/* "slow.etl" -> "slow-unfinished.etl", or "slow-unfinished-2.etl" .. */
static char *
free_name (int folder_fd, const char *name, const char *word)
{
  gsize size = strlen (name);
  gboolean etl = size > 4 && g_ascii_strcasecmp (name + size - 4, ".etl") == 0;
  int stem = (int)(etl ? size - 4 : size);
  struct stat st;

  for (guint i = 1;; i++)
    {
      g_autofree char *number = i > 1 ? g_strdup_printf ("-%u", i) : g_strdup ("");
      g_autofree char *tried
          = g_strdup_printf ("%.*s-%s%s%s", stem, name, word, number, name + stem);

      if (fstatat (folder_fd, tried, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return g_steal_pointer (&tried);
    }
}

/* Both are there at each moment. Where the file system cannot exchange names, the finished file
 * keeps its own, and that is what is told. */
static void
exchange (int folder_fd, const char *name, const char *finished, WprCompleted *result)
{
  g_autofree char *kept = NULL;

  if (renameat2 (folder_fd, finished, folder_fd, name, RENAME_EXCHANGE) != 0)
    {
      result->name = g_strdup (finished);
      result->original = g_strdup (name);
      return;
    }
  result->name = g_strdup (name);
  kept = free_name (folder_fd, name, "unfinished");
  result->original = g_strdup (
      renameat2 (folder_fd, finished, folder_fd, kept, RENAME_NOREPLACE) == 0 ? kept : finished);
}

static gboolean
pulse (guint64 done, guint64 total, gpointer data)
{
  return !g_cancellable_is_cancelled (data);
}

static WprTraceInfo *
read_info (int fd, GCancellable *cancellable, GError **error)
{
  Mapped mapped = { 0 };
  WprTraceInfo *info = NULL;

  if (map (fd, &mapped))
    info = wpr_trace_info_from_bytes (mapped.bytes, mapped.size, pulse, cancellable, error);
  else
    wpr_set_error (error, WPR_ERROR_INTERNAL, 0,
                   _ ("The finished file could not be read back: %s. Nothing is changed."),
                   g_strerror (errno));
  unmap (&mapped);
  return info;
}

/* The file beside, whole and checked, under the name it has until the names are exchanged. */
static gboolean
finish_beside (const WprEtlFile *file, int folder_fd, const char *name, gboolean compress,
               GCancellable *cancellable, WprCompleted *result, GError **error)
{
  g_autofree char *finished = free_name (folder_fd, name, "completed");
  g_autoptr (WprBehalf) behalf = wpr_behalf_of_caller ();
  g_autoptr (WprNewFile) beside = wpr_new_file_open_for (folder_fd, finished, behalf, error);
  g_autoptr (WprTraceInfo) info = NULL;
  WprEtlCompleted completed;

  if (beside == NULL
      || !wpr_etl_complete (file, wpr_new_file_get_fd (beside), compress, &completed, error))
    return FALSE;
  info = read_info (wpr_new_file_get_fd (beside), cancellable, error);
  if (info == NULL)
    return FALSE;
  result->size = info->size_bytes;
  result->events = info->n_events;
  result->duration_ns = info->duration_ns;
  result->left_out_bytes = completed.left_out_bytes;
  if (completed.was_complete)
    {
      result->name = g_strdup (name);
      return TRUE;
    }
  if (!wpr_new_file_commit (beside, error))
    return FALSE;
  exchange (folder_fd, name, finished, result);
  return TRUE;
}

static WprCompleted *
complete_mapped (const Mapped *mapped, int folder_fd, const char *name, gboolean compress,
                 GCancellable *cancellable, GError **error)
{
  g_autoptr (WprEtlFile) file = wpr_etl_file_new (mapped->bytes, mapped->size, error);
  g_autoptr (WprCompleted) result = g_new0 (WprCompleted, 1);

  if (file != NULL && finish_beside (file, folder_fd, name, compress, cancellable, result, error))
    return g_steal_pointer (&result);
  return NULL;
}

WprCompleted *
wpr_trace_complete (int folder_fd, const char *name, gboolean compress, GCancellable *cancellable,
                    GError **error)
{
  Mapped mapped = { 0 };
  WprCompleted *result = NULL;
  /* O_NONBLOCK: a pipe of that name must not hold us up. */
  int fd = openat (folder_fd, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

  g_return_val_if_fail (name != NULL && strchr (name, '/') == NULL, NULL);
  if (fd >= 0 && map (fd, &mapped))
    result = complete_mapped (&mapped, folder_fd, name, compress, cancellable, error);
  else
    {
      g_autofree char *shown = g_filename_display_name (name);

      wpr_set_error (error, errno == EACCES ? WPR_ERROR_NOT_PERMITTED : WPR_ERROR_DAMAGED, 0,
                     _ ("The trace \"%s\" cannot be read: %s. Check the name and that you may "
                        "read it."),
                     shown, g_strerror (errno));
    }
  unmap (&mapped);
  if (fd >= 0)
    close (fd);
  return result;
}

void
wpr_completed_free (WprCompleted *completed)
{
  if (completed == NULL)
    return;
  g_free (completed->name);
  g_free (completed->original);
  g_free (completed);
}
