/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The service's sessions without a bus: a child process that is root serves, others are clients of
 * an ordinary user at the default limit of locked memory. Not here: any test. */
#pragma once

#include <gio/gio.h>
#include "broker/client/client.h"
#include "broker/session.h"
#include "perf/ring.h"

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
/* Memory of sessions that are over which their clients have still. */
guint64 service_bytes_left (Service *service);
/* Descriptors the serving process has open, and events among them. */
guint service_n_fds (Service *service, guint *n_events);
guint64 service_rss (Service *service);
/* The last session that ended: "how rows". */
char *service_ended (Service *service);
void service_close_all (Service *service);
/* Waits at most a minute until that many sessions are out. */
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

/* A recording of an ordinary user, within a client. */
typedef struct
{
  WprBrokerSession *session;
  WprOpener *opener;
  WprOpened opened;
  gsize bytes;
  gboolean backward;
  GPtrArray *rings; /* WprRing of each leader, NULL where it has none */
} Client;
/* Learns the events' formats, opens them on all CPUs with a ring a CPU and maps those. */
void client_open (Client *client, int fd, const WprPerfEvent *events, gsize n, gsize bytes,
                  gboolean backward);
/* Likewise over a session that is there; takes it. */
void client_open_session (Client *client, WprBrokerSession *session, const WprPerfEvent *events,
                          gsize n, gsize bytes, gboolean backward);
/* Maps the rings of leaders that are new. */
void client_map (Client *client);
void client_close (Client *client);
/* ioctl of all leaders. */
gboolean client_switch (const Client *client, gulong request, gulong argument);
/* What the groups counted of a row. */
guint64 client_count (const Client *client, guint32 row, guint64 *lost);
/* Bytes ever put into all rings. */
guint64 client_bytes (const Client *client);
/* Records of a row in the rings: forward ones are read, backward ones copied. */
guint64 client_records (const Client *client, guint32 row, guint64 sample_type);
WprPerfEvent tracepoint (guint32 row, const char *name);
/* A system call nobody else makes, so many times on each CPU. */
#define NUMBERED_EVENT "syscalls:sys_enter_ioprio_get"
void make_calls (guint n);
