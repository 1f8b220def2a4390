/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What another user may do with root's recording. Who began it through sudo may see, stop, save and
 * mark it; of others polkit is asked, by the rule for recording this machine, since who gets the
 * file has recorded it: seeing it takes to be somebody who could be authorised, which is an active
 * local user, stopping it to be authorised. The subject is the name on the system bus, found to be
 * of the same user as the peer; never a process id. */
#include "config.h"

#include <glib/gi18n-lib.h>

#include "recorder/bus-private.h"

#define ACTION "io.github.performance_recorder.record-system"
/* To look is answered without asking anybody. */
#define LOOK_MS 5000
/* A person finds their password, or not. */
#define PERSON_MS (10 * 60 * 1000)
/* polkit's CheckAuthorizationFlags. */
#define MAY_ASK 1

typedef struct
{
  WprBusClient *client; /* NULL: gone */
  GDBusMethodInvocation *invocation;
  GVariant *parameters;
  WprBusRun run;
  WprBusNeed need;
  GDBusConnection *system;
  char *id;
} WprQuestion;

static void
refuse (GDBusMethodInvocation *invocation, const char *text)
{
  g_autoptr (GError) error = NULL;
  wpr_set_error (&error, WPR_ERROR_NOT_PERMITTED, 0, "%s", text);
  wpr_bus_return_error (invocation, error);
}

/* Takes over the question. */
static void
question_end (WprQuestion *question, const char *refusal)
{
  WprBusClient *client = question->client;
  if (client != NULL)
    client->question = NULL;
  if (client != NULL && refusal == NULL)
    {
      client->may_view = TRUE;
      question->run (client, question->invocation, question->parameters);
    }
  else
    refuse (question->invocation, refusal != NULL ? refusal : "gone");
  g_variant_unref (question->parameters);
  g_clear_object (&question->system);
  g_free (question->id);
  g_free (question);
}

static const char *
view_refusal (void)
{
  return _ ("This recording is root's. Users who sit at this computer may see it, and nobody else: "
            "ask an administrator (sudo wpr -status).");
}

static const char *
control_refusal (gboolean dismissed, gboolean could_ask)
{
  if (dismissed)
    return _ ("This recording is root's, and the question for a password was dismissed. The "
              "recording goes on as it was.");
  if (could_ask)
    return _ ("This recording is root's, and nothing here could ask for an administrator's "
              "password. Use sudo (sudo wpr -stop FILE.etl), or a desktop session.");
  return _ ("This recording is root's, and this user may not stop, save or mark it. An "
            "administrator can: sudo wpr -stop FILE.etl.");
}

/* ---- polkit ---- */

static void
on_answer (GObject *source, GAsyncResult *result, gpointer data)
{
  WprQuestion *question = data;
  gboolean is_authorized = FALSE, is_challenge = FALSE;
  const char *dismissed = NULL;
  g_autoptr (GVariant) details = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) answer
      = g_dbus_connection_call_finish (G_DBUS_CONNECTION (source), result, &error);
  if (answer != NULL)
    {
      g_variant_get (answer, "((bb@a{ss}))", &is_authorized, &is_challenge, &details);
      g_variant_lookup (details, "polkit.dismissed", "&s", &dismissed);
    }
  if (question->need == WPR_NEED_VIEW)
    question_end (question, is_authorized || is_challenge ? NULL : view_refusal ());
  else
    question_end (question,
                  is_authorized ? NULL : control_refusal (dismissed != NULL, is_challenge));
}

static GVariant *
check_arguments (const WprQuestion *question)
{
  /* Translators: polkit shows this over its question for a password. */
  static const char message[]
      = N_ ("Authentication is required to stop, save or mark the recording that root began.");
  GVariantBuilder subject, details;
  g_variant_builder_init (&subject, G_VARIANT_TYPE_VARDICT);
  g_variant_builder_add (&subject, "{sv}", "name", g_variant_new_string (question->client->name));
  g_variant_builder_init (&details, G_VARIANT_TYPE ("a{ss}"));
  g_variant_builder_add (&details, "{ss}", "polkit.message", message);
  g_variant_builder_add (&details, "{ss}", "polkit.gettext_domain", GETTEXT_PACKAGE);
  return g_variant_new ("((sa{sv})sa{ss}us)", "system-bus-name", &subject, ACTION, &details,
                        question->need == WPR_NEED_CONTROL ? MAY_ASK : 0, question->id);
}

static void
ask_polkit (WprQuestion *question)
{
  g_dbus_connection_call (
      question->system, "org.freedesktop.PolicyKit1", "/org/freedesktop/PolicyKit1/Authority",
      "org.freedesktop.PolicyKit1.Authority", "CheckAuthorization", check_arguments (question),
      G_VARIANT_TYPE ("((bba{ss}))"), G_DBUS_CALL_FLAGS_NONE,
      question->need == WPR_NEED_CONTROL ? PERSON_MS : LOOK_MS, NULL, on_answer, question);
}

/* ---- a call of a stranger's ---- */

