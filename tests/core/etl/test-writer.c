/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The container as it is written. Expected bytes are those of genuine Windows files: "Shutdown" is
 * a kernel logger's file of build 18362, "primitive" one with self-describing events of 19043. */
#include "config.h"
#include "etl-test.h"

#include <errno.h>
#include <fcntl.h>

#define BUFFER 65536u

/* Shutdown, byte 0x48 on: the header event's beginning up to the names, less what differs by
 * machine (build, time zone's names). */
static void
header_buffer_has_the_layout_of_a_genuine_one (void **state)
{
  int fd = test_memory_file ();
  WprEtlHeaderInfo info = {
    .n_cpus = 2,
    .cpu_mhz = 1992,
    .boot_filetime = G_GINT64_CONSTANT (0x01d5ee15fc7be6c0),
    .start_filetime = G_GINT64_CONSTANT (0x01d5ee15fca1389e),
    .start_ticks = 0x612161,
    .bias_minutes = -60,
    .logger_name = "PerfDiag Logger",
    .file_name = "C:\\Windows\\system32\\WDI\\LogFiles\\ShutdownPerfDiagLogger.etl",
    .group_masks = { 7 },
  };
  g_autoptr (WprEtlWriter) writer = wpr_etl_writer_new (fd, &info, NULL);
  g_autoptr (GByteArray) file = NULL;

  assert_non_null (writer);
  assert_true (wpr_etl_writer_finish (writer, G_GINT64_CONSTANT (0x01d5ee5abb4d240d), 0, 0, NULL));
  file = test_take_file (fd);
  assert_int_equal (file->len, BUFFER);
  /* buffer header: sizes, sequence 0, processor 0, state 3, filled, flags 0x21, type 4 */
  test_assert_hex (file->data, "0000 0100 b002 0000 b002 0000 0000 0000"
                               "0000 0000 0000 0000 0000 0000 0000 0000"
                               "0000 0000 0000 0000 0000");
  test_assert_hex (file->data + 0x2c, "0300 0000 b002 0000 2100 0400 0000 0000"
                                      "0000 0000 0000 0000 0000 0000 0200 02c0 d001 0000");
  test_assert_hex (file->data + 0x58, "6121 6100 0000 0000");
  test_assert_hex (file->data + 0x68, "0000 0100 0a00 0105");
  test_assert_hex (file->data + 0x74, "0200 0000 0d24 4dbb 5aee d501 5a62 0200");
  test_assert_hex (file->data + 0x90, "0100 0000 0800 0000 0000 0000 c807 0000");
  test_assert_hex (file->data + 0xb0, "c4ff ffff");
  test_assert_hex (file->data + 0x160, "c0e6 7bfc 15ee d501 8096 9800 0000 0000"
                                       "9e38 a1fc 15ee d501 0100 0000 0000 0000"
                                       "5000 6500 7200 6600 4400 6900 6100 6700"
                                       "2000 4c00 6f00 6700 6700 6500 7200 0000"
                                       "4300 3a00 5c00 5700 6900 6e00 6400 6f00");
  test_assert_hex (file->data + 0x210, "6500 7400 6c00 0000 0200 02c0 4400 0500");
  test_assert_hex (file->data + 0x228, "6121 6100 0000 0000");
  test_assert_hex (file->data + 0x238, "0700 0000 0000 0000 0000 0000 0000 0000"
                                       "0000 0000 0000 0000 0000 0000 0000 0000"
                                       "4600 0000 0000 0000 0200 02c0 5000 5000");
  test_assert_hex (file->data + 0x280, "0000 0000 0000 0000 0000 0000 0000 0000"
                                       "0000 0000 0000 0000 0000 0000 0000 0000"
                                       "0000 0000 0000 0000 0000 0000 0000 0000"
                                       "ffff ffff ffff ffff ffff ffff ffff ffff");
  for (guint i = 0x2b0; i < BUFFER; i++)
    assert_int_equal (file->data[i], 0xff);
}

