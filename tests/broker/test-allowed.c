/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A user whom polkit's rules let record (with-system-bus allow). */
#include <glib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bus.h"

static void
begin_gives_a_socket_that_lasts_until_it_is_closed (void **state)
{
  g_autoptr (GDBusConnection) bus = bus_connect ();
  int type = 0;
  socklen_t size = sizeof type;
  int fd = bus_begin (bus, "{'mode': <'memory'>, 'instance': <'one'>}", NULL);
  assert_true (fd >= 0);
  assert_int_equal (getsockopt (fd, SOL_SOCKET, SO_TYPE, &type, &size), 0);
  assert_int_equal (type, SOCK_SEQPACKET);
  struct pollfd hung_up = { fd, POLLIN, 0 };
  assert_int_equal (poll (&hung_up, 1, 200), 0);
  close (fd);
}

static void
the_journal_says_who_records_what_and_until_when (void **state)
{
  g_autoptr (GDBusConnection) bus = bus_connect ();
  g_autofree char *user = g_strdup_printf ("(%u)", (guint)getuid ());
  g_autofree char *process = g_strdup_printf ("process %d,", (int)getpid ());
  int fd = bus_begin (bus, "{'instance': <'noted'>, 'contents': <true>}", NULL);
  assert_true (fd >= 0);
  assert_int_equal (journal_wait (WORDS ("wpr-broker", "7bb5b4e31f6c4a0f9a5d5f2c7c1b8e08", user,
                                         process, "instance noted, file, contents of programs")),
                    1);
  close (fd);
  assert_int_equal (journal_wait (WORDS ("wpr-broker", "7bb5b4e31f6c4a0f9a5d5f2c7c1b8e09", user,
                                         process, "instance noted", " from 2", " to 2")),
                    1);
}

static void
ask_says_yes_and_asks_nobody (void **state)
{
  g_autoptr (GDBusConnection) bus = bus_connect ();
  g_autofree char *answer = bus_ask (bus);
  assert_string_equal (answer, "yes");
}

static void
nonsense_is_refused_with_a_sentence (void **state)
{
  static const char *const wrong[] = { "{'mode': <'both'>}", "{'instance': <'../../x'>}",
                                       "{'instance': <''>}", "{'instance': <'a\\nb'>}" };
  g_autoptr (GDBusConnection) bus = bus_connect ();
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autofree char *name = NULL;
      assert_int_equal (bus_begin (bus, wrong[i], &name), -1);
      assert_string_equal (name, "Failed");
    }
}

static void
there_is_nothing_to_claim (void **state)
{
  g_autoptr (GDBusConnection) bus = bus_connect ();
  GError *error = NULL;
  g_autoptr (GVariant) orphans = bus_call (bus, "Orphans", NULL, &error);
  assert_null (error);
  g_autoptr (GVariant) list = g_variant_get_child_value (orphans, 0);
  assert_int_equal (g_variant_n_children (list), 0);
  assert_null (bus_call (bus, "Claim", g_variant_new ("(s)", "1"), &error));
  g_autofree char *name = bus_error_name (error);
  assert_string_equal (name, "Failed");
}

static void
the_interface_has_a_version (void **state)
{
  g_autoptr (GDBusConnection) bus = bus_connect ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) answer = g_dbus_connection_call_sync (
      bus, BROKER_NAME, "/io/github/performance_recorder/Broker", "org.freedesktop.DBus.Properties",
      "Get", g_variant_new ("(ss)", "io.github.performance_recorder.Broker1", "Version"), NULL,
      G_DBUS_CALL_FLAGS_NONE, -1, NULL, &error);
  assert_null (error);
  g_autoptr (GVariant) value = NULL;
  g_variant_get (answer, "(v)", &value);
  assert_true (g_variant_get_uint32 (value) >= 1);
}

static void
nobody_else_may_be_the_broker (void **state)
{
  g_autoptr (GDBusConnection) bus = bus_connect ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) answer = g_dbus_connection_call_sync (
      bus, "org.freedesktop.DBus", "/", "org.freedesktop.DBus", "RequestName",
      g_variant_new ("(su)", BROKER_NAME, 4), NULL, G_DBUS_CALL_FLAGS_NONE, -1, NULL, &error);
  assert_null (answer);
  assert_true (g_error_matches (error, G_DBUS_ERROR, G_DBUS_ERROR_ACCESS_DENIED));
}

static void
other_interfaces_do_not_reach_it (void **state)
{
  g_autoptr (GDBusConnection) bus = bus_connect ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) answer = g_dbus_connection_call_sync (
      bus, BROKER_NAME, "/io/github/performance_recorder/Broker", "org.example.Other", "Begin",
      NULL, NULL, G_DBUS_CALL_FLAGS_NONE, -1, NULL, &error);
  assert_null (answer);
  assert_true (g_error_matches (error, G_DBUS_ERROR, G_DBUS_ERROR_ACCESS_DENIED));
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (begin_gives_a_socket_that_lasts_until_it_is_closed),
    cmocka_unit_test (the_journal_says_who_records_what_and_until_when),
    cmocka_unit_test (ask_says_yes_and_asks_nobody),
    cmocka_unit_test (nonsense_is_refused_with_a_sentence),
    cmocka_unit_test (there_is_nothing_to_claim),
    cmocka_unit_test (the_interface_has_a_version),
    cmocka_unit_test (nobody_else_may_be_the_broker),
    cmocka_unit_test (other_interfaces_do_not_reach_it),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
