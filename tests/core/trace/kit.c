/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* See kit.h: the writing half. What plays is in kit-play.c. */
#include "config.h"
#include "kit.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <fcntl.h>
#include <string.h>
#include <cmocka.h>

#include "base/files.h"
#include "kit-formats.h"
#include "perf/event.h"
#include "wpr-profile.h"

#define TRACEPOINT_TYPE \
  (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_RAW)
#define SAMPLE_TYPE                                                                               \
  (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_IP \
   | PERF_SAMPLE_CALLCHAIN)
#define FAULT_TYPE                                                                                \
  (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_IP \
   | PERF_SAMPLE_ADDR)
#define SIDEBAND_TYPE \
  (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU)

static const struct
{
  const char *name;
  WprPerfKind kind;
  guint64 sample_type;
  const char *format;
} rows[N_ROWS] = {
  [ROW_SWITCH] = { "sched:sched_switch", WPR_PERF_TRACEPOINT, TRACEPOINT_TYPE, format_switch },
  [ROW_WAKING] = { "sched:sched_waking", WPR_PERF_TRACEPOINT, TRACEPOINT_TYPE, format_waking },
  [ROW_WAKEUP_NEW]
  = { "sched:sched_wakeup_new", WPR_PERF_TRACEPOINT, TRACEPOINT_TYPE, format_wakeup_new },
  [ROW_CPU_CLOCK] = { "cpu-clock", WPR_PERF_SOFTWARE, SAMPLE_TYPE, NULL },
  [ROW_PAGE_FAULTS] = { "page-faults", WPR_PERF_SOFTWARE, FAULT_TYPE, NULL },
  [ROW_MAJOR_FAULTS] = { "major-faults", WPR_PERF_SOFTWARE, FAULT_TYPE, NULL },
  [ROW_RQ_ISSUE] = { "block:block_rq_issue", WPR_PERF_TRACEPOINT, TRACEPOINT_TYPE, format_issue },
  [ROW_RQ_COMPLETE]
  = { "block:block_rq_complete", WPR_PERF_TRACEPOINT, TRACEPOINT_TYPE, format_complete },
  [ROW_RQ_INSERT]
  = { "block:block_rq_insert", WPR_PERF_TRACEPOINT, TRACEPOINT_TYPE, format_insert },
  [ROW_BIO_QUEUE] = { "block:block_bio_queue", WPR_PERF_TRACEPOINT, TRACEPOINT_TYPE, format_bio },
  [ROW_YIELD]
  = { "syscalls:sys_enter_sched_yield", WPR_PERF_TRACEPOINT, TRACEPOINT_TYPE, format_yield },
  [ROW_YIELDED]
  = { "syscalls:sys_exit_sched_yield", WPR_PERF_TRACEPOINT, TRACEPOINT_TYPE, format_yielded },
  [ROW_SYS_ENTER]
  = { "raw_syscalls:sys_enter", WPR_PERF_TRACEPOINT, TRACEPOINT_TYPE, format_sys_enter },
  [ROW_SYS_EXIT]
  = { "raw_syscalls:sys_exit", WPR_PERF_TRACEPOINT, TRACEPOINT_TYPE, format_sys_exit },
  [ROW_SIDEBAND] = { "sideband", WPR_PERF_SIDEBAND, SIDEBAND_TYPE, NULL },
};

guint64
kit_id (Row row, guint cpu)
{
  return 100 + (guint64)row * 16 + cpu;
}

