/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Made-up system calls on files become operations: joined by thread, with the file each descriptor
 * is; also where records are missing. */
#include "config.h"
#include "kit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <cmocka.h>

#include "kit-formats.h"
#include "perf/event.h"
#include "store/payload.h"

#define TYPE \
  (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_RAW)
#define PID 500u
#define T(n) (SECOND + (n)*MS)

/* Rows behind the kit's. */
typedef enum
{
  CALL_OPENAT,
  CALL_READ,
  CALL_WRITE,
  CALL_PREAD,
  CALL_CLOSE,
  CALL_DUP2,
  CALL_LSEEK,
  CALL_UNLINK,
  CALL_STATX,
  CALL_FCNTL,
  N_CALLS
} TestCall;
#define ROW_ENTER(call) ((Row)(N_ROWS + 2 * (call)))
#define ROW_EXIT(call) ((Row)(N_ROWS + 2 * (call) + 1))
#define ROW_PROBE ((Row)(N_ROWS + 2 * N_CALLS))

static const struct
{
  const char *name, *arguments[5];
} call_rows[N_CALLS] = {
  [CALL_OPENAT] = { "openat", { "dfd", "filename", "flags", "mode" } },
  [CALL_READ] = { "read", { "fd", "buf", "count" } },
  [CALL_WRITE] = { "write", { "fd", "buf", "count" } },
  [CALL_PREAD] = { "pread64", { "fd", "buf", "count", "pos" } },
  [CALL_CLOSE] = { "close", { "fd" } },
  [CALL_DUP2] = { "dup2", { "oldfd", "newfd" } },
  [CALL_LSEEK] = { "lseek", { "fd", "offset", "whence" } },
  [CALL_UNLINK] = { "unlinkat", { "dfd", "pathname", "flag" } },
  [CALL_STATX] = { "statx", { "dfd", "filename", "flags", "mask" } },
  [CALL_FCNTL] = { "fcntl", { "fd", "cmd", "arg" } },
};

static void
add_row (Kit *kit, guint row, char *name, char *format, gboolean as_file)
{
  WprStoreEvent event = { .row = row,
                          .name = name,
                          .kind = WPR_PERF_TRACEPOINT,
                          .sample_type = TYPE,
                          .period = 1,
                          .format = format,
                          .as_file = as_file };
  g_array_append_val (kit->manifest->events, event);
  for (guint cpu = 0; cpu < kit->n_cpus; cpu++)
    {
      WprStoreId id = { kit_id (row, cpu), row, cpu };
      g_array_append_val (kit->manifest->ids, id);
    }
}

/* copies: the kernel has the name itself in openat's record. */
static Kit *
new_kit (gboolean probe, gboolean copies, gboolean as_file)
{
  Kit *kit = kit_new (FALSE, 1, 2);
  for (guint c = 0; c < N_CALLS; c++)
    {
      g_autoptr (GString) text = g_string_new (NULL);
      g_string_append_printf (text, "name: sys_enter_%s\nID: %u\n%s", call_rows[c].name, 3000 + c,
                              COMMON FIELD ("int __syscall_nr", 8, 4, 1));
      for (guint i = 0; i < 5 && call_rows[c].arguments[i] != NULL; i++)
        g_string_append_printf (text, "\tfield:long %s;\toffset:%u;\tsize:8;\tsigned:0;\n",
                                call_rows[c].arguments[i], 16 + 8 * i);
      if (copies && c == CALL_OPENAT)
        g_string_append (text, FIELD ("__data_loc char[] __filename_val", 48, 4, 0));
      g_string_append (text, NO_PRINT);
      add_row (kit, ROW_ENTER (c), g_strdup_printf ("syscalls:sys_enter_%s", call_rows[c].name),
               g_strdup (text->str), as_file);
      add_row (kit, ROW_EXIT (c), g_strdup_printf ("syscalls:sys_exit_%s", call_rows[c].name),
               g_strdup_printf ("name: sys_exit_%s\nID: %u\n%s", call_rows[c].name, 3100 + c,
                                COMMON FIELD ("int __syscall_nr", 8, 4, 1)
                                    FIELD ("long ret", 16, 8, 1) NO_PRINT),
               as_file);
    }
  if (probe)
    add_row (kit, ROW_PROBE, g_strdup ("kprobe:do_filp_open"),
             g_strdup (
                 "name: do_filp_open\nID: 3200\n" COMMON FIELD ("unsigned long __probe_ip", 8, 8, 0)
                     FIELD ("s32 dfd", 16, 4, 1) FIELD ("__data_loc char[] name", 20, 4, 0)
                         FIELD ("x32 flags", 24, 4, 0) NO_PRINT),
             as_file);
  kit_begin (kit, NULL);
  kit_clock (kit, SECOND, SLEPT, WALL);
  kit_fork (kit, 0, SECOND / 2, PID, 1, PID, 1);
  return kit;
}

