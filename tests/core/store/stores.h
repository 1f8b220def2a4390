/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Making stores for tests: a manifest, records with a number in them. */
#pragma once

#include "store/store.h"

/* A fresh folder below the temporary one; removed with its contents by temporary_free(). */
char *temporary_new (void);
void temporary_free (char *folder);

WprManifest *sample_manifest (const char *instance);
/* A raw record of `size` bytes (a multiple of 8) that carries a number. */
void make_record (guint8 *to, guint16 size, guint64 number);
/* Writes one and tells the store. FALSE with errno if the write failed or was short. */
gboolean write_record (WprStore *store, guint collector, guint cpu, guint16 size, guint64 number);
gboolean write_sideband (WprStore *store, guint16 size, guint64 number);
/* Walks whole records; asserts that each has the next number. Returns how many. */
guint64 count_records (const guint8 *bytes, gsize size, guint64 first);
