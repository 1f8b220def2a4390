/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The recording process: one local recorder, served until it is over. */
#include "config.h"

#include <glib-unix.h>
#include <glib/gi18n-lib.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/log.h"
#include "recorder/bus.h"
#include "recorder/place.h"
#include "recorder/recorder-private.h"

/* Nobody who starts a recorder lets it wait this long; who does has died. */
#define WPR_HOST_IDLE_S 30
/* Nor without any connection, after the first: who looks around comes and goes meanwhile. */
#define WPR_HOST_LEFT_MS 2000
/* How often is looked whether the socket is still there. */
#define WPR_HOST_LOOK_S 10
/* The last notices (where it was saved) come right behind the last state. */
#define WPR_HOST_LINGER_MS 50

typedef struct
{
  WprRecorder *recorder;
  WprPlace *place;
  WprBus *bus;
  GMainLoop *loop;
  guint over;           /* source that ends the loop */
  guint left;           /* another, of one that nobody has at hand */
  gboolean by_itself;   /* it ended without anybody's call */
  gboolean interrupted; /* a signal came; what is recorded is being saved */
} WprHost;

static gboolean
is_over (WprState state)
{
  return state == WPR_STATE_SAVED || state == WPR_STATE_CANCELLED || state == WPR_STATE_FAILED;
}

/* Nobody waits for an answer, so nobody hears the end: it is left for who asks later. */
static void
leave_words (WprHost *host)
{
  g_autoptr (GPtrArray) notices = wpr_recorder_get_notices (host->recorder);
  for (guint i = notices->len; i > 0; i--)
    {
      const WprNotice *notice = g_ptr_array_index (notices, i - 1);
      if (notice->severity != WPR_NOTICE_ERROR && !g_str_equal (notice->id, "saved"))
        continue;
      wpr_place_leave_words (host->place, notice->text);
      return;
    }
}

static void
on_state (WprRecorder *recorder, GParamSpec *pspec, WprHost *host)
{
  host->by_itself
      = is_over (wpr_recorder_get_state (recorder)) && wpr_bus_get_n_pending (host->bus) == 0;
}

static gboolean
may_end (const WprHost *host)
{
  return is_over (wpr_recorder_get_state (host->recorder)) && wpr_bus_get_n_pending (host->bus) == 0
         && !host->interrupted;
}

static gboolean
on_over (gpointer data)
{
  WprHost *host = data;
  host->over = 0;
  if (!may_end (host))
    return G_SOURCE_REMOVE;
  if (host->by_itself)
    leave_words (host);
  g_main_loop_quit (host->loop);
  return G_SOURCE_REMOVE;
}

static gboolean
on_left (gpointer data)
{
  WprHost *host = data;
  host->left = 0;
  if (wpr_recorder_get_state (host->recorder) == WPR_STATE_IDLE
      && wpr_bus_get_n_clients (host->bus) == 0)
    g_main_loop_quit (host->loop);
  return G_SOURCE_REMOVE;
}

/* Over, and everybody who asked has an answer on the way; or whoever had it at hand, idle, let it
 * go: its name is wanted by others. */
static void
on_changed (gpointer data)
{
  WprHost *host = data;
  if (host->left == 0 && wpr_recorder_get_state (host->recorder) == WPR_STATE_IDLE)
    host->left = g_timeout_add (WPR_HOST_LEFT_MS, on_left, host);
  if (may_end (host) && host->over == 0)
    host->over = g_timeout_add (WPR_HOST_LINGER_MS, on_over, host);
}

static gboolean
on_idle_timeout (gpointer data)
{
  WprHost *host = data;
  if (wpr_recorder_get_state (host->recorder) != WPR_STATE_IDLE)
    return G_SOURCE_REMOVE;
  /* A window has it at hand, perhaps unlocked. */
  if (wpr_bus_get_n_clients (host->bus) > 0)
    return G_SOURCE_CONTINUE;
  g_main_loop_quit (host->loop);
  return G_SOURCE_REMOVE;
}

static void
on_user (const char *user, gpointer data)
{
  WprHost *host = data;
  wpr_recorder_set_user (host->recorder, user);
}

