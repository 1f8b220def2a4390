/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The recorder's end of a session: over the bus to get one, then calls on its socket and the facts
 * they answer. The opener is in opener-broker.c. */
#include "config.h"
#include "broker/client/client-private.h"

#include <errno.h>
#include <gio/gunixfdlist.h>
#include <glib/gi18n-lib.h>
#include <poll.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include "base/sealed.h"
#include "world/open-files.h"

#define BUS_NAME "io.github.performance_recorder.Broker"
#define BUS_PATH "/io/github/performance_recorder/Broker"
#define BUS_INTERFACE "io.github.performance_recorder.Broker1"
#define BUS_ERROR "io.github.performance_recorder.Error."
/* The service starts in some 50 ms; a machine under load takes longer. */
#define ASK_TIMEOUT_MS 10000
/* Half of a large machine's memory is zeroed at 1-2 s a GiB. */
#define ANSWER_TIMEOUT_S 300
#define KEEP_CHUNK (128 * 1024)

/* What each verb answers with. */
static const char *const results[WPR_BROKER_N_VERBS] = {
  [WPR_BROKER_OPEN] = WPR_BROKER_OPENED,
  [WPR_BROKER_ADD] = WPR_BROKER_OPENED,
  [WPR_BROKER_DROP] = "a(ttt)",
  [WPR_BROKER_FILTER] = WPR_BROKER_OPENED,
  [WPR_BROKER_GROW] = WPR_BROKER_OPENED,
  [WPR_BROKER_GROW_AHEAD] = "()",
  [WPR_BROKER_CPU_ONLINE] = WPR_BROKER_OPENED,
  [WPR_BROKER_CLOSE] = "()",
  [WPR_BROKER_FORMATS] = "a(sis)",
  [WPR_BROKER_KALLSYMS] = "ay",
  [WPR_BROKER_RUNDOWN] = "ay",
  [WPR_BROKER_DESCRIPTORS] = WPR_OPEN_FILES_PACKED,
  [WPR_BROKER_KEEP] = "()",
  [WPR_BROKER_RECALL] = "(" WPR_BROKER_OPENED "ay)",
};

struct _WprBrokerSession
{
  gatomicrefcount refs;
  GMutex lock; /* one call at a time */
  int fd;
  guint32 number;
  gint over; /* atomic: nothing can be asked any more */
};

/* ---- the socket ---- */

