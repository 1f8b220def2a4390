/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counters of processors by name. */
#pragma once

#include "wpr-profile.h"

G_BEGIN_DECLS

/* Case does not count; NULL for a name nobody knows. */
const WprCounter *wpr_counter_find (const char *name);

G_END_DECLS
