/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A user this machine has no name for (with-system-bus --user=4242 defaults): dbus-daemon does not
 * let it in, so the service never hears of it. Should a bus do, it is refused. */
#include <glib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "bus.h"

static void
it_gets_nothing (void **state)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GDBusConnection) bus = g_dbus_connection_new_for_address_sync (
      g_getenv ("DBUS_SYSTEM_BUS_ADDRESS"),
      G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT
          | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION,
      NULL, NULL, &error);
  if (bus == NULL)
    return;
  g_autofree char *answer = bus_ask (bus);
  g_autofree char *name = NULL;
  assert_string_not_equal (answer, "yes");
  assert_int_equal (bus_begin (bus, "{'interactive': <true>}", &name), -1);
  assert_true (g_str_equal (name, "Refused") || g_str_equal (name, "Failed"));
}

int
main (void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test (it_gets_nothing) };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
