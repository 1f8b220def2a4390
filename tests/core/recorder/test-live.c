/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Changes while it records, on the real kernel: profiles on and off, larger buffers. What was
 * recorded already has no gap; what comes is there from its mark on and not before; every event is
 * in the file or counted as lost. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "numbered.h"
#include "perf/event.h"

#define NUMBERED "syscalls:sys_enter_getppid"
#define CALLS "raw_syscalls:sys_enter"

/* ---- driving ---- */

typedef struct
{
  gboolean done, good;
  GError *error;
} Done;

static void
on_set (GObject *source, GAsyncResult *result, gpointer data)
{
  Done *done = data;
  done->good = wpr_recorder_set_profiles_finish (WPR_RECORDER (source), result, &done->error);
  done->done = TRUE;
}

static void
on_grown (GObject *source, GAsyncResult *result, gpointer data)
{
  Done *done = data;
  done->good = wpr_recorder_grow_finish (WPR_RECORDER (source), result, &done->error);
  done->done = TRUE;
}

static WprErrorCode
code_of (Done *done)
{
  drive_wait (&done->done);
  if (done->good)
    return 0;
  assert_true (done->error->domain == WPR_ERROR && *done->error->message != '\0');
  WprErrorCode code = done->error->code;
  g_clear_error (&done->error);
  return code;
}

/* 0 or an error's code. files: a(say), floating; NULL. */
static WprErrorCode
set_profile (Drive *d, const char *name, const char *source, GVariant *files, gboolean on)
{
  Done done = { 0 };
  g_autoptr (WprChoice) choice = wpr_choice_new ();
  wpr_choice_add (choice, name, source, -1);
  wpr_recorder_set_profiles_async (d->recorder, choice, files, on, NULL, on_set, &done);
  return code_of (&done);
}

static WprErrorCode
grow (Drive *d, const char *collector, guint64 bytes)
{
  Done done = { 0 };
  wpr_recorder_grow_async (d->recorder, collector, bytes, NULL, on_grown, &done);
  return code_of (&done);
}

static void
start (Drive *d, const char *profile, WprMode mode, guint buffers)
{
  Answer answer = { 0 };
  drive_init (d);
  WprChoice *choice = drive_choice (profile, mode);
  choice->buffer_size_kb = 1024;
  choice->buffers = buffers;
  drive_start (d, choice, &answer);
  assert_good (&answer);
  answer_clear (&answer);
}

static gboolean
lists_profile (Drive *d, const char *id)
{
  g_autoptr (GVariant) description = wpr_recorder_describe (d->recorder);
  g_autofree const char **ids = NULL;
  assert_true (g_variant_lookup (description, "profiles", "^a&s", &ids));
  return g_strv_contains (ids, id);
}

/* ---- profiles ---- */

static void
a_profile_is_there_from_its_mark_on_and_until_its_mark (void **state)
{
  Drive d;
  Workload work;
  Watch watch;
  guint64 lost = 0, lost_calls = 0;
  start (&d, "CPU.light", WPR_MODE_FILE, 64);
  work_begin (&work, 500);
  work_wait (&work, 2000);
  assert_int_equal (set_profile (&d, "SystemCall.light", NULL, NULL, TRUE), 0);
  assert_true (lists_profile (&d, "SystemCall.Light.File"));
  work_wait (&work, 5000);
  assert_int_equal (set_profile (&d, "SystemCall.light", NULL, NULL, FALSE), 0);
  assert_false (lists_profile (&d, "SystemCall.Light.File"));
  work_wait (&work, 2000);
  assert_int_equal (set_profile (&d, "SystemCall", NULL, NULL, TRUE), 0); /* with stacks now */
  work_wait (&work, 2000);
  work_end (&work);
  g_autofree char *path = drive_stop_and_keep (&d);

  g_autoptr (WprTrace) trace = watch_play (&watch, path);
  const WprTraceContext *context = wpr_trace_context (trace);
  gint64 on = mark_time (&watch, "“SystemCall” enabled");
  gint64 off = mark_time (&watch, "“SystemCall” disabled");
  gint64 again = g_array_index (watch.mark_times, gint64, watch.mark_times->len - 1);
  assert_true (on < off && off < again);
  assert_row_adds_up (&watch, context, "sched:sched_switch", 0, &lost);
  guint64 calls = assert_row_adds_up (&watch, context, CALLS, 2, &lost_calls);
  for (guint i = 0; i < work.n; i++)
    {
      const GArray *seen = watch.events[work.callers[i].cpu];
      guint n_breaks = 0;
      assert_true (seen->len >= 5000);
      assert_true (g_array_index (seen, Seen, 0).time >= on);
      assert_true (g_array_index (seen, Seen, 0).number >= 2000);
      for (guint j = 1; j < seen->len; j++)
        {
          const Seen *before = &g_array_index (seen, Seen, j - 1),
                     *one = &g_array_index (seen, Seen, j);
          assert_true (one->time <= off || one->time >= again);
          if (one->number == before->number + 1)
            continue;
          /* The only gap is the time it was off. */
          assert_true (before->time <= off && one->time >= again);
          n_breaks++;
        }
      if (lost_calls == 0)
        assert_int_equal (n_breaks, 1);
    }
  assert_true (calls > 0);
  /* Switches went on all the while. */
  assert_true (watch.first_switch < on && watch.last_switch > again);
  WprTraceCounters counters;
  wpr_trace_counters (trace, &counters);
  assert_int_equal (counters.unknown_ids, 0);
  watch_clear (&watch);
  drive_clear (&d);
}

