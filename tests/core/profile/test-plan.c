/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Planning on machines that were made up: what is recorded, what is missing and why, who asked. */
#include "config.h"
#include "helpers.h"
#include "profile/machine.h"

#define FULL_MACHINE(n) wpr_machine_new (n, 8 * GIB, WPR_RIGHTS_FULL)

static gboolean
texts_equal (const GPtrArray *texts, const char *const *wanted)
{
  guint i = 0;
  for (; i < texts->len && wanted[i] != NULL; i++)
    if (!g_str_equal (g_ptr_array_index (texts, i), wanted[i]))
      return FALSE;
  return i == texts->len && wanted[i] == NULL;
}

static void
test_two_profiles_are_united_and_both_named (void **state)
{
  g_autoptr (WprLibrary) library = wpr_library_new ();
  g_autoptr (WprMachine) machine = FULL_MACHINE (2);
  g_autoptr (WprChoice) choice = wpr_choice_new ();
  wpr_choice_add (choice, "CPU", NULL, WPR_LEVEL_LIGHT);
  wpr_choice_add (choice, "Network", NULL, -1);
  g_autoptr (WprPlan) plan = wpr_plan_new (library, choice, machine, NULL);
  assert_int_equal (plan->collectors->len, 1);
  assert_int_equal (plan->level, WPR_LEVEL_VERBOSE);
  assert_true (texts_equal (
      plan->profiles, (const char *const[]){ "CPU.Light.Memory", "Network.Verbose.Memory", NULL }));
  assert_true (texts_equal (plan->titles,
                            (const char *const[]){ "CPU usage", "Networking I/O activity", NULL }));
  const WprPlanItem *item = get_item (plan, "sched:sched_switch");
  assert_int_equal (item->stack, WPR_STACK_KERNEL); /* Network is verbose */
  assert_true (texts_equal (item->profiles, (const char *const[]){ "CPU", "Network", NULL }));
  assert_true (texts_equal (item->keywords, (const char *const[]){ "CSwitch", NULL }));
  assert_true (
      texts_equal (item->asked_by, (const char *const[]){ "CPU: keyword CSwitch",
                                                          "Network: keyword CSwitch", NULL }));
  assert_int_equal (get_item (plan, "cpu-clock")->stack, WPR_STACK_NONE);
}

static void
test_choosing_a_profile_twice_is_once (void **state)
{
  g_autoptr (WprLibrary) library = wpr_library_new ();
  g_autoptr (WprMachine) machine = FULL_MACHINE (2);
  g_autoptr (WprChoice) choice = wpr_choice_new ();
  wpr_choice_add (choice, "CPU.light", NULL, -1);
  wpr_choice_add (choice, "cpu.VERBOSE", NULL, -1);
  wpr_choice_add (choice, "CPU.Light", NULL, -1);
  g_autoptr (WprPlan) plan = wpr_plan_new (library, choice, machine, NULL);
  assert_true (texts_equal (plan->profiles, (const char *const[]){ "CPU.Verbose.Memory", NULL }));
}

static void
test_samples_come_from_cycles_where_there_is_a_pmu (void **state)
{
  g_autoptr (WprLibrary) library = wpr_library_new ();
  g_autoptr (WprMachine) machine = FULL_MACHINE (2);
  g_autoptr (WprPlan) clock = plan_one (library, "CPU", NULL, WPR_MODE_MEMORY, machine);
  const WprPlanItem *item = get_item (clock, "cpu-clock");
  assert_int_equal (item->kind, WPR_ITEM_SOFTWARE);
  assert_int_equal (item->period, 1000000);
  assert_int_equal (item->interval_ns, 1000000);
  const WprPlanMissing *missing = get_missing (clock, "hardware counters");
  assert_int_equal (missing->reason, WPR_MISSING_NOT_HERE);

  wpr_machine_set_has_pmu (machine, TRUE);
  g_autoptr (WprChoice) choice = wpr_choice_new ();
  choice->sample_interval_100ns = 2500;
  wpr_choice_add (choice, "CPU", NULL, -1);
  g_autoptr (WprPlan) counted = wpr_plan_new (library, choice, machine, NULL);
  item = get_item (counted, "cycles");
  assert_int_equal (item->kind, WPR_ITEM_HARDWARE);
  assert_int_equal (item->period, 0);
  assert_int_equal (item->interval_ns, 250000);
  assert_int_equal (item->stack, WPR_STACK_FULL);
  assert_null (get_item (counted, "cpu-clock"));
  assert_null (get_missing (counted, "hardware counters"));
}

