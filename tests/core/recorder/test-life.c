/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What people do at the wrong moment: nothing is lost, nothing stops before the target is good, and
 * each is told in words. On the real kernel. */
#include "config.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/files.h"
#include "drive.h"
#include "recorder/local.h"

static void
begin (Drive *d, WprMode mode)
{
  Answer answer = { 0 };
  drive_init (d);
  drive_start (d, drive_choice ("CPU.light", mode), &answer);
  assert_good (&answer);
}

static void
nothing_recording_is_said (void **state)
{
  Drive d;
  Answer answer = { 0 };
  drive_init (&d);
  drive_stop (&d, "x.etl", NULL, &answer);
  assert_refused (&answer, WPR_ERROR_NOT_RECORDING);
  drive_save (&d, "x.etl", &answer);
  assert_refused (&answer, WPR_ERROR_NOT_RECORDING);
  drive_cancel (&d, &answer);
  assert_refused (&answer, WPR_ERROR_NOT_RECORDING);
  drive_mark (&d, "x", &answer);
  assert_refused (&answer, WPR_ERROR_NOT_RECORDING);
  answer_clear (&answer);
  drive_clear (&d);
}

static void
a_second_start_is_refused (void **state)
{
  Drive d;
  Answer answer = { 0 };
  begin (&d, WPR_MODE_MEMORY);
  drive_start (&d, drive_choice ("CPU.light", WPR_MODE_MEMORY), &answer);
  assert_refused (&answer, WPR_ERROR_ALREADY_RECORDING);
  assert_int_equal (wpr_recorder_get_state (d.recorder), WPR_STATE_RECORDING);
  drive_cancel (&d, &answer);
  assert_good (&answer);
  answer_clear (&answer);
  drive_clear (&d);
}

static void
a_bad_target_stops_nothing (void **state)
{
  Drive d;
  Answer answer = { 0 };
  WprMode modes[] = { WPR_MODE_FILE, WPR_MODE_MEMORY };
  for (guint i = 0; i < G_N_ELEMENTS (modes); i++)
    {
      begin (&d, modes[i]);
      g_autofree char *path = drive_path (&d, "there.etl");
      assert_true (g_file_set_contents (path, "precious", -1, NULL));
      drive_stop (&d, "there.etl", "a note of the refused stop", &answer);
      assert_refused (&answer, WPR_ERROR_NOT_WRITABLE);
      assert_int_equal (wpr_recorder_get_state (d.recorder), WPR_STATE_RECORDING);
      drive_stop (&d, "no/slash.etl", NULL, &answer);
      assert_false (answer.good);
      assert_int_equal (wpr_recorder_get_state (d.recorder), WPR_STATE_RECORDING);
      run_programs (d.root, "wpr-after-refusal", 20, 1);
      drive_stop (&d, "a name with \"quotes\", 空格\nand a line.etl", NULL, &answer);
      assert_good (&answer);
      g_autofree char *kept = NULL;
      assert_true (g_file_get_contents (path, &kept, NULL, NULL));
      assert_string_equal (kept, "precious");
      g_autofree char *saved = drive_path (&d, answer.saved->name);
      assert_int_equal (count_in_file (saved, "a note of the refused stop"), 0);
      assert_true (count_in_file (saved, "wpr-after-refusal") >= 20);
      answer_clear (&answer);
      drive_clear (&d);
    }
}

static void
a_second_stop_is_refused_and_the_first_saves (void **state)
{
  Drive d;
  Answer first = { 0 }, second = { 0 };
  begin (&d, WPR_MODE_FILE);
  drive_stop_begin (&d, "first.etl", NULL, &first);
  drive_stop_begin (&d, "second.etl", NULL, &second);
  drive_wait (&second.done);
  assert_refused (&second, WPR_ERROR_STATE);
  drive_wait (&first.done);
  assert_good (&first);
  drive_stop (&d, "third.etl", NULL, &second);
  assert_refused (&second, WPR_ERROR_STATE);
  answer_clear (&first);
  answer_clear (&second);
  drive_clear (&d);
}

static void
on_started (GObject *source, GAsyncResult *result, gpointer data)
{
  Answer *answer = data;
  answer->good = wpr_recorder_start_finish (WPR_RECORDER (source), result, &answer->error);
  answer->done = TRUE;
}

