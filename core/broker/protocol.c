/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packets of a session's socket: put together, sent, received, taken apart. Decides nothing. */
#include "config.h"
#include "broker/protocol.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

G_STATIC_ASSERT (sizeof (WprEventId) == 16 && G_STRUCT_OFFSET (WprEventId, cpu) == 12);
G_STATIC_ASSERT (sizeof (WprRefusal) == 12 && sizeof (WprGroupCount) == 24);

/* ---- values ---- */

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
  g_autoptr (GArray) leaders = g_array_new (FALSE, FALSE, sizeof (WprBrokerLeader));
  for (guint i = leader; opened->leaders != NULL && i < opened->leaders->len; i++)
    {
      const WprLeader *one = &g_array_index (opened->leaders, WprLeader, i);
      WprBrokerLeader packed = { one->ring, one->cpu, one->bytes };
      g_array_append_val (leaders, packed);
    }
  return g_variant_new ("(@a(uut)@a(tuu)@a(uui))", pack_array ("(uut)", leaders, 0),
                        pack_array ("(tuu)", opened->ids, id),
                        pack_array ("(uui)", opened->refusals, refusal));
}

/* ---- packets ---- */

static gboolean
send_packet (int fd, gconstpointer data, gsize size, const int *fds, gsize n_fds)
{
  WprBrokerControl control = { 0 };
  struct iovec part = { .iov_base = (gpointer)data, .iov_len = size };
  struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
  if (n_fds > 0)
    {
      message.msg_control = &control;
      message.msg_controllen = CMSG_SPACE (sizeof (int) * n_fds);
      control.head.cmsg_level = SOL_SOCKET;
      control.head.cmsg_type = SCM_RIGHTS;
      control.head.cmsg_len = CMSG_LEN (sizeof (int) * n_fds);
      memcpy (CMSG_DATA (&control.head), fds, sizeof (int) * n_fds);
    }
  return TEMP_FAILURE_RETRY (sendmsg (fd, &message, MSG_NOSIGNAL)) == (gssize)size;
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

GVariant *
wpr_broker_receive (int fd, const char *type, struct msghdr *message)
{
  struct msghdr plain = { 0 }, *in = message != NULL ? message : &plain;
  g_autofree guint8 *bytes = g_malloc (WPR_BROKER_PACKET_MOST);
  struct iovec part = { .iov_base = bytes, .iov_len = WPR_BROKER_PACKET_MOST };
  in->msg_iov = &part;
  in->msg_iovlen = 1;
  gssize n = TEMP_FAILURE_RETRY (recvmsg (fd, in, MSG_CMSG_CLOEXEC));
  in->msg_iov = NULL;
  if (n <= 0)
    {
      in->msg_controllen = 0;
      errno = n == 0 ? 0 : errno;
      return NULL;
    }
  g_autoptr (GBytes) whole = g_bytes_new_take (g_steal_pointer (&bytes), (gsize)n);
  g_autoptr (GVariant) value
      = g_variant_ref_sink (g_variant_new_from_bytes (G_VARIANT_TYPE (type), whole, FALSE));
  errno = EBADMSG;
  return (in->msg_flags & (MSG_CTRUNC | MSG_TRUNC)) == 0 && g_variant_is_normal_form (value)
             ? g_steal_pointer (&value)
             : NULL;
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
