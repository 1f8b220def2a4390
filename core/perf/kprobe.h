/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Probes of kernel functions with arguments, through tracefs: events of a group of our own, made
 * for one recording and removed with it. Root only. What a recorder that was killed left behind is
 * swept by the next one. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Why probes cannot be made here: 0 (they can), EACCES or EPERM (not this user), else ENOENT. */
int wpr_kprobe_refusal (void);
/* Functions with a definition in our table, by index; NULL behind the last. An event of one is
 * called "kprobe:FUNCTION" wherever it is not spoken to the kernel. */
const char *wpr_kprobe_function (guint index);

/* Probes of one recording of this process; NULL if they cannot be had. Removes those of processes
 * that are gone. */
typedef struct _WprKprobes WprKprobes;
WprKprobes *wpr_kprobes_new (void);
/* Name of the event as tracefs has it, made when first asked for; NULL with errno, ENOENT for a
 * function that this kernel has not. Owned by the probes. */
const char *wpr_kprobes_add (WprKprobes *probes, const char *function);
/* An event's name as the kernel is asked for it: of a probe ("kprobe:FUNCTION") that of tracefs,
 * made first if need be, and the probes likewise; any other, and of one that cannot be made, as it
 * is: that is refused when it is opened. Owned by the probes, or name itself. */
const char *wpr_kprobes_name (WprKprobes **probes, const char *name);
/* Removes them: after their events are closed. */
void wpr_kprobes_free (WprKprobes *probes);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprKprobes, wpr_kprobes_free)

/* Removes probes whose process is gone; the number of them. */
guint wpr_kprobes_sweep (void);

G_END_DECLS
