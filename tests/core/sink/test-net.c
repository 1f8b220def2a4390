/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TcpIp and UdpIp, byte by byte. */
#include "config.h"
#include "sink-kit.h"

#include <string.h>

#define MS 1000000

static WprEvent
make (WprSocketOp op, gboolean udp, gboolean v6)
{
  WprEvent event = { .kind = WPR_EVENT_SOCKET, .time = 5 * MS, .pid = 9, .tid = 9, .row = 0 };

  event.u.socket.op = op;
  event.u.socket.udp = udp;
  event.u.socket.v6 = v6;
  event.u.socket.pid = 0x64;
  event.u.socket.size = 0x10e1;
  event.u.socket.id = 0xffff888001020304;
  event.u.socket.local_port = 0x0fa0;
  event.u.socket.remote_port = 80;
  memcpy (event.u.socket.local,
          v6 ? "\xfe\x80\0\0\0\0\0\0\0\0\0\0\0\0\0\1" : "\x0a\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0", 16);
  memcpy (event.u.socket.remote,
          v6 ? "\xfe\x80\0\0\0\0\0\0\0\0\0\0\0\0\0\2" : "\x0a\0\0\2\0\0\0\0\0\0\0\0\0\0\0\0", 16);
  return event;
}

#define HEAD4 "50c3 0000 0000 0000 6400 0000 e110 0000 0a00 0002 0a00 0001 0050 0fa0 "
#define HEAD6                                                                       \
  "50c3 0000 0000 0000 6400 0000 e110 0000"                                         \
  "fe80 0000 0000 0000 0000 0000 0000 0002 fe80 0000 0000 0000 0000 0000 0000 0001" \
  "0050 0fa0 "
#define ID " 0403 0201 8088 ffff"
/* Windows' sizes: 32 and 56 bytes received and UDP, 40 and 64 sent, 48 and 72 connected. */
static const struct
{
  WprSocketOp op;
  gboolean udp, v6;
  guint16 hook;
  guint size;
  const char *hex;
} rows[] = {
  { WPR_SOCKET_SEND, FALSE, FALSE, 0x060a, 40,
    "0200 11c0 3800 0a06 " HEAD4 "0000 0000 0000 0000 0000 0000" ID },
  { WPR_SOCKET_RECEIVE, FALSE, FALSE, 0x060b, 32, "0200 11c0 3000 0b06 " HEAD4 "0000 0000" ID },
  { WPR_SOCKET_CONNECT, FALSE, FALSE, 0x060c, 48,
    "0200 11c0 4000 0c06 " HEAD4 "0000 0000 0000 0000 0000 0000 0000 0000 0000 0000" ID },
  { WPR_SOCKET_DISCONNECT, FALSE, FALSE, 0x060d, 32, "0200 11c0 3000 0d06 " HEAD4 "0000 0000" ID },
  { WPR_SOCKET_RETRANSMIT, FALSE, FALSE, 0x060e, 32, "0200 11c0 3000 0e06 " HEAD4 "0000 0000" ID },
  { WPR_SOCKET_ACCEPT, FALSE, FALSE, 0x060f, 48,
    "0200 11c0 4000 0f06 " HEAD4 "0000 0000 0000 0000 0000 0000 0000 0000 0000 0000" ID },
  { WPR_SOCKET_SEND, FALSE, TRUE, 0x061a, 64,
    "0200 11c0 5000 1a06 " HEAD6 "0000 0000 0000 0000 0000 0000" ID },
  { WPR_SOCKET_RECEIVE, FALSE, TRUE, 0x061b, 56, "0200 11c0 4800 1b06 " HEAD6 "0000 0000" ID },
  { WPR_SOCKET_CONNECT, FALSE, TRUE, 0x061c, 72,
    "0200 11c0 5800 1c06 " HEAD6 "0000 0000 0000 0000 0000 0000 0000 0000 0000 0000" ID },
  { WPR_SOCKET_DISCONNECT, FALSE, TRUE, 0x061d, 56, "0200 11c0 4800 1d06 " HEAD6 "0000 0000" ID },
  { WPR_SOCKET_RETRANSMIT, FALSE, TRUE, 0x061e, 56, "0200 11c0 4800 1e06 " HEAD6 "0000 0000" ID },
  { WPR_SOCKET_ACCEPT, FALSE, TRUE, 0x061f, 72,
    "0200 11c0 5800 1f06 " HEAD6 "0000 0000 0000 0000 0000 0000 0000 0000 0000 0000" ID },
  { WPR_SOCKET_SEND, TRUE, FALSE, 0x080a, 32, "0200 11c0 3000 0a08 " HEAD4 "0000 0000" ID },
  { WPR_SOCKET_RECEIVE, TRUE, FALSE, 0x080b, 32, "0200 11c0 3000 0b08 " HEAD4 "0000 0000" ID },
  { WPR_SOCKET_SEND, TRUE, TRUE, 0x081a, 56, "0200 11c0 4800 1a08 " HEAD6 "0000 0000" ID },
  { WPR_SOCKET_RECEIVE, TRUE, TRUE, 0x081b, 56, "0200 11c0 4800 1b08 " HEAD6 "0000 0000" ID },
};

static void
each_operation_has_its_layout (void **state)
{
  g_autoptr (Kit) kit = kit_new ();

  kit_begin (kit);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      WprEvent event = make (rows[i].op, rows[i].udp, rows[i].v6);

      kit_event (kit, &event);
    }
  kit_finish (kit);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      guint size;
      const guint8 *at = kit_hook (kit, rows[i].hook, 0, &size);

      assert_int_equal (size, 0x10 + rows[i].size);
      kit_assert (at, size, rows[i].hex);
      assert_int_equal (kit_count_hook (kit, rows[i].hook), 1);
    }
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (each_operation_has_its_layout),
  };

  return cmocka_run_group_tests_name ("net", tests, NULL, NULL);
}
