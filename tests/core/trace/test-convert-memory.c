/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Faults with what was told on their way, and calls that change the address space. */
#include "config.h"
#include "kit.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>

#include "kit-formats.h"

#define CALL3(name, one, two, three)                                                       \
  "name: " name "\nID: 700\n" COMMON FIELD ("int __syscall_nr", 8, 4, 1)                   \
      FIELD ("unsigned long " one, 16, 8, 0) FIELD ("unsigned long " two, 24, 8, 0)        \
          FIELD ("unsigned long " three, 32, 8, 0) FIELD ("unsigned long flags", 40, 8, 0) \
              NO_PRINT
static const char format_mmap[] = CALL3 ("sys_enter_mmap", "addr", "len", "prot");
static const char format_munmap[] = CALL3 ("sys_enter_munmap", "addr", "len", "none");
static const char format_mremap[] = CALL3 ("sys_enter_mremap", "addr", "old_len", "new_len");
static const char format_brk[] = CALL3 ("sys_enter_brk", "brk", "none", "nothing");
static const char format_madvise[] = CALL3 ("sys_enter_madvise", "start", "len_in", "behavior");
static const char format_return[]
    = "name: sys_exit\nID: 701\n" COMMON FIELD ("int __syscall_nr", 8, 4, 1)
        FIELD ("long ret", 16, 8, 1) NO_PRINT;
static const char format_exception[]
    = "name: page_fault_user\nID: 80\n" COMMON FIELD ("unsigned long address", 8, 8, 0)
        FIELD ("unsigned long ip", 16, 8, 0) FIELD ("unsigned long error_code", 24, 8, 0) NO_PRINT;
static const char format_filemap[]
    = "name: mm_filemap_fault\nID: 81\n" COMMON FIELD ("unsigned long i_ino", 8, 8, 0)
        FIELD ("dev_t s_dev", 16, 4, 0) FIELD ("unsigned long index", 24, 8, 0) NO_PRINT;

typedef enum
{
  MMAP,
  MUNMAP,
  MREMAP,
  BRK,
  MADVISE,
  N_CALLS
} Call;
static const struct
{
  const char *name, *format;
} calls[N_CALLS] = { { "mmap", format_mmap },
                     { "munmap", format_munmap },
                     { "mremap", format_mremap },
                     { "brk", format_brk },
                     { "madvise", format_madvise } };

typedef struct
{
  Kit *kit;
  Row in[N_CALLS], out[N_CALLS], exception, kernel, filemap, minor;
  WprTime now;
  Recorder recorder;
  WprTrace *trace;
} Case;

static void
begin (Case *c, gboolean minor)
{
  memset (c, 0, sizeof *c);
  c->kit = kit_new (FALSE, 1, 2);
  for (guint i = 0; i < N_CALLS; i++)
    {
      g_autofree char *in = g_strconcat ("syscalls:sys_enter_", calls[i].name, NULL);
      g_autofree char *out = g_strconcat ("syscalls:sys_exit_", calls[i].name, NULL);
      c->in[i] = kit_add_row (c->kit, in, calls[i].format);
      c->out[i] = kit_add_row (c->kit, out, format_return);
    }
  c->exception = kit_add_row (c->kit, "exceptions:page_fault_user", format_exception);
  c->kernel = kit_add_row (c->kit, "exceptions:page_fault_kernel", format_exception);
  c->filemap = kit_add_row (c->kit, "filemap:mm_filemap_fault", format_filemap);
  if (minor)
    c->minor = kit_add_row (c->kit, "minor-faults", NULL);
  kit_begin (c->kit, NULL);
  kit_clock (c->kit, SECOND, SLEPT, WALL);
  c->now = 2 * SECOND;
}

static guint64
play (Case *c)
{
  WprTraceCounters counters;
  kit_finish (c->kit, 100 * SECOND);
  recorder_init (&c->recorder);
  c->trace = kit_play (c->kit, &c->recorder);
  wpr_trace_counters (c->trace, &counters);
  return counters.unpaired;
}

static void
end (Case *c)
{
  wpr_trace_free (c->trace);
  recorder_clear (&c->recorder);
  kit_free (c->kit);
}

static void
call (Case *c, Call which, guint32 tid, guint64 one, guint64 two, guint64 three, guint64 flags,
      gint64 result)
{
  guint64 in[6] = { 0, 0, one, two, three, flags }, out[3] = { 0, 0, (guint64)result };
  kit_sample (c->kit, c->in[which], 0, c->now += 1000, tid, tid, in, sizeof in);
  kit_sample (c->kit, c->out[which], 0, c->now += 1000, tid, tid, out, sizeof out);
}

