/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A recorder in another thread, driven over its socket as another process would: states, errors,
 * descriptors, what happens when either end goes away. The figures' page is in test-publish.c, who
 * has which name in test-bus-place.c. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <gio/gio.h>
#include <gio/gunixfdlist.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/files.h"
#include "recorder/bus-private.h"
#include "served.h"

typedef struct
{
  gboolean done, ok;
  WprSaved *saved;
  GError *error;
} Answer;

static void
answer_clear (Answer *answer)
{
  g_clear_pointer (&answer->saved, wpr_saved_free);
  g_clear_error (&answer->error);
  *answer = (Answer){ 0 };
}

static void
on_started (GObject *source, GAsyncResult *result, gpointer data)
{
  Answer *answer = data;
  answer->ok = wpr_recorder_start_finish (WPR_RECORDER (source), result, &answer->error);
  answer->done = TRUE;
}

static void
on_stopped (GObject *source, GAsyncResult *result, gpointer data)
{
  Answer *answer = data;
  answer->saved = wpr_recorder_stop_finish (WPR_RECORDER (source), result, &answer->error);
  answer->ok = answer->saved != NULL;
  answer->done = TRUE;
}

static void
on_saved (GObject *source, GAsyncResult *result, gpointer data)
{
  Answer *answer = data;
  answer->saved = wpr_recorder_save_finish (WPR_RECORDER (source), result, &answer->error);
  answer->ok = answer->saved != NULL;
  answer->done = TRUE;
}

static void
on_marked (GObject *source, GAsyncResult *result, gpointer data)
{
  Answer *answer = data;
  answer->ok = wpr_recorder_mark_finish (WPR_RECORDER (source), result, &answer->error);
  answer->done = TRUE;
}

static void
on_cancelled (GObject *source, GAsyncResult *result, gpointer data)
{
  Answer *answer = data;
  answer->ok = wpr_recorder_cancel_finish (WPR_RECORDER (source), result, &answer->error);
  answer->done = TRUE;
}

static WprRecorder *
connect_to (const char *instance)
{
  g_autoptr (GError) error = NULL;
  WprRecorder *recorder = wpr_recorder_connect (instance, &error);
  if (recorder == NULL)
    fail_msg ("%s", error->message);
  return recorder;
}

static void
start (WprRecorder *recorder, const char *profile, Answer *answer)
{
  g_autoptr (WprChoice) choice = wpr_choice_new ();
  wpr_choice_add (choice, profile, NULL, -1);
  wpr_recorder_start_async (recorder, choice, NULL, "wpr", NULL, on_started, answer);
  wait_until (answer->done);
}

static int
open_folder (char **path)
{
  *path = g_dir_make_tmp ("wpr-bus-XXXXXX", NULL);
  return open (*path, O_DIRECTORY | O_RDONLY | O_CLOEXEC);
}

static void
remove_folder (char *path, const char *name)
{
  g_autofree char *file = g_build_filename (path, name, NULL);
  g_unlink (file);
  assert_int_equal (g_rmdir (path), 0);
  g_free (path);
}

/* ---- tests ---- */

static void
two_clients_see_one_recording (void **state)
{
  Served *served = served_new ("two");
  g_autoptr (WprRecorder) first = connect_to ("two");
  g_autoptr (WprRecorder) second = connect_to ("two");
  Answer answer = { 0 };
  assert_int_equal (wpr_recorder_get_state (first), WPR_STATE_IDLE);
  start (first, "CPU.light", &answer);
  assert_true (answer.ok);
  assert_int_equal (wpr_recorder_get_state (first), WPR_STATE_RECORDING);
  wait_until (wpr_recorder_get_state (second) == WPR_STATE_RECORDING);
  g_autoptr (GVariant) description = wpr_recorder_describe (second);
  const char *program = NULL;
  assert_true (g_variant_lookup (description, "program", "&s", &program));
  assert_string_equal (program, "wpr");
  g_autofree char *told = served_get_told (served);
  assert_string_equal (told, "start CPU 0 files by wpr");
  answer_clear (&answer);
  wpr_recorder_mark_async (second, "现在 \"now\"\n", NULL, on_marked, &answer);
  wait_until (answer.done);
  assert_true (answer.ok);
  g_autofree char *mark = served_get_told (served);
  assert_string_equal (mark, "mark 现在 \"now\"\n");
  /* Who connects in the middle sees it, too. */
  g_autoptr (WprRecorder) third = connect_to ("two");
  assert_int_equal (wpr_recorder_get_state (third), WPR_STATE_RECORDING);
  answer_clear (&answer);
  wpr_recorder_cancel_async (third, NULL, on_cancelled, &answer);
  wait_until (answer.done);
  assert_true (answer.ok);
  wait_until (wpr_recorder_get_state (first) == WPR_STATE_CANCELLED);
  answer_clear (&answer);
  served_free (served);
}

