/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The gate: who comes is counted, greeted on a thread, and handed to the bus. */
#include "config.h"
#include "recorder/gate.h"

#include <errno.h>
#include <glib-unix.h>
#include <glib/gi18n-lib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/wpr-error.h"
#include "recorder/gate-relay.h"

/* Beside WPR_GATE_OF_ALL those who knock at one moment. */
#define WPR_GATE_BACKLOG 16

/* Shared with the threads; outlives the gate. */
typedef struct
{
  gatomicrefcount refs;
  GMainContext *context;
  GMutex lock;
  GCond ended;
  GPtrArray *guests; /* WprGuest *: of the threads that run */
  WprGate *gate;     /* on the context only; NULL: gone */
} WprGateHall;

typedef struct
{
  WprGateHall *hall;
  WprRelay ends;
  uid_t uid;
  WprBehalf *behalf;
} WprGuest;

struct _WprGate
{
  WprGateHall *hall;
  int fd;
  GSource *source;
  WprGateFunc func;
  gpointer data;
  char *guid;
  GDBusAuthObserver *observer;
};

static void
hall_unref (WprGateHall *hall)
{
  if (!g_atomic_ref_count_dec (&hall->refs))
    return;
  g_main_context_unref (hall->context);
  g_ptr_array_unref (hall->guests);
  g_mutex_clear (&hall->lock);
  g_cond_clear (&hall->ended);
  g_free (hall);
}

/* ---- to the bus ---- */

/* The other end of a guest's relay, on its way to the context. */
typedef struct
{
  WprGateHall *hall;
  WprBehalf *behalf;
  int fd;
} WprArrival;

static void
arrival_free (gpointer data)
{
  WprArrival *arrival = data;
  if (arrival->fd >= 0)
    close (arrival->fd);
  wpr_behalf_unref (arrival->behalf);
  hall_unref (arrival->hall);
  g_free (arrival);
}

static void
on_connected (GObject *source, GAsyncResult *result, gpointer data)
{
  WprArrival *arrival = data;
  g_autoptr (GDBusConnection) connection = g_dbus_connection_new_finish (result, NULL);
  if (connection != NULL && arrival->hall->gate != NULL)
    arrival->hall->gate->func (connection, arrival->behalf, arrival->hall->gate->data);
  else if (connection != NULL)
    g_dbus_connection_close (connection, NULL, NULL, NULL);
  arrival_free (arrival);
}

static gboolean
on_arrival (gpointer data)
{
  WprArrival *arrival = data;
  WprGate *gate = arrival->hall->gate;
  g_autoptr (GSocket) socket = gate != NULL ? g_socket_new_from_fd (arrival->fd, NULL) : NULL;
  if (socket == NULL)
    {
      arrival_free (arrival);
      return G_SOURCE_REMOVE;
    }
  arrival->fd = -1;
  g_autoptr (GSocketConnection) stream = g_socket_connection_factory_create_connection (socket);
  g_dbus_connection_new (G_IO_STREAM (stream), gate->guid,
                         G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_SERVER
                             | G_DBUS_CONNECTION_FLAGS_DELAY_MESSAGE_PROCESSING,
                         gate->observer, NULL, on_connected, arrival);
  return G_SOURCE_REMOVE;
}

static void
announce (WprGuest *guest, int fd)
{
  WprArrival *arrival = g_new (WprArrival, 1);
  *arrival = (WprArrival){ guest->hall, wpr_behalf_ref (guest->behalf), fd };
  g_atomic_ref_count_inc (&guest->hall->refs);
  g_autoptr (GSource) source = g_idle_source_new ();
  g_source_set_priority (source, G_PRIORITY_DEFAULT);
  g_source_set_callback (source, on_arrival, arrival, NULL);
  g_source_attach (source, guest->hall->context);
}

/* ---- the threads ---- */

static gpointer
host_guest (gpointer data)
{
  WprGuest *guest = data;
  WprGateHall *hall = guest->hall;
  g_autofree char *guid = g_dbus_generate_guid ();
  int pair[2] = { -1, -1 };
  if (wpr_relay_greet (&guest->ends, guid)
      && socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0)
    {
      g_mutex_lock (&hall->lock);
      guest->ends.inner = pair[0];
      g_mutex_unlock (&hall->lock);
      announce (guest, pair[1]);
      if (wpr_relay_enter (&guest->ends))
        wpr_relay_run (&guest->ends);
    }
  g_mutex_lock (&hall->lock);
  close (guest->ends.outer);
  if (guest->ends.inner >= 0)
    close (guest->ends.inner);
  g_ptr_array_remove_fast (hall->guests, guest);
  g_cond_signal (&hall->ended);
  g_mutex_unlock (&hall->lock);
  wpr_behalf_unref (guest->behalf);
  g_free (guest);
  hall_unref (hall);
  return NULL;
}

/* ---- the door ---- */

