/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bases and Operation: what a profile says in the end. Seen through plans, and through the faults
 * of files that lead nowhere. */
#include "config.h"
#include "helpers.h"

#define SC                                                                     \
  "<SystemCollector Id=\"SC\" Name=\"C\"><BufferSize Value=\"256\"/><Buffers " \
  "Value=\"8\"/></SystemCollector>"
#define EC "<EventCollector Id=\"EC\" Name=\"E\"/>"
#define SP(id, more, inside) "<SystemProvider Id=\"" id "\" " more ">" inside "</SystemProvider>"
#define KEYWORDS(operation, keyword) \
  "<Keywords Operation=\"" operation "\"><Keyword Value=\"" keyword "\"/></Keywords>"
#define EP(id, name) "<EventProvider Id=\"" id "\" Name=\"tracepoint:" name "\"/>"
#define IN_SC(inside)                                                     \
  "<Collectors Operation=\"Add\"><SystemCollectorId Value=\"SC\">" inside \
  "</SystemCollectorId></Collectors>"
#define IN_EC(operation, inside)                                                  \
  "<Collectors Operation=\"Add\"><EventCollectorId Value=\"EC\"><EventProviders " \
  "Operation=\"" operation "\">" inside "</EventProviders></EventCollectorId></Collectors>"

static WprPlan *
plan_text (const char *text, const char *name)
{
  g_autoptr (WprLibrary) library = wpr_library_new ();
  add_text (library, text);
  g_autoptr (WprMachine) machine = wpr_machine_new (2, 8 * GIB, WPR_RIGHTS_FULL);
  return plan_one (library, name, "test.wprp", WPR_MODE_FILE, machine);
}

/* The first error's message; "" if there is none. */
static char *
refuse_text (const char *text)
{
  g_autoptr (WprLibrary) library = wpr_library_new ();
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
  g_autoptr (GError) error = NULL;
  if (wpr_library_add_bytes (library, bytes, "test.wprp", &error))
    return g_strdup ("");
  assert_true (g_error_matches (error, WPR_ERROR, WPR_ERROR_PROFILE));
  assert_true (wpr_library_get_faults (library)->len > 0);
  return g_strdup (error->message);
}

static void
test_a_provider_starts_from_its_base (void **state)
{
  g_autoptr (WprPlan) plan = plan_text (
      FILE_HEAD SC SP ("A", "", KEYWORDS ("Set", "CSwitch")) SP ("B", "Base=\"A\"",
                                                                 KEYWORDS ("Add", "Interrupt"))
          SP ("C", "Base=\"B\"", KEYWORDS ("Remove", "CSwitch")) PROFILE ("P", "Light", "File", "")
              IN_SC ("<SystemProviderId Value=\"B\"/>") "</Profile>" PROFILE ("Q", "Light", "File",
                                                                              "")
                  IN_SC ("<SystemProviderId Value=\"C\"/>") "</Profile>" FILE_TAIL,
      "P");
  assert_non_null (get_item (plan, "sched:sched_switch"));
  assert_non_null (get_item (plan, "irq:irq_handler_entry"));
  g_autoptr (WprPlan) other = plan_text (
      FILE_HEAD SC SP ("A", "", KEYWORDS ("Set", "CSwitch"))
          SP ("B", "Base=\"A\"", KEYWORDS ("Add", "Interrupt")) SP ("C", "Base=\"B\"",
                                                                    KEYWORDS ("Remove", "CSwitch"))
              SP ("D", "Base=\"B\"", KEYWORDS ("Set", "Pool")) PROFILE ("P", "Light", "File", "")
                  IN_SC ("<SystemProviderId Value=\"C\"/>") "</Profile>" PROFILE ("Q", "Light",
                                                                                  "File", "")
                      IN_SC ("<SystemProviderId Value=\"D\"/>") "</Profile>" FILE_TAIL,
      "P");
  assert_null (get_item (other, "sched:sched_switch"));
  assert_non_null (get_item (other, "irq:irq_handler_entry"));
}

