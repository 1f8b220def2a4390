/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Following references and bases; numbers. */
#include "config.h"
#include "profile/resolve.h"
#include "profile/suggest.h"

#include <glib/gi18n-lib.h>

WprOperation
wpr_resolve_operation (const WprNode *node)
{
  static const struct
  {
    const char *name;
    WprOperation operation;
  } names[] = {
    { "Set", WPR_OPERATION_SET },
    { "Add", WPR_OPERATION_ADD },
    { "Remove", WPR_OPERATION_REMOVE },
  };
  const char *value = wpr_node_get (node, "Operation");
  if (value == NULL)
    return WPR_OPERATION_SET;
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_str_equal (value, names[i].name))
      return names[i].operation;
  return WPR_OPERATION_SET; /* the reader has said so */
}

const WprNode *
wpr_resolve_reference (const WprNode *node, const char *attribute, const char *element,
                       const WprBuiltinIds *builtin)
{
  const char *id = wpr_node_get (node, attribute);
  if (id == NULL || *id == '\0')
    return NULL;
  GHashTable *tables[] = { node->document->by_id, builtin->ids };
  for (gsize i = 0; i < G_N_ELEMENTS (tables); i++)
    {
      const WprNode *found = g_hash_table_lookup (tables[i], id);
      if (found == NULL || !wpr_node_is (found, element))
        continue;
      /* A file may build on the built-in element whose Id it uses itself. */
      if (found == node && i + 1 < G_N_ELEMENTS (tables)
          && g_hash_table_lookup (tables[i + 1], id) != NULL)
        continue;
      return found;
    }

  WprSuggest suggest = { .word = id };
  GHashTableIter iter;
  gpointer key, value;
  guint n_looked = 0;
  g_hash_table_iter_init (&iter, node->document->by_id);
  while (n_looked++ < WPR_RESOLVE_MOST_SUGGESTED && g_hash_table_iter_next (&iter, &key, &value))
    if (value != node && wpr_node_is (value, element))
      wpr_suggest_offer (&suggest, key);
  g_autofree char *advice
      = suggest.best != NULL ? g_strdup_printf (
            _ ("Add it, or write the Id of one that is in the file: “%s”."), suggest.best)
                             : g_strdup (_ ("Add it, or write the Id of one that is in the file."));
  wpr_node_add_fault (node, attribute, TRUE, 0xc5580701, advice, _ ("No %s has the Id “%s”."),
                      element, id);
  return NULL;
}

/* However one comes into a circle, it is told from its first element in the file on. */
static void
wpr_resolve_add_cycle_fault (GPtrArray *newest_first, const WprNode *again)
{
  guint begin = 0, first = 0;
  g_ptr_array_find (newest_first, again, &begin);
  first = begin;
  for (guint i = begin; i < newest_first->len; i++)
    {
      const WprNode *node = g_ptr_array_index (newest_first, i);
      const WprNode *best = g_ptr_array_index (newest_first, first);
      if (node->line < best->line || (node->line == best->line && node->column < best->column))
        first = i;
    }
  g_autoptr (GString) cycle = g_string_new (NULL);
  guint n = newest_first->len - begin;
  for (guint i = 0; i <= n; i++)
    {
      const WprNode *node = g_ptr_array_index (newest_first, begin + (first - begin + i) % n);
      const char *id = wpr_node_get (node, "Id");
      g_string_append_printf (cycle, "%s%s", i > 0 ? " → " : "", id != NULL ? id : "?");
    }
  wpr_node_add_fault (g_ptr_array_index (newest_first, first), "Base", TRUE, 0xc5580701,
                      _ ("Remove one of these bases."), _ ("Bases run in a circle: %s."),
                      cycle->str);
}

GPtrArray *
wpr_resolve_chain (const WprNode *node, const WprBuiltinIds *builtin)
{
  g_autoptr (GPtrArray) newest_first = g_ptr_array_new ();
  while (node != NULL)
    {
      if (g_ptr_array_find (newest_first, node, NULL))
        {
          wpr_resolve_add_cycle_fault (newest_first, node);
          break;
        }
      if (newest_first->len == WPR_RESOLVE_MOST_BASES)
        {
          wpr_node_add_fault (node, "Base", TRUE, 0xc5580701, _ ("Shorten the row of bases."),
                              _ ("More than %d bases stand behind one another."),
                              WPR_RESOLVE_MOST_BASES);
          break;
        }
      g_ptr_array_add (newest_first, (gpointer)node);
      if (builtin->used != NULL)
        g_hash_table_add (builtin->used, (gpointer)node);
      node = wpr_resolve_reference (node, "Base", node->element->name, builtin);
    }
  GPtrArray *chain = g_ptr_array_sized_new (newest_first->len);
  for (guint i = newest_first->len; i > 0; i--)
    g_ptr_array_add (chain, g_ptr_array_index (newest_first, i - 1));
  return chain;
}

gboolean
wpr_resolve_number (const WprNode *node, const char *attribute, guint *number)
{
  const char *value = wpr_node_get (node, attribute);
  guint64 found;
  if (value == NULL || !g_ascii_string_to_unsigned (value, 10, 0, G_MAXUINT, &found, NULL))
    return FALSE; /* the reader has said so */
  *number = found;
  return TRUE;
}

gboolean
wpr_node_is_whole (const WprNode *node)
{
  for (guint i = 0; i < node->element->n_attributes; i++)
    {
      const WprAttributeRule *rule = &node->element->attributes[i];
      if (rule->is_required && wpr_node_get (node, rule->name) == NULL
          && !g_str_equal (rule->name, "Description"))
        return FALSE;
    }
  for (guint i = 0; i < node->element->n_children; i++)
    {
      const WprChildRule *rule = &node->element->children[i];
      guint n = 0;
      for (guint j = 0; j < wpr_node_n_children (node); j++)
        n += wpr_node_child (node, j)->element == rule->element
             && wpr_node_is_whole (wpr_node_child (node, j));
      if (n < rule->least && !node->element->any_order)
        return FALSE;
    }
  return !node->element->any_order || wpr_node_n_children (node) > 0;
}
