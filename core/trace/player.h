/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pass 2: all lanes merged by time into the sinks. */
#pragma once

#include "trace/trace-private.h"

G_BEGIN_DECLS

/* After wpr_trace_collect. Begins, feeds and ends the sinks. */
gboolean wpr_trace_merge (WprTrace *trace, WprSink *const *sinks, gsize n_sinks, WprPulse *pulse,
                          GError **error);

G_END_DECLS
