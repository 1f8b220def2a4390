/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the schema's words do to a plan: counters, filters, limits, levels, several profiles. */
#include "config.h"
#include "helpers.h"
#include "profile/fault.h"
#include "profile/providers.h"

#define SC(inside) "<SystemCollector Id=\"SC\" Name=\"C\">" inside "</SystemCollector>"
#define EC "<EventCollector Id=\"EC\" Name=\"E\"/>"
#define SP(keyword, more)                                                                \
  "<SystemProvider Id=\"SP\"><Keywords><Keyword Value=\"" keyword "\"/></Keywords>" more \
  "</SystemProvider>"
#define USE(inside)                                                                     \
  "<Collectors><SystemCollectorId Value=\"SC\"><SystemProviderId Value=\"SP\"/>" inside \
  "</SystemCollectorId></Collectors>"
#define USE_EP                                                                                 \
  "<Collectors><EventCollectorId Value=\"EC\"><EventProviders><EventProviderId Value=\"EP\"/>" \
  "</EventProviders></EventCollectorId></Collectors>"

static WprMachine *
make_machine (gboolean has_pmu)
{
  WprMachine *machine = wpr_machine_new (2, 8 * GIB, WPR_RIGHTS_FULL);
  wpr_machine_set_default (machine, WPR_HAVE_YES);
  wpr_machine_set_has_pmu (machine, has_pmu);
  return machine;
}

static WprPlan *
plan_on (const WprMachine *machine, WprMode mode, const char *text)
{
  g_autoptr (WprLibrary) library = wpr_library_new ();
  add_text (library, text);
  return plan_one (library, "P", "test.wprp", mode, machine);
}

static WprPlan *
plan_file (const char *text)
{
  g_autoptr (WprMachine) machine = make_machine (FALSE);
  return plan_on (machine, WPR_MODE_FILE, text);
}

#define COUNTERS                                                                                   \
  "<HardwareCounter Id=\"HC\"><MicroArchitecturalConfigId Value=\"MC\"/><SampledCounters>"         \
  "<SampledCounter Value=\"InstructionRetired\" Interval=\"200000\"/><SampledCounter "             \
  "Value=\"Mine\"/><SampledCounter Value=\"context-switches\" Interval=\"1221\"/><SampledCounter " \
  "Value=\"Nobody\"/></SampledCounters></HardwareCounter>"
#define CONFIG                                                                               \
  "<MicroArchitecturalConfig Id=\"MC\"><ProfileSources Architecture=\"INTEL\" Family=\"6\">" \
  "<ProfileSource Name=\"Mine\" Event=\"0xC2\" Unit=\"0x01\" Interval=\"50000\"/>"           \
  "</ProfileSources></MicroArchitecturalConfig>"

static void
test_counters_become_events_of_the_processor (void **state)
{
  static const char text[]
      = FILE_HEAD SC ("") SP ("CSwitch", "") CONFIG COUNTERS PROFILE ("P", "Light", "File", "")
          USE ("<HardwareCounterId Value=\"HC\"/>") "</Profile>" FILE_TAIL;
  g_autoptr (WprMachine) machine = make_machine (TRUE);
  wpr_machine_set_processor (machine, "INTEL", 6, 85);
  g_autoptr (WprPlan) plan = plan_on (machine, WPR_MODE_FILE, text);
  const WprPlanItem *instructions = get_item (plan, "instructions");
  assert_non_null (instructions);
  assert_int_equal (instructions->kind, WPR_ITEM_HARDWARE);
  assert_int_equal (instructions->period, 200000);
  const WprPlanItem *raw = get_item (plan, "r01c2");
  assert_non_null (raw);
  assert_int_equal (raw->period, 50000);
  const WprPlanItem *switches = get_item (plan, "context-switches");
  assert_int_equal (switches->kind, WPR_ITEM_SOFTWARE);
  assert_int_equal (switches->period, 1221);
  assert_non_null (get_missing (plan, "counter Nobody"));

  g_autoptr (WprMachine) amd = make_machine (TRUE);
  wpr_machine_set_processor (amd, "AMD", 23, 1);
  g_autoptr (WprPlan) other = plan_on (amd, WPR_MODE_FILE, text);
  assert_null (get_item (other, "r01c2"));
  assert_non_null (get_missing (other, "counter Mine"));

  g_autoptr (WprPlan) without = plan_file (text);
  assert_null (get_item (without, "instructions"));
  assert_int_equal (get_missing (without, "counter InstructionRetired")->reason,
                    WPR_MISSING_NOT_HERE);
  assert_non_null (get_item (without, "context-switches"));
}

