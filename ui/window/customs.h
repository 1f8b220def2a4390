/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The .wprp files a person added, in the order added, as values of the main thread. Signals "file"
 * (const char *name) when one came or was read again, "removed" (const char *name). Reading is the
 * worker's (backend-custom.c). */
#pragma once

#include "backend.h"

G_BEGIN_DECLS

#define WPR_TYPE_CUSTOMS (wpr_customs_get_type ())
G_DECLARE_FINAL_TYPE (WprCustoms, wpr_customs, WPR, CUSTOMS, GObject)

WprCustoms *wpr_customs_new (WprBackend *backend);
/* The backend ends: nothing is asked of it any more. */
void wpr_customs_close (WprCustoms *self);
/* NULL while it was not read yet, or is none of them; owned by self, until the next signal. */
const WprCustomFile *wpr_customs_get_file (WprCustoms *self, const char *name);
/* Names of all, also of those not read yet; in the order added. Free with g_strfreev. */
char **wpr_customs_list (WprCustoms *self);
/* Reads a file, for the first time or again; name: of g_file_get_parse_name(). fresh: a person
 * waits for it; else whatever else the worker is asked comes first. */
void wpr_customs_read (WprCustoms *self, const char *name, gboolean fresh);
/* Reads again what was changed meanwhile, in an editor for example. */
void wpr_customs_check (WprCustoms *self);
void wpr_customs_remove (WprCustoms *self, const char *name);

/* Answers of the worker; file is taken. */
void wpr_customs_take_file (WprCustoms *self, WprCustomFile *file);
void wpr_customs_take_removed (WprCustoms *self, const char *name);

G_END_DECLS
