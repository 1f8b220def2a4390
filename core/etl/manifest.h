/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Layouts and maps of manifests that a file carries. Private to this room. */
#pragma once

#include "etl/decode-private.h"

G_BEGIN_DECLS

typedef struct
{
  guint32 value;
  const char *text; /* UTF-8 */
} WprEtlMapEntry;

struct _WprEtlMap
{
  gboolean is_bits; /* else values */
  guint n;
  WprEtlMapEntry *entries;
};

typedef struct _WprEtlManifests WprEtlManifests;
/* Reads the file once. */
WprEtlManifests *wpr_etl_manifests_new (const WprEtlFile *file);
void wpr_etl_manifests_free (WprEtlManifests *manifests);
/* Names and rows of an event (classic: id is the opcode); FALSE where the file says nothing. */
gboolean wpr_etl_layout_from_manifest (WprEtlLayout *layout, WprEtlManifests *manifests,
                                       gboolean classic, const WprEtlGuid *guid, guint16 id,
                                       guint16 version);

G_END_DECLS
