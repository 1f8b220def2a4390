/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A machine on its way from one process to another. */
#pragma once

#include "wpr-profile.h"

G_BEGIN_DECLS

/* Floating a{sv}. */
GVariant *wpr_machine_to_variant (const WprMachine *machine);
/* What the variant lacks keeps its first value. NULL if it names no CPU. */
WprMachine *wpr_machine_from_variant (GVariant *variant);

G_END_DECLS
