/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What each step of the ladder leaves of a plan, for every built-in profile, and what is said. */
#include "config.h"
#include "helpers.h"

static WprMachine *
machine_with (WprRights rights)
{
  WprMachine *machine = wpr_machine_new (2, 8 * GIB, rights);
  wpr_machine_set_rights_text (machine, "Ask Ms Example.");
  wpr_machine_set_own_threads (machine, 100);
  return machine;
}

/* ---- each built-in profile ---- */

/* What is left beside the sideband where there are no tracepoints, of own programs and of all
 * alike, in the order recorded. */
static const struct
{
  const char *profile;
  const char *left; /* "": nothing, and the plan says that it needs rights */
} rows[] = {
  { "GeneralProfile", "cpu-clock switches major-faults meminfo vmstat psi rss" },
  { "CPU", "cpu-clock switches" },
  { "DiskIO", "major-faults switches meminfo vmstat psi" },
  { "FileIO", "major-faults" },
  { "Memory", "meminfo vmstat psi rss major-faults" },
  { "ResidentSet", "meminfo vmstat psi rss major-faults minor-faults" },
  { "VirtualAllocation", "meminfo vmstat psi rss" },
  { "Pool", "meminfo vmstat psi rss" },
  { "Network", "switches" },
  { "Power", "switches cpu-clock" },
  { "GPU", "cpu-clock switches" },
  { "Handle", "" },
  { "SystemCall", "switches" },
  { "DesktopComposition", "cpu-clock switches" },
  { "Audio", "cpu-clock switches" },
  { "Video", "cpu-clock switches" },
  { "RemoteDesktop", "cpu-clock switches major-faults meminfo vmstat psi rss" },
  { "Virtualization", "cpu-clock switches" },
  { "Drivers", "cpu-clock switches" },
};

static char *
list_left (const WprPlan *plan)
{
  GString *left = g_string_new (NULL);
  for (guint i = 0; i < plan->collectors->len; i++)
    {
      const WprPlanCollector *collector = g_ptr_array_index (plan->collectors, i);
      for (guint j = 0; j < collector->items->len; j++)
        {
          const WprPlanItem *item = g_ptr_array_index (collector->items, j);
          if (item->kind != WPR_ITEM_SIDEBAND)
            g_string_append_printf (left, "%s%s", left->len > 0 ? " " : "", item->name);
        }
    }
  return g_string_free (left, FALSE);
}

static void
check_row (WprLibrary *library, const char *profile, WprRights rights, const char *wanted)
{
  g_autoptr (WprMachine) machine = machine_with (rights);
  g_autoptr (WprPlan) plan = plan_one (library, profile, NULL, WPR_MODE_FILE, machine);
  g_autofree char *left = list_left (plan);
  if (strcmp (left, wanted) != 0)
    fail_msg ("%s with %s: \"%s\", not \"%s\"", profile, wpr_rights_name (rights), left, wanted);
  assert_int_equal (plan->needs_rights, *wanted == '\0');
  assert_int_equal (plan->rights, rights);
}

static void
test_each_built_in_profile_keeps_what_its_row_says (void **state)
{
  g_autoptr (WprLibrary) library = wpr_library_new ();
  guint n = 0;
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    for (WprRights rights = WPR_RIGHTS_OWN; rights < WPR_RIGHTS_FULL; rights++)
      check_row (library, rows[i].profile, rights, rows[i].left);
  for (guint i = 0; i < wpr_library_get_n_profiles (library); i++)
    n += !wpr_library_get_profile (library, i)->internal;
  assert_int_equal (n, G_N_ELEMENTS (rows)); /* every profile has its row */
}

/* Nothing vanishes: what full rights would record is recorded, told by something else, or missing
 * with a sentence. */
static void
check_complete (const WprPlan *full, const WprPlan *less)
{
  static const char *const told[] = { "sched:sched_switch", "sched:sched_process_exec",
                                      "sched:sched_process_exit", "sched:sched_process_fork" };
  for (guint i = 0; i < full->collectors->len; i++)
    {
      const WprPlanCollector *collector = g_ptr_array_index (full->collectors, i);
      for (guint j = 0; j < collector->items->len; j++)
        {
          const WprPlanItem *item = g_ptr_array_index (collector->items, j);
          const WprPlanMissing *missing = get_missing (less, item->name);
          gboolean is_told = FALSE;
          for (gsize k = 0; k < G_N_ELEMENTS (told); k++)
            is_told |= g_str_equal (told[k], item->name);
          if (item->kind != WPR_ITEM_TRACEPOINT)
            assert_non_null (get_item (less, item->name));
          else if (is_told)
            assert_null (missing);
          else
            {
              assert_non_null (missing);
              assert_int_equal (missing->reason, WPR_MISSING_NEEDS_RIGHTS);
              assert_string_not_equal (missing->text, "");
            }
        }
    }
}

static void
test_nothing_vanishes_without_a_word (void **state)
{
  g_autoptr (WprLibrary) library = wpr_library_new ();
  g_autoptr (WprMachine) all = machine_with (WPR_RIGHTS_FULL);
  for (WprRights rights = WPR_RIGHTS_OWN; rights < WPR_RIGHTS_FULL; rights++)
    {
      g_autoptr (WprMachine) machine = machine_with (rights);
      for (guint i = 0; i < wpr_library_get_n_profiles (library); i++)
        {
          const WprProfile *profile = wpr_library_get_profile (library, i);
          if (profile->internal)
            continue;
          g_autoptr (WprPlan) full = plan_one (library, profile->name, NULL, WPR_MODE_FILE, all);
          g_autoptr (WprPlan) less
              = plan_one (library, profile->name, NULL, WPR_MODE_FILE, machine);
          check_complete (full, less);
        }
    }
}