static void
test_set_replaces_what_the_base_had (void **state)
{
  g_autoptr (WprPlan) plan = plan_text (
      FILE_HEAD SC SP ("A", "", KEYWORDS ("Set", "CSwitch"))
          SP ("B", "Base=\"A\"", KEYWORDS ("Set", "Pool")) PROFILE ("P", "Light", "File", "")
              IN_SC ("<SystemProviderId Value=\"B\"/>") "</Profile>" FILE_TAIL,
      "P");
  assert_null (get_item (plan, "sched:sched_switch"));
  assert_non_null (get_item (plan, "kmem:kmalloc"));
}

static void
test_a_reference_may_change_the_providers_keywords (void **state)
{
  g_autoptr (WprPlan) plan = plan_text (
      FILE_HEAD SC SP ("A", "", KEYWORDS ("Set", "CSwitch")) PROFILE ("P", "Light", "File", "")
          IN_SC ("<SystemProviderId Value=\"A\">" KEYWORDS ("Add", "Pool")
                     KEYWORDS ("Remove", "CSwitch") "</SystemProviderId>") "</Profile>" FILE_TAIL,
      "P");
  assert_null (get_item (plan, "sched:sched_switch"));
  assert_non_null (get_item (plan, "kmem:kmalloc"));
}

static void
test_a_profile_adds_to_the_collectors_of_its_base (void **state)
{
  g_autoptr (WprPlan) plan = plan_text (
      FILE_HEAD SC EC SP ("A", "", KEYWORDS ("Set", "CSwitch")) EP (
          "X", "block:block_rq_issue") EP ("Y", "block:block_split")
          PROFILE ("P", "Light", "File", "") IN_SC ("<SystemProviderId Value=\"A\"/>") IN_EC (
              "Set",
              "<EventProviderId Value=\"X\"/>") "</Profile>"
                                                "<Profile Id=\"Q.Light.File\" Name=\"Q\" "
                                                "Description=\"Q\" LoggingMode=\"File\" "
                                                "DetailLevel=\"Light\" Base=\"P.Light.File\">"
                                                "<Collectors Operation=\"Add\">"
                                                "<SystemCollectorId Value=\"SC\"><Buffers "
                                                "Value=\"32\"/></SystemCollectorId>"
                                                "<EventCollectorId Value=\"EC\"><EventProviders "
                                                "Operation=\"Add\">"
                                                "<EventProviderId "
                                                "Value=\"Y\"/></EventProviders></EventCollectorId>"
                                                "</Collectors></Profile>" FILE_TAIL,
      "Q");
  const WprPlanCollector *system = get_collector (plan, "C");
  assert_non_null (system);
  assert_int_equal (system->buffer_kb, 256);
  assert_int_equal (system->buffers_asked, 32);
  assert_non_null (get_item (plan, "sched:sched_switch"));
  const WprPlanCollector *event = get_collector (plan, "E");
  assert_int_equal (event->items->len, 2);
}

static void
test_collectors_set_forgets_the_base_and_remove_takes_one_away (void **state)
{
  const char *text = FILE_HEAD SC EC SP ("A", "", KEYWORDS ("Set", "CSwitch"))
      EP ("X", "block:block_split") PROFILE ("P", "Light", "File",
                                             "") IN_SC ("<SystemProviderId Value=\"A\"/>")
          IN_EC ("Set", "<EventProviderId Value=\"X\"/>") "</Profile>" PROFILE (
              "Q", "Light", "File",
              "Base=\"P.Light.File\"") "<Collectors><EventCollectorId Value=\"EC\"><EventProviders>"
                                       "<EventProviderId "
                                       "Value=\"X\"/></EventProviders></EventCollectorId>"
                                       "</Collectors></Profile>" PROFILE (
                                           "R", "Light", "File",
                                           "Base=\"P.Light.File\"") "<Collectors "
                                                                    "Operation=\"Remove\"><"
                                                                    "EventCollectorId "
                                                                    "Value=\"EC\"/></Collectors>"
                                                                    "</Profile>" FILE_TAIL;
  g_autoptr (WprPlan) set = plan_text (text, "Q");
  assert_null (get_item (set, "sched:sched_switch"));
  assert_non_null (get_item (set, "block:block_split"));
  g_autoptr (WprPlan) removed = plan_text (text, "R");
  assert_non_null (get_item (removed, "sched:sched_switch"));
  assert_null (get_item (removed, "block:block_split"));
  assert_null (get_collector (removed, "E"));
}

