/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What each call of the interface does: one row a method. A call holds its invocation and may
 * outlive its caller. */
#include "config.h"

#include <gio/gunixfdlist.h>
#include <glib/gi18n-lib.h>
#include <unistd.h>

#include "recorder/bus-private.h"
#include "base/behalf.h"

typedef struct
{
  WprBus *bus; /* NULL: the bus has gone */
  GDBusMethodInvocation *invocation;
  GDBusConnection *connection; /* whose job it is; compared only */
  GCancellable *cancellable;
  guint32 job;
} WprBusCall;

static WprBusCall *
call_begin (WprBusClient *client, GDBusMethodInvocation *invocation, guint32 job)
{
  WprBusCall *call = g_new0 (WprBusCall, 1);
  call->bus = client->bus;
  call->invocation = invocation;
  call->connection = client->connection;
  call->cancellable = g_cancellable_new ();
  call->job = job;
  g_ptr_array_add (client->bus->calls, call);
  return call;
}

void
wpr_bus_return_error (GDBusMethodInvocation *invocation, const GError *error)
{
  g_autofree char *name = wpr_bus_error_name (error);
  g_autofree char *text = g_utf8_make_valid (error->message, -1);
  g_dbus_method_invocation_return_dbus_error (invocation, name, text);
}

/* Answers with a tuple, or with the error, which it takes over. */
static void
call_end (WprBusCall *call, GVariant *answer, GError *error)
{
  if (error != NULL)
    wpr_bus_return_error (call->invocation, error);
  else
    g_dbus_method_invocation_return_value (call->invocation, answer);
  g_clear_error (&error);
  if (call->bus != NULL)
    {
      g_ptr_array_remove_fast (call->bus->calls, call);
      wpr_bus_changed (call->bus);
    }
  g_object_unref (call->cancellable);
  g_free (call);
}

void
wpr_bus_forget_calls (WprBus *self)
{
  for (guint i = 0; i < self->calls->len; i++)
    ((WprBusCall *)g_ptr_array_index (self->calls, i))->bus = NULL;
}

/* ---- answers ---- */

static GVariant *
saved_answer (WprSaved *saved)
{
  GVariant *children[] = { wpr_saved_to_variant (saved) };
  return g_variant_new_tuple (children, 1);
}

static void
on_started (GObject *source, GAsyncResult *result, gpointer data)
{
  GError *error = NULL;
  wpr_recorder_start_finish (WPR_RECORDER (source), result, &error);
  call_end (data, NULL, error);
}

static void
on_stopped (GObject *source, GAsyncResult *result, gpointer data)
{
  GError *error = NULL;
  g_autoptr (WprSaved) saved = wpr_recorder_stop_finish (WPR_RECORDER (source), result, &error);
  call_end (data, saved != NULL ? saved_answer (saved) : NULL, error);
}

static void
on_saved (GObject *source, GAsyncResult *result, gpointer data)
{
  GError *error = NULL;
  g_autoptr (WprSaved) saved = wpr_recorder_save_finish (WPR_RECORDER (source), result, &error);
  call_end (data, saved != NULL ? saved_answer (saved) : NULL, error);
}

static void
on_cancelled (GObject *source, GAsyncResult *result, gpointer data)
{
  GError *error = NULL;
  wpr_recorder_cancel_finish (WPR_RECORDER (source), result, &error);
  call_end (data, NULL, error);
}

static void
on_marked (GObject *source, GAsyncResult *result, gpointer data)
{
  GError *error = NULL;
  wpr_recorder_mark_finish (WPR_RECORDER (source), result, &error);
  call_end (data, NULL, error);
}

static void
on_flushed (GObject *source, GAsyncResult *result, gpointer data)
{
  GError *error = NULL;
  wpr_recorder_flush_finish (WPR_RECORDER (source), result, &error);
  call_end (data, NULL, error);
}

static void
on_profiles_set (GObject *source, GAsyncResult *result, gpointer data)
{
  WprBusCall *call = data;
  GError *error = NULL;
  if (wpr_recorder_set_profiles_finish (WPR_RECORDER (source), result, &error) && call->bus)
    wpr_bus_described (call->bus);
  call_end (call, NULL, error);
}

