/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The real wpr where nothing records: what it answers, and what it says to bad input. Exit statuses
 * and the stable parts of the sentences. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>
#include <unistd.h>

#include "wpr-child.h"

static void
help_lists_what_there_is (void **state)
{
  g_auto (Ran) ran = wpr_run ("-help", NULL);
  assert_status (ran, 0);
  assert_says (ran.out, "wpr -start ");
  assert_says (ran.out, "wpr -recover ");
  assert_null (strstr (ran.out, "-heaptracingconfig")); /* of a later version */
  assert_string_equal (ran.err, "");
  g_auto (Ran) topic = wpr_run ("--help", "Stop", NULL);
  assert_status (topic, 0);
  assert_says (topic.out, "wpr -stop FILE.etl");
  assert_null (strstr (topic.out, "-start"));
  g_auto (Ran) unknown = wpr_run ("-help", "fly", NULL);
  assert_status (unknown, 1);
  g_auto (Ran) nothing = wpr_run_bare ();
  assert_status (nothing, 1);
  assert_says (nothing.out, "wpr -start ");
}

static void
version_is_said (void **state)
{
  g_auto (Ran) ran = wpr_run ("-version", NULL);
  assert_status (ran, 0);
  assert_says (ran.out, WPR_VERSION);
  g_auto (Ran) json = wpr_run ("-version", "-json", NULL);
  assert_says (json.out, "\"version\":1");
  assert_says (json.out, "\"release\":\"" WPR_VERSION "\"");
}

static void
verbs_of_later_versions_say_so (void **state)
{
  static const char *const later[] = { "-BootTrace", "-export", "-heaptracingconfig" };
  for (gsize i = 0; i < G_N_ELEMENTS (later); i++)
    {
      g_auto (Ran) ran = wpr_run (later[i], "x", NULL);
      assert_status (ran, 8);
      assert_says (ran.err, "not in this version");
    }
  g_auto (Ran) ran = wpr_run ("-fly", NULL);
  assert_status (ran, 1);
  assert_says (ran.err, "\"-fly\"");
  assert_says (ran.err, "0xc5600602");
}

static void
profiles_are_listed (void **state)
{
  static const char *const some[] = { "GeneralProfile", "CPU", "DiskIO", "FileIO", "Network" };
  g_auto (Ran) text = wpr_run ("-profiles", NULL);
  g_auto (Ran) json = wpr_run ("-profiles", "-json", NULL);
  assert_status (text, 0);
  assert_status (json, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (some); i++)
    {
      g_autofree char *quoted = g_strdup_printf ("{\"name\":\"%s\",\"title\":\"", some[i]);
      assert_says (text.out, some[i]);
      assert_says (json.out, quoted);
    }
  assert_says (json.out, "\"variants\":[\"Light.File\",\"Light.Memory\",\"Verbose.File\","
                         "\"Verbose.Memory\"],\"source\":null");
  assert_null (strstr (json.out, "BaseProfile")); /* internal */
}

static void
details_are_the_plan (void **state)
{
  g_auto (Ran) text = wpr_run ("-profiledetails", "CPU+DiskIO.light", "-filemode", NULL);
  assert_status (text, 0);
  assert_says (text.out, "sched:sched_switch");
  assert_says (text.out, "block:block_rq_complete");
  g_auto (Ran) json = wpr_run ("-profiledetails", "cpu", "-json", "-buffersize", "512", NULL);
  assert_status (json, 0);
  assert_says (json.out, "\"version\":1");
  g_auto (Ran) unknown = wpr_run ("-profiledetails", "CPU+Nothing", "-json", NULL);
  assert_status (unknown, 2);
  assert_says (unknown.out, "\"exit_status\":2");
  g_auto (Ran) internal = wpr_run ("-profiledetails", "BaseProfile", NULL);
  assert_status (internal, 2);
  assert_says (internal.err, "0xc558101c");
}

