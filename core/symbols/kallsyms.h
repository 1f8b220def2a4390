/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The running kernel's functions and its modules', by absolute address. */
#pragma once

#include "symbols/table.h"

G_BEGIN_DECLS

/* NULL where addresses are hidden from this user, or the file cannot be read. path:
 * "/proc/kallsyms", or a test's. */
WprNameTable *wpr_kallsyms_read (const char *path);

G_END_DECLS
