/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The making of a plan: what its steps share. A plan is built once, then never changed. */
#pragma once

#include "profile/library.h"

G_BEGIN_DECLS

/* Bytes of a CPU's sideband ring, in both modes; it is drained ten times a second, and a started
 * program takes 736 bytes: room for 7 000 of them a second on one CPU. */
#define WPR_PLAN_SIDEBAND_RING_BYTES (512 * 1024)
/* Most profiles of one recording, as in WPR. */
#define WPR_PLAN_MOST_PROFILES 64

/* A collector while it is made. The public part is first. */
typedef struct
{
  WprPlanCollector collector;
  GPtrArray *items;             /* WprItemBuild * */
  guint64 bytes;                /* wanted in all: the most any profile asks for */
  double buffers;               /* in number; 0 where memory is shared out by percent */
  gboolean is_own;              /* a number comes from a person's file or the choice */
  const WprNode *first, *other; /* collectors that ask for different buffers; other NULL: none */
  gboolean is_used;             /* has, or with rights would have, something for its rings */
} WprCollectorBuild;

typedef struct
{
  WprPlanItem item;
  GPtrArray *asked_by, *keywords, *profiles;
  GPtrArray *filters;  /* const char *: of those that do not want it whole */
  GPtrArray *programs; /* const char *: whose threads are looked up at the start */
  gboolean is_whole;   /* somebody wants all of it */
} WprItemBuild;

typedef struct
{
  WprPlanMissing missing;
  GPtrArray *asked_by;
} WprMissingBuild;

/* A plan with all it owns; `plan` first. */
typedef struct
{
  WprPlan plan;
  gatomicrefcount ref_count;
  GStringChunk *strings; /* every string of the plan */
  GPtrArray *profiles, *titles, *collectors, *missing, *notices, *notes;
} WprPlanOwner;

/* A variant that was chosen. */
typedef struct
{
  const WprProfile *profile;
  const WprVariant *variant;
} WprChosen;

typedef struct
{
  WprPlanOwner *owner;
  WprLibrary *library;
  const WprChoice *choice;
  const WprMachine *machine;
  GArray *chosen;        /* WprChosen */
  GHashTable *items;     /* name -> WprItemBuild * */
  GHashTable *missing;   /* what -> WprMissingBuild * */
  GHashTable *providers; /* name -> const WprProviderUse *, as first asked for */
  WprCollectorBuild *system;
  gboolean has_kernel_item; /* of those that need rights */
  GHashTable *denied;       /* profiles of which something needs more rights */
} WprPlanBuild;

/* Who asks for something. */
typedef struct
{
  const char *text;    /* "CPU: keyword CSwitch", translated; NULL: nobody, it is always there */
  const char *keyword; /* NULL: none */
  const char *profile; /* NULL: none */
  gboolean strict;
  const char *filter;        /* only these events of it, as the kernel reads it; NULL: all */
  gboolean is_pool_filter;   /* the filter is about slab caches, else about programs */
  const GPtrArray *programs; /* const char *: those of the filter, in full; NULL: none */
} WprAsker;

const char *wpr_plan_string (WprPlanBuild *build, const char *text);
void wpr_plan_notice (WprPlanBuild *build, const char *format, ...) G_GNUC_PRINTF (2, 3);
void wpr_plan_add_missing (WprPlanBuild *build, const char *what, WprMissingReason reason,
                           const char *text, const WprAsker *asker);
WprCollectorBuild *wpr_plan_get_collector (WprPlanBuild *build, WprCollectorKind kind,
                                           const char *name);

/* WprChosen of a choice, as a plan would take them; NULL with an error. For the export. */
GArray *wpr_plan_choose_for_export (WprLibrary *library, const WprChoice *choice, GError **error);

/* Steps, in order. */
gboolean wpr_plan_choose (WprPlanBuild *build, GError **error); /* plan-choose.c */
void wpr_plan_collect (WprPlanBuild *build);                    /* plan-collect.c */
void wpr_plan_grant_buffers (WprPlanBuild *build);              /* plan-buffers.c */
void wpr_plan_digest (WprPlanBuild *build);                     /* plan-digest.c */

/* One event, as keywords.h writes it, into a collector (plan-items.c). */
void wpr_plan_add_event (WprPlanBuild *build, WprCollectorBuild *collector, const char *event,
                         WprStack stack, const WprAsker *asker);
/* The item an event of the tables became, NULL if none. */
WprItemBuild *wpr_plan_find_item (WprPlanBuild *build, const char *event);

/* One event provider of a collector (plan-providers.c). */
void wpr_plan_add_provider (WprPlanBuild *build, WprCollectorBuild *collector,
                            const WprChosen *chosen, const WprProviderUse *use);
/* A counter that takes a sample each `period` counts. */
void wpr_plan_add_counter_item (WprPlanBuild *build, WprCollectorBuild *collector, WprItemKind kind,
                                const char *name, guint64 period, const WprAsker *asker);
/* Counters of a collector (plan-counters.c). */
void wpr_plan_add_counters (WprPlanBuild *build, WprCollectorBuild *collector,
                            const WprChosen *chosen, const WprCollectorUse *use);
/* Kernel filters, NULL for none; free with g_free (plan-filter.c). The names of the programs are
 * added to `programs` (char *). */
char *wpr_plan_exe_filter (WprPlanBuild *build, const WprChosen *chosen, const WprProviderUse *use,
                           GPtrArray *programs);
char *wpr_plan_pool_filter (const WprCollectorUse *use);
void wpr_item_build_ask_filter (WprPlanBuild *build, WprItemBuild *item, const WprAsker *asker);
void wpr_plan_finish_filters (WprPlanBuild *build);
/* What the rights allow (plan-rights.c): taken first, told last. */
void wpr_plan_take_rights (WprPlanBuild *build);
void wpr_plan_finish_rights (WprPlanBuild *build);
gboolean wpr_plan_may (const WprPlanBuild *build, WprItemKind kind);
/* Why an item that they do not allow is missing. */
const char *wpr_plan_denial (const WprPlanBuild *build);
/* Without the rights for tracepoints: which item tells the same. */
gboolean wpr_plan_find_stand_in (const WprPlanBuild *build, const char *event, WprItemKind *kind,
                                 const char **instead);
/* Limits of files and notes of the chosen variants (plan-limits.c). */
void wpr_plan_ask_limits (WprPlanBuild *build, const WprChosen *chosen, const WprCollectorUse *use);
void wpr_plan_finish_limits (WprPlanBuild *build);
void wpr_plan_add_notes (WprPlanBuild *build);
/* " (FILE:LINE)" of an element that is not built in, else "". Free with g_free. */
char *wpr_plan_place (const WprNode *node);

/* Numbers of a choice; FALSE with WPR_ERROR_USAGE and the limit. */
gboolean wpr_plan_check_choice (const WprChoice *choice, GError **error);

G_END_DECLS
