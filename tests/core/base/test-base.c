/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Base: errors carry code and WPR's number, clocks find steps, files appear whole or not at all. */
#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/log.h"
#include "base/wpr-error.h"

#define MS G_GINT64_CONSTANT (1000000)
#define S G_GINT64_CONSTANT (1000000000)

static char *dir;

static int
setup (void **state)
{
  dir = g_dir_make_tmp ("wpr-base-XXXXXX", NULL);
  g_setenv ("WPR_STATE_DIR", dir, TRUE);
  g_setenv ("WPR_RUNTIME_DIR", dir, TRUE);
  return dir ? 0 : -1;
}

static int
teardown (void **state)
{
  int parent = wpr_open_folder (g_get_tmp_dir (), NULL);
  g_autofree char *name = g_path_get_basename (dir);
  assert_true (wpr_remove_tree_at (parent, name, NULL));
  close (parent);
  g_free (dir);
  return 0;
}

static void
every_code_has_its_exit_status (void **state)
{
  static const struct
  {
    int code, status;
  } rows[] = {
    { 1, 1 }, { 2, 2 }, { 3, 3 },   { 4, 4 },   { 5, 5 },  { 6, 6 },   { 7, 7 },
    { 8, 8 }, { 9, 9 }, { 10, 10 }, { 11, 11 }, { 12, 3 }, { 13, 10 },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;
      wpr_set_error (&error, rows[i].code, 0xc5583000, "for %s", "test");
      assert_int_equal (wpr_error_exit_status (error), rows[i].status);
      assert_int_equal (wpr_error_get_number (error), 0xc5583000);
      assert_string_equal (error->message, "for test");
      g_autoptr (GError) copy = g_error_copy (error);
      assert_int_equal (wpr_error_get_number (copy), 0xc5583000);
    }
  g_autoptr (GError) foreign = g_error_new (G_FILE_ERROR, 1, "x");
  assert_int_equal (wpr_error_exit_status (foreign), 10);
  assert_int_equal (wpr_error_get_number (foreign), 0);
  assert_int_equal (wpr_error_exit_status (NULL), 0);
}

static WprClockReading
reading (gint64 mono, gint64 boot, gint64 real)
{
  return (WprClockReading){ mono, boot, real };
}

static void
the_clock_table_finds_steps_and_sleep (void **state)
{
  g_autoptr (WprClockTable) table = wpr_clock_table_new ();
  assert_int_equal (wpr_clock_table_boottime (table, 5), 5);
  const struct
  {
    WprClockReading at;
    gboolean step;
  } rows[] = {
    { reading (100 * S, 100 * S, 1000 * S), FALSE },
    { reading (101 * S, 101 * S, 1001 * S), FALSE },
    { reading (102 * S, 102 * S + MS / 2, 1002 * S), FALSE },           /* drift, no step */
    { reading (103 * S, 103 * S, 1003 * S + 50 * S), TRUE },            /* wall clock set 50 s on */
    { reading (104 * S, 104 * S + 600 * S, 1054 * S + 600 * S), TRUE }, /* slept ten minutes */
    { reading (105 * S, 705 * S, 1655 * S), FALSE },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    assert_int_equal (wpr_clock_table_add (table, &rows[i].at), rows[i].step);
  /* first, the one before the step, step, step, last */
  assert_int_equal (wpr_clock_table_length (table), 5);
  assert_int_equal (wpr_clock_table_boottime (table, 100 * S + 7), 100 * S + 7);
  assert_int_equal (wpr_clock_table_boottime (table, 50 * S), 50 * S);
  assert_int_equal (wpr_clock_table_boottime (table, 104 * S + 7), 704 * S + 7);
  assert_int_equal (wpr_clock_table_boottime (table, 200 * S), 800 * S);
  assert_int_equal (wpr_clock_table_realtime (table, 101 * S), 1001 * S);
  assert_int_equal (wpr_clock_table_realtime (table, 103 * S + 1), 1053 * S + 1);
}

static void
the_three_clocks_are_read_together (void **state)
{
  WprClockReading a, b;
  wpr_clock_read (&a);
  g_usleep (2000);
  wpr_clock_read (&b);
  assert_true (b.monotonic_ns - a.monotonic_ns >= 2 * MS);
  assert_true (b.boottime_ns - a.boottime_ns >= 1 * MS);
  assert_true (ABS (a.realtime_ns / 1000 - g_get_real_time ()) < 60 * 1000 * 1000);
}

static void
a_new_file_appears_whole_or_not_at_all (void **state)
{
  int folder = wpr_open_folder (dir, NULL);
  static const char *const names[]
      = { "plain.etl", "with space \"and\" quotes'.etl", "two\nlines.etl", "中文 名称.etl" };
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      struct stat st;
      g_autoptr (GError) error = NULL;
      g_autoptr (WprNewFile) file = wpr_new_file_open (folder, names[i], &error);
      assert_non_null (file);
      assert_true (wpr_write_all (wpr_new_file_get_fd (file), "abc", 3, &error));
      assert_int_equal (fstatat (folder, names[i], &st, 0), -1);
      assert_true (wpr_new_file_commit (file, &error));
      assert_int_equal (fstatat (folder, names[i], &st, 0), 0);
      assert_int_equal (st.st_size, 3);
      assert_int_equal (st.st_mode & 0777, 0600);
      assert_false (wpr_new_file_check (folder, names[i], &error));
      assert_int_equal (error->code, WPR_ERROR_NOT_WRITABLE);
      assert_non_null (strstr (error->message, names[i]));
    }
  g_autoptr (WprNewFile) dropped = wpr_new_file_open (folder, "dropped.etl", NULL);
  g_clear_pointer (&dropped, wpr_new_file_free);
  assert_true (wpr_new_file_check (folder, "dropped.etl", NULL));
  close (folder);
}

