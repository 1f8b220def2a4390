/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Addresses of a few of the kernel's functions by their names. Private to this room. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* wanted: name -> guint64 *, which get the address of the first symbol of that name. `path` is
 * /proc/kallsyms, or a file of a test. What is not there, and everything where the kernel shows
 * zeros (kptr_restrict), stays as it is. */
void wpr_kallsyms_find (const char *path, GHashTable *wanted);

G_END_DECLS
