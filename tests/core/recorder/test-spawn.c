/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A recorder as a transient unit: what a made-up manager of an ordinary user's is asked for. As
 * root the program runs itself once more as another user, whose manager it then is. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <gio/gio.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "recorder/spawn.h"

#define MANAGER "org.freedesktop.systemd1"

static const char xml[] = "<node><interface name='" MANAGER ".Manager'>"
                          "<method name='StartTransientUnit'>"
                          "<arg direction='in' type='s'/><arg direction='in' type='s'/>"
                          "<arg direction='in' type='a(sv)'/><arg direction='in' type='a(sa(sv))'/>"
                          "<arg direction='out' type='o'/></method></interface></node>";

typedef struct
{
  GMainContext *context;
  GMainLoop *loop;
  GMutex lock;
  GCond cond;
  gboolean ready, refuse;
  GVariant *asked;
} Manager;

static void
on_call (GDBusConnection *connection, const char *sender, const char *path, const char *interface,
         const char *method, GVariant *parameters, GDBusMethodInvocation *invocation, gpointer data)
{
  Manager *manager = data;
  g_clear_pointer (&manager->asked, g_variant_unref);
  manager->asked = g_variant_ref (parameters);
  if (manager->refuse)
    g_dbus_method_invocation_return_dbus_error (invocation, MANAGER ".UnitExists", "it exists");
  else
    g_dbus_method_invocation_return_value (
        invocation, g_variant_new ("(o)", "/org/freedesktop/systemd1/job/1"));
}

static gpointer
manage (gpointer data)
{
  static const GDBusInterfaceVTable vtable = { .method_call = on_call };
  Manager *manager = data;
  g_autoptr (GDBusNodeInfo) node = g_dbus_node_info_new_for_xml (xml, NULL);
  g_main_context_push_thread_default (manager->context);
  g_autoptr (GDBusConnection) bus = g_dbus_connection_new_for_address_sync (
      g_getenv ("DBUS_SESSION_BUS_ADDRESS"),
      G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT
          | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION,
      NULL, NULL, NULL);
  g_dbus_connection_register_object (bus, "/org/freedesktop/systemd1", node->interfaces[0], &vtable,
                                     manager, NULL, NULL);
  g_autoptr (GVariant) named = g_dbus_connection_call_sync (
      bus, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
      g_variant_new ("(su)", MANAGER, 0), NULL, G_DBUS_CALL_FLAGS_NONE, -1, NULL, NULL);
  g_assert_nonnull (named);
  g_mutex_lock (&manager->lock);
  manager->ready = TRUE;
  g_cond_signal (&manager->cond);
  g_mutex_unlock (&manager->lock);
  g_main_loop_run (manager->loop);
  g_dbus_connection_close_sync (bus, NULL, NULL);
  g_main_context_pop_thread_default (manager->context);
  return NULL;
}

/* The value of a property of the unit asked for. */
static GVariant *
property (Manager *manager, const char *name)
{
  g_autoptr (GVariant) list = g_variant_get_child_value (manager->asked, 2);
  for (gsize i = 0; i < g_variant_n_children (list); i++)
    {
      const char *key = NULL;
      GVariant *value = NULL;
      g_variant_get_child (list, i, "(&sv)", &key, &value);
      if (g_str_equal (key, name))
        return value;
      g_variant_unref (value);
    }
  return NULL;
}

/* Exit status of the other user's process: 0, or the line that failed. */
#define CHECK(condition)         \
  do                             \
    if (!(condition))            \
      return __LINE__ % 250 + 1; \
  while (0)

static int
check_unit (Manager *manager)
{
  const char *unit = NULL, *mode = NULL;
  g_setenv ("WPR_STATE_DIR", "/somewhere", TRUE);
  g_setenv ("SECRET", "of this session", TRUE);
  CHECK (wpr_spawn_unit ("/opt/a b/wpr", "one.2"));
  g_variant_get (manager->asked, "(&s&s@a(sv)@a(sa(sv)))", &unit, &mode, NULL, NULL);
  CHECK (g_str_equal (unit, "wpr-recorder-one.2.service") && g_str_equal (mode, "fail"));
  g_autoptr (GVariant) exec = property (manager, "ExecStart");
  CHECK (exec != NULL && g_variant_is_of_type (exec, G_VARIANT_TYPE ("a(sasb)")));
  g_autofree char *words = g_variant_print (exec, FALSE);
  CHECK (g_str_equal (words, "[('/opt/a b/wpr', ['/opt/a b/wpr', '--recorder', '--instance', "
                             "'one.2'], false)]"));
  g_autoptr (GVariant) environment = property (manager, "Environment");
  g_autofree const char **entries = g_variant_get_strv (environment, NULL);
  CHECK (g_strv_contains (entries, "WPR_STATE_DIR=/somewhere"));
  CHECK (!g_strv_contains (entries, "SECRET=of this session"));
  /* A manager that refuses is no error: there is another way. */
  manager->refuse = TRUE;
  CHECK (!wpr_spawn_unit ("/opt/a b/wpr", "one.2"));
  /* A relative path would be looked for in the manager's folder. */
  CHECK (!wpr_spawn_unit ("wpr", "one.2"));
  return 0;
}

