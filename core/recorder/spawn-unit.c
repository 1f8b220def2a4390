/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A recorder as a transient unit of systemd: of the user's manager, so that it goes on when the
 * session that began it ends; for root of the system's. */
#include "config.h"

#include <gio/gio.h>
#include <string.h>
#include <unistd.h>

#include "recorder/spawn.h"

/* What a unit must be told of the caller's environment, since it inherits the manager's: names, or
 * beginnings of names with a star. */
static const char *const handed_on[] = {
  "HOME", "USER",  "LOGNAME", "PATH",     "LANG",     "LANGUAGE",   "TZ",
  "LC_*", "XDG_*", "WPR_*",   "SUDO_UID", "SUDO_GID", "PKEXEC_UID",
};

static gboolean
is_handed_on (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (handed_on); i++)
    if (g_pattern_match_simple (handed_on[i], name))
      return TRUE;
  return FALSE;
}

static GVariant *
environment (void)
{
  g_auto (GStrv) names = g_listenv ();
  GVariantBuilder list;
  g_variant_builder_init (&list, G_VARIANT_TYPE ("as"));
  for (gsize i = 0; names[i] != NULL; i++)
    {
      g_autofree char *entry = g_strconcat (names[i], "=", g_getenv (names[i]), NULL);
      if (is_handed_on (names[i]) && g_utf8_validate (entry, -1, NULL))
        g_variant_builder_add (&list, "s", entry);
    }
  return g_variant_builder_end (&list);
}

static GVariant *
command (const char *program, const char *instance)
{
  const char *argv[] = { program, "--recorder", "--instance", instance, NULL };
  GVariantBuilder list;
  g_variant_builder_init (&list, G_VARIANT_TYPE ("a(sasb)"));
  g_variant_builder_add (&list, "(s^asb)", program, argv, FALSE);
  return g_variant_builder_end (&list);
}

static GVariant *
properties (const char *program, const char *instance)
{
  g_autofree char *title = g_strdup_printf ("Performance Recorder: recording %s", instance);
  GVariantBuilder list;
  g_variant_builder_init (&list, G_VARIANT_TYPE ("a(sv)"));
  g_variant_builder_add (&list, "(sv)", "Description", g_variant_new_string (title));
  /* "exec": the job fails if the program cannot be executed. */
  g_variant_builder_add (&list, "(sv)", "Type", g_variant_new_string ("exec"));
  g_variant_builder_add (&list, "(sv)", "ExecStart", command (program, instance));
  g_variant_builder_add (&list, "(sv)", "Environment", environment ());
  g_variant_builder_add (&list, "(sv)", "WorkingDirectory", g_variant_new_string ("/"));
  /* Gone once over, also after a failure: the name is free for the next. */
  g_variant_builder_add (&list, "(sv)", "CollectMode", g_variant_new_string ("inactive-or-failed"));
  /* SIGTERM saves; five minutes are enough to merge what a disk of 100 MB/s holds of 30 GB. */
  g_variant_builder_add (&list, "(sv)", "TimeoutStopUSec",
                         g_variant_new_uint64 (5 * 60 * G_GUINT64_CONSTANT (1000000)));
  return g_variant_builder_end (&list);
}

/* The manager to ask, NULL where there is none. */
static GDBusConnection *
manager_bus (void)
{
  if (geteuid () == 0)
    return g_file_test ("/run/systemd/system", G_FILE_TEST_IS_DIR)
               ? g_bus_get_sync (G_BUS_TYPE_SYSTEM, NULL, NULL)
               : NULL;
  const char *runtime = g_getenv ("XDG_RUNTIME_DIR");
  g_autofree char *path
      = runtime != NULL ? g_build_filename (runtime, "systemd", "private", NULL) : NULL;
  return path != NULL && g_file_test (path, G_FILE_TEST_EXISTS)
             ? g_bus_get_sync (G_BUS_TYPE_SESSION, NULL, NULL)
             : NULL;
}

gboolean
wpr_spawn_unit (const char *program, const char *instance)
{
  g_autoptr (GDBusConnection) bus = g_path_is_absolute (program) ? manager_bus () : NULL;
  if (bus == NULL)
    return FALSE;
  g_autofree char *unit = g_strdup_printf ("wpr-recorder-%s.service", instance);
  GVariant *nothing = g_variant_new_array (G_VARIANT_TYPE ("(sa(sv))"), NULL, 0);
  g_autoptr (GVariant) answer = g_dbus_connection_call_sync (
      bus, "org.freedesktop.systemd1", "/org/freedesktop/systemd1",
      "org.freedesktop.systemd1.Manager", "StartTransientUnit",
      g_variant_new ("(ss@a(sv)@a(sa(sv)))", unit, "fail", properties (program, instance), nothing),
      G_VARIANT_TYPE ("(o)"), G_DBUS_CALL_FLAGS_NONE, WPR_SPAWN_MS, NULL, NULL);
  return answer != NULL;
}
