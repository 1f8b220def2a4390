/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A recorder served to other processes: D-Bus from peer to peer, on a socket of its own, to who has
 * the same user or is root. What both ends must agree on is here, too. */
#pragma once

#include "wpr-recorder.h"

G_BEGIN_DECLS

#define WPR_BUS_PATH "/io/github/performance_recorder/Wpr/Recorder"
#define WPR_BUS_INTERFACE "io.github.performance_recorder.Wpr.Recorder"
/* Raised when the interface changes so that an older peer would misunderstand it. */
#define WPR_BUS_PROTOCOL 3

typedef struct _WprBus WprBus;
/* Listens at a D-Bus address. Everything happens in the thread-default main context of the caller,
 * which must be the one the recorder was made in. Keeps a reference on the recorder. */
WprBus *wpr_bus_new (WprRecorder *recorder, const char *address, GError **error);
/* Root's: other users may come in at the socket `path`, for what bus-rights.c lets them. */
gboolean wpr_bus_open_gate (WprBus *bus, const char *path, GError **error);
/* Called whenever a call was answered or a client came or went. */
void wpr_bus_set_changed_func (WprBus *bus, void (*func) (gpointer data), gpointer data);
/* Called before a start, with the name of the user who asks. */
void wpr_bus_set_user_func (WprBus *bus, void (*func) (const char *user, gpointer data),
                            gpointer data);
guint wpr_bus_get_n_pending (WprBus *bus); /* calls not answered yet */
guint wpr_bus_get_n_clients (WprBus *bus);
/* Stops listening, waits until what was answered is with the clients (2 s at most), and frees. */
void wpr_bus_free (WprBus *bus);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprBus, wpr_bus_free)

/* Errors over the wire: the code is the D-Bus error's name, WPR's number its last element. */
char *wpr_bus_error_name (const GError *error);
/* Turns an error that came over the wire back into the WPR_ERROR it was; others of D-Bus into
 * WPR_ERROR_INTERNAL. Takes it over. */
GError *wpr_bus_error_from_remote (GError *remote);

G_END_DECLS
