/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a guide makes of its words, and what its page promises of a recording: nothing that the plan
 * does not keep. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "guide-facts.h"
#include "guide.h"

#define MEMORY (8 * G_GUINT64_CONSTANT (1073741824))

/* ---- words ---- */

static void
assert_name (const char *ticket, const char *note, const char *expected)
{
  g_autofree char *name = wpr_guide_name_words (ticket, note);
  assert_string_equal (name, expected);
}

static void
odd_tickets_become_names_of_files (void **state)
{
  assert_name ("", "", "");
  assert_name ("4711", "", "Ticket 4711");
  assert_name ("INC/2026/4711", "", "Ticket INC 2026 4711");
  assert_name ("../../etc", "a\\b:c*?\"<>|", "Ticket .. .. etc a b c");
  assert_name ("工单一二", "菜单 卡住。", "Ticket 工单一二 菜单 卡住。");
  assert_name (" \t\n", " \n ", "");
  assert_name ("1\n2", "line\x01here...", "Ticket 1 2 line here");
}

static void
a_long_ticket_is_cut_between_characters (void **state)
{
  static const char *const repeated[] = { "7", "工" };
  for (guint i = 0; i < G_N_ELEMENTS (repeated); i++)
    {
      g_autoptr (GString) ticket = g_string_new (NULL);
      for (guint j = 0; j < 200; j++)
        g_string_append (ticket, repeated[i]);
      g_autofree char *name = wpr_guide_name_words (ticket->str, "the menu freezes");
      assert_true (g_utf8_validate (name, -1, NULL));
      assert_int_equal (g_utf8_strlen (name, -1), 60);
      assert_true (strlen (name) < 200);
      /* what goes into the recording is whole */
      g_autofree char *description = wpr_guide_describe (ticket->str, "the menu freezes");
      assert_non_null (strstr (description, ticket->str));
      assert_true (g_str_has_suffix (description, ": the menu freezes"));
    }
}

