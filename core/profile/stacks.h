/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a system stack name of a .wprp turns on: call chains for the events of its operation. */
#pragma once

#include "wpr-profile.h"

G_BEGIN_DECLS

typedef struct
{
  const char *stack;
  const char *const *keywords; /* one of them must be on, or the stack is a note; NULL: none is
                                  known to bring its events */
  const char *const *events;   /* as in keywords.h; NULL: nothing of the kind on Linux */
  WprStack depth;
} WprStackRow;

/* NULL for a stack name the format does not have. */
const WprStackRow *wpr_stack_find (const char *stack);
const WprStackRow *wpr_stack_get (guint index); /* NULL behind the last */

G_END_DECLS
