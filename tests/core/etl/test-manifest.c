/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Manifests' events that the file itself describes: EventInfo and EventMapInfo, wherever in the
 * file they lie; and hostile ones. */
#include "config.h"
#include "etl-build.h"

#define BUFFER 65536u
#define GUID_HEX "11223344 5566 7788 99aabbccddeeff00"
#define METADATA_HEX "c1f6ccbb d16c c448 80ff 839482e37671"

typedef struct
{
  guint32 flags;
  const char *name;
  guint16 in, out; /* of a struct: first member, how many */
  const char *map;
  guint16 count, length;
} Property;

static void
put (GByteArray *bytes, guint at, guint64 value, guint n)
{
  for (guint i = 0; i < n; i++)
    bytes->data[at + i] = (guint8)(value >> (8 * i));
}

/* Adds the text as UTF-16; where it is. */
static guint
add_text (GByteArray *bytes, const char *text)
{
  guint at = bytes->len;

  for (const char *p = text;; p++)
    {
      g_byte_array_append (bytes, (const guint8[]){ (guint8)*p, 0 }, 2);
      if (*p == '\0')
        return at;
    }
}

static char *
hex_of (const GByteArray *bytes)
{
  GString *hex = g_string_new (NULL);

  for (guint i = 0; i < bytes->len; i++)
    g_string_append_printf (hex, "%02x", bytes->data[i]);
  return g_string_free (hex, FALSE);
}

static GByteArray *
zeros (guint size)
{
  GByteArray *bytes = g_byte_array_new ();
  g_autoptr (GByteArray) guid = test_bytes (GUID_HEX);

  g_byte_array_set_size (bytes, size);
  memset (bytes->data, 0, size);
  memcpy (bytes->data, guid->data, 16);
  return bytes;
}

/* A TRACE_EVENT_INFO of event 12 version 1. */
static GByteArray *
event_info (const Property *rows, guint n, guint n_top)
{
  GByteArray *info = zeros (112 + 24 * n);

  put (info, 32, 12, 2);
  put (info, 34, 1, 1);
  put (info, 37, 1, 1); /* opcode */
  put (info, 100, n, 4);
  put (info, 104, n_top, 4);
  put (info, 52, add_text (info, "Provider"), 4);
  put (info, 68, add_text (info, "Task "), 4);
  put (info, 72, add_text (info, "win:Start"), 4);
  for (guint i = 0; i < n; i++)
    {
      guint at = 112 + 24 * i;

      put (info, at, rows[i].flags, 4);
      put (info, at + 4, add_text (info, rows[i].name), 4);
      put (info, at + 8, rows[i].in, 2);
      put (info, at + 10, rows[i].out, 2);
      if (rows[i].map != NULL)
        put (info, at + 12, add_text (info, rows[i].map), 4);
      put (info, at + 16, rows[i].count, 2);
      put (info, at + 18, rows[i].length, 2);
    }
  return info;
}

static GByteArray *
map_info (const char *name, guint32 flags)
{
  GByteArray *map = zeros (16 + 16 + 2 * 8);

  put (map, 16 + 4, flags, 4);
  put (map, 16 + 8, 2, 4);
  put (map, 16, add_text (map, name) - 16, 4);
  put (map, 16 + 16, add_text (map, "One ") - 16, 4);
  put (map, 16 + 20, 1, 4);
  put (map, 16 + 24, add_text (map, "Two") - 16, 4);
  put (map, 16 + 28, 2, 4);
  return map;
}

static void
add_metadata (GByteArray *records, guint8 opcode, GByteArray *bytes)
{
  g_autofree char *hex = hex_of (bytes);

  build_classic (records, 0x14, METADATA_HEX, opcode, 0, 100, hex);
  g_byte_array_unref (bytes);
}

/* The event first, what describes it behind. */
static void
expect (GByteArray *info, GByteArray *map, const char *payload, const char *expected)
{
  g_autoptr (GByteArray) file = build_file (8, BUFFER, 1, 1, 3);
  GByteArray *records = g_byte_array_new ();
  g_autofree char *text = NULL;

  build_event (records, 0x13, GUID_HEX, 12, 1, 1, NULL, payload);
  add_metadata (records, 32, info);
  if (map != NULL)
    add_metadata (records, 33, map);
  build_buffer (file, 0, 1, 0x20, records);
  text = build_texts (file);
  *strchr (text, '\n') = '\0';
  assert_string_equal (text, expected);
}

