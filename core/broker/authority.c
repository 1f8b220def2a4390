/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A question's way: who is it (the bus) -> limits -> polkit, one action after the other -> answer.
 * The subject is the caller's unique bus name: a process number could be another's by the time it
 * is looked at. */
#include "config.h"

#include "broker/authority.h"

#include <polkit/polkit.h>

/* Of one user, and in all. A person can have a few questions on the screen, more are no use to
 * anybody; quiet ones take polkit a millisecond. Together less than the 128 answers the bus lets
 * one connection wait for. */
static const struct
{
  guint of_user, in_all;
  PolkitCheckAuthorizationFlags flags;
} limits[] = {
  [WPR_QUESTION_WHO] = { G_MAXUINT, G_MAXUINT }, /* the bus answers at once */
  [WPR_QUESTION_QUIET] = { 40, 60, POLKIT_CHECK_AUTHORIZATION_FLAGS_NONE },
  [WPR_QUESTION_INTERACTIVE] = { 4, 60, POLKIT_CHECK_AUTHORIZATION_FLAGS_ALLOW_USER_INTERACTION },
};

struct _WprAuthority
{
  GDBusConnection *bus;
  PolkitAuthority *polkit;
  GList *open; /* WprQuestion */
  guint timeout_s;
};

typedef struct
{
  WprAuthority *authority;
  char *sender;
  WprQuestionKind kind;
  const char *actions[3]; /* to be asked for, NULL at the end */
  gsize n_allowed;        /* of them, so far */
  GCancellable *cancellable;
  guint timer, watch;
  guint uid, pid;
  WprVerdict ended; /* why it was cancelled; YES: it was not */
  WprAnswerFunc func;
  gpointer data;
} WprQuestion;

static void
answer (WprQuestion *question, WprVerdict verdict, const char *why)
{
  WprAuthority *authority = question->authority;
  const WprAnswer given
      = { .verdict = verdict, .uid = question->uid, .pid = question->pid, .why = why };
  authority->open = g_list_remove (authority->open, question);
  g_clear_handle_id (&question->timer, g_source_remove);
  g_clear_handle_id (&question->watch, g_bus_unwatch_name);
  question->func (&given, question->data);
  g_object_unref (question->cancellable);
  g_free (question->sender);
  g_free (question);
}

/* The call that is under way ends with G_IO_ERROR_CANCELLED; libpolkit then tells polkit, which
 * takes the question from the screen. */
static void
cancel (WprQuestion *question, WprVerdict verdict)
{
  if (question->ended != WPR_VERDICT_YES)
    return;
  question->ended = verdict;
  g_cancellable_cancel (question->cancellable);
}

static gboolean
on_timeout (gpointer data)
{
  WprQuestion *question = data;
  question->timer = 0;
  cancel (question, WPR_VERDICT_TIMED_OUT);
  return G_SOURCE_REMOVE;
}

static void
on_vanished (GDBusConnection *bus, const char *sender, gpointer data)
{
  cancel (data, WPR_VERDICT_GONE);
}

static void
failed (WprQuestion *question, GError *error, const char *what)
{
  if (question->ended != WPR_VERDICT_YES)
    {
      answer (question, question->ended, NULL);
      return;
    }
  g_dbus_error_strip_remote_error (error);
  g_autofree char *why = g_strdup_printf ("%s: %s", what, error->message);
  answer (question, WPR_VERDICT_FAILED, why);
}

static void ask_polkit (WprQuestion *question);

static void
on_polkit (GObject *source, GAsyncResult *result, gpointer data)
{
  WprQuestion *question = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (PolkitAuthorizationResult) got
      = polkit_authority_check_authorization_finish (POLKIT_AUTHORITY (source), result, &error);
  if (got == NULL)
    failed (question, error, "polkit could not be asked whether this may be recorded");
  else if (question->ended != WPR_VERDICT_YES) /* too late: whoever waited was told or has gone */
    answer (question, question->ended, NULL);
  else if (polkit_authorization_result_get_is_authorized (got))
    {
      question->n_allowed++;
      ask_polkit (question);
    }
  else
    answer (question,
            polkit_authorization_result_get_dismissed (got)      ? WPR_VERDICT_DISMISSED
            : polkit_authorization_result_get_is_challenge (got) ? WPR_VERDICT_CHALLENGE
                                                                 : WPR_VERDICT_NO,
            NULL);
}

