/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An ordinary user records through a session, with the real kernel: every verb, rings that limit of
 * locked memory would not allow, revocation, and what is left of a client that is gone. */
#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "service.h"

#define RING_BYTES (64 * 1024 * 1024)
#define SMALL_BYTES (1024 * 1024)
#define CALLS 2000
#define SWITCH 0
#define CALL 1
#define CLOCK 2

static WprPerfEvent events[3];
static guint n_cpus;

static int
set_up (void **state)
{
  g_autoptr (GArray) cpus = wpr_cpus_online ();
  struct perf_event_attr attr;
  n_cpus = cpus->len;
  events[SWITCH] = tracepoint (SWITCH, "sched:sched_switch");
  events[CALL] = tracepoint (CALL, NUMBERED_EVENT);
  events[CLOCK] = (WprPerfEvent){
    .row = CLOCK, .kind = WPR_PERF_SOFTWARE, .name = "cpu-clock", .period = 1000000
  };
  /* Where root is refused the same, there is nothing to hand on. */
  wpr_perf_event_fill_attr (&events[SWITCH], FALSE, &attr);
  int id = wpr_tracefs_id (events[SWITCH].name);
  attr.config = (guint64)MAX (id, 0);
  int fd = (int)syscall (SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
  *state = fd < 0 || id < 0 ? GINT_TO_POINTER (1) : NULL;
  if (fd >= 0)
    close (fd);
  else
    print_message ("skipped: %s\n", g_strerror (errno));
  return 0;
}

/* A session of `func`'s own; how it ended. */
static char *
run_client (void **state, gboolean memory, ClientFunc func, gpointer data)
{
  if (*state != NULL)
    skip ();
  g_autoptr (Service) service = service_start (WPR_BROKER_ORPHAN_S, 0);
  int fd = service_serve (service, NOBODY, memory, FALSE, NULL);
  assert_true (fd >= 0);
  assert_int_equal (client_run (NOBODY, func, fd, data), 0);
  if (!memory)
    assert_true (service_wait_n_out (service, 0));
  guint n_events;
  service_n_fds (service, &n_events);
  assert_true (memory || n_events == 0);
  return service_ended (service);
}

/* ---- recording ---- */

static int
record (int fd, gpointer data)
{
  Client client;
  guint64 lost;
  client_open (&client, fd, events, G_N_ELEMENTS (events), RING_BYTES, FALSE);
  CHECK (client.opened.refusals->len == 0 && client.opened.leaders->len == n_cpus
         && client.opened.ids->len == G_N_ELEMENTS (events) * n_cpus);
  for (guint i = 0; i < n_cpus; i++)
    CHECK (g_array_index (client.opened.leaders, WprLeader, i).bytes == RING_BYTES);
  CHECK (client_switch (&client, PERF_EVENT_IOC_ENABLE, 0));
  make_calls (CALLS);
  CHECK (client_switch (&client, PERF_EVENT_IOC_DISABLE, 0));
  guint64 count = client_count (&client, CALL, &lost);
  CHECK (count >= (guint64)CALLS * n_cpus && lost == 0);
  CHECK (client_records (&client, CALL, wpr_perf_event_sample_type (&events[CALL])) == count);
  CHECK (client_count (&client, SWITCH, &lost) > 0 && lost == 0);
  CHECK (client_count (&client, CLOCK, &lost) > 0);
  client_close (&client);
  return 0;
}

static void
test_user_records_with_rings_above_the_memlock_limit (void **state)
{
  g_autofree char *how = run_client (state, FALSE, record, NULL);
  assert_string_equal (how, "closed 3");
}

/* Losses reach the client through the leader. */
static int
lose (int fd, gpointer data)
{
  Client client;
  guint64 lost;
  client_open (&client, fd, &events[CALL], 1, 4096, FALSE);
  gsize room = wpr_ring_size (client.rings->pdata[0]);
  CHECK (client_switch (&client, PERF_EVENT_IOC_ENABLE, 0));
  make_calls (CALLS + (guint)(room / 32));
  CHECK (client_switch (&client, PERF_EVENT_IOC_DISABLE, 0));
  guint64 count = client_count (&client, CALL, &lost);
  CHECK (lost > 0 && lost < count);
  CHECK (client_records (&client, CALL, wpr_perf_event_sample_type (&events[CALL])) + lost
         == count);
  client_close (&client);
  return 0;
}

static void
test_losses_are_counted (void **state)
{
  g_free (run_client (state, FALSE, lose, NULL));
}

static int
record_twice (int fd, gpointer data)
{
  Client client;
  g_autoptr (GArray) cpus = wpr_cpus_online ();
  WprRingSpec spec = { .bytes = SMALL_BYTES };
  client_open (&client, fd, events, 2, SMALL_BYTES, FALSE);
  CHECK (!wpr_opener_open (client.opener, events, 1, &spec, 1, (const guint *)cpus->data, cpus->len,
                           &client.opened, NULL));
  wpr_opener_close (client.opener);
  wpr_opened_clear (&client.opened);
  CHECK (wpr_opener_open (client.opener, events, 3, &spec, 1, (const guint *)cpus->data, cpus->len,
                          &client.opened, NULL));
  CHECK (client.opened.ids->len == 3 * n_cpus);
  client_close (&client);
  return 0;
}

static void
test_session_records_again_once_it_is_closed (void **state)
{
  g_autofree char *how = run_client (state, FALSE, record_twice, NULL);
  assert_string_equal (how, "closed 3");
}

/* ---- the verbs ---- */

static int
change (int fd, gpointer data)
{
  Client client;
  guint64 lost;
  guint32 own = (guint32)getpid ();
  g_autoptr (GArray) counts = g_array_new (FALSE, FALSE, sizeof (WprGroupCount));
  client_open (&client, fd, &events[SWITCH], 1, SMALL_BYTES, FALSE);
  CHECK (client_switch (&client, PERF_EVENT_IOC_ENABLE, 0));
  /* add */
  CHECK (wpr_opener_add (client.opener, &events[CALL], &client.opened, NULL));
  CHECK (client.opened.ids->len == 2 * n_cpus && client.opened.leaders->len == n_cpus);
  make_calls (CALLS);
  guint64 count = client_count (&client, CALL, &lost);
  CHECK (count >= (guint64)CALLS * n_cpus);
  CHECK (!wpr_opener_add (client.opener, &events[CALL], &client.opened, NULL));
  /* filter: in place, then on new events */
  CHECK (wpr_opener_filter (client.opener, CALL, &own, 1, &client.opened, NULL));
  CHECK (wpr_opener_filter (client.opener, CALL, &own, 1, &client.opened, NULL));
  CHECK (client.opened.ids->len == 3 * n_cpus);
  count = client_count (&client, CALL, &lost);
  make_calls (CALLS);
  CHECK (client_count (&client, CALL, &lost) < count + CALLS);
  CHECK (wpr_opener_filter (client.opener, CALL, NULL, 0, &client.opened, NULL));
  make_calls (CALLS);
  /* drop tells the last counts */
  CHECK (wpr_opener_drop (client.opener, CALL, counts, NULL) && counts->len == n_cpus);
  guint64 last = 0;
  for (guint i = 0; i < counts->len; i++)
    last += g_array_index (counts, WprGroupCount, i).count;
  CHECK (last >= (guint64)CALLS * n_cpus);
  guint64 bytes = client_bytes (&client);
  CHECK (!wpr_opener_drop (client.opener, CALL, counts, NULL));
  CHECK (wpr_opener_drop (client.opener, SWITCH, NULL, NULL));
  bytes = client_bytes (&client);
  make_calls (CALLS);
  CHECK (client_bytes (&client) == bytes);
  client_close (&client);
  return 0;
}

static void
test_events_are_added_filtered_and_dropped_live (void **state)
{
  g_free (run_client (state, FALSE, change, NULL));
}

static int
grow (int fd, gpointer data)
{
  Client client;
  guint64 lost, all = 0;
  guint64 type = wpr_perf_event_sample_type (&events[CALL]);
  client_open (&client, fd, &events[CALL], 1, SMALL_BYTES, FALSE);
  CHECK (client_switch (&client, PERF_EVENT_IOC_ENABLE, 0));
  make_calls (CALLS);
  CHECK (wpr_opener_grow_ahead (client.opener, 0, RING_BYTES, NULL));
  CHECK (wpr_opener_grow (client.opener, 0, RING_BYTES, &client.opened, NULL));
  CHECK (client.opened.leaders->len == 2 * n_cpus);
  client_map (&client);
  make_calls (CALLS);
  /* Without doing it ahead. */
  CHECK (wpr_opener_grow (client.opener, 0, 2 * RING_BYTES, &client.opened, NULL));
  client_map (&client);
  make_calls (CALLS);
  CHECK (client_switch (&client, PERF_EVENT_IOC_DISABLE, 0));
  all = client_count (&client, CALL, &lost);
  CHECK (lost == 0 && all >= 3ull * CALLS * n_cpus);
  CHECK (client_records (&client, CALL, type) == all);
  client_close (&client);
  return 0;
}

static void
test_rings_grow_without_a_gap (void **state)
{
  g_free (run_client (state, FALSE, grow, NULL));
}

/* Here no CPU can be taken away: what is asked for is what is asked for when it comes back. */
static int
come_back (int fd, gpointer data)
{
  Client client;
  client_open (&client, fd, &events[CALL], 1, SMALL_BYTES, FALSE);
  CHECK (client_switch (&client, PERF_EVENT_IOC_ENABLE, 0));
  CHECK (wpr_opener_cpu_online (client.opener, 0, &client.opened, NULL));
  CHECK (client.opened.leaders->len == n_cpus + 1 && client.opened.ids->len == n_cpus + 1);
  const WprLeader *leader = &g_array_index (client.opened.leaders, WprLeader, n_cpus);
  CHECK (leader->bytes == 0 && leader->cpu == 0);
  client_map (&client);
  CHECK (ioctl (leader->fd, PERF_EVENT_IOC_ENABLE, 0) == 0);
  guint64 before = client_bytes (&client);
  make_calls (CALLS);
  CHECK (client_bytes (&client) > before + (guint64)CALLS * n_cpus * 32);
  CHECK (!wpr_opener_cpu_online (client.opener, 60000, &client.opened, NULL));
  client_close (&client);
  return 0;
}

static void
test_cpu_that_comes_back_is_opened_anew (void **state)
{
  g_free (run_client (state, FALSE, come_back, NULL));
}

/* ---- what a leader is good for ---- */

static int
misuse (int fd, gpointer data)
{
  Client client;
  struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
                                  .size = sizeof attr,
                                  .config = PERF_COUNT_SW_CPU_CLOCK,
                                  .sample_period = 1000000,
                                  .exclude_kernel = 1 };
  client_open (&client, fd, &events[CALL], 1, SMALL_BYTES, FALSE);
  int leader = g_array_index (client.opened.leaders, WprLeader, 0).fd;
  int cpu = (int)g_array_index (client.opened.leaders, WprLeader, 0).cpu;
  /* No filter, no program, no period of the events behind it. */
  CHECK (ioctl (leader, PERF_EVENT_IOC_SET_FILTER, "common_pid == 1") < 0);
  CHECK (ioctl (leader, PERF_EVENT_IOC_SET_BPF, 0) < 0);
  /* No way into its group but what this user may open anyway. */
  CHECK (syscall (SYS_perf_event_open, &attr, -1, cpu, leader, 0) < 0);
  /* What it opens of its own threads goes where it likes; nobody else's event does. */
  int own = (int)syscall (SYS_perf_event_open, &attr, 0, -1, -1, 0);
  CHECK (own < 0 || ioctl (own, PERF_EVENT_IOC_SET_OUTPUT, leader) < 0);
  CHECK (client_switch (&client, PERF_EVENT_IOC_ENABLE, 0));
  make_calls (CALLS);
  CHECK (client_bytes (&client) > 0);
  client_close (&client);
  return 0;
}

