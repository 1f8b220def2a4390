/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A glance at a file says what reading all of it says; a note is added to a finished file, and the
 * last one counts; a file that is not whole is left as it is. */
#include "config.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/files.h"
#include "base/wpr-error.h"
#include "kit.h"
#include "sink/sink.h"
#include "wpr-trace.h"

static gboolean sync_fails;

/* In the place of the C library's. */
int
fdatasync (int fd)
{
  errno = EIO;
  return sync_fails ? -1 : fsync (fd);
}

typedef struct
{
  char *folder, *path;
  int fd;
} Place;

/* x.etl with enough events that most of its buffers are not among those looked at. */
static void
place_init (Place *place, gboolean compress)
{
  g_autoptr (Kit) kit = kit_new (FALSE, 1, 2);
  g_autoptr (WprTrace) trace = NULL;
  WprSinkOptions options = { .compress = compress };
  WprSinkResult result;

  kit_begin (kit, NULL);
  kit_clock (kit, SECOND, SLEPT, WALL);
  for (guint i = 0; i < 120000; i++)
    kit_switch (kit, i % 2, 2 * SECOND + (WprTime)i * 50000, 700 + i % 2, STATE_S, 702 + i % 2);
  kit_flush (kit);
  kit_finish (kit, 9 * SECOND);
  place->folder = g_dir_make_tmp ("wpr-brief-XXXXXX", NULL);
  place->path = g_build_filename (place->folder, "x.etl", NULL);
  place->fd = wpr_open_folder (place->folder, NULL);
  trace = wpr_trace_open (kit->path, NULL);
  assert_true (wpr_sink_save_etl (trace, place->fd, "x.etl", &options, NULL, NULL, &result, NULL));
  wpr_sink_result_clear (&result);
}

static void
place_clear (Place *place)
{
  assert_int_equal (g_unlink (place->path), 0);
  close (place->fd);
  assert_int_equal (g_rmdir (place->folder), 0);
  g_free (place->folder);
  g_free (place->path);
}

static void
assert_same (const WprTraceInfo *brief, const WprTraceInfo *whole)
{
  assert_int_equal (brief->size_bytes, whole->size_bytes);
  assert_int_equal (brief->n_buffers, whole->n_buffers);
  assert_int_equal (brief->events_lost, whole->events_lost);
  assert_int_equal (brief->complete, whole->complete);
  assert_int_equal (brief->start_realtime_ns, whole->start_realtime_ns);
  assert_int_equal (brief->duration_ns, whole->duration_ns);
  assert_int_equal (brief->faults->len, whole->faults->len);
  assert_string_equal (brief->host, whole->host);
  assert_int_equal (brief->profiles->len, whole->profiles->len);
  assert_true (g_strcmp0 (brief->note, whole->note) == 0);
}

static void
a_glance_says_what_all_of_it_says (void **state)
{
  for (guint compress = 0; compress < 2; compress++)
    {
      Place place;

      place_init (&place, compress != 0);
      g_autoptr (WprTraceInfo) brief = wpr_trace_brief_read (place.path, NULL, NULL);
      g_autoptr (WprTraceInfo) whole = wpr_trace_info_read (place.path, NULL, NULL);
      assert_non_null (brief);
      assert_same (brief, whole);
      assert_true (whole->complete);
      place_clear (&place);
    }
}

static void
notes_are_added_and_the_last_one_counts (void **state)
{
  static const char *const notes[] = { "first", "菜单卡住了, and \"more\"" };

  for (guint compress = 0; compress < 2; compress++)
    {
      Place place;
      guint64 events;

      place_init (&place, compress != 0);
      g_autoptr (WprTraceInfo) before = wpr_trace_info_read (place.path, NULL, NULL);
      events = before->n_events;
      for (guint i = 0; i < G_N_ELEMENTS (notes); i++)
        {
          g_autoptr (GError) error = NULL;

          assert_true (wpr_trace_add_note (place.fd, "x.etl", notes[i], &error));
          g_autoptr (WprTraceInfo) whole = wpr_trace_info_read (place.path, NULL, NULL);
          g_autoptr (WprTraceInfo) brief = wpr_trace_brief_read (place.path, NULL, NULL);
          assert_string_equal (whole->note, notes[i]);
          assert_int_equal (whole->n_events, events + i + 1);
          assert_int_equal (whole->faults->len, 0);
          assert_true (whole->complete);
          assert_same (brief, whole);
        }
      place_clear (&place);
    }
}

