/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The world against a naive replay of random histories: told in any order, with forgetting, with
 * too many dead, begun in the middle from a /proc, and through a checkpoint. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <unistd.h>

#include "base/files.h"
#include "model.h"

/* Of one history, at random times and at each end. */
static void
check_some (GRand *rand, Model *model, const GArray *steps, const WprWorld *world, gint64 from,
            gint64 known_from, guint n)
{
  gint64 last = g_array_index (steps, Step, steps->len - 1).time;
  for (guint i = 0; i < n; i++)
    {
      gint64 when = from + (gint64)(g_rand_double (rand) * (double)(last - from));
      if (i == 0)
        when = from;
      if (i == 1)
        when = last;
      model_replay (model, steps, when);
      model_check (model, world, when, known_from);
    }
}

static void
shuffle (GRand *rand, GArray *steps, guint from, guint window)
{
  for (guint i = from; i + 1 < steps->len; i++)
    {
      guint end = MIN (steps->len, i + window);
      guint j = (guint)g_rand_int_range (rand, (gint32)i, (gint32)end);
      Step kept = g_array_index (steps, Step, i);
      g_array_index (steps, Step, i) = g_array_index (steps, Step, j);
      g_array_index (steps, Step, j) = kept;
    }
}

static void
any_order_of_telling_gives_the_same_answers (void **state)
{
  for (guint32 seed = 1; seed <= 30; seed++)
    {
      g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
      Model model = { .programs = NULL };
      g_autoptr (GArray) steps = model_history (rand, 400);
      g_autoptr (GArray) told = g_array_copy (steps);
      g_autoptr (WprWorld) world = wpr_world_new (WPR_WORLD_MAX_DEAD);
      shuffle (rand, told, 0, seed % 2 == 0 ? told->len : 8);
      for (guint i = 0; i < told->len; i++)
        {
          model_feed (world, &g_array_index (told, Step, i));
          if (g_rand_int_range (rand, 0, 10) == 0) /* asked in between: what it says is not kept */
            wpr_world_process (world, (guint32)g_rand_int_range (rand, 1, MODEL_NUMBERS),
                               (gint64)i * MODEL_STEP_NS);
        }
      check_some (rand, &model, steps, world, MODEL_STEP_NS, 0, 40);
      assert_int_equal (wpr_world_n_forgotten (world), 0);
      g_array_unref (model.programs);
    }
}

static void
forgetting_changes_nothing_that_is_still_held (void **state)
{
  for (guint32 seed = 1; seed <= 30; seed++)
    {
      g_autoptr (GRand) rand = g_rand_new_with_seed (seed + 1000);
      Model model = { .programs = NULL };
      g_autoptr (GArray) steps = model_history (rand, 600);
      g_autoptr (GArray) told = g_array_copy (steps);
      g_autoptr (WprWorld) world = wpr_world_new (WPR_WORLD_MAX_DEAD);
      gint64 oldest = 0;
      shuffle (rand, told, 0, 5);
      for (guint i = 0; i < told->len; i++)
        {
          model_feed (world, &g_array_index (told, Step, i));
          if (g_rand_int_range (rand, 0, 40) != 0)
            continue;
          /* Everything up to here has been told: a step moves back by 4 at most, but forward as far
           * as luck goes. */
          gint64 complete = G_MAXINT64;
          for (guint k = i + 1; k < told->len; k++)
            complete = MIN (complete, g_array_index (told, Step, k).time);
          if (complete == G_MAXINT64)
            continue;
          gint64 before = complete - g_rand_int_range (rand, 1, 60) * MODEL_STEP_NS;
          oldest = MAX (oldest, before);
          wpr_world_forget (world, oldest);
        }
      check_some (rand, &model, steps, world, MAX (oldest, MODEL_STEP_NS), 0, 40);
      g_autoptr (GPtrArray) all = wpr_world_list_processes (world);
      for (guint i = 0; i < all->len; i++)
        assert_true (((const WprProcess *)g_ptr_array_index (all, i))->end >= oldest);
      g_array_unref (model.programs);
    }
}

static guint
count_dead (const WprWorld *world, guint *n_alive)
{
  guint dead = 0;
  g_autoptr (GPtrArray) all = wpr_world_list_processes (world);
  for (guint i = 0; i < all->len; i++)
    dead += ((const WprProcess *)g_ptr_array_index (all, i))->end != WPR_WORLD_ALIVE;
  *n_alive = all->len - dead;
  return dead;
}

