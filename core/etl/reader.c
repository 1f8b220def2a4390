/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads and verifies an .etl that lies in memory: the header buffer, every buffer, every event
 * header. A stranger's bytes: whatever a length says is checked before it is followed, every loop
 * moves on, nothing is allocated but one entry a CPU. */
#include "config.h"
#include "etl/reader.h"

#include <string.h>
#include <glib/gi18n-lib.h>
#include "base/wpr-error.h"
#include "etl/layout.h"

/* Windows writes 1 KiB to 16 MiB. */
#define LEAST_BUFFER 1024u
#define MOST_BUFFER (16u * 1024 * 1024)
/* Size is a u16: what is not said in so many words is a kind of header this reader knows. */
static const struct
{
  guint8 bytes;     /* of the header; 0: unknown kind */
  guint8 size_at;   /* where the u16 size of the event lies */
  guint8 time_at;   /* where the timestamp lies; 0: it has none */
  guint8 ids_at;    /* TID, then PID; 0: none */
  gboolean is_hook; /* version, size, hook id */
} heads[256] = {
  [0x01] = { 0x20, 4, 0x10, 8, TRUE },  [0x02] = { 0x20, 4, 0x10, 8, TRUE },
  [0x03] = { 0x18, 4, 0x10, 8, TRUE },  [0x04] = { 0x18, 4, 0x10, 8, TRUE },
  [0x10] = { 0x10, 4, 0x08, 0, TRUE },  [0x11] = { 0x10, 4, 0x08, 0, TRUE },
  [0x0a] = { 0x30, 0, 0x10, 8, FALSE }, [0x14] = { 0x30, 0, 0x10, 8, FALSE },
  [0x0b] = { 0x38, 0, 0x10, 8, FALSE }, [0x15] = { 0x38, 0, 0x10, 8, FALSE },
  [0x12] = { 0x50, 0, 0x10, 8, FALSE }, [0x13] = { 0x50, 0, 0x10, 8, FALSE },
};
#define MESSAGE_FLAGS 0x90 /* byte 3 of a WPP message: u16 size, then a header of 8 bytes */

typedef struct
{
  gboolean seen;
  guint64 sequence;
  gint64 ticks;
} CpuState;

typedef struct
{
  const guint8 *bytes;
  gsize size;
  WprEtlFileInfo *info;
  WprEtlEventFunc func;
  WprEtlFaultFunc fault;
  gpointer data;
  CpuState *cpus; /* of info->n_cpus */
  gboolean stopped;
} Reading;

/* One buffer as its header describes it. */
typedef struct
{
  gsize at;
  guint64 index, sequence;
  guint32 end; /* of valid bytes, from `at` */
  guint cpu;
  gint64 ticks;     /* of the last event */
  gboolean ordered; /* ticks means something */
} Buffer;

static void G_GNUC_PRINTF (3, 4) report (Reading *self, guint64 offset, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  if (self->fault == NULL)
    return;
  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  self->fault (offset, text, self->data);
}

void
wpr_etl_file_info_clear (WprEtlFileInfo *info)
{
  g_clear_pointer (&info->logger_name, g_free);
}

static gboolean
not_an_etl (GError **error)
{
  wpr_set_error (
      error, WPR_ERROR_DAMAGED, 0,
      _ ("This is not a trace file: it does not begin with the header of an .etl. Choose "
         "another file."));
  return FALSE;
}

static gboolean
not_in_this_version (const char *what, GError **error)
{
  wpr_set_error (error, WPR_ERROR_NOT_AVAILABLE, 0,
                 _ ("This is %s; reading such files is not in this version. Uncompressed traces of "
                    "64-bit systems can be read."),
                 what);
  return FALSE;
}

/* Text of at most `most` bytes in UTF-16LE up to its NUL; never NULL. */
static char *
dup_utf16 (const guint8 *at, gsize most)
{
  g_autofree gunichar2 *wide = g_new (gunichar2, most / 2 + 1);
  gsize n = 0;
  char *text;

  while (2 * n + 1 < most && (at[2 * n] != 0 || at[2 * n + 1] != 0))
    {
      wide[n] = wpr_etl_get16 (at + 2 * n);
      n++;
    }
  text = g_utf16_to_utf8 (wide, (glong)n, NULL, NULL, NULL);
  return text != NULL ? text : g_strdup ("");
}

