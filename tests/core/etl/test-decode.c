/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events into names and fields: self-describing ones of every type, the kernel's classes, what
 * nobody describes; and hostile schemas. */
#include "config.h"
#include "etl-build.h"

#define BUFFER 65536u
#define GUID_HEX "11223344 5566 7788 99aabbccddeeff00"

/* An EVENT_SCHEMA_TL item of event "E" with these fields (in hex), behind PROV_TRAITS of "P". */
static char *
items (const char *fields_hex)
{
  g_autoptr (GByteArray) fields = test_bytes (fields_hex);
  GString *hex = g_string_new ("1000 0c00 0100 0400 0400 5000 00000000 ");
  guint size = 5 + fields->len, total = (8 + size + 7) & ~7u;

  g_string_append_printf (hex, "%02x%02x 0b00 0000 %02x%02x %02x%02x 00 4500 %s", total & 255,
                          total >> 8, size & 255, size >> 8, size & 255, size >> 8, fields_hex);
  for (guint i = 8 + size; i < total; i++)
    g_string_append (hex, " 00");
  return g_string_free (hex, FALSE);
}

static void
expect_self (const char *fields_hex, const char *payload, const char *expected)
{
  g_autoptr (GByteArray) file = build_file (8, BUFFER, 1, 1, 3);
  GByteArray *records = g_byte_array_new ();
  g_autofree char *schema = items (fields_hex), *text = NULL, *line = NULL;

  build_event (records, 0x13, GUID_HEX, 0, 0, 1, schema, payload);
  build_buffer (file, 0, 1, 0x20, records);
  text = build_texts (file);
  line = g_strconcat ("P/E:", *expected != '\0' ? " " : "", expected, "\n", NULL);
  assert_string_equal (text, line);
}

/* Each field is named "a"; type, out type, payload, text. */
static void
every_type_is_shown_as_it_is_meant (void **state)
{
  static const struct
  {
    const char *type, *payload, *text;
  } rows[] = {
    { "01", "4100 e900 3dd8 00de 0000", "A\xc3\xa9\xf0\x9f\x98\x80" },
    { "02", "41 e9 00", "A\xc3\xa9" },      /* of the western code page */
    { "82 23", "41 c3a9 00", "A\xc3\xa9" }, /* UTF-8 */
    { "03", "fe", "-2" },
    { "04", "fe", "254" },
    { "84 03", "01", "true" },
    { "84 02", "41", "65" },
    { "86 02", "4100", "A" },
    { "8a 11", "feffffff ffffffff", "-2" }, /* signed after all */
    { "89 12", "feffffff ffffffff", "18446744073709551614" },
    { "84 04", "fe", "0xfe" },
    { "05", "feff", "-2" },
    { "06", "feff", "65534" },
    { "86 07", "1f90", "8080" }, /* a port: network order */
    { "07", "feff ffff", "-2" },
    { "87 0e", "050000c0", "0xc0000005" }, /* NTSTATUS */
    { "08", "feffffff", "4294967294" },
    { "88 05", "07000000", "7" },
    { "88 08", "7f000001", "127.0.0.1" },
    { "09", "feffffff ffffffff", "-2" },
    { "0a", "feffffff ffffffff", "18446744073709551614" },
    { "8a 04", "10000000 00000080", "0x8000000000000010" },
    { "0b", "0000c03f", "1.5" },
    { "0c", "000000000000f8bf", "-1.5" },
    { "0c", "000000000000f07f", "inf" },
    { "0d", "01000000", "true" },
    { "0e", "0300 aabbcc", "0xaabbcc" },
    { "8e 09", "1000 20010db8000000000000000000000001", "2001:db8::1" },
    { "8e 0a", "1000 02001f90 7f000001 0000000000000000", "127.0.0.1:8080" },
    { "0f", GUID_HEX, "{44332211-6655-8877-99aa-bbccddeeff00}" },
    { "11", "0080 3ed5 deb1 9d01", "1970-01-01T00:00:00.0000000Z" },
    { "12", "e507 0900 0400 0900 0e00 3b00 2300 0700", "2021-09-09T14:59:35.007" },
    { "13", "01 02 000000000005 20000000 20020000", "S-1-5-32-544" },
    { "14", "ff000000", "0xff" },
    { "15", "ff00000000000000", "0xff" },
    { "16", "0400 4100 4200", "AB" },
    { "17", "0200 4142", "AB" },
    { "19", "0200 4142", "0x4142" },
    { "24 0300", "010203", "[1, 2, 3]" }, /* fixed array */
    { "44", "0200 0102", "[1, 2]" },      /* counted array */
    { "44", "0000", "[]" },
    { "41", "0200 4100 0000 4200 0000", "[A, B]" },
    { "42", "0200 41 00 42 00", "[A, B]" },
    { "56", "0200 0200 4100 0400 4200 4300", "[A, BC]" },
    { "60 0200 ffff", "0300 010203", "0x010203" }, /* of a description of its own */
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *fields = g_strconcat ("6100 ", rows[i].type, NULL),
                      *text = g_strconcat ("a=", rows[i].text, NULL);

      expect_self (fields, rows[i].payload, text);
    }
}

