/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What no single element shows: references, lists, combinations. Only what leaves nothing to record
 * from is an error; what WPR refuses and Linux can do without is a warning. */
#include "config.h"
#include "profile/validate.h"
#include "profile/resolve.h"

#include <glib/gi18n-lib.h>

/* ---- references ---- */

static const struct
{
  const char *reference, *element;
} references[] = {
  { "SystemCollectorId", "SystemCollector" },
  { "EventCollectorId", "EventCollector" },
  { "HeapEventCollectorId", "HeapEventCollector" },
  { "HypervisorEventCollectorId", "HypervisorEventCollector" },
  { "SystemProviderId", "SystemProvider" },
  { "HardwareCounterId", "HardwareCounter" },
  { "MicroArchitecturalConfigId", "MicroArchitecturalConfig" },
  { "EventProviderId", "EventProvider" },
  { "HeapEventProviderId", "HeapEventProvider" },
};

static void
wpr_validate_references (const WprNode *node, const WprBuiltinIds *builtin)
{
  for (gsize i = 0; i < G_N_ELEMENTS (references); i++)
    if (wpr_node_is (node, references[i].reference))
      wpr_resolve_reference (node, "Value", references[i].element, builtin);
  const char *base = wpr_node_get (node, "Base");
  if (base != NULL && *base != '\0')
    g_ptr_array_unref (wpr_resolve_chain (node, builtin));
}

/* ---- lists ---- */

/* Lists in which a Value may stand once, and the attribute that must differ. */
static const struct
{
  const char *list, *attribute;
} lists[] = {
  { "Keywords", "Value" },
  { "CaptureStateOnStart", "Value" },
  { "CaptureStateOnSave", "Value" },
  { "CaptureStateOnDemand", "Value" },
  { "Stacks", "Value" },
  { "PoolTags", "Value" },
  { "Counters", "Value" },
  { "Events", "Value" },
  { "SampledCounters", "Value" },
  { "CustomEvents", "Value" },
  { "OnOffTransitionConfigurations", "Type" },
};

static void
wpr_validate_list (const WprNode *node)
{
  const char *attribute = NULL;
  for (gsize i = 0; i < G_N_ELEMENTS (lists); i++)
    if (wpr_node_is (node, lists[i].list))
      attribute = lists[i].attribute;
  if (attribute == NULL || wpr_node_n_children (node) < 2)
    return;
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < wpr_node_n_children (node); i++)
    {
      const WprNode *child = wpr_node_child (node, i);
      const char *value = wpr_node_get (child, attribute);
      const WprNode *first = value != NULL ? g_hash_table_lookup (seen, value) : NULL;
      if (first != NULL)
        wpr_node_add_fault (child, attribute, FALSE, 0xc5580701, _ ("Remove one of them."),
                            _ ("“%s” stands in this list already, in line %u."), value,
                            first->line);
      else if (value != NULL)
        g_hash_table_insert (seen, (gpointer)value, (gpointer)child);
    }
}

/* ---- combinations ---- */

static void
wpr_validate_buffers (const WprNode *node)
{
  const WprNode *timer = wpr_node_find (node, "FlushTimer");
  const WprNode *threshold = wpr_node_find (node, "FlushThreshold");
  if (timer != NULL && threshold != NULL)
    wpr_node_refuse (threshold, NULL, 0, _ ("Remove one of them."),
                     _ ("FlushTimer and FlushThreshold exclude each other."));
  const WprNode *buffers = wpr_node_find (node, "Buffers");
  if (buffers != NULL && wpr_node_get (buffers, "MaximumBufferSpace") != NULL
      && !wpr_node_get_boolean (buffers, "PercentageOfTotalMemory"))
    wpr_node_refuse (buffers, "MaximumBufferSpace", 0,
                     _ ("Add PercentageOfTotalMemory=\"true\", or remove it."),
                     _ ("MaximumBufferSpace limits a percentage, and Buffers is none here."));
}

static void
wpr_validate_provider (const WprNode *node)
{
  const WprNode *keywords = wpr_node_find (node, "Keywords");
  if (wpr_node_get_boolean (node, "CaptureStateOnly") && keywords != NULL)
    wpr_node_refuse (keywords, NULL, 0xc5581018, _ ("Remove <Keywords>, or CaptureStateOnly."),
                     _ ("A provider of which only the state is captured has no Keywords."));
}

/* Of all definitions of one provider a single one may say which programs count. */
static void
wpr_validate_exe_filter (const WprNode *node, GHashTable *filtered)
{
  const char *name = wpr_node_get (node, "Name");
  if (!wpr_node_is (node, "EventProvider") || name == NULL
      || wpr_node_get (node, "ProcessExeFilter") == NULL)
    return;
  const WprNode *first = g_hash_table_lookup (filtered, name);
  if (first == NULL)
    g_hash_table_insert (filtered, (gpointer)name, (gpointer)node);
  else
    wpr_node_refuse (node, "ProcessExeFilter", 0xc5582006,
                     _ ("Name all programs in one of them, separated by semicolons."),
                     _ ("The provider “%s” has a ProcessExeFilter already, in line %u."), name,
                     first->line);
}

