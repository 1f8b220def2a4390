/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is known of the recording as a whole: clocks, span, losses, tallies, rings, texts. */
#include "config.h"
#include "kit.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

#include "store/payload.h"

static Kit *
begun (gboolean memory)
{
  Kit *kit = kit_new (memory, 1, 2);
  kit_begin (kit, NULL);
  kit_clock (kit, SECOND, SLEPT, WALL);
  return kit;
}

/* The machine sleeps an hour between 3 s and 4 s: trace time goes on, monotonic time stood still.
 */
static void
test_suspend (void **state)
{
  g_autoptr (Kit) kit = begun (FALSE);
  Recorder recorder;
  gint64 hour = 3600 * SECOND;
  kit_clock (kit, 2 * SECOND, SLEPT, WALL);
  kit_clock (kit, 3 * SECOND, SLEPT + 15000, WALL + 300); /* jitter of reading is no step */
  kit_clock_sample (kit, 0, 3 * SECOND, 70, 1);
  kit_clock (kit, 4 * SECOND, SLEPT + hour, WALL + hour);
  kit_clock_sample (kit, 0, 5 * SECOND, 70, 2);
  kit_flush (kit);
  WprClockReading stop = { 9 * SECOND, 9 * SECOND + SLEPT + hour, 9 * SECOND + WALL + hour };
  kit_note (kit, WPR_NOTE_STOPPED, 0, 9 * SECOND, &stop, sizeof stop);
  kit_finish (kit, -1);
  recorder_init (&recorder);
  g_autoptr (WprTrace) trace = kit_play (kit, &recorder);
  const WprTraceContext *context = wpr_trace_context (trace);
  assert_true (context->stopped);
  assert_int_equal (context->start_time, 6 * SECOND);
  assert_int_equal (context->end_time, 14 * SECOND + hour);
  assert_int_equal (context->start_realtime_ns, WALL + SECOND);
  assert_int_equal (recorder_nth (&recorder, WPR_EVENT_SAMPLE, 0)->event.time, 8 * SECOND);
  assert_int_equal (recorder_nth (&recorder, WPR_EVENT_SAMPLE, 1)->event.time, 10 * SECOND + hour);
  assert_int_equal (recorder_count (&recorder, WPR_EVENT_CLOCK_STEP), 1);
  const WprEvent *step = &recorder_nth (&recorder, WPR_EVENT_CLOCK_STEP, 0)->event;
  assert_int_equal (step->time, 9 * SECOND + hour);
  assert_in_range (step->u.clock.slept_ns, hour - MS, hour + MS);
  assert_in_range (step->u.clock.wall_to_ns - step->u.clock.wall_from_ns + MS, 0, 2 * MS);
  recorder_clear (&recorder);
}

/* With the kernel's events on the way to sleep and back: what a program does between waking and the
 * next look at the clocks is after the sleep. */
static void
test_suspend_to_the_moment (void **state)
{
  static const char format[] = "name: suspend_resume\nID: 900\nformat:\n"
                               "\tfield:int val;\toffset:8;\tsize:4;\tsigned:1;\n\n"
                               "print fmt: \"%d\", REC->val\n";
  g_autoptr (Kit) kit = kit_new (FALSE, 1, 2);
  Recorder recorder;
  gint64 hour = 3600 * SECOND;
  guint8 raw[12] = { 0 };
  Row row = kit_add_row (kit, "power:suspend_resume", format);
  kit_begin (kit, NULL);
  kit_clock (kit, SECOND, SLEPT, WALL);
  kit_clock (kit, 3 * SECOND, SLEPT, WALL);
  kit_clock_sample (kit, 1, 3 * SECOND + 50 * MS, 70, 1);
  for (guint i = 0; i < 10; i++)
    kit_sample (kit, row, 0, 3 * SECOND + (100 + (WprTime)i) * MS, 0, 0, raw, sizeof raw);
  kit_clock_sample (kit, 1, 3 * SECOND + 200 * MS, 70, 2);
  kit_clock (kit, 4 * SECOND, SLEPT + hour, WALL + hour);
  kit_flush (kit);
  WprClockReading stop = { 9 * SECOND, 9 * SECOND + SLEPT + hour, 9 * SECOND + WALL + hour };
  kit_note (kit, WPR_NOTE_STOPPED, 0, 9 * SECOND, &stop, sizeof stop);
  kit_finish (kit, -1);
  recorder_init (&recorder);
  g_autoptr (WprTrace) trace = kit_play (kit, &recorder);
  assert_int_equal (recorder_nth (&recorder, WPR_EVENT_SAMPLE, 0)->event.time,
                    8 * SECOND + 50 * MS);
  assert_int_equal (recorder_nth (&recorder, WPR_EVENT_SAMPLE, 1)->event.time,
                    8 * SECOND + 200 * MS + hour);
  assert_int_equal (recorder_nth (&recorder, WPR_EVENT_TRACEPOINT, 4)->event.time,
                    8 * SECOND + 104 * MS);
  assert_int_equal (recorder_nth (&recorder, WPR_EVENT_TRACEPOINT, 5)->event.time,
                    8 * SECOND + 105 * MS + hour);
  recorder_clear (&recorder);
}