static void
stacks_come_with_a_profile_that_wants_them (void **state)
{
  Drive d;
  Workload work;
  Watch watch;
  guint64 lost = 0;
  start (&d, "CPU.light", WPR_MODE_FILE, 64);
  work_begin (&work, 200);
  work_wait (&work, 2000);
  assert_int_equal (set_profile (&d, "CPU.verbose", NULL, NULL, TRUE), 0);
  assert_true (lists_profile (&d, "CPU.Verbose.File") && !lists_profile (&d, "CPU.Light.File"));
  work_wait (&work, 2000);
  work_end (&work);
  g_autofree char *path = drive_stop_and_keep (&d);
  g_autoptr (WprTrace) trace = watch_play (&watch, path);
  gint64 on = mark_time (&watch, "“CPU” enabled");
  assert_true (watch.n_stacks > 0 && watch.n_stacks < watch.n_switches);
  assert_true (watch.first_stack >= on && watch.first_switch < on);
  assert_row_adds_up (&watch, wpr_trace_context (trace), "sched:sched_switch", 0, &lost);
  watch_clear (&watch);
  drive_clear (&d);
}

static void
memory_mode_holds_what_was_switched_on (void **state)
{
  Drive d;
  Workload work;
  Watch watch;
  Answer answer = { 0 };
  start (&d, "CPU.light", WPR_MODE_MEMORY, 64);
  work_begin (&work, 500);
  work_wait (&work, 1000);
  assert_int_equal (set_profile (&d, "SystemCall.light", NULL, NULL, TRUE), 0);
  work_wait (&work, 2000);
  drive_save (&d, "live.etl", &answer);
  assert_good (&answer);
  assert_true (answer.saved->events > 4000);
  work_end (&work);
  g_autofree char *path = drive_stop_and_keep (&d);
  g_autoptr (WprTrace) trace = watch_play (&watch, path);
  gint64 on = mark_time (&watch, "“SystemCall” enabled");
  assert_unbroken (&watch, &work);
  for (guint i = 0; i < work.n; i++)
    {
      const GArray *seen = watch.events[work.callers[i].cpu];
      assert_true (g_array_index (seen, Seen, 0).time >= on);
      assert_int_equal (g_array_index (seen, Seen, seen->len - 1).number, work.callers[i].made - 1);
    }
  watch_clear (&watch);
  answer_clear (&answer);
  drive_clear (&d);
}

