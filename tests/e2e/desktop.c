/* SPDX-License-Identifier: GPL-3.0-or-later */
/* org.freedesktop.Notifications on the test's own bus. */
#include "desktop.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "screen.h"

#define PLACE "/org/freedesktop/Notifications"
#define NAME "org.freedesktop.Notifications"
#define STEP_MS 100
#define PATIENCE 900 /* steps */

static const char notifications_xml[]
    = "<node><interface name='org.freedesktop.Notifications'>"
      "<method name='GetCapabilities'><arg type='as' direction='out'/></method>"
      "<method name='Notify'><arg type='s' direction='in'/><arg type='u' direction='in'/>"
      "<arg type='s' direction='in'/><arg type='s' direction='in'/><arg type='s' direction='in'/>"
      "<arg type='as' direction='in'/><arg type='a{sv}' direction='in'/>"
      "<arg type='i' direction='in'/><arg type='u' direction='out'/></method>"
      "<method name='CloseNotification'><arg type='u' direction='in'/></method>"
      "<signal name='ActionInvoked'><arg type='u'/><arg type='s'/></signal>"
      "</interface></node>";

static GString *told; /* title and text of each, a line */
static guint32 n_told;
static GDBusConnection *bus;
static guint object, owner;

static void
on_desktop_call (GDBusConnection *connection, const char *sender, const char *path,
                 const char *interface, const char *method, GVariant *parameters,
                 GDBusMethodInvocation *invocation, gpointer data)
{
  if (g_str_equal (method, "Notify"))
    {
      const char *title, *body;
      g_variant_get_child (parameters, 3, "&s", &title);
      g_variant_get_child (parameters, 4, "&s", &body);
      g_string_append_printf (told, "%s: %s\n", title, body);
      g_dbus_method_invocation_return_value (invocation, g_variant_new ("(u)", ++n_told));
    }
  else if (g_str_equal (method, "GetCapabilities"))
    g_dbus_method_invocation_return_value (
        invocation,
        g_variant_new ("(^as)", (const char *const[]){ "actions", "body", "persistence", NULL }));
  else
    g_dbus_method_invocation_return_value (invocation, NULL);
}

void
desktop_begin (void)
{
  static const GDBusInterfaceVTable table = { .method_call = on_desktop_call };
  g_autoptr (GDBusNodeInfo) node = g_dbus_node_info_new_for_xml (notifications_xml, NULL);
  bus = g_bus_get_sync (G_BUS_TYPE_SESSION, NULL, NULL);
  assert_non_null (bus);
  told = g_string_new (NULL);
  n_told = 0;
  object = g_dbus_connection_register_object (bus, PLACE, node->interfaces[0], &table, NULL, NULL,
                                              NULL);
  owner = g_bus_own_name_on_connection (bus, NAME, G_BUS_NAME_OWNER_FLAGS_NONE, NULL, NULL, NULL,
                                        NULL);
}

void
desktop_end (void)
{
  if (bus == NULL)
    return;
  g_dbus_connection_unregister_object (bus, object);
  g_bus_unown_name (owner);
  g_clear_object (&bus);
  g_string_free (told, TRUE);
}

gboolean
desktop_was_told (const char *what)
{
  return *what != '\0' ? strstr (told->str, what) != NULL : told->len > 0;
}

void
desktop_wait_told (const char *what)
{
  for (guint i = 0; i < PATIENCE && !desktop_was_told (what); i++)
    screen_sleep (STEP_MS);
  if (!desktop_was_told (what))
    fail_msg ("nothing told of “%s”, but: %s", what, told->str);
}

void
desktop_press_first (void)
{
  g_dbus_connection_emit_signal (bus, NULL, PLACE, NAME, "ActionInvoked",
                                 g_variant_new ("(us)", 1, "default"), NULL);
}
