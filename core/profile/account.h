/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What becomes of every element and attribute of a file: nothing is silently ignored. */
#pragma once

#include "profile/providers.h"
#include "profile/variant.h"

G_BEGIN_DECLS

typedef enum
{
  WPR_ACCOUNT_ITEM,    /* leads to something that is recorded, where the machine has it */
  WPR_ACCOUNT_SETTING, /* says how, or is part of the structure */
  WPR_ACCOUNT_NOTE,    /* told: no counterpart, not in this version, not used, not known */
} WprAccountKind;

typedef struct
{
  guint n_elements, n_attributes; /* of the text */
  guint n_kinds[3];               /* [WprAccountKind]: they add up to the elements and attributes */
  guint n_keywords, n_keyword_hits;   /* system keywords, those that lead to events */
  guint n_providers, n_provider_hits; /* event providers, those that lead to tracepoints */
} WprAccount;

/* used: definitions that some variant is made of (const WprNode *). */
WprAccount wpr_account_document (const WprDocument *document, GHashTable *used,
                                 const WprProviders *providers);

/* Each element or attribute (else NULL) of a variant's own files that is a note by the table:
 * keywords, stacks, providers and counters are the plan's. text: translated. */
typedef void (*WprAccountFunc) (const WprNode *node, const WprAttribute *attribute,
                                const char *text, gpointer data);
void wpr_account_visit_notes (const WprVariant *variant, WprAccountFunc func, gpointer data);

G_END_DECLS
