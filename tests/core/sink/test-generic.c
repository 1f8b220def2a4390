/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Any tracepoint as a self-describing event: fields, types, texts, arrays, records too short. */
#include "config.h"
#include "sink-kit.h"

#include <string.h>

#define MS 1000000
#define COMMON                                                                   \
  "format:\n"                                                                    \
  "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
  "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
  "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
  "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const char text[]
    = "name: all_kinds\nID: 9\n" COMMON "\tfield:char comm[8];\toffset:8;\tsize:8;\tsigned:0;\n"
      "\tfield:u32 number;\toffset:16;\tsize:4;\tsigned:0;\n"
      "\tfield:int negative;\toffset:20;\tsize:4;\tsigned:1;\n"
      "\tfield:const void * pointer;\toffset:24;\tsize:8;\tsigned:0;\n"
      "\tfield:bool yes;\toffset:32;\tsize:1;\tsigned:0;\n"
      "\tfield:s16 small;\toffset:34;\tsize:2;\tsigned:1;\n"
      "\tfield:__u8 address[4];\toffset:36;\tsize:4;\tsigned:0;\n"
      "\tfield:__data_loc char[] name;\toffset:40;\tsize:4;\tsigned:0;\n"
      "\tfield:__rel_loc char[] tail;\toffset:44;\tsize:4;\tsigned:0;\n"
      "\tfield:__data_loc u32[] list;\toffset:48;\tsize:4;\tsigned:0;\n\n"
      "print fmt: \"\"\n";

typedef struct
{
  guint16 type;
  guint8 flags, preempt;
  gint32 pid;
  char comm[8];
  guint32 number;
  gint32 negative;
  guint64 pointer;
  guint8 yes, pad;
  gint16 small;
  guint8 address[4];
  guint32 name, tail, list;
  char bytes[24];
} Raw;

static Raw
make_raw (void)
{
  Raw raw = { .comm = "sh",
              .number = 7,
              .negative = -2,
              .pointer = 0xffffffff81000000,
              .yes = 1,
              .small = -3,
              .address = { 10, 0, 0, 1 },
              .name = 6 << 16 | 52,
              .tail = 4 << 16 | (58 - 48),
              .list = 8 << 16 | 64 };

  memcpy (raw.bytes, "/etc\xff\0end\0\0\0\1\0\0\0\2\0\0\0", 20);
  return raw;
}

static char *
play (WprFormat *format, const void *raw, guint32 size)
{
  g_autoptr (Kit) kit = kit_new ();
  WprEvent event = { .kind = WPR_EVENT_TRACEPOINT,
                     .time = 5 * MS,
                     .cpu = 1,
                     .pid = 9,
                     .tid = 10,
                     .row = 1,
                     .format = format,
                     .raw = raw,
                     .raw_size = size };

  kit_begin (kit);
  kit_event (kit, &event);
  kit_finish (kit);
  return kit_fields (kit, "all_kinds", 0);
}

static void
fields_keep_their_types (void **state)
{
  g_autoptr (WprFormat) format = wpr_format_new ("test", text, strlen (text), NULL);
  Raw raw = make_raw ();
  g_autofree char *fields = play (format, &raw, sizeof raw);

  assert_string_equal (fields,
                       "comm=sh number=7 negative=-2 pointer=0xffffffff81000000 yes=true small=-3"
                       " address=[10, 0, 0, 1] name=/etc\xef\xbf\xbd tail=end"
                       " list=[1, 2]");
}

static void
the_event_is_packed_as_the_format_of_the_file_wants (void **state)
{
  g_autoptr (WprFormat) format = wpr_format_new ("test", text, strlen (text), NULL);
  g_autoptr (Kit) kit = kit_new ();
  Raw raw = make_raw ();
  WprEvent event = { .kind = WPR_EVENT_TRACEPOINT,
                     .time = 5 * MS,
                     .pid = 9,
                     .tid = 10,
                     .row = 1,
                     .format = format,
                     .raw = (const guint8 *)&raw,
                     .raw_size = sizeof raw };
  const guint8 *at;
  guint size;

  kit_begin (kit);
  kit_event (kit, &event);
  kit_finish (kit);
  at = kit_named (kit, "all_kinds", 0, &size);
  /* header: channel 11, level 4, keyword bit 0, extended items */
  kit_assert (at + 2, 0x16, "13c0 0100 0000 0a00 0000 0900 0000 50c3 0000 0000 0000");
  kit_assert (at + 0x28, 0x18, "0000 000b 0400 0000 0100 0000 0000 0000 0000 0000 0000 0000");
  /* provider item: 13 bytes, another follows */
  kit_assert (at + 0x50, 24, "1800 0c00 0100 0d00 0d00 4c69 6e75 782e 7465 7374 0000 0000");
  kit_assert (at + size - 48, 48,
              "7368 00 0700 0000 feff ffff 0000 0081 ffff ffff 01 fdff 0a00 0001"
              "2f65 7463 efbf bd00 656e 6400 0200 0100 0000 0200 0000");
}

