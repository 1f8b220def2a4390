/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One clock for all: times of events, and those that kernel events carry in their payloads. */
#include "config.h"
#include "file/merge-private.h"

#include "etl/layout.h"

#define TICKS_A_SECOND 10000000

gint64
wpr_merge_ticks (const WprMergeInput *input, gint64 ticks)
{
  const WprEtlFileInfo *info = wpr_etl_file_info (input->file->etl);
  gint64 since;

  if (info->perf_frequency == TICKS_A_SECOND)
    since = (gint64)((guint64)ticks - (guint64)info->start_ticks);
  else
    {
      gint64 ns = wpr_etl_ticks_to_ns (info, ticks);

      since = ns / 100 - (ns % 100 < 0); /* rounded down, so that the order stays */
    }
  return (gint64)((guint64)input->base + (guint64)since);
}

/* A span of the file's ticks as one of the new file's. */
static guint64
span (const WprMergeInput *input, guint64 ticks)
{
  gint64 frequency = wpr_etl_file_info (input->file->etl)->perf_frequency;

  if (frequency == TICKS_A_SECOND)
    return ticks;
  return (guint64)((unsigned __int128)ticks * TICKS_A_SECOND / (guint64)frequency);
}

/* A u64 in a payload, behind so many bytes and pointers. By hook, ascending. */
static const struct
{
  guint16 hook, least_version;
  guint8 bytes, pointers;
  gboolean is_span;
} rows[] = {
  { 0x010a, 3, 24, 2, TRUE }, /* DiskIo Read, Write, Flush: response time */
  { 0x010b, 3, 24, 2, TRUE }, { 0x010e, 3, 8, 0, TRUE },
  { 0x0220, 2, 0, 0, FALSE }, /* HardFault: its beginning */
  { 0x0f32, 2, 0, 0, FALSE }, /* ISR and DPC: their beginning */
  { 0x0f42, 2, 0, 0, FALSE }, { 0x0f43, 2, 0, 0, FALSE },
  { 0x0f44, 2, 0, 0, FALSE }, { 0x0f45, 2, 0, 0, FALSE },
  { 0x1820, 2, 0, 0, FALSE }, /* StackWalk: of its event */
  { 0x1825, 2, 0, 0, FALSE }, { 0x1826, 2, 0, 0, FALSE },
};

void
wpr_merge_fix_times (const WprMergeInput *input, const WprEtlEvent *event, guint8 *copy)
{
  guint8 *payload = copy + (event->payload - event->record);

  for (guint i = 0; i < G_N_ELEMENTS (rows) && rows[i].hook <= event->hook; i++)
    {
      guint32 at = rows[i].bytes + (guint32)rows[i].pointers * event->pointer_size;
      guint64 value;

      if (rows[i].hook != event->hook || event->version < rows[i].least_version
          || event->payload_size < at + 8)
        continue;
      value = wpr_etl_get64 (payload + at);
      wpr_etl_put64 (payload + at, rows[i].is_span
                                       ? span (input, value)
                                       : (guint64)wpr_merge_ticks (input, (gint64)value));
    }
}
