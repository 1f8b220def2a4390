/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Splits a recording into files while it is played: where one is full it is ended as of the time
 * that was reached, and the next begins there, with who was there by then. How many there are is
 * known at the end: then each gets its last words and its header. */
#include "config.h"
#include "sink/sink-parts.h"

#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/wpr-error.h"
#include "sink/sink-etl-private.h"

/* Each takes two descriptors until all are finished, and 1024 are what a process has by default. */
#define MOST_PARTS 200

typedef struct
{
  WprSink parent;
  int folder_fd;
  char *name;
  WprSinkOptions options;
  GPtrArray *parts; /* WprPart */
  const WprTraceContext *whole;
  gint64 newest;      /* trace time of the newest event */
  guint64 seen_bytes; /* of the current file, when it was last looked at */
  guint64 limit;      /* of the current file */
  guint64 reserve;    /* what its end will take */
} Parts;

static void
part_free (gpointer data)
{
  WprPart *part = data;

  wpr_sink_free (part->sink);
  wpr_new_file_free (part->file);
  g_free (part->name);
  g_free (part);
}

static WprPart *
current (const Parts *self)
{
  return g_ptr_array_index (self->parts, self->parts->len - 1);
}

static WprSinkEtl *
current_etl (const Parts *self)
{
  return (WprSinkEtl *)current (self)->sink;
}

static guint64
bytes_if_ended (const WprSinkEtl *etl)
{
  return wpr_etl_writer_bytes (etl->writer) + wpr_etl_writer_open_bytes (etl->writer);
}

/* ---- names ---- */

/* "slow.etl" becomes "slow-2.etl". */
static char *
numbered (const char *name, guint number)
{
  gsize size = strlen (name);
  gboolean etl = size > 4 && g_ascii_strcasecmp (name + size - 4, ".etl") == 0;
  int stem = (int)(etl ? size - 4 : size);

  return g_strdup_printf ("%.*s-%u%s", stem, name, number, name + stem);
}

