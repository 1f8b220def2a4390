/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Several files becoming one. Private to merge*.c. */
#pragma once

#include "etl/writer.h"
#include "file/file-private.h"

G_BEGIN_DECLS

/* One file that is merged. */
typedef struct
{
  char *shown; /* its name, for people */
  WprTraceFile *file;
  guint machine;   /* files of one computer and boot have one number */
  guint first_cpu; /* of the machine, in the new file */
  gint64 base;     /* its beginning in ticks of the new file */
  const WprEtlEvent *next;
  gint64 next_ticks; /* of the new file */
} WprMergeInput;

typedef struct
{
  WprMergeInput *inputs;
  guint n;
  guint n_machines, n_cpus;
  gint64 start_filetime, start_ticks, end_filetime;
  guint32 group_masks[8];
  WprEtlWriter *writer;
  WprTraceMerged *merged;
  GCancellable *cancellable;
} WprMerge;

/* ---- merge-times.c ---- */
/* Ticks of a file as ticks of the new one: 100 ns, aligned by wall clock; the order of a file's
 * times is kept. */
gint64 wpr_merge_ticks (const WprMergeInput *input, gint64 ticks);
/* Times inside a payload, in the copy of the record. */
void wpr_merge_fix_times (const WprMergeInput *input, const WprEtlEvent *event, guint8 *copy);

/* ---- merge-facts.c ---- */
/* Machines, their processors, beginning, end and what a person must be told. */
gboolean wpr_merge_survey (WprMerge *self, GError **error);
/* Linux.Recorder/MergedFile and MergeNotice, at the beginning. */
gboolean wpr_merge_write_facts (WprMerge *self, GError **error);

G_END_DECLS
