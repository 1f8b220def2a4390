/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The server: who may talk, who listens, and the page of figures, which is written only while
 * somebody could look. What a call does is in bus-calls.c. */
#include "config.h"

#include <gio/gunixfdlist.h>
#include <unistd.h>

#include "recorder/bus-private.h"

/* Faces show ten figures a second. */
#define WPR_BUS_PUBLISH_MS 100
/* A client that does not read must not keep the recorder from ending. */
#define WPR_BUS_FLUSH_MS 2000

static void
wpr_client_free (gpointer data)
{
  WprBusClient *client = data;
  g_signal_handlers_disconnect_by_data (client->connection, client);
  g_dbus_connection_unregister_object (client->connection, client->registration);
  wpr_bus_forget_question (client);
  wpr_bus_forget_introduction (client);
  wpr_behalf_unref (client->behalf);
  g_free (client->name);
  g_object_unref (client->connection);
  g_free (client);
}

void
wpr_bus_changed (WprBus *self)
{
  if (self->changed != NULL)
    self->changed (self->changed_data);
}

/* ---- figures ---- */

static void
publish_now (WprBus *self)
{
  g_autoptr (WprStats) stats = wpr_recorder_ref_stats (self->recorder);
  if (stats == self->published)
    return;
  g_autoptr (GVariant) variant = g_variant_ref_sink (wpr_stats_to_variant (stats));
  wpr_publisher_write (self->publisher, g_variant_get_data (variant), g_variant_get_size (variant));
  g_clear_pointer (&self->published, wpr_stats_unref);
  self->published = g_steal_pointer (&stats);
}

static gboolean
on_publish (gpointer data)
{
  publish_now (data);
  return G_SOURCE_CONTINUE;
}

/* Runs the timer only while there is somebody to look. */
static void
update_timer (WprBus *self)
{
  gboolean wanted = self->n_attached > 0;
  if (wanted && self->timer == NULL)
    {
      self->timer = g_timeout_source_new (WPR_BUS_PUBLISH_MS);
      g_source_set_callback (self->timer, on_publish, self, NULL);
      g_source_attach (self->timer, self->context);
    }
  else if (!wanted && self->timer != NULL)
    {
      g_source_destroy (self->timer);
      g_clear_pointer (&self->timer, g_source_unref);
    }
}

int
wpr_bus_attach (WprBus *self, WprBusClient *client)
{
  if (!client->attached)
    self->n_attached++;
  client->attached = TRUE;
  update_timer (self);
  publish_now (self);
  return wpr_publisher_get_fd (self->publisher);
}

/* ---- signals to clients ---- */

static void
emit (WprBus *self, const char *name, GVariant *arguments)
{
  g_autoptr (GVariant) kept = g_variant_ref_sink (arguments);
  for (guint i = 0; i < self->clients->len; i++)
    {
      WprBusClient *client = g_ptr_array_index (self->clients, i);
      if (client->attached)
        g_dbus_connection_emit_signal (client->connection, NULL, WPR_BUS_PATH, WPR_BUS_INTERFACE,
                                       name, kept, NULL);
    }
}

void
wpr_bus_described (WprBus *self)
{
  g_autoptr (GVariant) description = wpr_recorder_describe (self->recorder);
  if (self->n_attached > 0)
    publish_now (self);
  emit (self, "StateChanged",
        g_variant_new ("(u@a{sv})", (guint32)wpr_recorder_get_state (self->recorder), description));
  wpr_bus_changed (self);
}

static void
on_state (WprRecorder *recorder, GParamSpec *pspec, WprBus *self)
{
  wpr_bus_described (self);
}

static void
on_notice (WprRecorder *recorder, const WprNotice *notice, WprBus *self)
{
  emit (self, "Notice", wpr_notice_to_variant (notice));
}

static void
on_progress (WprRecorder *recorder, const char *phase, double fraction, guint64 done, guint64 total,
             WprBus *self)
{
  emit (self, "Progress", g_variant_new ("(sdtt)", phase, fraction, done, total));
}

/* ---- clients ---- */