static void
what_cannot_be_is_refused_and_nothing_changes (void **state)
{
  static const char strict[]
      = "<WindowsPerformanceRecorder Version=\"1.0\"><Profiles><EventCollector Id=\"E\" "
        "Name=\"E\"/>"
        "<EventProvider Id=\"P\" Name=\"tracepoint:sched:sched_never\" Strict=\"true\"/>"
        "<Profile Id=\"S.Light.File\" Name=\"S\" Description=\"S\" LoggingMode=\"File\" "
        "DetailLevel=\"Light\"><Collectors><EventCollectorId Value=\"E\"><EventProviders>"
        "<EventProviderId Value=\"P\"/></EventProviders></EventCollectorId></Collectors></Profile>"
        "</Profiles></WindowsPerformanceRecorder>";
  Drive d;
  drive_init (&d);
  assert_int_equal (set_profile (&d, "CPU", NULL, NULL, TRUE), WPR_ERROR_NOT_RECORDING);
  assert_int_equal (grow (&d, NULL, 0), WPR_ERROR_NOT_RECORDING);
  drive_clear (&d);
  start (&d, "CPU.light", WPR_MODE_FILE, 16);
  g_autoptr (GBytes) bytes = g_bytes_new_static (strict, strlen (strict));
  GVariant *files = g_variant_new_parsed (
      "[('s.wprp', %@ay)]", g_variant_new_from_bytes (G_VARIANT_TYPE_BYTESTRING, bytes, TRUE));
  assert_int_equal (set_profile (&d, "S", "s.wprp", files, TRUE), WPR_ERROR_NOT_AVAILABLE);
  assert_int_equal (set_profile (&d, "CPU.light", NULL, NULL, TRUE), WPR_ERROR_STATE);
  assert_int_equal (set_profile (&d, "CPU", NULL, NULL, FALSE), WPR_ERROR_STATE); /* the last */
  assert_int_equal (set_profile (&d, "DiskIO", NULL, NULL, FALSE), WPR_ERROR_STATE);
  assert_int_equal (set_profile (&d, "Nope", NULL, NULL, TRUE), WPR_ERROR_PROFILE);
  assert_int_equal (grow (&d, "No such", 0), WPR_ERROR_USAGE);
  assert_int_equal (grow (&d, NULL, 4096), WPR_ERROR_USAGE);
  assert_int_equal (grow (&d, NULL, G_MAXINT64), WPR_ERROR_USAGE);
  g_autoptr (GVariant) description = wpr_recorder_describe (d.recorder);
  g_autofree const char **ids = NULL;
  assert_true (g_variant_lookup (description, "profiles", "^a&s", &ids));
  assert_string_equal (ids[0], "CPU.Light.File");
  assert_null (ids[1]);
  g_autofree char *path = drive_stop_and_keep (&d);
  Watch watch;
  g_autoptr (WprTrace) trace = watch_play (&watch, path);
  assert_int_equal (watch.marks->len, 0);
  watch_clear (&watch);
  drive_clear (&d);
}

/* Its events go into buffers that are there, its sampler begins; both is said, and both end. */
static void
a_profile_with_buffers_of_its_own_shares_others (void **state)
{
  static const char own[]
      = "<WindowsPerformanceRecorder Version=\"1.0\"><Profiles><SystemCollector Id=\"C\"/>"
        "<EventCollector Id=\"E\" Name=\"Mine\"/><SystemProvider Id=\"S\"><Keywords><Keyword "
        "Value=\"MemoryInfo\"/></Keywords></SystemProvider><EventProvider Id=\"P\" "
        "Name=\"tracepoint:" NUMBERED "\"/><Profile Id=\"Own.Light.File\" Name=\"Own\" "
        "Description=\"Own\" LoggingMode=\"File\" DetailLevel=\"Light\"><Collectors>"
        "<SystemCollectorId Value=\"C\"><SystemProviderId Value=\"S\"/></SystemCollectorId>"
        "<EventCollectorId Value=\"E\"><EventProviders><EventProviderId Value=\"P\"/>"
        "</EventProviders></EventCollectorId></Collectors></Profile></Profiles>"
        "</WindowsPerformanceRecorder>";
  Drive d;
  Workload work;
  Watch watch;
  guint64 lost = 0;
  start (&d, "CPU.light", WPR_MODE_FILE, 64);
  work_begin (&work, 1000);
  g_autoptr (GBytes) bytes = g_bytes_new_static (own, strlen (own));
  GVariant *files = g_variant_new_parsed (
      "[('own.wprp', %@ay)]", g_variant_new_from_bytes (G_VARIANT_TYPE_BYTESTRING, bytes, TRUE));
  assert_int_equal (set_profile (&d, "Own", "own.wprp", files, TRUE), 0);
  assert_true (drive_told (&d, "shared-buffers"));
  work_wait (&work, 2000);
  assert_int_equal (set_profile (&d, "Own", NULL, NULL, FALSE), 0); /* by its name alone */
  work_end (&work);
  g_autofree char *path = drive_stop_and_keep (&d);
  g_autoptr (WprTrace) trace = watch_play (&watch, path);
  assert_true (assert_row_adds_up (&watch, wpr_trace_context (trace), NUMBERED, 1, &lost) + lost
               >= 2000);
  assert_true (watch.n_counters > 0);
  watch_clear (&watch);
  drive_clear (&d);
}

/* ---- larger buffers ---- */