static int
as_user (void)
{
  g_autofree char *runtime = g_dir_make_tmp ("wpr-user-XXXXXX", NULL);
  g_autofree char *folder = g_build_filename (runtime, "systemd", NULL);
  g_autofree char *mark = g_build_filename (folder, "private", NULL);
  g_setenv ("XDG_RUNTIME_DIR", runtime, TRUE);
  CHECK (!wpr_spawn_unit ("/bin/true", "none")); /* no systemd here */
  CHECK (g_mkdir (folder, 0700) == 0 && g_file_set_contents (mark, "", 0, NULL));
  GTestDBus *bus = g_test_dbus_new (G_TEST_DBUS_NONE);
  g_test_dbus_up (bus); /* forgets XDG_RUNTIME_DIR */
  g_setenv ("XDG_RUNTIME_DIR", runtime, TRUE);
  Manager manager = { g_main_context_new (), NULL };
  manager.loop = g_main_loop_new (manager.context, FALSE);
  GThread *thread = g_thread_new ("manager", manage, &manager);
  g_mutex_lock (&manager.lock);
  while (!manager.ready)
    g_cond_wait (&manager.cond, &manager.lock);
  g_mutex_unlock (&manager.lock);
  int status = check_unit (&manager);
  g_main_loop_quit (manager.loop);
  g_thread_join (thread);
  g_clear_pointer (&manager.asked, g_variant_unref);
  g_main_loop_unref (manager.loop);
  g_main_context_unref (manager.context);
  g_test_dbus_stop (bus);
  g_object_unref (bus);
  g_unlink (mark);
  g_rmdir (folder);
  g_rmdir (runtime);
  return status;
}

static void
become_other (gpointer data)
{
  if (geteuid () == 0 && (setgid (65534) != 0 || setuid (65534) != 0))
    _exit (255);
}

static void
the_users_manager_is_asked_for_a_unit (void **state)
{
  g_autofree char *daemon = g_find_program_in_path ("dbus-daemon");
  g_autofree char *own = g_file_read_link ("/proc/self/exe", NULL);
  char *argv[] = { own, (char *)"--as-user", NULL };
  g_autoptr (GError) error = NULL;
  int status = 0;
  if (daemon == NULL)
    skip ();
  if (!g_spawn_sync ("/", argv, NULL, G_SPAWN_DEFAULT, become_other, NULL, NULL, NULL, &status,
                     &error))
    fail_msg ("%s", error->message);
  assert_true (WIFEXITED (status));
  assert_int_equal (WEXITSTATUS (status), 0);
}

static void
the_program_is_found (void **state)
{
  g_setenv ("WPR_RECORDER", "/a/wpr", TRUE);
  g_autofree char *named = wpr_spawn_find_program (NULL);
  assert_string_equal (named, "/a/wpr");
  g_unsetenv ("WPR_RECORDER");
  /* Beside this program. */
  g_autofree char *own = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *dir = g_path_get_dirname (own);
  g_autofree char *beside = g_build_filename (dir, "wpr", NULL);
  assert_true (g_file_set_contents (beside, "#!/bin/sh\n", -1, NULL));
  assert_int_equal (g_chmod (beside, 0755), 0);
  g_autofree char *found = wpr_spawn_find_program (NULL);
  g_unlink (beside);
  assert_string_equal (found, beside);
}

int
main (int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (the_users_manager_is_asked_for_a_unit),
    cmocka_unit_test (the_program_is_found),
  };
  if (argc == 2 && g_str_equal (argv[1], "--as-user"))
    return as_user ();
  return cmocka_run_group_tests (tests, NULL, NULL);
}
