/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tree: nodes, their attributes, and faults at them. Reading is in reader.c. */
#include "config.h"
#include "profile/document.h"
#include "profile/reader.h"

#include <glib/gi18n-lib.h>
#include <stdarg.h>

static void
wpr_attribute_clear (gpointer data)
{
  WprAttribute *attribute = data;
  g_free (attribute->value);
}

void
wpr_node_free (gpointer data)
{
  WprNode *node = data;
  if (node->attributes != NULL)
    g_array_unref (node->attributes);
  if (node->children != NULL)
    g_ptr_array_unref (node->children);
  g_free (node->counts);
  g_free (node);
}

WprNode *
wpr_node_new (WprDocument *document, WprNode *parent, const WprElement *element, guint line,
              guint column)
{
  WprNode *node = g_new0 (WprNode, 1);
  node->document = document;
  node->element = element;
  node->parent = parent;
  node->line = line;
  node->column = column;
  if (parent != NULL)
    {
      if (parent->children == NULL)
        parent->children = g_ptr_array_new_with_free_func (wpr_node_free);
      g_ptr_array_add (parent->children, node);
    }
  return node;
}

void
wpr_node_add_attribute (WprNode *node, const WprAttributeRule *rule, const char *value, gsize size,
                        guint line, guint column)
{
  if (node->attributes == NULL)
    {
      node->attributes = g_array_new (FALSE, FALSE, sizeof (WprAttribute));
      g_array_set_clear_func (node->attributes, wpr_attribute_clear);
    }
  WprAttribute attribute = { rule->name, rule, g_strndup (value, size), line, column, FALSE };
  g_array_append_val (node->attributes, attribute);
}

void
wpr_document_free (WprDocument *document)
{
  g_free (document->file);
  if (document->root != NULL)
    wpr_node_free (document->root);
  g_hash_table_unref (document->by_id);
  g_ptr_array_unref (document->faults);
  g_free (document);
}

gboolean
wpr_node_is (const WprNode *node, const char *element)
{
  return g_str_equal (node->element->name, element);
}

const WprAttribute *
wpr_node_get_attribute (const WprNode *node, const char *attribute)
{
  for (guint i = 0; node->attributes != NULL && i < node->attributes->len; i++)
    {
      const WprAttribute *found = &g_array_index (node->attributes, WprAttribute, i);
      if (g_str_equal (found->name, attribute))
        return found;
    }
  return NULL;
}

const char *
wpr_node_get (const WprNode *node, const char *attribute)
{
  const WprAttribute *found = wpr_node_get_attribute (node, attribute);
  return found != NULL && !found->is_invalid ? found->value : NULL;
}

gboolean
wpr_node_get_boolean (const WprNode *node, const char *attribute)
{
  const char *value = wpr_node_get (node, attribute);
  return value != NULL && (g_str_equal (value, "true") || g_str_equal (value, "1"));
}

guint
wpr_node_n_children (const WprNode *node)
{
  return node->children != NULL ? node->children->len : 0;
}

const WprNode *
wpr_node_child (const WprNode *node, guint index)
{
  return g_ptr_array_index (node->children, index);
}

const WprNode *
wpr_node_find (const WprNode *node, const char *element)
{
  for (guint i = 0; i < wpr_node_n_children (node); i++)
    if (wpr_node_is (wpr_node_child (node, i), element))
      return wpr_node_child (node, i);
  return NULL;
}

static void
wpr_node_append_path (const WprNode *node, GString *path)
{
  if (node->parent != NULL)
    wpr_node_append_path (node->parent, path);
  if (path->len > 0)
    g_string_append_c (path, '/');
  g_string_append (path, node->element->name);
}

char *
wpr_node_get_path (const WprNode *node, const char *attribute)
{
  GString *path = g_string_new (NULL);
  wpr_node_append_path (node, path);
  if (attribute != NULL)
    g_string_append_printf (path, "/@%s", attribute);
  return g_string_free (path, FALSE);
}

/* NULL if it is known already: a provider that four profiles use is looked at four times. */
static WprFault *
wpr_node_add_once (const WprNode *node, const char *attribute, gboolean is_error,
                   guint32 wpr_number, const char *advice, const char *what)
{
  const WprAttribute *at = attribute != NULL ? wpr_node_get_attribute (node, attribute) : NULL;
  guint line = at != NULL ? at->line : node->line, column = at != NULL ? at->column : node->column;
  for (guint i = 0; i < node->document->faults->len; i++)
    {
      const WprFault *known = g_ptr_array_index (node->document->faults, i);
      if (known->line == line && known->column == column && g_str_equal (known->what, what))
        return NULL;
    }
  g_autofree char *path = wpr_node_get_path (node, attribute);
  WprPlace place = { node->document->file, line, column, path };
  WprFault *fault
      = wpr_faults_add (node->document->faults, &place, is_error, wpr_number, advice, "%s", what);
  const WprAttributeRule *rule
      = attribute != NULL ? wpr_schema_attribute (node->element, attribute) : NULL;
  if (fault != NULL && rule != NULL)
    {
      g_autofree char *allowed
          = rule->type->kind != WPR_VALUE_TEXT ? wpr_value_describe (rule->type) : g_strdup ("");
      wpr_fault_set_allowed (fault, allowed);
    }
  return fault;
}

void
wpr_node_add_fault (const WprNode *node, const char *attribute, gboolean is_error,
                    guint32 wpr_number, const char *advice, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *what = g_strdup_vprintf (format, args);
  va_end (args);
  wpr_node_add_once (node, attribute, is_error, wpr_number, advice, what);
}

void
wpr_node_refuse (const WprNode *node, const char *attribute, guint32 wpr_number, const char *advice,
                 const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *what = g_strdup_vprintf (format, args);
  va_end (args);
  WprFault *fault = wpr_node_add_once (node, attribute, FALSE, wpr_number, advice, what);
  if (fault != NULL)
    fault->is_refused = TRUE;
}

/* Ids of the grandchildren of the root, unique in the file. */
static void
wpr_document_index (WprDocument *document)
{
  for (guint i = 0; i < wpr_node_n_children (document->root); i++)
    {
      const WprNode *group = wpr_node_child (document->root, i);
      for (guint j = 0; j < wpr_node_n_children (group); j++)
        {
          const WprNode *node = wpr_node_child (group, j);
          const char *id = wpr_node_get (node, "Id");
          if (id == NULL)
            continue;
          const WprNode *first = g_hash_table_lookup (document->by_id, id);
          if (first == NULL)
            g_hash_table_insert (document->by_id, (gpointer)id, (gpointer)node);
          else
            wpr_node_add_fault (node, "Id", TRUE, 0xc5580701, _ ("Give one of them another Id."),
                                _ ("The Id “%s” is already used in line %u."), id, first->line);
        }
    }
}

WprDocument *
wpr_document_new (GBytes *bytes, const char *display_name)
{
  WprDocument *document = g_new0 (WprDocument, 1);
  document->file = g_strdup (display_name);
  document->faults = wpr_faults_new ();
  document->by_id = g_hash_table_new (g_str_hash, g_str_equal);
  wpr_document_read (document, bytes);
  if (document->root != NULL)
    wpr_document_index (document);
  return document;
}
