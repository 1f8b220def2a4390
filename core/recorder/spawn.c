/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Starting a recorder: which program, whether one is there already, and the orphan's way. */
#include "config.h"
#include "recorder/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "recorder/place.h"
#include "wpr-recorder.h"

char *
wpr_spawn_find_program (GError **error)
{
  const char *named = g_getenv ("WPR_RECORDER");
  if (named != NULL && *named != '\0')
    return g_strdup (named);
  g_autofree char *own = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *dir = own != NULL ? g_path_get_dirname (own) : g_strdup (WPR_BINDIR);
  g_auto (GStrv) places = g_new0 (char *, 4);
  places[0] = g_build_filename (dir, "wpr", NULL);
  places[1] = g_build_filename (dir, "..", "command", "wpr", NULL);
  places[2] = g_build_filename (WPR_BINDIR, "wpr", NULL);
  char *found = NULL;
  for (gsize i = 0; places[i] != NULL && found == NULL; i++)
    if (g_file_test (places[i], G_FILE_TEST_IS_EXECUTABLE)
        && !g_file_test (places[i], G_FILE_TEST_IS_DIR))
      found = g_strdup (places[i]);
  if (found == NULL)
    wpr_set_error (error, WPR_ERROR_NOT_AVAILABLE, 0,
                   _ ("The program “wpr”, which records, is not installed: it is neither beside "
                      "this program nor in %s."),
                   WPR_BINDIR);
  return found;
}

/* ---- the orphan ---- */

static void
in_child (gpointer data)
{
  setsid ();
}

/* Waits for the byte that says it answers; anything else is its complaint. */
static gboolean
wait_ready (int fd, GError **error)
{
  g_autoptr (GString) said = g_string_new (NULL);
  gint64 end = g_get_monotonic_time () + WPR_SPAWN_MS * 1000;
  for (;;)
    {
      char room[1024];
      struct pollfd wait = { fd, POLLIN, 0 };
      gint64 left_ms = (end - g_get_monotonic_time ()) / 1000;
      int ready = left_ms > 0 ? poll (&wait, 1, (int)left_ms) : 0;
      if (ready < 0 && errno == EINTR)
        continue;
      if (ready <= 0)
        {
          wpr_set_error (
              error, WPR_ERROR_INTERNAL, 0,
              _ ("The recorder was started but did not answer within %d seconds. Is this "
                 "computer very busy? Try again."),
              WPR_SPAWN_MS / 1000);
          return FALSE;
        }
      gssize n = read (fd, room, sizeof room);
      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        break;
      if (said->len == 0 && room[0] == WPR_READY_BYTE)
        return TRUE;
      g_string_append_len (said, room, n);
    }
  if (said->len > 0)
    wpr_set_error (error, WPR_ERROR_INTERNAL, 0, _ ("The recorder could not begin: %s"), said->str);
  else
    wpr_set_error (error, WPR_ERROR_INTERNAL, 0,
                   _ ("The recorder ended before it was ready. The log may say why."));
  return FALSE;
}

gboolean
wpr_spawn_orphan (const char *program, const char *instance, GError **error)
{
  /* The descriptor's number in the child; anything above stdio would do. */
  enum
  {
    READY_FD = 3
  };
  const char *argv[]
      = { program, "--recorder", "--instance", instance, "--ready-fd", G_STRINGIFY (3), NULL };
  int ends[2];
  const int target = READY_FD;
  g_autoptr (GError) why = NULL;
  if (pipe2 (ends, O_CLOEXEC) != 0)
    {
      wpr_set_error (error, WPR_ERROR_INTERNAL, 0, _ ("The recorder could not be started: %s."),
                     g_strerror (errno));
      return FALSE;
    }
  /* Without G_SPAWN_DO_NOT_REAP_CHILD GLib forks twice, so that init is its parent. */
  gboolean ok = g_spawn_async_with_pipes_and_fds (
      "/", argv, NULL, G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_STDERR_TO_DEV_NULL, in_child, NULL, -1,
      -1, -1, &ends[1], &target, 1, NULL, NULL, NULL, NULL, &why);
  close (ends[1]);
  if (ok)
    ok = wait_ready (ends[0], error);
  else
    wpr_set_error (error, WPR_ERROR_NOT_AVAILABLE, 0,
                   _ ("The recorder “%s” could not be started: %s."), program, why->message);
  close (ends[0]);
  return ok;
}

