/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The buffers of a file, one after the other, and their bytes. Does not live here: records. */
#include "config.h"
#include "etl/container-private.h"

#include <string.h>
#include <glib/gi18n-lib.h>
#include "etl/layout.h"
#include "etl/xpress.h"

/* Bytes of this buffer that the file has. */
static guint32
present (const WprEtlFile *file, const WprEtlBuffer *buffer)
{
  return (guint32)MIN ((guint64)buffer->bytes, file->size - buffer->at);
}

/* Reads the header at buffer->at, of which all bytes are there. */
static void
read_header (const WprEtlFile *file, WprEtlBuffer *buffer)
{
  const guint8 *h = file->bytes + buffer->at;

  buffer->bytes = wpr_etl_get32 (h + WPR_ETL_BUFFER_SIZE);
  buffer->end = wpr_etl_get32 (h + WPR_ETL_BUFFER_FILLED);
  buffer->flags = wpr_etl_get16 (h + WPR_ETL_BUFFER_FLAGS);
  buffer->type = wpr_etl_get16 (h + WPR_ETL_BUFFER_TYPE);
  buffer->cpu = (buffer->flags & WPR_ETL_FLAG_PROC_INDEX) != 0
                    ? wpr_etl_get16 (h + WPR_ETL_BUFFER_CPU)
                    : h[WPR_ETL_BUFFER_CPU];
  buffer->sequence = wpr_etl_get64 (h + WPR_ETL_BUFFER_SEQUENCE);
}

/* Buffers of an uncompressed file are of one size, whatever they say; those of a compressed one
 * follow each other. */
static gboolean
check_size (const WprEtlFile *file, WprEtlBuffer *buffer, const WprEtlFaults *faults)
{
  const WprEtlFileInfo *info = &file->info;

  if ((info->mode & WPR_ETL_MODE_COMPRESSED) != 0)
    {
      if (buffer->bytes >= WPR_ETL_BUFFER_HEADER && buffer->bytes <= WPR_ETL_MOST_BUFFER)
        return TRUE;
      wpr_etl_fault (faults, buffer->at, _ ("buffer %u says it has %u bytes, not %u"),
                     (guint)buffer->index, buffer->bytes, info->buffer_bytes);
      /* Where the next one begins is not known. */
      buffer->bytes = (guint32)MIN (file->size - buffer->at, (guint64)G_MAXUINT32);
      return FALSE;
    }
  if (buffer->bytes == info->buffer_bytes)
    return TRUE;
  wpr_etl_fault (faults, buffer->at, _ ("buffer %u says it has %u bytes, not %u"),
                 (guint)buffer->index, buffer->bytes, info->buffer_bytes);
  buffer->bytes = info->buffer_bytes;
  return FALSE;
}

static gboolean
open_buffer (const WprEtlFile *file, WprEtlBuffer *buffer, const WprEtlFaults *faults)
{
  const WprEtlFileInfo *info = &file->info;
  guint32 most;

  if (buffer->at >= file->size)
    return FALSE;
  if (file->size - buffer->at < WPR_ETL_BUFFER_HEADER)
    {
      wpr_etl_fault (faults, buffer->at, _ ("the file ends in the header of buffer %u"),
                     (guint)buffer->index);
      buffer->bytes = (guint32)(file->size - buffer->at);
      buffer->end = 0;
      return TRUE;
    }
  read_header (file, buffer);
  if (!check_size (file, buffer, faults))
    {
      buffer->end = 0;
      return TRUE;
    }
  most = (buffer->flags & WPR_ETL_FLAG_COMPRESSED) != 0 ? MAX (buffer->bytes, info->buffer_bytes)
                                                        : buffer->bytes;
  if (buffer->end < WPR_ETL_BUFFER_HEADER || buffer->end > most)
    {
      wpr_etl_fault (faults, buffer->at, _ ("buffer %u says it is filled with %u bytes"),
                     (guint)buffer->index, buffer->end);
      buffer->end = 0;
    }
  else if (buffer->cpu >= info->n_cpus)
    wpr_etl_fault (faults, buffer->at, _ ("buffer %u is of CPU %u, the header knows %u"),
                   (guint)buffer->index, buffer->cpu, info->n_cpus);
  if (present (file, buffer) < buffer->bytes)
    wpr_etl_fault (faults, file->size, _ ("the file ends in buffer %u"), (guint)buffer->index);
  return TRUE;
}

gboolean
wpr_etl_buffer_first (const WprEtlFile *file, WprEtlBuffer *buffer, const WprEtlFaults *faults)
{
  memset (buffer, 0, sizeof *buffer);
  return open_buffer (file, buffer, faults);
}

gboolean
wpr_etl_buffer_next (const WprEtlFile *file, WprEtlBuffer *buffer, const WprEtlFaults *faults)
{
  buffer->at += buffer->bytes;
  buffer->index++;
  return open_buffer (file, buffer, faults);
}

void
wpr_etl_buffer_peek (const WprEtlFile *file, guint64 at, WprEtlBuffer *buffer)
{
  memset (buffer, 0, sizeof *buffer);
  buffer->at = at;
  open_buffer (file, buffer, NULL);
}

/* By what the header buffer of the file says. */
static const WprEtlUnpack unpackers[] = {
  [2] = wpr_etl_lznt1_unpack,
  [3] = wpr_etl_xpress_unpack,
  [4] = wpr_etl_xpress_huffman_unpack,
};

const guint8 *
wpr_etl_buffer_bytes (const WprEtlFile *file, const WprEtlBuffer *buffer, guint8 **scratch,
                      gsize *scratch_size, guint32 *end, const WprEtlFaults *faults)
{
  guint32 there = present (file, buffer);
  guint format = file->info.compression;
  gssize n;

  *end = MIN (buffer->end, there);
  if (buffer->end == 0)
    return NULL;
  if ((buffer->flags & WPR_ETL_FLAG_COMPRESSED) == 0)
    return file->bytes + buffer->at;
  if (format >= G_N_ELEMENTS (unpackers) || unpackers[format] == NULL)
    {
      wpr_etl_fault (faults, buffer->at, _ ("buffer %u is compressed in a way that is not known"),
                     (guint)buffer->index);
      return NULL;
    }
  if (*scratch_size < buffer->end)
    {
      g_free (*scratch);
      *scratch = g_malloc (buffer->end);
      *scratch_size = buffer->end;
    }
  memcpy (*scratch, file->bytes + buffer->at, WPR_ETL_BUFFER_HEADER);
  n = unpackers[format](file->bytes + buffer->at + WPR_ETL_BUFFER_HEADER,
                        there - WPR_ETL_BUFFER_HEADER, *scratch + WPR_ETL_BUFFER_HEADER,
                        buffer->end - WPR_ETL_BUFFER_HEADER);
  *end = WPR_ETL_BUFFER_HEADER + (guint32)MAX (n, 0);
  if (*end != buffer->end)
    wpr_etl_fault (faults, buffer->at, _ ("buffer %u cannot be unpacked"), (guint)buffer->index);
  return *scratch;
}