static void
test_leader_is_good_for_nothing_else (void **state)
{
  g_free (run_client (state, FALSE, misuse, NULL));
}

typedef struct
{
  int told[2], go[2];
} Pipes;

static int
try_after_revocation (int fd, gpointer data)
{
  Pipes *pipes = data;
  Client client;
  char c;
  client_open (&client, fd, events, 2, SMALL_BYTES, FALSE);
  CHECK (client_switch (&client, PERF_EVENT_IOC_ENABLE, 0));
  make_calls (CALLS);
  CHECK (client_bytes (&client) > 0 && !wpr_broker_session_is_over (client.session));
  CHECK (write (pipes->told[1], "", 1) == 1 && read (pipes->go[0], &c, 1) == 1);
  CHECK (wpr_broker_session_is_over (client.session));
  guint64 before = client_bytes (&client);
  client_switch (&client, PERF_EVENT_IOC_ENABLE, 0);
  client_switch (&client, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
  client_switch (&client, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
  make_calls (CALLS);
  g_usleep (50000);
  CHECK (client_bytes (&client) == before);
  CHECK (!wpr_opener_add (client.opener, &events[CLOCK], &client.opened, NULL));
  client_close (&client);
  return 0;
}

static void
test_nothing_arrives_after_revocation (void **state)
{
  Pipes pipes;
  char c;
  if (*state != NULL)
    skip ();
  g_autoptr (Service) service = service_start (WPR_BROKER_ORPHAN_S, 0);
  assert_int_equal (pipe (pipes.told) | pipe (pipes.go), 0);
  int fd = service_serve (service, NOBODY, TRUE, FALSE, NULL);
  pid_t pid = client_start (NOBODY, try_after_revocation, fd, &pipes);
  close (fd);
  assert_int_equal (read (pipes.told[0], &c, 1), 1);
  service_close_all (service);
  assert_true (service_wait_n_out (service, 0));
  assert_int_equal (write (pipes.go[1], "", 1), 1);
  assert_int_equal (client_wait (pid), 0);
  for (guint i = 0; i < 2; i++)
    {
      close (pipes.told[i]);
      close (pipes.go[i]);
    }
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_user_records_with_rings_above_the_memlock_limit),
    cmocka_unit_test (test_losses_are_counted),
    cmocka_unit_test (test_session_records_again_once_it_is_closed),
    cmocka_unit_test (test_events_are_added_filtered_and_dropped_live),
    cmocka_unit_test (test_rings_grow_without_a_gap),
    cmocka_unit_test (test_cpu_that_comes_back_is_opened_anew),
    cmocka_unit_test (test_leader_is_good_for_nothing_else),
    cmocka_unit_test (test_nothing_arrives_after_revocation),
  };
  return cmocka_run_group_tests (tests, set_up, NULL);
}
