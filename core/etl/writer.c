/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events into buffers, buffers into the file. Does not live here: the header buffer (logfile.c),
 * schemas (schema.c), any meaning. */
#include "config.h"
#include "etl/writer.h"

#include <errno.h>
#include <unistd.h>
#include <glib/gi18n-lib.h>
#include "base/files.h"
#include "base/wpr-error.h"
#include "etl/layout.h"
#include "etl/logfile.h"
#include "etl/xpress-encode.h"

/* A few bytes cannot be had smaller, only known to be no smaller. */
#define PACKED_SLACK 32
#define PACKED_BYTES (WPR_ETL_BUFFER_BYTES + PACKED_SLACK)

/* The one open buffer of a CPU; made when its first event comes. */
typedef struct
{
  guint8 *bytes; /* NULL: none is open */
  guint32 used;
  gint64 ticks; /* of its newest event; before that the file's first */
} Lane;

struct _WprEtlWriter
{
  int fd;
  WprEtlHeaderInfo info;
  char *logger_name, *file_name;
  Lane *lanes;       /* of info.n_cpus */
  guint32 n_buffers; /* the header buffer included; the next data buffer's sequence number */
  guint64 n_bytes;   /* in the file */
  WprXpressEncoder *encoder; /* NULL until it is needed */
  guint8 *packed;            /* a compressed buffer, of PACKED_BYTES */
  guint64 n_events, n_clamped;
};

static const struct
{
  guint8 type;
  guint8 bytes;
} heads[] = {
  [WPR_ETL_SYSTEM] = { WPR_ETL_HEAD_SYSTEM, 0x20 },
  [WPR_ETL_COMPACT] = { WPR_ETL_HEAD_COMPACT, 0x18 },
  [WPR_ETL_PERFINFO] = { WPR_ETL_HEAD_PERFINFO, 0x10 },
  [WPR_ETL_CLASSIC] = { WPR_ETL_HEAD_CLASSIC, 0x30 },
  [WPR_ETL_EVENT] = { WPR_ETL_HEAD_EVENT, 0x50 },
};

static gboolean
write_header (WprEtlWriter *self, const WprEtlTail *tail, gsize *bytes, GError **error)
{
  g_autofree guint8 *buffer = g_malloc (WPR_ETL_BUFFER_BYTES);
  gsize done = 0;

  *bytes = wpr_etl_logfile_fill (buffer, &self->info, tail);
  while (done < *bytes)
    {
      gssize n = pwrite (self->fd, buffer + done, *bytes - done, (off_t)done);

      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        {
          int errsv = n < 0 ? errno : EIO;

          wpr_set_error (
              error, errsv == ENOSPC || errsv == EDQUOT ? WPR_ERROR_NO_SPACE : WPR_ERROR_INTERNAL,
              0, _ ("The header of the trace file could not be written: %s."), g_strerror (errsv));
          return FALSE;
        }
      done += (gsize)n;
    }
  return TRUE;
}

WprEtlWriter *
wpr_etl_writer_new (int fd, const WprEtlHeaderInfo *info, GError **error)
{
  g_autoptr (WprEtlWriter) self = NULL;
  gsize header = 0;

  g_return_val_if_fail (info != NULL && info->n_cpus > 0 && info->n_cpus <= G_MAXUINT16, NULL);

  self = g_new0 (WprEtlWriter, 1);
  self->fd = fd;
  self->info = *info;
  self->info.logger_name = self->logger_name = g_strdup (info->logger_name);
  self->info.file_name = self->file_name = g_strdup (info->file_name);
  self->lanes = g_new0 (Lane, info->n_cpus);
  self->n_buffers = 1;
  for (guint i = 0; i < info->n_cpus; i++)
    self->lanes[i].ticks = info->start_ticks;
  if (!write_header (self, &(WprEtlTail){ .n_buffers = 1 }, &header, error))
    return NULL;
  self->n_bytes = header;
  if (lseek (fd, (off_t)header, SEEK_SET) < 0)
    {
      wpr_set_error (error, WPR_ERROR_INTERNAL, 0, _ ("The trace file cannot be positioned: %s."),
                     g_strerror (errno));
      return NULL;
    }
  return g_steal_pointer (&self);
}

