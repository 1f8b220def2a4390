/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Changing what is recorded while it is being recorded: added events count at once, dropped ones
 * stop, filters and larger rings come without a gap in what else is recorded. */
#include "config.h"
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "recording.h"

static const WprPerfEvent numbered
    = { .row = 1, .kind = WPR_PERF_TRACEPOINT, .name = NUMBERED_EVENT, .period = 1 };
static const WprPerfEvent numbered_again
    = { .row = 2, .kind = WPR_PERF_TRACEPOINT, .name = NUMBERED_EVENT, .period = 1 };

/* Which numbers of each CPU were recorded for a row, how often. */
typedef struct
{
  guint32 row;
  gint64 first[32], last[32];
  guint64 n_ours, n_missing, n_twice;
  guint32 of_tid; /* 0: of all; else how many are this thread's */
  guint64 n_of_tid;
} Numbers;

static void
take_number (const WprRecord *record, gpointer data)
{
  Numbers *numbers = data;
  guint cpu;

  if (record->type != PERF_RECORD_SAMPLE || record->row != numbers->row)
    return;
  gint64 number = workload_number (record, &cpu);
  if (number < 0)
    return;
  gint64 *last = &numbers->last[cpu];
  if (numbers->n_ours == 0 || *last < 0)
    {
      if (numbers->first[cpu] < 0)
        numbers->first[cpu] = number;
    }
  else if (number <= *last)
    numbers->n_twice++;
  else
    numbers->n_missing += (guint64)(number - *last - 1);
  *last = MAX (*last, number);
  numbers->n_ours++;
  numbers->n_of_tid += record->tid == numbers->of_tid;
}

static Numbers
numbers_of (Recording *recording, guint32 row)
{
  Numbers numbers = { .row = row };
  for (gsize i = 0; i < G_N_ELEMENTS (numbers.last); i++)
    numbers.first[i] = numbers.last[i] = -1;
  recording_each (recording, take_number, &numbers);
  return numbers;
}

/* Until every thread has made `n` more calls. */
static void
let_them_call (Recording *recording, GPtrArray *work, gint n)
{
  for (guint i = 0; i < work->len; i++)
    {
      Workload *one = work->pdata[i];
      gint until = g_atomic_int_get (&one->made) + n;
      while (g_atomic_int_get (&one->made) < until)
        {
          g_usleep (500);
          recording_collect (recording);
        }
    }
}

/* 6.18 leaves a member that joins a running group off. */
static void
an_event_added_while_recording_counts_at_once (void **state)
{
  g_autoptr (Recording) recording = recording_new (&numbered, 1, 1 << 20, FALSE);
  guint64 count, lost;

  recording_switch (recording, TRUE);
  g_autoptr (GPtrArray) running = workloads_start (0, 1000);
  let_them_call (recording, running, 100);
  recording_learn (recording, &numbered_again);
  assert_true (wpr_opener_add (recording->opener, &numbered_again, &recording->opened, NULL));
  recording_update (recording);

  gint made[32];
  for (guint i = 0; i < running->len; i++)
    made[i] = g_atomic_int_get (&((Workload *)running->pdata[i])->made);
  let_them_call (recording, running, 200);
  guint64 n_made = workloads_finish (running);
  recording_switch (recording, FALSE);
  recording_collect (recording);

  Numbers old = numbers_of (recording, numbered.row);
  Numbers added = numbers_of (recording, numbered_again.row);
  assert_int_equal (old.n_ours, n_made);
  assert_int_equal (old.n_missing + old.n_twice, 0);
  assert_int_equal (added.n_missing + added.n_twice, 0);
  for (guint i = 0; i < running->len; i++)
    {
      const Workload *one = running->pdata[i];
      assert_true (added.first[one->cpu] >= 0 && added.first[one->cpu] <= made[i] + 1);
      assert_int_equal (added.last[one->cpu], one->made - 1);
    }
  recording_counts (recording, numbered_again.row, &count, &lost);
  assert_int_equal (count, recording_rows (recording, numbered_again.row));
  assert_int_equal (lost, 0);
}

