/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a client may have of the service, and what it keeps of it: rings, answers, sessions,
 * descriptors; and clients that do not read. */
#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "broker/client/client-private.h"
#include "raw.h"

static void
test_rings_of_all_sessions_have_one_limit (void **state)
{
  WprPerfEvent event = tracepoint (0, NUMBERED_EVENT);
  guint32 number = 1;
  if (no_kernel)
    skip ();
  int one = serve (), two = serve (), three = serve ();
  assert_int_equal (ask (one, 1, WPR_BROKER_OPEN, small_plan (&event, 1, LIMIT_BYTES / 2), NULL),
                    0);
  assert_int_equal (ask (two, 1, WPR_BROKER_OPEN, small_plan (&event, 1, LIMIT_BYTES / 4), NULL),
                    0);
  assert_int_equal (ask (three, 1, WPR_BROKER_OPEN, small_plan (&event, 1, LIMIT_BYTES / 2), NULL),
                    WPR_ERROR_NO_SPACE);
  /* A grown ring's forerunner may still be mapped: it counts on. */
  assert_int_equal (
      ask (two, 2, WPR_BROKER_GROW, g_variant_new ("(ut)", 0, (guint64)LIMIT_BYTES / 2), NULL),
      WPR_ERROR_NO_SPACE);
  assert_int_equal (ask (two, 3, WPR_BROKER_GROW_AHEAD,
                         g_variant_new ("(ut)", 0, (guint64)LIMIT_BYTES / 8), NULL),
                    0);
  for (guint i = 0; i < 10; i++) /* nor does it add up where it is not taken */
    assert_int_equal (ask (two, 4 + i, WPR_BROKER_GROW_AHEAD,
                           g_variant_new ("(ut)", 0, (guint64)LIMIT_BYTES / 16), NULL),
                      0);
  close (one);
  assert_true (service_wait_n_out (service, 2));
  /* Its rings are free some time after it has gone. */
  gint64 deadline = g_get_monotonic_time () + 60 * G_USEC_PER_SEC;
  while (ask (three, ++number, WPR_BROKER_OPEN, small_plan (&event, 1, LIMIT_BYTES / 2), NULL) != 0)
    {
      assert_true (g_get_monotonic_time () < deadline);
      g_usleep (10000);
    }
  close (two);
  close (three);
  assert_true (service_wait_n_out (service, 0));
}

/* Half of what all may have on CPU 0, opened by a client and mapped; NULL: refused. leader: NULL,
 * or taken over, to be closed. */
static WprRing *
open_and_map (WprOpener *opener, int *leader)
{
  const WprPerfEvent event = tracepoint (0, NUMBERED_EVENT);
  const WprRingSpec spec = { .bytes = LIMIT_BYTES / 2 };
  const guint cpu = 0;
  WprRing *ring = NULL;
  WprOpened opened = { 0 };
  g_autoptr (GError) error = NULL;
  if (wpr_opener_open (opener, &event, 1, &spec, 1, &cpu, 1, &opened, &error))
    {
      int fd = g_array_index (opened.leaders, WprLeader, 0).fd;
      ring = wpr_ring_map (fd, spec.bytes, FALSE, NULL);
      assert_non_null (ring);
      if (leader != NULL)
        *leader = fcntl (fd, F_DUPFD_CLOEXEC, 0);
    }
  else
    assert_true (g_error_matches (error, WPR_ERROR, WPR_ERROR_NO_SPACE));
  wpr_opened_clear (&opened);
  return ring;
}

static WprOpener *
new_client (void)
{
  WprBrokerSession *session = wpr_broker_session_new (serve ());
  WprOpener *opener = wpr_opener_broker_new (session);
  wpr_broker_session_unref (session);
  return opener;
}

/* What it closed or left is not free as long as it has it mapped: in the same session or another,
 * by the leader or by an event of its own that it sent to that ring. */
