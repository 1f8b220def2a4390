/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Completes a file: copies its buffers up to where nothing is whole any more, cuts one that is
 * filled further than its events reach, and writes the header that is due. */
#include "config.h"
#include "etl/complete.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <glib/gi18n-lib.h>
#include "base/files.h"
#include "base/wpr-error.h"
#include "etl/container-private.h"
#include "etl/layout.h"
#include "etl/logfile.h"
#include "etl/xpress-encode.h"

#define CLOCK_SYSTEM_TIME 2
#define LOGFILE_AT (WPR_ETL_BUFFER_HEADER + 0x20) /* TRACE_LOGFILE_HEADER */

typedef struct
{
  const WprEtlFile *file;
  int fd;
  gboolean compress;
  WprXpressEncoder *encoder;
  guint8 *scratch, *packed;
  gsize scratch_size, packed_size;
  guint32 n_buffers;
  guint64 kept_bytes; /* of the file, the header buffer included */
  gint64 last_ticks;
} Completing;

static void
clear (Completing *self)
{
  wpr_xpress_encoder_free (self->encoder);
  g_free (self->scratch);
  g_free (self->packed);
}

/* Where the events of a buffer end that are whole; notes the time of the newest. */
static guint32
end_of_events (Completing *self, const guint8 *bytes, guint32 end)
{
  guint32 at = WPR_ETL_BUFFER_HEADER;

  while (at < end)
    {
      WprEtlEvent event;
      guint32 n = wpr_etl_record_parse (bytes + at, end - at, (guint8)self->file->info.pointer_size,
                                        0, &event, NULL);

      if (n == 0 || n > end - at)
        break;
      self->last_ticks = MAX (self->last_ticks, event.ticks);
      at += n;
    }
  return at;
}

/* Compressed where that makes it smaller, else as it is. `bytes` are unpacked, of the file's buffer
 * size where that is not compressed. */
static gboolean
write_buffer (Completing *self, const guint8 *bytes, guint32 used, GError **error)
{
  guint32 buffer_bytes = self->file->info.buffer_bytes;
  guint32 size = self->compress ? (used + 1023) / 1024 * 1024 : buffer_bytes;
  gsize payload = used - WPR_ETL_BUFFER_HEADER, packed = 0;
  guint16 flags = wpr_etl_get16 (bytes + WPR_ETL_BUFFER_FLAGS) & (guint16)~WPR_ETL_FLAG_COMPRESSED;

  if (self->packed == NULL || self->packed_size < MAX (buffer_bytes, size) + 1024u)
    {
      self->packed_size = MAX (buffer_bytes, size) + 1024u;
      g_free (self->packed);
      self->packed = g_malloc (self->packed_size);
    }
  if (self->compress && payload < 65536)
    packed = wpr_xpress_encode (self->encoder, bytes + WPR_ETL_BUFFER_HEADER, payload,
                                self->packed + WPR_ETL_BUFFER_HEADER, payload);
  if (packed > 0)
    {
      size = WPR_ETL_BUFFER_HEADER + (guint32)packed;
      flags |= WPR_ETL_FLAG_COMPRESSED;
    }
  else
    {
      memcpy (self->packed, bytes, used);
      memset (self->packed + used, 0xff, size - used);
    }
  memcpy (self->packed, bytes, WPR_ETL_BUFFER_HEADER);
  wpr_etl_put32 (self->packed + WPR_ETL_BUFFER_SIZE, size);
  wpr_etl_put32 (self->packed + WPR_ETL_BUFFER_SAVED, used);
  wpr_etl_put32 (self->packed + WPR_ETL_BUFFER_FILLED, used);
  wpr_etl_put16 (self->packed + WPR_ETL_BUFFER_FLAGS, flags);
  self->n_buffers++;
  return wpr_write_all (self->fd, self->packed, size, error);
}

static gboolean
copy_buffers (Completing *self, GError **error)
{
  const WprEtlFile *file = self->file;
  const WprEtlFaults quiet = { NULL, NULL };
  WprEtlBuffer buffer;

  for (gboolean more = wpr_etl_buffer_first (file, &buffer, &quiet) && buffer.bytes > 0
                       && wpr_etl_buffer_next (file, &buffer, &quiet);
       more; more = buffer.bytes > 0 && wpr_etl_buffer_next (file, &buffer, &quiet))
    {
      guint32 end = 0, used;
      const guint8 *bytes;

      if (buffer.end == 0 || buffer.cpu >= file->info.n_cpus
          || buffer.bytes > file->size - buffer.at)
        continue;
      bytes
          = wpr_etl_buffer_bytes (file, &buffer, &self->scratch, &self->scratch_size, &end, &quiet);
      if (bytes == NULL)
        continue;
      used = end_of_events (self, bytes, end);
      if (used == WPR_ETL_BUFFER_HEADER)
        continue;
      if (!write_buffer (self, bytes, used, error))
        return FALSE;
      /* What of a whole buffer could not be read is left out, too. */
      self->kept_bytes += used < buffer.end ? used : buffer.bytes;
      wpr_etl_file_release (file, buffer.at, buffer.at + buffer.bytes);
    }
  return TRUE;
}

/* ---- the last event ---- */

