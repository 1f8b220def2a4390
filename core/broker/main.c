/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* wpr-broker: the service on the system bus. Here is who may call what, the journal, and when the
 * service ends. What a session may do is in session.c, whether it may begin in authority.c. Its
 * sentences are English: the client has them in the caller's language, by the error's name. */
#include "config.h"

#include <gio/gio.h>
#include <gio/gunixfdlist.h>
#include <glib-unix.h>
#include <stdio.h>

#include "base/behalf.h"
#include "base/files.h"
#include "base/log.h"
#include "base/wpr-error.h"
#include "broker/authority.h"
#include "broker/session.h"
#include "broker1.h"

#define BUS_NAME "io.github.performance_recorder.Broker"
#define OBJECT_PATH "/io/github/performance_recorder/Broker"
#define ERROR_PREFIX "io.github.performance_recorder.Error."
/* Raised when the interface changes so that an older client would misunderstand it. */
#define VERSION 1

typedef struct
{
  GMainLoop *loop;
  GDBusConnection *bus;
  WprAuthority *authority;
  guint name_id;
  guint idle_s, idle_timer;
  gboolean ending;   /* the name is given back: nothing new begins */
  GHashTable *noted; /* user -> refusals in the journal in this minute */
  gint64 noted_minute;
} WprBroker;

/* A call that waits for an answer. */
typedef struct
{
  WprBroker *broker;
  GDBusMethodInvocation *invocation;
  WprAnswerFunc answered;
  char *text; /* Begin: instance; Claim: id */
  WprBrokerGrant grant;
  gboolean interactive;
} WprBrokerCall;

/* What a verdict is called on the bus, and in the journal. */
static const struct
{
  const char *name, *sentence;
} verdicts[] = {
  [WPR_VERDICT_YES] = { "yes", NULL },
  [WPR_VERDICT_CHALLENGE]
  = { "NobodyToAsk", "An administrator has to consent, and none could be asked." },
  [WPR_VERDICT_NO]
  = { "Refused", "The rules of this computer (polkit) do not allow this user to record it." },
  [WPR_VERDICT_DISMISSED] = { "Dismissed", "The question was closed without an answer." },
  [WPR_VERDICT_TIMED_OUT] = { "TimedOut", "Nobody answered the question." },
  [WPR_VERDICT_LIMIT] = { "Limit", "This user has too many questions open already." },
  [WPR_VERDICT_GONE] = { "Ending", "The service was just about to end. Ask again." },
  [WPR_VERDICT_FAILED] = { "Failed", NULL },
};

/* ---- the journal ---- */

/* "User alice (1000), process 42, instance WPR, memory, contents of programs" */
static char *
who_and_what (const WprBrokerGrant *grant)
{
  g_autofree char *name = wpr_user_name (grant->uid);
  return g_strdup_printf ("User %s (%u), process %u, instance %s, %s%s", name, grant->uid,
                          grant->pid, grant->instance, grant->memory ? "memory" : "file",
                          grant->contents ? ", contents of programs" : "");
}

/* Refusals noted a user and minute: who is refused in a loop shall not fill the journal, or have it
 * leave out what others do. */
#define NOTED_A_MINUTE 10

static void
note_refusal (WprBroker *self, const WprBrokerGrant *grant, const char *why)
{
  gint64 minute = g_get_monotonic_time () / (60 * G_USEC_PER_SEC);
  if (minute != self->noted_minute)
    g_hash_table_remove_all (self->noted);
  self->noted_minute = minute;
  gpointer user = GUINT_TO_POINTER (grant->uid);
  guint n = GPOINTER_TO_UINT (g_hash_table_lookup (self->noted, user));
  g_hash_table_insert (self->noted, user, GUINT_TO_POINTER (n + 1));
  if (n > NOTED_A_MINUTE)
    return;
  g_autofree char *who = who_and_what (grant);
  wpr_log (WPR_LOG_DENIED, "%s: refused. %s%s", who, why,
           n == NOTED_A_MINUTE ? " More of this minute are not noted." : "");
}

static void look_whether_idle (WprBroker *self);

