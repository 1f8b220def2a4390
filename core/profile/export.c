/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The chosen variants with every definition they are made of, as one file: in the schema's order,
 * without what the reader found wrong, Ids made unique where two files use the same one. */
#include "config.h"
#include "profile/plan.h"
#include "profile/resolve.h"

#include <string.h>

typedef struct
{
  GString *text;
  WprLibrary *library;
  WprBuiltinIds builtin;
  GPtrArray *definitions; /* const WprNode *, in the order they were met */
  GHashTable *ids;        /* const WprNode * -> char *: the Id it gets */
  GHashTable *owners;     /* Id -> const WprNode * that has it */
  GHashTable *chosen;     /* names of the profiles that were asked for */
  const WprChoice *choice;
} WprExport;

static void
wpr_export_indent (WprExport *export, guint depth)
{
  for (guint i = 0; i < depth; i++)
    g_string_append (export->text, "  ");
}

/* A line break in a value would be read as a blank. */
static void
wpr_export_attribute (WprExport *export, const char *name, const char *value)
{
  g_autofree char *escaped = g_markup_escape_text (value, -1);
  g_string_append_printf (export->text, " %s=\"", name);
  for (const char *at = escaped; *at != '\0'; at++)
    if (*at == '\n' || *at == '\t' || *at == '\r')
      g_string_append_printf (export->text, "&#%d;", *at);
    else
      g_string_append_c (export->text, *at);
  g_string_append_c (export->text, '"');
}

/* ---- references ---- */

/* The element an attribute leads to, NULL if it is no reference. */
static const WprNode *
wpr_export_target (const WprExport *export, const WprNode *node, const char *attribute)
{
  if (g_str_equal (attribute, "Base"))
    return wpr_resolve_reference (node, "Base", node->element->name, &export->builtin);
  if (!g_str_equal (attribute, "Value") || !g_str_has_suffix (node->element->name, "Id")
      || g_str_equal (node->element->name, "EventId")
      || g_str_equal (node->element->name, "HeapProcessId"))
    return NULL;
  gsize size = strlen (node->element->name) - 2;
  g_autofree char *element = g_strndup (node->element->name, size);
  return wpr_resolve_reference (node, attribute, element, &export->builtin);
}

/* Definitions stand right below <Profiles>; others are written where they are. */
static gboolean
wpr_export_is_definition (const WprNode *node)
{
  return node->parent != NULL && wpr_node_is (node->parent, "Profiles");
}

static gboolean
wpr_export_same (const WprNode *left, const WprNode *right)
{
  return left == right || wpr_node_equal (left, right);
}

/* Gathers a definition and gives it an Id; two that say the same are one. */
static void
wpr_export_add (WprExport *export, const WprNode *node)
{
  const char *id = wpr_node_get (node, "Id");
  if (id == NULL || g_hash_table_contains (export->ids, node))
    return;
  g_autofree char *own = g_strdup (id);
  for (guint n = 2;; n++)
    {
      const WprNode *owner = g_hash_table_lookup (export->owners, own);
      if (owner == NULL)
        break;
      if (wpr_export_same (owner, node))
        {
          g_hash_table_insert (export->ids, (gpointer)node, g_steal_pointer (&own));
          return;
        }
      g_free (own);
      own = g_strdup_printf ("%s_%u", id, n);
    }
  g_hash_table_insert (export->owners, g_strdup (own), (gpointer)node);
  g_hash_table_insert (export->ids, (gpointer)node, g_steal_pointer (&own));
  g_ptr_array_add (export->definitions, (gpointer)node);
}

/* Everything below a definition leads to, and so on. */
static void
wpr_export_follow (WprExport *export, const WprNode *node)
{
  for (guint i = 0; node->attributes != NULL && i < node->attributes->len; i++)
    {
      const WprAttribute *attribute = &g_array_index (node->attributes, WprAttribute, i);
      const WprNode *target
          = attribute->is_invalid ? NULL : wpr_export_target (export, node, attribute->name);
      if (target == NULL || !wpr_export_is_definition (target)
          || g_hash_table_contains (export->ids, target))
        continue;
      wpr_export_add (export, target);
      wpr_export_follow (export, target);
    }
  for (guint i = 0; i < wpr_node_n_children (node); i++)
    wpr_export_follow (export, wpr_node_child (node, i));
}

