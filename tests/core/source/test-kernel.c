/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernel source on the real kernel: nothing is lost without being counted, in both modes, and
 * processes are told. */
#include "config.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/files.h"
#include "recording.h"
#include "source/kernel.h"
#include "store/payload.h"

/* What only a running thread causes. Interrupts on an idle CPU are counted and not recorded by some
 * virtual machines' kernels (6.18-fc: no sample ever has pid 0), so those do not add up there. */
static const char *const by_threads[] = {
  "raw_syscalls:sys_enter",   "raw_syscalls:sys_exit",  "sched:sched_process_exec",
  "sched:sched_process_exit", "sched:sched_wakeup_new", "sched:sched_switch",
};

static gboolean
is_by_threads (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (by_threads); i++)
    if (strcmp (by_threads[i], name) == 0)
      return TRUE;
  return FALSE;
}

/* Period-1 events: in store + lost = counted, on every CPU. */
static void
assert_adds_up (GArray *tallies, const WprManifest *manifest, guint64 *lost)
{
  *lost = 0;
  for (guint i = 0; i < tallies->len; i++)
    {
      const TestTally *t = &g_array_index (tallies, TestTally, i);
      const WprStoreEvent *event = &g_array_index (manifest->events, WprStoreEvent, t->row);
      if (!is_by_threads (event->name))
        continue;
      if (t->records + t->lost != t->counted)
        fail_msg ("%s on CPU %u: %" G_GUINT64_FORMAT " in the store + %" G_GUINT64_FORMAT
                  " lost, %" G_GUINT64_FORMAT " counted",
                  event->name, t->cpu, t->records, t->lost, t->counted);
      *lost += t->lost;
    }
}

static guint64
records_of (GArray *tallies, guint32 row)
{
  guint64 sum = 0;
  for (guint i = 0; i < tallies->len; i++)
    if (g_array_index (tallies, TestTally, i).row == row)
      sum += g_array_index (tallies, TestTally, i).records;
  return sum;
}

static void
file_mode_records_what_was_counted (void **state)
{
  TestRecording r;
  test_recording_init (&r, "CPU.light", WPR_MODE_FILE);
  test_recording_begin (&r);
  for (guint i = 0; i < 10; i++)
    {
      test_run_programs (r.root, "wpr-workload", 10);
      assert_true (wpr_source_drain (r.kernel, &r.session, NULL));
    }
  assert_true (wpr_source_stop (r.kernel, &r.session, NULL));
  g_autofree char *path = g_strdup (wpr_store_get_path (r.session.store));
  wpr_store_close (g_steal_pointer (&r.session.store));
  r.session.manifest = NULL;

  g_autoptr (WprStoreReader) reader = wpr_store_reader_open (path, NULL);
  const WprManifest *manifest = wpr_store_reader_manifest (reader);
  g_autoptr (GArray) tallies = test_store_tallies (path);
  guint64 lost = 0;
  assert_adds_up (tallies, manifest, &lost);
  assert_int_equal (lost, 0);
  assert_true (records_of (tallies, test_store_row (manifest, "sched:sched_process_exec")) >= 100);
  assert_true (records_of (tallies, test_store_row (manifest, "sched:sched_switch")) >= 100);
  test_recording_clear (&r);
}

static void
losses_are_counted_where_they_happen (void **state)
{
  TestRecording r;
  test_recording_init (&r, "SystemCall", WPR_MODE_FILE);
  r.choice->buffer_size_kb = 64;
  r.choice->buffers = 4;
  test_recording_begin (&r);
  /* 1 MiB a CPU and no drain: 200 000 system calls of 90 bytes do not fit. */
  for (guint i = 0; i < 200000; i++)
    getppid ();
  g_autoptr (GArray) figures = g_array_new (FALSE, TRUE, sizeof (WprSourceFigures));
  g_autoptr (GArray) losses = g_array_new (FALSE, TRUE, sizeof (WprSourceLoss));
  g_usleep (G_USEC_PER_SEC);
  wpr_source_figures (r.kernel, &r.session, TRUE, figures, losses);
  guint64 told = 0;
  for (guint i = 0; i < losses->len; i++)
    {
      const WprSourceLoss *loss = &g_array_index (losses, WprSourceLoss, i);
      const GArray *events = r.session.manifest->events;
      if (loss->row < events->len
          && is_by_threads (g_array_index (events, WprStoreEvent, loss->row).name))
        told += loss->count;
    }
  assert_true (told > 0);
  assert_true (wpr_source_stop (r.kernel, &r.session, NULL));
  g_autofree char *path = g_strdup (wpr_store_get_path (r.session.store));
  wpr_store_close (g_steal_pointer (&r.session.store));
  r.session.manifest = NULL;

  g_autoptr (WprStoreReader) reader = wpr_store_reader_open (path, NULL);
  g_autoptr (GArray) tallies = test_store_tallies (path);
  guint64 lost = 0;
  assert_adds_up (tallies, wpr_store_reader_manifest (reader), &lost);
  assert_true (lost >= told);
  test_recording_clear (&r);
}

