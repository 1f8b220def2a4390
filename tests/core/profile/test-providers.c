/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What profiles say of Windows' own providers reaches exactly the events of Linux that stand for
 * it: by number, by keyword, by level, as Windows' manifests have them. */
#include "config.h"
#include "helpers.h"
#include "profile/fault.h"
#include "profile/library.h"
#include "profile/providers.h"

#define IN(ids) "<EventFilters FilterIn=\"true\">" ids "</EventFilters>"
#define OUT(ids) "<EventFilters FilterIn=\"false\">" ids "</EventFilters>"
#define ID(n) "<EventId Value=\"" n "\"/>"
#define KEYWORD(mask) "<Keywords><Keyword Value=\"" mask "\"/></Keywords>"
#define PROCESS "Microsoft-Windows-Kernel-Process"
#define NETWORK "{7DD42A49-5329-4832-8DFD-43D979153A88}"
#define POWER "Microsoft-Windows-Kernel-Power"
#define TCPIP "2f07e2ee-15db-40f1-90ef-9d7ba282188a"

static const struct
{
  const char *provider, *level, *inside;
  const char *events; /* sorted */
} cases[] = {
  { PROCESS, "0", IN (ID ("1")), "sched:sched_process_exec sched:sched_process_fork" },
  { PROCESS, "5", IN (ID ("0x2")), "sched:sched_process_exit" },
  { PROCESS, "4", IN (ID ("3") ID ("4")), "sched:sched_process_exit task:task_newtask" },
  { PROCESS, "4", KEYWORD ("0x10") IN (ID ("1") ID ("2") ID ("3")),
    "sched:sched_process_exec sched:sched_process_exit sched:sched_process_fork" },
  { PROCESS, "4", KEYWORD ("0x40"), "module:module_free module:module_load" },
  { PROCESS, "4", KEYWORD ("0x600"),
    "cgroup:cgroup_freeze cgroup:cgroup_mkdir cgroup:cgroup_rmdir cgroup:cgroup_unfreeze" },
  { PROCESS, "3", KEYWORD ("0x10"), "" },
  { "Microsoft-Windows-Kernel-File", "4", IN (ID ("12")),
    "syscalls:sys_enter_creat syscalls:sys_enter_open syscalls:sys_enter_openat "
    "syscalls:sys_enter_openat2 syscalls:sys_exit_creat syscalls:sys_exit_open "
    "syscalls:sys_exit_openat syscalls:sys_exit_openat2" },
  { "Microsoft-Windows-Kernel-File", "4", KEYWORD ("0x400"),
    "syscalls:sys_enter_rmdir syscalls:sys_enter_unlink syscalls:sys_enter_unlinkat "
    "syscalls:sys_exit_rmdir syscalls:sys_exit_unlink syscalls:sys_exit_unlinkat" },
  { "Microsoft-Windows-Kernel-File", "4", IN (ID ("21")),
    "syscalls:sys_enter_fdatasync syscalls:sys_enter_fsync syscalls:sys_enter_sync_file_range "
    "syscalls:sys_exit_fdatasync syscalls:sys_exit_fsync syscalls:sys_exit_sync_file_range" },
  { "Microsoft-Windows-Kernel-Disk", "4", IN (ID ("10")),
    "block:block_rq_complete block:block_rq_issue" },
  { NETWORK, "0", IN (ID ("10") ID ("11")), "sock:sock_recv_length sock:sock_send_length" },
  { NETWORK, "0", IN (ID ("12") ID ("28") ID ("31")), "sock:inet_sock_set_state" },
  { NETWORK, "0",
    OUT (ID ("10") ID ("26") ID ("42") ID ("58") ID ("11") ID ("18") ID ("27") ID ("34") ID ("43")
             ID ("59")),
    "sock:inet_sk_error_report sock:inet_sock_set_state tcp:tcp_retransmit_skb" },
  { "Microsoft-Windows-Kernel-Memory", "0", KEYWORD ("0x20"), "meminfo" },
  { "Microsoft-Windows-Kernel-Memory", "0", KEYWORD ("0x60"), "meminfo rss" },
  { "Microsoft-Windows-Kernel-Memory", "0", IN (ID ("6")), "major-faults" },
  { POWER, "0", KEYWORD ("0x20"),
    "thermal:cdev_update thermal:thermal_temperature thermal:thermal_zone_trip" },
  { POWER, "2", KEYWORD ("0x20"), "thermal:thermal_zone_trip" },
  { POWER, "4", IN (ID ("92")), "power:wakeup_source_activate power:wakeup_source_deactivate" },
  { "Microsoft-Windows-Kernel-Processor-Power", "4", KEYWORD ("0x1"), "power:cpu_frequency" },
  { "Microsoft-Windows-Kernel-Processor-Power", "4", IN (ID ("47")), "power:cpu_frequency_limits" },
  { TCPIP, "4", IN (ID ("1077")), "tcp:tcp_retransmit_skb" },
  { TCPIP, "4", KEYWORD ("0x100000000"),
    "skb:kfree_skb sock:sock_send_length tcp:tcp_retransmit_skb" },
  { TCPIP, "4", IN (ID ("1002") ID ("1184")), "sock:inet_sock_set_state tcp:tcp_receive_reset" },
  { "2cb15d1d-5fc1-11d2-abe1-00a0c911f518", "0", "", "module:module_free module:module_load" },
};

static int
compare_names (gconstpointer left, gconstpointer right)
{
  return strcmp (*(const char *const *)left, *(const char *const *)right);
}

