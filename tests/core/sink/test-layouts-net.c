/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Real connections whose every figure is known, through the independent walker. */
#include "config.h"

#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "walked.h"

#define SENT 4321
#define ANSWERED 1234

typedef struct
{
  guint16 port, client_port; /* host order */
  int family;
  int server, client;
} Talk;

static socklen_t
loopback (int family, guint16 port, struct sockaddr_storage *address)
{
  struct sockaddr_in *in = (struct sockaddr_in *)address;
  struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)address;

  memset (address, 0, sizeof *address);
  if (family == AF_INET)
    {
      *in = (struct sockaddr_in){ .sin_family = AF_INET,
                                  .sin_port = g_htons (port),
                                  .sin_addr.s_addr = g_htonl (INADDR_LOOPBACK) };
      return sizeof *in;
    }
  *in6 = (struct sockaddr_in6){ .sin6_family = AF_INET6,
                                .sin6_port = g_htons (port),
                                .sin6_addr = IN6ADDR_LOOPBACK_INIT };
  return sizeof *in6;
}

static guint16
port_of (int fd)
{
  struct sockaddr_storage address;
  socklen_t size = sizeof address;

  assert_int_equal (getsockname (fd, (struct sockaddr *)&address, &size), 0);
  return g_ntohs (address.ss_family == AF_INET ? ((struct sockaddr_in *)&address)->sin_port
                                               : ((struct sockaddr_in6 *)&address)->sin6_port);
}

static void
move (int from, int to, gsize size)
{
  g_autofree guint8 *bytes = g_malloc0 (size);

  assert_int_equal (send (from, bytes, size, 0), size);
  assert_int_equal (recv (to, bytes, size, MSG_WAITALL), size);
}

/* Connects to itself, sends, is answered, is closed. FALSE if there is no such loopback. */
static gboolean
talk (Talk *talk, int family)
{
  struct sockaddr_storage address;
  int listener = socket (family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  socklen_t size = loopback (family, 0, &address);

  talk->family = family;
  if (listener < 0 || bind (listener, (struct sockaddr *)&address, size) != 0)
    {
      print_message ("no loopback of family %d: not looked at\n", family);
      if (listener >= 0)
        close (listener);
      return FALSE;
    }
  assert_int_equal (listen (listener, 1), 0);
  talk->port = port_of (listener);
  talk->client = socket (family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  size = loopback (family, talk->port, &address);
  assert_int_equal (connect (talk->client, (struct sockaddr *)&address, size), 0);
  talk->client_port = port_of (talk->client);
  talk->server = accept (listener, NULL, NULL);
  assert_true (talk->server >= 0);
  move (talk->client, talk->server, SENT);
  move (talk->server, talk->client, ANSWERED);
  close (talk->client);
  close (talk->server);
  close (listener);
  return TRUE;
}

static void
datagram (int family)
{
  struct sockaddr_storage address;
  int to = socket (family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  int from = socket (family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  socklen_t size = loopback (family, 0, &address);

  assert_int_equal (bind (to, (struct sockaddr *)&address, size), 0);
  size = loopback (family, port_of (to), &address);
  assert_int_equal (connect (from, (struct sockaddr *)&address, size), 0);
  move (from, to, 777);
  close (from);
  close (to);
}

/* How many events of a hook are of ours: this size, from this port to that (0, 0: of UDP). */
static guint
sockets (const Drive *d, const Talk *talk, guint type, guint size, guint16 local, guint16 remote,
         guint payload)
{
  gboolean v6 = talk->family == AF_INET6;
  g_autofree char *hook = g_strdup_printf ("%04x", type + (v6 ? 0x10 : 0));
  g_auto (GStrv) lines = walked (d, hook);
  guint bytes = v6 ? 16 : 4, n = 0;
  Raw raw;

  for (guint i = 0; lines[i] != NULL; i++)
    {
      struct in6_addr any = in6addr_loopback;
      const guint8 *ports = raw.bytes + 8 + 2 * bytes;

      if (!walked_parse (lines[i], &raw) || walked_u32 (raw.bytes) != (guint32)getpid ()
          || walked_u32 (raw.bytes + 4) != size || (ports[2] << 8 | ports[3]) != local
          || (ports[0] << 8 | ports[1]) != remote)
        continue;
      assert_int_equal (raw.size, payload + (v6 ? 24 : 0));
      assert_int_not_equal (walked_u64 (raw.bytes + raw.size - 8), 0);
      if (local != 0)
        for (guint k = 0; k < 2; k++)
          assert_memory_equal (raw.bytes + 8 + k * bytes,
                               v6 ? (const guint8 *)&any : (const guint8 *)"\x7f\0\0\1", bytes);
      n++;
    }
  return n;
}

static void
check_talk (const Drive *d, const Talk *t)
{
  guint16 client = t->client_port, server = t->port;

  assert_int_equal (sockets (d, t, 0x060c, 0, client, server, 48), 1);
  assert_int_equal (sockets (d, t, 0x060f, 0, server, client, 48), 1);
  assert_int_equal (sockets (d, t, 0x060a, SENT, client, server, 40), 1);
  assert_int_equal (sockets (d, t, 0x060b, SENT, server, client, 32), 1);
  assert_int_equal (sockets (d, t, 0x060a, ANSWERED, server, client, 40), 1);
  assert_int_equal (sockets (d, t, 0x060b, ANSWERED, client, server, 32), 1);
  assert_int_equal (sockets (d, t, 0x060d, 0, client, server, 32), 1);
  assert_int_equal (sockets (d, t, 0x060d, 0, server, client, 32), 1);
}

static void
connections_are_told_with_both_ends (void **state)
{
  Talk four = { 0 }, six = { 0 };
  gboolean has_four, has_six;
  Drive d;

  walked_start (&d, "Network");
  has_four = talk (&four, AF_INET);
  if (has_four)
    datagram (AF_INET);
  has_six = talk (&six, AF_INET6);
  if (has_six)
    datagram (AF_INET6);
  walked_stop (&d);
  if (walked_count (&d, "060a") + walked_count (&d, "061a") == 0
      && !g_file_test ("/sys/kernel/tracing/events/sock/sock_send_length", G_FILE_TEST_EXISTS))
    print_message ("this kernel tells no sizes\n");
  else
    {
      if (has_four)
        check_talk (&d, &four);
      if (has_six)
        check_talk (&d, &six);
      if (has_four)
        {
          assert_int_equal (sockets (&d, &four, 0x080a, 777, 0, 0, 32), 1);
          assert_int_equal (sockets (&d, &four, 0x080b, 777, 0, 0, 32), 1);
        }
      if (has_six)
        {
          assert_int_equal (sockets (&d, &six, 0x080a, 777, 0, 0, 32), 1);
          assert_int_equal (sockets (&d, &six, 0x080b, 777, 0, 0, 32), 1);
        }
    }
  drive_clear (&d);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (connections_are_told_with_both_ends),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
