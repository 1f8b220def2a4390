/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How busy the computer is, read from the text of /proc, and what a plan would record of that. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include <unistd.h>
#include "details.h"
#include "estimate.h"

#define GIB (G_GUINT64_CONSTANT (1) << 30)
#define ALMOST(a, b) assert_true ((a) > (b)*.999 && (a) < (b)*1.001)

static const char stat_text[] = "cpu  100 20 30 4000 500 6 7 8 9 10\n"
                                "cpu0 50 10 15 2000 250 3 3 4 4 5\n"
                                "intr 1000 10 0 20 30\n"
                                "ctxt 123456\n"
                                "btime 1700000000\n"
                                "processes 789\n"
                                "procs_running 2\n"
                                "softirq 900 1 200 3 4 5 6 7 8 9 10\n";
static const char vmstat_text[] = "nr_free_pages 5\npgalloc_dma 1\npgalloc_dma32 20\n"
                                  "pgalloc_normal 300\npgfree 40\npgfault 5000\npgmajfault 6\n";
static const char netdev_text[]
    = "Inter-|   Receive                            |  Transmit\n"
      " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs\n"
      "    lo: 1000 10 0 0 0 0 0 0 1000 10 0 0 0 0 0 0\n"
      "  eth0:5000 50 0 0 0 0 0 0 700 7 0 0 0 0 0 0\n";
static const char disks_text[]
    = " 254 0 vda 11 0 0 0 22 0 0 0 0 0 0 33 0 0 0 44 0\n"
      " 254 1 vda1 11 0 0 0 22 0 0 0 0 0 0 33 0 0 0 44 0\n"
      "   8 0 old 1 0 0 0 2 0 0 0 0 0 0\n"; /* before 4.18: no discards, no flushes */

static gboolean
is_disk (const char *name)
{
  return g_str_equal (name, "vda") || g_str_equal (name, "old");
}

static void
the_text_of_proc_is_counted (void **state)
{
  WprLoad load = { 0 };
  wpr_load_parse_stat (&load, stat_text);
  wpr_load_parse_vmstat (&load, vmstat_text);
  wpr_load_parse_netdev (&load, netdev_text);
  wpr_load_parse_diskstats (&load, disks_text, is_disk);
  assert_int_equal (load.counts[WPR_LOAD_SWITCHES], 123456);
  assert_int_equal (load.counts[WPR_LOAD_FORKS], 789);
  assert_int_equal (load.counts[WPR_LOAD_IRQS], 60);
  assert_int_equal (load.counts[WPR_LOAD_VECTORS], 940);
  assert_int_equal (load.counts[WPR_LOAD_SOFTIRQS], 900);
  assert_int_equal (load.counts[WPR_LOAD_TASKLETS], 8);
  assert_int_equal (load.counts[WPR_LOAD_TIMERS], 200);
  assert_int_equal (load.counts[WPR_LOAD_BUSY_NS],
                    163 * (G_GUINT64_CONSTANT (1000000000) / (guint64)sysconf (_SC_CLK_TCK)));
  assert_int_equal (load.counts[WPR_LOAD_ALLOCS], 321);
  assert_int_equal (load.counts[WPR_LOAD_FREES], 40);
  assert_int_equal (load.counts[WPR_LOAD_FAULTS], 5000);
  assert_int_equal (load.counts[WPR_LOAD_MAJFAULTS], 6);
  assert_int_equal (load.counts[WPR_LOAD_PACKETS], 77);
  assert_int_equal (load.counts[WPR_LOAD_DISK], 11 + 22 + 33 + 44 + 1 + 2);
}

