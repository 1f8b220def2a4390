/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The library and the choice: adding files, finding profiles, the way through D-Bus. */
#include "config.h"
#include "helpers.h"

#include <glib/gstdio.h>

#define EMPTY(name, more) \
  PROFILE (name, "Light", "File", "Base=\"CPU.Light.File\" " more) "</Profile>"

static gboolean
add_named (WprLibrary *library, const char *text, const char *name, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
  return wpr_library_add_bytes (library, bytes, name, error);
}

static void
test_built_in_profiles_win_unless_a_source_is_named (void **state)
{
  g_autoptr (WprLibrary) library = wpr_library_new ();
  assert_true (add_named (library, FILE_HEAD EMPTY ("CPU", "") FILE_TAIL, "a.wprp", NULL));
  assert_null (wpr_library_find (library, "cPU", NULL, NULL)->source);
  const WprProfile *own = wpr_library_find (library, "cpu", "a.wprp", NULL);
  assert_string_equal (own->source, "a.wprp");
  assert_string_equal (own->title, "CPU");
  assert_string_equal (own->category, "Resource Analysis"); /* inherited */
  assert_null (wpr_library_find (library, "GeneralProfile", "a.wprp", NULL));
}

static void
test_a_files_default_is_marked_or_its_first (void **state)
{
  g_autoptr (WprLibrary) library = wpr_library_new ();
  assert_true (add_named (library,
                          FILE_HEAD EMPTY ("A", "Internal=\"true\"") EMPTY ("B", "") FILE_TAIL,
                          "first.wprp", NULL));
  assert_true (add_named (library,
                          FILE_HEAD EMPTY ("A", "") EMPTY ("B", "Default=\"true\"") FILE_TAIL,
                          "marked.wprp", NULL));
  assert_true (
      add_named (library, FILE_HEAD EMPTY ("A", "Internal=\"true\"") FILE_TAIL, "none.wprp", NULL));
  assert_string_equal (wpr_library_get_default (library, "first.wprp", NULL)->name, "B");
  assert_string_equal (wpr_library_get_default (library, "marked.wprp", NULL)->name, "B");
  g_autoptr (GError) error = NULL;
  assert_null (wpr_library_get_default (library, "none.wprp", &error));
  assert_int_equal (wpr_error_get_number (error), 0xc558101d);
}

static void
test_a_faulty_file_leaves_its_faults_and_no_profile (void **state)
{
  g_autoptr (WprLibrary) library = wpr_library_new ();
  guint n_before = wpr_library_get_n_profiles (library);
  g_autoptr (GError) error = NULL;
  assert_false (
      add_named (library,
                 FILE_HEAD EMPTY ("A", "") "\n  " PROFILE (
                     "B", "Light", "File", "Base=\"C.Light.File\"") "</Profile>" FILE_TAIL,
                 "a.wprp", &error));
  assert_true (g_error_matches (error, WPR_ERROR, WPR_ERROR_PROFILE));
  assert_non_null (strstr (error->message, "a.wprp:2:"));
  assert_int_equal (wpr_library_get_n_profiles (library), n_before);
  assert_int_equal (wpr_library_get_faults (library)->len, 1);
  /* Looking for it later says why it is not there. */
  g_clear_error (&error);
  assert_null (wpr_library_find (library, "A", "a.wprp", &error));
  assert_non_null (strstr (error->message, "a.wprp:2:"));
}

static void
test_adding_a_file_again_replaces_it (void **state)
{
  g_autoptr (WprLibrary) library = wpr_library_new ();
  guint n_before = wpr_library_get_n_profiles (library);
  assert_false (add_named (library, "<nothing/>", "a.wprp", NULL));
  assert_true (add_named (library, FILE_HEAD EMPTY ("A", "") FILE_TAIL, "a.wprp", NULL));
  assert_int_equal (wpr_library_get_faults (library)->len, 0);
  assert_true (add_named (library, FILE_HEAD EMPTY ("B", "") FILE_TAIL, "a.wprp", NULL));
  assert_int_equal (wpr_library_get_n_profiles (library), n_before + 1);
  assert_null (wpr_library_find (library, "A", "a.wprp", NULL));
}

