/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A file whose writer died: all that is whole of it, as a file that is finished. */
#pragma once

#include "etl/reader.h"

G_BEGIN_DECLS

typedef struct
{
  gboolean was_complete;  /* nothing was missing: what was written is the same again */
  guint32 n_buffers;      /* of the finished file */
  guint64 left_out_bytes; /* of the other that are not in it */
} WprEtlCompleted;

/* Writes it to fd (empty, seekable), compressed if that is wanted or `file` is. Where anything was
 * missing, the last event says so (Linux.Recorder/Completed). */
gboolean wpr_etl_complete (const WprEtlFile *file, int fd, gboolean compress,
                           WprEtlCompleted *completed, GError **error);

G_END_DECLS
