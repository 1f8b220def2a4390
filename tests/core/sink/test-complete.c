/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A file that is cut: -info says so in words, completing makes a finished one of it under its name,
 * and the other is never lost. */
#include "config.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/files.h"
#include "base/wpr-error.h"
#include "kit.h"
#include "sink/sink.h"
#include "wpr-trace.h"

typedef struct
{
  char *folder, *path;
  int fd;
  gsize size;
} Place;

/* x.etl, saved and whole. */
static void
place_init (Place *place, gboolean compress)
{
  g_autoptr (Kit) kit = kit_new (FALSE, 1, 2);
  g_autoptr (WprTrace) trace = NULL;
  WprSinkOptions options = { .compress = compress };
  WprSinkResult result;

  kit_begin (kit, NULL);
  kit_clock (kit, SECOND, SLEPT, WALL);
  for (guint i = 0; i < 30000; i++)
    kit_switch (kit, i % 2, 2 * SECOND + (WprTime)i * 50000, 700 + i % 2, STATE_S, 702 + i % 2);
  kit_flush (kit);
  kit_finish (kit, 9 * SECOND);
  place->folder = g_dir_make_tmp ("wpr-complete-XXXXXX", NULL);
  place->path = g_build_filename (place->folder, "x.etl", NULL);
  place->fd = wpr_open_folder (place->folder, NULL);
  trace = wpr_trace_open (kit->path, NULL);
  assert_true (wpr_sink_save_etl (trace, place->fd, "x.etl", &options, NULL, NULL, &result, NULL));
  place->size = result.size;
  wpr_sink_result_clear (&result);
}

static void
place_clear (Place *place)
{
  g_autoptr (GDir) dir = g_dir_open (place->folder, 0, NULL);

  for (const char *name = g_dir_read_name (dir); name != NULL; name = g_dir_read_name (dir))
    assert_int_equal (unlinkat (place->fd, name, 0), 0);
  close (place->fd);
  assert_int_equal (g_rmdir (place->folder), 0);
  g_free (place->folder);
  g_free (place->path);
}

static WprTraceInfo *
read_info (const Place *place)
{
  WprTraceInfo *info = wpr_trace_info_read (place->path, NULL, NULL);

  assert_non_null (info);
  return info;
}

static void
a_cut_file_is_completed_and_kept (void **state)
{
  for (guint compress = 0; compress < 2; compress++)
    {
      Place place;
      g_autofree char *before = NULL, *after = NULL, *text = NULL, *kept = NULL;
      gsize before_size = 0, after_size = 0;
      g_autoptr (WprCompleted) completed = NULL, again = NULL;

      place_init (&place, compress);
      assert_int_equal (truncate (place.path, (off_t)(place.size * 3 / 5)), 0);
      assert_true (g_file_get_contents (place.path, &before, &before_size, NULL));
      g_autoptr (WprTraceInfo) cut = read_info (&place);
      assert_true (cut->faults->len > 0);
      assert_false (cut->complete);
      text = wpr_trace_info_to_text (cut);
      assert_non_null (strstr (text, "wpr -recover"));

      completed = wpr_trace_complete (place.fd, "x.etl", FALSE, NULL, NULL);
      assert_non_null (completed);
      assert_string_equal (completed->name, "x.etl");
      assert_string_equal (completed->original, "x-unfinished.etl");
      kept = g_build_filename (place.folder, completed->original, NULL);
      assert_true (g_file_get_contents (kept, &after, &after_size, NULL));
      assert_int_equal (after_size, before_size);
      assert_memory_equal (after, before, before_size);
      g_autoptr (WprTraceInfo) info = read_info (&place);
      g_autofree char *words = wpr_trace_info_to_text (info);
      assert_int_equal (info->faults->len, 0);
      assert_true (info->was_completed);
      assert_false (info->complete);
      assert_int_equal (info->compressed, compress);
      assert_int_equal (info->n_events, completed->events);
      assert_non_null (strstr (words, "Completed later"));
      assert_true (info->n_events > 10000);

      /* Once more there is nothing to do. */
      again = wpr_trace_complete (place.fd, "x.etl", FALSE, NULL, NULL);
      assert_null (again->original);
      assert_string_equal (again->name, "x.etl");
      place_clear (&place);
    }
}

/* The header as it is while the file is written. */
static void
a_file_without_an_end_is_called_unfinished (void **state)
{
  static const guint8 zeros[8] = { 0 }, one[4] = { 1 };
  Place place;
  g_autoptr (WprCompleted) completed = NULL;
  g_autofree char *text = NULL, *note = NULL;
  FILE *file;

  place_init (&place, FALSE);
  file = fopen (place.path, "r+");
  fseek (file, 0x48 + 0x20 + 0x10, SEEK_SET); /* EndTime */
  fwrite (zeros, sizeof zeros, 1, file);
  fseek (file, 0x48 + 0x20 + 0x24, SEEK_SET); /* BuffersWritten */
  fwrite (one, sizeof one, 1, file);
  fclose (file);
  g_autoptr (WprTraceInfo) info = read_info (&place);
  text = wpr_trace_info_to_text (info);
  assert_non_null (strstr (text, "Not finished"));
  /* Names that are taken are left alone. */
  note = g_build_filename (place.folder, "x-unfinished.etl", NULL);
  assert_true (g_file_set_contents (note, "mine", -1, NULL));
  completed = wpr_trace_complete (place.fd, "x.etl", TRUE, NULL, NULL);
  assert_string_equal (completed->original, "x-unfinished-2.etl");
  assert_int_equal (completed->left_out_bytes, 0);
  g_autoptr (WprTraceInfo) after = read_info (&place);
  assert_true (after->compressed);
  assert_int_equal (after->n_events, info->n_events + 1);
  assert_true (after->end_realtime_ns > after->start_realtime_ns);
  place_clear (&place);
}

static void
what_is_no_trace_stays_as_it_is (void **state)
{
  g_autofree char *folder = g_dir_make_tmp ("wpr-complete-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "x.etl", NULL), *text = NULL;
  int fd = wpr_open_folder (folder, NULL);
  GError *error = NULL;

  assert_null (wpr_trace_complete (fd, "x.etl", FALSE, NULL, &error));
  assert_true (g_error_matches (error, WPR_ERROR, WPR_ERROR_DAMAGED));
  g_clear_error (&error);
  assert_true (g_file_set_contents (path, "a letter to a friend", -1, NULL));
  assert_null (wpr_trace_complete (fd, "x.etl", FALSE, NULL, &error));
  assert_true (g_error_matches (error, WPR_ERROR, WPR_ERROR_DAMAGED));
  g_clear_error (&error);
  assert_true (g_file_get_contents (path, &text, NULL, NULL));
  assert_string_equal (text, "a letter to a friend");
  assert_int_equal (g_unlink (path), 0);
  close (fd);
  assert_int_equal (g_rmdir (folder), 0);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (a_cut_file_is_completed_and_kept),
    cmocka_unit_test (a_file_without_an_end_is_called_unfinished),
    cmocka_unit_test (what_is_no_trace_stays_as_it_is),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
