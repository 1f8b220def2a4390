/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The recorder's half of the packets: rows put together, answers and their descriptors taken apart.
 * The service has its own half in protocol.c. */
#include "config.h"
#include "broker/client/client-private.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

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

static void
take_descriptors (struct msghdr *message, GArray *fds)
{
  for (struct cmsghdr *c = CMSG_FIRSTHDR (message); c != NULL; c = CMSG_NXTHDR (message, c))
    if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
      g_array_append_vals (fds, CMSG_DATA (c),
                           (guint)((c->cmsg_len - CMSG_LEN (0)) / sizeof (int)));
}

GVariant *
wpr_broker_receive_fds (int fd, const char *type, GArray *fds)
{
  WprBrokerControl control;
  struct msghdr message = { .msg_control = &control, .msg_controllen = sizeof control };
  GVariant *value = wpr_broker_receive (fd, type, &message);
  take_descriptors (&message, fds);
  return value;
}

GVariant *
wpr_broker_receive_bytes (int fd, const char *type, guint64 size)
{
  g_autofree guint8 *bytes = size <= G_MAXINT32 ? g_try_malloc ((gsize)size) : NULL;
  gssize n = 0;
  for (gsize done = 0; bytes != NULL && done < size; done += (gsize)n)
    {
      do
        n = recv (fd, bytes + done, (gsize)size - done, 0);
      while (n < 0 && errno == EINTR);
      if (n <= 0)
        return NULL;
    }
  if (bytes == NULL)
    return NULL;
  g_autoptr (GBytes) whole = g_bytes_new_take (g_steal_pointer (&bytes), (gsize)size);
  g_autoptr (GVariant) value
      = g_variant_ref_sink (g_variant_new_from_bytes (G_VARIANT_TYPE (type), whole, FALSE));
  return g_variant_is_normal_form (value) ? g_steal_pointer (&value) : NULL;
}
