/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An epoch's sideband, folded into a checkpoint. Pure work on bytes: opens nothing. */
#include "config.h"

#include <string.h>

#include "source/world-fold.h"
#include "perf/event.h"
#include "store/payload.h"
#include "source/source.h"

struct _WprFold
{
  WprIdTable *ids;
  const WprManifest *manifest;
  guint n_known; /* of its ids: more come when a CPU comes back */
};

static void
wpr_fold_learn (WprFold *fold)
{
  const WprManifest *manifest = fold->manifest;
  for (; fold->n_known < manifest->ids->len; fold->n_known++)
    {
      const WprStoreId *id = &g_array_index (manifest->ids, WprStoreId, fold->n_known);
      if (id->row >= manifest->events->len)
        continue;
      const WprStoreEvent *event = &g_array_index (manifest->events, WprStoreEvent, id->row);
      if (event->kind == WPR_PERF_SIDEBAND)
        wpr_id_table_add (fold->ids, id->id, id->row, event->sample_type);
    }
}

WprFold *
wpr_fold_new (const WprManifest *manifest)
{
  WprFold *fold = g_new0 (WprFold, 1);
  fold->ids = wpr_id_table_new ();
  fold->manifest = manifest;
  return fold;
}

void
wpr_fold_free (WprFold *fold)
{
  if (!fold)
    return;
  wpr_id_table_free (fold->ids);
  g_free (fold);
}

static gboolean
wpr_fold_note (const WprStoreNote *note, gpointer data)
{
  WprWorld *world = data;
  if (note->kind == WPR_NOTE_UID && note->size >= sizeof (WprUidPayload))
    {
      WprUidPayload payload;
      memcpy (&payload, note->payload, sizeof payload);
      wpr_world_set_uid (world, note->pid, payload.when, payload.uid);
    }
  else if (note->kind == WPR_NOTE_CMDLINE && note->size > sizeof (gint64))
    {
      gint64 when;
      memcpy (&when, note->payload, sizeof when);
      g_autofree char *text
          = g_strndup ((const char *)note->payload + sizeof when, note->size - sizeof when);
      wpr_world_set_cmdline (world, note->pid, when, text);
    }
  return TRUE;
}

/* Records of one epoch's sideband file; the newest time seen. */
static WprTime
wpr_fold_sideband (WprFold *fold, WprWorld *world, const guint8 *bytes, gsize size)
{
  WprTime newest = G_MININT64;
  for (gsize at = 0; at + sizeof (struct perf_event_header) <= size;)
    {
      const struct perf_event_header *header = (gconstpointer)(bytes + at);
      WprRecord record;
      if (header->size < sizeof *header || header->size > size - at)
        break;
      if (wpr_record_parse (header, fold->ids, &record))
        {
          wpr_world_feed (world, &record);
          newest = MAX (newest, record.time);
        }
      at += header->size;
    }
  return newest;
}

GBytes *
wpr_fold_epoch (GBytes *checkpoint, const guint8 *sideband, gsize size, const guint8 *notes,
                gsize notes_size, gpointer data)
{
  WprFold *fold = data;
  wpr_fold_learn (fold);
  g_autoptr (WprWorld) world = wpr_world_new (WPR_WORLD_MAX_DEAD);
  if (checkpoint)
    wpr_world_load (world, checkpoint, NULL);
  WprTime newest = wpr_fold_sideband (fold, world, sideband, size);
  wpr_store_walk_notes (notes, notes_size, wpr_fold_note, world);
  /* CPUs are drained within a tick of one another, so this is before the next epoch, too. */
  if (newest > G_MININT64)
    wpr_world_forget (world, newest - WPR_WORLD_GRACE_NS);
  return wpr_world_save (world);
}
