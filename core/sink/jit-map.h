/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finding the map of names that a JIT compiler left. Private to this room. */
#pragma once

#include "symbols/symbols.h"
#include "trace/trace.h"

G_BEGIN_DECLS

/* perf-PID.map of a process of the recording, open for reading: of the process if it lives, in its
 * own container, else what it left in /tmp. Only a plain file that belongs to the process' user
 * and that nobody else may write. -1 with *state. */
int wpr_jit_map_open (const WprTraceContext *context, const WprProcess *process,
                      WprSymbolsState *state);

G_END_DECLS
