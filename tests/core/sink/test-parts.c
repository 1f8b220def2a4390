/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A recording in several files: together they hold what the one file would, each is complete by
 * itself, and there are all of them or none. */
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

#define N_EVENTS 120000
#define STEP 100000 /* ns between two events: 12 s in all */
#define PART_BYTES (1 << 20)

typedef struct
{
  Kit *kit;
  char *folder;
  int folder_fd;
} Place;

static void
put_loss (Kit *kit, WprTime time, guint64 n)
{
  struct
  {
    guint32 collector, row;
    guint64 count;
  } loss = { 0, ROW_SWITCH, n };

  kit_note (kit, WPR_NOTE_LOSS, 0, time, &loss, sizeof loss);
}

/* 700 lives from before its first event to the end; 800, 801 .. for a tenth of a second each. */
static Place *
place_new (void)
{
  Place *place = g_new0 (Place, 1);
  Kit *kit = place->kit = kit_new (FALSE, 1, 2);

  kit_begin (kit, NULL);
  kit_clock (kit, SECOND, SLEPT, WALL);
  kit_fork (kit, 0, SECOND + MS, 700, 1, 700, 1);
  kit_comm (kit, 0, SECOND + 2 * MS, 700, 700, "worker", TRUE);
  for (guint i = 0; i < N_EVENTS; i++)
    {
      WprTime time = 2 * SECOND + (WprTime)i * STEP;
      guint32 cpu = i % 2, turn = i / 2 % 2;

      if (i % 3 == 0)
        kit_clock_sample (kit, cpu, time, 700, i);
      else
        kit_switch (kit, cpu, time, 700 + cpu + turn * 2, STATE_S, 702 + cpu - turn * 2);
      if (i % 1000 == 0)
        {
          kit_fork (kit, 0, time, 800 + i / 1000, 700, 800 + i / 1000, 700);
          if (i > 0)
            kit_exit (kit, 1, time, 799 + i / 1000, 799 + i / 1000);
        }
      if (i % 20000 == 0)
        put_loss (kit, time, i / 20000 + 1);
    }
  kit_note (kit, WPR_NOTE_MARK, 0, 9 * SECOND, "now", 3);
  kit_note (kit, WPR_NOTE_DESCRIPTION, 0, 9 * SECOND, "slow", 4);
  kit_flush (kit);
  kit_finish (kit, 14 * SECOND);
  place->folder = g_dir_make_tmp ("wpr-parts-XXXXXX", NULL);
  place->folder_fd = wpr_open_folder (place->folder, NULL);
  return place;
}

static void
place_free (Place *place)
{
  close (place->folder_fd);
  assert_int_equal (g_rmdir (place->folder), 0);
  g_free (place->folder);
  kit_free (place->kit);
  g_free (place);
}

static void
save (Place *place, const char *name, guint64 part_bytes, WprSinkResult *result)
{
  g_autoptr (WprTrace) trace = wpr_trace_open (place->kit->path, NULL);
  WprSinkOptions options = { .part_bytes = part_bytes };
  GError *error = NULL;

  if (!wpr_sink_save_etl (trace, place->folder_fd, name, &options, NULL, NULL, result, &error))
    fail_msg ("%s", error->message);
}

static WprTraceInfo *
read_file (Place *place, const char *name)
{
  g_autofree char *path = g_build_filename (place->folder, name, NULL);
  WprTraceInfo *info = wpr_trace_info_read (path, NULL, NULL);

  assert_non_null (info);
  for (guint i = 0; i < info->faults->len; i++)
    fail_msg ("%s: %s", name, (const char *)g_ptr_array_index (info->faults, i));
  return info;
}

static void
remove_files (Place *place, WprSinkResult *result)
{
  if (result->names == NULL)
    assert_int_equal (unlinkat (place->folder_fd, result->name, 0), 0);
  for (guint i = 0; result->names != NULL && result->names[i] != NULL; i++)
    assert_int_equal (unlinkat (place->folder_fd, result->names[i], 0), 0);
  wpr_sink_result_clear (result);
}

static guint64
count (const WprTraceInfo *info, const char *provider, const char *name)
{
  for (guint i = 0; i < info->counts->len; i++)
    {
      const WprEventCount *row = g_ptr_array_index (info->counts, i);

      if (g_str_equal (row->provider, provider) && g_str_equal (row->name, name))
        return row->count;
    }
  return 0;
}

/* What belongs to one moment is in exactly one of them. */
static const char *const once[][2] = {
  { "Thread", "CSwitch" },       { "PerfInfo", "SampledProfile" },
  { "Process", "Start" },        { "Process", "End" },
  { "Linux.Recorder", "Mark" },  { "Linux.Recorder", "EventsLost" },
  { "Linux.Recorder", "Tally" }, { "StackWalk", "Stack" },
};

