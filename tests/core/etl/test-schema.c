/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Self-describing schemas: their bytes, and what a reader gets back out of them. */
#include "config.h"
#include "etl-test.h"
#include "etl/cursor.h"
#include "etl/decode.h"

#include <sys/mman.h>

/* The example of Windows' documentation of the convention. */
static void
guid_of_a_name_follows_the_convention (void **state)
{
  WprEtlGuid guid;

  wpr_etl_provider_guid ("MyCompany.MyComponent", &guid);
  assert_int_equal (guid.data1, 0xce5fa4ea);
  assert_int_equal (guid.data2, 0xab00);
  assert_int_equal (guid.data3, 0x5402);
  test_assert_hex (guid.data4, "8b76 9f76 ac85 8fb5");
  wpr_etl_provider_guid ("MYCOMPANY.mycomponent", &guid);
  assert_int_equal (guid.data1, 0xce5fa4ea);
}

static void
schema_bytes_are_those_of_the_format (void **state)
{
  g_autoptr (WprEtlSchema) schema = wpr_etl_schema_new ("Linux.x", "e");
  WprEtlHead head = { 0 };

  wpr_etl_schema_add_field (schema, "s", WPR_TL_STRING8, 0, 0);
  wpr_etl_schema_add_field (schema, "n", WPR_TL_U32, 0, 0);
  wpr_etl_schema_add_field (schema, "b", WPR_TL_U8, 3, 0);
  wpr_etl_schema_add_field (schema, "f", WPR_TL_U16, 0, 6);
  wpr_etl_schema_add_field (schema, "v", WPR_TL_HEX64, 0, -1);
  wpr_etl_schema_fill_head (schema, &head);
  assert_int_equal (head.kind, WPR_ETL_EVENT);
  assert_int_equal (head.level, 4);
  assert_int_equal (head.traits_size, 10);
  test_assert_hex (head.traits, "0a00 4c69 6e75 782e 7800");
  assert_int_equal (head.schema_size, 24);
  test_assert_hex (head.schema, "1800 00 6500 7300 8223 6e00 08 6200 8403 6600 26 0600 7600 55");
}

/* Fields as name, type, count, value in hex. */
static void
list_fields (const WprEtlEvent *event, WprEtlDecoder *decoder, GString *text)
{
  const WprEtlField *fields;
  guint n = wpr_etl_decoder_fields (decoder, event, wpr_etl_decoder_kind (decoder, event), &fields);

  g_string_append_printf (text, "%s/%s %u %u:", event->provider, event->name, event->pid,
                          event->tid);
  for (guint i = 0; i < n; i++)
    {
      g_string_append_printf (text, " %s %u %u ", fields[i].name, fields[i].type, fields[i].count);
      for (guint32 k = 0; k < fields[i].size; k++)
        g_string_append_printf (text, "%02x", fields[i].value[k]);
    }
}

static void
written_fields_are_read_back (void **state)
{
  int fd = test_memory_file ();
  WprEtlHeaderInfo info = test_header_info ();
  g_autoptr (WprEtlWriter) writer = wpr_etl_writer_new (fd, &info, NULL);
  g_autoptr (WprEtlSchema) schema = wpr_etl_schema_new ("Linux.test", "All");
  g_autoptr (GByteArray) payload
      = test_bytes ("6869 00 ffff ffff 0100 0200 0200 aa00 bb00 4100 4200 0000 0300 010203");
  WprEtlHead head = { .pid = 10, .tid = 11 };
  g_autoptr (GByteArray) file = NULL;
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (WprEtlFile) read = NULL;
  g_autoptr (WprEtlDecoder) decoder = NULL;
  g_autoptr (WprEtlCursor) cursor = NULL;

  wpr_etl_schema_add_field (schema, "text", WPR_TL_STRING8, 0, 0);
  wpr_etl_schema_add_field (schema, "int", WPR_TL_I32, 0, 0);
  wpr_etl_schema_add_field (schema, "fixed", WPR_TL_U16, 0, 2);
  wpr_etl_schema_add_field (schema, "counted", WPR_TL_U16, 0, -1);
  wpr_etl_schema_add_field (schema, "wide", WPR_TL_UTF16, 0, 0);
  wpr_etl_schema_add_field (schema, "bytes", WPR_TL_BINARY, 0, 0);
  wpr_etl_schema_fill_head (schema, &head);
  assert_true (wpr_etl_writer_add (writer, 0, 2000, &head, payload->data, payload->len, NULL));
  assert_true (wpr_etl_writer_finish (writer, 1, 0, 0, NULL));
  file = test_take_file (fd);
  read = wpr_etl_file_new (file->data, file->len, NULL);
  decoder = wpr_etl_decoder_new (read);
  cursor = wpr_etl_cursor_new (read, NULL, NULL);
  for (const WprEtlEvent *event; (event = wpr_etl_cursor_next (cursor)) != NULL;)
    if (event->schema != NULL)
      list_fields (event, decoder, text);
  assert_string_equal (text->str, "Linux.test/All 10 11: text 2 1 6869 int 7 1 ffffffff"
                                  " fixed 6 2 01000200 counted 6 2 aa00bb00 wide 1 1 41004200"
                                  " bytes 14 1 010203");
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (guid_of_a_name_follows_the_convention),
    cmocka_unit_test (schema_bytes_are_those_of_the_format),
    cmocka_unit_test (written_fields_are_read_back),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