static void
wpr_validate_node (const WprNode *node, const WprBuiltinIds *builtin, GHashTable *filtered)
{
  wpr_validate_references (node, builtin);
  wpr_validate_list (node);
  wpr_validate_buffers (node);
  if (wpr_node_is (node, "EventProvider"))
    wpr_validate_provider (node);
  wpr_validate_exe_filter (node, filtered);
  for (guint i = 0; i < wpr_node_n_children (node); i++)
    wpr_validate_node (wpr_node_child (node, i), builtin, filtered);
}

/* ---- profiles ---- */

/* Two profiles of one level and mode cannot both be what `wpr -start FILE` means. */
static void
wpr_validate_defaults (const WprNode *profiles)
{
  const WprNode *first[2][2] = { { NULL } };
  for (guint i = 0; i < wpr_node_n_children (profiles); i++)
    {
      const WprNode *node = wpr_node_child (profiles, i);
      const char *level = wpr_node_get (node, "DetailLevel");
      const char *mode = wpr_node_get (node, "LoggingMode");
      if (!wpr_node_is (node, "Profile") || !wpr_node_get_boolean (node, "Default") || level == NULL
          || mode == NULL)
        continue;
      const WprNode **place = &first[g_str_equal (level, "Light")][g_str_equal (mode, "File")];
      if (*place == NULL)
        *place = node;
      else
        wpr_node_refuse (node, "Default", 0xc558101e, _ ("Leave one of them the default."),
                         _ ("The profile in line %u is the default of this detail level and "
                            "logging mode already."),
                         (*place)->line);
    }
}

void
wpr_document_validate (WprDocument *document, const WprBuiltinIds *builtin)
{
  if (document->root == NULL)
    return;
  g_autoptr (GHashTable) filtered = g_hash_table_new (g_str_hash, g_str_equal);
  wpr_validate_node (document->root, builtin, filtered);
  const WprNode *profiles = wpr_node_find (document->root, "Profiles");
  if (profiles != NULL)
    wpr_validate_defaults (profiles);
}

/* ---- variants ---- */

static void
wpr_validate_name (const WprVariant *variant)
{
  g_autofree char *wanted = g_strdup_printf (
      "%s.%s.%s", variant->name, variant->level == WPR_LEVEL_LIGHT ? "Light" : "Verbose",
      variant->mode == WPR_MODE_FILE ? "File" : "Memory");
  if (g_str_equal (wanted, variant->id))
    return;
  g_autofree char *advice = g_strdup_printf (_ ("Write Id=\"%s\"."), wanted);
  wpr_node_refuse (variant->node, "Id", 0xc5586005, advice,
                   _ ("The Id “%s” is not made of Name, DetailLevel and LoggingMode."),
                   variant->id);
}

/* What only a file has; in memory mode WPR refuses to start. */
static void
wpr_validate_memory_mode (const WprVariant *variant, const WprCollectorUse *use)
{
  static const struct
  {
    WprBufferWord word;
    const char *name;
    guint32 number;
  } rows[] = {
    { WPR_BUFFER_MAXIMUM_FILE_SIZE, "MaximumFileSize", 0xc558200a },
    { WPR_BUFFER_FLUSH_TIMER, "FlushTimer", 0xc558200b },
    { WPR_BUFFER_FLUSH_THRESHOLD, "FlushThreshold", 0xc558200c },
  };
  for (gsize i = 0; variant->mode == WPR_MODE_MEMORY && i < G_N_ELEMENTS (rows); i++)
    if (use->words[rows[i].word] != NULL)
      wpr_node_refuse (variant->node, NULL, rows[i].number,
                       _ ("Give this variant a collector without it."),
                       _ ("The collector “%s” has %s in line %u, which memory mode has not."),
                       use->id, rows[i].name, use->words[rows[i].word]->line);
}

static void
wpr_validate_collector (const WprVariant *variant, const WprCollectorUse *use)
{
  wpr_validate_memory_mode (variant, use);
  if (use->kind == WPR_USE_SYSTEM && use->keywords->len == 0 && use->providers->len == 0)
    wpr_node_refuse (variant->node, NULL, 0xc5580611, _ ("Name a SystemProvider with keywords."),
                     _ ("The system collector “%s” has no keyword."), use->id);
  else if (use->kind == WPR_USE_EVENT && use->providers->len == 0)
    wpr_node_refuse (variant->node, NULL, 0xc5580612,
                     _ ("Name an EventProvider, or leave the collector out."),
                     _ ("The event collector “%s” has no provider."), use->id);
}

void
wpr_variant_validate (const WprVariant *variant)
{
  wpr_validate_name (variant);
  for (guint i = 0; i < variant->collectors->len; i++)
    wpr_validate_collector (variant, g_ptr_array_index (variant->collectors, i));
}
