/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* usage: agent cancel|silent|password|wrong PROGRAM ARGS...
 * Runs the program with an agent of polkit's for it and for whatever this user connects to the bus:
 * one that closes each question, never answers, knows the password or does not. Notes in
 * $WPR_TEST_PLACE/agent what it was asked and what was taken back. */
#include <gio/gio.h>
#include <glib-unix.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define AGENT_PATH "/io/github/performance_recorder/TestAgent"
#define WISH "want-agent."
#define WISH_MS 20
#define HELPER "/usr/lib/polkit-1/polkit-agent-helper-1"

static const char xml[]
    = "<node><interface name='org.freedesktop.PolicyKit1.AuthenticationAgent'>"
      "<method name='BeginAuthentication'><arg type='s' direction='in'/><arg type='s' "
      "direction='in'/>"
      "<arg type='s' direction='in'/><arg type='a{ss}' direction='in'/><arg type='s' "
      "direction='in'/>"
      "<arg type='a(sa{sv})' direction='in'/></method>"
      "<method name='CancelAuthentication'><arg type='s' direction='in'/></method>"
      "</interface></node>";

static const char *how;
static GMainLoop *loop;
static int status = 1;

static void
note (const char *what, const char *about, const char *words)
{
  g_autofree char *path = g_build_filename (g_getenv ("WPR_TEST_PLACE"), "agent", NULL);
  FILE *file = fopen (path, "a");
  g_assert_nonnull (file);
  fprintf (file, "%s %s %s\n", what, about, words);
  fclose (file);
}

static void
on_helper (GObject *source, GAsyncResult *result, gpointer invocation)
{
  g_autofree char *text = NULL;
  g_subprocess_communicate_utf8_finish (G_SUBPROCESS (source), result, &text, NULL, NULL);
  note ("helper", text != NULL && strstr (text, "SUCCESS") ? "success" : "failure", "");
  g_dbus_method_invocation_return_value (invocation, NULL);
}

/* Polkit's own helper asks PAM; it is told the cookie and the password at once. */
static void
authenticate (GDBusMethodInvocation *invocation, const char *cookie)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GSubprocess) helper = g_subprocess_new (
      G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE, &error, HELPER, "root", NULL);
  g_assert_no_error (error);
  g_autofree char *input = g_strdup_printf (
      "%s\n%s\n", cookie, g_str_equal (how, "password") ? "secret" : "not the password");
  g_subprocess_communicate_utf8_async (helper, input, NULL, on_helper, invocation);
}

static void
on_call (GDBusConnection *bus, const char *sender, const char *path, const char *interface,
         const char *method, GVariant *parameters, GDBusMethodInvocation *invocation, gpointer data)
{
  const char *action = NULL, *message = NULL, *cookie = NULL;
  if (g_str_equal (method, "CancelAuthentication"))
    {
      g_variant_get_child (parameters, 0, "&s", &cookie);
      note ("taken-back", cookie, "");
      g_dbus_method_invocation_return_value (invocation, NULL);
      return;
    }
  g_variant_get_child (parameters, 0, "&s", &action);
  g_variant_get_child (parameters, 1, "&s", &message);
  g_variant_get_child (parameters, 4, "&s", &cookie);
  g_autofree char *words = g_strdup_printf ("%s %s", action, message);
  note ("asked", cookie, words);
  if (g_str_equal (how, "cancel"))
    g_dbus_method_invocation_return_dbus_error (
        invocation, "org.freedesktop.PolicyKit1.Error.Cancelled", "closed");
  else if (!g_str_equal (how, "silent"))
    authenticate (invocation, cookie);
}

static guint64
start_time_of (int pid)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/stat", pid);
  g_autofree char *text = NULL;
  if (!g_file_get_contents (path, &text, NULL, NULL))
    return 0; /* it has ended */
  g_auto (GStrv) words = g_strsplit (strrchr (text, ')') + 2, " ", -1);
  return g_ascii_strtoull (words[19], NULL, 10);
}

