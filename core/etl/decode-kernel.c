/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Layouts of the kernel's classes, from the tables of classes-*.c: which class a hook or GUID is,
 * which row is an event's, and a row's text made into fields.
 *
 * A field of the text is NAME[?]:TYPE[*[COUNT]]; ?: may be missing at the end; *: an array of as
 * many as there are, of COUNT, or of what the earlier field COUNT says. */
#include "config.h"
#include "etl/decode-private.h"

#include <string.h>
#include "etl/layout.h"

typedef struct
{
  guint16 group;
  const char *name; /* as Windows' tools show it */
  WprEtlGuid guid;
} Class;

#define GUID(a, b, c, d, e, f, g, h, i, j, k) \
  {                                           \
    a, b, c, { d, e, f, g, h, i, j, k }       \
  }

static const Class classes[] = {
  { 0x00, "EventTrace", GUID (0x68fdd900, 0x4a3e, 0x11d1, 0x84, 0xf4, 0, 0, 0xf8, 4, 0x64, 0xe3) },
  { 0x01, "DiskIo",
    GUID (0x3d6fa8d4, 0xfe05, 0x11d0, 0x9d, 0xda, 0, 0xc0, 0x4f, 0xd7, 0xba, 0x7c) },
  { 0x02, "PageFault",
    GUID (0x3d6fa8d3, 0xfe05, 0x11d0, 0x9d, 0xda, 0, 0xc0, 0x4f, 0xd7, 0xba, 0x7c) },
  { 0x03, "Process",
    GUID (0x3d6fa8d0, 0xfe05, 0x11d0, 0x9d, 0xda, 0, 0xc0, 0x4f, 0xd7, 0xba, 0x7c) },
  { 0x04, "FileIo", GUID (0x90cbdc39, 0x4a3e, 0x11d1, 0x84, 0xf4, 0, 0, 0xf8, 4, 0x64, 0xe3) },
  { 0x05, "Thread",
    GUID (0x3d6fa8d1, 0xfe05, 0x11d0, 0x9d, 0xda, 0, 0xc0, 0x4f, 0xd7, 0xba, 0x7c) },
  { 0x06, "TcpIp", GUID (0x9a280ac0, 0xc8e0, 0x11d1, 0x84, 0xe2, 0, 0xc0, 0x4f, 0xb9, 0x98, 0xa2) },
  { 0x07, "Job",
    GUID (0x3282fc76, 0xfeed, 0x498e, 0x8a, 0xa7, 0xe7, 0x0f, 0x45, 0x9d, 0x43, 0x0e) },
  { 0x08, "UdpIp",
    GUID (0xbf3a50c5, 0xa9c9, 0x4988, 0xa0, 0x05, 0x2d, 0xf0, 0xb7, 0xc8, 0x0f, 0x80) },
  { 0x09, "Registry",
    GUID (0xae53722e, 0xc863, 0x11d2, 0x86, 0x59, 0, 0xc0, 0x4f, 0xa3, 0x21, 0xa1) },
  { 0x0a, "Debugger",
    GUID (0x13976d09, 0xa327, 0x438c, 0x95, 0x0b, 0x7f, 0x03, 0x19, 0x28, 0x15, 0xc7) },
  { 0x0b, "SystemConfig",
    GUID (0x01853a65, 0x418f, 0x4f36, 0xae, 0xfc, 0xdc, 0x0f, 0x1d, 0x2f, 0xd2, 0x35) },
  { 0x0d, "Wnf",
    GUID (0x42695762, 0xea50, 0x497a, 0x90, 0x68, 0x5c, 0xbb, 0xb3, 0x5e, 0x0b, 0x95) },
  { 0x0e, "Pool",
    GUID (0x0268a8b6, 0x74fd, 0x4302, 0x9d, 0xd0, 0x6e, 0x8f, 0x17, 0x95, 0xc0, 0xcf) },
  { 0x0f, "PerfInfo",
    GUID (0xce1dbfb4, 0x137e, 0x4da6, 0x87, 0xb0, 0x3f, 0x59, 0xaa, 0x10, 0x2c, 0xbc) },
  { 0x10, "Heap",
    GUID (0x222962ab, 0x6180, 0x4b88, 0xa8, 0x25, 0x34, 0x6b, 0x75, 0xf2, 0xa2, 0x4a) },
  { 0x11, "Object",
    GUID (0x89497f50, 0xeffe, 0x4440, 0x8c, 0xf2, 0xce, 0x6b, 0x1c, 0xdc, 0xac, 0xa7) },
  { 0x12, "Power",
    GUID (0xe43445e0, 0x0903, 0x48c3, 0xb8, 0x78, 0xff, 0x0f, 0xcc, 0xeb, 0xdd, 0x04) },
  { 0x13, "ModBound",
    GUID (0xa9152f00, 0x3f58, 0x4bee, 0x92, 0xa1, 0x70, 0xc7, 0xd0, 0x79, 0xd5, 0xdd) },
  { 0x14, "Image", GUID (0x2cb15d1d, 0x5fc1, 0x11d2, 0xab, 0xe1, 0, 0xa0, 0xc9, 0x11, 0xf5, 0x18) },
  { 0x15, "Dpc",
    GUID (0xb2d14872, 0x7c5b, 0x463d, 0x84, 0x19, 0xee, 0x9b, 0xf7, 0xd2, 0x3e, 0x04) },
  { 0x16, "Cache",
    GUID (0x7687a439, 0xf752, 0x45b8, 0xb7, 0x41, 0x32, 0x1a, 0xec, 0x0f, 0x8d, 0xf9) },
  { 0x17, "CritSec",
    GUID (0x3ac66736, 0xcc59, 0x4cff, 0x81, 0x15, 0x8d, 0xf5, 0x0e, 0x39, 0x81, 0x6b) },
  { 0x18, "StackWalk",
    GUID (0xdef2fe46, 0x7bd6, 0x4b80, 0xbd, 0x94, 0xf5, 0x7f, 0xe2, 0x0d, 0x0c, 0xe3) },
  { 0x19, "Ums",
    GUID (0x9aec974b, 0x5b8e, 0x4118, 0x9b, 0x92, 0x31, 0x86, 0xd8, 0x00, 0x2c, 0xe5) },
  { 0x1a, "ALPC",
    GUID (0x45d8cccd, 0x539f, 0x4b72, 0xa8, 0xb7, 0x5c, 0x68, 0x31, 0x42, 0x60, 0x9a) },
  { 0x1b, "SplitIo",
    GUID (0xd837ca92, 0x12b9, 0x44a5, 0xad, 0x6a, 0x3a, 0x65, 0xb3, 0x57, 0x8a, 0xa8) },
  { 0x1c, "ThreadPool",
    GUID (0xc861d0e2, 0xa2c1, 0x4d36, 0x9f, 0x9c, 0x97, 0x0b, 0xab, 0x94, 0x3a, 0x12) },
  { 0x1d, "Hypervisor",
    GUID (0x7f2a405c, 0x69b5, 0x4bf9, 0xa1, 0xf5, 0x30, 0xe8, 0xf1, 0xaf, 0xab, 0x5e) },
  { 0x1e, "HypervisorX",
    GUID (0x2ce9a149, 0xeffe, 0x42f0, 0xa6, 0x35, 0xa1, 0xd3, 0x9e, 0x26, 0xc8, 0xf2) },
  { WPR_ETL_GROUP_IMAGE_ID, "ImageID",
    GUID (0xb3e675d7, 0x2554, 0x4f18, 0x83, 0x0b, 0x27, 0x62, 0x73, 0x25, 0x60, 0xde) },
  { WPR_ETL_GROUP_SYS_CONFIG_EX, "SysConfigEx",
    GUID (0x9b79ee91, 0xb5fd, 0x41c0, 0xa2, 0x43, 0x42, 0x48, 0xe2, 0x66, 0xe9, 0xd0) },
  { WPR_ETL_GROUP_METADATA, "EventMetadata",
    GUID (0xbbccf6c1, 0x6cd1, 0x48c4, 0x80, 0xff, 0x83, 0x94, 0x82, 0xe3, 0x76, 0x71) },
  { WPR_ETL_GROUP_WINSAT, "WinSat",
    GUID (0xed54dff8, 0xc409, 0x4cf6, 0xbf, 0x83, 0x05, 0xe1, 0xe6, 0x1a, 0x09, 0xc4) },
};

