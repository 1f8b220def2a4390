/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A store becomes a finished file: played, synced, read back whole, and only then given its name.
 */
#include "config.h"
#include "sink/info-private.h"
#include "sink/sink-parts.h"

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
  guint part, n_parts; /* the file that is read back, of so many */
  guint8 *bytes;       /* that file, mapped */
  guint64 released;
} Check;

/* What was checked is given back in steps, so that a large file does not add up in memory. */
#define RELEASE_BYTES (16u << 20)

static gboolean
check_pulse (guint64 done, guint64 total, gpointer data)
{
  Check *self = data;
  gint64 now = g_get_monotonic_time ();

  if (done >= self->released + RELEASE_BYTES && done <= total)
    {
      madvise (self->bytes + self->released, RELEASE_BYTES, MADV_DONTNEED);
      self->released += RELEASE_BYTES;
    }
  if (self->progress != NULL && self->progress->func != NULL && now - self->last_us >= PULSE_US)
    {
      self->last_us = now;
      self->progress->func (
          "check", MIN ((self->part + (double)done / (double)MAX (total, 1)) / self->n_parts, 1.0),
          done, total, self->progress->data);
    }
  return !g_cancellable_is_cancelled (self->cancellable);
}

/* Reads the file back as `wpr -info` would. */
static WprTraceInfo *
read_back (int fd, Check *check, GError **error)
{
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
  check->bytes = bytes;
  check->released = 0;
  info = wpr_trace_info_from_bytes (bytes, (gsize)st.st_size, check_pulse, check, error);
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

/* Header, group masks, partition: written with the header buffer, not added. */
#define HEADER_EVENTS 3

/* What all files are together. */
static void
fill_result (WprSinkResult *result, WprTrace *trace, WprSink *sink)
{
  const WprTraceContext *context = wpr_trace_context (trace);
  guint n = wpr_sink_parts_length (sink);

  result->lost = context->lost;
  result->duration_ns = MAX (context->end_time / 100 - context->start_time / 100, 0) * 100;
  result->complete &= context->stopped;
  result->name = g_strdup (wpr_sink_parts_get (sink, 0)->name);
  result->names = n > 1 ? g_new0 (char *, n + 1) : NULL;
  for (guint i = 0; n > 1 && i < n; i++)
    result->names[i] = g_strdup (wpr_sink_parts_get (sink, i)->name);
}

static gboolean
check (WprSink *sink, const WprProgress *progress, GCancellable *cancellable, WprSinkResult *result,
       GError **error)
{
  Check reading = { progress, cancellable, 0, 0, wpr_sink_parts_length (sink) };

  result->complete = TRUE;
  for (guint i = 0; i < reading.n_parts; i++)
    {
      const WprPart *part = wpr_sink_parts_get (sink, i);
      g_autoptr (WprTraceInfo) info = read_back (wpr_new_file_get_fd (part->file), &reading, error);

      if (info == NULL || !verify (info, part->n_events, HEADER_EVENTS, error))
        return FALSE;
      result->size += info->size_bytes;
      result->events += info->n_events;
      result->complete &= info->complete;
      reading.part++;
    }
  return TRUE;
}

/* The first file last: when it is there, all are. */
static gboolean
commit (WprSink *sink, GError **error)
{
  guint n = wpr_sink_parts_length (sink);

  for (guint i = n; i-- > 0;)
    {
      if (wpr_new_file_commit (wpr_sink_parts_get (sink, i)->file, error))
        continue;
      while (++i < n)
        wpr_new_file_withdraw (wpr_sink_parts_get (sink, i)->file);
      return FALSE;
    }
  return TRUE;
}

void
wpr_sink_result_clear (WprSinkResult *result)
{
  g_clear_pointer (&result->name, g_free);
  g_clear_pointer (&result->names, g_strfreev);
}

gboolean
wpr_sink_save_etl (WprTrace *trace, int folder_fd, const char *name, const WprSinkOptions *options,
                   const WprProgress *progress, GCancellable *cancellable, WprSinkResult *result,
                   GError **error)
{
  WprSinkNamesWish wish = { progress, cancellable };
  WprSink *sink;
  gboolean good;

  g_return_val_if_fail (trace != NULL && name != NULL && result != NULL, FALSE);
  *result = (WprSinkResult){ 0 };
  wish.debuginfod = options != NULL && options->debuginfod;
  sink = wpr_sink_parts_new (folder_fd, name, options,
                             options != NULL && options->no_names ? NULL : &wish, error);
  if (sink == NULL)
    return FALSE;
  good = wpr_trace_play (trace, &sink, 1, progress, cancellable, error)
         && check (sink, progress, cancellable, result, error) && commit (sink, error);
  if (good)
    fill_result (result, trace, sink);
  wpr_sink_free (sink);
  return good;
}