void
wpr_bus_authorize (WprBusClient *client, WprBusNeed need, GDBusMethodInvocation *invocation,
                   GVariant *parameters, WprBusRun run)
{
  WprBus *bus = client->bus;
  gboolean began_it
      = bus->began_by != (uid_t)-1 && wpr_behalf_get_uid (client->behalf) == bus->began_by;
  if (need == WPR_NEED_NOTHING || (need <= WPR_NEED_CONTROL && began_it)
      || (need == WPR_NEED_VIEW && client->may_view))
    run (client, invocation, parameters);
  else if (need == WPR_NEED_OWN)
    refuse (invocation, _ ("This recording is root's: only root begins one there, switches its "
                           "profiles or enlarges its buffers. Use sudo."));
  else if (bus->system == NULL || client->name == NULL)
    refuse (invocation, need == WPR_NEED_VIEW ? view_refusal () : control_refusal (FALSE, FALSE));
  else if (client->question != NULL)
    refuse (invocation, _ ("The question for a password is still open; answer that first."));
  else
    {
      static guint n_questions;
      WprQuestion *question = g_new0 (WprQuestion, 1);
      *question = (WprQuestion){ .client = client,
                                 .invocation = invocation,
                                 .parameters = g_variant_ref (parameters),
                                 .run = run,
                                 .need = need,
                                 .system = g_object_ref (bus->system),
                                 .id = g_strdup_printf ("wpr-%u", ++n_questions) };
      client->question = question;
      ask_polkit (question);
    }
}

void
wpr_bus_forget_question (WprBusClient *client)
{
  WprQuestion *question = client->question;
  if (question == NULL)
    return;
  question->client = NULL;
  client->question = NULL;
  /* Nobody waits for it: the dialog goes, and polkit answers. */
  g_dbus_connection_call (
      question->system, "org.freedesktop.PolicyKit1", "/org/freedesktop/PolicyKit1/Authority",
      "org.freedesktop.PolicyKit1.Authority", "CancelCheckAuthorization",
      g_variant_new ("(s)", question->id), NULL, G_DBUS_CALL_FLAGS_NONE, -1, NULL, NULL, NULL);
}

/* ---- who they are on the system bus ---- */

typedef struct
{
  WprBusClient *client; /* NULL: gone */
  GDBusMethodInvocation *invocation;
  char *name;
} WprIntroduction;

static void
on_user_of_name (GObject *source, GAsyncResult *result, gpointer data)
{
  WprIntroduction *introduction = data;
  WprBusClient *client = introduction->client;
  guint32 uid = G_MAXUINT32;
  g_autoptr (GVariant) answer
      = g_dbus_connection_call_finish (G_DBUS_CONNECTION (source), result, NULL);
  if (answer != NULL)
    g_variant_get (answer, "(u)", &uid);
  if (client != NULL)
    client->introduction = NULL;
  if (client != NULL && uid == wpr_behalf_get_uid (client->behalf))
    {
      g_free (client->name);
      client->name = g_steal_pointer (&introduction->name);
      g_dbus_method_invocation_return_value (introduction->invocation, NULL);
    }
  else
    refuse (introduction->invocation, _ ("That name on the system bus is somebody else's."));
  g_free (introduction->name);
  g_free (introduction);
}

static void
ask_bus (WprIntroduction *introduction)
{
  GDBusConnection *system = introduction->client->bus->system;
  if (system != NULL)
    g_dbus_connection_call (system, "org.freedesktop.DBus", "/org/freedesktop/DBus",
                            "org.freedesktop.DBus", "GetConnectionUnixUser",
                            g_variant_new ("(s)", introduction->name), G_VARIANT_TYPE ("(u)"),
                            G_DBUS_CALL_FLAGS_NONE, LOOK_MS, NULL, on_user_of_name, introduction);
  else
    {
      introduction->client->introduction = NULL;
      g_dbus_method_invocation_return_value (introduction->invocation, NULL);
      g_free (introduction->name);
      g_free (introduction);
    }
}

void
wpr_bus_introduce (WprBusClient *client, GDBusMethodInvocation *invocation, GVariant *parameters)
{
  const char *name = NULL;
  g_variant_get (parameters, "(&s)", &name);
  if (client->behalf == NULL || client->introduction != NULL || !g_dbus_is_unique_name (name))
    {
      /* Nothing to learn: what needs a name will say so. */
      g_dbus_method_invocation_return_value (invocation, NULL);
      return;
    }
  WprIntroduction *introduction = g_new (WprIntroduction, 1);
  *introduction = (WprIntroduction){ client, invocation, g_strdup (name) };
  client->introduction = introduction;
  if (client->bus->connecting == NULL)
    ask_bus (introduction);
}

void
wpr_bus_go_on_introducing (WprBusClient *client)
{
  if (client->introduction != NULL)
    ask_bus (client->introduction);
}

void
wpr_bus_forget_introduction (WprBusClient *client)
{
  WprIntroduction *introduction = client->introduction;
  if (introduction != NULL && client->bus->connecting != NULL)
    {
      /* Nobody was asked yet. */
      refuse (introduction->invocation, "gone");
      g_free (introduction->name);
      g_free (introduction);
    }
  else if (introduction != NULL)
    introduction->client = NULL;
  client->introduction = NULL;
}