WprBrokerSession *
wpr_broker_session_new (int fd)
{
  struct timeval timeout = { .tv_sec = ANSWER_TIMEOUT_S };
  WprBrokerSession *session = g_new0 (WprBrokerSession, 1);
  g_atomic_ref_count_init (&session->refs);
  g_mutex_init (&session->lock);
  session->fd = fd;
  setsockopt (fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
  return session;
}

WprBrokerSession *
wpr_broker_session_ref (WprBrokerSession *session)
{
  g_atomic_ref_count_inc (&session->refs);
  return session;
}

void
wpr_broker_session_unref (WprBrokerSession *session)
{
  if (session == NULL || !g_atomic_ref_count_dec (&session->refs))
    return;
  close (session->fd);
  g_mutex_clear (&session->lock);
  g_free (session);
}

int
wpr_broker_session_get_fd (WprBrokerSession *session)
{
  return session->fd;
}

gboolean
wpr_broker_session_is_over (WprBrokerSession *session)
{
  struct pollfd one = { .fd = session->fd };
  return g_atomic_int_get (&session->over)
         || (poll (&one, 1, 0) > 0 && (one.revents & (POLLHUP | POLLERR)) != 0);
}

static void
close_all (GArray *fds)
{
  for (guint i = 0; i < fds->len; i++)
    close (g_array_index (fds, int, i));
  g_array_set_size (fds, 0);
}

/* A result in the last of the descriptors, which is closed. NULL if it is none of that type. */
static GVariant *
take_sealed (GArray *fds, const char *type, guint64 size)
{
  if (fds->len == 0)
    return NULL;
  int fd = g_array_index (fds, int, fds->len - 1);
  g_autoptr (GBytes) bytes = wpr_sealed_map (fd, (gsize)size);
  close (fd);
  g_array_set_size (fds, fds->len - 1);
  if (bytes == NULL)
    return NULL;
  /* Bytes have no other form; to look at each takes 14 ns. */
  gboolean any = g_str_equal (type, "ay");
  g_autoptr (GVariant) value
      = g_variant_ref_sink (g_variant_new_from_bytes (G_VARIANT_TYPE (type), bytes, any));
  return g_variant_is_normal_form (value) ? g_steal_pointer (&value) : NULL;
}

/* The answer with all its descriptors. NULL: it is not one. */
static GVariant *
receive (WprBrokerSession *session, WprBrokerVerb verb, GArray *fds, GError **error)
{
  guint32 number, code, n_fds;
  guint64 size;
  const char *sentence, *type = results[verb];
  g_autoptr (GVariant) result = NULL;
  g_autoptr (GVariant) answer = wpr_packet_receive_fds (session->fd, WPR_BROKER_ANSWER, fds);
  if (answer == NULL)
    return NULL;
  g_variant_get (answer, "(uu&sutv)", &number, &code, &sentence, &n_fds, &size, &result);
  while (fds->len < n_fds)
    {
      guint before = fds->len;
      g_autoptr (GVariant) more = wpr_packet_receive_fds (session->fd, "y", fds);
      if (more == NULL || fds->len == before)
        return NULL;
    }
  if (number != session->number || fds->len != n_fds)
    return NULL;
  if (code != 0)
    {
      wpr_set_error (error, (WprErrorCode)code, 0, "%s", *sentence != '\0' ? _ (sentence) : "");
      return NULL;
    }
  if (size > 0)
    return take_sealed (fds, type, size);
  return g_variant_is_of_type (result, G_VARIANT_TYPE (type)) ? g_steal_pointer (&result) : NULL;
}

GVariant *
wpr_broker_call (WprBrokerSession *session, WprBrokerVerb verb, GVariant *args, GArray *fds,
                 GError **error)
{
  g_autoptr (GArray) none = g_array_new (FALSE, FALSE, sizeof (int));
  g_autoptr (GError) refused = NULL;
  GArray *into = fds != NULL ? fds : none;
  GVariant *request, *result = NULL;

  g_mutex_lock (&session->lock);
  request
      = g_variant_ref_sink (g_variant_new (WPR_BROKER_REQUEST, session->number + 1, verb, args));
  gboolean fits = g_variant_get_size (request) <= WPR_PACKET_MOST;
  if (fits && !g_atomic_int_get (&session->over))
    {
      session->number++;
      if (wpr_packet_send (session->fd, request, NULL, 0))
        result = receive (session, verb, into, &refused);
      g_atomic_int_set (&session->over, result == NULL && refused == NULL);
    }
  g_mutex_unlock (&session->lock);
  g_variant_unref (request);
  if (result == NULL || fds == NULL)
    close_all (into);

  if (refused != NULL)
    g_propagate_error (error, g_steal_pointer (&refused));
  else if (!fits)
    wpr_set_error (error, WPR_ERROR_USAGE, 0,
                   _ ("More is asked for than the recording service takes at once. Choose fewer "
                      "profiles, or fewer programs."));
  else if (result == NULL)
    wpr_set_error (error, WPR_ERROR_NOT_AVAILABLE, 0,
                   _ ("The recording service does not answer any more; what it had opened records "
                      "nothing now. Start the recording anew."));
  return result;
}

/* ---- the bus ---- */

/* One connection a process: whoever was let in is known by its name. */
static GDBusConnection *
connect_bus (GError **error)
{
  static GMutex lock;
  static GDBusConnection *bus;
  g_autoptr (GError) local_error = NULL;
  const char *address
      = getauxval (AT_SECURE) == 0 && geteuid () != 0 ? g_getenv ("WPR_BROKER_BUS") : NULL;
  g_mutex_lock (&lock);
  if (bus != NULL && g_dbus_connection_is_closed (bus))
    g_clear_object (&bus);
  if (bus == NULL && address != NULL)
    bus = g_dbus_connection_new_for_address_sync (
        address,
        G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT
            | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION,
        NULL, NULL, &local_error);
  else if (bus == NULL)
    bus = g_bus_get_sync (G_BUS_TYPE_SYSTEM, NULL, &local_error);
  if (bus != NULL)
    g_dbus_connection_set_exit_on_close (bus, FALSE);
  GDBusConnection *found = bus != NULL ? g_object_ref (bus) : NULL;
  g_mutex_unlock (&lock);
  if (found == NULL)
    wpr_set_error (error, WPR_ERROR_NOT_AVAILABLE, 0,
                   _ ("The recording service cannot be asked, since there is no system bus: %s"),
                   local_error->message);
  return found;
}

char *
wpr_broker_bus_name (GError **error)
{
  g_autoptr (GDBusConnection) bus = connect_bus (error);
  return bus != NULL ? g_strdup (g_dbus_connection_get_unique_name (bus)) : NULL;
}

static const struct
{
  const char *name;
  WprErrorCode code;
  const char *sentence; /* NULL: the service's own */
} refusals[] = {
  { BUS_ERROR "Refused", WPR_ERROR_NOT_PERMITTED,
    N_ ("The administrator's rules do not let you record this machine.") },
  { BUS_ERROR "NobodyToAsk", WPR_ERROR_NOT_PERMITTED,
    N_ ("An administrator has to consent that you record this machine, and nobody could be asked "
        "here. Start from a desktop or a terminal where a password can be typed.") },
  { BUS_ERROR "Dismissed", WPR_ERROR_NOT_PERMITTED,
    N_ ("The question whether you may record this machine was dismissed.") },
  { BUS_ERROR "TimedOut", WPR_ERROR_NOT_PERMITTED,
    N_ ("Nobody answered the question whether you may record this machine.") },
  { BUS_ERROR "Limit", WPR_ERROR_NO_SPACE, NULL },
  { BUS_ERROR "NotFound", WPR_ERROR_NOT_RECORDING, NULL },
  { BUS_ERROR "Failed", WPR_ERROR_INTERNAL, NULL },
};

static void
say_remote (const GError *remote, GError **error)
{
  g_autofree char *name = g_dbus_error_get_remote_error (remote);
  g_autoptr (GError) plain = g_error_copy (remote);
  g_dbus_error_strip_remote_error (plain);
  for (gsize i = 0; i < G_N_ELEMENTS (refusals); i++)
    if (g_strcmp0 (name, refusals[i].name) == 0)
      {
        wpr_set_error (error, refusals[i].code, 0, "%s",
                       refusals[i].sentence != NULL ? _ (refusals[i].sentence)
                                                    : _ (plain->message));
        return;
      }
  if (g_error_matches (remote, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    wpr_set_error (error, WPR_ERROR_CANCELLED, 0,
                   _ ("The start was cancelled; nothing was recorded."));
  else
    wpr_set_error (error, WPR_ERROR_NOT_AVAILABLE, 0,
                   _ ("The recording service cannot be had here: %s"), plain->message);
}

/* One method; once more if the service was about to end. fds: those of the answer; NULL ok. */
static GVariant *
call_bus (const char *method, GVariant *args, const char *type, int timeout_ms, GUnixFDList **fds,
          GCancellable *cancellable, GError **error)
{
  g_autoptr (GVariant) kept = args != NULL ? g_variant_ref_sink (args) : NULL;
  g_autoptr (GDBusConnection) bus = connect_bus (error);
  for (guint i = 0; bus != NULL; i++)
    {
      g_autoptr (GError) remote = NULL;
      GVariant *result = g_dbus_connection_call_with_unix_fd_list_sync (
          bus, BUS_NAME, BUS_PATH, BUS_INTERFACE, method, kept, G_VARIANT_TYPE (type),
          G_DBUS_CALL_FLAGS_NONE, timeout_ms, NULL, fds, cancellable, &remote);
      if (result != NULL)
        return result;
      g_autofree char *name = g_dbus_error_get_remote_error (remote);
      if (i > 0 || g_strcmp0 (name, BUS_ERROR "Ending") != 0)
        {
          say_remote (remote, error);
          return NULL;
        }
    }
  return NULL;
}

WprBrokerAnswer
wpr_broker_ask (void)
{
  const char *word;
  g_autoptr (GVariant) result = call_bus ("Ask", NULL, "(s)", ASK_TIMEOUT_MS, NULL, NULL, NULL);
  if (result == NULL)
    return WPR_BROKER_NO;
  g_variant_get (result, "(&s)", &word);
  return g_str_equal (word, "yes")         ? WPR_BROKER_YES
         : g_str_equal (word, "challenge") ? WPR_BROKER_CHALLENGE
                                           : WPR_BROKER_NO;
}

/* The session whose socket came with (h a{sv}). */
static WprBrokerSession *
take_session (const char *method, GVariant *args, GCancellable *cancellable, GError **error)
{
  g_autoptr (GUnixFDList) fds = NULL;
  gint32 index;
  /* No timeout: a person may have to be fetched. The service ends the question in the end. */
  g_autoptr (GVariant) result
      = call_bus (method, args, "(ha{sv})", G_MAXINT, &fds, cancellable, error);
  if (result == NULL)
    return NULL;
  g_variant_get_child (result, 0, "h", &index);
  int fd = fds != NULL ? g_unix_fd_list_get (fds, index, NULL) : -1;
  if (fd >= 0)
    return wpr_broker_session_new (fd);
  wpr_set_error (error, WPR_ERROR_INTERNAL, 0, _ ("The recording service answered nonsense."));
  return NULL;
}

WprBrokerSession *
wpr_broker_begin (const char *mode, gboolean contents, gboolean interactive, const char *instance,
                  GCancellable *cancellable, GError **error)
{
  GVariantBuilder options;
  g_variant_builder_init (&options, G_VARIANT_TYPE_VARDICT);
  g_variant_builder_add (&options, "{sv}", "mode", g_variant_new_string (mode));
  g_variant_builder_add (&options, "{sv}", "contents", g_variant_new_boolean (contents));
  g_variant_builder_add (&options, "{sv}", "interactive", g_variant_new_boolean (interactive));
  g_variant_builder_add (&options, "{sv}", "instance", g_variant_new_string (instance));
  return take_session ("Begin", g_variant_new ("(a{sv})", &options), cancellable, error);
}

GVariant *
wpr_broker_list_orphans (GError **error)
{
  g_autoptr (GVariant) result
      = call_bus ("Orphans", NULL, "(aa{sv})", ASK_TIMEOUT_MS, NULL, NULL, error);
  return result != NULL ? g_variant_get_child_value (result, 0) : NULL;
}

WprBrokerSession *
wpr_broker_claim_orphan (const char *id, GError **error)
{
  return take_session ("Claim", g_variant_new ("(s)", id), NULL, error);
}

/* ---- facts ---- */

gboolean
wpr_broker_facts_formats (WprBrokerSession *session, const char *const *names, gsize n,
                          GError **error)
{
  GVariantIter iter;
  const char *name, *format;
  gint32 id;
  g_autoptr (GVariant) result = wpr_broker_call (
      session, WPR_BROKER_FORMATS, g_variant_new_strv (names, (gssize)n), NULL, error);
  if (result == NULL)
    return FALSE;
  g_variant_iter_init (&iter, result);
  while (g_variant_iter_next (&iter, "(&si&s)", &name, &id, &format))
    wpr_tracefs_learn (name, id, format);
  return TRUE;
}

static GBytes *
call_for_bytes (WprBrokerSession *session, WprBrokerVerb verb, GVariant *args, GError **error)
{
  g_autoptr (GVariant) result = wpr_broker_call (session, verb, args, NULL, error);
  return result != NULL ? g_variant_get_data_as_bytes (result) : NULL;
}

GBytes *
wpr_broker_facts_kallsyms (WprBrokerSession *session, GError **error)
{
  return call_for_bytes (session, WPR_BROKER_KALLSYMS, g_variant_new ("()"), error);
}

GBytes *
wpr_broker_facts_rundown (WprBrokerSession *session, gboolean cmdlines, GError **error)
{
  return call_for_bytes (session, WPR_BROKER_RUNDOWN, g_variant_new_boolean (cmdlines), error);
}

GPtrArray *
wpr_broker_facts_descriptors (WprBrokerSession *session, gboolean positions, GError **error)
{
  g_autoptr (GVariant) result = wpr_broker_call (session, WPR_BROKER_DESCRIPTORS,
                                                 g_variant_new_boolean (positions), NULL, error);
  return result != NULL ? wpr_open_files_unpack (result) : NULL;
}

gboolean
wpr_broker_facts_keep (WprBrokerSession *session, GBytes *bytes, GError **error)
{
  gsize size, done = 0;
  const guint8 *data = g_bytes_get_data (bytes, &size);
  do
    {
      gsize part = MIN (size - done, KEEP_CHUNK);
      GVariant *args
          = g_variant_new ("(b@ay)", done > 0,
                           g_variant_new_fixed_array (G_VARIANT_TYPE_BYTE, data + done, part, 1));
      g_autoptr (GVariant) result = wpr_broker_call (session, WPR_BROKER_KEEP, args, NULL, error);
      if (result == NULL)
        return FALSE;
      done += part;
    }
  while (done < size);
  return TRUE;
}
