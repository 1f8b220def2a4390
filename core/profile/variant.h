/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One variant of a profile with everything it inherits: what it wants, in the format's own words.
 * Strings are borrowed from the documents. What Linux makes of it is the plan's part. */
#pragma once

#include "profile/document.h"

G_BEGIN_DECLS

/* A system keyword or stack. */
typedef struct
{
  const char *value;
  gboolean strict;
  gboolean custom; /* a bare mask or hook number: means something to Windows only */
} WprNamed;

/* An event provider as one collector uses it. */
typedef struct
{
  const char *id;
  const char *name; /* GUID, name, "*name", or "tracepoint:drm:*" */
  guint level;      /* 0: everything */
  guint64 keywords; /* 0: everything */
  gboolean strict, stack, capture_state_only;
} WprProviderUse;

typedef enum
{
  WPR_USE_SYSTEM,
  WPR_USE_EVENT,
  WPR_USE_HEAP,
  WPR_USE_HYPERVISOR
} WprUseKind;

/* A collector as one profile uses it. */
typedef struct
{
  WprUseKind kind;
  const char *id, *name;
  guint buffer_kb;           /* BufferSize */
  double buffers;            /* a number, or percent of memory */
  gboolean is_percent;       /* PercentageOfTotalMemory */
  guint max_space_mb;        /* MaximumBufferSpace, 0: not given */
  guint max_file_mb;         /* MaximumFileSize, 0: not given */
  gboolean buffers_own;      /* a number comes from a file that is not built in */
  gboolean has_counters;     /* HardwareCounter */
  GArray *keywords, *stacks; /* WprNamed; system collectors only */
  GPtrArray *providers;      /* WprProviderUse * */
  GHashTable *provider_ids;  /* id -> WprProviderUse * */
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
} WprVariant;

/* Where an Id leads that is not in the file itself: Id -> WprNode * of the built-in profiles. */
typedef GHashTable WprBuiltinIds;

/* Resolves a Profile element; adds faults to its document (and an error fault where the variant
 * cannot be used). Never NULL. */
WprVariant *wpr_variant_new (const WprNode *profile, const WprBuiltinIds *builtin);
void wpr_variant_free (WprVariant *variant);

G_END_DECLS
