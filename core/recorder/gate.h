/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The door of root's recorder for other users: a socket everybody may connect to, and between it
 * and the bus a relay for each, which passes on no more than the recorder can bear: few connections
 * a user, small messages, one descriptor with each, few calls without an answer. What comes in on
 * D-Bus otherwise is bounded by the peer's good will alone. Who may do what is in bus-rights.c. */
#pragma once

#include <gio/gio.h>

#include "base/behalf.h"

G_BEGIN_DECLS

/* Connections of one user, and of all: each has a thread and three descriptors. A window has one a
 * recording, a command one for a moment. */
#define WPR_GATE_OF_USER 8
#define WPR_GATE_OF_ALL 32
/* Largest message of a user's: a note is a sentence, 128 MiB is what D-Bus allows. */
#define WPR_GATE_MESSAGE_MOST (256 * 1024)
/* Calls of one connection without an answer; more wait in the user's socket. */
#define WPR_GATE_CALLS_MOST 16
/* To say who one is, and to take what was asked for. */
#define WPR_GATE_PATIENCE_MS 5000

typedef struct _WprGate WprGate;
/* A user's connection, authenticated, whose messages are not processed yet. In the thread-default
 * context of who made the gate. */
typedef void (*WprGateFunc) (GDBusConnection *connection, WprBehalf *behalf, gpointer data);
/* Listens on the path with mode 0666. */
WprGate *wpr_gate_new (const char *path, WprGateFunc func, gpointer data, GError **error);
/* Ends all its connections; the path is the caller's to remove. */
void wpr_gate_free (WprGate *gate);

G_END_DECLS
