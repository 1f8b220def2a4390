/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every kind of record header, of 32- and 64-bit systems, and files of 32-bit systems. */
#include "config.h"
#include "etl-build.h"

#define BUFFER 4096u
#define GUID_HEX "11223344 5566 7788 99aabbccddeeff00"

static GByteArray *
file_of (guint pointer_size, GByteArray *records)
{
  GByteArray *file = build_file (pointer_size, BUFFER, 2, 1, 3);

  build_buffer (file, 1, 1, 0x20, records);
  return file;
}

/* Type, pointer size, hook, version, opcode, PID, TID, time, GUID's first word, payload. */
static char *
describe (GByteArray *bytes)
{
  g_autoptr (WprEtlFile) file = build_open (bytes);
  g_autoptr (WprEtlCursor) cursor = wpr_etl_cursor_new (file, NULL, NULL);
  GString *text = g_string_new (NULL);
  const WprEtlEvent *e;

  while ((e = wpr_etl_cursor_next (cursor)) != NULL)
    {
      if (e->buffer == 0)
        continue;
      g_string_append_printf (text, "%02x p%u %04x v%u o%u %d:%d @%" G_GINT64_FORMAT " %08x ",
                              e->header_type, e->pointer_size, e->hook, e->version, e->type,
                              (int)e->pid, (int)e->tid, e->ticks, e->guid.data1);
      for (guint32 i = 0; i < e->payload_size; i++)
        g_string_append_printf (text, "%02x", e->payload[i]);
      g_string_append_printf (text, " %u\n", e->items_size);
      assert_int_equal (e->cpu, 1);
    }
  return g_string_free (text, FALSE);
}

static void
every_kind_of_header_is_read (void **state)
{
  static const guint8 hooks[] = { 0x01, 0x02, 0x03, 0x04, 0x10, 0x11 };
  GByteArray *records = g_byte_array_new ();
  g_autoptr (GByteArray) file = NULL;
  g_autofree char *text = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (hooks); i++)
    build_hook (records, hooks[i], 0x0301, 4, 10 + i, 7, 8, "aabb");
  build_classic (records, 0x0a, GUID_HEX, 36, 2, 20, "cc");
  build_classic (records, 0x14, GUID_HEX, 36, 2, 21, "cc");
  build_classic (records, 0x0b, GUID_HEX, 37, 2, 22, "dd");
  build_classic (records, 0x15, GUID_HEX, 37, 2, 23, "dd");
  build_event (records, 0x12, GUID_HEX, 5, 1, 24, NULL, "ee");
  build_event (records, 0x13, GUID_HEX, 5, 1, 25, NULL, "ee");
  file = file_of (8, records);
  text = describe (file);
  assert_string_equal (text, "01 p4 0301 v4 o1 7:8 @10 00000000 aabb 0\n"
                             "02 p8 0301 v4 o1 7:8 @11 00000000 aabb 0\n"
                             "03 p4 0301 v4 o1 7:8 @12 00000000 aabb 0\n"
                             "04 p8 0301 v4 o1 7:8 @13 00000000 aabb 0\n"
                             "10 p4 0301 v4 o1 -1:-1 @14 00000000 aabb 0\n"
                             "11 p8 0301 v4 o1 -1:-1 @15 00000000 aabb 0\n"
                             "0a p4 0000 v2 o36 1:2 @20 44332211 cc 0\n"
                             "14 p8 0000 v2 o36 1:2 @21 44332211 cc 0\n"
                             "0b p4 0000 v2 o37 1:2 @22 44332211 dd 0\n"
                             "15 p8 0000 v2 o37 1:2 @23 44332211 dd 0\n"
                             "12 p4 0005 v1 o0 1:2 @24 44332211 ee 0\n"
                             "13 p8 0005 v1 o0 1:2 @25 44332211 ee 0\n");
}

/* What follows a message's 8 bytes is what its options say; without a time it has that of the
 * record before. */
