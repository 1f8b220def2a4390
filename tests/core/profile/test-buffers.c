/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Buffers asked for and granted, against figures worked out by hand. */
#include "config.h"
#include "helpers.h"

/* One event collector named C with these buffers, recording one tracepoint: the system collector
 * beside it always has its own 64 MiB of defaults. */
#define CUSTOM(buffers, mode)                                                                    \
  FILE_HEAD "<SystemCollector Id=\"C\" Name=\"C\">" buffers "</SystemCollector>"                 \
            "<SystemProvider Id=\"S\"><Keywords><Keyword Value=\"CSwitch\"/></Keywords>"         \
            "</SystemProvider>" PROFILE (                                                        \
                "P", "Light", mode,                                                              \
                "") "<Collectors><SystemCollectorId Value=\"C\"><SystemProviderId Value=\"S\"/>" \
                    "</SystemCollectorId></Collectors></Profile>" FILE_TAIL

typedef struct
{
  const char *what;
  const char *text; /* NULL: the built-in CPU profile */
  WprMode mode;
  guint n_cpus;
  guint64 memory;
  guint choice_kb, choice_buffers;
  double choice_percent;
  guint64 asked, ring; /* bytes; ring a CPU */
  guint buffers_asked, buffers_granted;
  gboolean has_notice;
} Row;

static const Row rows[] = {
  { "file, defaults: 64 MiB / 2", NULL, WPR_MODE_FILE, 2, 8 * GIB, 0, 0, 0, 64 * MIB, 32 * MIB, 64,
    64, FALSE },
  { "file, 3 CPUs: 21.3 MiB each, 16 granted, nobody typed a number", NULL, WPR_MODE_FILE, 3,
    8 * GIB, 0, 0, 0, 64 * MIB, 16 * MIB, 64, 48, FALSE },
  { "file, 256 CPUs: 0.25 MiB each, but 1 MiB at least", NULL, WPR_MODE_FILE, 256, 512 * GIB, 0, 0,
    0, 64 * MIB, 1 * MIB, 64, 256, FALSE },
  { "file, 1 GiB of memory: 5 % are 51.2 MiB, so 2 x 16", NULL, WPR_MODE_FILE, 2, 1 * GIB, 0, 0, 0,
    64 * MIB, 16 * MIB, 64, 32, TRUE },
  { "file, a person's 256 x 1 MiB on 2 CPUs", NULL, WPR_MODE_FILE, 2, 8 * GIB, 0, 256, 0, 256 * MIB,
    128 * MIB, 256, 256, FALSE },
  { "file, a person's 100 x 1 MiB: 50 each, 32 granted", NULL, WPR_MODE_FILE, 2, 8 * GIB, 0, 100, 0,
    100 * MIB, 32 * MIB, 100, 64, TRUE },
  { "file, a person's size only: 64 x 512 KiB", NULL, WPR_MODE_FILE, 2, 8 * GIB, 512, 0, 0,
    32 * MIB, 16 * MIB, 64, 64, FALSE },
  { "file, a person's 8 x 4 KiB: 1 MiB a CPU at least", NULL, WPR_MODE_FILE, 2, 8 * GIB, 4, 8, 0,
    32 * 1024, 1 * MIB, 8, 512, FALSE },
  { "file, half of memory at most: 4 GiB asked, 1 GiB there", NULL, WPR_MODE_FILE, 2, 1 * GIB, 0,
    4096, 0, 4096 * MIB, 256 * MIB, 4096, 512, TRUE },
  { "file, huge: 1 GiB a CPU at most", NULL, WPR_MODE_FILE, 2, 64 * GIB, 1024, 16384, 0,
    16384 * MIB, 1024 * MIB, 16384, 2048, TRUE },
  { "memory, 5 % of 8 GiB: 409.6 MiB, 128 each", NULL, WPR_MODE_MEMORY, 2, 8 * GIB, 0, 0, 0,
    429496729, 128 * MIB, 409, 256, FALSE },
  { "memory, 5 % of 512 GiB: 1024 MiB at most", NULL, WPR_MODE_MEMORY, 4, 512 * GIB, 0, 0, 0,
    1024 * MIB, 256 * MIB, 1024, 1024, FALSE },
  { "memory, 256 CPUs: 1024 MiB / 256", NULL, WPR_MODE_MEMORY, 256, 512 * GIB, 0, 0, 0, 1024 * MIB,
    4 * MIB, 1024, 1024, FALSE },
  { "memory, 256 CPUs and 64 MiB of memory: 64 KiB a CPU, never less", NULL, WPR_MODE_MEMORY, 256,
    64 * MIB, 0, 0, 0, 3355443, 65536, 3, 16, FALSE },
  { "memory, a person's 10 %: 819.2 MiB, 256 each", NULL, WPR_MODE_MEMORY, 2, 8 * GIB, 0, 0, 10,
    858993459, 256 * MIB, 819, 512, TRUE },
  { "memory, a person's 50 %", NULL, WPR_MODE_MEMORY, 2, 2 * GIB, 0, 0, 50, 1024 * MIB, 512 * MIB,
    1024, 1024, FALSE },
  { "custom, the format's defaults: 64 x 128 KiB", CUSTOM ("", "File"), WPR_MODE_FILE, 2, 8 * GIB,
    0, 0, 0, 8 * MIB, 4 * MIB, 64, 64, FALSE },
  { "custom, more than 5 % but less than half",
    CUSTOM ("<BufferSize Value=\"1024\"/><Buffers Value=\"256\"/>", "File"), WPR_MODE_FILE, 2,
    1 * GIB, 0, 0, 0, 256 * MIB, 128 * MIB, 256, 256, FALSE },
  { "custom, 20 % with 1024 MB at most",
    CUSTOM ("<BufferSize Value=\"1024\"/><Buffers Value=\"20\" PercentageOfTotalMemory=\"true\" "
            "MaximumBufferSpace=\"512\"/>",
            "Memory"),
    WPR_MODE_MEMORY, 2, 8 * GIB, 0, 0, 0, 512 * MIB, 256 * MIB, 512, 512, FALSE },
  { "custom, 20 % without a limit: 1024 MB",
    CUSTOM ("<BufferSize Value=\"512\"/><Buffers Value=\"20\" PercentageOfTotalMemory=\"true\"/>",
            "Memory"),
    WPR_MODE_MEMORY, 2, 64 * GIB, 0, 0, 0, 1024 * MIB, 512 * MIB, 2048, 2048, FALSE },
  { "custom, a fraction of a percent: 1.5 % of 1 GiB",
    CUSTOM ("<BufferSize Value=\"1024\"/><Buffers Value=\"1.5\" PercentageOfTotalMemory=\"true\"/>",
            "Memory"),
    WPR_MODE_MEMORY, 1, 1 * GIB, 0, 0, 0, 16106127, 8 * MIB, 15, 8, TRUE },
};