static void
test_a_variant_that_is_there_twice_is_a_warning (void **state)
{
  g_autoptr (WprLibrary) library = wpr_library_new ();
  assert_true (add_named (
      library,
      FILE_HEAD EMPTY (
          "A", "") "<Profile Id=\"Other\" Name=\"A\" Description=\"x\" LoggingMode=\"File\" "
                   "DetailLevel=\"Light\"/>" FILE_TAIL,
      "a.wprp", NULL));
  assert_int_equal (wpr_library_get_faults (library)->len, 2); /* its Id, and that it is there */
  assert_string_equal (wpr_library_find (library, "A", "a.wprp", NULL)->title, "A");
}

static void
test_files_with_unusual_names_and_missing_ones (void **state)
{
  g_autofree char *folder = g_dir_make_tmp ("wpr-test-XXXXXX", NULL);
  static const char *const names[] = { "two words.wprp", "quote\"s'.wprp", "new\nline.wprp",
                                       "\xe6\xb5\x8b\xe8\xaf\x95.wprp", "\xff\xfe.wprp" };
  g_autoptr (WprLibrary) library = wpr_library_new ();
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_build_filename (folder, names[i], NULL);
      assert_true (g_file_set_contents (path, FILE_HEAD EMPTY ("A", "") FILE_TAIL, -1, NULL));
      assert_true (wpr_library_add_file (library, path, NULL));
      g_autofree char *shown = g_filename_display_name (path);
      assert_non_null (wpr_library_find (library, "A", shown, NULL));
      g_unlink (path);
      g_autoptr (GError) error = NULL;
      assert_false (wpr_library_add_file (library, path, &error));
      assert_true (g_error_matches (error, WPR_ERROR, WPR_ERROR_PROFILE));
      assert_non_null (strstr (error->message, "cannot be read"));
    }
  g_autoptr (GError) error = NULL;
  assert_false (wpr_library_add_file (library, folder, &error));
  assert_true (g_error_matches (error, WPR_ERROR, WPR_ERROR_PROFILE));
  g_clear_error (&error);
  assert_false (wpr_library_add_file (library, "/dev/zero", &error)); /* has no end */
  assert_true (g_error_matches (error, WPR_ERROR, WPR_ERROR_PROFILE));
  g_rmdir (folder);
}

static void
test_names_carry_their_level_in_any_case (void **state)
{
  static const struct
  {
    const char *given, *name;
    int level;
  } rows[] = {
    { "CPU", "CPU", -1 },
    { "CPU.light", "CPU", WPR_LEVEL_LIGHT },
    { "CPU.VERBOSE", "CPU", WPR_LEVEL_VERBOSE },
    { "My.Profile.Light", "My.Profile", WPR_LEVEL_LIGHT },
    { ".light", ".light", -1 },
    { "light", "light", -1 },
    { "CPU.heavy", "CPU.heavy", -1 },
  };
  g_autoptr (WprChoice) choice = wpr_choice_new ();
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      wpr_choice_add (choice, rows[i].given, NULL, -1);
      const WprChoiceItem *item = g_ptr_array_index (choice->profiles, i);
      assert_string_equal (item->name, rows[i].name);
      assert_int_equal (item->level, rows[i].level);
    }
}

