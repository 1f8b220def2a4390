/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names of events, fields and processes, escaped and padded once. */
#include "config.h"
#include "file/dump-private.h"

/* A name is at most 64 KiB in its file, and six times that when every byte is escaped: what is
 * longer than this is put anew each time. */
#define MOST_TEXT 4096u

void
wpr_dump_memos_init (WprDump *self)
{
  self->kinds = g_array_new (FALSE, TRUE, sizeof (WprDumpKind));
  self->processes = g_new0 (WprDumpMemo, WPR_DUMP_PROCESSES);
}

void
wpr_dump_memos_clear (WprDump *self)
{
  for (guint i = 0; i < self->kinds->len; i++)
    {
      WprDumpKind *kind = &g_array_index (self->kinds, WprDumpKind, i);

      g_free (kind->title.text);
      for (guint k = 0; k < kind->n_names; k++)
        g_free (kind->names[k].text);
      g_free (kind->names);
    }
  g_array_unref (self->kinds);
  for (guint i = 0; i < WPR_DUMP_PROCESSES; i++)
    g_free (self->processes[i].text);
  g_free (self->processes);
}

WprDumpKind *
wpr_dump_kind (WprDump *self)
{
  const WprEtlKind *kind = self->file->kind;
  WprDumpKind *found;

  if (kind->serial >= self->kinds->len)
    g_array_set_size (self->kinds, kind->serial + 1);
  found = &g_array_index (self->kinds, WprDumpKind, kind->serial);
  if (found->names == NULL)
    {
      found->n_names = MAX (kind->n_fields, 1);
      found->names = g_new0 (WprDumpMemo, found->n_names);
    }
  return found;
}

void
wpr_dump_remember (WprDump *self, WprDumpMemo *memo, gconstpointer key, guint32 id,
                   WprDumpPutFunc func)
{
  guint64 from;
  gsize at;

  if (WPR_PUT_BYTES - self->put.used < 4 * MOST_TEXT)
    wpr_put_flush (&self->put);
  from = wpr_put_position (&self->put);
  at = self->put.used;
  func (self, key);
  g_clear_pointer (&memo->text, g_free);
  /* Nothing was flushed if all of it is still there. */
  if (wpr_put_position (&self->put) - from != self->put.used - at
      || self->put.used - at > MOST_TEXT)
    return;
  memo->key = key;
  memo->id = id;
  memo->size = (guint32)(self->put.used - at);
  memo->text = g_memdup2 (self->put.bytes + at, MAX (memo->size, 1));
}