static void
check_row (const Row *row)
{
  g_autoptr (WprLibrary) library = wpr_library_new ();
  if (row->text != NULL)
    add_text (library, row->text);
  g_autoptr (WprMachine) machine = wpr_machine_new (row->n_cpus, row->memory, WPR_RIGHTS_FULL);
  g_autoptr (WprChoice) choice = wpr_choice_new ();
  choice->mode = row->mode;
  choice->buffer_size_kb = row->choice_kb;
  choice->buffers = row->choice_buffers;
  choice->buffers_percent = row->choice_percent;
  wpr_choice_add (choice, row->text != NULL ? "P" : "CPU", row->text != NULL ? "test.wprp" : NULL,
                  -1);
  g_autoptr (GError) error = NULL;
  g_autoptr (WprPlan) plan = wpr_plan_new (library, choice, machine, &error);
  if (plan == NULL)
    fail_msg ("%s: %s", row->what, error->message);
  const WprPlanCollector *collector = g_ptr_array_index (plan->collectors, 0);
  if (collector->bytes_asked != row->asked || collector->ring_bytes != row->ring
      || collector->buffers_asked != row->buffers_asked
      || collector->buffers_granted != row->buffers_granted
      || collector->bytes_granted != row->ring * row->n_cpus)
    fail_msg ("%s: %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %u %u", row->what,
              collector->bytes_asked, collector->ring_bytes, collector->buffers_asked,
              collector->buffers_granted);
  if ((plan->notices->len > 0) != row->has_notice)
    fail_msg ("%s: %u notices", row->what, plan->notices->len);
}

static void
test_granted_is_what_was_worked_out_by_hand (void **state)
{
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    check_row (&rows[i]);
}

static void
test_the_sum_of_collectors_is_limited (void **state)
{
  g_autoptr (WprLibrary) library = wpr_library_new ();
  /* GPU in file mode: a system and an event collector of 64 MiB each. 5 % of 1 GiB are 51.2 MiB:
   * 2 x 32 + 2 x 32 halves the first to 2 x 16, the second, the first to 2 x 8, then 2 x 8 + 2 x 16
   * = 48 fits. */
  g_autoptr (WprMachine) machine = wpr_machine_new (2, 1 * GIB, WPR_RIGHTS_FULL);
  g_autoptr (WprPlan) plan = plan_one (library, "GPU", NULL, WPR_MODE_FILE, machine);
  assert_int_equal (get_collector (plan, "WPR System Collector")->ring_bytes, 8 * MIB);
  assert_int_equal (get_collector (plan, "WPR Event Collector")->ring_bytes, 16 * MIB);
  /* 48 MiB, and 2 x 512 KiB for the sideband. */
  assert_int_equal (plan->memory_bytes, 49 * MIB);
  assert_int_equal (plan->notices->len, 2);
  assert_true (has_text (plan->notices, "5 percent"));
}

static void
test_a_collector_without_items_takes_no_memory (void **state)
{
  g_autoptr (WprLibrary) library = wpr_library_new ();
  g_autoptr (WprMachine) machine = wpr_machine_new (2, 8 * GIB, WPR_RIGHTS_FULL);
  wpr_machine_set_default (machine, WPR_HAVE_NO);
  g_autoptr (WprPlan) plan = plan_one (library, "GPU", NULL, WPR_MODE_FILE, machine);
  assert_int_equal (get_collector (plan, "WPR Event Collector")->items->len, 0);
  assert_int_equal (plan->memory_bytes, 65 * MIB);
}

