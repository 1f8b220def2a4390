/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packets of a session's socket: put together, sent, received, taken apart. Decides nothing. */
#include "config.h"
#include "broker/protocol.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

const WprBrokerVerbType wpr_broker_verbs[WPR_BROKER_N_VERBS] = {
  [WPR_BROKER_OPEN] = { "open", "(" WPR_BROKER_ROWS "a" WPR_BROKER_RING "au)", WPR_BROKER_OPENED },
  [WPR_BROKER_ADD] = { "add", WPR_BROKER_ROWS, WPR_BROKER_OPENED },
  [WPR_BROKER_DROP] = { "drop", "u", "a(ttt)" },
  [WPR_BROKER_FILTER] = { "filter", "(uau)", WPR_BROKER_OPENED },
  [WPR_BROKER_GROW] = { "grow", "(ut)", WPR_BROKER_OPENED },
  [WPR_BROKER_GROW_AHEAD] = { "grow-ahead", "(ut)", "()" },
  [WPR_BROKER_CPU_ONLINE] = { "cpu-online", "u", WPR_BROKER_OPENED },
  [WPR_BROKER_CLOSE] = { "close", "()", "()" },
  [WPR_BROKER_FORMATS] = { "formats", "as", "a(sis)" },
  [WPR_BROKER_KALLSYMS] = { "kallsyms", "()", "ay" },
  [WPR_BROKER_RUNDOWN] = { "rundown", "b", "ay" },
  [WPR_BROKER_DESCRIPTORS] = { "descriptors", "b", "a(uxa(iuxay))" },
  [WPR_BROKER_KEEP] = { "keep", "(bay)", "()" },
  [WPR_BROKER_RECALL] = { "recall", "()", "(" WPR_BROKER_OPENED "ay)" },
};

/* As (uut) lies in memory. */
typedef struct
{
  guint32 ring, cpu;
  guint64 bytes;
} Leader;
G_STATIC_ASSERT (sizeof (WprEventId) == 16 && G_STRUCT_OFFSET (WprEventId, cpu) == 12);
G_STATIC_ASSERT (sizeof (WprRefusal) == 12 && sizeof (WprGroupCount) == 24);

/* ---- values ---- */

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

/* An array's elements from `first` on, which lie in memory as the type says. */
static GVariant *
pack_array (const char *type, const GArray *array, guint first)
{
  guint size = array != NULL ? g_array_get_element_size ((GArray *)array) : 0;
  guint n = array != NULL ? array->len - first : 0;
  return g_variant_new_fixed_array (G_VARIANT_TYPE (type),
                                    n > 0 ? array->data + (gsize)first * size : NULL, n,
                                    size > 0 ? size : 1);
}

GVariant *
wpr_broker_pack_opened (const WprOpened *opened, guint leader, guint id, guint refusal)
{
  g_autoptr (GArray) leaders = g_array_new (FALSE, FALSE, sizeof (Leader));
  for (guint i = leader; opened->leaders != NULL && i < opened->leaders->len; i++)
    {
      const WprLeader *one = &g_array_index (opened->leaders, WprLeader, i);
      Leader packed = { one->ring, one->cpu, one->bytes };
      g_array_append_val (leaders, packed);
    }
  return g_variant_new ("(@a(uut)@a(tuu)@a(uui))", pack_array ("(uut)", leaders, 0),
                        pack_array ("(tuu)", opened->ids, id),
                        pack_array ("(uui)", opened->refusals, refusal));
}

