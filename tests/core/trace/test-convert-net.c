/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sockets: whose they are and where they lead, from records that each tell half of it. */
#include "config.h"
#include "kit.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

#include "kit-formats.h"

static const char format_state[]
    = "name: inet_sock_set_state\nID: 1500\n" COMMON FIELD ("const void * skaddr", 8, 8, 0)
        FIELD ("int oldstate", 16, 4, 1) FIELD ("int newstate", 20, 4, 1)
            FIELD ("__u16 sport", 24, 2, 0) FIELD ("__u16 dport", 26, 2, 0)
                FIELD ("__u16 family", 28, 2, 0) FIELD ("__u16 protocol", 30, 2, 0)
                    FIELD ("__u8 saddr[4]", 32, 4, 0) FIELD ("__u8 daddr[4]", 36, 4, 0)
                        FIELD ("__u8 saddr_v6[16]", 40, 16, 0)
                            FIELD ("__u8 daddr_v6[16]", 56, 16, 0) NO_PRINT;
static const char format_length[]
    = "name: sock_send_length\nID: 1501\n" COMMON FIELD ("void * sk", 8, 8, 0)
        FIELD ("__u16 family", 16, 2, 0) FIELD ("__u16 protocol", 18, 2, 0)
            FIELD ("int ret", 20, 4, 1) FIELD ("int flags", 24, 4, 1) NO_PRINT;
static const char format_retransmit[]
    = "name: tcp_retransmit_skb\nID: 1502\n" COMMON FIELD ("const void * skbaddr", 8, 8, 0)
        FIELD ("const void * skaddr", 16, 8, 0) FIELD ("int state", 24, 4, 1)
            FIELD ("__u16 sport", 28, 2, 0) FIELD ("__u16 dport", 30, 2, 0)
                FIELD ("__u16 family", 32, 2, 0) FIELD ("__u8 saddr[4]", 34, 4, 0)
                    FIELD ("__u8 daddr[4]", 38, 4, 0) FIELD ("__u8 saddr_v6[16]", 42, 16, 0)
                        FIELD ("__u8 daddr_v6[16]", 58, 16, 0) NO_PRINT;

#define TCP 6
#define UDP 17
#define V4 2
#define V6 10
#define ESTABLISHED 1
#define SYN_SENT 2
#define SYN_RECV 3
#define FIN_WAIT 4
#define CLOSED 7
#define LISTEN 10
#define NOBODY G_MAXUINT32

typedef struct
{
  Kit *kit;
  Row state, sent, received, retransmit;
  WprTime now;
  Recorder recorder;
  WprTrace *trace;
} Case;

static void
begin (Case *c)
{
  c->kit = kit_new (FALSE, 1, 2);
  c->state = kit_add_row (c->kit, "sock:inet_sock_set_state", format_state);
  c->sent = kit_add_row (c->kit, "sock:sock_send_length", format_length);
  c->received = kit_add_row (c->kit, "sock:sock_recv_length", format_length);
  c->retransmit = kit_add_row (c->kit, "tcp:tcp_retransmit_skb", format_retransmit);
  kit_begin (c->kit, NULL);
  kit_clock (c->kit, SECOND, SLEPT, WALL);
  c->now = 2 * SECOND;
}

static void
play (Case *c)
{
  kit_finish (c->kit, 100 * SECOND);
  recorder_init (&c->recorder);
  c->trace = kit_play (c->kit, &c->recorder);
}

static void
end (Case *c)
{
  wpr_trace_free (c->trace);
  recorder_clear (&c->recorder);
  kit_free (c->kit);
}

/* From 10.0.0.1 or fe80::1 to 10.0.0.2 or fe80::2. */
static void
put_addresses (guint8 *raw, guint ports, guint family, guint saddr, guint16 sport, guint16 dport,
               guint16 of)
{
  static const guint8 mapped[] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };
  memcpy (raw + ports, &sport, 2);
  memcpy (raw + ports + 2, &dport, 2);
  memcpy (raw + family, &of, 2);
  memcpy (raw + saddr, "\x0a\0\0\1\x0a\0\0\2", 8);
  for (guint i = 0; i < 2; i++)
    {
      guint8 *six = raw + saddr + 8 + 16 * i;
      if (of == V4) /* as the kernel fills them in */
        {
          memcpy (six, mapped, sizeof mapped);
          memcpy (six + 12, raw + saddr + 4 * i, 4);
        }
      else
        six[0] = 0xfe, six[1] = 0x80, six[15] = (guint8)(i + 1);
    }
}

