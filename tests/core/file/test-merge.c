/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Several made-up files into one: order, clocks, processors, losses, what is said. */
#include "config.h"
#include "file-kit.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define MS G_GINT64_CONSTANT (1000000)

static char *folder;
static int folder_fd;

static char *
merged_path (void)
{
  return g_build_filename (folder, "merged.etl", NULL);
}

static WprTraceMerged *
merge (const char *const *paths, guint n, GError **error)
{
  g_autofree char *path = merged_path ();
  unlink (path);
  return wpr_trace_merge_files (paths, n, folder_fd, "merged.etl", NULL, error);
}

static WprTraceFile *
merge_two (FileKit *a, FileKit *b, WprTraceFlags flags, WprTraceMerged **merged)
{
  const char *paths[] = { a->path, b->path };
  g_autoptr (GError) error = NULL;
  g_autofree char *path = merged_path ();
  *merged = merge (paths, 2, &error);
  if (*merged == NULL)
    fail_msg ("%s", error->message);
  WprTraceFile *file = wpr_trace_file_open (path, flags, NULL, &error);
  assert_non_null (file);
  assert_int_equal (wpr_trace_file_get_faults (file)->len, 0);
  return file;
}

static void
add_ticks (FileKit *kit, guint n, double from_ms, const char *name)
{
  for (guint i = 0; i < n; i++)
    file_kit_event (kit, 0, from_ms + i, 7, 8, "Linux.test", name, "u:N", "1", NULL);
}

static gboolean
is_said (const WprTraceMerged *merged, const char *words)
{
  for (guint i = 0; i < merged->notices->len; i++)
    if (strstr (g_ptr_array_index (merged->notices, i), words) != NULL)
      return TRUE;
  return FALSE;
}

static void
files_of_two_computers_lie_beside_each_other (void **state)
{
  /* The second began 2.5 ms later, and has been up for another time. */
  g_autoptr (FileKit) a = file_kit_new (2, 100);
  g_autoptr (FileKit) b = file_kit_new_at (1, 5000, 2.5, 10000000);
  g_autoptr (WprTraceMerged) merged = NULL;
  file_kit_process (a, 0, 0, 0x0303, 10, "here");
  file_kit_process (a, 0, 0, 0x0303, 20, "same");
  file_kit_process (b, 0, 0, 0x0303, 10, "there");
  file_kit_process (b, 0, 0, 0x0303, 20, "same");
  file_kit_process (b, 0, 0, 0x0303, 4, "System");
  add_ticks (a, 10, 0, "a");
  add_ticks (b, 10, 0, "b");
  file_kit_finish (a, 3);
  file_kit_finish (b, 4);
  g_autoptr (WprTraceFile) file = merge_two (a, b, WPR_TRACE_PLAIN, &merged);
  const WprTraceHeader *header = wpr_trace_file_get_header (file);
  assert_int_equal (header->n_cpus, 3);
  assert_int_equal (header->events_lost, 7);
  assert_int_equal (merged->events_lost, 7);
  assert_int_equal (header->start_realtime_ns, KIT_START_S * 1000 * MS);
  assert_string_equal (header->logger_name, "[multiple files]");
  assert_true (is_said (merged, "10"));
  assert_true (is_said (merged, "there"));
  assert_int_equal (merged->notices->len, 1);
  gint64 last = -1;
  guint n = 0;
  assert_true (wpr_trace_file_set_filter (file, "Provider == Linux.test", NULL, NULL));
  for (const WprTraceEvent *event; (event = wpr_trace_file_next (file)) != NULL; n++)
    {
      gboolean is_b = event->name[0] == 'b';
      assert_true (event->time_ns >= last);
      last = event->time_ns;
      assert_int_equal (event->cpu, is_b ? 2 : 0);
      assert_int_equal (event->time_ns % MS, is_b ? MS / 2 : 0);
    }
  assert_int_equal (n, 20);
}

static void
files_of_one_boot_share_their_processors (void **state)
{
  g_autoptr (FileKit) a = file_kit_new (2, 100);
  g_autoptr (FileKit) b = file_kit_new (2, 100);
  g_autoptr (WprTraceMerged) merged = NULL;
  add_ticks (a, 3, 5, "a");
  add_ticks (b, 3, 0, "b");
  file_kit_finish (a, 0);
  file_kit_finish (b, 0);
  g_autoptr (WprTraceFile) file = merge_two (a, b, WPR_TRACE_PLAIN, &merged);
  assert_int_equal (wpr_trace_file_get_header (file)->n_cpus, 2);
  assert_int_equal (merged->notices->len, 0);
  assert_non_null (file_kit_next (file, "b"));
  const WprTraceEvent *event = file_kit_next (file, "a");
  assert_int_equal (event->time_ns, 5 * MS);
  assert_int_equal (event->cpu, 0);
}

