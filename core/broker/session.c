/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sessions that are out: each has a socket, and lasts until the other end of it is closed. */
#include "config.h"

#include "broker/session.h"

#include <gio/gio.h>
#include <glib-unix.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/wpr-error.h"

typedef struct
{
  WprBrokerGrant grant;
  gint64 begun_us;
  int fd;
  guint watch;
} Session;

static GList *sessions;
static WprBrokerEndedFunc ended_func;
static gpointer ended_data;

static gboolean
on_hung_up (int fd, GIOCondition condition, gpointer data)
{
  Session *session = data;
  sessions = g_list_remove (sessions, session);
  close (session->fd);
  if (ended_func != NULL)
    ended_func (&session->grant, 0, session->begun_us, "closed", ended_data);
  g_free ((char *)session->grant.instance);
  g_free (session);
  return G_SOURCE_REMOVE;
}

gboolean
wpr_broker_may_serve (guint uid, GError **error)
{
  guint same = 0;
  for (GList *at = sessions; at != NULL; at = at->next)
    same += ((Session *)at->data)->grant.uid == uid;
  if (same < WPR_BROKER_SESSIONS_OF_USER && g_list_length (sessions) < WPR_BROKER_SESSIONS_MOST)
    return TRUE;
  wpr_set_error (error, WPR_ERROR_NO_SPACE, 0, "This user has too many recordings open already.");
  return FALSE;
}

gboolean
wpr_broker_serve (const WprBrokerGrant *grant, int *client_fd, GVariant **info, GError **error)
{
  int fds[2];
  if (!wpr_broker_may_serve (grant->uid, error))
    return FALSE;
  if (socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) != 0)
    {
      wpr_set_error (error, WPR_ERROR_INTERNAL, 0, "No socket could be made.");
      return FALSE;
    }
  Session *session = g_new0 (Session, 1);
  session->grant = *grant;
  session->grant.instance = g_strdup (grant->instance);
  session->begun_us = g_get_real_time ();
  session->fd = fds[0];
  session->watch = g_unix_fd_add (fds[0], G_IO_HUP, on_hung_up, session);
  sessions = g_list_prepend (sessions, session);
  *client_fd = fds[1];
  *info = g_variant_new ("a{sv}", NULL);
  return TRUE;
}

gboolean
wpr_broker_claim (guint uid, const char *id, int *client_fd, GVariant **info, GError **error)
{
  wpr_set_error (error, WPR_ERROR_NOT_RECORDING, 0, "There is no such recording of this user.");
  return FALSE;
}

GVariant *
wpr_broker_orphans (guint uid)
{
  return g_variant_new ("aa{sv}", NULL);
}

guint
wpr_broker_get_n_out (void)
{
  return g_list_length (sessions);
}

void
wpr_broker_close_all (void)
{
  while (sessions != NULL)
    {
      Session *session = sessions->data;
      g_source_remove (session->watch);
      on_hung_up (session->fd, G_IO_HUP, session);
    }
}

void
wpr_broker_set_ended_func (WprBrokerEndedFunc func, gpointer data)
{
  ended_func = func;
  ended_data = data;
}
