/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TCP and UDP. Only a change of state tells a socket's addresses, and only who asks is a process
 * the kernel's records name: both are kept by socket, for what is sent and received on it later.
 * What has no counterpart (a state between others, a failed connection, sockets of other protocols)
 * stays what it is. */
#include "config.h"
#include "trace/convert-private.h"

#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

/* Sockets and listening ports that are kept, 5 MiB; what is more has no addresses. */
#define MOST_SOCKETS 65536
/* States as linux/tcp_states.h has them. */
#define ESTABLISHED 1
#define SYN_SENT 2
#define SYN_RECV 3
#define CLOSED 7
#define LISTEN 10

typedef struct
{
  guint32 pid; /* G_MAXUINT32: not known */
  guint16 local_port, remote_port;
  gboolean v6;
  guint8 local[16], remote[16];
} Socket;

struct _WprConvertNet
{
  GHashTable *sockets;   /* address in the kernel, guint64 * -> Socket */
  GHashTable *listeners; /* port -> pid */
};

WprConvertNet *
wpr_convert_net_new (void)
{
  WprConvertNet *net = g_new0 (WprConvertNet, 1);
  net->sockets = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  net->listeners = g_hash_table_new (NULL, NULL);
  return net;
}

void
wpr_convert_net_free (WprConvertNet *net)
{
  if (net == NULL)
    return;
  g_hash_table_unref (net->sockets);
  g_hash_table_unref (net->listeners);
  g_free (net);
}

/* NULL if there is no room for one more. */
static Socket *
socket_of (WprConvertNet *net, guint64 id, gboolean make)
{
  Socket *socket = g_hash_table_lookup (net->sockets, &id);
  if (socket != NULL || !make || g_hash_table_size (net->sockets) >= MOST_SOCKETS)
    return socket;
  socket = g_new0 (Socket, 1);
  socket->pid = G_MAXUINT32;
  g_hash_table_insert (net->sockets, g_memdup2 (&id, sizeof id), socket);
  return socket;
}

/* ---- addresses ---- */

/* Fields of all records that carry addresses, by place. */
enum
{
  ID,
  FAMILY,
  LOCAL_PORT,
  REMOTE_PORT,
  LOCAL,
  REMOTE,
  LOCAL6,
  REMOTE6,
  OLD_STATE,
  NEW_STATE,
  PROTOCOL
};
#define ADDRESSES "family", "sport", "dport", "saddr", "daddr", "saddr_v6", "daddr_v6"

static void
copy_address (const WprConvertRow *row, guint field, const WprRecord *record, guint8 *to,
              guint32 most)
{
  guint32 size = 0;
  const guint8 *bytes = wpr_field_bytes (row->fields[field], record->raw, record->raw_size, &size);
  memset (to, 0, 16);
  if (bytes != NULL)
    memcpy (to, bytes, MIN (size, most));
}

/* An IPv4 peer of an IPv6 socket is one of IPv4. */
static gboolean
is_mapped (const guint8 *address)
{
  return IN6_IS_ADDR_V4MAPPED ((const struct in6_addr *)address);
}

static void
read_addresses (const WprConvertRow *row, const WprRecord *record, Socket *socket)
{
  socket->local_port = (guint16)wpr_convert_int (row, LOCAL_PORT, record);
  socket->remote_port = (guint16)wpr_convert_int (row, REMOTE_PORT, record);
  copy_address (row, LOCAL6, record, socket->local, 16);
  copy_address (row, REMOTE6, record, socket->remote, 16);
  socket->v6 = wpr_convert_int (row, FAMILY, record) == AF_INET6 && !is_mapped (socket->remote);
  if (socket->v6)
    return;
  copy_address (row, LOCAL, record, socket->local, 4);
  copy_address (row, REMOTE, record, socket->remote, 4);
}

static void
tell (WprEvent *event, WprSocketOp op, guint64 id, const Socket *socket, guint32 size)
{
  event->kind = WPR_EVENT_SOCKET;
  memset (&event->u.socket, 0, sizeof event->u.socket);
  event->u.socket.op = op;
  event->u.socket.id = id;
  event->u.socket.size = size;
  event->u.socket.pid = socket->pid;
  event->u.socket.v6 = socket->v6;
  event->u.socket.local_port = socket->local_port;
  event->u.socket.remote_port = socket->remote_port;
  memcpy (event->u.socket.local, socket->local, sizeof socket->local);
  memcpy (event->u.socket.remote, socket->remote, sizeof socket->remote);
}

/* ---- states ---- */

static void
note_listener (WprConvertNet *net, const Socket *socket, guint32 pid)
{
  if (g_hash_table_size (net->listeners) < MOST_SOCKETS)
    g_hash_table_insert (net->listeners, GUINT_TO_POINTER (socket->local_port),
                         GUINT_TO_POINTER (pid));
}