/* Somebody sets the clock back by ten minutes: an event, no jump. */
static void
test_wall_clock (void **state)
{
  g_autoptr (Kit) kit = begun (FALSE);
  Recorder recorder;
  kit_clock (kit, 2 * SECOND, SLEPT, WALL - 600 * SECOND);
  kit_clock_sample (kit, 0, 3 * SECOND, 70, 1);
  kit_finish (kit, 9 * SECOND);
  recorder_init (&recorder);
  g_autoptr (WprTrace) trace = kit_play (kit, &recorder);
  const WprEvent *step = &recorder_nth (&recorder, WPR_EVENT_CLOCK_STEP, 0)->event;
  assert_int_equal (step->time, 7 * SECOND);
  assert_int_equal (step->u.clock.slept_ns, 0);
  assert_int_equal (step->u.clock.wall_from_ns, WALL + 2 * SECOND);
  assert_int_equal (step->u.clock.wall_to_ns, WALL - 598 * SECOND);
  assert_int_equal (recorder_nth (&recorder, WPR_EVENT_SAMPLE, 0)->event.time, 8 * SECOND);
  recorder_clear (&recorder);
}

static void
note_loss (Kit *kit, guint cpu, WprTime time, guint32 row, guint64 count)
{
  WprLossPayload loss = { 0, row, count };
  kit_note (kit, WPR_NOTE_LOSS, cpu, time, &loss, sizeof loss);
}

static void
test_losses (void **state)
{
  g_autoptr (Kit) kit = begun (FALSE);
  Recorder recorder;
  WprTallyPayload tally = { ROW_SWITCH, 0, 1000, 7 };
  note_loss (kit, 0, 3 * SECOND + 100 * MS, ROW_SWITCH, 3); /* second 2 since 1 s */
  note_loss (kit, 0, 3 * SECOND + 600 * MS, ROW_WAKING, 2);
  note_loss (kit, 1, 3 * SECOND + 700 * MS, ROW_SWITCH, 1);
  note_loss (kit, 0, 5 * SECOND, ROW_SWITCH, 1);
  kit_note (kit, WPR_NOTE_TALLY, 0, 9 * SECOND, &tally, sizeof tally);
  tally.lost = 9; /* the last one counts */
  kit_note (kit, WPR_NOTE_TALLY, 0, 9 * SECOND, &tally, sizeof tally);
  kit_lost (kit, 0, 3 * SECOND, ROW_SWITCH, 3); /* known already */
  kit_finish (kit, 9 * SECOND);
  recorder_init (&recorder);
  g_autoptr (WprTrace) trace = kit_play (kit, &recorder);
  const WprTraceContext *context = wpr_trace_context (trace);
  assert_int_equal (context->lost, 9);
  assert_int_equal (context->tallies->len, 1);
  assert_int_equal (g_array_index (context->tallies, WprTraceTally, 0).counted, 1000);
  assert_int_equal (context->losses->len, 3);
  assert_int_equal (recorder_count (&recorder, WPR_EVENT_LOSS), 3);
  const WprEvent *first = &recorder_nth (&recorder, WPR_EVENT_LOSS, 0)->event;
  assert_int_equal (first->time, 8 * SECOND + 100 * MS);
  assert_int_equal (first->u.loss.second, 2);
  assert_int_equal (first->u.loss.count, 5);
  assert_int_equal (first->u.loss.collector, 0);
  const WprEvent *second = &recorder_nth (&recorder, WPR_EVENT_LOSS, 1)->event;
  assert_int_equal (second->cpu, 1);
  assert_int_equal (second->u.loss.count, 1);
  recorder_clear (&recorder);
  /* Once more: nothing is counted twice. */
  recorder_init (&recorder);
  WprSink *sinks[] = { &recorder.sink };
  assert_true (wpr_trace_play (trace, sinks, 1, NULL, NULL, NULL));
  assert_int_equal (recorder_nth (&recorder, WPR_EVENT_LOSS, 0)->event.u.loss.count, 5);
  assert_int_equal (wpr_trace_context (trace)->lost, 9);
  recorder_clear (&recorder);
}

