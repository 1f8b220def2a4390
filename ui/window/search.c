/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words in words, whatever the case. */
#include "config.h"
#include "search.h"

#include <string.h>

char *
wpr_search_fold (const char *text)
{
  g_autofree char *composed = g_utf8_normalize (text, -1, G_NORMALIZE_ALL_COMPOSE);
  return g_utf8_casefold (composed ? composed : "", -1);
}

static char **
split_words (const char *query)
{
  return g_strsplit_set (query, " \t\n", -1);
}

gboolean
wpr_search_matches (const char *folded_text, const char *query)
{
  g_auto (GStrv) words = split_words (query);
  for (char **word = words; *word != NULL; word++)
    {
      g_autofree char *folded = wpr_search_fold (*word);
      if (strstr (folded_text, folded) == NULL)
        return FALSE;
    }
  return TRUE;
}

/* Bytes of `text` that equal `word` whatever the case, 0 if it does not begin with it. */
static gsize
prefix_length (const char *text, const char *word)
{
  const char *at = text;
  for (const char *want = word; *want != '\0'; want = g_utf8_next_char (want))
    {
      if (*at == '\0'
          || g_unichar_tolower (g_utf8_get_char (at)) != g_unichar_tolower (g_utf8_get_char (want)))
        return 0;
      at = g_utf8_next_char (at);
    }
  return at - text;
}

char *
wpr_search_markup (const char *text, const char *query)
{
  g_auto (GStrv) words = split_words (query);
  GString *out = g_string_new (NULL);
  for (const char *at = text; *at != '\0';)
    {
      gsize match = 0;
      for (char **word = words; *word != NULL; word++)
        match = MAX (match, prefix_length (at, *word));
      gsize length = match > 0 ? match : (gsize)(g_utf8_next_char (at) - at);
      g_autofree char *escaped = g_markup_escape_text (at, length);
      if (match > 0)
        g_string_append_printf (out, "<b><u>%s</u></b>", escaped);
      else
        g_string_append (out, escaped);
      at += length;
    }
  return g_string_free (out, FALSE);
}
