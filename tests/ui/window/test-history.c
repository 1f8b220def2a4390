/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The last 60 seconds, the scale of the axis, and the worker thread. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "history.h"
#include "worker.h"

static void
push (WprHistory *history, double second, double rate)
{
  WprStats stats = {
    .mode = WPR_MODE_FILE, .elapsed_ns = (gint64)(second * 1e9), .events_per_s = rate, .holds_s = -1
  };
  wpr_history_push (history, &stats);
}

static void
scale_steps_are_1_2_3_5 (void **state)
{
  assert_int_equal (wpr_scale_for (0), 1);
  assert_int_equal (wpr_scale_for (3), 1);
  assert_int_equal (wpr_scale_for (3.5), 2);
  assert_int_equal (wpr_scale_for (25600), 10000);
  assert_int_equal (wpr_scale_for (30001), 20000);
  assert_int_equal (wpr_scale_for (61300), 30000);
  assert_int_equal (wpr_scale_for (100000), 50000);
  assert_int_equal (wpr_scale_for (150001), 100000);
}

static void
scale_grows_at_once_and_shrinks_after_ten_seconds (void **state)
{
  g_autoptr (WprHistory) history = wpr_history_new ();
  push (history, 0, 1000);
  assert_int_equal (history->scale, 500);
  push (history, 1, 90000);
  assert_int_equal (history->scale, 30000);
  push (history, 2, 1000);
  /* the burst leaves the picture after 61 s; the scale stays for ten more */
  double second = 3;
  for (; second <= 64; second++)
    push (history, second, 1000);
  assert_int_equal (history->scale, 30000);
  for (; second <= 74; second++)
    push (history, second, 1000);
  assert_int_equal (history->scale, 500);
}

static void
only_sixty_seconds_are_kept (void **state)
{
  g_autoptr (WprHistory) history = wpr_history_new ();
  for (int i = 0; i < 2000; i++)
    push (history, i / 10.0, i);
  /* 600 points and one beyond the left edge */
  assert_in_range (history->moments->len, 595, 602);
  assert_true (g_array_index (history->moments, WprMoment, 0).second <= 199.9 - 60);
}

static void
repeated_readings_make_no_staircase (void **state)
{
  g_autoptr (WprHistory) history = wpr_history_new ();
  for (int i = 0; i < 10; i++)
    push (history, i / 10.0, 7);
  assert_int_equal (history->moments->len, 1);
  push (history, 1.0, 7);
  assert_int_equal (history->moments->len, 2);
}

static void
fill_alone_makes_no_point_in_memory_mode (void **state)
{
  g_autoptr (WprHistory) history = wpr_history_new ();
  for (int i = 0; i < 9; i++)
    {
      WprStats stats = { .mode = WPR_MODE_MEMORY,
                         .elapsed_ns = i * G_GINT64_CONSTANT (100000000),
                         .events_per_s = 7,
                         .fill = i / 10.0 };
      wpr_history_push (history, &stats);
    }
  assert_int_equal (history->moments->len, 1);
}

static void
losses_of_all_collectors_are_summed_per_second (void **state)
{
  WprLossSecond first[] = { { 0, 5, 10 }, { 1, 5, 20 } }, second[] = { { 0, 4, 1 }, { 0, 5, 2 } };
  WprCollectorStats collectors[]
      = { { .n_losses = 2, .losses = first }, { .n_losses = 2, .losses = second } };
  WprStats stats = { .mode = WPR_MODE_FILE,
                     .elapsed_ns = 8 * G_GINT64_CONSTANT (1000000000),
                     .n_collectors = 2,
                     .collectors = collectors };
  g_autoptr (WprHistory) history = wpr_history_new ();
  wpr_history_push (history, &stats);
  assert_int_equal (history->gaps->len, 2);
  assert_int_equal (g_array_index (history->gaps, WprGap, 0).lost, 1);
  assert_int_equal (g_array_index (history->gaps, WprGap, 1).lost, 32);
  assert_int_equal (wpr_history_get_lost (history), 33);
}

static void
a_buffer_that_lost_events_was_full (void **state)
{
  WprLossSecond losses[] = { { 0, 5, 10 } };
  WprCollectorStats collector = { .n_losses = 1, .losses = losses };
  WprStats stats = { .mode = WPR_MODE_FILE, .fill = 0.25 };
  g_autoptr (WprHistory) history = wpr_history_new ();
  for (int i = 0; i < 8; i++)
    {
      stats.elapsed_ns = i * G_GINT64_CONSTANT (1000000000) + 500000000;
      /* the recorder tells of it a second later */
      if (i == 6)
        {
          stats.n_collectors = 1;
          stats.collectors = &collector;
        }
      stats.events_per_s = i;
      wpr_history_push (history, &stats);
    }
  assert_int_equal (history->moments->len, 8);
  for (guint i = 0; i < 8; i++)
    assert_float_equal (g_array_index (history->moments, WprMoment, i).fill, i == 5 ? 1 : 0.25, 0);
}

static void
marks_get_their_words_and_leave_with_their_time (void **state)
{
  g_autoptr (WprHistory) history = wpr_history_new ();
  push (history, 1, 1);
  wpr_history_flag (history, 1, NULL);
  wpr_history_name_flag (history, "menu froze");
  assert_string_equal (g_array_index (history->flags, WprFlag, 0).words, "menu froze");
  push (history, 62, 2);
  assert_int_equal (history->flags->len, 0);
}

typedef struct
{
  WprWorker *worker;
  GMainLoop *loop;
  GThread *main_thread;
  guint ran_in_worker, answered_in_main;
} Ping;

static void
answer (gpointer data)
{
  Ping *ping = data;
  ping->answered_in_main += g_thread_self () == ping->main_thread;
  g_main_loop_quit (ping->loop);
}

static void
ask (gpointer data)
{
  Ping *ping = data;
  ping->ran_in_worker
      += wpr_worker_is_current (ping->worker) && g_thread_self () != ping->main_thread;
  wpr_worker_reply (answer, ping, NULL);
}

static void
work_runs_in_the_worker_and_answers_in_the_main_thread (void **state)
{
  Ping ping = { .worker = wpr_worker_new (),
                .loop = g_main_loop_new (NULL, FALSE),
                .main_thread = g_thread_self () };
  assert_false (wpr_worker_is_current (ping.worker));
  wpr_worker_send (ping.worker, ask, &ping, NULL);
  g_main_loop_run (ping.loop);
  wpr_worker_free (ping.worker);
  g_main_loop_unref (ping.loop);
  assert_int_equal (ping.ran_in_worker, 1);
  assert_int_equal (ping.answered_in_main, 1);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (scale_steps_are_1_2_3_5),
    cmocka_unit_test (scale_grows_at_once_and_shrinks_after_ten_seconds),
    cmocka_unit_test (only_sixty_seconds_are_kept),
    cmocka_unit_test (repeated_readings_make_no_staircase),
    cmocka_unit_test (fill_alone_makes_no_point_in_memory_mode),
    cmocka_unit_test (losses_of_all_collectors_are_summed_per_second),
    cmocka_unit_test (a_buffer_that_lost_events_was_full),
    cmocka_unit_test (marks_get_their_words_and_leave_with_their_time),
    cmocka_unit_test (work_runs_in_the_worker_and_answers_in_the_main_thread),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
