/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A made-up trace through the public API: order, fields, whose an event is, filter, range, stacks,
 * names of addresses, damage. */
#include "config.h"
#include "file-kit.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MS G_GINT64_CONSTANT (1000000)

static WprTraceFile *
open_kit (FileKit *kit, WprTraceFlags flags)
{
  g_autoptr (GError) error = NULL;
  WprTraceFile *file = wpr_trace_file_open (file_kit_finish (kit, 3), flags, NULL, &error);
  if (file == NULL)
    fail_msg ("%s", error->message);
  assert_int_equal (wpr_trace_file_get_faults (file)->len, 0);
  return file;
}

static void
the_header_is_told (void **state)
{
  g_autoptr (FileKit) kit = file_kit_new (2, 100);
  g_autoptr (WprTraceFile) file = open_kit (kit, WPR_TRACE_PLAIN);
  const WprTraceHeader *header = wpr_trace_file_get_header (file);
  assert_int_equal (header->n_cpus, 2);
  assert_int_equal (header->pointer_size, 8);
  assert_int_equal (header->events_lost, 3);
  assert_int_equal (header->perf_frequency, 10000000);
  assert_int_equal (header->start_realtime_ns, KIT_START_S * 1000 * MS);
  assert_int_equal (header->end_realtime_ns, (KIT_START_S + 10) * 1000 * MS);
  assert_int_equal (header->boot_realtime_ns, (KIT_START_S - 100) * 1000 * MS);
  assert_string_equal (header->logger_name, "NT Kernel Logger");
}

static void
events_come_in_the_order_of_time (void **state)
{
  g_autoptr (FileKit) kit = file_kit_new (2, 100);
  for (guint i = 0; i < 5000; i++)
    {
      g_autofree char *n = g_strdup_printf ("%u", i);
      file_kit_event (kit, i % 3 == 0, i * 0.5, 7, 8, "Linux.test", "tick", "u:N", n, NULL);
    }
  g_autoptr (WprTraceFile) file = open_kit (kit, WPR_TRACE_PLAIN);
  for (guint pass = 0; pass < 2; pass++)
    {
      for (guint i = 0; i < 5000; i++)
        {
          const WprTraceEvent *event = file_kit_next (file, "tick");
          assert_non_null (event);
          assert_int_equal (event->time_ns, (gint64)i * MS / 2);
          assert_int_equal (event->realtime_ns, KIT_START_S * 1000 * MS + (gint64)i * MS / 2);
          assert_int_equal (event->cpu, i % 3 == 0);
          assert_int_equal (wpr_trace_file_get_field (file, "n")->u, i);
        }
      assert_null (file_kit_next (file, "tick"));
      assert_null (wpr_trace_file_next (file));
      wpr_trace_file_rewind (file);
    }
}

static void
fields_have_names_and_types (void **state)
{
  g_autoptr (FileKit) kit = file_kit_new (1, 100);
  file_kit_event (kit, 0, 1, 7, 8, "Linux.test", "words", "s:Text", "grüße", "u:Number", "12",
                  "s:Empty", "", NULL);
  g_autoptr (WprTraceFile) file = open_kit (kit, WPR_TRACE_PLAIN);
  const WprTraceEvent *event = file_kit_next (file, "words");
  guint n;
  assert_string_equal (event->provider, "Linux.test");
  assert_int_equal (event->level, 4);
  assert_int_equal (event->keywords, 0x10);
  assert_int_equal (event->pid, 7);
  assert_int_equal (event->tid, 8);
  const WprTraceField *fields = wpr_trace_file_get_fields (file, &n);
  assert_int_equal (n, 3);
  assert_string_equal (fields[0].name, "Text");
  assert_int_equal (fields[0].type, WPR_TRACE_FIELD_STRING);
  assert_string_equal (fields[0].text, "grüße");
  assert_int_equal (fields[0].size, 7);
  assert_int_equal (fields[1].type, WPR_TRACE_FIELD_UINT);
  assert_int_equal (fields[1].u, 12);
  assert_string_equal (fields[2].text, "");
  assert_null (wpr_trace_file_get_field (file, "Nothing"));
  assert_null (wpr_trace_file_next (file));
  assert_int_equal ((wpr_trace_file_get_fields (file, &n), n), 0);
}