static void
put_state (Case *c, guint32 pid, guint64 sk, gint32 old, gint32 new, guint16 sport, guint16 dport,
           guint16 family, guint16 protocol)
{
  guint8 raw[72] = { 0 };
  memcpy (raw + 8, &sk, 8);
  memcpy (raw + 16, &old, 4);
  memcpy (raw + 20, &new, 4);
  put_addresses (raw, 24, 28, 32, sport, dport, family);
  memcpy (raw + 30, &protocol, 2);
  kit_sample (c->kit, c->state, 0, c->now += 1000, pid, pid, raw, sizeof raw);
}

static void
put_data (Case *c, Row row, guint32 pid, guint64 sk, guint16 family, guint16 protocol,
          gint32 result, gint32 flags)
{
  guint8 raw[28] = { 0 };
  memcpy (raw + 8, &sk, 8);
  memcpy (raw + 16, &family, 2);
  memcpy (raw + 18, &protocol, 2);
  memcpy (raw + 20, &result, 4);
  memcpy (raw + 24, &flags, 4);
  kit_sample (c->kit, row, 0, c->now += 1000, pid, pid, raw, sizeof raw);
}

static void
expect (Case *c, guint nth, WprSocketOp op, guint32 pid, guint64 id, guint32 size, guint16 local,
        guint16 remote)
{
  const WprEvent *event = &recorder_nth (&c->recorder, WPR_EVENT_SOCKET, nth)->event;
  assert_int_equal (event->u.socket.op, op);
  assert_int_equal (event->u.socket.pid, pid);
  assert_true (event->u.socket.id == id);
  assert_int_equal (event->u.socket.size, size);
  assert_int_equal (event->u.socket.local_port, local);
  assert_int_equal (event->u.socket.remote_port, remote);
}

/* The states change in whoever is interrupted; the process is who asked, or who listens. */
static void
a_connection_is_of_who_asked_and_of_who_listens (void **state)
{
  Case c;
  begin (&c);
  put_state (&c, 50, 0x1000, CLOSED, LISTEN, 80, 0, V4, TCP);
  put_state (&c, 60, 0x2000, CLOSED, SYN_SENT, 4000, 80, V4, TCP);
  put_state (&c, 99, 0x3000, LISTEN, SYN_RECV, 80, 4000, V4, TCP);
  put_state (&c, 99, 0x3000, SYN_RECV, ESTABLISHED, 80, 4000, V4, TCP);
  put_state (&c, 99, 0x2000, SYN_SENT, ESTABLISHED, 4000, 80, V4, TCP);
  put_data (&c, c.sent, 60, 0x2000, V4, TCP, 500, 0);
  put_data (&c, c.received, 51, 0x3000, V4, TCP, 500, 0); /* a child of who listens */
  put_state (&c, 60, 0x2000, ESTABLISHED, FIN_WAIT, 4000, 80, V4, TCP);
  put_state (&c, 99, 0x2000, FIN_WAIT, CLOSED, 4000, 80, V4, TCP);
  put_state (&c, 99, 0x3000, FIN_WAIT, CLOSED, 80, 4000, V4, TCP);
  put_state (&c, 60, 0x4000, CLOSED, SYN_SENT, 4001, 81, V4, TCP);
  put_state (&c, 99, 0x4000, SYN_SENT, CLOSED, 4001, 81, V4, TCP); /* nobody there */
  play (&c);
  expect (&c, 0, WPR_SOCKET_ACCEPT, 50, 0x3000, 0, 80, 4000);
  expect (&c, 1, WPR_SOCKET_CONNECT, 60, 0x2000, 0, 4000, 80);
  expect (&c, 2, WPR_SOCKET_SEND, 60, 0x2000, 500, 4000, 80);
  expect (&c, 3, WPR_SOCKET_RECEIVE, 51, 0x3000, 500, 80, 4000);
  expect (&c, 4, WPR_SOCKET_DISCONNECT, 60, 0x2000, 0, 4000, 80);
  expect (&c, 5, WPR_SOCKET_DISCONNECT, 51, 0x3000, 0, 80, 4000);
  const WprEvent *event = &recorder_nth (&c.recorder, WPR_EVENT_SOCKET, 1)->event;
  assert_false (event->u.socket.v6 || event->u.socket.udp);
  assert_memory_equal (event->u.socket.local, "\x0a\0\0\1", 4);
  assert_memory_equal (event->u.socket.remote, "\x0a\0\0\2", 4);
  assert_int_equal (recorder_count (&c.recorder, WPR_EVENT_SOCKET), 6);
  assert_int_equal (recorder_count (&c.recorder, WPR_EVENT_TRACEPOINT), 6);
  end (&c);
}