static void
enter (Kit *kit, TestCall call, WprTime time, guint32 tid, gint64 a, gint64 b, gint64 c, gint64 d)
{
  gint64 raw[6] = { (3000 + call) | (gint64)tid << 32, 0, a, b, c, d };
  kit_sample (kit, ROW_ENTER (call), 0, time, PID, tid, raw, sizeof raw);
}

static void
leave (Kit *kit, TestCall call, WprTime time, guint32 tid, gint64 result)
{
  gint64 raw[3] = { (3100 + call) | (gint64)tid << 32, 0, result };
  kit_sample (kit, ROW_EXIT (call), 0, time, PID, tid, raw, sizeof raw);
}

static void
probe (Kit *kit, WprTime time, guint32 tid, gint32 folder, const char *name, guint32 flags)
{
  guint8 raw[300] = { 0 };
  guint32 size = (guint32)strlen (name) + 1, where = 28 | size << 16;
  memcpy (raw + 4, &tid, 4);
  memcpy (raw + 16, &folder, 4);
  memcpy (raw + 20, &where, 4);
  memcpy (raw + 24, &flags, 4);
  memcpy (raw + 28, name, size);
  kit_sample (kit, ROW_PROBE, 0, time, PID, tid, raw, 28 + size);
}

static void
put_open (GByteArray *bytes, gint32 fd, guint32 flags, gint64 position, const char *path)
{
  WprFilesEntry entry = { fd, flags, position, (guint16)strlen (path) };
  g_byte_array_append (bytes, (const guint8 *)&entry, sizeof entry);
  g_byte_array_append (bytes, (const guint8 *)path, entry.size);
}

/* What /proc showed: descriptor 3, and the current folder. */
static void
look (Kit *kit, WprTime time, guint32 number, gint32 fd, const char *path)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  WprFilesPayload head = { number };
  g_byte_array_append (bytes, (const guint8 *)&head, sizeof head);
  put_open (bytes, AT_FDCWD, 0, -1, "/home/人");
  put_open (bytes, fd, O_RDWR, 100, path);
  assert_true (wpr_store_add_note (kit->store, WPR_NOTE_FILES, 0, time, PID, PID, bytes->data,
                                   bytes->len, NULL));
}

static const WprEvent *
op (const Recorder *r, guint n)
{
  return &recorder_nth (r, WPR_EVENT_FILE_OP, n)->event;
}

static void
assert_op (const Recorder *r, guint n, WprFileOp what, gint64 offset, guint64 size)
{
  assert_int_equal (op (r, n)->u.file.op, what);
  assert_int_equal (op (r, n)->u.file.offset, offset);
  assert_int_equal (op (r, n)->u.file.size, size);
}

static const Seen *
name (const Recorder *r, guint n)
{
  return recorder_nth (r, WPR_EVENT_FILE_NAME, n);
}

