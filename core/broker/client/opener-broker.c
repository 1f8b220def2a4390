/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The opener whose member events are the service's: each verb is one call. What comes back are
 * leaders, whose descriptors this keeps until close. */
#include "config.h"
#include "broker/client/client-private.h"

#include <glib/gi18n-lib.h>
#include <unistd.h>

#define WPR_TYPE_OPENER_BROKER (wpr_opener_broker_get_type ())
G_DECLARE_FINAL_TYPE (WprOpenerBroker, wpr_opener_broker, WPR, OPENER_BROKER, WprOpener)

struct _WprOpenerBroker
{
  WprOpener parent_instance;
  WprBrokerSession *session;
  GArray *leader_fds; /* int */
  gboolean open;
};

G_DEFINE_FINAL_TYPE (WprOpenerBroker, wpr_opener_broker, WPR_TYPE_OPENER)

static gboolean
take_opened (WprOpenerBroker *self, GVariant *packed, GArray *fds, WprOpened *opened,
             GError **error)
{
  if (wpr_broker_unpack_opened (packed, fds, opened))
    {
      g_array_append_vals (self->leader_fds, fds->data, fds->len);
      return TRUE;
    }
  for (guint i = 0; i < fds->len; i++)
    close (g_array_index (fds, int, i));
  wpr_set_error (error, WPR_ERROR_INTERNAL, 0, _ ("The recording service answered nonsense."));
  return FALSE;
}

/* A verb that answers with leaders and ids. Consumes args. */
static gboolean
call_opened (WprOpener *opener, WprBrokerVerb verb, GVariant *args, WprOpened *opened,
             GError **error)
{
  WprOpenerBroker *self = WPR_OPENER_BROKER (opener);
  g_autoptr (GArray) fds = g_array_new (FALSE, FALSE, sizeof (int));
  g_autoptr (GVariant) result = wpr_broker_call (self->session, verb, args, fds, error);
  return result != NULL && take_opened (self, result, fds, opened, error);
}

static GVariant *
pack_numbers (const guint32 *numbers, gsize n)
{
  return g_variant_new_fixed_array (G_VARIANT_TYPE_UINT32, numbers, n, sizeof *numbers);
}

static gboolean
broker_open (WprOpener *opener, const WprPerfEvent *events, gsize n_events,
             const WprRingSpec *rings, gsize n_rings, const guint *cpus, gsize n_cpus,
             WprOpened *opened, GError **error)
{
  GVariantBuilder specs;
  g_variant_builder_init (&specs, G_VARIANT_TYPE ("a" WPR_BROKER_RING));
  for (gsize i = 0; i < n_rings; i++)
    g_variant_builder_add (&specs, WPR_BROKER_RING, (guint64)rings[i].bytes, rings[i].backward,
                           rings[i].watermark);
  wpr_raise_nofile ();
  GVariant *args = g_variant_new ("(@" WPR_BROKER_ROWS "a" WPR_BROKER_RING "@au)",
                                  wpr_broker_pack_rows (events, n_events), &specs,
                                  pack_numbers (cpus, n_cpus));
  gboolean good = call_opened (opener, WPR_BROKER_OPEN, args, opened, error);
  WPR_OPENER_BROKER (opener)->open |= good;
  return good;
}

static gboolean
broker_add (WprOpener *opener, const WprPerfEvent *event, WprOpened *opened, GError **error)
{
  return call_opened (opener, WPR_BROKER_ADD, wpr_broker_pack_rows (event, 1), opened, error);
}

static gboolean
broker_drop (WprOpener *opener, guint32 row, GArray *counts, GError **error)
{
  gsize n;
  g_autoptr (GVariant) result
      = wpr_broker_call (WPR_OPENER_BROKER (opener)->session, WPR_BROKER_DROP,
                         g_variant_new_uint32 (row), NULL, error);
  if (result == NULL)
    return FALSE;
  gconstpointer values = g_variant_get_fixed_array (result, &n, sizeof (WprGroupCount));
  if (counts != NULL)
    g_array_append_vals (counts, values, (guint)n);
  return TRUE;
}