static void
a_pid_may_be_another_in_the_next_file (void **state)
{
  g_autoptr (FileKit) a = file_kit_new (1, 100);
  g_autoptr (FileKit) b = file_kit_new (1, 100);
  g_autoptr (WprTraceMerged) merged = NULL;
  file_kit_process (a, 0, 0, 0x0303, 7, "before");
  add_ticks (a, 1, 1, "a");
  file_kit_process (a, 0, 2, 0x0304, 7, "before");
  file_kit_process (b, 0, 100, 0x0303, 7, "after");
  add_ticks (b, 1, 101, "b");
  file_kit_finish (a, 0);
  file_kit_finish (b, 0);
  g_autoptr (WprTraceFile) file = merge_two (a, b, WPR_TRACE_PLAIN, &merged);
  assert_string_equal (file_kit_next (file, "a")->process, "before");
  assert_string_equal (file_kit_next (file, "b")->process, "after");
}

static void
each_header_is_kept (void **state)
{
  g_autoptr (FileKit) a = file_kit_new (2, 100);
  g_autoptr (FileKit) b = file_kit_new_at (1, 5000, 2.5, 3000000);
  g_autoptr (WprTraceMerged) merged = NULL;
  file_kit_finish (a, 3);
  file_kit_finish (b, 4);
  g_autoptr (WprTraceFile) file = merge_two (a, b, WPR_TRACE_PLAIN, &merged);
  assert_non_null (file_kit_next (file, "MergedFile"));
  assert_int_equal (wpr_trace_file_get_field (file, "EventsLost")->u, 3);
  assert_int_equal (wpr_trace_file_get_field (file, "Cpus")->u, 2);
  assert_int_equal (wpr_trace_file_get_field (file, "Frequency")->i, 10000000);
  assert_int_equal (wpr_trace_file_get_field (file, "StartTime")->i, KIT_START_S * 1000 * MS);
  assert_non_null (file_kit_next (file, "MergedFile"));
  assert_int_equal (wpr_trace_file_get_field (file, "EventsLost")->u, 4);
  assert_int_equal (wpr_trace_file_get_field (file, "Frequency")->i, 3000000);
  assert_int_equal (wpr_trace_file_get_field (file, "FirstCpu")->u, 2);
  assert_string_equal (wpr_trace_file_get_field (file, "LoggerName")->text, "NT Kernel Logger");
  assert_null (file_kit_next (file, "MergedFile"));
}

static void
another_frequency_keeps_stacks_with_their_events (void **state)
{
  static const guint64 frames[] = { 0x401000 };
  g_autoptr (FileKit) a = file_kit_new (1, 100);
  g_autoptr (FileKit) b = file_kit_new_at (1, 7, 1000, 3579545); /* of old ACPI timers */
  g_autoptr (WprTraceMerged) merged = NULL;
  add_ticks (a, 1, 0, "a");
  for (guint i = 0; i < 50; i++)
    {
      file_kit_sample (b, 0, i * 1.7, 11, 0x401000);
      file_kit_stack (b, 0, i * 1.7, i * 1.7, 10, 11, frames, 1);
    }
  file_kit_finish (a, 0);
  file_kit_finish (b, 0);
  g_autoptr (WprTraceFile) file = merge_two (a, b, WPR_TRACE_STACKS, &merged);
  guint n = 0;
  for (const WprTraceEvent *event; (event = file_kit_next (file, "SampledProfile")) != NULL; n++)
    {
      guint frames_found;
      gint64 expected = 1000 * MS + (gint64)(n * 1.7 * 1e6);
      wpr_trace_file_get_stack (file, &frames_found);
      assert_int_equal (frames_found, 1);
      /* One tick of the slow clock, and one of ours. */
      assert_in_range (event->time_ns, expected - 400, expected + 400);
    }
  assert_int_equal (n, 50);
}

