/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whose an event is. Most kernel events have no process in their header: it is in their payload, or
 * it is whom their CPU ran, which the switches tell. Private to this room. */
#pragma once

#include "etl/reader.h"
#include "file/who.h"

G_BEGIN_DECLS

typedef struct
{
  guint32 pid, tid; /* whom it is about: a Process, Thread or Image event about that one, a switch
                       about the thread that comes; WPR_NOBODY where nobody knows */
  guint32 runner;   /* the thread that stacks of the event name */
} WprOwner;

/* Whom a CPU runs. */
typedef struct
{
  gboolean is_known; /* a switch was seen, or what comes before the first one is known */
  guint32 tid;
} WprRunning;

/* Events in the order of time. running: of n_cpus. */
void wpr_owner_find (const WprWho *who, WprRunning *running, guint n_cpus, const WprEtlEvent *event,
                     WprOwner *owner);
/* Whom a switch takes away; FALSE if the event is none. */
gboolean wpr_owner_switch_from (const WprEtlEvent *event, guint32 *tid);

G_END_DECLS
