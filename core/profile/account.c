/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of what is a note, and the counting. */
#include "config.h"
#include "profile/account.h"
#include "profile/counters.h"
#include "profile/keywords.h"
#include "profile/stacks.h"

#include <glib/gi18n-lib.h>

#define NO_GUESTS N_ ("Linux does not share a clock with virtual machines this way.")
#define NO_PRIVATE N_ ("Each recorder here has buffers of its own; there are no private ones.")
#define NO_EXTENDED N_ ("Events here carry process and thread, and nothing of the kind.")
#define NOT_YET_STATE N_ ("This version cannot ask for the state of a provider yet.")
#define KERNEL_STATE                                                                             \
  N_ ("Processes, threads, images and disks are written at start and end in any case; there is " \
      "no "                                                                                      \
      "state of other kernel events.")
#define NOT_YET_STACKS N_ ("This version records call stacks of all events of a provider, or none.")
#define NOT_YET_HEAP N_ ("This version does not record heaps yet.")
#define NO_HYPERVISOR N_ ("Linux's hypervisor has no buffers of its own.")
#define NO_TRACE N_ ("This version does not record the processor's own branch traces.")
#define NOT_YET_TRANSITIONS N_ ("This version does not record starts and shutdowns yet.")
#define NOT_YET_COMPRESSION N_ ("This version does not compress the file yet.")
#define ALWAYS_MERGED N_ ("Raw recordings are always joined into one file here.")

/* Elements (attribute NULL) with all that is in them, and attributes, where they are more than what
 * holds anyway. By type, as in the schema. */
static const struct
{
  const char *element, *attribute;
  const char *text;
} notes[] = {
  { NULL, "Realtime", N_ ("Figures are always live here; events are not handed out live.") },
  { NULL, "HostGuestCorrelation", NO_GUESTS },
  { NULL, "Private", NO_PRIVATE },
  { NULL, "ProcessPrivate", NO_PRIVATE },
  { NULL, "Secure", N_ ("Recordings are always readable by their owner only.") },
  { NULL, "MergeAlone", NO_HYPERVISOR },
  { NULL, "SuppressHighVolume", N_ ("Nothing is left out for being frequent.") },
  { NULL, "NonPagedMemory", N_ ("Buffers of the kernel are never paged out on Linux.") },
  { NULL, "SID", NO_EXTENDED },
  { NULL, "TSID", NO_EXTENDED },
  { NULL, "EventKey", NO_EXTENDED },
  { NULL, "ExcludeInPrivate", NO_PRIVATE },
  { NULL, "EnableSilos", N_ ("Containers are recorded like everything else.") },
  { NULL, "ContainerId", NO_EXTENDED },
  { NULL, "MinimumRundownSpace", N_ ("Start and end have room of their own here.") },
  { NULL, "AllowsHalt", N_ ("The kernel decides about halted processors.") },
  { NULL, "Persist", N_ ("Counters are never kept beyond a recording.") },
  { NULL, "ExtendedBits", N_ ("Only an event's number and unit mask are used.") },
  { "EventNameFilters", "Level", N_ ("Events are chosen by name here, whatever their level.") },
  { "FilterKeyword", NULL, N_ ("Events are chosen by name here, whatever their keyword.") },
  { "ProviderStacks", NULL,
    N_ ("Call stacks of a provider's events are switched by its attribute Stack.") },
  { "StackCaching", "BucketCount", N_ ("Call stacks are found in a table that grows by itself.") },
  { "BuffersPerCPU", NULL, NO_HYPERVISOR },
  { "HypervisorEventCollector", NULL, NO_HYPERVISOR },
  { "HypervisorEventCollectorId", NULL, NO_HYPERVISOR },
  { "HeapEventCollector", NULL, NOT_YET_HEAP },
  { "HeapEventCollectorId", NULL, NOT_YET_HEAP },
  { "HeapEventProvider", NULL, NOT_YET_HEAP },
  { "CustomKeyword", NULL, N_ ("A bare keyword mask means something to Windows only.") },
  { "CustomStack", NULL, N_ ("A bare event number means something to Windows only.") },
  { "SystemCaptureStateOnStart", NULL, KERNEL_STATE },
  { "SystemCaptureStateOnSave", NULL, KERNEL_STATE },
  { "SystemCaptureStateOnDemand", NULL, KERNEL_STATE },
  { "CaptureStateOnStart", NULL, NOT_YET_STATE },
  { "CaptureStateOnSave", NULL, NOT_YET_STATE },
  { "CaptureStateOnDemand", NULL, NOT_YET_STATE },
  { "StackFilters", NULL, NOT_YET_STACKS },
  { "StackEventNameFilters", NULL, NOT_YET_STACKS },
  { "StackKeywordLevelFilter", NULL, NOT_YET_STACKS },
  { "CustomFilter", NULL, N_ ("Bytes for a Windows provider have no meaning here.") },
  { "Events", NULL, N_ ("Counters are sampled by their count here, not read at events.") },
  { "LastBranch", NULL, NO_TRACE },
  { "ProcessorTrace", NULL, NO_TRACE },
  { "FileCompression", NULL, NOT_YET_COMPRESSION },
  { "InjectOnly", NULL, ALWAYS_MERGED },
  { "SkipMerge", NULL, ALWAYS_MERGED },
  { "OnOffTransitionConfigurations", NULL, NOT_YET_TRANSITIONS },
};