static void
a_dropped_event_stops_and_the_others_go_on (void **state)
{
  const WprPerfEvent both[] = { numbered, numbered_again };
  g_autoptr (Recording) recording = recording_new (both, 2, 4 << 20, FALSE);

  recording_switch (recording, TRUE);
  g_autoptr (GPtrArray) running = workloads_start (0, 1000);
  let_them_call (recording, running, 100);
  g_autoptr (GArray) counts = g_array_new (FALSE, FALSE, sizeof (WprGroupCount));
  assert_true (wpr_opener_drop (recording->opener, numbered.row, counts, NULL));
  recording_collect (recording);
  Numbers before = numbers_of (recording, numbered.row);
  let_them_call (recording, running, 100);
  guint64 n_made = workloads_finish (running);
  recording_switch (recording, FALSE);
  recording_collect (recording);

  Numbers dropped = numbers_of (recording, numbered.row);
  Numbers kept = numbers_of (recording, numbered_again.row);
  assert_true (before.n_ours > 0);
  /* What it counted last is what was recorded of it. */
  guint64 counted = 0, lost_of_it = 0;
  for (guint i = 0; i < counts->len; i++)
    {
      counted += g_array_index (counts, WprGroupCount, i).count;
      lost_of_it += g_array_index (counts, WprGroupCount, i).lost;
    }
  assert_int_equal (counts->len, recording->opened.leaders->len);
  assert_int_equal (recording_rows (recording, numbered.row) + lost_of_it, counted);
  assert_int_equal (dropped.n_ours, before.n_ours);
  assert_int_equal (kept.n_ours, n_made);
  assert_int_equal (kept.n_missing + kept.n_twice, 0);
  assert_false (wpr_opener_drop (recording->opener, numbered.row, NULL, NULL));
}

static void
threads_given_at_the_start_are_not_recorded (void **state)
{
  WprPerfEvent without = numbered;
  without.n_skip_tids = 2;
  without.skip_tids[0] = 1;
  without.skip_tids[1] = (guint32)syscall (SYS_gettid);
  g_autoptr (Recording) recording = recording_new (&without, 1, 1 << 20, FALSE);

  recording_switch (recording, TRUE);
  for (guint i = 0; i < 50; i++)
    syscall (SYS_ioprio_get, 1, 0x40000000 + i);
  g_autoptr (GPtrArray) work = workloads_start (100, 0);
  guint64 n_made = workloads_finish (work);
  recording_switch (recording, FALSE);
  recording_collect (recording);
  assert_int_equal (numbers_of (recording, numbered.row).n_ours, n_made);
}

/* The first filter is set on the event, the second needs a new event; neither leaves a gap. */
static void
filters_change_without_a_gap (void **state)
{
  g_autoptr (Recording) recording = recording_new (&numbered, 1, 4 << 20, FALSE);
  guint n_ids = recording->opened.ids->len;

  recording_switch (recording, TRUE);
  g_autoptr (GPtrArray) running = workloads_start (0, 1000);
  Workload *skipped = running->pdata[0];
  let_them_call (recording, running, 100);

  assert_true (wpr_opener_filter (recording->opener, numbered.row, &skipped->tid, 1,
                                  &recording->opened, NULL));
  recording_collect (recording);
  assert_int_equal (recording->opened.ids->len, n_ids);
  Numbers first = numbers_of (recording, numbered.row);
  let_them_call (recording, running, 100);
  recording_collect (recording);
  Numbers second = numbers_of (recording, numbered.row);
  assert_int_equal (second.last[skipped->cpu], first.last[skipped->cpu]);

  /* Everybody again. */
  assert_true (
      wpr_opener_filter (recording->opener, numbered.row, NULL, 0, &recording->opened, NULL));
  assert_int_equal (recording->opened.ids->len, 2 * n_ids);
  recording_update (recording);
  let_them_call (recording, running, 100);
  workloads_finish (running);
  recording_switch (recording, FALSE);
  recording_collect (recording);

  Numbers third = numbers_of (recording, numbered.row);
  for (guint i = 0; i < running->len; i++)
    {
      const Workload *one = running->pdata[i];
      assert_int_equal (third.last[one->cpu], one->made - 1);
    }
  guint64 skipped_calls = (guint64)(third.n_missing);
  /* Only the thread that was filtered out has a gap, and it is about as long as it was out. */
  assert_true (skipped_calls >= 100);
  assert_true (skipped_calls <= (guint64)skipped->made);
}

static void
a_larger_ring_comes_without_a_gap (void **state)
{
  for (guint backward = 0; backward < 2; backward++)
    {
      g_autoptr (Recording) recording = recording_new (&numbered, 1, 1 << 20, backward != 0);
      guint n_leaders = recording->opened.leaders->len;
      guint64 count, lost;

      recording_switch (recording, TRUE);
      g_autoptr (GPtrArray) running = workloads_start (0, 1000);
      let_them_call (recording, running, 200);
      if (backward) /* what takes long, ahead of it */
        assert_true (wpr_opener_grow_ahead (recording->opener, 0, 4 << 20, NULL));
      assert_true (wpr_opener_grow (recording->opener, 0, 4 << 20, &recording->opened, NULL));
      recording_update (recording);
      assert_int_equal (recording->opened.leaders->len, 2 * n_leaders);
      for (guint i = n_leaders; i < 2 * n_leaders; i++)
        assert_int_equal (g_array_index (recording->opened.leaders, WprLeader, i).bytes, 4 << 20);
      let_them_call (recording, running, 200);
      guint64 n_made = workloads_finish (running);
      recording_switch (recording, FALSE);
      recording_collect (recording);

      /* Old ring first, then the new one: the numbers go on. */
      Numbers all = numbers_of (recording, numbered.row);
      assert_int_equal (all.n_ours, n_made);
      assert_int_equal (all.n_missing + all.n_twice, 0);
      recording_counts (recording, numbered.row, &count, &lost);
      assert_int_equal (lost, 0);
      assert_int_equal (count, recording_rows (recording, numbered.row));
      for (guint i = n_leaders; i < 2 * n_leaders; i++)
        assert_true (((GByteArray *)recording->bytes->pdata[i])->len > 0);
    }
}