static gboolean
has_room (WprGateHall *hall, uid_t uid)
{
  guint n = 0;
  g_mutex_lock (&hall->lock);
  for (guint i = 0; i < hall->guests->len; i++)
    n += ((const WprGuest *)g_ptr_array_index (hall->guests, i))->uid == uid;
  gboolean room = n < WPR_GATE_OF_USER && hall->guests->len < WPR_GATE_OF_ALL;
  g_mutex_unlock (&hall->lock);
  return room;
}

/* Takes over the descriptor. */
static void
receive (WprGate *gate, int fd)
{
  WprGateHall *hall = gate->hall;
  WprBehalf *behalf = wpr_behalf_of_peer (fd, NULL);
  if (behalf == NULL || !has_room (hall, wpr_behalf_get_uid (behalf)))
    {
      wpr_behalf_unref (behalf);
      close (fd);
      return;
    }
  WprGuest *guest = g_new0 (WprGuest, 1);
  *guest = (WprGuest){ hall, { fd, -1 }, wpr_behalf_get_uid (behalf), behalf };
  g_atomic_ref_count_inc (&hall->refs);
  g_mutex_lock (&hall->lock);
  g_ptr_array_add (hall->guests, guest);
  g_mutex_unlock (&hall->lock);
  g_autoptr (GThread) thread = g_thread_try_new ("wpr-guest", host_guest, guest, NULL);
  if (thread != NULL)
    return;
  g_mutex_lock (&hall->lock);
  g_ptr_array_remove_fast (hall->guests, guest);
  g_mutex_unlock (&hall->lock);
  close (fd);
  wpr_behalf_unref (behalf);
  g_free (guest);
  hall_unref (hall);
}

static gboolean
on_knock (int listening, GIOCondition condition, gpointer data)
{
  int fd = accept4 (listening, NULL, NULL, SOCK_CLOEXEC);
  if (fd >= 0)
    receive (data, fd);
  return G_SOURCE_CONTINUE;
}

static int
listen_at (const char *path, GError **error)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  g_strlcpy (address.sun_path, path, sizeof address.sun_path);
  unlink (path);
  int fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd >= 0 && strlen (path) < sizeof address.sun_path
      && bind (fd, (const struct sockaddr *)&address, sizeof address) == 0
      && chmod (path, 0666) == 0 && listen (fd, WPR_GATE_BACKLOG) == 0)
    return fd;
  wpr_set_error (error, WPR_ERROR_NOT_WRITABLE, 0, _ ("“%s” cannot be made: %s."), path,
                 g_strerror (errno));
  if (fd >= 0)
    close (fd);
  return -1;
}

static gboolean
on_allow_mechanism (GDBusAuthObserver *observer, const char *mechanism, gpointer data)
{
  return g_str_equal (mechanism, "EXTERNAL");
}

WprGate *
wpr_gate_new (const char *path, WprGateFunc func, gpointer data, GError **error)
{
  int fd = listen_at (path, error);
  if (fd < 0)
    return NULL;
  WprGate *gate = g_new0 (WprGate, 1);
  WprGateHall *hall = g_new0 (WprGateHall, 1);
  g_atomic_ref_count_init (&hall->refs);
  hall->context = g_main_context_ref_thread_default ();
  g_mutex_init (&hall->lock);
  g_cond_init (&hall->ended);
  hall->guests = g_ptr_array_new ();
  hall->gate = gate;
  gate->hall = hall;
  gate->fd = fd;
  gate->func = func;
  gate->data = data;
  gate->guid = g_dbus_generate_guid ();
  gate->observer = g_dbus_auth_observer_new ();
  g_signal_connect (gate->observer, "allow-mechanism", G_CALLBACK (on_allow_mechanism), NULL);
  gate->source = g_unix_fd_source_new (fd, G_IO_IN);
  g_source_set_callback (gate->source, (GSourceFunc)(void (*) (void))on_knock, gate, NULL);
  g_source_attach (gate->source, hall->context);
  return gate;
}

void
wpr_gate_free (WprGate *gate)
{
  if (gate == NULL)
    return;
  WprGateHall *hall = gate->hall;
  hall->gate = NULL;
  g_source_destroy (gate->source);
  g_source_unref (gate->source);
  close (gate->fd);
  g_mutex_lock (&hall->lock);
  for (guint i = 0; i < hall->guests->len; i++)
    {
      const WprGuest *guest = g_ptr_array_index (hall->guests, i);
      shutdown (guest->ends.outer, SHUT_RDWR);
      if (guest->ends.inner >= 0)
        shutdown (guest->ends.inner, SHUT_RDWR);
    }
  while (hall->guests->len > 0)
    g_cond_wait (&hall->ended, &hall->lock);
  g_mutex_unlock (&hall->lock);
  hall_unref (hall);
  g_object_unref (gate->observer);
  g_free (gate->guid);
  g_free (gate);
}