/* ---- what is said ---- */

static void
test_the_sentences_say_what_it_costs_and_what_helps (void **state)
{
  g_autoptr (WprLibrary) library = wpr_library_new ();
  g_autoptr (WprMachine) machine = machine_with (WPR_RIGHTS_OWN);
  g_autoptr (WprPlan) own = plan_one (library, "CPU", NULL, WPR_MODE_FILE, machine);
  /* Samples, which tell the switches too, and the sideband: two a thread and CPU. */
  assert_int_equal (own->open_files, 2 * 2 * 100);
  assert_non_null (strstr (own->rights_text, "not what they do inside the kernel"));
  assert_non_null (strstr (own->rights_text, "400 open files of at most 4096"));
  assert_null (strstr (own->rights_text, "Ask Ms Example."));
  assert_string_equal (own->rights_help, "Ask Ms Example.");

  wpr_machine_set_sees_kernel (machine, TRUE);
  wpr_machine_set_own_threads (machine, 2000);
  g_autoptr (WprPlan) many = plan_one (library, "CPU", NULL, WPR_MODE_FILE, machine);
  assert_null (strstr (many->rights_text, "not what they do inside the kernel"));
  assert_non_null (strstr (many->rights_text, "only the largest programs"));

  g_autoptr (WprMachine) system = machine_with (WPR_RIGHTS_SYSTEM);
  g_autoptr (WprPlan) all = plan_one (library, "CPU", NULL, WPR_MODE_FILE, system);
  assert_non_null (strstr (all->rights_text, "All programs and the kernel"));
  assert_int_equal (all->open_files, 0);

  g_autoptr (WprMachine) full = machine_with (WPR_RIGHTS_FULL);
  wpr_machine_set_rights_text (full, "");
  g_autoptr (WprPlan) none = plan_one (library, "CPU", NULL, WPR_MODE_FILE, full);
  assert_string_equal (none->rights_text, "");
  assert_string_equal (none->rights_help, "");
}

static void
test_text_and_json_carry_the_step (void **state)
{
  g_autoptr (WprLibrary) library = wpr_library_new ();
  g_autoptr (WprMachine) machine = machine_with (WPR_RIGHTS_OWN);
  g_autoptr (WprPlan) plan = plan_one (library, "CPU", NULL, WPR_MODE_FILE, machine);
  g_autofree char *text = wpr_plan_to_text (plan);
  g_autofree char *json = wpr_plan_to_json (plan);
  assert_non_null (strstr (text, plan->rights_text));
  assert_non_null (strstr (text, plan->rights_help));
  assert_non_null (strstr (json, "\"rights\":\"own\",\"unlock\":false,"));
  assert_non_null (strstr (json, "\"open_files\":400,"));
  assert_non_null (strstr (json, "\"kind\":\"switches\""));
}

static guint
count_notices (const WprPlan *plan, const char *text)
{
  guint n = 0;
  for (guint i = 0; i < plan->notices->len; i++)
    n += strstr (g_ptr_array_index (plan->notices, i), text) != NULL;
  return n;
}

static void
test_a_profile_of_which_nothing_is_left_says_so (void **state)
{
  g_autoptr (WprLibrary) library = wpr_library_new ();
  g_autoptr (WprMachine) machine = machine_with (WPR_RIGHTS_OWN);
  add_text (library, FILE_HEAD
            "<SystemCollector Id=\"C\" Name=\"NT Kernel Logger\"><BufferSize Value=\"64\"/>"
            "<Buffers Value=\"16\"/></SystemCollector>"
            "<SystemProvider Id=\"S\"><Keywords><Keyword Value=\"Interrupt\"/></Keywords>"
            "</SystemProvider>" PROFILE (
                "Int", "Verbose", "File",
                "") "<Collectors><SystemCollectorId Value=\"C\"><SystemProviderId Value=\"S\"/>"
                    "</SystemCollectorId></Collectors></Profile>" FILE_TAIL);
  g_autoptr (WprChoice) both = wpr_choice_new ();
  both->mode = WPR_MODE_FILE;
  wpr_choice_add (both, "Int", "test.wprp", -1);
  g_autoptr (WprPlan) alone = wpr_plan_new (library, both, machine, NULL);
  assert_true (alone->needs_rights);
  assert_int_equal (count_notices (alone, "Nothing of what “Int” is for"), 1);
  wpr_choice_add (both, "CPU", NULL, -1);
  g_autoptr (WprPlan) together = wpr_plan_new (library, both, machine, NULL);
  assert_false (together->needs_rights);
  assert_int_equal (count_notices (together, "Nothing of what “Int” is for"), 1);
  assert_int_equal (count_notices (together, "Nothing of what"), 1);
}

/* A plan for other rights is another plan. */
static void
test_digests_differ (void **state)
{
  g_autoptr (WprLibrary) library = wpr_library_new ();
  g_autoptr (GHashTable) digests = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (WprRights rights = WPR_RIGHTS_NONE; rights <= WPR_RIGHTS_FULL; rights++)
    {
      g_autoptr (WprMachine) machine = machine_with (rights);
      g_autoptr (WprPlan) plan = plan_one (library, "CPU", NULL, WPR_MODE_FILE, machine);
      assert_true (g_hash_table_add (digests, g_strdup (plan->digest)));
    }
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_each_built_in_profile_keeps_what_its_row_says),
    cmocka_unit_test (test_nothing_vanishes_without_a_word),
    cmocka_unit_test (test_the_sentences_say_what_it_costs_and_what_helps),
    cmocka_unit_test (test_text_and_json_carry_the_step),
    cmocka_unit_test (test_a_profile_of_which_nothing_is_left_says_so),
    cmocka_unit_test (test_digests_differ),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