gboolean
wpr_broker_unpack_opened (GVariant *packed, const GArray *fds, WprOpened *opened)
{
  g_autoptr (GVariant) a = g_variant_get_child_value (packed, 0);
  g_autoptr (GVariant) b = g_variant_get_child_value (packed, 1);
  g_autoptr (GVariant) c = g_variant_get_child_value (packed, 2);
  gsize n_leaders, n_ids, n_refusals;
  const Leader *leaders = g_variant_get_fixed_array (a, &n_leaders, sizeof *leaders);
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

/* ---- packets ---- */

typedef union
{
  struct cmsghdr head;
  char space[CMSG_SPACE (sizeof (int) * WPR_BROKER_FDS_A_PACKET)];
} Control;

static gboolean
send_packet (int fd, gconstpointer data, gsize size, const int *fds, gsize n_fds)
{
  Control control = { 0 };
  struct iovec part = { .iov_base = (gpointer)data, .iov_len = size };
  struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
  gssize n;
  if (n_fds > 0)
    {
      message.msg_control = &control;
      message.msg_controllen = CMSG_SPACE (sizeof (int) * n_fds);
      control.head.cmsg_level = SOL_SOCKET;
      control.head.cmsg_type = SCM_RIGHTS;
      control.head.cmsg_len = CMSG_LEN (sizeof (int) * n_fds);
      memcpy (CMSG_DATA (&control.head), fds, sizeof (int) * n_fds);
    }
  do
    n = sendmsg (fd, &message, MSG_NOSIGNAL);
  while (n < 0 && errno == EINTR);
  return n == (gssize)size;
}

gboolean
wpr_broker_send (int fd, GVariant *message, const int *fds, gsize n_fds)
{
  g_autoptr (GVariant) value = g_variant_ref_sink (message);
  gsize done = MIN (n_fds, WPR_BROKER_FDS_A_PACKET);
  gboolean good
      = send_packet (fd, g_variant_get_data (value), g_variant_get_size (value), fds, done);
  for (; good && done < n_fds; done += MIN (n_fds - done, WPR_BROKER_FDS_A_PACKET))
    good = send_packet (fd, "", 1, fds + done, MIN (n_fds - done, WPR_BROKER_FDS_A_PACKET));
  return good;
}

static void
take_descriptors (struct msghdr *message, GArray *fds)
{
  for (struct cmsghdr *c = CMSG_FIRSTHDR (message); c != NULL; c = CMSG_NXTHDR (message, c))
    if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
      g_array_append_vals (fds, CMSG_DATA (c),
                           (guint)((c->cmsg_len - CMSG_LEN (0)) / sizeof (int)));
}

/* Without fds the kernel is given no room for descriptors: it drops them before they are ours. */
GVariant *
wpr_broker_receive (int fd, const char *type, GArray *fds)
{
  Control control;
  g_autofree guint8 *bytes = g_malloc (WPR_BROKER_PACKET_MOST);
  struct iovec part = { .iov_base = bytes, .iov_len = WPR_BROKER_PACKET_MOST };
  struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
  gssize n;
  message.msg_control = fds != NULL ? &control : NULL;
  message.msg_controllen = fds != NULL ? sizeof control : 0;
  do
    n = recvmsg (fd, &message, MSG_CMSG_CLOEXEC);
  while (n < 0 && errno == EINTR);
  if (n > 0 && fds != NULL)
    take_descriptors (&message, fds);
  if (n == 0)
    errno = 0;
  if (n <= 0)
    return NULL;
  errno = (message.msg_flags & MSG_CTRUNC) != 0  ? EBADF
          : (message.msg_flags & MSG_TRUNC) != 0 ? EMSGSIZE
                                                 : EBADMSG;
  if ((message.msg_flags & (MSG_CTRUNC | MSG_TRUNC)) != 0)
    return NULL;
  g_autoptr (GBytes) whole = g_bytes_new_take (g_steal_pointer (&bytes), (gsize)n);
  g_autoptr (GVariant) value
      = g_variant_ref_sink (g_variant_new_from_bytes (G_VARIANT_TYPE (type), whole, FALSE));
  if (g_variant_is_normal_form (value))
    return g_steal_pointer (&value);
  errno = EBADMSG;
  return NULL;
}

gboolean
wpr_broker_send_bytes (int fd, GVariant *value)
{
  const guint8 *data = g_variant_get_data (value);
  gsize size = g_variant_get_size (value), part;
  for (gsize done = 0; done < size; done += part)
    {
      part = MIN (size - done, WPR_BROKER_INLINE_MOST);
      if (!send_packet (fd, data + done, part, NULL, 0))
        return FALSE;
    }
  return TRUE;
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
