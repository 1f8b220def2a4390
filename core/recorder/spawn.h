/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Starting `wpr --recorder` so that it outlives who starts it: two ways. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* How long a recorder may take until it answers. */
#define WPR_SPAWN_MS 5000

/* The program to start: WPR_RECORDER, beside this executable or in ../command of it, else in the
 * folder it is installed to. NULL with WPR_ERROR_NOT_AVAILABLE. */
char *wpr_spawn_find_program (GError **error);
/* Through systemd as a transient unit. FALSE without an error where there is no systemd to ask; the
 * recorder may not answer yet. */
gboolean wpr_spawn_unit (const char *program, const char *instance);
/* As an orphan with a session of its own; waits until it answers. */
gboolean wpr_spawn_orphan (const char *program, const char *instance, GError **error);

G_END_DECLS
