/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sideband records made by hand, byte by byte as the kernel lays them out, for tests of the world.
 */
#pragma once

#include "perf/record.h"
#include "world/world.h"

/* Feeds one record. time: MONOTONIC ns. */
void feed_fork (WprWorld *world, gint64 time, guint32 ppid, guint32 ptid, guint32 pid, guint32 tid);
void feed_exit (WprWorld *world, gint64 time, guint32 pid, guint32 tid);
void feed_comm (WprWorld *world, gint64 time, guint32 pid, guint32 tid, const char *comm,
                gboolean exec);
void feed_mmap (WprWorld *world, gint64 time, guint32 pid, guint32 tid, guint64 start,
                guint64 length, const char *path);