static void
test_event_providers_can_be_removed (void **state)
{
  g_autoptr (WprPlan) plan = plan_text (
      FILE_HEAD EC EP ("X", "block:block_rq_issue") EP ("Y", "block:block_split")
          PROFILE ("P", "Light", "File", "")
              IN_EC ("Set", "<EventProviderId Value=\"X\"/><EventProviderId Value=\"Y\"/>")
                  IN_EC ("Remove", "<EventProviderId Value=\"X\"/>") "</Profile>" FILE_TAIL,
      "P");
  assert_null (get_item (plan, "block:block_rq_issue"));
  assert_non_null (get_item (plan, "block:block_split"));
}

static void
test_masks_of_event_providers_follow_operation (void **state)
{
  /* Of this provider 0x10 leads to sched_process_fork, 0x20 to task_newtask, 0x80 to
   * sched_pi_setprio. */
  static const struct
  {
    const char *base, *more, *reference;
    gboolean has[3];
  } rows[] = {
    { "0x10", "", "", { TRUE, FALSE, FALSE } },
    { "32", "", "", { FALSE, TRUE, FALSE } },
    { "0x10",
      "<Keywords Operation=\"Add\"><Keyword Value=\"0x20\"/></Keywords>",
      "",
      { TRUE, TRUE, FALSE } },
    { "0x30",
      "<Keywords Operation=\"Remove\"><Keyword Value=\"0x20\"/></Keywords>",
      "",
      { TRUE, FALSE, FALSE } },
    { "0x10",
      "<Keywords><Keyword Value=\"0x20\"/><Keyword Value=\"0x80\"/></Keywords>",
      "",
      { FALSE, TRUE, TRUE } },
    { "0x10",
      "",
      "<Keywords Operation=\"Add\"><Keyword Value=\"0x80\"/></Keywords>",
      { TRUE, FALSE, TRUE } },
    { "0x0", "", "", { TRUE, TRUE, TRUE } }, /* none is all */
  };
  static const char *const events[]
      = { "sched:sched_process_fork", "task:task_newtask", "sched:sched_pi_setprio" };
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *text = g_strconcat (
          FILE_HEAD EC
          "<EventProvider Id=\"A\" Name=\"Microsoft-Windows-Kernel-Process\"><Keywords>"
          "<Keyword Value=\"",
          rows[i].base,
          "\"/></Keywords></EventProvider><EventProvider Id=\"B\" Base=\"A\" "
          "Name=\"22fb2cd6-0e7b-422b-a0c7-2fad1fd0e716\">",
          rows[i].more,
          "</EventProvider>" PROFILE (
              "P", "Light", "File",
              "") "<Collectors>"
                  "<EventCollectorId Value=\"EC\"><EventProviders><EventProviderId Value=\"B\">",
          rows[i].reference,
          "</EventProviderId></EventProviders></EventCollectorId></Collectors></Profile>" FILE_TAIL,
          NULL);
      g_autoptr (WprPlan) plan = plan_text (text, "P");
      for (gsize j = 0; j < G_N_ELEMENTS (events); j++)
        if ((get_item (plan, events[j]) != NULL) != rows[i].has[j])
          fail_msg ("row %zu: %s", i, events[j]);
    }
}