/* ---- one recording a name ---- */

static gboolean
is_over (WprState state)
{
  return state == WPR_STATE_SAVED || state == WPR_STATE_CANCELLED || state == WPR_STATE_FAILED;
}

/* Says who has the name. */
static void
say_taken (WprRecorder *recorder, const char *instance, GError **error)
{
  g_autoptr (GVariant) description = wpr_recorder_describe (recorder);
  const char *user = NULL, *program = NULL;
  gint64 started = 0;
  if (!g_variant_lookup (description, "user", "&s", &user)
      || !g_variant_lookup (description, "program", "&s", &program)
      || !g_variant_lookup (description, "started", "x", &started) || started == 0)
    {
      wpr_set_error (
          error, WPR_ERROR_ALREADY_RECORDING, 0xc5583001,
          _ ("A recorder named “%s” is there already and has not begun to record: a window that is "
             "unlocked, or that waits for a password, holds one. Start there, close it, or give "
             "yours a name with -instancename."),
          instance);
      return;
    }
  g_autoptr (GDateTime) when
      = g_date_time_new_from_unix_local (started / G_GINT64_CONSTANT (1000000000));
  g_autofree char *date = when != NULL ? g_date_time_format (when, "%F %T") : g_strdup ("?");
  wpr_set_error (
      error, WPR_ERROR_ALREADY_RECORDING, 0xc5583001,
      _ ("A recording named “%s” has been running since %s, begun by %s with %s. Stop it "
         "with “wpr -stop FILE.etl”, or give yours a name with -instancename."),
      instance, date, user, program);
}

/* FALSE if somebody records under the name. Waits for one that is over but still there. */
static gboolean
name_is_free (const char *instance, GError **error)
{
  gint64 end = g_get_monotonic_time () + WPR_SPAWN_MS * 1000;
  for (;;)
    {
      g_autoptr (GError) why = NULL;
      g_autoptr (WprRecorder) recorder = wpr_recorder_connect (instance, &why);
      if (recorder == NULL && g_error_matches (why, WPR_ERROR, WPR_ERROR_NOT_RECORDING))
        return TRUE;
      if (recorder == NULL)
        {
          g_propagate_error (error, g_steal_pointer (&why));
          return FALSE;
        }
      if (!is_over (wpr_recorder_get_state (recorder)) || g_get_monotonic_time () >= end)
        {
          say_taken (recorder, instance, error);
          return FALSE;
        }
      g_usleep (50 * 1000);
    }
}

/* A unit is started by somebody else: it answers when it answers. */
static WprRecorder *
connect_soon (const char *instance, GError **error)
{
  gint64 end = g_get_monotonic_time () + WPR_SPAWN_MS * 1000;
  for (;;)
    {
      g_autoptr (GError) why = NULL;
      WprRecorder *recorder = wpr_recorder_connect (instance, &why);
      if (recorder != NULL)
        return recorder;
      if (!g_error_matches (why, WPR_ERROR, WPR_ERROR_NOT_RECORDING)
          || g_get_monotonic_time () >= end)
        {
          g_propagate_error (error, g_steal_pointer (&why));
          return NULL;
        }
      g_usleep (20 * 1000);
    }
}

WprRecorder *
wpr_recorder_spawn (const char *instance, GError **error)
{
  instance = wpr_place_check_instance (instance, error);
  if (instance == NULL || !name_is_free (instance, error))
    return NULL;
  g_autofree char *program = wpr_spawn_find_program (error);
  if (program == NULL)
    return NULL;
  /* Named by the environment: a test, or somebody who knows what they want; no unit then. */
  if (g_getenv ("WPR_RECORDER") == NULL && wpr_spawn_unit (program, instance))
    {
      g_autoptr (GError) why = NULL;
      WprRecorder *recorder = connect_soon (instance, &why);
      if (recorder != NULL || !g_error_matches (why, WPR_ERROR, WPR_ERROR_NOT_RECORDING))
        {
          if (recorder == NULL)
            g_propagate_error (error, g_steal_pointer (&why));
          return recorder;
        }
    }
  if (!wpr_spawn_orphan (program, instance, error))
    return NULL;
  return wpr_recorder_connect (instance, error);
}
