/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What keeps the world bounded: a million programs, a million threads, a long chain of forks; and
 * checkpoints that were cut or made up. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <malloc.h>
#include <string.h>

#include "base/wpr-error.h"
#include "records.h"

#define SHELL 100
#define FIRST_PID 1000
#define LAST_PID 32768

/* One program started from the shell, run and over: what a build does all day. */
static void
run_program (WprWorld *world, guint n)
{
  guint32 pid = FIRST_PID + n % (LAST_PID - FIRST_PID);
  gint64 time = 1000 + (gint64)n * 100;
  char comm[16];
  g_snprintf (comm, sizeof comm, "cc%u", n % 50);
  feed_fork (world, time, SHELL, SHELL, pid, pid);
  feed_comm (world, time + 1, pid, pid, comm, TRUE);
  feed_mmap (world, time + 2, pid, pid, 0x1000, 0x1000, "/usr/bin/cc");
  feed_mmap (world, time + 3, pid, pid, 0x8000, 0x1000, "/lib/ld.so");
  feed_mmap (world, time + 4, pid, pid, 0x9000, 0x1000, "/lib/libc.so");
  feed_exit (world, time + 5, pid, pid);
}

static void
a_million_programs_stay_bounded (void **state)
{
  g_autoptr (WprWorld) world = wpr_world_new (4096);
  feed_fork (world, 1, 1, 1, SHELL, SHELL);
  feed_comm (world, 2, SHELL, SHELL, "sh", TRUE);
  feed_mmap (world, 3, SHELL, SHELL, 0x1000, 0x1000, "/bin/sh");
  for (guint n = 0; n < 100000; n++)
    run_program (world, n);
  gsize early = mallinfo2 ().uordblks;
  for (guint n = 100000; n < 1000000; n++)
    run_program (world, n);
  gsize late = mallinfo2 ().uordblks;
  assert_true (late < early + early / 2 + 65536);
  g_autoptr (GPtrArray) all = wpr_world_list_processes (world);
  assert_true (all->len <= 4096 + 2);
  assert_int_equal (all->len + wpr_world_n_forgotten (world), 1000000 + 1);
  g_autoptr (GPtrArray) threads = wpr_world_list_threads (world);
  assert_int_equal (threads->len, all->len);
  const WprProcess *last = g_ptr_array_index (all, all->len - 1);
  assert_int_equal (last->start, 1000 + 999999 * 100);
  assert_int_equal (last->mappings->len, 4); /* the shell's, until the exec */
  assert_string_equal (g_array_index (last->programs, WprProgram, 1).exe, "/usr/bin/cc");
  assert_string_equal (wpr_world_thread_name (world, SHELL, 5000), "sh");
}

static void
a_million_threads_of_one_process_stay_bounded (void **state)
{
  g_autoptr (WprWorld) world = wpr_world_new (4096);
  gsize early = 0;
  feed_fork (world, 1, 1, 1, SHELL, SHELL);
  feed_comm (world, 2, SHELL, SHELL, "server", TRUE);
  for (guint n = 0; n < 1000000; n++)
    {
      guint32 tid = FIRST_PID + n % (LAST_PID - FIRST_PID);
      gint64 time = 1000 + (gint64)n * 100;
      feed_fork (world, time, SHELL, SHELL, SHELL, tid);
      feed_comm (world, time + 1, SHELL, tid, "worker", FALSE);
      feed_exit (world, time + 2, SHELL, tid);
      if (n == 100000)
        early = mallinfo2 ().uordblks;
    }
  assert_true (mallinfo2 ().uordblks < early * 2 + 65536);
  g_autoptr (GPtrArray) threads = wpr_world_list_threads (world);
  assert_true (threads->len <= 4096 + 2);
  gint64 end = 1000 + G_GINT64_CONSTANT (999999) * 100;
  assert_string_equal (
      wpr_world_thread_name (world, FIRST_PID + 999999 % (LAST_PID - FIRST_PID), end + 1),
      "worker");
  assert_int_equal (wpr_world_process (world, SHELL, end)->end, WPR_WORLD_ALIVE);
}