static void
a_file_that_came_meanwhile_is_not_replaced (void **state)
{
  int folder = wpr_open_folder (dir, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (WprNewFile) file = wpr_new_file_open (folder, "race.etl", NULL);
  int other = wpr_create_file_at (folder, "race.etl", NULL);
  assert_true (wpr_write_all (other, "theirs", 6, NULL));
  close (other);
  assert_false (wpr_new_file_commit (file, &error));
  assert_int_equal (error->code, WPR_ERROR_NOT_WRITABLE);
  g_autofree char *path = g_build_filename (dir, "race.etl", NULL);
  g_autofree char *text = wpr_read_small (path, 100, NULL);
  assert_string_equal (text, "theirs");
  close (folder);
}

static void
bad_targets_are_refused_with_a_sentence (void **state)
{
  int folder = wpr_open_folder (dir, NULL);
  static const char *const names[] = { "", ".", "..", "a/b" };
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (GError) error = NULL;
      assert_false (wpr_new_file_check (folder, names[i], &error));
      assert_int_equal (error->code, WPR_ERROR_NOT_WRITABLE);
    }
  g_autofree char *longer = g_strnfill (256, 'x');
  assert_false (wpr_new_file_check (folder, longer, NULL));
  g_autoptr (GError) missing = NULL;
  assert_int_equal (wpr_open_folder ("/nowhere/at all", &missing), -1);
  assert_non_null (strstr (missing->message, "/nowhere/at all"));
  g_autoptr (GError) no_folder = NULL;
  assert_int_equal (wpr_open_folder ("/proc/self/exe", &no_folder), -1);
  assert_int_equal (no_folder->code, WPR_ERROR_NOT_WRITABLE);
  close (folder);
}

static void
links_are_not_followed (void **state)
{
  int folder = wpr_open_folder (dir, NULL);
  assert_int_equal (symlinkat ("/etc/passwd", folder, "link"), 0);
  assert_int_equal (wpr_create_file_at (folder, "link", NULL), -1);
  assert_false (wpr_new_file_check (folder, "link", NULL));
  int sub = wpr_create_folder_at (folder, "sub", NULL);
  assert_true (sub >= 0);
  assert_int_equal (symlinkat (dir, sub, "up"), 0);
  close (sub);
  assert_true (wpr_remove_tree_at (folder, "sub", NULL)); /* and not what it points to */
  struct stat st;
  assert_int_equal (fstatat (folder, "link", &st, AT_SYMLINK_NOFOLLOW), 0);
  assert_true (wpr_remove_tree_at (folder, "never there", NULL));
  close (folder);
}