void
wpr_etl_writer_free (WprEtlWriter *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < self->info.n_cpus; i++)
    g_free (self->lanes[i].bytes);
  g_free (self->lanes);
  wpr_xpress_encoder_free (self->encoder);
  g_free (self->packed);
  g_free (self->logger_name);
  g_free (self->file_name);
  g_free (self);
}

guint64
wpr_etl_writer_events (const WprEtlWriter *self)
{
  return self->n_events;
}

guint64
wpr_etl_writer_bytes (const WprEtlWriter *self)
{
  return self->n_bytes;
}

guint64
wpr_etl_writer_open_bytes (const WprEtlWriter *self)
{
  guint64 bytes = 0;

  for (guint i = 0; i < self->info.n_cpus; i++)
    if (self->lanes[i].bytes != NULL && self->lanes[i].used > WPR_ETL_BUFFER_HEADER)
      bytes += self->info.compress ? self->lanes[i].used : WPR_ETL_BUFFER_BYTES;
  return bytes;
}

guint64
wpr_etl_writer_clamped (const WprEtlWriter *self)
{
  return self->n_clamped;
}

gint64
wpr_etl_writer_last_ticks (const WprEtlWriter *self, guint cpu)
{
  g_return_val_if_fail (cpu < self->info.n_cpus, 0);
  return self->lanes[cpu].ticks;
}

/* What goes into the file for an open buffer; its header is still to come. A buffer that does not
 * shrink is written as it is, also in a compressed file. */
static guint8 *
pack (WprEtlWriter *self, Lane *lane, WprEtlBufferHead *head)
{
  gsize size = lane->used - WPR_ETL_BUFFER_HEADER, packed = 0;

  if (self->info.compress && self->encoder == NULL)
    {
      self->encoder = wpr_xpress_encoder_new ();
      self->packed = g_malloc (PACKED_BYTES);
    }
  if (self->info.compress)
    packed = wpr_xpress_encode (self->encoder, lane->bytes + WPR_ETL_BUFFER_HEADER, size,
                                self->packed + WPR_ETL_BUFFER_HEADER, size + PACKED_SLACK);
  if (packed > 0 && packed <= size)
    {
      head->bytes = (guint32)(WPR_ETL_BUFFER_HEADER + packed);
      head->flags |= WPR_ETL_FLAG_COMPRESSED;
      return self->packed;
    }
  head->bytes = self->info.compress ? (lane->used + 1023) / 1024 * 1024 : WPR_ETL_BUFFER_BYTES;
  memset (lane->bytes + lane->used, 0xff, head->bytes - lane->used);
  return lane->bytes;
}

static gboolean
flush_lane (WprEtlWriter *self, guint cpu, guint16 flags, GError **error)
{
  Lane *lane = &self->lanes[cpu];
  WprEtlBufferHead head = { .used = lane->used,
                            .cpu = cpu,
                            .ticks = lane->ticks,
                            .sequence = self->n_buffers,
                            .flags = WPR_ETL_FLAG_PROC_INDEX | flags };
  guint8 *bytes;

  if (lane->bytes == NULL || lane->used <= WPR_ETL_BUFFER_HEADER)
    return TRUE;
  bytes = pack (self, lane, &head);
  wpr_etl_buffer_head (bytes, &head);
  if (!wpr_write_all (self->fd, bytes, head.bytes, error))
    return FALSE;
  lane->used = WPR_ETL_BUFFER_HEADER;
  self->n_buffers++;
  self->n_bytes += head.bytes;
  return TRUE;
}

gboolean
wpr_etl_writer_park (WprEtlWriter *self, GError **error)
{
  for (guint cpu = 0; cpu < self->info.n_cpus; cpu++)
    {
      if (!flush_lane (self, cpu, WPR_ETL_FLAG_FLUSH, error))
        return FALSE;
      g_clear_pointer (&self->lanes[cpu].bytes, g_free);
    }
  g_clear_pointer (&self->encoder, wpr_xpress_encoder_free);
  g_clear_pointer (&self->packed, g_free);
  return TRUE;
}

