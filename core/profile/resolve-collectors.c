/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Collectors with their bases and buffers, and what a profile's references change about them. */
#include "config.h"
#include "profile/resolve.h"

#include <errno.h>
#include <glib/gi18n-lib.h>
#include <math.h>

/* The format's own defaults. */
#define DEFAULT_BUFFER_KB 128
#define DEFAULT_BUFFERS 64

WprCollectorUse *
wpr_collector_use_new (WprUseKind kind, const char *id)
{
  WprCollectorUse *use = g_new0 (WprCollectorUse, 1);
  use->kind = kind;
  use->id = id;
  use->buffer_kb = DEFAULT_BUFFER_KB;
  use->buffers = DEFAULT_BUFFERS;
  use->keywords = g_array_new (FALSE, FALSE, sizeof (WprNamed));
  use->stacks = g_array_new (FALSE, FALSE, sizeof (WprNamed));
  use->providers = g_ptr_array_new_with_free_func (g_free);
  use->provider_ids = g_hash_table_new (g_str_hash, g_str_equal);
  return use;
}

void
wpr_collector_use_free (gpointer data)
{
  WprCollectorUse *use = data;
  g_array_unref (use->keywords);
  g_array_unref (use->stacks);
  g_hash_table_unref (use->provider_ids);
  g_ptr_array_unref (use->providers);
  g_free (use);
}

static void
wpr_resolve_buffer_number (const WprNode *node, WprCollectorUse *use)
{
  const char *value = wpr_node_get (node, "Value");
  if (value == NULL)
    return;
  gboolean is_percent = wpr_node_get_boolean (node, "PercentageOfTotalMemory");
  double most = is_percent ? 100 : 1000000;
  char *end = NULL;
  double number = g_ascii_strtod (value, &end);
  if (!g_ascii_isdigit (*value) || *end != '\0' || !isfinite (number) || number <= 0
      || number > most)
    {
      wpr_node_add_fault (node, "Value", TRUE, 0xc5580701,
                          is_percent ? _ ("Write a percentage above 0, 100 at most.")
                                     : _ ("Write a number from 1 to 1000000."),
                          _ ("Buffers “%s” is not a number of buffers that could be had."), value);
      return;
    }
  use->buffers = number;
  use->is_percent = is_percent;
  use->max_space_mb = 0;
  if (wpr_node_get (node, "MaximumBufferSpace") != NULL)
    wpr_resolve_number (node, "MaximumBufferSpace", 1, G_MAXUINT / 1024, "MB", &use->max_space_mb);
}

void
wpr_resolve_buffers (const WprNode *node, WprCollectorUse *use)
{
  for (guint i = 0; i < wpr_node_n_children (node); i++)
    {
      const WprNode *child = wpr_node_child (node, i);
      gboolean is_buffer_size = wpr_node_is (child, "BufferSize");
      if (is_buffer_size)
        wpr_resolve_number (child, "Value", 4, 1048576, "KB", &use->buffer_kb);
      else if (wpr_node_is (child, "Buffers"))
        wpr_resolve_buffer_number (child, use);
      else if (wpr_node_is (child, "MaximumFileSize"))
        wpr_resolve_number (child, "Value", 1, G_MAXUINT, "MB", &use->max_file_mb);
      if (is_buffer_size || wpr_node_is (child, "Buffers"))
        use->buffers_own = use->buffers_own || !node->document->is_builtin;
    }
}

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
  for (guint i = 0; i < chain->len; i++)
    {
      const WprNode *link = g_ptr_array_index (chain, i);
      if (wpr_node_get (link, "Name") != NULL)
        use->name = wpr_node_get (link, "Name");
      wpr_resolve_buffers (link, use);
    }
  if (use->name == NULL)
    use->name = use->kind == WPR_USE_SYSTEM ? "WPR System Collector" : use->id;
}

static void
wpr_resolve_reference_children (const WprNode *node, WprCollectorUse *use,
                                const WprBuiltinIds *builtin)
{
  wpr_resolve_buffers (node, use);
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
        use->has_counters = TRUE;
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
