/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One variant of a profile with everything it inherits: what it wants, in the format's own words.
 * Strings are borrowed from the documents. What Linux makes of it is the plan's part. */
#pragma once

#include "profile/document.h"

G_BEGIN_DECLS

/* A system keyword or stack, or a pool tag. */
typedef struct
{
  const char *value;
  const WprNode *node; /* where it was said first */
  gboolean strict;
  gboolean custom; /* a bare mask or hook number: means something to Windows only */
} WprNamed;

/* Which events of a provider are wanted. */
typedef struct
{
  gboolean is_set;
  gboolean filter_in; /* only these; else all but these */
  GPtrArray *values;  /* const char *; NULL: none */
} WprEventFilter;

/* An event provider as one collector uses it. */
typedef struct
{
  const WprNode *node; /* the EventProvider */
  const char *id;
  const char *name; /* GUID, name, "*name", or "tracepoint:drm:*" */
  guint level;      /* 0: everything */
  guint64 keywords; /* 0: everything */
  gboolean strict, stack, capture_state_only, non_paged;
  const char *exe_filter;    /* ProcessExeFilter, NULL: all programs */
  WprEventFilter ids, names; /* EventFilters, EventNameFilters */
} WprProviderUse;

/* A counter of the processor. */
typedef struct
{
  const char *name; /* as the file says it */
  const WprNode *node;
  guint interval; /* SampledCounter's Interval; 0: not said */
  gboolean is_sampled, strict;
  const WprNode *source; /* ProfileSource of that name, NULL: none */
} WprCounterUse;

typedef enum
{
  WPR_USE_SYSTEM,
  WPR_USE_EVENT,
  WPR_USE_HEAP,
  WPR_USE_HYPERVISOR
} WprUseKind;

/* The words of the buffer group. */
typedef enum
{
  WPR_BUFFER_SIZE,
  WPR_BUFFER_NUMBER,
  WPR_BUFFER_STACK_CACHING,
  WPR_BUFFER_MAXIMUM_FILE_SIZE,
  WPR_BUFFER_FILE_MAX,
  WPR_BUFFER_FLUSH_TIMER,
  WPR_BUFFER_FLUSH_THRESHOLD,
  WPR_BUFFER_WORDS
} WprBufferWord;

/* A collector as one profile uses it. */
typedef struct
{
  WprUseKind kind;
  const WprNode *node; /* the collector's element */
  const char *id, *name;
  const WprNode *words[WPR_BUFFER_WORDS]; /* where each was said last; NULL: nowhere */
  guint buffer_kb;                        /* BufferSize */
  double buffers;                         /* a number, or percent of memory */
  gboolean is_percent;                    /* PercentageOfTotalMemory */
  guint max_space_mb;                     /* MaximumBufferSpace, 0: not given */
  guint max_file_mb;                      /* MaximumFileSize, 0: not given */
  gboolean is_sequential;                 /* its FileMode */
  guint file_max;                         /* FileMax, 0: not given */
  guint flush_timer_s;                    /* FlushTimer, 0: not given */
  guint stack_cache_kb;                   /* CacheSize of StackCaching, 0: not given */
  guint flush_buffers;                    /* FlushThreshold, 0: not given */
  gboolean buffers_own;                   /* a number comes from a file that is not built in */
  GArray *keywords, *stacks;              /* WprNamed; system collectors only */
  GArray *pool_tags;                      /* WprNamed */
  GArray *counters;                       /* WprCounterUse */
  GPtrArray *providers;                   /* WprProviderUse * */
  GHashTable *provider_ids;               /* id -> WprProviderUse * */
} WprCollectorUse;

typedef struct
{
  const WprNode *node; /* the Profile element */
  const char *id, *name, *description;
  WprLevel level;
  WprMode mode;
  gboolean internal, is_default;
  GPtrArray *categories; /* const char * */
  GPtrArray *collectors; /* WprCollectorUse * */
  GHashTable *used;      /* const WprNode *: definitions it is made of, bases too */
} WprVariant;

/* What resolving needs beside the file. */
typedef struct
{
  GHashTable *ids;  /* Id -> WprNode * of the built-in profiles */
  GHashTable *used; /* gathers const WprNode *; NULL: nobody asks */
} WprBuiltinIds;

/* Resolves a Profile element; adds faults to its document (and an error fault where the variant
 * cannot be used). Never NULL. */
WprVariant *wpr_variant_new (const WprNode *profile, const WprBuiltinIds *builtin);
void wpr_variant_free (WprVariant *variant);

G_END_DECLS