static void
test_rings_that_are_mapped_still_count_on (void **state)
{
  if (no_kernel)
    skip ();
  WprOpener *client = new_client ();
  WprRing *first = open_and_map (client, NULL);
  assert_non_null (first);
  wpr_opener_close (client);
  int leader = -1;
  WprRing *second = open_and_map (client, &leader);
  assert_non_null (second);
  wpr_opener_close (client);
  assert_null (open_and_map (client, NULL));
  assert_int_equal (service_bytes_left (service), LIMIT_BYTES);
  g_object_unref (client);
  assert_true (service_wait_n_out (service, 0));
  client = new_client ();
  assert_null (open_and_map (client, NULL));

  struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
                                  .size = sizeof attr,
                                  .config = PERF_COUNT_SW_DUMMY,
                                  .use_clockid = 1,
                                  .clockid = CLOCK_MONOTONIC };
  int own = (int)syscall (SYS_perf_event_open, &attr, 0, 0, -1, PERF_FLAG_FD_CLOEXEC);
  assert_true (own >= 0 && ioctl (own, PERF_EVENT_IOC_SET_OUTPUT, leader) == 0);
  WprRing *by_own = wpr_ring_map (own, LIMIT_BYTES / 2, FALSE, NULL);
  wpr_ring_free (second);
  close (leader);
  if (by_own != NULL) /* kernels differ in whether that may be mapped */
    assert_null (open_and_map (client, NULL));
  g_clear_pointer (&by_own, wpr_ring_free);
  close (own);
  WprRing *third = open_and_map (client, NULL);
  assert_non_null (third);
  wpr_ring_free (third);
  wpr_ring_free (first);
  g_object_unref (client);
  assert_true (service_wait_n_out (service, 0));
  assert_int_equal (service_bytes_left (service), 0);
}

/* A large answer that a client keeps is memory of the service: it counts until it is let go of,
 * session or not, and there is an end to it. */
static void
test_facts_that_are_kept_count_on (void **state)
{
  WprBrokerSession *session = wpr_broker_session_new (serve ());
  g_autoptr (GPtrArray) kept = g_ptr_array_new_with_free_func ((GDestroyNotify)g_bytes_unref);
  g_autoptr (GError) error = NULL;
  guint64 bytes = 0;
  for (GBytes *one; (one = wpr_broker_facts_kallsyms (session, &error)) != NULL;)
    {
      if (g_bytes_get_size (one) <= WPR_BROKER_INLINE_MOST) /* a kernel without them */
        {
          g_bytes_unref (one);
          wpr_broker_session_unref (session);
          skip ();
        }
      bytes += g_bytes_get_size (one);
      g_ptr_array_add (kept, one);
    }
  assert_true (g_error_matches (error, WPR_ERROR, WPR_ERROR_NO_SPACE));
  assert_in_range (kept->len, 1, 16);
  g_ptr_array_set_size (kept, kept->len - 1); /* one can be had again once one is let go of */
  g_ptr_array_add (kept, wpr_broker_facts_kallsyms (session, NULL));
  assert_non_null (kept->pdata[kept->len - 1]);
  wpr_broker_session_unref (session);
  assert_true (service_wait_n_out (service, 0));
  assert_in_range (service_bytes_left (service), bytes, LIMIT_BYTES);
  g_ptr_array_set_size (kept, 0);
  assert_int_equal (service_bytes_left (service), 0);
}

static void
test_sessions_of_a_user_are_limited (void **state)
{
  int fds[WPR_BROKER_SESSIONS_OF_USER];
  for (guint i = 0; i < G_N_ELEMENTS (fds); i++)
    fds[i] = serve ();
  assert_int_equal (service_serve (service, NOBODY, FALSE, FALSE, NULL), -1);
  int other = service_serve (service, SOMEBODY, FALSE, FALSE, NULL);
  assert_true (other >= 0);
  close (other);
  for (guint i = 0; i < G_N_ELEMENTS (fds); i++)
    close (fds[i]);
  assert_true (service_wait_n_out (service, 0));
}

