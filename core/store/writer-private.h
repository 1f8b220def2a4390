/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The writing half of the store: what its files share. Private to the room. */
#pragma once

#include "store/behind.h"
#include "store/store-private.h"

G_BEGIN_DECLS

/* Keys of files of an epoch: collector << 32 | cpu, or one of these. */
#define WPR_STORE_KEY_SIDEBAND (-1)
#define WPR_STORE_KEY_NOTES (-2)

typedef struct
{
  gint64 key;
  int fd;
  guint64 told;    /* bytes that are whole */
  guint64 flushed; /* up to here write-back was started */
  guint64 synced;  /* up to here it was asked that it be on the disk */
} WprStoreFile;

typedef struct
{
  guint number;
  guint64 bytes;
} WprStoreEpoch;

struct _WprStore
{
  char *path;
  int folder, lock, epoch_folder;
  WprManifest *manifest;
  WprStoreLimits limits;
  GHashTable *files;     /* of the current epoch: gint64 key -> WprStoreFile */
  GArray *epochs;        /* WprStoreEpoch, the current one last */
  guint64 bytes_dropped; /* of deleted epochs */
  WprStoreFold fold;
  gpointer fold_data;
  WprBehind *behind;
  gboolean is_synced; /* somebody asks for it now and then */
};

/* store.c: opened when first asked for. */
WprStoreFile *wpr_store_file (WprStore *store, gint64 key, const char *name, GError **error);

/* rotate.c */
gboolean wpr_store_begin_epoch (WprStore *store, GError **error);
WprStoreEpoch *wpr_store_current (WprStore *store);

G_END_DECLS
