/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The thread that drains must get a CPU when a ring asks for it, most of all on the busy machine
 * somebody wants to look into. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The calling thread goes before ordinary ones until wpr_urgent_end is called on it; threads it
 * starts do not. Does what this user may do, which can be nothing. Calling twice is calling once.
 */
void wpr_urgent_begin (void);
void wpr_urgent_end (void);

G_END_DECLS
