/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The connected back end: a recorder in another process, driven over its socket. */
#pragma once

#include "recorder/recorder-private.h"

G_BEGIN_DECLS

/* Connects to a socket's path within timeout_ms; blocks. as_guest: to root's, of another user.
 * *broke says that nobody listens there, or whoever did went away before it answered: then it
 * depends on who holds the name. */
WprRecorder *wpr_proxy_connect (const char *instance, const char *socket_path, gboolean as_guest,
                                guint timeout_ms, gboolean *broke, GError **error);

G_END_DECLS
