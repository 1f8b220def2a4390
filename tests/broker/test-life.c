/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How long the service is there, and what a thousand calls leave behind (with-system-bus --root
 * --idle=1 allow): root may look into it. */
#include "config.h"

#include <glib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "broker/client/client.h"
#include "bus.h"
#include "perf/ring.h"

static guint
count_descriptors (guint pid)
{
  guint n = 0;
  g_autofree char *path = g_strdup_printf ("/proc/%u/fd", pid);
  g_autoptr (GDir) folder = g_dir_open (path, 0, NULL);
  while (folder != NULL && g_dir_read_name (folder) != NULL)
    n++;
  return n;
}

/* What is closed is let go of a moment later; who begins anew at once may be one too many. */
static int
begin_patiently (GDBusConnection *bus)
{
  for (int i = 0; i < 6000; i++)
    {
      g_autofree char *name = NULL;
      int fd = bus_begin (bus, NULL, &name);
      if (fd >= 0)
        return fd;
      assert_string_equal (name, "Limit");
      g_usleep (10000);
    }
  return -1;
}

static void
a_thousand_recordings_leave_nothing_open (void **state)
{
  g_autoptr (GDBusConnection) bus = bus_connect ();
  close (begin_patiently (bus));
  guint pid = bus_broker_pid (bus);
  assert_int_not_equal (pid, 0);
  g_usleep (200000);
  guint before = count_descriptors (pid);
  assert_int_not_equal (before, 0);
  for (int i = 0; i < 1000; i++)
    {
      int fd = begin_patiently (bus);
      assert_true (fd >= 0);
      close (fd);
    }
  guint after = 0;
  for (int i = 0; i < 3000 && (after = count_descriptors (pid)) > before; i++)
    g_usleep (20000);
  assert_in_range (after, 1, before);
  assert_int_equal (bus_broker_pid (bus), pid);
}

static void
on_asked (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (GVariant) answer
      = g_dbus_connection_call_finish (G_DBUS_CONNECTION (source), result, NULL);
  const char *word = "";
  if (answer != NULL)
    g_variant_get (answer, "(&s)", &word);
  guint *n = data;
  n[0]++;
  n[1] += g_str_equal (word, "yes");
}

static void
many_callers_are_answered_at_once (void **state)
{
  g_autoptr (GPtrArray) callers = g_ptr_array_new_with_free_func (g_object_unref);
  guint n[2] = { 0, 0 };
  for (int i = 0; i < 20; i++)
    g_ptr_array_add (callers, bus_connect ());
  for (int i = 0; i < 40; i++)
    g_dbus_connection_call (g_ptr_array_index (callers, i % 20), BROKER_NAME,
                            "/io/github/performance_recorder/Broker",
                            "io.github.performance_recorder.Broker1", "Ask", NULL, NULL,
                            G_DBUS_CALL_FLAGS_NONE, 30000, NULL, on_asked, n);
  while (n[0] < 40)
    g_main_context_iteration (NULL, TRUE);
  assert_int_equal (n[1], 40);
}

static void
it_ends_when_idle_and_not_while_a_recording_is_out (void **state)
{
  g_autoptr (GDBusConnection) bus = bus_connect ();
  int fd = begin_patiently (bus);
  assert_true (fd >= 0);
  guint pid = bus_broker_pid (bus);
  g_usleep (2500000); /* idle is 1 s */
  assert_int_equal (bus_broker_pid (bus), pid);
  close (fd);
  assert_true (bus_wait_owned (bus, FALSE));
  g_autofree char *answer = bus_ask (bus); /* and is there again when called */
  assert_string_equal (answer, "yes");
  assert_int_not_equal (bus_broker_pid (bus), pid);
}

/* What a client has mapped is counted by the service that handed it out: a new one would not know.
 */
