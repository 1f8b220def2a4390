/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The service's sessions without a bus: a child process that is root serves, others are clients of
 * an ordinary user at the default limit of locked memory. Not here: any test. */
#pragma once

#include <gio/gio.h>
#include "broker/client.h"
#include "broker/session.h"

#define NOBODY 65534
#define SOMEBODY 65533
#define MEMLOCK_BYTES (8 * 1024 * 1024)

typedef struct
{
  pid_t pid;
  int control;
} Service;

/* A process that serves. ring_bytes: what all rings may have; 0: half of the memory. */
Service *service_start (guint orphan_seconds, guint64 ring_bytes);
void service_stop (Service *service);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Service, service_stop)
/* A client's end of a new session; -1: refused. id: g_free. */
int service_serve (Service *service, guint uid, gboolean memory, gboolean contents, char **id);
int service_claim (Service *service, guint uid, const char *id);
/* Ids of a user's orphans, separated by spaces. */
char *service_orphans (Service *service, guint uid);
guint service_n_out (Service *service);
/* Descriptors the serving process has open, and events among them. */
guint service_n_fds (Service *service, guint *n_events);
guint64 service_rss (Service *service);
/* The last session that ended: "how rows". */
char *service_ended (Service *service);
void service_close_all (Service *service);
/* Waits at most 20 s until that many sessions are out. */
gboolean service_wait_n_out (Service *service, guint n);

/* Runs func in a child of that user; what it returns. A failed check ends it with 99. */
typedef int (*ClientFunc) (int fd, gpointer data);
int client_run (guint uid, ClientFunc func, int fd, gpointer data);
/* Without waiting. */
pid_t client_start (guint uid, ClientFunc func, int fd, gpointer data);
int client_wait (pid_t pid);
#define CHECK(what)                                                       \
  G_STMT_START                                                            \
  {                                                                       \
    if (!(what))                                                          \
      {                                                                   \
        g_printerr ("%s:%d: %s: is not so\n", __FILE__, __LINE__, #what); \
        _exit (99);                                                       \
      }                                                                   \
  }                                                                       \
  G_STMT_END

/* A session over that socket, with the ids of these tracepoints learned. */
WprBrokerSession *client_session (int fd, const char *const *names);
/* Maps the rings of leaders from `first` on; GPtrArray of WprRing, NULL where there is none. */
void client_map (const WprOpened *opened, GPtrArray *rings, gboolean backward);
gboolean client_switch (const WprOpened *opened, gulong request, gulong argument);
