/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The commands about profile files, as a person uses them. */
#include "config.h"
#include "wpr-child.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include <glib/gstdio.h>

static const char good[]
    = "<WindowsPerformanceRecorder Version=\"1.0\"><Profiles>\n"
      "<SystemCollector Id=\"SC\"><BufferSize Value=\"256\"/><Buffers Value=\"16\"/>"
      "</SystemCollector>\n"
      "<SystemProvider Id=\"SP\"><Keywords><Keyword "
      "Value=\"CSwitch\"/></Keywords></SystemProvider>\n"
      "<Profile Id=\"Mine.Light.File\" Name=\"Mine\" Description=\"d\" LoggingMode=\"File\" "
      "DetailLevel=\"Light\"><Collectors><SystemCollectorId Value=\"SC\"><SystemProviderId "
      "Value=\"SP\"/></SystemCollectorId></Collectors></Profile>\n"
      "</Profiles></WindowsPerformanceRecorder>\n";

static char *
write_file (const char *name, const char *text)
{
  char *path = child_path (name);
  assert_true (g_file_set_contents (path, text, -1, NULL));
  return path;
}

/* The good file with one word changed. */
static char *
write_changed (const char *name, const char *from, const char *to)
{
  g_autoptr (GString) text = g_string_new (good);
  assert_int_equal (g_string_replace (text, from, to, 1), 1);
  return write_file (name, text->str);
}

static void
a_good_file_is_said_to_be_good (void **state)
{
  g_autofree char *path = write_file ("good.wprp", good);
  g_auto (Ran) ran = wpr_run ("-validate", path, "-strict", NULL);
  assert_status (ran, 0);
  assert_says (ran.out, "nothing is wrong");
  g_auto (Ran) json = wpr_run ("-validate", path, "-json", NULL);
  assert_status (json, 0);
  assert_says (json.out, "\"faults\":[],\"unused\":[],\"profiles\":1,\"valid\":true");
  g_unlink (path);
}

static void
errors_are_status_two_with_their_place (void **state)
{
  g_autofree char *path = write_changed ("bad.wprp", "Value=\"256\"", "Value=\"256KB\"");
  g_auto (Ran) ran = wpr_run ("-validate", path, NULL);
  assert_status (ran, 2);
  assert_says (ran.out, "bad.wprp:2:38: error 0xc5580701: WindowsPerformanceRecorder/Profiles/"
                        "SystemCollector/BufferSize/@Value");
  assert_says (ran.out, "Write 256.");
  g_unlink (path);
}

static void
warnings_are_errors_where_one_is_strict (void **state)
{
  g_autofree char *path = write_changed ("odd.wprp", "CSwitch", "CSwich");
  g_auto (Ran) ran = wpr_run ("-validate", path, NULL);
  assert_status (ran, 0);
  assert_says (ran.out, ":3:");
  assert_says (ran.out, ": warning");
  assert_says (ran.out, "Did you mean “CSwitch”?");
  g_auto (Ran) strict = wpr_run ("-validate", path, "-strict", "-json", NULL);
  assert_status (strict, 2);
  assert_says (strict.out, "\"severity\":\"error\"");
  assert_says (strict.out, "\"refused_by_wpr\":true");
  g_unlink (path);
}

static void
several_files_are_checked_at_once_and_one_that_is_not_there_is_said (void **state)
{
  g_autofree char *path = write_file ("good.wprp", good);
  g_auto (Ran) ran = wpr_run ("-validate", path, "/nowhere/no.wprp", NULL);
  assert_status (ran, 2);
  assert_says (ran.out, "nothing is wrong");
  assert_says (ran.err, "/nowhere/no.wprp");
  g_auto (Ran) none = wpr_run ("-validate", NULL);
  assert_status (none, 1);
  g_unlink (path);
}

static void
the_format_is_explained (void **state)
{
  g_auto (Ran) ran = wpr_run ("-help", "profiles", NULL);
  assert_status (ran, 0);
  assert_says (ran.out, "\n<EventProvider>");
  g_auto (Ran) command = wpr_run ("-help", "-profiles", NULL);
  assert_says (command.out, "wpr -profiles");
}

