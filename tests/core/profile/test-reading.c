/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading a file: encodings, the place of everything, and what is wrong with it. */
#include "config.h"
#include "helpers.h"
#include "profile/document.h"
#include "profile/text.h"

#define SMALL                                                                            \
  "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"                                         \
  "<WindowsPerformanceRecorder Version=\"1.0\" Author=\"K\xc3\xa9\">\n"                  \
  "  <Profiles>\n"                                                                       \
  "    <SystemCollector Id=\"S\"><BufferSize Value=\"64\"/></SystemCollector>\n"         \
  "    " PROFILE (                                                                       \
      "P", "Light", "File",                                                              \
      "") "<Collectors><SystemCollectorId Value=\"S\">"                                  \
          "<SystemProviderId "                                                           \
          "Value=\"SystemProvider_Base\"/></SystemCollectorId></Collectors></Profile>\n" \
          "  </Profiles>\n"                                                              \
          "</WindowsPerformanceRecorder>\n"

static WprDocument *
read_bytes (gconstpointer data, gsize size)
{
  g_autoptr (GBytes) bytes = g_bytes_new (data, size);
  return wpr_document_new (bytes, "test.wprp");
}

static WprDocument *
read_text (const char *text)
{
  return read_bytes (text, strlen (text));
}

static void
assert_place (WprDocument *document, guint index, gboolean is_error, guint line, guint column,
              const char *part)
{
  assert_true (document->faults->len > index);
  const WprFault *fault = g_ptr_array_index (document->faults, index);
  if (strstr (fault->what, part) == NULL || fault->line != line || fault->column != column
      || fault->is_error != is_error)
    fail_msg ("%u:%u %d %s", fault->line, fault->column, fault->is_error, fault->what);
}

/* ---- encodings ---- */

static void
assert_small (const WprDocument *document)
{
  assert_int_equal (document->faults->len, 0);
  assert_non_null (document->root);
  assert_string_equal (wpr_node_get (document->root, "Author"), "K\xc3\xa9");
  assert_non_null (g_hash_table_lookup (document->by_id, "P.Light.File"));
}

static void
test_reads_utf8_with_and_without_bom (void **state)
{
  g_autoptr (WprDocument) plain = read_text (SMALL);
  assert_small (plain);
  g_autoptr (WprDocument) marked = read_text ("\xef\xbb\xbf" SMALL);
  assert_small (marked);
}

static void
test_reads_utf16_of_both_orders_with_and_without_bom (void **state)
{
  for (int i = 0; i < 4; i++)
    {
      glong n_units = 0;
      g_autofree gunichar2 *units = g_utf8_to_utf16 (SMALL, -1, NULL, &n_units, NULL);
      g_autoptr (GByteArray) bytes = g_byte_array_new ();
      gboolean big = i & 1, bom = i & 2;
      for (glong j = bom ? -1 : 0; j < n_units; j++)
        {
          gunichar2 unit = j < 0 ? 0xfeff : units[j];
          guint8 pair[2] = { big ? unit >> 8 : unit & 0xff, big ? unit & 0xff : unit >> 8 };
          g_byte_array_append (bytes, pair, 2);
        }
      g_autoptr (WprDocument) document = read_bytes (bytes->data, bytes->len);
      assert_small (document);
    }
}

static void
test_the_declared_encoding_does_not_matter_once_it_is_text (void **state)
{
  g_autoptr (WprDocument) document
      = read_text ("<?xml version=\"1.0\" encoding=\"utf-16\"?>"
                   "<WindowsPerformanceRecorder Version=\"1.0\" Author=\"\xc3\xa9\"/>");
  assert_int_equal (document->faults->len, 0);
  assert_string_equal (wpr_node_get (document->root, "Author"), "\xc3\xa9");
}

