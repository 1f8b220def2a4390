/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Recordings on the real kernel, from start to file: what was asked comes out, in both modes. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "drive.h"

static guint64
count_of (const WprTraceInfo *info, const char *provider, const char *name)
{
  guint64 sum = 0;
  for (guint i = 0; i < info->counts->len; i++)
    {
      const WprEventCount *c = g_ptr_array_index (info->counts, i);
      if (strcmp (c->provider, provider) == 0 && strcmp (c->name, name) == 0)
        sum += c->count;
    }
  return sum;
}

static void
file_mode_ends_in_a_file_with_every_program (void **state)
{
  Drive d;
  Answer answer = { 0 };
  drive_init (&d);
  drive_start (&d, drive_choice ("CPU.light", WPR_MODE_FILE), &answer);
  assert_good (&answer);
  assert_int_equal (wpr_recorder_get_state (d.recorder), WPR_STATE_RECORDING);
  run_programs (d.root, "wpr-known-work", 200, 1);
  drive_mark (&d, "a mark of the test", &answer);
  assert_good (&answer);
  drive_stop (&d, "file.etl", "it was slow, 很慢", &answer);
  assert_good (&answer);
  assert_int_equal (wpr_recorder_get_state (d.recorder), WPR_STATE_SAVED);
  assert_string_equal (answer.saved->name, "file.etl");
  g_autoptr (WprTraceInfo) info = read_info (&d, "file.etl");
  assert_int_equal (info->n_events, answer.saved->events);
  assert_string_equal (info->note, "it was slow, 很慢");
  assert_true (count_of (info, "Linux.sched", "sched_process_exec") >= 200);
  g_autoptr (WprStats) stats = wpr_recorder_ref_stats (d.recorder);
  assert_int_equal (stats->events, info->n_events);
  assert_int_equal (stats->state, WPR_STATE_SAVED);
  assert_int_equal (count_raw (), 0);
  answer_clear (&answer);
  drive_clear (&d);
}

static void
memory_mode_saves_and_goes_on (void **state)
{
  Drive d;
  Answer answer = { 0 };
  drive_init (&d);
  drive_start (&d, drive_choice ("CPU.light", WPR_MODE_MEMORY), &answer);
  assert_good (&answer);
  run_programs (d.root, "wpr-first-half", 100, 1);
  drive_save (&d, "one.etl", &answer);
  assert_good (&answer);
  assert_int_equal (wpr_recorder_get_state (d.recorder), WPR_STATE_RECORDING);
  run_programs (d.root, "wpr-second-half", 100, 1);
  drive_stop (&d, "two.etl", NULL, &answer);
  assert_good (&answer);
  g_autoptr (WprTraceInfo) one = read_info (&d, "one.etl");
  g_autoptr (WprTraceInfo) two = read_info (&d, "two.etl");
  assert_true (count_of (one, "Linux.sched", "sched_process_exec") >= 100);
  assert_true (count_of (two, "Linux.sched", "sched_process_exec") >= 200);
  assert_int_equal (count_raw (), 0);
  answer_clear (&answer);
  drive_clear (&d);
}

static void
figures_move_while_it_records (void **state)
{
  Drive d;
  Answer answer = { 0 };
  drive_init (&d);
  WprMode modes[] = { WPR_MODE_FILE, WPR_MODE_MEMORY };
  for (guint i = 0; i < G_N_ELEMENTS (modes); i++)
    {
      drive_start (&d, drive_choice ("CPU.light", modes[i]), &answer);
      assert_good (&answer);
      g_autoptr (WprStats) first = wpr_recorder_ref_stats (d.recorder);
      run_programs (d.root, "wpr-figures", 100, 1);
      g_usleep (1200 * 1000);
      g_autoptr (WprStats) later = wpr_recorder_ref_stats (d.recorder);
      assert_int_equal (later->mode, modes[i]);
      assert_true (later->events > first->events);
      assert_true (later->elapsed_ns > first->elapsed_ns);
      assert_true (later->n_collectors >= 1);
      const WprCollectorStats *c = &later->collectors[0];
      assert_true (c->buffers_total > 0 && c->buffers_free <= c->buffers_total);
      assert_true (c->n_cpus >= 1 && c->buffers_written > 0 && c->events > 0);
      assert_true (later->disk_free_bytes > 0 && later->recorder_cpu_ns > 0);
      if (modes[i] == WPR_MODE_FILE)
        assert_true (later->bytes_written > first->bytes_written);
      else
        assert_true (later->bytes_written == 0 && later->holds_s > 1 && later->save_bytes > 0);
      drive_cancel (&d, &answer);
      assert_good (&answer);
    }
  assert_int_equal (count_raw (), 0);
  answer_clear (&answer);
  drive_clear (&d);
}

static void
a_description_tells_who_began_what (void **state)
{
  Drive d;
  Answer answer = { 0 };
  drive_init (&d);
  drive_start (&d, drive_choice ("GeneralProfile.verbose", WPR_MODE_FILE), &answer);
  assert_good (&answer);
  g_autoptr (GVariant) description = wpr_recorder_describe (d.recorder);
  const char *program = NULL, *mode = NULL, *level = NULL, *digest = NULL, *store = NULL;
  assert_true (g_variant_lookup (description, "program", "&s", &program));
  assert_true (g_variant_lookup (description, "mode", "&s", &mode));
  assert_true (g_variant_lookup (description, "level", "&s", &level));
  assert_true (g_variant_lookup (description, "digest", "&s", &digest));
  assert_true (g_variant_lookup (description, "store", "&s", &store));
  assert_string_equal (program, "wpr");
  assert_string_equal (mode, "file");
  assert_string_equal (level, "verbose");
  assert_true (strlen (digest) == 64);
  assert_true (g_file_test (store, G_FILE_TEST_IS_DIR));
  drive_cancel (&d, &answer);
  assert_false (g_file_test (store, G_FILE_TEST_EXISTS));
  answer_clear (&answer);
  drive_clear (&d);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (file_mode_ends_in_a_file_with_every_program),
    cmocka_unit_test (memory_mode_saves_and_goes_on),
    cmocka_unit_test (figures_move_while_it_records),
    cmocka_unit_test (a_description_tells_who_began_what),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
