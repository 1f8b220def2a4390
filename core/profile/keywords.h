/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a system keyword of a .wprp means on Linux, one row a keyword. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Each event is written
 *   "sched:sched_switch"     a tracepoint, or a pattern of tracepoints
 *   "?syscalls:sys_enter_open"  one that not every kernel has and nobody misses there: no note
 *   "software/page-faults"   a software event
 *   "sampler/meminfo"        read by the recorder at an interval
 *   "kprobe/do_filp_open"    a probe of a kernel function of perf/kprobe.c: the names of files
 *   "sample/"                the profiling sample: cycles, else cpu-clock */
typedef struct
{
  const char *keyword;
  const char *const *events; /* NULL-terminated; NULL: nothing to open */
  const char *note;          /* N_(): why there is no counterpart; NULL if there is one */
  gboolean later;            /* the note is about this version, not about Linux */
} WprKeywordRow;

/* NULL for a keyword the format does not have. */
const WprKeywordRow *wpr_keyword_find (const char *keyword);
/* All of them, for tests and suggestions; NULL behind the last. */
const WprKeywordRow *wpr_keyword_get (guint index);

G_END_DECLS