Kit *
kit_new (gboolean memory, guint n_collectors, guint n_cpus)
{
  Kit *kit = g_new0 (Kit, 1);
  kit->parent = g_dir_make_tmp ("wpr-trace-XXXXXX", NULL);
  kit->n_cpus = n_cpus;
  kit->n_collectors = n_collectors;
  kit->sideband = g_byte_array_new ();
  WprManifest *manifest = kit->manifest = wpr_manifest_new ();
  manifest->instance = g_strdup ("WPR");
  manifest->tool_version = g_strdup ("0");
  manifest->host = g_strdup ("testhost");
  manifest->kernel = g_strdup ("6.18.0");
  manifest->boot_id = g_strdup ("01234567-89ab-cdef-0123-456789abcdef");
  manifest->mode = memory ? WPR_MODE_MEMORY : WPR_MODE_FILE;
  manifest->n_cpus = n_cpus;
  manifest->max_possible_cpu = n_cpus - 1;
  manifest->page_size = 4096;
  for (guint c = 0; c < n_collectors; c++)
    {
      WprStoreCollector collector = { .name = g_strdup_printf ("collector %u", c),
                                      .session = g_strdup ("session"),
                                      .ring_bytes = 1 << 20 };
      g_array_append_val (manifest->collectors, collector);
      for (guint cpu = 0; cpu < n_cpus; cpu++)
        kit->pending[c][cpu] = g_byte_array_new ();
    }
  for (guint i = 0; i < N_ROWS; i++)
    {
      WprStoreEvent event = { .row = i,
                              .name = g_strdup (rows[i].name),
                              .kind = rows[i].kind,
                              .sample_type = rows[i].sample_type,
                              .period = 1,
                              .format = g_strdup (rows[i].format) };
      g_array_append_val (manifest->events, event);
      for (guint cpu = 0; cpu < n_cpus; cpu++)
        {
          WprStoreId id = { kit_id (i, cpu), i, cpu };
          g_array_append_val (manifest->ids, id);
        }
    }
  return kit;
}

void
kit_drop_row (Kit *kit, Row row)
{
  for (guint i = 0; i < kit->manifest->events->len; i++)
    {
      WprStoreEvent *event = &g_array_index (kit->manifest->events, WprStoreEvent, i);
      if (event->row != row)
        continue;
      g_free (event->name);
      event->name = g_strdup ("test:dropped");
      g_clear_pointer (&event->format, g_free);
    }
}

Row
kit_add_row (Kit *kit, const char *name, const char *format)
{
  guint row = kit->manifest->events->len;
  WprStoreEvent event = { .row = row,
                          .name = g_strdup (name),
                          .kind = format != NULL ? WPR_PERF_TRACEPOINT : WPR_PERF_SOFTWARE,
                          .sample_type = format != NULL ? TRACEPOINT_TYPE : FAULT_TYPE,
                          .period = 1,
                          .format = g_strdup (format) };
  g_array_append_val (kit->manifest->events, event);
  for (guint cpu = 0; cpu < kit->n_cpus; cpu++)
    {
      WprStoreId id = { kit_id (row, cpu), row, cpu };
      g_array_append_val (kit->manifest->ids, id);
    }
  return row;
}

void
kit_begin (Kit *kit, const WprStoreLimits *limits)
{
  static const WprStoreLimits none = { 0 };
  GError *error = NULL;
  kit->store = wpr_store_create (kit->parent, g_steal_pointer (&kit->manifest),
                                 limits != NULL ? limits : &none, &error);
  assert_null (error);
  assert_non_null (kit->store);
}

void
kit_flush (Kit *kit)
{
  for (guint c = 0; c < kit->n_collectors; c++)
    for (guint cpu = 0; cpu < kit->n_cpus; cpu++)
      {
        GByteArray *bytes = kit->pending[c][cpu];
        if (bytes->len == 0)
          continue;
        int fd = wpr_store_data_fd (kit->store, c, cpu, NULL);
        assert_true (fd >= 0 && wpr_write_all (fd, bytes->data, bytes->len, NULL));
        wpr_store_wrote (kit->store, c, cpu, bytes->len);
        g_byte_array_set_size (bytes, 0);
      }
  if (kit->sideband->len > 0)
    {
      int fd = wpr_store_sideband_fd (kit->store, NULL);
      assert_true (fd >= 0 && wpr_write_all (fd, kit->sideband->data, kit->sideband->len, NULL));
      wpr_store_wrote_sideband (kit->store, kit->sideband->len);
      g_byte_array_set_size (kit->sideband, 0);
    }
}

void
kit_rotate (Kit *kit)
{
  kit_flush (kit);
  assert_true (wpr_store_rotate (kit->store, NULL));
}

void
kit_finish (Kit *kit, WprTime stop)
{
  kit_flush (kit);
  if (stop >= 0)
    {
      WprClockReading reading = { stop, stop + SLEPT, stop + WALL };
      kit_note (kit, WPR_NOTE_STOPPED, 0, stop, &reading, sizeof reading);
    }
  kit->path = g_strdup (wpr_store_get_path (kit->store));
  wpr_store_close (g_steal_pointer (&kit->store));
}

