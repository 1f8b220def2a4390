/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A claimed session into a raw recording: manifest and world as its recorder kept them last, rings
 * as they are now, and the processes of now with what the sideband's ring holds; who came and went
 * between has no name. */
#include "config.h"
#include "recorder/orphan.h"

#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <glib/gi18n-lib.h>

#include "base/files.h"
#include "base/log.h"
#include "broker/client/client.h"
#include "perf/ring.h"
#include "recorder/local.h"
#include "recorder/unlock.h"
#include "source/kernel.h"
#include "store/payload.h"

#define KEPT_S 600

typedef struct
{
  WprBrokerSession *session;
  WprOpener *opener;
  WprOpened opened;
  WprManifest *manifest;
  GArray *sets;  /* guint32: ring set -> collector */
  GBytes *world; /* as its recorder kept it last; NULL: not */
  gint64 started_ns, started_realtime_ns;
  WprIdTable *ids;
} WprOrphan;

static void
wpr_orphan_clear (WprOrphan *orphan)
{
  g_clear_object (&orphan->opener);
  g_clear_pointer (&orphan->session, wpr_broker_session_unref);
  wpr_opened_clear (&orphan->opened);
  g_clear_pointer (&orphan->manifest, wpr_manifest_free);
  g_clear_pointer (&orphan->sets, g_array_unref);
  g_clear_pointer (&orphan->world, g_bytes_unref);
  g_clear_pointer (&orphan->ids, wpr_id_table_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (WprOrphan, wpr_orphan_clear)

void
wpr_orphans_add (GPtrArray *unfinished)
{
  GVariantIter iter;
  GVariant *one;
  if (geteuid () == 0 || !wpr_unlock_is_there ()) /* root opens its events itself */
    return;
  g_autoptr (GVariant) orphans = wpr_broker_list_orphans (NULL);
  if (!orphans)
    return;
  g_variant_iter_init (&iter, orphans);
  while (g_variant_iter_next (&iter, "@a{sv}", &one))
    {
      const char *id = "", *instance = "";
      guint32 left_s = 0;
      WprUnfinished *row = g_new0 (WprUnfinished, 1);
      g_variant_lookup (one, "id", "&s", &id);
      g_variant_lookup (one, "instance", "&s", &instance);
      g_variant_lookup (one, "bytes", "t", &row->bytes);
      g_variant_lookup (one, "seconds_left", "u", &left_s);
      row->path = g_strconcat (WPR_ORPHAN_PREFIX, id, NULL);
      row->instance = g_strdup (instance);
      /* When its recorder ended: since when it recorded is in what it kept. */
      row->started_realtime_ns
          = (g_get_real_time () - (gint64)(KEPT_S - MIN (left_s, KEPT_S)) * G_USEC_PER_SEC) * 1000;
      g_ptr_array_add (unfinished, row);
      g_variant_unref (one);
    }
}

static gboolean
wpr_orphan_claim (WprOrphan *orphan, const char *path, GError **error)
{
  g_autoptr (GBytes) kept = NULL;
  orphan->session = wpr_broker_claim_orphan (path + strlen (WPR_ORPHAN_PREFIX), error);
  if (!orphan->session)
    return FALSE;
  orphan->opener = wpr_opener_broker_new (orphan->session);
  if (!wpr_opener_broker_recall (orphan->opener, &orphan->opened, &kept, error))
    return FALSE;
  if (kept)
    orphan->manifest = wpr_kept_manifest (kept, &orphan->sets, &orphan->started_ns,
                                          &orphan->started_realtime_ns, &orphan->world, error);
  else
    wpr_set_error (error, WPR_ERROR_DAMAGED, 0,
                   _ ("That recording was ended before it had begun; nothing of it is left."));
  return orphan->manifest != NULL;
}

/* As the broker has them: of CPUs that came back, too. */
static void
wpr_orphan_take_ids (WprOrphan *orphan)
{
  WprManifest *manifest = orphan->manifest;
  orphan->ids = wpr_id_table_new ();
  g_array_set_size (manifest->ids, 0);
  for (guint i = 0; i < orphan->opened.ids->len; i++)
    {
      const WprEventId *id = &g_array_index (orphan->opened.ids, WprEventId, i);
      WprStoreId stored = { id->id, id->row, id->cpu };
      for (guint e = 0; e < manifest->events->len; e++)
        {
          const WprStoreEvent *event = &g_array_index (manifest->events, WprStoreEvent, e);
          if (event->row != id->row)
            continue;
          g_array_append_val (manifest->ids, stored);
          wpr_id_table_add (orphan->ids, id->id, id->row, event->sample_type);
          break;
        }
    }
}

/* ---- into a store ---- */

static gboolean
wpr_orphan_note_clock (WprStore *store, const WprClockReading *reading, GError **error)
{
  return wpr_store_add_note (store, WPR_NOTE_CLOCK, 0, reading->monotonic_ns, 0, 0, reading,
                             sizeof *reading, error);
}

static gboolean
wpr_orphan_copy_data (const WprOrphan *orphan, const WprLeader *leader, guint32 collector,
                      WprStore *store, WprTime now, GError **error)
{
  g_autoptr (WprRing) ring = wpr_ring_map (leader->fd, leader->bytes, TRUE, error);
  WprRingCopy copy = { 0 };
  if (!ring || !wpr_ring_copy (ring, &copy, error))
    return FALSE;
  int fd = copy.size > 0 ? wpr_store_data_fd (store, collector, leader->cpu, error) : -1;
  gboolean good = copy.size == 0 || (fd >= 0 && wpr_write_all (fd, copy.data, copy.size, error));
  if (good && copy.size > 0)
    wpr_store_wrote (store, collector, leader->cpu, copy.size);
  WprRingPayload payload = { collector, copy.bytes_ever, copy.size, copy.bytes_ever - copy.size };
  wpr_ring_copy_clear (&copy);
  return good
         && wpr_store_add_note (store, WPR_NOTE_RING, leader->cpu, now, 0, 0, &payload,
                                sizeof payload, error);
}

static void
wpr_orphan_feed (const struct perf_event_header *header, gpointer data)
{
  gpointer *pair = data;
  const WprOrphan *orphan = pair[0];
  WprRecord record;
  if (wpr_record_parse (header, orphan->ids, &record))
    wpr_world_feed (pair[1], &record);
}

/* What the sideband held when its recorder ended, and what fitted since. */
static void
wpr_orphan_read_sideband (const WprOrphan *orphan, WprWorld *world)
{
  gpointer pair[] = { (gpointer)orphan, world };
  for (guint i = 0; i < orphan->opened.leaders->len; i++)
    {
      const WprLeader *leader = &g_array_index (orphan->opened.leaders, WprLeader, i);
      if (leader->bytes == 0 || leader->ring >= orphan->sets->len
          || g_array_index (orphan->sets, guint32, leader->ring) != WPR_COLLECTOR_SIDEBAND)
        continue;
      g_autoptr (WprRing) ring = wpr_ring_map (leader->fd, leader->bytes, FALSE, NULL);
      if (ring)
        wpr_ring_read (ring, wpr_orphan_feed, pair);
    }
}

static gboolean
wpr_orphan_write_world (const WprOrphan *orphan, WprStore *store, GError **error)
{
  g_autoptr (WprWorld) world = wpr_world_new (WPR_WORLD_MAX_DEAD);
  WprClockReading now;
  wpr_clock_read (&now);
  if (orphan->world && wpr_world_load (world, orphan->world, NULL))
    {
      /* And who came since, and lives. */
      wpr_orphan_read_sideband (orphan, world);
      wpr_world_read_proc (world, "/proc", now.monotonic_ns, NULL);
    }
  else
    {
      g_autoptr (GBytes) rundown = wpr_broker_facts_rundown (orphan->session, FALSE, error);
      if (!rundown || !wpr_world_load (world, rundown, error))
        return FALSE;
      wpr_world_fill_in (world, "/proc");
      wpr_orphan_read_sideband (orphan, world);
    }
  g_autoptr (GBytes) bytes = wpr_world_save (world);
  return wpr_store_checkpoint (store, bytes, error);
}

static gboolean
wpr_orphan_write_tallies (const WprOrphan *orphan, WprStore *store, WprTime now, GError **error)
{
  const WprManifest *manifest = wpr_store_get_manifest (store);
  g_autoptr (GArray) counts = g_array_new (FALSE, FALSE, sizeof (WprGroupCount));
  gboolean has_lost = TRUE;
  for (guint i = 0; i < orphan->opened.leaders->len; i++)
    wpr_group_read (g_array_index (orphan->opened.leaders, WprLeader, i).fd, counts, &has_lost,
                    NULL);
  for (guint i = 0; i < counts->len; i++)
    {
      const WprGroupCount *count = &g_array_index (counts, WprGroupCount, i);
      for (guint k = 0; k < manifest->ids->len; k++)
        {
          const WprStoreId *id = &g_array_index (manifest->ids, WprStoreId, k);
          if (id->id != count->id || id->row >= manifest->events->len)
            continue;
          guint32 collector = g_array_index (manifest->events, WprStoreEvent, id->row).collector;
          WprTallyPayload payload = { id->row, collector, count->count, count->lost };
          if (!wpr_store_add_note (store, WPR_NOTE_TALLY, id->cpu, now, 0, 0, &payload,
                                   sizeof payload, error))
            return FALSE;
        }
    }
  return TRUE;
}

static gboolean
wpr_orphan_fill (const WprOrphan *orphan, WprStore *store, GError **error)
{
  WprClockReading now;
  wpr_clock_read (&now);
  gint64 ago = now.monotonic_ns - orphan->started_ns;
  WprClockReading then = { .monotonic_ns = orphan->started_ns,
                           .boottime_ns = now.boottime_ns - ago,
                           .realtime_ns = orphan->started_realtime_ns };
  const char *text = _ ("The recorder ended unexpectedly; what its buffers in memory held was kept "
                        "and saved afterwards. Programs that ended meanwhile may have no name.");
  if (!wpr_orphan_note_clock (store, &then, error) || !wpr_orphan_note_clock (store, &now, error)
      || !wpr_store_add_note (store, WPR_NOTE_NOTICE, 0, now.monotonic_ns, 0, 0, text,
                              strlen (text), error))
    return FALSE;
  for (guint i = 0; i < orphan->opened.leaders->len; i++)
    {
      const WprLeader *leader = &g_array_index (orphan->opened.leaders, WprLeader, i);
      guint32 collector = leader->ring < orphan->sets->len
                              ? g_array_index (orphan->sets, guint32, leader->ring)
                              : WPR_COLLECTOR_SIDEBAND;
      if (leader->bytes > 0 && collector != WPR_COLLECTOR_SIDEBAND
          && !wpr_orphan_copy_data (orphan, leader, collector, store, now.monotonic_ns, error))
        return FALSE;
    }
  return wpr_orphan_write_tallies (orphan, store, now.monotonic_ns, error)
         && wpr_orphan_write_world (orphan, store, error)
         && wpr_store_add_note (store, WPR_NOTE_STOPPED, 0, now.monotonic_ns, 0, 0, &now,
                                sizeof now, error);
}

char *
wpr_orphan_take (const char *path, int *kallsyms_fd, GError **error)
{
  g_auto (WprOrphan) orphan = { 0 };
  g_autofree char *parent = wpr_raw_dir (error);
  WprStoreLimits limits = { .epoch_bytes = G_MAXUINT64 };
  if (!parent || !wpr_orphan_claim (&orphan, path, error))
    return NULL;
  for (guint i = 0; i < orphan.opened.leaders->len; i++)
    ioctl (g_array_index (orphan.opened.leaders, WprLeader, i).fd, PERF_EVENT_IOC_DISABLE, 0);
  wpr_orphan_take_ids (&orphan);
  WprStore *store = wpr_store_create (parent, g_steal_pointer (&orphan.manifest), &limits, error);
  if (!store)
    return NULL;
  g_autofree char *made = g_strdup (wpr_store_get_path (store));
  gboolean good = wpr_orphan_fill (&orphan, store, error);
  wpr_store_close (store);
  if (!good)
    {
      wpr_store_delete (made, NULL);
      return NULL;
    }
  /* Without them the file has no names of the kernel's; it is saved all the same. */
  *kallsyms_fd = wpr_broker_kallsyms_fd (orphan.session, NULL);
  wpr_log (WPR_LOG_RECOVER, "%s is %s now", path, made);
  wpr_opener_close (orphan.opener);
  return g_steal_pointer (&made);
}

gboolean
wpr_orphan_discard (const char *path, GError **error)
{
  g_auto (WprOrphan) orphan = { 0 };
  g_autoptr (GBytes) kept = NULL;
  orphan.session = wpr_broker_claim_orphan (path + strlen (WPR_ORPHAN_PREFIX), error);
  if (!orphan.session)
    return FALSE;
  orphan.opener = wpr_opener_broker_new (orphan.session);
  if (!wpr_opener_broker_recall (orphan.opener, &orphan.opened, &kept, error))
    return FALSE;
  wpr_opener_close (orphan.opener);
  return TRUE;
}