static void
stop_while_starting_stops_what_was_started (void **state)
{
  Drive d;
  Answer start = { 0 }, stop = { 0 };
  drive_init (&d);
  WprChoice *choice = drive_choice ("CPU.light", WPR_MODE_FILE);
  wpr_recorder_start_async (d.recorder, choice, NULL, "wpr", NULL, on_started, &start);
  drive_stop_begin (&d, "early.etl", NULL, &stop);
  drive_wait (&stop.done);
  assert_good (&start);
  assert_good (&stop);
  g_autoptr (WprTraceInfo) info = read_info (&d, "early.etl");
  assert_non_null (info);
  wpr_choice_free (choice);
  answer_clear (&stop);
  drive_clear (&d);
}

static void
cancel_while_starting_leaves_nothing (void **state)
{
  Drive d;
  Answer start = { 0 }, cancel = { 0 };
  drive_init (&d);
  WprChoice *choice = drive_choice ("CPU.light", WPR_MODE_FILE);
  wpr_recorder_start_async (d.recorder, choice, NULL, "wpr", NULL, on_started, &start);
  drive_cancel_begin (&d, &cancel);
  drive_wait (&cancel.done);
  assert_good (&cancel);
  assert_true (start.done);
  assert_refused (&start, WPR_ERROR_CANCELLED);
  assert_int_equal (wpr_recorder_get_state (d.recorder), WPR_STATE_CANCELLED);
  assert_int_equal (count_raw (), 0);
  wpr_choice_free (choice);
  answer_clear (&start);
  drive_clear (&d);
}

static void
stop_while_saving_gives_both_files (void **state)
{
  Drive d;
  Answer save = { 0 }, again = { 0 }, stop = { 0 };
  begin (&d, WPR_MODE_MEMORY);
  run_programs (d.root, "wpr-both", 50, 1);
  drive_save_begin (&d, "saved.etl", &save);
  drive_save_begin (&d, "too-soon.etl", &again);
  drive_stop_begin (&d, "stopped.etl", NULL, &stop);
  drive_wait (&stop.done);
  assert_true (save.done && again.done);
  assert_good (&save);
  assert_refused (&again, WPR_ERROR_STATE);
  assert_good (&stop);
  g_autofree char *saved = drive_path (&d, "saved.etl");
  g_autofree char *stopped = drive_path (&d, "stopped.etl");
  assert_true (count_in_file (saved, "wpr-both") >= 50);
  assert_true (count_in_file (stopped, "wpr-both") >= 50);
  assert_int_equal (count_raw (), 0);
  answer_clear (&save);
  answer_clear (&again);
  answer_clear (&stop);
  drive_clear (&d);
}

static void
file_mode_has_no_ring_to_save (void **state)
{
  Drive d;
  Answer answer = { 0 };
  begin (&d, WPR_MODE_FILE);
  drive_save (&d, "x.etl", &answer);
  assert_refused (&answer, WPR_ERROR_STATE);
  drive_cancel (&d, &answer);
  assert_good (&answer);
  assert_int_equal (count_raw (), 0);
  answer_clear (&answer);
  drive_clear (&d);
}

static void
a_cancelled_merge_keeps_the_raw_store (void **state)
{
  Drive d;
  Answer answer = { 0 };
  begin (&d, WPR_MODE_FILE);
  run_programs (d.root, "wpr-kept", 30, 1);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_cancellable_cancel (cancellable);
  drive_stop_begin (&d, "given-up.etl", cancellable, &answer);
  drive_wait (&answer.done);
  assert_refused (&answer, WPR_ERROR_CANCELLED);
  assert_int_equal (wpr_recorder_get_state (d.recorder), WPR_STATE_FAILED);
  g_autoptr (GPtrArray) left = wpr_unfinished_list (NULL);
  assert_int_equal (left->len, 1);
  const WprUnfinished *unfinished = g_ptr_array_index (left, 0);
  assert_non_null (strstr (answer.error->message, unfinished->path));
  assert_string_equal (unfinished->instance, "Test");
  assert_false (unfinished->in_use);
  assert_true (unfinished->bytes > 0 && unfinished->started_realtime_ns > 0);
  g_autoptr (GError) error = NULL;
  g_autoptr (WprSaved) saved
      = wpr_recover (unfinished->path, d.save_fd, "given-up.etl", NULL, NULL, NULL, &error);
  if (!saved)
    fail_msg ("%s", error->message);
  g_autofree char *path = drive_path (&d, saved->name);
  assert_true (count_in_file (path, "wpr-kept") >= 30);
  assert_int_equal (count_raw (), 0);
  answer_clear (&answer);
  drive_clear (&d);
}

static void
try_to_recover (Answer *answer)
{
  g_autoptr (GPtrArray) left = wpr_unfinished_list (NULL);
  assert_int_equal (left->len, 1);
  const WprUnfinished *store = g_ptr_array_index (left, 0);
  assert_true (store->in_use);
  answer->saved = wpr_recover (store->path, -1, "twice.etl", NULL, NULL, NULL, &answer->error);
}