/* The first event: TRACE_LOGFILE_HEADER. */
static gboolean
read_logfile_header (Reading *self, GError **error)
{
  const guint8 *event = self->bytes + WPR_ETL_BUFFER_HEADER, *h = event + 0x20;
  WprEtlFileInfo *info = self->info;
  guint32 size;

  if (self->size < WPR_ETL_BUFFER_HEADER + 0x20 + 0x110 || event[3] != 0xc0
      || wpr_etl_get16 (event + 6) != 0 || (event[2] != WPR_ETL_HEAD_SYSTEM && event[2] != 0x01))
    return not_an_etl (error);
  info->pointer_size = wpr_etl_get32 (h + 0x2c);
  if (event[2] == 0x01 || info->pointer_size == 4)
    return not_in_this_version (_ ("a trace of a 32-bit system"), error);
  size = wpr_etl_get16 (event + 4);
  if (info->pointer_size != 8 || size < 0x20 + WPR_ETL_LOGFILE_HEADER
      || WPR_ETL_BUFFER_HEADER + (gsize)size > self->size)
    return not_an_etl (error);
  if ((wpr_etl_get32 (h + 0x20) & WPR_ETL_MODE_COMPRESSED) != 0)
    return not_in_this_version (_ ("a compressed trace"), error);

  info->buffer_bytes = wpr_etl_get32 (h + 0x00);
  info->n_cpus = wpr_etl_get32 (h + 0x0c);
  info->end_filetime = (gint64)wpr_etl_get64 (h + 0x10);
  info->n_buffers = wpr_etl_get32 (h + 0x24);
  info->events_lost = wpr_etl_get32 (h + 0x30);
  info->cpu_mhz = wpr_etl_get32 (h + 0x34);
  info->boot_filetime = (gint64)wpr_etl_get64 (h + 0xf8);
  info->perf_frequency = (gint64)wpr_etl_get64 (h + 0x100);
  info->start_filetime = (gint64)wpr_etl_get64 (h + 0x108);
  info->buffers_lost = wpr_etl_get32 (h + 0x114);
  info->start_ticks = (gint64)wpr_etl_get64 (event + 0x10);
  info->logger_name = dup_utf16 (h + WPR_ETL_LOGFILE_HEADER, size - 0x20 - WPR_ETL_LOGFILE_HEADER);
  if (info->buffer_bytes < LEAST_BUFFER || info->buffer_bytes > MOST_BUFFER || info->n_cpus == 0
      || info->n_cpus > G_MAXUINT16)
    return not_an_etl (error);
  return TRUE;
}

/* PROV_TRAITS: u16 size, name. */
static void
take_traits (WprEtlEvent *event, const guint8 *data, guint32 size)
{
  gsize n;

  if (size < 3)
    return;
  n = MIN (size - 2, sizeof event->provider - 1);
  n = strnlen ((const char *)data + 2, n);
  memcpy (event->provider, data + 2, n);
  event->provider[n] = '\0';
}

/* EVENT_SCHEMA_TL: u16 size, tags, name, fields. */
static void
take_schema (WprEtlEvent *event, const guint8 *data, guint32 size)
{
  guint32 at = 2;
  gsize n;

  while (at < size && (data[at] & 0x80) != 0)
    at++;
  at++;
  if (at >= size)
    return;
  event->schema = data;
  event->schema_size = size;
  n = strnlen ((const char *)data + at, MIN (size - at, sizeof event->name - 1));
  memcpy (event->name, data + at, n);
  event->name[n] = '\0';
}

/* The extended items between header and payload; returns where the payload begins. */
static guint32
read_items (Reading *self, WprEtlEvent *event, const guint8 *at, guint32 size, guint64 offset)
{
  guint32 p = 0x50;
  gboolean more = (wpr_etl_get16 (at + 4) & 1) != 0;

  while (more)
    {
      guint32 total, used;

      if (size - p < 8 || (total = wpr_etl_get16 (at + p)) < 8 || total > size - p
          || (used = wpr_etl_get16 (at + p + 6)) > total - 8)
        {
          report (self, offset, _ ("an extended item does not fit into its event"));
          return size;
        }
      if (wpr_etl_get16 (at + p + 2) == WPR_ETL_EXT_TRAITS)
        take_traits (event, at + p + 8, used);
      else if (wpr_etl_get16 (at + p + 2) == WPR_ETL_EXT_SCHEMA)
        take_schema (event, at + p + 8, used);
      more = (wpr_etl_get16 (at + p + 4) & 1) != 0;
      p += total;
      p = MIN (p, size);
    }
  return p;
}