static void
test_a_thousand_requests_leave_no_descriptor (void **state)
{
  WprPerfEvent event = tracepoint (0, NUMBERED_EVENT), software = event;
  guint32 number = 0;
  guint before, n;
  if (no_kernel)
    skip ();
  int fd = serve ();
  software = (WprPerfEvent){
    .row = 1, .kind = WPR_PERF_SOFTWARE, .name = "context-switches", .period = 1
  };
  assert_int_equal (ask (fd, ++number, WPR_BROKER_OPEN, small_plan (&event, 1, BYTES), NULL), 0);
  before = service_n_fds (service, &n);
  for (guint i = 0; i < 250; i++)
    {
      const char *name = NUMBERED_EVENT;
      assert_int_equal (
          ask (fd, ++number, WPR_BROKER_ADD, wpr_broker_pack_rows (&software, 1), NULL), 0);
      assert_int_equal (ask (fd, ++number, WPR_BROKER_DROP, g_variant_new_uint32 (1), NULL), 0);
      assert_int_equal (ask (fd, ++number, WPR_BROKER_FORMATS, g_variant_new_strv (&name, 1), NULL),
                        0);
      assert_int_equal (ask (fd, ++number, WPR_BROKER_DROP, g_variant_new_uint32 (7), NULL),
                        WPR_ERROR_USAGE);
      /* The same rings ahead, over and over: they are there. */
      assert_int_equal (ask (fd, ++number, WPR_BROKER_GROW_AHEAD,
                             g_variant_new ("(ut)", 0, (guint64)2 * BYTES), NULL),
                        0);
    }
  for (guint i = 0; i < 3; i++)
    assert_int_equal (ask (fd, ++number, WPR_BROKER_RUNDOWN, g_variant_new_boolean (FALSE), NULL),
                      0);
  assert_int_equal (ask (fd, ++number, WPR_BROKER_FORMATS, g_variant_new_strv (NULL, 0), NULL), 0);
  assert_int_equal (service_n_fds (service, NULL), before + 1); /* the leader of the ring ahead */
  close (fd);
  assert_true (service_wait_n_out (service, 0));
}

/* Once more; FALSE with errno. */
static gboolean
ask_for_rundown (int fd, guint32 number)
{
  g_autoptr (GVariant) request = g_variant_ref_sink (g_variant_new (
      WPR_BROKER_REQUEST, number, WPR_BROKER_RUNDOWN, g_variant_new_boolean (FALSE)));
  return send (fd, g_variant_get_data (request), g_variant_get_size (request),
               MSG_DONTWAIT | MSG_NOSIGNAL)
         > 0;
}

/* It asks for much and reads nothing: it is dropped, and nobody else waits for it. */
static void
test_who_does_not_read_is_dropped (void **state)
{
  guint before = service_n_fds (service, NULL);
  gint64 deadline = g_get_monotonic_time () + 90 * G_USEC_PER_SEC;
  int fd = serve (), other = serve ();
  guint32 number = 1;
  while (ask_for_rundown (fd, number))
    number++;
  assert_int_equal (errno, EAGAIN);
  assert_int_equal (ask (other, 1, WPR_BROKER_RUNDOWN, g_variant_new_boolean (FALSE), NULL), 0);
  assert_int_equal (service_n_out (service), 2); /* it is waited for still */
  close (other);
  for (;;)
    {
      if (ask_for_rundown (fd, number))
        number++;
      else if (errno != EAGAIN)
        break;
      assert_true (g_get_monotonic_time () < deadline);
      g_usleep (1000);
    }
  assert_true (service_wait_n_out (service, 0));
  g_autofree char *how = service_ended (service);
  assert_string_equal (how, "not-read 0");
  close (fd);
  assert_int_equal (service_bytes_left (service), 0);
  assert_int_equal (service_n_fds (service, NULL), before);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_rings_of_all_sessions_have_one_limit),
    cmocka_unit_test (test_rings_that_are_mapped_still_count_on),
    cmocka_unit_test (test_facts_that_are_kept_count_on),
    cmocka_unit_test (test_sessions_of_a_user_are_limited),
    cmocka_unit_test (test_a_thousand_requests_leave_no_descriptor),
    cmocka_unit_test (test_who_does_not_read_is_dropped),
  };
  return cmocka_run_group_tests (tests, set_up, tear_down);
}
