/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the built-in profiles are good for, in the words of the people who need them. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  const char *name;
  const char *title;        /* N_(); the Description in the .wprp is the same text */
  const char *symptom;      /* N_(), "" if none */
  const char *search_words; /* N_(), "" if none */
} WprSymptomRow;

/* NULL for a name that is not built in. */
const WprSymptomRow *wpr_symptom_find (const char *name);
/* Translated title of a problem category; the category itself if it is not one of ours. */
const char *wpr_category_title (const char *category);

G_END_DECLS