/* An extended item: u16 size in all, u16 type, u16 linkage (another follows), u16 data size, data,
 * zeros up to 8. */
static guint8 *
put_item (guint8 *at, guint16 type, gboolean more, gconstpointer data, gsize size)
{
  guint32 total = WPR_ETL_ALIGN (8 + (guint32)size);

  wpr_etl_put16 (at, (guint16)total);
  wpr_etl_put16 (at + 2, type);
  wpr_etl_put16 (at + 4, more ? 1 : 0);
  wpr_etl_put16 (at + 6, (guint16)size);
  memcpy (at + 8, data, size);
  memset (at + 8 + size, 0, total - 8 - size);
  return at + total;
}

static void
put_guid (guint8 *at, const WprEtlGuid *guid)
{
  wpr_etl_put32 (at, guid->data1);
  wpr_etl_put16 (at + 4, guid->data2);
  wpr_etl_put16 (at + 6, guid->data3);
  memcpy (at + 8, guid->data4, 8);
}

static void
put_kernel_head (guint8 *at, const WprEtlHead *head, guint32 size, gint64 ticks)
{
  wpr_etl_put16 (at, head->version);
  wpr_etl_put16 (at + 4, (guint16)size);
  wpr_etl_put16 (at + 6, head->hook);
  if (head->kind == WPR_ETL_PERFINFO)
    {
      wpr_etl_put64 (at + 8, (guint64)ticks);
      return;
    }
  wpr_etl_put32 (at + 8, head->tid);
  wpr_etl_put32 (at + 12, head->pid);
  wpr_etl_put64 (at + 0x10, (guint64)ticks);
  if (head->kind == WPR_ETL_SYSTEM)
    wpr_etl_put64 (at + 0x18, 0); /* kernel and user time of the CPU: not known */
}

static void
put_classic_head (guint8 *at, const WprEtlHead *head, guint32 size, gint64 ticks)
{
  wpr_etl_put16 (at, (guint16)size);
  at[4] = head->type;
  at[5] = head->level;
  wpr_etl_put16 (at + 6, head->version);
  wpr_etl_put32 (at + 8, head->tid);
  wpr_etl_put32 (at + 12, head->pid);
  wpr_etl_put64 (at + 0x10, (guint64)ticks);
  put_guid (at + 0x18, head->guid);
  wpr_etl_put64 (at + 0x28, 0);
}

/* Returns where the payload goes, behind the extended items. */
static guint8 *
put_event_head (guint8 *at, const WprEtlHead *head, guint32 size, gint64 ticks)
{
  guint8 *item = at + 0x50;

  memset (at + 4, 0, 0x4c);
  wpr_etl_put16 (at, (guint16)size);
  wpr_etl_put32 (at + 8, head->tid);
  wpr_etl_put32 (at + 12, head->pid);
  wpr_etl_put64 (at + 0x10, (guint64)ticks);
  put_guid (at + 0x18, head->guid);
  at[0x2b] = WPR_ETL_CHANNEL_TL;
  at[0x2c] = head->level;
  wpr_etl_put64 (at + 0x30, head->keyword);
  if (head->traits != NULL)
    item = put_item (item, WPR_ETL_EXT_TRAITS, head->schema != NULL, head->traits,
                     head->traits_size);
  if (head->schema != NULL)
    item = put_item (item, WPR_ETL_EXT_SCHEMA, FALSE, head->schema, head->schema_size);
  if (item != at + 0x50)
    at[4] = 1; /* extended items follow */
  return item;
}

static gboolean
fits (gsize items, gsize payload, GError **error)
{
  if (payload <= WPR_ETL_MOST_PAYLOAD && items + payload <= WPR_ETL_MOST_EVENT - 0x50)
    return TRUE;
  wpr_set_error (error, WPR_ERROR_INTERNAL, 0,
                 _ ("An event of %zu bytes does not fit into a trace file's buffer."),
                 items + payload);
  return FALSE;
}

