/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The local opener on the real kernel: what was asked for arrives and adds up, what is refused is
 * said, rings shrink where they must. */
#include "config.h"
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/wpr-error.h"
#include "perf/format.h"
#include "recording.h"

static const WprPerfEvent numbered
    = { .row = 1, .kind = WPR_PERF_TRACEPOINT, .name = NUMBERED_EVENT, .period = 1 };

/* Numbers of one CPU, in the order they were recorded. */
typedef struct
{
  gint64 last[64];
  guint64 n_ours, n_foreign, n_lost_said, n_missing;
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
  numbers->n_missing += (guint64)(number - numbers->last[cpu] - 1);
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

/* Memory mode: on each CPU the newest call is there and none is missing back to the oldest kept. */
static void
check_tail (Recording *recording, GPtrArray *work, const gint *made_before)
{
  Numbers numbers;

  recording_collect (recording);
  numbers_clear (&numbers);
  /* The first of each CPU may be any; afterwards there is no gap. */
  for (guint i = 0; i < recording->bytes->len; i++)
    {
      const GByteArray *bytes = recording->bytes->pdata[i];
      for (guint at = 0; at < bytes->len;)
        {
          const struct perf_event_header *header = (gpointer)(bytes->data + at);
          WprRecord record;
          guint cpu;
          assert_true (wpr_record_parse (header, recording->ids, &record));
          gint64 number = workload_number (&record, &cpu);
          if (number >= 0)
            {
              assert_true (numbers.last[cpu] == -1 || number == numbers.last[cpu] + 1);
              numbers.last[cpu] = number;
            }
          at += header->size;
        }
    }
  for (guint i = 0; i < work->len; i++)
    {
      const Workload *one = work->pdata[i];
      if (made_before[i] > 0)
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
            made[i]
                = sizes[s] >= 1 << 20 ? g_atomic_int_get (&((Workload *)work->pdata[i])->made) : 0;
          check_tail (recording, work, made);
        }
      workloads_finish (work);
      recording_switch (recording, FALSE);
      for (guint i = 0; i < work->len; i++)
        made[i] = ((Workload *)work->pdata[i])->made;
      check_tail (recording, work, made);
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

static void
a_known_workload_is_found_in_every_kind_of_event (void **state)
{
  g_autoptr (Recording) recording = recording_new (kinds, G_N_ELEMENTS (kinds), 16 << 20, FALSE);
  Seen seen
      = { .tid = (guint32)syscall (SYS_gettid), .page_bytes = (guint64)sysconf (_SC_PAGESIZE) };
  guint64 count, lost;

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

  print_message ("switched %u, woken %u, called %u, sampled %u\n", seen.n_switched, seen.n_woken,
                 seen.n_called, seen.n_sampled);
  assert_true (seen.n_switched >= N_STEPS);
  assert_int_equal (seen.n_switch_with_user_ip, seen.n_switched);
  assert_int_equal (seen.n_called, N_STEPS);
  /* 0.3 s at 1 kHz; a guest whose host is busy gets less. */
  assert_true (seen.n_sampled >= 30);
  for (gsize i = 0; i < N_STEPS; i++)
    assert_int_equal (seen.faulted[i], 1);
  for (guint32 row = ROW_SWITCH; row <= ROW_FAULT; row++)
    {
      recording_counts (recording, row, &count, &lost);
      assert_int_equal (lost, 0);
      guint64 in_file = recording_rows (recording, row);
      if (row != ROW_CLOCK && in_file != count)
        print_message ("%s: counted %" G_GUINT64_FORMAT ", in file %" G_GUINT64_FORMAT "\n",
                       kinds[row].name, count, in_file);
      /* What interrupts cause, everybody's: see spinners_start. */
      if (row == ROW_WAKING)
        assert_true (in_file <= count && seen.n_woken + (count - in_file) >= N_STEPS);
      else if (row == ROW_FAULT)
        assert_true (in_file <= count);
      else if (row != ROW_CLOCK)
        assert_int_equal (in_file, count);
    }
  for (guint32 row = ROW_SWITCH; row <= ROW_SYSCALL; row++)
    wpr_format_free (seen.formats[row]);
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

  if (wpr_record_task (record, &task) && task.pid == (guint32)program->pid)
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

/* ---- refusals and limits ---- */

static void
what_the_kernel_lacks_is_a_refusal (void **state)
{
  static const WprPerfEvent events[] = {
    { .row = 0, .kind = WPR_PERF_SOFTWARE, .name = "page-faults", .period = 1 },
    { .row = 1, .kind = WPR_PERF_TRACEPOINT, .name = "no:such_event", .period = 1 },
    { .row = 2, .kind = WPR_PERF_TRACEPOINT, .name = "../../x:y", .period = 1 },
    { .row = 3, .kind = WPR_PERF_SOFTWARE, .name = "no-such", .period = 1 },
    { .row = 4, .kind = WPR_PERF_HARDWARE, .name = "no-such", .frequency = 1000 },
  };
  static const int reasons[] = { 0, ENOENT, EINVAL, ENOENT, ENOENT };
  g_autoptr (WprOpener) opener = wpr_opener_local_new ();
  g_autoptr (GArray) cpus = wpr_cpus_online ();
  WprRingSpec spec = { .bytes = 64 << 10 };
  WprOpened opened = { 0 };

  assert_true (wpr_opener_open (opener, events, G_N_ELEMENTS (events), &spec, 1,
                                (const guint *)cpus->data, cpus->len, &opened, NULL));
  assert_int_equal (opened.leaders->len, cpus->len);
  assert_int_equal (opened.ids->len, cpus->len);
  assert_int_equal (opened.refusals->len, 4);
  for (guint i = 0; i < opened.refusals->len; i++)
    {
      const WprRefusal *refusal = &g_array_index (opened.refusals, WprRefusal, i);
      assert_int_equal (refusal->row, i + 1);
      assert_int_equal (refusal->cpu, G_MAXUINT);
      assert_int_equal (refusal->error_number, reasons[refusal->row]);
    }
  wpr_opened_clear (&opened);
}

/* 680 members fill a group's answer; the others get a leader of their own and the same ring. */
static void
more_events_than_a_group_holds_get_a_second_one (void **state)
{
  enum
  {
    N_EVENTS = 700
  };
  g_autofree WprPerfEvent *events = g_new0 (WprPerfEvent, N_EVENTS);
  for (guint32 i = 0; i < N_EVENTS; i++)
    events[i] = (WprPerfEvent){
      .row = i, .kind = WPR_PERF_SOFTWARE, .name = "emulation-faults", .period = 1
    };
  events[0].name = "page-faults";
  events[N_EVENTS - 1] = numbered;
  events[N_EVENTS - 1].row = N_EVENTS - 1;
  g_autoptr (Recording) recording = recording_new (events, N_EVENTS, 1 << 20, FALSE);
  g_autoptr (GArray) cpus = wpr_cpus_online ();
  guint64 count, lost;

  assert_int_equal (recording->opened.leaders->len, 2 * cpus->len);
  assert_int_equal (recording->opened.ids->len, N_EVENTS * cpus->len);
  recording_switch (recording, TRUE);
  g_autoptr (GPtrArray) work = workloads_start (100, 0);
  for (guint i = 0; i < 50; i++)
    {
      guint8 *page = mmap (NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      *(volatile guint8 *)page = 1;
      munmap (page, 4096);
    }
  workloads_finish (work);
  recording_switch (recording, FALSE);
  recording_collect (recording);
  recording_counts (recording, 0, &count, &lost);
  assert_true (count >= 50);
  assert_int_equal (recording_rows (recording, 0) + lost, count);
  recording_counts (recording, N_EVENTS - 1, &count, &lost);
  assert_true (count >= 100 * work->len);
  assert_int_equal (recording_rows (recording, N_EVENTS - 1) + lost, count);
}

/* A user nobody else is (locked memory is counted by user), with one right and nothing lockable. In
 * a child, since it gives rights up. 0 or where it failed. */
static int
become_nobody_who_may_record (void)
{
  struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
  struct __user_cap_data_struct caps[2] = { 0 };
  struct rlimit limit = { 0, 0 };

  caps[CAP_PERFMON / 32].effective = caps[CAP_PERFMON / 32].permitted = 1u << CAP_PERFMON % 32;
  return prctl (PR_SET_KEEPCAPS, 1) == 0 && setuid (61234) == 0
                 && syscall (SYS_capset, &header, caps) == 0
                 && setrlimit (RLIMIT_MEMLOCK, &limit) == 0
             ? 0
             : 10;
}

/* What the kernel lets this test itself map. */
static gboolean
maps_raw (gsize bytes)
{
  static const WprPerfEvent event = { .kind = WPR_PERF_SOFTWARE, .name = "page-faults" };
  struct perf_event_attr attr;

  wpr_perf_event_fill_attr (&event, FALSE, &attr);
  int fd = (int)syscall (SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
  WprRing *raw = fd >= 0 ? wpr_ring_map (fd, bytes, FALSE, NULL) : NULL;
  gboolean mapped = raw != NULL;
  wpr_ring_free (raw);
  if (fd >= 0)
    close (fd);
  return mapped;
}

static int
shrinks_in_child (void)
{
  g_autoptr (WprOpener) opener = wpr_opener_local_new ();
  g_autoptr (GArray) cpus = wpr_cpus_online ();
  WprRingSpec spec = { .bytes = 16 << 20 };
  static const WprPerfEvent event = { .kind = WPR_PERF_SOFTWARE, .name = "page-faults" };
  WprOpened opened = { 0 };
  int trouble = become_nobody_who_may_record ();

  if (trouble != 0)
    return trouble;
  /* No limit where perf_event_paranoid is -1; then nothing may shrink. */
  gboolean unlimited = maps_raw (spec.bytes);
  if (!wpr_opener_open (opener, &event, 1, &spec, 1, (const guint *)cpus->data, cpus->len, &opened,
                        NULL))
    return 1;
  gsize bytes = g_array_index (opened.leaders, WprLeader, 0).bytes;
  for (guint i = 0; i < opened.leaders->len; i++)
    if (g_array_index (opened.leaders, WprLeader, i).bytes != bytes)
      return 2;
  if (unlimited)
    return bytes == spec.bytes ? 0 : 3;
  return bytes < spec.bytes && bytes >= 65536 ? 0 : 4;
}

/* What a large set leaves must do for the next: the sideband is opened after the data. */
static int
two_sets_in_child (void)
{
  g_autoptr (WprOpener) opener = wpr_opener_local_new ();
  g_autoptr (GArray) cpus = wpr_cpus_online ();
  const WprRingSpec specs[] = { { .bytes = 16 << 20, .backward = TRUE }, { .bytes = 512 << 10 } };
  static const WprPerfEvent event = { .kind = WPR_PERF_SOFTWARE, .name = "page-faults" };
  WprOpened opened = { 0 };
  gsize bytes[G_N_ELEMENTS (specs)] = { 0 };
  int trouble = become_nobody_who_may_record ();

  if (trouble != 0)
    return trouble;
  if (!wpr_opener_open (opener, &event, 1, specs, G_N_ELEMENTS (specs), (const guint *)cpus->data,
                        cpus->len, &opened, NULL))
    return 1;
  for (guint i = 0; i < opened.leaders->len; i++)
    {
      const WprLeader *leader = &g_array_index (opened.leaders, WprLeader, i);
      if (bytes[leader->ring] != 0 && bytes[leader->ring] != leader->bytes)
        return 2;
      bytes[leader->ring] = leader->bytes;
    }
  return bytes[0] >= 65536 && bytes[1] >= 65536 ? 0 : 3;
}

static int
refused_in_child (void)
{
  g_autoptr (WprOpener) opener = wpr_opener_local_new ();
  WprRingSpec spec = { .bytes = 64 << 10 };
  WprOpened opened = { 0 };
  g_autoptr (GError) error = NULL;
  guint cpu = 0;
  static const WprPerfEvent event = { .kind = WPR_PERF_SOFTWARE, .name = "page-faults" };
  struct perf_event_attr attr;

  if (setuid (65534) != 0)
    return 10;
  wpr_perf_event_fill_attr (&event, FALSE, &attr);
  int fd = (int)syscall (SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
  gboolean opens = wpr_opener_open (opener, &event, 1, &spec, 1, &cpu, 1, &opened, &error);
  if (fd >= 0)
    return opens ? 0 : 1;
  return !opens && g_error_matches (error, WPR_ERROR, WPR_ERROR_NOT_PERMITTED) ? 0 : 2;
}

static void
run_in_child (int (*func) (void))
{
  int status;
  pid_t pid = fork ();
  if (pid == 0)
    _exit (func ());
  assert_int_equal (waitpid (pid, &status, 0), pid);
  assert_true (WIFEXITED (status));
  assert_int_equal (WEXITSTATUS (status), 0);
}

static void
rings_shrink_where_memory_may_not_be_locked (void **state)
{
  if (geteuid () == 0)
    run_in_child (shrinks_in_child);
  if (geteuid () == 0)
    run_in_child (two_sets_in_child);
}

static void
without_rights_opening_says_so (void **state)
{
  if (geteuid () == 0)
    run_in_child (refused_in_child);
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
    cmocka_unit_test (what_the_kernel_lacks_is_a_refusal),
    cmocka_unit_test (more_events_than_a_group_holds_get_a_second_one),
    cmocka_unit_test (rings_shrink_where_memory_may_not_be_locked),
    cmocka_unit_test (without_rights_opening_says_so),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