static void
an_open_file_is_followed_from_open_to_close (void **state)
{
  Recorder r;
  g_autoptr (Kit) kit = new_kit (FALSE, FALSE, TRUE);
  enter (kit, CALL_OPENAT, T (1), PID, AT_FDCWD, 0x7000, O_RDWR | O_CREAT, 0644);
  leave (kit, CALL_OPENAT, T (2), PID, 7);
  enter (kit, CALL_WRITE, T (3), PID, 7, 0x8000, 1000, 0);
  leave (kit, CALL_WRITE, T (4), PID, 600);
  enter (kit, CALL_READ, T (5), PID, 7, 0x8000, 50, 0);
  leave (kit, CALL_READ, T (6), PID, 50);
  enter (kit, CALL_PREAD, T (7), PID, 7, 0x8000, 10, 5000);
  leave (kit, CALL_PREAD, T (8), PID, 10);
  enter (kit, CALL_LSEEK, T (9), PID, 7, 20, 0, 0);
  leave (kit, CALL_LSEEK, T (10), PID, 20);
  enter (kit, CALL_READ, T (11), PID, 7, 0x8000, 5, 0);
  leave (kit, CALL_READ, T (12), PID, -EIO);
  enter (kit, CALL_CLOSE, T (13), PID, 7, 0, 0, 0);
  leave (kit, CALL_CLOSE, T (14), PID, 0);
  kit_finish (kit, T (20));
  recorder_init (&r);
  WprTrace *trace = kit_play (kit, &r);
  assert_int_equal (recorder_count (&r, WPR_EVENT_FILE_OP), 6);
  assert_int_equal (recorder_count (&r, WPR_EVENT_FILE_END), 6);
  assert_op (&r, 0, WPR_FILE_CREATE, -1, 0);
  assert_int_equal (op (&r, 0)->u.file.flags, O_RDWR | O_CREAT);
  assert_op (&r, 1, WPR_FILE_WRITE, 0, 1000);
  assert_op (&r, 2, WPR_FILE_READ, 600, 50);
  assert_op (&r, 3, WPR_FILE_READ, 5000, 10);
  assert_op (&r, 4, WPR_FILE_READ, 20, 5);
  assert_op (&r, 5, WPR_FILE_CLOSE, -1, 0);
  for (guint i = 0; i < 6; i++)
    {
      const WprEvent *end = &recorder_nth (&r, WPR_EVENT_FILE_END, i)->event;
      assert_int_equal (end->u.file.request, op (&r, i)->u.file.request);
      assert_int_equal (op (&r, i)->u.file.object, op (&r, 0)->u.file.object);
      assert_int_equal (op (&r, i)->time, SLEPT + T (i < 4 ? 1 + 2 * i : 3 + 2 * i));
      if (i > 1)
        assert_int_equal (op (&r, i)->u.file.key, op (&r, 1)->u.file.key);
    }
  assert_int_equal (recorder_nth (&r, WPR_EVENT_FILE_END, 1)->event.u.file.result, 600);
  assert_int_equal (recorder_nth (&r, WPR_EVENT_FILE_END, 4)->event.u.file.result, -EIO);
  /* A call that only moves stays what it was. */
  assert_int_equal (recorder_count (&r, WPR_EVENT_TRACEPOINT), 2);
  /* Nobody told a name: the number is one, and goes with it. */
  assert_string_equal (name (&r, 1)->text, "fd 7 of PID 500");
  assert_int_equal (name (&r, 1)->event.u.file_name.naming, WPR_FILE_NAME_GONE);
  assert_int_equal (name (&r, 1)->event.u.file_name.key, op (&r, 1)->u.file.key);
  wpr_trace_free (trace);
  recorder_clear (&r);
}

