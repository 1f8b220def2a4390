/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading the three clocks together, and the table of steps between them. */
#include "config.h"
#include "base/clock.h"

#include <time.h>

/* A clock moved against another by more than this: a step, not drift (NTP slews at most 0.5 ms/s).
 */
#define STEP_NS (1000 * 1000)
/* The pair of monotonic reads around the others must lie this close; else the thread was
 * interrupted. */
#define TIGHT_NS (20 * 1000)
#define TRIES 5

struct _WprClockTable
{
  gatomicrefcount refs;
  GArray *readings;      /* WprClockReading */
  gboolean last_is_step; /* else the last row may be replaced by the next reading */
};

static gint64
now_ns (clockid_t clock)
{
  struct timespec ts;
  clock_gettime (clock, &ts);
  return (gint64)ts.tv_sec * G_GINT64_CONSTANT (1000000000) + ts.tv_nsec;
}

void
wpr_clock_read (WprClockReading *reading)
{
  gint64 best = G_MAXINT64;
  for (int i = 0; i < TRIES && best > TIGHT_NS; i++)
    {
      gint64 before = now_ns (CLOCK_MONOTONIC);
      gint64 boot = now_ns (CLOCK_BOOTTIME);
      gint64 real = now_ns (CLOCK_REALTIME);
      gint64 width = now_ns (CLOCK_MONOTONIC) - before;
      if (width >= best)
        continue;
      best = width;
      reading->monotonic_ns = before + width / 2;
      reading->boottime_ns = boot;
      reading->realtime_ns = real;
    }
}

WprClockTable *
wpr_clock_table_new (void)
{
  WprClockTable *table = g_new0 (WprClockTable, 1);
  g_atomic_ref_count_init (&table->refs);
  table->readings = g_array_new (FALSE, FALSE, sizeof (WprClockReading));
  return table;
}

WprClockTable *
wpr_clock_table_ref (WprClockTable *table)
{
  g_atomic_ref_count_inc (&table->refs);
  return table;
}

void
wpr_clock_table_unref (WprClockTable *table)
{
  if (table == NULL || !g_atomic_ref_count_dec (&table->refs))
    return;
  g_array_unref (table->readings);
  g_free (table);
}

static gboolean
moved (gint64 a_from, gint64 a_to, gint64 b_from, gint64 b_to)
{
  return ABS ((a_to - a_from) - (b_to - b_from)) > STEP_NS;
}

gboolean
wpr_clock_table_add (WprClockTable *table, const WprClockReading *reading)
{
  guint n = table->readings->len;
  if (n == 0)
    {
      g_array_append_val (table->readings, *reading);
      table->last_is_step = TRUE;
      return FALSE;
    }
  const WprClockReading *last = wpr_clock_table_get (table, n - 1);
  gboolean step
      = moved (last->monotonic_ns, reading->monotonic_ns, last->boottime_ns, reading->boottime_ns)
        || moved (last->monotonic_ns, reading->monotonic_ns, last->realtime_ns,
                  reading->realtime_ns);
  /* The row before a step is kept as well: it says how long the old offset held. */
  if (!step && !table->last_is_step)
    g_array_set_size (table->readings, n - 1);
  g_array_append_val (table->readings, *reading);
  table->last_is_step = step;
  return step;
}

guint
wpr_clock_table_length (const WprClockTable *table)
{
  return table->readings->len;
}

const WprClockReading *
wpr_clock_table_get (const WprClockTable *table, guint index)
{
  g_return_val_if_fail (index < table->readings->len, NULL);
  return &g_array_index (table->readings, WprClockReading, index);
}

/* The newest reading at or before a time; the first if all are later; NULL if there is none. */
static const WprClockReading *
reading_at (const WprClockTable *table, WprTime monotonic_ns)
{
  const WprClockReading *rows = (const WprClockReading *)(gconstpointer)table->readings->data;
  guint low = 0, high = table->readings->len;
  if (high == 0)
    return NULL;
  while (high - low > 1)
    {
      guint middle = (low + high) / 2;
      if (rows[middle].monotonic_ns <= monotonic_ns)
        low = middle;
      else
        high = middle;
    }
  return &rows[low];
}

gint64
wpr_clock_table_boottime (const WprClockTable *table, WprTime monotonic_ns)
{
  const WprClockReading *row = reading_at (table, monotonic_ns);
  return row ? monotonic_ns + (row->boottime_ns - row->monotonic_ns) : monotonic_ns;
}

gint64
wpr_clock_table_realtime (const WprClockTable *table, WprTime monotonic_ns)
{
  const WprClockReading *row = reading_at (table, monotonic_ns);
  return row ? monotonic_ns + (row->realtime_ns - row->monotonic_ns) : monotonic_ns;
}
