/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A file read in its own order and verified: every buffer, every event header, that time goes on.
 * Whatever a length says is checked before it is followed, every loop moves on, and what is
 * allocated is one entry a CPU and one unpacked buffer. */
#include "config.h"
#include "etl/container-private.h"

#include <string.h>
#include <glib/gi18n-lib.h>
#include "etl/layout.h"

#define OFFSET_N_BUFFERS (WPR_ETL_BUFFER_HEADER + 0x20 + 0x24)

typedef struct
{
  gboolean seen;
  guint64 sequence;
  gint64 ticks;
} CpuState;

typedef struct
{
  const WprEtlFile *file;
  WprEtlEventFunc func;
  gpointer data;
  WprEtlFaults faults;
  CpuState *cpus; /* of as many as the header knows */
  guint8 *scratch;
  gsize scratch_size;
  WprEtlEvent event;
  gboolean stopped;
} Reading;

/* Time must not go back within a buffer, nor from one buffer of a CPU to its next. */
static void
check_time (Reading *self, const WprEtlBuffer *buffer, gboolean first, gint64 before)
{
  const CpuState *cpu = &self->cpus[buffer->cpu];
  gint64 ticks = self->event.ticks;

  if (first ? cpu->seen && buffer->sequence > cpu->sequence && ticks < cpu->ticks : ticks < before)
    wpr_etl_fault (&self->faults, self->event.offset,
                   first ? _ ("time goes back by %llu ticks from the CPU's last buffer")
                         : _ ("time goes back by %llu ticks within the buffer"),
                   (unsigned long long)(first ? cpu->ticks : before) - (unsigned long long)ticks);
}

/* The header buffer's times are those of its making; a CPU that is not known has said so. */
static gboolean
is_ordered (const Reading *self, const WprEtlBuffer *buffer)
{
  return buffer->index > 0 && buffer->cpu < self->file->info.n_cpus;
}

static void
read_buffer (Reading *self, const WprEtlBuffer *buffer)
{
  gboolean compressed = (buffer->flags & WPR_ETL_FLAG_COMPRESSED) != 0, first = TRUE;
  guint32 at = WPR_ETL_BUFFER_HEADER, end;
  const guint8 *bytes = wpr_etl_buffer_bytes (self->file, buffer, &self->scratch,
                                              &self->scratch_size, &end, &self->faults);
  WprEtlEvent *event = &self->event;

  while (bytes != NULL && at < end && !self->stopped)
    {
      guint64 offset = compressed ? buffer->at : buffer->at + at;
      gint64 before = event->ticks;
      guint32 n = wpr_etl_record_parse (bytes + at, end - at, (guint8)self->file->info.pointer_size,
                                        offset, event, &self->faults);

      if (n == 0)
        break;
      event->cpu = buffer->cpu;
      event->buffer = buffer->at;
      event->offset = offset;
      if (is_ordered (self, buffer))
        check_time (self, buffer, first, before);
      first = FALSE;
      if (self->func != NULL && !self->func (event, self->data))
        self->stopped = TRUE;
      at += n;
    }
  if (!first && is_ordered (self, buffer))
    self->cpus[buffer->cpu] = (CpuState){ TRUE, buffer->sequence, event->ticks };
}

void
wpr_etl_file_visit (const WprEtlFile *file, WprEtlEventFunc func, WprEtlFaultFunc fault,
                    gpointer data)
{
  Reading self = { .file = file, .func = func, .data = data, .faults = { fault, data } };
  const WprEtlFileInfo *info = &file->info;
  WprEtlBuffer buffer;
  gboolean more;

  self.cpus = g_new0 (CpuState, info->n_cpus);
  for (more = wpr_etl_buffer_first (file, &buffer, &self.faults); more && !self.stopped;
       more = wpr_etl_buffer_next (file, &buffer, &self.faults))
    {
      read_buffer (&self, &buffer);
      wpr_etl_file_release (file, buffer.at, buffer.at + buffer.bytes);
    }
  if (!self.stopped && buffer.at > file->size)
    wpr_etl_fault (&self.faults, file->size, _ ("the file is cut: its last buffer is not whole"));
  if (!self.stopped && info->n_buffers != buffer.index)
    wpr_etl_fault (&self.faults, OFFSET_N_BUFFERS,
                   _ ("the header says %u buffers, the file has %u"), info->n_buffers,
                   (guint)buffer.index);
  g_free (self.cpus);
  g_free (self.scratch);
}

gboolean
wpr_etl_read (const guint8 *bytes, gsize size, WprEtlFileInfo *info, WprEtlEventFunc func,
              WprEtlFaultFunc fault, gpointer data, GError **error)
{
  WprEtlFile file = { .bytes = bytes, .size = size };

  if (!wpr_etl_logfile_read (bytes, size, &file.info, error))
    {
      memset (info, 0, sizeof *info);
      return FALSE;
    }
  wpr_etl_file_visit (&file, func, fault, data);
  *info = file.info;
  return TRUE;
}
