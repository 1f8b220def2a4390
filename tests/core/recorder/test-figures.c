/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From what sources report to what people see: made-up rings, so that each number is known. */
#include "config.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "recorder/figures.h"

#define KIB G_GUINT64_CONSTANT (1024)
#define MIB (1024 * KIB)
#define START (1000 * WPR_NS_PER_SECOND)

typedef struct
{
  WprSession session;
  WprFigures *figures;
  GArray *values, *losses;
  WprMoment moment;
} Bench;

static void
bench_init (Bench *b, gboolean backward, guint n_collectors)
{
  *b = (Bench){ .session = { .manifest = wpr_manifest_new (), .backward = backward } };
  for (guint i = 0; i < n_collectors; i++)
    {
      WprStoreCollector c = { .name = g_strdup_printf ("C%u", i),
                              .session = g_strdup_printf ("S%u", i),
                              .buffer_kb = 1024,
                              .buffers_asked = 100 };
      g_array_append_val (b->session.manifest->collectors, c);
    }
  b->figures = wpr_figures_new (&b->session);
  b->values = g_array_new (FALSE, TRUE, sizeof (WprSourceFigures));
  b->losses = g_array_new (FALSE, TRUE, sizeof (WprSourceLoss));
  b->moment = (WprMoment){ .state = WPR_STATE_RECORDING, .now = START, .started = START };
}

static void
bench_clear (Bench *b)
{
  wpr_figures_free (b->figures);
  wpr_manifest_free (b->session.manifest);
  g_array_unref (b->values);
  g_array_unref (b->losses);
}

static WprStats *
take (Bench *b, double seconds, const WprSourceFigures *values, guint n)
{
  g_array_set_size (b->values, 0);
  g_array_append_vals (b->values, values, n);
  b->moment.now = START + (WprTime)(seconds * (double)WPR_NS_PER_SECOND);
  WprStats *stats = wpr_figures_take (b->figures, &b->moment, TRUE, b->values, b->losses);
  g_array_set_size (b->losses, 0);
  return stats;
}

static void
file_mode_counts_what_was_drained (void **state)
{
  Bench b;
  bench_init (&b, FALSE, 1);
  WprSourceFigures values[] = {
    { .collector = 0,
      .cpu = 0,
      .online = TRUE,
      .ring_bytes = 8 * MIB,
      .used_bytes = 2 * MIB,
      .bytes = 12 * MIB,
      .events = 1000,
      .drained_bytes = 10 * MIB + 1 },
    { .collector = 0,
      .cpu = 1,
      .online = TRUE,
      .ring_bytes = 8 * MIB,
      .used_bytes = 6 * MIB,
      .bytes = 6 * MIB,
      .events = 500,
      .lost = 7 },
  };
  b.moment.store_bytes = 11 * MIB;
  b.moment.disk_budget_bytes = 100 * MIB;
  g_autoptr (WprStats) stats = take (&b, 10, values, 2);
  const WprCollectorStats *c = &stats->collectors[0];
  assert_int_equal (c->buffers_total, 16);
  assert_int_equal (c->buffers_free, 8);
  assert_int_equal (c->buffers_written, 11); /* rounded up */
  assert_true (c->fill == 0.75 && c->worst_cpu == 1 && c->holds_s == -1);
  assert_int_equal (c->n_cpus, 2);
  assert_int_equal (c->cpus[1].lost, 7);
  assert_true (stats->events == 1500 && stats->lost == 7 && stats->holds_s == -1);
  assert_true (stats->fill == 0.75 && stats->worst_collector == 0 && stats->worst_cpu == 1);
  assert_true (stats->bytes_written == 11 * MIB && stats->save_bytes == 0);
  assert_true (stats->disk_full_s == -1); /* no rate yet */
  b.moment.store_bytes = 21 * MIB;
  b.moment.disk_budget_bytes = 90 * MIB;
  g_autoptr (WprStats) later = take (&b, 11, values, 2);
  assert_true (fabs (later->disk_full_s - 9) < 0.001);
  bench_clear (&b);
}