static void
on_profiles_set (GObject *source, GAsyncResult *result, gpointer data)
{
  Answer *answer = data;
  answer->ok = wpr_recorder_set_profiles_finish (WPR_RECORDER (source), result, &answer->error);
  answer->done = TRUE;
}

static void
on_grown (GObject *source, GAsyncResult *result, gpointer data)
{
  Answer *answer = data;
  answer->ok = wpr_recorder_grow_finish (WPR_RECORDER (source), result, &answer->error);
  answer->done = TRUE;
}

static gboolean
is_described (WprRecorder *recorder, const char *digest)
{
  g_autoptr (GVariant) description = wpr_recorder_describe (recorder);
  const char *found = NULL;
  return g_variant_lookup (description, "digest", "&s", &found) && g_str_equal (found, digest);
}

/* Profiles switched by one client: every client learns the new description. */
static void
changes_reach_the_recorder_and_every_client (void **state)
{
  Served *served = served_new ("live");
  g_autoptr (WprRecorder) first = connect_to ("live");
  g_autoptr (WprRecorder) second = connect_to ("live");
  g_autoptr (WprChoice) choice = wpr_choice_new ();
  Answer answer = { 0 };
  start (first, "CPU.light", &answer);
  answer_clear (&answer);
  wpr_choice_add (choice, "DiskIO", NULL, -1);
  GVariant *files = g_variant_new_parsed ("[('a.wprp', b'text')]");
  wpr_recorder_set_profiles_async (first, choice, files, TRUE, NULL, on_profiles_set, &answer);
  wait_until (answer.done);
  assert_true (answer.ok && is_described (first, "DiskIO"));
  wait_until (is_described (second, "DiskIO"));
  g_autofree char *enabled = served_get_told (served);
  assert_string_equal (enabled, "enable DiskIO 1 files");
  answer_clear (&answer);
  wpr_recorder_set_profiles_async (second, choice, NULL, FALSE, NULL, on_profiles_set, &answer);
  wait_until (answer.done);
  g_autofree char *disabled = served_get_told (served);
  assert_string_equal (disabled, "disable DiskIO 0 files");
  answer_clear (&answer);
  g_autoptr (WprChoice) refused = wpr_choice_new ();
  wpr_choice_add (refused, "Refused", NULL, -1);
  wpr_recorder_set_profiles_async (second, refused, NULL, TRUE, NULL, on_profiles_set, &answer);
  wait_until (answer.done);
  assert_true (g_error_matches (answer.error, WPR_ERROR, WPR_ERROR_STATE));
  answer_clear (&answer);
  wpr_recorder_grow_async (first, NULL, 0, NULL, on_grown, &answer);
  wait_until (answer.done && answer.ok);
  g_autofree char *worst = served_get_told (served);
  assert_string_equal (worst, "grow worst 0");
  answer_clear (&answer);
  wpr_recorder_grow_async (first, "收集器", G_GUINT64_CONSTANT (1) << 40, NULL, on_grown, &answer);
  wait_until (answer.done && answer.ok);
  g_autofree char *named = served_get_told (served);
  assert_string_equal (named, "grow 收集器 1099511627776");
  answer_clear (&answer);
  served_free (served);
}

static void
errors_keep_code_number_and_words (void **state)
{
  Served *served = served_new ("errors");
  g_autoptr (WprRecorder) recorder = connect_to ("errors");
  Answer answer = { 0 };
  start (recorder, "Refused", &answer);
  assert_false (answer.ok);
  assert_true (g_error_matches (answer.error, WPR_ERROR, WPR_ERROR_NOT_PERMITTED));
  assert_int_equal (wpr_error_get_number (answer.error), 0xc5583014);
  assert_string_equal (answer.error->message, "Not “you”.\nAsk root.");
  answer_clear (&answer);
  served_free (served);
}