static void
test_a_choice_survives_its_way_through_d_bus (void **state)
{
  g_autoptr (WprChoice) choice = wpr_choice_new ();
  wpr_choice_add (choice, "CPU", NULL, -1);
  wpr_choice_add (choice, "Mine.Light", "\xe6\xb5\x8b.wprp", -1);
  choice->mode = WPR_MODE_FILE;
  choice->buffer_size_kb = 512;
  choice->buffers = 7;
  choice->buffers_percent = 1.5;
  choice->duration_s = 60;
  choice->stop_at_max_size = TRUE;
  choice->sample_interval_100ns = 1221;
  choice->instance = g_strdup ("One");
  choice->record_to = g_strdup ("/tmp/\xff");
  choice->save_folder = g_strdup ("/home/x/WPR Files");
  choice->save_flags = 3;
  g_autoptr (GVariant) variant = g_variant_ref_sink (wpr_choice_to_variant (choice));
  g_autoptr (WprChoice) copy = wpr_choice_from_variant (variant, NULL);
  assert_int_equal (copy->profiles->len, 2);
  const WprChoiceItem *first = g_ptr_array_index (copy->profiles, 0);
  assert_string_equal (first->name, "CPU");
  assert_null (first->source);
  assert_int_equal (first->level, -1);
  const WprChoiceItem *second = g_ptr_array_index (copy->profiles, 1);
  assert_string_equal (second->name, "Mine");
  assert_string_equal (second->source, "\xe6\xb5\x8b.wprp");
  assert_int_equal (second->level, WPR_LEVEL_LIGHT);
  assert_int_equal (copy->mode, WPR_MODE_FILE);
  assert_int_equal (copy->buffer_size_kb, 512);
  assert_int_equal (copy->buffers, 7);
  assert_true (copy->buffers_percent > 1.49 && copy->buffers_percent < 1.51);
  assert_int_equal (copy->duration_s, 60);
  assert_true (copy->stop_at_max_size);
  assert_int_equal (copy->sample_interval_100ns, 1221);
  assert_string_equal (copy->instance, "One");
  assert_string_equal (copy->record_to, "/tmp/\xff");
  assert_string_equal (copy->save_folder, "/home/x/WPR Files");
  assert_int_equal (copy->save_flags, 3);
}

static void
test_a_strange_choice_is_refused_or_harmless (void **state)
{
  g_autoptr (GVariant) wrong = g_variant_ref_sink (g_variant_new_string ("CPU"));
  g_autoptr (GError) error = NULL;
  assert_null (wpr_choice_from_variant (wrong, &error));
  assert_true (g_error_matches (error, WPR_ERROR, WPR_ERROR_USAGE));
  g_autoptr (GVariant) odd = g_variant_ref_sink (g_variant_new_parsed (
      "{'mode': <uint32 77>, 'buffers': <'many'>, 'profiles': <[('A', '', 99)]>, 'else': <1>}"));
  g_autoptr (WprChoice) choice = wpr_choice_from_variant (odd, NULL);
  assert_int_equal (choice->mode, WPR_MODE_MEMORY);
  assert_int_equal (choice->buffers, 0);
  assert_int_equal (((WprChoiceItem *)g_ptr_array_index (choice->profiles, 0))->level,
                    WPR_LEVEL_LIGHT);
}

static void
test_a_machine_matches_what_it_knows_to_be_there (void **state)
{
  g_autoptr (WprMachine) machine = wpr_machine_new (1, GIB, WPR_RIGHTS_FULL);
  wpr_machine_set_event (machine, "b:two", WPR_HAVE_YES);
  wpr_machine_set_event (machine, "b:one", WPR_HAVE_YES);
  wpr_machine_set_event (machine, "b:no", WPR_HAVE_NO);
  wpr_machine_set_event (machine, "b:refused", WPR_HAVE_REFUSED);
  g_autoptr (GPtrArray) names = wpr_machine_match_events (machine, "b:*");
  assert_int_equal (names->len, 2);
  assert_string_equal (g_ptr_array_index (names, 0), "b:one");
  g_autoptr (GPtrArray) some = wpr_machine_match_events (machine, "b:t?o");
  assert_int_equal (some->len, 1);
  assert_int_equal (wpr_machine_get_event (machine, "c:x"), WPR_HAVE_UNKNOWN);
  wpr_machine_set_default (machine, WPR_HAVE_NO);
  assert_int_equal (wpr_machine_get_event (machine, "c:x"), WPR_HAVE_NO);
  assert_int_equal (wpr_machine_get_event (machine, "b:one"), WPR_HAVE_YES);
}

