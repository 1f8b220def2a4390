/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The real wpr over finished files: -dump and -merge, whole files and cut ones, readers that go
 * away, disks that are full. */
#include "config.h"

#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../core/file/file-kit.h"
#include "wpr-child.h"

static guint
count_lines (const char *text)
{
  guint n = 0;
  for (; *text != '\0'; text++)
    n += *text == '\n';
  return n;
}

static FileKit *
make (guint n, const char *name)
{
  FileKit *kit = file_kit_new (1, 100);
  file_kit_process (kit, 0, 0, 0x0303, 7, "myapp");
  for (guint i = 0; i < n; i++)
    file_kit_event (kit, 0, i, 7, 8, "Linux.test", name, "u:N", "5", NULL);
  file_kit_finish (kit, 2);
  return kit;
}

static void
events_are_printed_and_chosen (void **state)
{
  g_autoptr (FileKit) kit = make (100, "tick");
  g_auto (Ran) all = wpr_run ("-dump", kit->path, NULL);
  assert_status (all, 0);
  assert_string_equal (all.err, "");
  assert_int_equal (count_lines (all.out), 2 + 3 + 1 + 100); /* titles, header, process */
  g_auto (Ran) some
      = wpr_run ("-dump", kit->path, "-filter", "ProcessName=\"myapp\" && EventName==tick", "-from",
                 "0.010", "-to", "0.0195", "-csv", NULL);
  assert_status (some, 0);
  assert_int_equal (count_lines (some.out), 1 + 10);
  g_auto (Ran) json = wpr_run ("--dump", kit->path, "-json", "-filter", "N > 5", NULL);
  assert_status (json, 0);
  assert_int_equal (count_lines (json.out), 2);
  assert_says (json.out, "{\"kind\":\"end\",\"events\":0,");
}

static void
what_is_asked_wrongly_is_answered (void **state)
{
  g_autoptr (FileKit) kit = make (1, "tick");
  g_auto (Ran) filter = wpr_run ("-dump", kit->path, "-filter", "Level <= many", NULL);
  assert_status (filter, 1);
  assert_says (filter.err, "column 10");
  assert_string_equal (filter.out, "");
  g_auto (Ran) from = wpr_run ("-dump", kit->path, "-from", "yesterday", "-json", NULL);
  assert_status (from, 1);
  assert_says (from.out, "\"code\":\"usage\"");
  g_auto (Ran) binary = wpr_run ("-dump", "/bin/sh", NULL);
  assert_status (binary, 9);
}

static void
a_cut_file_is_printed_and_told (void **state)
{
  g_autoptr (FileKit) kit = make (3000, "tick");
  struct stat st;
  assert_int_equal (stat (kit->path, &st), 0);
  assert_int_equal (truncate (kit->path, st.st_size - 70001), 0);
  g_auto (Ran) ran = wpr_run ("-dump", kit->path, NULL);
  assert_status (ran, 9);
  assert_in_range (count_lines (ran.out), 500, 3000);
  assert_says (ran.err, "wpr: ");
  g_auto (Ran) json = wpr_run ("-dump", kit->path, "-json", NULL);
  assert_status (json, 9);
  assert_says (json.out, "\"faults\":[\"");
}

static void
a_reader_that_has_seen_enough_is_no_fault (void **state)
{
  g_autoptr (FileKit) kit = make (50000, "tick");
  int fd, status = 0;
  char bytes[4096];
  GPid pid = wpr_begin (&fd, "-dump", kit->path, NULL);
  assert_true (read (fd, bytes, sizeof bytes) > 0);
  close (fd);
  assert_int_equal (waitpid (pid, &status, 0), pid);
  assert_true (WIFEXITED (status));
  assert_int_equal (WEXITSTATUS (status), 0);
}

static void
a_full_disk_is_a_fault (void **state)
{
  g_autoptr (FileKit) kit = make (10, "tick");
  g_autofree char *program
      = g_build_filename (g_getenv ("WPR_BUILD_ROOT"), "ui", "command", "wpr", NULL);
  const char *argv[]
      = { "/bin/sh", "-c", "exec \"$0\" -dump \"$1\" > /dev/full", program, kit->path, NULL };
  g_autofree char *err = NULL;
  int status = 0;
  assert_true (g_spawn_sync (NULL, (char **)argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, NULL, &err,
                             &status, NULL));
  assert_true (WIFEXITED (status));
  assert_int_equal (WEXITSTATUS (status), 6);
  assert_true (strlen (err) > 0);
}

static void
files_are_joined_into_a_new_one (void **state)
{
  g_autoptr (FileKit) a = make (10, "tick");
  g_autoptr (FileKit) b = make (20, "tock");
  g_autofree char *path = child_path ("both.etl");
  g_auto (Ran) ran = wpr_run ("-merge", a->path, b->path, path, "-json", NULL);
  assert_status (ran, 0);
  assert_int_equal (json_number (ran.out, "events_lost", 0), 4);
  g_auto (Ran) info = wpr_run ("-info", path, "-json", NULL);
  assert_status (info, 0);
  assert_int_equal (json_number (info.out, "events", 0), json_number (ran.out, "events", 0));
  g_auto (Ran) again = wpr_run ("-merge", a->path, b->path, path, NULL);
  assert_status (again, 11);
  g_auto (Ran) nowhere = wpr_run ("-merge", a->path, b->path, "/nowhere/x.etl", NULL);
  assert_status (nowhere, 11);
  g_auto (Ran) alone = wpr_run ("-merge", a->path, NULL);
  assert_status (alone, 1);
  assert_int_equal (unlink (path), 0);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (events_are_printed_and_chosen),
    cmocka_unit_test (what_is_asked_wrongly_is_answered),
    cmocka_unit_test (a_cut_file_is_printed_and_told),
    cmocka_unit_test (a_reader_that_has_seen_enough_is_no_fault),
    cmocka_unit_test (a_full_disk_is_a_fault),
    cmocka_unit_test (files_are_joined_into_a_new_one),
  };
  return cmocka_run_group_tests (tests, child_setup, child_teardown);
}