static void
nothing_recording_is_status_three (void **state)
{
  g_auto (Ran) text = wpr_run ("-status", NULL);
  assert_status (text, 3);
  assert_says (text.out, "0xc5583000");
  assert_string_equal (text.err, "");
  g_auto (Ran) json = wpr_run ("-status", "-json", NULL);
  assert_status (json, 3);
  assert_string_equal (json.out, "{\"version\":1,\"recordings\":[]}\n");
  g_auto (Ran) named
      = wpr_run ("-status", "profiles", "collectors", "-details", "-instancename", "none", NULL);
  assert_status (named, 3);
  assert_says (named.out, "none");
  g_auto (Ran) odd = wpr_run ("-status", "weather", NULL);
  assert_status (odd, 1);
  static const char *const verbs[] = { "-stop", "-save", "-cancel", "-marker" };
  for (gsize i = 0; i < G_N_ELEMENTS (verbs); i++)
    {
      g_auto (Ran) ran = g_str_equal (verbs[i], "-cancel") ? wpr_run (verbs[i], NULL)
                                                           : wpr_run (verbs[i], "x.etl", NULL);
      assert_status (ran, 3);
      assert_says (ran.err, "0xc5583000");
    }
}

/* ---- bad input ---- */

static void
profiles_that_are_not_there (void **state)
{
  g_auto (Ran) unknown = wpr_run ("-start", "Netwrok", NULL);
  assert_status (unknown, 2);
  assert_says (unknown.err, "Netwrok");
  assert_says (unknown.err, "Network"); /* the suggestion */
  g_auto (Ran) no_file = wpr_run ("-start", "没有 \"x\"\n.wprp!A", NULL);
  assert_status (no_file, 2);
  assert_says (no_file.err, "没有 \"x\"\\n.wprp");
  g_auto (Ran) folder = wpr_run ("-start", ".wprp", NULL);
  assert_status (folder, 2);
  g_auto (Ran) none = wpr_run ("-start", NULL);
  assert_status (none, 1);
  assert_says (none.err, "wpr -profiles");
}

static void
a_faulty_file_is_named_with_line_and_column (void **state)
{
  g_autofree char *path = child_path ("坏 file.wprp");
  const char *text
      = "<?xml version=\"1.0\"?>\n<WindowsPerformanceRecorder Version=\"1.0\">\n  <Profiles>\n";
  assert_true (g_file_set_contents (path, text, -1, NULL));
  g_auto (Ran) start = wpr_run ("-start", path, NULL);
  assert_status (start, 2);
  g_autofree char *where = g_strdup_printf ("%s:", path);
  const char *at = strstr (start.err, where);
  assert_non_null (at);
  at += strlen (where);
  char *end = NULL;
  assert_true (strtol (at, &end, 10) >= 3);
  assert_int_equal (*end, ':');
  assert_true (strtol (end + 1, NULL, 10) >= 1);
  g_auto (Ran) list = wpr_run ("-profiles", path, "-json", NULL);
  assert_status (list, 2);
  assert_says (list.out, "\"code\":\"profile\"");
  g_auto (Ran) binary = wpr_run ("-profiles", "/bin/sh", NULL);
  assert_status (binary, 2);
  g_auto (Ran) device = wpr_run ("-profiles", "/dev/zero", NULL);
  assert_status (device, 2);
  assert_int_equal (unlink (path), 0);
}