static void
it_does_not_end_while_a_ring_is_mapped (void **state)
{
  const WprPerfEvent event = { .kind = WPR_PERF_SOFTWARE, .name = "context-switches", .period = 1 };
  const WprRingSpec spec = { .bytes = 1024 * 1024 };
  const guint cpu = 0;
  WprOpened opened = { 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (GDBusConnection) bus = bus_connect ();
  WprBrokerSession *session = wpr_broker_session_new (begin_patiently (bus));
  WprOpener *opener = wpr_opener_broker_new (session);
  wpr_broker_session_unref (session);
  guint pid = bus_broker_pid (bus);
  if (!wpr_opener_open (opener, &event, 1, &spec, 1, &cpu, 1, &opened, &error))
    fail_msg ("%s", error->message);
  WprRing *ring
      = wpr_ring_map (g_array_index (opened.leaders, WprLeader, 0).fd, spec.bytes, FALSE, NULL);
  assert_non_null (ring);
  wpr_opened_clear (&opened);
  g_object_unref (opener);
  g_usleep (3500000); /* idle is 1 s */
  assert_int_equal (bus_broker_pid (bus), pid);
  wpr_ring_free (ring);
  assert_true (bus_wait_owned (bus, FALSE));
}

static void
sigterm_ends_recordings_and_says_so (void **state)
{
  g_autoptr (GDBusConnection) bus = bus_connect ();
  int fd = bus_begin (bus, "{'instance': <'terminated'>, 'mode': <'memory'>}", NULL);
  assert_true (fd >= 0);
  guint pid = bus_broker_pid (bus);
  assert_int_equal (kill ((pid_t)pid, SIGTERM), 0);
  struct pollfd end = { fd, POLLIN, 0 };
  assert_int_equal (poll (&end, 1, 60000), 1);
  assert_true (end.revents & POLLHUP);
  assert_true (bus_wait_owned (bus, FALSE));
  assert_int_equal (journal_wait (WORDS ("7bb5b4e31f6c4a0f9a5d5f2c7c1b8e09", "terminated")), 1);
  close (fd);
}

static void
who_does_not_read_the_answer_is_no_harm (void **state)
{
  GPid pid = 0;
  char *argv[] = { (char *)"/proc/self/exe", (char *)"mute", NULL };
  g_autoptr (GDBusConnection) bus = bus_connect ();
  assert_true (g_spawn_async (NULL, argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL, &pid, NULL));
  assert_int_equal (journal_wait (WORDS ("7bb5b4e31f6c4a0f9a5d5f2c7c1b8e08", "instance mute")), 1);
  g_autofree char *answer = bus_ask (bus);
  assert_string_equal (answer, "yes");
  kill (pid, SIGKILL);
  assert_int_equal (waitpid (pid, NULL, 0), pid);
  assert_int_equal (journal_wait (WORDS ("7bb5b4e31f6c4a0f9a5d5f2c7c1b8e09", "instance mute")), 1);
}

/* In a process of its own: asks, and stands still. */
static int
mute (void)
{
  GDBusConnection *bus = bus_connect ();
  g_dbus_connection_call (bus, BROKER_NAME, "/io/github/performance_recorder/Broker",
                          "io.github.performance_recorder.Broker1", "Begin",
                          g_variant_new_parsed ("({'instance': <'mute'>},)"), NULL,
                          G_DBUS_CALL_FLAGS_NONE, -1, NULL, NULL, NULL);
  g_dbus_connection_flush_sync (bus, NULL, NULL);
  raise (SIGSTOP);
  return 0;
}

int
main (int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (many_callers_are_answered_at_once),
    cmocka_unit_test (a_thousand_recordings_leave_nothing_open),
    cmocka_unit_test (who_does_not_read_the_answer_is_no_harm),
    cmocka_unit_test (it_ends_when_idle_and_not_while_a_recording_is_out),
    cmocka_unit_test (it_does_not_end_while_a_ring_is_mapped),
    cmocka_unit_test (sigterm_ends_recordings_and_says_so),
  };
  if (argc > 1 && g_str_equal (argv[1], "mute"))
    return mute ();
  return cmocka_run_group_tests (tests, NULL, NULL);
}