static void
a_file_that_is_not_whole_is_left_as_it_is (void **state)
{
  static const gint64 cuts[] = { 1, 65536, 65536 * 3 + 17 };

  for (guint i = 0; i < G_N_ELEMENTS (cuts); i++)
    {
      Place place;
      struct stat st;
      g_autoptr (GError) error = NULL;
      g_autofree char *before = NULL, *after = NULL;
      gsize size_before, size_after;

      place_init (&place, FALSE);
      assert_int_equal (stat (place.path, &st), 0);
      assert_int_equal (truncate (place.path, st.st_size - cuts[i]), 0);
      assert_true (g_file_get_contents (place.path, &before, &size_before, NULL));
      assert_false (wpr_trace_add_note (place.fd, "x.etl", "no", &error));
      assert_true (g_error_matches (error, WPR_ERROR, WPR_ERROR_DAMAGED));
      assert_true (g_file_get_contents (place.path, &after, &size_after, NULL));
      assert_int_equal (size_before, size_after);
      assert_memory_equal (before, after, size_before);
      g_autoptr (WprTraceInfo) brief = wpr_trace_brief_read (place.path, NULL, NULL);
      assert_false (brief->complete);
      assert_true (brief->faults->len > 0);
      place_clear (&place);
    }
}

/* A limit in the middle of the new buffer, and a disk that takes nothing: said, and as it was. */
static void
a_note_that_cannot_be_written_changes_nothing (void **state)
{
  for (guint by_sync = 0; by_sync < 2; by_sync++)
    {
      Place place;
      struct rlimit limit, before;
      g_autoptr (GError) error = NULL;
      g_autofree char *was = NULL, *is = NULL;
      gsize size_was, size_is;

      place_init (&place, FALSE);
      assert_true (g_file_get_contents (place.path, &was, &size_was, NULL));
      assert_int_equal (getrlimit (RLIMIT_FSIZE, &before), 0);
      limit = before;
      limit.rlim_cur = (rlim_t)size_was + 1000;
      signal (SIGXFSZ, SIG_IGN);
      sync_fails = by_sync != 0;
      if (!sync_fails)
        assert_int_equal (setrlimit (RLIMIT_FSIZE, &limit), 0);
      assert_false (wpr_trace_add_note (place.fd, "x.etl", "no", &error));
      sync_fails = FALSE;
      assert_int_equal (setrlimit (RLIMIT_FSIZE, &before), 0);
      assert_true (g_error_matches (error, WPR_ERROR, WPR_ERROR_NOT_WRITABLE));
      assert_true (g_file_get_contents (place.path, &is, &size_is, NULL));
      assert_int_equal (size_is, size_was);
      assert_memory_equal (is, was, size_was);
      place_clear (&place);
    }
}

static void
what_is_no_trace_is_refused (void **state)
{
  g_autofree char *folder = g_dir_make_tmp ("wpr-brief-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "y.etl", NULL);
  int fd = wpr_open_folder (folder, NULL);
  g_autoptr (GError) error = NULL;

  assert_true (g_file_set_contents (path, "hello", 5, NULL));
  assert_false (wpr_trace_add_note (fd, "y.etl", "no", &error));
  assert_true (g_error_matches (error, WPR_ERROR, WPR_ERROR_DAMAGED));
  assert_null (wpr_trace_brief_read (path, NULL, NULL));
  g_clear_error (&error);
  assert_false (wpr_trace_add_note (fd, "z.etl", "no", &error));
  assert_true (g_error_matches (error, WPR_ERROR, WPR_ERROR_NOT_WRITABLE));
  g_unlink (path);
  close (fd);
  g_rmdir (folder);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (a_glance_says_what_all_of_it_says),
    cmocka_unit_test (notes_are_added_and_the_last_one_counts),
    cmocka_unit_test (a_file_that_is_not_whole_is_left_as_it_is),
    cmocka_unit_test (a_note_that_cannot_be_written_changes_nothing),
    cmocka_unit_test (what_is_no_trace_is_refused),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
