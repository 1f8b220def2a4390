/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether the broker would help, found out without ever hanging. */
#pragma once

#include "wpr-profile.h"

G_BEGIN_DECLS

/* Blocks: two seconds where a bus is there and does not answer, longer only while the broker is
 * being started; no time where there is none. */
WprUnlock wpr_unlock_probe (void);
/* Whether there is a bus that answers at all. */
gboolean wpr_unlock_is_there (void);

G_END_DECLS
