/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names of functions that the file itself tells (provider Linux.Symbols; docs/etl.md, Names).
 * Private to this room. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _WprFunctions WprFunctions;
WprFunctions *wpr_functions_new (void);
void wpr_functions_free (WprFunctions *self);

/* While the file is read, in any order; texts are copied. `image`: its number in the file. */
void wpr_functions_note_image (WprFunctions *self, guint32 image, const char *path,
                               const char *build_id);
void wpr_functions_note_function (WprFunctions *self, guint32 image, guint64 start, guint32 size,
                                  const char *name);
void wpr_functions_note_jit (WprFunctions *self, guint32 pid, guint64 start, guint32 size,
                             const char *name);
void wpr_functions_finish (WprFunctions *self);

/* The function that holds `offset` from an image's base; path and stamp (TimeDateStamp) as the
 * image's load has them. NULL where none is told. */
const char *wpr_functions_find (const WprFunctions *self, const char *path, guint32 stamp,
                                guint64 offset, guint64 *into);
/* The same for code without a file. */
const char *wpr_functions_find_jit (const WprFunctions *self, guint32 pid, guint64 address,
                                    guint64 *into);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprFunctions, wpr_functions_free)

G_END_DECLS
