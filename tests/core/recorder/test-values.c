/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Figures, notices and results come back from another process as they went. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "recorder/recorder-private.h"

/* Two collectors, so that arrays and names of different lengths lie behind one another. */
static WprStats *
make_stats (void)
{
  WprCpuStats cpus[3] = { { 0, TRUE, 4096, 100, 0.25, 1.5, 77, 5, 1, 9 },
                          { 1, FALSE, 8192, 8192, 1, -1, G_MAXUINT64, 6, 2, 10 },
                          { 7, TRUE, 1, 2, 0.5, 3, 4, 5, 6, 7 } };
  WprLossSecond losses[2] = { { 1, 12, 3 }, { 0, 13, 400 } };
  WprCollectorStats collectors[2] = {
    { "WPR System Collector",
      "WPR_initiated_WprApp_WPR System Collector",
      WPR_COLLECTOR_SYSTEM,
      1024,
      64,
      32,
      30,
      2,
      1,
      1,
      1.5,
      11,
      2.5,
      3,
      19,
      4,
      2,
      cpus,
      2,
      losses },
    { "E", "",  WPR_COLLECTOR_EVENT, 4, 5, 6, 7, 8, 0.125, 7, -1, 9, 10.5, 0, 0, 13, 1, cpus + 2,
      0,   NULL },
  };
  return wpr_stats_new (&(WprStats){ WPR_STATE_RECORDING,
                                     WPR_MODE_FILE,
                                     1,
                                     2,
                                     3,
                                     4.5,
                                     5,
                                     6,
                                     7,
                                     8,
                                     0.75,
                                     1,
                                     2,
                                     42.5,
                                     9,
                                     10.5,
                                     0.004,
                                     11,
                                     12,
                                     13,
                                     2,
                                     collectors });
}

static void
assert_same_collector (const WprCollectorStats *a, const WprCollectorStats *b)
{
  assert_string_equal (a->name, b->name);
  assert_string_equal (a->session, b->session);
  assert_int_equal (a->kind, b->kind);
  /* Between kind and n_cpus lie only numbers, without gaps that matter: both came zeroed. */
  assert_int_equal (a->buffer_kb, b->buffer_kb);
  assert_int_equal (a->buffers_asked, b->buffers_asked);
  assert_int_equal (a->buffers_total, b->buffers_total);
  assert_int_equal (a->buffers_free, b->buffers_free);
  assert_int_equal (a->buffers_written, b->buffers_written);
  assert_true (a->fill == b->fill && a->worst_cpu == b->worst_cpu && a->holds_s == b->holds_s);
  assert_true (a->events == b->events && a->events_per_s == b->events_per_s && a->lost == b->lost);
  assert_true (a->overwritten_bytes == b->overwritten_bytes
               && a->bytes_written == b->bytes_written);
  assert_int_equal (a->n_cpus, b->n_cpus);
  for (guint i = 0; i < a->n_cpus; i++)
    {
      const WprCpuStats *p = &a->cpus[i], *q = &b->cpus[i];
      assert_true (p->cpu == q->cpu && p->online == q->online && p->ring_bytes == q->ring_bytes
                   && p->used_bytes == q->used_bytes && p->fill == q->fill
                   && p->holds_s == q->holds_s && p->bytes == q->bytes && p->events == q->events
                   && p->lost == q->lost && p->overwritten_bytes == q->overwritten_bytes);
    }
  assert_int_equal (a->n_losses, b->n_losses);
  for (guint i = 0; i < a->n_losses; i++)
    assert_true (a->losses[i].cpu == b->losses[i].cpu && a->losses[i].second == b->losses[i].second
                 && a->losses[i].count == b->losses[i].count);
}

