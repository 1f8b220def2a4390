/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is left when a client dies, after each of its steps: nothing in file mode; in memory mode
 * its rings, for the same user, for a time. */
#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "service.h"

#define BYTES (1024 * 1024)
#define CALLS 2000

static WprPerfEvent event;
static guint n_cpus;

static int
set_up (void **state)
{
  g_autoptr (GArray) cpus = wpr_cpus_online ();
  struct perf_event_attr attr;
  n_cpus = cpus->len;
  event = tracepoint (7, NUMBERED_EVENT);
  wpr_perf_event_fill_attr (&event, FALSE, &attr);
  int id = wpr_tracefs_id (event.name);
  attr.config = (guint64)MAX (id, 0);
  int fd = (int)syscall (SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
  *state = fd < 0 || id < 0 ? GINT_TO_POINTER (1) : NULL;
  if (fd >= 0)
    close (fd);
  return 0;
}

#define SKIP_WITHOUT_KERNEL(state) \
  if (*(state) != NULL)            \
  skip ()

/* The steps of a client; it dies after the one asked for. Steps from here on have rings open. */
#define STEP_OPEN 2
#define STEPS 8

static int
die_after (int fd, gpointer data)
{
  guint step = GPOINTER_TO_UINT (data) >> 1;
  gboolean memory = GPOINTER_TO_UINT (data) & 1;
  g_autoptr (GBytes) manifest = g_bytes_new_static ("manifest", 8);
  const char *names[] = { NUMBERED_EVENT };
  Client client;
  if (step == 0)
    raise (SIGKILL);
  WprBrokerSession *session = wpr_broker_session_new (dup (fd));
  CHECK (wpr_broker_facts_formats (session, names, 1, NULL));
  if (step == 1)
    raise (SIGKILL);
  /* A socket counts its requests: the first was the one above. */
  WprRingSpec spec = { .bytes = BYTES, .backward = memory };
  g_autoptr (GArray) cpus = wpr_cpus_online ();
  client = (Client){ .session = session, .bytes = BYTES, .backward = memory };
  client.opener = wpr_opener_broker_new (session);
  client.rings = g_ptr_array_new ();
  CHECK (wpr_opener_open (client.opener, &event, 1, &spec, 1, (const guint *)cpus->data, cpus->len,
                          &client.opened, NULL));
  if (step == 2)
    raise (SIGKILL);
  client_map (&client);
  CHECK (wpr_broker_facts_keep (session, manifest, NULL));
  if (step == 3)
    raise (SIGKILL);
  CHECK (client_switch (&client, PERF_EVENT_IOC_ENABLE, 0));
  make_calls (CALLS);
  if (step == 4)
    raise (SIGKILL);
  CHECK (wpr_opener_filter (client.opener, 7, NULL, 0, &client.opened, NULL));
  CHECK (wpr_opener_grow_ahead (client.opener, 0, 2 * BYTES, NULL));
  if (step == 5)
    raise (SIGKILL);
  CHECK (wpr_opener_grow (client.opener, 0, 2 * BYTES, &client.opened, NULL));
  if (step == 6)
    raise (SIGKILL);
  CHECK (wpr_opener_cpu_online (client.opener, 0, &client.opened, NULL));
  raise (SIGKILL);
  return 1;
}

static void
test_file_mode_leaves_nothing_at_any_step (void **state)
{
  SKIP_WITHOUT_KERNEL (state);
  g_autoptr (Service) service = service_start (WPR_BROKER_ORPHAN_S, 0);
  guint before = service_n_fds (service, NULL);
  for (guint step = 0; step < STEPS; step++)
    {
      int fd = service_serve (service, NOBODY, FALSE, FALSE, NULL);
      assert_int_equal (client_run (NOBODY, die_after, fd, GUINT_TO_POINTER (step << 1)),
                        128 + SIGKILL);
      assert_true (service_wait_n_out (service, 0));
      assert_int_equal (service_n_fds (service, NULL), before);
      g_autofree char *orphans = service_orphans (service, NOBODY);
      assert_string_equal (orphans, "");
    }
}

static void
test_memory_mode_leaves_an_orphan_once_rings_are_open (void **state)
{
  SKIP_WITHOUT_KERNEL (state);
  g_autoptr (Service) service = service_start (WPR_BROKER_ORPHAN_S, 0);
  guint n_orphans = 0;
  for (guint step = 0; step < STEPS; step++)
    {
      g_autofree char *id = NULL;
      int fd = service_serve (service, NOBODY, TRUE, FALSE, &id);
      assert_true (fd >= 0);
      assert_int_equal (client_run (NOBODY, die_after, fd, GUINT_TO_POINTER (step << 1 | 1)),
                        128 + SIGKILL);
      n_orphans += step >= STEP_OPEN;
      assert_true (service_wait_n_out (service, n_orphans));
      g_autofree char *orphans = NULL;
      for (guint i = 0; i < 200 && (orphans == NULL || !strstr (orphans, id)); i++)
        {
          g_free (orphans);
          orphans = service_orphans (service, NOBODY);
          g_usleep (step < STEP_OPEN ? 0 : 10000);
        }
      assert_int_equal (strstr (orphans, id) != NULL, step >= STEP_OPEN);
      g_autofree char *of_others = service_orphans (service, SOMEBODY);
      assert_string_equal (of_others, "");
    }
  service_close_all (service);
  assert_true (service_wait_n_out (service, 0));
}

/* ---- claiming ---- */

/* The ring is what it was, and goes on recording; what was kept is there. */
static int
take_over (int fd, gpointer data)
{
  Client client = { .bytes = BYTES, .backward = TRUE };
  g_autoptr (GBytes) kept = NULL;
  guint64 type = wpr_perf_event_sample_type (&event);
  client.session = wpr_broker_session_new (fd);
  client.opener = wpr_opener_broker_new (client.session);
  client.rings = g_ptr_array_new_with_free_func ((GDestroyNotify)wpr_ring_free);
  CHECK (wpr_opener_broker_recall (client.opener, &client.opened, &kept, NULL));
  CHECK (kept != NULL && g_bytes_get_size (kept) == 8);
  CHECK (memcmp (g_bytes_get_data (kept, NULL), "manifest", 8) == 0);
  CHECK (client.opened.leaders->len == n_cpus && client.opened.ids->len == n_cpus);
  client_map (&client);
  guint64 before = client_records (&client, 7, type);
  CHECK (before >= (guint64)CALLS * n_cpus);
  make_calls (10);
  CHECK (client_records (&client, 7, type) >= before + 10ull * n_cpus);
  CHECK (client_switch (&client, PERF_EVENT_IOC_DISABLE, 0));
  client_close (&client);
  return 0;
}

static char *
wait_for_orphan (Service *service)
{
  for (guint i = 0; i < 1000; i++)
    {
      char *id = service_orphans (service, NOBODY);
      if (*id != '\0')
        return id;
      g_free (id);
      g_usleep (10000);
    }
  return NULL;
}

static void
test_orphan_is_claimed_by_its_user_only (void **state)
{
  SKIP_WITHOUT_KERNEL (state);
  g_autoptr (Service) service = service_start (WPR_BROKER_ORPHAN_S, 0);
  int fd = service_serve (service, NOBODY, TRUE, FALSE, NULL);
  assert_int_equal (client_run (NOBODY, die_after, fd, GUINT_TO_POINTER (4 << 1 | 1)),
                    128 + SIGKILL);
  g_autofree char *id = wait_for_orphan (service);
  assert_non_null (id);
  assert_int_equal (service_claim (service, SOMEBODY, id), -1);
  assert_int_equal (service_claim (service, 0, id), -1);
  assert_int_equal (service_claim (service, NOBODY, "00000000-0000-0000-0000-000000000000"), -1);
  fd = service_claim (service, NOBODY, id);
  assert_true (fd >= 0);
  assert_int_equal (service_claim (service, NOBODY, id), -1); /* it has a client again */
  assert_int_equal (client_run (NOBODY, take_over, fd, NULL), 0);
  assert_true (service_wait_n_out (service, 0));
}

static void
test_orphan_expires (void **state)
{
  SKIP_WITHOUT_KERNEL (state);
  g_autoptr (Service) service = service_start (1, 0);
  guint n_events;
  int fd = service_serve (service, NOBODY, TRUE, FALSE, NULL);
  assert_int_equal (client_run (NOBODY, die_after, fd, GUINT_TO_POINTER (3 << 1 | 1)),
                    128 + SIGKILL);
  g_autofree char *id = wait_for_orphan (service);
  assert_non_null (id);
  assert_true (service_wait_n_out (service, 0));
  assert_int_equal (service_claim (service, NOBODY, id), -1);
  service_n_fds (service, &n_events);
  assert_int_equal (n_events, 0);
  g_autofree char *how = service_ended (service);
  assert_string_equal (how, "orphan-expired 1");
}

/* ---- another process with the number of the dead one ---- */

static int
do_nothing (int fd, gpointer data)
{
  pause ();
  return 0;
}

/* A child with that number, of another user; 0 if the kernel does not let us choose. */
static pid_t
start_as (pid_t number)
{
  g_autofree char *text = g_strdup_printf ("%d", number - 1);
  for (guint i = 0; i < 200; i++)
    {
      int last = open ("/proc/sys/kernel/ns_last_pid", O_WRONLY | O_CLOEXEC);
      gboolean set = last >= 0 && write (last, text, strlen (text)) > 0;
      if (last >= 0)
        close (last);
      pid_t pid = set ? client_start (SOMEBODY, do_nothing, -1, NULL) : 0;
      if (!set || pid == number)
        return pid;
      kill (pid, SIGKILL);
      client_wait (pid);
    }
  return 0;
}

static void
test_number_of_a_dead_process_opens_nothing (void **state)
{
  SKIP_WITHOUT_KERNEL (state);
  g_autoptr (Service) service = service_start (WPR_BROKER_ORPHAN_S, 0);
  int fd = service_serve (service, NOBODY, TRUE, FALSE, NULL);
  pid_t dead = client_start (NOBODY, die_after, fd, GUINT_TO_POINTER (4 << 1 | 1));
  close (fd);
  assert_int_equal (client_wait (dead), 128 + SIGKILL);
  g_autofree char *id = wait_for_orphan (service);
  assert_non_null (id);
  pid_t again = start_as (dead);
  if (again == 0)
    skip ();
  /* Its user is another: what belonged to the number before is not seen and not given. */
  g_autofree char *orphans = service_orphans (service, SOMEBODY);
  assert_string_equal (orphans, "");
  assert_int_equal (service_claim (service, SOMEBODY, id), -1);
  fd = service_claim (service, NOBODY, id);
  assert_int_equal (client_run (NOBODY, take_over, fd, NULL), 0);
  kill (again, SIGKILL);
  client_wait (again);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_file_mode_leaves_nothing_at_any_step),
    cmocka_unit_test (test_memory_mode_leaves_an_orphan_once_rings_are_open),
    cmocka_unit_test (test_orphan_is_claimed_by_its_user_only),
    cmocka_unit_test (test_orphan_expires),
    cmocka_unit_test (test_number_of_a_dead_process_opens_nothing),
  };
  return cmocka_run_group_tests (tests, set_up, NULL);
}
