/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "bus.h"

#include <gio/gunixfdlist.h>
#include <string.h>

GDBusConnection *
bus_connect (void)
{
  g_autoptr (GError) error = NULL;
  GDBusConnection *bus = g_dbus_connection_new_for_address_sync (
      g_getenv ("DBUS_SYSTEM_BUS_ADDRESS"),
      G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT
          | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION,
      NULL, NULL, &error);
  g_assert_no_error (error);
  return bus;
}

GVariant *
bus_call (GDBusConnection *bus, const char *method, GVariant *parameters, GError **error)
{
  return g_dbus_connection_call_sync (bus, BROKER_NAME, "/io/github/performance_recorder/Broker",
                                      "io.github.performance_recorder.Broker1", method, parameters,
                                      NULL, G_DBUS_CALL_FLAGS_NONE, 30000, NULL, error);
}

char *
bus_error_name (GError *error)
{
  char *name = g_dbus_error_get_remote_error (error);
  char *last = g_strdup (name != NULL ? strrchr (name, '.') + 1 : error->message);
  g_free (name);
  g_error_free (error);
  return last;
}

int
bus_begin (GDBusConnection *bus, const char *options, char **name)
{
  g_autoptr (GUnixFDList) fds = NULL;
  GError *error = NULL;
  GVariant *parsed = g_variant_parse (G_VARIANT_TYPE_VARDICT, options != NULL ? options : "{}",
                                      NULL, NULL, &error);
  g_assert_no_error (error);
  g_autoptr (GVariant) answer = g_dbus_connection_call_with_unix_fd_list_sync (
      bus, BROKER_NAME, "/io/github/performance_recorder/Broker",
      "io.github.performance_recorder.Broker1", "Begin", g_variant_new ("(@a{sv})", parsed),
      G_VARIANT_TYPE ("(ha{sv})"), G_DBUS_CALL_FLAGS_NONE, 30000, NULL, &fds, NULL, &error);
  g_variant_unref (parsed);
  if (answer == NULL)
    {
      char *last = bus_error_name (error);
      if (name != NULL)
        *name = last;
      else
        g_free (last);
      return -1;
    }
  int handle = -1;
  g_variant_get_child (answer, 0, "h", &handle);
  return g_unix_fd_list_get (fds, handle, NULL);
}

char *
bus_ask (GDBusConnection *bus)
{
  GError *error = NULL;
  char *word = NULL;
  g_autoptr (GVariant) answer = bus_call (bus, "Ask", NULL, &error);
  if (answer == NULL)
    return bus_error_name (error);
  g_variant_get (answer, "(s)", &word);
  return word;
}

guint
bus_broker_pid (GDBusConnection *bus)
{
  guint pid = 0;
  g_autoptr (GVariant) answer = g_dbus_connection_call_sync (
      bus, "org.freedesktop.DBus", "/", "org.freedesktop.DBus", "GetConnectionUnixProcessID",
      g_variant_new ("(s)", BROKER_NAME), NULL, G_DBUS_CALL_FLAGS_NONE, -1, NULL, NULL);
  if (answer != NULL)
    g_variant_get (answer, "(u)", &pid);
  return pid;
}

/* How often is looked, every 20 ms: a minute, as the machine may be busy. */
#define LOOKS_MOST 3000

gboolean
bus_wait_owned (GDBusConnection *bus, gboolean owned)
{
  for (int i = 0; i < LOOKS_MOST; i++)
    {
      if ((bus_broker_pid (bus) != 0) == owned)
        return TRUE;
      g_usleep (20000);
    }
  return FALSE;
}

static guint
count_lines (const char *path, const char *const *words)
{
  guint n = 0;
  g_autofree char *text = NULL;
  if (!g_file_get_contents (path, &text, NULL, NULL))
    return 0;
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (char **line = lines; *line != NULL; line++)
    {
      gboolean all = **line != '\0';
      for (const char *const *word = words; *word != NULL; word++)
        all = all && strstr (*line, *word) != NULL;
      n += all;
    }
  return n;
}

guint
file_wait_line (const char *path, const char *const *words)
{
  guint n = 0;
  for (int i = 0; i < LOOKS_MOST && (n = count_lines (path, words)) == 0; i++)
    g_usleep (20000);
  return n;
}

guint
journal_wait (const char *const *words)
{
  return file_wait_line (g_getenv ("WPR_TEST_JOURNAL"), words);
}

guint
agent_wait (const char *const *words)
{
  g_autofree char *path = g_build_filename (g_getenv ("WPR_TEST_PLACE"), "agent", NULL);
  return file_wait_line (path, words);
}
