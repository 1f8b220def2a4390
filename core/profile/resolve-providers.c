/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* System and event providers with their bases, and what a reference changes about them. */
#include "config.h"
#include "profile/keywords.h"
#include "profile/resolve.h"
#include "profile/stacks.h"
#include "profile/suggest.h"

#include <errno.h>
#include <glib/gi18n-lib.h>

/* ---- lists of names: Keywords, Stacks ---- */

static gboolean
wpr_named_find (const GArray *names, const char *value, guint *index)
{
  for (guint i = 0; i < names->len; i++)
    if (g_str_equal (g_array_index (names, WprNamed, i).value, value))
      {
        if (index != NULL)
          *index = i;
        return TRUE;
      }
  return FALSE;
}

void
wpr_resolve_names (GArray *names, const WprNode *list)
{
  WprOperation operation = wpr_resolve_operation (list);
  if (!wpr_node_is_whole (list))
    return;
  if (operation == WPR_OPERATION_SET)
    g_array_set_size (names, 0);
  for (guint i = 0; i < wpr_node_n_children (list); i++)
    {
      const WprNode *child = wpr_node_child (list, i);
      WprNamed named = { .value = wpr_node_get (child, "Value"),
                         .node = child,
                         .strict = wpr_node_get_boolean (child, "Strict"),
                         .custom = wpr_node_is (child, "CustomKeyword")
                                   || wpr_node_is (child, "CustomStack") };
      if (named.value == NULL)
        continue;
      guint index;
      gboolean known = wpr_named_find (names, named.value, &index);
      if (operation == WPR_OPERATION_REMOVE && known)
        g_array_remove_index (names, index);
      else if (operation != WPR_OPERATION_REMOVE && known)
        g_array_index (names, WprNamed, index).strict |= named.strict;
      else if (operation != WPR_OPERATION_REMOVE && names->len < 1024) /* 68 + 179 exist */
        g_array_append_val (names, named);
    }
}

/* ---- system providers ---- */

static void
wpr_resolve_apply_system (const WprNode *node, GArray *keywords, GArray *stacks, GArray *pool_tags)
{
  for (guint i = 0; i < wpr_node_n_children (node); i++)
    {
      const WprNode *child = wpr_node_child (node, i);
      if (wpr_node_is (child, "Keywords"))
        wpr_resolve_names (keywords, child);
      else if (wpr_node_is (child, "Stacks"))
        wpr_resolve_names (stacks, child);
      else if (wpr_node_is (child, "PoolTags"))
        wpr_resolve_names (pool_tags, child);
    }
}

static void
wpr_named_unite (GArray *into, const GArray *from)
{
  for (guint i = 0; i < from->len; i++)
    {
      const WprNamed *named = &g_array_index (from, WprNamed, i);
      guint index;
      if (wpr_named_find (into, named->value, &index))
        g_array_index (into, WprNamed, index).strict |= named->strict;
      else
        g_array_append_vals (into, named, 1);
    }
}

void
wpr_resolve_system_provider (const WprNode *node, WprCollectorUse *use,
                             const WprBuiltinIds *builtin)
{
  g_autoptr (GPtrArray) chain = wpr_resolve_chain (node, builtin);
  g_autoptr (GArray) keywords = g_array_new (FALSE, FALSE, sizeof (WprNamed));
  g_autoptr (GArray) stacks = g_array_new (FALSE, FALSE, sizeof (WprNamed));
  g_autoptr (GArray) pool_tags = g_array_new (FALSE, FALSE, sizeof (WprNamed));
  for (guint i = 0; i < chain->len; i++)
    wpr_resolve_apply_system (g_ptr_array_index (chain, i), keywords, stacks, pool_tags);
  wpr_named_unite (use->keywords, keywords);
  wpr_named_unite (use->stacks, stacks);
  wpr_named_unite (use->pool_tags, pool_tags);
}