static void
on_closed (GDBusConnection *connection, gboolean vanished, GError *error, WprBusClient *client)
{
  WprBus *self = client->bus;
  if (client->attached)
    self->n_attached--;
  /* Its calls go on: a stop whose caller went away still finishes the file. */
  g_ptr_array_remove_fast (self->clients, client);
  update_timer (self);
  wpr_bus_changed (self);
}

static WprBusClient *
add_client (WprBus *self, GDBusConnection *connection)
{
  static const GDBusInterfaceVTable vtable = { .method_call = wpr_bus_on_call };
  WprBusClient *client = g_new0 (WprBusClient, 1);
  client->bus = self;
  client->connection = g_object_ref (connection);
  client->registration = g_dbus_connection_register_object (
      connection, WPR_BUS_PATH, wpr_bus_interface_info (), &vtable, client, NULL, NULL);
  g_signal_connect (connection, "closed", G_CALLBACK (on_closed), client);
  g_ptr_array_add (self->clients, client);
  wpr_bus_changed (self);
  return client;
}

static gboolean
on_new_connection (GDBusServer *server, GDBusConnection *connection, WprBus *self)
{
  add_client (self, connection);
  return TRUE;
}

static gboolean
on_allow_mechanism (GDBusAuthObserver *observer, const char *mechanism, gpointer data)
{
  return g_str_equal (mechanism, "EXTERNAL"); /* the kernel says who it is */
}

static gboolean
on_authorize (GDBusAuthObserver *observer, GIOStream *stream, GCredentials *credentials,
              gpointer data)
{
  uid_t uid = credentials != NULL ? g_credentials_get_unix_user (credentials, NULL) : (uid_t)-1;
  return wpr_bus_may_talk (uid, geteuid ());
}

gboolean
wpr_bus_may_talk (uid_t peer, uid_t own)
{
  return peer != (uid_t)-1 && (peer == own || peer == 0);
}

/* ---- other users ---- */

static void
on_guest (GDBusConnection *connection, WprBehalf *behalf, gpointer data)
{
  WprBusClient *client = add_client (data, connection);
  client->behalf = wpr_behalf_ref (behalf);
  g_dbus_connection_start_message_processing (connection);
}

static void
on_system_bus (GObject *source, GAsyncResult *result, gpointer data)
{
  WprBus *self = data;
  g_autoptr (GError) error = NULL;
  GDBusConnection *system = g_bus_get_finish (result, &error);
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return; /* the bus is gone */
  self->system = system;
  if (system != NULL)
    g_dbus_connection_set_exit_on_close (system, FALSE);
  g_clear_object (&self->connecting);
  for (guint i = 0; i < self->clients->len; i++)
    wpr_bus_go_on_introducing (g_ptr_array_index (self->clients, i));
}

gboolean
wpr_bus_open_gate (WprBus *self, const char *path, GError **error)
{
  g_autoptr (WprBehalf) caller = wpr_behalf_of_caller ();
  self->began_by = caller != NULL ? wpr_behalf_get_uid (caller) : (uid_t)-1;
  self->gate = wpr_gate_new (path, on_guest, self, error);
  if (self->gate == NULL)
    return FALSE;
  self->connecting = g_cancellable_new ();
  g_bus_get (G_BUS_TYPE_SYSTEM, self->connecting, on_system_bus, self);
  return TRUE;
}