static void
messages_are_read_as_their_options_say (void **state)
{
  GByteArray *records = g_byte_array_new ();
  g_autoptr (GByteArray) file = NULL;
  g_autofree char *text = NULL;

  build_hook (records, 0x11, 0x0f33, 2, 40, 0, 0, NULL);
  build_raw (records,
             "2d00 0090 0c00 2b00 01000000 " GUID_HEX " 3200000000000000 0800 0000 0700 0000 ab");
  build_raw (records, "0900 0090 0d00 4000 cd");
  build_raw (records, "0d00 0090 0e00 0400 01000000 ef");
  file = file_of (8, records);
  text = describe (file);
  assert_string_equal (text, "11 p8 0f33 v2 o51 -1:-1 @40 00000000  0\n"
                             "0f p8 000c v0 o0 7:8 @50 44332211 ab 0\n"
                             "0f p4 000d v0 o0 -1:-1 @50 00000000 cd 0\n"
                             "0f p8 000e v0 o0 -1:-1 @50 00000000 ef 0\n");
}

/* Counters between header and payload: 8 bytes each, said by the version's upper bits. */
static void
items_of_kernel_events_are_no_payload (void **state)
{
  GByteArray *records = g_byte_array_new ();
  g_autoptr (GByteArray) file = NULL;
  g_autofree char *text = NULL;

  build_hook (records, 0x11, 0x0f2e, 0x8302, 10, 0, 0,
              "0000000000000001 0000000000000002 0000000000000003 0000000000000004 abcd");
  file = file_of (8, records);
  text = describe (file);
  assert_string_equal (text, "11 p8 0f2e v2 o46 -1:-1 @10 00000000 abcd 32\n");
}

static void
extended_items_are_found_and_bounded (void **state)
{
  GByteArray *records = g_byte_array_new ();
  g_autoptr (GByteArray) file = NULL;
  g_autoptr (WprEtlFile) opened = NULL;
  g_autoptr (WprEtlCursor) cursor = NULL;
  const WprEtlEvent *event = NULL;
  WprEtlStack stack;

  /* a related activity, then a stack of two frames */
  build_event (records, 0x13, GUID_HEX, 5, 1, 25,
               "1800 0100 0100 1000 00000000000000000000000000000000"
               "2000 0600 0000 1800 0900000000000000 1100000000000000 2200000000000000",
               "ee");
  /* a stack of 32-bit frames whose item says more than the event has */
  build_event (records, 0x12, GUID_HEX, 5, 1, 26, "ff00 0500 0000 f000 0900000000000000", "ee");
  file = file_of (8, records);
  opened = build_open (file);
  cursor = wpr_etl_cursor_new (opened, NULL, NULL);
  while (event == NULL || event->buffer == 0)
    event = wpr_etl_cursor_next (cursor);
  assert_int_equal (event->payload_size, 1);
  assert_true (wpr_etl_event_get_stack (event, &stack));
  assert_int_equal (stack.n_frames, 2);
  assert_int_equal (stack.match, 9);
  assert_int_equal (stack.ticks, 25);
  assert_false (stack.is_own_record);
  assert_int_equal (wpr_etl_stack_frame (&stack, 1), 0x22);
  event = wpr_etl_cursor_next (cursor);
  assert_non_null (event);
  assert_int_equal (event->payload_size, 0);
  assert_false (wpr_etl_event_get_stack (event, &stack));
}

