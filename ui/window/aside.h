/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls about files that may lie on a share which does not answer: each runs in a thread beside the
 * asking one, in the order asked. One that takes too long is left to its thread, whoever asked is
 * told so, and what waits behind it goes on in another. Does not live here: what is called. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _WprAside WprAside;
typedef void (*WprAsideFunc) (gpointer data);

/* What is asked of it. Only `work` is there always. */
typedef struct
{
  WprAsideFunc work;      /* in a thread of its own */
  WprAsideFunc done;      /* after it, in the asker's context */
  WprAsideFunc late;      /* there too, once, if it takes too long; `done` comes still, later */
  GDestroyNotify destroy; /* of data, after `done`, in the asker's context */
  gboolean low;           /* only while nothing else waits; `done` is low, too */
  gboolean writes;        /* the end of the aside waits for it */
} WprAsideCall;

/* How long a file may take to answer before somebody is told. A disk that was asleep answers within
 * ten seconds, a share of another continent within one. */
#define WPR_ASIDE_LIMIT_MS 20000

/* The asker's context is the thread-default one of whoever calls this. limit_ms 0: without end. */
WprAside *wpr_aside_new (const char *thread_name, guint limit_ms);
void wpr_aside_run (WprAside *aside, const WprAsideCall *call, gpointer data);
/* Waits for what writes, unless it is late already; forgets the rest. */
void wpr_aside_free (WprAside *aside);

G_END_DECLS
