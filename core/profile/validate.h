/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is wrong with a file beyond its single elements and attributes. */
#pragma once

#include "profile/variant.h"

G_BEGIN_DECLS

/* References and bases of all elements, also of those no profile uses; names listed twice;
 * combinations that WPR refuses. Adds faults to the document. */
void wpr_document_validate (WprDocument *document, const WprBuiltinIds *builtin);
/* The same for one variant with everything it inherits. */
void wpr_variant_validate (const WprVariant *variant);

G_END_DECLS
