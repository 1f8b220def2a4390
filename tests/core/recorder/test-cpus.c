/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CPUs that go and come while it records, and a suspend: what they do afterwards is recorded again,
 * the gap is in the file, trace time goes on through sleep. These switch CPUs off, so they run in a
 * machine of their own only: ./dev vm recorder-cpus. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "drive.h"
#include "perf/event.h"
#include "trace/trace.h"

#define THE_CPU 1
#define CALLS 300

static void
skip_elsewhere (void)
{
  if (!g_getenv ("WPR_IN_VM"))
    skip ();
}

static gboolean
write_file (const char *path, const char *text)
{
  int fd = open (path, O_WRONLY | O_CLOEXEC);
  gboolean good = fd >= 0 && write (fd, text, strlen (text)) == (gssize)strlen (text);
  if (!good)
    print_message ("%s: %s\n", path, g_strerror (errno));
  if (fd >= 0)
    close (fd);
  return good;
}

static void
switch_cpu (gboolean on)
{
  assert_true (write_file ("/sys/devices/system/cpu/cpu1/online", on ? "1" : "0"));
}

static void
pin (int cpu)
{
  cpu_set_t set;
  CPU_ZERO (&set);
  for (int i = 0; i < CPU_SETSIZE; i++)
    if (cpu < 0 || i == cpu)
      CPU_SET (i, &set);
  assert_return_code (sched_setaffinity (0, sizeof set, &set), errno);
}

/* Calls that bear numbers from `first` on, on the CPU that is switched off and on. */
static void
call_on_it (guint64 first)
{
  pin (THE_CPU);
  for (guint64 i = 0; i < CALLS; i++)
    syscall (SYS_getppid, (long)(first + i));
  pin (-1);
}

/* ---- what is in a store ---- */

typedef struct
{
  WprSink sink;
  guint32 pid;
  guint64 n[4]; /* calls by hundred thousands of their number */
  gint64 gap_from, gap_to, first_after;
  guint n_gaps;
  gint64 slept_ns, marks[2];
  guint n_marks;
} Watch;

static gboolean
watch_begin (WprSink *sink, const WprTraceContext *context, GError **error)
{
  return TRUE;
}

static void
watch_call (Watch *watch, const WprEvent *event)
{
  guint32 size = 0;
  guint64 number = 0;
  if (event->pid != watch->pid || !event->format
      || wpr_field_int (wpr_format_field (event->format, "id"), event->raw, event->raw_size)
             != SYS_getppid)
    return;
  const guint8 *bytes = wpr_field_bytes (wpr_format_field (event->format, "args"), event->raw,
                                         event->raw_size, &size);
  assert_true (size >= sizeof number);
  memcpy (&number, bytes, sizeof number);
  if (number / 100000 >= G_N_ELEMENTS (watch->n) || number == 0)
    return;
  watch->n[number / 100000]++;
  if (number / 100000 == 1 && watch->first_after == 0)
    watch->first_after = event->time;
}

static gboolean
watch_event (WprSink *sink, const WprEvent *event, GError **error)
{
  Watch *watch = (Watch *)sink;
  if (event->kind == WPR_EVENT_SYSCALL_ENTER)
    watch_call (watch, event);
  else if (event->kind == WPR_EVENT_CPU_GAP)
    {
      assert_int_equal (event->cpu, THE_CPU);
      watch->n_gaps++;
      watch->gap_from = event->u.gap.from;
      watch->gap_to = event->u.gap.to;
    }
  else if (event->kind == WPR_EVENT_CLOCK_STEP)
    watch->slept_ns += event->u.clock.slept_ns;
  else if (event->kind == WPR_EVENT_MARK && watch->n_marks < G_N_ELEMENTS (watch->marks))
    watch->marks[watch->n_marks++] = event->time;
  return TRUE;
}

static void
watch_free (WprSink *sink)
{
}

static const WprSinkClass watch_class = { watch_begin, watch_event, watch_begin, watch_free };

static WprTrace *
watch_play (Watch *watch, const char *path)
{
  g_autoptr (GError) error = NULL;
  *watch = (Watch){ .sink = { &watch_class }, .pid = (guint32)getpid () };
  WprTrace *trace = wpr_trace_open (path, &error);
  WprSink *sinks[] = { &watch->sink };
  if (!trace || !wpr_trace_play (trace, sinks, 1, NULL, NULL, &error))
    fail_msg ("%s", error->message);
  return trace;
}

static void
start (Drive *d, WprMode mode)
{
  Answer answer = { 0 };
  drive_init (d);
  WprChoice *choice = drive_choice ("SystemCall.light", mode);
  choice->buffer_size_kb = 1024;
  choice->buffers = 32;
  drive_start (d, choice, &answer);
  assert_good (&answer);
  answer_clear (&answer);
}

static void
let_it_notice (Drive *d, const char *id)
{
  for (guint i = 0; i < 100 && !drive_told (d, id); i++)
    {
      g_usleep (50 * 1000);
      while (g_main_context_iteration (NULL, FALSE))
        ;
    }
  assert_true (drive_told (d, id));
}

/* ---- the tests ---- */