static void
a_record_too_short_reads_as_zeros (void **state)
{
  g_autoptr (WprFormat) format = wpr_format_new ("test", text, strlen (text), NULL);
  Raw raw = make_raw ();

  for (guint32 size = 0; size < sizeof raw; size++)
    {
      g_autofree guint8 *exact = g_memdup2 (&raw, size);
      g_autofree char *fields = play (format, exact, size);

      assert_non_null (strstr (fields, " list=")); /* all fields are there */
    }
}

static void
locations_outside_the_record_are_empty (void **state)
{
  g_autoptr (WprFormat) format = wpr_format_new ("test", text, strlen (text), NULL);
  Raw raw = make_raw ();
  g_autofree char *fields = NULL;

  raw.name = 0xffffu << 16 | 0xffff;
  raw.tail = 100u << 16 | 0xfff0;
  raw.list = 20u << 16 | 70;
  fields = play (format, &raw, sizeof raw);
  assert_non_null (strstr (fields, " name= tail= list="));
}

static void
an_event_nobody_understands_keeps_its_bytes (void **state)
{
  g_autoptr (Kit) kit = kit_new ();
  WprEvent event = { .kind = WPR_EVENT_TRACEPOINT,
                     .time = 5 * MS,
                     .row = 1, /* block:block_rq_issue */
                     .raw = (const guint8 *)"abc",
                     .raw_size = 3 };
  g_autofree char *fields = NULL;

  kit_begin (kit);
  kit_event (kit, &event);
  kit_finish (kit);
  fields = kit_fields (kit, "block_rq_issue", 0);
  assert_string_equal (fields, "raw=0x616263");
}

static void
counters_are_numbers_by_name (void **state)
{
  static const char *const names[] = { "MemFree", "Cached" };
  static const gint64 values[] = { 1234, -5 };
  g_autoptr (Kit) kit = kit_new ();
  WprEvent event = { .kind = WPR_EVENT_COUNTERS, .time = 5 * MS, .row = G_MAXUINT32 };
  g_autofree char *fields = NULL;

  event.u.counters.name = "meminfo";
  event.u.counters.n = 2;
  event.u.counters.names = names;
  event.u.counters.values = values;
  kit_begin (kit);
  kit_event (kit, &event);
  event.time = 6 * MS;
  kit_event (kit, &event);
  kit_finish (kit);
  fields = kit_fields (kit, "meminfo", 1);
  assert_string_equal (fields, "MemFree=1234 Cached=-5");
}

/* One of each meaning, from real formats. */
static const char net_text[]
    = "name: net_kinds\nID: 10\n" COMMON "\tfield:__u16 sport;\toffset:8;\tsize:2;\tsigned:0;\n"
      "\tfield:__be16 dport;\toffset:10;\tsize:2;\tsigned:0;\n"
      "\tfield:__u8 saddr[4];\toffset:12;\tsize:4;\tsigned:0;\n"
      "\tfield:__u8 daddr_v6[16];\toffset:16;\tsize:16;\tsigned:0;\n"
      "\tfield:pid_t pid;\toffset:32;\tsize:4;\tsigned:1;\n"
      "\tfield:int tgid;\toffset:36;\tsize:4;\tsigned:1;\n"
      "\tfield:void * function;\toffset:40;\tsize:8;\tsigned:0;\n"
      "\tfield:int gfp_flags;\toffset:48;\tsize:4;\tsigned:1;\n"
      "\tfield:dev_t dev;\toffset:52;\tsize:4;\tsigned:0;\n"
      "\tfield:int error;\toffset:56;\tsize:4;\tsigned:1;\n"
      "\tfield:__u8 daddr[28];\toffset:60;\tsize:28;\tsigned:0;\n\n"
      "print fmt: \"\"\n";

