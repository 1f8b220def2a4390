/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Connecting: everything happens on the worker, and the caller waits for it with a limit. Then what
 * the recorder tells by itself: state, notices, progress, and that it has gone. */
#include "config.h"

#include <gio/gunixfdlist.h>
#include <glib/gi18n-lib.h>
#include <unistd.h>

#include "base/files.h"
#include "base/retell.h"
#include "recorder/place.h"
#include "recorder/proxy-private.h"

typedef struct
{
  WprProxy *proxy;
  WprRecorder *recorder;
  char *address;
  GCancellable *cancellable;
  gboolean as_guest;
  GMutex lock;
  GCond cond;
  gboolean done, broke;
  GError *error;
} WprConnecting;

const char *
wpr_proxy_lost_text (void)
{
  return _ ("The recorder ended unexpectedly. What it had written to disk is kept: “wpr -recover” "
            "makes a file of it.");
}

/* ---- what the recorder tells ---- */

static gboolean
is_over (WprState state)
{
  return state == WPR_STATE_SAVED || state == WPR_STATE_CANCELLED || state == WPR_STATE_FAILED;
}

static void
take_description (WprProxy *self, GVariant *description)
{
  g_mutex_lock (&self->lock);
  g_variant_unref (self->description);
  self->description = g_variant_ref (description);
  g_mutex_unlock (&self->lock);
}

static void
take_state (WprProxy *self, guint32 state)
{
  if (state <= WPR_STATE_FAILED)
    wpr_recorder_set_state (self->parent.recorder, (WprState)state);
}

static void
take_notice (WprProxy *self, GVariant *variant)
{
  g_autoptr (WprNotice) notice = wpr_notice_from_variant (variant);
  if (notice == NULL)
    return;
  g_autofree char *text = wpr_retell (notice->text);
  wpr_recorder_add_notice (self->parent.recorder, notice->severity, notice->realtime_ns, notice->id,
                           text);
}

static void
on_signal (GDBusConnection *connection, const char *sender, const char *path, const char *interface,
           const char *name, GVariant *parameters, gpointer data)
{
  WprProxy *self = data;
  if (g_str_equal (name, "StateChanged")
      && g_variant_is_of_type (parameters, G_VARIANT_TYPE ("(ua{sv})")))
    {
      guint32 state = 0;
      g_autoptr (GVariant) description = NULL;
      g_variant_get (parameters, "(u@a{sv})", &state, &description);
      take_description (self, description);
      take_state (self, state);
    }
  else if (g_str_equal (name, "Notice"))
    take_notice (self, parameters);
  else if (g_str_equal (name, "Progress")
           && g_variant_is_of_type (parameters, G_VARIANT_TYPE ("(sdtt)")))
    {
      const char *phase = NULL;
      double fraction = 0;
      guint64 done = 0, total = 0;
      g_variant_get (parameters, "(&sdtt)", &phase, &fraction, &done, &total);
      wpr_recorder_emit_progress (self->parent.recorder, phase, fraction, done, total);
    }
}

static void
on_closed (GDBusConnection *connection, gboolean vanished, GError *error, gpointer data)
{
  WprProxy *self = data;
  WprRecorder *recorder = self->parent.recorder;
  /* Over: it has ended as it should. */
  if (is_over (wpr_recorder_get_state (recorder)))
    return;
  wpr_recorder_add_notice (recorder, WPR_NOTICE_ERROR, 0, "recorder-gone", wpr_proxy_lost_text ());
  wpr_recorder_set_state (recorder, WPR_STATE_FAILED);
}

/* ---- connecting, on the worker ---- */

