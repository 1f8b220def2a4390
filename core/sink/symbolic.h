/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the kernel calls the values of a tracepoint's field, where its print format names each by
 * itself (states, reasons; not bits). Private to this room. */
#pragma once

#include "perf/format.h"

G_BEGIN_DECLS

typedef struct _WprSymbolic WprSymbolic;

/* text: of the format file. NULL: the field has no such names. */
WprSymbolic *wpr_symbolic_new (const char *text, const WprField *field);
void wpr_symbolic_free (WprSymbolic *self);
/* Of the field's bytes in a record; "" for a value without a name. */
const char *wpr_symbolic_name (const WprSymbolic *self, const guint8 *bytes);

G_END_DECLS