static void
memory_mode_keeps_the_newest_without_pausing (void **state)
{
  TestRecording r;
  test_recording_init (&r, "SystemCall", WPR_MODE_MEMORY);
  r.choice->buffer_size_kb = 64;
  r.choice->buffers = 16;
  test_recording_begin (&r);
  for (guint i = 0; i < 100000; i++)
    getppid ();
  g_autofree char *parent = g_build_filename (r.root, "raw", NULL);
  WprStoreLimits limits = { .epoch_bytes = G_MAXUINT64 };
  WprManifest *copy = wpr_manifest_new (); /* the store needs one of its own */
  copy->instance = g_strdup ("Test");
  copy->boot_id = g_strdup ("01234567-89ab");
  WprStore *store = wpr_store_create (parent, copy, &limits, NULL);
  assert_non_null (store);
  WprTime complete_from = 0;
  assert_true (wpr_source_copy (r.kernel, &r.session, store, &complete_from, NULL));
  assert_true (complete_from > 0);
  assert_true (wpr_store_bytes (store) > 0);
  wpr_store_close (store);
  /* It went on: the ring's head moves. */
  g_autoptr (GArray) figures = g_array_new (FALSE, TRUE, sizeof (WprSourceFigures));
  g_autoptr (GArray) losses = g_array_new (FALSE, TRUE, sizeof (WprSourceLoss));
  wpr_source_figures (r.kernel, &r.session, FALSE, figures, losses);
  guint64 before = 0, after = 0;
  for (guint i = 0; i < figures->len; i++)
    before += g_array_index (figures, WprSourceFigures, i).bytes;
  for (guint i = 0; i < 1000; i++)
    getppid ();
  g_array_set_size (figures, 0);
  wpr_source_figures (r.kernel, &r.session, FALSE, figures, losses);
  for (guint i = 0; i < figures->len; i++)
    {
      const WprSourceFigures *f = &g_array_index (figures, WprSourceFigures, i);
      after += f->bytes;
      assert_true (f->used_bytes <= f->ring_bytes);
      assert_int_equal (f->overwritten_bytes,
                        f->bytes > f->ring_bytes ? f->bytes - f->ring_bytes : 0);
    }
  assert_true (after > before);
  assert_true (wpr_source_stop (r.kernel, &r.session, NULL));
  test_recording_clear (&r);
}

/* A sample of cpu-clock has its instruction pointer where a tracepoint has thread and time. */
static void
a_copy_that_begins_with_a_sample_begins_at_its_time (void **state)
{
  guint64 record[7] = {
    (guint64)56 << 48 | PERF_RECORD_SAMPLE, /* size 56, misc 0 */
    7,                                      /* id */
    0xffffffff81000000,                     /* ip */
    (guint64)12 << 32 | 11,                 /* pid 11, tid 12 */
    5000000000,                             /* time */
    1,                                      /* cpu */
    0,                                      /* frames */
  };
  g_autoptr (WprIdTable) ids = wpr_id_table_new ();
  wpr_id_table_add (ids, 7, 0,
                    PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME
                        | PERF_SAMPLE_CPU | PERF_SAMPLE_CALLCHAIN);
  WprRingCopy copy = { .data = (guint8 *)record, .size = sizeof record };
  assert_int_equal (wpr_kernel_first_time (ids, &copy), 5000000000);
  copy.size = 0;
  assert_int_equal (wpr_kernel_first_time (ids, &copy), 0);
}