static void
memory_mode_says_how_far_back_it_reaches (void **state)
{
  Bench b;
  bench_init (&b, TRUE, 2);
  WprSourceFigures values[] = {
    /* Wrapped: holds everything since 12 s before now. */
    { .collector = 0,
      .cpu = 0,
      .online = TRUE,
      .ring_bytes = 4 * MIB,
      .used_bytes = 4 * MIB,
      .bytes = 40 * MIB,
      .overwritten_bytes = 36 * MIB,
      .oldest = START + 28 * WPR_NS_PER_SECOND },
    /* A quarter full after 40 s: holds 160 s at this rate. */
    { .collector = 0,
      .cpu = 1,
      .online = TRUE,
      .ring_bytes = 4 * MIB,
      .used_bytes = MIB,
      .bytes = MIB,
      .oldest = START },
    /* Nothing yet. */
    { .collector = 1, .cpu = 0, .online = TRUE, .ring_bytes = 2 * MIB },
  };
  g_autoptr (WprStats) stats = take (&b, 40, values, 3);
  const WprCollectorStats *c = stats->collectors;
  assert_true (fabs (c[0].cpus[0].holds_s - 12) < 0.001);
  assert_true (fabs (c[0].cpus[1].holds_s - 160) < 0.001);
  assert_true (fabs (c[0].holds_s - 12) < 0.001);
  assert_true (c[1].holds_s == -1 && c[1].n_cpus == 1);
  assert_true (fabs (stats->holds_s - 12) < 0.001);
  assert_int_equal (c[0].buffers_free, 3);
  assert_int_equal (c[0].buffers_written, 41);
  assert_int_equal (stats->overwritten_bytes, 36 * MIB);
  assert_int_equal (stats->save_bytes, 5 * MIB);
  assert_true (stats->fill == 1 && stats->bytes_written == 0);
  bench_clear (&b);
}

static void
rates_are_over_the_last_second (void **state)
{
  Bench b;
  bench_init (&b, TRUE, 1);
  WprSourceFigures value = { .collector = 0, .ring_bytes = MIB, .online = TRUE };
  double rate = -1;
  for (guint i = 0; i <= 10; i++)
    {
      value.events += i < 6 ? 500 : 5000; /* each half second */
      g_autoptr (WprStats) stats = take (&b, i * 0.5, &value, 1);
      rate = stats->events_per_s;
      if (i == 5)
        assert_true (fabs (rate - 1000) < 0.001);
    }
  assert_true (fabs (rate - 10000) < 0.001);
  bench_clear (&b);
}

static void
the_newest_losses_are_kept_by_second (void **state)
{
  Bench b;
  bench_init (&b, FALSE, 1);
  WprSourceFigures value = { .collector = 0, .ring_bytes = MIB, .online = TRUE };
  for (guint i = 1; i <= 100; i++)
    {
      /* Two rows of one CPU within a second are one; a row of the sideband is nobody's. */
      WprSourceLoss losses[] = { { 0, 1, 3, i }, { 0, 1, 4, 1 }, { G_MAXUINT32, 1, 5, 9 } };
      g_array_append_vals (b.losses, losses, 3);
      g_autoptr (WprStats) stats = take (&b, i, &value, 1);
      const WprCollectorStats *c = &stats->collectors[0];
      assert_int_equal (c->n_losses, MIN (i, WPR_STATS_LOSSES));
      const WprLossSecond *last = &c->losses[c->n_losses - 1];
      assert_true (last->cpu == 1 && last->second == i - 1 && last->count == i + 1);
    }
  bench_clear (&b);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (file_mode_counts_what_was_drained),
    cmocka_unit_test (memory_mode_says_how_far_back_it_reaches),
    cmocka_unit_test (rates_are_over_the_last_second),
    cmocka_unit_test (the_newest_losses_are_kept_by_second),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
