/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A profile as the list shows it. */
#include "config.h"
#include "profile-item.h"

#include <glib/gi18n.h>
#include <string.h>
#include "search.h"

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

char *
wpr_profile_make_id (const WprProfile *profile)
{
  return profile->source ? g_strconcat (profile->source, "!", profile->name, NULL)
                         : g_strdup (profile->name);
}

WprProfileItem *
wpr_profile_item_new (const WprProfile *profile)
{
  WprProfileItem *self = g_object_new (WPR_TYPE_PROFILE_ITEM, NULL);
  self->name = g_strdup (profile->name);
  self->id = wpr_profile_make_id (profile);
  self->title = g_strdup (profile->title);
  self->symptom = profile->source ? g_path_get_basename (profile->source)
                                  : g_strdup (profile->symptom ? profile->symptom : "");
  self->category = g_strdup (profile->category ? profile->category : "");
  self->category_title = g_strdup (profile->category_title ? profile->category_title : "");
  g_autofree char *words = g_strjoin ("\n", self->name, self->title, self->symptom,
                                      profile->search_words ? profile->search_words : "", NULL);
  self->haystack = wpr_search_fold (words);
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

gboolean
wpr_profile_item_matches (WprProfileItem *self, const char *query)
{
  return wpr_search_matches (self->haystack, query);
}

static char *
find_title (GListModel *items, const char *id)
{
  g_autofree char *name = g_strndup (id, strcspn (id, "."));
  for (guint i = 0; items != NULL && i < g_list_model_get_n_items (items); i++)
    {
      g_autoptr (WprProfileItem) item = g_list_model_get_item (items, i);
      if (strcmp (wpr_profile_item_get_name (item), name) == 0)
        return g_strdup (wpr_profile_item_get_title (item));
    }
  return g_steal_pointer (&name);
}

char *
wpr_profile_items_join (GListModel *items, char **ids)
{
  g_autoptr (GString) text = g_string_new (NULL);
  for (guint i = 0; ids != NULL && ids[i] != NULL; i++)
    {
      g_autofree char *title = find_title (items, ids[i]);
      if (i > 0)
        /* Translators: between the titles of profiles */
        g_string_append (text, _ (", "));
      g_string_append (text, title);
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}
