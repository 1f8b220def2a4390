/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One session within the room: session.c gives it life, a socket and its share of what there is;
 * verbs.c answers one request. */
#pragma once

#include "broker/protocol.h"
#include "broker/session.h"
#include "perf/kprobe.h"

/* Memory a client was handed, which is not free before it lets go of it, session or not. */
typedef struct
{
  int fd; /* of ours, closed once it is */
  gboolean (*is_free) (int fd);
  guint64 bytes;
} WprHanded;

typedef struct
{
  WprBrokerGrant grant; /* texts owned */
  char *id;
  gint64 begun_us; /* wall clock */

  /* Under the lock of session.c. */
  int fd;              /* -1: no client */
  gint64 orphan_until; /* monotonic us; 0: it has a client, or none is waited for any more */
  gboolean over;
  guint64 bytes; /* charged: of rings handed out since it opened them */
  guint fds;     /* likewise: descriptors */

  /* The session's thread only. */
  WprOpener *opener;
  WprOpened opened;
  WprKprobes *probes;
  GHashTable *rows;          /* number -> WprPerfKind */
  GHashTable *cpus;          /* of the rings */
  GArray *rings;             /* WprRingSpec as asked; empty: nothing is open */
  GArray *handed;            /* WprHanded: the rings of opened, grown ones' forerunners too */
  guint n_watched;           /* leaders that were looked at for that */
  GArray *facts;             /* WprHanded: answers in memory that the client has still */
  GByteArray *kept;          /* of the client, for who claims */
  guint32 number;            /* of the last request */
  guint n_rows_most;         /* there ever were */
  const char *how;           /* it ended, as WprBrokerEndedFunc has it */
  guint ahead_ring, ahead_n; /* grown ahead, on so many CPUs */
  guint n_stray;             /* leaders of all that was grown ahead and not taken */
  gsize ahead_bytes;         /* a CPU; 0: none */
} WprServed;

WprServed *wpr_served_new (const WprBrokerGrant *grant, WprOpener *opener);
/* Closes what is open. */
void wpr_served_free (WprServed *served);
void wpr_served_close (WprServed *served);
/* The answer to a request (floating), and the descriptors (int) that go with it: leaders, not to be
 * closed, and last the result where it is large, to be closed (*sealed; else -1). request: NULL for
 * a packet that was none. malformed: not a request our client makes, the session ends. */
GVariant *wpr_served_answer (WprServed *served, GVariant *request, GArray *fds, int *sealed,
                             gboolean *malformed);

/* session.c: asks for a share of memory and descriptors beside what the session has; FALSE with a
 * sentence if all sessions together would have too much. */
gboolean wpr_served_take (WprServed *served, guint64 bytes, guint fds, GError **error);
/* What it really has. */
void wpr_served_settle (WprServed *served, guint64 bytes, guint fds);
/* Bytes of what is handed still; what is free is taken out and closed. */
guint64 wpr_handed_count (GArray *handed);
/* Of no session any more (emptied): charged to all until it is free. */
void wpr_handed_let_go (GArray *handed);
