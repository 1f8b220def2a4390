/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Unlocking as a window does it: the recorder is started, asked to unlock, and then started. Below
 * with-system-bus, as a user whom the rules allow ("allowed") or refuse ("refused"). */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>
#include <wpr-recorder.h>

#include "bus.h"

static void
on_done (GObject *source, GAsyncResult *result, gpointer data)
{
  *(GAsyncResult **)data = g_object_ref (result);
}

static void
wait_for (GAsyncResult **result)
{
  while (*result == NULL)
    g_main_context_iteration (NULL, TRUE);
}

static WprRecorder *
spawn (void)
{
  g_autoptr (GError) error = NULL;
  WprRecorder *recorder = wpr_recorder_spawn (NULL, &error);
  if (recorder == NULL)
    fail_msg ("%s", error->message);
  return recorder;
}

static gboolean
unlock (WprRecorder *recorder, GError **error)
{
  g_autoptr (GAsyncResult) result = NULL;
  wpr_recorder_unlock_async (recorder, FALSE, NULL, on_done, &result);
  wait_for (&result);
  return wpr_recorder_unlock_finish (recorder, result, error);
}

static gboolean
start (WprRecorder *recorder, gboolean with_unlock, WprMode mode, GError **error)
{
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (WprChoice) choice = wpr_choice_new ();
  wpr_choice_add (choice, "CPU", NULL, -1);
  choice->unlock = with_unlock;
  choice->mode = mode;
  wpr_recorder_start_async (recorder, choice, NULL, "wprui", NULL, on_done, &result);
  wait_for (&result);
  return wpr_recorder_start_finish (recorder, result, error);
}

static void
cancel (WprRecorder *recorder)
{
  g_autoptr (GAsyncResult) result = NULL;
  wpr_recorder_cancel_async (recorder, NULL, on_done, &result);
  wait_for (&result);
  assert_true (wpr_recorder_cancel_finish (recorder, result, NULL));
}

/* This program comes and goes while it waits for what is told of that, a minute at most. */
static gboolean
has_events (WprRecorder *recorder)
{
  for (guint i = 0; i < 600; i++)
    {
      g_autoptr (WprStats) stats = wpr_recorder_ref_stats (recorder);
      if (stats->events > 0)
        return TRUE;
      g_usleep (100 * 1000);
      while (g_main_context_iteration (NULL, FALSE))
        ;
    }
  return FALSE;
}

static void
what_was_unlocked_is_what_records (void **state)
{
  static const WprMode modes[] = { WPR_MODE_MEMORY, WPR_MODE_FILE };
  /* The probe waits some seconds only; a busy machine may start the service in more. */
  g_autoptr (GDBusConnection) bus = bus_connect ();
  g_autofree char *answer = bus_ask (bus);
  assert_string_equal (answer, "yes");
  g_autoptr (WprMachine) machine = wpr_machine_probe ();
  assert_int_equal (wpr_machine_get_unlock (machine), WPR_UNLOCK_YES);
  for (guint i = 0; i < G_N_ELEMENTS (modes); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (WprRecorder) recorder = spawn ();
      g_autoptr (GAsyncResult) named = NULL;
      if (!unlock (recorder, &error) || !unlock (recorder, &error)) /* once more is once */
        fail_msg ("%s", error->message);
      wpr_recorder_bus_name_async (recorder, NULL, on_done, &named);
      wait_for (&named);
      g_autofree char *name = wpr_recorder_bus_name_finish (recorder, named, NULL);
      assert_true (g_dbus_is_unique_name (name));
      if (!start (recorder, TRUE, modes[i], &error))
        fail_msg ("%s", error->message);
      assert_false (unlock (recorder, &error));
      assert_int_equal (error->code, WPR_ERROR_STATE);
      assert_true (has_events (recorder));
      cancel (recorder);
    }
}

static void
refusal_is_told_and_starts_nothing (void **state)
{
  g_autoptr (WprMachine) machine = wpr_machine_probe ();
  assert_int_equal (wpr_machine_get_unlock (machine), WPR_UNLOCK_NONE);
  g_autoptr (GError) error = NULL;
  g_autoptr (WprRecorder) recorder = spawn ();
  assert_false (unlock (recorder, &error));
  assert_int_equal (error->code, WPR_ERROR_NOT_PERMITTED);
  assert_int_equal (wpr_recorder_get_state (recorder), WPR_STATE_IDLE);
}

static void
without_a_bus_nothing_waits (void **state)
{
  g_autofree char *command
      = g_build_filename (g_getenv ("WPR_BUILD_ROOT"), "ui", "command", "wpr", NULL);
  const char *argv[] = { command, "--probe", NULL };
  g_auto (GStrv) environment = g_get_environ ();
  g_autofree char *out = NULL;
  environment = g_environ_setenv (environment, "WPR_BROKER_BUS", "unix:path=/nowhere", TRUE);
  environment
      = g_environ_setenv (environment, "DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/nowhere", TRUE);
  assert_true (g_spawn_sync (NULL, (char **)argv, environment, G_SPAWN_DEFAULT, NULL, NULL, &out,
                             NULL, NULL, NULL));
  assert_non_null (strstr (out, "rights"));
}

int
main (int argc, char **argv)
{
  const struct CMUnitTest allowed[] = { cmocka_unit_test (what_was_unlocked_is_what_records),
                                        cmocka_unit_test (without_a_bus_nothing_waits) };
  const struct CMUnitTest refused[] = { cmocka_unit_test (refusal_is_told_and_starts_nothing) };
  const char *place = g_getenv ("WPR_TEST_PLACE");
  static const char *const dirs[][2]
      = { { "run", "WPR_RUNTIME_DIR" }, { "state", "WPR_STATE_DIR" } };
  for (gsize i = 0; i < G_N_ELEMENTS (dirs); i++)
    {
      g_autofree char *path = g_build_filename (place, dirs[i][0], NULL);
      g_mkdir (path, 0700);
      g_setenv (dirs[i][1], path, TRUE);
    }
  g_autofree char *program
      = g_build_filename (g_getenv ("WPR_BUILD_ROOT"), "ui", "command", "wpr", NULL);
  g_setenv ("WPR_RECORDER", program, TRUE);
  g_unsetenv ("WPR_CACHE_DIR");
  return argc > 1 && g_str_equal (argv[1], "refused")
             ? cmocka_run_group_tests (refused, NULL, NULL)
             : cmocka_run_group_tests (allowed, NULL, NULL);
}