static void
on_grown (GObject *source, GAsyncResult *result, gpointer data)
{
  GError *error = NULL;
  wpr_recorder_grow_finish (WPR_RECORDER (source), result, &error);
  call_end (data, NULL, error);
}

static void
on_unlocked (GObject *source, GAsyncResult *result, gpointer data)
{
  GError *error = NULL;
  wpr_recorder_unlock_finish (WPR_RECORDER (source), result, &error);
  call_end (data, NULL, error);
}

static void
on_bus_name (GObject *source, GAsyncResult *result, gpointer data)
{
  GError *error = NULL;
  g_autofree char *name = wpr_recorder_bus_name_finish (WPR_RECORDER (source), result, &error);
  call_end (data, name != NULL ? g_variant_new ("(s)", name) : NULL, error);
}

/* ---- methods ---- */

static void
return_with_page (GDBusMethodInvocation *invocation, int fd, GVariant *answer)
{
  g_autoptr (GUnixFDList) fds = g_unix_fd_list_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) kept = g_variant_ref_sink (answer);
  if (g_unix_fd_list_append (fds, fd, &error) < 0) /* it becomes handle 0 */
    wpr_bus_return_error (invocation, error);
  else
    g_dbus_method_invocation_return_value_with_unix_fd_list (invocation, kept, fds);
}

static void
attach (WprBusClient *client, GDBusMethodInvocation *invocation, GVariant *parameters)
{
  WprRecorder *recorder = client->bus->recorder;
  g_autoptr (GPtrArray) notices = wpr_recorder_get_notices (recorder);
  g_autoptr (GVariant) description = wpr_recorder_describe (recorder);
  GVariantBuilder list;
  g_variant_builder_init (&list, G_VARIANT_TYPE ("a" WPR_NOTICE_TYPE));
  for (guint i = 0; i < notices->len; i++)
    g_variant_builder_add_value (&list, wpr_notice_to_variant (g_ptr_array_index (notices, i)));
  int fd = wpr_bus_attach (client->bus, client);
  return_with_page (invocation, fd,
                    g_variant_new ("(uhu@a{sv}a" WPR_NOTICE_TYPE ")", WPR_BUS_PROTOCOL, 0,
                                   (guint32)wpr_recorder_get_state (recorder), description, &list));
}

static void
stats (WprBusClient *client, GDBusMethodInvocation *invocation, GVariant *parameters)
{
  return_with_page (invocation, wpr_bus_attach (client->bus, client), g_variant_new ("(h)", 0));
}

static void
describe (WprBusClient *client, GDBusMethodInvocation *invocation, GVariant *parameters)
{
  g_autoptr (GVariant) description = wpr_recorder_describe (client->bus->recorder);
  g_dbus_method_invocation_return_value (invocation, g_variant_new ("(@a{sv})", description));
}

/* Name of the peer's user, as the kernel knows it. */
static char *
peer_user (GDBusConnection *connection)
{
  GCredentials *credentials = g_dbus_connection_get_peer_credentials (connection);
  uid_t uid = credentials != NULL ? g_credentials_get_unix_user (credentials, NULL) : geteuid ();
  return wpr_user_name (uid);
}

static void
start (WprBusClient *client, GDBusMethodInvocation *invocation, GVariant *parameters)
{
  WprBus *bus = client->bus;
  guint32 job = 0;
  const char *program = NULL;
  g_autoptr (GVariant) wish = NULL;
  g_autoptr (GVariant) files = NULL;
  g_autoptr (GError) error = NULL;
  g_variant_get (parameters, "(u@a{sv}@a(say)&s)", &job, &wish, &files, &program);
  g_autoptr (WprChoice) choice = wpr_choice_from_variant (wish, &error);
  if (choice == NULL)
    {
      wpr_bus_return_error (invocation, error);
      return;
    }
  if (bus->user != NULL)
    {
      g_autofree char *user = peer_user (client->connection);
      bus->user (user, bus->user_data);
    }
  WprBusCall *call = call_begin (client, invocation, job);
  wpr_recorder_start_async (bus->recorder, choice, g_variant_n_children (files) > 0 ? files : NULL,
                            program, call->cancellable, on_started, call);
}

