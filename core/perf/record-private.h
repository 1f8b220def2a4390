/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What record.c asks the id table beyond ids. */
#pragma once

#include "perf/record.h"

/* The row of faults, if there is one and only one. */
gboolean wpr_id_table_fault (const WprIdTable *table, guint32 *row, guint64 *sample_type);
