/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Real files of Windows, where WPR_CORPUS says: every event of them can be read, and the text of
 * primitive-types.etl is the baseline's beside it, which PerfView's own tests have.
 *
 * What is done to ours before it is compared, since the baseline is made for another eye:
 *  - kernel events are of provider "Windows Kernel", the class is the event; opcodes' names of the
 *    header are not said; EventTrace/PartitionInfo is not shown at all;
 *  - time in ms with three decimals and commas; "PName=Process(pid)" where no name is known;
 *  - texts, times and GUIDs end after 20 characters with "..."; GUIDs without braces; True, False;
 *  - a u64 is shown as signed;
 *  - of a SYSTEMTIME the hundredths are always 03 there, whatever the file's milliseconds are
 *    (799, 239, 671, 48, 484): they are not compared;
 *  - the header's numbers have commas, its names other names; the two pointers to names in it are
 *    not shown, of its time zone only the offset. */
#include "config.h"
#include "file-kit.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MS G_GINT64_CONSTANT (1000000)
#define MOST_SHOWN 20

static char *
corpus_path (const char *name)
{
  const char *corpus = g_getenv ("WPR_CORPUS");
  char *path = corpus != NULL ? g_build_filename (corpus, "etl", name, NULL) : NULL;
  if (path == NULL || !g_file_test (path, G_FILE_TEST_EXISTS))
    skip ();
  return path;
}

/* "12,345" */
static void
append_commas (GString *text, guint64 value)
{
  g_autofree char *digits = g_strdup_printf ("%" G_GUINT64_FORMAT, value);
  gsize n = strlen (digits);
  for (gsize i = 0; i < n; i++)
    {
      g_string_append_c (text, digits[i]);
      if ((n - i) % 3 == 1 && i + 1 < n)
        g_string_append_c (text, ',');
    }
}

static void
append_cut (GString *text, const char *value)
{
  g_string_append_len (text, value, (gssize)MIN (strlen (value), MOST_SHOWN));
  if (strlen (value) > MOST_SHOWN)
    g_string_append (text, "...");
}

static void
append_time (GString *text, gint64 realtime_ns, gboolean is_systemtime)
{
  g_autoptr (GDateTime) time = g_date_time_new_from_unix_utc (realtime_ns / (1000 * MS));
  g_autofree char *words = g_date_time_format (time, "%y/%m/%d %H:%M:%S.");
  g_autofree char *whole = g_strdup_printf (
      "%s%06d", words, is_systemtime ? 30000 : (int)(realtime_ns / 1000 % 1000000));
  append_cut (text, whole);
}

static void
append_value (GString *text, const WprTraceField *field, gboolean is_header)
{
  g_autofree char *words = NULL;
  switch (field->type)
    {
    case WPR_TRACE_FIELD_BOOL:
      g_string_append (text, field->u != 0 ? "True" : "False");
      break;
    case WPR_TRACE_FIELD_INT:
      g_string_append_printf (text, "%" G_GINT64_FORMAT, field->i);
      break;
    case WPR_TRACE_FIELD_UINT:
      if (is_header)
        append_commas (text, field->u);
      else
        g_string_append_printf (text, "%" G_GINT64_FORMAT, (gint64)field->u);
      break;
    case WPR_TRACE_FIELD_TIME:
      append_time (text, field->i, g_str_has_prefix (field->name, "system_time"));
      break;
    case WPR_TRACE_FIELD_STRING:
      if (field->text[0] == '{')
        {
          words = g_strndup (field->text + 1, field->size - 2);
          append_cut (text, words);
        }
      else
        append_cut (text, field->text);
      break;
    default:
      fail_msg ("a field %s of type %d", field->name, field->type);
    }
}

/* Of the header's fields: ours and theirs. */
static const struct
{
  const char *ours, *theirs;
} header_names[] = {
  { "SessionNameString", "SessionName" },
  { "LogFileNameString", "LogFileName" },
  { "LoggerName", NULL },
  { "LogFileName", NULL },
  { "TimeZoneInformation", NULL },
};

static const char *
their_name (const char *ours, gboolean is_header)
{
  for (gsize i = 0; is_header && i < G_N_ELEMENTS (header_names); i++)
    if (g_str_equal (header_names[i].ours, ours))
      return header_names[i].theirs;
  return ours;
}

static void
append_event (GString *text, WprTraceFile *file, const WprTraceEvent *event)
{
  gboolean is_header = g_str_equal (event->provider, "EventTrace");
  gint64 us = (event->time_ns + 500) / 1000;
  const WprTraceField *fields;
  guint n;
  g_string_append (text, "EVENT ");
  append_commas (text, (guint64)us / 1000);
  g_string_append_printf (text,
                          ".%03d: %s/%s PID=%u; TID=%u; PName=Process(%u); ProceNum=%u; "
                          "DataLen=%u; ",
                          (int)(us % 1000), is_header ? "Windows Kernel" : event->provider,
                          is_header ? "EventTrace" : event->name, event->pid, event->tid,
                          event->pid, event->cpu, event->payload_bytes);
  fields = wpr_trace_file_get_fields (file, &n);
  for (guint i = 0; i < n; i++)
    {
      const char *name = their_name (fields[i].name, is_header);
      if (name == NULL)
        continue;
      g_string_append_printf (text, "%s=", name);
      append_value (text, &fields[i], is_header);
      g_string_append (text, "; ");
    }
  if (is_header)
    {
      gint32 bias;
      const WprTraceField *zone = wpr_trace_file_get_field (file, "TimeZoneInformation");
      assert_non_null (zone);
      memcpy (&bias, zone->bytes, sizeof bias);
      g_string_append_printf (text, "UtcOffsetMinutes=%d; ", (gint32)GINT32_FROM_LE (bias));
    }
  g_string_append_c (text, '\n');
}

