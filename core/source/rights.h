/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What this process may record. */
#pragma once

#include "wpr-profile.h"

G_BEGIN_DECLS

/* Tried, not derived: inert events are opened for a moment. */
typedef struct
{
  WprRights rights;
  gboolean sees_kernel; /* of own programs: also what they do inside the kernel */
  guint own_threads;    /* that own programs have; 0: not counted */
  char *text;           /* why not everything, and what helps, translated; NULL with full rights */
} WprRightsFound;
void wpr_rights_probe (WprRightsFound *found);
/* A disabled event of all programs on one CPU; of this thread, with or without the kernel's side.
 * 0 or errno. */
int wpr_rights_try (guint32 type, guint64 config);
int wpr_rights_try_own (guint32 type, guint64 config, gboolean with_kernel);
void wpr_rights_found_clear (WprRightsFound *found);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (WprRightsFound, wpr_rights_found_clear)

G_END_DECLS