/* Whoever listens there accepts it; the record itself is made in an interrupt. */
static guint32
listener (WprConvertNet *net, guint16 port)
{
  gpointer pid = NULL;
  return g_hash_table_lookup_extended (net->listeners, GUINT_TO_POINTER (port), NULL, &pid)
             ? GPOINTER_TO_UINT (pid)
             : G_MAXUINT32;
}

static WprConverted
convert_state (WprConvert *convert, const WprConvertRow *row, const WprRecord *record,
               WprEvent *event)
{
  WprConvertNet *net = convert->net;
  guint64 id = (guint64)wpr_convert_int (row, ID, record);
  gint64 old = wpr_convert_int (row, OLD_STATE, record),
         new = wpr_convert_int (row, NEW_STATE, record);
  Socket spare = { .pid = G_MAXUINT32 }, *socket;
  if (wpr_convert_int (row, PROTOCOL, record) != IPPROTO_TCP)
    return WPR_CONVERT_EVENT;
  socket = socket_of (net, id, new != CLOSED &&new != LISTEN);
  if (socket == NULL)
    socket = &spare;
  read_addresses (row, record, socket);
  if (new == LISTEN)
    note_listener (net, socket, record->pid);
  else if (new == SYN_SENT)
    socket->pid = record->pid;
  else if (new == ESTABLISHED && old == SYN_SENT)
    tell (event, WPR_SOCKET_CONNECT, id, socket, 0);
  else if (new == ESTABLISHED && old == SYN_RECV)
    {
      socket->pid = listener (net, socket->local_port);
      tell (event, WPR_SOCKET_ACCEPT, id, socket, 0);
    }
  else if (new == CLOSED && old != SYN_SENT &&old != SYN_RECV &&old != LISTEN)
    tell (event, WPR_SOCKET_DISCONNECT, id, socket, 0);
  if (new == CLOSED)
    g_hash_table_remove (net->sockets, &id);
  return WPR_CONVERT_EVENT;
}

static WprConverted
convert_retransmit (WprConvert *convert, const WprConvertRow *row, const WprRecord *record,
                    WprEvent *event)
{
  guint64 id = (guint64)wpr_convert_int (row, ID, record);
  Socket spare = { .pid = G_MAXUINT32 }, *socket = socket_of (convert->net, id, TRUE);
  if (socket == NULL)
    socket = &spare;
  read_addresses (row, record, socket);
  tell (event, WPR_SOCKET_RETRANSMIT, id, socket, 0);
  return WPR_CONVERT_EVENT;
}

/* ---- data ---- */

enum
{
  DATA_ID,
  DATA_FAMILY,
  DATA_PROTOCOL,
  DATA_RESULT,
  DATA_FLAGS
};

/* Errors, the end of a stream and looks at what is there (MSG_PEEK) move nothing. */
static WprConverted
convert_data (WprConvert *convert, const WprConvertRow *row, const WprRecord *record,
              WprEvent *event)
{
  guint64 id = (guint64)wpr_convert_int (row, DATA_ID, record);
  gint64 family = wpr_convert_int (row, DATA_FAMILY, record);
  gint64 protocol = wpr_convert_int (row, DATA_PROTOCOL, record);
  gint64 result = (gint32)wpr_convert_int (row, DATA_RESULT, record);
  Socket spare = { .v6 = family == AF_INET6 }, *socket;
  if ((family != AF_INET && family != AF_INET6)
      || (protocol != IPPROTO_TCP && protocol != IPPROTO_UDP) || result <= 0
      || (wpr_convert_int (row, DATA_FLAGS, record) & MSG_PEEK) != 0)
    return WPR_CONVERT_EVENT;
  socket = socket_of (convert->net, id, FALSE);
  if (socket == NULL)
    socket = &spare;
  socket->pid = record->pid;
  tell (event, (WprSocketOp)row->kind->what, id, socket, (guint32)result);
  event->u.socket.udp = protocol == IPPROTO_UDP;
  return WPR_CONVERT_EVENT;
}

const WprConvertKind wpr_convert_net_kinds[] = {
  { "sock:inet_sock_set_state",
    convert_state,
    { "skaddr", ADDRESSES, "oldstate", "newstate", "protocol" },
    0,
    NULL },
  { "tcp:tcp_retransmit_skb", convert_retransmit, { "skaddr", ADDRESSES }, 0, NULL },
  { "sock:sock_send_length",
    convert_data,
    { "sk", "family", "protocol", "ret", "flags" },
    WPR_SOCKET_SEND,
    NULL },
  { "sock:sock_recv_length",
    convert_data,
    { "sk", "family", "protocol", "ret", "flags" },
    WPR_SOCKET_RECEIVE,
    NULL },
  { NULL },
};
