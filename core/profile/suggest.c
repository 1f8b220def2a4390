/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Edit distance over bytes: names of the format are ASCII. */
#include "config.h"
#include "profile/suggest.h"

#include <string.h>

/* No name of the format is longer than 40; longer ones are never suggested. */
#define LONGEST 63

static guint
wpr_edit_distance (const char *left, gsize left_size, const char *right, gsize right_size)
{
  guint row[LONGEST + 1];
  for (gsize j = 0; j <= right_size; j++)
    row[j] = j;
  for (gsize i = 1; i <= left_size; i++)
    {
      guint corner = row[0];
      row[0] = i;
      for (gsize j = 1; j <= right_size; j++)
        {
          guint swap = corner + (g_ascii_tolower (left[i - 1]) != g_ascii_tolower (right[j - 1]));
          corner = row[j];
          row[j] = MIN (swap, MIN (row[j], row[j - 1]) + 1);
        }
    }
  return row[right_size];
}

void
wpr_suggest_offer (WprSuggest *suggest, const char *candidate)
{
  gsize word_size = strlen (suggest->word), size = strlen (candidate);
  if (word_size == 0 || size == 0 || word_size > LONGEST || size > LONGEST)
    return;
  guint distance = wpr_edit_distance (suggest->word, word_size, candidate, size);
  guint most = MIN (3, MAX (1, size / 3));
  if (distance > most || (suggest->best != NULL && distance >= suggest->distance))
    return;
  suggest->best = candidate;
  suggest->distance = distance;
}