/* The recorder was killed: what the records themselves tell counts. */
static void
test_lost_records (void **state)
{
  g_autoptr (Kit) kit = begun (FALSE);
  Recorder recorder;
  kit_lost (kit, 1, 3 * SECOND, ROW_SWITCH, 12);
  kit_lost (kit, 1, 4 * SECOND, ROW_SWITCH, 30);
  kit_finish (kit, -1);
  recorder_init (&recorder);
  g_autoptr (WprTrace) trace = kit_play (kit, &recorder);
  assert_int_equal (wpr_trace_context (trace)->lost, 42);
  assert_int_equal (wpr_trace_context (trace)->losses->len, 2);
  const WprEvent *event = &recorder_nth (&recorder, WPR_EVENT_LOSS, 1)->event;
  assert_int_equal (event->cpu, 1);
  assert_int_equal (event->u.loss.count, 30);
  assert_int_equal (event->u.loss.second, 3);
  recorder_clear (&recorder);
}

/* Memory mode: complete from where the youngest of the overwritten rings begins. */
static void
test_complete_from (void **state)
{
  g_autoptr (Kit) kit = begun (TRUE);
  Recorder recorder;
  WprRingPayload ring = { 0, 5000, 1000, 4000 };
  kit_note (kit, WPR_NOTE_RING, 0, 20 * SECOND, &ring, sizeof ring);
  ring = (WprRingPayload){ 0, 200, 200, 0 };
  kit_note (kit, WPR_NOTE_RING, 1, 20 * SECOND, &ring, sizeof ring);
  kit_clock_sample (kit, 0, 12 * SECOND, 70, 1);
  kit_clock_sample (kit, 1, 15 * SECOND, 70, 2); /* held from the start: idle until then */
  kit_finish (kit, 20 * SECOND);
  recorder_init (&recorder);
  g_autoptr (WprTrace) trace = kit_play (kit, &recorder);
  const WprTraceContext *context = wpr_trace_context (trace);
  assert_int_equal (context->start_time, 17 * SECOND);
  assert_int_equal (context->complete_from, 17 * SECOND);
  assert_int_equal (context->overwritten_bytes, 4000);
  assert_int_equal (context->rings->len, 2);
  recorder_clear (&recorder);

  g_autoptr (Kit) both = begun (TRUE);
  ring = (WprRingPayload){ 0, 5000, 1000, 4000 };
  kit_note (both, WPR_NOTE_RING, 0, 20 * SECOND, &ring, sizeof ring);
  kit_note (both, WPR_NOTE_RING, 1, 20 * SECOND, &ring, sizeof ring);
  kit_clock_sample (both, 0, 12 * SECOND, 70, 1);
  kit_clock_sample (both, 1, 15 * SECOND, 70, 2);
  kit_finish (both, 20 * SECOND);
  recorder_init (&recorder);
  g_autoptr (WprTrace) other = kit_play (both, &recorder);
  assert_int_equal (wpr_trace_context (other)->start_time, 17 * SECOND);
  assert_int_equal (wpr_trace_context (other)->complete_from, 20 * SECOND);
  recorder_clear (&recorder);
}