/* An image's loading is an event of the processes' group. */
#define HOOK_IMAGE_LOAD 0x030a
#define GROUP_IMAGE 0x14

static const struct
{
  const char *name;
  guint8 type, show;
} types[] = {
  { "i8", WPR_ETL_TYPE_I8, 0 },
  { "u8", WPR_ETL_TYPE_U8, 0 },
  { "i16", WPR_ETL_TYPE_I16, 0 },
  { "u16", WPR_ETL_TYPE_U16, 0 },
  { "i32", WPR_ETL_TYPE_I32, 0 },
  { "u32", WPR_ETL_TYPE_U32, 0 },
  { "i64", WPR_ETL_TYPE_I64, 0 },
  { "u64", WPR_ETL_TYPE_U64, 0 },
  { "x32", WPR_ETL_TYPE_HEX32, WPR_ETL_SHOW_HEX },
  { "x64", WPR_ETL_TYPE_HEX64, WPR_ETL_SHOW_HEX },
  { "p", WPR_ETL_TYPE_POINTER, WPR_ETL_SHOW_HEX },
  { "z", WPR_ETL_TYPE_POINTER, WPR_ETL_SHOW_UNSIGNED }, /* a size */
  { "pid", WPR_ETL_TYPE_U32, WPR_ETL_SHOW_PID },
  { "tid", WPR_ETL_TYPE_U32, WPR_ETL_SHOW_TID },
  { "b8", WPR_ETL_TYPE_BOOL8, WPR_ETL_SHOW_BOOL },
  { "w", WPR_ETL_TYPE_UTF16, WPR_ETL_SHOW_TEXT },
  { "s", WPR_ETL_TYPE_STRING8, WPR_ETL_SHOW_TEXT },
  { "c16", WPR_ETL_TYPE_CHAR16, WPR_ETL_SHOW_TEXT },
  { "b", WPR_ETL_TYPE_BINARY, WPR_ETL_SHOW_HEX }, /* bytes; always with * */
  { "sid", WPR_ETL_TYPE_WBEMSID, 0 },
  { "guid", WPR_ETL_TYPE_GUID, 0 },
  { "ip4", WPR_ETL_TYPE_U32, WPR_ETL_SHOW_IPV4 },
  { "ip6", WPR_ETL_TYPE_BINARY, WPR_ETL_SHOW_IPV6 },
  { "port", WPR_ETL_TYPE_PORT, WPR_ETL_SHOW_PORT },
  { "time", WPR_ETL_TYPE_FILETIME, WPR_ETL_SHOW_TIME },
  { "ticks", WPR_ETL_TYPE_TICKS, 0 },
};