static void
what_no_profile_uses_is_a_note (void **state)
{
  g_autofree char *path = write_changed (
      "spare.wprp", "<SystemProvider", "<EventCollector Id=\"Spare\" Name=\"s\"/><SystemProvider");
  g_auto (Ran) ran = wpr_run ("-validate", path, "-strict", NULL);
  assert_status (ran, 0);
  assert_says (ran.out, "spare.wprp:3:1: note: WindowsPerformanceRecorder/Profiles/EventCollector");
  g_auto (Ran) json = wpr_run ("-validate", path, "-json", NULL);
  assert_says (json.out, "\"unused\":[{\"line\":3,\"column\":1,");
  g_unlink (path);
}

static void
what_is_left_out_is_a_warning_unless_it_is_strict (void **state)
{
  g_autofree char *path = write_changed ("odd.wprp", "CSwitch\"", "CSwich\"");
  g_auto (Ran) ran = wpr_run ("-profiledetails", path, "-filemode", NULL);
  assert_status (ran, 0);
  assert_says (ran.err, "Did you mean “CSwitch”?");
  g_autofree char *strict = write_changed ("strict.wprp", "CSwitch\"", "CSwich\" Strict=\"true\"");
  g_auto (Ran) refused = wpr_run ("-profiledetails", strict, "-filemode", NULL);
  assert_status (refused, 2);
  assert_says (refused.err, "CSwich");
  g_autofree char *light = g_strdup_printf ("%s!Mine.light", path);
  g_auto (Ran) named = wpr_run ("-profiledetails", light, "-filemode", "-json", NULL);
  assert_status (named, 0);
  assert_says (named.out, "\"level\":\"light\"");
  g_unlink (path);
  g_unlink (strict);
}

static void
an_export_is_a_file_that_means_the_same (void **state)
{
  g_autofree char *mine = write_file ("mine.wprp", good), *out = child_path ("out.wprp");
  g_autofree char *both = g_strdup_printf ("CPU+%s", mine);
  g_auto (Ran) ran = wpr_run ("-exportprofile", both, out, "-filemode", NULL);
  assert_status (ran, 0);
  g_auto (Ran) valid = wpr_run ("-validate", out, "-strict", NULL);
  assert_status (valid, 0);
  g_autofree char *exported = g_strdup_printf ("%s!CPU+%s!Mine", out, out);
  g_auto (Ran) before = wpr_run ("-profiledetails", both, "-filemode", "-json", NULL);
  g_auto (Ran) after = wpr_run ("-profiledetails", exported, "-filemode", "-json", NULL);
  const char *digest = strstr (before.out, "\"digest\":");
  assert_non_null (digest);
  g_autofree char *same = g_strndup (digest, strlen ("\"digest\":\"") + 64);
  assert_says (after.out, same);
  g_auto (Ran) again = wpr_run ("-exportprofile", both, out, NULL);
  assert_status (again, 11);
  g_auto (Ran) little = wpr_run ("-exportprofile", "CPU", NULL);
  assert_status (little, 1);
  g_unlink (mine);
  g_unlink (out);
}

static void
what_there_is_is_listed (void **state)
{
  g_auto (Ran) providers = wpr_run ("-providers", "-json", NULL);
  assert_status (providers, 0);
  assert_says (providers.out,
               "{\"name\":\"Microsoft-Windows-Kernel-Disk\",\"guid\":\"{c7bde69a-e1e0-4177-b6ef-"
               "283ad1525271}\",\"targets\":\"tracepoint:block:block_rq_issue");
  g_auto (Ran) counters = wpr_run ("-pmcsources", "-json", NULL);
  assert_status (counters, 0);
  assert_says (counters.out, "{\"name\":\"InstructionRetired\",\"event\":\"instructions\"");
  assert_says (counters.out, "\"event\":\"context-switches\",\"software\":true,\"available\":true");
  g_auto (Ran) text = wpr_run ("-providers", NULL);
  assert_says (text.out, "Microsoft-Windows-Kernel-Disk {c7bde69a");
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (a_good_file_is_said_to_be_good),
    cmocka_unit_test (errors_are_status_two_with_their_place),
    cmocka_unit_test (warnings_are_errors_where_one_is_strict),
    cmocka_unit_test (several_files_are_checked_at_once_and_one_that_is_not_there_is_said),
    cmocka_unit_test (the_format_is_explained),
    cmocka_unit_test (what_no_profile_uses_is_a_note),
    cmocka_unit_test (what_is_left_out_is_a_warning_unless_it_is_strict),
    cmocka_unit_test (an_export_is_a_file_that_means_the_same),
    cmocka_unit_test (what_there_is_is_listed),
  };
  return cmocka_run_group_tests (tests, child_setup, child_teardown);
}