static void
every_code_survives_the_wire (void **state)
{
  for (int code = WPR_ERROR_USAGE; code <= WPR_ERROR_CANCELLED; code++)
    {
      g_autoptr (GError) error = NULL;
      wpr_set_error (&error, code, code % 2 != 0 ? 0xc5580000 + code : 0, "Words, and .x in them.");
      g_autofree char *name = wpr_bus_error_name (error);
      assert_true (g_dbus_is_error_name (name));
      g_autoptr (GError) back
          = wpr_bus_error_from_remote (g_dbus_error_new_for_dbus_error (name, error->message));
      assert_true (g_error_matches (back, WPR_ERROR, code));
      assert_int_equal (wpr_error_get_number (back), wpr_error_get_number (error));
      assert_string_equal (back->message, "Words, and .x in them.");
    }
  g_autoptr (GError) other = wpr_bus_error_from_remote (
      g_dbus_error_new_for_dbus_error ("org.freedesktop.DBus.Error.NoMemory", "none left"));
  assert_true (g_error_matches (other, WPR_ERROR, WPR_ERROR_INTERNAL));
  assert_string_equal (other->message, "none left");
}

static void
on_progress (WprRecorder *recorder, const char *phase, double fraction, guint64 done, guint64 total,
             gpointer data)
{
  assert_string_equal (phase, "order");
  assert_true (fraction == 0.5);
  assert_int_equal (done, 617);
  assert_int_equal (total, 1234);
  ++*(guint *)data;
}

static void
stop_writes_into_the_folder_that_was_passed (void **state)
{
  Served *served = served_new ("stop");
  g_autoptr (WprRecorder) recorder = connect_to ("stop");
  Answer answer = { 0 };
  guint n_progress = 0;
  char *folder = NULL;
  int fd = open_folder (&folder);
  start (recorder, "CPU", &answer);
  answer_clear (&answer);
  g_signal_connect (recorder, "progress", G_CALLBACK (on_progress), &n_progress);
  /* A name of bytes that are not UTF-8, with a space and a newline. */
  const char *name = "slow \n\xff.etl";
  wpr_recorder_stop_async (recorder, fd, name, NULL, NULL, on_stopped, &answer);
  close (fd); /* the recorder has its own */
  wait_until (answer.done);
  assert_true (answer.ok);
  assert_int_equal (answer.saved->size, 1234);
  assert_int_equal (answer.saved->events, 99);
  assert_int_equal (answer.saved->lost, 3);
  assert_int_equal (answer.saved->duration_ns, 42);
  assert_int_equal (n_progress, 1);
  assert_int_equal (wpr_recorder_get_state (recorder), WPR_STATE_SAVED);
  g_autofree char *path = g_build_filename (folder, name, NULL);
  assert_true (g_file_test (path, G_FILE_TEST_EXISTS));
  answer_clear (&answer);
  served_free (served);
  /* Over is over: that the recorder has gone now is no failure. */
  for (int i = 0; i < 20; i++)
    {
      g_main_context_iteration (NULL, FALSE);
      g_usleep (5000);
    }
  assert_int_equal (wpr_recorder_get_state (recorder), WPR_STATE_SAVED);
  /* And who comes a moment too late is told so, not that the recorder broke. */
  wpr_recorder_mark_async (recorder, "late", NULL, on_marked, &answer);
  wait_until (answer.done);
  assert_true (g_error_matches (answer.error, WPR_ERROR, WPR_ERROR_STATE));
  assert_non_null (strstr (answer.error->message, "saved already"));
  answer_clear (&answer);
  remove_folder (folder, name);
}

