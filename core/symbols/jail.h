/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Work on what strangers made, in a process of its own that may crash, loop and eat memory without
 * harm: limits on memory and time, no privileges (root becomes nobody), no descriptors but those of
 * the work, nothing to write to but a pipe, no system calls but what that needs. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Called in the process of its own for piece `index` of the work. Nothing may be called that
 * another thread of the parent could have held a lock of: the C library (with malloc) and what
 * stands on it alone. *bytes from malloc(). */
typedef int (*WprJailWork) (guint index, guint8 **bytes, gsize *size, gpointer data);

typedef enum
{
  WPR_JAIL_DONE,
  WPR_JAIL_CRASHED,
  WPR_JAIL_TOO_SLOW,
  WPR_JAIL_TOO_LARGE,
  WPR_JAIL_NOT_BEGUN, /* no time was left, or no process could be had */
} WprJailFate;

/* Called in the parent, in order, once a piece; bytes NULL if there were none. A piece that ends
 * its process takes no other with it. */
typedef void (*WprJailResult) (guint index, WprJailFate fate, int answer, GBytes *bytes,
                               gpointer data);

typedef struct
{
  guint n; /* pieces */
  WprJailWork work;
  WprJailResult result;
  gpointer data;
  const int *fds; /* that the work needs; -1 are skipped */
  guint n_fds;
  gint64 piece_us;                 /* for each piece */
  gint64 deadline_us;              /* of all, g_get_monotonic_time() */
  guint64 most_memory, most_bytes; /* beyond what the parent has; of one answer */
  GCancellable *cancellable;
} WprJail;

/* Blocks. FALSE if it was cancelled. */
gboolean wpr_jail_run (const WprJail *jail);

G_END_DECLS