static void
symbols_of_two_files_do_not_mix (void **state)
{
  FileKit *kits[2] = { file_kit_new (1, 100), file_kit_new (1, 100) };
  g_autoptr (WprTraceMerged) merged = NULL;
  for (guint i = 0; i < 2; i++)
    {
      guint64 base = i == 0 ? 0x400000 : 0x500000;
      file_kit_image (kits[i], 0, 0, 0x1403, 10, base, 0x1000, 0,
                      i == 0 ? "\\Device\\HarddiskVolume1\\a" : "\\Device\\HarddiskVolume1\\b");
      file_kit_event (kits[i], 0, 1, 10, 11, "Linux.test", "tick", NULL);
      file_kit_event (kits[i], 0, 2, 1, 0, "Linux.Symbols", "Image", "u:Image", "0", "s:Path",
                      i == 0 ? "/a" : "/b", "s:BuildId", "", NULL);
      file_kit_event (kits[i], 0, 2, 1, 0, "Linux.Symbols", "Function", "u:Image", "0", "u:Start",
                      "0", "u:Size", "0x20", "s:Name", i == 0 ? "in_a" : "in_b", NULL);
      file_kit_finish (kits[i], 0);
    }
  g_autoptr (WprTraceFile) file = merge_two (kits[0], kits[1], WPR_TRACE_PLAIN, &merged);
  assert_non_null (file_kit_next (file, "tick"));
  assert_string_equal (wpr_trace_file_describe_address (file, 0x400000), "a!in_a");
  assert_string_equal (wpr_trace_file_describe_address (file, 0x500000), "b!in_b");
  file_kit_free (kits[0]);
  file_kit_free (kits[1]);
}

static void
nothing_is_written_over_or_left_behind (void **state)
{
  g_autoptr (FileKit) kit = file_kit_new (1, 100);
  g_autofree char *path = merged_path ();
  g_autoptr (GError) error = NULL;
  const char *paths[] = { file_kit_finish (kit, 0), "/nowhere/x.etl" };
  assert_null (merge (paths, 2, &error));
  assert_true (g_error_matches (error, WPR_ERROR, WPR_ERROR_DAMAGED));
  assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
  g_clear_error (&error);
  paths[1] = paths[0];
  assert_null (merge (paths, 2, &error));
  assert_true (g_error_matches (error, WPR_ERROR, WPR_ERROR_USAGE));
  g_clear_error (&error);
  assert_true (g_file_set_contents (path, "mine", -1, NULL));
  assert_null (wpr_trace_merge_files (paths, 1, folder_fd, "merged.etl", NULL, &error));
  assert_true (g_error_matches (error, WPR_ERROR, WPR_ERROR_NOT_WRITABLE));
  g_autofree char *text = NULL;
  assert_true (g_file_get_contents (path, &text, NULL, NULL));
  assert_string_equal (text, "mine");
}

static void
damage_is_said_and_the_rest_is_taken (void **state)
{
  g_autoptr (FileKit) a = file_kit_new (1, 100);
  g_autoptr (FileKit) b = file_kit_new (1, 100);
  g_autoptr (WprTraceMerged) merged = NULL;
  add_ticks (a, 2000, 0, "a");
  add_ticks (b, 10, 0, "b");
  file_kit_finish (a, 0);
  file_kit_finish (b, 0);
  assert_int_equal (truncate (a->path, 100000), 0);
  g_autoptr (WprTraceFile) file = merge_two (a, b, WPR_TRACE_PLAIN, &merged);
  assert_true (merged->is_damaged);
  assert_true (is_said (merged, "damaged"));
  guint n_a = 0;
  while (file_kit_next (file, "a") != NULL)
    n_a++;
  assert_in_range (n_a, 100, 1999);
}

static int
setup (void **state)
{
  folder = g_dir_make_tmp ("wpr-merge-XXXXXX", NULL);
  folder_fd = open (folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  return folder_fd < 0;
}

static int
teardown (void **state)
{
  g_autofree char *path = merged_path ();
  unlink (path);
  close (folder_fd);
  int result = rmdir (folder);
  g_free (folder);
  return result;
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (files_of_two_computers_lie_beside_each_other),
    cmocka_unit_test (files_of_one_boot_share_their_processors),
    cmocka_unit_test (a_pid_may_be_another_in_the_next_file),
    cmocka_unit_test (each_header_is_kept),
    cmocka_unit_test (another_frequency_keeps_stacks_with_their_events),
    cmocka_unit_test (symbols_of_two_files_do_not_mix),
    cmocka_unit_test (nothing_is_written_over_or_left_behind),
    cmocka_unit_test (damage_is_said_and_the_rest_is_taken),
  };
  return cmocka_run_group_tests (tests, setup, teardown);
}
