/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A glance at a file, for a list of many: its header, and what its first and last buffers say of
 * the recording. And a note that is added to a file. */
#include "config.h"
#include "etl/append.h"
#include "etl/layout.h"
#include "sink/info-private.h"
#include "sink/payload.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <string.h>
#include <unistd.h>
#include "base/wpr-error.h"

/* What a recording says of itself at its start lies in CPU 0's first buffer, what it says at its
 * end in CPU 0's last: others' come between. */
#define FIRST_BUFFERS 8
#define LAST_BUFFERS 24
#define MOST_BUFFER_BYTES (1024 * 1024)

/* A file of these buffers only; NULL where they have no fixed places. */
static guint8 *
pick (int fd, const WprEtlFileInfo *info, guint64 size, gsize *picked)
{
  guint64 bytes = info->buffer_bytes, n = size / bytes;
  guint64 last = MIN (n, LAST_BUFFERS + (guint64)info->n_cpus),
          first = MIN (n - last, FIRST_BUFFERS);
  guint8 *file = g_malloc ((gsize)((first + last) * bytes));

  *picked = (gsize)((first + last) * bytes);
  if (pread (fd, file, (gsize)(first * bytes), 0) == (gssize)(first * bytes)
      && pread (fd, file + first * bytes, (gsize)(last * bytes), (off_t)((n - last) * bytes))
             == (gssize)(last * bytes))
    return file;
  g_free (file);
  return NULL;
}

/* What the whole file would say of being whole. */
static void
judge (WprTraceInfo *info, const WprEtlFileInfo *header, guint64 size, gboolean has_places)
{
  g_ptr_array_set_size (info->faults, 0);
  info->size_bytes = size;
  info->n_buffers = header->n_buffers;
  info->n_events = 0;
  g_ptr_array_set_size (info->counts, 0);
  if (header->end_filetime == 0)
    g_ptr_array_add (info->faults, g_strdup (_ ("The file was never finished.")));
  else if (has_places && size != (guint64)header->n_buffers * header->buffer_bytes)
    g_ptr_array_add (info->faults, g_strdup (_ ("The file is not as long as its header says.")));
  info->complete = !info->was_completed && header->events_lost == 0 && header->buffers_lost == 0
                   && info->faults->len == 0;
}

WprTraceInfo *
wpr_trace_brief_read (const char *path, GCancellable *cancellable, GError **error)
{
  g_autoptr (WprEtlFile) file = NULL;
  g_autofree guint8 *picked = NULL;
  g_autoptr (WprTraceInfo) info = NULL;
  const WprEtlFileInfo *header;
  guint64 size;
  gsize picked_size = 0;
  gboolean has_places;
  int fd;

  g_return_val_if_fail (path != NULL, NULL);
  file = wpr_etl_file_open (path, error);
  if (file == NULL)
    return NULL;
  header = wpr_etl_file_info (file);
  size = wpr_etl_file_size (file);
  has_places = (header->mode & WPR_ETL_MODE_COMPRESSED) == 0 && header->buffer_bytes > 0
               && header->buffer_bytes <= MOST_BUFFER_BYTES && size >= header->buffer_bytes
               && header->n_cpus <= 4096;
  fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd >= 0 && has_places)
    picked = pick (fd, header, size, &picked_size);
  if (fd >= 0)
    close (fd);
  if (picked != NULL)
    info = wpr_trace_info_from_bytes (picked, picked_size, NULL, NULL, error);
  else /* packed buffers lie anywhere: all of it */
    info = wpr_trace_info_read (path, cancellable, error);
  if (info == NULL)
    return NULL;
  if (picked != NULL)
    judge (info, header, size, has_places);
  return g_steal_pointer (&info);
}

/* As sink-etl-recorder.c writes it: the last one of a file counts. */
gboolean
wpr_trace_add_note (int folder_fd, const char *name, const char *note, GError **error)
{
  g_autoptr (WprEtlSchema) schema = wpr_etl_schema_new ("Linux.Recorder", "ProblemDescription");
  WprEtlHead head = { .pid = (guint32)getpid (), .tid = (guint32)getpid () };
  guint8 space[WPR_MOST_PATH + 8];
  WprPayload payload;
  gboolean ok;
  int fd;

  g_return_val_if_fail (name != NULL && strchr (name, '/') == NULL && note != NULL, FALSE);
  fd = openat (folder_fd, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  if (fd < 0)
    {
      wpr_set_error (error, WPR_ERROR_NOT_WRITABLE, 0,
                     _ ("The note could not be written into “%s”: %s."), name, g_strerror (errno));
      return FALSE;
    }
  wpr_etl_schema_add_field (schema, "Text", WPR_TL_STRING8, 0, 0);
  wpr_etl_schema_fill_head (schema, &head);
  wpr_payload_init (&payload, space, sizeof space);
  wpr_payload_text (&payload, note, -1, WPR_MOST_PATH);
  ok = wpr_etl_append (fd, &head, space, wpr_payload_size (&payload), error);
  close (fd);
  return ok;
}