static void
figures_come_back_as_they_went (void **state)
{
  g_autoptr (WprStats) a = make_stats ();
  g_autoptr (GVariant) variant = g_variant_ref_sink (wpr_stats_to_variant (a));
  assert_string_equal (g_variant_get_type_string (variant), WPR_STATS_TYPE);
  g_autoptr (WprStats) b = wpr_stats_from_variant (variant);
  assert_non_null (b);
  WprStats head_a = *a, head_b = *b;
  head_a.collectors = head_b.collectors = NULL;
  assert_memory_equal (&head_a, &head_b, G_STRUCT_OFFSET (WprStats, recorder_cpu_ns));
  assert_true (a->recorder_cpu_ns == b->recorder_cpu_ns
               && a->recorder_wakeups == b->recorder_wakeups && a->n_marks == b->n_marks);
  assert_int_equal (b->n_collectors, 2);
  for (guint i = 0; i < 2; i++)
    assert_same_collector (&a->collectors[i], &b->collectors[i]);
}

/* What lies in shared memory need not be whole. */
static void
figures_cut_short_are_figures_or_none (void **state)
{
  g_autoptr (WprStats) a = make_stats ();
  g_autoptr (GVariant) whole = g_variant_ref_sink (wpr_stats_to_variant (a));
  for (gsize size = 0; size <= g_variant_get_size (whole); size++)
    {
      g_autoptr (GBytes) bytes = g_bytes_new (g_variant_get_data (whole), size);
      g_autoptr (GVariant) variant = g_variant_ref_sink (
          g_variant_new_from_bytes (G_VARIANT_TYPE (WPR_STATS_TYPE), bytes, FALSE));
      g_autoptr (WprStats) b = wpr_stats_from_variant (variant);
      if (size < g_variant_get_size (whole))
        continue;
      assert_int_equal (b->n_collectors, 2);
      for (guint i = 0; i < 2; i++)
        assert_same_collector (&a->collectors[i], &b->collectors[i]);
    }
}

static void
figures_of_another_type_are_refused (void **state)
{
  g_autoptr (GVariant) other = g_variant_ref_sink (g_variant_new ("(us)", 1, "x"));
  assert_null (wpr_stats_from_variant (other));
  assert_null (wpr_notice_from_variant (other));
  assert_null (wpr_saved_from_variant (other));
}

static void
notices_and_results_come_back (void **state)
{
  g_autoptr (WprNotice) a
      = wpr_notice_new (WPR_NOTICE_WARNING, 12345, "ring-shrunk", "Der Ring ist \"kleiner\"\n");
  g_autoptr (GVariant) variant = g_variant_ref_sink (wpr_notice_to_variant (a));
  g_autoptr (WprNotice) b = wpr_notice_from_variant (variant);
  assert_int_equal (b->severity, WPR_NOTICE_WARNING);
  assert_int_equal (b->realtime_ns, 12345);
  assert_string_equal (b->id, a->id);
  assert_string_equal (b->text, a->text);

  WprSaved saved = { (char *)"a 文.etl", 1, 2, 3, 4, TRUE };
  g_autoptr (GVariant) v = g_variant_ref_sink (wpr_saved_to_variant (&saved));
  g_autoptr (WprSaved) back = wpr_saved_from_variant (v);
  assert_string_equal (back->name, saved.name);
  assert_true (back->size == 1 && back->events == 2 && back->lost == 3 && back->duration_ns == 4
               && back->complete == TRUE);
}

static void
state_names_are_stable (void **state)
{
  assert_string_equal (wpr_state_name (WPR_STATE_IDLE), "idle");
  assert_string_equal (wpr_state_name (WPR_STATE_MERGING), "merging");
  assert_string_equal (wpr_state_name (WPR_STATE_FAILED), "failed");
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (figures_come_back_as_they_went),
    cmocka_unit_test (figures_cut_short_are_figures_or_none),
    cmocka_unit_test (figures_of_another_type_are_refused),
    cmocka_unit_test (notices_and_results_come_back),
    cmocka_unit_test (state_names_are_stable),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