/* ---- fields ---- */

static guint16
row_of (const WprEtlLayout *layout, const char *name)
{
  for (guint i = 0; i < layout->rows->len; i++)
    if (g_str_equal (g_array_index (layout->rows, WprEtlRow, i).name, name))
      return (guint16)i;
  g_assert_not_reached ();
}

static void
set_type (WprEtlRow *row, const char *type)
{
  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    if (g_str_equal (types[i].name, type))
      {
        row->type = types[i].type;
        row->show = types[i].show;
        return;
      }
  g_assert_not_reached ();
}

/* What is behind the type: "*", "*16", "*CounterCount". */
static void
set_many (const WprEtlLayout *layout, WprEtlRow *row, const char *count)
{
  if (row->type == WPR_ETL_TYPE_BINARY)
    {
      row->length = *count != '\0' ? WPR_ETL_MANY_FIXED : WPR_ETL_MANY_REST;
      row->length_count = (guint16)g_ascii_strtoull (count, NULL, 10);
    }
  else if (*count == '\0')
    row->many = WPR_ETL_MANY_REST;
  else if (g_ascii_isdigit (*count))
    {
      row->many = WPR_ETL_MANY_FIXED;
      row->count = (guint16)g_ascii_strtoull (count, NULL, 10);
    }
  else
    {
      row->many = WPR_ETL_MANY_FIELD;
      row->count = row_of (layout, count);
    }
}