/* Writes one event with the payload of `hex` from `header` bytes on, and compares it whole. */
static void
expect_event (const WprEtlHead *head, gint64 ticks, guint header, const char *hex)
{
  int fd = test_memory_file ();
  WprEtlHeaderInfo info = test_header_info ();
  g_autoptr (WprEtlWriter) writer = wpr_etl_writer_new (fd, &info, NULL);
  g_autoptr (GByteArray) expected = test_bytes (hex);
  g_autoptr (GByteArray) file = NULL;
  guint32 aligned = (expected->len + 7) & ~7u;

  assert_true (wpr_etl_writer_add (writer, 1, ticks, head, expected->data + header,
                                   expected->len - header, NULL));
  assert_true (wpr_etl_writer_finish (writer, 1, 0, 0, NULL));
  assert_int_equal (wpr_etl_writer_events (writer), 1);
  file = test_take_file (fd);
  assert_int_equal (file->len, 2 * BUFFER);
  assert_memory_equal (file->data + BUFFER + 0x48, expected->data, expected->len);
  assert_int_equal (test_u32 (file->data + BUFFER + 0x04), 0x48 + aligned);
  assert_int_equal (test_u32 (file->data + BUFFER + 0x30), 0x48 + aligned);
  assert_int_equal (test_u64 (file->data + BUFFER + 0x10), ticks);
  test_assert_hex (file->data + BUFFER + 0x18, "0100 0000 0000 0000");
  test_assert_hex (file->data + BUFFER + 0x28, "0100");
  test_assert_hex (file->data + BUFFER + 0x34, "2100 0000");
  for (guint i = expected->len; i < aligned; i++)
    assert_int_equal (file->data[BUFFER + 0x48 + i], 0);
  for (guint i = BUFFER + 0x48 + aligned; i < file->len; i++)
    assert_int_equal (file->data[i], 0xff);
}

static void
system_header_is_that_of_a_genuine_thread_start (void **state)
{
  WprEtlHead head
      = { .kind = WPR_ETL_SYSTEM, .hook = 0x0501, .version = 3, .pid = 0x260, .tid = 0xb54 };

  expect_event (&head, G_GINT64_CONSTANT (0x44bb796159), 0x20,
                "0300 02c0 6a00 0105 540b 0000 6002 0000 5961 79bb 4400 0000 0000 0000 0000 0000"
                "6002 0000 8011 0000 0080 0ef7 80f5 ffff 0010 0ef7 80f5 ffff 0000 4045 6c00 0000"
                "0020 3f45 6c00 0000 0300 0000 0000 0000 603d bb93 f97f 0000 0040 1c45 6c00 0000"
                "0000 0000 0d05 0200 0000");
}

static void
perfinfo_header_is_that_of_a_genuine_rundown_complete (void **state)
{
  WprEtlHead head = { .kind = WPR_ETL_PERFINFO, .hook = 0x0008, .version = 2 };

  expect_event (&head, G_GINT64_CONSTANT (0x44bb98d737), 0x10,
                "0200 11c0 1000 0800 37d7 98bb 4400 0000");
}

/* docs: COMPACT is the system header without the two CPU times. */
static void
compact_header_stops_before_the_cpu_times (void **state)
{
  WprEtlHead head = {
    .kind = WPR_ETL_COMPACT, .hook = 0x0532, .version = 2, .pid = 0x11223344, .tid = 0x55667788
  };

  expect_event (&head, G_GINT64_CONSTANT (0x0102030405), 0x18,
                "0200 04c0 2000 3205 8877 6655 4433 2211 0504 0302 0100 0000 e803 0000 0000 0000");
}

/* docs: EVENT_TRACE_HEADER, 0x30 bytes: size, marker, type, level, version, TID, PID, time, GUID.
 */
static void
classic_header_carries_its_guid_in_windows_order (void **state)
{
  static const WprEtlGuid guid
      = { 0xb3e675d7, 0x2554, 0x4f18, { 0x83, 0x0b, 0x27, 0x62, 0x73, 0x25, 0x60, 0xde } };
  WprEtlHead head = {
    .kind = WPR_ETL_CLASSIC, .type = 36, .version = 2, .pid = 7, .tid = 0xffffffff, .guid = &guid
  };

  expect_event (&head, 0x2000, 0x30,
                "3400 14c0 2400 0200 ffff ffff 0700 0000 0020 0000 0000 0000"
                "d775 e6b3 5425 184f 830b 2762 7325 60de 0000 0000 0000 0000 0102 0304");
}

/* primitive, byte 0x2048: the event up to its payload, and from there on; its CPU time is zeroed,
 * which we do not know. */
