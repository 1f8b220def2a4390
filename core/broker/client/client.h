/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The recorder's side: an opener whose events are another process', and what only that process may
 * read. A session is a socket to the service; approval lasts as long as it. All calls block (a
 * question to a person: minutes), so never on a face's main thread; a session may be used by
 * several threads, one call waits for the other. */
#pragma once

#include <gio/gio.h>
#include "broker/protocol.h"

G_BEGIN_DECLS

typedef enum
{
  WPR_BROKER_NO,        /* not installed, or the rules say no */
  WPR_BROKER_CHALLENGE, /* a person will be asked */
  WPR_BROKER_YES,
} WprBrokerAnswer;

typedef struct _WprBrokerSession WprBrokerSession;
WprBrokerSession *wpr_broker_session_ref (WprBrokerSession *session);
void wpr_broker_session_unref (WprBrokerSession *session); /* the last: the session ends */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprBrokerSession, wpr_broker_session_unref)

/* What begin would need, without asking anybody. */
WprBrokerAnswer wpr_broker_ask (void);
/* This process' name on the bus the service is asked on: for an agent that answers polkit for us.
 * NULL with WPR_ERROR_NOT_AVAILABLE where there is no bus. Free with g_free. */
char *wpr_broker_bus_name (GError **error);
/* mode: "file" or "memory"; contents: probes, too; interactive: polkit may ask a person.
 * WPR_ERROR_NOT_PERMITTED: refused, dismissed or not answered, each with its own sentence;
 * WPR_ERROR_NOT_AVAILABLE: no such service here; WPR_ERROR_NO_SPACE: too many sessions. */
WprBrokerSession *wpr_broker_begin (const char *mode, gboolean contents, gboolean interactive,
                                    const char *instance, GCancellable *cancellable,
                                    GError **error);
/* Over a socket that is there already (takes it); for tests and wpr_broker_begin. */
WprBrokerSession *wpr_broker_session_new (int fd);
/* Readable or hung up once the service or the session is gone: to be polled for POLLHUP. */
int wpr_broker_session_get_fd (WprBrokerSession *session);
/* TRUE once the other end has closed: whatever was open records nothing any more. */
gboolean wpr_broker_session_is_over (WprBrokerSession *session);

/* aa{sv} of this user's memory rings whose recorder died: id s, instance s, bytes t,
 * seconds_left u. NULL with an error. */
GVariant *wpr_broker_list_orphans (GError **error);
WprBrokerSession *wpr_broker_claim_orphan (const char *id, GError **error);

/* Verbs as WprOpener documents them, for what `begin` allowed. Keeps a reference to the session. */
WprOpener *wpr_opener_broker_new (WprBrokerSession *session);
/* In place of open, after a claim: its leaders and ids, and what was kept (NULL: nothing). */
gboolean wpr_opener_broker_recall (WprOpener *opener, WprOpened *opened, GBytes **kept,
                                   GError **error);

/* Ids and formats of tracepoints into wpr_tracefs_learn (); names that are not there, or not
 * allowed, are left out. Before the events are opened. */
gboolean wpr_broker_facts_formats (WprBrokerSession *session, const char *const *names, gsize n,
                                   GError **error);
/* /proc/kallsyms with addresses. */
GBytes *wpr_broker_facts_kallsyms (WprBrokerSession *session, GError **error);
/* For wpr_world_load (), then wpr_world_fill_in (): processes, threads and mappings of all users,
 * and the kernel's. Command lines that everybody may read are left to wpr_world_fill_in (). */
GBytes *wpr_broker_facts_rundown (WprBrokerSession *session, gboolean cmdlines, GError **error);
/* Open files of all processes: WprOpenFiles, as wpr_open_files_read () gives them. */
GPtrArray *wpr_broker_facts_descriptors (WprBrokerSession *session, gboolean positions,
                                         GError **error);
/* What a claim gives back should this process die: at most WPR_BROKER_KEPT_MOST bytes. */
gboolean wpr_broker_facts_keep (WprBrokerSession *session, GBytes *bytes, GError **error);

G_END_DECLS
