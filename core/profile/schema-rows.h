/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rows that schema.c writes and schema-compile.c reads. */
#pragma once

#include "profile/schema.h"

G_BEGIN_DECLS

typedef struct
{
  const char *name;
  const char *type; /* NULL: as the name */
  const char *attributes, *children, *summary;
} WprElementRow;

extern const WprElementRow wpr_schema_rows[];

G_END_DECLS