typedef void (*WprFileFunc) (WprRecorder *self, int folder_fd, const char *name, const char *note,
                             GCancellable *cancellable, GAsyncReadyCallback callback,
                             gpointer data);

static void
into_file (WprBusClient *client, GDBusMethodInvocation *invocation, GVariant *parameters,
           WprFileFunc func, GAsyncReadyCallback callback)
{
  GUnixFDList *fds
      = g_dbus_message_get_unix_fd_list (g_dbus_method_invocation_get_message (invocation));
  guint32 job = 0, flags = 0, uid = G_MAXUINT32;
  gint32 handle = -1;
  const char *name = NULL, *note = NULL;
  g_autoptr (GError) error = NULL;
  g_variant_get (parameters, "(uh^&ay&suu)", &job, &handle, &name, &note, &flags, &uid);
  int fd = fds != NULL ? g_unix_fd_list_get (fds, handle, NULL) : -1;
  if (fd < 0)
    {
      wpr_set_error (&error, WPR_ERROR_USAGE, 0,
                     _ ("The folder to save into did not arrive. Nothing was stopped."));
      wpr_bus_return_error (invocation, error);
      return;
    }
  WprBusCall *call = call_begin (client, invocation, job);
  /* Root says for whom it asks; others ask for themselves. */
  g_autoptr (WprBehalf) behalf
      = client->behalf != NULL ? wpr_behalf_ref (client->behalf) : wpr_behalf_of_user (uid);
  wpr_recorder_set_behalf (client->bus->recorder, behalf);
  wpr_recorder_set_save_flags (client->bus->recorder, flags); /* of this call: one thread */
  func (client->bus->recorder, fd, name, *note != '\0' ? note : NULL, call->cancellable, callback,
        call);
  close (fd);
}

static void
stop (WprBusClient *client, GDBusMethodInvocation *invocation, GVariant *parameters)
{
  into_file (client, invocation, parameters, wpr_recorder_stop_async, on_stopped);
}

static void
save (WprBusClient *client, GDBusMethodInvocation *invocation, GVariant *parameters)
{
  into_file (client, invocation, parameters, wpr_recorder_save_async, on_saved);
}

static void
cancel (WprBusClient *client, GDBusMethodInvocation *invocation, GVariant *parameters)
{
  guint32 job = 0;
  g_variant_get (parameters, "(u)", &job);
  WprBusCall *call = call_begin (client, invocation, job);
  wpr_recorder_cancel_async (client->bus->recorder, call->cancellable, on_cancelled, call);
}

static void
mark (WprBusClient *client, GDBusMethodInvocation *invocation, GVariant *parameters)
{
  guint32 job = 0;
  const char *text = NULL;
  g_variant_get (parameters, "(u&s)", &job, &text);
  WprBusCall *call = call_begin (client, invocation, job);
  wpr_recorder_mark_async (client->bus->recorder, text, call->cancellable, on_marked, call);
}

static void
flush (WprBusClient *client, GDBusMethodInvocation *invocation, GVariant *parameters)
{
  guint32 job = 0;
  g_variant_get (parameters, "(u)", &job);
  WprBusCall *call = call_begin (client, invocation, job);
  wpr_recorder_flush_async (client->bus->recorder, call->cancellable, on_flushed, call);
}

static void
set_profiles (WprBusClient *client, GDBusMethodInvocation *invocation, GVariant *parameters)
{
  guint32 job = 0;
  gboolean on = FALSE;
  g_autoptr (GVariant) wish = NULL;
  g_autoptr (GVariant) files = NULL;
  g_autoptr (GError) error = NULL;
  g_variant_get (parameters, "(u@a{sv}@a(say)b)", &job, &wish, &files, &on);
  g_autoptr (WprChoice) choice = wpr_choice_from_variant (wish, &error);
  if (choice == NULL)
    {
      wpr_bus_return_error (invocation, error);
      return;
    }
  WprBusCall *call = call_begin (client, invocation, job);
  wpr_recorder_set_profiles_async (client->bus->recorder, choice,
                                   g_variant_n_children (files) > 0 ? files : NULL, on,
                                   call->cancellable, on_profiles_set, call);
}