static void
ask_polkit (WprQuestion *question)
{
  const char *action = question->actions[question->n_allowed];
  if (action == NULL)
    {
      answer (question, WPR_VERDICT_YES, NULL);
      return;
    }
  g_autoptr (PolkitSubject) subject = polkit_system_bus_name_new (question->sender);
  polkit_authority_check_authorization (question->authority->polkit, subject, action, NULL,
                                        limits[question->kind].flags, question->cancellable,
                                        on_polkit, question);
}

/* The question itself counts. */
static gboolean
too_many (const WprQuestion *question)
{
  guint of_user = 0, in_all = 0;
  for (const GList *at = question->authority->open; at != NULL; at = at->next)
    {
      const WprQuestion *other = at->data;
      in_all += other->kind == question->kind;
      of_user += other->kind == question->kind && other->uid == question->uid;
    }
  return of_user > limits[question->kind].of_user || in_all > limits[question->kind].in_all;
}

static void
on_credentials (GObject *source, GAsyncResult *result, gpointer data)
{
  WprQuestion *question = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) got
      = g_dbus_connection_call_finish (G_DBUS_CONNECTION (source), result, &error);
  if (got == NULL)
    {
      failed (question, error, "The bus does not know who asks");
      return;
    }
  g_autoptr (GVariant) credentials = g_variant_get_child_value (got, 0);
  g_variant_lookup (credentials, "ProcessID", "u", &question->pid);
  if (!g_variant_lookup (credentials, "UnixUserID", "u", &question->uid))
    answer (question, WPR_VERDICT_FAILED, "The bus does not know who asks.");
  else if (question->ended != WPR_VERDICT_YES)
    answer (question, question->ended, NULL);
  else if (too_many (question))
    answer (question, WPR_VERDICT_LIMIT, NULL);
  else
    {
      /* Sent before polkit is asked: a caller that left earlier is unknown to polkit. */
      if (question->kind == WPR_QUESTION_INTERACTIVE)
        question->watch = g_bus_watch_name_on_connection (
            question->authority->bus, question->sender, G_BUS_NAME_WATCHER_FLAGS_NONE, NULL,
            on_vanished, question, NULL);
      ask_polkit (question);
    }
}

void
wpr_authority_ask (WprAuthority *self, const char *sender, WprQuestionKind kind, gboolean contents,
                   WprAnswerFunc func, gpointer data)
{
  g_return_if_fail (self != NULL && g_dbus_is_unique_name (sender) && func != NULL);
  WprQuestion *question = g_new (WprQuestion, 1);
  *question = (WprQuestion){
    self,         g_strdup (sender), kind, .cancellable = g_cancellable_new (), .uid = G_MAXUINT,
    .func = func, .data = data
  };
  /* The stronger first: with its answer kept, the weaker is implied and not asked again. */
  if (kind != WPR_QUESTION_WHO)
    question->actions[contents] = WPR_ACTION_SYSTEM;
  if (kind != WPR_QUESTION_WHO && contents)
    question->actions[0] = WPR_ACTION_CONTENTS;
  self->open = g_list_prepend (self->open, question);
  question->timer = g_timeout_add_seconds (self->timeout_s, on_timeout, question);
  g_dbus_connection_call (
      self->bus, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
      "GetConnectionCredentials", g_variant_new ("(s)", sender), G_VARIANT_TYPE ("(a{sv})"),
      G_DBUS_CALL_FLAGS_NONE, -1, question->cancellable, on_credentials, question);
}

guint
wpr_authority_get_n_open (WprAuthority *self)
{
  return g_list_length (self->open);
}

WprAuthority *
wpr_authority_new (GDBusConnection *bus, guint timeout_s, GError **error)
{
  g_autoptr (PolkitAuthority) polkit = polkit_authority_get_sync (NULL, error);
  if (polkit == NULL)
    return NULL;
  WprAuthority *self = g_new0 (WprAuthority, 1);
  self->bus = g_object_ref (bus);
  self->polkit = g_steal_pointer (&polkit);
  self->timeout_s = timeout_s;
  return self;
}

void
wpr_authority_free (WprAuthority *self)
{
  g_autoptr (GList) open = g_list_copy (self->open);
  for (GList *at = open; at != NULL; at = at->next)
    cancel (at->data, WPR_VERDICT_GONE);
  while (self->open != NULL)
    g_main_context_iteration (NULL, TRUE);
  g_object_unref (self->polkit);
  g_object_unref (self->bus);
  g_free (self);
}