static void
read_guid (WprEtlGuid *guid, const guint8 *at)
{
  guid->data1 = wpr_etl_get32 (at);
  guid->data2 = wpr_etl_get16 (at + 4);
  guid->data3 = wpr_etl_get16 (at + 6);
  memcpy (guid->data4, at + 8, 8);
}

static void
fill_event (Reading *self, WprEtlEvent *event, const guint8 *at, guint32 size, guint64 offset)
{
  guint8 type = at[2];
  guint32 payload = heads[type].bytes;

  event->header_type = type;
  event->provider[0] = event->name[0] = '\0';
  event->schema = NULL;
  event->schema_size = 0;
  event->pid = event->tid = G_MAXUINT32;
  event->hook = event->version = 0;
  event->type = event->level = 0;
  event->keyword = 0;
  event->ticks = (gint64)wpr_etl_get64 (at + heads[type].time_at);
  if (heads[type].ids_at != 0)
    {
      event->tid = wpr_etl_get32 (at + heads[type].ids_at);
      event->pid = wpr_etl_get32 (at + heads[type].ids_at + 4);
    }
  if (heads[type].is_hook)
    {
      event->version = wpr_etl_get16 (at);
      event->hook = wpr_etl_get16 (at + 6);
    }
  else if (heads[type].bytes == 0x50)
    {
      read_guid (&event->guid, at + 0x18);
      event->type = at[0x2d];
      event->hook = wpr_etl_get16 (at + 0x28);
      event->version = at[0x2a];
      event->level = at[0x2c];
      event->keyword = wpr_etl_get64 (at + 0x30);
      payload = read_items (self, event, at, size, offset);
    }
  else
    {
      event->type = at[4];
      event->level = at[5];
      event->version = wpr_etl_get16 (at + 6);
      if (heads[type].bytes == 0x30)
        read_guid (&event->guid, at + 0x18);
      else
        memset (&event->guid, 0, sizeof event->guid);
    }
  event->payload = at + payload;
  event->payload_size = size - payload;
}

/* Time must not go back within a buffer, nor from one buffer of a CPU to its next. */
static void
check_time (Reading *self, Buffer *buffer, gint64 ticks, guint64 offset)
{
  CpuState *cpu = &self->cpus[buffer->cpu];

  if (buffer->ordered ? ticks < buffer->ticks
                      : cpu->seen && buffer->sequence > cpu->sequence && ticks < cpu->ticks)
    report (self, offset,
            buffer->ordered ? _ ("time goes back by %llu ticks within the buffer")
                            : _ ("time goes back by %llu ticks from the CPU's last buffer"),
            (unsigned long long)(buffer->ordered ? buffer->ticks : cpu->ticks)
                - (unsigned long long)ticks);
  buffer->ordered = TRUE;
  buffer->ticks = ticks;
}

/* One event at `at` of the buffer. Returns its size rounded up, 0 at the end of what holds. */
static guint32
read_event (Reading *self, Buffer *buffer, guint32 at)
{
  const guint8 *bytes = self->bytes + buffer->at + at;
  guint64 offset = buffer->at + at;
  guint32 left = buffer->end - at, size;
  WprEtlEvent event;

  if (left < 8 || wpr_etl_get32 (bytes) == G_MAXUINT32)
    {
      report (self, offset, _ ("the buffer says it is filled further than its events reach"));
      return 0;
    }
  if (bytes[3] == MESSAGE_FLAGS)
    {
      size = wpr_etl_get16 (bytes);
      if (size < 8 || size > left)
        {
          report (self, offset, _ ("a message does not fit into its buffer"));
          return 0;
        }
      return WPR_ETL_ALIGN (size);
    }
  if ((bytes[3] & 0xc0) != 0xc0 || heads[bytes[2]].bytes == 0)
    {
      report (self, offset, _ ("no known event begins here (marker %08x)"), wpr_etl_get32 (bytes));
      return 0;
    }
  size = wpr_etl_get16 (bytes + heads[bytes[2]].size_at);
  if (size < heads[bytes[2]].bytes || size > left)
    {
      report (self, offset, _ ("an event of %u bytes does not fit into its buffer"), size);
      return 0;
    }
  event.cpu = buffer->cpu;
  event.buffer = buffer->index;
  fill_event (self, &event, bytes, size, offset);
  if (buffer->index > 0)
    check_time (self, buffer, event.ticks, offset);
  if (self->func != NULL && !self->func (&event, self->data))
    self->stopped = TRUE;
  return WPR_ETL_ALIGN (size);
}

