/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Collectors with their bases and buffers, and what a profile's references change about them. */
#include "config.h"
#include "profile/resolve.h"

#include <glib/gi18n-lib.h>

/* What a reference element means. */
typedef struct
{
  const char *reference, *collector;
  WprUseKind kind;
} WprReferenceRow;

static const WprReferenceRow references[] = {
  { "SystemCollectorId", "SystemCollector", WPR_USE_SYSTEM },
  { "EventCollectorId", "EventCollector", WPR_USE_EVENT },
  { "HeapEventCollectorId", "HeapEventCollector", WPR_USE_HEAP },
  { "HypervisorEventCollectorId", "HypervisorEventCollector", WPR_USE_HYPERVISOR },
};

static const WprReferenceRow *
wpr_reference_find (const WprNode *node)
{
  for (gsize i = 0; i < G_N_ELEMENTS (references); i++)
    if (wpr_node_is (node, references[i].reference))
      return &references[i];
  return NULL;
}

static gboolean
wpr_collector_use_find (GPtrArray *uses, const char *id, guint *index)
{
  for (guint i = 0; i < uses->len; i++)
    if (g_str_equal (((WprCollectorUse *)g_ptr_array_index (uses, i))->id, id))
      {
        *index = i;
        return TRUE;
      }
  return FALSE;
}

/* The collector itself, with its bases. */
static void
wpr_resolve_collector (const WprNode *collector, WprCollectorUse *use, const WprBuiltinIds *builtin)
{
  g_autoptr (GPtrArray) chain = wpr_resolve_chain (collector, builtin);
  use->node = collector;
  for (guint i = 0; i < chain->len; i++)
    {
      const WprNode *link = g_ptr_array_index (chain, i);
      if (wpr_node_get (link, "Name") != NULL)
        use->name = wpr_node_get (link, "Name");
      wpr_resolve_buffers (link, use, builtin);
    }
  if (use->name == NULL)
    use->name = use->kind == WPR_USE_SYSTEM ? "WPR System Collector" : use->id;
}

static void
wpr_resolve_reference_children (const WprNode *node, WprCollectorUse *use,
                                const WprBuiltinIds *builtin)
{
  wpr_resolve_buffers (node, use, builtin);
  for (guint i = 0; i < wpr_node_n_children (node); i++)
    {
      const WprNode *child = wpr_node_child (node, i);
      if (wpr_node_is (child, "SystemProviderId"))
        wpr_resolve_system_reference (child, use, builtin);
      else if (wpr_node_is (child, "SystemProvider"))
        wpr_resolve_system_provider (child, use, builtin);
      else if (wpr_node_is (child, "EventProviders"))
        wpr_resolve_event_providers (child, use, builtin);
      else if (wpr_node_is (child, "HardwareCounterId") || wpr_node_is (child, "HardwareCounter"))
        wpr_resolve_counters (child, use, builtin);
    }
}

void
wpr_resolve_collectors (const WprNode *node, GPtrArray *uses, const WprBuiltinIds *builtin)
{
  WprOperation operation = wpr_resolve_operation (node);
  if (operation == WPR_OPERATION_SET)
    g_ptr_array_set_size (uses, 0);
  for (guint i = 0; i < wpr_node_n_children (node); i++)
    {
      const WprNode *child = wpr_node_child (node, i);
      const WprReferenceRow *row = wpr_reference_find (child);
      const WprNode *collector
          = row != NULL ? wpr_resolve_reference (child, "Value", row->collector, builtin) : NULL;
      if (collector == NULL)
        continue;
      const char *id = wpr_node_get (child, "Value");
      guint index;
      gboolean known = wpr_collector_use_find (uses, id, &index);
      if (operation == WPR_OPERATION_REMOVE)
        {
          if (known)
            g_ptr_array_remove_index (uses, index);
          continue;
        }
      WprCollectorUse *use = known ? g_ptr_array_index (uses, index) : NULL;
      if (use == NULL && uses->len == WPR_RESOLVE_MOST_COLLECTORS)
        {
          wpr_node_add_fault (child, NULL, TRUE, 0, _ ("Leave some of them out."),
                              _ ("A profile cannot have more than %d collectors."),
                              WPR_RESOLVE_MOST_COLLECTORS);
          return;
        }
      if (use == NULL)
        {
          use = wpr_collector_use_new (row->kind, id);
          g_ptr_array_add (uses, use);
          wpr_resolve_collector (collector, use, builtin);
        }
      wpr_resolve_reference_children (child, use, builtin);
    }
}