static void
test_samplers_have_their_intervals (void **state)
{
  g_autoptr (WprLibrary) library = wpr_library_new ();
  g_autoptr (WprMachine) machine = FULL_MACHINE (2);
  g_autoptr (WprPlan) plan = plan_one (library, "GeneralProfile", NULL, WPR_MODE_MEMORY, machine);
  static const char *const every_second[] = { "meminfo", "vmstat", "psi" };
  for (gsize i = 0; i < G_N_ELEMENTS (every_second); i++)
    {
      const WprPlanItem *item = get_item (plan, every_second[i]);
      assert_int_equal (item->kind, WPR_ITEM_SAMPLER);
      assert_true (item->interval_ns == G_GUINT64_CONSTANT (1000000000));
    }
  assert_true (get_item (plan, "rss")->interval_ns == G_GUINT64_CONSTANT (10000000000));
}

static void
test_what_the_kernel_lacks_or_refuses_is_a_note (void **state)
{
  g_autoptr (WprLibrary) library = wpr_library_new ();
  g_autoptr (WprMachine) machine = FULL_MACHINE (2);
  wpr_machine_set_event (machine, "irq:tasklet_entry", WPR_HAVE_NO);
  wpr_machine_set_event (machine, "irq:softirq_raise", WPR_HAVE_REFUSED);
  wpr_machine_set_event (machine, "sched:sched_switch", WPR_HAVE_YES);
  g_autoptr (WprPlan) plan = plan_one (library, "CPU", NULL, WPR_MODE_MEMORY, machine);
  assert_null (get_item (plan, "irq:tasklet_entry"));
  assert_null (get_item (plan, "irq:softirq_raise"));
  assert_non_null (get_item (plan, "irq:tasklet_exit")); /* not known: probably */
  const WprPlanMissing *lacking = get_missing (plan, "irq:tasklet_entry");
  assert_int_equal (lacking->reason, WPR_MISSING_NOT_HERE);
  assert_true (texts_equal (lacking->asked_by, (const char *const[]){ "CPU: keyword DPC", NULL }));
  assert_int_equal (get_missing (plan, "irq:softirq_raise")->reason, WPR_MISSING_REFUSED);
  assert_false (plan->strict);
  assert_false (plan->needs_rights);
}

static void
test_a_machine_that_has_nothing_still_plans (void **state)
{
  g_autoptr (WprLibrary) library = wpr_library_new ();
  g_autoptr (WprMachine) machine = FULL_MACHINE (2);
  wpr_machine_set_default (machine, WPR_HAVE_NO);
  g_autoptr (WprPlan) plan = plan_one (library, "FileIO", NULL, WPR_MODE_FILE, machine);
  assert_non_null (get_item (plan, "sideband"));
  assert_null (get_item (plan, "power:suspend_resume"));
  assert_non_null (get_missing (plan, "syscalls:sys_enter_openat"));
  assert_null (get_missing (plan, "syscalls:sys_enter_open")); /* nobody misses the old call */
}

static void
test_without_rights_everything_of_the_kernel_needs_them (void **state)
{
  g_autoptr (WprLibrary) library = wpr_library_new ();
  g_autoptr (WprMachine) machine = wpr_machine_new (2, 8 * GIB, WPR_RIGHTS_NONE);
  wpr_machine_set_rights_text (machine, "Ask Ms Example.");
  g_autoptr (WprPlan) plan = plan_one (library, "GeneralProfile", NULL, WPR_MODE_MEMORY, machine);
  assert_true (plan->needs_rights);
  static const char *const items[]
      = { "sideband", "sched:sched_switch", "cpu-clock", "major-faults", "power:suspend_resume" };
  for (gsize i = 0; i < G_N_ELEMENTS (items); i++)
    {
      assert_null (get_item (plan, items[i]));
      const WprPlanMissing *missing = get_missing (plan, items[i]);
      assert_int_equal (missing->reason, WPR_MISSING_NEEDS_RIGHTS);
      assert_string_equal (missing->text, "Ask Ms Example.");
    }
  assert_null (get_missing (plan, "hardware counters")); /* nobody could look */
  /* What it would take is still said. */
  assert_int_equal (get_collector (plan, "WPR System Collector")->ring_bytes, 128 * MIB);
}