static void
on_session_ended (const WprBrokerGrant *grant, guint n_rows, gint64 begun_realtime_us,
                  const char *how, gpointer data)
{
  g_autofree char *who = who_and_what (grant);
  g_autoptr (GDateTime) begun = g_date_time_new_from_unix_utc (begun_realtime_us / G_USEC_PER_SEC);
  g_autofree char *since = g_date_time_format (begun, "%FT%TZ");
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();
  g_autofree char *until = g_date_time_format (now, "%FT%TZ");
  wpr_log (WPR_LOG_ENDED, "%s: recorded this computer, %u kinds of events, from %s to %s: %s.", who,
           n_rows, since, until, how);
  look_whether_idle (data);
}

/* ---- methods ---- */

static void
call_free (WprBrokerCall *call)
{
  look_whether_idle (call->broker);
  g_free (call->text);
  g_free (call);
}

/* The call is answered and gone. Whoever gave no instance wanted no recording: not for the journal.
 */
static void
refuse (WprBrokerCall *call, const char *name, const char *why)
{
  g_autofree char *full = g_strconcat (ERROR_PREFIX, name, NULL);
  g_autofree char *text = g_utf8_make_valid (why, -1);
  if (call->grant.instance != NULL)
    note_refusal (call->broker, &call->grant, why);
  g_dbus_method_invocation_return_dbus_error (call->invocation, full, text);
  call_free (call);
}

static void
fail (WprBrokerCall *call, const GError *error)
{
  gboolean limit = g_error_matches (error, WPR_ERROR, WPR_ERROR_NO_SPACE);
  refuse (call, limit ? "Limit" : "Failed", error->message);
}

static void
succeed (WprBrokerCall *call, GVariant *result, GUnixFDList *fds)
{
  g_dbus_method_invocation_return_value_with_unix_fd_list (call->invocation, result, fds);
  call_free (call);
}

/* The session's end for the caller; takes fd and info. */
static void
give_session (WprBrokerCall *call, int fd, GVariant *info)
{
  g_autoptr (GUnixFDList) fds = g_unix_fd_list_new_from_array (&fd, 1);
  succeed (call, g_variant_new ("(h@a{sv})", 0, info), fds);
}

/* TRUE if it may go on; else it is refused. */
static gboolean
may (WprBrokerCall *call, const WprAnswer *answer)
{
  call->grant.uid = answer->uid;
  call->grant.pid = answer->pid;
  if (answer->verdict != WPR_VERDICT_YES)
    refuse (call, verdicts[answer->verdict].name,
            answer->why != NULL ? answer->why : verdicts[answer->verdict].sentence);
  return answer->verdict == WPR_VERDICT_YES;
}

static void
begin_allowed (const WprAnswer *answer, gpointer data)
{
  WprBrokerCall *call = data;
  g_autoptr (GError) error = NULL;
  GVariant *info = NULL;
  int fd = -1;
  if (!may (call, answer))
    return;
  if (!wpr_broker_serve (&call->grant, &fd, &info, &error))
    {
      fail (call, error);
      return;
    }
  g_autofree char *who = who_and_what (&call->grant);
  wpr_log (WPR_LOG_ALLOWED, "%s: may record this computer until that recording ends.", who);
  give_session (call, fd, info);
}

/* Nobody is asked for a password to hear then that there are too many sessions. */
static void
begin_known (const WprAnswer *answer, gpointer data)
{
  WprBrokerCall *call = data;
  g_autoptr (GError) error = NULL;
  if (!may (call, answer))
    return;
  if (!wpr_broker_may_serve (answer->uid, &error))
    fail (call, error);
  else
    wpr_authority_ask (call->broker->authority,
                       g_dbus_method_invocation_get_sender (call->invocation),
                       call->interactive ? WPR_QUESTION_INTERACTIVE : WPR_QUESTION_QUIET,
                       call->grant.contents, begin_allowed, call);
}

static void
ask_answered (const WprAnswer *answer, gpointer data)
{
  WprBrokerCall *call = data;
  static const char *const words[] = { "yes", "challenge", "no" };
  if (answer->verdict <= WPR_VERDICT_NO || may (call, answer))
    succeed (call, g_variant_new ("(s)", words[answer->verdict]), NULL);
}

static void
orphans_known (const WprAnswer *answer, gpointer data)
{
  WprBrokerCall *call = data;
  if (may (call, answer))
    succeed (call, g_variant_new ("(@aa{sv})", wpr_broker_orphans (answer->uid)), NULL);
}

