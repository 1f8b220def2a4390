/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The local opener on the real kernel: what was asked for arrives and adds up. */
#include "config.h"
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "perf/format.h"
#include "recording.h"

static const WprPerfEvent numbered
    = { .row = 1, .kind = WPR_PERF_TRACEPOINT, .name = NUMBERED_EVENT, .period = 1 };

/* Numbers of one CPU, in the order they were recorded. */
typedef struct
{
  gint64 last[64];
  guint64 n_ours, n_foreign, n_lost_said;
  guint64 n_gaps; /* but before the first of a CPU */
} Numbers;

static void
take_number (const WprRecord *record, gpointer data)
{
  Numbers *numbers = data;
  WprLost lost;
  guint cpu;

  if (wpr_record_lost (record, &lost))
    numbers->n_lost_said += lost.lost;
  if (record->type != PERF_RECORD_SAMPLE)
    return;
  gint64 number = workload_number (record, &cpu);
  if (number < 0)
    {
      numbers->n_foreign++;
      return;
    }
  assert_int_equal (cpu, record->cpu);
  assert_true (number > numbers->last[cpu]);
  numbers->n_gaps += numbers->last[cpu] >= 0 && number != numbers->last[cpu] + 1;
  numbers->last[cpu] = number;
  numbers->n_ours++;
}

static void
numbers_clear (Numbers *numbers)
{
  memset (numbers, 0, sizeof *numbers);
  for (gsize i = 0; i < G_N_ELEMENTS (numbers->last); i++)
    numbers->last[i] = -1;
}

/* File mode with rings too small on purpose: nothing is lost without being counted. */
static void
in_file_and_lost_are_what_was_counted (void **state)
{
  const guint32 n_calls = 20000;
  gsize page_bytes = (gsize)sysconf (_SC_PAGESIZE);

  for (gsize pages = 1; pages <= 16; pages *= 2)
    {
      g_autoptr (Recording) recording = recording_new (&numbered, 1, pages * page_bytes, FALSE);
      guint64 count, lost;
      Numbers numbers;

      recording_switch (recording, TRUE);
      g_autoptr (GPtrArray) work = workloads_start (n_calls, 0);
      for (guint i = 0; i < 20; i++)
        {
          g_usleep (1000);
          recording_collect (recording);
        }
      guint64 made = workloads_finish (work);
      recording_switch (recording, FALSE);
      recording_counts (recording, numbered.row, &count, &lost);
      recording_collect (recording);

      numbers_clear (&numbers);
      recording_each (recording, take_number, &numbers);
      print_message ("%zu pages: sent %" G_GUINT64_FORMAT ", in file %" G_GUINT64_FORMAT
                     ", lost %" G_GUINT64_FORMAT "\n",
                     pages, made, numbers.n_ours, lost);
      assert_int_equal (made, (guint64)n_calls * work->len);
      assert_int_equal (numbers.n_ours + numbers.n_foreign + lost, count);
      if (numbers.n_foreign == 0)
        assert_int_equal (count, made);
      assert_true (numbers.n_lost_said <= lost);
      if (pages == 1)
        assert_true (lost > 0);
    }
}

/* Memory mode: on each CPU the newest call is there and none is missing back to the oldest kept. Of
 * a ring in use nothing may be left: it went round while this thread waited for a CPU. */
static void
check_tail (Recording *recording, GPtrArray *work, const gint *made_before, gboolean live)
{
  Numbers numbers;

  recording_collect (recording);
  numbers_clear (&numbers);
  recording_each (recording, take_number, &numbers);
  assert_int_equal (numbers.n_gaps, 0);
  for (guint i = 0; i < work->len; i++)
    {
      const Workload *one = work->pdata[i];
      if (made_before[i] > 0 && !(live && numbers.last[one->cpu] == -1))
        assert_true (numbers.last[one->cpu] >= made_before[i] - 1);
    }
}