static void
test_a_machine_that_can_be_unlocked_is_planned_as_if_it_were (void **state)
{
  g_autoptr (WprLibrary) library = wpr_library_new ();
  g_autoptr (WprMachine) machine = wpr_machine_new (2, 8 * GIB, WPR_RIGHTS_NONE);
  g_autoptr (WprChoice) choice = wpr_choice_new ();
  wpr_choice_add (choice, "CPU", NULL, -1);
  assert_true (choice->unlock);
  static const WprUnlock ways[] = { WPR_UNLOCK_NONE, WPR_UNLOCK_ASK, WPR_UNLOCK_YES };
  for (gsize i = 0; i < G_N_ELEMENTS (ways); i++)
    for (int wanted = 0; wanted < 2; wanted++)
      {
        gboolean unlocked = wanted && ways[i] != WPR_UNLOCK_NONE;
        choice->unlock = wanted;
        wpr_machine_set_unlock (machine, ways[i]);
        g_autoptr (WprPlan) plan = wpr_plan_new (library, choice, machine, NULL);
        assert_int_equal (plan->unlock, unlocked);
        assert_int_equal (plan->rights, unlocked ? WPR_RIGHTS_FULL : WPR_RIGHTS_NONE);
        assert_int_equal (plan->needs_rights, !unlocked);
        assert_int_equal (get_item (plan, "sched:sched_switch") != NULL, unlocked);
      }
  choice->unlock = FALSE;
  g_autoptr (GVariant) sent = g_variant_ref_sink (wpr_choice_to_variant (choice));
  g_autoptr (WprChoice) received = wpr_choice_from_variant (sent, NULL);
  assert_false (received->unlock);
}

static void
test_only_file_mode_keeps_the_recorder_out (void **state)
{
  g_autoptr (WprLibrary) library = wpr_library_new ();
  g_autoptr (WprMachine) machine = FULL_MACHINE (2);
  g_autoptr (WprPlan) file = plan_one (library, "FileIO", NULL, WPR_MODE_FILE, machine);
  assert_true (get_item (file, "syscalls:sys_enter_write")->skip_self);
  assert_true (get_item (file, "block:block_rq_issue")->skip_self);
  assert_true (get_item (file, "filemap:mm_filemap_fault")->skip_self);
  assert_false (get_item (file, "sched:sched_process_exec")->skip_self);
  assert_false (get_item (file, "major-faults")->skip_self);
  g_autoptr (WprPlan) calls = plan_one (library, "SystemCall", NULL, WPR_MODE_FILE, machine);
  assert_true (get_item (calls, "raw_syscalls:sys_enter")->skip_self);
  assert_false (get_item (calls, "sched:sched_switch")->skip_self);
  g_autoptr (WprPlan) memory = plan_one (library, "FileIO", NULL, WPR_MODE_MEMORY, machine);
  assert_false (get_item (memory, "syscalls:sys_enter_write")->skip_self);
}

static void
test_windows_only_keywords_say_so (void **state)
{
  g_autoptr (WprLibrary) library = wpr_library_new ();
  add_text (
      library, FILE_HEAD
      "<SystemProvider Id=\"S\"><Keywords><Keyword Value=\"Registry\"/>"
      "<Keyword Value=\"PmcProfile\" Strict=\"true\"/><CustomKeyword Value=\"0x1234\"/>"
      "</Keywords><Stacks><Stack Value=\"CSwitch\"/><Stack Value=\"RegistryOpenKey\"/>"
      "</Stacks></SystemProvider>" PROFILE (
          "P", "Verbose", "Memory",
          "") "<Collectors><SystemCollectorId Value=\"SystemCollector_WPRSystemCollectorInMemory\">"
              "<SystemProviderId "
              "Value=\"S\"/></SystemCollectorId></Collectors></Profile>" FILE_TAIL);
  g_autoptr (WprMachine) machine = FULL_MACHINE (2);
  g_autoptr (WprPlan) plan = plan_one (library, "P", "test.wprp", WPR_MODE_MEMORY, machine);
  assert_int_equal (get_missing (plan, "keyword Registry")->reason, WPR_MISSING_NO_COUNTERPART);
  assert_int_equal (get_missing (plan, "keyword PmcProfile")->reason, WPR_MISSING_NOT_HERE);
  assert_int_equal (get_missing (plan, "keyword 0x1234")->reason, WPR_MISSING_NO_COUNTERPART);
  assert_int_equal (get_missing (plan, "stack RegistryOpenKey")->reason,
                    WPR_MISSING_NO_COUNTERPART);
  assert_true (plan->strict);                        /* PmcProfile was Strict */
  assert_true (has_text (plan->notices, "CSwitch")); /* its keyword is off */
  assert_null (get_item (plan, "sched:sched_switch"));
}

