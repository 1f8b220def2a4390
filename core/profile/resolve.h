/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* References, inheritance and Operation: what variant.c and its parts share. */
#pragma once

#include "profile/variant.h"

G_BEGIN_DECLS

/* No chain of bases in the wild is longer than 6. */
#define WPR_RESOLVE_MOST_BASES 64
/* Limits that keep a stranger's file from taking minutes; the largest known file has 30 profiles
 * and 313 references to providers. ETW itself has 64 sessions. */
#define WPR_RESOLVE_MOST_COLLECTORS 64
#define WPR_RESOLVE_MOST_PROVIDERS 4096
/* So many Ids are looked at for "did you mean". */
#define WPR_RESOLVE_MOST_SUGGESTED 1000

typedef enum
{
  WPR_OPERATION_SET,
  WPR_OPERATION_ADD,
  WPR_OPERATION_REMOVE
} WprOperation;
WprOperation wpr_resolve_operation (const WprNode *node);

/* The element an attribute (Base or Value) leads to, in the node's own file, else among the
 * built-in profiles. NULL with an error fault that suggests an Id. */
const WprNode *wpr_resolve_reference (const WprNode *node, const char *attribute,
                                      const char *element, const WprBuiltinIds *builtin);
/* node and its bases, the oldest first. A circle is an error fault that prints it, and ends the
 * chain. Free with g_ptr_array_unref. */
GPtrArray *wpr_resolve_chain (const WprNode *node, const WprBuiltinIds *builtin);

/* A whole number; FALSE if it is not there, or was a fault already. */
gboolean wpr_resolve_number (const WprNode *node, const char *attribute, guint *number);

/* Keywords of a system provider (Keywords, Stacks and their Operation) into a collector's use. */
void wpr_resolve_system_provider (const WprNode *node, WprCollectorUse *use,
                                  const WprBuiltinIds *builtin);
/* The same for a <SystemProviderId> with what it changes. */
void wpr_resolve_system_reference (const WprNode *node, WprCollectorUse *use,
                                   const WprBuiltinIds *builtin);
/* An <EventProviders> of a collector reference. */
void wpr_resolve_event_providers (const WprNode *node, WprCollectorUse *use,
                                  const WprBuiltinIds *builtin);

WprCollectorUse *wpr_collector_use_new (WprUseKind kind, const char *id);
void wpr_collector_use_free (gpointer use);
/* Whether an element has all it must have. A list that lost its names to faults says nothing: it
 * is as if it were not there, and does not clear what is inherited. */
gboolean wpr_node_is_whole (const WprNode *node);
/* Children of a list into names, after its Operation. */
void wpr_resolve_names (GArray *names, const WprNode *list);
/* A <HardwareCounter> or <HardwareCounterId>. */
void wpr_resolve_counters (const WprNode *node, WprCollectorUse *use, const WprBuiltinIds *builtin);
/* EventFilters or EventNameFilters of a provider. */
void wpr_resolve_filter (const WprNode *list, WprEventFilter *filter);
void wpr_provider_use_free (gpointer use);
/* Whether two elements say the same; places do not count. */
gboolean wpr_node_equal (const WprNode *left, const WprNode *right);
/* The buffer group below a collector or a reference to one. */
void wpr_resolve_buffers (const WprNode *node, WprCollectorUse *use, const WprBuiltinIds *builtin);
/* A <Collectors> of a profile. */
void wpr_resolve_collectors (const WprNode *node, GPtrArray *uses, const WprBuiltinIds *builtin);

G_END_DECLS