/* What the file writes of CustomEvents; the others have no counterpart. */
static const char *const written_events[]
    = { "None", "ImageId", "BuildInfo", "VolumeMapping", "EventMetadata", "NetworkInterface" };

static const char *
wpr_note_of_element (const WprNode *node)
{
  if ((wpr_node_is (node, "FileCompression") || wpr_node_is (node, "InjectOnly")
       || wpr_node_is (node, "SkipMerge"))
      && !wpr_node_get_boolean (node, "Value"))
    return NULL;
  if (wpr_node_is (node, "DeletePreMergedTraceFiles"))
    return wpr_node_get_boolean (node, "Value") || wpr_node_get (node, "Value") == NULL
               ? NULL
               : N_ ("The raw recording is deleted once the file is finished and good.");
  const char *event = wpr_node_is (node, "CustomEvent") ? wpr_node_get (node, "Value") : NULL;
  gboolean is_written = event == NULL;
  for (gsize i = 0; !is_written && i < G_N_ELEMENTS (written_events); i++)
    is_written = g_str_equal (event, written_events[i]);
  if (!is_written)
    return N_ ("Linux has nothing of the kind to write into the file.");
  for (gsize i = 0; i < G_N_ELEMENTS (notes); i++)
    if (notes[i].attribute == NULL && g_str_equal (notes[i].element, node->element->type))
      return notes[i].text;
  return NULL;
}

/* An attribute that says what holds anyway is no note. */
static const char *
wpr_note_of_attribute (const WprNode *node, const WprAttribute *attribute)
{
  const WprAttributeRule *rule = attribute->rule;
  gboolean is_off
      = rule->type->kind == WPR_VALUE_BOOLEAN
        && (g_str_equal (attribute->value, "false") || g_str_equal (attribute->value, "0"));
  if (is_off || g_strcmp0 (rule->fallback, attribute->value) == 0)
    return NULL;
  for (gsize i = 0; i < G_N_ELEMENTS (notes); i++)
    if (g_strcmp0 (notes[i].attribute, attribute->name) == 0
        && (notes[i].element == NULL || g_str_equal (notes[i].element, node->element->type)))
      return notes[i].text;
  return NULL;
}

/* ---- notes of a variant ---- */

static void
wpr_account_visit (const WprNode *node, WprAccountFunc func, gpointer data)
{
  const char *text = wpr_note_of_element (node);
  if (text != NULL)
    {
      func (node, NULL, _ (text), data);
      return; /* with all that is in it */
    }
  for (guint i = 0; node->attributes != NULL && i < node->attributes->len; i++)
    {
      const WprAttribute *attribute = &g_array_index (node->attributes, WprAttribute, i);
      text = attribute->is_invalid ? NULL : wpr_note_of_attribute (node, attribute);
      if (text != NULL)
        func (node, attribute, _ (text), data);
    }
  for (guint i = 0; i < wpr_node_n_children (node); i++)
    wpr_account_visit (wpr_node_child (node, i), func, data);
}

/* What holds for every profile of the file. */
static void
wpr_account_visit_file (const WprDocument *document, WprAccountFunc func, gpointer data)
{
  for (guint i = 0; i < wpr_node_n_children (document->root); i++)
    {
      const WprNode *child = wpr_node_child (document->root, i);
      if (!wpr_node_is (child, "Profiles"))
        wpr_account_visit (child, func, data);
    }
}

void
wpr_account_visit_notes (const WprVariant *variant, WprAccountFunc func, gpointer data)
{
  GHashTableIter iter;
  gpointer key;
  g_hash_table_iter_init (&iter, variant->used);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    {
      const WprNode *node = key;
      if (!node->document->is_builtin)
        wpr_account_visit (node, func, data);
    }
  if (!variant->node->document->is_builtin)
    wpr_account_visit_file (variant->node->document, func, data);
}

/* ---- counting ---- */

typedef struct
{
  WprAccount *account;
  GHashTable *used;
  const WprProviders *providers;
} WprCounting;

static void
wpr_account_count_all (const WprNode *node, WprAccountKind kind, WprAccount *account)
{
  account->n_kinds[kind] += 1 + (node->attributes != NULL ? node->attributes->len : 0);
  for (guint i = 0; i < wpr_node_n_children (node); i++)
    wpr_account_count_all (wpr_node_child (node, i), kind, account);
}

