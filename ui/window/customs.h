/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The .wprp files a person added, in the order added, as values of the main thread. Signal
 * "changed" when one came, was read again or went. Reading is the worker's (backend-custom.c). */
#pragma once

#include "backend.h"

G_BEGIN_DECLS

#define WPR_TYPE_CUSTOMS (wpr_customs_get_type ())
G_DECLARE_FINAL_TYPE (WprCustoms, wpr_customs, WPR, CUSTOMS, GObject)

WprCustoms *wpr_customs_new (WprBackend *backend);
/* The backend ends: nothing is asked of it any more. */
void wpr_customs_close (WprCustoms *self);
/* Of WprCustomFile *; owned by self, until "changed". */
const GPtrArray *wpr_customs_get_files (WprCustoms *self);
/* Reads a file, for the first time or again; name: of g_file_get_parse_name(). fresh: a person
 * waits for it. */
void wpr_customs_read (WprCustoms *self, const char *name, gboolean fresh);
void wpr_customs_remove (WprCustoms *self, const char *name);

/* Answers of the worker; file is taken. */
void wpr_customs_take_file (WprCustoms *self, WprCustomFile *file);
void wpr_customs_take_removed (WprCustoms *self, const char *name);

G_END_DECLS
