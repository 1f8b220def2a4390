/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Real files by other people ($WPR_CORPUS/wprp, left out where it is not set). Each is read without
 * a fault or is empty; every element and attribute, counted by XPath, is an item, a setting or a
 * note; each profile plans in every variant and is exported into a file that plans the same. What
 * comes of each file is in corpus.tsv; WPR_CORPUS_OUT writes it anew, for review. */
#include "config.h"
#include "helpers.h"
#include "profile/library.h"

#include <libxml/parser.h>
#include <libxml/xpath.h>

/* A machine with every event and counter. */
static WprMachine *
make_machine (void)
{
  WprMachine *machine = wpr_machine_new (2, 8 * GIB, WPR_RIGHTS_FULL);
  wpr_machine_set_default (machine, WPR_HAVE_YES);
  wpr_machine_set_has_pmu (machine, TRUE);
  return machine;
}

static int
compare_names (gconstpointer left, gconstpointer right)
{
  return strcmp (*(const char *const *)left, *(const char *const *)right);
}

static GPtrArray *
list_files (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  for (const char *name = dir != NULL ? g_dir_read_name (dir) : NULL; name != NULL;
       name = g_dir_read_name (dir))
    if (g_str_has_suffix (name, ".wprp"))
      g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, compare_names);
  return names;
}

static guint
count_by_xpath (xmlDoc *document, const char *expression)
{
  xmlXPathContext *context = xmlXPathNewContext (document);
  xmlXPathObject *result = xmlXPathEvalExpression ((const xmlChar *)expression, context);
  guint n = (guint)result->floatval;
  xmlXPathFreeObject (result);
  xmlXPathFreeContext (context);
  return n;
}

/* What one file comes to. */
typedef struct
{
  WprLibrary *library;
  const char *source;
  WprMachine *machine;
  GHashTable *events;
  guint n_notes;
} File;

static void
count_plan (File *file, const WprPlan *plan)
{
  assert_non_null (get_item (plan, "sideband"));
  for (guint i = 0; i < plan->collectors->len; i++)
    {
      const WprPlanCollector *collector = g_ptr_array_index (plan->collectors, i);
      for (guint j = 0; j < collector->items->len; j++)
        {
          const WprPlanItem *item = g_ptr_array_index (collector->items, j);
          g_hash_table_add (file->events, g_strdup (item->name));
        }
    }
  for (guint i = 0; i < plan->notes->len; i++)
    {
      const WprPlanNote *note = g_ptr_array_index (plan->notes, i);
      assert_true (note->line > 0 && note->column > 0 && *note->path != '\0'
                   && *note->text != '\0');
      assert_string_equal (note->file, file->source);
    }
  file->n_notes = MAX (file->n_notes, plan->notes->len);
  g_autofree char *text = wpr_plan_to_text (plan);
  g_autofree char *json = wpr_plan_to_json (plan);
  assert_true (*text != '\0' && *json == '{');
}

/* Every level and mode, also those the profile has not. */
static void
plan_profile (File *file, const WprProfile *profile, int level, WprMode mode)
{
  g_autoptr (WprChoice) choice = wpr_choice_new (), again = wpr_choice_new ();
  g_autoptr (GError) error = NULL;
  choice->mode = again->mode = mode;
  wpr_choice_add (choice, profile->name, file->source, level);
  g_autoptr (WprPlan) plan = wpr_plan_new (file->library, choice, file->machine, &error);
  if (plan == NULL)
    fail_msg ("%s", error->message);
  count_plan (file, plan);

  g_autofree char *exported = wpr_profile_export (file->library, choice, &error);
  assert_non_null (exported);
  const char *folder = g_getenv ("WPR_CORPUS_EXPORT"); /* to look at them with other tools */
  g_autofree char *name
      = g_strdup_printf ("%s-%s-%d-%d.wprp", file->source, profile->name, level, mode);
  g_autofree char *path = folder != NULL ? g_build_filename (folder, name, NULL) : NULL;
  if (path != NULL)
    g_file_set_contents (path, exported, -1, NULL);
  g_autoptr (GBytes) bytes = g_bytes_new (exported, strlen (exported));
  if (!wpr_library_add_bytes (file->library, bytes, "exported", &error))
    fail_msg ("%s %s: %s", file->source, profile->name, error->message);
  const GPtrArray *faults = wpr_library_get_faults (file->library);
  for (guint i = 0; i < faults->len; i++)
    {
      const WprFault *fault = g_ptr_array_index (faults, i);
      if (g_str_equal (fault->file, "exported"))
        fail_msg ("%s %s: %u:%u %s", file->source, profile->name, fault->line, fault->column,
                  fault->what);
    }
  wpr_choice_add (again, profile->name, "exported", level);
  g_autoptr (WprPlan) same = wpr_plan_new (file->library, again, file->machine, &error);
  assert_non_null (same);
  if (!g_str_equal (same->digest, plan->digest))
    fail_msg ("%s %s: another plan after the export", file->source, profile->name);
  wpr_library_remove (file->library, "exported");
}

