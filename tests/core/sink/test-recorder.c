/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Linux.Recorder: what a file was made from and what happened to the recording is in it, and
 * wpr_trace_info says it. */
#include "config.h"
#include "sink-kit.h"

#include <string.h>
#include <unistd.h>
#include "etl/reader.h"
#include "sink/info-private.h"

#define MS 1000000

static void
expect (Kit *kit, const char *name, guint index, const char *expected)
{
  g_autofree char *fields = kit_fields (kit, name, index);

  assert_string_equal (fields, expected);
}

static void
the_recording_is_described (void **state)
{
  g_autoptr (Kit) kit = kit_new ();
  WprTraceTally tally = { .row = 0, .cpu = 1, .counted = 100, .lost = 3 };
  WprTraceRing ring = { .collector = 0, .cpu = 1, .bytes_ever = 9, .kept = 4, .overwritten = 5 };
  WprClockReading reading = { 1, 2, 3 };
  GArray *tallies = g_array_new (FALSE, FALSE, sizeof tally);
  GArray *rings = g_array_new (FALSE, FALSE, sizeof ring);

  g_array_append_val (tallies, tally);
  g_array_append_val (rings, ring);
  wpr_clock_table_add (kit->clocks, &reading);
  kit->context.tallies = tallies;
  kit->context.rings = rings;
  kit->context.cost_cpu_ns = 12;
  kit->context.cost_wakeups = 13;
  kit->context.complete_from = 3 * MS;
  kit->context.description = (char *)"It is slow: \xe5\xbe\x88\xe6\x85\xa2";
  kit->manifest->mode = 1;
  kit->manifest->plan_text = g_strdup ("a plan");
  g_ptr_array_add (kit->manifest->missing, g_strdup ("irq:x: not here"));
  kit_begin (kit);
  kit_finish (kit);
  expect (kit, "Recording", 0,
          "ToolVersion=0.1.0 Host=kit-host Kernel=6.18.0 Instance=WprApp Program= User= BootId="
          " Mode=file Level=verbose Cpus=2 SampleIntervalNs=0 Stopped=true Rights=");
  expect (kit, "Profile", 0, "Id=CPU.Verbose.Memory");
  expect (kit, "Plan", 0, "Part=0 Parts=1 Text=a plan");
  expect (kit, "Collector", 0,
          "Collector=0 Name=WPR System Collector Session=session BufferKB=1024 BuffersAsked=64"
          " BuffersGranted=32 RingBytesPerCpu=16777216");
  expect (kit, "Event", 1,
          "Row=1 Name=block:block_rq_issue Collector=0 Period=1 Frequency=0 Stacks=none");
  expect (kit, "NotAvailable", 0, "What=irq:x: not here");
  expect (kit, "CompleteFrom", 0, "BootNs=3000000 AfterStartNs=2000000");
  expect (kit, "Clock", 0, "MonotonicNs=1 BootNs=2 RealNs=3");
  expect (kit, "Ring", 0, "Collector=0 Cpu=1 BytesEver=9 BytesKept=4 BytesOverwritten=5");
  expect (kit, "Tally", 0, "Row=0 Name=sched:sched_switch Cpu=1 Counted=100 Lost=3 InFile=0");
  expect (kit, "RecorderCost", 0, "CpuNs=12 WakeUps=13");
  expect (kit, "ProblemDescription", 0, "Text=It is slow: \xe5\xbe\x88\xe6\x85\xa2");
  g_array_unref (tallies);
  g_array_unref (rings);
}