static void
expect (Case *c, guint nth, guint64 allocated, guint64 allocated_size, guint64 freed,
        guint64 freed_size)
{
  const WprEvent *event = &recorder_nth (&c->recorder, WPR_EVENT_MEMORY, nth)->event;
  assert_true (event->u.memory.allocated == allocated);
  assert_true (event->u.memory.allocated_size == allocated_size);
  assert_true (event->u.memory.freed == freed);
  assert_true (event->u.memory.freed_size == freed_size);
}

static void
calls_become_what_they_did (void **state)
{
  const guint64 anonymous = MAP_PRIVATE | MAP_ANONYMOUS;
  Case c;
  begin (&c, FALSE);
  call (&c, MMAP, 70, 0, 5000, PROT_READ, anonymous, 0x7f0000001000);
  call (&c, MMAP, 70, 0, 4096, PROT_NONE, anonymous, 0x7f0000010000);
  call (&c, MUNMAP, 70, 0x7f0000001000, 5000, 0, 0, 0);
  call (&c, MREMAP, 70, 0x7f0000010000, 4096, 12288, 0, 0x7f0000010000);
  call (&c, MREMAP, 70, 0x7f0000010000, 12288, 4096, 0, 0x7f0000010000);
  call (&c, MREMAP, 70, 0x7f0000010000, 4096, 8192, 0, 0x7f0000020000);
  call (&c, BRK, 70, 0, 0, 0, 0, 0x555500000000);
  call (&c, BRK, 70, 0x555500021000, 0, 0, 0, 0x555500021000);
  call (&c, BRK, 70, 0x555500001000, 0, 0, 0, 0x555500001000);
  call (&c, MADVISE, 70, 0x7f0000020000, 4096, MADV_DONTNEED, 0, 0);
  assert_int_equal (play (&c), 0);
  expect (&c, 0, 0x7f0000001000, 8192, 0, 0);
  expect (&c, 1, 0x7f0000010000, 4096, 0, 0);
  expect (&c, 2, 0, 0, 0x7f0000001000, 8192);
  expect (&c, 3, 0x7f0000011000, 8192, 0, 0);
  expect (&c, 4, 0, 0, 0x7f0000011000, 8192);
  expect (&c, 5, 0x7f0000020000, 8192, 0x7f0000010000, 4096);
  expect (&c, 6, 0x555500000000, 0x21000, 0, 0);
  expect (&c, 7, 0, 0, 0x555500001000, 0x20000);
  expect (&c, 8, 0, 0, 0x7f0000020000, 4096);
  assert_true (recorder_nth (&c.recorder, WPR_EVENT_MEMORY, 0)->event.u.memory.committed);
  assert_false (recorder_nth (&c.recorder, WPR_EVENT_MEMORY, 1)->event.u.memory.committed);
  assert_true (recorder_nth (&c.recorder, WPR_EVENT_MEMORY, 2)->event.u.memory.released);
  assert_false (recorder_nth (&c.recorder, WPR_EVENT_MEMORY, 8)->event.u.memory.released);
  assert_int_equal (recorder_count (&c.recorder, WPR_EVENT_MEMORY), 9);
  /* The question where the heap ends changes nothing. */
  assert_int_equal (recorder_count (&c.recorder, WPR_EVENT_TRACEPOINT), 1);
  end (&c);
}

static void
what_failed_or_is_of_a_file_stays_a_call (void **state)
{
  Case c;
  begin (&c, FALSE);
  call (&c, MMAP, 70, 0, 4096, PROT_READ, MAP_PRIVATE, 0x7f0000001000);
  call (&c, MMAP, 70, 0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -12);
  call (&c, MADVISE, 70, 0x7f0000020000, 4096, MADV_WILLNEED, 0, 0);
  call (&c, MUNMAP, 70, 1, 5000, 0, 0, -22);
  assert_int_equal (play (&c), 0);
  assert_int_equal (recorder_count (&c.recorder, WPR_EVENT_MEMORY), 0);
  assert_int_equal (recorder_count (&c.recorder, WPR_EVENT_BEGUN), 2);
  assert_int_equal (recorder_count (&c.recorder, WPR_EVENT_TRACEPOINT), 6);
  end (&c);
}

