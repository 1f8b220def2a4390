/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* All wanted events of a file, written to a descriptor. */
#include "config.h"
#include "file/dump-private.h"

#include <errno.h>
#include <glib/gi18n-lib.h>
#include "base/wpr-error.h"

#define CHECK_EVERY 1024 /* events between two looks at the cancellable */

static const WprDumpFace *const faces[] = {
  [WPR_DUMP_TEXT] = &wpr_dump_text,
  [WPR_DUMP_CSV] = &wpr_dump_csv,
  [WPR_DUMP_JSON] = &wpr_dump_json,
};

static gboolean
tell_failure (const WprPut *put, GError **error)
{
  gboolean full = put->errsv == ENOSPC || put->errsv == EDQUOT;

  if (put->errsv == EPIPE)
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_BROKEN_PIPE,
                         _ ("Nobody reads the events any more."));
  else
    wpr_set_error (error, full ? WPR_ERROR_NO_SPACE : WPR_ERROR_INTERNAL, 0,
                   _ ("The events could not be written: %s."), g_strerror (put->errsv));
  return FALSE;
}

static gboolean
write_events (WprDump *self, const WprDumpFace *face, GCancellable *cancellable, GError **error)
{
  const WprTraceEvent *event;

  while ((event = wpr_trace_file_next (self->file)) != NULL)
    {
      face->event (self, event);
      if (++self->n_shown % CHECK_EVERY != 0)
        continue;
      if (self->put.errsv != 0)
        return tell_failure (&self->put, error);
      if (g_cancellable_is_cancelled (cancellable))
        {
          wpr_set_error (error, WPR_ERROR_CANCELLED, 0, _ ("Reading the trace was cancelled."));
          return FALSE;
        }
    }
  face->end (self);
  return TRUE;
}

gboolean
wpr_trace_file_dump (WprTraceFile *file, int fd, const char *name, WprTraceDumpFormat format,
                     WprTraceDumpFlags flags, GCancellable *cancellable, GError **error)
{
  WprDump self = { .file = file, .flags = flags };
  gboolean ok;

  g_return_val_if_fail (file != NULL && name != NULL, FALSE);
  g_return_val_if_fail ((guint)format < G_N_ELEMENTS (faces), FALSE);
  wpr_put_init (&self.put, fd);
  wpr_dump_clock_init (&self.clock, FALSE);
  wpr_dump_clock_init (&self.utc, TRUE);
  self.text = g_string_new (NULL);
  self.naming = g_string_new (NULL);
  wpr_dump_memos_init (&self);
  wpr_trace_file_rewind (file);
  faces[format]->begin (&self, name);
  ok = write_events (&self, faces[format], cancellable, error);
  if (!wpr_put_flush (&self.put) && ok)
    ok = tell_failure (&self.put, error);
  wpr_put_clear (&self.put);
  wpr_dump_memos_clear (&self);
  g_string_free (self.text, TRUE);
  g_string_free (self.naming, TRUE);
  return ok;
}