static void
together_they_hold_what_one_file_would (void **state)
{
  Place *place = place_new ();
  WprSinkResult one, many;
  g_autoptr (WprTraceInfo) whole = NULL;
  guint64 sums[G_N_ELEMENTS (once)] = { 0 }, lost = 0, events = 0, size = 0;
  gint64 end = 0;
  guint n;

  save (place, "one.etl", 0, &one);
  assert_null (one.names);
  whole = read_file (place, "one.etl");
  assert_int_equal (whole->n_parts, 0);
  save (place, "many.etl", PART_BYTES, &many);
  n = g_strv_length (many.names);
  assert_true (n >= 4);
  assert_string_equal (many.name, "many.etl");
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *expected
          = i == 0 ? g_strdup ("many.etl") : g_strdup_printf ("many-%u.etl", i + 1);
      g_autoptr (WprTraceInfo) info = read_file (place, many.names[i]);

      assert_string_equal (many.names[i], expected);
      assert_in_range (info->size_bytes, 1, PART_BYTES);
      assert_int_equal (info->part, i + 1);
      assert_int_equal (info->n_parts, n);
      assert_int_equal (info->parts->len, n);
      assert_string_equal (info->note, "slow");
      assert_string_equal (info->host, "testhost");
      if (i > 0)
        assert_in_range (info->start_realtime_ns - end, 0, 200);
      end = info->end_realtime_ns;
      for (guint k = 0; k < G_N_ELEMENTS (once); k++)
        sums[k] += count (info, once[k][0], once[k][1]);
      /* Idle, System, init, 700 and the one that lives then; of those before there is nothing. */
      assert_in_range (count (info, "Process", "DCStart"), i == 0 ? 2 : 4, 6);
      assert_in_range (count (info, "Process", "DCEnd"), 4, 6);
      assert_int_equal (count (info, "SystemConfig", "CPU"), 1);
      assert_int_equal (count (info, "PerfInfo", "CollectionStart"),
                        count (whole, "PerfInfo", "CollectionStart"));
      lost += info->events_lost;
      events += info->n_events;
      size += info->size_bytes;
    }
  for (guint k = 0; k < G_N_ELEMENTS (once); k++)
    assert_int_equal (sums[k], count (whole, once[k][0], once[k][1]));
  assert_int_equal (lost, 1 + 2 + 3 + 4 + 5 + 6);
  assert_int_equal (lost, whole->events_lost);
  assert_int_equal (many.lost, lost);
  assert_int_equal (many.events, events);
  assert_int_equal (many.size, size);
  assert_int_equal (many.duration_ns, one.duration_ns);
  assert_int_equal (whole->end_realtime_ns, end);
  remove_files (place, &one);
  remove_files (place, &many);
  place_free (place);
}

static void
a_name_that_is_taken_is_left_alone (void **state)
{
  Place *place = place_new ();
  g_autofree char *taken = g_build_filename (place->folder, "x-3.etl", NULL), *text = NULL;
  WprSinkResult result;

  assert_true (g_file_set_contents (taken, "mine", -1, NULL));
  save (place, "x.etl", PART_BYTES, &result);
  assert_string_equal (result.names[0], "x.etl");
  assert_string_equal (result.names[1], "x-2.etl");
  assert_string_equal (result.names[2], "x-4.etl");
  assert_string_equal (result.names[3], "x-5.etl");
  g_autoptr (WprTraceInfo) info = read_file (place, "x-4.etl");
  assert_int_equal (info->part, 3);
  assert_string_equal (g_ptr_array_index (info->parts, 2), "x-4.etl");
  assert_true (g_file_get_contents (taken, &text, NULL, NULL));
  assert_string_equal (text, "mine");
  assert_int_equal (g_unlink (taken), 0);
  remove_files (place, &result);
  place_free (place);
}

typedef struct
{
  Place *place;
  GCancellable *cancel;
  const char *take; /* a name that somebody else takes while the files are checked */
} Watched;

static void
watch (const char *phase, double fraction, guint64 done, guint64 total, gpointer data)
{
  Watched *watched = data;

  if (!g_str_equal (phase, "check"))
    return;
  if (watched->cancel != NULL)
    g_cancellable_cancel (watched->cancel);
  if (watched->take != NULL)
    {
      g_autofree char *path = g_build_filename (watched->place->folder, watched->take, NULL);

      g_file_set_contents (path, "theirs", -1, NULL);
    }
}

/* Cancelled, or a name is taken between its choice and the end: no file is left. */
static void
there_are_all_or_none (void **state)
{
  static const char *const takes[] = { NULL, "x.etl", "x-2.etl", "x-4.etl" };
  Place *place = place_new ();

  for (guint i = 0; i < G_N_ELEMENTS (takes); i++)
    {
      g_autoptr (WprTrace) trace = wpr_trace_open (place->kit->path, NULL);
      g_autoptr (GCancellable) cancel = takes[i] == NULL ? g_cancellable_new () : NULL;
      Watched watched = { place, cancel, takes[i] };
      WprProgress progress = { watch, &watched };
      WprSinkOptions options = { .part_bytes = PART_BYTES };
      WprSinkResult result;
      GError *error = NULL;

      assert_false (wpr_sink_save_etl (trace, place->folder_fd, "x.etl", &options, &progress,
                                       cancel, &result, &error));
      assert_true (g_error_matches (
          error, WPR_ERROR, takes[i] != NULL ? WPR_ERROR_NOT_WRITABLE : WPR_ERROR_CANCELLED));
      g_clear_error (&error);
      if (takes[i] != NULL)
        assert_int_equal (unlinkat (place->folder_fd, takes[i], 0), 0);
    }
  place_free (place); /* the folder is empty */
}

/* Rundowns that alone are larger than what was asked for: fewer, larger files. */
static void
a_limit_that_holds_nothing_is_raised (void **state)
{
  Place *place = place_new ();
  WprSinkResult result;
  guint n;

  save (place, "x.etl", 1, &result);
  n = g_strv_length (result.names);
  assert_in_range (n, 2, 40);
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (WprTraceInfo) info = read_file (place, result.names[i]);

      if (i + 1 < n)
        assert_true (count (info, "Thread", "CSwitch") > 500);
    }
  remove_files (place, &result);
  place_free (place);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (together_they_hold_what_one_file_would),
    cmocka_unit_test (a_name_that_is_taken_is_left_alone),
    cmocka_unit_test (there_are_all_or_none),
    cmocka_unit_test (a_limit_that_holds_nothing_is_raised),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
