/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One user's connection, on a thread of its own. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Both belong to the caller; blocking or not. outer: the user's. inner: to a D-Bus server of this
 * process's. */
typedef struct
{
  int outer, inner;
} WprRelay;
/* The user says hello as D-Bus' EXTERNAL has it, in time; who it is the socket says, not they. */
gboolean wpr_relay_greet (const WprRelay *relay, const char *guid);
/* The same towards the inner side. */
gboolean wpr_relay_enter (const WprRelay *relay);
/* Passes messages on until one side ends or the user breaks the rules. */
void wpr_relay_run (const WprRelay *relay);

G_END_DECLS