static void
what_happened_meanwhile_is_told_where_it_happened (void **state)
{
  g_autoptr (Kit) kit = kit_new ();
  WprEvent event = { .time = 5 * MS, .cpu = 1, .pid = 9, .tid = 9, .row = G_MAXUINT32 };

  kit_begin (kit);
  event.kind = WPR_EVENT_LOSS;
  event.u.loss.collector = 0;
  event.u.loss.count = 42;
  event.u.loss.second = 7;
  kit_event (kit, &event);
  event.kind = WPR_EVENT_CPU_GAP;
  event.u.gap.collector = 0;
  event.u.gap.from = 1;
  event.u.gap.to = G_MAXINT64;
  kit_event (kit, &event);
  event.kind = WPR_EVENT_CLOCK_STEP;
  event.u.clock.wall_from_ns = 10;
  event.u.clock.wall_to_ns = 5;
  event.u.clock.slept_ns = 6;
  kit_event (kit, &event);
  event.kind = WPR_EVENT_NOTICE;
  event.u.text = "The ring was shrunk.";
  kit_event (kit, &event);
  event.kind = WPR_EVENT_THROTTLE;
  event.u.throttle.end = FALSE;
  kit_event (kit, &event);
  event.u.throttle.end = TRUE;
  kit_event (kit, &event);
  event.kind = WPR_EVENT_FAULT;
  event.addr = 0x1000;
  event.ip = 0x2000;
  memset (&event.u, 0, sizeof event.u);
  event.u.fault.kind = WPR_FAULT_ANY;
  kit_event (kit, &event);
  event.kind = WPR_EVENT_DISK_COMPLETE;
  memset (&event.u, 0, sizeof event.u);
  event.u.disk.sector = 8;
  event.u.disk.bytes = 512;
  event.u.disk.error = -5;
  kit_event (kit, &event);
  kit_finish (kit);
  expect (kit, "EventsLost", 0, "Collector=0 Cpu=1 Second=7 Count=42");
  expect (kit, "CpuGap", 0,
          "Collector=0 Cpu=1 FromBootNs=1 ToBootNs=9223372036854775807 CameBack=false");
  expect (kit, "ClockStep", 0, "WallFromNs=10 WallToNs=5 SleptNs=6");
  expect (kit, "Notice", 0, "Text=The ring was shrunk.");
  expect (kit, "SamplesThrottled", 0, "Cpu=1");
  expect (kit, "SamplesResumed", 0, "Cpu=1");
  expect (kit, "page-faults", 0, "Address=0x1000 InstructionPointer=0x2000");
  expect (kit, "DiskError", 0, "DiskNumber=0 Sector=8 Bytes=512 Error=-5");
}

/* The declaration of inferred switches and clamped times. */
static void
inferred_and_clamped_are_declared (void **state)
{
  g_autoptr (Kit) kit = kit_new ();
  g_autofree char *totals = NULL;
  const WprTraceCounters played
      = { .clamped = 2, .undecodable = 4, .unknown_ids = 5, .cut_bytes = 6 };
  WprEvent event = { .kind = WPR_EVENT_SWITCH, .time = 5 * MS, .cpu = 1, .row = 0 };

  kit_begin (kit);
  event.inferred = TRUE;
  kit_event (kit, &event);
  event.time = 4 * MS;
  event.inferred = FALSE;
  kit_event (kit, &event);
  kit->context.lost = 6;
  kit->context.counters = &played;
  kit->context.overwritten_bytes = 1000;
  kit_finish (kit);
  totals = kit_fields (kit, "Totals", 0);
  assert_non_null (strstr (totals, " Lost=6 OverwrittenBytes=1000 DroppedBytes=0"
                                   " InferredSwitches=1 ClampedTimes=3 UndecodableRecords=4 "
                                   "UnknownIds=5 CutBytes=6 CutTexts=0 Stacks=0 Unexplained=0"));
}

/* What the kernel counted, gave not and did not call lost is said; where a ring overwrote nobody
 * can tell. */
static void
records_that_vanished_are_counted (void **state)
{
  for (guint overwritten = 0; overwritten < 2; overwritten++)
    {
      g_autoptr (Kit) kit = kit_new ();
      g_autofree char *totals = NULL, *tally = NULL;
      WprTraceTally row = { .row = 0, .cpu = 1, .counted = 10, .lost = 3 };
      WprEvent event = { .kind = WPR_EVENT_SWITCH, .cpu = 1, .row = 0 };
      GArray *tallies = g_array_new (FALSE, FALSE, sizeof row);

      g_array_append_val (tallies, row);
      kit->context.tallies = tallies;
      kit->context.overwritten_bytes = overwritten;
      kit_begin (kit);
      for (guint i = 0; i < 6; i++)
        {
          event.time = (5 + i) * MS;
          event.inferred = i == 5; /* was never counted */
          kit_event (kit, &event);
        }
      kit_finish (kit);
      tally = kit_fields (kit, "Tally", 0);
      assert_non_null (strstr (tally, "Counted=10 Lost=3 InFile=5"));
      totals = kit_fields (kit, "Totals", 0);
      assert_non_null (strstr (totals, overwritten == 0 ? "Unexplained=2" : "Unexplained=0"));
      g_array_unref (tallies);
    }
}

