/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The files of profiles/, compiled in. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* One file; never NULL (a missing one is a fault of the build). */
GBytes *wpr_builtin_get (const char *name);
/* Names of the profiles, BaseProfile.wprp first (the others build on it), then in the order in
 * which people see them. NULL-terminated, static. */
const char *const *wpr_builtin_profiles (void);

G_END_DECLS