static void
sockets_of_before_have_no_addresses (void **state)
{
  Case c;
  begin (&c);
  put_data (&c, c.sent, 60, 0x2000, V6, TCP, 500, 0);
  put_data (&c, c.received, 60, 0x5000, V4, UDP, 100, 0);
  put_state (&c, 99, 0x6000, SYN_RECV, ESTABLISHED, 80, 4000, V6,
             TCP); /* who listens is not known */
  put_state (&c, 99, 0x2000, FIN_WAIT, CLOSED, 4000, 80, V6, TCP);
  play (&c);
  expect (&c, 0, WPR_SOCKET_SEND, 60, 0x2000, 500, 0, 0);
  assert_true (recorder_nth (&c.recorder, WPR_EVENT_SOCKET, 0)->event.u.socket.v6);
  expect (&c, 1, WPR_SOCKET_RECEIVE, 60, 0x5000, 100, 0, 0);
  assert_true (recorder_nth (&c.recorder, WPR_EVENT_SOCKET, 1)->event.u.socket.udp);
  assert_false (recorder_nth (&c.recorder, WPR_EVENT_SOCKET, 1)->event.u.socket.v6);
  expect (&c, 2, WPR_SOCKET_ACCEPT, NOBODY, 0x6000, 0, 80, 4000);
  const WprEvent *event = &recorder_nth (&c.recorder, WPR_EVENT_SOCKET, 2)->event;
  assert_true (event->u.socket.v6);
  assert_memory_equal (event->u.socket.remote, "\xfe\x80\0\0\0\0\0\0\0\0\0\0\0\0\0\2", 16);
  expect (&c, 3, WPR_SOCKET_DISCONNECT, NOBODY, 0x2000, 0, 4000, 80);
  end (&c);
}

/* Errors, ends, looks, other families and protocols. */
static void
what_moves_nothing_stays_a_tracepoint (void **state)
{
  Case c;
  begin (&c);
  put_data (&c, c.sent, 60, 0x2000, V4, TCP, -11, 0);
  put_data (&c, c.received, 60, 0x2000, V4, TCP, 0, 0);
  put_data (&c, c.received, 60, 0x2000, V4, TCP, 50, 2);            /* MSG_PEEK */
  put_data (&c, c.sent, 60, 0x2000, 1, 0, 100, 0);                  /* AF_UNIX */
  put_data (&c, c.sent, 60, 0x2000, V4, 1, 100, 0);                 /* ICMP */
  put_state (&c, 60, 0x2000, SYN_RECV, ESTABLISHED, 1, 2, V4, 132); /* SCTP */
  play (&c);
  assert_int_equal (recorder_count (&c.recorder, WPR_EVENT_SOCKET), 0);
  assert_int_equal (recorder_count (&c.recorder, WPR_EVENT_TRACEPOINT), 6);
  end (&c);
}

static void
what_is_sent_again_is_of_its_socket (void **state)
{
  guint64 sk = 0x2000;
  guint8 raw[80] = { 0 };
  Case c;
  begin (&c);
  put_state (&c, 60, sk, CLOSED, SYN_SENT, 4000, 80, V4, TCP);
  memcpy (raw + 16, &sk, 8);
  put_addresses (raw, 28, 32, 34, 4000, 80, V4);
  kit_sample (c.kit, c.retransmit, 0, 3 * SECOND, 0, 0, raw, sizeof raw);
  play (&c);
  expect (&c, 0, WPR_SOCKET_RETRANSMIT, 60, 0x2000, 0, 4000, 80);
  end (&c);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (a_connection_is_of_who_asked_and_of_who_listens),
    cmocka_unit_test (sockets_of_before_have_no_addresses),
    cmocka_unit_test (what_moves_nothing_stays_a_tracepoint),
    cmocka_unit_test (what_is_sent_again_is_of_its_socket),
  };
  return cmocka_run_group_tests_name ("convert-net", tests, NULL, NULL);
}