static void
a_cpu_that_comes_back_is_recorded_again (void **state)
{
  skip_elsewhere ();
  WprMode modes[] = { WPR_MODE_FILE, WPR_MODE_MEMORY };
  for (guint i = 0; i < G_N_ELEMENTS (modes); i++)
    {
      Drive d;
      Watch watch;
      start (&d, modes[i]);
      call_on_it (1);
      switch_cpu (FALSE);
      let_it_notice (&d, "cpu-offline");
      switch_cpu (TRUE);
      let_it_notice (&d, "cpu-online");
      call_on_it (100000);
      g_autofree char *path = drive_stop_and_keep (&d);
      g_autoptr (WprTrace) trace = watch_play (&watch, path);
      const WprTraceContext *context = wpr_trace_context (trace);
      assert_int_equal (watch.n[0], CALLS);
      assert_int_equal (watch.n[1], CALLS);
      assert_int_equal (watch.n_gaps, context->manifest->collectors->len);
      assert_true (watch.gap_from < watch.gap_to && watch.gap_to != G_MAXINT64);
      assert_true (watch.first_after >= watch.gap_to);
      WprTraceCounters counters;
      wpr_trace_counters (trace, &counters);
      assert_int_equal (counters.unknown_ids, 0);
      drive_clear (&d);
    }
}

/* Off and on again before anybody looks: what is on then is dead all the same. */
static void
a_cpu_that_was_away_for_a_moment_is_recorded_again (void **state)
{
  skip_elsewhere ();
  Drive d;
  Watch watch;
  start (&d, WPR_MODE_FILE);
  for (guint i = 0; i < 3; i++)
    {
      switch_cpu (FALSE);
      switch_cpu (TRUE);
    }
  let_it_notice (&d, "cpu-online");
  g_usleep (500 * 1000); /* all three */
  call_on_it (100000);
  g_autofree char *path = drive_stop_and_keep (&d);
  g_autoptr (WprTrace) trace = watch_play (&watch, path);
  assert_int_equal (watch.n[1], CALLS);
  assert_true (watch.n_gaps > 0 && watch.gap_to != G_MAXINT64);
  drive_clear (&d);
}

/* It gets buffers of its own. */
static void
a_cpu_that_was_not_there_at_the_start_is_recorded (void **state)
{
  skip_elsewhere ();
  WprMode modes[] = { WPR_MODE_FILE, WPR_MODE_MEMORY };
  for (guint i = 0; i < G_N_ELEMENTS (modes); i++)
    {
      Drive d;
      Watch watch;
      switch_cpu (FALSE);
      start (&d, modes[i]);
      g_autoptr (WprStats) before = wpr_recorder_ref_stats (d.recorder);
      switch_cpu (TRUE);
      let_it_notice (&d, "cpu-online");
      call_on_it (100000);
      g_usleep (1200 * 1000); /* figures */
      g_autoptr (WprStats) after = wpr_recorder_ref_stats (d.recorder);
      assert_int_equal (after->collectors[0].n_cpus, before->collectors[0].n_cpus + 1);
      g_autofree char *path = drive_stop_and_keep (&d);
      g_autoptr (WprTrace) trace = watch_play (&watch, path);
      assert_int_equal (watch.n[1], CALLS);
      assert_int_equal (watch.n_gaps, 0);
      drive_clear (&d);
    }
}

static gint64
boot_ns (void)
{
  struct timespec ts;
  clock_gettime (CLOCK_BOOTTIME, &ts);
  return ts.tv_sec * G_GINT64_CONSTANT (1000000000) + ts.tv_nsec;
}

/* S3, woken by the clock of the board. */
static gboolean
sleep_and_wake (guint seconds)
{
  g_autofree char *alarm = g_strdup_printf ("+%u", seconds);
  return write_file ("/sys/class/rtc/rtc0/wakealarm", "0")
         && write_file ("/sys/class/rtc/rtc0/wakealarm", alarm)
         && write_file ("/sys/power/state", "mem");
}

static void
a_recording_goes_on_through_a_suspend (void **state)
{
  skip_elsewhere ();
  WprMode modes[] = { WPR_MODE_FILE, WPR_MODE_MEMORY };
  for (guint i = 0; i < G_N_ELEMENTS (modes); i++)
    {
      Drive d;
      Watch watch;
      Answer answer = { 0 };
      start (&d, modes[i]);
      call_on_it (1);
      gint64 before = boot_ns ();
      drive_mark (&d, "before", &answer);
      if (!sleep_and_wake (3))
        {
          print_message ("skipped: this machine does not sleep\n");
          g_autofree char *store = drive_stop_and_keep (&d);
          drive_clear (&d);
          skip ();
        }
      drive_mark (&d, "after", &answer);
      gint64 after = boot_ns ();
      print_message ("%.1f s of boot time\n", (double)(after - before) / 1e9);
      let_it_notice (&d, "cpu-online");
      call_on_it (100000);
      g_usleep (1200 * 1000); /* a reading of the clocks */
      g_autofree char *path = drive_stop_and_keep (&d);
      g_autoptr (WprTrace) trace = watch_play (&watch, path);
      assert_int_equal (watch.n[0], CALLS);
      assert_int_equal (watch.n[1], CALLS);
      assert_true (watch.n_gaps > 0 && watch.gap_to != G_MAXINT64);
      assert_int_equal (watch.n_marks, 2);
      gint64 passed = watch.marks[1] - watch.marks[0];
      print_message ("slept %.1f s, %.1f s between the marks, %.1f s of boot time\n",
                     (double)watch.slept_ns / 1e9, (double)passed / 1e9,
                     (double)(after - before) / 1e9);
      /* Where it was given up on the way there was no sleep, but the CPUs were away. */
      assert_true (watch.slept_ns > 0 || passed < G_GINT64_CONSTANT (3000000000));
      /* Trace time is boot time: it counts what was slept. */
      assert_true (ABS (passed - (after - before)) < G_GINT64_CONSTANT (500000000));
      answer_clear (&answer);
      drive_clear (&d);
    }
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (a_cpu_that_comes_back_is_recorded_again),
    cmocka_unit_test (a_cpu_that_was_away_for_a_moment_is_recorded_again),
    cmocka_unit_test (a_cpu_that_was_not_there_at_the_start_is_recorded),
    cmocka_unit_test (a_recording_goes_on_through_a_suspend),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
