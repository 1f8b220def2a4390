/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What all records share. The table of kinds, a row a kind, lies by concept beside the functions:
 * convert-sched.c, -block.c, -fault.c, -irq.c, -memory.c, -net.c, -syscall.c. */
#include "config.h"
#include "trace/convert-private.h"

#include <string.h>

#include "perf/event.h"

/* Rows are numbered by the recorder from 0; a manifest that says more is damaged. */
#define MOST_ROWS 65536

static WprConverted
convert_plain (WprConvert *convert, const WprConvertRow *row, const WprRecord *record,
               WprEvent *event)
{
  return WPR_CONVERT_EVENT;
}

/* What has no row in any of them, or lacks a field, is a plain event: also a counter that is not
 * time (its samples are no SampledProfile). */
static const WprConvertKind *const tables[] = {
  wpr_convert_sched_kinds, wpr_convert_block_kinds,   wpr_convert_memory_kinds,
  wpr_convert_fault_kinds, wpr_convert_syscall_kinds, wpr_convert_irq_kinds,
  wpr_convert_net_kinds,
};

/* FALSE if the format lacks a field the kind needs; one with "?" before its name it can do without.
 */
static gboolean
resolve (WprConvertRow *row, const char *const *names)
{
  for (guint i = 0; i < WPR_CONVERT_FIELDS && names[i] != NULL; i++)
    {
      gboolean optional = names[i][0] == '?';
      row->fields[i]
          = row->format != NULL ? wpr_format_field (row->format, names[i] + optional) : NULL;
      if (row->fields[i] == NULL && !optional)
        return FALSE;
    }
  return TRUE;
}

static const WprConvertKind *
find_kind (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (tables); i++)
    for (const WprConvertKind *kind = tables[i]; kind->name != NULL; kind++)
      if (g_strcmp0 (name, kind->name) == 0)
        return kind;
  return NULL;
}

static void
choose_func (WprConvertRow *row, const WprStoreEvent *event)
{
  const WprConvertKind *kind = find_kind (event->name);
  row->func = convert_plain;
  if (kind == NULL || !resolve (row, kind->fields))
    return;
  row->func = kind->func;
  row->kind = kind;
  if (row->func == wpr_convert_switch)
    wpr_convert_learn_states (row, event->format);
}

static void
add_row (WprConvert *convert, const WprManifest *manifest, const WprStoreEvent *event)
{
  WprConvertRow *row = &convert->rows[event->row];
  if (row->known || event->kind == WPR_PERF_SIDEBAND)
    return;
  if (event->kind == WPR_PERF_SWITCHES)
    {
      convert->switches_row = event->row;
      convert->has_switches = TRUE;
    }
  row->known = TRUE;
  if (event->format != NULL && event->name != NULL)
    {
      const char *colon = strchr (event->name, ':');
      g_autofree char *system
          = g_strndup (event->name, colon != NULL ? (gsize)(colon - event->name) : 0);
      row->format = wpr_format_new (system, event->format, strlen (event->format), NULL);
    }
  if (!wpr_convert_file_row (convert, row, manifest, event))
    choose_func (row, event);
  convert->has_switches |= row->func == wpr_convert_switch;
}

/* sched_wakeup stands in where sched_waking was not recorded: later by the way to the other CPU. */
static void
stand_in_for_waking (WprConvert *convert, const WprManifest *manifest)
{
  static const char *const fields[WPR_CONVERT_FIELDS]
      = { "pid", "prio", "target_cpu", "common_flags" };
  const WprStoreEvent *wakeup = NULL;
  for (guint i = 0; i < manifest->events->len; i++)
    {
      const WprStoreEvent *event = &g_array_index (manifest->events, WprStoreEvent, i);
      if (g_strcmp0 (event->name, "sched:sched_waking") == 0)
        return;
      if (g_strcmp0 (event->name, "sched:sched_wakeup") == 0 && event->row < convert->n_rows)
        wakeup = event;
    }
  if (wakeup != NULL && resolve (&convert->rows[wakeup->row], fields))
    convert->rows[wakeup->row].func = wpr_convert_waking;
}