static void
a_chain_of_forks_as_long_as_the_world_is_followed (void **state)
{
  enum
  {
    LENGTH = 60000
  };
  g_autoptr (WprWorld) world = wpr_world_new (WPR_WORLD_MAX_DEAD);
  feed_fork (world, 1, 1, 1, 10, 10);
  feed_comm (world, 2, 10, 10, "first", TRUE);
  feed_mmap (world, 3, 10, 10, 0x1000, 0x1000, "/bin/first");
  for (guint32 n = 1; n < LENGTH; n++)
    {
      feed_fork (world, 10 * n, 9 + n, 9 + n, 10 + n, 10 + n);
      feed_exit (world, 10 * n + 5, 9 + n, 9 + n);
    }
  const WprProcess *last = wpr_world_process (world, 9 + LENGTH, G_MAXINT64 - 1);
  assert_non_null (last);
  assert_string_equal (g_array_index (last->programs, WprProgram, 0).exe, "/bin/first");
  assert_int_equal (last->mappings->len, 1);
  wpr_world_forget (world, 10 * LENGTH);
  last = wpr_world_process (world, 9 + LENGTH, G_MAXINT64 - 1);
  assert_string_equal (g_array_index (last->programs, WprProgram, 0).comm, "first");
  g_autoptr (GPtrArray) all = wpr_world_list_processes (world);
  assert_int_equal (all->len, 1);
}

/* ---- checkpoints ---- */

static GBytes *
sample_checkpoint (void)
{
  g_autoptr (WprWorld) world = wpr_world_new (100);
  for (guint n = 0; n < 5; n++)
    run_program (world, n);
  feed_fork (world, 5000, SHELL, SHELL, 200, 200);
  feed_fork (world, 5001, 200, 200, 200, 201);
  return wpr_world_save (world);
}

static guint
count_processes (const WprWorld *world)
{
  g_autoptr (GPtrArray) all = wpr_world_list_processes (world);
  return all->len;
}

static void
a_cut_checkpoint_is_refused_and_changes_nothing (void **state)
{
  g_autoptr (GBytes) whole = sample_checkpoint ();
  g_autoptr (WprWorld) world = wpr_world_new (100);
  feed_fork (world, 1, 1, 1, 5, 5);
  for (gsize size = 0; size < g_bytes_get_size (whole); size++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GBytes) cut = g_bytes_new_from_bytes (whole, 0, size);
      assert_false (wpr_world_load (world, cut, &error));
      assert_true (g_error_matches (error, WPR_ERROR, WPR_ERROR_DAMAGED));
      assert_int_equal (count_processes (world), 1);
    }
  assert_true (wpr_world_load (world, whole, NULL));
  assert_int_equal (count_processes (world), 1 + 6);
}

/* Head: 8 magic, 4 version, 4 size of digest, 8 size, 32 digest. */
#define HEAD_SIZE 56

/* A digest can be made by anybody: with the right one, the contents must be looked at all the
 * same. */
static void
a_made_up_checkpoint_does_no_harm (void **state)
{
  g_autoptr (GBytes) whole = sample_checkpoint ();
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  gsize size;
  const guint8 *data = g_bytes_get_data (whole, &size);
  for (guint round = 0; round < 20000; round++)
    {
      g_autofree guint8 *copy = g_memdup2 (data, size);
      gsize length = 32;
      for (guint i = 0; i < 1 + round % 3; i++)
        copy[g_rand_int_range (rand, HEAD_SIZE, (gint32)size)] = (guint8)g_rand_int (rand);
      g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
      g_checksum_update (checksum, copy + HEAD_SIZE, (gssize)(size - HEAD_SIZE));
      g_checksum_get_digest (checksum, copy + HEAD_SIZE - 32, &length);
      g_autoptr (GBytes) bytes = g_bytes_new (copy, size);
      g_autoptr (WprWorld) world = wpr_world_new (3);
      if (wpr_world_load (world, bytes, NULL))
        {
          g_autoptr (GPtrArray) all = wpr_world_list_threads (world);
          wpr_world_forget (world, 400);
        }
    }
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (a_million_programs_stay_bounded),
    cmocka_unit_test (a_million_threads_of_one_process_stay_bounded),
    cmocka_unit_test (a_chain_of_forks_as_long_as_the_world_is_followed),
    cmocka_unit_test (a_cut_checkpoint_is_refused_and_changes_nothing),
    cmocka_unit_test (a_made_up_checkpoint_does_no_harm),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