static gboolean
take_attach_answer (WprProxy *self, GVariant *answer, GUnixFDList *fds, GError **error)
{
  guint32 protocol = 0, state = 0;
  gint32 handle = -1;
  g_autoptr (GVariant) description = NULL;
  g_autoptr (GVariant) notices = NULL;
  g_variant_get (answer, "(uhu@a{sv}@a" WPR_NOTICE_TYPE ")", &protocol, &handle, &state,
                 &description, &notices);
  if (protocol != WPR_BUS_PROTOCOL)
    {
      wpr_set_error (error, WPR_ERROR_NOT_AVAILABLE, 0,
                     _ ("The recording was begun by another version of Performance Recorder. Stop "
                        "it with that version's wpr."));
      return FALSE;
    }
  int fd = fds != NULL ? g_unix_fd_list_get (fds, handle, error) : -1;
  self->published = fd >= 0 ? wpr_published_new (fd, error) : NULL;
  if (self->published == NULL)
    return FALSE;
  take_description (self, description);
  for (gsize i = 0; i < g_variant_n_children (notices); i++)
    {
      g_autoptr (GVariant) notice = g_variant_get_child_value (notices, i);
      take_notice (self, notice);
    }
  take_state (self, state);
  return TRUE;
}

static gboolean
attach (WprProxy *self, GCancellable *cancellable, GError **error)
{
  g_autoptr (GUnixFDList) fds = NULL;
  g_autoptr (GVariant) answer = g_dbus_connection_call_with_unix_fd_list_sync (
      self->connection, NULL, WPR_BUS_PATH, WPR_BUS_INTERFACE, "Attach", NULL,
      G_VARIANT_TYPE ("(uhua{sv}a" WPR_NOTICE_TYPE ")"), G_DBUS_CALL_FLAGS_NONE, G_MAXINT, NULL,
      &fds, cancellable, error);
  return answer != NULL && take_attach_answer (self, answer, fds, error);
}

/* A socket is anybody's to make; who listens the kernel knows. */
static gboolean
check_peer (GDBusConnection *connection, gboolean as_guest, GError **error)
{
  GIOStream *stream = g_dbus_connection_get_stream (connection);
  g_autoptr (GCredentials) credentials
      = G_IS_SOCKET_CONNECTION (stream) ? g_socket_get_credentials (
            g_socket_connection_get_socket (G_SOCKET_CONNECTION (stream)), NULL)
                                        : NULL;
  uid_t uid = credentials != NULL ? g_credentials_get_unix_user (credentials, NULL) : (uid_t)-1;
  if (uid == 0 || (!as_guest && uid == geteuid ()))
    return TRUE;
  wpr_set_error (error, WPR_ERROR_NOT_PERMITTED, 0,
                 _ ("Who answers there is somebody else's program, so nothing is told to it."));
  return FALSE;
}

/* What polkit is asked about. Without a system bus only who began the recording is let in. */
static gboolean
introduce (WprProxy *self, GCancellable *cancellable, GError **error)
{
  self->system = g_bus_get_sync (G_BUS_TYPE_SYSTEM, cancellable, NULL);
  if (self->system == NULL)
    return TRUE;
  g_dbus_connection_set_exit_on_close (self->system, FALSE);
  g_autoptr (GVariant) answer = g_dbus_connection_call_sync (
      self->connection, NULL, WPR_BUS_PATH, WPR_BUS_INTERFACE, "Introduce",
      g_variant_new ("(s)", g_dbus_connection_get_unique_name (self->system)), NULL,
      G_DBUS_CALL_FLAGS_NONE, G_MAXINT, cancellable, error);
  return answer != NULL;
}

static void
connect_on_worker (gpointer data)
{
  WprConnecting *connecting = data;
  WprProxy *self = connecting->proxy;
  GError *error = NULL;
  self->connection = g_dbus_connection_new_for_address_sync (
      connecting->address, G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT, NULL,
      connecting->cancellable, &error);
  if (self->connection != NULL && check_peer (self->connection, connecting->as_guest, &error)
      && (!connecting->as_guest || introduce (self, connecting->cancellable, &error)))
    {
      self->subscription = g_dbus_connection_signal_subscribe (
          self->connection, NULL, WPR_BUS_INTERFACE, NULL, WPR_BUS_PATH, NULL,
          G_DBUS_SIGNAL_FLAGS_NONE, on_signal, self, NULL);
      if (attach (self, connecting->cancellable, &error))
        g_signal_connect (self->connection, "closed", G_CALLBACK (on_closed), self);
      /* It may have gone between its answer and the line above. */
      if (error == NULL && g_dbus_connection_is_closed (self->connection))
        on_closed (self->connection, TRUE, NULL, self);
    }
  g_mutex_lock (&connecting->lock);
  connecting->error = error;
  connecting->broke
      = error != NULL && error->domain == G_IO_ERROR && error->code != G_IO_ERROR_CANCELLED
        && !g_dbus_error_is_remote_error (error) && error->code != G_IO_ERROR_PERMISSION_DENIED;
  connecting->done = TRUE;
  g_cond_signal (&connecting->cond);
  g_mutex_unlock (&connecting->lock);
}