static void
test_programs_are_filtered_in_the_kernel_but_never_switches (void **state)
{
  g_autoptr (WprPlan) plan = plan_file (
      FILE_HEAD EC "<EventProvider Id=\"EP\" Name=\"Microsoft-Windows-Kernel-File\" "
                   "ProcessExeFilter=\"notepad.exe;a-very-long-program-name\"/>" PROFILE (
                       "P", "Light", "File", "") USE_EP "</Profile>" FILE_TAIL);
  const WprPlanItem *item = get_item (plan, "syscalls:sys_enter_openat");
  assert_string_equal (item->filter, "comm == \"notepad\" || comm == \"a-very-long-pro\"");
  assert_true (has_text (plan->notices, "threads under another name are missed"));
  assert_true (has_text (plan->notices, "keeps 15 letters of a name"));
  assert_int_equal (item->programs->len, 2);
  assert_string_equal (g_ptr_array_index (item->programs, 0), "notepad");
  assert_string_equal (g_ptr_array_index (item->programs, 1), "a-very-long-program-name");

  g_autoptr (WprPlan) sched
      = plan_file (FILE_HEAD EC "<EventProvider Id=\"EP\" Name=\"tracepoint:sched:sched_switch\" "
                                "ProcessExeFilter=\"x\"/>" PROFILE ("P", "Light", "File", "") USE_EP
                   "</Profile>" FILE_TAIL);
  assert_null (get_item (sched, "sched:sched_switch")->filter);
  assert_true (has_text (sched->notices, "sched:sched_switch cannot be limited"));

  /* Somebody else wants all of them. */
  g_autoptr (WprPlan) both = plan_file (
      FILE_HEAD SC ("")
          EC SP ("FileIO", "") "<EventProvider Id=\"EP\" Name=\"Microsoft-Windows-Kernel-File\" "
                               "ProcessExeFilter=\"x\"/>" PROFILE ("P", "Light", "File", "")
                                   USE ("") "<Collectors Operation=\"Add\"><EventCollectorId "
                                            "Value=\"EC\"><EventProviders><EventProviderId "
                                            "Value=\"EP\"/></EventProviders></EventCollectorId>"
                                            "</Collectors></Profile>" FILE_TAIL);
  assert_null (get_item (both, "syscalls:sys_enter_openat")->filter);
}

static void
test_a_name_with_quotes_is_no_filter (void **state)
{
  g_autoptr (WprPlan) plan = plan_file (
      FILE_HEAD EC "<EventProvider Id=\"EP\" Name=\"tracepoint:block:block_rq_issue\" "
                   "ProcessExeFilter=\"a&quot; || 1\"/>" PROFILE ("P", "Light", "File", "") USE_EP
      "</Profile>" FILE_TAIL);
  assert_null (get_item (plan, "block:block_rq_issue")->filter);
  assert_true (has_text (plan->notices, "no program's name"));
}

static void
test_pool_tags_choose_slab_caches (void **state)
{
  g_autoptr (WprPlan) plan = plan_file (
      FILE_HEAD SC ("")
          SP ("Pool", "<PoolTags><PoolTag Value=\"dent\"/><PoolTag Value=\"ino*\"/></PoolTags>")
              PROFILE ("P", "Light", "File", "") USE ("") "</Profile>" FILE_TAIL);
  assert_string_equal (get_item (plan, "kmem:kmem_cache_alloc")->filter,
                       "name ~ \"dent*\" || name ~ \"ino*\"");
  assert_null (get_item (plan, "kmem:kmalloc")->filter);
}