static void
a_store_that_is_merged_cannot_be_recovered_beside (void **state)
{
  Drive d;
  Answer answer = { 0 }, recovered = { 0 };
  begin (&d, WPR_MODE_FILE);
  run_programs (d.root, "wpr-merged", 200, 1);
  Stall stall = { 0 }; /* the merge has to wait its turn */
  stall_begin (&stall, ((WprLocal *)wpr_recorder_get_backend (d.recorder))->jobs);
  drive_stop_begin (&d, "merged.etl", NULL, &answer);
  while (wpr_recorder_get_state (d.recorder) != WPR_STATE_MERGING)
    g_main_context_iteration (NULL, FALSE);
  try_to_recover (&recovered);
  stall_end (&stall);
  drive_wait (&answer.done);
  assert_good (&answer);
  assert_refused (&recovered, WPR_ERROR_STATE);
  answer_clear (&answer);
  answer_clear (&recovered);
  drive_clear (&d);
}

/* The notice that says why it stopped without being told to; NULL if it was told to. */
static const char *
get_by_itself (const Drive *d)
{
  g_autoptr (GVariant) description = wpr_recorder_describe (d->recorder);
  g_autofree char *id = NULL;
  g_variant_lookup (description, "by-itself", "s", &id);
  return g_intern_string (id);
}

static void
a_duration_ends_in_the_save_folder (void **state)
{
  Drive d;
  Answer answer = { 0 };
  drive_init (&d);
  WprChoice *choice = drive_choice ("CPU.light", WPR_MODE_MEMORY);
  choice->duration_s = 1;
  drive_start (&d, choice, &answer);
  assert_good (&answer);
  for (guint i = 0; i < 200 && wpr_recorder_get_state (d.recorder) != WPR_STATE_SAVED; i++)
    {
      g_main_context_iteration (NULL, FALSE);
      g_usleep (50 * 1000);
    }
  assert_int_equal (wpr_recorder_get_state (d.recorder), WPR_STATE_SAVED);
  while (g_main_context_iteration (NULL, FALSE))
    ;
  assert_true (drive_told (&d, "duration") && drive_told (&d, "saved"));
  assert_string_equal (get_by_itself (&d), "duration");
  g_autoptr (GDir) folder = g_dir_open (d.save, 0, NULL);
  const char *name = g_dir_read_name (folder);
  assert_non_null (name);
  assert_true (g_str_has_prefix (name, g_get_host_name ()) && g_str_has_suffix (name, ".etl"));
  g_autoptr (WprTraceInfo) info = read_info (&d, name);
  assert_true (info->n_events > 0);
  g_autoptr (GVariant) description = wpr_recorder_describe (d.recorder);
  const char *folder_told = "", *name_told = "";
  guint64 events_told = 0;
  assert_true (g_variant_lookup (description, "saved-folder", "^&ay", &folder_told));
  assert_string_equal (folder_told, d.save);
  assert_true (g_variant_lookup (description, "saved-name", "^&ay", &name_told));
  assert_string_equal (name_told, name);
  assert_true (g_variant_lookup (description, "saved-events", "t", &events_told));
  assert_int_equal (events_told, info->n_events);
  answer_clear (&answer);
  drive_clear (&d);
}

static void
an_interrupt_saves_and_says_where (void **state)
{
  Drive d;
  Answer answer = { 0 };
  WprMode modes[] = { WPR_MODE_FILE, WPR_MODE_MEMORY };
  for (guint i = 0; i < G_N_ELEMENTS (modes); i++)
    {
      begin (&d, modes[i]);
      run_programs (d.root, "wpr-interrupted", 20, 1);
      drive_interrupt (&d, &answer);
      assert_good (&answer);
      assert_true (g_str_has_prefix (answer.string, d.save));
      assert_true (count_in_file (answer.string, "wpr-interrupted") >= 20);
      assert_string_equal (get_by_itself (&d), "interrupted");
      answer_clear (&answer);
      drive_clear (&d);
    }
}

static void
an_interrupt_without_a_folder_keeps_the_store (void **state)
{
  Drive d;
  Answer answer = { 0 };
  drive_init (&d);
  WprChoice *choice = drive_choice ("CPU.light", WPR_MODE_MEMORY);
  choice->save_folder = g_strdup ("/proc/no-such-folder");
  drive_start (&d, choice, &answer);
  assert_good (&answer);
  drive_interrupt (&d, &answer);
  assert_good (&answer);
  assert_true (g_str_has_prefix (answer.string, d.root));
  assert_true (g_file_test (answer.string, G_FILE_TEST_IS_DIR));
  assert_int_equal (wpr_recorder_get_state (d.recorder), WPR_STATE_FAILED);
  g_autoptr (WprSaved) saved = wpr_recover (answer.string, d.save_fd, NULL, NULL, NULL, NULL, NULL);
  assert_non_null (saved);
  answer_clear (&answer);
  drive_clear (&d);
}

