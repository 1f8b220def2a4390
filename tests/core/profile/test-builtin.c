/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The built-in profiles: each is there in four variants and plans without a fault. */
#include "config.h"
#include "helpers.h"
#include "profile/builtin.h"
#include "profile/document.h"
#include "profile/symptoms.h"

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

/* Place of a child among those its parent may have; the format wants them in this order. */
static guint
schema_place (const WprNode *parent, const WprNode *child)
{
  guint place = 0;
  if (wpr_schema_child (parent->element, child->element->name, &place) == NULL)
    fail_msg ("%s in %s", child->element->name, parent->element->name);
  return place;
}

static void
assert_schema_order (const WprNode *node)
{
  guint last = 0;
  for (guint i = 0; i < wpr_node_n_children (node); i++)
    {
      const WprNode *child = wpr_node_child (node, i);
      guint place = schema_place (node, child);
      if (place < last)
        fail_msg ("%s:%u: %s stands too late", node->document->file, child->line,
                  child->element->name);
      last = place;
      assert_schema_order (child);
    }
}

static void
test_every_file_keeps_the_order_of_the_format (void **state)
{
  guint n_files = 0;
  for (const char *const *name = wpr_builtin_profiles (); *name != NULL; name++, n_files++)
    {
      g_autoptr (GBytes) bytes = wpr_builtin_get (*name);
      g_autoptr (WprDocument) document = wpr_document_new (bytes, *name);
      assert_int_equal (document->faults->len, 0);
      assert_schema_order (document->root);
    }
  assert_int_equal (n_files, 20); /* BaseProfile, too */
}

static void
test_titles_in_files_are_those_that_are_translated (void **state)
{
  for (const char *const *name = wpr_builtin_profiles (); *name != NULL; name++)
    {
      g_autoptr (GBytes) bytes = wpr_builtin_get (*name);
      g_autoptr (WprDocument) document = wpr_document_new (bytes, *name);
      const WprNode *profile
          = wpr_node_find (wpr_node_find (document->root, "Profiles"), "Profile");
      const WprSymptomRow *row = wpr_symptom_find (wpr_node_get (profile, "Name"));
      if (row != NULL)
        assert_string_equal (row->title, wpr_node_get (profile, "Description"));
      else
        assert_string_equal (*name, "BaseProfile.wprp");
    }
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
    cmocka_unit_test (test_every_file_keeps_the_order_of_the_format),
    cmocka_unit_test (test_titles_in_files_are_those_that_are_translated),
    cmocka_unit_test (test_every_variant_plans),
    cmocka_unit_test (test_cpu_profile_records_what_it_says),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