static void
a_copy_of_a_ring_in_use_is_an_unbroken_tail (void **state)
{
  static const gsize sizes[] = { 4096, 65536, 1 << 20, 4 << 20 };

  for (gsize s = 0; s < G_N_ELEMENTS (sizes); s++)
    {
      g_autoptr (Recording) recording = recording_new (&numbered, 1, sizes[s], TRUE);
      gint made[64];

      recording_switch (recording, TRUE);
      g_autoptr (GPtrArray) work = workloads_start (0, 0);
      for (guint round = 0; round < 10; round++)
        {
          g_usleep (20000);
          for (guint i = 0; i < work->len; i++)
            made[i] = g_atomic_int_get (&((Workload *)work->pdata[i])->made);
          check_tail (recording, work, made, TRUE);
        }
      workloads_finish (work);
      recording_switch (recording, FALSE);
      for (guint i = 0; i < work->len; i++)
        made[i] = ((Workload *)work->pdata[i])->made;
      check_tail (recording, work, made, FALSE);
    }
}

/* ---- each kind of event ---- */

enum
{
  ROW_SWITCH,
  ROW_WAKING,
  ROW_SYSCALL,
  ROW_CLOCK,
  ROW_FAULT
};
static const WprPerfEvent kinds[] = {
  { .row = ROW_SWITCH,
    .kind = WPR_PERF_TRACEPOINT,
    .name = "sched:sched_switch",
    .period = 1,
    .callchain = WPR_CALLCHAIN_KERNEL,
    .regs = TRUE },
  { .row = ROW_WAKING, .kind = WPR_PERF_TRACEPOINT, .name = "sched:sched_waking", .period = 1 },
  { .row = ROW_SYSCALL,
    .kind = WPR_PERF_TRACEPOINT,
    .name = "raw_syscalls:sys_enter",
    .period = 1 },
  { .row = ROW_CLOCK,
    .kind = WPR_PERF_SOFTWARE,
    .name = "cpu-clock",
    .period = 1000000,
    .callchain = WPR_CALLCHAIN_FULL },
  { .row = ROW_FAULT, .kind = WPR_PERF_SOFTWARE, .name = "page-faults", .period = 1, .addr = TRUE },
};
#define N_STEPS 500

typedef struct
{
  guint32 tid;
  guint64 first_page, page_bytes;
  WprFormat *formats[3];
  guint n_switched, n_woken, n_called, n_sampled, n_switch_with_user_ip;
  guint8 faulted[N_STEPS];
} Seen;

static gint64
int_field (const Seen *seen, const WprRecord *record, const char *name)
{
  return wpr_field_int (wpr_format_field (seen->formats[record->row], name), record->raw,
                        record->raw_size);
}

static void
see (const WprRecord *record, gpointer data)
{
  Seen *seen = data;
  if (record->type != PERF_RECORD_SAMPLE)
    return;
  switch (record->row)
    {
    case ROW_SWITCH:
      if (int_field (seen, record, "prev_pid") != seen->tid)
        break;
      seen->n_switched++;
      assert_true (record->n_callchain > 1);
      assert_true (record->callchain[0] == (guint64)PERF_CONTEXT_KERNEL);
      seen->n_switch_with_user_ip += record->user_ip != 0 && record->user_sp != 0;
      break;
    case ROW_WAKING:
      seen->n_woken += int_field (seen, record, "pid") == seen->tid;
      break;
    case ROW_SYSCALL:
      seen->n_called += record->tid == seen->tid && int_field (seen, record, "id") == SYS_getppid;
      break;
    case ROW_CLOCK:
      if (record->tid == seen->tid)
        assert_true (record->n_callchain > 1);
      seen->n_sampled += record->tid == seen->tid && record->ip != 0;
      break;
    default:
      if (record->tid == seen->tid && record->addr - seen->first_page < N_STEPS * seen->page_bytes)
        seen->faulted[(record->addr - seen->first_page) / seen->page_bytes]++;
    }
}