static void
a_long_plan_comes_in_parts (void **state)
{
  g_autoptr (Kit) kit = kit_new ();
  g_autoptr (GString) plan = g_string_new (NULL);
  g_autofree char *last = NULL;

  while (plan->len < 70000)
    g_string_append (plan, "\xe7\x8e\xb0");
  kit->manifest->plan_text = g_strdup (plan->str);
  kit_begin (kit);
  kit_finish (kit);
  last = kit_fields (kit, "Plan", 2);
  assert_true (g_str_has_prefix (last, "Part=2 Parts=3 Text=\xe7\x8e\xb0"));
}

/* ---- wpr_trace_info ---- */

static guint64
count_of (const WprTraceInfo *info, const char *provider, const char *name)
{
  for (guint i = 0; i < info->counts->len; i++)
    {
      const WprEventCount *row = g_ptr_array_index (info->counts, i);

      if (g_str_equal (row->provider, provider) && g_str_equal (row->name, name))
        return row->count;
    }
  return 0;
}

static void
info_agrees_with_what_was_written (void **state)
{
  g_autoptr (Kit) kit = kit_new ();
  g_autoptr (WprTraceInfo) info = NULL;
  g_autofree char *text = NULL, *json = NULL;
  WprEvent event = { .cpu = 1, .row = 0 };
  guint64 written, total = 0;

  kit->context.lost = 5;
  kit->context.description = (char *)"slow \"today\"";
  kit_begin (kit);
  for (guint i = 0; i < 5000; i++)
    {
      memset (&event.u, 0, sizeof event.u);
      event.time = 5 * MS + i * 1000;
      event.cpu = i % 2;
      event.kind = i % 5 == 0 ? WPR_EVENT_WAKING : WPR_EVENT_SWITCH;
      kit_event (kit, &event);
    }
  kit_finish (kit);
  wpr_sink_etl_totals (kit->sink, &written, NULL);
  info = wpr_trace_info_from_bytes (kit->file->data, kit->file->len, NULL, NULL, NULL);
  assert_non_null (info);
  assert_int_equal (info->faults->len, 0);
  assert_int_equal (info->n_events, written + 3); /* and the header buffer's own */
  assert_int_equal (count_of (info, "Thread", "CSwitch"), 4000);
  assert_int_equal (count_of (info, "Thread", "ReadyThread"), 1000);
  assert_int_equal (count_of (info, "Linux.Recorder", "Recording"), 1);
  for (guint i = 0; i < info->counts->len; i++)
    total += ((const WprEventCount *)g_ptr_array_index (info->counts, i))->count;
  assert_int_equal (total, info->n_events);
  assert_int_equal (info->events_lost, 5);
  assert_false (info->complete);
  assert_string_equal (info->host, "kit-host");
  assert_string_equal (info->kernel, "6.18.0");
  assert_string_equal (info->tool_version, "0.1.0");
  assert_string_equal (info->note, "slow \"today\"");
  assert_string_equal (g_ptr_array_index (info->profiles, 0), "CPU.Verbose.Memory");
  assert_int_equal (info->start_realtime_ns, kit->context.start_realtime_ns);
  assert_int_equal (info->duration_ns, kit->context.end_time - kit->context.start_time);
  text = wpr_trace_info_to_text (info);
  assert_non_null (strstr (text, "4000  Thread/CSwitch"));
  json = wpr_trace_info_to_json (info);
  assert_non_null (strstr (json, "\"note\":\"slow \\\"today\\\"\""));
  assert_non_null (strstr (json, "{\"provider\":\"Thread\",\"name\":\"CSwitch\",\"count\":4000}"));
}

/* Not lost, but not there either: who reads the verdict alone must not take it for the whole. */
static void
what_is_not_there_is_said (void **state)
{
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (Kit) kit = kit_new ();
      WprEvent gap = { .kind = WPR_EVENT_CPU_GAP, .time = 2 * MS, .cpu = 1 };
      kit->context.overwritten_bytes = i == 0 ? 7 : 0;
      kit_begin (kit);
      gap.u.gap.from = 2 * MS;
      gap.u.gap.to = G_MAXINT64;
      if (i == 1)
        kit_event (kit, &gap);
      kit_finish (kit);
      g_autoptr (WprTraceInfo) info
          = wpr_trace_info_from_bytes (kit->file->data, kit->file->len, NULL, NULL, NULL);
      assert_true (info->complete);
      assert_int_equal (info->replaced_bytes, i == 0 ? 7 : 0);
      assert_int_equal (info->n_cpu_gaps, i);
      g_autofree char *text = wpr_trace_info_to_text (info);
      const char *verdict = strstr (text, "Verdict");
      assert_non_null (verdict);
      assert_non_null (strstr (verdict, i == 0 ? "CompleteFrom, below" : "see CpuGap"));
    }
}