static void
stacks_that_are_records_name_their_event (void **state)
{
  GByteArray *records = g_byte_array_new ();
  g_autoptr (GByteArray) file = NULL;
  g_autoptr (WprEtlFile) opened = NULL;
  g_autoptr (WprEtlCursor) cursor = NULL;
  const WprEtlEvent *event;
  WprEtlStack stack;
  guint n = 0;

  build_hook (records, 0x10, 0x1820, 2, 10, 0, 0,
              "0700000000000000 01000000 02000000 11000000 22000000");
  build_hook (records, 0x11, 0x1825, 2, 11, 0, 0,
              "0700000000000000 01000000 02000000 1122334455667788");
  build_hook (records, 0x11, 0x1824, 2, 12, 0, 0, "1122334455667788 3300000000000000");
  build_hook (records, 0x11, 0x1820, 2, 13, 0, 0, "0700000000000000 01000000");
  file = file_of (8, records);
  opened = build_open (file);
  cursor = wpr_etl_cursor_new (opened, NULL, NULL);
  while ((event = wpr_etl_cursor_next (cursor)) != NULL)
    {
      gboolean found = wpr_etl_event_get_stack (event, &stack);

      if (event->ticks == 10)
        assert_true (found && stack.is_own_record && !stack.is_keyed && stack.n_frames == 2
                     && stack.frame_bytes == 4 && stack.ticks == 7 && stack.pid == 1
                     && stack.tid == 2 && wpr_etl_stack_frame (&stack, 1) == 0x22);
      else if (event->ticks == 11)
        assert_true (found && stack.is_keyed && stack.n_frames == 0
                     && stack.match == G_GUINT64_CONSTANT (0x8877665544332211));
      else if (event->ticks == 12)
        assert_true (found && stack.is_keyed && stack.n_frames == 1
                     && wpr_etl_stack_frame (&stack, 0) == 0x33);
      else
        assert_false (found); /* too short, or none */
      n += found;
    }
  assert_int_equal (n, 3);
}

/* Two pointers of the header are 4 bytes each there. */
static void
a_file_of_a_32_bit_system_is_read (void **state)
{
  GByteArray *records = g_byte_array_new ();
  g_autoptr (GByteArray) file = NULL;
  g_autoptr (WprEtlFile) opened = NULL;
  const WprEtlFileInfo *info;
  g_autofree char *text = NULL;

  build_hook (records, 0x10, 0x0f2e, 2, 1010, 0, 0, "78563412 07000000 0100 0000");
  file = file_of (4, records);
  opened = build_open (file);
  info = wpr_etl_file_info (opened);
  assert_int_equal (info->pointer_size, 4);
  assert_int_equal (info->perf_frequency, 10000000);
  assert_int_equal (info->start_filetime, G_GUINT64_CONSTANT (132000000000000000));
  assert_int_equal (info->start_ticks, 1000);
  assert_string_equal (info->logger_name, "L");
  assert_string_equal (info->file_name, "F");
  assert_int_equal (wpr_etl_ticks_to_ns (info, 1010), 1000);
  assert_int_equal (wpr_etl_ticks_to_ns (info, G_MAXINT64), G_MAXINT64);
  text = build_texts (file);
  assert_string_equal (text, "PerfInfo/SampledProfile: InstructionPointer=0x12345678 ThreadId=7"
                             " Count=1 Reserved=0\n");
}

/* Clock 2 counts 100 ns whatever the frequency says, 3 the CPU's cycles. */
static void
clocks_have_their_own_frequency (void **state)
{
  static const struct
  {
    guint32 clock;
    gint64 frequency;
  } rows[] = { { 1, 24000000 }, { 2, 10000000 }, { 3, 2000000000 } };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GByteArray) file = build_file (8, BUFFER, 1, 1, 3);
      g_autoptr (WprEtlFile) opened = NULL;

      build_set32 (file, 0x34, 2000); /* MHz */
      build_set64 (file, 0x100, 24000000);
      build_set32 (file, 0x110, rows[i].clock);
      opened = build_open (file);
      assert_int_equal (wpr_etl_file_info (opened)->perf_frequency, rows[i].frequency);
    }
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (every_kind_of_header_is_read),
    cmocka_unit_test (messages_are_read_as_their_options_say),
    cmocka_unit_test (items_of_kernel_events_are_no_payload),
    cmocka_unit_test (extended_items_are_found_and_bounded),
    cmocka_unit_test (stacks_that_are_records_name_their_event),
    cmocka_unit_test (a_file_of_a_32_bit_system_is_read),
    cmocka_unit_test (clocks_have_their_own_frequency),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