static void
a_full_disk_is_named (void **state)
{
  g_autofree char *mount_point = g_build_filename (dir, "small", NULL);
  assert_int_equal (g_mkdir (mount_point, 0700), 0);
  if (mount ("tmpfs", mount_point, "tmpfs", 0, "size=64k") != 0)
    {
      print_message ("skipped: no right to mount a small tmpfs (%s)\n", g_strerror (errno));
      skip ();
    }
  int folder = wpr_open_folder (mount_point, NULL);
  g_autoptr (WprNewFile) file = wpr_new_file_open (folder, "x.etl", NULL);
  g_autofree guint8 *block = g_malloc0 (256 * 1024);
  g_autoptr (GError) error = NULL;
  assert_false (wpr_write_all (wpr_new_file_get_fd (file), block, 256 * 1024, &error));
  assert_int_equal (error->code, WPR_ERROR_NO_SPACE);
  guint64 room = 1;
  assert_true (wpr_free_space (folder, &room, NULL));
  assert_int_equal (room, 0);
  g_clear_pointer (&file, wpr_new_file_free);
  close (folder);
  assert_int_equal (umount (mount_point), 0);
}

static void
instance_names_are_checked (void **state)
{
  static const char *const good[] = { "WprApp", "a", "_x", "-", "A.b-c_9" };
  static const char *const bad[] = { "", ".", ".x", "../x", "a b", "a/b", "中", "a\n" };
  for (gsize i = 0; i < G_N_ELEMENTS (good); i++)
    assert_true (wpr_instance_name_valid (good[i]));
  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    assert_false (wpr_instance_name_valid (bad[i]));
  g_autofree char *longest = g_strnfill (48, 'x'), *longer = g_strnfill (49, 'x');
  assert_true (wpr_instance_name_valid (longest));
  assert_false (wpr_instance_name_valid (longer));
  assert_false (wpr_instance_name_valid (NULL));
}

static void
recordings_are_named_and_never_collide (void **state)
{
  int folder = wpr_open_folder (dir, NULL);
  gint64 now = 1764500000 * S;
  g_autofree char *first = wpr_recording_file_name (folder, now);
  assert_true (g_str_has_suffix (first, ".etl"));
  assert_null (strchr (first, '/'));
  close (wpr_create_file_at (folder, first, NULL));
  g_autofree char *second = wpr_recording_file_name (folder, now);
  assert_true (g_str_has_suffix (second, " -2.etl"));
  close (wpr_create_file_at (folder, second, NULL));
  g_autofree char *third = wpr_recording_file_name (folder, now);
  assert_true (g_str_has_suffix (third, " -3.etl"));
  close (folder);
}

static void
the_log_reaches_a_file_without_a_journal (void **state)
{
  if (g_file_test ("/run/systemd/journal/socket", G_FILE_TEST_EXISTS))
    {
      print_message ("skipped: this machine has a journal, which takes the log\n");
      skip ();
    }
  wpr_log (WPR_LOG_LOSS, "%d events of “%s” were lost", 12, "系统");
  g_autofree char *path = g_build_filename (dir, "log", NULL);
  g_autofree char *text = wpr_read_small (path, 4096, NULL);
  assert_non_null (text);
  assert_non_null (strstr (text, "loss: 12 events of “系统” were lost"));
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (every_code_has_its_exit_status),
    cmocka_unit_test (the_clock_table_finds_steps_and_sleep),
    cmocka_unit_test (the_three_clocks_are_read_together),
    cmocka_unit_test (a_new_file_appears_whole_or_not_at_all),
    cmocka_unit_test (a_file_that_came_meanwhile_is_not_replaced),
    cmocka_unit_test (bad_targets_are_refused_with_a_sentence),
    cmocka_unit_test (links_are_not_followed),
    cmocka_unit_test (a_full_disk_is_named),
    cmocka_unit_test (instance_names_are_checked),
    cmocka_unit_test (recordings_are_named_and_never_collide),
    cmocka_unit_test (the_log_reaches_a_file_without_a_journal),
  };
  return cmocka_run_group_tests_name ("base", tests, setup, teardown);
}
