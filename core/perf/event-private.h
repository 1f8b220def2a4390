/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files of this room share about attributes and small files of the kernel. */
#pragma once

#include "perf/event.h"

/* What every event of a ring has in common, so that they may share it: clock, direction, prefix,
 * read format. */
void wpr_perf_fill_common (gboolean backward, struct perf_event_attr *attr);
/* attr.config of a software or hardware event by name; FALSE if there is none of that name. */
gboolean wpr_perf_event_config (const WprPerfEvent *event, guint32 *type, guint64 *config);
/* perf_event_open of one event on one CPU, of all tasks (-1) or one (0: this), close-on-exec. -1
 * with errno. */
int wpr_perf_open (struct perf_event_attr *attr, int task, guint cpu, int group_fd,
                   unsigned long flags);
/* Nothing of what a thread does inside the kernel: what anybody may record of own programs. */
void wpr_perf_leave_kernel_out (struct perf_event_attr *attr);
/* A hybrid machine's PMU type for a CPU, shifted to where attr.config wants it; 0 on others. */
guint64 wpr_perf_pmu_of_cpu (guint cpu);
/* A file of the kernel, NUL-terminated; NULL with errno. Free with g_free. */
char *wpr_perf_read_file (const char *path);
/* "0-3,8" into numbers (guint), ascending. */
GArray *wpr_perf_parse_cpus (const char *text);