static void
add_row (WprEtlLayout *layout, char *text)
{
  char *type = strchr (text, ':'), *count = strchr (text, '*');
  WprEtlRow row = { 0 };

  *type++ = '\0';
  if (count != NULL)
    *count++ = '\0';
  if (g_str_has_suffix (text, "?"))
    {
      row.is_optional = TRUE;
      text[strlen (text) - 1] = '\0';
    }
  row.name = g_string_chunk_insert_const (layout->texts, text);
  set_type (&row, type);
  if (row.show == WPR_ETL_SHOW_IPV6)
    {
      row.length = WPR_ETL_MANY_FIXED;
      row.length_count = 16;
    }
  if (count != NULL)
    set_many (layout, &row, count);
  row.next = (guint16)(layout->rows->len + 1);
  g_array_append_val (layout->rows, row);
}

static void
set_rows (WprEtlLayout *layout, const char *fields)
{
  g_auto (GStrv) texts = g_strsplit (fields, " ", -1);

  layout->kind.is_known = TRUE;
  layout->rows = g_array_new (FALSE, FALSE, sizeof (WprEtlRow));
  for (guint i = 0; texts[i] != NULL; i++)
    if (*texts[i] != '\0')
      add_row (layout, texts[i]);
  layout->n_top = layout->rows->len;
}

/* ---- events ---- */

/* The name that "10 Read 11 Write" has for an opcode; NULL: none. */
static char *
name_in (const char *events, guint8 opcode)
{
  g_auto (GStrv) words = g_strsplit (events, " ", -1);

  for (guint i = 0; words[i] != NULL && words[i + 1] != NULL; i += 2)
    if (g_ascii_strtoull (words[i], NULL, 10) == opcode)
      return g_strdup (words[i + 1]);
  return NULL;
}

/* Among the rows of the event, the one of the highest version that is not above the event's; where
 * all are, the lowest. */
static void
choose (const WprEtlClassRow *rows, guint n, guint16 group, guint8 opcode, guint16 version,
        const WprEtlClassRow **best, WprEtlLayout *layout)
{
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *name = rows[i].group == group ? name_in (rows[i].events, opcode) : NULL;

      if (name == NULL
          || (*best != NULL
              && (rows[i].version > version
                      ? rows[i].version >= (*best)->version
                      : (*best)->version <= version && (*best)->version > rows[i].version)))
        continue;
      *best = &rows[i];
      layout->kind.name = g_string_chunk_insert_const (layout->texts, name);
    }
}

static gboolean
take_class (WprEtlLayout *layout, const Class *class, guint8 opcode, guint16 version)
{
  const WprEtlClassRow *best = NULL;

  layout->kind.provider = class->name;
  layout->kind.guid = class->guid;
  choose (wpr_etl_classes_system, wpr_etl_n_classes_system, class->group, opcode, version, &best,
          layout);
  choose (wpr_etl_classes_devices, wpr_etl_n_classes_devices, class->group, opcode, version, &best,
          layout);
  if (best != NULL)
    set_rows (layout, best->fields);
  return TRUE;
}

gboolean
wpr_etl_layout_from_hook (WprEtlLayout *layout, guint16 hook, guint16 version)
{
  guint group = hook == HOOK_IMAGE_LOAD ? GROUP_IMAGE : hook >> 8;

  for (guint i = 0; i < G_N_ELEMENTS (classes); i++)
    if (classes[i].group == group)
      return take_class (layout, &classes[i], (guint8)hook, version);
  return FALSE;
}

gboolean
wpr_etl_layout_from_class (WprEtlLayout *layout, const WprEtlGuid *guid, guint8 opcode,
                           guint16 version)
{
  for (guint i = 0; i < G_N_ELEMENTS (classes); i++)
    if (memcmp (&classes[i].guid, guid, sizeof *guid) == 0)
      return take_class (layout, &classes[i], opcode, version);
  return FALSE;
}

gboolean
wpr_etl_guid_is_metadata (const WprEtlGuid *guid)
{
  for (guint i = 0; i < G_N_ELEMENTS (classes); i++)
    if (classes[i].group == WPR_ETL_GROUP_METADATA)
      return memcmp (&classes[i].guid, guid, sizeof *guid) == 0;
  return FALSE;
}