static void
test_the_size_of_the_file_has_limits (void **state)
{
  static const char limited[] = FILE_HEAD SC (
      "<MaximumFileSize Value=\"100\" FileMode=\"Sequential\"/><FileMax Value=\"3\"/><FlushTimer "
      "Value=\"5\"/>") SP ("CSwitch", "") PROFILE ("P", "Light", "File", "")
      USE ("") "</Profile>" FILE_TAIL;
  g_autoptr (WprPlan) plan = plan_file (limited);
  assert_int_equal (plan->max_bytes, 300 * MIB);
  assert_true (plan->is_sequential);
  assert_int_equal (plan->flush_timer_s, 5);
  assert_int_equal (plan->part_bytes, 100 * MIB);
  g_autoptr (WprMachine) some = make_machine (FALSE);
  g_autoptr (WprPlan) memory
      = plan_on (some, WPR_MODE_MEMORY,
                 FILE_HEAD SC ("<FileMax Value=\"3\"/><FlushTimer Value=\"5\"/>") SP ("CSwitch", "")
                     PROFILE ("P", "Light", "Memory", "") USE ("") "</Profile>" FILE_TAIL);
  assert_int_equal (memory->flush_timer_s, 0);
  assert_true (has_text (memory->notices, "file mode only: FileMax, FlushTimer"));
  g_autoptr (WprPlan) threshold = plan_file (
      FILE_HEAD SC ("<BufferSize Value=\"512\"/><FlushThreshold Value=\"4\"/>") SP ("CSwitch", "")
          PROFILE ("P", "Light", "File", "") USE ("") "</Profile>" FILE_TAIL);
  assert_int_equal (threshold->flush_bytes, 2 * MIB);
  assert_int_equal (threshold->part_bytes, 0);

  g_autoptr (WprLibrary) library = wpr_library_new ();
  g_autoptr (WprChoice) choice = wpr_choice_new ();
  add_text (library, limited);
  choice->mode = WPR_MODE_FILE;
  choice->max_size_mb = 50;
  choice->max_files = 2;
  wpr_choice_add (choice, "P", "test.wprp", -1);
  g_autoptr (WprPlan) own = wpr_plan_new (library, choice, some, NULL);
  assert_int_equal (own->max_bytes, 100 * MIB);
  assert_int_equal (own->part_bytes, 50 * MIB);
  assert_false (own->is_sequential);
  choice->stop_at_max_size = TRUE;
  g_autoptr (WprPlan) stopping = wpr_plan_new (library, choice, some, NULL);
  assert_true (stopping->is_sequential);
  assert_int_equal (stopping->part_bytes, 0);

  g_autoptr (WprPlan) reset
      = plan_file (FILE_HEAD SC ("<MaximumFileSize Value=\"100\"/>") SP ("CSwitch", "") PROFILE (
          "P", "Light", "File",
          "") "<Collectors><SystemCollectorId Value=\"SC\"><MaximumFileSize Operation=\"Remove\" "
              "Value=\"100\"/><SystemProviderId "
              "Value=\"SP\"/></SystemCollectorId></Collectors></Profile>" FILE_TAIL);
  assert_int_equal (reset->max_bytes, 0);
}

static void
test_what_is_not_done_is_a_note_with_element_and_line (void **state)
{
  g_autoptr (WprPlan) plan = plan_file (FILE_HEAD "\n" SC (
      "<StackCaching BucketCount=\"1\" CacheSize=\"2\"/>") "\n"
                                                           "<EventCollector Id=\"EC\" Name=\"E\" "
                                                           "Secure=\"true\"/>" SP (
                                                               "Registry",
                                                               "") "\n"
                                                                   "<EventProvider Id=\"EP\" "
                                                                   "Name=\"tracepoint:drm:*\" "
                                                                   "SID=\"true\" "
                                                                   "TSID=\"false\"/>" PROFILE (
                                                                       "P", "Light", "File", "")
                                                                       USE ("") "<Collectors "
                                                                                "Operation=\"Add\">"
                                                                                "<EventCollectorId "
                                                                                "Value=\"EC\"><"
                                                                                "EventProviders><"
                                                                                "EventProviderId "
                                                                                "Value=\"EP\"/></"
                                                                                "EventProviders></"
                                                                                "EventCollectorId>"
                                                                                "</Collectors></"
                                                                                "Profile"
                                                                                ">" FILE_TAIL);
  assert_int_equal (plan->notes->len, 3);
  static const struct
  {
    guint line;
    const char *path;
  } wanted[] = { { 2, "/SystemCollector/StackCaching/@BucketCount" },
                 { 3, "/EventCollector/@Secure" },
                 { 4, "/EventProvider/@SID" } };
  for (guint i = 0; i < 3; i++)
    {
      const WprPlanNote *note = g_ptr_array_index (plan->notes, i);
      assert_int_equal (note->line, wanted[i].line);
      assert_true (g_str_has_suffix (note->path, wanted[i].path));
    }
  assert_true (has_text (get_missing (plan, "keyword Registry")->asked_by, "test.wprp:3"));
  assert_int_equal (plan->stack_cache_kb, 2);
}