static void
register_for (GDBusConnection *bus, int pid, GError **error)
{
  const char *locale = g_getenv ("WPR_TEST_AGENT_LOCALE");
  GVariantBuilder details;
  g_variant_builder_init (&details, G_VARIANT_TYPE_VARDICT);
  g_variant_builder_add (&details, "{sv}", "pid", g_variant_new_uint32 ((guint32)pid));
  g_variant_builder_add (&details, "{sv}", "start-time",
                         g_variant_new_uint64 (start_time_of (pid)));
  g_autoptr (GVariant) answer = g_dbus_connection_call_sync (
      bus, "org.freedesktop.PolicyKit1", "/org/freedesktop/PolicyKit1/Authority",
      "org.freedesktop.PolicyKit1.Authority", "RegisterAuthenticationAgent",
      g_variant_new ("((sa{sv})ss)", "unix-process", &details, locale != NULL ? locale : "C",
                     AGENT_PATH),
      NULL, G_DBUS_CALL_FLAGS_NONE, -1, NULL, error);
  g_autofree char *process = g_strdup_printf ("%d", pid);
  if (answer != NULL)
    note ("ready-for", process, "");
}

/* Polkit takes agents for processes and sessions only, so for the process behind each new name. It
 * may ask at once: who depends on the agent waits for the note "ready-for PID". */
static void
on_name (GDBusConnection *bus, const char *sender, const char *path, const char *interface,
         const char *signal, GVariant *parameters, gpointer data)
{
  const char *name = NULL, *owner = NULL;
  guint32 pid = 0;
  g_variant_get (parameters, "(&s&s&s)", &name, NULL, &owner);
  if (*name != ':' || *owner == '\0')
    return;
  g_autoptr (GVariant) answer = g_dbus_connection_call_sync (
      bus, "org.freedesktop.DBus", "/", "org.freedesktop.DBus", "GetConnectionUnixProcessID",
      g_variant_new ("(s)", name), NULL, G_DBUS_CALL_FLAGS_NONE, -1, NULL, NULL);
  if (answer == NULL)
    return;
  g_variant_get (answer, "(u)", &pid);
  if (pid != (guint32)getpid ())
    register_for (bus, (int)pid, NULL); /* other users' are refused, rightly */
}

/* A program that asks as soon as it is on the bus is too quick for that. Whoever starts it leaves a
 * file named want-agent.PID in $WPR_TEST_PLACE before, which goes once that process may ask. */
static gboolean
look_for_wishes (gpointer bus)
{
  const char *place = g_getenv ("WPR_TEST_PLACE");
  g_autoptr (GDir) folder = g_dir_open (place, 0, NULL);
  for (const char *name = folder ? g_dir_read_name (folder) : NULL; name != NULL;
       name = g_dir_read_name (folder))
    if (g_str_has_prefix (name, WISH))
      {
        g_autofree char *path = g_build_filename (place, name, NULL);
        register_for (bus, atoi (name + strlen (WISH)), NULL);
        unlink (path);
      }
  return G_SOURCE_CONTINUE;
}

static void
on_child (GPid pid, int wait_status, gpointer data)
{
  status = WIFEXITED (wait_status) ? WEXITSTATUS (wait_status) : 128 + WTERMSIG (wait_status);
  g_main_loop_quit (loop);
}

int
main (int argc, char **argv)
{
  static const GDBusInterfaceVTable table = { on_call, NULL, NULL, { 0 } };
  g_autoptr (GError) error = NULL;
  int gate[2];
  g_assert_cmpint (argc, >, 2);
  how = argv[1];
  g_assert_true (g_unix_open_pipe (gate, FD_CLOEXEC, NULL));
  int pid = fork ();
  if (pid == 0)
    {
      char go = 0;
      if (read (gate[0], &go, 1) == 1)
        execvp (argv[2], argv + 2);
      _exit (126);
    }
  loop = g_main_loop_new (NULL, FALSE);
  g_autoptr (GDBusConnection) bus = g_bus_get_sync (G_BUS_TYPE_SYSTEM, NULL, &error);
  g_assert_no_error (error);
  g_autoptr (GDBusNodeInfo) node = g_dbus_node_info_new_for_xml (xml, NULL);
  g_dbus_connection_register_object (bus, AGENT_PATH, node->interfaces[0], &table, NULL, NULL,
                                     NULL);
  g_dbus_connection_signal_subscribe (bus, "org.freedesktop.DBus", "org.freedesktop.DBus",
                                      "NameOwnerChanged", NULL, NULL, G_DBUS_SIGNAL_FLAGS_NONE,
                                      on_name, NULL, NULL);
  g_timeout_add (WISH_MS, look_for_wishes, bus);
  register_for (bus, pid, &error);
  g_assert_no_error (error);
  g_child_watch_add (pid, on_child, NULL);
  g_assert_cmpint (write (gate[1], "g", 1), ==, 1);
  g_main_loop_run (loop);
  return status;
}
