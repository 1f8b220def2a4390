/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The window's one other thread: its own main context, in which every call of the core runs, since
 * the core may wait for a file, a lock or another process. Does not live here: what is called. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _WprWorker WprWorker;
typedef void (*WprWorkFunc) (gpointer data);

/* Starts the thread; its context is the thread-default one there. */
WprWorker *wpr_worker_new (void);
/* Lets what was sent finish, ends the thread, waits for it. */
void wpr_worker_free (WprWorker *worker);
/* Runs func in the thread, in the order sent. Any thread. */
void wpr_worker_send (WprWorker *worker, WprWorkFunc func, gpointer data, GDestroyNotify destroy);
/* The same, once nothing else waits there. */
void wpr_worker_send_low (WprWorker *worker, WprWorkFunc func, gpointer data,
                          GDestroyNotify destroy);
/* Runs func in the main thread, in the order sent. Any thread. */
void wpr_worker_reply (WprWorkFunc func, gpointer data, GDestroyNotify destroy);
/* TRUE in the thread itself: what calls the core asserts it. */
gboolean wpr_worker_is_current (WprWorker *worker);

G_END_DECLS