static gboolean
broker_filter (WprOpener *opener, guint32 row, const guint32 *skip_tids, gsize n, WprOpened *opened,
               GError **error)
{
  return call_opened (opener, WPR_BROKER_FILTER,
                      g_variant_new ("(u@au)", row, pack_numbers (skip_tids, n)), opened, error);
}

static gboolean
broker_grow (WprOpener *opener, guint ring, gsize bytes, WprOpened *opened, GError **error)
{
  return call_opened (opener, WPR_BROKER_GROW, g_variant_new ("(ut)", ring, (guint64)bytes), opened,
                      error);
}

static gboolean
broker_grow_ahead (WprOpener *opener, guint ring, gsize bytes, GError **error)
{
  g_autoptr (GVariant) result
      = wpr_broker_call (WPR_OPENER_BROKER (opener)->session, WPR_BROKER_GROW_AHEAD,
                         g_variant_new ("(ut)", ring, (guint64)bytes), NULL, error);
  return result != NULL;
}

static gboolean
broker_cpu_online (WprOpener *opener, guint cpu, WprOpened *opened, GError **error)
{
  return call_opened (opener, WPR_BROKER_CPU_ONLINE, g_variant_new_uint32 (cpu), opened, error);
}

/* Waits until the service has closed them: the next start would wait for that in the kernel. */
static void
broker_close (WprOpener *opener)
{
  WprOpenerBroker *self = WPR_OPENER_BROKER (opener);
  for (guint i = 0; i < self->leader_fds->len; i++)
    close (g_array_index (self->leader_fds, int, i));
  g_array_set_size (self->leader_fds, 0);
  if (!self->open)
    return;
  self->open = FALSE;
  g_autoptr (GVariant) result
      = wpr_broker_call (self->session, WPR_BROKER_CLOSE, g_variant_new ("()"), NULL, NULL);
}

gboolean
wpr_opener_broker_recall (WprOpener *opener, WprOpened *opened, GBytes **kept, GError **error)
{
  WprOpenerBroker *self = WPR_OPENER_BROKER (opener);
  g_autoptr (GArray) fds = g_array_new (FALSE, FALSE, sizeof (int));
  g_autoptr (GVariant) result
      = wpr_broker_call (self->session, WPR_BROKER_RECALL, g_variant_new ("()"), fds, error);
  if (result == NULL)
    return FALSE;
  g_autoptr (GVariant) packed = g_variant_get_child_value (result, 0);
  g_autoptr (GVariant) bytes = g_variant_get_child_value (result, 1);
  if (!take_opened (self, packed, fds, opened, error))
    return FALSE;
  self->open = TRUE;
  *kept = g_variant_get_size (bytes) > 0 ? g_variant_get_data_as_bytes (bytes) : NULL;
  return TRUE;
}

static void
wpr_opener_broker_finalize (GObject *object)
{
  WprOpenerBroker *self = WPR_OPENER_BROKER (object);
  broker_close (WPR_OPENER (self));
  g_array_unref (self->leader_fds);
  wpr_broker_session_unref (self->session);
  G_OBJECT_CLASS (wpr_opener_broker_parent_class)->finalize (object);
}

static void
wpr_opener_broker_class_init (WprOpenerBrokerClass *klass)
{
  WprOpenerClass *opener_class = WPR_OPENER_CLASS (klass);
  G_OBJECT_CLASS (klass)->finalize = wpr_opener_broker_finalize;
  opener_class->open = broker_open;
  opener_class->add = broker_add;
  opener_class->drop = broker_drop;
  opener_class->filter = broker_filter;
  opener_class->grow = broker_grow;
  opener_class->grow_ahead = broker_grow_ahead;
  opener_class->cpu_online = broker_cpu_online;
  opener_class->close = broker_close;
}

static void
wpr_opener_broker_init (WprOpenerBroker *self)
{
  self->leader_fds = g_array_new (FALSE, FALSE, sizeof (int));
}

WprOpener *
wpr_opener_broker_new (WprBrokerSession *session)
{
  WprOpenerBroker *self = g_object_new (WPR_TYPE_OPENER_BROKER, NULL);
  self->session = wpr_broker_session_ref (session);
  return WPR_OPENER (self);
}
