/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stores with bytes that are not what the recorder wrote: refused, or played as far as they make
 * sense; time never goes back on a CPU, nothing is read outside (ASan says). */
#include "config.h"
#include "kit.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

#include "store/payload.h"

#define ROUNDS 400

static void
put_everything (Kit *kit)
{
  WprGapPayload gap = { 0, 3 * SECOND, G_MAXINT64 };
  WprLossPayload loss = { 0, ROW_SWITCH, 5 };
  WprTallyPayload tally = { ROW_SWITCH, 0, 1000, 7 };
  WprRingPayload ring = { 0, 5000, 1000, 4000 };
  for (guint32 i = 0; i < 40; i++)
    {
      WprTime time = SECOND + i * 10 * MS;
      guint cpu = i % 2;
      kit_fork (kit, cpu, time, 200 + i, 100, 200 + i, 100);
      kit_comm (kit, cpu, time + MS, 200 + i, 200 + i, "program", TRUE);
      kit_mmap (kit, cpu, time + 2 * MS, 200 + i, 0x400000, 0x1000, 0, "/usr/bin/env");
      kit_waking (kit, cpu, time + 2 * MS, 0, 200 + i, cpu);
      kit_switch (kit, cpu, time + 3 * MS, 0, STATE_R, 200 + i);
      kit_clock_sample (kit, cpu, time + 4 * MS, 200 + i, 0x400100);
      kit_fault (kit, ROW_MAJOR_FAULTS, cpu, time + 4 * MS, 200 + i, 1, 2);
      kit_request (kit, ROW_BIO_QUEUE, cpu, time + 5 * MS, 200 + i, 8 << 20, 8 * i, 8, "R");
      kit_request (kit, ROW_RQ_ISSUE, cpu, time + 5 * MS, 200 + i, 8 << 20, 8 * i, 8, "R");
      kit_request (kit, ROW_RQ_COMPLETE, cpu, time + 6 * MS, 0, 8 << 20, 8 * i, 8, "R");
      kit_plain (kit, ROW_YIELD, cpu, time + 6 * MS, 200 + i);
      kit_throttle (kit, cpu, time + 7 * MS, ROW_CPU_CLOCK, i % 2);
      kit_lost (kit, cpu, time + 7 * MS, ROW_SWITCH, 3);
      kit_switch (kit, cpu, time + 8 * MS, 200 + i, 0x10, 0);
      kit_exit (kit, cpu, time + 8 * MS, 200 + i, 200 + i);
      kit_clock (kit, time, SLEPT + i * 2 * MS, WALL);
      if (i == 20)
        kit_rotate (kit);
    }
  kit_note (kit, WPR_NOTE_MARK, 1, 3 * SECOND, "mark", 4);
  kit_note (kit, WPR_NOTE_SAMPLER, 1, 3 * SECOND, "memory\0\0\0\0", 10);
  kit_note (kit, WPR_NOTE_CPU_GAP, 1, 3 * SECOND, &gap, sizeof gap);
  kit_note (kit, WPR_NOTE_LOSS, 1, 3 * SECOND, &loss, sizeof loss);
  kit_note (kit, WPR_NOTE_TALLY, 1, 3 * SECOND, &tally, sizeof tally);
  kit_note (kit, WPR_NOTE_RING, 1, 3 * SECOND, &ring, sizeof ring);
  kit_note (kit, WPR_NOTE_UID, 1, 3 * SECOND, &gap, 12);
  kit_note (kit, WPR_NOTE_CMDLINE, 1, 3 * SECOND, &gap, 16);
}

static void
find_files (const char *folder, GPtrArray *files)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  for (const char *name = g_dir_read_name (dir); name != NULL; name = g_dir_read_name (dir))
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      if (g_file_test (path, G_FILE_TEST_IS_DIR))
        find_files (path, files);
      else
        g_ptr_array_add (files, g_steal_pointer (&path));
    }
}

/* FALSE if the store was refused. */
static gboolean
play (const char *path)
{
  Recorder recorder;
  g_autoptr (GError) error = NULL;
  g_autoptr (WprTrace) trace = wpr_trace_open (path, &error);
  if (trace == NULL)
    {
      assert_non_null (error);
      return FALSE;
    }
  recorder_init (&recorder);
  recorder.keeps = FALSE;
  recorder.any_cpu = TRUE;
  WprSink *sinks[] = { &recorder.sink };
  gboolean played = wpr_trace_play (trace, sinks, 1, NULL, NULL, &error);
  assert_true (played == (error == NULL));
  assert_int_equal (recorder.n_back_on_cpu, 0);
  recorder_clear (&recorder);
  return played;
}

static void
damage (GRand *rand, char *bytes, gsize *size)
{
  if (g_rand_int_range (rand, 0, 8) == 0)
    *size = (gsize)g_rand_int_range (rand, 0, (gint32)*size);
  for (gint32 n = g_rand_int_range (rand, 1, 12); n > 0 && *size > 0; n--)
    {
      gsize at = (gsize)g_rand_int_range (rand, 0, (gint32)*size);
      bytes[at]
          = g_rand_int_range (rand, 0, 3) == 0 ? (char)0xff : (char)g_rand_int_range (rand, 0, 256);
    }
}

/* Without syncing: eight hundred times. */
static void
put_contents (const char *path, const char *bytes, gsize size)
{
  assert_true (
      g_file_set_contents_full (path, bytes, (gssize)size, G_FILE_SET_CONTENTS_NONE, 0600, NULL));
}

static void
test_damaged (void **state)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (4711);
  g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (Kit) kit = kit_new (FALSE, 1, 2);
  guint played = 0;
  kit_begin (kit, NULL);
  put_everything (kit);
  kit_finish (kit, 10 * SECOND);
  assert_true (play (kit->path));
  find_files (kit->path, files);
  assert_true (files->len >= 8);
  for (guint i = 0; i < ROUNDS; i++)
    {
      const char *path = g_ptr_array_index (files, i % files->len);
      g_autofree char *good = NULL, *bad = NULL;
      gsize good_size, size;
      assert_true (g_file_get_contents (path, &good, &good_size, NULL));
      size = good_size;
      bad = g_memdup2 (good, good_size + 1);
      damage (rand, bad, &size);
      put_contents (path, bad, size);
      played += play (kit->path);
      put_contents (path, good, good_size);
    }
  /* Only the manifest is needed to make any sense of the rest. */
  assert_true (played > ROUNDS / 2);
}

int
main (void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test (test_damaged) };
  return cmocka_run_group_tests_name ("hostile", tests, NULL, NULL);
}