void
wpr_resolve_system_reference (const WprNode *node, WprCollectorUse *use,
                              const WprBuiltinIds *builtin)
{
  const WprNode *provider = wpr_resolve_reference (node, "Value", "SystemProvider", builtin);
  if (provider == NULL)
    return;
  wpr_resolve_system_provider (provider, use, builtin);
  /* What the reference says holds for what the collector had before, too: a Remove would otherwise
   * not reach an inherited keyword. */
  wpr_resolve_apply_system (node, use->keywords, use->stacks, use->pool_tags);
}

/* ---- event providers ---- */

/* Hexadecimal with 0x, or decimal. */
static gboolean
wpr_resolve_mask (const WprNode *node, guint64 *mask)
{
  const char *value = wpr_node_get (node, "Value");
  if (value == NULL)
    return FALSE;
  char *end = NULL;
  errno = 0;
  *mask = g_str_has_prefix (value, "0x") || g_str_has_prefix (value, "0X")
              ? g_ascii_strtoull (value + 2, &end, 16)
              : g_ascii_strtoull (value, &end, 10);
  if (*value != '\0' && *end == '\0' && errno == 0)
    return TRUE;
  wpr_node_add_fault (node, "Value", FALSE, 0, _ ("Write a number such as 0x10."),
                      _ ("The keyword “%s” of a provider is not a number; it is left out."), value);
  return FALSE;
}

static void
wpr_resolve_apply_masks (const WprNode *list, WprProviderUse *use)
{
  WprOperation operation = wpr_resolve_operation (list);
  if (!wpr_node_is_whole (list))
    return;
  if (operation == WPR_OPERATION_SET)
    use->keywords = 0;
  for (guint i = 0; i < wpr_node_n_children (list); i++)
    {
      guint64 mask;
      const WprNode *child = wpr_node_child (list, i);
      if (!wpr_node_is (child, "Keyword") || !wpr_resolve_mask (child, &mask))
        continue;
      if (operation == WPR_OPERATION_REMOVE)
        use->keywords &= ~mask;
      else
        use->keywords |= mask;
    }
}

static void
wpr_resolve_apply_provider (const WprNode *node, WprProviderUse *use)
{
  if (wpr_node_get (node, "Name") != NULL)
    use->name = wpr_node_get (node, "Name");
  if (wpr_node_get (node, "Level") != NULL)
    wpr_resolve_number (node, "Level", &use->level);
  if (wpr_node_get (node, "Strict") != NULL)
    use->strict = wpr_node_get_boolean (node, "Strict");
  if (wpr_node_get (node, "Stack") != NULL)
    use->stack = wpr_node_get_boolean (node, "Stack");
  if (wpr_node_get (node, "CaptureStateOnly") != NULL)
    use->capture_state_only = wpr_node_get_boolean (node, "CaptureStateOnly");
  if (wpr_node_get (node, "NonPagedMemory") != NULL)
    use->non_paged = wpr_node_get_boolean (node, "NonPagedMemory");
  if (wpr_node_get (node, "ProcessExeFilter") != NULL)
    use->exe_filter = wpr_node_get (node, "ProcessExeFilter");
  for (guint i = 0; i < wpr_node_n_children (node); i++)
    {
      const WprNode *child = wpr_node_child (node, i);
      if (wpr_node_is (child, "Keywords"))
        wpr_resolve_apply_masks (child, use);
      else if (wpr_node_is (child, "EventFilters"))
        wpr_resolve_filter (child, &use->ids);
      else if (wpr_node_is (child, "EventNameFilters"))
        wpr_resolve_filter (child, &use->names);
    }
}

void
wpr_provider_use_free (gpointer data)
{
  WprProviderUse *use = data;
  g_clear_pointer (&use->ids.values, g_ptr_array_unref);
  g_clear_pointer (&use->names.values, g_ptr_array_unref);
  g_free (use);
}