/* The next name that nobody has. */
static char *
next_name (const Parts *self)
{
  struct stat st;
  guint number = self->parts->len + 1;

  for (;; number++)
    {
      g_autofree char *name = numbered (self->name, number);
      gboolean ours = FALSE;

      for (guint i = 0; i < self->parts->len && !ours; i++)
        ours = g_str_equal (((WprPart *)g_ptr_array_index (self->parts, i))->name, name);
      if (!ours && fstatat (self->folder_fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return g_steal_pointer (&name);
    }
}

/* Takes over the name. */
static gboolean
add_part (Parts *self, char *name, GError **error)
{
  WprPart *part = g_new0 (WprPart, 1);
  WprSink *previous = self->parts->len > 0 ? current (self)->sink : NULL;

  part->name = name;
  part->file = wpr_new_file_open_for (self->folder_fd, name, self->options.behalf, error);
  if (part->file == NULL)
    {
      part_free (part);
      return FALSE;
    }
  part->sink
      = wpr_sink_etl_new_part (wpr_new_file_get_fd (part->file), previous, self->options.compress);
  g_ptr_array_add (self->parts, part);
  return TRUE;
}

/* ---- where one ends and the next begins ---- */

/* The clocks of a recording differ by what was slept: piecewise the same. */
static WprTime
monotonic_at (const WprTraceContext *whole, gint64 time)
{
  WprTime monotonic = time - (whole->start_time - whole->start_monotonic);

  for (guint i = 0; i < 4; i++)
    monotonic += time - wpr_trace_boottime (whole, monotonic);
  return monotonic;
}

/* Whose rundowns take more than half of a file would hold little else. */
static void
find_limit (Parts *self)
{
  guint64 begun = bytes_if_ended (current_etl (self));

  /* At the end: the same again, images once more for their ids, and what is then open. */
  self->reserve = MAX (self->reserve, 2 * begun);
  self->limit = MAX (self->options.part_bytes, 2 * (begun + self->reserve));
  self->seen_bytes = wpr_etl_writer_bytes (current_etl (self)->writer);
}

static gboolean
begin_part (Parts *self, gint64 time, GError **error)
{
  WprSinkEtl *etl = current_etl (self);
  WprTraceContext *part = &etl->part;

  *part = *self->whole;
  if (self->parts->len > 1)
    {
      part->start_time = time;
      part->start_monotonic = monotonic_at (self->whole, time);
      part->start_realtime_ns += time - self->whole->start_time;
      part->complete_from = MAX (part->complete_from, time);
      /* What newer events replaced is before the first file. */
      part->overwritten_bytes = part->bytes_dropped = 0;
    }
  if (!wpr_sink_etl_begin_part (etl, self->whole, error))
    return FALSE;
  find_limit (self);
  return TRUE;
}

/* goes_on: another part follows, beginning at `time`. */
static gboolean
end_part (Parts *self, gint64 time, gboolean goes_on, GError **error)
{
  WprSinkEtl *etl = current_etl (self);
  WprTraceContext *part = &etl->part;
  guint64 before = bytes_if_ended (etl), told = 0;

  part->end_time = goes_on ? time - 1 : self->whole->end_time;
  part->end_monotonic = goes_on ? monotonic_at (self->whole, time) - 1 : self->whole->end_monotonic;
  /* What no second claims is the last file's. */
  for (guint i = 0; i + 1 < self->parts->len; i++)
    told += ((WprSinkEtl *)((WprPart *)g_ptr_array_index (self->parts, i))->sink)->part.lost;
  part->lost = goes_on                    ? etl->n_lost
               : self->whole->lost > told ? MAX (etl->n_lost, self->whole->lost - told)
                                          : etl->n_lost;
  if (!wpr_sink_etl_end_part (etl, goes_on, error))
    return FALSE;
  self->reserve = MAX (self->reserve, bytes_if_ended (etl) - before);
  return TRUE;
}

static gboolean
is_full (Parts *self)
{
  const WprSinkEtl *etl = current_etl (self);
  guint64 bytes = wpr_etl_writer_bytes (etl->writer);

  if (G_LIKELY (bytes == self->seen_bytes))
    return FALSE;
  self->seen_bytes = bytes;
  return self->parts->len < MOST_PARTS && bytes_if_ended (etl) + self->reserve >= self->limit;
}

static gboolean
split (Parts *self, gint64 time, GError **error)
{
  return end_part (self, time, TRUE, error) && add_part (self, next_name (self), error)
         && begin_part (self, time, error);
}

/* ---- the sink ---- */

static gboolean
parts_begin (WprSink *sink, const WprTraceContext *context, GError **error)
{
  Parts *self = (Parts *)sink;

  self->whole = context;
  self->newest = G_MININT64;
  return begin_part (self, context->start_time, error);
}

static gboolean
parts_event (WprSink *sink, const WprEvent *event, GError **error)
{
  Parts *self = (Parts *)sink;

  /* Only between two times: who came at the one moment is in the one file or in the other. */
  if (G_LIKELY (!event->inferred) && event->time > self->newest)
    {
      if (self->options.part_bytes > 0 && is_full (self) && !split (self, event->time, error))
        return FALSE;
      self->newest = event->time;
    }
  sink = current (self)->sink;
  return sink->klass->event (sink, event, error);
}

static gboolean
finish_part (Parts *self, guint index, const GPtrArray *names, guint8 **scratch, GError **error)
{
  WprPart *part = g_ptr_array_index (self->parts, index);
  WprSinkEtl *etl = (WprSinkEtl *)part->sink;
  gboolean good;

  if (etl->scratch == NULL)
    etl->scratch = g_steal_pointer (scratch);
  good = (names->len < 2
          || wpr_sink_etl_part (etl, index + 1, names, self->options.part_bytes, error))
         && wpr_sink_etl_finish (etl, error);
  part->n_events = wpr_etl_writer_events (etl->writer);
  if (index + 1 < self->parts->len)
    *scratch = g_steal_pointer (&etl->scratch);
  return good;
}

static gboolean
parts_end (WprSink *sink, const WprTraceContext *context, GError **error)
{
  Parts *self = (Parts *)sink;
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autofree guint8 *scratch = NULL;

  self->whole = context;
  if (!end_part (self, 0, FALSE, error))
    return FALSE;
  for (guint i = 0; i < self->parts->len; i++)
    g_ptr_array_add (names, ((WprPart *)g_ptr_array_index (self->parts, i))->name);
  scratch = g_malloc (WPR_SCRATCH_BYTES);
  for (guint i = 0; i < self->parts->len; i++)
    if (!finish_part (self, i, names, &scratch, error))
      return FALSE;
  return TRUE;
}

static void
parts_free (WprSink *sink)
{
  Parts *self = (Parts *)sink;

  g_ptr_array_unref (self->parts);
  if (self->folder_fd >= 0)
    close (self->folder_fd);
  g_free (self->name);
  g_free (self);
}

static const WprSinkClass parts_class = { parts_begin, parts_event, parts_end, parts_free };

WprSink *
wpr_sink_parts_new (int folder_fd, const char *name, const WprSinkOptions *options,
                    const WprSinkNamesWish *wish, GError **error)
{
  Parts *self = g_new0 (Parts, 1);

  self->parent.klass = &parts_class;
  self->folder_fd = fcntl (folder_fd, F_DUPFD_CLOEXEC, 3);
  self->name = g_strdup (name);
  if (options != NULL)
    self->options = *options;
  self->parts = g_ptr_array_new_with_free_func (part_free);
  if (add_part (self, g_strdup (name), error))
    {
      if (wish != NULL)
        wpr_sink_etl_want_names (current (self)->sink, wish);
      return &self->parent;
    }
  parts_free (&self->parent);
  return NULL;
}

guint
wpr_sink_parts_length (WprSink *sink)
{
  return ((Parts *)sink)->parts->len;
}

WprPart *
wpr_sink_parts_get (WprSink *sink, guint index)
{
  return g_ptr_array_index (((Parts *)sink)->parts, index);
}