static void
test_strict_is_kept_for_each_event (void **state)
{
  g_autoptr (WprLibrary) library = wpr_library_new ();
  add_text (
      library, FILE_HEAD
      "<SystemProvider Id=\"S\"><Keywords><Keyword Value=\"DPC\" Strict=\"true\"/>"
      "<Keyword Value=\"CSwitch\"/></Keywords></SystemProvider>" PROFILE (
          "P", "Verbose", "Memory",
          "") "<Collectors><SystemCollectorId Value=\"SystemCollector_WPRSystemCollectorInMemory\">"
              "<SystemProviderId "
              "Value=\"S\"/></SystemCollectorId></Collectors></Profile>" FILE_TAIL);
  g_autoptr (WprMachine) machine = FULL_MACHINE (2);
  wpr_machine_set_event (machine, "irq:tasklet_entry", WPR_HAVE_NO);
  g_autoptr (WprPlan) plan = plan_one (library, "P", "test.wprp", WPR_MODE_MEMORY, machine);
  assert_true (plan->strict);
  assert_true (get_item (plan, "irq:softirq_entry")->strict);
  assert_false (get_item (plan, "sched:sched_switch")->strict);
  assert_true (get_missing (plan, "irq:tasklet_entry")->strict);
}

static void
test_providers_become_tracepoints_or_notes (void **state)
{
  g_autoptr (WprLibrary) library = wpr_library_new ();
  add_text (library, FILE_HEAD
            "<EventCollector Id=\"E\" Name=\"Mine\"/>"
            "<EventProvider Id=\"A\" Name=\"{c7bde69a-e1e0-4177-b6ef-283ad1525271}\"/>"
            "<EventProvider Id=\"B\" Name=\"tracepoint:drm:*\" Stack=\"true\"/>"
            "<EventProvider Id=\"C\" Name=\"lttng:my_app:*\"/>"
            "<EventProvider Id=\"D\" Name=\"Contoso-Widgets\"/>"
            "<EventProvider Id=\"F\" Name=\"tracepoint:../../etc:passwd\"/>"
            "<EventProvider Id=\"G\" Name=\"tracepoint:nothing:*\"/>" PROFILE (
                "P", "Verbose", "Memory",
                "") "<Collectors><EventCollectorId Value=\"E\"><EventProviders>"
                    "<EventProviderId Value=\"A\"/><EventProviderId Value=\"B\"/><EventProviderId "
                    "Value=\"C\"/>"
                    "<EventProviderId Value=\"D\"/><EventProviderId Value=\"F\"/><EventProviderId "
                    "Value=\"G\"/>"
                    "</EventProviders></EventCollectorId></Collectors></Profile>" FILE_TAIL);
  g_autoptr (WprMachine) machine = FULL_MACHINE (2);
  wpr_machine_set_event (machine, "drm:drm_vblank_event", WPR_HAVE_YES);
  wpr_machine_set_event (machine, "drm:drm_other", WPR_HAVE_YES);
  wpr_machine_set_event (machine, "drm:drm_gone", WPR_HAVE_NO);
  wpr_machine_set_event (machine, "drmx:drm_x", WPR_HAVE_YES);
  g_autoptr (WprPlan) plan = plan_one (library, "P", "test.wprp", WPR_MODE_MEMORY, machine);
  const WprPlanCollector *mine = get_collector (plan, "Mine");
  assert_int_equal (mine->kind, WPR_COLLECTOR_EVENT);
  assert_int_equal (mine->items->len, 4); /* block issue and complete, two of drm */
  assert_int_equal (get_item (plan, "drm:drm_other")->stack, WPR_STACK_FULL);
  assert_int_equal (get_item (plan, "block:block_rq_issue")->stack, WPR_STACK_NONE);
  assert_int_equal (get_missing (plan, "lttng:my_app:*")->reason, WPR_MISSING_LATER);
  assert_int_equal (get_missing (plan, "provider Contoso-Widgets")->reason,
                    WPR_MISSING_NO_COUNTERPART);
  assert_int_equal (get_missing (plan, "tracepoint:../../etc:passwd")->reason,
                    WPR_MISSING_NOT_HERE);
  assert_int_equal (get_missing (plan, "nothing:*")->reason, WPR_MISSING_NOT_HERE);
  /* The system collector comes first and is there for what is always recorded. */
  const WprPlanCollector *first = g_ptr_array_index (plan->collectors, 0);
  assert_int_equal (first->kind, WPR_COLLECTOR_SYSTEM);
  assert_int_equal (first->items->len, 2);
}

