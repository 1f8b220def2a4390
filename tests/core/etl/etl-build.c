/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Foreign .etl files by hand. */
#include "config.h"
#include "etl-build.h"

static void
put (guint8 *at, guint64 value, guint bytes)
{
  for (guint i = 0; i < bytes; i++)
    at[i] = (guint8)(value >> (8 * i));
}

/* Adds `size` zeros; where they are. */
static guint8 *
grow (GByteArray *bytes, guint size)
{
  guint at = bytes->len;

  g_byte_array_set_size (bytes, at + size);
  memset (bytes->data + at, 0, size);
  return bytes->data + at;
}

static void
close_record (GByteArray *records, guint from, guint size_at)
{
  put (records->data + from + size_at, records->len - from, 2);
  grow (records, -(records->len - from) & 7);
}

void
build_raw (GByteArray *records, const char *hex)
{
  g_autoptr (GByteArray) bytes = test_bytes (hex);

  g_byte_array_append (records, bytes->data, bytes->len);
  grow (records, -records->len & 7);
}

static void
add_hex (GByteArray *records, const char *hex)
{
  g_autoptr (GByteArray) bytes = test_bytes (hex != NULL ? hex : "");

  if (bytes->len > 0)
    g_byte_array_append (records, bytes->data, bytes->len);
}

void
build_hook (GByteArray *records, guint8 type, guint16 hook, guint16 version, guint64 ticks,
            guint32 pid, guint32 tid, const char *payload)
{
  gboolean perfinfo = type == 0x10 || type == 0x11;
  guint bytes = perfinfo ? 0x10 : type == 3 || type == 4 ? 0x18 : 0x20, from = records->len;
  guint8 *h = grow (records, bytes);

  put (h, version, 2);
  put (h + 2, type | 0xc000u, 2);
  put (h + 6, hook, 2);
  if (!perfinfo)
    {
      put (h + 8, tid, 4);
      put (h + 12, pid, 4);
    }
  put (h + (perfinfo ? 8 : 16), ticks, 8);
  add_hex (records, payload);
  close_record (records, from, 4);
}

void
build_classic (GByteArray *records, guint8 type, const char *guid, guint8 opcode, guint16 version,
               guint64 ticks, const char *payload)
{
  gboolean instance = type == 0x0b || type == 0x15;
  guint from = records->len;
  guint8 *h = grow (records, instance ? 0x48 : 0x30);
  g_autoptr (GByteArray) bytes = test_bytes (guid);

  put (h + 2, type | 0xc000u, 2);
  h[4] = opcode;
  put (h + 6, version, 2);
  put (h + 8, 2, 4);
  put (h + 12, 1, 4);
  put (h + 16, ticks, 8);
  memcpy (h + 0x18, bytes->data, 16);
  add_hex (records, payload);
  close_record (records, from, 0);
}

void
build_event (GByteArray *records, guint8 type, const char *guid, guint16 id, guint8 version,
             guint64 ticks, const char *items, const char *payload)
{
  guint from = records->len;
  guint8 *h = grow (records, 0x50);
  g_autoptr (GByteArray) bytes = test_bytes (guid);

  put (h + 2, type | 0xc000u, 2);
  put (h + 4, items != NULL, 2);
  put (h + 8, 2, 4);
  put (h + 12, 1, 4);
  put (h + 16, ticks, 8);
  memcpy (h + 0x18, bytes->data, 16);
  put (h + 0x28, id, 2);
  h[0x2a] = version;
  add_hex (records, items);
  add_hex (records, payload);
  close_record (records, from, 0);
}

static void
put_buffer_header (guint8 *h, guint32 bytes, guint32 used, guint16 cpu, guint64 sequence,
                   guint16 state, guint16 flags, guint16 type)
{
  put (h, bytes, 4);
  put (h + 4, used, 4);
  put (h + 8, used, 4);
  put (h + 0x18, sequence, 8);
  put (h + 0x28, cpu, 2);
  put (h + 0x2c, state, 4);
  put (h + 0x30, used, 4);
  put (h + 0x34, flags, 2);
  put (h + 0x36, type, 2);
}

