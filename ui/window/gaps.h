/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where and when events were lost of a file that was opened, as figures like a running recording's:
 * what draws and describes those does the same for it. A value; any thread. */
#pragma once

#include <wpr-recorder.h>
#include <wpr-trace.h>

G_BEGIN_DECLS

typedef struct _WprGaps WprGaps;
/* NULL where the file says nothing of that. Free with wpr_gaps_free. */
WprGaps *wpr_gaps_new (const WprTraceInfo *info);
void wpr_gaps_free (WprGaps *gaps);
/* How long, how much was lost, and the losses of each collector; nothing else. */
const WprStats *wpr_gaps_get_stats (const WprGaps *gaps);

G_END_DECLS
