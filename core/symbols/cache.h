/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tables of functions kept between recordings, below the user's cache folder, by build id and by
 * the very file they were read from: a file that only claims a build id never gives names to
 * another. Bounded; the ones not used for longest go. Any failure is as if nothing were kept. */
#pragma once

#include <gio/gio.h>
#include <sys/stat.h>

G_BEGIN_DECLS

typedef struct _WprSymbolCache WprSymbolCache;

/* most_bytes: of all files. NULL: there is no folder to keep anything in. */
WprSymbolCache *wpr_symbol_cache_open (guint64 most_bytes);
/* Takes away what is too much, too. */
void wpr_symbol_cache_close (WprSymbolCache *cache);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprSymbolCache, wpr_symbol_cache_close)

/* The name of a table in the cache: build id, and a digest of file and debug file (NULL ok) as they
 * are now. NULL without a build id. */
char *wpr_symbol_cache_key (const guint8 *build_id, guint build_id_size, const struct stat *file,
                            const struct stat *debug_file);
/* A table's bytes as they were put, unharmed; NULL if there are none. */
GBytes *wpr_symbol_cache_get (WprSymbolCache *cache, const char *key, guint32 *source);
void wpr_symbol_cache_put (WprSymbolCache *cache, const char *key, guint32 source, GBytes *bytes);

G_END_DECLS