/* More than the rings hold. */
static void
a_ring_that_wrapped_is_complete_from_within_the_recording (void **state)
{
  TestRecording r;
  test_recording_init (&r, "CPU", WPR_MODE_MEMORY);
  r.choice->buffer_size_kb = 64;
  r.choice->buffers = 2;
  test_recording_begin (&r);
  WprClockReading from, now;
  wpr_clock_read (&from);
  do
    wpr_clock_read (&now);
  while (now.monotonic_ns - from.monotonic_ns < 500 * 1000000LL);
  g_autofree char *parent = g_build_filename (r.root, "raw", NULL);
  WprStoreLimits limits = { .epoch_bytes = G_MAXUINT64 };
  WprManifest *copy = wpr_manifest_new ();
  copy->instance = g_strdup ("Test");
  copy->boot_id = g_strdup ("01234567-89ab");
  WprStore *store = wpr_store_create (parent, copy, &limits, NULL);
  assert_non_null (store);
  WprTime complete_from = 0;
  assert_true (wpr_source_copy (r.kernel, &r.session, store, &complete_from, NULL));
  wpr_clock_read (&now);
  assert_in_range (complete_from, r.session.started_ns, now.monotonic_ns);
  wpr_store_close (store);
  assert_true (wpr_source_stop (r.kernel, &r.session, NULL));
  test_recording_clear (&r);
}

static void
the_world_hears_of_programs_in_memory_mode (void **state)
{
  TestRecording r;
  test_recording_init (&r, "CPU.light", WPR_MODE_MEMORY);
  test_recording_begin (&r);
  test_run_programs (r.root, "wpr-memory", 50);
  assert_true (wpr_source_drain (r.kernel, &r.session, NULL));
  assert_true (wpr_source_stop (r.kernel, &r.session, NULL));
  g_autoptr (GPtrArray) processes = wpr_world_list_processes (r.session.world);
  guint found = 0;
  for (guint i = 0; i < processes->len; i++)
    {
      const WprProcess *p = g_ptr_array_index (processes, i);
      const WprProgram *last = &g_array_index (p->programs, WprProgram, p->programs->len - 1);
      found += g_strcmp0 (last->comm, "wpr-memory") == 0;
    }
  assert_int_equal (found, 50);
  test_recording_clear (&r);
}

static gboolean
told (const TestRecording *r, const char *id)
{
  for (guint i = 0; i < r->notices->len; i++)
    if (g_str_has_prefix (g_ptr_array_index (r->notices, i), id))
      return TRUE;
  return FALSE;
}

static gboolean
gap_of_cpu (const WprStoreNote *note, gpointer data)
{
  WprGapPayload payload;
  if (note->kind != WPR_NOTE_CPU_GAP)
    return TRUE;
  memcpy (&payload, note->payload, sizeof payload);
  assert_int_equal (note->cpu, 4000);
  assert_int_equal (payload.to, G_MAXINT64);
  assert_true (payload.from > 0);
  (*(guint *)data)++;
  return TRUE;
}

/* No CPU is switched off for a test: the ring's CPU is called one that is not there. */
static void
a_cpu_that_went_is_told_and_noted (void **state)
{
  TestRecording r;
  test_recording_init (&r, "CPU.light", WPR_MODE_FILE);
  test_recording_begin (&r);
  WprSourceKernel *kernel = WPR_SOURCE_KERNEL (r.kernel);
  g_array_index (kernel->rings, WprKernelRing, 0).cpu = 4000;
  g_autoptr (GArray) figures = g_array_new (FALSE, TRUE, sizeof (WprSourceFigures));
  g_autoptr (GArray) losses = g_array_new (FALSE, TRUE, sizeof (WprSourceLoss));
  for (guint i = 0; i < 2; i++)
    {
      g_array_set_size (figures, 0);
      wpr_source_figures (r.kernel, &r.session, TRUE, figures, losses);
    }
  assert_false (g_array_index (figures, WprSourceFigures, 0).online);
  assert_true (told (&r, "cpu-offline"));
  g_array_index (kernel->rings, WprKernelRing, 0).cpu = 0; /* so that its store file is the same */
  assert_true (wpr_source_stop (r.kernel, &r.session, NULL));
  g_autofree char *path = g_strdup (wpr_store_get_path (r.session.store));
  wpr_store_close (g_steal_pointer (&r.session.store));
  r.session.manifest = NULL;
  g_autoptr (WprStoreReader) reader = wpr_store_reader_open (path, NULL);
  guint n = 0;
  wpr_store_reader_notes (reader, gap_of_cpu, &n);
  assert_int_equal (n, 1);
  test_recording_clear (&r);
}

