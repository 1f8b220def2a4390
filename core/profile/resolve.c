/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Following references and bases; numbers. */
#include "config.h"
#include "profile/resolve.h"
#include "profile/suggest.h"

#include <errno.h>
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
  wpr_node_add_fault (node, "Operation", TRUE, 0xc5580701, _ ("Write Set, Add or Remove."),
                      _ ("There is no operation “%s”."), value);
  return WPR_OPERATION_SET;
}

const WprNode *
wpr_resolve_reference (const WprNode *node, const char *attribute, const char *element,
                       const WprBuiltinIds *builtin)
{
  const char *id = wpr_node_get (node, attribute);
  if (id == NULL || *id == '\0')
    return NULL;
  GHashTable *tables[] = { node->document->by_id, (GHashTable *)builtin };
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
    if (wpr_node_is (value, element))
      wpr_suggest_offer (&suggest, key);
  g_autofree char *advice
      = suggest.best != NULL ? g_strdup_printf (
            _ ("Add it, or write the Id of one that is in the file: “%s”."), suggest.best)
                             : g_strdup (_ ("Add it, or write the Id of one that is in the file."));
  wpr_node_add_fault (node, attribute, TRUE, 0xc5580701, advice, _ ("No %s has the Id “%s”."),
                      element, id);
  return NULL;
}

static void
wpr_resolve_add_cycle_fault (GPtrArray *newest_first, const WprNode *again)
{
  g_autoptr (GString) cycle = g_string_new (NULL);
  for (guint i = 0; i < newest_first->len; i++)
    {
      const WprNode *node = g_ptr_array_index (newest_first, i);
      const char *id = wpr_node_get (node, "Id");
      if (cycle->len == 0 && node != again)
        continue;
      g_string_append_printf (cycle, "%s → ", id != NULL ? id : "?");
    }
  g_string_append (cycle, wpr_node_get (again, "Id"));
  const WprNode *last = g_ptr_array_index (newest_first, newest_first->len - 1);
  wpr_node_add_fault (last, "Base", TRUE, 0xc5580701, _ ("Remove one of these bases."),
                      _ ("Bases run in a circle: %s."), cycle->str);
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
      node = wpr_resolve_reference (node, "Base", node->element->name, builtin);
    }
  GPtrArray *chain = g_ptr_array_sized_new (newest_first->len);
  for (guint i = newest_first->len; i > 0; i--)
    g_ptr_array_add (chain, g_ptr_array_index (newest_first, i - 1));
  return chain;
}

gboolean
wpr_resolve_number (const WprNode *node, const char *attribute, guint least, guint most,
                    const char *unit, guint *number)
{
  const char *value = wpr_node_get (node, attribute);
  if (value == NULL)
    return FALSE;
  const char *what = g_str_equal (attribute, "Value") ? node->element->name : attribute;
  char *end = NULL;
  errno = 0;
  guint64 found = g_ascii_strtoull (value, &end, 10);
  if (g_ascii_isdigit (*value) && *end == '\0' && errno == 0 && found >= least && found <= most)
    {
      *number = found;
      return TRUE;
    }
  if (g_ascii_isdigit (*value) && *end == '\0')
    {
      g_autofree char *advice = g_strdup_printf (_ ("Write a number from %u to %u."), least, most);
      wpr_node_add_fault (node, attribute, TRUE, 0xc5580701, advice, _ ("%s “%s” is out of range."),
                          what, value);
      return FALSE;
    }
  g_autoptr (GString) advice = g_string_new (NULL);
  if (end > value && found >= least && found <= most)
    g_string_append_printf (advice, _ ("Write %u."), (guint)found);
  else
    g_string_append_printf (advice, _ ("Write a number from %u to %u."), least, most);
  if (unit != NULL)
    g_string_append_printf (advice, _ (" The unit is always %s."), unit);
  wpr_node_add_fault (node, attribute, TRUE, 0xc5580701, advice->str,
                      _ ("%s “%s” is not a whole number."), what, value);
  return FALSE;
}