static void
what_was_open_before_has_its_name (void **state)
{
  Recorder r;
  g_autoptr (Kit) kit = new_kit (FALSE, FALSE, TRUE);
  look (kit, T (0), 1, 3, "/var/log/a b.log");
  enter (kit, CALL_READ, T (1), PID, 3, 0x8000, 50, 0);
  leave (kit, CALL_READ, T (2), PID, 50);
  enter (kit, CALL_DUP2, T (3), PID, 3, 9, 0, 0);
  leave (kit, CALL_DUP2, T (4), PID, 9);
  enter (kit, CALL_CLOSE, T (5), PID, 3, 0, 0, 0);
  leave (kit, CALL_CLOSE, T (6), PID, 0);
  enter (kit, CALL_READ, T (7), PID, 9, 0x8000, 50, 0);
  leave (kit, CALL_READ, T (8), PID, 0);
  kit_finish (kit, T (20));
  recorder_init (&r);
  WprTrace *trace = kit_play (kit, &r);
  assert_op (&r, 0, WPR_FILE_READ, 100, 50);
  assert_op (&r, 1, WPR_FILE_CLEANUP, -1, 0); /* the other one remains */
  assert_op (&r, 2, WPR_FILE_READ, 150, 50);
  assert_int_equal (op (&r, 2)->u.file.object, op (&r, 0)->u.file.object);
  assert_int_equal (recorder_count (&r, WPR_EVENT_FILE_NAME), 1);
  assert_string_equal (name (&r, 0)->text, "/var/log/a b.log");
  assert_int_equal (name (&r, 0)->event.u.file_name.naming, WPR_FILE_NAME_KNOWN);
  assert_int_equal (name (&r, 0)->event.u.file_name.key, op (&r, 0)->u.file.key);
  wpr_trace_free (trace);
  recorder_clear (&r);
}

static void
what_is_open_in_the_end_gets_its_name_then (void **state)
{
  Recorder r;
  g_autoptr (Kit) kit = new_kit (FALSE, FALSE, TRUE);
  enter (kit, CALL_READ, T (1), PID, 4, 0x8000, 50, 0);
  leave (kit, CALL_READ, T (2), PID, 50);
  look (kit, T (19), 1 | WPR_LOOK_LAST, 4, "/srv/终");
  kit_finish (kit, T (18));
  recorder_init (&r);
  WprTrace *trace = kit_play (kit, &r);
  assert_op (&r, 0, WPR_FILE_READ, -1, 50); /* from where it stood nobody knows */
  assert_string_equal (name (&r, 0)->text, "/srv/终");
  assert_int_equal (name (&r, 0)->event.u.file_name.key, op (&r, 0)->u.file.key);
  wpr_trace_free (trace);
  recorder_clear (&r);
}

static void
a_child_inherits_but_what_closes_on_exec (void **state)
{
  Recorder r;
  g_autoptr (Kit) kit = new_kit (FALSE, FALSE, TRUE);
  gint64 raw[6] = { 0 };
  look (kit, T (0), 1, 3, "/shared");
  enter (kit, CALL_FCNTL, T (1), PID, 3, F_DUPFD_CLOEXEC, 10, 0);
  leave (kit, CALL_FCNTL, T (2), PID, 10);
  kit_fork (kit, 0, T (3), 600, PID, 600, PID);
  kit_comm (kit, 0, T (4), 600, 600, "child", TRUE);
  for (guint i = 0; i < 2; i++)
    {
      raw[2] = i == 0 ? 3 : 10;
      raw[4] = 8;
      kit_sample (kit, ROW_ENTER (CALL_READ), 0, T (5 + i), 600, 600, raw, sizeof raw);
    }
  enter (kit, CALL_READ, T (8), PID, 10, 0, 8, 0);
  kit_finish (kit, T (20));
  recorder_init (&r);
  WprTrace *trace = kit_play (kit, &r);
  assert_int_equal (op (&r, 0)->u.file.key, op (&r, 2)->u.file.key);
  assert_int_not_equal (op (&r, 1)->u.file.key, op (&r, 2)->u.file.key);
  assert_string_equal (name (&r, 0)->text, "/shared");
  wpr_trace_free (trace);
  recorder_clear (&r);
}