static const char primitive[]
    = "7601 13c0 0100 0000 0855 0000 c084 0000 4695 ab33 5e02 0000"
      "d43d ddd3 c2aa 2a4e 8dd4 a8fb 61b7 7615 0000 000b 0500 0000 0000 0000 0000 0000"
      "0000 0000 0000 0000 0000 0000 0000 0000 0000 0000 0000 0000 1800 0c00 0100 0f00"
      "0f00 736f 6c61 725f 7379 7374 656d 0000 c000 0b00 0000 b600 b600 0050 7269 6d69"
      "7469 7665 5479 7065 7354 6573 7400 7374 7269 6e67 5f74 7970 6500 0262 6f6f 6c65"
      "616e 5f74 7970 6500 8403 6368 6172 5f74 7970 6500 8402 696e 7431 365f 7479 7065"
      "0005 696e 7433 325f 7479 7065 0007 7569 6e74 3136 5f74 7970 6500 0675 696e 7433"
      "325f 7479 7065 0008 696e 7436 345f 7479 7065 000a 7569 6e74 3634 5f74 7970 6500"
      "0a67 7569 645f 7479 7065 000f 6669 6c65 5f74 696d 655f 7479 7065 0011 7379 7374"
      "656d 5f74 696d 655f 7479 7065 0012 0000 4d65 7263 7572 7900 004d cdff 9aff ffff"
      "3300 6600 0000 34ff ffff ffff ffff cc00 0000 0000 0000 c414 d60a f40e 2542 8013"
      "f44f 37cb 0397 7010 fa4d 8ba5 d701 e507 0900 0400 0900 0e00 3b00 2300 1f03";

static void
self_describing_event_is_that_of_a_genuine_provider (void **state)
{
  static const WprEtlGuid guid
      = { 0xd3dd3dd4, 0xaac2, 0x4e2a, { 0x8d, 0xd4, 0xa8, 0xfb, 0x61, 0xb7, 0x76, 0x15 } };
  g_autoptr (GByteArray) bytes = test_bytes (primitive);
  WprEtlHead head = { .kind = WPR_ETL_EVENT,
                      .pid = 0x84c0,
                      .tid = 0x5508,
                      .guid = &guid,
                      .level = 5,
                      .traits = bytes->data + 0x58,
                      .traits_size = 0x0f,
                      .schema = bytes->data + 0x70,
                      .schema_size = 0xb6 };

  assert_int_equal (bytes->len, 0x176);
  expect_event (&head, G_GINT64_CONSTANT (0x025e33ab9546), 0x128, primitive);
}

/* ---- buffers ---- */

/* Events of many sizes: none crosses a border, all are aligned, every CPU has its own buffers. */
static void
events_never_cross_a_buffer (void **state)
{
  int fd = test_memory_file ();
  WprEtlHeaderInfo info = test_header_info ();
  g_autoptr (WprEtlWriter) writer = wpr_etl_writer_new (fd, &info, NULL);
  WprEtlHead head = { .kind = WPR_ETL_PERFINFO, .hook = 0x0f22, .version = 0 };
  g_autoptr (GByteArray) file = NULL;
  static guint8 payload[60 * 1024];
  guint n_events = 0, n_seen = 0;
  guint64 sequence = 0;

  for (guint i = 0; i < 700; i++, n_events++)
    assert_true (wpr_etl_writer_add (writer, i % 2, 1000 + i, &head, payload,
                                     i * 7919 % sizeof payload, NULL));
  assert_true (wpr_etl_writer_finish (writer, 1, 0, 0, NULL));
  file = test_take_file (fd);
  assert_int_equal (file->len % BUFFER, 0);
  assert_int_equal (file->len, wpr_etl_writer_bytes (writer));
  assert_int_equal (test_u32 (file->data + 0x68 + 0x24), file->len / BUFFER);
  for (guint b = BUFFER; b < file->len; b += BUFFER)
    {
      guint32 at = 0x48, filled = test_u32 (file->data + b + 0x30);

      assert_int_equal (test_u64 (file->data + b + 0x18), ++sequence);
      assert_true (filled > 0x48 && filled <= BUFFER && filled % 8 == 0);
      while (at < filled)
        {
          guint32 size = test_u32 (file->data + b + at + 4) & 0xffff;

          assert_int_equal (file->data[b + at + 2], 0x11);
          assert_true (size >= 0x10 && at + size <= filled);
          at += (size + 7) & ~7u;
          n_seen++;
        }
      assert_int_equal (at, filled);
    }
  assert_int_equal (n_seen, n_events);
}

