/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the recorder has to say of the recording that is shown, each once: also what it said before
 * the window was there. */
#pragma once

#include <wpr-recorder.h>

G_BEGIN_DECLS

typedef struct _WprRemarks WprRemarks;

WprRemarks *wpr_remarks_new (void);
void wpr_remarks_free (WprRemarks *remarks);
/* FALSE: it is there already, or is for the file and `wpr -status` alone. */
gboolean wpr_remarks_add (WprRemarks *remarks, const WprNotice *notice);
/* The newest that was not closed, NULL: none. What was lost is not among them: figures say it. */
const WprNotice *wpr_remarks_get (const WprRemarks *remarks);
/* The person has read that one. */
void wpr_remarks_close (WprRemarks *remarks);

G_END_DECLS