static const WprPlanItem *
item_of (const WprPlan *plan, const char *name)
{
  for (guint c = 0; c < plan->collectors->len; c++)
    {
      const WprPlanCollector *collector = g_ptr_array_index (plan->collectors, c);
      for (guint i = 0; i < collector->items->len; i++)
        if (strcmp (((WprPlanItem *)g_ptr_array_index (collector->items, i))->name, name) == 0)
          return g_ptr_array_index (collector->items, i);
    }
  fail_msg ("%s is not in the plan", name);
  return NULL;
}

static void
one_item_goes_off_and_on_while_it_records (void **state)
{
  TestRecording r;
  g_autoptr (GError) error = NULL;
  test_recording_init (&r, "CPU.light", WPR_MODE_FILE);
  test_recording_begin (&r);
  const WprPlanItem *item = item_of (r.plan, "sched:sched_process_exec");
  if (!wpr_source_set (r.kernel, &r.session, item, FALSE, &error))
    fail_msg ("%s", error->message);
  test_run_programs (r.root, "wpr-unseen", 20);
  if (!wpr_source_set (r.kernel, &r.session, item, TRUE, &error))
    fail_msg ("%s", error->message);
  test_run_programs (r.root, "wpr-seen", 20);
  assert_true (wpr_source_stop (r.kernel, &r.session, NULL));
  g_autofree char *path = g_strdup (wpr_store_get_path (r.session.store));
  wpr_store_close (g_steal_pointer (&r.session.store));
  r.session.manifest = NULL;
  guint seen = 0;
  for (guint cpu = 0; cpu < wpr_cpus_possible (); cpu++)
    seen += test_store_count_text (path, cpu, "/wpr-seen");
  assert_int_equal (seen, 20);
  for (guint cpu = 0; cpu < wpr_cpus_possible (); cpu++)
    assert_int_equal (test_store_count_text (path, cpu, "/wpr-unseen"), 0);
  test_recording_clear (&r);
}

static void
short_memory_shrinks_the_rings_and_is_told (void **state)
{
  TestRecording r;
  g_autofree char *paranoid = wpr_read_small ("/proc/sys/kernel/perf_event_paranoid", 32, NULL);
  test_recording_init (&r, "CPU.light", WPR_MODE_MEMORY);
  if (paranoid && paranoid[0] == '-')
    {
      print_message ("skipped: perf_event_paranoid is -1, so that no limit holds\n");
      test_recording_clear (&r);
      skip ();
    }
  r.choice->buffer_size_kb = 1024;
  r.choice->buffers = 256;
  test_drop_lock_right (TRUE);
  test_recording_begin (&r);
  test_drop_lock_right (FALSE);
  assert_true (told (&r, "ring-shrunk"));
  const WprStoreCollector *c
      = &g_array_index (r.session.manifest->collectors, WprStoreCollector, 0);
  const WprPlanCollector *plan = g_ptr_array_index (r.plan->collectors, 0);
  assert_true (c->ring_bytes > 0 && c->ring_bytes < plan->ring_bytes);
  assert_true (c->buffers_granted < plan->buffers_granted);
  assert_true (wpr_source_stop (r.kernel, &r.session, NULL));
  test_recording_clear (&r);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (file_mode_records_what_was_counted),
    cmocka_unit_test (losses_are_counted_where_they_happen),
    cmocka_unit_test (memory_mode_keeps_the_newest_without_pausing),
    cmocka_unit_test (a_copy_that_begins_with_a_sample_begins_at_its_time),
    cmocka_unit_test (a_ring_that_wrapped_is_complete_from_within_the_recording),
    cmocka_unit_test (the_world_hears_of_programs_in_memory_mode),
    cmocka_unit_test (a_cpu_that_went_is_told_and_noted),
    cmocka_unit_test (one_item_goes_off_and_on_while_it_records),
    cmocka_unit_test (short_memory_shrinks_the_rings_and_is_told),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