/* File mode keeps everything, unless the oldest epochs were deleted. */
static void
test_dropped_epochs (void **state)
{
  g_autoptr (Kit) kit = kit_new (FALSE, 1, 2);
  WprStoreLimits limits = { .epoch_bytes = 1 << 20, .most_bytes = 8 << 20 };
  Recorder recorder;
  kit_begin (kit, &limits);
  kit_clock (kit, SECOND, SLEPT, WALL);
  guint64 first = 0;
  for (guint i = 0; i < 300000; i++)
    {
      kit_clock_sample (kit, i % 2, SECOND + (WprTime)i * MS, 70, i);
      if (i % 1000 != 0)
        continue;
      kit_flush (kit);
      if (wpr_store_wants_rotate (kit->store))
        kit_rotate (kit);
    }
  kit_finish (kit, 400 * SECOND);
  recorder_init (&recorder);
  g_autoptr (WprTrace) trace = kit_play (kit, &recorder);
  const WprTraceContext *context = wpr_trace_context (trace);
  first = g_array_index (recorder.seen, Seen, 0).event.ip;
  assert_true (first > 1000);
  assert_true (context->bytes_dropped > 0);
  assert_int_equal (context->start_time, 6 * SECOND + (gint64)first * MS);
  assert_in_range (context->complete_from, context->start_time, context->start_time + 2 * SECOND);
  assert_int_equal (context->end_time, 405 * SECOND);
  recorder_clear (&recorder);
}

static char *
describe (gpointer data)
{
  (*(guint *)data)++;
  return g_strdup ("it stutters");
}

static void
test_texts (void **state)
{
  g_autoptr (Kit) kit = begun (FALSE);
  Recorder recorder;
  WprCostPayload cost = { 5 * MS, 77 };
  guint asked = 0;
  kit_note (kit, WPR_NOTE_DESCRIPTION, 0, SECOND, "slow", 4);
  kit_note (kit, WPR_NOTE_DESCRIPTION, 0, SECOND, "very slow", 9);
  kit_note (kit, WPR_NOTE_MARK, 1, 3 * SECOND, "it happened", 11);
  kit_note (kit, WPR_NOTE_NOTICE, 0, 2 * SECOND, "ring shrunk", 11);
  kit_note (kit, WPR_NOTE_COST, 0, 8 * SECOND, &cost, sizeof cost);
  kit_finish (kit, 9 * SECOND);
  recorder_init (&recorder);
  g_autoptr (WprTrace) trace = kit_play (kit, &recorder);
  const WprTraceContext *context = wpr_trace_context (trace);
  assert_string_equal (recorder.description, "very slow");
  assert_int_equal (context->notices->len, 1);
  assert_string_equal (g_ptr_array_index (context->notices, 0), "ring shrunk");
  assert_int_equal (context->cost_cpu_ns, 5 * MS);
  assert_int_equal (context->cost_wakeups, 77);
  const Seen *mark = recorder_nth (&recorder, WPR_EVENT_MARK, 0);
  assert_string_equal (mark->text, "it happened");
  assert_int_equal (mark->event.time, 8 * SECOND);
  assert_int_equal (mark->event.cpu, 1);
  assert_int_equal (mark->event.pid, 11);
  assert_int_equal (mark->event.tid, 12);
  assert_string_equal (recorder_nth (&recorder, WPR_EVENT_NOTICE, 0)->text, "ring shrunk");
  recorder_clear (&recorder);

  /* Asked for last. */
  wpr_trace_set_description_func (trace, describe, &asked);
  recorder_init (&recorder);
  WprSink *sinks[] = { &recorder.sink };
  assert_true (wpr_trace_play (trace, sinks, 1, NULL, NULL, NULL));
  assert_int_equal (asked, 1);
  assert_string_equal (recorder.description, "it stutters");
  recorder_clear (&recorder);
}

