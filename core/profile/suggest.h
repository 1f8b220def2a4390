/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* "Did you mean ...": the nearest of some words. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Gathers the nearest word: start with { .word = the word somebody wrote }, offer candidates, read
 * best. */
typedef struct
{
  const char *word;
  const char *best; /* NULL: nothing is near; points into the candidates */
  guint distance;
} WprSuggest;

/* Candidates count as near when at most a third of their letters (and three at most) differ; case
 * differs for free. */
void wpr_suggest_offer (WprSuggest *suggest, const char *candidate);

/* "Did you mean “X”?", "" if nothing is near. Free with g_free. */
char *wpr_suggest_advice (const WprSuggest *suggest);

G_END_DECLS