/* The last FilterIn counts; a list of the other sense replaces what there was. */
void
wpr_resolve_filter (const WprNode *list, WprEventFilter *filter)
{
  WprOperation operation = wpr_resolve_operation (list);
  gboolean filter_in = wpr_node_get_boolean (list, "FilterIn");
  if (!wpr_node_is_whole (list))
    return;
  if (filter->values == NULL)
    filter->values = g_ptr_array_new ();
  if (operation == WPR_OPERATION_SET || filter->filter_in != filter_in)
    g_ptr_array_set_size (filter->values, 0);
  filter->is_set = TRUE;
  filter->filter_in = filter_in;
  for (guint i = 0; i < wpr_node_n_children (list); i++)
    {
      const WprNode *child = wpr_node_child (list, i);
      const char *value = wpr_node_get (child, "Value");
      if (value == NULL || wpr_node_is (child, "Keyword"))
        continue;
      guint index;
      gboolean known
          = g_ptr_array_find_with_equal_func (filter->values, value, g_str_equal, &index);
      if (operation == WPR_OPERATION_REMOVE && known)
        g_ptr_array_remove_index (filter->values, index);
      else if (operation != WPR_OPERATION_REMOVE && !known && filter->values->len < 64)
        g_ptr_array_add (filter->values, (gpointer)value);
    }
}

static void
wpr_collector_use_remove_provider (WprCollectorUse *use, const char *id)
{
  WprProviderUse *provider = g_hash_table_lookup (use->provider_ids, id);
  if (provider == NULL)
    return;
  g_hash_table_remove (use->provider_ids, id);
  g_ptr_array_remove (use->providers, provider);
}

static void
wpr_resolve_event_provider (const WprNode *reference, const WprNode *provider, WprCollectorUse *use,
                            const WprBuiltinIds *builtin)
{
  const char *id = wpr_node_get (provider, "Id");
  if (id == NULL)
    return;
  WprProviderUse *made = g_hash_table_lookup (use->provider_ids, id);
  if (made == NULL && use->providers->len == WPR_RESOLVE_MOST_PROVIDERS)
    {
      wpr_node_add_fault (reference, NULL, TRUE, 0, _ ("Leave some of them out."),
                          _ ("A collector cannot have more than %d providers."),
                          WPR_RESOLVE_MOST_PROVIDERS);
      return;
    }
  if (made == NULL)
    {
      made = g_new0 (WprProviderUse, 1);
      made->id = id;
      made->node = provider;
      g_ptr_array_add (use->providers, made);
      g_hash_table_insert (use->provider_ids, (gpointer)id, made);
      g_autoptr (GPtrArray) chain = wpr_resolve_chain (provider, builtin);
      for (guint i = 0; i < chain->len; i++)
        wpr_resolve_apply_provider (g_ptr_array_index (chain, i), made);
    }
  if (reference != provider)
    for (guint i = 0; i < wpr_node_n_children (reference); i++)
      if (wpr_node_is (wpr_node_child (reference, i), "Keywords"))
        wpr_resolve_apply_masks (wpr_node_child (reference, i), made);
}

void
wpr_resolve_event_providers (const WprNode *node, WprCollectorUse *use,
                             const WprBuiltinIds *builtin)
{
  WprOperation operation = wpr_resolve_operation (node);
  if (operation == WPR_OPERATION_SET)
    {
      g_hash_table_remove_all (use->provider_ids);
      g_ptr_array_set_size (use->providers, 0);
    }
  for (guint i = 0; i < wpr_node_n_children (node); i++)
    {
      const WprNode *child = wpr_node_child (node, i), *provider = child;
      if (wpr_node_is (child, "EventProviderId"))
        provider = wpr_resolve_reference (child, "Value", "EventProvider", builtin);
      if (provider == NULL)
        continue;
      const char *id = wpr_node_get (provider, "Id");
      if (operation != WPR_OPERATION_REMOVE)
        wpr_resolve_event_provider (child, provider, use, builtin);
      else if (id != NULL)
        wpr_collector_use_remove_provider (use, id);
    }
}
