/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One value a packet, with descriptors beside it. What the values mean is not known here. */
#include "config.h"
#include "base/packet.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

typedef union
{
  struct cmsghdr head;
  char space[CMSG_SPACE (sizeof (int) * WPR_PACKET_FDS_MOST)];
} Control;

static gboolean
send_packet (int fd, gconstpointer data, gsize size, const int *fds, gsize n_fds)
{
  Control control = { 0 };
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
wpr_packet_send (int fd, GVariant *message, const int *fds, gsize n_fds)
{
  g_autoptr (GVariant) value = g_variant_ref_sink (message);
  gsize done = MIN (n_fds, WPR_PACKET_FDS_MOST);
  gboolean good
      = send_packet (fd, g_variant_get_data (value), g_variant_get_size (value), fds, done);
  for (; good && done < n_fds; done += MIN (n_fds - done, WPR_PACKET_FDS_MOST))
    good = send_packet (fd, "", 1, fds + done, MIN (n_fds - done, WPR_PACKET_FDS_MOST));
  return good;
}

GVariant *
wpr_packet_receive (int fd, const char *type, struct msghdr *message)
{
  struct msghdr plain = { 0 }, *in = message != NULL ? message : &plain;
  g_autofree guint8 *bytes = g_malloc (WPR_PACKET_MOST);
  struct iovec part = { .iov_base = bytes, .iov_len = WPR_PACKET_MOST };
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

static void
take_descriptors (struct msghdr *message, GArray *fds)
{
  for (struct cmsghdr *c = CMSG_FIRSTHDR (message); c != NULL; c = CMSG_NXTHDR (message, c))
    if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
      g_array_append_vals (fds, CMSG_DATA (c),
                           (guint)((c->cmsg_len - CMSG_LEN (0)) / sizeof (int)));
}

GVariant *
wpr_packet_receive_fds (int fd, const char *type, GArray *fds)
{
  Control control;
  struct msghdr message = { .msg_control = &control, .msg_controllen = sizeof control };
  GVariant *value = wpr_packet_receive (fd, type, &message);
  take_descriptors (&message, fds);
  return value;
}