static gboolean
check_buffer (Reading *self, Buffer *buffer)
{
  const guint8 *h = self->bytes + buffer->at;
  guint32 bytes = wpr_etl_get32 (h + WPR_ETL_BUFFER_SIZE);
  guint16 flags = wpr_etl_get16 (h + WPR_ETL_BUFFER_FLAGS);

  if (bytes != self->info->buffer_bytes)
    {
      report (self, buffer->at, _ ("buffer %u says it has %u bytes, not %u"), (guint)buffer->index,
              bytes, self->info->buffer_bytes);
      return FALSE;
    }
  if ((flags & WPR_ETL_FLAG_COMPRESSED) != 0)
    {
      report (self, buffer->at, _ ("buffer %u is compressed"), (guint)buffer->index);
      return FALSE;
    }
  buffer->end = wpr_etl_get32 (h + WPR_ETL_BUFFER_FILLED);
  if (buffer->end < WPR_ETL_BUFFER_HEADER || buffer->end > bytes)
    {
      report (self, buffer->at, _ ("buffer %u says it is filled with %u bytes"),
              (guint)buffer->index, buffer->end);
      return FALSE;
    }
  buffer->cpu = (flags & WPR_ETL_FLAG_PROC_INDEX) != 0 ? wpr_etl_get16 (h + WPR_ETL_BUFFER_CPU)
                                                       : h[WPR_ETL_BUFFER_CPU];
  buffer->sequence = wpr_etl_get64 (h + WPR_ETL_BUFFER_SEQUENCE);
  if (buffer->cpu >= self->info->n_cpus)
    {
      report (self, buffer->at, _ ("buffer %u is of CPU %u, the header knows %u"),
              (guint)buffer->index, buffer->cpu, self->info->n_cpus);
      return FALSE;
    }
  return TRUE;
}

static void
read_buffer (Reading *self, guint64 index)
{
  Buffer buffer = { .at = index * self->info->buffer_bytes, .index = index };
  gsize whole = MIN (self->info->buffer_bytes, self->size - buffer.at);
  guint32 at = WPR_ETL_BUFFER_HEADER;

  if (whole < WPR_ETL_BUFFER_HEADER)
    {
      report (self, buffer.at, _ ("the file ends in the header of buffer %u"), (guint)index);
      return;
    }
  if (!check_buffer (self, &buffer))
    return;
  if (buffer.end > whole)
    {
      report (self, buffer.at + whole, _ ("the file ends in buffer %u"), (guint)index);
      buffer.end = (guint32)whole;
    }
  while (at < buffer.end && !self->stopped)
    {
      guint32 n = read_event (self, &buffer, at);

      if (n == 0)
        break;
      at += n;
    }
  if (buffer.ordered && index > 0)
    self->cpus[buffer.cpu] = (CpuState){ TRUE, buffer.sequence, buffer.ticks };
}

gboolean
wpr_etl_read (const guint8 *bytes, gsize size, WprEtlFileInfo *info, WprEtlEventFunc func,
              WprEtlFaultFunc fault, gpointer data, GError **error)
{
  Reading self
      = { .bytes = bytes, .size = size, .info = info, .func = func, .fault = fault, .data = data };
  guint64 n;

  memset (info, 0, sizeof *info);
  if (!read_logfile_header (&self, error))
    {
      wpr_etl_file_info_clear (info);
      return FALSE;
    }
  self.cpus = g_new0 (CpuState, info->n_cpus);
  n = (size + info->buffer_bytes - 1) / info->buffer_bytes;
  for (guint64 i = 0; i < n && !self.stopped; i++)
    read_buffer (&self, i);
  if (!self.stopped && size % info->buffer_bytes != 0)
    report (&self, size, _ ("the file is cut: its last buffer is not whole"));
  if (!self.stopped && info->n_buffers != n)
    report (&self, WPR_ETL_BUFFER_HEADER + 0x20 + 0x24,
            _ ("the header says %u buffers, the file has %u"), info->n_buffers, (guint)n);
  g_free (self.cpus);
  return TRUE;
}
