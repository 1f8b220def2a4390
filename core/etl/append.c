/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The event is written by the writer itself, into a file of memory; its buffer is then put behind
 * the file's last one. */
#include "config.h"
#include "etl/append.h"

#include <errno.h>
#include <glib/gi18n-lib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/files.h"
#include "base/wpr-error.h"
#include "etl/container-private.h"
#include "etl/layout.h"

#define BUFFERS_WRITTEN (WPR_ETL_BUFFER_HEADER + 0x20 + 0x24) /* of the first event's payload */

static gboolean
refuse (GError **error, WprErrorCode code, const char *text)
{
  wpr_set_error (error, code, 0, "%s", text);
  return FALSE;
}

/* The newest time on CPU 0, and that the buffers are those that the header counts. */
static gboolean
look (const WprEtlFile *file, gint64 *ticks, GError **error)
{
  const WprEtlFileInfo *info = &file->info;
  gint64 ns = (info->end_filetime - info->start_filetime) * 100;
  WprEtlBuffer buffer;
  guint64 n = 0;

  if (info->end_filetime == 0)
    return refuse (error, WPR_ERROR_DAMAGED,
                   _ ("This trace file was never finished. Run “wpr -recover” on it first."));
  if (info->pointer_size != 8)
    return refuse (error, WPR_ERROR_NOT_AVAILABLE,
                   _ ("This trace file comes from a 32-bit system; a note cannot be added to it."));
  *ticks = info->start_ticks + (gint64)((__int128)ns * info->perf_frequency / 1000000000);
  for (gboolean more = wpr_etl_buffer_first (file, &buffer, NULL); more;
       more = wpr_etl_buffer_next (file, &buffer, NULL))
    {
      gint64 flushed = (gint64)wpr_etl_get64 (file->bytes + buffer.at + WPR_ETL_BUFFER_TIME);

      if (buffer.end == 0 || buffer.at + buffer.bytes > file->size)
        return refuse (error, WPR_ERROR_DAMAGED,
                       _ ("This trace file is damaged; a note cannot be added to it."));
      if (n++ > 0 && buffer.cpu == 0)
        *ticks = MAX (*ticks, flushed);
    }
  if (n != info->n_buffers)
    return refuse (error, WPR_ERROR_DAMAGED,
                   _ ("This trace file is damaged; a note cannot be added to it."));
  return TRUE;
}

/* The event in a buffer as a finished file has it; of WPR_ETL_BUFFER_BYTES. */
static gboolean
make_buffer (gint64 ticks, const WprEtlHead *head, gconstpointer payload, gsize size,
             guint8 *buffer, GError **error)
{
  WprEtlHeaderInfo info = { .n_cpus = 1, .start_ticks = ticks, .logger_name = "", .file_name = "" };
  int fd = memfd_create ("wpr-append", MFD_CLOEXEC);
  g_autoptr (WprEtlWriter) writer = fd >= 0 ? wpr_etl_writer_new (fd, &info, error) : NULL;
  gboolean ok
      = writer != NULL && wpr_etl_writer_add (writer, 0, ticks, head, payload, size, error)
        && wpr_etl_writer_finish (writer, 1, 0, 0, error)
        && pread (fd, buffer, WPR_ETL_BUFFER_BYTES, WPR_ETL_BUFFER_BYTES) == WPR_ETL_BUFFER_BYTES;

  if (!ok && error != NULL && *error == NULL)
    refuse (error, WPR_ERROR_INTERNAL, _ ("There is no memory for the note."));
  if (fd >= 0)
    close (fd);
  return ok;
}

/* All buffers of an uncompressed file are of one size. */
static gboolean
fit (const WprEtlFileInfo *info, guint8 *buffer, guint32 *bytes, GError **error)
{
  guint32 used = wpr_etl_get32 (buffer + WPR_ETL_BUFFER_FILLED);

  *bytes = (info->mode & WPR_ETL_MODE_COMPRESSED) != 0 ? (used + 1023) / 1024 * 1024
                                                       : info->buffer_bytes;
  if (*bytes < used || *bytes > WPR_ETL_MOST_BUFFER)
    return refuse (error, WPR_ERROR_NOT_AVAILABLE,
                   _ ("The buffers of this trace file are too small for the note."));
  wpr_etl_put32 (buffer + WPR_ETL_BUFFER_SIZE, *bytes);
  wpr_etl_put64 (buffer + WPR_ETL_BUFFER_SEQUENCE, info->n_buffers);
  return TRUE;
}

static gboolean
fail_writing (GError **error)
{
  wpr_set_error (error,
                 errno == ENOSPC || errno == EDQUOT ? WPR_ERROR_NO_SPACE : WPR_ERROR_NOT_WRITABLE,
                 0, _ ("The note could not be written into the file: %s."), g_strerror (errno));
  return FALSE;
}

static gboolean
sync_file (int fd, GError **error)
{
  return fdatasync (fd) == 0 || fail_writing (error);
}

static gboolean
write_at (int fd, const guint8 *bytes, gsize size, guint64 at, GError **error)
{
  while (size > 0)
    {
      gssize n = pwrite (fd, bytes, size, (off_t)at);

      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        return fail_writing (error);
      bytes += n;
      size -= (gsize)n;
      at += (guint64)n;
    }
  return TRUE;
}

/* Behind the last buffer, on the disk, and only then in the header. */
static gboolean
put (int fd, const WprEtlFile *file, guint8 *buffer, GError **error)
{
  g_autofree guint8 *filled = NULL;
  guint32 used = wpr_etl_get32 (buffer + WPR_ETL_BUFFER_FILLED), bytes;
  guint8 count[4];

  if (!fit (&file->info, buffer, &bytes, error))
    return FALSE;
  filled = g_malloc (bytes);
  memset (filled, 0xff, bytes);
  memcpy (filled, buffer, used);
  wpr_etl_put32 (count, file->info.n_buffers + 1);
  if (write_at (fd, filled, bytes, file->size, error) && sync_file (fd, error)
      && write_at (fd, count, sizeof count, BUFFERS_WRITTEN, error))
    return TRUE;
  /* What was whole before stays so. Where not even this succeeds, the header does not count what
   * is behind. */
  if (ftruncate (fd, (off_t)file->size) != 0)
    g_prefix_error (error, "%s ", _ ("A piece of it is left at the end of the file."));
  return FALSE;
}

gboolean
wpr_etl_append (int fd, const WprEtlHead *head, gconstpointer payload, gsize size, GError **error)
{
  g_autofree guint8 *buffer = g_malloc (WPR_ETL_BUFFER_BYTES);
  g_autoptr (WprEtlFile) file = NULL;
  struct stat st;
  gint64 ticks = 0;
  void *bytes;
  gboolean ok = FALSE;

  if (flock (fd, LOCK_EX) != 0 || fstat (fd, &st) != 0 || !S_ISREG (st.st_mode) || st.st_size == 0)
    return refuse (error, WPR_ERROR_DAMAGED, _ ("This is not a trace file."));
  bytes = mmap (NULL, (gsize)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
  if (bytes == MAP_FAILED)
    return refuse (error, WPR_ERROR_INTERNAL, _ ("The trace file cannot be read."));
  file = wpr_etl_file_new (bytes, (gsize)st.st_size, error);
  ok = file != NULL && look (file, &ticks, error)
       && make_buffer (ticks, head, payload, size, buffer, error) && put (fd, file, buffer, error);
  g_clear_pointer (&file, wpr_etl_file_free);
  munmap (bytes, (gsize)st.st_size);
  flock (fd, LOCK_UN);
  return ok;
}