static void
test_built_in_ids_are_known_to_every_file (void **state)
{
  g_autoptr (WprPlan) plan = plan_text (
      FILE_HEAD SP ("A", "Base=\"SystemProvider_Base\"", KEYWORDS ("Add", "Pool")) PROFILE (
          "P", "Light", "File",
          "Base=\"GeneralProfile.Light.File\"") "<Collectors Operation=\"Add\">"
                                                "<SystemCollectorId "
                                                "Value=\"SystemCollector_"
                                                "WPRSystemCollectorInFile\">"
                                                "<SystemProviderId "
                                                "Value=\"A\"/></SystemCollectorId>"
                                                "<EventCollectorId "
                                                "Value=\"EventCollector_WPREventCollectorInFile\">"
                                                "<EventProviders><EventProvider Id=\"T\" "
                                                "Name=\"tracepoint:block:block_split\"/>"
                                                "</EventProviders></EventCollectorId></"
                                                "Collectors></Profile>" FILE_TAIL,
      "P");
  assert_non_null (get_item (plan, "kmem:kmalloc"));
  assert_non_null (get_item (plan, "sched:sched_switch"));
  assert_non_null (get_item (plan, "sched:sched_process_exec"));
  assert_non_null (get_collector (plan, "WPR Event Collector"));
}

static void
test_a_file_may_build_on_the_built_in_id_it_uses_itself (void **state)
{
  g_autoptr (WprPlan) plan = plan_text (
      FILE_HEAD SP ("SystemProvider_Base", "Base=\"SystemProvider_Base\"", KEYWORDS ("Add", "Pool"))
          SC PROFILE ("P", "Light", "File", "")
              IN_SC ("<SystemProviderId Value=\"SystemProvider_Base\"/>") "</Profile>" FILE_TAIL,
      "P");
  assert_non_null (get_item (plan, "kmem:kmalloc"));
  assert_non_null (get_item (plan, "sched:sched_process_exec"));
}

static void
test_an_empty_base_is_none (void **state)
{
  g_autofree char *message = refuse_text (
      FILE_HEAD SC PROFILE ("P", "Light", "File", "Base=\"\"") "</Profile>" FILE_TAIL);
  assert_string_equal (message, "");
}

static void
test_a_circle_of_bases_is_printed (void **state)
{
  g_autofree char *message
      = refuse_text (FILE_HEAD SP ("A", "Base=\"B\"", "") SP ("B", "Base=\"C\"", "")
                         SP ("C", "Base=\"A\"", "") SC PROFILE ("P", "Light", "File", "")
                             IN_SC ("<SystemProviderId Value=\"A\"/>") "</Profile>" FILE_TAIL);
  assert_non_null (strstr (message, "A → B → C → A"));
  g_autofree char *self = refuse_text (
      FILE_HEAD SC PROFILE ("P", "Light", "File", "Base=\"P.Light.File\"") "</Profile>" FILE_TAIL);
  assert_non_null (strstr (self, "P.Light.File → P.Light.File"));
}

static void
test_a_reference_to_nothing_is_an_error_with_a_suggestion (void **state)
{
  g_autofree char *message = refuse_text (FILE_HEAD SC "\n" PROFILE (
      "P", "Light", "File",
      "") "<Collectors>"
          "<SystemCollectorId Value=\"Sc\"/></Collectors></Profile>" FILE_TAIL);
  assert_non_null (strstr (message, "test.wprp:2:"));
  assert_non_null (strstr (message, "No SystemCollector has the Id “Sc”"));
  assert_non_null (strstr (message, "“SC”"));
}