static void
a_file_where_nothing_was_lost_is_complete (void **state)
{
  g_autoptr (Kit) kit = kit_new ();
  g_autoptr (WprTraceInfo) info = NULL, cut = NULL;
  g_autofree char *text = NULL;

  kit_begin (kit);
  kit_finish (kit);
  info = wpr_trace_info_from_bytes (kit->file->data, kit->file->len, NULL, NULL, NULL);
  assert_true (info->complete);
  cut = wpr_trace_info_from_bytes (kit->file->data, kit->file->len / 2 + 100, NULL, NULL, NULL);
  assert_non_null (cut);
  assert_false (cut->complete);
  assert_true (cut->faults->len > 0);
  text = wpr_trace_info_to_text (cut);
  assert_non_null (strstr (text, "Damaged"));
}

static gboolean
stop_at_once (guint64 done, guint64 total, gpointer data)
{
  return FALSE;
}

static void
info_errors_are_sentences (void **state)
{
  g_autoptr (Kit) kit = kit_new ();
  GError *error = NULL;

  assert_null (wpr_trace_info_read ("/nonexistent/x.etl", NULL, &error));
  assert_true (g_error_matches (error, WPR_ERROR, WPR_ERROR_DAMAGED));
  g_clear_error (&error);
  assert_null (wpr_trace_info_read ("/", NULL, &error));
  assert_non_null (strstr (error->message, "is a folder, a device or a pipe"));
  g_clear_error (&error);
  assert_null (wpr_trace_info_read ("/dev/null", NULL, &error));
  assert_true (g_error_matches (error, WPR_ERROR, WPR_ERROR_DAMAGED));
  g_clear_error (&error);
  kit_begin (kit);
  kit_finish (kit);
  assert_null (
      wpr_trace_info_from_bytes (kit->file->data, kit->file->len, stop_at_once, NULL, &error));
  assert_true (g_error_matches (error, WPR_ERROR, WPR_ERROR_CANCELLED));
  g_clear_error (&error);
}

/* Files of Windows: counted as an independent count does, or refused in words. */
static void
genuine_files_are_read (void **state)
{
  static const struct
  {
    const char *name, *provider, *event;
    guint64 count;
  } rows[] = {
    { "ShutdownPerfDiagLogger.etl", "Image", "DCStart", 6745 },
    { "ShutdownPerfDiagLogger.etl", "Image", "Load", 72 },
    { "ShutdownPerfDiagLogger.etl", "Thread", "End", 1032 },
    { "primitive-types.etl", "solar_system", "PrimitiveTypesTest", 5 },
    { "lxcore_kernel.etl", "EventTrace", "PartitionInfo", 1 },
    { "SelfDescribingSingleEvent.etl", "MySource", "TestEvent", 1 },
  };
  const char *corpus = g_getenv ("WPR_CORPUS");

  if (corpus == NULL)
    skip ();
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *path = g_build_filename (corpus, "etl", rows[i].name, NULL);
      g_autoptr (GError) error = NULL;
      g_autoptr (WprTraceInfo) info = wpr_trace_info_read (path, NULL, &error);

      assert_non_null (info);
      assert_int_equal (count_of (info, rows[i].provider, rows[i].event), rows[i].count);
    }
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (the_recording_is_described),
    cmocka_unit_test (what_happened_meanwhile_is_told_where_it_happened),
    cmocka_unit_test (inferred_and_clamped_are_declared),
    cmocka_unit_test (records_that_vanished_are_counted),
    cmocka_unit_test (a_long_plan_comes_in_parts),
    cmocka_unit_test (info_agrees_with_what_was_written),
    cmocka_unit_test (a_file_where_nothing_was_lost_is_complete),
    cmocka_unit_test (what_is_not_there_is_said),
    cmocka_unit_test (info_errors_are_sentences),
    cmocka_unit_test (genuine_files_are_read),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