/* ---- writing ---- */

static const char *
wpr_export_value (const WprExport *export, const WprNode *node, const WprAttribute *attribute)
{
  const WprNode *target = wpr_export_target (export, node, attribute->name);
  const char *id = target != NULL ? g_hash_table_lookup (export->ids, target) : NULL;
  if (id != NULL)
    return id;
  id = g_str_equal (attribute->name, "Id") ? g_hash_table_lookup (export->ids, node) : NULL;
  return id != NULL ? id : attribute->value;
}

/* A person's own number of buffers, or their size: in place of what a collector says. */
static gboolean
wpr_export_buffers (WprExport *export, const WprNode *node)
{
  const WprChoice *choice = export->choice;
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  guint value = wpr_node_is (node, "BufferSize") ? choice->buffer_size_kb
                : wpr_node_is (node, "Buffers")  ? choice->buffers
                                                 : 0;
  gboolean is_percent = wpr_node_is (node, "Buffers") && choice->buffers_percent > 0;
  if (value == 0 && !is_percent)
    return FALSE;
  if (is_percent)
    g_ascii_formatd (number, sizeof number, "%g", choice->buffers_percent);
  else
    g_snprintf (number, sizeof number, "%u", value);
  wpr_export_attribute (export, "Value", number);
  if (is_percent)
    wpr_export_attribute (export, "PercentageOfTotalMemory", "true");
  return TRUE;
}

static void
wpr_export_attributes (WprExport *export, const WprNode *node)
{
  if (wpr_export_buffers (export, node))
    return;
  gboolean has_description = FALSE;
  for (guint i = 0; node->attributes != NULL && i < node->attributes->len; i++)
    {
      const WprAttribute *attribute = &g_array_index (node->attributes, WprAttribute, i);
      has_description |= g_str_equal (attribute->name, "Description");
      if (!attribute->is_invalid)
        wpr_export_attribute (export, attribute->name, wpr_export_value (export, node, attribute));
    }
  if (!wpr_node_is (node, "Profile"))
    return;
  const char *name = wpr_node_get (node, "Name");
  if (!has_description)
    wpr_export_attribute (export, "Description", name != NULL ? name : "");
  /* What others only build on is not offered. */
  if (name != NULL && !g_hash_table_contains (export->chosen, name)
      && !wpr_node_get_boolean (node, "Internal"))
    wpr_export_attribute (export, "Internal", "true");
}

static gboolean
wpr_export_is_alike (const WprNode *left, const WprNode *right)
{
  const char *value = wpr_node_get (left, "Value");
  return value != NULL && left->element == right->element && wpr_node_n_children (left) == 0
         && wpr_node_n_children (right) == 0
         && g_strcmp0 (wpr_node_get (right, "Value"), value) == 0;
}

/* A list may have a Value once. In its first place stands what holds in the end: of counters the
 * last, else one that is strict. NULL in the other places. */
static const WprNode *
wpr_export_once (const WprNode *list, guint index)
{
  const WprNode *found = wpr_node_child (list, index);
  gboolean is_last = wpr_node_is (found, "SampledCounter");
  for (guint i = 0; i < index; i++)
    if (wpr_export_is_alike (wpr_node_child (list, i), found))
      return NULL;
  for (guint i = index + 1; i < wpr_node_n_children (list); i++)
    {
      const WprNode *other = wpr_node_child (list, i);
      if (wpr_export_is_alike (found, other)
          && (is_last
              || (!wpr_node_get_boolean (found, "Strict")
                  && wpr_node_get_boolean (other, "Strict"))))
        found = other;
    }
  return found;
}

static void wpr_export_element (WprExport *export, const WprNode *node, guint depth);

