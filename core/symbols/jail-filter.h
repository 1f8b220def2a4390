/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the kernel does for work on what strangers made. */
#pragma once

#include <stdbool.h>

/* From here on this process (of one thread, and without a way to new privileges) can use the
 * memory and the files it has and end; every other system call answers EPERM. FALSE where the
 * kernel or the machine has no such filter: the other limits hold all the same. */
bool wpr_jail_filter (void);
