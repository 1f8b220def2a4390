/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TcpIp and UdpIp, as Windows' kernel tells them. Layouts: docs/etl.md. */
#include "config.h"
#include "sink/sink-etl-private.h"

#define TCP 0x0600
#define UDP 0x0800
#define V6 0x10 /* added to the type */

static const guint8 types[] = {
  [WPR_SOCKET_SEND] = 0x0a,       [WPR_SOCKET_RECEIVE] = 0x0b, [WPR_SOCKET_CONNECT] = 0x0c,
  [WPR_SOCKET_DISCONNECT] = 0x0d, [WPR_SOCKET_ACCEPT] = 0x0f,  [WPR_SOCKET_RETRANSMIT] = 0x0e,
};

/* Addresses and ports in network order, the other side's first, whoever sent. */
static void
put_addresses (WprPayload *payload, const WprEvent *event)
{
  gsize size = event->u.socket.v6 ? 16 : 4;
  guint16 remote = GUINT16_TO_BE (event->u.socket.remote_port);
  guint16 local = GUINT16_TO_BE (event->u.socket.local_port);

  wpr_payload_bytes (payload, event->u.socket.remote, size);
  wpr_payload_bytes (payload, event->u.socket.local, size);
  wpr_payload_bytes (payload, &remote, sizeof remote);
  wpr_payload_bytes (payload, &local, sizeof local);
}

/* What the kernel's records do not tell is 0. */
static void
put_details (WprPayload *payload, const WprEvent *event)
{
  switch (event->u.socket.op)
    {
    case WPR_SOCKET_CONNECT:
    case WPR_SOCKET_ACCEPT:
      wpr_payload_zeros (payload, 4 * 2);     /* mss; whether SACK, time stamps, window scales */
      wpr_payload_zeros (payload, 4 + 2 * 2); /* receive window, both scales */
      break;
    case WPR_SOCKET_SEND:
      if (!event->u.socket.udp)
        wpr_payload_zeros (payload, 2 * 4); /* start and end, in Windows' own clock */
      break;
    default:
      break;
    }
  wpr_payload_u32 (payload, 0); /* sequence number */
}

gboolean
wpr_sink_etl_socket (WprSinkEtl *self, const WprEvent *event, GError **error)
{
  WprEtlHead head
      = { .kind = WPR_ETL_PERFINFO,
          .hook = (guint16)((event->u.socket.udp ? UDP : TCP)
                            | (types[event->u.socket.op] + (event->u.socket.v6 ? V6 : 0))),
          .version = 2 };
  WprPayload payload;

  wpr_payload_init (&payload, self->scratch, WPR_SCRATCH_BYTES);
  wpr_payload_u32 (&payload, wpr_sink_etl_pid (self, event->u.socket.pid));
  wpr_payload_u32 (&payload, event->u.socket.size);
  put_addresses (&payload, event);
  put_details (&payload, event);
  wpr_payload_u64 (&payload, event->u.socket.id);
  return wpr_sink_etl_add (self, event->cpu, event->time, &head, &payload, error)
         && wpr_sink_etl_stack (self, event, error);
}
