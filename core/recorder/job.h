/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A raw store into a finished file, on whatever thread it is run; the store goes once the file is
 * there, and is named where it is kept. */
#pragma once

#include "base/behalf.h"
#include "store/store.h"
#include "wpr-recorder.h"

G_BEGIN_DECLS

typedef struct
{
  const char *store_path;
  WprStoreHold hold; /* of that store; the caller's */
  int folder_fd;
  const char *name;
  const char *kallsyms; /* a file with the kernel's names; NULL: /proc/kallsyms */
  WprBehalf *behalf;    /* whose file it is; NULL: this process's */
  WprSaveFlags flags;
  char *(*description) (gpointer data); /* NULL ok; asked for last; result is freed */
  WprProgressFunc progress;             /* NULL ok */
  gpointer data;                        /* of both */
  GCancellable *cancellable;            /* NULL ok */
} WprJob;

/* Nobody else plays or deletes the store while it is held. FALSE with WPR_ERROR_STATE if somebody
 * is at it; with WPR_ERROR_NOT_PERMITTED if it is neither this process's nor of who called it. */
gboolean wpr_job_hold (const char *store_path, WprStoreHold *hold, GError **error);

/* Blocks; the caller holds the lock. On failure and when cancelled the store is kept, and the
 * message says where and how to finish. */
WprSaved *wpr_job_run (const WprJob *job, GError **error);

G_END_DECLS
