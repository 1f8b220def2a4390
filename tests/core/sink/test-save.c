/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From a store to a finished file: whole or not at all, never over another, the store untouched. */
#include "config.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>
#include "base/files.h"
#include "base/wpr-error.h"
#include "kit.h"
#include "sink/sink.h"
#include "wpr-trace.h"

typedef struct
{
  Kit *kit;
  char *folder;
  int folder_fd;
} Place;

static Place *
place_new (guint n_switches)
{
  Place *place = g_new0 (Place, 1);
  Kit *kit = place->kit = kit_new (FALSE, 1, 2);

  kit_begin (kit, NULL);
  kit_fork (kit, 0, 11 * MS, 700, 1, 700, 1);
  kit_comm (kit, 0, 12 * MS, 700, 700, "worker", TRUE);
  for (guint i = 0; i < n_switches; i++)
    kit_switch (kit, i % 2, (20 * MS) + i * 10000, i % 2 == 0 ? 700 : 701, STATE_S,
                i % 2 == 0 ? 702 : 703);
  kit_flush (kit);
  kit_finish (kit, 20 * MS + (WprTime)n_switches * 10000 + MS);
  place->folder = g_dir_make_tmp ("wpr-save-XXXXXX", NULL);
  place->folder_fd = wpr_open_folder (place->folder, NULL);
  assert_true (place->folder_fd >= 0);
  return place;
}

/* Removes what was saved; the folder must hold nothing else. */
static void
place_free (Place *place, const char *name)
{
  if (name != NULL)
    assert_int_equal (unlinkat (place->folder_fd, name, 0), 0);
  close (place->folder_fd);
  assert_int_equal (g_rmdir (place->folder), 0);
  g_free (place->folder);
  kit_free (place->kit);
  g_free (place);
}

typedef struct
{
  guint n_check;
  double last;
  GCancellable *cancel;
  const char *cancel_in;
} Watched;

static void
watch (const char *phase, double fraction, guint64 done, guint64 total, gpointer data)
{
  Watched *watched = data;

  assert_true (fraction >= 0 && fraction <= 1);
  watched->n_check += g_str_equal (phase, "check");
  if (g_strcmp0 (phase, watched->cancel_in) == 0)
    g_cancellable_cancel (watched->cancel);
}

static void
a_store_becomes_a_verified_file (void **state)
{
  static const char name[] = "a \"b\"\n\xe7\x8e\xb0.etl"; /* spaces, quotes, newline, Chinese */
  Place *place = place_new (5000);
  g_autoptr (WprTrace) trace = wpr_trace_open (place->kit->path, NULL);
  g_autofree char *path = g_build_filename (place->folder, name, NULL);
  g_autoptr (WprTraceInfo) info = NULL;
  Watched watched = { 0 };
  WprProgress progress = { watch, &watched };
  WprSinkResult result = { 0 };
  GError *error = NULL;
  GStatBuf st;

  if (!wpr_sink_save_etl (trace, place->folder_fd, name, NULL, &progress, NULL, &result, &error))
    fail_msg ("%s", error->message);
  assert_int_equal (g_stat (path, &st), 0);
  assert_int_equal (st.st_size, result.size);
  assert_string_equal (result.name, name);
  assert_true (result.complete);
  assert_int_equal (result.lost, 0);
  assert_true (watched.n_check > 0);
  info = wpr_trace_info_read (path, NULL, &error);
  assert_non_null (info);
  assert_int_equal (info->faults->len, 0);
  assert_int_equal (info->n_events, result.events);
  assert_int_equal (info->duration_ns, result.duration_ns);
  for (guint i = 0; i < info->counts->len; i++)
    {
      const WprEventCount *row = g_ptr_array_index (info->counts, i);

      if (g_str_equal (row->name, "CSwitch")) /* and those that must have been in between */
        assert_true (row->count >= 5000);
    }
  wpr_sink_result_clear (&result);
  place_free (place, name);
}

static void
an_existing_file_is_never_replaced (void **state)
{
  Place *place = place_new (10);
  g_autoptr (WprTrace) trace = wpr_trace_open (place->kit->path, NULL);
  g_autofree char *path = g_build_filename (place->folder, "x.etl", NULL), *text = NULL;
  WprSinkResult result = { 0 };
  GError *error = NULL;

  assert_true (g_file_set_contents (path, "mine", -1, NULL));
  assert_false (
      wpr_sink_save_etl (trace, place->folder_fd, "x.etl", NULL, NULL, NULL, &result, &error));
  assert_true (g_error_matches (error, WPR_ERROR, WPR_ERROR_NOT_WRITABLE));
  g_clear_error (&error);
  assert_true (g_file_get_contents (path, &text, NULL, NULL));
  assert_string_equal (text, "mine");
  place_free (place, "x.etl");
}

/* Cancelled while playing or while checking: no file, and the store can be played again. */
static void
cancelling_leaves_the_store_and_nothing_else (void **state)
{
  static const char *const phases[] = { "collect", "check" };

  for (guint i = 0; i < G_N_ELEMENTS (phases); i++)
    {
      Place *place = place_new (2000);
      g_autoptr (GCancellable) cancel = g_cancellable_new ();
      Watched watched = { .cancel = cancel, .cancel_in = phases[i] };
      WprProgress progress = { watch, &watched };
      WprSinkResult result = { 0 };
      GError *error = NULL;
      WprTrace *trace = wpr_trace_open (place->kit->path, NULL);

      assert_false (wpr_sink_save_etl (trace, place->folder_fd, "x.etl", NULL, &progress, cancel,
                                       &result, &error));
      assert_true (g_error_matches (error, WPR_ERROR, WPR_ERROR_CANCELLED));
      g_clear_error (&error);
      wpr_trace_free (trace);
      trace = wpr_trace_open (place->kit->path, NULL);
      assert_true (
          wpr_sink_save_etl (trace, place->folder_fd, "x.etl", NULL, NULL, NULL, &result, &error));
      wpr_trace_free (trace);
      wpr_sink_result_clear (&result);
      place_free (place, "x.etl");
    }
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (a_store_becomes_a_verified_file),
    cmocka_unit_test (an_existing_file_is_never_replaced),
    cmocka_unit_test (cancelling_leaves_the_store_and_nothing_else),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