static void
on_interrupted (GObject *source, GAsyncResult *result, gpointer data)
{
  WprHost *host = data;
  g_autoptr (GError) error = NULL;
  g_autofree char *path = wpr_recorder_interrupt_finish (host->recorder, result, &error);
  if (path != NULL)
    wpr_log (WPR_LOG_STOP, "The recorder was told to end. What it recorded is kept in “%s”.", path);
  else
    wpr_log (WPR_LOG_STOP, "The recorder was told to end: %s", error->message);
  host->interrupted = FALSE;
  on_changed (host);
}

/* Ends, and keeps what was recorded. */
static gboolean
interrupt (WprHost *host)
{
  WprState state = wpr_recorder_get_state (host->recorder);
  if (state == WPR_STATE_IDLE)
    g_main_loop_quit (host->loop);
  else if (!host->interrupted && !is_over (state))
    {
      host->interrupted = TRUE;
      wpr_recorder_interrupt_async (host->recorder, on_interrupted, host);
    }
  return G_SOURCE_CONTINUE;
}

static gboolean
on_signal (gpointer data)
{
  return interrupt (data);
}

/* A recorder nobody can find any more (the runtime folder goes when its user logs out) would record
 * for ever. */
static gboolean
on_look (gpointer data)
{
  WprHost *host = data;
  if (!g_file_test (wpr_place_get_socket (host->place), G_FILE_TEST_EXISTS))
    interrupt (host);
  return G_SOURCE_CONTINUE;
}

/* One byte if it answers, else why not, for whoever started us. */
static void
tell_ready (int fd, const GError *error)
{
  static const char ready = WPR_READY_BYTE;
  if (fd < 0)
    return;
  if (error == NULL)
    wpr_write_all (fd, &ready, 1, NULL);
  else
    wpr_write_all (fd, error->message, strlen (error->message), NULL);
  close (fd);
}

static gboolean
host_begin (WprHost *host, const char *instance, GError **error)
{
  host->place = wpr_place_take (instance, error);
  if (host->place == NULL)
    return FALSE;
  host->recorder = wpr_recorder_new_local (instance, error);
  if (host->recorder == NULL)
    return FALSE;
  host->bus = wpr_bus_new (host->recorder, wpr_place_get_address (host->place), error);
  if (host->bus == NULL)
    return FALSE;
  const char *door = wpr_place_get_door (host->place);
  g_autoptr (GError) why = NULL;
  if (door != NULL && !wpr_bus_open_gate (host->bus, door, &why))
    wpr_log (WPR_LOG_NOTICE, "Other users cannot see this recording: %s", why->message);
  g_signal_connect (host->recorder, "notify::state", G_CALLBACK (on_state), host);
  wpr_bus_set_changed_func (host->bus, on_changed, host);
  wpr_bus_set_user_func (host->bus, on_user, host);
  return TRUE;
}

int
wpr_recorder_host_run (const char *instance, int ready_fd)
{
  g_autoptr (GError) error = NULL;
  WprHost host = { 0 };
  host.loop = g_main_loop_new (NULL, FALSE);
  gboolean ok = host_begin (&host, instance, &error);
  if (!ok)
    wpr_log (WPR_LOG_REFUSED, "No recorder for “%s”: %s",
             instance != NULL ? instance : WPR_DEFAULT_INSTANCE, error->message);
  tell_ready (ready_fd, error);
  if (ok)
    {
      guint sources[] = { g_unix_signal_add (SIGINT, on_signal, &host),
                          g_unix_signal_add (SIGTERM, on_signal, &host),
                          g_timeout_add_seconds (WPR_HOST_IDLE_S, on_idle_timeout, &host),
                          g_timeout_add_seconds (WPR_HOST_LOOK_S, on_look, &host) };
      signal (SIGPIPE, SIG_IGN);
      signal (SIGHUP, SIG_IGN); /* a terminal that closes is no reason to end */
      g_main_loop_run (host.loop);
      g_clear_handle_id (&host.over, g_source_remove);
      g_clear_handle_id (&host.left, g_source_remove);
      for (gsize i = 0; i < G_N_ELEMENTS (sources); i++)
        if (g_main_context_find_source_by_id (NULL, sources[i]) != NULL)
          g_source_remove (sources[i]);
    }
  /* The name is free before the recorder closes its events, which takes seconds. */
  if (host.recorder != NULL)
    g_signal_handlers_disconnect_by_data (host.recorder, &host);
  wpr_bus_free (host.bus);
  wpr_place_free (host.place);
  g_clear_object (&host.recorder);
  g_main_loop_unref (host.loop);
  return wpr_error_exit_status (error);
}