static void
meanings_have_their_types (void **state)
{
  guint8 raw[92] = { 0 };
  g_autoptr (WprFormat) format = wpr_format_new ("sched", net_text, strlen (net_text), NULL);
  g_autoptr (Kit) kit = kit_new ();
  WprEvent event = { .kind = WPR_EVENT_TRACEPOINT,
                     .time = 5 * MS,
                     .row = 1,
                     .format = format,
                     .raw = raw,
                     .raw_size = sizeof raw };
  const guint8 *at, *schema;
  guint size;

  memcpy (raw + 8, "\x50\0\0\x50\x0a\0\0\1\xfe\x80\0\0\0\0\0\0\0\0\0\0\0\0\0\2\x46\0\0\0\x45", 29);
  memcpy (raw + 40, "\x60\x45\x23\x81\xff\xff\xff\xff\xc0\x0c\0\x80\3\0\xe0\x0f\xf3\xff\xff\xff",
          20);
  memcpy (raw + 60, "\x0a\0\0\x50", 4);
  raw[60 + 8] = 0xfe;
  kit_begin (kit);
  kit_event (kit, &event);
  kit_finish (kit);
  at = kit_named (kit, "net_kinds", 0, &size);
  kit_assert (at + size - 84, 84,
              "0050 0050 0a00 0001 1000 fe80 0000 0000 0000 0000 0000 0000 0002"
              "4600 0000 4500 0000 6045 2381 ffff ffff c00c 0080 0300 e00f f3ff ffff"
              "1c00 1700 0050 0000 0000 fe00 0000 0000 0000 0000 0000 0000 0000 0000 0000");
  /* name, type | 0x80, out type */
  schema = (const guint8 *)memmem (at, size, "net_kinds", 9) + 10;
  kit_assert (schema, 8, "7370 6f72 7400 8607"); /* sport: u16, port */
  schema += 8;
  kit_assert (schema, 7, "6470 6f72 7400 06"); /* dport: of another type */
  schema += 7;
  kit_assert (schema, 8, "7361 6464 7200 8808"); /* saddr: u32, IPv4 */
  schema += 8;
  kit_assert (schema, 11, "6461 6464 725f 7636 008e 09"); /* daddr_v6: binary, IPv6 */
  schema += 11;
  kit_assert (schema, 6, "7069 6400 8806"); /* pid: u32, thread */
  schema += 6;
  kit_assert (schema, 7, "7467 6964 0088 05"); /* tgid: u32, process */
  schema += 7;
  kit_assert (schema, 11, "6675 6e63 7469 6f6e 008a 25"); /* function: u64, code */
  schema += 11;
  kit_assert (schema, 12, "6766 705f 666c 6167 7300 8804"); /* gfp_flags: u32, hex */
  schema += 12;
  kit_assert (schema, 6, "6465 7600 8804"); /* dev */
  schema += 6;
  kit_assert (schema, 7, "6572 726f 7200 07"); /* error: i32 */
  schema += 7;
  kit_assert (schema, 8, "6461 6464 7200 8e0a"); /* daddr: binary, socket address */
}

/* The text of the row's format in the manifest names the values. */
static const char named_text[]
    = "name: named\nID: 11\n" COMMON "\tfield:int state;\toffset:8;\tsize:4;\tsigned:1;\n"
      "\tfield:u8 reason;\toffset:12;\tsize:1;\tsigned:0;\n"
      "\tfield:u8 bits;\toffset:13;\tsize:1;\tsigned:0;\n\n"
      "print fmt: \"state=%s %s %s\", __print_symbolic(REC->state, { -1, \"GONE\" }, { 1, "
      "\"HERE\" }), __print_symbolic(REC->reason, { 7, \"SEVEN\" }), "
      "__print_flags(REC->bits, \"|\", { 1, \"A\" })\n";

static void
values_that_the_kernel_names_are_named (void **state)
{
  static const struct
  {
    guint8 raw[16];
    const char *fields;
  } rows[] = {
    { { [8] = 1, [12] = 7, [13] = 1 },
      "state=1 state_name=HERE reason=7 reason_name=SEVEN bits=1" },
    { { [8] = 0xff, 0xff, 0xff, 0xff, 8 },
      "state=-1 state_name=GONE reason=8 reason_name= bits=0" },
  };
  g_autoptr (WprFormat) format = wpr_format_new ("test", named_text, strlen (named_text), NULL);
  g_autoptr (Kit) kit = kit_new ();

  g_array_index (kit->manifest->events, WprStoreEvent, 1).format = g_strdup (named_text);
  kit_begin (kit);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      WprEvent event = { .kind = WPR_EVENT_TRACEPOINT,
                         .time = (5 + i) * MS,
                         .row = 1,
                         .format = format,
                         .raw = rows[i].raw,
                         .raw_size = sizeof rows[i].raw };

      kit_event (kit, &event);
    }
  kit_finish (kit);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *fields = kit_fields (kit, "named", i);

      assert_string_equal (fields, rows[i].fields);
    }
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (fields_keep_their_types),
    cmocka_unit_test (the_event_is_packed_as_the_format_of_the_file_wants),
    cmocka_unit_test (a_record_too_short_reads_as_zeros),
    cmocka_unit_test (locations_outside_the_record_are_empty),
    cmocka_unit_test (an_event_nobody_understands_keeps_its_bytes),
    cmocka_unit_test (counters_are_numbers_by_name),
    cmocka_unit_test (meanings_have_their_types),
    cmocka_unit_test (values_that_the_kernel_names_are_named),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
