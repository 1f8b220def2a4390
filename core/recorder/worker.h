/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A thread with a GMainContext of its own, in which all work of a back end runs. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct _WprWorker WprWorker;

/* name: of the thread, at most 15 characters. */
WprWorker *wpr_worker_new (const char *name);
/* Quits the loop after what was asked before, and joins the thread; on the worker itself: quits
 * once the running call returns. */
void wpr_worker_free (WprWorker *worker);
GMainContext *wpr_worker_get_context (WprWorker *worker);
gboolean wpr_worker_is_current (WprWorker *worker);
/* Runs func once on the worker, in the order asked. Any thread. destroy (NULL ok) is called there,
 * too. */
void wpr_worker_call (WprWorker *worker, void (*func) (gpointer data), gpointer data,
                      GDestroyNotify destroy);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprWorker, wpr_worker_free)

G_END_DECLS