static void
structs_hold_their_members (void **state)
{
  /* struct s { u8 x; struct t { u8 y; } }, then u8 z */
  expect_self ("7300 98 02 7800 04 7400 98 01 7900 04 7a00 04", "010203",
               "s={0} x=1 t={0} y=2 z=3");
  /* a counted array of struct { u8 x; counted text }: 2 of them, then u8 z */
  expect_self ("7300 d8 02 7800 04 7400 17 7a00 04", "0200 01 0100 41 02 0200 4242 03",
               "s={0} x=1 t=A s={1} x=2 t=BB z=3");
  /* a fixed array of structs */
  expect_self ("7300 b8 01 0200 7800 04", "0102", "s={0} x=1 s={1} x=2");
}

static void
what_the_layout_does_not_reach_is_data (void **state)
{
  expect_self ("6100 04", "01 0203", "a=1 Data=0x0203");         /* more than it describes */
  expect_self ("6100 04 6200 08", "01 0203", "a=1 Data=0x0203"); /* less */
  expect_self ("6100 04 6200 02", "01 4142", "a=1 b=AB");        /* the last text needs no NUL */
  expect_self ("6100 04 62", "01 02", "a=1 Data=0x02");          /* a schema that is cut */
  expect_self ("6100 1f", "01", "Data=0x01");                    /* a type that is none */
  expect_self ("", "", "");
}

static void
hostile_schemas_end (void **state)
{
  g_autoptr (GString) deep = g_string_new (NULL);

  for (guint i = 0; i < 200; i++)
    g_string_append (deep, "7300 98 7f "); /* a struct in a struct in a .. */
  expect_self (deep->str, "01", "Data=0x01");
  /* 65535 structs of nothing are one; what follows them is read */
  expect_self ("7300 d8 00 6100 04", "ffff 01", "s={0} a=1");
  expect_self ("7300 d8 01 7800 00 6100 04", "ffff 01", "s={0} x= a=1");
  /* 65535 bytes that are not there */
  expect_self ("6100 44", "ffff 01", "Data=0xffff01");
}

static void
expect_hook (guint8 type, guint16 hook, guint16 version, const char *payload, const char *expected)
{
  g_autoptr (GByteArray) file = build_file (8, BUFFER, 1, 1, 3);
  GByteArray *records = g_byte_array_new ();
  g_autofree char *text = NULL, *line = g_strconcat (expected, "\n", NULL);

  build_hook (records, type, hook, version, 1, 0, 0, payload);
  build_buffer (file, 0, 1, 0x20, records);
  text = build_texts (file);
  assert_string_equal (text, line);
}

static void
the_kernels_classes_have_layouts (void **state)
{
  expect_hook (0x11, 0x0524, 4, "07000000 08000000 09 08 00 00 05 01 05 02 0a000000 00000000",
               "Thread/CSwitch: NewThreadId=7 OldThreadId=8 NewThreadPriority=9 OldThreadPriority=8"
               " PreviousCState=0 SpareByte=0 OldThreadWaitReason=5 ThreadFlags=1 OldThreadState=5"
               " OldThreadWaitIdealProcessor=2 NewThreadWaitTime=10 Reserved=0");
  /* without a SID: four zeros; what newer versions add may be missing */
  expect_hook (0x02, 0x0301, 4,
               "0100000000000000 07000000 01000000 00000000 03010000 0000000000000000 00000000"
               "00000000 7368 00 6100 0000",
               "Process/Start: UniqueProcessKey=0x1 ProcessId=7 ParentId=1 SessionId=0"
               " ExitStatus=0x103 DirectoryTableBase=0x0 Flags=0x0 UserSID= ImageFileName=sh"
               " CommandLine=a");
  /* the same of a 32-bit system, an older version, with a SID behind its token */
  expect_hook (0x01, 0x0301, 3,
               "01000000 07000000 01000000 00000000 03010000 00000000"
               "0100000000000000 0101000000000005 12000000 7368 00 0000",
               "Process/Start: UniqueProcessKey=0x1 ProcessId=7 ParentId=1 SessionId=0"
               " ExitStatus=0x103 DirectoryTableBase=0x0 UserSID=S-1-5-18 ImageFileName=sh"
               " CommandLine=");
  expect_hook (0x11, 0x030a, 3,
               "0000400000000000 0010000000000000 07000000 00000000 00000000 00 00 0000"
               "0000000000000000 00000000 00000000 00000000 00000000 6100 0000",
               "Image/Load: ImageBase=0x400000 ImageSize=0x1000 ProcessId=7 ImageChecksum=0x0"
               " TimeDateStamp=0x0 SignatureLevel=0 SignatureType=0 Reserved0=0 DefaultBase=0x0"
               " Reserved1=0 Reserved2=0 Reserved3=0 Reserved4=0 FileName=a");
  expect_hook (0x11, 0x060b, 2,
               "07000000 40000000 7f000001 0a000001 0050 1f90 00000000 0000000000000000",
               "TcpIp/RecvIPV4: PID=7 size=64 daddr=127.0.0.1 saddr=10.0.0.1 dport=80 sport=8080"
               " seqnum=0 connid=0x0");
  expect_hook (0x11, 0x1820, 2, "0100000000000000 07000000 08000000 1100000000000000",
               "StackWalk/Stack: EventTimeStamp=1 StackProcess=7 StackThread=8 Stack=[0x11]");
  expect_hook (0x11, 0x0f33, 2, "0010000000000000", "PerfInfo/SysClEnter: SysCallAddress=0x1000");
}