static void
test_refuses_what_is_no_text (void **state)
{
  static const struct
  {
    const char *bytes;
    gsize size;
  } rows[] = {
    { "", 0 },                  /* empty */
    { "<a\xff>", 4 },           /* not UTF-8 */
    { "\xff\xfe<\0\0", 5 },     /* odd UTF-16 */
    { "\xff\xfe\0\xdc<\0", 6 }, /* half a surrogate */
    { "\x7f"
      "ELF\x02\x01\x01\0",
      8 }, /* a program */
  };
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (WprDocument) document = read_bytes (rows[i].bytes, rows[i].size);
      assert_null (document->root);
      assert_int_equal (document->faults->len, 1);
      const WprFault *fault = g_ptr_array_index (document->faults, 0);
      assert_true (fault->is_error);
    }
}

static void
test_refuses_more_than_16_mib (void **state)
{
  gsize size = 16 * MIB + 1;
  g_autofree char *text = g_malloc (size);
  memset (text, ' ', size);
  g_autoptr (WprDocument) document = read_bytes (text, size);
  assert_null (document->root);
  assert_place (document, 0, TRUE, 0, 0, "16 MiB");
}

/* ---- places ---- */

static void
test_every_element_and_attribute_has_its_line_and_column (void **state)
{
  g_autoptr (WprDocument) document
      = read_text ("<?xml version=\"1.0\"?>\r\n"
                   "<!-- \xc3\xa9 <no> --><WindowsPerformanceRecorder\tVersion='>1'\n"
                   "   Comments = \"a=&quot;b&amp;\"  Tag=\"\xe4\xb8\xad\" Team=\"x\" >"
                   "<?p <q>?><Profiles><![CDATA[ <x> ]]>\n"
                   "\t<SystemCollector Id=\"A\" /></Profiles></WindowsPerformanceRecorder>");
  assert_int_equal (document->faults->len, 2);
  assert_place (document, 0, FALSE, 2, 44, ">1");
  assert_place (document, 1, FALSE, 3, 80, "<x>");
  assert_int_equal (document->root->line, 2);
  assert_int_equal (document->root->column, 16);
  const WprAttribute *version = wpr_node_get_attribute (document->root, "Version");
  assert_string_equal (version->value, ">1");
  assert_int_equal (version->line, 2);
  assert_int_equal (version->column, 44);
  const WprAttribute *comments = wpr_node_get_attribute (document->root, "Comments");
  assert_string_equal (comments->value, "a=\"b&");
  assert_int_equal (comments->line, 3);
  assert_int_equal (comments->column, 4);
  assert_int_equal (wpr_node_get_attribute (document->root, "Tag")->column, 33);
  assert_int_equal (wpr_node_get_attribute (document->root, "Team")->column, 41);
  const WprNode *profiles = wpr_node_child (document->root, 0);
  assert_int_equal (profiles->line, 3);
  assert_int_equal (profiles->column, 60);
  const WprNode *collector = wpr_node_child (profiles, 0);
  assert_int_equal (collector->line, 4);
  assert_int_equal (collector->column, 2);
  assert_int_equal (wpr_node_get_attribute (collector, "Id")->column, 19);
}

/* ---- faults ---- */

static void
test_unknown_elements_and_attributes_are_warnings_and_left_out (void **state)
{
  g_autoptr (WprDocument) document
      = read_text ("<WindowsPerformanceRecorder Version=\"1\" Autor=\"me\">\n"
                   "<Profiles>\n"
                   " <SystemColector Id=\"A\"><Buffers Nonsense=\"1\"/></SystemColector>\n"
                   " <SystemCollector Id=\"B\" Fresh=\"1\"/>\n"
                   " <Keyword Value=\"CSwitch\"/>\n"
                   "</Profiles></WindowsPerformanceRecorder>");
  assert_non_null (document->root);
  assert_int_equal (document->faults->len, 4);
  assert_place (document, 0, FALSE, 1, 41, "Autor");
  assert_place (document, 1, FALSE, 3, 2, "SystemColector");
  assert_place (document, 2, FALSE, 4, 26, "Fresh");
  assert_place (document, 3, FALSE, 5, 2, "does not belong into <Profiles>");
  const WprFault *first = g_ptr_array_index (document->faults, 0);
  assert_non_null (strstr (first->advice, "Author"));
  assert_string_equal (first->path, "WindowsPerformanceRecorder");
  const WprFault *second = g_ptr_array_index (document->faults, 1);
  assert_non_null (strstr (second->advice, "SystemCollector"));
  assert_non_null (g_hash_table_lookup (document->by_id, "B"));
  assert_null (g_hash_table_lookup (document->by_id, "A"));
}

