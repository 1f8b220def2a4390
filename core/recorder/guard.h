/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The disk guard of file mode: how much a raw recording may hold, so that merging it still fits and
 * the disk is not filled. Counts all instances. Arithmetic and two system calls; who obeys is
 * local-run.c. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  WPR_GUARD_FINE,
  WPR_GUARD_LOW,  /* keep at most most_bytes from now on */
  WPR_GUARD_FULL, /* even that does not fit: stop */
} WprGuardVerdict;

typedef struct
{
  guint64 free_bytes, total_bytes; /* of the file system */
  guint64 most_bytes;              /* this recording may hold */
  guint64 told_most;               /* the limit that was set; 0: none yet */
} WprGuard;

/* 1 GiB or 5 % of the disk, whichever is smaller, stay free. */
guint64 wpr_guard_reserve (guint64 total_bytes);
/* What this recording may hold: free space and its own, less the reserve and what the merges of
 * other recordings still need, halved since its own merge needs as much again. Pure. */
guint64 wpr_guard_most (guint64 free_bytes, guint64 total_bytes, guint64 own_bytes,
                        guint64 others_need);
/* Asks the file system of folder_fd. */
WprGuardVerdict wpr_guard_look (WprGuard *guard, int folder_fd, guint64 own_bytes,
                                guint64 others_need);
/* Bytes that the merges of other recordings below the folder will need, whose recorders live. */
guint64 wpr_guard_others_need (const char *raw_parent, const char *own_path);

G_END_DECLS