static void
what_nobody_describes_is_shown_raw (void **state)
{
  g_autoptr (GByteArray) file = build_file (8, BUFFER, 1, 1, 3);
  GByteArray *records = g_byte_array_new ();
  g_autofree char *text = NULL;

  build_hook (records, 0x11, 0x7f05, 1, 1, 0, 0, "aabb");
  build_hook (records, 0x11, 0x05ff, 1, 2, 0, 0, NULL);
  build_classic (records, 0x14, GUID_HEX, 9, 0, 3, "cc");
  build_event (records, 0x13, GUID_HEX, 12, 0, 4, NULL, "dd");
  build_raw (records, "1900 0090 0c00 0200 " GUID_HEX " ee");
  build_buffer (file, 0, 1, 0x20, records);
  text = build_texts (file);
  assert_string_equal (text, "group 0x7f/opcode 5: Data=0xaabb\n"
                             "Thread/opcode 255:\n"
                             "{44332211-6655-8877-99aa-bbccddeeff00}/opcode 9: Data=0xcc\n"
                             "{44332211-6655-8877-99aa-bbccddeeff00}/event 12: Data=0xdd\n"
                             "{44332211-6655-8877-99aa-bbccddeeff00}/message 12: Data=0xee\n");
}

/* ---- a genuine file ---- */

/* Values of the first two events as its publisher's tests expect them (times to the ms), but for
 * int64_type: the file calls it a UINT64, and its publisher's reader takes those for signed. */
static void
a_genuine_files_fields_are_those_its_publisher_expects (void **state)
{
  const char *corpus = g_getenv ("WPR_CORPUS");
  g_autofree char *path
      = corpus != NULL ? g_build_filename (corpus, "etl", "primitive-types.etl", NULL) : NULL;
  g_autofree char *bytes = NULL, *text = NULL;
  g_auto (GStrv) lines = NULL;
  GByteArray file = { 0 };
  gsize size;

  if (path == NULL || !g_file_get_contents (path, &bytes, &size, NULL))
    skip ();
  file.data = (guint8 *)bytes;
  file.len = (guint)size;
  text = build_texts (&file);
  lines = g_strsplit (text, "\n", -1);
  assert_int_equal (g_strv_length (lines), 6);
  assert_true (g_str_has_prefix (
      lines[0],
      "solar_system/PrimitiveTypesTest: string_type=Mercury boolean_type=false"
      " char_type=77 int16_type=-51 int32_type=-102 uint16_type=51 uint32_type=102"
      " int64_type=18446744073709551412 uint64_type=204 guid_type={0ad614c4-0ef4-4225-8"));
  assert_non_null (strstr (lines[0], " file_time_type=2021-09-09T"));
  assert_non_null (strstr (lines[0], ":59:35.79"));
  assert_non_null (strstr (lines[0], " system_time_type=2021-09-09T"));
  assert_non_null (strstr (lines[1], "string_type=Venus boolean_type=true char_type=86"));
  for (guint i = 0; i < 5; i++)
    assert_null (strstr (lines[i], "Data="));
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (every_type_is_shown_as_it_is_meant),
    cmocka_unit_test (structs_hold_their_members),
    cmocka_unit_test (what_the_layout_does_not_reach_is_data),
    cmocka_unit_test (hostile_schemas_end),
    cmocka_unit_test (the_kernels_classes_have_layouts),
    cmocka_unit_test (what_nobody_describes_is_shown_raw),
    cmocka_unit_test (a_genuine_files_fields_are_those_its_publisher_expects),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
