/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The cursor: all records in the order of time, whatever the order of the file; and what it does
 * about files that are cut, circular, packed or out of order. */
#include "config.h"
#include "etl-build.h"

#define BUFFER 4096u

static void
count_fault (guint64 offset, const char *fault, gpointer data)
{
  ++*(guint *)data;
}

/* "cpu:ticks cpu:ticks .." of the data buffers. */
static char *
order_of (GByteArray *bytes, guint *n_faults, guint64 *n_unordered)
{
  g_autoptr (WprEtlFile) file = build_open (bytes);
  g_autoptr (WprEtlCursor) cursor = NULL;
  GString *text = g_string_new (NULL);
  const WprEtlEvent *event;

  *n_faults = 0;
  cursor = wpr_etl_cursor_new (file, count_fault, n_faults);
  while ((event = wpr_etl_cursor_next (cursor)) != NULL)
    if (event->buffer > 0)
      g_string_append_printf (text, "%s%u:%" G_GINT64_FORMAT, text->len > 0 ? " " : "", event->cpu,
                              event->ticks);
  assert_null (wpr_etl_cursor_next (cursor));
  assert_int_equal (wpr_etl_cursor_done (cursor), bytes->len);
  *n_unordered = wpr_etl_cursor_unordered (cursor);
  return g_string_free (text, FALSE);
}

static GByteArray *
records_at (const char *ticks)
{
  g_auto (GStrv) words = g_strsplit (ticks, " ", -1);
  GByteArray *records = g_byte_array_new ();

  for (guint i = 0; words[i] != NULL; i++)
    build_hook (records, 0x11, 0x0f33, 2, g_ascii_strtoull (words[i], NULL, 10), 0, 0, "00");
  return records;
}

static void
expect_order (GByteArray *file, const char *order, guint faults, guint unordered)
{
  guint n_faults;
  guint64 n_unordered;
  g_autofree char *text = order_of (file, &n_faults, &n_unordered);

  assert_string_equal (text, order);
  assert_int_equal (n_faults, faults);
  assert_int_equal (n_unordered, unordered);
}

static void
cpus_are_merged_by_time (void **state)
{
  g_autoptr (GByteArray) file = build_file (8, BUFFER, 3, 1, 3);

  build_buffer (file, 0, 1, 0x20, records_at ("10 40"));
  build_buffer (file, 2, 2, 0x20, records_at ("5 20 41"));
  build_buffer (file, 0, 3, 0x20, records_at ("50 60"));
  build_buffer (file, 1, 4, 0x21, records_at ("55"));
  expect_order (file, "2:5 0:10 2:20 0:40 2:41 0:50 1:55 0:60", 0, 0);
}

static void
at_one_time_the_lower_cpu_comes_first_and_a_cpu_keeps_its_order (void **state)
{
  g_autoptr (GByteArray) file = build_file (8, BUFFER, 2, 1, 3);

  build_buffer (file, 1, 1, 0x20, records_at ("10 10 30"));
  build_buffer (file, 0, 2, 0x20, records_at ("10 10 10"));
  expect_order (file, "0:10 0:10 0:10 1:10 1:10 1:30", 0, 0);
}

/* A circular file wraps: its later buffers lie before the earlier ones. */
static void
sequence_is_the_order_of_a_cpus_buffers (void **state)
{
  g_autoptr (GByteArray) file = build_file (8, BUFFER, 2, 2, 3);

  build_buffer (file, 0, 9, 0x20, records_at ("90 91"));
  build_buffer (file, 1, 10, 0x20, records_at ("89"));
  build_buffer (file, 0, 3, 0x20, records_at ("30"));
  build_buffer (file, 0, 4, 0x20, records_at ("40 50"));
  expect_order (file, "0:30 0:40 0:50 1:89 0:90 0:91", 0, 0);
}

static void
time_that_goes_back_is_counted_and_read_on (void **state)
{
  g_autoptr (GByteArray) file = build_file (8, BUFFER, 2, 1, 3);

  build_buffer (file, 0, 1, 0x20, records_at ("10 40 30 50"));
  build_buffer (file, 1, 2, 0x20, records_at ("35 45"));
  expect_order (file, "0:10 1:35 0:40 0:30 1:45 0:50", 0, 1);
}

/* Flags of older systems: the CPU is one byte, the other its alignment. */
static void
a_cpu_without_index_flag_is_one_byte (void **state)
{
  g_autoptr (GByteArray) file = build_file (8, BUFFER, 8, 1, 3);

  build_buffer (file, 0x4003, 1, 0, records_at ("10"));
  build_buffer (file, 0x0004, 2, 0x20, records_at ("11"));
  expect_order (file, "3:10 4:11", 0, 0);
}

static void
a_file_that_was_not_closed_is_read_to_its_end (void **state)
{
  g_autoptr (GByteArray) file = build_file (8, BUFFER, 2, 1, 3);

  build_buffer (file, 0, 1, 0x20, records_at ("10"));
  build_buffer (file, 1, 2, 0x20, records_at ("9"));
  build_set32 (file, 0x24, 0); /* BuffersWritten */
  build_set64 (file, 0x10, 0); /* EndTime */
  expect_order (file, "1:9 0:10", 0, 0);
  g_byte_array_set_size (file, file->len - 100); /* 0xFF of the last one */
  expect_order (file, "1:9 0:10", 1, 0);
  g_byte_array_set_size (file, 2 * BUFFER + 0x48 + 10); /* within its only record */
  expect_order (file, "0:10", 2, 0);
}