static void
cancelling_a_stop_cancels_the_merge (void **state)
{
  Served *served = served_new ("hold");
  g_autoptr (WprRecorder) recorder = connect_to ("hold");
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  Answer answer = { 0 };
  char *folder = NULL;
  int fd = open_folder (&folder);
  start (recorder, "CPU", &answer);
  answer_clear (&answer);
  wpr_recorder_stop_async (recorder, fd, "a.etl", "hold", cancellable, on_stopped, &answer);
  wait_until (wpr_recorder_get_state (recorder) == WPR_STATE_MERGING);
  assert_false (answer.done);
  wpr_recorder_set_note (recorder, "later words");
  g_autofree char *told = NULL;
  wait_until (
      (g_free (told), told = served_get_told (served), g_str_equal (told, "note later words")));
  g_cancellable_cancel (cancellable);
  wait_until (answer.done);
  assert_true (g_error_matches (answer.error, WPR_ERROR, WPR_ERROR_CANCELLED));
  assert_string_equal (answer.error->message, "The raw recording is kept in “/raw”.");
  close (fd);
  answer_clear (&answer);
  served_free (served);
  remove_folder (folder, "a.etl");
}

static void
a_stop_cancelled_before_it_is_sent_is_cancelled (void **state)
{
  Served *served = served_new ("early");
  g_autoptr (WprRecorder) recorder = connect_to ("early");
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  Answer answer = { 0 };
  char *folder = NULL;
  int fd = open_folder (&folder);
  start (recorder, "CPU", &answer);
  answer_clear (&answer);
  g_cancellable_cancel (cancellable);
  wpr_recorder_stop_async (recorder, fd, "a.etl", "hold", cancellable, on_stopped, &answer);
  wait_until (answer.done);
  assert_true (g_error_matches (answer.error, WPR_ERROR, WPR_ERROR_CANCELLED));
  close (fd);
  answer_clear (&answer);
  served_free (served);
  remove_folder (folder, "a.etl");
}

static void
a_caller_that_goes_away_still_gets_its_file (void **state)
{
  Served *served = served_new ("gone");
  WprRecorder *recorder = connect_to ("gone");
  g_autoptr (WprRecorder) other = connect_to ("gone");
  g_autoptr (GDBusConnection) raw = NULL;
  g_autoptr (GUnixFDList) fds = NULL;
  Answer answer = { 0 };
  char *folder = NULL;
  int fd = open_folder (&folder);
  start (recorder, "CPU", &answer);
  answer_clear (&answer);
  g_object_unref (recorder);
  /* A caller that sends Stop and dies before it is answered. */
  g_autofree char *address = g_strdup_printf ("unix:path=%s/gone.socket", served_place);
  raw = g_dbus_connection_new_for_address_sync (
      address, G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT, NULL, NULL, NULL);
  assert_non_null (raw);
  fds = g_unix_fd_list_new_from_array (&fd, 1);
  g_dbus_connection_call_with_unix_fd_list (
      raw, NULL, WPR_BUS_PATH, WPR_BUS_INTERFACE, "Stop",
      g_variant_new ("(uh^aysuu)", 1, 0, "kept.etl", "slow", 0, G_MAXUINT32), NULL,
      G_DBUS_CALL_FLAGS_NONE, -1, fds, NULL, NULL, NULL);
  assert_true (g_dbus_connection_flush_sync (raw, NULL, NULL));
  wait_until (wpr_recorder_get_state (other) == WPR_STATE_MERGING);
  assert_true (g_dbus_connection_close_sync (raw, NULL, NULL));
  wait_until (wpr_recorder_get_state (other) == WPR_STATE_SAVED);
  g_autofree char *path = g_build_filename (folder, "kept.etl", NULL);
  assert_true (g_file_test (path, G_FILE_TEST_EXISTS));
  served_free (served);
  remove_folder (folder, "kept.etl");
}

static void
on_notice (WprRecorder *recorder, const WprNotice *notice, gpointer data)
{
  GString *ids = data;
  g_string_append_printf (ids, "%s;", notice->id);
}