static void
one_recorder_records_again (void **state)
{
  Drive d;
  Answer answer = { 0 };
  begin (&d, WPR_MODE_FILE);
  drive_stop (&d, "one.etl", NULL, &answer);
  assert_good (&answer);
  drive_start (&d, drive_choice ("DiskIO.light", WPR_MODE_FILE), &answer);
  assert_good (&answer);
  drive_stop (&d, "two.etl", NULL, &answer);
  assert_good (&answer);
  assert_null (get_by_itself (&d));
  answer_clear (&answer);
  drive_clear (&d);
}

static void
two_instances_record_at_once (void **state)
{
  Drive d;
  Answer answer = { 0 };
  begin (&d, WPR_MODE_FILE);
  g_autoptr (WprRecorder) first = d.recorder;
  d.recorder = wpr_recorder_new_local ("Other", NULL);
  drive_start (&d, drive_choice ("CPU.light", WPR_MODE_MEMORY), &answer);
  assert_good (&answer);
  run_programs (d.root, "wpr-seen-twice", 40, 1);
  drive_stop (&d, "other.etl", NULL, &answer);
  assert_good (&answer);
  g_object_unref (d.recorder);
  d.recorder = g_steal_pointer (&first);
  assert_int_equal (wpr_recorder_get_state (d.recorder), WPR_STATE_RECORDING);
  drive_stop (&d, "first.etl", NULL, &answer);
  assert_good (&answer);
  g_autofree char *one = drive_path (&d, "first.etl");
  g_autofree char *two = drive_path (&d, "other.etl");
  assert_true (count_in_file (one, "wpr-seen-twice") >= 40);
  assert_true (count_in_file (two, "wpr-seen-twice") >= 40);
  answer_clear (&answer);
  drive_clear (&d);
}

static void
a_refused_choice_is_told_and_leaves_nothing (void **state)
{
  Drive d;
  Answer answer = { 0 };
  drive_init (&d);
  drive_start (&d, drive_choice ("NoSuchProfile", WPR_MODE_FILE), &answer);
  assert_refused (&answer, WPR_ERROR_PROFILE);
  assert_int_equal (wpr_recorder_get_state (d.recorder), WPR_STATE_FAILED);
  WprChoice *choice = drive_choice ("CPU.light", WPR_MODE_FILE);
  choice->record_to = g_strdup ("/proc/nowhere");
  drive_start (&d, choice, &answer);
  assert_refused (&answer, WPR_ERROR_NOT_WRITABLE);
  assert_int_equal (count_raw (), 0);
  answer_clear (&answer);
  drive_clear (&d);
}

static void
names_of_instances_are_checked (void **state)
{
  const char *bad[] = { "",
                        ".hidden",
                        "a/b",
                        "../x",
                        "with space",
                        "文",
                        "0123456789012345678901234567890123456789012345678" };
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) error = NULL;
      assert_null (wpr_recorder_new_local (bad[i], &error));
      assert_true (g_error_matches (error, WPR_ERROR, WPR_ERROR_USAGE));
    }
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (nothing_recording_is_said),
    cmocka_unit_test (a_second_start_is_refused),
    cmocka_unit_test (a_bad_target_stops_nothing),
    cmocka_unit_test (a_second_stop_is_refused_and_the_first_saves),
    cmocka_unit_test (stop_while_starting_stops_what_was_started),
    cmocka_unit_test (cancel_while_starting_leaves_nothing),
    cmocka_unit_test (stop_while_saving_gives_both_files),
    cmocka_unit_test (file_mode_has_no_ring_to_save),
    cmocka_unit_test (a_cancelled_merge_keeps_the_raw_store),
    cmocka_unit_test (a_store_that_is_merged_cannot_be_recovered_beside),
    cmocka_unit_test (a_duration_ends_in_the_save_folder),
    cmocka_unit_test (an_interrupt_saves_and_says_where),
    cmocka_unit_test (an_interrupt_without_a_folder_keeps_the_store),
    cmocka_unit_test (one_recorder_records_again),
    cmocka_unit_test (two_instances_record_at_once),
    cmocka_unit_test (a_refused_choice_is_told_and_leaves_nothing),
    cmocka_unit_test (names_of_instances_are_checked),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