WprBus *
wpr_bus_new (WprRecorder *recorder, const char *address, GError **error)
{
  g_autoptr (GDBusAuthObserver) observer = g_dbus_auth_observer_new ();
  g_autofree char *guid = g_dbus_generate_guid ();
  g_autoptr (WprPublisher) publisher = wpr_publisher_new (error);
  g_signal_connect (observer, "allow-mechanism", G_CALLBACK (on_allow_mechanism), NULL);
  g_signal_connect (observer, "authorize-authenticated-peer", G_CALLBACK (on_authorize), NULL);
  if (publisher == NULL)
    return NULL;
  GDBusServer *server
      = g_dbus_server_new_sync (address, G_DBUS_SERVER_FLAGS_NONE, guid, observer, NULL, error);
  if (server == NULL)
    return NULL;
  WprBus *self = g_new0 (WprBus, 1);
  self->recorder = g_object_ref (recorder);
  self->server = server;
  self->context = g_main_context_ref_thread_default ();
  self->publisher = g_steal_pointer (&publisher);
  self->clients = g_ptr_array_new_with_free_func (wpr_client_free);
  self->calls = g_ptr_array_new ();
  g_signal_connect (server, "new-connection", G_CALLBACK (on_new_connection), self);
  g_signal_connect (recorder, "notify::state", G_CALLBACK (on_state), self);
  g_signal_connect (recorder, "notice", G_CALLBACK (on_notice), self);
  g_signal_connect (recorder, "progress", G_CALLBACK (on_progress), self);
  g_dbus_server_start (server);
  return self;
}

void
wpr_bus_set_changed_func (WprBus *bus, void (*func) (gpointer data), gpointer data)
{
  bus->changed = func;
  bus->changed_data = data;
}

void
wpr_bus_set_user_func (WprBus *bus, void (*func) (const char *user, gpointer data), gpointer data)
{
  bus->user = func;
  bus->user_data = data;
}

guint
wpr_bus_get_n_pending (WprBus *bus)
{
  return bus->calls->len;
}

guint
wpr_bus_get_n_clients (WprBus *bus)
{
  return bus->clients->len;
}

/* ---- the end ---- */

static void
on_flushed (GObject *source, GAsyncResult *result, gpointer data)
{
  guint *waiting = data;
  g_dbus_connection_flush_finish (G_DBUS_CONNECTION (source), result, NULL);
  --*waiting;
}

static gboolean
on_flush_timeout (gpointer data)
{
  g_cancellable_cancel (data); /* the flushes then finish, each with an error */
  return G_SOURCE_REMOVE;
}

static void
flush_clients (WprBus *self)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GSource) timeout = g_timeout_source_new (WPR_BUS_FLUSH_MS);
  g_autoptr (GPtrArray) connections = g_ptr_array_new_with_free_func (g_object_unref);
  guint waiting = self->clients->len;
  g_source_set_callback (timeout, on_flush_timeout, cancellable, NULL);
  g_source_attach (timeout, self->context);
  for (guint i = 0; i < self->clients->len; i++)
    {
      WprBusClient *client = g_ptr_array_index (self->clients, i);
      g_ptr_array_add (connections, g_object_ref (client->connection));
    }
  for (guint i = 0; i < connections->len; i++)
    g_dbus_connection_flush (g_ptr_array_index (connections, i), cancellable, on_flushed, &waiting);
  while (waiting > 0)
    g_main_context_iteration (self->context, TRUE);
  g_source_destroy (timeout);
  g_ptr_array_set_size (self->clients, 0);
  for (guint i = 0; i < connections->len; i++)
    g_dbus_connection_close (g_ptr_array_index (connections, i), NULL, NULL, NULL);
}

void
wpr_bus_free (WprBus *bus)
{
  if (bus == NULL)
    return;
  bus->changed = NULL;
  g_dbus_server_stop (bus->server);
  g_cancellable_cancel (bus->connecting);
  g_signal_handlers_disconnect_by_data (bus->server, bus);
  g_signal_handlers_disconnect_by_data (bus->recorder, bus);
  if (bus->n_attached > 0)
    publish_now (bus); /* the last figures stay with who has the page */
  flush_clients (bus);
  bus->n_attached = 0;
  update_timer (bus);
  wpr_bus_forget_calls (bus);
  g_ptr_array_unref (bus->clients);
  wpr_gate_free (bus->gate);
  g_clear_object (&bus->connecting);
  g_clear_object (&bus->system);
  g_ptr_array_unref (bus->calls);
  g_clear_pointer (&bus->published, wpr_stats_unref);
  wpr_publisher_free (bus->publisher);
  g_object_unref (bus->server);
  g_object_unref (bus->recorder);
  g_main_context_unref (bus->context);
  g_free (bus);
}
