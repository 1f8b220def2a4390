/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls on a session's socket, for the opener that uses them. */
#pragma once

#include "broker/client.h"
#include "broker/protocol.h"

/* Consumes args. The result, of the verb's type; NULL with an error. fds: descriptors (int) that
 * came with it, the caller's; NULL: none are wanted. */
GVariant *wpr_broker_call (WprBrokerSession *session, WprBrokerVerb verb, GVariant *args,
                           GArray *fds, GError **error);
