/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The service's sessions, once somebody has been authorised: each has a socket pair and a thread,
 * answers the opener's verbs and keeps the events. Knows neither bus nor polkit (main.c). Call all
 * of these from one thread, the one of the default main context; none blocks for long, since what
 * is slow (mapping, closing) is done by the session's thread. */
#pragma once

#include <glib.h>

typedef struct
{
  guint uid;
  guint pid;            /* a hint for the journal only: nothing is decided by it */
  const char *instance; /* likewise */
  gboolean memory;      /* rings that keep the newest outlive the client by WPR_BROKER_ORPHAN_S */
  gboolean contents;    /* probes, and command lines this user could not read */
} WprBrokerGrant;

#define WPR_BROKER_ORPHAN_S 600
/* A recorder has one session a recording; more of one user is somebody who collects them. */
#define WPR_BROKER_SESSIONS_MOST 32
#define WPR_BROKER_SESSIONS_OF_USER 8

/* One more session. Its end of the pair stays; the other is the caller's to pass on and close.
 * info: a{sv} with "id" (s). WPR_ERROR_NO_SPACE: too many sessions. */
gboolean wpr_broker_serve (const WprBrokerGrant *grant, int *client_fd, GVariant **info,
                           GError **error);
/* Whether one more would be refused; to be asked before a person is asked for a password. */
gboolean wpr_broker_may_serve (guint uid, GError **error);
/* A memory session whose client is gone, for the same user only: a new socket to it. */
gboolean wpr_broker_claim (guint uid, const char *id, int *client_fd, GVariant **info,
                           GError **error);
/* aa{sv}: id s, instance s, bytes t (of its rings), seconds_left u. Floating. */
GVariant *wpr_broker_orphans (guint uid);
/* Sessions and orphans whose events are open, or were not closed yet. */
guint wpr_broker_get_n_out (void);
/* Memory of sessions that are over which their clients have still, as of now. */
guint64 wpr_broker_get_bytes_left (void);
/* Closes all of them: their clients get end of file, their rings nothing more. Returns at once; the
 * events of a process that exits are closed by the kernel. */
void wpr_broker_close_all (void);

/* A session and its orphan are gone, their events closed. n_rows: the most there were; how: a word,
 * "closed", "orphan-expired", "refused", "not-read". On the main context. */
typedef void (*WprBrokerEndedFunc) (const WprBrokerGrant *grant, guint n_rows,
                                    gint64 begun_realtime_us, const char *how, gpointer data);
void wpr_broker_set_ended_func (WprBrokerEndedFunc func, gpointer data);
/* Tests: how long orphans live, and how much memory all rings together may have (0: the default,
 * half of the machine's); nothing is left of earlier sessions. */
void wpr_broker_set_limits (guint orphan_seconds, guint64 ring_bytes);
