/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A file of several profiles that were chosen together stands for all of them. */
#include "helpers.h"

static WprMachine *
new_machine (void)
{
  WprMachine *machine = wpr_machine_new (2, 8 * GIB, WPR_RIGHTS_FULL);
  wpr_machine_set_default (machine, WPR_HAVE_YES);
  return machine;
}

static void
set_buffers (WprChoice *choice, guint size_kb, guint number, double percent)
{
  choice->buffer_size_kb = size_kb;
  choice->buffers = number;
  choice->buffers_percent = percent;
}

/* The plan of all the file stands for, asked for by nothing but its name. */
static WprPlan *
plan_exported (const WprChoice *choice, const WprMachine *machine, guint n_expected)
{
  g_autoptr (WprLibrary) library = wpr_library_new ();
  g_autoptr (GError) error = NULL;
  g_autofree char *text = wpr_profile_export (library, choice, &error);
  if (text == NULL)
    fail_msg ("%s", error->message);
  add_text (library, text);
  assert_int_equal (wpr_library_get_faults (library)->len, 0);
  g_autoptr (GPtrArray) defaults = wpr_library_list_defaults (library, "test.wprp", &error);
  assert_non_null (defaults);
  assert_int_equal (defaults->len, n_expected);
  g_autoptr (WprChoice) again = wpr_choice_new ();
  again->mode = choice->mode;
  for (guint i = 0; i < defaults->len; i++)
    wpr_choice_add (again, ((const WprProfile *)defaults->pdata[i])->name, "test.wprp", -1);
  WprPlan *plan = wpr_plan_new (library, again, machine, &error);
  if (plan == NULL)
    fail_msg ("%s", error->message);
  return plan;
}

static void
assert_same (const WprChoice *choice, guint n_expected)
{
  g_autoptr (WprLibrary) library = wpr_library_new ();
  g_autoptr (WprMachine) machine = new_machine ();
  g_autoptr (WprPlan) ours = wpr_plan_new (library, choice, machine, NULL);
  g_autoptr (WprPlan) theirs = plan_exported (choice, machine, n_expected);
  assert_non_null (ours);
  assert_int_equal (theirs->mode, ours->mode);
  assert_int_equal (theirs->n_kinds, ours->n_kinds);
  assert_int_equal (theirs->memory_bytes, ours->memory_bytes);
  assert_int_equal (theirs->collectors->len, ours->collectors->len);
  for (guint i = 0; i < ours->collectors->len; i++)
    {
      const WprPlanCollector *one = ours->collectors->pdata[i];
      const WprPlanCollector *other = get_collector (theirs, one->name);
      assert_non_null (other);
      assert_int_equal (other->buffer_kb, one->buffer_kb);
      assert_int_equal (other->bytes_asked, one->bytes_asked);
      assert_int_equal (other->items->len, one->items->len);
    }
}

static void
test_an_export_stands_for_all_that_was_chosen (void **state)
{
  static const WprMode modes[] = { WPR_MODE_MEMORY, WPR_MODE_FILE };
  for (guint i = 0; i < G_N_ELEMENTS (modes); i++)
    {
      g_autoptr (WprChoice) choice = wpr_choice_new ();
      choice->mode = modes[i];
      wpr_choice_add (choice, "GeneralProfile", NULL, WPR_LEVEL_VERBOSE);
      wpr_choice_add (choice, "DiskIO", NULL, WPR_LEVEL_LIGHT);
      wpr_choice_add (choice, "Network", NULL, WPR_LEVEL_LIGHT);
      assert_same (choice, 3);
    }
}

static void
test_one_alone_is_its_default (void **state)
{
  g_autoptr (WprChoice) choice = wpr_choice_new ();
  wpr_choice_add (choice, "FileIO", NULL, WPR_LEVEL_LIGHT);
  assert_same (choice, 1);
}

static void
test_an_export_has_a_persons_own_buffers (void **state)
{
  g_autoptr (WprChoice) choice = wpr_choice_new ();
  wpr_choice_add (choice, "GeneralProfile", NULL, WPR_LEVEL_VERBOSE);
  wpr_choice_add (choice, "CPU", NULL, WPR_LEVEL_VERBOSE);
  set_buffers (choice, 512, 0, 0);
  assert_same (choice, 2);
  set_buffers (choice, 0, 100, 0);
  assert_same (choice, 2);
  set_buffers (choice, 256, 2000, 0);
  assert_same (choice, 2);
  set_buffers (choice, 0, 0, 5);
  assert_same (choice, 2);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_an_export_stands_for_all_that_was_chosen),
    cmocka_unit_test (test_one_alone_is_its_default),
    cmocka_unit_test (test_an_export_has_a_persons_own_buffers),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
