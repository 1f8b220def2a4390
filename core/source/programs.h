/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Threads of programs that a filter by name misses: those that bear another name. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* What was found of each program; looked up once. */
typedef struct _WprPrograms WprPrograms;
/* proc: "/proc", or a folder of a test. */
WprPrograms *wpr_programs_new (const char *proc);
void wpr_programs_free (WprPrograms *programs);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprPrograms, wpr_programs_free)
/* `filter` or the running threads of these programs (const char *) that it misses, as the kernel
 * reads it. left_out: threads that found no room. Free with g_free. */
char *wpr_programs_filter (WprPrograms *programs, const char *filter, const GPtrArray *names,
                           guint *left_out);

G_END_DECLS
