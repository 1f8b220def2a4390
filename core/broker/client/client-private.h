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
/* One packet, and the descriptors (int) that came along, appended to fds even where it is NULL. */
GVariant *wpr_broker_receive_fds (int fd, const char *type, GArray *fds);
/* What is longer than a packet. NULL if it is not of that type, or did not come whole. */
GVariant *wpr_broker_receive_bytes (int fd, const char *type, guint64 size);