/* Where a record of so many bytes goes, and its time. */
static guint8 *
make_room (WprEtlWriter *self, guint cpu, guint32 aligned, gint64 *ticks, GError **error)
{
  Lane *lane = &self->lanes[cpu];
  guint8 *at;

  if (G_UNLIKELY (lane->bytes == NULL))
    {
      lane->bytes = g_malloc (WPR_ETL_BUFFER_BYTES);
      lane->used = WPR_ETL_BUFFER_HEADER;
    }
  if (lane->used + aligned > WPR_ETL_BUFFER_BYTES && !flush_lane (self, cpu, 0, error))
    return NULL;
  if (G_UNLIKELY (*ticks < lane->ticks))
    {
      *ticks = lane->ticks;
      self->n_clamped++;
    }
  lane->ticks = *ticks;
  at = lane->bytes + lane->used;
  lane->used += aligned;
  self->n_events++;
  return at;
}

gboolean
wpr_etl_writer_add (WprEtlWriter *self, guint cpu, gint64 ticks, const WprEtlHead *head,
                    gconstpointer payload, gsize size, GError **error)
{
  gsize items = 0;
  guint32 total, aligned;
  guint8 *at, *body;

  g_return_val_if_fail (cpu < self->info.n_cpus, FALSE);
  g_return_val_if_fail (head->kind <= WPR_ETL_EVENT, FALSE);

  if (head->kind == WPR_ETL_EVENT)
    items = (head->traits != NULL ? WPR_ETL_ALIGN (8 + (guint32)head->traits_size) : 0)
            + (head->schema != NULL ? WPR_ETL_ALIGN (8 + (guint32)head->schema_size) : 0);
  if (G_UNLIKELY (items + size > WPR_ETL_MOST_PAYLOAD) && !fits (items, size, error))
    return FALSE;
  total = heads[head->kind].bytes + (guint32)(items + size);
  aligned = WPR_ETL_ALIGN (total);

  at = make_room (self, cpu, aligned, &ticks, error);
  if (at == NULL)
    return FALSE;
  at[2] = heads[head->kind].type;
  at[3] = 0xc0;
  body = at + heads[head->kind].bytes;
  if (head->kind <= WPR_ETL_PERFINFO)
    put_kernel_head (at, head, total, ticks);
  else if (head->kind == WPR_ETL_CLASSIC)
    put_classic_head (at, head, total, ticks);
  else
    {
      body = put_event_head (at, head, total, ticks);
      at[2] = WPR_ETL_HEAD_EVENT;
    }
  if (size > 0)
    memcpy (body, payload, size);
  memset (at + total, 0, aligned - total);
  return TRUE;
}

guint8 *
wpr_etl_writer_add_record (WprEtlWriter *self, guint cpu, gint64 ticks, const guint8 *record,
                           gsize size, guint time_at, GError **error)
{
  guint32 aligned = WPR_ETL_ALIGN ((guint32)size);
  guint8 *at;

  g_return_val_if_fail (cpu < self->info.n_cpus, NULL);
  g_return_val_if_fail (time_at == 0 || time_at + 8 <= size, NULL);

  if (size > WPR_ETL_MOST_RECORD)
    {
      fits (size, 0, error);
      return NULL;
    }
  at = make_room (self, cpu, aligned, &ticks, error);
  if (at == NULL)
    return NULL;
  memcpy (at, record, size);
  memset (at + size, 0, aligned - size);
  if (time_at != 0)
    wpr_etl_put64 (at + time_at, (guint64)ticks);
  return at;
}

gboolean
wpr_etl_writer_finish (WprEtlWriter *self, gint64 end_filetime, guint64 events_lost,
                       guint32 buffers_lost, GError **error)
{
  WprEtlTail tail = { .end_filetime = end_filetime, .buffers_lost = buffers_lost };
  gsize header;

  if (!wpr_etl_writer_park (self, error))
    return FALSE;
  tail.n_buffers = self->n_buffers;
  tail.events_lost = (guint32)MIN (events_lost, G_MAXUINT32);
  return write_header (self, &tail, &header, error);
}
