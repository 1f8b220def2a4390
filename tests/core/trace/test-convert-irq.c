/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pairs of interrupt records become one event each: nested, crossed, without a begin, without an
 * end, across losses. */
#include "config.h"
#include "kit.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

#include "kit-formats.h"

static const char format_irq_entry[]
    = "name: irq_handler_entry\nID: 150\n" COMMON FIELD ("int irq", 8, 4, 1)
        FIELD ("__data_loc char[] name", 12, 4, 0) NO_PRINT;
static const char format_irq_exit[]
    = "name: irq_handler_exit\nID: 149\n" COMMON FIELD ("int irq", 8, 4, 1)
        FIELD ("int ret", 12, 4, 1) NO_PRINT;
static const char format_softirq[]
    = "name: softirq_entry\nID: 148\n" COMMON FIELD ("unsigned int vec", 8, 4, 0) NO_PRINT;
static const char format_vector[]
    = "name: local_timer_entry\nID: 90\n" COMMON FIELD ("int vector", 8, 4, 1) NO_PRINT;
static const char format_timer[]
    = "name: timer_expire_entry\nID: 410\n" COMMON FIELD ("void * timer", 8, 8, 0)
        FIELD ("unsigned long now", 16, 8, 0) FIELD ("void * function", 24, 8, 0)
            FIELD ("unsigned long baseclk", 32, 8, 0) NO_PRINT;

typedef struct
{
  Kit *kit;
  Row irq_in, irq_out, soft_in, soft_out, vector_in, vector_out, timer_in, timer_out;
  Recorder recorder;
  WprTrace *trace;
} Case;