static WprAccountKind
wpr_account_keyword (const WprNode *node, WprAccount *account)
{
  const char *value = wpr_node_get (node, "Value");
  const WprKeywordRow *row = value != NULL ? wpr_keyword_find (value) : NULL;
  account->n_keywords++;
  if (row == NULL || row->note != NULL)
    return WPR_ACCOUNT_NOTE;
  account->n_keyword_hits++;
  return WPR_ACCOUNT_ITEM;
}

/* Of user-space programs nothing is recorded yet. */
static gboolean
wpr_target_is_recorded (const WprTarget *target)
{
  return target->kind == WPR_TARGET_TRACEPOINT || target->kind == WPR_TARGET_SAMPLER
         || target->kind == WPR_TARGET_SOFTWARE;
}

static WprAccountKind
wpr_account_provider (const WprNode *node, const WprCounting *counting)
{
  const char *name = wpr_node_get (node, "Name");
  WprProviderWant want = { 0 };
  g_autoptr (GPtrArray) targets
      = name != NULL ? wpr_providers_lookup (counting->providers, name, &want) : NULL;
  counting->account->n_providers++;
  for (guint i = 0; targets != NULL && i < targets->len; i++)
    if (wpr_target_is_recorded (g_ptr_array_index (targets, i)))
      {
        counting->account->n_provider_hits++;
        return WPR_ACCOUNT_ITEM;
      }
  return WPR_ACCOUNT_NOTE;
}

static WprAccountKind
wpr_account_kind (const WprNode *node, const WprCounting *counting)
{
  const char *value = wpr_node_get (node, "Value");
  if (g_str_equal (node->element->type, "SystemKeyword"))
    return wpr_account_keyword (node, counting->account);
  if (wpr_node_is (node, "EventProvider"))
    return wpr_account_provider (node, counting);
  if (wpr_node_is (node, "Stack"))
    return value != NULL && wpr_stack_find (value) != NULL && wpr_stack_find (value)->events != NULL
               ? WPR_ACCOUNT_ITEM
               : WPR_ACCOUNT_NOTE;
  if (wpr_node_is (node, "Counter") || wpr_node_is (node, "SampledCounter"))
    return value != NULL && wpr_counter_find (value) != NULL ? WPR_ACCOUNT_ITEM : WPR_ACCOUNT_NOTE;
  if (wpr_node_is (node, "ProfileSource") || wpr_node_is (node, "PoolTag"))
    return WPR_ACCOUNT_ITEM;
  return WPR_ACCOUNT_SETTING;
}

/* Definitions nobody uses are those right below <Profiles>; everything else is part of one. */
static gboolean
wpr_account_is_unused (const WprNode *node, const WprCounting *counting)
{
  return node->parent != NULL && wpr_node_is (node->parent, "Profiles")
         && !g_hash_table_contains (counting->used, node);
}

static void
wpr_account_count (const WprNode *node, const WprCounting *counting)
{
  WprAccount *account = counting->account;
  WprAccountKind kind = wpr_account_is_unused (node, counting) || wpr_note_of_element (node) != NULL
                            ? WPR_ACCOUNT_NOTE
                            : wpr_account_kind (node, counting);
  if (kind == WPR_ACCOUNT_NOTE)
    {
      wpr_account_count_all (node, kind, account);
      return;
    }
  account->n_kinds[kind]++;
  for (guint i = 0; node->attributes != NULL && i < node->attributes->len; i++)
    {
      const WprAttribute *attribute = &g_array_index (node->attributes, WprAttribute, i);
      if (attribute->is_invalid || wpr_note_of_attribute (node, attribute) != NULL)
        account->n_kinds[WPR_ACCOUNT_NOTE]++;
      else if (kind == WPR_ACCOUNT_ITEM
               && (g_str_equal (attribute->name, "Value") || g_str_equal (attribute->name, "Name")))
        account->n_kinds[WPR_ACCOUNT_ITEM]++;
      else
        account->n_kinds[WPR_ACCOUNT_SETTING]++;
    }
  for (guint i = 0; i < wpr_node_n_children (node); i++)
    wpr_account_count (wpr_node_child (node, i), counting);
}

WprAccount
wpr_account_document (const WprDocument *document, GHashTable *used, const WprProviders *providers)
{
  WprAccount account
      = { .n_elements = document->n_elements, .n_attributes = document->n_attributes };
  WprCounting counting = { &account, used, providers };
  /* What the reader left out, it has told. */
  account.n_kinds[WPR_ACCOUNT_NOTE]
      += document->n_left_out_elements + document->n_left_out_attributes;
  if (document->root != NULL)
    wpr_account_count (document->root, &counting);
  return account;
}
