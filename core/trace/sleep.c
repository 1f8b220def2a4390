/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When the computer slept, to the millisecond: the recorder sees only that it did, up to a second
 * later, and everything between would have the wrong trace time. The kernel's own events on its way
 * to sleep and back lie evenly around the moment itself. */
#include "config.h"
#include "trace/trace-private.h"

#include <stdlib.h>
#include <string.h>

#define SLEEP_EVENT "power:suspend_resume"
/* Fewer do not say where the middle is: a suspend has forty. */
#define LEAST_EVENTS 6

typedef struct
{
  WprTrace *trace;
  guint32 row;
  WprTime after, until; /* the reading before the sleep, and the one after it */
  GArray *times;        /* WprTime: of the kernel's events between them */
} Search;

static void
search_file (Search *search, const guint8 *bytes, gsize size)
{
  for (gsize at = 0; at + sizeof (struct perf_event_header) <= size;)
    {
      const struct perf_event_header *header = (gconstpointer)(bytes + at);
      WprRecord record;
      if (header->size < sizeof *header || header->size > size - at)
        break;
      WprTime time;
      if (header->type == PERF_RECORD_SAMPLE
          && wpr_trace_peek_time (search->trace->ids, header, &time) == WPR_PEEK_TIME
          && time > search->after && time <= search->until
          && wpr_record_parse (header, search->trace->ids, &record) && record.row == search->row)
        g_array_append_val (search->times, time);
      at += header->size;
    }
}

static void
search_all (Search *search, guint32 collector)
{
  WprTrace *trace = search->trace;
  guint n = wpr_store_reader_n_epochs (trace->reader);
  for (guint epoch = 0; epoch < n; epoch++)
    for (guint cpu = 0; cpu <= trace->context.manifest->max_possible_cpu; cpu++)
      {
        gsize size = 0;
        const guint8 *bytes
            = wpr_store_reader_data (trace->reader, epoch, collector, cpu, &size, NULL);
        if (bytes != NULL)
          search_file (search, bytes, size);
        wpr_store_reader_release (trace->reader, epoch, collector, cpu);
      }
}

static int
compare_times (gconstpointer a, gconstpointer b)
{
  WprTime x = *(const WprTime *)a, y = *(const WprTime *)b;
  return (x > y) - (x < y);
}

static const WprStoreEvent *
sleep_event (const WprManifest *manifest)
{
  for (guint i = 0; i < manifest->events->len; i++)
    {
      const WprStoreEvent *event = &g_array_index (manifest->events, WprStoreEvent, i);
      if (strcmp (event->name, SLEEP_EVENT) == 0 && event->collector < manifest->collectors->len)
        return event;
    }
  return NULL;
}

/* Half of what the kernel does for a sleep it does before it, half after; programs are stopped all
 * that time, so that none of theirs is put on the wrong side. */
void
wpr_trace_place_sleeps (WprTrace *trace)
{
  const WprStoreEvent *event = sleep_event (trace->context.manifest);
  g_autoptr (GArray) times = g_array_new (FALSE, FALSE, sizeof (WprTime));
  for (guint i = 1; event != NULL && i < trace->offsets->len; i++)
    {
      WprClockOffset *offset = &g_array_index (trace->offsets, WprClockOffset, i);
      Search search = { trace, event->row, offset->after, offset->from, times };
      g_array_set_size (times, 0);
      search_all (&search, event->collector);
      if (times->len < LEAST_EVENTS)
        continue;
      qsort (times->data, times->len, sizeof (WprTime), compare_times);
      offset->from = g_array_index (times, WprTime, times->len / 2);
    }
}
