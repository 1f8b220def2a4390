/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Real files by other people ($WPR_CORPUS/wprp, left out where it is not set): each is read without
 * a fault or is empty, and each profile in it plans in both modes. */
#include "config.h"
#include "helpers.h"

static void
plan_everything_of (WprLibrary *library, const char *source, const WprMachine *machine)
{
  for (guint i = 0; i < wpr_library_get_n_profiles (library); i++)
    {
      const WprProfile *profile = wpr_library_get_profile (library, i);
      if (g_strcmp0 (profile->source, source) != 0 || profile->internal)
        continue;
      for (int mode = WPR_MODE_MEMORY; mode <= WPR_MODE_FILE; mode++)
        {
          g_autoptr (WprPlan) plan = plan_one (library, profile->name, source, mode, machine);
          assert_non_null (get_item (plan, "sideband"));
          g_autofree char *text = wpr_plan_to_text (plan);
          g_autofree char *json = wpr_plan_to_json (plan);
          assert_true (*text != '\0' && *json == '{');
        }
    }
}

static void
test_every_file_of_the_corpus_is_read_and_plans (void **state)
{
  const char *corpus = g_getenv ("WPR_CORPUS");
  if (corpus == NULL)
    skip ();
  g_autofree char *folder = g_build_filename (corpus, "wprp", NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  if (dir == NULL)
    skip ();
  g_autoptr (WprMachine) machine = wpr_machine_new (2, 8 * GIB, WPR_RIGHTS_FULL);
  guint n_read = 0;
  for (const char *name = g_dir_read_name (dir); name != NULL; name = g_dir_read_name (dir))
    {
      if (!g_str_has_suffix (name, ".wprp"))
        continue;
      g_autofree char *path = g_build_filename (folder, name, NULL);
      g_autofree char *text = NULL;
      gsize size = 0;
      assert_true (g_file_get_contents (path, &text, &size, NULL));
      g_autoptr (GBytes) bytes = g_bytes_new (text, size);
      g_autoptr (WprLibrary) library = wpr_library_new ();
      g_autoptr (GError) error = NULL;
      if (size == 0)
        {
          assert_false (wpr_library_add_bytes (library, bytes, name, &error));
          continue;
        }
      if (!wpr_library_add_bytes (library, bytes, name, &error))
        fail_msg ("%s", error->message);
      if (wpr_library_get_faults (library)->len > 0)
        {
          const WprFault *fault = g_ptr_array_index (wpr_library_get_faults (library), 0);
          fail_msg ("%s:%u:%u: %s", name, fault->line, fault->column, fault->what);
        }
      plan_everything_of (library, name, machine);
      n_read++;
    }
  assert_true (n_read > 0);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_every_file_of_the_corpus_is_read_and_plans),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