static void
test_malformed_xml_is_an_error_with_its_place (void **state)
{
  g_autoptr (WprDocument) document
      = read_text ("<WindowsPerformanceRecorder Version=\"1\">\n<Profiles>\n"
                   "</Profile></WindowsPerformanceRecorder>");
  assert_null (document->root);
  assert_int_equal (document->faults->len, 1);
  const WprFault *fault = g_ptr_array_index (document->faults, 0);
  assert_true (fault->is_error);
  assert_int_equal (fault->line, 3);
  assert_true (fault->column > 0);
  assert_int_equal (fault->wpr_number, 0xc5580701);
}

static void
test_another_root_element_is_an_error (void **state)
{
  g_autoptr (WprDocument) document = read_text ("<?xml version=\"1.0\"?>\n  <html><body/></html>");
  assert_null (document->root);
  assert_place (document, 0, TRUE, 2, 3, "<html>");
}

static void
test_a_doctype_is_refused_before_it_is_expanded (void **state)
{
  g_autoptr (WprDocument) document = read_text (
      "<?xml version=\"1.0\"?>\n<!-- x -->\n"
      "  <!DOCTYPE x [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;\">"
      "<!ENTITY c \"&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;\"><!ENTITY d \"&c;&c;&c;&c;&c;&c;&c;&c;\">"
      "<!ENTITY e SYSTEM \"file:///etc/passwd\">]>\n"
      "<WindowsPerformanceRecorder Version=\"&d;&e;\"/>");
  assert_null (document->root);
  assert_int_equal (document->faults->len, 1);
  assert_place (document, 0, TRUE, 3, 3, "document type");
}

static void
test_an_entity_of_its_own_is_an_error (void **state)
{
  g_autoptr (WprDocument) document
      = read_text ("<WindowsPerformanceRecorder Version=\"1\" Author=\"&me;\"/>");
  assert_null (document->root);
  assert_int_equal (document->faults->len, 1);
}

static void
test_nesting_deeper_than_64_is_refused (void **state)
{
  g_autoptr (GString) text = g_string_new ("<WindowsPerformanceRecorder Version=\"1\">\n");
  for (guint i = 2; i <= 64; i++)
    g_string_append (text, "<x>");
  g_autoptr (GString) deeper = g_string_new (text->str);
  g_string_append (deeper, "<x></x>");
  for (guint i = 2; i <= 64; i++)
    {
      g_string_append (text, "</x>");
      g_string_append (deeper, "</x>");
    }
  g_string_append (text, "</WindowsPerformanceRecorder>");
  g_string_append (deeper, "</WindowsPerformanceRecorder>");
  g_autoptr (WprDocument) just = read_text (text->str);
  assert_non_null (just->root);
  g_autoptr (WprDocument) too_deep = read_text (deeper->str);
  assert_null (too_deep->root);
  assert_place (too_deep, 1, TRUE, 2, 1 + 63 * 3, "64 deep");
}