static void
begin (Case *c)
{
  c->kit = kit_new (FALSE, 1, 2);
  c->irq_in = kit_add_row (c->kit, "irq:irq_handler_entry", format_irq_entry);
  c->irq_out = kit_add_row (c->kit, "irq:irq_handler_exit", format_irq_exit);
  c->soft_in = kit_add_row (c->kit, "irq:softirq_entry", format_softirq);
  c->soft_out = kit_add_row (c->kit, "irq:softirq_exit", format_softirq);
  c->vector_in = kit_add_row (c->kit, "irq_vectors:local_timer_entry", format_vector);
  c->vector_out = kit_add_row (c->kit, "irq_vectors:local_timer_exit", format_vector);
  c->timer_in = kit_add_row (c->kit, "timer:timer_expire_entry", format_timer);
  c->timer_out = kit_add_row (c->kit, "timer:timer_expire_exit", format_timer);
  kit_begin (c->kit, NULL);
  kit_clock (c->kit, SECOND, SLEPT, WALL);
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

/* A number at 8, another at 12; a name behind them. */
static void
put (Case *c, Row row, guint cpu, WprTime time, guint32 number, guint32 other, const char *name)
{
  guint8 raw[48] = { 0 };
  memcpy (raw + 8, &number, 4);
  if (name != NULL)
    {
      other = ((guint32)strlen (name) + 1) << 16 | 16;
      strcpy ((char *)raw + 16, name);
    }
  memcpy (raw + 12, &other, 4);
  kit_sample (c->kit, row, cpu, time, 70, 70, raw, sizeof raw);
}

static void
put_timer (Case *c, Row row, guint cpu, WprTime time, guint64 timer, guint64 function)
{
  guint8 raw[40] = { 0 };
  memcpy (raw + 8, &timer, 8);
  memcpy (raw + 24, &function, 8);
  kit_sample (c->kit, row, cpu, time, 70, 70, raw, sizeof raw);
}

static const WprEvent *
nth (Case *c, guint n)
{
  return &recorder_nth (&c->recorder, WPR_EVENT_INTERRUPT, n)->event;
}

static void
a_pair_is_one_event_at_its_end (void **state)
{
  Case c;
  begin (&c);
  put (&c, c.irq_in, 1, 2 * SECOND, 27, 0, "virtio1-input.0");
  put (&c, c.irq_out, 1, 2 * SECOND + 700, 27, 1, NULL);
  assert_int_equal (play (&c), 0);
  const WprEvent *event = nth (&c, 0);
  assert_int_equal (event->time, 7 * SECOND + 700);
  assert_int_equal (event->cpu, 1);
  assert_int_equal (event->u.interrupt.what, WPR_INTERRUPT_IRQ);
  assert_int_equal (event->u.interrupt.start, 7 * SECOND);
  assert_int_equal (event->u.interrupt.number, 27);
  assert_int_equal (event->u.interrupt.result, 1);
  assert_string_equal (recorder_nth (&c.recorder, WPR_EVENT_INTERRUPT, 0)->text, "virtio1-input.0");
  /* The begin is given out too, for who counts records, and knows its end. */
  const WprEvent *begun = &recorder_nth (&c.recorder, WPR_EVENT_BEGUN, 0)->event;
  assert_int_equal (begun->row, c.irq_in);
  assert_true (begun->u.begun.key == event->u.interrupt.key);
  end (&c);
}

/* A clock's interrupt in the middle of a timer in a softirq. */
static void
what_lies_within_each_other_is_kept_apart (void **state)
{
  Case c;
  begin (&c);
  put (&c, c.soft_in, 0, 2 * SECOND, 1, 0, NULL);
  put_timer (&c, c.timer_in, 0, 2 * SECOND + 100, 0xffff888001000000, 0xffffffff81234560);
  put (&c, c.vector_in, 0, 2 * SECOND + 200, 236, 0, NULL);
  put (&c, c.soft_in, 1, 2 * SECOND + 250, 1, 0, NULL); /* the other CPU has its own */
  put (&c, c.vector_out, 0, 2 * SECOND + 300, 236, 0, NULL);
  put_timer (&c, c.timer_out, 0, 2 * SECOND + 400, 0xffff888001000000, 0);
  put (&c, c.soft_out, 0, 2 * SECOND + 500, 1, 0, NULL);
  put (&c, c.soft_out, 1, 2 * SECOND + 550, 1, 0, NULL);
  assert_int_equal (play (&c), 0);
  static const struct
  {
    WprInterruptKind what;
    gint64 start, time;
  } expected[] = { { WPR_INTERRUPT_VECTOR, 200, 300 },
                   { WPR_INTERRUPT_TIMER, 100, 400 },
                   { WPR_INTERRUPT_SOFTIRQ, 0, 500 },
                   { WPR_INTERRUPT_SOFTIRQ, 250, 550 } };
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    {
      assert_int_equal (nth (&c, i)->u.interrupt.what, expected[i].what);
      assert_int_equal (nth (&c, i)->u.interrupt.start, 7 * SECOND + expected[i].start);
      assert_int_equal (nth (&c, i)->time, 7 * SECOND + expected[i].time);
    }
  assert_int_equal (nth (&c, 0)->u.interrupt.number, 236);
  assert_string_equal (recorder_nth (&c.recorder, WPR_EVENT_INTERRUPT, 0)->text, "local_timer");
  assert_true (nth (&c, 1)->u.interrupt.routine == 0xffffffff81234560);
  end (&c);
}

/* The recording begins in the middle of one, ends in the middle of another, and an end is missing.
 */
static void
what_has_no_pair_is_counted (void **state)
{
  Case c;
  begin (&c);
  put (&c, c.soft_out, 0, 2 * SECOND, 3, 0, NULL);          /* its begin was before */
  put (&c, c.soft_in, 0, 2 * SECOND + 100, 3, 0, NULL);     /* no end came */
  put (&c, c.soft_in, 0, 2 * SECOND + 200, 3, 0, NULL);     /* the same again */
  put (&c, c.vector_in, 0, 2 * SECOND + 220, 236, 0, NULL); /* no end came within it */
  put (&c, c.soft_out, 0, 2 * SECOND + 300, 3, 0, NULL);
  put (&c, c.soft_in, 0, 2 * SECOND + 400, 3, 0, NULL); /* the end is after */
  assert_int_equal (play (&c), 4);
  assert_int_equal (recorder_count (&c.recorder, WPR_EVENT_INTERRUPT), 1);
  assert_int_equal (nth (&c, 0)->u.interrupt.start, 7 * SECOND + 200);
  /* What ended without a begin stays what it is. */
  assert_int_equal (recorder_count (&c.recorder, WPR_EVENT_TRACEPOINT), 1);
  assert_int_equal (recorder_nth (&c.recorder, WPR_EVENT_TRACEPOINT, 0)->event.row, c.soft_out);
  end (&c);
}

static void
no_pair_is_made_across_a_loss (void **state)
{
  Case c;
  begin (&c);
  put (&c, c.soft_in, 0, 2 * SECOND, 3, 0, NULL);
  put (&c, c.soft_in, 1, 2 * SECOND, 3, 0, NULL);
  kit_lost (c.kit, 0, 2 * SECOND + 100, c.soft_in, 5);
  put (&c, c.soft_out, 0, 2 * SECOND + 300, 3, 0, NULL);
  put (&c, c.soft_out, 1, 2 * SECOND + 300, 3, 0, NULL);
  assert_int_equal (play (&c), 2);
  assert_int_equal (recorder_count (&c.recorder, WPR_EVENT_INTERRUPT), 1);
  assert_int_equal (nth (&c, 0)->cpu, 1);
  end (&c);
}

/* Begins without end by the dozen neither grow nor hide the pair that is whole. */
static void
begins_without_end_are_bounded (void **state)
{
  Case c;
  begin (&c);
  for (guint i = 0; i < 100; i++)
    put_timer (&c, c.timer_in, 0, 2 * SECOND + i, 0x1000 + i, 0x2000);
  put (&c, c.soft_in, 0, 2 * SECOND + 200, 3, 0, NULL);
  put (&c, c.soft_out, 0, 2 * SECOND + 300, 3, 0, NULL);
  assert_int_equal (play (&c), 100);
  assert_int_equal (recorder_count (&c.recorder, WPR_EVENT_INTERRUPT), 1);
  end (&c);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (a_pair_is_one_event_at_its_end),
    cmocka_unit_test (what_lies_within_each_other_is_kept_apart),
    cmocka_unit_test (what_has_no_pair_is_counted),
    cmocka_unit_test (no_pair_is_made_across_a_loss),
    cmocka_unit_test (begins_without_end_are_bounded),
  };
  return cmocka_run_group_tests_name ("convert-irq", tests, NULL, NULL);
}