static WprPlan *
plan_of (const WprMachine *machine, const char *provider, const char *level, const char *inside)
{
  g_autoptr (WprLibrary) library = wpr_library_new ();
  g_autofree char *text = g_strdup_printf (
      FILE_HEAD "<EventCollector Id=\"EC\" Name=\"E\"/><EventProvider Id=\"EP\" Name=\"%s\" "
                "Level=\"%s\">%s</EventProvider>" PROFILE (
                    "P", "Light", "File",
                    "") "<Collectors><EventCollectorId "
                        "Value=\"EC\"><EventProviders><EventProviderId Value=\"EP\"/>"
                        "</EventProviders></EventCollectorId></Collectors></Profile>" FILE_TAIL,
      provider, level, inside);
  add_text (library, text);
  return plan_one (library, "P", "test.wprp", WPR_MODE_FILE, machine);
}

/* Names of what the event collector records, sorted, with a space between. */
static char *
events_of (const WprPlan *plan)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  const WprPlanCollector *collector = get_collector (plan, "E");
  for (guint i = 0; collector != NULL && i < collector->items->len; i++)
    g_ptr_array_add (
        names, (gpointer)((const WprPlanItem *)g_ptr_array_index (collector->items, i))->name);
  g_ptr_array_sort (names, compare_names);
  g_ptr_array_add (names, NULL);
  return g_strjoinv (" ", (char **)names->pdata);
}

static void
test_filters_keywords_and_levels_reach_exactly_their_events (void **state)
{
  g_autoptr (WprMachine) machine = wpr_machine_new (2, 8 * GIB, WPR_RIGHTS_FULL);
  wpr_machine_set_default (machine, WPR_HAVE_YES);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (WprPlan) plan
          = plan_of (machine, cases[i].provider, cases[i].level, cases[i].inside);
      g_autofree char *events = events_of (plan);
      if (!g_str_equal (events, cases[i].events))
        fail_msg ("%s %s: %s", cases[i].provider, cases[i].inside, events);
      g_autofree char *what = g_strdup_printf ("provider %s", cases[i].provider);
      assert_true ((get_missing (plan, what) != NULL) == (*events == '\0'));
    }
}

static void
test_numbers_nothing_stands_for_are_told (void **state)
{
  g_autoptr (WprMachine) machine = wpr_machine_new (2, 8 * GIB, WPR_RIGHTS_FULL);
  wpr_machine_set_default (machine, WPR_HAVE_YES);
  g_autoptr (WprPlan) some = plan_of (machine, PROCESS, "4", IN (ID ("1") ID ("9") ID ("0x15")));
  assert_true (has_text (some->notices, "nothing stands here: 9, 0x15."));
  assert_false (has_text (some->notices, "all of its events"));
  g_autoptr (WprPlan) none = plan_of (machine, PROCESS, "4", IN (ID ("9")));
  assert_non_null (get_missing (none, "provider " PROCESS));
  g_autoptr (WprPlan) unnumbered = plan_of (machine, "KernelProcess", "4", IN (ID ("9")));
  assert_non_null (get_item (unnumbered, "sched:sched_process_exec"));
  assert_true (has_text (unnumbered->notices, "all of its events are recorded"));
}

/* Optional events that a kernel lacks come to a note, not to silence. */
static void
test_a_provider_without_any_event_here_is_told (void **state)
{
  g_autoptr (WprMachine) machine = wpr_machine_new (2, 8 * GIB, WPR_RIGHTS_FULL);
  wpr_machine_set_default (machine, WPR_HAVE_NO);
  g_autoptr (WprPlan) plan = plan_of (machine, "Microsoft-Windows-StorPort", "4", "");
  assert_int_equal (get_missing (plan, "provider Microsoft-Windows-StorPort")->reason,
                    WPR_MISSING_NOT_HERE);
  wpr_machine_set_event (machine, "nvme:nvme_setup_cmd", WPR_HAVE_YES);
  g_autoptr (WprPlan) nvme = plan_of (machine, "Microsoft-Windows-StorPort", "4", "");
  assert_null (get_missing (nvme, "provider Microsoft-Windows-StorPort"));
  assert_non_null (get_item (nvme, "nvme:nvme_setup_cmd"));
}

/* Every row of the table is understood and names something that can be recorded. */
static void
test_the_table_has_no_faults (void **state)
{
  g_autoptr (GPtrArray) faults = wpr_faults_new ();
  WprProviders *providers = wpr_providers_new (faults);
  assert_int_equal (faults->len, 0);
  g_autoptr (GPtrArray) list = wpr_providers_list (providers);
  g_autoptr (WprMachine) machine = wpr_machine_new (2, 8 * GIB, WPR_RIGHTS_FULL);
  wpr_machine_set_default (machine, WPR_HAVE_YES);
  assert_int_equal (list->len % 3, 0);
  for (guint i = 0; i < list->len; i += 3)
    {
      const char *name = g_ptr_array_index (list, i);
      g_autoptr (WprPlan) plan = plan_of (machine, name, "0", "");
      for (guint j = 0; j < plan->missing->len; j++)
        {
          const WprPlanMissing *missing = g_ptr_array_index (plan->missing, j);
          if (strstr (missing->text, "not the name") != NULL)
            fail_msg ("%s: %s", name, missing->what);
        }
    }
  wpr_providers_free (providers);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_filters_keywords_and_levels_reach_exactly_their_events),
    cmocka_unit_test (test_numbers_nothing_stands_for_are_told),
    cmocka_unit_test (test_a_provider_without_any_event_here_is_told),
    cmocka_unit_test (test_the_table_has_no_faults),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