/* Sleeps, calls, touches pages, each N_STEPS times, and then burns 0.3 s of CPU; drains meanwhile,
 * since whoever else works on this machine is recorded, too. */
static void
do_known_things (Recording *recording, Seen *seen)
{
  struct timespec used = { 0 };
  guint8 *pages = mmap (NULL, N_STEPS * seen->page_bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_true (pages != MAP_FAILED);
  /* One fault a page, whatever the system makes of large areas. */
  madvise (pages, N_STEPS * seen->page_bytes, MADV_NOHUGEPAGE);
  seen->first_page = (guint64)(gsize)pages;
  for (gsize i = 0; i < N_STEPS; i++)
    {
      ((volatile guint8 *)pages)[i * seen->page_bytes] = 1;
      syscall (SYS_getppid);
      g_usleep (50);
      if (i % 16 == 0)
        recording_collect (recording);
    }
  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &used);
  gint64 until_ms = used.tv_sec * 1000 + used.tv_nsec / 1000000 + 300;
  while (used.tv_sec * 1000 + used.tv_nsec / 1000000 < until_ms)
    {
      for (volatile guint i = 0; i < 1000000; i++)
        ;
      recording_collect (recording);
      clock_gettime (CLOCK_THREAD_CPUTIME_ID, &used);
    }
  munmap (pages, N_STEPS * seen->page_bytes);
}

/* What is neither in the file nor called lost: none, but of what interrupts cause (spinners_start),
 * everybody's. */
static guint64
unaccounted (Recording *recording, guint32 row, guint64 *lost)
{
  guint64 count, in_file = recording_rows (recording, row);

  recording_counts (recording, row, &count, lost);
  if (row == ROW_CLOCK)
    return 0;
  assert_true (in_file + *lost <= count);
  if (row == ROW_SWITCH || row == ROW_SYSCALL)
    assert_int_equal (in_file + *lost, count);
  return count - in_file - *lost;
}

static void
a_known_workload_is_found_in_every_kind_of_event (void **state)
{
  g_autoptr (Recording) recording = recording_new (kinds, G_N_ELEMENTS (kinds), 16 << 20, FALSE);
  Seen seen
      = { .tid = (guint32)syscall (SYS_gettid), .page_bytes = (guint64)sysconf (_SC_PAGESIZE) };
  guint64 lost[ROW_FAULT + 1], missing[ROW_FAULT + 1];
  guint n_faulted = 0;

  for (guint32 row = ROW_SWITCH; row <= ROW_SYSCALL; row++)
    {
      g_autofree char *text = wpr_tracefs_format (kinds[row].name);
      seen.formats[row] = wpr_format_new ("any", text, strlen (text), NULL);
      assert_non_null (seen.formats[row]);
    }
  g_autoptr (GPtrArray) spinners = spinners_start ();
  recording_switch (recording, TRUE);
  do_known_things (recording, &seen);
  recording_switch (recording, FALSE);
  spinners_stop (spinners);
  recording_collect (recording);
  recording_each (recording, see, &seen);
  for (guint32 row = ROW_SWITCH; row <= ROW_SYSCALL; row++)
    wpr_format_free (seen.formats[row]);

  print_message ("switched %u, woken %u, called %u, sampled %u\n", seen.n_switched, seen.n_woken,
                 seen.n_called, seen.n_sampled);
  for (guint32 row = ROW_SWITCH; row <= ROW_FAULT; row++)
    missing[row] = unaccounted (recording, row, &lost[row]);
  assert_true (seen.n_switched + lost[ROW_SWITCH] >= N_STEPS);
  assert_int_equal (seen.n_switch_with_user_ip, seen.n_switched);
  assert_true (seen.n_woken + missing[ROW_WAKING] + lost[ROW_WAKING] >= N_STEPS);
  assert_true (seen.n_called <= N_STEPS && seen.n_called + lost[ROW_SYSCALL] >= N_STEPS);
  /* 0.3 s at 1 kHz; a guest whose host is busy gets less. */
  assert_true (seen.n_sampled + lost[ROW_CLOCK] >= 30);
  for (gsize i = 0; i < N_STEPS; i++)
    {
      assert_true (seen.faulted[i] <= 1);
      n_faulted += seen.faulted[i];
    }
  assert_true (n_faulted + missing[ROW_FAULT] + lost[ROW_FAULT] >= N_STEPS);
}