static void
primitive_types_are_the_baseline (void **state)
{
  g_autofree char *path = corpus_path ("primitive-types.etl");
  g_autofree char *baseline_path = corpus_path ("primitive-types.baseline.txt");
  g_autofree char *baseline = NULL;
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (WprTraceFile) file = wpr_trace_file_open (path, WPR_TRACE_PLAIN, NULL, NULL);
  guint n_header = 0, n_types = 0;
  assert_non_null (file);
  assert_int_equal (wpr_trace_file_get_faults (file)->len, 0);
  for (const WprTraceEvent *event; (event = wpr_trace_file_next (file)) != NULL;)
    {
      if (g_str_equal (event->name, "PartitionInfo"))
        continue;
      append_event (text, file, event);
      n_header += g_str_equal (event->provider, "EventTrace");
      n_types += g_str_equal (event->provider, "solar_system");
    }
  g_string_append_printf (text,
                          "COUNT Windows Kernel/EventTrace:%u\n"
                          "COUNT solar_system/PrimitiveTypesTest:%u\n",
                          n_header, n_types);
  assert_true (g_file_get_contents (baseline_path, &baseline, NULL, NULL));
  g_auto (GStrv) ours = g_strsplit (g_strchomp (text->str), "\n", -1);
  g_auto (GStrv) theirs = g_strsplit (g_strchomp (baseline), "\n", -1);
  for (guint i = 0; ours[i] != NULL && theirs[i] != NULL; i++)
    assert_string_equal (g_strchomp (ours[i]), g_strchomp (theirs[i]));
  assert_int_equal (g_strv_length (ours), g_strv_length (theirs));
}

static void
every_event_of_real_files_is_read (void **state)
{
  static const char *const names[] = { "ShutdownPerfDiagLogger.etl", "lxcore_kernel.etl",
                                       "primitive-types.etl", "SelfDescribingSingleEvent.etl" };
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = corpus_path (names[i]);
      g_autoptr (GError) error = NULL;
      g_autoptr (WprTraceInfo) info = wpr_trace_info_read (path, NULL, &error);
      g_autoptr (WprTraceFile) file = wpr_trace_file_open (path, WPR_TRACE_PLAIN, NULL, &error);
      gint64 last = G_MININT64;
      guint64 n = 0;
      if (file == NULL || info == NULL)
        fail_msg ("%s: %s", names[i], error->message);
      for (const WprTraceEvent *event; (event = wpr_trace_file_next (file)) != NULL; n++)
        {
          guint n_fields;
          assert_true (event->time_ns >= last);
          last = event->time_ns;
          wpr_trace_file_get_fields (file, &n_fields);
        }
      assert_int_equal (n, info->n_events);
    }
}

/* The shutdown log: a kernel logger with the processes it knows at its end. */
static void
processes_of_a_real_file_have_names (void **state)
{
  g_autofree char *path = corpus_path ("ShutdownPerfDiagLogger.etl");
  g_autoptr (WprTraceFile) file = wpr_trace_file_open (path, WPR_TRACE_STACKS, NULL, NULL);
  guint n_known = 0, n_unknown = 0;
  assert_non_null (file);
  assert_true (
      wpr_trace_file_set_filter (file, "Provider == Thread || Provider == Image", NULL, NULL));
  for (const WprTraceEvent *event; (event = wpr_trace_file_next (file)) != NULL;)
    if (event->process[0] != '\0')
      n_known++;
    else
      n_unknown++;
  assert_true (n_known > 10000);
  assert_true (n_unknown * 20 < n_known);
}

static guint64
count_others (const char *path)
{
  g_autoptr (WprTraceFile) file = wpr_trace_file_open (path, WPR_TRACE_PLAIN, NULL, NULL);
  guint64 n = 0;
  assert_non_null (file);
  assert_int_equal (wpr_trace_file_get_faults (file)->len, 0);
  assert_true (wpr_trace_file_set_filter (
      file, "!(Provider == EventTrace || Provider == Linux.Recorder)", NULL, NULL));
  while (wpr_trace_file_next (file) != NULL)
    n++;
  return n;
}

/* Plain and compressed, of different computers and years. */
static void
real_files_are_joined (void **state)
{
  static const char *const names[] = { "ShutdownPerfDiagLogger.etl", "lxcore_kernel.etl",
                                       "primitive-types.etl", "SelfDescribingSingleEvent.etl" };
  char *paths[G_N_ELEMENTS (names)];
  g_autofree char *folder = NULL;
  g_autoptr (GError) error = NULL;
  guint64 n = 0;
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      paths[i] = corpus_path (names[i]);
      n += count_others (paths[i]);
    }
  folder = g_dir_make_tmp ("wpr-corpus-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "all.etl", NULL);
  int folder_fd = open (folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  g_autoptr (WprTraceMerged) merged = wpr_trace_merge_files (
      (const char *const *)paths, G_N_ELEMENTS (names), folder_fd, "all.etl", NULL, &error);
  if (merged == NULL)
    fail_msg ("%s", error->message);
  assert_int_equal (merged->n_left_out, 0);
  assert_int_equal (merged->n_clamped, 0);
  assert_int_equal (count_others (path), n);
  close (folder_fd);
  assert_int_equal (unlink (path), 0);
  assert_int_equal (rmdir (folder), 0);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    g_free (paths[i]);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (primitive_types_are_the_baseline),
    cmocka_unit_test (every_event_of_real_files_is_read),
    cmocka_unit_test (processes_of_a_real_file_have_names),
    cmocka_unit_test (real_files_are_joined),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
