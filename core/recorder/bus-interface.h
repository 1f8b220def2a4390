/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The D-Bus interface of a recorder. */
#pragma once

#include "recorder/bus.h"
#include "recorder/recorder-private.h"

G_BEGIN_DECLS

/* Static. */
GDBusInterfaceInfo *wpr_bus_interface_info (void);

G_END_DECLS
