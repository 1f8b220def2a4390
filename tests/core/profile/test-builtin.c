/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The built-in profiles: each is there in four variants and plans without a fault. */
#include "config.h"
#include "wpr-profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static const char *const names[] = {
  "GeneralProfile", "CPU",           "DiskIO",  "FileIO",
  "Memory",         "ResidentSet",   "Pool",    "VirtualAllocation",
  "Network",        "Power",         "GPU",     "Handle",
  "SystemCall",     "Audio",         "Video",   "DesktopComposition",
  "Virtualization", "RemoteDesktop", "Drivers",
};

static void
test_library_has_no_faults (void **state)
{
  g_autoptr (WprLibrary) library = wpr_library_new ();
  assert_int_equal (wpr_library_get_faults (library)->len, 0);
}

static void
test_every_profile_has_four_variants_and_a_title (void **state)
{
  g_autoptr (WprLibrary) library = wpr_library_new ();
  assert_int_equal (G_N_ELEMENTS (names), 19);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      const WprProfile *profile = wpr_library_find (library, names[i], NULL, NULL);
      assert_non_null (profile);
      assert_null (profile->source);
      assert_false (profile->internal);
      for (gsize level = 0; level < 2; level++)
        for (gsize mode = 0; mode < 2; mode++)
          assert_true (profile->has[level][mode]);
      assert_string_not_equal (profile->title, profile->name);
      assert_string_not_equal (profile->symptom, "");
      assert_string_not_equal (profile->category, "");
    }
  const WprProfile *first = wpr_library_get_default (library, NULL, NULL);
  assert_string_equal (first->name, "GeneralProfile");
}

static gboolean
has_item (const WprPlan *plan, const char *name, WprStack stack)
{
  const WprPlanCollector *collector = g_ptr_array_index (plan->collectors, 0);
  for (guint i = 0; i < collector->items->len; i++)
    {
      const WprPlanItem *item = g_ptr_array_index (collector->items, i);
      if (g_str_equal (item->name, name))
        return item->stack == stack;
    }
  return FALSE;
}

static void
test_every_variant_plans (void **state)
{
  g_autoptr (WprLibrary) library = wpr_library_new ();
  g_autoptr (WprMachine) machine
      = wpr_machine_new (2, 8 * (guint64)1024 * 1024 * 1024, WPR_RIGHTS_FULL);
  for (gsize i = 0; i < G_N_ELEMENTS (names) * 4; i++)
    {
      g_autoptr (WprChoice) choice = wpr_choice_new ();
      choice->mode = i % 2 ? WPR_MODE_FILE : WPR_MODE_MEMORY;
      WprLevel level = i / 2 % 2 ? WPR_LEVEL_LIGHT : WPR_LEVEL_VERBOSE;
      wpr_choice_add (choice, names[i / 4], NULL, level);
      g_autoptr (GError) error = NULL;
      g_autoptr (WprPlan) plan = wpr_plan_new (library, choice, machine, &error);
      assert_null (error);
      assert_non_null (plan);
      assert_int_equal (plan->mode, choice->mode);
      assert_int_equal (plan->level, level);
      assert_int_equal (plan->notices->len, 0);
      assert_true (has_item (plan, "sideband", WPR_STACK_NONE));
      assert_true (has_item (plan, "sched:sched_process_exec", WPR_STACK_NONE)
                   || has_item (plan, "sched:sched_process_exec", WPR_STACK_FULL));
      assert_true (has_item (plan, "power:suspend_resume", WPR_STACK_NONE)
                   || has_item (plan, "power:suspend_resume", WPR_STACK_KERNEL));
    }
}

static void
test_cpu_profile_records_what_it_says (void **state)
{
  g_autoptr (WprLibrary) library = wpr_library_new ();
  g_autoptr (WprMachine) machine
      = wpr_machine_new (2, 8 * (guint64)1024 * 1024 * 1024, WPR_RIGHTS_FULL);
  g_autoptr (WprChoice) verbose = wpr_choice_new ();
  wpr_choice_add (verbose, "cpu", NULL, -1);
  g_autoptr (WprPlan) plan = wpr_plan_new (library, verbose, machine, NULL);
  assert_true (has_item (plan, "cpu-clock", WPR_STACK_FULL));
  assert_true (has_item (plan, "sched:sched_switch", WPR_STACK_KERNEL));
  assert_true (has_item (plan, "sched:sched_waking", WPR_STACK_KERNEL));
  assert_true (has_item (plan, "irq:irq_handler_entry", WPR_STACK_NONE));

  g_autoptr (WprChoice) light = wpr_choice_new ();
  wpr_choice_add (light, "CPU.Light", NULL, -1);
  g_autoptr (WprPlan) without = wpr_plan_new (library, light, machine, NULL);
  assert_int_equal (without->level, WPR_LEVEL_LIGHT);
  assert_true (has_item (without, "cpu-clock", WPR_STACK_NONE));
  assert_true (has_item (without, "sched:sched_switch", WPR_STACK_NONE));
  assert_int_equal (without->n_kinds, plan->n_kinds);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_library_has_no_faults),
    cmocka_unit_test (test_every_profile_has_four_variants_and_a_title),
    cmocka_unit_test (test_every_variant_plans),
    cmocka_unit_test (test_cpu_profile_records_what_it_says),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
