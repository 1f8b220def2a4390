/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the name of an event provider leads on Linux: the table of providers.ini, and what an
 * administrator or a person adds to it. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef enum
{
  WPR_TARGET_TRACEPOINT, /* "drm:*" */
  WPR_TARGET_LTTNG,
  WPR_TARGET_USDT,
  WPR_TARGET_UPROBE,
  WPR_TARGET_JOURNAL,
  WPR_TARGET_SAMPLER, /* "meminfo" */
  WPR_TARGET_SOFTWARE /* "major-faults" */
} WprTargetKind;

typedef struct
{
  WprTargetKind kind;
  const char *value; /* behind "tracepoint="; a ? before it: nothing is said where it is missing */
  guint64 keywords;  /* only if one of these is asked for; 0: always */
  guint level;       /* only if this level is asked for; 0: always */
  int event;         /* stands for the Windows event of that number; -1: for none */
} WprTarget;

/* What is wanted of a provider. */
typedef struct
{
  guint64 keywords;     /* 0: all */
  guint level;          /* 0: all */
  gboolean has_ids;     /* EventFilters were given */
  gboolean filter_in;   /* only those events; else all but them */
  const GPtrArray *ids; /* const char *: numbers; NULL: none */
} WprProviderWant;

/* Immutable once loaded. */
typedef struct _WprProviders WprProviders;

/* The compiled-in table, then /etc/wpr/providers.d, then (never for root) the person's own folder;
 * later files replace a provider of the same name. What cannot be read is a warning in faults
 * (WprFault *). */
WprProviders *wpr_providers_new (GPtrArray *faults);
void wpr_providers_free (WprProviders *providers);
/* Adds one file's text; own: from a person's folder, where a probe is refused. FALSE: not
 * understood. */
gboolean wpr_providers_add (WprProviders *providers, const char *text, gsize size, const char *file,
                            gboolean own, GPtrArray *faults);
/* Where a provider leads: array of WprTarget * with values owned by it. NULL: nobody knows. Names
 * in the form "tracepoint:drm:*" lead there by themselves. Free with g_ptr_array_unref. */
GPtrArray *wpr_providers_lookup (const WprProviders *providers, const char *name,
                                 const WprProviderWant *want);
/* Name, GUID ("" if it has none) and where it leads: three char * each, owned. Free with
 * g_ptr_array_unref. */
GPtrArray *wpr_providers_list (const WprProviders *providers);
/* Whether a target stands for the event of that number, as a .wprp writes it. */
gboolean wpr_target_is_event (const WprTarget *target, const char *number);
/* "lttng", "usdt"...: static. */
const char *wpr_target_kind_name (WprTargetKind kind);

G_END_DECLS