/* Of a file whose profiles have faults nobody knows what they would use. */
static void
test_what_no_profile_uses_is_listed_of_sound_files_only (void **state)
{
  static const char sound[] = FILE_HEAD
      "<SystemCollector Id=\"SC\"/>\n<SystemCollector Id=\"Other\"/><SystemProvider Id=\"SP\">"
      "<Keywords><Keyword Value=\"CSwitch\"/></Keywords></SystemProvider>" PROFILE (
          "P", "Light", "File", "") "<Collectors><SystemCollectorId Value=\"SC\">"
                                    "<SystemProviderId Value=\"SP\"/></SystemCollectorId>"
                                    "</Collectors></Profile>" FILE_TAIL;
  g_autoptr (WprLibrary) library = wpr_library_new ();
  add_text (library, sound);
  g_autoptr (GPtrArray) unused = wpr_library_list_unused (library, "test.wprp");
  assert_int_equal (unused->len, 1);
  assert_int_equal (((const WprPlanNote *)g_ptr_array_index (unused, 0))->line, 2);

  g_autofree char *faulty = g_strdup (sound);
  strstr (faulty, "SystemProviderId Value=\"SP")[25] = 'X';
  g_autoptr (GBytes) bytes = g_bytes_new (faulty, strlen (faulty));
  assert_false (wpr_library_add_bytes (library, bytes, "faulty.wprp", NULL));
  g_autoptr (GPtrArray) none = wpr_library_list_unused (library, "faulty.wprp");
  assert_int_equal (none->len, 0);
}

static void
test_a_file_has_a_title_although_it_cannot_be_used (void **state)
{
  static const struct
  {
    const char *text, *title;
  } rows[] = {
    { FILE_HEAD "<Profile Id=\"A.Verbose.Memory\" Name=\"A\" Description=\"Fan noise\" "
                "LoggingMode=\"Memory\" DetailLevel=\"Loud\"><Nonsense/></Profile>" FILE_TAIL,
      "Fan noise" },
    { FILE_HEAD "<Profile Id=\"A\" Name=\"A\" Description=\"@%SystemRoot%\\a.dll,-1\"/>" FILE_TAIL,
      "A" },
    { FILE_HEAD "<Profile Id=\"A\" Name=\"A\" Description=\"In parts\" Internal=\"true\"/>"
                "<Profile Id=\"B\" Name=\"B\" Description=\"Whole\"/>" FILE_TAIL,
      "Whole" },
    { FILE_HEAD FILE_TAIL, NULL },
    { "no XML at all", NULL },
    { "", NULL },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (WprLibrary) library = wpr_library_new ();
      g_autoptr (GBytes) bytes = g_bytes_new_static (rows[i].text, strlen (rows[i].text));
      assert_false (wpr_library_add_bytes (library, bytes, "test.wprp", NULL));
      g_autofree char *title = wpr_library_dup_title (library, "test.wprp");
      if (g_strcmp0 (title, rows[i].title) != 0)
        fail_msg ("row %zu: “%s”", i, title ? title : "NULL");
      assert_null (wpr_library_dup_title (library, "other.wprp"));
    }
}

static void
test_the_roots_remarks_are_there_also_of_a_faulty_file (void **state)
{
  static const char text[] = "<WindowsPerformanceRecorder Version=\"1.0\" Tag=\"guide:Ada\">"
                             "<Nonsense/></WindowsPerformanceRecorder>";
  g_autoptr (WprLibrary) library = wpr_library_new ();
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));
  assert_false (wpr_library_add_bytes (library, bytes, "test.wprp", NULL));
  g_autofree char *tag = wpr_library_dup_remark (library, "test.wprp", "Tag");
  assert_string_equal (tag, "guide:Ada");
  assert_null (wpr_library_dup_remark (library, "test.wprp", "Comments"));
  assert_null (wpr_library_dup_remark (library, "other.wprp", "Tag"));
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_built_in_profiles_win_unless_a_source_is_named),
    cmocka_unit_test (test_a_files_default_is_marked_or_its_first),
    cmocka_unit_test (test_a_faulty_file_leaves_its_faults_and_no_profile),
    cmocka_unit_test (test_adding_a_file_again_replaces_it),
    cmocka_unit_test (test_a_variant_that_is_there_twice_is_a_warning),
    cmocka_unit_test (test_the_roots_remarks_are_there_also_of_a_faulty_file),
    cmocka_unit_test (test_files_with_unusual_names_and_missing_ones),
    cmocka_unit_test (test_names_carry_their_level_in_any_case),
    cmocka_unit_test (test_a_file_has_a_title_although_it_cannot_be_used),
    cmocka_unit_test (test_a_choice_survives_its_way_through_d_bus),
    cmocka_unit_test (test_a_strange_choice_is_refused_or_harmless),
    cmocka_unit_test (test_a_machine_matches_what_it_knows_to_be_there),
    cmocka_unit_test (test_what_no_profile_uses_is_listed_of_sound_files_only),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