static void
larger_buffers_lose_and_disorder_nothing (void **state)
{
  Drive d;
  Workload work;
  Watch watch;
  guint64 lost = 0;
  start (&d, "SystemCall.light", WPR_MODE_FILE, 16);
  g_autoptr (WprStats) before = wpr_recorder_ref_stats (d.recorder);
  work_begin (&work, 100);
  work_wait (&work, 3000);
  for (guint i = 0; i < 3; i++)
    {
      assert_int_equal (grow (&d, NULL, 0), 0);
      work_wait (&work, 3000);
    }
  assert_true (drive_told (&d, "ring-grown"));
  work_end (&work);
  g_autofree char *path = drive_stop_and_keep (&d);
  g_autoptr (WprStats) after = wpr_recorder_ref_stats (d.recorder);
  assert_int_equal (after->collectors[0].buffers_total, 8 * before->collectors[0].buffers_total);

  g_autoptr (WprTrace) trace = watch_play (&watch, path);
  const WprTraceContext *context = wpr_trace_context (trace);
  assert_row_adds_up (&watch, context, CALLS, 1, &lost);
  if (lost == 0)
    assert_unbroken (&watch, &work);
  WprTraceCounters counters;
  wpr_trace_counters (trace, &counters);
  assert_int_equal (counters.clamped, 0);
  mark_time (&watch, "enlarged from");
  assert_int_equal (watch.marks->len, 3);
  assert_int_equal (g_array_index (context->manifest->collectors, WprStoreCollector, 0).ring_bytes,
                    before->collectors[0].cpus[0].ring_bytes * 8);
  watch_clear (&watch);
  drive_clear (&d);
}

/* Before the new ring came round, what the old one held is saved with it. */
static void
larger_buffers_in_memory_keep_what_was_held (void **state)
{
  Drive d;
  Workload work;
  Watch watch;
  guint64 made[CPUS_MOST];
  start (&d, "SystemCall.light", WPR_MODE_MEMORY, 128);
  work_begin (&work, 1000);
  work_wait (&work, 3000);
  for (guint i = 0; i < work.n; i++)
    made[i] = (guint64)g_atomic_int_get (&work.callers[i].made);
  assert_int_equal (grow (&d, NULL, 0), 0);
  work_wait (&work, 3000);
  work_end (&work);
  g_autofree char *path = drive_stop_and_keep (&d);
  g_autoptr (WprTrace) trace = watch_play (&watch, path);
  assert_unbroken (&watch, &work);
  for (guint i = 0; i < work.n; i++)
    {
      const GArray *seen = watch.events[work.callers[i].cpu];
      assert_true (g_array_index (seen, Seen, 0).number < made[i]); /* of before */
      assert_int_equal (g_array_index (seen, Seen, seen->len - 1).number, work.callers[i].made - 1);
    }
  WprTraceCounters counters;
  wpr_trace_counters (trace, &counters);
  assert_int_equal (counters.clamped, 0);
  watch_clear (&watch);
  drive_clear (&d);
}

/* What is overwritten before and after counts up, never down, and the tail stays unbroken. */
static void
larger_buffers_in_memory_may_wrap (void **state)
{
  Drive d;
  Workload work;
  Watch watch;
  /* 4 MiB and then 8 a CPU of two: both wrap, and hold what others do until the rings are copied.
   */
  start (&d, "SystemCall.light", WPR_MODE_MEMORY, 8);
  work_begin (&work, 0);
  work_wait (&work, 60000);
  g_autoptr (WprStats) before = wpr_recorder_ref_stats (d.recorder);
  assert_int_equal (grow (&d, NULL, 0), 0);
  work_wait (&work, 120000);
  work_end (&work);
  g_autofree char *path = drive_stop_and_keep (&d);
  g_autoptr (WprStats) after = wpr_recorder_ref_stats (d.recorder);
  assert_true (after->overwritten_bytes > before->overwritten_bytes);
  assert_true (before->overwritten_bytes > 0);
  g_autoptr (WprTrace) trace = watch_play (&watch, path);
  assert_unbroken (&watch, &work);
  watch_clear (&watch);
  drive_clear (&d);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (a_profile_is_there_from_its_mark_on_and_until_its_mark),
    cmocka_unit_test (stacks_come_with_a_profile_that_wants_them),
    cmocka_unit_test (memory_mode_holds_what_was_switched_on),
    cmocka_unit_test (what_cannot_be_is_refused_and_nothing_changes),
    cmocka_unit_test (a_profile_with_buffers_of_its_own_shares_others),
    cmocka_unit_test (larger_buffers_lose_and_disorder_nothing),
    cmocka_unit_test (larger_buffers_in_memory_keep_what_was_held),
    cmocka_unit_test (larger_buffers_in_memory_may_wrap),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
