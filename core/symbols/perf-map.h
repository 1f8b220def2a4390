/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* perf-PID.map: what a JIT compiler says of the code it made, "START SIZE NAME" a line, in
 * hexadecimal. A stranger's text. */
#pragma once

#include "symbols/symbols.h"
#include "symbols/table.h"

G_BEGIN_DECLS

/* The map that a process left: fd of it, known to be the process' own plain file. Of two functions
 * at one address the later line holds. NULL with *state. */
WprNameTable *wpr_perf_map_read (int fd, WprSymbolsState *state);

G_END_DECLS