static void
test_words_of_a_provider_that_do_nothing_here_are_told (void **state)
{
  g_autoptr (WprPlan) plan = plan_file (
      FILE_HEAD EC
      "\n<EventProvider Id=\"EP\" Name=\"KernelProcess\" Level=\"3\">"
      "<Keywords><Keyword Value=\"0x10\"/></Keywords>\n<Stacks><Stack Value=\"CSwitch\"/></Stacks>"
      "<EventNameFilters FilterIn=\"true\" Level=\"2\"><Keyword Value=\"0x1\"/><EventName "
      "Value=\"sched_process_exec\"/></EventNameFilters></EventProvider>" PROFILE (
          "P", "Light", "File", "") USE_EP "</Profile>" FILE_TAIL);
  assert_non_null (get_item (plan, "sched:sched_process_exec"));
  assert_null (get_item (plan, "sched:sched_process_exit"));
  assert_true (has_text (plan->notices, "level 3 of KernelProcess"));
  assert_true (has_text (plan->notices, "some keywords of KernelProcess"));
  assert_int_equal (plan->notes->len, 3);
  for (guint i = 0; i < 3; i++)
    assert_int_equal (((const WprPlanNote *)g_ptr_array_index (plan->notes, i))->line, 3);
}

static void
test_rows_of_providers_follow_level_and_event (void **state)
{
  static const char ini[] = "[X]\ntracepoint = a:always\nlevel 4 = tracepoint:a:chatty\n"
                            "event 12 = tracepoint:a:twelve\nevent 13 = tracepoint:a:thirteen\n"
                            "level 999 = tracepoint:a:never\nevent 20,21 keyword 0x30 level 2 = "
                            "tracepoint:a:both\nevent 3 keyword = tracepoint:a:never\n"
                            "event 70000 = tracepoint:a:never\nevent 1, = tracepoint:a:never\n";
  g_autoptr (GPtrArray) faults = wpr_faults_new (), ids = g_ptr_array_new ();
  WprProviders *providers = wpr_providers_new (faults);
  assert_true (wpr_providers_add (providers, ini, strlen (ini), "x.ini", FALSE, faults));
  assert_int_equal (faults->len, 4);
  g_ptr_array_add (ids, (gpointer) "0x0c");
  g_ptr_array_add (ids, (gpointer) "21");
  const struct
  {
    WprProviderWant want;
    guint n;
  } rows[] = { { { 0 }, 6 },
               { { .level = 3 }, 5 },
               { { .level = 4 }, 6 },
               { { .keywords = 0x20 }, 6 },
               { { .keywords = 0x40 }, 4 },
               { { .keywords = 0x40, .level = 1 }, 3 },
               { { .has_ids = TRUE, .filter_in = TRUE, .ids = ids }, 2 },
               { { .has_ids = TRUE, .filter_in = FALSE, .ids = ids }, 4 },
               { { .level = 1, .has_ids = TRUE, .filter_in = TRUE, .ids = ids }, 1 },
               { { .keywords = 1, .has_ids = TRUE, .filter_in = TRUE, .ids = ids }, 1 } };
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GPtrArray) targets = wpr_providers_lookup (providers, "X", &rows[i].want);
      if (targets->len != rows[i].n)
        fail_msg ("row %zu: %u", i, targets->len);
    }
  wpr_providers_free (providers);
}

static void
test_names_of_events_choose_from_a_pattern (void **state)
{
  g_autoptr (WprMachine) machine = make_machine (FALSE);
  wpr_machine_set_event (machine, "drm:one", WPR_HAVE_YES);
  wpr_machine_set_event (machine, "drm:two", WPR_HAVE_YES);
  g_autoptr (WprPlan) plan = plan_on (
      machine, WPR_MODE_FILE,
      FILE_HEAD EC "<EventProvider Id=\"EP\" Name=\"tracepoint:drm:*\"><EventNameFilters "
                   "FilterIn=\"false\"><EventName Value=\"two\"/></EventNameFilters>"
                   "</EventProvider>" PROFILE ("P", "Light", "File", "") USE_EP
      "</Profile>" FILE_TAIL);
  assert_non_null (get_item (plan, "drm:one"));
  assert_null (get_item (plan, "drm:two"));
}

