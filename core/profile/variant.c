/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A variant: the Profile element, its bases, its collectors. */
#include "config.h"
#include "profile/variant.h"
#include "profile/resolve.h"
#include "profile/validate.h"

static int
wpr_variant_get_enum (const WprNode *node, const char *attribute, const char *first,
                      const char *second)
{
  const char *value = wpr_node_get (node, attribute);
  if (value == NULL)
    return 0; /* the reader has said so */
  if (g_str_equal (value, first))
    return 0;
  if (g_str_equal (value, second))
    return 1;
  return 0;
}

static void
wpr_variant_apply_categories (const WprNode *list, GPtrArray *categories)
{
  WprOperation operation = wpr_resolve_operation (list);
  if (!wpr_node_is_whole (list))
    return;
  if (operation == WPR_OPERATION_SET)
    g_ptr_array_set_size (categories, 0);
  for (guint i = 0; i < wpr_node_n_children (list); i++)
    {
      const char *value = wpr_node_get (wpr_node_child (list, i), "Value");
      if (value == NULL)
        continue;
      guint index;
      gboolean known = g_ptr_array_find_with_equal_func (categories, value, g_str_equal, &index);
      if (operation == WPR_OPERATION_REMOVE && known)
        g_ptr_array_remove_index (categories, index);
      else if (operation != WPR_OPERATION_REMOVE && !known && categories->len < 64)
        g_ptr_array_add (categories, (gpointer)value);
    }
}

WprVariant *
wpr_variant_new (const WprNode *profile, const WprBuiltinIds *builtin)
{
  WprVariant *variant = g_new0 (WprVariant, 1);
  variant->node = profile;
  variant->id = wpr_node_get (profile, "Id");
  variant->name = wpr_node_get (profile, "Name");
  variant->description = wpr_node_get (profile, "Description");
  variant->internal = wpr_node_get_boolean (profile, "Internal");
  variant->is_default = wpr_node_get_boolean (profile, "Default");
  variant->mode = wpr_variant_get_enum (profile, "LoggingMode", "Memory", "File");
  variant->level = wpr_variant_get_enum (profile, "DetailLevel", "Verbose", "Light");
  variant->categories = g_ptr_array_new ();
  variant->collectors = g_ptr_array_new_with_free_func (wpr_collector_use_free);
  variant->used = g_hash_table_new (NULL, NULL);
  if (variant->id == NULL || variant->name == NULL)
    return variant;

  WprBuiltinIds using = { builtin->ids, variant->used };
  builtin = &using;
  g_autoptr (GPtrArray) chain = wpr_resolve_chain (profile, builtin);
  for (guint i = 0; i < chain->len; i++)
    {
      const WprNode *link = g_ptr_array_index (chain, i);
      for (guint j = 0; j < wpr_node_n_children (link); j++)
        {
          const WprNode *child = wpr_node_child (link, j);
          if (wpr_node_is (child, "ProblemCategories"))
            wpr_variant_apply_categories (child, variant->categories);
          else if (wpr_node_is (child, "Collectors"))
            wpr_resolve_collectors (child, variant->collectors, builtin);
        }
    }
  wpr_variant_validate (variant);
  return variant;
}

void
wpr_variant_free (WprVariant *variant)
{
  g_ptr_array_unref (variant->categories);
  g_ptr_array_unref (variant->collectors);
  g_hash_table_unref (variant->used);
  g_free (variant);
}
