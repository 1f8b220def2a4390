/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Three clocks read together, and the table of steps between them. Kernel events are stamped with
 * CLOCK_MONOTONIC ns (stands still in suspend); trace time is CLOCK_BOOTTIME; the wall clock may
 * jump, which is an event, never a jump in the trace. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef gint64 WprTime; /* ns; which clock is said where it is used. Raw records: CLOCK_MONOTONIC */

typedef struct
{
  gint64 monotonic_ns;
  gint64 boottime_ns;
  gint64 realtime_ns; /* since 1970 */
} WprClockReading;

/* All three, read back to back; retried up to 5 times until the pair of monotonic reads around them
 * lies within 20 us. */
void wpr_clock_read (WprClockReading *reading);

/* A growing table: a reading at start, stop, every second, and whenever one clock moved against
 * another by over 1 ms. */
typedef struct _WprClockTable WprClockTable;
WprClockTable *wpr_clock_table_new (void);
WprClockTable *wpr_clock_table_ref (WprClockTable *table);
void wpr_clock_table_unref (WprClockTable *table);
/* Adds a reading (monotonic_ns not below the last one's). Returns TRUE if it stands for a step: the
 * difference of two clocks changed by more than 1 ms against the last reading. Readings without a
 * step replace the last one if that was none either (but the first stays). */
gboolean wpr_clock_table_add (WprClockTable *table, const WprClockReading *reading);
guint wpr_clock_table_length (const WprClockTable *table);
const WprClockReading *wpr_clock_table_get (const WprClockTable *table, guint index);
/* Boot time of a monotonic time: the offset of the newest reading at or before it (the first, if
 * earlier). */
gint64 wpr_clock_table_boottime (const WprClockTable *table, WprTime monotonic_ns);
/* Wall-clock time (ns since 1970) of a monotonic time, by the same rule. */
gint64 wpr_clock_table_realtime (const WprClockTable *table, WprTime monotonic_ns);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprClockTable, wpr_clock_table_unref)

G_END_DECLS