static void
strange_text_is_harmless (void **state)
{
  static const char *const texts[]
      = { "",          "\n\n", "intr", "intr \n", "cpu ",
          "softirq 1", ":",    "x:",   "ctxt -5", "ctxt 99999999999999999999999",
          " 1 2 vda" };
  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      WprLoad load = { 0 };
      wpr_load_parse_stat (&load, texts[i]);
      wpr_load_parse_vmstat (&load, texts[i]);
      wpr_load_parse_netdev (&load, texts[i]);
      wpr_load_parse_diskstats (&load, texts[i], is_disk);
      assert_int_equal (load.counts[WPR_LOAD_DISK], 0);
      assert_int_equal (load.counts[WPR_LOAD_PACKETS], 0);
    }
}

static void
rates_are_what_moved_a_second (void **state)
{
  WprLoad before = { .time_us = 1000000 }, after = { .time_us = 3000000 };
  double rates[WPR_LOAD_N];
  before.counts[WPR_LOAD_SWITCHES] = 100;
  after.counts[WPR_LOAD_SWITCHES] = 500;
  before.counts[WPR_LOAD_PACKETS] = 50; /* a network device was taken out */
  wpr_load_rates (&before, &after, rates);
  ALMOST (rates[WPR_LOAD_SWITCHES], 200);
  assert_true (rates[WPR_LOAD_PACKETS] == 0);
  wpr_load_rates (&before, &before, rates);
  assert_true (rates[WPR_LOAD_SWITCHES] == 0);
}

static void
this_computer_is_read (void **state)
{
  WprLoad load;
  wpr_load_read (&load);
  assert_true (load.time_us > 0);
  assert_true (load.counts[WPR_LOAD_SWITCHES] > 0);
  assert_true (load.counts[WPR_LOAD_FAULTS] > 0);
}

static WprPlan *
plan (const char *name, WprMode mode, guint n_cpus)
{
  g_autoptr (WprLibrary) library = wpr_library_new ();
  g_autoptr (WprMachine) machine = wpr_machine_new (n_cpus, 16 * GIB, WPR_RIGHTS_FULL);
  g_autoptr (WprChoice) choice = wpr_choice_new ();
  wpr_machine_set_default (machine, WPR_HAVE_YES);
  choice->mode = mode;
  wpr_choice_add (choice, name, NULL, -1);
  WprPlan *made = wpr_plan_new (library, choice, machine, NULL);
  assert_non_null (made);
  return made;
}

static void
a_busier_computer_fills_the_memory_sooner (void **state)
{
  double calm[WPR_LOAD_N] = { [WPR_LOAD_SWITCHES] = 1000, [WPR_LOAD_SOFTIRQS] = 500 };
  double busy[WPR_LOAD_N] = { [WPR_LOAD_SWITCHES] = 100000, [WPR_LOAD_SOFTIRQS] = 50000 };
  WprEstimate first, second;
  g_autoptr (WprPlan) cpu = plan ("CPU", WPR_MODE_MEMORY, 4);
  wpr_estimate_plan (&first, cpu, 4, calm, GIB);
  wpr_estimate_plan (&second, cpu, 4, busy, GIB);
  assert_true (first.known && second.known);
  assert_true (first.events_per_s > 4000); /* the samples alone */
  assert_true (second.holds_s < first.holds_s / 5);
  const WprPlanCollector *collector = cpu->collectors->pdata[0];
  ALMOST (first.holds_s, (double)collector->bytes_granted / first.bytes_per_s);
}

static void
a_file_grows_until_the_disk_is_full (void **state)
{
  double rates[WPR_LOAD_N] = { [WPR_LOAD_SWITCHES] = 1000 };
  WprEstimate small, large;
  g_autoptr (WprPlan) triage = plan ("GeneralProfile", WPR_MODE_FILE, 2);
  wpr_estimate_plan (&small, triage, 2, rates, GIB);
  wpr_estimate_plan (&large, triage, 2, rates, 10 * GIB);
  assert_true (small.known && small.bytes_per_s > 0);
  ALMOST (large.room_s, 10 * small.room_s);
  ALMOST (small.room_s, (double)GIB / 2 / small.bytes_per_s);
}

