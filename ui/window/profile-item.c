/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A profile as the list shows it, and the search over its words. */
#include "config.h"
#include "profile-item.h"

#include <string.h>

struct _WprProfileItem
{
  GObject parent;
  char *id;
  char *name;
  char *title;
  char *symptom;
  char *category;
  char *category_title;
  char *haystack; /* all words, folded */
  gboolean has[2][2];
};

G_DEFINE_FINAL_TYPE (WprProfileItem, wpr_profile_item, G_TYPE_OBJECT)

static char *
fold (const char *text)
{
  g_autofree char *composed = g_utf8_normalize (text, -1, G_NORMALIZE_ALL_COMPOSE);
  return g_utf8_casefold (composed ? composed : "", -1);
}

static void
wpr_profile_item_finalize (GObject *object)
{
  WprProfileItem *self = WPR_PROFILE_ITEM (object);
  g_free (self->id);
  g_free (self->name);
  g_free (self->title);
  g_free (self->symptom);
  g_free (self->category);
  g_free (self->category_title);
  g_free (self->haystack);
  G_OBJECT_CLASS (wpr_profile_item_parent_class)->finalize (object);
}

static void
wpr_profile_item_class_init (WprProfileItemClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = wpr_profile_item_finalize;
}

static void
wpr_profile_item_init (WprProfileItem *self)
{
}

WprProfileItem *
wpr_profile_item_new (const WprProfile *profile)
{
  WprProfileItem *self = g_object_new (WPR_TYPE_PROFILE_ITEM, NULL);
  self->name = g_strdup (profile->name);
  self->id = profile->source ? g_strconcat (profile->source, "!", profile->name, NULL)
                             : g_strdup (profile->name);
  self->title = g_strdup (profile->title);
  self->symptom = profile->source ? g_path_get_basename (profile->source)
                                  : g_strdup (profile->symptom ? profile->symptom : "");
  self->category = g_strdup (profile->category ? profile->category : "");
  self->category_title = g_strdup (profile->category_title ? profile->category_title : "");
  g_autofree char *words = g_strjoin ("\n", self->name, self->title, self->symptom,
                                      profile->search_words ? profile->search_words : "", NULL);
  self->haystack = fold (words);
  memcpy (self->has, profile->has, sizeof self->has);
  return self;
}

const char *
wpr_profile_item_get_id (WprProfileItem *self)
{
  return self->id;
}

const char *
wpr_profile_item_get_name (WprProfileItem *self)
{
  return self->name;
}

const char *
wpr_profile_item_get_title (WprProfileItem *self)
{
  return self->title;
}

const char *
wpr_profile_item_get_symptom (WprProfileItem *self)
{
  return self->symptom;
}

const char *
wpr_profile_item_get_category (WprProfileItem *self)
{
  return self->category;
}

const char *
wpr_profile_item_get_category_title (WprProfileItem *self)
{
  return self->category_title;
}

gboolean
wpr_profile_item_has (WprProfileItem *self, WprLevel level, WprMode mode)
{
  return self->has[level][mode];
}

static char **
split_words (const char *query)
{
  return g_strsplit_set (query, " \t\n", -1);
}

gboolean
wpr_profile_item_matches (WprProfileItem *self, const char *query)
{
  g_auto (GStrv) words = split_words (query);
  for (char **word = words; *word != NULL; word++)
    {
      g_autofree char *folded = fold (*word);
      if (strstr (self->haystack, folded) == NULL)
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
