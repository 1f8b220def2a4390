/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What was recorded: reads a whole .etl, verifies it and counts its events by kind. The words for
 * people are in info-text.c. */
#include "config.h"
#include "sink/info-private.h"

#include <errno.h>
#include <string.h>
#include <glib/gi18n-lib.h>

/* 285 years. */
#define MOST_DURATION_NS G_GINT64_CONSTANT (9000000000000000000)
#define UNIX_EPOCH_FILETIME G_GINT64_CONSTANT (116444736000000000)
/* A badly damaged file has a fault a buffer; what is beyond this is counted. */
#define MOST_FAULTS 100

typedef struct
{
  WprTraceInfo *info;
  WprEtlDecoder *decoder;
  GArray *counts; /* of Count, by a kind's serial */
  guint64 n_faults, last_buffer;
  gint64 last_ticks;
  guint64 size;
  WprInfoPulse pulse;
  gpointer pulse_data;
  gboolean cancelled;
} Counting;

typedef struct
{
  const WprEtlKind *kind;
  guint64 count;
} Count;

static const WprEtlKind *
count_kind (Counting *self, const WprEtlEvent *event)
{
  const WprEtlKind *kind = wpr_etl_decoder_kind (self->decoder, event);
  Count *count;

  if (kind->serial >= self->counts->len)
    g_array_set_size (self->counts, kind->serial + 1);
  count = &g_array_index (self->counts, Count, kind->serial);
  count->kind = kind;
  count->count++;
  return kind;
}

static gboolean
visit (const WprEtlEvent *event, gpointer data)
{
  Counting *self = data;
  const WprEtlKind *kind;

  if (event->buffer != self->last_buffer)
    {
      self->last_buffer = event->buffer;
      if (self->pulse != NULL && !self->pulse (event->buffer, self->size, self->pulse_data))
        {
          self->cancelled = TRUE;
          return FALSE;
        }
    }
  self->info->n_events++;
  if (event->buffer > 0 && event->ticks > self->last_ticks)
    self->last_ticks = event->ticks;
  kind = count_kind (self, event);
  if (event->schema != NULL && g_str_equal (event->provider, "Linux.Recorder"))
    wpr_info_take_fact (self->info, self->decoder, event, kind);
  else if (event->schema != NULL && g_str_equal (event->provider, "Linux.Symbols"))
    wpr_info_take_symbols (self->info, self->decoder, event, kind);
  return TRUE;
}

static void
take_fault (guint64 offset, const char *fault, gpointer data)
{
  Counting *self = data;

  if (self->n_faults++ < MOST_FAULTS)
    g_ptr_array_add (self->info->faults,
                     g_strdup_printf (_ ("At byte %llu: %s."), (unsigned long long)offset, fault));
}

/* ---- the result ---- */

static WprEventCount *
add_count (WprTraceInfo *info, char *provider, char *name)
{
  WprEventCount *row = g_new (WprEventCount, 1);

  *row = (WprEventCount){ provider, name, 0 };
  g_ptr_array_add (info->counts, row);
  return row;
}

static void
count_free (gpointer data)
{
  WprEventCount *row = data;

  g_free ((char *)row->provider);
  g_free ((char *)row->name);
  g_free (row);
}

static void
loss_free (gpointer data)
{
  WprLostSecond *loss = data;

  g_free (loss->collector);
  g_free (loss);
}

/* Kinds that differ in version or layout only are one for people. */
static void
list_counts (Counting *self)
{
  g_autoptr (GHashTable) rows = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < self->counts->len; i++)
    {
      const Count *count = &g_array_index (self->counts, Count, i);
      g_autofree char *both = NULL;
      WprEventCount *row;

      if (count->kind == NULL)
        continue;
      both = g_strconcat (count->kind->provider, "\n", count->kind->name, NULL);
      row = g_hash_table_lookup (rows, both);
      if (row == NULL)
        {
          row = add_count (self->info, g_strdup (count->kind->provider),
                           g_strdup (count->kind->name));
          g_hash_table_insert (rows, g_steal_pointer (&both), row);
        }
      row->count += count->count;
    }
}

static int
compare_counts (gconstpointer a, gconstpointer b)
{
  const WprEventCount *x = *(WprEventCount *const *)a, *y = *(WprEventCount *const *)b;
  int order;

  if (x->count != y->count)
    return x->count > y->count ? -1 : 1;
  order = strcmp (x->provider, y->provider);
  return order != 0 ? order : strcmp (x->name, y->name);
}