static void
what_nobody_can_tell_is_not_told (void **state)
{
  double rates[WPR_LOAD_N] = { 0 };
  WprEstimate estimate;
  g_autoptr (WprPlan) calls = plan ("SystemCall", WPR_MODE_MEMORY, 2);
  wpr_estimate_plan (&estimate, calls, 2, rates, GIB);
  assert_false (estimate.known);
  g_autoptr (WprPlan) files = plan ("FileIO", WPR_MODE_MEMORY, 2);
  wpr_estimate_plan (&estimate, files, 2, rates, GIB);
  assert_false (estimate.known);
}

/* ---- what a profile adds ---- */

static WprDetails *
describe (const char *name, const char *beside, WprLevel level)
{
  g_autoptr (WprLibrary) library = wpr_library_new ();
  g_autoptr (WprMachine) machine = wpr_machine_new (2, 16 * GIB, WPR_RIGHTS_FULL);
  g_autoptr (WprChoice) choice = wpr_choice_new ();
  g_autoptr (WprChoice) others = beside ? wpr_choice_new () : NULL;
  wpr_machine_set_default (machine, WPR_HAVE_YES);
  wpr_choice_add (choice, name, NULL, level);
  if (others != NULL)
    wpr_choice_add (others, beside, NULL, WPR_LEVEL_VERBOSE);
  return wpr_details_new (library, machine, choice, others);
}

static const WprDetailsItem *
find_item (const WprDetails *details, const char *name)
{
  for (guint i = 0; i < details->items->len; i++)
    {
      const WprDetailsItem *item = details->items->pdata[i];
      if (g_str_equal (item->name, name))
        return item;
    }
  fail_msg ("no %s", name);
  return NULL;
}

static void
details_say_who_asks_and_what_is_new (void **state)
{
  g_autoptr (WprDetails) details = describe ("CPU", "GeneralProfile", WPR_LEVEL_VERBOSE);
  assert_string_equal (details->others, "First level triage");
  const WprDetailsItem *known = find_item (details, "sched:sched_switch");
  assert_false (known->is_new);
  assert_non_null (strstr (known->sentence, "CPU usage and First level triage"));
  assert_non_null (strstr (known->sentence, "with call stacks"));
  const WprDetailsItem *fresh = find_item (details, "sched:sched_migrate_task");
  assert_true (fresh->is_new);
  assert_null (strstr (fresh->sentence, "First level triage"));
  guint n_new = 0;
  for (guint i = 0; i < details->items->len; i++)
    n_new += ((const WprDetailsItem *)details->items->pdata[i])->is_new;
  assert_int_equal (details->n_new, n_new);
  assert_int_equal (find_item (details, "cpu-clock")->samples_per_s, 1000);
}

static void
the_same_profile_adds_nothing (void **state)
{
  g_autoptr (WprDetails) light = describe ("GeneralProfile", "GeneralProfile", WPR_LEVEL_LIGHT);
  assert_int_equal (light->n_new, 0);
  g_autoptr (WprDetails) alone = describe ("GeneralProfile", NULL, WPR_LEVEL_VERBOSE);
  assert_null (alone->others);
  assert_true (alone->n_new > 0);
  assert_null (strstr (find_item (alone, "sched:sched_switch")->sentence, " and "));
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (the_text_of_proc_is_counted),
    cmocka_unit_test (strange_text_is_harmless),
    cmocka_unit_test (rates_are_what_moved_a_second),
    cmocka_unit_test (this_computer_is_read),
    cmocka_unit_test (a_busier_computer_fills_the_memory_sooner),
    cmocka_unit_test (a_file_grows_until_the_disk_is_full),
    cmocka_unit_test (what_nobody_can_tell_is_not_told),
    cmocka_unit_test (details_say_who_asks_and_what_is_new),
    cmocka_unit_test (the_same_profile_adds_nothing),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