/* As programs are given what has an out type: a port in network order, a time in a u64, a byte. */
static void
out_types_are_what_they_mean (void **state)
{
  static const guint8 payload[]
      = { 0x1f, 0x90, 0x00, 0x08, 0x09, 0xb5, 0xca, 0x80, 0xdd, 0x01, 77, 0x7f, 0, 0, 1 };
  g_autoptr (FileKit) kit = file_kit_new (1, 100);
  g_autoptr (WprEtlSchema) schema = wpr_etl_schema_new ("Linux.test", "meant");
  WprEtlHead head = { .pid = 7, .tid = 8 };
  wpr_etl_schema_add_field (schema, "Port", WPR_TL_U16, 7, 0);
  wpr_etl_schema_add_field (schema, "When", WPR_TL_U64, 38, 0);
  wpr_etl_schema_add_field (schema, "Letter", WPR_TL_U8, 2, 0);
  wpr_etl_schema_add_field (schema, "Host", WPR_TL_U32, 8, 0);
  wpr_etl_schema_fill_head (schema, &head);
  file_kit_add (kit, 0, 1, &head, payload, sizeof payload);
  g_autoptr (WprTraceFile) file = open_kit (kit, WPR_TRACE_PLAIN);
  assert_non_null (file_kit_next (file, "meant"));
  assert_int_equal (wpr_trace_file_get_field (file, "Port")->u, 8080);
  const WprTraceField *when = wpr_trace_file_get_field (file, "When");
  assert_int_equal (when->type, WPR_TRACE_FIELD_TIME);
  assert_int_equal (when->i, KIT_START_S * 1000 * MS);
  assert_int_equal (wpr_trace_file_get_field (file, "Letter")->u, 77);
  assert_string_equal (wpr_trace_file_get_field (file, "Host")->text, "127.0.0.1");
  assert_true (wpr_trace_file_set_filter (file, "Port == 8080 && Host ~ 127.0", NULL, NULL));
  wpr_trace_file_rewind (file);
  assert_non_null (file_kit_next (file, "meant"));
}

static void
a_filter_and_a_range_choose (void **state)
{
  static const struct
  {
    const char *expr, *from, *to;
    guint n;
  } rows[] = {
    { NULL, NULL, NULL, 100 },
    { "N >= 90", NULL, NULL, 10 },
    { "N >= 90 && Text ~ \"5\"", NULL, NULL, 1 },
    { "EventName == tick && Provider ~ LINUX", NULL, NULL, 100 },
    { "Cpu == 1", NULL, NULL, 50 },
    { NULL, "0.010", "0.019", 10 },
    { NULL, "2026-11-30T13:00:00.05Z", NULL, 50 },
    { "N < 15", "0.010", NULL, 5 },
    { "Time < 0.01", NULL, "0.05", 10 },
    { NULL, "10", NULL, 0 },
    { "ProcessId != 7", NULL, NULL, 0 },
  };
  g_autoptr (FileKit) kit = file_kit_new (2, 100);
  for (guint i = 0; i < 100; i++)
    {
      g_autofree char *n = g_strdup_printf ("%u", i);
      file_kit_event (kit, i % 2, i, 7, 8, "Linux.test", "tick", "u:N", n, "s:Text", n, NULL);
    }
  g_autoptr (WprTraceFile) file = open_kit (kit, WPR_TRACE_PLAIN);
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      guint found = 0;
      assert_true (wpr_trace_file_set_filter (file, rows[i].expr, NULL, NULL));
      assert_true (wpr_trace_file_set_range (file, rows[i].from, rows[i].to, NULL));
      wpr_trace_file_rewind (file);
      while (file_kit_next (file, "tick") != NULL)
        found++;
      if (found != rows[i].n)
        fail_msg ("row %zu: %u events", i, found);
    }
  guint column = 0;
  assert_false (wpr_trace_file_set_filter (file, "N == ", &column, NULL));
  assert_int_equal (column, 6);
  assert_false (wpr_trace_file_set_range (file, "noon", NULL, NULL));
}

static void
damage_is_told_and_the_rest_is_read (void **state)
{
  g_autoptr (FileKit) kit = file_kit_new (1, 100);
  for (guint i = 0; i < 3000; i++)
    file_kit_event (kit, 0, i, 7, 8, "Linux.test", "tick", "u:N", "1", NULL);
  const char *path = file_kit_finish (kit, 0);
  struct stat st;
  assert_int_equal (stat (path, &st), 0);
  assert_int_equal (truncate (path, st.st_size - 70000), 0);
  g_autoptr (WprTraceFile) file = wpr_trace_file_open (path, WPR_TRACE_PLAIN, NULL, NULL);
  guint found = 0;
  assert_non_null (file);
  assert_true (wpr_trace_file_get_faults (file)->len > 0);
  while (file_kit_next (file, "tick") != NULL)
    found++;
  assert_in_range (found, 500, 2999);
  assert_int_equal (truncate (path, 100), 0);
  g_autoptr (GError) error = NULL;
  assert_null (wpr_trace_file_open (path, WPR_TRACE_PLAIN, NULL, &error));
  assert_true (g_error_matches (error, WPR_ERROR, WPR_ERROR_DAMAGED));
}

static void
opening_can_be_cancelled (void **state)
{
  g_autoptr (FileKit) kit = file_kit_new (1, 100);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  for (guint i = 0; i < 10000; i++)
    file_kit_call (kit, 0, i, 1);
  g_cancellable_cancel (cancellable);
  assert_null (
      wpr_trace_file_open (file_kit_finish (kit, 0), WPR_TRACE_PLAIN, cancellable, &error));
  assert_true (g_error_matches (error, WPR_ERROR, WPR_ERROR_CANCELLED));
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (the_header_is_told),
    cmocka_unit_test (events_come_in_the_order_of_time),
    cmocka_unit_test (fields_have_names_and_types),
    cmocka_unit_test (out_types_are_what_they_mean),
    cmocka_unit_test (a_filter_and_a_range_choose),
    cmocka_unit_test (damage_is_told_and_the_rest_is_read),
    cmocka_unit_test (opening_can_be_cancelled),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