static void
an_open_waits_for_the_probe_that_names_it (void **state)
{
  Recorder r;
  g_autoptr (Kit) kit = new_kit (TRUE, FALSE, TRUE);
  look (kit, T (0), 1, 3, "/x");
  enter (kit, CALL_OPENAT, T (1), PID, AT_FDCWD, 0x7000, O_RDONLY, 0);
  probe (kit, T (2), PID, AT_FDCWD, "文件 1.txt", O_RDONLY);
  leave (kit, CALL_OPENAT, T (3), PID, 7);
  enter (kit, CALL_READ, T (4), PID, 7, 0, 8, 0);
  leave (kit, CALL_READ, T (5), PID, 8);
  /* The kernel opens something for itself, within no call. */
  probe (kit, T (6), PID, AT_FDCWD, "/bin/true", O_RDONLY);
  /* It failed before a name was looked at. */
  enter (kit, CALL_OPENAT, T (7), PID, AT_FDCWD, 0x7000, O_RDONLY, 0);
  leave (kit, CALL_OPENAT, T (8), PID, -EFAULT);
  /* Over before it was done. */
  enter (kit, CALL_OPENAT, T (9), PID, AT_FDCWD, 0x7000, O_RDONLY, 0);
  kit_finish (kit, T (20));
  recorder_init (&r);
  WprTrace *trace = kit_play (kit, &r);
  assert_string_equal (recorder_nth (&r, WPR_EVENT_FILE_OP, 0)->text, "/home/人/文件 1.txt");
  assert_int_equal (op (&r, 0)->time, SLEPT + T (2));
  assert_string_equal (name (&r, 0)->text, "/home/人/文件 1.txt");
  assert_int_equal (name (&r, 0)->event.u.file_name.naming, WPR_FILE_NAME_CREATED);
  assert_int_equal (name (&r, 0)->event.u.file_name.key, op (&r, 1)->u.file.key);
  assert_int_equal (recorder_count (&r, WPR_EVENT_JOINED), 3);
  assert_int_equal (recorder_count (&r, WPR_EVENT_TRACEPOINT), 1);
  assert_int_equal (recorder_count (&r, WPR_EVENT_FILE_OP), 4);
  assert_string_equal (recorder_nth (&r, WPR_EVENT_FILE_OP, 2)->text, "path of PID 500");
  assert_int_equal (recorder_nth (&r, WPR_EVENT_FILE_END, 2)->event.u.file.result, -EFAULT);
  assert_string_equal (recorder_nth (&r, WPR_EVENT_FILE_OP, 3)->text, "path of PID 500");
  wpr_trace_free (trace);
  recorder_clear (&r);
}

static void
a_name_in_the_record_is_taken (void **state)
{
  Recorder r;
  guint8 raw[80] = { 0 };
  static const char path[] = "/etc/../etc/hosts";
  guint32 where = 52 | (guint32)sizeof path << 16;
  g_autoptr (Kit) kit = new_kit (FALSE, TRUE, TRUE);
  memcpy (raw + 48, &where, 4);
  memcpy (raw + 52, path, sizeof path);
  kit_sample (kit, ROW_ENTER (CALL_OPENAT), 0, T (1), PID, PID, raw, 52 + sizeof path);
  leave (kit, CALL_OPENAT, T (2), PID, 5);
  enter (kit, CALL_UNLINK, T (3), PID, AT_FDCWD, 0, 0, 0);
  leave (kit, CALL_UNLINK, T (4), PID, 0);
  enter (kit, CALL_STATX, T (5), PID, 5, 0, AT_EMPTY_PATH, 0);
  kit_finish (kit, T (20));
  recorder_init (&r);
  WprTrace *trace = kit_play (kit, &r);
  assert_string_equal (recorder_nth (&r, WPR_EVENT_FILE_OP, 0)->text, "/etc/hosts");
  assert_int_equal (op (&r, 1)->u.file.op, WPR_FILE_DELETE);
  assert_string_equal (recorder_nth (&r, WPR_EVENT_FILE_OP, 1)->text, "path of PID 500");
  assert_int_equal (op (&r, 2)->u.file.op, WPR_FILE_QUERY_INFO);
  assert_int_equal (op (&r, 2)->u.file.key, name (&r, 0)->event.u.file_name.key);
  wpr_trace_free (trace);
  recorder_clear (&r);
}

/* Enters without exits and the other way round, threads mixed, numbers out of range, a look that is
 * cut. */