/* What was allowed once is still allowed: polkit is not asked again for the same recording. */
static void
claim_known (const WprAnswer *answer, gpointer data)
{
  WprBrokerCall *call = data;
  g_autoptr (GError) error = NULL;
  GVariant *info = NULL;
  int fd = -1;
  if (!may (call, answer))
    return;
  if (wpr_broker_claim (answer->uid, call->text, &fd, &info, &error))
    give_session (call, fd, info);
  else
    fail (call, error);
}

/* From the message comes what is wanted, never who wants it. */
static gboolean
read_arguments (WprBrokerCall *call, GVariant *parameters)
{
  if (call->answered == claim_known)
    g_variant_get (parameters, "(s)", &call->text);
  if (call->answered != begin_known)
    return TRUE;
  g_autoptr (GVariant) options = g_variant_get_child_value (parameters, 0);
  const char *mode = "file", *instance = "WPR";
  g_variant_lookup (options, "mode", "&s", &mode);
  g_variant_lookup (options, "instance", "&s", &instance);
  g_variant_lookup (options, "contents", "b", &call->grant.contents);
  g_variant_lookup (options, "interactive", "b", &call->interactive);
  call->grant.memory = g_str_equal (mode, "memory");
  if ((!call->grant.memory && !g_str_equal (mode, "file")) || !wpr_instance_name_valid (instance))
    return FALSE;
  call->grant.instance = call->text = g_strdup (instance);
  return TRUE;
}

static const struct
{
  const char *name;
  WprQuestionKind kind;
  WprAnswerFunc answered;
} methods[] = {
  { "Begin", WPR_QUESTION_WHO, begin_known },
  { "Ask", WPR_QUESTION_QUIET, ask_answered },
  { "Orphans", WPR_QUESTION_WHO, orphans_known },
  { "Claim", WPR_QUESTION_WHO, claim_known },
};

static void
on_call (GDBusConnection *bus, const char *sender, const char *path, const char *interface,
         const char *method, GVariant *parameters, GDBusMethodInvocation *invocation, gpointer data)
{
  WprBroker *self = data;
  gsize row = 0;
  while (!g_str_equal (methods[row].name, method)) /* the description has checked the name */
    row++;
  WprBrokerCall *call = g_new0 (WprBrokerCall, 1);
  call->broker = self;
  call->invocation = invocation;
  call->answered = methods[row].answered;
  if (self->ending)
    may (call, &(WprAnswer){ .verdict = WPR_VERDICT_GONE });
  else if (!read_arguments (call, parameters))
    refuse (call, "Failed",
            "The mode is neither file nor memory, or the instance's name is not one.");
  else
    wpr_authority_ask (self->authority, sender, methods[row].kind, FALSE, call->answered, call);
}

static GVariant *
on_get_property (GDBusConnection *bus, const char *sender, const char *path, const char *interface,
                 const char *property, GError **error, gpointer data)
{
  return g_variant_new_uint32 (VERSION);
}

/* ---- beginning and end ---- */

/* What was sent to the name before the bus took it away has been answered now. */
static void
on_name_released (GObject *source, GAsyncResult *result, gpointer data)
{
  WprBroker *self = data;
  g_autoptr (GVariant) answer
      = g_dbus_connection_call_finish (G_DBUS_CONNECTION (source), result, NULL);
  g_main_loop_quit (self->loop);
}

/* Gives the name back first: for whoever calls from then on the bus starts another service (systemd
 * hears of it before it is asked to: Type=dbus). */
static void
end (WprBroker *self)
{
  if (self->ending)
    return;
  self->ending = TRUE;
  g_bus_unown_name (self->name_id);
  g_dbus_connection_call (self->bus, "org.freedesktop.DBus", "/org/freedesktop/DBus",
                          "org.freedesktop.DBus", "GetId", NULL, NULL, G_DBUS_CALL_FLAGS_NONE, -1,
                          NULL, on_name_released, self);
}

static gboolean
on_idle (gpointer data)
{
  WprBroker *self = data;
  if (wpr_broker_get_n_out () > 0 || wpr_broker_get_bytes_left () > 0
      || wpr_authority_get_n_open (self->authority) > 0)
    return G_SOURCE_CONTINUE; /* who unmaps a ring in the end does not say so */
  self->idle_timer = 0;
  end (self);
  return G_SOURCE_REMOVE;
}

