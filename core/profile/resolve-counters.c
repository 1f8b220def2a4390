/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hardware counters of a collector: Counters and SampledCounters with their bases, and the
 * definitions of a MicroArchitecturalConfig. */
#include "config.h"
#include "profile/resolve.h"

/* A processor has a dozen counters; what is beyond that only takes turns. */
#define COUNTERS_MOST 64

static gboolean
wpr_counters_find (const GArray *counters, const char *name, guint *index)
{
  for (guint i = 0; i < counters->len; i++)
    if (g_str_equal (g_array_index (counters, WprCounterUse, i).name, name))
      {
        *index = i;
        return TRUE;
      }
  return FALSE;
}

static void
wpr_counters_forget (GArray *counters, gboolean is_sampled)
{
  for (guint i = counters->len; i > 0; i--)
    if (g_array_index (counters, WprCounterUse, i - 1).is_sampled == is_sampled)
      g_array_remove_index (counters, i - 1);
}

/* A <Counters> or <SampledCounters>. */
static void
wpr_resolve_counter_list (const WprNode *list, gboolean strict, GArray *counters)
{
  WprOperation operation = wpr_resolve_operation (list);
  gboolean is_sampled = wpr_node_is (list, "SampledCounters");
  if (!wpr_node_is_whole (list))
    return;
  if (operation == WPR_OPERATION_SET)
    wpr_counters_forget (counters, is_sampled);
  for (guint i = 0; i < wpr_node_n_children (list); i++)
    {
      const WprNode *node = wpr_node_child (list, i);
      WprCounterUse counter = { .name = wpr_node_get (node, "Value"),
                                .node = node,
                                .is_sampled = is_sampled,
                                .strict = strict };
      wpr_resolve_number (node, "Interval", &counter.interval);
      guint index;
      if (counter.name == NULL)
        continue;
      gboolean known = wpr_counters_find (counters, counter.name, &index);
      if (known && operation == WPR_OPERATION_REMOVE)
        g_array_remove_index (counters, index);
      else if (known && is_sampled)
        g_array_index (counters, WprCounterUse, index) = counter;
      else if (!known && operation != WPR_OPERATION_REMOVE && counters->len < COUNTERS_MOST)
        g_array_append_val (counters, counter);
    }
}

/* ProfileSource of a name below a MicroArchitecturalConfig or a reference to one. */
static const WprNode *
wpr_resolve_source (const WprNode *config, const char *name)
{
  for (guint i = 0; i < wpr_node_n_children (config); i++)
    {
      const WprNode *sources = wpr_node_child (config, i);
      for (guint j = 0; wpr_node_is_whole (sources) && j < wpr_node_n_children (sources); j++)
        if (wpr_node_is_whole (wpr_node_child (sources, j))
            && g_strcmp0 (wpr_node_get (wpr_node_child (sources, j), "Name"), name) == 0)
          return wpr_node_child (sources, j);
    }
  return NULL;
}

static void
wpr_resolve_config (const WprNode *reference, GArray *counters, const WprBuiltinIds *builtin)
{
  const WprNode *config
      = wpr_resolve_reference (reference, "Value", "MicroArchitecturalConfig", builtin);
  g_autoptr (GPtrArray) chain
      = config != NULL ? wpr_resolve_chain (config, builtin) : g_ptr_array_new ();
  g_ptr_array_add (chain, (gpointer)reference);
  for (guint i = 0; i < counters->len; i++)
    {
      WprCounterUse *counter = &g_array_index (counters, WprCounterUse, i);
      for (guint j = 0; j < chain->len; j++)
        {
          const WprNode *found = wpr_resolve_source (g_ptr_array_index (chain, j), counter->name);
          if (found != NULL)
            counter->source = found;
        }
    }
}

static void
wpr_resolve_apply_counters (const WprNode *node, gboolean strict, GArray *counters,
                            const WprNode **config)
{
  for (guint i = 0; i < wpr_node_n_children (node); i++)
    {
      const WprNode *child = wpr_node_child (node, i);
      if (wpr_node_is (child, "Counters") || wpr_node_is (child, "SampledCounters"))
        wpr_resolve_counter_list (child, strict, counters);
      else if (wpr_node_is (child, "MicroArchitecturalConfigId"))
        *config = child;
    }
}

void
wpr_resolve_counters (const WprNode *node, WprCollectorUse *use, const WprBuiltinIds *builtin)
{
  gboolean is_reference = wpr_node_is (node, "HardwareCounterId");
  const WprNode *definition
      = is_reference ? wpr_resolve_reference (node, "Value", "HardwareCounter", builtin) : node;
  if (definition == NULL)
    return;
  g_autoptr (GPtrArray) chain = wpr_resolve_chain (definition, builtin);
  const WprNode *config = NULL;
  gboolean strict = FALSE;
  for (guint i = 0; i < chain->len; i++)
    {
      const WprNode *link = g_ptr_array_index (chain, i);
      if (wpr_node_get (link, "Strict") != NULL)
        strict = wpr_node_get_boolean (link, "Strict");
      wpr_resolve_apply_counters (link, strict, use->counters, &config);
    }
  if (is_reference)
    wpr_resolve_apply_counters (node, strict, use->counters, &config);
  if (config != NULL)
    wpr_resolve_config (config, use->counters, builtin);
}