/* The kernel fills in a fault's sample once for all who record it. */
static void
two_recordings_of_faults_both_find_theirs (void **state)
{
  static const WprPerfEvent faults
      = { .row = 3, .kind = WPR_PERF_SOFTWARE, .name = "page-faults", .period = 1, .addr = TRUE };
  g_autoptr (Recording) older = recording_new (&faults, 1, 4 << 20, FALSE);
  g_autoptr (Recording) younger = recording_new (&faults, 1, 4 << 20, FALSE);
  Recording *both[] = { older, younger };
  guint64 count, lost;

  for (gsize i = 0; i < 2; i++)
    recording_switch (both[i], TRUE);
  for (guint i = 0; i < 100; i++)
    {
      guint8 *page = mmap (NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      *(volatile guint8 *)page = 1;
      munmap (page, 4096);
    }
  for (gsize i = 0; i < 2; i++)
    recording_switch (both[i], FALSE);
  for (gsize i = 0; i < 2; i++)
    {
      recording_collect (both[i]);
      recording_counts (both[i], faults.row, &count, &lost);
      assert_int_equal (lost, 0);
      assert_true (count >= 100);
      assert_true (recording_rows (both[i], faults.row) >= 100);
      assert_int_equal (recording_rows (both[i], G_MAXUINT32), 0);
    }
}

/* ---- sideband ---- */

typedef struct
{
  GPid pid;
  guint n_forks, n_execs, n_exits, n_maps;
} Program;

static void
see_program (const WprRecord *record, gpointer data)
{
  Program *program = data;
  WprTask task;
  WprComm comm;
  WprMmap2 mmap2;

  if (wpr_record_task (record, &task) && task.pid == (guint32)program->pid && task.tid == task.pid)
    {
      program->n_forks += record->type == PERF_RECORD_FORK;
      program->n_exits += record->type == PERF_RECORD_EXIT;
    }
  if (wpr_record_comm (record, &comm) && comm.pid == (guint32)program->pid && comm.exec)
    program->n_execs += g_str_equal (comm.comm, "true");
  if (wpr_record_mmap2 (record, &mmap2) && mmap2.pid == (guint32)program->pid)
    program->n_maps += g_str_has_suffix (mmap2.path, "/true");
}

static void
the_sideband_tells_a_program_from_fork_to_exit (void **state)
{
  static const WprPerfEvent sideband = { .kind = WPR_PERF_SIDEBAND, .name = "sideband" };
  g_autoptr (Recording) recording = recording_new (&sideband, 1, 1 << 20, FALSE);
  Program program = { 0 };

  recording_switch (recording, TRUE);
  program.pid = fork ();
  if (program.pid == 0)
    {
      execl ("/bin/true", "true", NULL);
      _exit (1);
    }
  assert_int_equal (waitpid (program.pid, NULL, 0), program.pid);
  recording_switch (recording, FALSE);
  recording_collect (recording);
  recording_each (recording, see_program, &program);
  assert_int_equal (program.n_forks, 1);
  assert_int_equal (program.n_execs, 1);
  assert_int_equal (program.n_exits, 1);
  assert_true (program.n_maps >= 1);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (in_file_and_lost_are_what_was_counted),
    cmocka_unit_test (a_copy_of_a_ring_in_use_is_an_unbroken_tail),
    cmocka_unit_test (a_known_workload_is_found_in_every_kind_of_event),
    cmocka_unit_test (two_recordings_of_faults_both_find_theirs),
    cmocka_unit_test (the_sideband_tells_a_program_from_fork_to_exit),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