static void
a_recorder_that_vanishes_is_a_failure_with_a_sentence (void **state)
{
  Served *served = served_new ("lost");
  g_autoptr (WprRecorder) recorder = connect_to ("lost");
  g_autoptr (GString) ids = g_string_new (NULL);
  Answer answer = { 0 };
  char *folder = NULL;
  int fd = open_folder (&folder);
  start (recorder, "CPU", &answer);
  answer_clear (&answer);
  g_signal_connect (recorder, "notice", G_CALLBACK (on_notice), ids);
  served_add_notice (served, "loss", "12 events were lost.");
  wait_until (ids->len > 0);
  wpr_recorder_save_async (recorder, fd, "a.etl", "slow", NULL, on_saved, &answer);
  served_free (served);
  wait_until (answer.done && wpr_recorder_get_state (recorder) == WPR_STATE_FAILED);
  assert_true (g_error_matches (answer.error, WPR_ERROR, WPR_ERROR_INTERNAL));
  assert_non_null (strstr (answer.error->message, "wpr -recover"));
  wait_until (g_str_equal (ids->str, "loss;recorder-gone;"));
  answer_clear (&answer);
  close (fd);
  remove_folder (folder, "a.etl");
}

static void
the_newest_figures_are_read_from_the_page (void **state)
{
  Served *served = served_new ("figures");
  WprCpuStats cpu = { .cpu = 1, .online = TRUE, .ring_bytes = 4096, .fill = 0.25, .events = 7 };
  WprCollectorStats collector = { .name = "C", .session = "S", .n_cpus = 1, .cpus = &cpu };
  WprStats values
      = { .state = WPR_STATE_RECORDING, .events = 1, .n_collectors = 1, .collectors = &collector };
  served_set_stats (served, &values);
  g_autoptr (WprRecorder) recorder = connect_to ("figures");
  g_autoptr (WprStats) first = wpr_recorder_ref_stats (recorder);
  assert_int_equal (first->events, 1);
  assert_string_equal (first->collectors[0].session, "S");
  assert_int_equal (first->collectors[0].cpus[0].events, 7);
  g_autoptr (WprStats) again = wpr_recorder_ref_stats (recorder);
  assert_ptr_equal (first, again); /* nothing new: the same snapshot */
  values.events = 2;
  served_set_stats (served, &values);
  gboolean seen = FALSE;
  for (int i = 0; i < 2000 && !seen; i++)
    {
      g_autoptr (WprStats) now = wpr_recorder_ref_stats (recorder);
      seen = now->events == 2;
      g_usleep (1000);
    }
  assert_true (seen);
  served_free (served);
  /* The last figures stay when the recorder has gone. */
  g_autoptr (WprStats) last = wpr_recorder_ref_stats (recorder);
  assert_int_equal (last->events, 2);
}

static void
the_second_to_start_hears_since_when_and_by_whom (void **state)
{
  Served *served = served_new ("taken");
  g_autoptr (WprRecorder) recorder = connect_to ("taken");
  g_autoptr (GError) error = NULL;
  Answer answer = { 0 };
  start (recorder, "CPU", &answer);
  assert_null (wpr_recorder_spawn ("taken", &error));
  assert_true (g_error_matches (error, WPR_ERROR, WPR_ERROR_ALREADY_RECORDING));
  assert_int_equal (wpr_error_get_number (error), 0xc5583001);
  assert_non_null (strstr (error->message, "2023-11-1")); /* 1700000000 s, in any time zone */
  assert_non_null (strstr (error->message, "somebody"));
  assert_non_null (strstr (error->message, "wpr"));
  answer_clear (&answer);
  served_free (served);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (two_clients_see_one_recording),
    cmocka_unit_test (changes_reach_the_recorder_and_every_client),
    cmocka_unit_test (errors_keep_code_number_and_words),
    cmocka_unit_test (every_code_survives_the_wire),
    cmocka_unit_test (stop_writes_into_the_folder_that_was_passed),
    cmocka_unit_test (cancelling_a_stop_cancels_the_merge),
    cmocka_unit_test (a_stop_cancelled_before_it_is_sent_is_cancelled),
    cmocka_unit_test (a_caller_that_goes_away_still_gets_its_file),
    cmocka_unit_test (a_recorder_that_vanishes_is_a_failure_with_a_sentence),
    cmocka_unit_test (the_newest_figures_are_read_from_the_page),
    cmocka_unit_test (the_second_to_start_hears_since_when_and_by_whom),
  };
  served_make_places ();
  int failed = cmocka_run_group_tests (tests, NULL, NULL);
  served_remove_places ();
  return failed;
}