/* Threads within calls at once, a begin without an end, an end without a begin. */
static void
calls_are_kept_apart_by_thread (void **state)
{
  const guint64 anonymous = MAP_PRIVATE | MAP_ANONYMOUS;
  guint64 in[2][6]
      = { { 0, 0, 0, 4096, PROT_READ, anonymous }, { 0, 0, 0, 8192, PROT_READ, anonymous } };
  guint64 out[2][3] = { { 0, 0, 0x10000 }, { 0, 0, 0x20000 } };
  Case c;
  begin (&c, FALSE);
  kit_sample (c.kit, c.in[MMAP], 0, 2 * SECOND, 70, 71, in[0], sizeof in[0]);
  kit_sample (c.kit, c.in[MMAP], 1, 2 * SECOND + 1, 70, 72, in[1], sizeof in[1]);
  kit_sample (c.kit, c.out[MMAP], 1, 2 * SECOND + 2, 70, 72, out[1], sizeof out[1]);
  kit_sample (c.kit, c.out[MMAP], 0, 2 * SECOND + 3, 70, 71, out[0], sizeof out[0]);
  kit_sample (c.kit, c.out[MMAP], 0, 2 * SECOND + 4, 70, 71, out[0], sizeof out[0]);
  kit_sample (c.kit, c.in[MMAP], 0, 2 * SECOND + 5, 70, 71, in[0], sizeof in[0]);
  kit_sample (c.kit, c.in[MUNMAP], 0, 2 * SECOND + 6, 70, 71, in[0], sizeof in[0]);
  kit_sample (c.kit, c.out[MMAP], 0, 2 * SECOND + 7, 70, 71, out[0], sizeof out[0]);
  assert_int_equal (play (&c), 2); /* the first of them, and the last call has no end */
  expect (&c, 0, 0x20000, 8192, 0, 0);
  expect (&c, 1, 0x10000, 4096, 0, 0);
  assert_int_equal (recorder_count (&c.recorder, WPR_EVENT_MEMORY), 2);
  assert_int_equal (recorder_count (&c.recorder, WPR_EVENT_TRACEPOINT), 2);
  end (&c);
}

/* ---- faults ---- */

static void
exception (Case *c, WprTime time, guint32 tid, guint64 address, guint64 code)
{
  guint64 raw[4] = { 0, address, 0x401000, code };
  kit_sample (c->kit, c->exception, 0, time, tid, tid, raw, sizeof raw);
}

static void
filemap (Case *c, WprTime time, guint32 tid, guint64 inode, guint32 dev, guint64 index)
{
  guint64 raw[4] = { 0, inode, dev, index };
  kit_sample (c->kit, c->filemap, 0, time, tid, tid, raw, sizeof raw);
}

static const WprEvent *
fault (Case *c, guint nth)
{
  return &recorder_nth (&c->recorder, WPR_EVENT_FAULT, nth)->event;
}

static void
soft_faults_have_the_processors_reason (void **state)
{
  Case c;
  begin (&c, TRUE);
  exception (&c, 2 * SECOND, 70, 0x7f0000001234, 0x6); /* user, write, nothing there */
  kit_fault (c.kit, c.minor, 0, 2 * SECOND + 500, 70, 0x401000, 0x7f0000001234);
  exception (&c, 3 * SECOND, 70, 0x7f0000001234, 0x7); /* write, present */
  kit_fault (c.kit, c.minor, 0, 3 * SECOND + 500, 70, 0x401000, 0x7f0000001234);
  exception (&c, 4 * SECOND, 70, 0x7f0000005000, 0x14); /* an instruction */
  kit_fault (c.kit, c.minor, 0, 4 * SECOND + 500, 70, 0x401000, 0x7f0000005000);
  kit_fault (c.kit, c.minor, 0, 5 * SECOND, 71, 0x401000, 0x7f0000006000); /* nobody told */
  exception (&c, 6 * SECOND, 70, 0x1000, 0x6);                             /* came to nothing */
  exception (&c, 7 * SECOND, 70, 0x2000, 0x6);
  kit_fault (c.kit, c.minor, 0, 7 * SECOND + 1, 70, 0x401000, 0x9000); /* another */
  assert_int_equal (play (&c), 2); /* came to nothing; of another page */
  assert_int_equal (fault (&c, 0)->u.fault.kind, WPR_FAULT_DEMAND_ZERO);
  assert_int_equal (fault (&c, 0)->u.fault.start, 7 * SECOND);
  assert_int_equal (fault (&c, 0)->time, 7 * SECOND + 500);
  assert_int_equal (fault (&c, 1)->u.fault.kind, WPR_FAULT_COPY_ON_WRITE);
  assert_int_equal (fault (&c, 2)->u.fault.kind, WPR_FAULT_TRANSITION);
  assert_int_equal (fault (&c, 3)->u.fault.kind, WPR_FAULT_TRANSITION);
  assert_int_equal (fault (&c, 3)->u.fault.start, 10 * SECOND);
  assert_int_equal (fault (&c, 4)->u.fault.kind, WPR_FAULT_TRANSITION);
  assert_int_equal (fault (&c, 4)->u.fault.start, 12 * SECOND + 1);
  assert_int_equal (recorder_count (&c.recorder, WPR_EVENT_BEGUN), 5);
  end (&c);
}