static void
test_numbers_are_checked (void **state)
{
  static const struct
  {
    const char *buffers, *part;
  } rows[] = {
    { "<BufferSize Value=\"1024K\"/>", "Write 1024. The unit is always KB." },
    { "<BufferSize Value=\"3\"/>", "from 4 to 1048576" },
    { "<BufferSize Value=\"1048577\"/>", "from 4 to 1048576" },
    { "<BufferSize Value=\"99999999999999999999999\"/>", "from 4 to 1048576" },
    { "<BufferSize Value=\"-4\"/>", "not a whole number" },
    { "<BufferSize Value=\"\"/>", "not a whole number" },
    { "<Buffers Value=\"0\"/>", "from 1 to 1000000" },
    { "<Buffers Value=\"1000001\"/>", "from 1 to 1000000" },
    { "<Buffers Value=\"nan\"/>", "Write a number." },
    { "<Buffers Value=\"101\" PercentageOfTotalMemory=\"true\"/>", "percentage" },
    { "<Buffers Value=\"5\" PercentageOfTotalMemory=\"true\" MaximumBufferSpace=\"0\"/>",
      "MaximumBufferSpace" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *text = g_strconcat (
          FILE_HEAD "<SystemCollector Id=\"SC\">", rows[i].buffers,
          "</SystemCollector>" PROFILE ("P", "Light", "File", "")
              IN_SC ("<SystemProviderId Value=\"SystemProvider_Base\"/>") "</Profile>" FILE_TAIL,
          NULL);
      g_autofree char *message = refuse_text (text);
      if (strstr (message, rows[i].part) == NULL)
        fail_msg ("%s: %s", rows[i].buffers, message);
    }
}

static void
test_wrong_words_are_errors (void **state)
{
  g_autofree char *mode
      = refuse_text (FILE_HEAD SC PROFILE ("P", "Light", "Disk", "") "</Profile>" FILE_TAIL);
  assert_non_null (strstr (mode, "Write File or Memory."));
  g_autofree char *level
      = refuse_text (FILE_HEAD SC PROFILE ("P", "Heavy", "File", "") "</Profile>" FILE_TAIL);
  assert_non_null (strstr (level, "Write Light or Verbose."));
  g_autofree char *operation = refuse_text (
      FILE_HEAD SC SP ("A", "", KEYWORDS ("Plus", "CSwitch")) PROFILE ("P", "Light", "File", "")
          IN_SC ("<SystemProviderId Value=\"A\"/>") "</Profile>" FILE_TAIL);
  assert_non_null (strstr (operation, "Write Set, Add or Remove."));
  g_autofree char *none = refuse_text (FILE_HEAD SC FILE_TAIL);
  assert_non_null (strstr (none, "no profile"));
}

static void
test_unknown_keywords_and_stacks_are_warnings (void **state)
{
  g_autoptr (WprLibrary) library = wpr_library_new ();
  add_text (library, FILE_HEAD SC
            "\n" SP ("A", "",
                     "<Keywords><Keyword Value=\"CSwich\"/><Keyword Value=\"Pool\"/></Keywords>"
                     "<Stacks><Stack Value=\"Nothing\"/></Stacks>")
                PROFILE ("P", "Light", "File", "")
                    IN_SC ("<SystemProviderId Value=\"A\"/>") "</Profile>" PROFILE ("P", "Verbose",
                                                                                    "File", "")
                        IN_SC ("<SystemProviderId Value=\"A\"/>") "</Profile>" FILE_TAIL);
  const GPtrArray *faults = wpr_library_get_faults (library);
  assert_int_equal (faults->len, 2); /* once each, though two profiles use the provider */
  const WprFault *keyword = g_ptr_array_index (faults, 0);
  assert_false (keyword->is_error);
  assert_int_equal (keyword->line, 2);
  assert_non_null (strstr (keyword->advice, "CSwitch"));
  assert_string_equal (keyword->path, "WindowsPerformanceRecorder/Profiles/SystemProvider/Keywords/"
                                      "Keyword/@Value");
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_a_provider_starts_from_its_base),
    cmocka_unit_test (test_set_replaces_what_the_base_had),
    cmocka_unit_test (test_a_reference_may_change_the_providers_keywords),
    cmocka_unit_test (test_a_profile_adds_to_the_collectors_of_its_base),
    cmocka_unit_test (test_collectors_set_forgets_the_base_and_remove_takes_one_away),
    cmocka_unit_test (test_event_providers_can_be_removed),
    cmocka_unit_test (test_masks_of_event_providers_follow_operation),
    cmocka_unit_test (test_built_in_ids_are_known_to_every_file),
    cmocka_unit_test (test_a_file_may_build_on_the_built_in_id_it_uses_itself),
    cmocka_unit_test (test_an_empty_base_is_none),
    cmocka_unit_test (test_a_circle_of_bases_is_printed),
    cmocka_unit_test (test_a_reference_to_nothing_is_an_error_with_a_suggestion),
    cmocka_unit_test (test_numbers_are_checked),
    cmocka_unit_test (test_wrong_words_are_errors),
    cmocka_unit_test (test_unknown_keywords_and_stacks_are_warnings),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