static void
grow (WprBusClient *client, GDBusMethodInvocation *invocation, GVariant *parameters)
{
  guint32 job = 0;
  const char *collector = NULL;
  guint64 bytes = 0;
  g_variant_get (parameters, "(u&st)", &job, &collector, &bytes);
  WprBusCall *call = call_begin (client, invocation, job);
  wpr_recorder_grow_async (client->bus->recorder, *collector != '\0' ? collector : NULL, bytes,
                           call->cancellable, on_grown, call);
}

static void
unlock (WprBusClient *client, GDBusMethodInvocation *invocation, GVariant *parameters)
{
  guint32 job = 0;
  gboolean contents = FALSE;
  g_variant_get (parameters, "(ub)", &job, &contents);
  WprBusCall *call = call_begin (client, invocation, job);
  wpr_recorder_unlock_async (client->bus->recorder, contents, call->cancellable, on_unlocked, call);
}

static void
bus_name (WprBusClient *client, GDBusMethodInvocation *invocation, GVariant *parameters)
{
  WprBusCall *call = call_begin (client, invocation, 0);
  wpr_recorder_bus_name_async (client->bus->recorder, call->cancellable, on_bus_name, call);
}

static void
set_note (WprBusClient *client, GDBusMethodInvocation *invocation, GVariant *parameters)
{
  const char *note = NULL;
  g_variant_get (parameters, "(&s)", &note);
  wpr_recorder_set_note (client->bus->recorder, *note != '\0' ? note : NULL);
  g_dbus_method_invocation_return_value (invocation, NULL);
}

static void
abandon (WprBusClient *client, GDBusMethodInvocation *invocation, GVariant *parameters)
{
  GPtrArray *calls = client->bus->calls;
  guint32 job = 0;
  g_autoptr (GCancellable) cancellable = NULL;
  g_variant_get (parameters, "(u)", &job);
  for (guint i = 0; i < calls->len && cancellable == NULL; i++)
    {
      WprBusCall *call = g_ptr_array_index (calls, i);
      if (call->connection == client->connection && call->job == job)
        cancellable = g_object_ref (call->cancellable);
    }
  g_dbus_method_invocation_return_value (invocation, NULL);
  if (cancellable != NULL)
    g_cancellable_cancel (cancellable);
}

static const struct
{
  const char *name;
  WprBusRun run;
  WprBusNeed need; /* of another user */
} methods[] = {
  { "Introduce", wpr_bus_introduce, WPR_NEED_NOTHING },
  { "Attach", attach, WPR_NEED_VIEW },
  { "Describe", describe, WPR_NEED_VIEW },
  { "Stats", stats, WPR_NEED_VIEW },
  { "Abandon", abandon, WPR_NEED_VIEW }, /* of their own calls */
  { "Stop", stop, WPR_NEED_CONTROL },
  { "Save", save, WPR_NEED_CONTROL },
  { "Cancel", cancel, WPR_NEED_CONTROL },
  { "Mark", mark, WPR_NEED_CONTROL },
  { "SetNote", set_note, WPR_NEED_CONTROL },
  { "Start", start, WPR_NEED_OWN },
  { "Flush", flush, WPR_NEED_OWN },
  { "SetProfiles", set_profiles, WPR_NEED_OWN },
  { "Grow", grow, WPR_NEED_OWN },
  { "Unlock", unlock, WPR_NEED_OWN },
  { "BusName", bus_name, WPR_NEED_OWN },
};

void
wpr_bus_on_call (GDBusConnection *connection, const char *sender, const char *path,
                 const char *interface, const char *method, GVariant *parameters,
                 GDBusMethodInvocation *invocation, gpointer data)
{
  WprBusClient *client = data;
  /* The description of the interface has checked name and types before. */
  for (gsize i = 0; i < G_N_ELEMENTS (methods); i++)
    {
      if (!g_str_equal (methods[i].name, method))
        continue;
      if (client->behalf == NULL)
        methods[i].run (client, invocation, parameters);
      else
        wpr_bus_authorize (client, methods[i].need, invocation, parameters, methods[i].run);
      return;
    }
  g_dbus_method_invocation_return_error_literal (invocation, G_DBUS_ERROR,
                                                 G_DBUS_ERROR_UNKNOWN_METHOD, method);
}