/* Adding after growing: the member's ring is not its leader's. */
static void
an_event_added_to_a_grown_ring_is_recorded (void **state)
{
  g_autoptr (Recording) recording = recording_new (&numbered, 1, 64 << 10, FALSE);

  recording_switch (recording, TRUE);
  assert_true (wpr_opener_grow (recording->opener, 0, 1 << 20, &recording->opened, NULL));
  recording_learn (recording, &numbered_again);
  assert_true (wpr_opener_add (recording->opener, &numbered_again, &recording->opened, NULL));
  recording_update (recording);
  g_autoptr (GPtrArray) work = workloads_start (500, 0);
  guint64 n_made = workloads_finish (work);
  recording_switch (recording, FALSE);
  recording_collect (recording);
  assert_int_equal (numbers_of (recording, numbered.row).n_ours, n_made);
  assert_int_equal (numbers_of (recording, numbered_again.row).n_ours, n_made);
}

/* As after a suspend: the events are opened anew and write on into the ring that stayed mapped. */
static void
a_cpu_that_comes_back_writes_to_its_old_ring (void **state)
{
  g_autoptr (Recording) recording = recording_new (&numbered, 1, 1 << 20, FALSE);
  g_autoptr (GArray) cpus = wpr_cpus_online ();
  guint n_leaders = recording->opened.leaders->len;

  recording_switch (recording, TRUE);
  for (guint i = 0; i < cpus->len; i++)
    assert_true (wpr_opener_cpu_online (recording->opener, g_array_index (cpus, guint, i),
                                        &recording->opened, NULL));
  recording_update (recording);
  assert_int_equal (recording->opened.leaders->len, n_leaders + cpus->len);
  for (guint i = n_leaders; i < recording->opened.leaders->len; i++)
    assert_int_equal (g_array_index (recording->opened.leaders, WprLeader, i).bytes, 0);
  recording_switch (recording, TRUE);
  g_autoptr (GPtrArray) work = workloads_start (500, 0);
  guint64 n_made = workloads_finish (work);
  recording_switch (recording, FALSE);
  recording_collect (recording);
  Numbers numbers = numbers_of (recording, numbered.row);
  assert_int_equal (numbers.n_ours, n_made);
  assert_int_equal (numbers.n_missing, 0);
}

/* Switching one event on and off many times leaves no descriptor behind and loses nothing else. */
static void
toggling_an_event_disturbs_nothing (void **state)
{
  g_autoptr (Recording) recording = recording_new (&numbered, 1, 4 << 20, FALSE);
  static const WprPerfEvent toggled
      = { .row = 7, .kind = WPR_PERF_SOFTWARE, .name = "context-switches", .period = 1 };

  recording_switch (recording, TRUE);
  recording_learn (recording, &toggled);
  g_autoptr (GPtrArray) running = workloads_start (0, 1000);
  for (guint i = 0; i < 200; i++)
    {
      assert_true (wpr_opener_add (recording->opener, &toggled, &recording->opened, NULL));
      recording_update (recording);
      recording_collect (recording);
      assert_true (wpr_opener_drop (recording->opener, toggled.row, NULL, NULL));
    }
  guint64 n_made = workloads_finish (running);
  recording_switch (recording, FALSE);
  recording_collect (recording);
  Numbers numbers = numbers_of (recording, numbered.row);
  assert_int_equal (numbers.n_ours, n_made);
  assert_int_equal (numbers.n_missing + numbers.n_twice, 0);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (an_event_added_while_recording_counts_at_once),
    cmocka_unit_test (a_dropped_event_stops_and_the_others_go_on),
    cmocka_unit_test (threads_given_at_the_start_are_not_recorded),
    cmocka_unit_test (filters_change_without_a_gap),
    cmocka_unit_test (a_larger_ring_comes_without_a_gap),
    cmocka_unit_test (an_event_added_to_a_grown_ring_is_recorded),
    cmocka_unit_test (a_cpu_that_comes_back_writes_to_its_old_ring),
    cmocka_unit_test (toggling_an_event_disturbs_nothing),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