static void
test_profiles_that_disagree_about_a_provider_are_told (void **state)
{
  g_autoptr (WprLibrary) library = wpr_library_new ();
  add_text (library, FILE_HEAD
            "<EventCollector Id=\"E\" Name=\"Mine\"/>"
            "<EventProvider Id=\"A\" Name=\"tracepoint:sched:sched_switch\"/>"
            "<EventProvider Id=\"B\" Name=\"TRACEPOINT:sched:sched_switch\"/>"
            "<EventProvider Id=\"C\" Name=\"Microsoft-Windows-Kernel-Disk\"/>"
            "<EventProvider Id=\"D\" Name=\"microsoft-windows-kernel-disk\" "
            "Stack=\"true\"/>" PROFILE (
                "P", "Verbose", "Memory",
                "") "<Collectors><EventCollectorId Value=\"E\"><EventProviders>"
                    "<EventProviderId Value=\"A\"/><EventProviderId Value=\"B\"/>"
                    "<EventProviderId Value=\"C\"/><EventProviderId Value=\"D\"/>"
                    "</EventProviders></EventCollectorId></Collectors></Profile>" FILE_TAIL);
  g_autoptr (WprMachine) machine = FULL_MACHINE (2);
  g_autoptr (WprPlan) plan = plan_one (library, "P", "test.wprp", WPR_MODE_MEMORY, machine);
  assert_int_equal (plan->notices->len, 1);
  assert_true (has_text (plan->notices, "disagree about call stacks"));
  assert_int_equal (get_item (plan, "block:block_rq_issue")->stack, WPR_STACK_FULL);
}

static void
test_an_event_is_recorded_once (void **state)
{
  g_autoptr (WprLibrary) library = wpr_library_new ();
  add_text (
      library, FILE_HEAD
      "<EventProvider Id=\"A\" Name=\"tracepoint:sched:sched_switch\" Stack=\"true\"/>" PROFILE (
          "P", "Verbose", "Memory",
          "Base=\"CPU.Verbose.Memory\"") "<Collectors Operation=\"Add\">"
                                         "<EventCollectorId "
                                         "Value=\"EventCollector_WPREventCollectorInMemory\">"
                                         "<EventProviders><EventProviderId "
                                         "Value=\"A\"/></EventProviders></EventCollectorId>"
                                         "</Collectors></Profile>" FILE_TAIL);
  g_autoptr (WprMachine) machine = FULL_MACHINE (2);
  g_autoptr (WprPlan) plan = plan_one (library, "P", "test.wprp", WPR_MODE_MEMORY, machine);
  assert_int_equal (get_collector (plan, "WPR Event Collector")->items->len, 0);
  const WprPlanItem *item = get_item (plan, "sched:sched_switch");
  assert_int_equal (item->stack, WPR_STACK_FULL); /* this is how user frames are asked for */
  assert_true (has_text (item->asked_by, "provider tracepoint:sched:sched_switch"));
}

/* ---- fallbacks ---- */

