/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rules out of the table's rows, made once. A mistake in the table ends the program. */
#include "config.h"
#include "profile/schema-rows.h"

#include <string.h>

static WprElement *elements;
static guint n_elements;

static WprElement *
wpr_schema_find_type (const char *type, gsize size)
{
  for (guint i = 0; i < n_elements; i++)
    if (strlen (elements[i].type) == size && memcmp (elements[i].type, type, size) == 0)
      return &elements[i];
  return NULL;
}

/* "Id!:id", "Level:byte=0" */
static void
wpr_schema_compile_attribute (const char *word, WprAttributeRule *rule)
{
  const char *colon = strchr (word, ':'), *equals = strchr (word, '=');
  g_assert (colon != NULL);
  rule->is_required = colon[-1] == '!';
  g_autofree char *name = g_strndup (word, colon - word - rule->is_required);
  rule->name = g_intern_string (name);
  gsize size = equals != NULL ? (gsize)(equals - colon - 1) : strlen (colon + 1);
  rule->type = wpr_value_type_find (colon + 1, size);
  if (rule->type == NULL)
    g_error ("the schema's table names no type in “%s”", word);
  rule->fallback = equals != NULL ? g_intern_string (equals + 1) : NULL;
}

/* "Keywords/SystemKeywords*", "PoolTag{1,4}" */
static void
wpr_schema_compile_child (const char *word, WprChildRule *rule)
{
  gsize size = strcspn (word, "?*+{");
  const char *slash = memchr (word, '/', size);
  const char *type = slash != NULL ? slash + 1 : word;
  rule->element = wpr_schema_find_type (type, size - (type - word));
  if (rule->element == NULL)
    g_error ("the schema's table names no element in “%s”", word);
  const char mark = word[size];
  rule->least = mark == '?' || mark == '*' ? 0 : 1;
  rule->most = mark == '*' || mark == '+' ? G_MAXUINT : 1;
  if (mark == '{')
    {
      char *end = NULL;
      rule->least = g_ascii_strtoull (word + size + 1, &end, 10);
      rule->most = g_ascii_strtoull (end + 1, NULL, 10);
    }
}

static void
wpr_schema_compile_row (const WprElementRow *row, WprElement *element)
{
  g_auto (GStrv) attributes = g_strsplit (row->attributes, " ", -1);
  element->n_attributes = g_strv_length (attributes);
  WprAttributeRule *rules = g_new0 (WprAttributeRule, element->n_attributes + 1);
  for (guint i = 0; i < element->n_attributes; i++)
    wpr_schema_compile_attribute (attributes[i], &rules[i]);
  element->attributes = rules;

  element->any_order = g_str_has_prefix (row->children, "| ");
  g_auto (GStrv) children = g_strsplit (row->children + (element->any_order ? 2 : 0), " ", -1);
  element->n_children = g_strv_length (children);
  WprChildRule *child_rules = g_new0 (WprChildRule, element->n_children + 1);
  for (guint i = 0; i < element->n_children; i++)
    wpr_schema_compile_child (children[i], &child_rules[i]);
  element->children = child_rules;
}

static void
wpr_schema_compile (void)
{
  static gsize once;
  if (!g_once_init_enter (&once))
    return;
  while (wpr_schema_rows[n_elements].name != NULL)
    n_elements++;
  elements = g_new0 (WprElement, n_elements);
  for (guint i = 0; i < n_elements; i++)
    {
      const WprElementRow *row = &wpr_schema_rows[i];
      elements[i].name = row->name;
      elements[i].type = row->type != NULL ? row->type : row->name;
      elements[i].summary = row->summary;
    }
  for (guint i = 0; i < n_elements; i++)
    wpr_schema_compile_row (&wpr_schema_rows[i], &elements[i]);
  g_once_init_leave (&once, 1);
}

const WprElement *
wpr_schema_get (guint index)
{
  wpr_schema_compile ();
  return index < n_elements ? &elements[index] : NULL;
}

const WprElement *
wpr_schema_root (void)
{
  return wpr_schema_get (0);
}

const WprElement *
wpr_schema_find (const char *name)
{
  wpr_schema_compile ();
  for (guint i = 0; i < n_elements; i++)
    if (g_str_equal (elements[i].name, name))
      return &elements[i];
  return NULL;
}

const WprElement *
wpr_schema_child (const WprElement *parent, const char *name, guint *index)
{
  for (guint i = 0; i < parent->n_children; i++)
    if (g_str_equal (parent->children[i].element->name, name))
      {
        *index = i;
        return parent->children[i].element;
      }
  return NULL;
}

const WprAttributeRule *
wpr_schema_attribute (const WprElement *element, const char *name)
{
  for (guint i = 0; i < element->n_attributes; i++)
    if (g_str_equal (element->attributes[i].name, name))
      return &element->attributes[i];
  return NULL;
}
