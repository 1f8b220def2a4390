/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What this process may record. */
#pragma once

#include "wpr-profile.h"

G_BEGIN_DECLS

/* *text: why not everything, and what helps (translated; free with g_free), NULL with full rights.
 */
WprRights wpr_rights_probe (char **text);

G_END_DECLS