static void
too_many_dead_push_out_the_oldest (void **state)
{
  for (guint32 seed = 1; seed <= 30; seed++)
    {
      g_autoptr (GRand) rand = g_rand_new_with_seed (seed + 2000);
      Model model = { .programs = NULL };
      g_autoptr (GArray) steps = model_history (rand, 1500);
      g_autoptr (WprWorld) world = wpr_world_new (16);
      g_autoptr (WprWorld) full = wpr_world_new (WPR_WORLD_MAX_DEAD);
      for (guint i = 0; i < steps->len; i++)
        {
          model_feed (world, &g_array_index (steps, Step, i));
          model_feed (full, &g_array_index (steps, Step, i));
        }
      guint n_alive, n_alive_full;
      guint dead = count_dead (world, &n_alive), dead_full = count_dead (full, &n_alive_full);
      assert_true (dead <= 16);
      assert_true (dead >= 8);
      assert_int_equal (n_alive, n_alive_full);
      assert_int_equal (dead + wpr_world_n_forgotten (world), dead_full);
      gint64 last = g_array_index (steps, Step, steps->len - 1).time;
      model_replay (&model, steps, last);
      model_check (&model, world, last, 0);
      g_array_unref (model.programs);
    }
}

static void
remove_folder (const char *folder)
{
  g_autofree char *parent = g_path_get_dirname (folder);
  g_autofree char *name = g_path_get_basename (folder);
  int fd = open (parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  assert_true (wpr_remove_tree_at (fd, name, NULL));
  close (fd);
}

static void
what_proc_shows_and_records_tell_add_up (void **state)
{
  for (guint32 seed = 1; seed <= 30; seed++)
    {
      g_autoptr (GRand) rand = g_rand_new_with_seed (seed + 3000);
      Model model = { .programs = NULL };
      g_autofree char *folder = g_dir_make_tmp ("wpr-proc-XXXXXX", NULL);
      g_autoptr (GArray) steps = model_history (rand, 500);
      g_autoptr (WprWorld) world = wpr_world_new (WPR_WORLD_MAX_DEAD);
      /* Records are told from step 200 on; /proc is read at step 240; those between come after. */
      gint64 read_at = g_array_index (steps, Step, 240).time + MODEL_STEP_NS / 2;
      model_replay (&model, steps, read_at);
      model_write_proc (&model, folder);
      g_autoptr (GArray) told = g_array_copy (steps);
      g_array_remove_range (told, 0, 200);
      shuffle (rand, told, 0, 6);
      guint early = (guint)g_rand_int_range (rand, 0, 20);
      for (guint i = 0; i < early; i++)
        model_feed (world, &g_array_index (told, Step, i));
      wpr_world_read_proc (world, folder, read_at, NULL);
      for (guint i = early; i < told->len; i++)
        model_feed (world, &g_array_index (told, Step, i));
      check_some (rand, &model, steps, world, read_at + MODEL_STEP_NS / 4, read_at, 30);
      /* Nobody is there twice: as many as the naive answer has. */
      guint n_alive, expected = 0;
      count_dead (world, &n_alive);
      model_replay (&model, steps, G_MAXINT64);
      for (guint pid = 1; pid < MODEL_NUMBERS; pid++)
        expected += model.processes[pid].alive;
      assert_int_equal (n_alive, expected);
      g_array_unref (model.programs);
      remove_folder (folder);
    }
}

static void
a_checkpoint_says_what_the_world_said (void **state)
{
  for (guint32 seed = 1; seed <= 20; seed++)
    {
      g_autoptr (GRand) rand = g_rand_new_with_seed (seed + 4000);
      Model model = { .programs = NULL };
      g_autoptr (GArray) steps = model_history (rand, 500);
      g_autoptr (WprWorld) first = wpr_world_new (WPR_WORLD_MAX_DEAD);
      g_autoptr (WprWorld) second = wpr_world_new (WPR_WORLD_MAX_DEAD);
      for (guint i = 0; i < 250; i++)
        model_feed (first, &g_array_index (steps, Step, i));
      gint64 from = MODEL_STEP_NS;
      if (seed % 2 == 0)
        wpr_world_forget (first, from = g_array_index (steps, Step, 200).time);
      g_autoptr (GBytes) bytes = wpr_world_save (first);
      assert_true (wpr_world_load (second, bytes, NULL));
      g_autoptr (GBytes) again = wpr_world_save (second);
      assert_true (g_bytes_equal (bytes, again));
      for (guint i = 250; i < steps->len; i++)
        model_feed (second, &g_array_index (steps, Step, i));
      check_some (rand, &model, steps, second, from, 0, 40);
      g_array_unref (model.programs);
    }
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (any_order_of_telling_gives_the_same_answers),
    cmocka_unit_test (forgetting_changes_nothing_that_is_still_held),
    cmocka_unit_test (too_many_dead_push_out_the_oldest),
    cmocka_unit_test (what_proc_shows_and_records_tell_add_up),
    cmocka_unit_test (a_checkpoint_says_what_the_world_said),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
