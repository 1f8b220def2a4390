/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bodies of FORK, EXIT, COMM and MMAP2 records. */
#include "config.h"
#include "records.h"

#include <string.h>

static void
feed (WprWorld *world, guint32 type, guint16 misc, gint64 time, guint32 pid, guint32 tid,
      gconstpointer body, gsize size)
{
  WprRecord record = { .type = type,
                       .misc = misc,
                       .row = G_MAXUINT32,
                       .pid = pid,
                       .tid = tid,
                       .time = time,
                       .body = body,
                       .body_size = (guint32)size };
  wpr_world_feed (world, &record);
}

typedef struct
{
  guint32 pid, ppid, tid, ptid;
  gint64 time;
} Task;

void
feed_fork (WprWorld *world, gint64 time, guint32 ppid, guint32 ptid, guint32 pid, guint32 tid)
{
  Task body = { pid, ppid, tid, ptid, time };
  feed (world, PERF_RECORD_FORK, 0, time, ppid, ptid, &body, sizeof body);
}

void
feed_exit (WprWorld *world, gint64 time, guint32 pid, guint32 tid)
{
  Task body = { pid, 1, tid, 1, time };
  feed (world, PERF_RECORD_EXIT, 0, time, pid, tid, &body, sizeof body);
}

void
feed_comm (WprWorld *world, gint64 time, guint32 pid, guint32 tid, const char *comm, gboolean exec)
{
  struct
  {
    guint32 pid, tid;
    char comm[16];
  } body = { pid, tid, "" };
  strncpy (body.comm, comm, sizeof body.comm - 1);
  feed (world, PERF_RECORD_COMM, exec ? PERF_RECORD_MISC_COMM_EXEC : 0, time, pid, tid, &body,
        8 + ((strlen (body.comm) + 8) & ~(gsize)7));
}

void
feed_mmap (WprWorld *world, gint64 time, guint32 pid, guint32 tid, guint64 start, guint64 length,
           const char *path)
{
  struct
  {
    guint32 pid, tid;
    guint64 addr, len, pgoff;
    guint32 maj, min;
    guint64 ino, generation;
    guint32 prot, flags;
    char path[256];
  } body = { pid, tid, start, length, 0, 8, 1, 77, 0, 5, 2, "" };
  g_strlcpy (body.path, path, sizeof body.path);
  gsize size = G_STRUCT_OFFSET (typeof (body), path) + ((strlen (body.path) + 8) & ~(gsize)7);
  feed (world, PERF_RECORD_MMAP2, 0, time, pid, tid, &body, size);
}