WprConvert *
wpr_convert_new (const WprManifest *manifest)
{
  WprConvert *convert = g_new0 (WprConvert, 1);
  convert->switches_row = G_MAXUINT32;
  convert->requests = wpr_requests_new ();
  convert->open = wpr_convert_open_new (manifest->max_possible_cpu + 1);
  convert->memory = wpr_convert_memory_new (manifest->page_size);
  convert->faults = wpr_convert_faults_new (manifest);
  convert->net = wpr_convert_net_new ();
  for (guint i = 0; i < manifest->events->len; i++)
    {
      guint32 row = g_array_index (manifest->events, WprStoreEvent, i).row;
      if (row < MOST_ROWS)
        convert->n_rows = MAX (convert->n_rows, row + 1);
    }
  convert->rows = g_new0 (WprConvertRow, convert->n_rows);
  for (guint i = 0; i < manifest->events->len; i++)
    {
      const WprStoreEvent *event = &g_array_index (manifest->events, WprStoreEvent, i);
      if (event->row < convert->n_rows)
        add_row (convert, manifest, event);
    }
  stand_in_for_waking (convert, manifest);
  return convert;
}

void
wpr_convert_free (WprConvert *convert)
{
  if (convert == NULL)
    return;
  for (guint i = 0; i < convert->n_rows; i++)
    g_clear_pointer (&convert->rows[i].format, wpr_format_free);
  wpr_requests_free (convert->requests);
  wpr_convert_open_free (convert->open);
  wpr_convert_memory_free (convert->memory);
  wpr_convert_faults_free (convert->faults);
  wpr_file_calls_free (convert->file_calls);
  wpr_convert_net_free (convert->net);
  g_free (convert->rows);
  g_free (convert);
}

gboolean
wpr_convert_has_switches (const WprConvert *convert)
{
  return convert->has_switches;
}

void
wpr_convert_gap (WprConvert *convert, guint cpu)
{
  wpr_convert_open_forget (convert, cpu);
}

guint64
wpr_convert_unpaired (const WprConvert *convert)
{
  return convert->n_unpaired + wpr_convert_memory_n_open (convert->memory);
}

const WprFormat *
wpr_convert_format (const WprConvert *convert, guint32 row)
{
  return row < convert->n_rows ? convert->rows[row].format : NULL;
}

static WprConverted
convert_other (WprConvert *convert, const WprRecord *record, WprEvent *event, guint64 *lost)
{
  WprLost missing;
  WprThrottle throttle;
  switch (record->type)
    {
    case PERF_RECORD_LOST:
    case PERF_RECORD_LOST_SAMPLES:
      if (!wpr_record_lost (record, &missing))
        return WPR_CONVERT_NOTHING;
      *lost = missing.lost;
      wpr_convert_open_forget (convert, event->cpu);
      return WPR_CONVERT_LOST;
    case PERF_RECORD_THROTTLE:
    case PERF_RECORD_UNTHROTTLE:
      if (!wpr_record_throttle (record, &throttle))
        return WPR_CONVERT_NOTHING;
      event->kind = WPR_EVENT_THROTTLE;
      event->u.throttle.end = record->type == PERF_RECORD_UNTHROTTLE;
      return WPR_CONVERT_EVENT;
    case PERF_RECORD_SWITCH:
    case PERF_RECORD_SWITCH_CPU_WIDE:
      return wpr_convert_switch_record (convert, record, event);
    default:
      return WPR_CONVERT_NOTHING;
    }
}

WprConverted
wpr_convert_record (WprConvert *convert, const WprRecord *record, gint64 boot_time, WprEvent *event,
                    guint64 *lost)
{
  event->time = boot_time;
  event->pid = record->pid;
  event->tid = record->tid;
  event->row = record->row;
  event->inferred = FALSE;
  event->format = NULL;
  event->raw = NULL;
  event->raw_size = 0;
  event->ip = record->ip;
  event->addr = record->addr;
  event->user_ip = record->user_ip;
  event->callchain = record->callchain;
  event->n_callchain = record->n_callchain;
  if (G_UNLIKELY (record->type != PERF_RECORD_SAMPLE))
    return convert_other (convert, record, event, lost);
  if (G_UNLIKELY (record->row >= convert->n_rows || !convert->rows[record->row].known))
    return WPR_CONVERT_UNKNOWN;
  const WprConvertRow *row = &convert->rows[record->row];
  event->kind = WPR_EVENT_TRACEPOINT;
  event->format = row->format;
  event->raw = record->raw;
  event->raw_size = record->raw_size;
  return row->func (convert, row, record, event);
}

gboolean
wpr_convert_next (WprConvert *convert, WprEvent *event)
{
  return convert->file_calls != NULL && wpr_file_calls_next (convert->file_calls, event);
}

gboolean
wpr_convert_last (WprConvert *convert, WprEvent *event)
{
  return convert->file_calls != NULL && wpr_file_calls_last (convert->file_calls, event);
}

WprFiles *
wpr_convert_files (WprConvert *convert)
{
  return convert->file_calls != NULL ? wpr_file_calls_files (convert->file_calls) : NULL;
}
