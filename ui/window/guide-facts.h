/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a recording tells of the person who makes it, and what it does not: read off the events of
 * its plan, in words. Pure; newly allocated. */
#pragma once

#include <wpr-profile.h>
#include "guide.h"

G_BEGIN_DECLS

/* Of char *: "Command lines of the programs that run"; the first are always there. Free with
 * g_ptr_array_unref. */
GPtrArray *wpr_guide_list_told (const WprPlan *plan);
/* Of char *: what another recording would tell, and this one does not. */
GPtrArray *wpr_guide_list_untold (const WprPlan *plan);
/* What no event of the plan can carry, in one sentence; events whose contents are not known here
 * are named. Free with g_free. */
char *wpr_guide_describe_never (const WprPlan *plan);
/* What whoever has the file learns of the person, in a few sentences. Free with g_free. */
char *wpr_guide_describe_told (const WprPlan *plan);

/* What the rights are missing for, or what else is in the way of a guide that cannot start. */
const char *wpr_guide_describe_refusal (const WprGuide *guide);

G_END_DECLS