void
kit_free (Kit *kit)
{
  if (kit == NULL)
    return;
  if (kit->store != NULL)
    wpr_store_close (kit->store);
  g_clear_pointer (&kit->manifest, wpr_manifest_free);
  for (guint c = 0; c < kit->n_collectors; c++)
    for (guint cpu = 0; cpu < kit->n_cpus; cpu++)
      g_byte_array_unref (kit->pending[c][cpu]);
  g_byte_array_unref (kit->sideband);
  wpr_remove_tree_at (AT_FDCWD, kit->parent, NULL);
  g_free (kit->parent);
  g_free (kit->path);
  g_free (kit);
}

/* ---- records ---- */

static void
put (GByteArray *bytes, gconstpointer data, guint size)
{
  g_byte_array_append (bytes, data, size);
}

static void
put_u32 (GByteArray *bytes, guint32 value)
{
  put (bytes, &value, sizeof value);
}

static void
put_u64 (GByteArray *bytes, guint64 value)
{
  put (bytes, &value, sizeof value);
}

/* type, misc, size; patched by end_record. */
static guint
begin_record (GByteArray *bytes, guint32 type, guint16 misc)
{
  guint at = bytes->len;
  put_u32 (bytes, type);
  put (bytes, &misc, 2);
  put (bytes, "\0\0", 2);
  return at;
}

static void
end_record (GByteArray *bytes, guint at)
{
  while ((bytes->len - at) % 8 != 0)
    put (bytes, "", 1);
  guint16 size = (guint16)(bytes->len - at);
  memcpy (bytes->data + at + 6, &size, sizeof size);
}

static void
put_trailer (GByteArray *bytes, Row row, guint cpu, WprTime time, guint32 pid, guint32 tid)
{
  while (bytes->len % 8 != 0)
    put (bytes, "", 1);
  put_u32 (bytes, pid);
  put_u32 (bytes, tid);
  put_u64 (bytes, (guint64)time);
  put_u32 (bytes, cpu);
  put_u32 (bytes, 0);
  put_u64 (bytes, kit_id (row, cpu));
}

void
kit_bytes (Kit *kit, guint cpu, gconstpointer bytes, guint size)
{
  put (kit->pending[kit->collector][cpu], bytes, size);
}

void
kit_sample (Kit *kit, Row row, guint cpu, WprTime time, guint32 pid, guint32 tid, gconstpointer raw,
            guint32 raw_size)
{
  GByteArray *bytes = kit->pending[kit->collector][cpu];
  guint at = begin_record (bytes, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL);
  put_u64 (bytes, kit_id (row, cpu));
  put_u32 (bytes, pid);
  put_u32 (bytes, tid);
  put_u64 (bytes, (guint64)time);
  put_u32 (bytes, cpu);
  put_u32 (bytes, 0);
  /* The kernel's size covers its padding: 4 + size is a multiple of 8. */
  guint32 padded = (raw_size + 4 + 7) / 8 * 8 - 4;
  put_u32 (bytes, padded);
  put (bytes, raw, raw_size);
  end_record (bytes, at);
}

static void
put_common (guint8 *raw, guint16 type, guint8 flags, guint32 tid)
{
  memcpy (raw, &type, 2);
  raw[2] = flags;
  memcpy (raw + 4, &tid, 4);
}

static void
at_u32 (guint8 *raw, guint offset, guint32 value)
{
  memcpy (raw + offset, &value, 4);
}

static void
at_u64 (guint8 *raw, guint offset, guint64 value)
{
  memcpy (raw + offset, &value, 8);
}

void
kit_switch (Kit *kit, guint cpu, WprTime time, guint32 prev, gint64 state, guint32 next)
{
  guint8 raw[64] = { 0 };
  put_common (raw, 372, 0, prev);
  at_u32 (raw, 24, prev);
  at_u32 (raw, 28, 120);
  at_u64 (raw, 32, (guint64)state);
  at_u32 (raw, 56, next);
  at_u32 (raw, 60, 115);
  kit_sample (kit, ROW_SWITCH, cpu, time, prev, prev, raw, sizeof raw);
}

