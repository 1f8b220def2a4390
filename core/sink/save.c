/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A store becomes a finished file: played, synced, read back whole, and only then given its name.
 */
#include "config.h"
#include "sink/info-private.h"
#include "sink/sink.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <glib/gi18n-lib.h>
#include "base/files.h"

#define PULSE_US (50 * 1000) /* 20 times a second */

typedef struct
{
  const WprProgress *progress;
  GCancellable *cancellable;
  gint64 last_us;
} Check;

static gboolean
check_pulse (guint64 done, guint64 total, gpointer data)
{
  Check *self = data;
  gint64 now = g_get_monotonic_time ();

  if (self->progress != NULL && self->progress->func != NULL && now - self->last_us >= PULSE_US)
    {
      self->last_us = now;
      self->progress->func ("check", (double)done / (double)MAX (total, 1), done, total,
                            self->progress->data);
    }
  return !g_cancellable_is_cancelled (self->cancellable);
}

/* Reads the file back as `wpr -info` would. */
static WprTraceInfo *
read_back (int fd, const WprProgress *progress, GCancellable *cancellable, GError **error)
{
  Check check = { progress, cancellable, 0 };
  WprTraceInfo *info = NULL;
  struct stat st;
  void *bytes;

  if (fstat (fd, &st) != 0 || st.st_size <= 0
      || (bytes = mmap (NULL, (gsize)st.st_size, PROT_READ, MAP_SHARED, fd, 0)) == MAP_FAILED)
    {
      wpr_set_error (error, WPR_ERROR_INTERNAL, 0,
                     _ ("The finished trace file could not be read back: %s. The raw recording is "
                        "kept."),
                     g_strerror (errno));
      return NULL;
    }
  madvise (bytes, (gsize)st.st_size, MADV_SEQUENTIAL);
  info = wpr_trace_info_from_bytes (bytes, (gsize)st.st_size, check_pulse, &check, error);
  munmap (bytes, (gsize)st.st_size);
  return info;
}

/* The file must be sound and hold exactly what was written into it. */
static gboolean
verify (const WprTraceInfo *info, guint64 written, guint64 header_events, GError **error)
{
  if (info->faults->len > 0)
    {
      wpr_set_error (error, WPR_ERROR_INTERNAL, 0,
                     _ ("The finished trace file did not pass its check: %s The raw recording is "
                        "kept."),
                     (const char *)g_ptr_array_index (info->faults, 0));
      return FALSE;
    }
  if (info->n_events != written + header_events)
    {
      wpr_set_error (error, WPR_ERROR_INTERNAL, 0,
                     _ ("The finished trace file holds %llu events instead of %llu. The raw "
                        "recording is kept."),
                     (unsigned long long)info->n_events,
                     (unsigned long long)(written + header_events));
      return FALSE;
    }
  return TRUE;
}

static void
fill_result (WprSinkResult *result, WprTrace *trace, const WprTraceInfo *info, const char *name)
{
  const WprTraceContext *context = wpr_trace_context (trace);

  result->size = info->size_bytes;
  result->events = info->n_events;
  result->lost = context->lost;
  result->duration_ns = info->duration_ns;
  result->complete = info->complete && context->stopped;
  result->name = g_strdup (name);
}

/* Header, group masks, partition: written with the header buffer, not added. */
#define HEADER_EVENTS 3

gboolean
wpr_sink_save_etl (WprTrace *trace, int folder_fd, const char *name, const WprProgress *progress,
                   GCancellable *cancellable, WprSinkResult *result, GError **error)
{
  g_autoptr (WprNewFile) file = NULL;
  g_autoptr (WprTraceInfo) info = NULL;
  WprSink *sink;
  guint64 written = 0;
  gboolean played;

  g_return_val_if_fail (trace != NULL && name != NULL && result != NULL, FALSE);
  file = wpr_new_file_open (folder_fd, name, error);
  if (file == NULL)
    return FALSE;
  sink = wpr_sink_etl_new (wpr_new_file_get_fd (file), error);
  if (sink == NULL)
    return FALSE;
  wpr_sink_etl_want_names (sink, &(WprSinkNamesWish){ progress, cancellable });
  played = wpr_trace_play (trace, &sink, 1, progress, cancellable, error);
  wpr_sink_etl_totals (sink, &written, NULL);
  wpr_sink_free (sink);
  if (!played)
    return FALSE;
  info = read_back (wpr_new_file_get_fd (file), progress, cancellable, error);
  if (info == NULL || !verify (info, written, HEADER_EVENTS, error)
      || !wpr_new_file_commit (file, error))
    return FALSE;
  fill_result (result, trace, info, name);
  return TRUE;
}