/* Whatever is wrong with a buffer or record, the others are read. */
static void
lies_cost_one_buffer (void **state)
{
  static const struct
  {
    guint at;
    const char *hex, *order;
  } rows[] = {
    { 0x00, "0000 0100", "0:50" },           /* a size of its own */
    { 0x30, "ffff ff7f", "0:50" },           /* filled beyond its end */
    { 0x30, "0000 0000", "0:50" },           /* filled less than its header */
    { 0x30, "0010 0000", "0:10 0:20 0:50" }, /* filled further than there are events */
    { 0x4c, "ffff", "0:50" },                /* a record beyond the buffer */
    { 0x4c, "0000", "0:50" },                /* a record of no size */
    { 0x4a, "ffc0", "0:50" },                /* a header nobody knows */
    { 0x64, "0f00", "0:10 0:50" },           /* a second record smaller than its header */
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GByteArray) file = build_file (8, BUFFER, 2, 1, 3), bytes = NULL;

      build_buffer (file, 0, 1, 0x20, records_at ("10 20"));
      build_buffer (file, 0, 2, 0x20, records_at ("50"));
      bytes = test_bytes (rows[i].hex);
      memcpy (file->data + BUFFER + rows[i].at, bytes->data, bytes->len);
      expect_order (file, rows[i].order, 1, 0);
    }
}

/* What the header does not know is told and read all the same. */
static void
a_cpu_beyond_the_headers_is_told_and_read (void **state)
{
  g_autoptr (GByteArray) file = build_file (8, BUFFER, 2, 1, 3);

  build_buffer (file, 700, 1, 0x20, records_at ("10"));
  expect_order (file, "700:10", 1, 0);
}

/* ---- packed files ---- */

static GByteArray *
load_seed (const char *name)
{
  g_autofree char *path = g_build_filename (g_getenv ("WPR_SOURCE_ROOT"), "tests", "fuzz", "seeds",
                                            "fuzz-etl", name, NULL);
  char *bytes;
  gsize size;

  assert_true (g_file_get_contents (path, &bytes, &size, NULL));
  return g_byte_array_new_take ((guint8 *)bytes, size);
}

/* Everything of a file that may be anything; from memory of exactly its size. */
static guint
read_all (const guint8 *bytes, gsize size)
{
  g_autofree guint8 *exact = g_memdup2 (bytes, size);
  g_autoptr (WprEtlFile) file = wpr_etl_file_new (exact, size, NULL);
  g_autoptr (WprEtlCursor) cursor = NULL;
  const WprEtlEvent *event;
  guint n = 0, n_faults = 0;

  if (file == NULL)
    return 0;
  cursor = wpr_etl_cursor_new (file, count_fault, &n_faults);
  while ((event = wpr_etl_cursor_next (cursor)) != NULL)
    n += event->buffer > 0 && event->ticks >= 10;
  assert_true (wpr_etl_cursor_done (cursor) <= size);
  return n;
}

static void
packed_files_of_three_kinds_are_read (void **state)
{
  static const char *const names[] = { "lznt1.etl", "xpress.etl", "huffman.etl" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (GByteArray) file = load_seed (names[i]);

      assert_int_equal (read_all (file->data, file->len), 7);
      for (guint size = 0; size < file->len; size++)
        assert_true (read_all (file->data, size) <= 7);
      for (guint at = 0; at < file->len; at++)
        {
          file->data[at] ^= 0x81;
          read_all (file->data, file->len);
          file->data[at] ^= 0x81;
        }
    }
}

/* A buffer says how much it becomes: never more than the file's buffers have. */
static void
a_packed_buffer_becomes_no_more_than_a_buffer (void **state)
{
  static const guint32 ends[] = { 4097, 0x00ffffff, 0xffffffff, 0x47 };
  g_autoptr (GByteArray) file = load_seed ("xpress.etl");
  guint at = test_u32 (file->data); /* the header buffer's bytes */

  for (guint i = 0; i < G_N_ELEMENTS (ends); i++)
    {
      for (guint k = 0; k < 4; k++)
        file->data[at + 0x30 + k] = (guint8)(ends[i] >> (8 * k));
      assert_int_equal (read_all (file->data, file->len), 0);
    }
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (cpus_are_merged_by_time),
    cmocka_unit_test (at_one_time_the_lower_cpu_comes_first_and_a_cpu_keeps_its_order),
    cmocka_unit_test (sequence_is_the_order_of_a_cpus_buffers),
    cmocka_unit_test (time_that_goes_back_is_counted_and_read_on),
    cmocka_unit_test (a_cpu_without_index_flag_is_one_byte),
    cmocka_unit_test (a_file_that_was_not_closed_is_read_to_its_end),
    cmocka_unit_test (lies_cost_one_buffer),
    cmocka_unit_test (a_cpu_beyond_the_headers_is_told_and_read),
    cmocka_unit_test (packed_files_of_three_kinds_are_read),
    cmocka_unit_test (a_packed_buffer_becomes_no_more_than_a_buffer),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
