/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Framing of notes and walking them; which notes outlive their epoch; where raw records end. */
#include "config.h"
#include "store/payload.h"
#include "store/store-private.h"

#include <linux/perf_event.h>
#include <string.h>

/* CRC-32 (IEEE 802.3, reflected), by nibble: notes are few and short. */
static guint32
crc32 (guint32 crc, const guint8 *bytes, gsize size)
{
  static const guint32 table[16]
      = { 0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
          0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
          0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c };
  crc = ~crc;
  for (gsize i = 0; i < size; i++)
    {
      crc = table[(crc ^ bytes[i]) & 15] ^ (crc >> 4);
      crc = table[(crc ^ (bytes[i] >> 4)) & 15] ^ (crc >> 4);
    }
  return ~crc;
}

static guint32
frame_crc (WprNoteFrame frame, const guint8 *payload, gsize size)
{
  frame.crc = 0;
  return crc32 (crc32 (0, (const guint8 *)&frame, sizeof frame), payload, size);
}

void
wpr_note_append (GByteArray *to, guint kind, guint cpu, WprTime time, guint32 pid, guint32 tid,
                 gconstpointer payload, gsize size)
{
  WprNoteFrame frame = { .size = (guint32)(sizeof frame + size),
                         .kind = (guint16)kind,
                         .cpu = (guint16)cpu,
                         .time = time,
                         .pid = pid,
                         .tid = tid };
  frame.crc = frame_crc (frame, payload, size);
  g_byte_array_append (to, (const guint8 *)&frame, sizeof frame);
  if (size > 0)
    g_byte_array_append (to, payload, (guint)size);
}

void
wpr_store_walk_notes (const guint8 *bytes, gsize size, WprStoreNoteFunc func, gpointer data)
{
  while (size >= sizeof (WprNoteFrame))
    {
      WprNoteFrame frame;
      memcpy (&frame, bytes, sizeof frame);
      if (frame.size < sizeof frame || frame.size > size || frame.size > WPR_NOTE_MOST)
        return;
      WprStoreNote note = { .kind = (WprNoteKind)frame.kind,
                            .cpu = frame.cpu,
                            .time = frame.time,
                            .pid = frame.pid,
                            .tid = frame.tid,
                            .payload = bytes + sizeof frame,
                            .size = frame.size - sizeof frame };
      if (frame_crc (frame, note.payload, note.size) != frame.crc || !func (&note, data))
        return;
      bytes += frame.size;
      size -= frame.size;
    }
}

/* ---- what is kept of a deleted epoch ---- */

typedef struct
{
  GByteArray *to;
  WprStoreNote clock; /* the last reading, not yet kept */
  gboolean has_clock;
  WprClockTable *clocks;
} Keep;

static void
keep (Keep *k, const WprStoreNote *note)
{
  wpr_note_append (k->to, note->kind, note->cpu, note->time, note->pid, note->tid, note->payload,
                   note->size);
}

static gboolean
append_reading (WprClockTable *table, const WprStoreNote *note)
{
  WprClockReading reading;
  guint n = wpr_clock_table_length (table);
  memcpy (&reading, note->payload, sizeof reading);
  if (n > 0 && reading.monotonic_ns < wpr_clock_table_get (table, n - 1)->monotonic_ns)
    return FALSE;
  return wpr_clock_table_add (table, &reading);
}

/* Of a reading a second, only the first, the last and those on both sides of a step tell anything:
 * a circular recording may go on for months. */
static void
keep_clock (Keep *k, const WprStoreNote *note)
{
  if (note->size < sizeof (WprClockReading))
    return;
  gboolean first = wpr_clock_table_length (k->clocks) == 0;
  gboolean step = append_reading (k->clocks, note);
  if (step && k->has_clock)
    keep (k, &k->clock);
  k->has_clock = !first && !step;
  k->clock = *note;
  if (first || step)
    keep (k, note);
}

/* Samples go with the events of their time; command lines and users are in the world by now. */
static gboolean
keep_note (const WprStoreNote *note, gpointer data)
{
  if (note->kind == WPR_NOTE_CLOCK)
    keep_clock (data, note);
  else if (note->kind != WPR_NOTE_SAMPLER && note->kind != WPR_NOTE_CMDLINE
           && note->kind != WPR_NOTE_UID && note->kind != WPR_NOTE_FILES
           && (guint)note->kind != WPR_NOTE_DROPPED)
    keep (data, note);
  return TRUE;
}

void
wpr_notes_keep (GByteArray *to, const guint8 *notes, gsize size)
{
  Keep k = { .to = to, .clocks = wpr_clock_table_new () };
  wpr_store_walk_notes (notes, size, keep_note, &k);
  if (k.has_clock)
    keep (&k, &k.clock);
  wpr_clock_table_unref (k.clocks);
}

/* ---- raw records ---- */

gsize
wpr_records_whole (const guint8 *bytes, gsize size)
{
  gsize at = 0;
  while (size - at >= sizeof (struct perf_event_header))
    {
      struct perf_event_header header;
      memcpy (&header, bytes + at, sizeof header);
      if (header.size < sizeof header || header.size % 8 != 0 || header.size > size - at)
        break;
      at += header.size;
    }
  return at;
}
