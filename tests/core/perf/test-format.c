/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Formats from literal texts of kernels: fields where the text says, values out of raw bytes, and
 * nothing outside of them. */
#include "config.h"
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>
#include "base/wpr-error.h"
#include "perf/format.h"

#define COMMON                                                                   \
  "format:\n"                                                                    \
  "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
  "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
  "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
  "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const char switch_text[]
    = "name: sched_switch\nID: 372\n" COMMON
      "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
      "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
      "\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
      "\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
      "\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
      "\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
      "\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n\n"
      "print fmt: \"prev_comm=%s prev_state=%s%s\", REC->prev_comm, (REC->prev_state & "
      "((((0x00000000 "
      "| 0x00000001 | 0x00000002) + 1) << 1) - 1)) ? __print_flags(REC->prev_state & "
      "((((0x00000000 | "
      "0x00000001 | 0x00000002) + 1) << 1) - 1), \"|\", { 0x00000001, \"S\" }, { 0x00000002, \"D\" "
      "}, "
      "{ 0x00000080, \"I\" }) : \"R\", REC->prev_state & 256 ? \"+\" : \"\"\n";

static const char mixed_text[]
    = "name: mixed\nID: 9\n" COMMON
      "\tfield:__data_loc char[] filename;\toffset:8;\tsize:4;\tsigned:0;\n"
      "\tfield:__rel_loc char[] tail;\toffset:12;\tsize:4;\tsigned:0;\n"
      "\tfield:__u8 saddr_v6[16];\toffset:16;\tsize:16;\tsigned:0;\n"
      "\tfield:unsigned long args[6];\toffset:32;\tsize:48;\tsigned:0;\n"
      "\tfield:const void * call_site;\toffset:80;\tsize:8;\tsigned:0;\n"
      "\tfield:u8 tiny;\toffset:88;\tsize:1;\tsigned:0;\n"
      "\tfield:s16 small;\toffset:90;\tsize:2;\tsigned:1;\n"
      "\tfield:enum migrate_mode mode;\toffset:92;\tsize:4;\tsigned:0;\n"
      "\tfield:__data_loc __u8[] cmnd;\toffset:96;\tsize:4;\tsigned:0;\n\n"
      "print fmt: \"%s %s\", __get_str(filename), __print_symbolic(REC->mode, { 0, \"ASYNC\" }, { "
      "-1, "
      "\"NONE\" }), unknown_function_of_the_kernel(REC->tiny, sizeof(struct never_heard_of))\n";

static const WprField *
field (const WprFormat *format, const char *name, guint32 offset, guint32 size, guint32 flags)
{
  const WprField *found = wpr_format_field (format, name);
  assert_non_null (found);
  assert_int_equal (found->offset, offset);
  assert_int_equal (found->size, size);
  assert_int_equal (found->flags, flags);
  return found;
}

static void
fields_are_where_the_text_says (void **state)
{
  g_autoptr (WprFormat) format = wpr_format_new ("sched", switch_text, strlen (switch_text), NULL);

  assert_non_null (format);
  assert_int_equal (format->id, 372);
  assert_string_equal (format->system, "sched");
  assert_string_equal (format->name, "sched_switch");
  assert_int_equal (format->n_fields, 11);
  field (format, "common_type", 0, 2, WPR_FIELD_COMMON);
  field (format, "common_pid", 4, 4, WPR_FIELD_COMMON | WPR_FIELD_SIGNED);
  const WprField *comm = field (format, "prev_comm", 8, 16, WPR_FIELD_ARRAY | WPR_FIELD_STRING);
  assert_int_equal (comm->element_size, 1);
  const WprField *pid = field (format, "prev_pid", 24, 4, WPR_FIELD_SIGNED);
  assert_string_equal (pid->type, "pid_t");
  field (format, "prev_state", 32, 8, WPR_FIELD_SIGNED);
  assert_null (wpr_format_field (format, "nothing"));
}

static void
every_kind_of_field_has_its_flags (void **state)
{
  g_autoptr (WprFormat) format = wpr_format_new ("any", mixed_text, strlen (mixed_text), NULL);

  assert_non_null (format);
  field (format, "filename", 8, 4, WPR_FIELD_STRING | WPR_FIELD_DYNAMIC | WPR_FIELD_ARRAY);
  field (format, "tail", 12, 4,
         WPR_FIELD_STRING | WPR_FIELD_DYNAMIC | WPR_FIELD_RELATIVE | WPR_FIELD_ARRAY);
  field (format, "saddr_v6", 16, 16, WPR_FIELD_ARRAY);
  const WprField *args = field (format, "args", 32, 48, WPR_FIELD_ARRAY);
  assert_int_equal (args->element_size, 8);
  field (format, "call_site", 80, 8, WPR_FIELD_POINTER);
  field (format, "small", 90, 2, WPR_FIELD_SIGNED);
  field (format, "mode", 92, 4, 0);
  field (format, "cmnd", 96, 4, WPR_FIELD_DYNAMIC | WPR_FIELD_ARRAY);
}