static void
fields_are_those_the_file_describes (void **state)
{
  static const Property rows[] = {
    { 0, "Number", 8, 0, NULL, 1, 4 },     { 0, "Text", 1, 1, NULL, 1, 0 },
    { 0, "Pointer", 16, 0, NULL, 1, 0 },   { 0, "Size", 308, 0, NULL, 1, 0 },
    { 0, "Pid", 8, 20, NULL, 1, 4 },       { 0, "Short", 2, 1, NULL, 1, 3 },
    { 0x22, "Bytes", 14, 15, NULL, 1, 0 }, { 0x20, "Two", 4, 0, NULL, 2, 1 },
    { 4, "Counted", 6, 0, NULL, 7, 2 },    { 0, "Rest", 304, 1, NULL, 1, 0 },
  };
  g_autoptr (GByteArray) unused = NULL;

  /* Bytes' length is Number's; Counted's count is the row it names: Two, first element */
  expect (event_info (rows, G_N_ELEMENTS (rows), G_N_ELEMENTS (rows)), unused,
          "02000000 41000000 1000000000000000 2000000000000000 07000000 616263 aabb 0102"
          "0300 4200",
          "Provider/Task/Start: Number=2 Text=A Pointer=0x10 Size=32 Pid=7 Short=abc Bytes=[0xaabb]"
          " Two=[1, 2] Counted=[3] Rest=B");
}

static void
values_and_bits_have_names (void **state)
{
  static const Property row = { 0, "Kind", 8, 0, "Map", 1, 4 };

  expect (event_info (&row, 1, 1), map_info ("Map", 1), "01000000",
          "Provider/Task/Start: Kind=One");
  expect (event_info (&row, 1, 1), map_info ("Map", 1), "09000000", "Provider/Task/Start: Kind=9");
  expect (event_info (&row, 1, 1), map_info ("Map", 2), "03000000",
          "Provider/Task/Start: Kind=One|Two");
  expect (event_info (&row, 1, 1), map_info ("Map", 2), "11000000",
          "Provider/Task/Start: Kind=One|0x10");
  expect (event_info (&row, 1, 1), map_info ("Other", 1), "01000000",
          "Provider/Task/Start: Kind=1");
}

static void
structs_have_their_members_behind_the_others (void **state)
{
  static const Property rows[] = {
    { 0, "Count", 6, 0, NULL, 1, 2 },
    { 1 | 4, "Item", 2, 2, NULL, 0, 0 }, /* an array of Count structs: members 2 and 3 */
    { 0, "A", 4, 0, NULL, 1, 1 },
    { 0, "B", 1, 1, NULL, 1, 0 },
  };

  expect (event_info (rows, 4, 2), NULL, "0200 01 4100 0000 02 4200 0000",
          "Provider/Task/Start: Count=2 Item={0} A=1 B=A Item={1} A=2 B=B");
}

/* Offsets, counts and members that lead anywhere: what is left of the layout is used, the rest is
 * data. */
static void
hostile_descriptions_do_no_harm (void **state)
{
  static const Property circle[] = { { 1, "Self", 0, 1, NULL, 60000, 0 } },
                        beyond[] = { { 1, "Far", 500, 9, NULL, 1, 0 } },
                        strange[] = { { 0, "What", 999, 0, NULL, 1, 0 } };
  GByteArray *info = event_info (strange, 1, 1);

  expect (event_info (circle, 1, 1), NULL, "01", "Provider/Task/Start: Data=0x01");
  expect (event_info (beyond, 1, 1), NULL, "01", "Provider/Task/Start: Data=0x01");
  put (info, 100, 0xffffffff, 4);
  put (info, 104, 0xffffffff, 4);
  put (info, 52, 0xfffffff0, 4);
  put (info, 112 + 4, 0xfffffff0, 4);
  expect (info, NULL, "01", "{44332211-6655-8877-99aa-bbccddeeff00}/Task/Start: Data=0x01");
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (fields_are_those_the_file_describes),
    cmocka_unit_test (values_and_bits_have_names),
    cmocka_unit_test (structs_have_their_members_behind_the_others),
    cmocka_unit_test (hostile_descriptions_do_no_harm),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
