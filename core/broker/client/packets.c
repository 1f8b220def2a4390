/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The recorder's half of the packets: rows put together, answers and their descriptors taken apart.
 * The service has its own half in protocol.c. */
#include "config.h"
#include "broker/client/client-private.h"

GVariant *
wpr_broker_pack_rows (const WprPerfEvent *events, gsize n)
{
  g_autoptr (GHashTable) numbers = g_hash_table_new (g_str_hash, g_str_equal);
  GVariantBuilder filters, rows;
  g_variant_builder_init (&filters, G_VARIANT_TYPE ("as"));
  g_variant_builder_init (&rows, G_VARIANT_TYPE ("a" WPR_BROKER_ROW));
  for (gsize i = 0; i < n; i++)
    {
      const WprPerfEvent *event = &events[i];
      guint filter = 0;
      if (event->filter != NULL)
        filter = GPOINTER_TO_UINT (g_hash_table_lookup (numbers, event->filter));
      if (event->filter != NULL && filter == 0)
        {
          filter = g_hash_table_size (numbers) + 1;
          g_hash_table_insert (numbers, (gpointer)event->filter, GUINT_TO_POINTER (filter));
          g_variant_builder_add (&filters, "s", event->filter);
        }
      g_variant_builder_add (&rows, "(uuusttubbu@au)", event->row, event->ring, event->kind,
                             event->name, event->period, event->frequency, event->callchain,
                             event->addr, event->regs, filter,
                             g_variant_new_fixed_array (G_VARIANT_TYPE_UINT32, event->skip_tids,
                                                        event->n_skip_tids, sizeof (guint32)));
    }
  return g_variant_new (WPR_BROKER_ROWS, &filters, &rows);
}

gboolean
wpr_broker_unpack_opened (GVariant *packed, const GArray *fds, WprOpened *opened)
{
  g_autoptr (GVariant) a = g_variant_get_child_value (packed, 0);
  g_autoptr (GVariant) b = g_variant_get_child_value (packed, 1);
  g_autoptr (GVariant) c = g_variant_get_child_value (packed, 2);
  gsize n_leaders, n_ids, n_refusals;
  const WprBrokerLeader *leaders = g_variant_get_fixed_array (a, &n_leaders, sizeof *leaders);
  const WprEventId *ids = g_variant_get_fixed_array (b, &n_ids, sizeof *ids);
  const WprRefusal *refusals = g_variant_get_fixed_array (c, &n_refusals, sizeof *refusals);
  if (n_leaders != fds->len)
    return FALSE;
  if (opened->leaders == NULL)
    opened->leaders = g_array_new (FALSE, FALSE, sizeof (WprLeader));
  if (opened->ids == NULL)
    opened->ids = g_array_new (FALSE, FALSE, sizeof (WprEventId));
  if (opened->refusals == NULL)
    opened->refusals = g_array_new (FALSE, FALSE, sizeof (WprRefusal));
  for (gsize i = 0; i < n_leaders; i++)
    {
      WprLeader leader = { .ring = leaders[i].ring,
                           .cpu = leaders[i].cpu,
                           .fd = g_array_index (fds, int, i),
                           .bytes = leaders[i].bytes };
      g_array_append_val (opened->leaders, leader);
    }
  g_array_append_vals (opened->ids, ids, (guint)n_ids);
  g_array_append_vals (opened->refusals, refusals, (guint)n_refusals);
  return TRUE;
}
