/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Any bytes as requests to a session of the broker: each a length (two bytes) and so many bytes.
 * All that the session checks is run; where it would open events an opener answers that opens
 * nothing. */
#include "config.h"

#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "broker/check.h"
#include "broker/session-private.h"
#include "perf/filter.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

/* ---- an opener that opens nothing ---- */

#define FAKE_TYPE_OPENER (fake_opener_get_type ())
G_DECLARE_FINAL_TYPE (FakeOpener, fake_opener, FAKE, OPENER, WprOpener)
struct _FakeOpener
{
  WprOpener parent_instance;
  guint64 id;
  GHashTable *rows; /* that it was asked to open */
  guint n_rings;
};
G_DEFINE_FINAL_TYPE (FakeOpener, fake_opener, WPR_TYPE_OPENER)

/* What the session must never let through. */
static void
take_event (FakeOpener *self, const WprPerfEvent *event, WprOpened *opened)
{
  WprEventId id = { ++self->id, event->row, 0 };
  g_assert (event->kind <= WPR_PERF_SIDEBAND && event->callchain <= WPR_CALLCHAIN_FULL);
  g_assert (event->n_skip_tids <= WPR_PERF_FILTER_MOST && event->ring < self->n_rings);
  g_assert (strpbrk (event->name, "/. ") == NULL);
  if (event->filter != NULL)
    {
      g_autofree char *again = wpr_filter_print_anew (event->filter);
      g_assert_cmpstr (again, ==, event->filter);
    }
  g_assert (g_hash_table_add (self->rows, GUINT_TO_POINTER (event->row)));
  g_array_append_val (opened->ids, id);
}

static void
take_leader (guint ring, gsize bytes, WprOpened *opened)
{
  WprLeader leader = { .ring = ring, .fd = -1, .bytes = bytes };
  g_assert ((bytes & (bytes - 1)) == 0 && bytes <= WPR_BROKER_RING_BYTES_MOST);
  g_array_append_val (opened->leaders, leader);
}

static gboolean
fake_open (WprOpener *opener, const WprPerfEvent *events, gsize n_events, const WprRingSpec *rings,
           gsize n_rings, const guint *cpus, gsize n_cpus, WprOpened *opened, GError **error)
{
  FAKE_OPENER (opener)->n_rings = (guint)n_rings;
  for (gsize i = 0; i < n_rings; i++)
    take_leader ((guint)i, rings[i].bytes, opened);
  for (gsize i = 0; i < n_events; i++)
    take_event (FAKE_OPENER (opener), &events[i], opened);
  return TRUE;
}

static gboolean
fake_add (WprOpener *opener, const WprPerfEvent *event, WprOpened *opened, GError **error)
{
  take_event (FAKE_OPENER (opener), event, opened);
  return TRUE;
}

static gboolean
fake_drop (WprOpener *opener, guint32 row, GArray *counts, GError **error)
{
  WprGroupCount count = { 1, 2, 3 };
  g_assert (g_hash_table_remove (FAKE_OPENER (opener)->rows, GUINT_TO_POINTER (row)));
  g_array_append_val (counts, count);
  return TRUE;
}

static gboolean
fake_filter (WprOpener *opener, guint32 row, const guint32 *skip_tids, gsize n, WprOpened *opened,
             GError **error)
{
  g_assert (g_hash_table_contains (FAKE_OPENER (opener)->rows, GUINT_TO_POINTER (row)));
  return TRUE;
}

static gboolean
fake_grow (WprOpener *opener, guint ring, gsize bytes, WprOpened *opened, GError **error)
{
  g_assert (ring < FAKE_OPENER (opener)->n_rings);
  take_leader (ring, bytes, opened);
  return TRUE;
}

static gboolean
fake_grow_ahead (WprOpener *opener, guint ring, gsize bytes, GError **error)
{
  g_assert (ring < FAKE_OPENER (opener)->n_rings);
  return TRUE;
}

static gboolean
fake_cpu_online (WprOpener *opener, guint cpu, WprOpened *opened, GError **error)
{
  g_assert (cpu < wpr_cpus_possible ());
  take_leader (0, 0, opened);
  return TRUE;
}

static void
fake_close (WprOpener *opener)
{
  g_hash_table_remove_all (FAKE_OPENER (opener)->rows);
  FAKE_OPENER (opener)->n_rings = 0;
}

static void
fake_opener_finalize (GObject *object)
{
  g_hash_table_unref (FAKE_OPENER (object)->rows);
  G_OBJECT_CLASS (fake_opener_parent_class)->finalize (object);
}

static void
fake_opener_class_init (FakeOpenerClass *klass)
{
  WprOpenerClass *opener_class = WPR_OPENER_CLASS (klass);
  G_OBJECT_CLASS (klass)->finalize = fake_opener_finalize;
  opener_class->open = fake_open;
  opener_class->add = fake_add;
  opener_class->drop = fake_drop;
  opener_class->filter = fake_filter;
  opener_class->grow = fake_grow;
  opener_class->grow_ahead = fake_grow_ahead;
  opener_class->cpu_online = fake_cpu_online;
  opener_class->close = fake_close;
}

static void
fake_opener_init (FakeOpener *self)
{
  self->rows = g_hash_table_new (NULL, NULL);
}

/* ---- requests ---- */

/* These read all of /proc, whatever the bytes are. */
static gboolean
is_slow (guint32 verb)
{
  return verb == WPR_BROKER_KALLSYMS || verb == WPR_BROKER_RUNDOWN
         || verb == WPR_BROKER_DESCRIPTORS;
}

/* FALSE once the session ends. */
static gboolean
run_request (WprServed *served, const uint8_t *data, gsize size)
{
  g_autoptr (GArray) fds = g_array_new (FALSE, FALSE, sizeof (int));
  g_autoptr (GVariant) answer = NULL;
  g_autoptr (GBytes) bytes = g_bytes_new (data, size);
  g_autoptr (GVariant) request = g_variant_ref_sink (
      g_variant_new_from_bytes (G_VARIANT_TYPE (WPR_BROKER_REQUEST), bytes, FALSE));
  guint32 verb;
  gboolean malformed;
  int sealed;
  if (!g_variant_is_normal_form (request))
    return FALSE;
  g_variant_get_child (request, 0, "u", &served->number);
  served->number--; /* in order, whatever the number */
  g_variant_get_child (request, 1, "u", &verb);
  if (is_slow (verb))
    return TRUE;
  answer = g_variant_ref_sink (wpr_served_answer (served, request, fds, &sealed, &malformed));
  if (sealed >= 0)
    close (sealed);
  g_assert (g_variant_is_normal_form (answer));
  return !malformed;
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  const WprBrokerGrant grant = { .uid = 1, .instance = "fuzz" };
  wpr_broker_set_limits (0, G_MAXINT64);
  WprServed *served = wpr_served_new (&grant, g_object_new (FAKE_TYPE_OPENER, NULL));
  while (size >= 2)
    {
      gsize length = MIN ((gsize)(data[0] | data[1] << 8), size - 2);
      if (!run_request (served, data + 2, length))
        break;
      data += 2 + length;
      size -= 2 + length;
    }
  wpr_served_free (served);
  return 0;
}