static guint
plan_everything (File *file, GString *names)
{
  guint n = 0;
  for (guint i = 0; i < wpr_library_get_n_profiles (file->library); i++)
    {
      const WprProfile *profile = wpr_library_get_profile (file->library, i);
      if (g_strcmp0 (profile->source, file->source) != 0)
        continue;
      g_string_append_printf (names, "%s%s%s", n++ > 0 ? " " : "", profile->name,
                              profile->internal ? "(internal)" : "");
      for (int k = 0; k < 4 && !profile->internal; k++)
        {
          plan_profile (file, profile, k / 2, k % 2);
          profile = wpr_library_get_profile (file->library, i);
        }
    }
  return n;
}

/* Items, settings and notes are all there is in the text. */
static WprAccount
check_account (WprLibrary *library, const char *source, const char *text, gsize size)
{
  WprAccount account;
  assert_true (wpr_library_account (library, source, &account));
  xmlDoc *document = xmlReadMemory (text, (int)size, NULL, NULL, XML_PARSE_NONET);
  assert_non_null (document);
  assert_int_equal (account.n_elements, count_by_xpath (document, "count(//*)"));
  assert_int_equal (account.n_attributes, count_by_xpath (document, "count(//@*)"));
  assert_int_equal (account.n_kinds[0] + account.n_kinds[1] + account.n_kinds[2],
                    account.n_elements + account.n_attributes);
  xmlFreeDoc (document);
  return account;
}

static void
take_file (const char *folder, const char *name, WprLibrary *library, GString *table)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autofree char *text = NULL;
  gsize size = 0;
  assert_true (g_file_get_contents (path, &text, &size, NULL));
  g_autoptr (GBytes) bytes = g_bytes_new (text, size);
  g_autoptr (GError) error = NULL;
  if (size == 0)
    {
      assert_false (wpr_library_add_bytes (library, bytes, name, &error));
      g_string_append_printf (table, "%s\tempty\t0\t0\t0/0\t0/0\t0\t0\t0\t0\n", name);
      return;
    }
  if (!wpr_library_add_bytes (library, bytes, name, &error))
    fail_msg ("%s", error->message);
  if (wpr_library_get_faults (library)->len > 0)
    {
      const WprFault *fault = g_ptr_array_index (wpr_library_get_faults (library), 0);
      fail_msg ("%s:%u:%u: %s", name, fault->line, fault->column, fault->what);
    }
  g_autoptr (WprMachine) machine = make_machine ();
  g_autoptr (GHashTable) events = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GString) names = g_string_new (NULL);
  File file = { library, name, machine, events, 0 };
  guint n = plan_everything (&file, names);
  WprAccount account = check_account (library, name, text, size);
  g_string_append_printf (table, "%s\t%s\t%u\t%u\t%u/%u\t%u/%u\t%u\t%u\t%u\t%u\n", name, names->str,
                          n, g_hash_table_size (events), account.n_keyword_hits, account.n_keywords,
                          account.n_provider_hits, account.n_providers, account.n_kinds[0],
                          account.n_kinds[1], account.n_kinds[2], file.n_notes);
}

static void
test_every_file_of_the_corpus_comes_to_what_was_reviewed (void **state)
{
  const char *corpus = g_getenv ("WPR_CORPUS"), *out = g_getenv ("WPR_CORPUS_OUT");
  if (corpus == NULL)
    skip ();
  g_autofree char *folder = g_build_filename (corpus, "wprp", NULL);
  g_autoptr (GPtrArray) names = list_files (folder);
  assert_true (names->len > 0); /* a folder was named: it has files */
  g_autoptr (GString) table = g_string_new ("file\tprofiles\tnumber\tevents\tkeyword "
                                            "hits\tprovider hits\titems\tsettings\tnotes\tnotes of "
                                            "a plan\n");
  g_autoptr (WprLibrary) library = wpr_library_new ();
  for (guint i = 0; i < names->len; i++)
    {
      take_file (folder, g_ptr_array_index (names, i), library, table);
      wpr_library_remove (library, g_ptr_array_index (names, i));
    }
  if (out != NULL)
    assert_true (g_file_set_contents (out, table->str, -1, NULL));
  g_autofree char *path
      = g_build_filename (g_getenv ("WPR_SOURCE_ROOT"), "tests/core/profile/corpus.tsv", NULL);
  g_autofree char *reviewed = NULL;
  assert_true (g_file_get_contents (path, &reviewed, NULL, NULL));
  assert_string_equal (table->str, reviewed);
}

/* The same for the built-in ones, which need no corpus. */
static void
test_every_built_in_profile_is_exported_to_the_same_plan (void **state)
{
  g_autoptr (WprLibrary) library = wpr_library_new ();
  g_autoptr (WprMachine) machine = make_machine ();
  g_autoptr (GHashTable) events = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  File file = { library, NULL, machine, events, 0 };
  guint n = wpr_library_get_n_profiles (library);
  for (guint i = 0; i < n; i++)
    for (int k = 0; k < 4; k++)
      {
        const WprProfile *profile = wpr_library_get_profile (library, i);
        if (!profile->internal)
          plan_profile (&file, profile, k / 2, k % 2);
      }
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_every_file_of_the_corpus_comes_to_what_was_reviewed),
    cmocka_unit_test (test_every_built_in_profile_is_exported_to_the_same_plan),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