/* Its buffer, taken out of a file that has nothing else. */
static guint8 *
event_buffer (Completing *self, guint64 left_out, gsize *size, GError **error)
{
  g_autoptr (WprEtlSchema) schema = wpr_etl_schema_new ("Linux.Recorder", "Completed");
  WprEtlHeaderInfo info
      = { .n_cpus = 1, .start_ticks = self->last_ticks, .logger_name = "", .file_name = "" };
  WprEtlHead head = { 0 };
  guint8 payload[8];
  int fd = memfd_create ("wpr-completed", MFD_CLOEXEC);
  g_autoptr (WprEtlWriter) writer = fd >= 0 ? wpr_etl_writer_new (fd, &info, error) : NULL;
  guint8 *buffer = NULL;

  wpr_etl_schema_add_field (schema, "LeftOutBytes", WPR_TL_U64, 0, 0);
  wpr_etl_schema_fill_head (schema, &head);
  wpr_etl_put64 (payload, left_out);
  if (writer != NULL
      && wpr_etl_writer_add (writer, 0, self->last_ticks, &head, payload, sizeof payload, error)
      && wpr_etl_writer_finish (writer, 0, 0, 0, error))
    {
      buffer = g_malloc (WPR_ETL_BUFFER_BYTES);
      *size = WPR_ETL_BUFFER_BYTES;
      if (pread (fd, buffer, *size, WPR_ETL_BUFFER_BYTES) != (gssize)*size)
        g_clear_pointer (&buffer, g_free);
    }
  if (fd >= 0)
    close (fd);
  if (buffer == NULL && error != NULL && *error == NULL)
    wpr_set_error (error, WPR_ERROR_INTERNAL, 0, _ ("The last event could not be made: %s."),
                   g_strerror (errno));
  return buffer;
}

static gboolean
write_last_event (Completing *self, guint64 left_out, GError **error)
{
  g_autofree guint8 *buffer = NULL;
  gsize size = 0;

  if (self->file->info.pointer_size != 8)
    return TRUE;
  buffer = event_buffer (self, left_out, &size, error);
  if (buffer == NULL)
    return FALSE;
  wpr_etl_put64 (buffer + WPR_ETL_BUFFER_SEQUENCE, self->n_buffers);
  return write_buffer (self, buffer, wpr_etl_get32 (buffer + WPR_ETL_BUFFER_FILLED), error);
}

/* ---- the header ---- */

static gint64
end_filetime (const Completing *self, gboolean cut)
{
  const WprEtlFileInfo *info = &self->file->info;

  if (info->end_filetime != 0 && !cut)
    return info->end_filetime;
  if (info->clock_type == CLOCK_SYSTEM_TIME)
    return self->last_ticks;
  return info->start_filetime + wpr_etl_ticks_to_ns (info, self->last_ticks) / 100;
}

/* The header buffer, of which at least TRACE_LOGFILE_HEADER is there. */
static guint8 *
header_buffer (const Completing *self, guint32 *size)
{
  const WprEtlFile *file = self->file;
  WprEtlBuffer first;
  guint32 there, used;
  guint8 *header;

  wpr_etl_buffer_peek (file, 0, &first);
  there = (guint32)MIN (file->size, (guint64)file->info.buffer_bytes);
  used = first.end >= LOGFILE_AT && first.end <= there ? first.end : there;
  *size = self->compress ? (used + 1023) / 1024 * 1024 : file->info.buffer_bytes;
  header = g_malloc (*size);
  memcpy (header, file->bytes, used);
  memset (header + used, 0xff, *size - used);
  wpr_etl_put32 (header + WPR_ETL_BUFFER_SIZE, *size);
  if (self->compress)
    {
      wpr_etl_put16 (header + WPR_ETL_BUFFER_STATE, 3); /* XPRESS */
      wpr_etl_put32 (header + LOGFILE_AT + 0x20, file->info.mode | WPR_ETL_MODE_COMPRESSED);
    }
  return header;
}

static gboolean
write_header (Completing *self, guint8 *header, guint32 size, gint64 end, GError **error)
{
  wpr_etl_put64 (header + LOGFILE_AT + 0x10, (guint64)end);
  wpr_etl_put32 (header + LOGFILE_AT + 0x24, self->n_buffers);
  if (lseek (self->fd, 0, SEEK_SET) == 0)
    return wpr_write_all (self->fd, header, size, error);
  wpr_set_error (error, WPR_ERROR_INTERNAL, 0, _ ("The trace file cannot be positioned: %s."),
                 g_strerror (errno));
  return FALSE;
}

gboolean
wpr_etl_complete (const WprEtlFile *file, int fd, gboolean compress, WprEtlCompleted *completed,
                  GError **error)
{
  gboolean was_compressed = (file->info.mode & WPR_ETL_MODE_COMPRESSED) != 0, good, cut;
  Completing self = { .file = file,
                      .fd = fd,
                      .compress = compress || was_compressed,
                      .n_buffers = 1,
                      .last_ticks = file->info.start_ticks };
  g_autofree guint8 *header = NULL;
  guint32 size = 0;
  WprEtlBuffer first;

  memset (completed, 0, sizeof *completed);
  self.encoder = wpr_xpress_encoder_new ();
  header = header_buffer (&self, &size);
  wpr_etl_buffer_peek (file, 0, &first);
  self.kept_bytes = MIN ((guint64)first.bytes, file->size);
  good = wpr_write_all (fd, header, size, error) && copy_buffers (&self, error);
  completed->left_out_bytes = file->size - MIN (self.kept_bytes, file->size);
  cut = completed->left_out_bytes > 0 || self.n_buffers != file->info.n_buffers;
  completed->was_complete = good && !cut && file->info.end_filetime != 0;
  if (good && !completed->was_complete)
    good = write_last_event (&self, completed->left_out_bytes, error);
  if (good)
    good = write_header (&self, header, size, end_filetime (&self, cut), error);
  completed->n_buffers = self.n_buffers;
  clear (&self);
  return good;
}
