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

static const char *
wpr_keyword_name (guint index)
{
  const WprKeywordRow *row = wpr_keyword_get (index);
  return row != NULL ? row->keyword : NULL;
}

static const char *
wpr_stack_name (guint index)
{
  const WprStackRow *row = wpr_stack_get (index);
  return row != NULL ? row->stack : NULL;
}

/* FALSE, with a warning, for a name the table does not have. */
static gboolean
wpr_named_check (const WprNode *node, const char *value, const char *(*name_of) (guint index))
{
  const char *name;
  for (guint i = 0; (name = name_of (i)) != NULL; i++)
    if (g_str_equal (name, value))
      return TRUE;
  WprSuggest suggest = { .word = value };
  for (guint i = 0; (name = name_of (i)) != NULL; i++)
    wpr_suggest_offer (&suggest, name);
  g_autofree char *advice = suggest.best != NULL
                                ? g_strdup_printf (_ ("Did you mean “%s”?"), suggest.best)
                                : g_strdup ("");
  wpr_node_add_fault (node, "Value", FALSE, 0, advice, _ ("There is no %s “%s”; it is left out."),
                      node->element->name, value);
  return FALSE;
}

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

static void
wpr_named_apply (GArray *names, const WprNode *list, const char *(*name_of) (guint index))
{
  WprOperation operation = wpr_resolve_operation (list);
  if (operation == WPR_OPERATION_SET)
    g_array_set_size (names, 0);
  for (guint i = 0; i < wpr_node_n_children (list); i++)
    {
      const WprNode *child = wpr_node_child (list, i);
      WprNamed named = { .value = wpr_node_get (child, "Value"),
                         .strict = wpr_node_get_boolean (child, "Strict"),
                         .custom = wpr_node_is (child, "CustomKeyword")
                                   || wpr_node_is (child, "CustomStack") };
      if (named.value == NULL || (!named.custom && !wpr_named_check (child, named.value, name_of)))
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
wpr_resolve_apply_system (const WprNode *node, GArray *keywords, GArray *stacks)
{
  for (guint i = 0; i < wpr_node_n_children (node); i++)
    {
      const WprNode *child = wpr_node_child (node, i);
      if (wpr_node_is (child, "Keywords"))
        wpr_named_apply (keywords, child, wpr_keyword_name);
      else if (wpr_node_is (child, "Stacks"))
        wpr_named_apply (stacks, child, wpr_stack_name);
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
  for (guint i = 0; i < chain->len; i++)
    wpr_resolve_apply_system (g_ptr_array_index (chain, i), keywords, stacks);
  wpr_named_unite (use->keywords, keywords);
  wpr_named_unite (use->stacks, stacks);
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
  wpr_resolve_apply_system (node, use->keywords, use->stacks);
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
    wpr_resolve_number (node, "Level", 0, 255, NULL, &use->level);
  if (wpr_node_get (node, "Strict") != NULL)
    use->strict = wpr_node_get_boolean (node, "Strict");
  if (wpr_node_get (node, "Stack") != NULL)
    use->stack = wpr_node_get_boolean (node, "Stack");
  if (wpr_node_get (node, "CaptureStateOnly") != NULL)
    use->capture_state_only = wpr_node_get_boolean (node, "CaptureStateOnly");
  for (guint i = 0; i < wpr_node_n_children (node); i++)
    if (wpr_node_is (wpr_node_child (node, i), "Keywords"))
      wpr_resolve_apply_masks (wpr_node_child (node, i), use);
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