#define ONLY(name, level, mode) \
  PROFILE (name, level, mode, "Base=\"CPU." level "." mode "\"") "</Profile>"

static void
test_a_missing_level_or_mode_falls_back_with_a_notice (void **state)
{
  g_autoptr (WprLibrary) library = wpr_library_new ();
  add_text (library, FILE_HEAD ONLY ("L", "Light", "File") ONLY ("V", "Verbose", "File")
                         ONLY ("M", "Verbose", "Memory") FILE_TAIL);
  g_autoptr (WprMachine) machine = FULL_MACHINE (2);
  g_autoptr (WprPlan) light = plan_one (library, "L", "test.wprp", WPR_MODE_FILE, machine);
  assert_int_equal (light->level, WPR_LEVEL_LIGHT); /* nobody asked for a level: no notice */
  assert_int_equal (light->notices->len, 0);
  g_autoptr (WprPlan) level = plan_one (library, "V.light", "test.wprp", WPR_MODE_FILE, machine);
  assert_int_equal (level->level, WPR_LEVEL_VERBOSE);
  assert_true (has_text (level->notices, "no detail level Light"));
  g_autoptr (WprPlan) mode = plan_one (library, "V", "test.wprp", WPR_MODE_MEMORY, machine);
  assert_int_equal (mode->mode, WPR_MODE_FILE);
  assert_true (has_text (mode->notices, "into a file instead"));
  g_autoptr (WprPlan) memory = plan_one (library, "M", "test.wprp", WPR_MODE_FILE, machine);
  assert_int_equal (memory->mode, WPR_MODE_MEMORY);
  assert_true (has_text (memory->notices, "made for memory only"));

  g_autoptr (WprChoice) both = wpr_choice_new ();
  wpr_choice_add (both, "M", "test.wprp", -1);
  wpr_choice_add (both, "V", "test.wprp", -1);
  g_autoptr (WprPlan) mixed = wpr_plan_new (library, both, machine, NULL);
  assert_int_equal (mixed->mode, WPR_MODE_FILE);
  assert_int_equal (mixed->profiles->len, 2);
}

/* ---- errors, digest, figures ---- */

static void
test_wrong_names_are_errors_that_help (void **state)
{
  g_autoptr (WprLibrary) library = wpr_library_new ();
  g_autoptr (WprMachine) machine = FULL_MACHINE (2);
  static const struct
  {
    const char *name, *part;
    guint32 number;
  } rows[] = {
    { "Netwrk", "“Network”", 0 },
    { "Zzz", "wpr -profiles", 0 },
    { "BaseProfile", "internal", 0xc558101c },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (WprChoice) choice = wpr_choice_new ();
      wpr_choice_add (choice, rows[i].name, NULL, -1);
      g_autoptr (GError) error = NULL;
      assert_null (wpr_plan_new (library, choice, machine, &error));
      assert_true (g_error_matches (error, WPR_ERROR, WPR_ERROR_PROFILE));
      assert_non_null (strstr (error->message, rows[i].part));
      assert_int_equal (wpr_error_get_number (error), rows[i].number);
    }
  g_autoptr (WprChoice) nothing = wpr_choice_new ();
  g_autoptr (GError) error = NULL;
  assert_null (wpr_plan_new (library, nothing, machine, &error));
  assert_true (g_error_matches (error, WPR_ERROR, WPR_ERROR_USAGE));
  g_autoptr (WprChoice) many = wpr_choice_new ();
  for (guint i = 0; i < 65; i++)
    wpr_choice_add (many, "CPU", NULL, -1);
  g_clear_error (&error);
  assert_null (wpr_plan_new (library, many, machine, &error));
  assert_true (g_error_matches (error, WPR_ERROR, WPR_ERROR_USAGE));
}