/* After every call and every session: the time begins anew. */
static void
look_whether_idle (WprBroker *self)
{
  g_clear_handle_id (&self->idle_timer, g_source_remove);
  self->idle_timer = g_timeout_add_seconds (self->idle_s, on_idle, self);
}

static void
on_name_lost (GDBusConnection *bus, const char *name, gpointer data)
{
  WprBroker *self = data;
  if (!self->ending)
    wpr_log (WPR_LOG_NOTICE, "The name %s on the bus is not this service's.", name);
  self->ending = TRUE;
  g_main_loop_quit (self->loop);
}

static gboolean
on_signal (gpointer data)
{
  end (data);
  return G_SOURCE_CONTINUE;
}

static gboolean
set_true (gpointer data)
{
  *(gboolean *)data = TRUE;
  return G_SOURCE_REMOVE;
}

/* The journal shall have the end of each; after 20 s the kernel closes what is left. */
static void
close_sessions (void)
{
  gboolean late = FALSE;
  guint timer = g_timeout_add_seconds (20, set_true, &late);
  wpr_broker_close_all ();
  while (!late && (wpr_broker_get_n_out () > 0 || g_main_context_pending (NULL)))
    g_main_context_iteration (NULL, TRUE);
  if (!late)
    g_source_remove (timer);
}

static gboolean
serve (WprBroker *self, guint question_s, GError **error)
{
  static const GDBusInterfaceVTable table = { on_call, on_get_property, NULL, { 0 } };
  self->bus = g_bus_get_sync (G_BUS_TYPE_SYSTEM, NULL, error);
  if (self->bus == NULL)
    return FALSE;
  self->authority = wpr_authority_new (self->bus, question_s, error);
  if (self->authority == NULL
      || g_dbus_connection_register_object (
             self->bus, OBJECT_PATH,
             (GDBusInterfaceInfo *)&io_github_performance_recorder_broker1_interface, &table, self,
             NULL, error)
             == 0)
    return FALSE;
  self->loop = g_main_loop_new (NULL, FALSE);
  self->noted = g_hash_table_new (NULL, NULL);
  wpr_broker_set_ended_func (on_session_ended, self);
  g_unix_signal_add (SIGTERM, on_signal, self);
  g_unix_signal_add (SIGINT, on_signal, self);
  self->name_id = g_bus_own_name_on_connection (self->bus, BUS_NAME, G_BUS_NAME_OWNER_FLAGS_NONE,
                                                NULL, on_name_lost, self, NULL);
  look_whether_idle (self);
  g_main_loop_run (self->loop);
  self->ending = TRUE;
  wpr_authority_free (self->authority);
  close_sessions ();
  g_main_loop_unref (self->loop);
  g_hash_table_unref (self->noted);
  return g_dbus_connection_flush_sync (self->bus, NULL, error);
}

int
main (int argc, char **argv)
{
  /* A person needs two minutes to find the administrator; tests have less time. */
  int question_s = 120, idle_s = 30;
  gboolean version = FALSE;
  const GOptionEntry entries[] = {
    { "version", 0, 0, G_OPTION_ARG_NONE, &version, "Print the version", NULL },
    { "question-timeout", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_INT, &question_s, NULL, NULL },
    { "idle-timeout", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_INT, &idle_s, NULL, NULL },
    { NULL },
  };
  g_autoptr (GOptionContext) context
      = g_option_context_new ("- records for those whom polkit allows it");
  g_autoptr (GError) error = NULL;
  WprBroker self = { 0 };
  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error))
    {
      fprintf (stderr, "wpr-broker: %s\n", error->message);
      return 2;
    }
  if (version)
    {
      printf ("wpr-broker %s\n", WPR_VERSION);
      return 0;
    }
  self.idle_s = (guint)CLAMP (idle_s, 1, 3600);
  wpr_log_as_service ("wpr-broker");
  if (!serve (&self, (guint)CLAMP (question_s, 1, 3600), &error))
    {
      wpr_log (WPR_LOG_NOTICE, "The service ends: %s", error->message);
      return 1;
    }
  return 0;
}