static void
time_that_goes_back_on_a_cpu_is_clamped_and_counted (void **state)
{
  int fd = test_memory_file ();
  WprEtlHeaderInfo info = test_header_info ();
  g_autoptr (WprEtlWriter) writer = wpr_etl_writer_new (fd, &info, NULL);
  WprEtlHead head = { .kind = WPR_ETL_PERFINFO, .hook = 8, .version = 2 };
  g_autoptr (GByteArray) file = NULL;
  const gint64 ticks[] = { 5000, 4000, 6000, 5999 }, written[] = { 5000, 5000, 6000, 6000 };

  for (guint i = 0; i < G_N_ELEMENTS (ticks); i++)
    assert_true (wpr_etl_writer_add (writer, 0, ticks[i], &head, NULL, 0, NULL));
  assert_true (wpr_etl_writer_add (writer, 1, 2000, &head, NULL, 0, NULL)); /* another CPU */
  assert_int_equal (wpr_etl_writer_clamped (writer), 2);
  assert_int_equal (wpr_etl_writer_last_ticks (writer, 0), 6000);
  assert_int_equal (wpr_etl_writer_last_ticks (writer, 1), 2000);
  assert_true (wpr_etl_writer_finish (writer, 1, 0, 0, NULL));
  file = test_take_file (fd);
  for (guint i = 0; i < G_N_ELEMENTS (written); i++)
    assert_int_equal (test_u64 (file->data + BUFFER + 0x48 + 16 * i + 8), written[i]);
}

static void
too_large_an_event_is_refused_and_nothing_written (void **state)
{
  int fd = test_memory_file ();
  WprEtlHeaderInfo info = test_header_info ();
  g_autoptr (WprEtlWriter) writer = wpr_etl_writer_new (fd, &info, NULL);
  WprEtlHead head = { .kind = WPR_ETL_PERFINFO, .hook = 0x0f22 };
  g_autofree guint8 *payload = g_malloc0 (70000);
  g_autoptr (GByteArray) file = NULL;
  GError *error = NULL;

  assert_true (wpr_etl_writer_add (writer, 0, 2000, &head, payload, 60 * 1024, NULL));
  for (guint size = 60 * 1024 + 1; size <= 70000; size += 4000)
    {
      assert_false (wpr_etl_writer_add (writer, 0, 2000, &head, payload, size, &error));
      assert_true (g_error_matches (error, WPR_ERROR, WPR_ERROR_INTERNAL));
      g_clear_error (&error);
    }
  assert_int_equal (wpr_etl_writer_events (writer), 1);
  assert_true (wpr_etl_writer_finish (writer, 1, 0, 0, NULL));
  file = test_take_file (fd);
  assert_int_equal (file->len, 2 * BUFFER);
}

static void
header_is_patched_last_and_lost_events_are_clamped (void **state)
{
  int fd = test_memory_file ();
  WprEtlHeaderInfo info = test_header_info ();
  g_autoptr (WprEtlWriter) writer = wpr_etl_writer_new (fd, &info, NULL);
  guint8 before[8];
  g_autoptr (GByteArray) file = NULL;

  assert_int_equal (pread (fd, before, 8, 0x68 + 0x10), 8);
  test_assert_hex (before, "0000 0000 0000 0000"); /* not closed yet */
  assert_true (
      wpr_etl_writer_finish (writer, 0x1122334455667788, G_GUINT64_CONSTANT (5000000000), 3, NULL));
  file = test_take_file (fd);
  test_assert_hex (file->data + 0x68 + 0x10, "8877 6655 4433 2211");
  test_assert_hex (file->data + 0x68 + 0x30, "ffff ffff");
  test_assert_hex (file->data + 0x68 + 0x114, "0300 0000");
}

static void
a_full_disk_is_no_space (void **state)
{
  int fd = open ("/dev/full", O_RDWR | O_CLOEXEC);
  WprEtlHeaderInfo info = test_header_info ();
  GError *error = NULL;

  assert_true (fd >= 0);
  assert_null (wpr_etl_writer_new (fd, &info, &error));
  assert_true (g_error_matches (error, WPR_ERROR, WPR_ERROR_NO_SPACE));
  g_clear_error (&error);
  close (fd);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (header_buffer_has_the_layout_of_a_genuine_one),
    cmocka_unit_test (system_header_is_that_of_a_genuine_thread_start),
    cmocka_unit_test (perfinfo_header_is_that_of_a_genuine_rundown_complete),
    cmocka_unit_test (compact_header_stops_before_the_cpu_times),
    cmocka_unit_test (classic_header_carries_its_guid_in_windows_order),
    cmocka_unit_test (self_describing_event_is_that_of_a_genuine_provider),
    cmocka_unit_test (events_never_cross_a_buffer),
    cmocka_unit_test (time_that_goes_back_on_a_cpu_is_clamped_and_counted),
    cmocka_unit_test (too_large_an_event_is_refused_and_nothing_written),
    cmocka_unit_test (header_is_patched_last_and_lost_events_are_clamped),
    cmocka_unit_test (a_full_disk_is_no_space),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