static void
test_equal_choices_have_equal_digests (void **state)
{
  g_autoptr (WprLibrary) library = wpr_library_new (), other = wpr_library_new ();
  g_autoptr (WprMachine) machine = FULL_MACHINE (2), larger = FULL_MACHINE (4);
  g_autoptr (WprPlan) first = plan_one (library, "CPU", NULL, WPR_MODE_MEMORY, machine);
  g_autoptr (WprPlan) same = plan_one (other, "cpu", NULL, WPR_MODE_MEMORY, machine);
  g_autoptr (WprPlan) light = plan_one (library, "CPU.light", NULL, WPR_MODE_MEMORY, machine);
  g_autoptr (WprPlan) elsewhere = plan_one (library, "CPU", NULL, WPR_MODE_MEMORY, larger);
  assert_int_equal (strlen (first->digest), 64);
  assert_string_equal (first->digest, same->digest);
  assert_string_not_equal (first->digest, light->digest);
  assert_string_not_equal (first->digest, elsewhere->digest);
}

static void
test_plans_for_256_cpus (void **state)
{
  g_autoptr (WprLibrary) library = wpr_library_new ();
  g_autoptr (WprMachine) machine = wpr_machine_new (256, 1024 * GIB, WPR_RIGHTS_FULL);
  for (guint i = 0; i < 2000; i++) /* as many events as a large kernel has */
    {
      g_autofree char *name = g_strdup_printf ("system%u:event%u", i % 50, i);
      wpr_machine_set_event (machine, name, WPR_HAVE_YES);
    }
  g_autoptr (WprChoice) choice = wpr_choice_new ();
  for (guint i = 0; i < wpr_library_get_n_profiles (library); i++)
    if (!wpr_library_get_profile (library, i)->internal)
      wpr_choice_add (choice, wpr_library_get_profile (library, i)->name, NULL, -1);
  g_autoptr (WprPlan) plan = wpr_plan_new (library, choice, machine, NULL);
  assert_int_equal (plan->profiles->len, 19);
  const WprPlanCollector *system = get_collector (plan, "WPR System Collector");
  assert_int_equal (system->ring_bytes, 4 * MIB);
  assert_int_equal (system->bytes_granted, 1024 * MIB);
  assert_true (plan->n_kinds > 100);
}

static void
test_text_and_json_hold_everything (void **state)
{
  g_autoptr (WprLibrary) library = wpr_library_new ();
  g_autoptr (WprMachine) machine = FULL_MACHINE (2);
  wpr_machine_set_event (machine, "irq:tasklet_entry", WPR_HAVE_NO);
  g_autoptr (WprPlan) plan = plan_one (library, "GPU", NULL, WPR_MODE_FILE, machine);
  g_autofree char *text = wpr_plan_to_text (plan);
  g_autofree char *json = wpr_plan_to_json (plan);
  for (guint i = 0; i < plan->collectors->len; i++)
    {
      const WprPlanCollector *collector = g_ptr_array_index (plan->collectors, i);
      for (guint j = 0; j < collector->items->len; j++)
        {
          const WprPlanItem *item = g_ptr_array_index (collector->items, j);
          assert_non_null (strstr (text, item->name));
          assert_non_null (strstr (json, item->name));
          assert_string_not_equal (wpr_plan_item_describe (item), "Events of the kernel");
        }
    }
  assert_non_null (strstr (text, "Each switch from one thread to another"));
  assert_non_null (strstr (text, "irq:tasklet_entry: This kernel has no such event."));
  assert_non_null (strstr (json, "{\"version\":1,\"mode\":\"file\",\"level\":\"verbose\""));
  assert_non_null (strstr (json, "\"what\":\"irq:tasklet_entry\",\"reason\":\"not-here\""));
  assert_non_null (strstr (json, plan->digest));
}

static void
test_every_built_in_event_has_words (void **state)
{
  g_autoptr (WprLibrary) library = wpr_library_new ();
  g_autoptr (WprMachine) machine = FULL_MACHINE (2);
  for (guint i = 0; i < wpr_library_get_n_profiles (library); i++)
    {
      const WprProfile *profile = wpr_library_get_profile (library, i);
      if (profile->internal)
        continue;
      g_autoptr (WprPlan) plan = plan_one (library, profile->name, NULL, WPR_MODE_FILE, machine);
      for (guint j = 0; j < plan->collectors->len; j++)
        {
          const WprPlanCollector *collector = g_ptr_array_index (plan->collectors, j);
          for (guint k = 0; k < collector->items->len; k++)
            {
              const WprPlanItem *item = g_ptr_array_index (collector->items, k);
              if (g_str_equal (wpr_plan_item_describe (item), "Events of the kernel"))
                fail_msg ("%s has no words", item->name);
            }
        }
    }
}