static gint64
realtime (gint64 filetime)
{
  /* ns since 1970 fit into a number until 2262. */
  return filetime > UNIX_EPOCH_FILETIME && filetime - UNIX_EPOCH_FILETIME <= G_MAXINT64 / 100
             ? (filetime - UNIX_EPOCH_FILETIME) * 100
             : 0;
}

static void
finish (Counting *self, const WprEtlFileInfo *file)
{
  WprTraceInfo *info = self->info;

  info->compressed = file->compression != 0;
  info->buffer_bytes = file->buffer_bytes;
  info->n_buffers = file->n_buffers;
  info->n_cpus = file->n_cpus;
  info->pointer_size = file->pointer_size;
  info->events_lost = file->events_lost;
  info->buffers_lost = file->buffers_lost;
  info->perf_frequency = file->perf_frequency;
  info->logger_name = g_strdup (file->logger_name);
  info->start_realtime_ns = realtime (file->start_filetime);
  info->end_realtime_ns = realtime (file->end_filetime);
  if (info->end_realtime_ns >= info->start_realtime_ns && info->start_realtime_ns > 0)
    info->duration_ns = info->end_realtime_ns - info->start_realtime_ns;
  else
    info->duration_ns = CLAMP (wpr_etl_ticks_to_ns (file, self->last_ticks), 0, MOST_DURATION_NS);
  if (self->n_faults > MOST_FAULTS)
    g_ptr_array_add (info->faults,
                     g_strdup_printf (_ ("And %llu faults more."),
                                      (unsigned long long)(self->n_faults - MOST_FAULTS)));
  list_counts (self);
  g_ptr_array_sort (info->counts, compare_counts);
  info->complete = !info->was_completed && info->events_lost == 0 && info->buffers_lost == 0
                   && info->faults->len == 0 && file->end_filetime != 0;
}

static WprTraceInfo *
info_from_file (const WprEtlFile *file, WprInfoPulse pulse, gpointer data, GError **error)
{
  g_autoptr (WprTraceInfo) info = g_new0 (WprTraceInfo, 1);
  Counting self = { .info = info, .pulse = pulse, .pulse_data = data };

  info->size_bytes = self.size = wpr_etl_file_size (file);
  info->profiles = g_ptr_array_new_with_free_func (g_free);
  info->counts = g_ptr_array_new_with_free_func (count_free);
  info->facts = g_ptr_array_new_with_free_func (g_free);
  info->parts = g_ptr_array_new_with_free_func (g_free);
  info->collectors = g_ptr_array_new_with_free_func (g_free);
  info->losses = g_ptr_array_new_with_free_func (loss_free);
  info->faults = g_ptr_array_new_with_free_func (g_free);
  self.counts = g_array_new (FALSE, TRUE, sizeof (Count));
  self.decoder = wpr_etl_decoder_new (file);

  wpr_etl_file_visit (file, visit, take_fault, &self);
  if (self.cancelled)
    wpr_set_error (error, WPR_ERROR_CANCELLED, 0, _ ("Reading the trace was cancelled."));
  else
    finish (&self, wpr_etl_file_info (file));
  g_array_unref (self.counts);
  wpr_etl_decoder_free (self.decoder);
  return self.cancelled ? NULL : g_steal_pointer (&info);
}

WprTraceInfo *
wpr_trace_info_from_bytes (const guint8 *bytes, gsize size, WprInfoPulse pulse, gpointer data,
                           GError **error)
{
  g_autoptr (WprEtlFile) file = wpr_etl_file_new (bytes, size, error);

  return file != NULL ? info_from_file (file, pulse, data, error) : NULL;
}

static gboolean
pulse_cancellable (guint64 done, guint64 total, gpointer data)
{
  return !g_cancellable_is_cancelled (data);
}

WprTraceInfo *
wpr_trace_info_read (const char *path, GCancellable *cancellable, GError **error)
{
  g_autoptr (WprEtlFile) file = NULL;

  g_return_val_if_fail (path != NULL, NULL);
  file = wpr_etl_file_open (path, error);
  return file != NULL ? info_from_file (file, pulse_cancellable, cancellable, error) : NULL;
}

void
wpr_trace_info_free (WprTraceInfo *info)
{
  if (info == NULL)
    return;
  g_free (info->logger_name);
  g_free (info->host);
  g_free (info->kernel);
  g_free (info->tool_version);
  g_free (info->user);
  g_free (info->rights);
  g_free (info->note);
  g_ptr_array_unref (info->profiles);
  g_ptr_array_unref (info->counts);
  g_ptr_array_unref (info->facts);
  g_ptr_array_unref (info->parts);
  g_ptr_array_unref (info->losses);
  g_ptr_array_unref (info->collectors);
  g_ptr_array_unref (info->faults);
  g_free (info);
}