void
kit_waking (Kit *kit, guint cpu, WprTime time, guint32 by, guint32 tid, guint32 target)
{
  guint8 raw[36] = { 0 };
  put_common (raw, 375, 0, by);
  at_u32 (raw, 24, tid);
  at_u32 (raw, 28, 110);
  at_u32 (raw, 32, target);
  kit_sample (kit, ROW_WAKING, cpu, time, by, by, raw, sizeof raw);
}

void
kit_request (Kit *kit, Row row, guint cpu, WprTime time, guint32 tid, guint32 dev, guint64 sector,
             guint32 n_sectors, const char *rwbs)
{
  guint8 raw[64] = { 0 };
  put_common (raw, 2100, 0, tid);
  at_u32 (raw, 8, dev);
  at_u64 (raw, 16, sector);
  at_u32 (raw, 24, n_sectors);
  if (row == ROW_RQ_COMPLETE)
    at_u32 (raw, 28, (guint32)-5);
  memcpy (raw + (row == ROW_BIO_QUEUE ? 28 : 34), rwbs, strlen (rwbs));
  kit_sample (kit, row, cpu, time, tid, tid, raw, sizeof raw);
}

void
kit_plain (Kit *kit, Row row, guint cpu, WprTime time, guint32 tid)
{
  guint8 raw[64] = { 0 };
  put_common (raw, 388, 0, tid);
  at_u32 (raw, 8, 24); /* sched_yield on x86-64 */
  kit_sample (kit, row, cpu, time, tid, tid, raw, sizeof raw);
}