static void
test_a_machine_survives_the_way_between_processes (void **state)
{
  g_autoptr (WprMachine) machine = wpr_machine_new (6, 5 * GIB, WPR_RIGHTS_NONE);
  wpr_machine_set_rights_text (machine, "No “rights”.");
  wpr_machine_set_unlock (machine, WPR_UNLOCK_ASK);
  wpr_machine_set_sees_kernel (machine, TRUE);
  wpr_machine_set_max_possible_cpu (machine, 63);
  wpr_machine_set_has_pmu (machine, TRUE);
  wpr_machine_set_kernel (machine, "6.1.0");
  wpr_machine_set_default (machine, WPR_HAVE_NO);
  wpr_machine_set_event (machine, "sched:sched_switch", WPR_HAVE_YES);
  wpr_machine_set_event (machine, "irq_vectors:x", WPR_HAVE_REFUSED);
  g_autoptr (GVariant) sent = g_variant_ref_sink (wpr_machine_to_variant (machine));
  g_autofree char *text = g_variant_print (sent, TRUE);
  g_autoptr (GVariant) received = g_variant_parse (G_VARIANT_TYPE_VARDICT, text, NULL, NULL, NULL);
  g_autoptr (WprMachine) other = wpr_machine_from_variant (received);
  assert_non_null (other);
  assert_int_equal (wpr_machine_get_n_cpus (other), 6);
  assert_int_equal (wpr_machine_get_memory (other), 5 * GIB);
  assert_int_equal (wpr_machine_get_rights (other), WPR_RIGHTS_NONE);
  assert_string_equal (wpr_machine_get_rights_text (other), "No “rights”.");
  assert_int_equal (wpr_machine_get_unlock (other), WPR_UNLOCK_ASK);
  assert_true (wpr_machine_get_sees_kernel (other));
  assert_int_equal (wpr_machine_get_max_possible_cpu (other), 63);
  assert_true (wpr_machine_get_has_pmu (other));
  assert_string_equal (wpr_machine_get_kernel (other), "6.1.0");
  assert_int_equal (wpr_machine_get_event (other, "sched:sched_switch"), WPR_HAVE_YES);
  assert_int_equal (wpr_machine_get_event (other, "irq_vectors:x"), WPR_HAVE_REFUSED);
  assert_int_equal (wpr_machine_get_event (other, "a:b"), WPR_HAVE_NO);
  g_autoptr (GVariant) nothing = g_variant_ref_sink (g_variant_new ("a{sv}", NULL));
  assert_null (wpr_machine_from_variant (nothing));
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_two_profiles_are_united_and_both_named),
    cmocka_unit_test (test_choosing_a_profile_twice_is_once),
    cmocka_unit_test (test_samples_come_from_cycles_where_there_is_a_pmu),
    cmocka_unit_test (test_samplers_have_their_intervals),
    cmocka_unit_test (test_what_the_kernel_lacks_or_refuses_is_a_note),
    cmocka_unit_test (test_a_machine_that_has_nothing_still_plans),
    cmocka_unit_test (test_without_rights_everything_of_the_kernel_needs_them),
    cmocka_unit_test (test_a_machine_that_can_be_unlocked_is_planned_as_if_it_were),
    cmocka_unit_test (test_only_file_mode_keeps_the_recorder_out),
    cmocka_unit_test (test_windows_only_keywords_say_so),
    cmocka_unit_test (test_strict_is_kept_for_each_event),
    cmocka_unit_test (test_providers_become_tracepoints_or_notes),
    cmocka_unit_test (test_profiles_that_disagree_about_a_provider_are_told),
    cmocka_unit_test (test_an_event_is_recorded_once),
    cmocka_unit_test (test_a_missing_level_or_mode_falls_back_with_a_notice),
    cmocka_unit_test (test_wrong_names_are_errors_that_help),
    cmocka_unit_test (test_equal_choices_have_equal_digests),
    cmocka_unit_test (test_plans_for_256_cpus),
    cmocka_unit_test (test_text_and_json_hold_everything),
    cmocka_unit_test (test_every_built_in_event_has_words),
    cmocka_unit_test (test_a_machine_survives_the_way_between_processes),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
