/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the plan needs of a library beyond its public face. */
#pragma once

#include "profile/account.h"
#include "profile/providers.h"
#include "profile/variant.h"

G_BEGIN_DECLS

/* A variant of a profile of this library; NULL if the profile has none like it. */
const WprVariant *wpr_library_get_variant (WprLibrary *library, const WprProfile *profile,
                                           WprLevel level, WprMode mode);
const WprProviders *wpr_library_get_providers (WprLibrary *library);

/* What becomes of every element and attribute of a file; FALSE: no such file was added. */
gboolean wpr_library_account (WprLibrary *library, const char *source, WprAccount *account);
WprBuiltinIds wpr_library_get_builtin (WprLibrary *library);

G_END_DECLS
