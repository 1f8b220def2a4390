/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names as people write them, of names as compilers of C++, Rust and D encode them. */
#pragma once

#include "symbols/symbols.h"

G_BEGIN_DECLS

/* Replaces the names of all functions found; what cannot be decoded stays as it is. Where the
 * program was built without libiberty nothing changes. FALSE if it was cancelled. */
gboolean wpr_demangle_images (GPtrArray *images, gint64 deadline_us, GCancellable *cancellable);

G_END_DECLS