static void
numbers_are_extended_as_their_sign_says (void **state)
{
  static const guint8 raw[] = { 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0x80 };
  static const struct
  {
    guint32 offset, size, flags;
    gint64 value;
  } rows[] = {
    { 0, 1, 0, 0xfe },
    { 0, 1, WPR_FIELD_SIGNED, -2 },
    { 0, 2, 0, 0xfffe },
    { 0, 2, WPR_FIELD_SIGNED, -2 },
    { 0, 4, 0, 0xfffffffe },
    { 0, 4, WPR_FIELD_SIGNED, -2 },
    { 0, 8, WPR_FIELD_SIGNED, 0x7ffffffffffffffe },
    { 8, 1, WPR_FIELD_SIGNED, -128 },
    { 8, 2, 0, 0 },
    { 9, 1, 0, 0 },
    { 0xffffffff, 4, 0, 0 },
    { 0, 3, 0, 0 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      WprField of = { .offset = rows[i].offset, .size = rows[i].size, .flags = rows[i].flags };
      assert_true (wpr_field_int (&of, raw, sizeof raw) == rows[i].value);
    }
}

static void
texts_end_at_nul_or_their_length_and_never_outside (void **state)
{
  g_autoptr (WprFormat) format = wpr_format_new ("any", mixed_text, strlen (mixed_text), NULL);
  g_autoptr (WprFormat) sched = wpr_format_new ("sched", switch_text, strlen (switch_text), NULL);
  guint8 *raw = g_malloc0 (116);
  guint32 size, location;
  const guint8 *bytes;

  memcpy (raw + 8, "0123456789abcdef", 16);
  bytes = wpr_field_bytes (wpr_format_field (sched, "prev_comm"), raw, 116, &size);
  assert_ptr_equal (bytes, raw + 8);
  assert_int_equal (size, 16);
  raw[11] = 0;
  wpr_field_bytes (wpr_format_field (sched, "prev_comm"), raw, 116, &size);
  assert_int_equal (size, 3);
  assert_null (wpr_field_bytes (wpr_format_field (sched, "prev_comm"), raw, 23, &size));
  assert_int_equal (size, 0);

  location = 8 << 16 | 104;
  memcpy (raw + 8, &location, 4);
  memcpy (raw + 104, "ab\0defgh", 8);
  bytes = wpr_field_bytes (wpr_format_field (format, "filename"), raw, 116, &size);
  assert_ptr_equal (bytes, raw + 104);
  assert_int_equal (size, 2);
  assert_null (wpr_field_bytes (wpr_format_field (format, "filename"), raw, 111, &size));

  location = 4 << 16 | (112 - 16);
  memcpy (raw + 12, &location, 4);
  memcpy (raw + 112, "tail", 4);
  bytes = wpr_field_bytes (wpr_format_field (format, "tail"), raw, 116, &size);
  assert_ptr_equal (bytes, raw + 112);
  assert_int_equal (size, 4);

  for (guint64 word = 0; word < 0x100000000; word += 0x00fefeff)
    {
      location = (guint32)word;
      memcpy (raw + 96, &location, 4);
      bytes = wpr_field_bytes (wpr_format_field (format, "cmnd"), raw, 116, &size);
      assert_true (bytes == NULL ? size == 0 : bytes + size <= raw + 116);
    }
  for (guint32 short_size = 0; short_size < 116; short_size++)
    wpr_field_bytes (wpr_format_field (format, "cmnd"), raw, short_size, &size);
  g_free (raw);
}

static void
names_of_flags_and_symbols_are_found (void **state)
{
  g_autoptr (GArray) states = wpr_format_symbols (switch_text, "prev_state");
  g_autoptr (GArray) modes = wpr_format_symbols (mixed_text, "mode");
  g_autoptr (GArray) none = wpr_format_symbols (switch_text, "next_pid");

  assert_int_equal (states->len, 3);
  assert_int_equal (g_array_index (states, WprFieldSymbol, 0).value, 1);
  assert_string_equal (g_array_index (states, WprFieldSymbol, 0).name, "S");
  assert_int_equal (g_array_index (states, WprFieldSymbol, 2).value, 128);
  assert_string_equal (g_array_index (states, WprFieldSymbol, 2).name, "I");
  assert_int_equal (none->len, 0);
  /* The library gives up on this text, which must do no harm. */
  assert_true (modes->len == 0 || modes->len == 2);
}

static void
symbols_of_a_plain_table (void **state)
{
  static const char text[] = "name: softirq_entry\nID: 150\n" COMMON
                             "\tfield:unsigned int vec;\toffset:8;\tsize:4;\tsigned:0;\n\n"
                             "print fmt: \"vec=%u [action=%s]\", REC->vec, "
                             "__print_symbolic(REC->vec, { 0, \"HI\" }, { 1, "
                             "\"TIMER\" }, { 9, \"RCU\" })\n";
  g_autoptr (GArray) names = wpr_format_symbols (text, "vec");

  assert_int_equal (names->len, 3);
  assert_int_equal (g_array_index (names, WprFieldSymbol, 2).value, 9);
  assert_string_equal (g_array_index (names, WprFieldSymbol, 2).name, "RCU");
}

static void
what_is_no_format_is_said (void **state)
{
  static const char *const texts[]
      = { "", "\n", "name: x\n", "nonsense", "name: x\nID: q\nformat:\n" };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GError) error = NULL;
      assert_null (wpr_format_new ("any", texts[i], strlen (texts[i]), &error));
      assert_true (g_error_matches (error, WPR_ERROR, WPR_ERROR_DAMAGED));
      g_autoptr (GArray) names = wpr_format_symbols (texts[i], "x");
      assert_int_equal (names->len, 0);
    }
  /* Cut anywhere: fields or an error, no crash. */
  for (gsize size = 0; size < strlen (switch_text); size += 7)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (WprFormat) format = wpr_format_new ("sched", switch_text, size, &error);
      assert_true (format != NULL || error != NULL);
    }
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (fields_are_where_the_text_says),
    cmocka_unit_test (every_kind_of_field_has_its_flags),
    cmocka_unit_test (numbers_are_extended_as_their_sign_says),
    cmocka_unit_test (texts_end_at_nul_or_their_length_and_never_outside),
    cmocka_unit_test (names_of_flags_and_symbols_are_found),
    cmocka_unit_test (symbols_of_a_plain_table),
    cmocka_unit_test (what_is_no_format_is_said),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