/* Two files that disagree are named, both with their lines; 64 profiles are one plan, 65 none. */
static void
test_several_files_are_united_and_disagreements_named (void **state)
{
  g_autoptr (WprLibrary) library = wpr_library_new ();
  g_autoptr (WprMachine) machine = make_machine (FALSE);
  g_autoptr (WprChoice) choice = wpr_choice_new ();
  choice->mode = WPR_MODE_FILE;
  for (guint i = 0; i < 65; i++)
    {
      g_autofree char *text = g_strdup_printf (
          FILE_HEAD
          "\n<SystemCollector Id=\"SC\"><BufferSize Value=\"64\"/><Buffers Value=\"%u\"/>"
          "</SystemCollector>" EC SP (
              "CSwitch",
              "") "<EventProvider Id=\"EP\" "
                  "Name=\"tracepoint:block:block_split\" Stack=\"%s\"/>\n" PROFILE ("P", "Light",
                                                                                    "File", "")
                      USE ("") "<Collectors Operation=\"Add\"><EventCollectorId "
                               "Value=\"EC\"><EventProviders>"
                               "<EventProviderId "
                               "Value=\"EP\"/></EventProviders></EventCollectorId></Collectors>"
                               "</Profile>" FILE_TAIL,
          32 + i, i % 2 ? "true" : "false");
      g_autofree char *name = g_strdup_printf ("f%u.wprp", i);
      g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
      assert_true (wpr_library_add_bytes (library, bytes, name, NULL));
      g_autoptr (GError) error = NULL;
      wpr_choice_add (choice, "P", name, -1);
      g_autoptr (WprPlan) plan = wpr_plan_new (library, choice, machine, &error);
      if (i == 64)
        {
          assert_null (plan);
          assert_int_equal (error->code, WPR_ERROR_USAGE);
          continue;
        }
      assert_non_null (plan);
      assert_int_equal (get_collector (plan, "WPR System Collector")->buffers_asked, 32 + i);
      if (i == 0)
        continue;
      assert_true (has_text (plan->notices, "(f0.wprp:2) (f1.wprp:2)"));
      assert_true (has_text (plan->notices, "block_split; they are recorded. (f0.wprp:2)"));
    }
}

/* What a list says twice is said once in an export, in the sense that holds. */
static void
test_an_export_keeps_what_holds_of_names_said_twice (void **state)
{
  g_autoptr (WprLibrary) library = wpr_library_new ();
  g_autoptr (WprMachine) machine = make_machine (TRUE);
  g_autoptr (WprChoice) choice = wpr_choice_new (), again = wpr_choice_new ();
  g_autoptr (GError) error = NULL;
  add_text (library,
            FILE_HEAD SC (
                "") "<SystemProvider Id=\"SP\"><Keywords><Keyword "
                    "Value=\"CSwitch\"/><Keyword Value=\"DPC\"/><Keyword Value=\"CSwitch\" "
                    "Strict=\"true\"/></Keywords></SystemProvider><HardwareCounter Id=\"HC\">"
                    "<SampledCounters><SampledCounter Value=\"instructions\" Interval=\"5000\"/>"
                    "<SampledCounter Value=\"branches\"/><SampledCounter Value=\"instructions\" "
                    "Interval=\"9000\"/></SampledCounters></HardwareCounter>" PROFILE ("P", "Light",
                                                                                       "File", "")
                        USE ("<HardwareCounterId Value=\"HC\"/>") "</Profile>" FILE_TAIL);
  choice->mode = again->mode = WPR_MODE_FILE;
  wpr_choice_add (choice, "P", "test.wprp", -1);
  wpr_choice_add (again, "P", "out.wprp", -1);
  g_autoptr (WprPlan) plan = wpr_plan_new (library, choice, machine, NULL);
  assert_true (get_item (plan, "sched:sched_switch")->strict);
  assert_int_equal (get_item (plan, "instructions")->period, 9000);
  g_autofree char *text = wpr_profile_export (library, choice, &error);
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
  assert_true (wpr_library_add_bytes (library, bytes, "out.wprp", &error));
  g_autoptr (WprPlan) same = wpr_plan_new (library, again, machine, NULL);
  assert_string_equal (same->digest, plan->digest);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_counters_become_events_of_the_processor),
    cmocka_unit_test (test_programs_are_filtered_in_the_kernel_but_never_switches),
    cmocka_unit_test (test_a_name_with_quotes_is_no_filter),
    cmocka_unit_test (test_pool_tags_choose_slab_caches),
    cmocka_unit_test (test_the_size_of_the_file_has_limits),
    cmocka_unit_test (test_what_is_not_done_is_a_note_with_element_and_line),
    cmocka_unit_test (test_words_of_a_provider_that_do_nothing_here_are_told),
    cmocka_unit_test (test_rows_of_providers_follow_level_and_event),
    cmocka_unit_test (test_names_of_events_choose_from_a_pattern),
    cmocka_unit_test (test_an_export_keeps_what_holds_of_names_said_twice),
    cmocka_unit_test (test_several_files_are_united_and_disagreements_named),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