static void
wpr_export_children (WprExport *export, const WprNode *node, guint depth)
{
  guint n_rounds = node->element->any_order ? 1 : node->element->n_children;
  for (guint round = 0; round < n_rounds; round++)
    for (guint i = 0; i < wpr_node_n_children (node); i++)
      {
        const WprNode *child = wpr_node_child (node, i);
        if (!node->element->any_order && node->element->children[round].element != child->element)
          continue;
        const WprNode *once = wpr_export_once (node, i);
        if (once != NULL)
          wpr_export_element (export, once, depth);
      }
}

static void
wpr_export_element (WprExport *export, const WprNode *node, guint depth)
{
  if (!wpr_node_is_whole (node))
    return;
  wpr_export_indent (export, depth);
  g_string_append_printf (export->text, "<%s", node->element->name);
  wpr_export_attributes (export, node);
  if (wpr_node_n_children (node) == 0)
    {
      g_string_append (export->text, "/>\n");
      return;
    }
  g_string_append (export->text, ">\n");
  wpr_export_children (export, node, depth + 1);
  wpr_export_indent (export, depth);
  g_string_append_printf (export->text, "</%s>\n", node->element->name);
}

static void
wpr_export_definitions (WprExport *export)
{
  guint index;
  const WprElement *profiles = wpr_schema_child (wpr_schema_root (), "Profiles", &index);
  for (guint round = 0; round < profiles->n_children; round++)
    for (guint i = 0; i < export->definitions->len; i++)
      {
        const WprNode *node = g_ptr_array_index (export->definitions, i);
        if (node->element == profiles->children[round].element)
          wpr_export_element (export, node, 2);
      }
}

/* What stands beside <Profiles> in the files, each file once. */
static void
wpr_export_rest (WprExport *export, const GArray *chosen, const char *element)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < chosen->len; i++)
    {
      const WprNode *profile = g_array_index (chosen, WprChosen, i).variant->node;
      const WprNode *root = profile->document->root;
      if (!g_hash_table_add (seen, (gpointer)root))
        continue;
      for (guint j = 0; j < wpr_node_n_children (root); j++)
        if (wpr_node_is (wpr_node_child (root, j), element))
          wpr_export_element (export, wpr_node_child (root, j), 1);
    }
}

static char *
wpr_export_write (WprLibrary *library, const WprChoice *choice, const GArray *chosen)
{
  g_autoptr (GPtrArray) definitions = g_ptr_array_new ();
  g_autoptr (GHashTable) ids = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  g_autoptr (GHashTable) owners = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);
  WprExport export = { g_string_new (NULL),
                       library,
                       wpr_library_get_builtin (library),
                       definitions,
                       ids,
                       owners,
                       names,
                       choice };
  /* The chosen ones first: where Ids collide, they keep theirs. */
  for (guint i = 0; i < chosen->len; i++)
    {
      const WprVariant *variant = g_array_index (chosen, WprChosen, i).variant;
      g_hash_table_add (names, (gpointer)variant->name);
      wpr_export_add (&export, variant->node);
    }
  for (guint i = 0; i < chosen->len; i++)
    wpr_export_follow (&export, g_array_index (chosen, WprChosen, i).variant->node);
  g_string_append (export.text, "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
                                "<WindowsPerformanceRecorder Version=\"1.0\" "
                                "Author=\"Performance Recorder\"");
  if (g_hash_table_size (names) > 1)
    wpr_export_attribute (&export, "Tag", WPR_PROFILE_TOGETHER);
  g_string_append (export.text, ">\n  <Profiles>\n");
  wpr_export_definitions (&export);
  g_string_append (export.text, "  </Profiles>\n");
  wpr_export_rest (&export, chosen, "TraceMergeProperties");
  wpr_export_rest (&export, chosen, "OnOffTransitionConfigurations");
  g_string_append (export.text, "</WindowsPerformanceRecorder>\n");
  return g_string_free (export.text, FALSE);
}

char *
wpr_profile_export (WprLibrary *library, const WprChoice *choice, GError **error)
{
  g_return_val_if_fail (library != NULL && choice != NULL, NULL);
  g_autoptr (GArray) chosen = wpr_plan_choose_for_export (library, choice, error);
  return chosen != NULL ? wpr_export_write (library, choice, chosen) : NULL;
}