static void
steps_are_found (void **state)
{
  static const struct
  {
    const char *comments, *steps;
  } rows[] = {
    { NULL, "" },
    { "", "" },
    { "Open it.", "Open it." },
    { "1. Open it. 2. Wait 3. minutes. 3. Close it.", "Open it.|Wait|minutes. 3. Close it." },
    { "1. Open it. 2. Wait.", "Open it.|Wait." },
    { "1. Open it.\n2) Wait.\n\n  3. Close it.  ", "Open it.|Wait.|Close it." },
    { "Open\nWait 2. times", "Open|Wait 2. times" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_auto (GStrv) steps = wpr_guide_split_steps (rows[i].comments);
      g_autofree char *joined = g_strjoinv ("|", steps);
      assert_string_equal (joined, rows[i].steps);
    }
}

/* ---- promises ---- */

static WprPlan *
plan_profile (const char *name, WprLevel level)
{
  g_autoptr (WprLibrary) library = wpr_library_new ();
  g_autoptr (WprMachine) machine = wpr_machine_new (2, MEMORY, WPR_RIGHTS_FULL);
  wpr_machine_set_default (machine, WPR_HAVE_YES);
  g_autoptr (WprChoice) choice = wpr_choice_new ();
  wpr_choice_add (choice, name, NULL, level);
  g_autoptr (GError) error = NULL;
  WprPlan *plan = wpr_plan_new (library, choice, machine, &error);
  if (plan == NULL)
    fail_msg ("%s", error->message);
  return plan;
}

/* One tracepoint alone. */
static WprPlan *
plan_tracepoint (const char *provider)
{
  g_autofree char *text = g_strdup_printf (
      "<WindowsPerformanceRecorder Version=\"1.0\"><Profiles>"
      "<EventCollector Id=\"C\" Name=\"C\"><BufferSize Value=\"256\"/><Buffers Value=\"16\"/>"
      "</EventCollector><EventProvider Id=\"P\" Name=\"%s\"/>"
      "<Profile Id=\"A.Verbose.Memory\" Name=\"A\" Description=\"A\" LoggingMode=\"Memory\" "
      "DetailLevel=\"Verbose\"><Collectors><EventCollectorId Value=\"C\"><EventProviders>"
      "<EventProviderId Value=\"P\"/></EventProviders></EventCollectorId></Collectors></Profile>"
      "</Profiles></WindowsPerformanceRecorder>",
      provider);
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
  g_autoptr (WprLibrary) library = wpr_library_new ();
  g_autoptr (WprMachine) machine = wpr_machine_new (2, MEMORY, WPR_RIGHTS_FULL);
  wpr_machine_set_default (machine, WPR_HAVE_YES);
  g_autoptr (GError) error = NULL;
  if (!wpr_library_add_bytes (library, bytes, "a.wprp", &error))
    fail_msg ("%s", error->message);
  g_autoptr (WprChoice) choice = wpr_choice_new ();
  wpr_choice_add (choice, "A", "a.wprp", -1);
  WprPlan *plan = wpr_plan_new (library, choice, machine, &error);
  if (plan == NULL)
    fail_msg ("%s", error->message);
  return plan;
}

static gboolean
has_line (GPtrArray *lines, const char *line)
{
  return g_ptr_array_find_with_equal_func (lines, line, g_str_equal, NULL);
}

/* One row a kind of fact: how it is said when it is recorded, and when it is not. */
static const struct
{
  const char *told, *untold;
} facts[] = {
  { "Names of the files that programs open",
    "Names of your documents, unless a command line has them" },
  { "Addresses of the computers this one talks to", "Which computers this one talks to" },
  { "Which functions of programs run (call stacks)", "Which functions of programs run" },
};

static void
assert_promise (WprPlan *taken, gboolean files, gboolean network, gboolean functions)
{
  g_autoptr (WprPlan) plan = taken;
  g_autoptr (GPtrArray) told = wpr_guide_list_told (plan);
  g_autoptr (GPtrArray) untold = wpr_guide_list_untold (plan);
  const gboolean recorded[] = { files, network, functions };
  assert_true (has_line (told, "Command lines of the programs that run"));
  for (guint i = 0; i < G_N_ELEMENTS (facts); i++)
    {
      if (has_line (told, facts[i].told) != recorded[i])
        fail_msg ("“%s” is %stold", facts[i].told, recorded[i] ? "not " : "");
      if (has_line (untold, facts[i].untold) == recorded[i])
        fail_msg ("“%s” is %spromised", facts[i].untold, recorded[i] ? "" : "not ");
    }
}

static void
what_is_not_recorded_follows_from_the_plan (void **state)
{
  assert_promise (plan_profile ("CPU", WPR_LEVEL_LIGHT), FALSE, FALSE, FALSE);
  assert_promise (plan_profile ("CPU", WPR_LEVEL_VERBOSE), FALSE, FALSE, TRUE);
  assert_promise (plan_profile ("FileIO", WPR_LEVEL_LIGHT), TRUE, FALSE, FALSE);
  assert_promise (plan_profile ("Network", WPR_LEVEL_LIGHT), FALSE, TRUE, FALSE);
  assert_promise (plan_tracepoint ("tracepoint:sched:sched_process_exec"), FALSE, FALSE, FALSE);
  assert_promise (plan_tracepoint ("tracepoint:tcp:tcp_probe"), FALSE, TRUE, FALSE);
}

/* Nobody here knows what it carries: nothing is promised, and it is named. */
static void
events_of_others_are_named_and_nothing_is_promised (void **state)
{
  g_autoptr (WprPlan) plan = plan_tracepoint ("tracepoint:mydriver:keys");
  g_autoptr (GPtrArray) told = wpr_guide_list_told (plan);
  g_autoptr (GPtrArray) untold = wpr_guide_list_untold (plan);
  g_autofree char *never = wpr_guide_describe_never (plan);
  g_autofree char *all = wpr_guide_describe_told (plan);
  assert_true (has_line (told, "What these events carry: mydriver:keys"));
  assert_int_equal (untold->len, 0);
  assert_non_null (strstr (never, "mydriver:keys"));
  assert_null (strstr (never, "never"));
  assert_non_null (strstr (all, "mydriver:keys"));
  g_autoptr (WprPlan) known = plan_profile ("CPU", WPR_LEVEL_VERBOSE);
  g_autofree char *promise = wpr_guide_describe_never (known);
  assert_true (g_str_has_suffix (promise, ": never."));
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (odd_tickets_become_names_of_files),
    cmocka_unit_test (a_long_ticket_is_cut_between_characters),
    cmocka_unit_test (steps_are_found),
    cmocka_unit_test (what_is_not_recorded_follows_from_the_plan),
    cmocka_unit_test (events_of_others_are_named_and_nothing_is_promised),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