static void
missing_records_break_nothing (void **state)
{
  Recorder r;
  g_autoptr (Kit) kit = new_kit (TRUE, FALSE, TRUE);
  guint8 cut[20] = { 1, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 1, 2 };
  wpr_store_add_note (kit->store, WPR_NOTE_FILES, 0, T (0), PID, PID, cut, sizeof cut, NULL);
  leave (kit, CALL_READ, T (1), PID, 5);
  leave (kit, CALL_OPENAT, T (2), PID, 6);
  enter (kit, CALL_OPENAT, T (3), PID, AT_FDCWD, 0, 0, 0);
  enter (kit, CALL_OPENAT, T (4), PID, AT_FDCWD, 0, 0, 0);
  leave (kit, CALL_READ, T (5), PID, 5);
  leave (kit, CALL_OPENAT, T (6), PID, G_MAXINT64);
  enter (kit, CALL_READ, T (7), PID, G_MAXINT64, 0, -1, 0);
  leave (kit, CALL_READ, T (8), PID, G_MAXINT64);
  enter (kit, CALL_PREAD, T (8) + 1, PID, 6, 0, 1, G_MAXINT64);
  leave (kit, CALL_PREAD, T (8) + 2, PID, G_MAXINT64);
  enter (kit, CALL_LSEEK, T (8) + 3, PID, 6, 0, 0, 0);
  leave (kit, CALL_LSEEK, T (8) + 4, PID, G_MAXINT64);
  enter (kit, CALL_READ, T (8) + 5, PID, 6, 0, 1, 0);
  leave (kit, CALL_READ, T (8) + 6, PID, G_MAXINT64);
  enter (kit, CALL_CLOSE, T (9), PID, -7, 0, 0, 0);
  leave (kit, CALL_CLOSE, T (10), PID, 0);
  enter (kit, CALL_DUP2, T (11), PID, 1 << 30, 1 << 29, 0, 0);
  leave (kit, CALL_DUP2, T (12), PID, 1 << 29);
  /* More threads in calls than there are places. */
  for (guint32 tid = 1; tid <= 20000; tid++)
    enter (kit, CALL_OPENAT, T (13) + tid, tid, AT_FDCWD, 0, 0, 0);
  kit_finish (kit, T (20));
  recorder_init (&r);
  WprTrace *trace = kit_play (kit, &r);
  /* The two of the exits alone, one more of each after that, dup2's and lseek's. */
  assert_int_equal (recorder_count (&r, WPR_EVENT_TRACEPOINT), 7);
  /* Every open is told, if late. */
  guint n = 0;
  for (guint i = 0; i < r.seen->len; i++)
    {
      const WprEvent *event = &g_array_index (r.seen, Seen, i).event;
      n += event->kind == WPR_EVENT_FILE_OP && event->u.file.op == WPR_FILE_CREATE;
    }
  assert_int_equal (n, 20002);
  assert_int_equal (recorder_count (&r, WPR_EVENT_JOINED), 20002);
  wpr_trace_free (trace);
  recorder_clear (&r);
}

static void
nobody_asked_for_files (void **state)
{
  Recorder r;
  g_autoptr (Kit) kit = new_kit (FALSE, FALSE, FALSE);
  enter (kit, CALL_READ, T (1), PID, 3, 0x8000, 50, 0);
  leave (kit, CALL_READ, T (2), PID, 50);
  kit_finish (kit, T (20));
  recorder_init (&r);
  WprTrace *trace = kit_play (kit, &r);
  assert_int_equal (recorder_count (&r, WPR_EVENT_TRACEPOINT), 2);
  assert_int_equal (recorder_count (&r, WPR_EVENT_FILE_OP), 0);
  wpr_trace_free (trace);
  recorder_clear (&r);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (an_open_file_is_followed_from_open_to_close),
    cmocka_unit_test (what_was_open_before_has_its_name),
    cmocka_unit_test (what_is_open_in_the_end_gets_its_name_then),
    cmocka_unit_test (a_child_inherits_but_what_closes_on_exec),
    cmocka_unit_test (an_open_waits_for_the_probe_that_names_it),
    cmocka_unit_test (a_name_in_the_record_is_taken),
    cmocka_unit_test (missing_records_break_nothing),
    cmocka_unit_test (nobody_asked_for_files),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
