/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls on a session's socket for the opener that uses them, and what packets hold. */
#pragma once

#include "broker/client/client.h"
#include "broker/protocol.h"

/* Consumes args. The result, of the verb's type; NULL with an error. fds: descriptors (int) that
 * came with it, the caller's; NULL: none are wanted. */
GVariant *wpr_broker_call (WprBrokerSession *session, WprBrokerVerb verb, GVariant *args,
                           GArray *fds, GError **error);

GVariant *wpr_broker_pack_rows (const WprPerfEvent *events, gsize n);
/* Appends to opened; descriptors of the leaders are taken from fds (int) in order. FALSE if they
 * do not match. */
gboolean wpr_broker_unpack_opened (GVariant *packed, const GArray *fds, WprOpened *opened);