static void
test_the_largest_wins_where_profiles_disagree (void **state)
{
  g_autoptr (WprLibrary) library = wpr_library_new ();
  add_text (library, CUSTOM ("<BufferSize Value=\"2048\"/><Buffers Value=\"16\"/>", "File"));
  g_autoptr (WprMachine) machine = wpr_machine_new (2, 8 * GIB, WPR_RIGHTS_FULL);
  g_autoptr (WprChoice) choice = wpr_choice_new ();
  choice->mode = WPR_MODE_FILE;
  wpr_choice_add (choice, "CPU", NULL, -1);
  wpr_choice_add (choice, "P", "test.wprp", -1);
  g_autoptr (WprPlan) plan = wpr_plan_new (library, choice, machine, NULL);
  assert_int_equal (plan->collectors->len, 1); /* one system collector, whatever it is called */
  const WprPlanCollector *collector = g_ptr_array_index (plan->collectors, 0);
  assert_string_equal (collector->name, "WPR System Collector");
  assert_int_equal (collector->buffer_kb, 2048);
  assert_int_equal (collector->bytes_asked, 64 * MIB);
  assert_int_equal (collector->buffers_asked, 32);
  assert_true (has_text (plan->notices, "the largest are used"));
}

static void
test_numbers_out_of_range_are_refused_with_the_limit (void **state)
{
  static const struct
  {
    guint kb, buffers;
    double percent;
    guint interval, duration;
    const char *part;
  } wrong[] = {
    { .kb = 3, .part = "from 4 to 1048576 KB" },
    { .kb = 1048577, .part = "from 4 to 1048576 KB" },
    { .kb = G_MAXUINT, .part = "from 4 to 1048576 KB" },
    { .buffers = 1000001, .part = "from 1 to 1000000" },
    { .buffers = G_MAXUINT, .part = "from 1 to 1000000" },
    { .percent = 50.5, .part = "50 at most" },
    { .percent = -1, .part = "50 at most" },
    { .percent = __builtin_nan (""), .part = "50 at most" },
    { .percent = __builtin_inf (), .part = "50 at most" },
    { .interval = 1220, .part = "from 1221 to 10000000" },
    { .interval = 10000001, .part = "from 1221 to 10000000" },
    { .duration = 31 * 24 * 3600 + 1, .part = "31 days" },
  };
  g_autoptr (WprLibrary) library = wpr_library_new ();
  g_autoptr (WprMachine) machine = wpr_machine_new (2, 8 * GIB, WPR_RIGHTS_FULL);
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autoptr (WprChoice) choice = wpr_choice_new ();
      wpr_choice_add (choice, "CPU", NULL, -1);
      choice->buffer_size_kb = wrong[i].kb;
      choice->buffers = wrong[i].buffers;
      choice->buffers_percent = wrong[i].percent;
      choice->sample_interval_100ns = wrong[i].interval;
      choice->duration_s = wrong[i].duration;
      g_autoptr (GError) error = NULL;
      assert_null (wpr_plan_new (library, choice, machine, &error));
      assert_true (g_error_matches (error, WPR_ERROR, WPR_ERROR_USAGE));
      if (strstr (error->message, wrong[i].part) == NULL)
        fail_msg ("%s", error->message);
    }
}

static void
test_the_ends_of_the_ranges_are_possible (void **state)
{
  static const struct
  {
    guint kb, buffers;
  } ends[] = { { 4, 1 }, { 1048576, 1 }, { 4, 1000000 }, { 1048576, 1000000 } };
  g_autoptr (WprLibrary) library = wpr_library_new ();
  g_autoptr (WprMachine) machine = wpr_machine_new (2, 8 * GIB, WPR_RIGHTS_FULL);
  for (gsize i = 0; i < G_N_ELEMENTS (ends); i++)
    {
      g_autoptr (WprChoice) choice = wpr_choice_new ();
      wpr_choice_add (choice, "CPU", NULL, -1);
      choice->buffer_size_kb = ends[i].kb;
      choice->buffers = ends[i].buffers;
      g_autoptr (WprPlan) plan = wpr_plan_new (library, choice, machine, NULL);
      assert_non_null (plan);
      const WprPlanCollector *collector = g_ptr_array_index (plan->collectors, 0);
      assert_int_equal (collector->buffers_asked, ends[i].buffers);
      assert_in_range (collector->ring_bytes, 65536, 1024 * MIB);
      assert_true (collector->bytes_granted <= 4 * GIB);
      assert_true (collector->buffers_granted >= 1);
    }
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_granted_is_what_was_worked_out_by_hand),
    cmocka_unit_test (test_the_sum_of_collectors_is_limited),
    cmocka_unit_test (test_a_collector_without_items_takes_no_memory),
    cmocka_unit_test (test_the_largest_wins_where_profiles_disagree),
    cmocka_unit_test (test_numbers_out_of_range_are_refused_with_the_limit),
    cmocka_unit_test (test_the_ends_of_the_ranges_are_possible),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