GByteArray *
build_file (guint pointer_size, guint32 buffer_bytes, guint n_cpus, guint32 mode, guint16 state)
{
  GByteArray *file = g_byte_array_new ();
  guint header = pointer_size == 4 ? 0x110 : 0x118;
  guint8 *bytes = grow (file, buffer_bytes), *h = bytes + 0x48 + 0x20;

  put_buffer_header (bytes, buffer_bytes, 0x48 + 0x20 + header + 8, 0, 0, state, 0x21, 4);
  put (bytes + 0x48, 2, 2);
  put (bytes + 0x4a, pointer_size == 4 ? 0xc001 : 0xc002, 2);
  put (bytes + 0x4c, 0x20 + header + 8, 2);
  put (bytes + 0x58, 1000, 8); /* start */
  put (h, buffer_bytes, 4);
  h[4] = 10;
  put (h + 0x0c, n_cpus, 4);
  put (h + 0x10, G_GUINT64_CONSTANT (132000000000001000), 8);
  put (h + 0x20, mode, 4);
  put (h + 0x24, 1, 4);
  put (h + 0x2c, pointer_size, 4);
  put (h + header - 0x18, 10000000, 8);
  put (h + header - 0x10, G_GUINT64_CONSTANT (132000000000000000), 8);
  put (h + header - 8, 1, 4);
  h[header] = 'L'; /* "L" and "F", UTF-16 */
  h[header + 4] = 'F';
  memset (bytes + 0x48 + 0x20 + header + 8, 0xff, buffer_bytes - (0x48 + 0x20 + header + 8));
  return file;
}

void
build_set32 (GByteArray *file, guint offset, guint32 value)
{
  put (file->data + 0x68 + offset, value, 4);
}

void
build_set64 (GByteArray *file, guint offset, guint64 value)
{
  put (file->data + 0x68 + offset, value, 8);
}

void
build_buffer (GByteArray *file, guint16 cpu, guint64 sequence, guint16 flags, GByteArray *records)
{
  guint32 bytes = test_u32 (file->data + 0x68), from = file->len;

  assert_true (records->len <= bytes - 0x48);
  memset (grow (file, bytes), 0xff, bytes);
  memset (file->data + from, 0, 0x48);
  put_buffer_header (file->data + from, bytes, 0x48 + records->len, cpu, sequence, 3, flags, 0);
  memcpy (file->data + from + 0x48, records->data, records->len);
  build_set32 (file, 0x24, test_u32 (file->data + 0x68 + 0x24) + 1);
  g_byte_array_unref (records);
}

WprEtlFile *
build_open (GByteArray *file)
{
  GError *error = NULL;
  WprEtlFile *opened = wpr_etl_file_new (file->data, file->len, &error);

  if (opened == NULL)
    fail_msg ("%s", error->message);
  return opened;
}

char *
build_texts (GByteArray *bytes)
{
  g_autoptr (WprEtlFile) file = build_open (bytes);
  g_autoptr (WprEtlCursor) cursor = wpr_etl_cursor_new (file, NULL, NULL);
  g_autoptr (WprEtlDecoder) decoder = wpr_etl_decoder_new (file);
  GString *text = g_string_new (NULL);
  const WprEtlEvent *event;

  while ((event = wpr_etl_cursor_next (cursor)) != NULL)
    {
      const WprEtlKind *kind = wpr_etl_decoder_kind (decoder, event);
      const WprEtlField *fields;
      guint n = wpr_etl_decoder_fields (decoder, event, kind, &fields);

      if (event->buffer == 0)
        continue;
      g_string_append_printf (text, "%s/%s:", kind->provider, kind->name);
      for (guint i = 0; i < n; i++)
        {
          g_string_append_printf (text, " %s=", fields[i].name);
          if (fields[i].type == WPR_ETL_TYPE_STRUCT)
            g_string_append_printf (text, "{%u}", fields[i].index);
          wpr_etl_field_append_text (&fields[i], text);
        }
      g_string_append_c (text, '\n');
    }
  return g_string_free (text, FALSE);
}