static void
test_masses_of_attributes_or_elements_are_refused (void **state)
{
  g_autoptr (GString) text = g_string_new ("<WindowsPerformanceRecorder Version=\"1\">\n <x");
  for (guint i = 0; i < 101; i++)
    g_string_append_printf (text, " a%u=''", i);
  g_string_append (text, "/></WindowsPerformanceRecorder>");
  g_autoptr (WprDocument) attributes = read_text (text->str);
  assert_null (attributes->root);
  assert_place (attributes, 0, TRUE, 2, 2, "100 attributes");

  g_string_assign (text, "<WindowsPerformanceRecorder Version=\"1\">\n");
  for (guint i = 0; i < 100000; i++)
    g_string_append (text, "<x/>");
  g_string_append (text, "</WindowsPerformanceRecorder>");
  g_autoptr (WprDocument) elements = read_text (text->str);
  assert_null (elements->root);
  assert_place (elements, 0, TRUE, 2, 1 + 99999 * 4, "100000 elements");
}

static void
test_at_most_200_faults_are_kept_and_an_error_among_them (void **state)
{
  g_autoptr (GString) text = g_string_new ("<WindowsPerformanceRecorder Version=\"1\">\n");
  for (guint i = 0; i < 1000; i++)
    g_string_append_printf (text, "<x%u/>", i);
  g_autoptr (WprDocument) document = read_text (text->str); /* never closed: an error, too */
  assert_int_equal (document->faults->len, 201);
  assert_non_null (wpr_faults_first_error (document->faults));
  assert_null (document->root);
}

static void
test_a_file_cut_at_every_byte_is_whole_or_a_fault (void **state)
{
  gsize size = strlen (SMALL);
  gsize whole = size - 1; /* the last newline is not needed */
  for (gsize i = 0; i <= size; i++)
    {
      g_autoptr (WprDocument) document = read_bytes (SMALL, i);
      if (i >= whole)
        assert_small (document);
      else
        {
          assert_null (document->root);
          assert_non_null (wpr_faults_first_error (document->faults));
        }
    }
}

static void
test_an_id_used_twice_is_an_error (void **state)
{
  g_autoptr (WprDocument) document
      = read_text ("<WindowsPerformanceRecorder Version=\"1\"><Profiles>\n"
                   "<SystemCollector Id=\"A\"/>\n<SystemProvider Id=\"A\"/>\n"
                   "</Profiles></WindowsPerformanceRecorder>");
  assert_place (document, 0, TRUE, 3, 17, "line 2");
}

static void
test_a_required_attribute_that_is_absent_is_an_error (void **state)
{
  g_autoptr (WprDocument) document
      = read_text ("<WindowsPerformanceRecorder Version=\"1\"><Profiles>\n"
                   "<EventCollector Id=\"A\"/></Profiles></WindowsPerformanceRecorder>");
  assert_int_equal (document->faults->len, 1);
  assert_place (document, 0, TRUE, 2, 1, "“Name”");
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_reads_utf8_with_and_without_bom),
    cmocka_unit_test (test_reads_utf16_of_both_orders_with_and_without_bom),
    cmocka_unit_test (test_the_declared_encoding_does_not_matter_once_it_is_text),
    cmocka_unit_test (test_refuses_what_is_no_text),
    cmocka_unit_test (test_refuses_more_than_16_mib),
    cmocka_unit_test (test_every_element_and_attribute_has_its_line_and_column),
    cmocka_unit_test (test_unknown_elements_and_attributes_are_warnings_and_left_out),
    cmocka_unit_test (test_malformed_xml_is_an_error_with_its_place),
    cmocka_unit_test (test_another_root_element_is_an_error),
    cmocka_unit_test (test_a_doctype_is_refused_before_it_is_expanded),
    cmocka_unit_test (test_an_entity_of_its_own_is_an_error),
    cmocka_unit_test (test_nesting_deeper_than_64_is_refused),
    cmocka_unit_test (test_masses_of_attributes_or_elements_are_refused),
    cmocka_unit_test (test_at_most_200_faults_are_kept_and_an_error_among_them),
    cmocka_unit_test (test_a_file_cut_at_every_byte_is_whole_or_a_fault),
    cmocka_unit_test (test_an_id_used_twice_is_an_error),
    cmocka_unit_test (test_a_required_attribute_that_is_absent_is_an_error),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
