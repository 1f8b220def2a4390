/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The header buffer and the header of every buffer. Does not live here: events of the recording
 * (writer.c). */
#include "config.h"
#include "etl/logfile.h"
#include "etl/layout.h"

/* Names are cut to this many UTF-16 units: the header buffer has room for far more, readers' own
 * buffers may not. */
#define MOST_NAME 512
/* What the layouts of the kernel events are those of: Windows 10, build 19045; the version of the
 * kernel's events is the one genuine files of 18362 to 19045 carry. */
#define OS_BUILD 19045
#define KERNEL_EVENT_VERSION 70
#define TIMER_RESOLUTION 156250 /* 100 ns: 15.625 ms, what every genuine file says */

void
wpr_etl_buffer_head (guint8 *at, const WprEtlBufferHead *head)
{
  memset (at, 0, WPR_ETL_BUFFER_HEADER);
  wpr_etl_put32 (at + WPR_ETL_BUFFER_SIZE, head->bytes);
  wpr_etl_put32 (at + WPR_ETL_BUFFER_SAVED, head->used);
  wpr_etl_put32 (at + WPR_ETL_BUFFER_CURRENT, head->used);
  wpr_etl_put64 (at + WPR_ETL_BUFFER_TIME, (guint64)head->ticks);
  wpr_etl_put64 (at + WPR_ETL_BUFFER_SEQUENCE, head->sequence);
  wpr_etl_put16 (at + WPR_ETL_BUFFER_CPU, (guint16)head->cpu);
  wpr_etl_put16 (at + WPR_ETL_BUFFER_LOGGER, 1);
  wpr_etl_put32 (at + WPR_ETL_BUFFER_STATE, WPR_ETL_STATE_FLUSH);
  wpr_etl_put32 (at + WPR_ETL_BUFFER_FILLED, head->used);
  wpr_etl_put16 (at + WPR_ETL_BUFFER_FLAGS, head->flags);
  wpr_etl_put16 (at + WPR_ETL_BUFFER_TYPE, head->type);
}

/* A SYSTEM header of process 0; returns where the payload goes. */
static guint8 *
system_head (guint8 *at, guint16 hook, guint32 payload, gint64 ticks)
{
  memset (at, 0, 0x20);
  wpr_etl_put16 (at, 2);
  at[2] = WPR_ETL_HEAD_SYSTEM;
  at[3] = 0xc0;
  wpr_etl_put16 (at + 4, (guint16)(0x20 + payload));
  wpr_etl_put16 (at + 6, hook);
  wpr_etl_put64 (at + 0x10, (guint64)ticks);
  return at + 0x20;
}

/* UTF-16LE with its NUL; returns the bytes written. */
static guint32
put_name (guint8 *at, const char *text)
{
  glong n = 0;
  g_autofree char *valid = g_utf8_make_valid (text != NULL ? text : "", -1);
  g_autofree gunichar2 *wide = g_utf8_to_utf16 (valid, -1, NULL, &n, NULL);

  n = MIN (n, MOST_NAME);
  for (glong i = 0; i < n; i++)
    wpr_etl_put16 (at + 2 * i, wide[i]);
  wpr_etl_put16 (at + 2 * n, 0);
  return (guint32)(2 * n + 2);
}

static void
put_logfile_header (guint8 *h, const WprEtlHeaderInfo *info, const WprEtlTail *tail)
{
  memset (h, 0, WPR_ETL_LOGFILE_HEADER);
  wpr_etl_put32 (h + 0x00, WPR_ETL_BUFFER_BYTES);
  h[0x04] = 10; /* major, minor, sub version, its minor: as Windows 10 writes them */
  h[0x06] = 1;
  h[0x07] = 5;
  wpr_etl_put32 (h + 0x08, OS_BUILD);
  wpr_etl_put32 (h + 0x0c, info->n_cpus);
  wpr_etl_put64 (h + 0x10, (guint64)tail->end_filetime);
  wpr_etl_put32 (h + 0x18, TIMER_RESOLUTION);
  wpr_etl_put32 (h + 0x20, 1 /* sequential */ | (info->compress ? WPR_ETL_MODE_COMPRESSED : 0));
  wpr_etl_put32 (h + 0x24, tail->n_buffers);
  wpr_etl_put32 (h + 0x28, 1); /* start buffers */
  wpr_etl_put32 (h + 0x2c, 8); /* pointer size */
  wpr_etl_put32 (h + 0x30, tail->events_lost);
  wpr_etl_put32 (h + 0x34, info->cpu_mhz);
  wpr_etl_put32 (h + 0x48, (guint32)info->bias_minutes);
  wpr_etl_put64 (h + 0xf8, (guint64)info->boot_filetime);
  wpr_etl_put64 (h + 0x100, 10000000); /* ticks a second */
  wpr_etl_put64 (h + 0x108, (guint64)info->start_filetime);
  wpr_etl_put32 (h + 0x110, 1); /* the clock is a performance counter */
  wpr_etl_put32 (h + 0x114, tail->buffers_lost);
}

gsize
wpr_etl_logfile_fill (guint8 *buffer, const WprEtlHeaderInfo *info, const WprEtlTail *tail)
{
  guint8 names[4 * MOST_NAME + 8];
  guint32 names_size, at = WPR_ETL_BUFFER_HEADER, bytes;
  guint8 *payload;

  names_size = put_name (names, info->logger_name);
  names_size += put_name (names + names_size, info->file_name);

  memset (buffer, 0, WPR_ETL_BUFFER_BYTES);
  payload
      = system_head (buffer + at, 0x0000, WPR_ETL_LOGFILE_HEADER + names_size, info->start_ticks);
  put_logfile_header (payload, info, tail);
  memcpy (payload + WPR_ETL_LOGFILE_HEADER, names, names_size);
  at = WPR_ETL_ALIGN (at + 0x20 + WPR_ETL_LOGFILE_HEADER + names_size);

  payload = system_head (buffer + at, 0x0005, 36, info->start_ticks);
  for (guint i = 0; i < 8; i++)
    wpr_etl_put32 (payload + 4 * i, info->group_masks[i]);
  wpr_etl_put32 (payload + 32, KERNEL_EVENT_VERSION);
  at = WPR_ETL_ALIGN (at + 0x20 + 36);

  system_head (buffer + at, 0x0050, 48, info->start_ticks);
  at = WPR_ETL_ALIGN (at + 0x20 + 48);

  bytes = info->compress ? (at + 1023) / 1024 * 1024 : WPR_ETL_BUFFER_BYTES;
  memset (buffer + at, 0xff, bytes - at);
  /* The state of a compressed file's header buffer says which compression: 3 XPRESS, which is also
   * what an ordinary one's says: flushed. */
  wpr_etl_buffer_head (buffer,
                       &(WprEtlBufferHead){ .bytes = bytes,
                                            .used = at,
                                            .flags = WPR_ETL_FLAG_PROC_INDEX | WPR_ETL_FLAG_FLUSH,
                                            .type = WPR_ETL_TYPE_HEADER });
  return bytes;
}