static void
numbers_that_cannot_work (void **state)
{
  static const char *const rows[][2] = {
    { "-buffersize", "0" },
    { "-buffersize", "-5" },
    { "-buffersize", "many" },
    { "-buffersize", "1e3" },
    { "-buffersize", "99999999999999999999" },
    { "-buffersize", "16385" },
    { "-buffersize", "" },
    { "-buffers", "0" },
    { "-buffers", "0%" },
    { "-buffers", "101%" },
    { "-buffers", "nan%" },
    { "-buffers", "5%%" },
    { "-buffers", "%" },
    { "-duration", "0" },
    { "-duration", "soon" },
    { "-duration", "99999999" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_auto (Ran) ran = wpr_run ("-start", "CPU", rows[i][0], rows[i][1], NULL);
      assert_status (ran, 1);
      assert_says (ran.err, rows[i][0]);
      assert_says (ran.err, "0xc5600602");
    }
  g_auto (Ran) missing = wpr_run ("-start", "CPU", "-buffersize", NULL);
  assert_status (missing, 1);
}

static void
options_that_do_not_belong (void **state)
{
  g_auto (Ran) unknown = wpr_run ("-start", "CPU", "-fast", NULL);
  assert_status (unknown, 1);
  assert_says (unknown.err, "-fast");
  g_auto (Ran) memory = wpr_run ("-start", "CPU", "-maxsize", "5", NULL);
  assert_status (memory, 1);
  assert_says (memory.err, "Add -filemode");
  assert_says (memory.err, "0xc558200a");
  g_auto (Ran) files = wpr_run ("-start", "CPU", "-filemode", "-maxfiles", "5", NULL);
  assert_status (files, 1);
  assert_says (files.err, "-maxsize");
  g_auto (Ran) name = wpr_run ("-start", "CPU", "-instancename", "../../etc", NULL);
  assert_status (name, 1);
  g_auto (Ran) many = wpr_run ("-cancel", "everything", NULL);
  assert_status (many, 1);
}

static void
folders_that_cannot_be_written (void **state)
{
  g_auto (Ran) none = wpr_run ("-start", "CPU", "-filemode", "-recordtempto", "/no/such", NULL);
  assert_status (none, 11);
  assert_says (none.err, "/no/such");
  g_auto (Ran) file = wpr_run ("-start", "CPU", "-recordtempto", "/bin/sh", NULL);
  assert_status (file, 11);
  g_auto (Ran) status = wpr_run ("-status", NULL);
  assert_status (status, 3); /* nothing was started */
}

static void
dump_of_what_cannot_be_dumped (void **state)
{
  g_auto (Ran) none = wpr_run ("-dump", NULL);
  assert_status (none, 1);
  g_auto (Ran) missing = wpr_run ("-dump", "没有.etl", NULL);
  assert_status (missing, 9);
  assert_says (missing.err, "没有.etl");
  g_auto (Ran) both = wpr_run ("-dump", "x.etl", "-csv", "-json", NULL);
  assert_status (both, 1);
  g_auto (Ran) help = wpr_run ("-help", "filter", NULL);
  assert_status (help, 0);
  assert_says (help.out, "ProcessName");
}

static void
info_of_what_is_no_recording (void **state)
{
  g_auto (Ran) none = wpr_run ("-info", NULL);
  assert_status (none, 1);
  g_auto (Ran) missing = wpr_run ("-info", "没有.etl", NULL);
  assert_int_not_equal (missing.status, 0);
  assert_says (missing.err, "没有.etl");
  g_autofree char *path = child_path ("text.etl");
  assert_true (g_file_set_contents (path, "no recording at all", -1, NULL));
  g_auto (Ran) text = wpr_run ("-info", path, "-json", NULL);
  assert_status (text, 9);
  assert_says (text.out, "\"code\":\"damaged\"");
  assert_int_equal (unlink (path), 0);
}

static void
nothing_to_recover (void **state)
{
  g_auto (Ran) ran = wpr_run ("-recover", NULL);
  assert_status (ran, 0);
  g_auto (Ran) json = wpr_run ("-recover", "-json", NULL);
  assert_string_equal (json.out, "{\"version\":1,\"recovered\":[]}\n");
  g_auto (Ran) none = wpr_run ("-recover", "/no/such", NULL);
  assert_int_not_equal (none.status, 0);
  assert_says (none.err, "/no/such");
}

/* Whatever own programs give (test-wpr-own.c): of Handle nothing is left. */
static void
without_rights_the_sentence_helps (void **state)
{
  if (geteuid () != 0)
    skip ();
  g_auto (Ran) details = wpr_run_as_nobody ("-profiledetails", "Handle", NULL);
  assert_status (details, 0);
  assert_says (details.out, "syscalls:sys_enter_openat: needs rights");
  assert_says (details.out, "sudo");
  g_auto (Ran) start = wpr_run_as_nobody ("-start", "Handle", NULL);
  assert_status (start, 5);
  assert_says (start.err, "wpr: ");
  assert_true (strlen (start.err) > 40); /* a sentence, not a word */
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (help_lists_what_there_is),
    cmocka_unit_test (version_is_said),
    cmocka_unit_test (verbs_of_later_versions_say_so),
    cmocka_unit_test (profiles_are_listed),
    cmocka_unit_test (details_are_the_plan),
    cmocka_unit_test (nothing_recording_is_status_three),
    cmocka_unit_test (profiles_that_are_not_there),
    cmocka_unit_test (a_faulty_file_is_named_with_line_and_column),
    cmocka_unit_test (numbers_that_cannot_work),
    cmocka_unit_test (options_that_do_not_belong),
    cmocka_unit_test (folders_that_cannot_be_written),
    cmocka_unit_test (info_of_what_is_no_recording),
    cmocka_unit_test (dump_of_what_cannot_be_dumped),
    cmocka_unit_test (nothing_to_recover),
    cmocka_unit_test (without_rights_the_sentence_helps),
  };
  return cmocka_run_group_tests (tests, child_setup, child_teardown);
}
