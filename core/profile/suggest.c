/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Edit distance over bytes: names of the format are ASCII. */
#include "config.h"
#include "profile/suggest.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/* No name of the format is longer than 40; longer ones are never suggested. */
#define LONGEST 63

/* Letters that changed places count once. */
static guint
wpr_edit_distance (const char *left, gsize left_size, const char *right, gsize right_size)
{
  guint rows[3][LONGEST + 1];
  guint *before = rows[0], *last = rows[1], *row = rows[2];
  for (gsize j = 0; j <= right_size; j++)
    row[j] = j;
  for (gsize i = 1; i <= left_size; i++)
    {
      guint *oldest = before;
      before = last;
      last = row;
      row = oldest;
      row[0] = i;
      for (gsize j = 1; j <= right_size; j++)
        {
          char l = g_ascii_tolower (left[i - 1]), r = g_ascii_tolower (right[j - 1]);
          row[j] = MIN (last[j - 1] + (l != r), MIN (last[j], row[j - 1]) + 1);
          if (i > 1 && j > 1 && l == g_ascii_tolower (right[j - 2])
              && r == g_ascii_tolower (left[i - 2]))
            row[j] = MIN (row[j], before[j - 2] + 1);
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

char *
wpr_suggest_advice (const WprSuggest *suggest)
{
  return suggest->best != NULL ? g_strdup_printf (_ ("Did you mean “%s”?"), suggest->best)
                               : g_strdup ("");
}