static void
wait_for_worker (WprConnecting *connecting, guint timeout_ms)
{
  gint64 end = g_get_monotonic_time () + (gint64)timeout_ms * 1000;
  g_mutex_lock (&connecting->lock);
  while (!connecting->done && g_cond_wait_until (&connecting->cond, &connecting->lock, end))
    ;
  if (!connecting->done)
    {
      g_mutex_unlock (&connecting->lock);
      g_cancellable_cancel (connecting->cancellable);
      g_mutex_lock (&connecting->lock);
    }
  while (!connecting->done)
    g_cond_wait (&connecting->cond, &connecting->lock);
  g_mutex_unlock (&connecting->lock);
}

static void
say_silent (const char *instance, GError **error)
{
  g_autofree char *dir = wpr_runtime_dir (NULL);
  GPid owner = dir != NULL ? wpr_place_read_owner (dir, instance) : 0;
  if (owner > 0)
    wpr_set_error (error, WPR_ERROR_INTERNAL, 0,
                   _ ("The recorder of “%s” (process %d) does not answer. It may be stopped, or "
                      "this computer very busy: try again. If it never answers, end that process; "
                      "“wpr -recover” makes a file of what it had written to disk."),
                   instance, (int)owner);
  else
    wpr_set_error (error, WPR_ERROR_INTERNAL, 0,
                   _ ("The recorder of “%s” does not answer. It may be stopped or very busy: try "
                      "again, or end its process and run “wpr -recover”."),
                   instance);
}

/* Nobody takes the connection: those that wait already are as many as the kernel lets wait. */
static gboolean
is_silent (const GError *why)
{
  return g_error_matches (why, G_IO_ERROR, G_IO_ERROR_CANCELLED)
         || g_error_matches (why, G_IO_ERROR, G_IO_ERROR_WOULD_BLOCK);
}

static void
say_why (const WprConnecting *connecting, const char *instance, GError **error)
{
  const GError *why = connecting->error;
  if (is_silent (why))
    say_silent (instance, error);
  else if (g_dbus_error_is_remote_error (why))
    g_propagate_error (error, wpr_bus_error_from_remote (g_error_copy (why)));
  else if (why->domain == WPR_ERROR)
    g_propagate_error (error, g_error_copy (why));
  else
    wpr_set_error (error, WPR_ERROR_INTERNAL, 0, _ ("The recorder of “%s” cannot be reached: %s."),
                   instance, why->message);
}

WprRecorder *
wpr_proxy_connect (const char *instance, const char *socket_path, gboolean as_guest,
                   guint timeout_ms, gboolean *broke, GError **error)
{
  g_autofree char *escaped = g_dbus_address_escape_value (socket_path);
  WprConnecting connecting = { 0 };
  connecting.proxy = wpr_proxy_new ();
  connecting.recorder = wpr_recorder_new_with_backend (instance, &connecting.proxy->parent);
  connecting.address = g_strconcat ("unix:path=", escaped, NULL);
  connecting.cancellable = g_cancellable_new ();
  connecting.as_guest = as_guest;
  g_mutex_init (&connecting.lock);
  g_cond_init (&connecting.cond);
  wpr_worker_call (connecting.proxy->worker, connect_on_worker, &connecting, NULL);
  wait_for_worker (&connecting, timeout_ms);
  if (connecting.error != NULL)
    {
      say_why (&connecting, instance, error);
      g_clear_object (&connecting.recorder);
    }
  *broke = connecting.broke;
  g_clear_error (&connecting.error);
  g_object_unref (connecting.cancellable);
  g_free (connecting.address);
  g_mutex_clear (&connecting.lock);
  g_cond_clear (&connecting.cond);
  return connecting.recorder;
}
