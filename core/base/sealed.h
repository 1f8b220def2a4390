/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bytes for another process in a sealed memfd, whose memory is charged to who made it. So that it
 * can be counted, the maker keeps a descriptor that tells when the reader has let go of it. */
#pragma once

#include <glib.h>

/* What nobody can change or resize any more, and nobody but this user open again. Returns the
 * reader's descriptor, to be passed on and closed here; *keeper: the maker's. -1 with errno. */
int wpr_sealed_new (gconstpointer data, gsize size, int *keeper);
/* TRUE once nobody has the reader's file open or mapped. -1 is never free. */
gboolean wpr_sealed_is_free (int keeper);
/* What a reader was given, mapped; the descriptor stays the caller's. NULL if it is not sealed, or
 * not of that size. */
GBytes *wpr_sealed_map (int fd, gsize size);