void
kit_clock_sample (Kit *kit, guint cpu, WprTime time, guint32 tid, guint64 ip)
{
  GByteArray *bytes = kit->pending[kit->collector][cpu];
  guint at = begin_record (bytes, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
  put_u64 (bytes, kit_id (ROW_CPU_CLOCK, cpu));
  put_u64 (bytes, ip);
  put_u32 (bytes, tid);
  put_u32 (bytes, tid);
  put_u64 (bytes, (guint64)time);
  put_u32 (bytes, cpu);
  put_u32 (bytes, 0);
  put_u64 (bytes, 3);
  put_u64 (bytes, (guint64)PERF_CONTEXT_USER);
  put_u64 (bytes, ip);
  put_u64 (bytes, ip + 64);
  end_record (bytes, at);
}

void
kit_fault (Kit *kit, Row row, guint cpu, WprTime time, guint32 tid, guint64 ip, guint64 addr)
{
  GByteArray *bytes = kit->pending[kit->collector][cpu];
  guint at = begin_record (bytes, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
  put_u64 (bytes, kit_id (row, cpu));
  put_u64 (bytes, ip);
  put_u32 (bytes, tid);
  put_u32 (bytes, tid);
  put_u64 (bytes, (guint64)time);
  put_u64 (bytes, addr);
  put_u32 (bytes, cpu);
  put_u32 (bytes, 0);
  end_record (bytes, at);
}

void
kit_use_switch_records (Kit *kit)
{
  WprStoreEvent event = { .row = kit->manifest->events->len,
                          .name = g_strdup ("switches"),
                          .kind = 4, /* WPR_PERF_SWITCHES, which manifests keep */
                          .sample_type = SIDEBAND_TYPE };
  kit_drop_row (kit, ROW_SWITCH);
  g_array_append_val (kit->manifest->events, event);
}

/* Of an event that samples, as the opener of own programs has it. */
void
kit_switch_record (Kit *kit, guint cpu, WprTime time, guint32 tid, gboolean out, gboolean preempted,
                   guint32 other)
{
  GByteArray *bytes = kit->pending[kit->collector][cpu];
  guint16 misc = (out ? 1 << 13 : 0) | (preempted ? 1 << 14 : 0);
  guint at = begin_record (bytes, other == G_MAXUINT32 ? 14 : 15, misc);
  if (other != G_MAXUINT32)
    {
      put_u32 (bytes, other);
      put_u32 (bytes, other);
    }
  put_trailer (bytes, ROW_CPU_CLOCK, cpu, time, tid, tid);
  end_record (bytes, at);
}

void
kit_lost (Kit *kit, guint cpu, WprTime time, Row row, guint64 lost)
{
  GByteArray *bytes = kit->pending[kit->collector][cpu];
  guint at = begin_record (bytes, PERF_RECORD_LOST, 0);
  put_u64 (bytes, kit_id (row, cpu));
  put_u64 (bytes, lost);
  put_trailer (bytes, row, cpu, time, 0, 0);
  end_record (bytes, at);
}

void
kit_throttle (Kit *kit, guint cpu, WprTime time, Row row, gboolean end)
{
  GByteArray *bytes = kit->pending[kit->collector][cpu];
  guint at = begin_record (bytes, end ? PERF_RECORD_UNTHROTTLE : PERF_RECORD_THROTTLE, 0);
  put_u64 (bytes, (guint64)time);
  put_u64 (bytes, kit_id (row, cpu));
  put_u64 (bytes, kit_id (row, cpu));
  put_trailer (bytes, row, cpu, time, 7, 7);
  end_record (bytes, at);
}

/* ---- sideband ---- */

static void
put_task (Kit *kit, guint32 type, guint cpu, WprTime time, guint32 pid, guint32 ppid, guint32 tid,
          guint32 ptid)
{
  guint at = begin_record (kit->sideband, type, 0);
  put_u32 (kit->sideband, pid);
  put_u32 (kit->sideband, ppid);
  put_u32 (kit->sideband, tid);
  put_u32 (kit->sideband, ptid);
  put_u64 (kit->sideband, (guint64)time);
  put_trailer (kit->sideband, ROW_SIDEBAND, cpu, time, ppid, ptid);
  end_record (kit->sideband, at);
}

void
kit_fork (Kit *kit, guint cpu, WprTime time, guint32 pid, guint32 ppid, guint32 tid, guint32 ptid)
{
  put_task (kit, PERF_RECORD_FORK, cpu, time, pid, ppid, tid, ptid);
}

void
kit_exit (Kit *kit, guint cpu, WprTime time, guint32 pid, guint32 tid)
{
  put_task (kit, PERF_RECORD_EXIT, cpu, time, pid, 1, tid, 1);
}

void
kit_comm (Kit *kit, guint cpu, WprTime time, guint32 pid, guint32 tid, const char *comm,
          gboolean exec)
{
  guint at = begin_record (kit->sideband, PERF_RECORD_COMM, exec ? PERF_RECORD_MISC_COMM_EXEC : 0);
  put_u32 (kit->sideband, pid);
  put_u32 (kit->sideband, tid);
  put (kit->sideband, comm, (guint)strlen (comm) + 1);
  put_trailer (kit->sideband, ROW_SIDEBAND, cpu, time, pid, tid);
  end_record (kit->sideband, at);
}

void
kit_mmap (Kit *kit, guint cpu, WprTime time, guint32 pid, guint64 start, guint64 length,
          guint64 page_offset, const char *path)
{
  guint at = begin_record (kit->sideband, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
  put_u32 (kit->sideband, pid);
  put_u32 (kit->sideband, pid);
  put_u64 (kit->sideband, start);
  put_u64 (kit->sideband, length);
  put_u64 (kit->sideband, page_offset);
  put_u32 (kit->sideband, 8);
  put_u32 (kit->sideband, 1);
  put_u64 (kit->sideband, 4711);
  put_u64 (kit->sideband, 0);
  put_u32 (kit->sideband, 5); /* PROT_READ|PROT_EXEC */
  put_u32 (kit->sideband, 2); /* MAP_PRIVATE */
  put (kit->sideband, path, (guint)strlen (path) + 1);
  put_trailer (kit->sideband, ROW_SIDEBAND, cpu, time, pid, pid);
  end_record (kit->sideband, at);
}

void
kit_note (Kit *kit, WprNoteKind kind, guint cpu, WprTime time, gconstpointer payload, gsize size)
{
  assert_true (wpr_store_add_note (kit->store, kind, cpu, time, 11, 12, payload, size, NULL));
}

void
kit_clock (Kit *kit, WprTime time, gint64 slept, gint64 wall)
{
  WprClockReading reading = { time, time + slept, time + wall };
  kit_note (kit, WPR_NOTE_CLOCK, 0, time, &reading, sizeof reading);
}
