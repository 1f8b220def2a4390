/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which image lay at an address of a process at a time.
 * Private to this room. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _WprModules WprModules;
WprModules *wpr_modules_new (void);
void wpr_modules_free (WprModules *self);

/* While the file is read, in any order. path: as the file has it; its last part is the name.
 * from: G_MININT64 for what was there before; stamp: its TimeDateStamp; images of pid 0 and 4 are
 * everybody's (kernel). */
void wpr_modules_note_image (WprModules *self, guint32 pid, guint64 base, guint64 size, gint64 from,
                             guint32 stamp, const char *path);
void wpr_modules_finish (WprModules *self);

typedef struct
{
  const char *name; /* of the image, without its folder */
  const char *path; /* as the file has it */
  guint64 base;
  guint32 stamp;
} WprModule;
/* FALSE where none is known. */
gboolean wpr_modules_find (const WprModules *self, guint32 pid, guint64 address, gint64 ticks,
                           WprModule *module);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprModules, wpr_modules_free)

G_END_DECLS
