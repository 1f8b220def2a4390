/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A recorder driven by a test. */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/files.h"
#include "drive.h"
#include "perf/event.h"
#include "store/store.h"

static void
skip_without_kernel (void)
{
  struct perf_event_attr attr = {
    .type = PERF_TYPE_TRACEPOINT,
    .size = sizeof attr,
    .sample_period = 1,
    .sample_type = PERF_SAMPLE_RAW,
    .disabled = 1,
  };
  int id = wpr_tracefs_id ("sched:sched_switch");
  attr.config = id > 0 ? (guint64)id : 0;
  long fd = syscall (SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
  if (fd >= 0)
    {
      close ((int)fd);
      return;
    }
  print_message ("skipped: the kernel refuses sched:sched_switch (%s)\n", g_strerror (errno));
  skip ();
}

static void
on_notice (WprRecorder *recorder, WprNotice *notice, gpointer data)
{
  Drive *d = data;
  g_ptr_array_add (d->notices, g_strdup_printf ("%s: %s", notice->id, notice->text));
}

static void
on_progress (WprRecorder *recorder, const char *phase, double fraction, guint64 done, guint64 total,
             gpointer data)
{
  Drive *d = data;
  assert_true (fraction >= 0 && fraction <= 1);
  if (!g_ptr_array_find_with_equal_func (d->phases, phase, g_str_equal, NULL))
    g_ptr_array_add (d->phases, g_strdup (phase));
}

void
drive_init (Drive *d)
{
  skip_without_kernel ();
  drive_init_here (d);
}

void
drive_init_here (Drive *d)
{
  g_autoptr (GError) error = NULL;
  memset (d, 0, sizeof *d);
  d->root = g_dir_make_tmp ("wpr-test-XXXXXX", &error);
  assert_non_null (d->root);
  d->save = g_build_filename (d->root, "save", NULL);
  g_mkdir_with_parents (d->save, 0700);
  g_setenv ("WPR_STATE_DIR", d->root, TRUE);
  g_setenv ("WPR_RUNTIME_DIR", d->root, TRUE);
  g_setenv ("WPR_SAVE_DIR", d->save, TRUE);
  d->save_fd = wpr_open_folder (d->save, &error);
  assert_true (d->save_fd >= 0);
  d->notices = g_ptr_array_new_with_free_func (g_free);
  d->phases = g_ptr_array_new_with_free_func (g_free);
  d->recorder = wpr_recorder_new_local ("Test", &error);
  assert_non_null (d->recorder);
  g_signal_connect (d->recorder, "notice", G_CALLBACK (on_notice), d);
  g_signal_connect (d->recorder, "progress", G_CALLBACK (on_progress), d);
}

void
drive_clear (Drive *d)
{
  if (!d->root)
    return;
  g_clear_object (&d->recorder);
  while (g_main_context_iteration (NULL, FALSE))
    ;
  close (d->save_fd);
  g_ptr_array_unref (d->notices);
  g_ptr_array_unref (d->phases);
  g_autofree char *parent = g_path_get_dirname (d->root);
  g_autofree char *name = g_path_get_basename (d->root);
  int fd = wpr_open_folder (parent, NULL);
  assert_true (wpr_remove_tree_at (fd, name, NULL));
  close (fd);
  g_clear_pointer (&d->root, g_free);
  g_clear_pointer (&d->save, g_free);
}

static gboolean
on_late (gpointer data)
{
  *(gboolean *)data = TRUE;
  return G_SOURCE_CONTINUE;
}

void
drive_wait (const gboolean *done)
{
  gboolean late = FALSE;
  guint timer = g_timeout_add_seconds (60, on_late, &late);
  while (!*done && !late)
    g_main_context_iteration (NULL, TRUE);
  g_source_remove (timer);
  if (!*done)
    fail_msg ("no answer within a minute");
}

void
answer_clear (Answer *answer)
{
  g_clear_pointer (&answer->saved, wpr_saved_free);
  g_clear_pointer (&answer->string, g_free);
  g_clear_error (&answer->error);
  answer->done = answer->good = FALSE;
}

WprChoice *
drive_choice (const char *profile, WprMode mode)
{
  WprChoice *choice = wpr_choice_new ();
  choice->mode = mode;
  wpr_choice_add (choice, profile, NULL, -1);
  return choice;
}

static void
on_started (GObject *source, GAsyncResult *result, gpointer data)
{
  Answer *answer = data;
  answer->good = wpr_recorder_start_finish (WPR_RECORDER (source), result, &answer->error);
  answer->done = TRUE;
}

static void
on_stopped (GObject *source, GAsyncResult *result, gpointer data)
{
  Answer *answer = data;
  answer->saved = wpr_recorder_stop_finish (WPR_RECORDER (source), result, &answer->error);
  answer->good = answer->saved != NULL;
  answer->done = TRUE;
}

static void
on_saved (GObject *source, GAsyncResult *result, gpointer data)
{
  Answer *answer = data;
  answer->saved = wpr_recorder_save_finish (WPR_RECORDER (source), result, &answer->error);
  answer->good = answer->saved != NULL;
  answer->done = TRUE;
}

static void
on_cancelled (GObject *source, GAsyncResult *result, gpointer data)
{
  Answer *answer = data;
  answer->good = wpr_recorder_cancel_finish (WPR_RECORDER (source), result, &answer->error);
  answer->done = TRUE;
}

static void
on_marked (GObject *source, GAsyncResult *result, gpointer data)
{
  Answer *answer = data;
  answer->good = wpr_recorder_mark_finish (WPR_RECORDER (source), result, &answer->error);
  answer->done = TRUE;
}

static void
on_interrupted (GObject *source, GAsyncResult *result, gpointer data)
{
  Answer *answer = data;
  answer->string = wpr_recorder_interrupt_finish (WPR_RECORDER (source), result, &answer->error);
  answer->good = answer->string != NULL;
  answer->done = TRUE;
}

void
drive_start (Drive *d, WprChoice *choice, Answer *answer)
{
  answer_clear (answer);
  wpr_recorder_start_async (d->recorder, choice, NULL, "wpr", NULL, on_started, answer);
  drive_wait (&answer->done);
  wpr_choice_free (choice);
}

void
drive_stop_begin (Drive *d, const char *name, GCancellable *cancellable, Answer *answer)
{
  answer_clear (answer);
  wpr_recorder_stop_async (d->recorder, d->save_fd, name, NULL, cancellable, on_stopped, answer);
}

void
drive_stop (Drive *d, const char *name, const char *note, Answer *answer)
{
  answer_clear (answer);
  wpr_recorder_stop_async (d->recorder, d->save_fd, name, note, NULL, on_stopped, answer);
  drive_wait (&answer->done);
}

void
drive_save_begin (Drive *d, const char *name, Answer *answer)
{
  answer_clear (answer);
  wpr_recorder_save_async (d->recorder, d->save_fd, name, NULL, NULL, on_saved, answer);
}

char *
drive_stop_and_keep (Drive *d)
{
  Answer answer = { 0 };
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_cancellable_cancel (cancellable);
  drive_stop_begin (d, "never.etl", cancellable, &answer);
  drive_wait (&answer.done);
  assert_refused (&answer, WPR_ERROR_CANCELLED);
  g_autoptr (GPtrArray) left = wpr_unfinished_list (NULL);
  assert_int_equal (left->len, 1);
  answer_clear (&answer);
  return g_strdup (((WprUnfinished *)g_ptr_array_index (left, 0))->path);
}

void
drive_save (Drive *d, const char *name, Answer *answer)
{
  drive_save_begin (d, name, answer);
  drive_wait (&answer->done);
}

void
drive_cancel_begin (Drive *d, Answer *answer)
{
  answer_clear (answer);
  wpr_recorder_cancel_async (d->recorder, NULL, on_cancelled, answer);
}

void
drive_cancel (Drive *d, Answer *answer)
{
  drive_cancel_begin (d, answer);
  drive_wait (&answer->done);
}

void
drive_mark (Drive *d, const char *text, Answer *answer)
{
  answer_clear (answer);
  wpr_recorder_mark_async (d->recorder, text, NULL, on_marked, answer);
  drive_wait (&answer->done);
}

void
drive_interrupt (Drive *d, Answer *answer)
{
  answer_clear (answer);
  wpr_recorder_interrupt_async (d->recorder, on_interrupted, answer);
  drive_wait (&answer->done);
}

void
assert_good (const Answer *answer)
{
  if (!answer->good)
    fail_msg ("%s", answer->error ? answer->error->message : "no error");
}

void
assert_refused (const Answer *answer, WprErrorCode code)
{
  assert_false (answer->good);
  if (!g_error_matches (answer->error, WPR_ERROR, (int)code))
    fail_msg ("expected error %d, got %s: %s", code,
              answer->error ? wpr_error_code_name (answer->error) : "none",
              answer->error ? answer->error->message : "");
}

gboolean
drive_told (const Drive *d, const char *id)
{
  g_autofree char *prefix = g_strconcat (id, ": ", NULL);
  for (guint i = 0; i < d->notices->len; i++)
    if (g_str_has_prefix (g_ptr_array_index (d->notices, i), prefix))
      return TRUE;
  return FALSE;
}

void
run_programs (const char *root, const char *name, guint n, guint together)
{
  g_autofree char *path = g_build_filename (root, name, NULL);
  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    assert_return_code (symlink ("/bin/true", path), errno);
  for (guint begun = 0, over = 0; over < n;)
    {
      if (begun < n && begun - over < together)
        {
          if (fork () == 0)
            {
              execl (path, name, NULL);
              _exit (127);
            }
          begun++;
          continue;
        }
      int status = 0;
      assert_true (wait (&status) > 0);
      assert_int_equal (status, 0);
      over++;
    }
}

char *
drive_path (const Drive *d, const char *name)
{
  return g_build_filename (d->save, name, NULL);
}

guint
count_in_file (const char *path, const char *text)
{
  g_autofree char *bytes = NULL;
  gsize size = 0, length = strlen (text);
  guint n = 0;
  assert_true (g_file_get_contents (path, &bytes, &size, NULL));
  for (char *at = bytes; (at = memmem (at, size - (gsize)(at - bytes), text, length)) != NULL;
       at += length)
    n++;
  return n;
}

WprTraceInfo *
read_info (const Drive *d, const char *name)
{
  g_autofree char *path = drive_path (d, name);
  g_autoptr (GError) error = NULL;
  WprTraceInfo *info = wpr_trace_info_read (path, NULL, &error);
  if (!info)
    fail_msg ("%s", error->message);
  for (guint i = 0; i < info->faults->len; i++)
    print_message ("fault: %s\n", (char *)g_ptr_array_index (info->faults, i));
  assert_int_equal (info->faults->len, 0);
  return info;
}

guint
count_raw (void)
{
  g_autofree char *raw = wpr_raw_dir (NULL);
  g_autoptr (GPtrArray) stores = wpr_store_list (raw);
  return stores ? stores->len : 0;
}

static void
stall_on_worker (gpointer data)
{
  Stall *stall = data;
  g_mutex_lock (&stall->lock);
  stall->stalled = TRUE;
  g_cond_signal (&stall->cond);
  while (!stall->over)
    g_cond_wait (&stall->cond, &stall->lock);
  g_mutex_unlock (&stall->lock);
}

void
stall_begin (Stall *stall, WprWorker *worker)
{
  wpr_worker_call (worker, stall_on_worker, stall, NULL);
  g_mutex_lock (&stall->lock);
  while (!stall->stalled)
    g_cond_wait (&stall->cond, &stall->lock);
  g_mutex_unlock (&stall->lock);
}

void
stall_end (Stall *stall)
{
  g_mutex_lock (&stall->lock);
  stall->over = TRUE;
  g_cond_signal (&stall->cond);
  g_mutex_unlock (&stall->lock);
}