static void
note_counters (Kit *kit, WprTime time, gint64 value)
{
  g_autoptr (GVariant) values
      = g_variant_ref_sink (g_variant_new_parsed ("[('MemFree', %x), ('Dirty', -5)]", value));
  g_autoptr (GByteArray) payload = g_byte_array_new ();
  g_byte_array_append (payload, (const guint8 *)"meminfo", 8);
  g_byte_array_append (payload, g_variant_get_data (values), (guint)g_variant_get_size (values));
  kit_note (kit, WPR_NOTE_SAMPLER, 0, time, payload->data, payload->len);
}

/* More of them than are read at a time. */
static void
test_counters (void **state)
{
  g_autoptr (Kit) kit = begun (FALSE);
  Recorder recorder;
  WprTraceCounters counters;
  for (guint i = 0; i < 2000; i++)
    {
      note_counters (kit, 2 * SECOND + (WprTime)i * MS, i);
      if (i == 700)
        kit_rotate (kit);
    }
  kit_note (kit, WPR_NOTE_SAMPLER, 0, 5 * SECOND, "broken\0xyz", 10);
  kit_finish (kit, 9 * SECOND);
  recorder_init (&recorder);
  g_autoptr (WprTrace) trace = kit_play (kit, &recorder);
  wpr_trace_counters (trace, &counters);
  assert_int_equal (recorder_count (&recorder, WPR_EVENT_COUNTERS), 2000);
  const Seen *seen = recorder_nth (&recorder, WPR_EVENT_COUNTERS, 1999);
  assert_int_equal (seen->event.time, 7 * SECOND + 1999 * MS);
  assert_int_equal (seen->event.u.counters.n, 2);
  assert_int_equal (counters.undecodable, 1);
  recorder_clear (&recorder);
}

static void
test_open_gap (void **state)
{
  g_autoptr (Kit) kit = begun (FALSE);
  Recorder recorder;
  WprGapPayload gap = { 0, 3 * SECOND, G_MAXINT64 };
  kit_note (kit, WPR_NOTE_CPU_GAP, 1, 4 * SECOND, &gap, sizeof gap);
  gap.to = 6 * SECOND; /* it came back after all */
  kit_note (kit, WPR_NOTE_CPU_GAP, 1, 6 * SECOND, &gap, sizeof gap);
  gap = (WprGapPayload){ 0, 7 * SECOND, G_MAXINT64 };
  kit_note (kit, WPR_NOTE_CPU_GAP, 1, 8 * SECOND, &gap, sizeof gap);
  kit_finish (kit, 9 * SECOND);
  recorder_init (&recorder);
  g_autoptr (WprTrace) trace = kit_play (kit, &recorder);
  assert_int_equal (recorder_count (&recorder, WPR_EVENT_CPU_GAP), 2);
  assert_int_equal (recorder_nth (&recorder, WPR_EVENT_CPU_GAP, 0)->event.u.gap.to, 11 * SECOND);
  assert_int_equal (recorder_nth (&recorder, WPR_EVENT_CPU_GAP, 1)->event.u.gap.to, G_MAXINT64);
  recorder_clear (&recorder);
}

/* Payloads that are too short for what they say they are. */
static void
test_short_notes (void **state)
{
  g_autoptr (Kit) kit = begun (FALSE);
  Recorder recorder;
  for (guint kind = 0; kind < 20; kind++)
    kit_note (kit, kind, 0, 2 * SECOND, "", 0);
  kit_finish (kit, -1);
  recorder_init (&recorder);
  g_autoptr (WprTrace) trace = kit_play (kit, &recorder);
  assert_false (wpr_trace_context (trace)->stopped);
  assert_int_equal (wpr_trace_context (trace)->tallies->len, 0);
  recorder_clear (&recorder);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_suspend),        cmocka_unit_test (test_suspend_to_the_moment),
    cmocka_unit_test (test_wall_clock),     cmocka_unit_test (test_losses),
    cmocka_unit_test (test_lost_records),   cmocka_unit_test (test_complete_from),
    cmocka_unit_test (test_dropped_epochs), cmocka_unit_test (test_texts),
    cmocka_unit_test (test_counters),       cmocka_unit_test (test_open_gap),
    cmocka_unit_test (test_short_notes),
  };
  return cmocka_run_group_tests_name ("context", tests, NULL, NULL);
}