static void
a_hard_fault_has_its_file_and_its_time (void **state)
{
  Case c;
  begin (&c, FALSE);
  filemap (&c, 2 * SECOND, 70, 4711, 254 << 20 | 3, 7);
  filemap (&c, 2 * SECOND + 100, 71, 4712, 254 << 20 | 3, 8);
  filemap (&c, 2 * SECOND + 500, 70, 4711, 254 << 20 | 3, 7); /* tried again */
  kit_fault (c.kit, ROW_MAJOR_FAULTS, 0, 2 * SECOND + 5 * MS, 70, 0x401000, 0x7f0000002010);
  kit_fault (c.kit, ROW_MAJOR_FAULTS, 0, 2 * SECOND + 6 * MS, 70, 0x401000, 0x7f0000003000);
  filemap (&c, 3 * SECOND, 70, 4711, 254 << 20 | 3, 9); /* was there */
  filemap (&c, 4 * SECOND, 70, 4711, 254 << 20 | 3, 10);
  kit_fault (c.kit, ROW_MAJOR_FAULTS, 0, 4 * SECOND + MS, 70, 0x401000, 0x7f0000005000);
  assert_int_equal (play (&c), 0);
  const WprEvent *event = fault (&c, 0);
  assert_true (event->u.fault.major && event->u.fault.kind == WPR_FAULT_HARD);
  assert_int_equal (event->u.fault.start, 7 * SECOND);
  assert_int_equal (event->u.fault.inode, 4711);
  assert_int_equal (event->u.fault.dev, 254 << 20 | 3);
  assert_int_equal (event->u.fault.offset, 7 * 4096);
  assert_false (event->u.fault.with_soft);
  /* Of no file, say from swap: nobody told. */
  assert_int_equal (fault (&c, 1)->u.fault.inode, 0);
  assert_int_equal (fault (&c, 1)->u.fault.start, fault (&c, 1)->time);
  assert_int_equal (fault (&c, 2)->u.fault.start, 9 * SECOND);
  assert_int_equal (fault (&c, 2)->u.fault.offset, 10 * 4096);
  end (&c);
}

/* The kernel reads the stack of a thread that waits for its page, and finds pages of it missing. */
static void
faults_within_a_fault_do_not_hide_it (void **state)
{
  guint64 raw[4] = { 0, 0x7ffc00001000, 0xffffffff81000000, 0 };
  Case c;
  begin (&c, TRUE);
  exception (&c, 2 * SECOND, 70, 0x7f0000002010, 0x4);
  filemap (&c, 2 * SECOND + 100, 70, 4711, 254 << 20 | 3, 7);
  kit_sample (c.kit, c.kernel, 0, 2 * SECOND + 200, 70, 70, raw, sizeof raw);
  kit_sample (c.kit, c.kernel, 0, 2 * SECOND + 300, 70, 70, raw, sizeof raw);
  kit_fault (c.kit, ROW_MAJOR_FAULTS, 0, 2 * SECOND + 5 * MS, 70, 0x401000, 0x7f0000002010);
  assert_int_equal (play (&c), 2);
  assert_int_equal (fault (&c, 0)->u.fault.start, 7 * SECOND);
  assert_int_equal (fault (&c, 0)->u.fault.inode, 4711);
  assert_true (fault (&c, 0)->u.fault.with_soft);
  end (&c);
}

/* Where soft ones are not recorded, an exception is an event of its own. */
static void
exceptions_alone_stay_tracepoints (void **state)
{
  Case c;
  begin (&c, FALSE);
  exception (&c, 2 * SECOND, 70, 0x1000, 0x6);
  assert_int_equal (play (&c), 0);
  assert_int_equal (recorder_count (&c.recorder, WPR_EVENT_TRACEPOINT), 1);
  end (&c);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (calls_become_what_they_did),
    cmocka_unit_test (what_failed_or_is_of_a_file_stays_a_call),
    cmocka_unit_test (calls_are_kept_apart_by_thread),
    cmocka_unit_test (soft_faults_have_the_processors_reason),
    cmocka_unit_test (a_hard_fault_has_its_file_and_its_time),
    cmocka_unit_test (faults_within_a_fault_do_not_hide_it),
    cmocka_unit_test (exceptions_alone_stay_tracepoints),
  };
  return cmocka_run_group_tests_name ("convert-memory", tests, NULL, NULL);
}
