/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A recording that is over: open, ask, play. The passes are in collect.c and player.c. */
#include "config.h"
#include "trace/player.h"

#include <glib/gi18n-lib.h>

#include "base/wpr-error.h"

/* Progress is shown at most this often. */
#define PULSE_US (G_TIME_SPAN_SECOND / 20)

static void
check_manifest (const WprManifest *manifest, const char *path, GError **error)
{
  /* The kernel's own limit is 8192 CPUs; a damaged number must not make us open files for ever. */
  if (manifest->max_possible_cpu >= 8192 || manifest->collectors->len > 64)
    wpr_set_error (error, WPR_ERROR_DAMAGED, 0,
                   _ ("The raw recording %s is damaged: it speaks of %u processors and %u "
                      "collectors. It cannot be finished."),
                   path, manifest->max_possible_cpu + 1, manifest->collectors->len);
}

static WprIdTable *
ids_of (const WprManifest *manifest)
{
  WprIdTable *ids = wpr_id_table_new ();
  g_autoptr (GHashTable) events = g_hash_table_new (g_direct_hash, g_direct_equal);
  for (guint i = 0; i < manifest->events->len; i++)
    {
      WprStoreEvent *event = &g_array_index (manifest->events, WprStoreEvent, i);
      g_hash_table_insert (events, GUINT_TO_POINTER (event->row), event);
    }
  for (guint i = 0; i < manifest->ids->len; i++)
    {
      const WprStoreId *id = &g_array_index (manifest->ids, WprStoreId, i);
      const WprStoreEvent *event = g_hash_table_lookup (events, GUINT_TO_POINTER (id->row));
      if (event != NULL && id->id != 0)
        wpr_id_table_add (ids, id->id, id->row, event->sample_type);
    }
  return ids;
}

static void
add_up_context (WprTraceContext *context)
{
  guint64 tallied = 0, noted = 0;
  for (guint i = 0; i < context->tallies->len; i++)
    tallied += g_array_index (context->tallies, WprTraceTally, i).lost;
  for (guint i = 0; i < context->losses->len; i++)
    noted += g_array_index (context->losses, WprTraceLoss, i).count;
  context->lost = MAX (tallied, noted);
  context->overwritten_bytes = 0;
  for (guint i = 0; i < context->rings->len; i++)
    context->overwritten_bytes += g_array_index (context->rings, WprTraceRing, i).overwritten;
}

/* Takes over the reader, NULL ok. */
static WprTrace *
open_read (WprStoreReader *reader, const char *store_path, GError **error)
{
  g_autoptr (GError) bad = NULL;
  if (reader == NULL)
    return NULL;
  check_manifest (wpr_store_reader_manifest (reader), store_path, &bad);
  if (bad != NULL)
    {
      wpr_store_reader_free (reader);
      g_propagate_error (error, g_steal_pointer (&bad));
      return NULL;
    }
  WprTrace *trace = g_new0 (WprTrace, 1);
  WprTraceContext *context = &trace->context;
  trace->path = g_strdup (store_path);
  trace->reader = reader;
  trace->ids = ids_of (wpr_store_reader_manifest (reader));
  trace->images = wpr_image_table_new ();
  trace->side_cpus = g_array_new (FALSE, FALSE, sizeof (WprSidebandCpu));
  context->manifest = wpr_store_reader_manifest (reader);
  context->images = trace->images;
  context->bytes_dropped = wpr_store_reader_bytes_dropped (reader);
  context->tallies = g_array_new (FALSE, FALSE, sizeof (WprTraceTally));
  context->rings = g_array_new (FALSE, FALSE, sizeof (WprTraceRing));
  context->losses = g_array_new (FALSE, FALSE, sizeof (WprTraceLoss));
  context->notices = g_ptr_array_new_with_free_func (g_free);
  wpr_trace_read_notes (trace);
  trace->n_notices = context->notices->len;
  return trace;
}

WprTrace *
wpr_trace_open (const char *store_path, GError **error)
{
  g_return_val_if_fail (store_path != NULL, NULL);
  return open_read (wpr_store_reader_open (store_path, error), store_path, error);
}

void
wpr_trace_set_kallsyms (WprTrace *trace, const char *path)
{
  trace->context.kallsyms = path;
}

WprTrace *
wpr_trace_open_at (int folder_fd, const char *store_path, GError **error)
{
  g_return_val_if_fail (store_path != NULL, NULL);
  return open_read (wpr_store_reader_open_at (folder_fd, store_path, error), store_path, error);
}

void
wpr_trace_free (WprTrace *trace)
{
  if (trace == NULL)
    return;
  g_array_unref (trace->context.tallies);
  g_array_unref (trace->context.rings);
  g_array_unref (trace->context.losses);
  g_ptr_array_unref (trace->context.notices);
  g_free (trace->context.description);
  g_array_unref (trace->sides);
  g_byte_array_unref (trace->texts);
  g_array_unref (trace->first_looks);
  g_array_unref (trace->last_looks);
  g_array_unref (trace->offsets);
  g_array_unref (trace->side_cpus);
  wpr_clock_table_unref (trace->clocks);
  wpr_world_free (trace->world);
  wpr_image_table_free (trace->images);
  wpr_id_table_free (trace->ids);
  wpr_store_reader_free (trace->reader);
  g_free (trace->path);
  g_free (trace);
}

void
wpr_trace_set_description_func (WprTrace *trace, char *(*func) (gpointer data), gpointer data)
{
  g_return_if_fail (trace != NULL);
  trace->describe = func;
  trace->describe_data = data;
}

gboolean
wpr_pulse (WprPulse *pulse, const char *phase, guint64 done, guint64 total, GError **error)
{
  if (g_cancellable_is_cancelled (pulse->cancellable))
    {
      wpr_set_error (error, WPR_ERROR_CANCELLED, 0,
                     _ ("Writing the file was cancelled. The raw recording is kept in %s; `wpr "
                        "-recover` finishes it."),
                     pulse->path);
      return FALSE;
    }
  if (pulse->progress == NULL || pulse->progress->func == NULL)
    return TRUE;
  gint64 now = g_get_monotonic_time ();
  if (now - pulse->last_us < PULSE_US && done < total)
    return TRUE;
  pulse->last_us = now;
  pulse->progress->func (phase, total > 0 ? (double)done / (double)total : 1.0, done, total,
                         pulse->progress->data);
  return TRUE;
}

gboolean
wpr_trace_play (WprTrace *trace, WprSink *const *sinks, gsize n, const WprProgress *progress,
                GCancellable *cancellable, GError **error)
{
  g_return_val_if_fail (trace != NULL && (sinks != NULL || n == 0), FALSE);
  WprPulse pulse = { progress, cancellable, 0, trace->path };
  trace->counters = (WprTraceCounters){ 0 };
  g_ptr_array_set_size (trace->context.notices, (gint)trace->n_notices);
  if (!wpr_trace_collect (trace, &pulse, error))
    return FALSE;
  add_up_context (&trace->context);
  wpr_image_table_look_around (trace->images, trace->world);
  return wpr_trace_merge (trace, sinks, n, &pulse, error);
}

const WprTraceContext *
wpr_trace_context (WprTrace *trace)
{
  g_return_val_if_fail (trace != NULL, NULL);
  return &trace->context;
}

void
wpr_trace_counters (WprTrace *trace, WprTraceCounters *counters)
{
  g_return_if_fail (trace != NULL && counters != NULL);
  *counters = trace->counters;
}
